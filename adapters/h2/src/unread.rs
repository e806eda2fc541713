//! What replies that wait to be read keep in memory: bytes that several of them share are one.
//!
//! ```text
//!   replies      lists           strings
//!   ┌───┐
//!   │ 1 ├──┬──▶ state 7 ──┬───▶ pod a
//!   │ 2 ├──┘              ├───▶ pod b
//!   │ 3 ├─────▶ state 8 ──┴─▶   pod b, newer
//!   └───┘
//! ```
//!
//! A reply costs nothing beside another one of the same list. Lists of different states share the
//! pods that did not change between them. To find those takes a look at every pod, so it is done only
//! once the lists, each for itself, are more than there may be; from then on until they are half of
//! that.
//!
//! The store may drop any of the pods while a reply waits, so nothing is taken off for those that it
//! has: what is counted is all that the replies alone would keep.

use std::{
    collections::{BTreeMap, btree_map::Entry},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use bytes::Bytes;
use podsapi_core::Outgoing;

/// The replies of a connection, or of all, that wait to be read.
#[derive(Debug)]
pub(crate) struct Unread {
    /// Bytes that they may keep.
    limit: usize,
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    messages: BTreeMap<Key, Kept>,
    /// What all of the messages cost, each for itself.
    apart: usize,
    /// What they cost together; none while it does not matter.
    together: Option<Strings>,
}

/// What the same messages have in common, while they are kept, and others have not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    /// The address of a list that many are sent.
    List(usize),
    /// Address and length of the longest part, and the length of all: the others are a few bytes.
    Longest(usize, usize, usize),
}

/// A message that replies wait with.
#[derive(Debug)]
struct Kept {
    /// Keeps its bytes where they are, so that no others have their addresses.
    message: Outgoing,
    replies: usize,
}

/// Byte strings by address and length, each with the number of messages that have it.
#[derive(Debug, Default)]
struct Strings {
    counts: BTreeMap<(usize, usize), usize>,
    bytes: usize,
}

/// The place of a reply, until it is dropped.
#[derive(Debug)]
pub(crate) struct Waiting {
    unread: Arc<Unread>,
    key: Key,
}

impl Unread {
    /// Returns no replies, which may keep `limit` bytes.
    pub(crate) fn new(limit: usize) -> Arc<Self> {
        let inner = Mutex::default();
        Arc::new(Self { limit, inner })
    }

    /// Takes a reply, whatever it costs.
    pub(crate) fn take_any(self: &Arc<Self>, message: &Outgoing) -> Waiting {
        let key = Key::of(message);
        self.lock().add(key, message);
        self.waiting(key)
    }

    /// Takes a reply unless all would cost more than they may with it.
    pub(crate) fn take(self: &Arc<Self>, message: &Outgoing) -> Option<Waiting> {
        let key = Key::of(message);
        let mut inner = self.lock();
        if !inner.has_room(key, message, self.limit) {
            return None;
        }
        inner.add(key, message);
        drop(inner);
        Some(self.waiting(key))
    }

    /// Returns whether no reply waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.lock().messages.is_empty()
    }

    /// Returns what all cost, as far as that had to be worked out.
    pub(crate) fn bytes(&self) -> usize {
        self.lock().bytes()
    }

    fn waiting(self: &Arc<Self>, key: Key) -> Waiting {
        let unread = Arc::clone(self);
        Waiting { unread, key }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        // The last reply of a list may free it, which is done without the lock.
        let _last = self.unread.lock().remove(self.key, self.unread.limit);
    }
}

impl Inner {
    /// Returns whether all cost at most `limit` bytes with one more reply.
    fn has_room(&mut self, key: Key, message: &Outgoing, limit: usize) -> bool {
        if self.messages.contains_key(&key) {
            return true;
        }
        if self.apart.saturating_add(cost(message)) <= limit {
            return true;
        }
        let messages = &self.messages;
        let together = self.together.get_or_insert_with(|| {
            let mut strings = Strings::default();
            for kept in messages.values() {
                strings.add(&kept.message);
            }
            strings
        });
        let fits = together.with(message) <= limit;
        self.forget_unless_needed(limit);
        fits
    }

    /// Stops counting what is shared once there is room for all without.
    fn forget_unless_needed(&mut self, limit: usize) {
        if self.apart <= limit / 2 {
            self.together = None;
        }
    }

    fn add(&mut self, key: Key, message: &Outgoing) {
        if let Some(kept) = self.messages.get_mut(&key) {
            kept.replies += 1;
            return;
        }
        self.apart = self.apart.saturating_add(cost(message));
        if let Some(strings) = &mut self.together {
            strings.add(message);
        }
        let kept = Kept {
            message: message.clone(),
            replies: 1,
        };
        self.messages.insert(key, kept);
    }

    /// Takes a reply off; returns the message when it was the last with it.
    fn remove(&mut self, key: Key, limit: usize) -> Option<Outgoing> {
        let kept = self.messages.get_mut(&key)?;
        kept.replies -= 1;
        if kept.replies > 0 {
            return None;
        }
        let message = self.messages.remove(&key)?.message;
        self.apart = self.apart.saturating_sub(cost(&message));
        self.forget_unless_needed(limit);
        if let Some(strings) = &mut self.together {
            strings.remove(&message);
        }
        Some(message)
    }

    fn bytes(&self) -> usize {
        let together = self.together.as_ref().map(|strings| strings.bytes);
        together.unwrap_or(self.apart)
    }
}

impl Key {
    fn of(message: &Outgoing) -> Self {
        if let Some(list) = message.shared_list() {
            return Self::List(list);
        }
        let longest = message.segments().max_by_key(|part| part.len());
        let (at, len) = longest.map_or((0, 0), place);
        Self::Longest(at, len, message.len())
    }
}

impl Strings {
    fn add(&mut self, message: &Outgoing) {
        self.bytes += table(message);
        for part in message.segments() {
            let count = self.counts.entry(place(part)).or_default();
            *count += 1;
            if *count == 1 {
                self.bytes += part.len();
            }
        }
    }

    fn remove(&mut self, message: &Outgoing) {
        self.bytes -= table(message);
        for part in message.segments() {
            let Entry::Occupied(mut entry) = self.counts.entry(place(part)) else {
                continue;
            };
            *entry.get_mut() -= 1;
            if *entry.get() == 0 {
                entry.remove();
                self.bytes -= part.len();
            }
        }
    }

    /// Returns what all cost with one more message.
    ///
    /// A part that the message has twice and no other has is counted twice, which is too much.
    fn with(&self, message: &Outgoing) -> usize {
        let fresh = message
            .segments()
            .filter(|part| !self.counts.contains_key(&place(part)))
            .map(Bytes::len);
        self.bytes + table(message) + fresh.sum::<usize>()
    }
}

/// Returns where a byte string lies.
fn place(part: &Bytes) -> (usize, usize) {
    (part.as_ptr().addr(), part.len())
}

/// Returns what a message costs when it shares nothing.
fn cost(message: &Outgoing) -> usize {
    table(message) + message.len()
}

/// Returns what the list of the parts of a message takes beside their bytes.
fn table(message: &Outgoing) -> usize {
    message.segments().len() * size_of::<Bytes>()
}

#[cfg(test)]
mod tests;
