//! What is known of a runtime's sandboxes and containers, and whose status must be asked for.
//!
//! Pure. A status is asked for once, and again
//!
//! * when the list shows another state than before;
//! * two seconds after the first status of a container that failed, since runtimes learn that it
//!   was short of memory from another event than its end;
//! * while it cannot be final: a ready sandbox without address, a container in an unknown state;
//! * every two seconds for a sandbox that is not ready and has an address: one that was stopped
//!   loses it when its network is taken down, some time after lists show it as not ready, and one
//!   that died keeps it;
//! * ten seconds after the runtime failed to tell it;
//! * on a new connection.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use podsapi_proto::cri;
use tokio::time::Instant;

use super::reading;
use crate::view::{Container, ContainerState, RuntimeView, Sandbox};

/// What lists and statuses have told so far.
#[derive(Debug, Default)]
pub(super) struct Known {
    containers: BTreeMap<String, Entry<cri::Container, Container>>,
    sandboxes: BTreeMap<String, Entry<cri::PodSandbox, Sandbox>>,
}

/// A status that must be asked for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Need {
    /// Of the container with this ID.
    Container(String),
    /// Of the sandbox with this ID.
    Sandbox(String),
}

impl Need {
    /// The call that answers it.
    pub(super) fn method(&self) -> &'static str {
        match self {
            Self::Container(_) => "ContainerStatus",
            Self::Sandbox(_) => "PodSandboxStatus",
        }
    }
}

/// One item of a list.
#[derive(Debug)]
struct Entry<L, S> {
    listed: L,
    /// The last status, made from the list where the runtime tells none.
    status: Option<S>,
    /// When to ask (again).
    ask: Ask,
    /// Why the runtime did not tell the status when it was asked last.
    refused: Option<String>,
}

/// When a status is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ask {
    /// Not before this instant.
    After(Instant),
    /// Not until the list changes.
    OnChange,
    /// In the next round.
    Now,
}

impl<L, S> Entry<L, S> {
    fn new(listed: L) -> Self {
        Self {
            listed,
            status: None,
            ask: Ask::Now,
            refused: None,
        }
    }

    fn is_due(&self, now: Instant) -> bool {
        match self.ask {
            Ask::After(instant) => instant <= now,
            Ask::OnChange => false,
            Ask::Now => true,
        }
    }
}

impl Known {
    /// Takes complete lists, in whatever order; returns which statuses must be asked for.
    pub(super) fn handle_lists(
        &mut self,
        sandboxes: Vec<cri::PodSandbox>,
        containers: Vec<cri::Container>,
        now: Instant,
    ) -> Vec<Need> {
        let mut before = std::mem::take(&mut self.sandboxes);
        for listed in sandboxes {
            let entry = match before.remove(&listed.id) {
                Some(entry) if entry.listed.state == listed.state => Entry { listed, ..entry },
                Some(entry) => Entry {
                    listed,
                    ask: Ask::Now,
                    ..entry
                },
                None => Entry::new(listed),
            };
            self.sandboxes.insert(entry.listed.id.clone(), entry);
        }
        let mut before = std::mem::take(&mut self.containers);
        for listed in containers {
            let entry = match before.remove(&listed.id) {
                Some(entry) if entry.listed.state == listed.state => Entry { listed, ..entry },
                Some(entry) => Entry {
                    listed,
                    ask: Ask::Now,
                    ..entry
                },
                None => Entry::new(listed),
            };
            self.containers.insert(entry.listed.id.clone(), entry);
        }
        let sandboxes = self.sandboxes.iter().filter(|(_, entry)| entry.is_due(now));
        let containers = self.containers.iter();
        let containers = containers.filter(|(_, entry)| entry.is_due(now));
        sandboxes
            .map(|(id, _)| Need::Sandbox(id.clone()))
            .chain(containers.map(|(id, _)| Need::Container(id.clone())))
            .collect()
    }

