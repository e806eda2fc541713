//! What runs come to: a check whose case never comes shows nothing.

use std::collections::BTreeMap;

/// Something that must happen in some run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// An answer that had begun before the server was stopped ended with a status.
    AnswersOutliveStops,
    /// A connection broke.
    ConnectionsBreak,
    /// A call ended with its deadline.
    DeadlinesPass,
    /// An event of a watch was folded into another one.
    EventsCoalesced,
    /// An event of a watch was not read before its watch ended.
    EventsDiscarded,
    /// An event of a watch found a full queue.
    EventsDropped,
    /// An owner began its list anew in the middle of it.
    ListsBeginAgain,
    /// An owner was lost in the middle of its list.
    ListsLost,
    /// A call was refused since the bucket was empty.
    RateLimited,
    /// A call was refused since the server was not ready.
    RefusedBeforeReady,
    /// The runtime could not be seen.
    RuntimesLost,
    /// A server was replaced by another one.
    ServersReplaced,
    /// An owner was lost and told no list when it returned.
    SourcesGoOn,
    /// An owner was lost.
    SourcesLost,
    /// A unary call was given up by its client.
    UnaryCallsCancelled,
    /// A watch was given up by its client.
    WatchesCancelled,
    /// A watch that nobody read was given up by the server, which keeps no queue that overflows.
    WatchesGivenUp,
    /// A watch ended since the server was stopped.
    WatchesStopped,
}

impl Reach {
    /// All, in the order of their names.
    pub const ALL: [Self; 18] = [
        Self::AnswersOutliveStops,
        Self::ConnectionsBreak,
        Self::DeadlinesPass,
        Self::EventsCoalesced,
        Self::EventsDiscarded,
        Self::EventsDropped,
        Self::ListsBeginAgain,
        Self::ListsLost,
        Self::RateLimited,
        Self::RefusedBeforeReady,
        Self::RuntimesLost,
        Self::ServersReplaced,
        Self::SourcesGoOn,
        Self::SourcesLost,
        Self::UnaryCallsCancelled,
        Self::WatchesCancelled,
        Self::WatchesGivenUp,
        Self::WatchesStopped,
    ];
}

/// How often each was reached.
pub type Reached = BTreeMap<Reach, u64>;
