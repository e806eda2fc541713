//! A watch on one connection: events as the server sends them.

use bytes::Bytes;
use podsapi_core::{Code, Dialect, Status};
use podsapi_proto::text::decode;
use podsapi_proto::{core_v1, documented, v1alpha1};

use crate::channel::MessageStream;
use crate::error::ClientError;
use crate::narrowing::Narrowing;

/// What happened to a pod, or to the watch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EventKind {
    /// The pod is new, or told for the first time on this watch.
    Added,
    /// The pod is gone; it carries no more than its name, namespace and UID.
    Deleted,
    /// Every pod that existed when the watch began has been told. No pod.
    InitialSyncComplete,
    /// The pod changed, or the server used a word that this client does not know.
    Modified,
}

/// One event of a watch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// What happened.
    pub kind: EventKind,
    /// The encoded pod; empty with [`EventKind::InitialSyncComplete`].
    pub pod: Bytes,
}

/// The events of a watch; dropping it cancels the watch.
#[derive(Debug)]
pub struct WatchStream {
    messages: MessageStream,
    dialect: Dialect,
    narrowing: Narrowing,
}

impl WatchStream {
    pub(crate) fn new(messages: MessageStream, dialect: Dialect, narrowing: Narrowing) -> Self {
        Self {
            messages,
            dialect,
            narrowing,
        }
    }

    /// Waits for the next event; `None` when the server ended the watch with OK.
    ///
    /// A change of fields that the call did not ask for is no event.
    ///
    /// The future may be dropped and asked for again without losing an event.
    ///
    /// # Errors
    ///
    /// When the server ends the watch (`UNAVAILABLE` at its stop, `RESOURCE_EXHAUSTED` when this
    /// client reads too slowly), when the connection ends, or when an event does not decode. The
    /// watch is over then.
    pub async fn next(&mut self) -> Result<Option<Event>, ClientError> {
        loop {
            let Some(message) = self.messages.next().await? else {
                return Ok(None);
            };
            let event = read_event(self.dialect, message).map_err(|error| {
                Status::new(Code::Internal, format!("an event does not decode: {error}"))
            })?;
            if let Some(event) = self.narrowing.handle_event(event) {
                return Ok(Some(event));
            }
        }
    }
}

/// Reads a message of a watch.
pub(crate) fn read_event(dialect: Dialect, message: Bytes) -> Result<Event, prost::DecodeError> {
    match dialect {
        Dialect::Documented => documented_event(message),
        Dialect::V1alpha1 => released_event(message),
    }
}

fn released_event(message: Bytes) -> Result<Event, prost::DecodeError> {
    let event: v1alpha1::WatchPodsEvent = decode(message)?;
    let kind = match v1alpha1::EventType::try_from(event.r#type) {
        Ok(v1alpha1::EventType::Added) => EventKind::Added,
        Ok(v1alpha1::EventType::Deleted) => EventKind::Deleted,
        Ok(v1alpha1::EventType::InitialSyncComplete) => EventKind::InitialSyncComplete,
        Ok(v1alpha1::EventType::Modified | v1alpha1::EventType::Unspecified) | Err(_) => {
            EventKind::Modified
        }
    };
    Ok(Event {
        kind,
        pod: event.pod,
    })
}

/// Reads an event that is only a pod; a deletion is an identity that was deleted without grace.
fn documented_event(message: Bytes) -> Result<Event, prost::DecodeError> {
    let pod = decode::<documented::PodWatchResponse>(message)?.pod;
    // What cannot be read is for whoever reads it to report; a deletion can be read.
    let read: core_v1::Pod = decode(pod.clone()).unwrap_or_default();
    let deleted = read.spec.is_none()
        && read.status.is_none()
        && read.metadata.is_some_and(|metadata| {
            metadata.deletion_timestamp.is_some()
                && metadata.deletion_grace_period_seconds == Some(0)
        });
    let kind = if deleted {
        EventKind::Deleted
    } else {
        EventKind::Modified
    };
    Ok(Event { kind, pod })
}

#[cfg(test)]
mod tests;
