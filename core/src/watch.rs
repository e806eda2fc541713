//! Watches: a first list, then the sync marker, then bounded live events, then an end.
//!
//! ```text
//!             all pods read
//!  Snapshot ----------------> Live ---------> Ended ----> (forgotten)
//!     |    sync marker sent          queue full,   end read
//!     |                              shutdown
//!     +--------------------------------^
//! ```
//!
//! The pods of the first list are those of the instant at which the watch was opened. Events that
//! come before the list is read wait in the queue, so none is lost, doubled or too old.

use alloc::collections::{BTreeMap, BTreeSet, VecDeque};
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::call::{Method, PeerKey, WatchId};
use crate::config::SlowWatch;
use crate::counters::Counters;
use crate::outgoing::Outgoing;
use crate::project::Projection;
use crate::projections::Projections;
use crate::served::Served;
use crate::status::Code;
use crate::store::{Change, Snapshot};

pub(crate) use view::View;

use queue::{Pushed, Queue};
use reader::{State, Watch};
use view::Sight;

mod queue;
mod reader;
#[cfg(test)]
mod tests;
mod view;

/// All watches, those that see the same together, and which of them became readable.
#[derive(Debug)]
pub(crate) struct WatchSet {
    slots: Vec<Slot>,
    free: Vec<u32>,
    open: usize,
    /// How many of the open ones each known peer has; none is 0.
    by_peer: BTreeMap<PeerKey, usize>,
    /// The slots of the watches that are not ended, by what they see.
    groups: BTreeMap<Arc<View>, BTreeSet<u32>>,
    /// Watches that became readable, or ended, since they were named last; each is in it once.
    ready: VecDeque<WatchId>,
    buffer: usize,
    limit: usize,
    slow_watch: SlowWatch,
}

/// Why a watch is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// The id names no watch.
    NotThere,
    Shutdown,
    TooSlow,
}

/// What reading a watch gives.
#[derive(Debug)]
pub(crate) enum Read {
    Event(Outgoing),
    Idle,
    End(Ending),
}

/// As many watches are open as there may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Full;

#[derive(Debug)]
struct Slot {
    generation: u32,
    watch: Option<Watch>,
}

impl WatchSet {
    pub(crate) fn new(buffer: u32, limit: u32, slow_watch: SlowWatch) -> Self {
        Self {
            slots: Vec::new(),
            free: Vec::new(),
            open: 0,
            by_peer: BTreeMap::new(),
            groups: BTreeMap::new(),
            ready: VecDeque::new(),
            buffer: buffer as usize,
            limit: limit as usize,
            slow_watch,
        }
    }

    /// Opens a watch whose first list is `pods`, already those of its namespaces.
    pub(crate) fn open(
        &mut self,
        view: View,
        applied: Option<Arc<str>>,
        pods: Snapshot,
        peer: Option<PeerKey>,
    ) -> Result<WatchId, Full> {
        if self.open >= self.limit {
            return Err(Full);
        }
        let slot = self.vacant_slot().ok_or(Full)?;
        let view = match self.groups.get_key_value(&view) {
            Some((shared, _)) => shared.clone(),
            None => Arc::new(view),
        };
        self.groups.entry(view.clone()).or_default().insert(slot);
        let queue = match self.slow_watch {
            SlowWatch::End => Queue::Bounded {
                events: VecDeque::new(),
                limit: self.buffer,
            },
            SlowWatch::Coalesce => Queue::Newest(queue::Newest::default()),
        };
        let state = State::Snapshot {
            pods,
            next: 0,
            queue,
        };
        let mut watch = Watch {
            view,
            applied,
            peer,
            state,
            named: false,
        };
        watch.named = watch.is_readable();
        let place = self.slots.get_mut(slot as usize).ok_or(Full)?;
        let id = WatchId {
            slot,
            generation: place.generation,
        };
        if watch.named {
            self.ready.push_back(id);
        }
        place.watch = Some(watch);
        self.open += 1;
        if let Some(peer) = peer {
            *self.by_peer.entry(peer).or_default() += 1;
        }
        Ok(id)
    }

    /// Returns how many watches of a peer there are, those counted too whose end was not read yet.
    pub(crate) fn count_of(&self, peer: PeerKey) -> usize {
        self.by_peer.get(&peer).copied().unwrap_or_default()
    }

    /// Gives every watch its event about a change: projected and compared once for all watches of
    /// one mask, made once for all of one view.
    ///
    /// A watch that has something unread already is not named for it: its reader knows, and who does
    /// not read costs nothing but its queue.
    pub(crate) fn publish(
        &mut self,
        change: &Change,
        projections: &mut Projections,
        counters: &mut Counters,
    ) {
        let mut ended = Vec::new();
        let mut sight: Option<Sight<'_>> = None;
        for (view, members) in &self.groups {
            let mask = &view.scope.mask;
            let sight = match &sight {
                Some(sight) if sight.is_through(mask) => sight,
                Some(_) | None => sight.insert(Sight::new(change, mask)),
            };
            let Some(offer) = view.offer(sight, projections) else {
                continue;
            };
            for &slot in members {
                let Some(place) = self.slots.get_mut(slot as usize) else {
                    continue;
                };
                let id = WatchId {
                    slot,
                    generation: place.generation,
                };
                let Some(watch) = &mut place.watch else {
                    continue;
                };
                let waits = !watch.named && !watch.is_readable();
                if watch.push(offer.clone(), counters) == Pushed::Full {
                    ended.push(slot);
                }
                if waits && watch.is_readable() {
                    watch.named = true;
                    self.ready.push_back(id);
                }
            }
        }
        for slot in ended {
            self.end(slot, Ending::TooSlow, counters);
        }
    }

