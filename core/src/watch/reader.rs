//! One watch: how far its reader is, and what it reads next.

use alloc::collections::VecDeque;
use alloc::sync::Arc;

use crate::call::PeerKey;
use crate::counters::Counters;
use crate::outgoing::{EventKind, Outgoing};
use crate::project::Projection;
use crate::served::Served;
use crate::store::Snapshot;

use super::queue::{Event, Held, Offer, Pushed, Queue};
use super::view::View;
use super::{Ending, Read};

#[derive(Debug)]
pub(super) struct Watch {
    pub(super) view: Arc<View>,
    /// What its caller is told of its mask.
    pub(super) applied: Option<Arc<str>>,
    /// Who opened it, where that is known.
    pub(super) peer: Option<PeerKey>,
    pub(super) state: State,
    /// Whether the watch is in the ready list.
    pub(super) named: bool,
}

#[derive(Debug)]
pub(super) enum State {
    /// Pods from `next` on are not read; the queue fills meanwhile.
    Snapshot {
        pods: Snapshot,
        next: usize,
        queue: Queue,
    },
    Live {
        queue: Queue,
    },
    Ended(Ending),
}

impl Watch {
    pub(super) fn push(&mut self, offer: Offer, counters: &mut Counters) -> Pushed {
        let queue = match &mut self.state {
            State::Snapshot { queue, .. } | State::Live { queue } => queue,
            State::Ended(_) => return Pushed::Queued { folded: 0 },
        };
        let pushed = queue.push(offer);
        counters.watch_events_produced += 1;
        match pushed {
            Pushed::Queued { folded } => counters.watch_events_coalesced += folded,
            Pushed::Full => counters.watch_events_dropped += 1,
        }
        pushed
    }

    /// Tells whether reading gives anything but `Idle`.
    pub(super) fn is_readable(&self) -> bool {
        match &self.state {
            State::Snapshot { pods, next, queue } => {
                let marker = Outgoing::initial_sync_complete(self.view.dialect);
                *next < pods.len() || marker.is_some() || queue.len() > 0
            }
            State::Live { queue } => queue.len() > 0,
            State::Ended(_) => true,
        }
    }

    pub(super) fn read(
        &mut self,
        see: impl FnOnce(&Projection, &Arc<Served>) -> Arc<Served>,
        counters: &mut Counters,
    ) -> Read {
        if let State::Snapshot { pods, next, queue } = &mut self.state {
            if let Some(pod) = pods.get(*next) {
                *next += 1;
                counters.watch_snapshot_pods += 1;
                let pod = see(&self.view.scope.mask, pod);
                return Read::Event(Outgoing::event(self.view.dialect, EventKind::Added, &pod));
            }
            let empty = Queue::Bounded {
                events: VecDeque::new(),
                limit: 0,
            };
            let queue = core::mem::replace(queue, empty);
            self.state = State::Live { queue };
            if let Some(marker) = Outgoing::initial_sync_complete(self.view.dialect) {
                return Read::Event(marker);
            }
        }
        match &mut self.state {
            State::Snapshot { .. } => Read::Idle,
            State::Live { queue } => match queue.pop() {
                Some(Event { kind, pod }) => {
                    counters.watch_events_delivered += 1;
                    let pod = match pod {
                        Held::Seen(pod) => pod,
                        Held::Whole(pod) => see(&self.view.scope.mask, &pod),
                    };
                    Read::Event(Outgoing::event(self.view.dialect, kind, &pod))
                }
                None => Read::Idle,
            },
            State::Ended(ending) => Read::End(*ending),
        }
    }
}

impl State {
    pub(super) fn queued(&self) -> usize {
        match self {
            Self::Snapshot { queue, .. } | Self::Live { queue } => queue.len(),
            Self::Ended(_) => 0,
        }
    }
}
