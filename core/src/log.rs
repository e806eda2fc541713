//! What changed, in one order for all who follow it.
//!
//! ```text
//!      kept apart                      entries, each the one after the other
//!  .................        +---------------------------------------------+
//!    o    o   x   o         |  e   e   e   e   e   e   e   e   e   e   e  |
//!  .................        +---------------------------------------------+
//!    revisions that left      first                                    last
//! ```
//!
//! An entry says what was served before a change, and what is from then on. Those of one pod, from its
//! beginning to its end, are linked. Entries are bounded in number and in the bytes that only they hold;
//! when the oldest leaves, what it says is kept apart in a few words for those who want the newest state
//! of each pod only: that a pod changed last at this revision, or went away at it. Of the latter as many
//! are kept as of entries.

use alloc::boxed::Box;
use alloc::collections::{BTreeMap, VecDeque};
use alloc::sync::Arc;

use bytes::Bytes;
use smallvec::SmallVec;

use crate::project::{Difference, Seen, Selected};
use crate::served::{Served, Tombstone};
use crate::store::Change;

/// The number of a change, counted from 1; what was not changed yet is at 0.
pub(crate) type Revision = u64;

/// The changes of late, oldest first, and the newest of each pod.
#[derive(Debug)]
pub(crate) struct Log {
    entries: VecDeque<Entry>,
    /// The revision of the newest entry; that of the oldest follows from their number.
    end: Revision,
    /// That of the newest one that readers see.
    last: Revision,
    /// What left the entries, by revision.
    apart: BTreeMap<Revision, Apart>,
    /// Deletions among them, oldest first.
    gone: VecDeque<Revision>,
    /// The newest deletion that nothing is known of any more.
    forgotten: Revision,
    /// The bytes that only the entries hold.
    bytes: usize,
    max_entries: usize,
    max_bytes: usize,
}

/// One change.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) before: Option<Arc<Served>>,
    pub(crate) after: Option<Arc<Served>>,
    /// Where the pod began that it is about, and where it changed before and after this, if it did.
    created: Revision,
    previous: Option<Revision>,
    next: Option<Revision>,
    /// When the source learned of it, in seconds since 1970.
    at: i64,
    /// Which fields differ, once somebody asked.
    difference: Option<Box<Difference>>,
    /// What masks were told that had to compare what they select.
    compared: SmallVec<[(MaskId, bool); 2]>,
    /// What is left of a deleted pod in each dialect, once somebody asked.
    tombstones: [Option<Arc<Served>>; 2],
}

/// A mask that is watched, for as long as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct MaskId(pub(crate) u64);

/// What is kept of a change that left the entries.
#[derive(Debug)]
struct Apart {
    created: Revision,
    state: State,
}

#[derive(Debug)]
enum State {
    /// The pod is served as it was then.
    Served(Arc<Served>),
    /// It went away then: its names, and when.
    Gone(Arc<Served>, i64),
    /// It changed again at this revision, whose entry is still there.
    Until(Revision),
}

/// What became of one pod between two revisions.
#[derive(Debug)]
pub(crate) struct Became {
    /// The revision at which it changed last between them.
    pub(crate) revision: Revision,
    /// Where the pod began.
    pub(crate) created: Revision,
    /// What it is at the later one.
    pub(crate) after: After,
    /// What it was at the earlier one, if that is known; it is not of a pod that is younger.
    pub(crate) before: Option<Arc<Served>>,
    /// The entries of it between them, newest first, as far as they are there.
    pub(crate) entries: SmallVec<[Revision; 4]>,
}

/// What a pod is at a revision.
#[derive(Debug)]
pub(crate) enum After {
    Served(Arc<Served>),
    /// The entry that says that it is gone, or what is kept of that apart.
    Gone(Arc<Served>, i64),
}

/// Bytes that one entry takes beside those of pods: itself, which fields differ, and a place in what is
/// kept apart.
const ENTRY_BYTES: usize = 1_024;

impl Log {
    pub(crate) fn new(max_entries: usize, max_bytes: usize) -> Self {
        Self {
            entries: VecDeque::with_capacity(64),
            end: 0,
            last: 0,
            apart: BTreeMap::new(),
            gone: VecDeque::new(),
            forgotten: 0,
            bytes: 0,
            max_entries,
            max_bytes,
        }
    }

    /// Returns the revision of the newest change that readers see; 0 before there was one.
    pub(crate) const fn last(&self) -> Revision {
        self.last
    }

