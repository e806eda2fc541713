//! Plain numbers about what happened, copied out for adapters to print.

use crate::call::{Dialect, Method};
use crate::status::Code;

/// What the service counted since it began; a copy that does not change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    requests: [[[u64; 17]; 3]; 2],
    /// Calls refused by the rate limit; they are among [`Counters::requests`] too.
    pub rate_limited: u64,
    /// Watches refused because too many were open, in all or of one peer; they are among
    /// [`Counters::requests`] too.
    pub watches_refused: u64,
    /// Calls of peers that shared a bucket, since as many as may were given their own.
    pub rate_crowded: u64,
    /// Peers that have a bucket of their own now.
    pub rate_peers: u64,
    /// Served pods that appeared, changed or went away.
    pub changes: u64,
    /// Times that a source came to own a pod that another source owned too.
    pub conflicts: u64,
    /// Words of sources that were refused because of their order or a limit.
    pub source_errors: u64,
    /// Live events that were read.
    pub watch_events_delivered: u64,
    /// Live events that watches lost since they were too far behind; those that were lost after the end
    /// of such a watch was decided are counted when it is read.
    pub watch_events_dropped: u64,
    /// Live events that were folded into a later one of the same pod before they were read.
    pub watch_events_coalesced: u64,
    /// Live events that were read through a mask although nothing that it selects may differ: what their
    /// reader knew was not remembered any more, where the newest state of each pod is told.
    pub watch_events_uncompared: u64,
    /// Live events that could have been read, but were not before their watch ended.
    pub watch_events_discarded: u64,
    /// Pods of first lists that were read.
    pub watch_snapshot_pods: u64,
    /// Projections of pods that were found among those kept.
    pub projection_hits: u64,
    /// Projections of pods that were made.
    pub projection_misses: u64,
    /// Masks whose projections were dropped to make room for others.
    pub projection_evictions: u64,
    /// Masks whose projections are kept now.
    pub projection_masks: u64,
    /// Bytes that the kept projections take now.
    pub projection_bytes: u64,
}

impl Counters {
    /// Counts a call that ended with `code`.
    pub(crate) fn count(&mut self, dialect: Dialect, method: Method, code: Code) {
        let cell = self
            .requests
            .get_mut(dialect.index())
            .and_then(|methods| methods.get_mut(method.index()))
            .and_then(|codes| codes.get_mut(usize::from(code.as_u8())));
        if let Some(cell) = cell {
            *cell += 1;
        }
    }

    /// Returns the calls of one method in one dialect that ended with `code`.
    pub fn requests(&self, dialect: Dialect, method: Method, code: Code) -> u64 {
        self.requests
            .get(dialect.index())
            .and_then(|methods| methods.get(method.index()))
            .and_then(|codes| codes.get(usize::from(code.as_u8())))
            .copied()
            .unwrap_or_default()
    }

    /// Returns every count of calls that is not zero, in a fixed order.
    pub fn all_requests(&self) -> impl Iterator<Item = (Dialect, Method, Code, u64)> {
        Dialect::ALL.into_iter().flat_map(move |dialect| {
            Method::ALL.into_iter().flat_map(move |method| {
                Code::ALL
                    .into_iter()
                    .map(move |code| (dialect, method, code, self.requests(dialect, method, code)))
                    .filter(|&(.., count)| count > 0)
            })
        })
    }
}

impl Dialect {
    const fn index(self) -> usize {
        match self {
            Self::Documented => 0,
            Self::V1alpha1 => 1,
        }
    }
}

impl Method {
    const fn index(self) -> usize {
        match self {
            Self::GetPod => 0,
            Self::ListPods => 1,
            Self::WatchPods => 2,
        }
    }
}
