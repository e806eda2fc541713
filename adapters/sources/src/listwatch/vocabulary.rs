//! Whose pods are asked for, what is told of them, and what is counted.

use std::num::NonZeroU32;
use std::time::Duration;

use podsapi_core::{DEFAULT_MAX_POD_BYTES, EncodedPod, Uid};

/// Whose pods are asked for, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The node, as `spec.nodeName` spells it.
    pub node_name: String,
    /// Pods of one page.
    pub page: NonZeroU32,
    /// The first request after a loss comes at a random instant within this time.
    pub backoff: Duration,
    /// Bytes of one pod.
    pub max_pod_bytes: NonZeroU32,
    /// What decides all that is random.
    pub seed: u64,
}

/// What is told of the pods, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Word {
    /// A whole list follows.
    Begin,
    /// The pod exists with these bytes.
    Put(EncodedPod),
    /// The pod is gone.
    Remove(Uid),
    /// The list is whole: what was not put since `Begin` is gone.
    Complete,
    /// The server cannot be asked for now; what was told stays true as far as anybody knows.
    Lost,
}

/// What has happened so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Requests, of whatever kind.
    pub requests: u64,
    /// Lists that were whole.
    pub lists: u64,
    /// Pages of lists that were asked for.
    pub pages: u64,
    /// Watches that were asked for.
    pub watches: u64,
    /// Requests that failed.
    pub failures: u64,
    /// Times that the server no longer had the version that was asked for, or not yet.
    pub expired: u64,
    /// Watches that were given up because nothing came for too long.
    pub silences: u64,
    /// Events that were additions, changes or deletions.
    pub events: u64,
    /// Bookmarks.
    pub bookmarks: u64,
    /// Events whose pod had the bytes that it had before.
    pub unchanged: u64,
    /// Pods that could not be served.
    pub unreadable: u64,
    /// Pods of other nodes.
    pub foreign: u64,
}

impl Options {
    /// Asks for the pods of `node_name` in pages of 500, as other clients of Kubernetes do.
    pub fn new(node_name: impl Into<String>, seed: u64) -> Self {
        Self {
            node_name: node_name.into(),
            page: PAGE,
            backoff: BACKOFF,
            max_pod_bytes: DEFAULT_MAX_POD_BYTES,
            seed,
        }
    }
}

/// As many as other clients of Kubernetes ask for at a time; more than most nodes have.
const PAGE: NonZeroU32 = NonZeroU32::new(500).expect("500 is not zero");

/// Five thousand nodes in five seconds are a thousand requests a second, of which each is cheap.
const BACKOFF: Duration = Duration::from_secs(5);
