//! Watches: a first list, then the sync marker, then what changes, then an end.
//!
//! ```text
//!             all pods read
//!  First ----------------> Live ---------> Ended ----> (forgotten)
//!    |   sync marker sent        too slow,       end read
//!    |                           shutdown
//!    +---------------------------^
//! ```
//!
//! The pods of the first list are those of the instant at which the watch was opened, and a watch is a
//! place in that list, then a place in the [`Log`] of all changes: what comes while the list is read is
//! found there afterwards, so none is lost, doubled or too old. Nothing is kept for a watch of what it has
//! not read. Those that have read everything wait by what they see, and a change wakes all of one view at
//! once, if it is anything for them.

use alloc::collections::BTreeSet;
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::call::{PeerKey, WatchId};
use crate::config::SlowWatch;
use crate::counters::Counters;
use crate::hash::{Map, Seed};
use crate::index::{self, Snapshot};
use crate::log::{Log, Revision};
use crate::outgoing::Outgoing;
use crate::status::Code;

pub(crate) use masks::TooManyMasks;
pub(crate) use view::{Sight, View};

use cursor::{Follow, Rounds};
use masks::Masks;
use reader::{Cursor, State, Step, Watch};
use view::Group;
use waits::Waits;

#[cfg(test)]
mod bounded_tests;
mod cursor;
mod ending;
mod masks;
mod reader;
mod seating;
#[cfg(test)]
mod tests;
mod view;
mod waits;

/// All watches, those that see the same together, and which of them became readable.
#[derive(Debug)]
pub(crate) struct WatchSet {
    slots: Vec<Slot>,
    free: Vec<u32>,
    /// Those that are not ended, or whose end was not read.
    open: usize,
    /// Those that are not ended.
    live: usize,
    /// How many of the open ones each known peer has; none is 0.
    by_peer: Map<PeerKey, usize>,
    groups: Vec<Place>,
    free_groups: Vec<u32>,
    by_view: Map<Arc<View>, u32>,
    /// Groups of which somebody waits.
    waiting: Vec<u32>,
    waits: Waits,
    masks: Masks,
    /// When watches are looked at whether they are too far behind.
    due: BTreeSet<(Revision, u32)>,
    limits: WatchLimits,
}

/// How many watches there may be, and how slow they may be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WatchLimits {
    pub(crate) buffer: u32,
    pub(crate) watches: u32,
    pub(crate) masks: u32,
    pub(crate) masks_per_peer: u32,
    pub(crate) slow_watch: SlowWatch,
}

/// Why a watch is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// The id names no watch.
    NotThere,
    Shutdown,
    TooSlow,
    /// More deletions came than are remembered, where only the newest states are told.
    Outdated,
}

/// What reading a watch gives.
#[derive(Debug)]
pub(crate) enum Read {
    Event(Outgoing),
    Idle,
    End(Ending),
}

/// Why no watch can be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Full {
    /// As many are open as there may be.
    Watches,
    /// As many masks are watched as there may be.
    Masks(TooManyMasks),
}

#[derive(Debug)]
struct Slot {
    generation: u32,
    watch: Option<Watch>,
}

/// A place for the watches of a view.
#[derive(Debug, Default)]
struct Place {
    group: Option<Group>,
    /// Whether it is among those of which somebody waits, or was.
    listed: bool,
}

/// How far a watch is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "adapters print every field")]
pub struct WatchView {
    /// Who opened it, where that is known.
    pub peer: Option<PeerKey>,
    /// The changes that it has not read, those counted too of which it sees nothing.
    pub behind: u64,
    /// Whether it has not read its first list yet.
    pub is_listing: bool,
}

impl WatchSet {
    pub(crate) fn new(limits: WatchLimits, seed: Seed) -> Self {
        Self {
            slots: Vec::new(),
            free: Vec::new(),
            open: 0,
            live: 0,
            by_peer: seed.map(),
            groups: Vec::new(),
            free_groups: Vec::new(),
            by_view: seed.map(),
            waiting: Vec::new(),
            waits: Waits::default(),
            masks: Masks::new(limits.masks, limits.masks_per_peer, seed),
            due: BTreeSet::new(),
            limits,
        }
    }

