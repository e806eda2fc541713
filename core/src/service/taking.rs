//! Taking what sources say, a whole list a part at a time.
//!
//! What a list changes is worked out, then added to the log, in parts between which others may call; they
//! see what was served before it. Once all is there, it is shown in one step.

use alloc::collections::btree_map;
use alloc::vec;
use alloc::vec::Vec;

use crate::index::Snapshot;
use crate::pod::{Claim, Uid};
use crate::source::{SourceError, SourceEvent, SourceId, Step};
use crate::store::{Change, Rank};
use crate::time::Moment;
use crate::watch::Sight;

use super::Pods;

/// A whole list that is being taken.
#[derive(Debug)]
pub(super) struct Taking {
    source: SourceId,
    rank: Rank,
    at: i64,
    /// What readers see meanwhile.
    seen: Snapshot,
    gone: vec::IntoIter<Uid>,
    claims: btree_map::IntoIter<Uid, Claim>,
    changes: Vec<Change>,
    /// Whether the changes are in the order of one step as they are.
    is_ordered: bool,
    /// The same once all are there, and in order.
    ordered: Option<vec::IntoIter<Change>>,
}

/// Pods of which one call takes what a list says: some hundred microseconds.
const PART: usize = 128;

/// Changes up to which each watch is asked whether it sees one; of more than that each sees some.
const FEW_CHANGES: usize = PART;

/// Watches of which one call looks whether they are too far behind: what one lost may be the whole log.
const LOOKS: usize = 16;

impl Pods {
    pub(super) fn begin(
        &mut self,
        source: SourceId,
        event: SourceEvent,
        now: Moment,
    ) -> Result<bool, SourceError> {
        // One list after the other, and what comes after a list comes after it.
        while self.resume_source() {}
        let Some((feed, rank)) = self.feeds.get_mut(usize::from(source.0)) else {
            self.counters.source_errors += 1;
            return Err(SourceError::UnknownSource);
        };
        let rank = *rank;
        let event = match event {
            SourceEvent::Put { pod, at } => {
                let pod = self.store.known_pod(rank, pod);
                SourceEvent::Put { pod, at }
            }
            SourceEvent::Status { uid, status, at } => {
                let status = self.store.known_status(rank, &uid, status);
                SourceEvent::Status { uid, status, at }
            }
            other @ (SourceEvent::Begin
            | SourceEvent::Remove { .. }
            | SourceEvent::Complete { .. }
            | SourceEvent::Lost) => other,
        };
        let step = feed.handle(event, self.feed_limits, now);
        let step = step.inspect_err(|_| self.counters.source_errors += 1)?;
        let change = match step {
            Step::Nothing => None,
            Step::Put { pod, at } => self.store.put(rank, pod, at),
            Step::Status { uid, status, at } => self.store.set_status(rank, &uid, status, at),
            Step::Remove { uid, at } => self.store.remove(rank, &uid, at),
            Step::Replace { gone, claims, at } => {
                self.taking = Some(Taking {
                    source,
                    rank,
                    at,
                    seen: self.store.snapshot(),
                    gone: gone.into_iter(),
                    claims: claims.into_iter(),
                    changes: Vec::new(),
                    is_ordered: true,
                    ordered: None,
                });
                None
            }
        };
        if let Some(change) = change {
            self.publish([change]);
        }
        Ok(self.resume_source())
    }

    /// Does a part of what is left to do, and tells whether there is more.
    pub(super) fn resume_taking(&mut self) -> bool {
        let Some(mut taking) = self.taking.take() else {
            return self.look_at_watches();
        };
        if let Some(ordered) = &mut taking.ordered {
            for change in ordered.by_ref().take(PART) {
                self.append(change);
            }
            if ordered.len() > 0 {
                self.taking = Some(taking);
                return true;
            }
            let seen = self.log.last();
            self.log.show();
            self.watches.wake_all(seen);
            self.gate.complete(taking.source);
            return self.look_at_watches();
        }
        if taking.edit(self) {
            self.taking = Some(taking);
            return true;
        }
        if !taking.is_ordered {
            self.store.order(&mut taking.changes);
        }
        if taking.changes.len() <= FEW_CHANGES {
            self.publish(taking.changes);
            self.gate.complete(taking.source);
            return self.look_at_watches();
        }
        let changes = core::mem::take(&mut taking.changes);
        taking.ordered = Some(changes.into_iter());
        self.taking = Some(taking);
        true
    }

    /// Adds a change to the log, where nobody sees it yet.
    fn append(&mut self, change: Change) {
        self.counters.changes += 1;
        self.lists.clear();
        let before = change.before.clone();
        self.log.append(change);
        if let Some(before) = before {
            self.projections.forget(&before);
        }
    }

    /// Adds changes to the log and wakes who sees them.
    fn publish(&mut self, changes: impl IntoIterator<Item = Change>) {
        for change in changes {
            self.append(change);
            self.log.show();
            self.watches.publish(&mut self.log);
        }
        if self.log.last() >= self.trim_at {
            let read = self.watches.all_read(self.log.last());
            self.log.trim(read);
            self.trim_at = self.log.last() + super::TRIM_INTERVAL.max(self.watches.len() as u64);
        }
    }

    /// Looks at some watches that may be too far behind, and tells whether there are more.
    fn look_at_watches(&mut self) -> bool {
        let mut sight = Sight::new(&self.store, &mut self.projections);
        self.watches
            .look(LOOKS, &mut self.log, &mut sight, &mut self.counters)
    }

    /// Returns what readers see.
    pub(super) fn seen(&self) -> Snapshot {
        match &self.taking {
            Some(taking) => taking.seen.clone(),
            None => self.store.snapshot(),
        }
    }

    /// Tells whether readers see just what the store has.
    pub(super) const fn is_shown(&self) -> bool {
        self.taking.is_none()
    }
}

impl Taking {
    /// Takes what the list says of some pods, and tells whether there are more.
    fn edit(&mut self, pods: &mut Pods) -> bool {
        for _ in 0..PART {
            let (change, is_gone) = if let Some(uid) = self.gone.next() {
                (pods.store.remove(self.rank, &uid, self.at), true)
            } else if let Some((uid, claim)) = self.claims.next() {
                (pods.store.claim(self.rank, &uid, claim, self.at), false)
            } else {
                return false;
            };
            // Those that went away come first, and both follow the identities.
            if let Some(change) = &change {
                self.is_ordered &= change.after.is_none() == is_gone;
            }
            self.changes.extend(change);
        }
        true
    }
}
