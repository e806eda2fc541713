//! The runtime's events, each a hint at what may have changed.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use podsapi_client::Code;
use podsapi_proto::cri::{ContainerEventResponse, ContainerEventType, VersionResponse};
use podsapi_proto::text::decode;
use tokio::sync::Notify;

use super::runtime::Runtime;

/// Whether the runtime's events are taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Events {
    /// Where each event goes to every reader: not from containerd before 2, which deals each to one
    /// reader alone and so to this one instead of to a kubelet.
    #[default]
    Auto,
    /// Never.
    Off,
    /// From every runtime that has them.
    On,
}

impl Events {
    /// Whether they are taken from the runtime that says this of itself.
    pub(super) fn are_taken(self, version: &VersionResponse) -> bool {
        match self {
            Self::Auto => {
                let version_2 = major(&version.runtime_version).is_some_and(|major| major >= 2);
                version.runtime_name != "containerd" || version_2
            }
            Self::Off => false,
            Self::On => true,
        }
    }
}

/// Reads the first number of a version such as `v1.7.24` or `2.1.9~ds1`.
fn major(version: &str) -> Option<u32> {
    let version = version.strip_prefix('v').unwrap_or(version);
    version.split('.').next()?.parse().ok()
}

/// What events have hinted at since it was taken.
#[derive(Debug, Default)]
pub(super) struct Hints {
    noted: Mutex<Noted>,
    arrived: Notify,
}

/// What is to be looked at.
#[derive(Debug, Default)]
pub(super) struct Noted {
    /// The sandboxes and containers that events were about.
    pub(super) ids: BTreeSet<String>,
    /// Whether lists have changed.
    pub(super) lists: bool,
}

impl Hints {
    /// Waits for the first hint since they were taken.
    pub(super) async fn arrived(&self) {
        self.arrived.notified().await;
    }

    pub(super) fn take(&self) -> Noted {
        std::mem::take(&mut *self.noted.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Notes what an event is about; `None` is whatever lists show.
    fn note(&self, about: Option<String>) {
        let mut noted = self.noted.lock().unwrap_or_else(PoisonError::into_inner);
        match about {
            Some(id) if noted.ids.len() < NOTED_LIMIT => drop(noted.ids.insert(id)),
            Some(_) | None => noted.lists = true,
        }
        drop(noted);
        self.arrived.notify_one();
    }
}

/// Notes in `hints` whatever the runtime tells that happened, until the future is dropped.
///
/// An event says where to look, and nothing that it says is believed: events can be lost, or dealt
/// to other clients. A runtime without events is asked once.
pub(super) async fn watch(runtime: &Runtime, hints: &Hints) -> Infallible {
    loop {
        match runtime.events().await {
            Ok(mut events) => {
                // What happened before the subscription is in the lists alone.
                hints.note(None);
                while let Ok(Some(event)) = events.next().await {
                    hints.note(subject(&event));
                }
            }
            Err(error) if error.code() == Code::Unimplemented => {
                tracing::debug!("the container runtime has no events");
                return std::future::pending().await;
            }
            Err(error) => tracing::debug!(%error, "the container runtime's events ended"),
        }
        tokio::time::sleep(RESUBSCRIBE).await;
    }
}

/// Returns the ID of what an event is about, unless only a list can show what happened.
fn subject(event: &[u8]) -> Option<String> {
    let event: ContainerEventResponse = decode(event).ok()?;
    let deleted = i32::from(ContainerEventType::ContainerDeletedEvent);
    (event.container_event_type != deleted && !event.container_id.is_empty())
        .then_some(event.container_id)
}

/// Without events the lists still come in time, so nothing is in a hurry.
const RESUBSCRIBE: Duration = Duration::from_secs(5);

/// More items at once are found by a list.
const NOTED_LIMIT: usize = 256;

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(events: Events, name: &str, version: &str) -> bool {
        events.are_taken(&VersionResponse {
            runtime_name: name.to_owned(),
            runtime_version: version.to_owned(),
            ..VersionResponse::default()
        })
    }

    #[test]
    fn events_that_a_runtime_deals_to_one_reader_alone_are_left_to_others() {
        for old in ["1.6.20~ds1", "v1.7.24", "1.7.24~ds1", "", "unknown"] {
            assert!(!taken(Events::Auto, "containerd", old), "{old}");
            assert!(taken(Events::On, "containerd", old), "{old}");
        }
        for new in ["v2.1.4", "2.0.0-rc.1", "2.1.9~ds1", "10.0"] {
            assert!(taken(Events::Auto, "containerd", new), "{new}");
            assert!(!taken(Events::Off, "containerd", new), "{new}");
        }
        assert!(taken(Events::Auto, "cri-o", "1.33.0"));
    }
}
