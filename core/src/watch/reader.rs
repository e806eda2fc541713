//! One watch: its first list, then its place in the log.

use alloc::sync::Arc;

use crate::call::PeerKey;
use crate::counters::Counters;
use crate::index::{Place, Snapshot};
use crate::log::{Log, Revision};
use crate::outgoing::{EventKind, Outgoing};

use super::cursor::{Cut, Follow, Next, Rounds, events};
use super::view::{Group, Sight};
use super::waits::Seat;
use super::{Ending, Read};

#[derive(Debug)]
pub(super) struct Watch {
    /// Where those are kept that see the same.
    pub(super) group: u32,
    /// What its caller is told of its mask.
    pub(super) applied: Option<Arc<str>>,
    /// Who opened it, where that is known.
    pub(super) peer: Option<PeerKey>,
    pub(super) state: State,
    pub(super) cursor: Cursor,
    /// Whether it was noted alone to be named.
    pub(super) noted: bool,
    /// Where it waits for the next change, once it has read everything.
    pub(super) seat: Option<Seat>,
    /// When it is looked at whether it is too far behind.
    pub(super) due: Option<Revision>,
}

#[derive(Debug)]
pub(super) enum State {
    /// Pods from a place on are not read.
    First {
        pods: Snapshot,
        place: Place,
    },
    Live,
    Ended(Ending),
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Cursor {
    Follow(Follow),
    Rounds(Rounds),
}

/// What reading once gives.
#[derive(Debug)]
pub(super) enum Step {
    Read(Read),
    CaughtUp,
    Later,
    Lost,
}

impl Watch {
    /// Reads the first list on, and the marker behind it.
    pub(super) fn read_first(
        &mut self,
        group: &Group,
        sight: &mut Sight<'_>,
        counters: &mut Counters,
    ) -> Option<Read> {
        let State::First { pods, place } = &mut self.state else {
            return None;
        };
        while let Some(pod) = pods.next(place) {
            if group.view.sees(pod) {
                counters.watch_snapshot_pods += 1;
                let pod = sight.see(&group.view.scope.mask, pod);
                let event = Outgoing::event(group.view.dialect, EventKind::Added, &pod);
                return Some(Read::Event(event));
            }
        }
        None
    }

    /// Reads what changed since the first list.
    pub(super) fn read_live(
        &mut self,
        log: &mut Log,
        group: &Group,
        sight: &mut Sight<'_>,
        counters: &mut Counters,
    ) -> Step {
        let next = match &mut self.cursor {
            Cursor::Follow(follow) => follow.next(log, group, sight),
            Cursor::Rounds(rounds) => rounds.next(log, group, sight, counters),
        };
        match next {
            Next::Event(kind, pod) => {
                counters.watch_events_delivered += 1;
                Step::Read(Read::Event(Outgoing::event(group.view.dialect, kind, &pod)))
            }
            Next::CaughtUp => Step::CaughtUp,
            Next::Later => Step::Later,
            Next::Lost => Step::Lost,
        }
    }

    /// Returns how many events there are that it may read and has not.
    pub(super) fn unread(&self, log: &mut Log, group: &Group, sight: &mut Sight<'_>) -> u64 {
        let last = log.last();
        match self.cursor {
            Cursor::Follow(follow) => {
                let to = follow.cut.map_or(last, |cut| cut.after);
                events(follow.read, to.max(follow.read), log, group, sight)
            }
            Cursor::Rounds(rounds) => {
                events(rounds.base, last, log, group, sight).saturating_sub(rounds.told)
            }
        }
    }

    /// Returns how many events it lost since it was cut off, each once.
    pub(super) fn lost(&mut self, log: &mut Log, group: &Group, sight: &mut Sight<'_>) -> u64 {
        let last = log.last();
        let Cursor::Follow(Follow { cut: Some(cut), .. }) = &mut self.cursor else {
            return 0;
        };
        let from = core::mem::replace(&mut cut.lost_until, last);
        events(from, last, log, group, sight)
    }

    /// Tells whether it is open, and not cut off.
    pub(super) const fn is_live(&self) -> bool {
        !matches!(self.state, State::Ended(_)) && self.cursor.cut().is_none()
    }
}

impl Cursor {
    /// Returns the revision up to which everything is known to the reader.
    pub(super) const fn base(&self) -> Revision {
        match self {
            Self::Follow(follow) => follow.read,
            Self::Rounds(rounds) => rounds.base,
        }
    }

    /// Returns the revision up to which it has read.
    pub(super) const fn read(&self) -> Revision {
        match self {
            Self::Follow(follow) => follow.read,
            Self::Rounds(rounds) => rounds.read,
        }
    }

    /// Goes on from a revision before which nothing was worth reading.
    pub(super) const fn jump(&mut self, read: Revision) {
        match self {
            Self::Follow(follow) => *follow = Follow::new(read),
            Self::Rounds(rounds) => *rounds = Rounds::new(read),
        }
    }

    pub(super) const fn cut(&self) -> Option<Cut> {
        match self {
            Self::Follow(follow) => follow.cut,
            Self::Rounds(_) => None,
        }
    }
}