    /// Returns the revision of the oldest entry; that of the next one where there is none.
    pub(crate) fn first(&self) -> Revision {
        self.end + 1 - self.entries.len() as u64
    }

    /// Returns the newest revision of which a deletion may be forgotten.
    pub(crate) const fn forgotten(&self) -> Revision {
        self.forgotten
    }

    /// Returns the bytes that only the entries hold.
    #[cfg(test)]
    pub(crate) const fn bytes(&self) -> usize {
        self.bytes
    }

    pub(crate) fn entry(&self, revision: Revision) -> Option<&Entry> {
        let place = revision.checked_sub(self.first())?;
        self.entries.get(usize::try_from(place).ok()?)
    }

    pub(crate) fn entry_mut(&mut self, revision: Revision) -> Option<&mut Entry> {
        let place = revision.checked_sub(self.first())?;
        self.entries.get_mut(usize::try_from(place).ok()?)
    }

    /// Shows readers all changes that were added.
    pub(crate) const fn show(&mut self) {
        self.last = self.end;
    }

    /// Adds a change behind all others, which readers see once it is shown. It costs what its pod costs,
    /// whoever follows.
    pub(crate) fn append(&mut self, change: Change) {
        let Change {
            revision,
            created,
            previous,
            before,
            after,
            at,
        } = change;
        debug_assert_eq!(revision, self.end + 1, "changes are counted one by one");
        if let Some(previous) = previous {
            if let Some(entry) = self.entry_mut(previous) {
                entry.next = Some(revision);
            } else if let Some(apart) = self.apart.get_mut(&previous) {
                apart.state = State::Until(revision);
            }
        }
        self.end = revision;
        let entry = Entry {
            before,
            after,
            created,
            previous,
            next: None,
            at,
            difference: None,
            compared: SmallVec::new(),
            tombstones: [None, None],
        };
        self.bytes += entry.bytes();
        self.entries.push_back(entry);
        while self.entries.len() > self.max_entries
            || (self.bytes > self.max_bytes && self.entries.len() > 1)
        {
            self.set_apart();
        }
    }

    /// Lets go of what nobody needs who has read up to `read`, and of deletions up to there.
    pub(crate) fn trim(&mut self, read: Revision) {
        while self.first() <= read && !self.entries.is_empty() {
            self.set_apart();
        }
        while self.gone.front().is_some_and(|revision| *revision <= read) {
            self.forget_deletion();
        }
        // What a burst took is given back.
        if self.entries.capacity() > 1_024 && self.entries.len() < self.entries.capacity() / 4 {
            self.entries.shrink_to(self.entries.len() * 2);
        }
    }

    /// Takes the oldest entry out and keeps apart what it says of its pod.
    fn set_apart(&mut self) {
        let revision = self.first();
        let Some(entry) = self.entries.pop_front() else {
            return;
        };
        self.bytes -= entry.bytes();
        if let Some(previous) = entry.previous {
            self.apart.remove(&previous);
        }
        let state = match (entry.next, entry.after, entry.before) {
            (Some(next), ..) => State::Until(next),
            (None, Some(after), _) => State::Served(after),
            (None, None, Some(before)) => {
                self.gone.push_back(revision);
                State::Gone(Arc::new(before.with_bytes(Bytes::new())), entry.at)
            }
            (None, None, None) => return,
        };
        let apart = Apart {
            created: entry.created,
            state,
        };
        self.apart.insert(revision, apart);
        while self.gone.len() > self.max_entries {
            self.forget_deletion();
        }
    }

    fn forget_deletion(&mut self) {
        if let Some(revision) = self.gone.pop_front() {
            self.apart.remove(&revision);
            self.forgotten = revision;
        }
    }