    /// Forgets a watch that its reader gave up; ids of former watches change nothing.
    pub(crate) fn cancel(&mut self, id: WatchId, counters: &mut Counters) {
        if self.watch(id).is_some() {
            self.end(id.slot, Ending::NotThere, counters);
            self.forget(id);
        }
    }

    /// Ends every watch.
    pub(crate) fn shutdown(&mut self, counters: &mut Counters) {
        let members: Vec<_> = self.groups.values().flatten().copied().collect();
        for slot in members {
            self.end(slot, Ending::Shutdown, counters);
        }
    }

    /// Returns a watch that became readable, or ended, since it was named last.
    pub(crate) fn poll_ready(&mut self) -> Option<WatchId> {
        let id = self.ready.pop_front()?;
        if let Some(watch) = self.watch(id) {
            watch.named = false;
        }
        Some(id)
    }

    /// Reads one message of a watch; `see` gives what is seen of a pod that it holds whole.
    pub(crate) fn poll(
        &mut self,
        id: WatchId,
        see: impl FnOnce(&Projection, &Arc<Served>) -> Arc<Served>,
        counters: &mut Counters,
    ) -> Read {
        let Some(watch) = self.watch(id) else {
            return Read::End(Ending::NotThere);
        };
        let read = watch.read(see, counters);
        if let Read::End(_) = read {
            self.forget(id);
        }
        read
    }

    /// Returns the watches that are not ended.
    pub(crate) fn len(&self) -> usize {
        self.groups.values().map(BTreeSet::len).sum()
    }

    /// Tells whether a watch has ended, or the id names none.
    pub(crate) fn is_over(&self, id: WatchId) -> bool {
        self.get(id)
            .is_none_or(|watch| matches!(watch.state, State::Ended(_)))
    }

    /// Returns what the caller of a watch is told of its mask.
    pub(crate) fn applied_mask(&self, id: WatchId) -> Option<Arc<str>> {
        self.get(id)?.applied.clone()
    }

    /// Returns the live events that are queued for all watches together.
    pub(crate) fn queued(&self) -> usize {
        let watches = self.slots.iter().filter_map(|slot| slot.watch.as_ref());
        watches.map(|watch| watch.state.queued()).sum()
    }

    fn get(&self, id: WatchId) -> Option<&Watch> {
        let slot = self.slots.get(id.slot as usize)?;
        slot.watch
            .as_ref()
            .filter(|_| slot.generation == id.generation)
    }

    fn watch(&mut self, id: WatchId) -> Option<&mut Watch> {
        let slot = self.slots.get_mut(id.slot as usize)?;
        slot.watch
            .as_mut()
            .filter(|_| slot.generation == id.generation)
    }

    fn vacant_slot(&mut self) -> Option<u32> {
        if let Some(slot) = self.free.pop() {
            return Some(slot);
        }
        let slot = u32::try_from(self.slots.len()).ok()?;
        self.slots.push(Slot {
            generation: 0,
            watch: None,
        });
        Some(slot)
    }

    /// Takes a watch out of its view's group and leaves only the end to be read.
    fn end(&mut self, slot: u32, ending: Ending, counters: &mut Counters) {
        let Some(place) = self.slots.get_mut(slot as usize) else {
            return;
        };
        let id = WatchId {
            slot,
            generation: place.generation,
        };
        let Some(watch) = &mut place.watch else {
            return;
        };
        if let State::Ended(_) = watch.state {
            return;
        }
        counters.watch_events_discarded += watch.state.queued() as u64;
        counters.count(watch.view.dialect, Method::WatchPods, ending.code());
        watch.state = State::Ended(ending);
        if !watch.named {
            watch.named = true;
            self.ready.push_back(id);
        }
        if let Some(members) = self.groups.get_mut(&watch.view) {
            members.remove(&slot);
            if members.is_empty() {
                self.groups.remove(&watch.view);
            }
        }
    }

    /// Makes a slot vacant under its next generation; after the last one it is not used again.
    fn forget(&mut self, id: WatchId) {
        let Some(place) = self.slots.get_mut(id.slot as usize) else {
            return;
        };
        let Some(watch) = place.watch.take() else {
            return;
        };
        self.open -= 1;
        if let Some(peer) = watch.peer
            && let Some(count) = self.by_peer.get_mut(&peer)
        {
            *count -= 1;
            if *count == 0 {
                self.by_peer.remove(&peer);
            }
        }
        if watch.named {
            self.ready.retain(|other| *other != id);
        }
        if let Some(next) = place.generation.checked_add(1) {
            place.generation = next;
            self.free.push(id.slot);
        }
    }
}

impl Ending {
    pub(crate) const fn code(self) -> Code {
        match self {
            Self::NotThere => Code::Cancelled,
            Self::Shutdown => Code::Unavailable,
            Self::TooSlow => Code::ResourceExhausted,
        }
    }
}