    /// Opens a watch whose first list is what of `pods` its view sees, as of the newest change.
    pub(crate) fn open(
        &mut self,
        view: View,
        applied: Option<Arc<str>>,
        pods: Snapshot,
        peer: Option<PeerKey>,
        log: &Log,
        sight: &mut Sight<'_>,
    ) -> Result<WatchId, Full> {
        if self.open >= self.limits.watches as usize {
            return Err(Full::Watches);
        }
        let admitted = self.masks.admit(&view.scope.mask, peer);
        admitted.map_err(Full::Masks)?;
        let slot = self.vacant_slot().ok_or(Full::Watches)?;
        let has_marker = Outgoing::initial_sync_complete(view.dialect).is_some();
        let is_readable = has_marker || pods.iter().any(|pod| view.sees(pod));
        sight.projections.watch(&view.scope.mask);
        let group = self.enter_group(view, peer);
        let place = index::Place::default();
        let watch = Watch {
            group,
            applied,
            peer,
            state: State::First { pods, place },
            cursor: match self.limits.slow_watch {
                SlowWatch::End => Cursor::Follow(Follow::new(log.last())),
                SlowWatch::Coalesce => Cursor::Rounds(Rounds::new(log.last())),
            },
            noted: false,
            seat: None,
            due: None,
        };
        let place = self.slots.get_mut(slot as usize).ok_or(Full::Watches)?;
        place.watch = Some(watch);
        let id = WatchId {
            slot,
            generation: place.generation,
        };
        self.open += 1;
        self.live += 1;
        if let Some(peer) = peer {
            *self.by_peer.entry(peer).or_default() += 1;
        }
        if is_readable {
            self.note(id);
        } else {
            self.go_live(id, log);
            self.sit(id);
        }
        Ok(id)
    }

    /// Returns how many watches of a peer there are, those counted too whose end was not read yet.
    pub(crate) fn count_of(&self, peer: PeerKey) -> usize {
        self.by_peer.get(&peer).copied().unwrap_or_default()
    }

    /// Wakes those who wait for the newest change.
    ///
    /// A watch that has something unread already is not named for it: its reader knows, and who does
    /// not read costs nothing.
    pub(crate) fn publish(&mut self, log: &mut Log) {
        let revision = log.last();
        let Some(entry) = log.entry_mut(revision) else {
            return;
        };
        let (groups, waits) = (&mut self.groups, &mut self.waits);
        self.waiting.retain(|place| {
            let Some(place) = groups.get_mut(*place as usize) else {
                return false;
            };
            let group = place.group.as_mut();
            let Some((group, wait)) = group.and_then(|group| Some((&*group, group.wait?))) else {
                place.listed = false;
                return false;
            };
            let is_empty = waits.get(wait).is_none_or(|wait| wait.first.is_none());
            if is_empty || !group.may_see(entry) {
                return true;
            }
            waits.wake(wait, revision);
            place.wake();
            false
        });
    }

    /// Wakes all who wait, for changes after `seen` of which nobody looked who sees them.
    pub(crate) fn wake_all(&mut self, seen: Revision) {
        for place in core::mem::take(&mut self.waiting) {
            let Some(place) = self.groups.get_mut(place as usize) else {
                continue;
            };
            if let Some(wait) = place.group.as_ref().and_then(|group| group.wait) {
                self.waits.wake(wait, seen + 1);
            }
            place.wake();
        }
    }

    /// Looks at so many watches at most whether they are too far behind, and cuts those off that are;
    /// tells whether there are more to be looked at.
    pub(crate) fn look(
        &mut self,
        most: usize,
        log: &mut Log,
        sight: &mut Sight<'_>,
        counters: &mut Counters,
    ) -> bool {
        for _ in 0..most {
            if sight.is_tired() {
                break;
            }
            match self.due.first() {
                Some(&(due, slot)) if due <= log.last() => {
                    self.due.remove(&(due, slot));
                    self.look_at(slot, log, sight, counters);
                }
                Some(_) | None => return false,
            }
        }
        self.due.first().is_some_and(|(due, _)| *due <= log.last())
    }

