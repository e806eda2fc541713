//! The unread events of one watch, bounded in number or in what they say.

use alloc::collections::{BTreeMap, VecDeque};
use alloc::sync::Arc;

use smallvec::SmallVec;

use crate::outgoing::EventKind;
use crate::pod::Uid;
use crate::served::Served;

/// An event that a watch has not read.
#[derive(Clone, Debug)]
pub(super) struct Event {
    pub(super) kind: EventKind,
    pub(super) pod: Held,
}

/// The pod of an event that a watch has not read.
#[derive(Clone, Debug)]
pub(super) enum Held {
    /// What is seen of it.
    Seen(Arc<Served>),
    /// All of it, which all watches share: what is seen of it is worked out when it is read.
    Whole(Arc<Served>),
}

/// An event for a queue.
#[derive(Clone, Debug)]
pub(super) struct Offer {
    pub(super) event: Event,
    /// What is seen of the pod, however the event holds it.
    pub(super) seen: Arc<Served>,
    /// What was seen of a modified pod before, if events that change nothing are to vanish.
    pub(super) former: Option<Arc<Served>>,
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
    events: BTreeMap<u64, Unread>,
    /// Where the events of a pod stand: one, or a deletion with what came after it.
    places: BTreeMap<Uid, SmallVec<[u64; 2]>>,
    next_place: u64,
    /// The bytes of all that the reader knows and that is remembered.
    known: usize,
}

/// An event with what it changes for the reader.
#[derive(Debug)]
struct Unread {
    event: Event,
    /// What the reader knows of a modified pod: an event that says the same is not worth reading.
    known: Option<Arc<Served>>,
}

/// What became of an event that was offered to a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pushed {
    /// It is queued, and this many events less than offered are there.
    Queued { folded: u64 },
    /// There is no room for it.
    Full,
}

/// The bytes that one watch may have remembered of what its reader knows, so that memory does not
/// grow with watches times pods: 128 bytes of each of 500 pods. Beyond it, an event that changes
/// nothing is sent.
pub(super) const MAX_KNOWN_BYTES: usize = 64 * 1024;

/// The bytes that a mask may leave of a pod for unread events to hold them: identity, phase and
/// addresses take fewer. Larger copies, one for each mask and event, would let a client with many
/// masks fill the memory; the whole pods are the same for all.
const MAX_SEEN_BYTES: usize = 512;

impl Held {
    /// Returns what an unread event holds of a pod of which `seen` is seen.
    pub(super) fn new(whole: &Arc<Served>, seen: &Arc<Served>) -> Self {
        if seen.bytes().len() > MAX_SEEN_BYTES && !Arc::ptr_eq(whole, seen) {
            Self::Whole(whole.clone())
        } else {
            Self::Seen(seen.clone())
        }
    }

    fn uid(&self) -> &Uid {
        match self {
            Self::Seen(pod) | Self::Whole(pod) => pod.uid(),
        }
    }
}

impl Queue {
    pub(super) fn push(&mut self, offer: Offer) -> Pushed {
        match self {
            Self::Bounded { events, limit } => {
                if events.len() >= *limit {
                    return Pushed::Full;
                }
                events.push_back(offer.event);
                Pushed::Queued { folded: 0 }
            }
            Self::Newest(newest) => Pushed::Queued {
                folded: newest.push(offer),
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
    fn push(&mut self, offer: Offer) -> u64 {
        let event = &offer.event;
        let uid = offer.seen.uid().clone();
        let last = self
            .places
            .get(&uid)
            .and_then(|places| places.last().copied());
        let unread = last.and_then(|place| self.events.get_mut(&place).map(|old| (place, old)));
        let Some((place, unread)) = unread else {
            self.append(uid, offer);
            return 0;
        };
        match (unread.event.kind, event.kind) {
            (EventKind::Added | EventKind::Modified, EventKind::Added | EventKind::Modified) => {
                let known = unread.known.as_ref();
                if known.is_some_and(|known| known.bytes() == offer.seen.bytes()) {
                    self.take(place);
                    return 2;
                }
                unread.event.pod = offer.event.pod;
                1
            }
            (EventKind::Added, EventKind::Deleted) => {
                self.take(place);
                2
            }
            (EventKind::Modified, EventKind::Deleted) => {
                self.known -= unread.take_known();
                unread.event = offer.event;
                1
            }
            (EventKind::Deleted, EventKind::Added | EventKind::Modified) => {
                self.append(uid, offer);
                0
            }
            (EventKind::Deleted, EventKind::Deleted) => 1,
        }
    }

    fn append(&mut self, uid: Uid, offer: Offer) {
        let room = MAX_KNOWN_BYTES - self.known;
        let known = offer.former.filter(|known| known.bytes().len() <= room);
        self.known += known.as_ref().map_or(0, |known| known.bytes().len());
        let event = offer.event;
        self.events.insert(self.next_place, Unread { event, known });
        self.places.entry(uid).or_default().push(self.next_place);
        self.next_place += 1;
    }

    fn pop(&mut self) -> Option<Event> {
        let place = *self.events.first_key_value()?.0;
        self.take(place)
    }

    /// Takes an event out and forgets where it stood.
    fn take(&mut self, place: u64) -> Option<Event> {
        let mut unread = self.events.remove(&place)?;
        self.known -= unread.take_known();
        let uid = unread.event.pod.uid();
        if let Some(places) = self.places.get_mut(uid) {
            places.retain(|other| *other != place);
            if places.is_empty() {
                self.places.remove(uid);
            }
        }
        Some(unread.event)
    }
}

impl Unread {
    /// Drops what the reader knows and returns how many bytes that was.
    fn take_known(&mut self) -> usize {
        self.known.take().map_or(0, |known| known.bytes().len())
    }
}
