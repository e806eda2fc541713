//! What was done and what each server told, in the order in which it was seen.

use std::sync::Arc;
use std::time::Duration;

use podsapi_client::EventKind;
use podsapi_proto::json::to_json;

use super::pod::Pod;

/// The kubelet among the servers.
pub(super) const KUBELET: &str = "K";

/// One line of the record.
#[derive(Clone, Debug)]
pub(super) struct Record {
    /// Since the recorder began.
    pub(super) at: Duration,
    pub(super) what: What,
}

#[derive(Clone, Debug)]
pub(super) enum What {
    /// A step begins.
    Step(String),
    /// The pods of this name may come, or come again, from here on.
    Put(String),
    /// The pods of this name are to go.
    Removed(String),
    /// Something else was done.
    Did(String),
    /// A watch began.
    Opened(&'static str),
    /// A watch ended.
    Lost(&'static str, String),
    /// A watch told this.
    Told(&'static str, EventKind, Option<Arc<Pod>>),
    /// A list was answered.
    Listed(&'static str, Vec<Arc<Pod>>),
}

impl Record {
    /// Returns the line of a file: time, server, event, UID and pod.
    pub(super) fn line(&self) -> String {
        let at = self.at.as_secs_f64();
        let head = match &self.what {
            What::Step(text) => format!("- STEP {text}"),
            What::Put(text) => format!("- PUT {text}"),
            What::Removed(text) => format!("- REMOVED {text}"),
            What::Did(text) => format!("- DID {text}"),
            What::Opened(server) => format!("{server} OPENED"),
            What::Lost(server, why) => format!("{server} LOST {why}"),
            What::Told(server, kind, None) => format!("{server} {kind:?}"),
            What::Told(server, kind, Some(pod)) => {
                format!("{server} {kind:?} {} {}", pod.uid, to_json(&pod.value))
            }
            What::Listed(server, pods) => {
                let pods = pods
                    .iter()
                    .map(|pod| format!("{} {}", pod.uid, to_json(&pod.value)));
                format!("{server} LIST {}", pods.collect::<Vec<_>>().join(" "))
            }
        };
        format!("{at:.3} {head}")
    }
}