    /// Forgets a watch that its reader gave up; ids of former watches change nothing.
    pub(crate) fn cancel(
        &mut self,
        id: WatchId,
        log: &mut Log,
        sight: &mut Sight<'_>,
        counters: &mut Counters,
    ) {
        if self.get(id).is_some() {
            self.end(id, Ending::NotThere, log, sight, counters);
            self.forget(id, sight);
        }
    }

    /// Ends every watch.
    pub(crate) fn shutdown(
        &mut self,
        log: &mut Log,
        sight: &mut Sight<'_>,
        counters: &mut Counters,
    ) {
        let slots = 0..u32::try_from(self.slots.len()).unwrap_or(u32::MAX);
        for slot in slots {
            if let Some(id) = self.id_at(slot)
                && self.get(id).is_some_and(Watch::is_live)
            {
                self.end(id, Ending::Shutdown, log, sight, counters);
            }
        }
    }

    /// Reads one message of a watch.
    pub(crate) fn poll(
        &mut self,
        id: WatchId,
        log: &mut Log,
        sight: &mut Sight<'_>,
        counters: &mut Counters,
    ) -> Read {
        if !self.settle(id) {
            return Read::Idle;
        }
        let Some((watch, group)) = self.watch_and_group(id) else {
            return Read::End(Ending::NotThere);
        };
        if let State::First { .. } = watch.state {
            if let Some(read) = watch.read_first(group, sight, counters) {
                return read;
            }
            let marker = Outgoing::initial_sync_complete(group.view.dialect);
            self.go_live(id, log);
            if let Some(marker) = marker {
                return Read::Event(marker);
            }
        }
        let Some((watch, group)) = self.watch_and_group(id) else {
            return Read::End(Ending::NotThere);
        };
        let ending = match watch.state {
            State::Ended(ending) => ending,
            State::First { .. } | State::Live => {
                match watch.read_live(log, group, sight, counters) {
                    Step::Read(read) => return read,
                    Step::CaughtUp => {
                        // It may not be as far behind from now on as it was at the end of its list.
                        let former = watch.due;
                        let due = log.last() + u64::from(self.limits.buffer) + 1;
                        if former.is_some_and(|former| former > due) {
                            self.look_at_revision(id, due);
                        }
                        self.sit(id);
                        return Read::Idle;
                    }
                    Step::Later => {
                        self.note(id);
                        return Read::Idle;
                    }
                    Step::Lost => {
                        let ending = match self.limits.slow_watch {
                            SlowWatch::End => Ending::TooSlow,
                            SlowWatch::Coalesce => Ending::Outdated,
                        };
                        self.end(id, ending, log, sight, counters);
                        ending
                    }
                }
            }
        };
        self.forget(id, sight);
        Read::End(ending)
    }

    /// Returns the number of watches that are not ended.
    pub(crate) const fn len(&self) -> usize {
        self.live
    }

    /// Tells whether nothing but the end is left of a watch, or the id names none.
    pub(crate) fn is_over(&self, id: WatchId) -> bool {
        self.get(id).is_none_or(|watch| match watch.state {
            State::First { .. } => false,
            State::Live => watch
                .cursor
                .cut()
                .is_some_and(|cut| cut.after <= watch.cursor.read()),
            State::Ended(_) => true,
        })
    }

    /// Tells whether a watch has ended or was cut off, or the id names none.
    pub(crate) fn is_ending(&self, id: WatchId) -> bool {
        self.get(id).is_none_or(|watch| !watch.is_live())
    }

    /// Returns what the caller of a watch is told of its mask.
    pub(crate) fn applied_mask(&self, id: WatchId) -> Option<Arc<str>> {
        self.get(id)?.applied.clone()
    }

    /// Returns how far each watch is that is not ended.
    pub(crate) fn views(&self, last: Revision) -> impl Iterator<Item = WatchView> {
        let watches = self.slots.iter().filter_map(|slot| slot.watch.as_ref());
        watches.filter(|watch| watch.is_live()).map(move |watch| {
            let read = match watch.seat {
                None => watch.cursor.read(),
                Some(seat) => self.waits.woken(seat).map_or(last, |woken| woken - 1),
            };
            WatchView {
                peer: watch.peer,
                behind: last - read,
                is_listing: matches!(watch.state, State::First { .. }),
            }
        })
    }