    /// Takes the status of a sandbox.
    pub(super) fn handle_sandbox(&mut self, status: cri::PodSandboxStatus, now: Instant) {
        let Some(entry) = self.sandboxes.get_mut(&status.id) else {
            return;
        };
        let status = reading::sandbox(status);
        entry.ask = match (status.ready, status.ips.is_empty()) {
            (true, true) if !status.host_network => Ask::Now,
            (false, false) => Ask::After(now + CONFIRMATION),
            (true, _) | (false, true) => Ask::OnChange,
        };
        entry.status = Some(status);
        entry.refused = None;
    }

    /// Takes the status of a container, with its last words where they could be read.
    pub(super) fn handle_container(
        &mut self,
        status: cri::ContainerStatus,
        last_words: Option<String>,
        now: Instant,
    ) {
        let Some(entry) = self.containers.get_mut(&status.id) else {
            return;
        };
        let status = Container {
            sandbox_id: entry.listed.pod_sandbox_id.clone(),
            termination_message: last_words,
            ..reading::container(status)
        };
        let had_ended = entry
            .status
            .as_ref()
            .is_some_and(|before| before.state == ContainerState::Exited);
        entry.ask = match status.state {
            ContainerState::Exited if status.exit_code != 0 && !had_ended => {
                Ask::After(now + CONFIRMATION)
            }
            ContainerState::Unknown => Ask::Now,
            ContainerState::Created | ContainerState::Exited | ContainerState::Running => {
                Ask::OnChange
            }
        };
        entry.status = Some(status);
        entry.refused = None;
    }

    /// Takes that something listed is gone since.
    pub(super) fn handle_gone(&mut self, need: &Need) {
        match need {
            Need::Container(id) => drop(self.containers.remove(id)),
            Need::Sandbox(id) => drop(self.sandboxes.remove(id)),
        }
    }

    /// Takes that the runtime does not tell a status; what the list says of the item is left.
    pub(super) fn handle_refused(&mut self, need: &Need, reason: String, now: Instant) {
        let ask = Ask::After(now + RETRY);
        match need {
            Need::Container(id) => {
                if let Some(entry) = self.containers.get_mut(id) {
                    let status = entry.status.take();
                    entry.status = Some(reading::listed_container(&entry.listed, status));
                    entry.ask = ask;
                    entry.refused = Some(format!("container {id}: {reason}"));
                }
            }
            Need::Sandbox(id) => {
                if let Some(entry) = self.sandboxes.get_mut(id) {
                    let status = entry.status.take();
                    entry.status = Some(reading::listed_sandbox(&entry.listed, status));
                    entry.ask = ask;
                    entry.refused = Some(format!("sandbox {id}: {reason}"));
                }
            }
        }
    }

    /// Asks for every status again in the next round.
    pub(super) fn distrust(&mut self) {
        for entry in self.sandboxes.values_mut() {
            entry.ask = Ask::Now;
        }
        for entry in self.containers.values_mut() {
            entry.ask = Ask::Now;
        }
    }

    /// Everything of which a status is known, in ascending order of IDs.
    pub(super) fn view(&self) -> RuntimeView {
        let sandboxes = self.sandboxes.values();
        let containers = self.containers.values();
        RuntimeView {
            sandboxes: sandboxes.filter_map(|entry| entry.status.clone()).collect(),
            containers: containers
                .filter_map(|entry| entry.status.clone())
                .collect(),
        }
    }

    /// What the runtime does not tell, one line for each item.
    pub(super) fn refused(&self) -> BTreeSet<String> {
        let sandboxes = self.sandboxes.values().map(|entry| &entry.refused);
        let containers = self.containers.values().map(|entry| &entry.refused);
        sandboxes.chain(containers).flatten().cloned().collect()
    }
}

/// The events of a container's end and of its want of memory come within milliseconds, and most
/// networks are taken down as fast.
const CONFIRMATION: Duration = Duration::from_secs(2);

/// A runtime that fails to tell one status may be busy with that container.
const RETRY: Duration = Duration::from_secs(10);

#[cfg(test)]
mod tests;
