//! The unread events of one watch, bounded in number or in what they say.

use alloc::collections::{BTreeMap, VecDeque};
use alloc::sync::Arc;

use smallvec::SmallVec;

use crate::outgoing::EventKind;
use crate::pod::Uid;
use crate::store::Served;

/// An event that a watch has not read.
#[derive(Clone, Debug)]
pub(super) struct Event {
    pub(super) kind: EventKind,
    pub(super) pod: Arc<Served>,
}

/// Unread events, oldest first.
#[derive(Debug)]
pub(super) enum Queue {
    /// Every event, up to a number.
    Bounded {
        events: VecDeque<Event>,
        limit: usize,
    },
    /// What changes the reader's view of each pod: at most two events a pod.
    Newest(Newest),
}

/// Unread events of which those of one pod were folded together.
#[derive(Debug, Default)]
pub(super) struct Newest {
    events: BTreeMap<u64, Event>,
    /// Where the events of a pod stand: one, or a deletion with what came after it.
    places: BTreeMap<Uid, SmallVec<[u64; 2]>>,
    next_place: u64,
}

/// What became of an event that was offered to a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pushed {
    /// It is queued, and this many events less than offered are there.
    Queued { folded: u64 },
    /// There is no room for it.
    Full,
}

impl Queue {
    pub(super) fn push(&mut self, event: Event) -> Pushed {
        match self {
            Self::Bounded { events, limit } => {
                if events.len() >= *limit {
                    return Pushed::Full;
                }
                events.push_back(event);
                Pushed::Queued { folded: 0 }
            }
            Self::Newest(newest) => Pushed::Queued {
                folded: newest.push(event),
            },
        }
    }

    pub(super) fn pop(&mut self) -> Option<Event> {
        match self {
            Self::Bounded { events, .. } => events.pop_front(),
            Self::Newest(newest) => newest.pop(),
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::Bounded { events, .. } => events.len(),
            Self::Newest(newest) => newest.events.len(),
        }
    }
}

impl Newest {
    /// Takes one event and returns how many vanished, the new one among them or not.
    fn push(&mut self, event: Event) -> u64 {
        let uid = event.pod.uid().clone();
        let last = self
            .places
            .get(&uid)
            .and_then(|places| places.last().copied());
        let unread = last.and_then(|place| self.events.get_mut(&place).map(|old| (place, old)));
        let Some((place, unread)) = unread else {
            self.append(uid, event);
            return 0;
        };
        match (unread.kind, event.kind) {
            (EventKind::Added | EventKind::Modified, EventKind::Added | EventKind::Modified) => {
                unread.pod = event.pod;
                1
            }
            (EventKind::Added, EventKind::Deleted) => {
                self.forget(&uid, place);
                2
            }
            (EventKind::Modified, EventKind::Deleted) => {
                *unread = event;
                1
            }
            (EventKind::Deleted, EventKind::Added | EventKind::Modified) => {
                self.append(uid, event);
                0
            }
            (EventKind::Deleted, EventKind::Deleted) => 1,
        }
    }

    fn append(&mut self, uid: Uid, event: Event) {
        self.events.insert(self.next_place, event);
        self.places.entry(uid).or_default().push(self.next_place);
        self.next_place += 1;
    }

    fn pop(&mut self) -> Option<Event> {
        let (place, event) = self.events.pop_first()?;
        self.drop_place(event.pod.uid(), place);
        Some(event)
    }

    fn forget(&mut self, uid: &Uid, place: u64) {
        self.events.remove(&place);
        self.drop_place(uid, place);
    }

    fn drop_place(&mut self, uid: &Uid, place: u64) {
        if let Some(places) = self.places.get_mut(uid) {
            places.retain(|other| *other != place);
            if places.is_empty() {
                self.places.remove(uid);
            }
        }
    }
}