    /// Returns the revision up to which every watch has read.
    pub(crate) fn all_read(&self, last: Revision) -> Revision {
        let watches = self.slots.iter().filter_map(|slot| slot.watch.as_ref());
        let read = watches.filter_map(|watch| match (&watch.state, watch.seat) {
            (State::Ended(_), _) => None,
            (_, Some(seat)) => self.waits.woken(seat).map(|woken| woken - 1),
            (_, None) => Some(watch.cursor.base()),
        });
        read.min().unwrap_or(last)
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

    fn watch_and_group(&mut self, id: WatchId) -> Option<(&mut Watch, &mut Group)> {
        let slot = self.slots.get_mut(id.slot as usize)?;
        let watch = slot.watch.as_mut()?;
        if slot.generation != id.generation {
            return None;
        }
        let group = self.groups.get_mut(watch.group as usize)?.group.as_mut()?;
        Some((watch, group))
    }

    fn id_at(&self, slot: u32) -> Option<WatchId> {
        let place = self.slots.get(slot as usize)?;
        place.watch.as_ref()?;
        Some(WatchId {
            slot,
            generation: place.generation,
        })
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

    /// Counts one more watch of a view and returns the place of those who have it.
    fn enter_group(&mut self, view: View, peer: Option<PeerKey>) -> u32 {
        let (mask, selected) = self.masks.enter(&view.scope.mask, peer);
        if let Some(&place) = self.by_view.get(&view)
            && let Some(group) = self.groups.get_mut(place as usize)
            && let Some(group) = &mut group.group
        {
            group.members += 1;
            return place;
        }
        let view = Arc::new(view);
        let group = Group {
            view: view.clone(),
            mask,
            selected,
            members: 1,
            wait: None,
        };
        let place = match self.free_groups.pop() {
            Some(place) => place,
            None => {
                self.groups.push(Place::default());
                u32::try_from(self.groups.len() - 1).unwrap_or(u32::MAX)
            }
        };
        if let Some(vacant) = self.groups.get_mut(place as usize) {
            vacant.group = Some(group);
        }
        self.by_view.insert(view, place);
        place
    }

    fn leave_group(&mut self, place: u32, peer: Option<PeerKey>, sight: &mut Sight<'_>) {
        let Some(vacant) = self.groups.get_mut(place as usize) else {
            return;
        };
        let Some(group) = &mut vacant.group else {
            return;
        };
        sight.projections.unwatch(&group.view.scope.mask);
        self.masks.leave(&group.view.scope.mask, peer);
        group.members -= 1;
        if group.members > 0 {
            return;
        }
        self.by_view.remove(&group.view);
        if let Some(wait) = group.wait {
            self.waits.close(wait);
        }
        vacant.group = None;
        self.free_groups.push(place);
    }

    /// Makes a slot vacant under its next generation; after the last one it is not used again.
    fn forget(&mut self, id: WatchId, sight: &mut Sight<'_>) {
        let Some(place) = self.slots.get_mut(id.slot as usize) else {
            return;
        };
        let Some(watch) = place.watch.take() else {
            return;
        };
        if let Some(next) = place.generation.checked_add(1) {
            place.generation = next;
            self.free.push(id.slot);
        }
        self.open -= 1;
        if let Some(peer) = watch.peer
            && let Some(count) = self.by_peer.get_mut(&peer)
        {
            *count -= 1;
            if *count == 0 {
                self.by_peer.remove(&peer);
            }
        }
        self.leave_group(watch.group, watch.peer, sight);
    }
}

impl Place {
    /// Notes that nobody waits here any more.
    const fn wake(&mut self) {
        self.listed = false;
        if let Some(group) = &mut self.group {
            group.wait = None;
        }
    }
}

impl Ending {
    pub(crate) const fn code(self) -> Code {
        match self {
            Self::NotThere => Code::Cancelled,
            Self::Shutdown => Code::Unavailable,
            Self::TooSlow | Self::Outdated => Code::ResourceExhausted,
        }
    }
}
