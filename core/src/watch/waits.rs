//! Where watches wait that have read everything, by what they see, and those that are to be named ready.
//!
//! A change that a view sees moves all who wait there at once, by one reference: each is settled when
//! it is named, or when it is read before that. Who waits in one place is linked from seat to seat, so
//! that sitting down and getting up cost no memory.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use crate::call::WatchId;
use crate::log::Revision;

/// Where watches of one view wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WaitId(u32);

/// A watch's seat where it waits, between those of two others, by their slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Seat {
    pub(super) wait: WaitId,
    pub(super) before: Option<u32>,
    pub(super) after: Option<u32>,
}

#[derive(Debug, Default)]
pub(super) struct Waits {
    waits: Vec<Wait>,
    free: Vec<WaitId>,
    ready: VecDeque<Ready>,
}

/// The slots of who sat down first and last, and the change that woke all.
#[derive(Debug, Default)]
pub(super) struct Wait {
    pub(super) first: Option<u32>,
    pub(super) last: Option<u32>,
    pub(super) woken: Option<Revision>,
}

/// What is to be named next.
#[derive(Clone, Copy, Debug)]
pub(super) enum Ready {
    /// A watch that was noted alone, if it still has a reason.
    Noted(WatchId),
    /// All who waited here, and sit here still.
    Woken(WaitId),
}

impl Waits {
    /// Returns a place where nobody waits yet.
    pub(super) fn open(&mut self) -> WaitId {
        self.free.pop().unwrap_or_else(|| {
            self.waits.push(Wait::default());
            self.free.reserve(self.waits.len());
            // There are fewer places than watches, each of which has a slot with a number.
            WaitId(u32::try_from(self.waits.len() - 1).unwrap_or(u32::MAX))
        })
    }

    /// Gives up a place where nobody waits any more.
    pub(super) fn close(&mut self, id: WaitId) {
        if let Some(wait) = self.get_mut(id) {
            *wait = Wait::default();
            self.free.push(id);
        }
    }

    pub(super) fn get(&self, id: WaitId) -> Option<&Wait> {
        self.waits.get(id.0 as usize)
    }

    pub(super) fn get_mut(&mut self, id: WaitId) -> Option<&mut Wait> {
        self.waits.get_mut(id.0 as usize)
    }

    /// Returns the change that woke who sits there.
    pub(super) fn woken(&self, seat: Seat) -> Option<Revision> {
        self.get(seat.wait)?.woken
    }

    /// Wakes all who wait in a place.
    pub(super) fn wake(&mut self, id: WaitId, revision: Revision) {
        if let Some(wait) = self.get_mut(id) {
            wait.woken = Some(revision);
            self.ready.push_back(Ready::Woken(id));
        }
    }

    /// Notes one watch.
    pub(super) fn note(&mut self, id: WatchId) {
        self.ready.push_back(Ready::Noted(id));
    }

    /// Returns what is to be named next.
    pub(super) fn next(&self) -> Option<Ready> {
        self.ready.front().copied()
    }

    /// Strikes it off.
    pub(super) fn done(&mut self) {
        self.ready.pop_front();
    }
}