    /// Returns the first pod whose last change up to `goal` comes after `read`, with what became of it
    /// since `base`; `base <= read`. Steps over at most `steps` changes, and counts those that it took.
    pub(crate) fn became(
        &self,
        base: Revision,
        read: &mut Revision,
        goal: Revision,
        steps: &mut usize,
    ) -> Option<Became> {
        while *read < goal && *steps > 0 {
            *steps -= 1;
            let first = self.first();
            if *read + 1 < first {
                let Some((&revision, apart)) = self.apart.range(*read + 1..).next() else {
                    *read = goal.min(first - 1);
                    continue;
                };
                if revision > goal {
                    *read = goal;
                    return None;
                }
                *read = revision;
                let after = match &apart.state {
                    State::Until(next) if *next <= goal => continue,
                    State::Until(next) => {
                        match self.entry(*next).and_then(|next| next.before.clone()) {
                            Some(before) => After::Served(before),
                            None => continue,
                        }
                    }
                    State::Served(pod) => After::Served(pod.clone()),
                    State::Gone(pod, at) => After::Gone(pod.clone(), *at),
                };
                return Some(Became {
                    revision,
                    created: apart.created,
                    after,
                    before: None,
                    entries: SmallVec::new(),
                });
            }
            *read += 1;
            let revision = *read;
            let entry = self.entry(revision)?;
            let after = match entry.next {
                Some(next) if next <= goal => continue,
                Some(next) => self.entry(next).and_then(|next| next.before.clone()),
                None => entry.after.clone(),
            };
            let (before, entries) = self.since(base, revision, steps);
            let after = match (after, &entry.before) {
                (Some(after), _) => After::Served(after),
                (None, Some(gone)) => After::Gone(gone.clone(), entry.at),
                (None, None) => continue,
            };
            return Some(Became {
                revision,
                created: entry.created,
                after,
                before,
                entries,
            });
        }
        None
    }

    /// Returns what the pod of an entry was at `base`, if that is known, and its entries since.
    fn since(
        &self,
        base: Revision,
        revision: Revision,
        steps: &mut usize,
    ) -> (Option<Arc<Served>>, SmallVec<[Revision; 4]>) {
        let mut entries = SmallVec::new();
        let mut at = Some(revision);
        let mut before = None;
        while let Some(revision) = at.filter(|revision| *revision > base) {
            let Some(entry) = self.entry(revision) else {
                return (None, entries);
            };
            *steps = steps.saturating_sub(1);
            entries.push(revision);
            before = entry.before.clone();
            at = entry.previous;
        }
        (before, entries)
    }
}

impl Entry {
    /// The bytes that are held for this entry alone: what was served before is served no more, and what
    /// is served after it is held by the store or counted by the next entry of the pod.
    fn bytes(&self) -> usize {
        let before = self.before.as_ref().map_or(0, |pod| pod.bytes().len());
        before.saturating_add(ENTRY_BYTES)
    }

    /// Tells whether what a mask selects differs before and after, for a pod that was there and is.
    ///
    /// `compare` says it where the sets of fields cannot.
    pub(crate) fn differs(
        &mut self,
        mask: MaskId,
        selected: &Selected,
        compare: impl FnOnce(&Arc<Served>, &Arc<Served>) -> bool,
    ) -> bool {
        let (Some(before), Some(after)) = (&self.before, &self.after) else {
            return true;
        };
        let difference = self
            .difference
            .get_or_insert_with(|| Box::new(Difference::between(before.bytes(), after.bytes())));
        match difference.through(selected) {
            Seen::Same => false,
            Seen::Differs => true,
            Seen::Compare => {
                let known = self.compared.iter().find(|(other, _)| *other == mask);
                if let Some((_, differs)) = known {
                    return *differs;
                }
                let differs = compare(before, after);
                if self.compared.len() < MAX_COMPARED {
                    self.compared.push((mask, differs));
                }
                differs
            }
        }
    }

    /// Tells whether it was worked out which fields differ.
    pub(crate) const fn is_known(&self) -> bool {
        self.difference.is_some()
    }

    /// Tells whether what a mask selects may differ, as far as that is known without comparing.
    pub(crate) fn may_differ(&mut self, selected: &Selected) -> bool {
        let (Some(before), Some(after)) = (&self.before, &self.after) else {
            return true;
        };
        let difference = self
            .difference
            .get_or_insert_with(|| Box::new(Difference::between(before.bytes(), after.bytes())));
        difference.through(selected) != Seen::Same
    }

    /// When the source learned of it, in seconds since 1970.
    pub(crate) const fn at(&self) -> i64 {
        self.at
    }

    /// Returns what is left of the pod as it was before, once that is gone.
    pub(crate) fn gone(&mut self, kind: Tombstone) -> Option<Arc<Served>> {
        let before = self.before.as_ref()?;
        let [identity, timestamped] = &mut self.tombstones;
        let kept = match kind {
            Tombstone::Identity => identity,
            Tombstone::Timestamped => timestamped,
        };
        let made = kept.get_or_insert_with(|| Arc::new(before.tombstone(kind, self.at)));
        Some(made.clone())
    }
}

/// What masks were told of one entry: as many as are kept of projections by default. Those beyond it
/// compare each time.
const MAX_COMPARED: usize = 64;
