//! How far a reader is in the log, and what it is told next.
//!
//! A reader that is told everything ([`Follow`]) is at one revision. One that is told the newest state of
//! each pod ([`Rounds`]) reads in rounds: at its begin a round has a goal, the newest revision, and tells
//! of each pod that changed since the goal before what it is at this one. So what the reader knows is at
//! the end of each round just what was served at one revision, and nothing has to be remembered of what
//! it was told of which pod.

use alloc::sync::Arc;

use crate::counters::Counters;
use crate::log::{After, Became, Log, Revision};
use crate::outgoing::EventKind;
use crate::served::Served;

use super::view::{Group, Sight};

/// A reader of every change.
#[derive(Clone, Copy, Debug)]
pub(super) struct Follow {
    /// What it has read up to, and what was counted up to of what it has not; never behind it.
    pub(super) read: Revision,
    counted: Revision,
    /// Unread events among what was counted.
    ahead: u32,
    /// What it was behind when its first list was read, which it may be until it has caught up; those
    /// up to this revision count so.
    slack: u32,
    slack_until: Revision,
    /// Where it is cut off, and up to where the events are counted that it lost.
    pub(super) cut: Option<Cut>,
}

/// The end of what a reader that was too slow may still read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    pub(super) after: Revision,
    pub(super) lost_until: Revision,
}

/// A reader of the newest state of each pod.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rounds {
    /// It knows all that was served at this revision.
    pub(super) base: Revision,
    /// It may know pods that began up to here. Later than `base` where a round took longer than the log
    /// remembers, so that what it was told in it cannot be known.
    doubt: Revision,
    /// What it has read up to of this round.
    pub(super) read: Revision,
    /// The end of this round.
    pub(super) goal: Revision,
    /// Events of this round that were told or folded.
    pub(super) told: u64,
}

/// What a step of a reader gives.
#[derive(Debug)]
pub(super) enum Next {
    Event(EventKind, Arc<Served>),
    /// It has read everything.
    CaughtUp,
    /// It passed over a lot and has not read everything: others first.
    Later,
    /// It read all that it may.
    Lost,
}

/// What counting ahead of a reader finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lag {
    /// It is too far behind.
    TooFar,
    /// It cannot be before this revision.
    NotBefore(Revision),
    /// Not all was counted yet.
    Unknown,
}

/// Entries that one call passes over at most: 1,024 take some microseconds.
const STEPS: usize = 1_024;

impl Follow {
    pub(super) const fn new(read: Revision) -> Self {
        Self {
            read,
            counted: read,
            ahead: 0,
            slack: 0,
            slack_until: 0,
            cut: None,
        }
    }

    /// Notes that the first list was read while changes came up to `last`.
    pub(super) const fn synced(&mut self, last: Revision) {
        self.slack_until = last;
    }

    /// Reads on.
    pub(super) fn next(&mut self, log: &mut Log, group: &Group, sight: &mut Sight<'_>) -> Next {
        for _ in 0..STEPS {
            if sight.is_tired() {
                return Next::Later;
            }
            if self.cut.is_some_and(|cut| self.read >= cut.after) {
                return Next::Lost;
            }
            if self.read >= log.last() {
                *self = Self::new(self.read);
                return Next::CaughtUp;
            }
            let revision = self.read + 1;
            let Some(entry) = log.entry_mut(revision) else {
                // It fell out of the log.
                return Next::Lost;
            };
            let kind = group.sees(entry, sight);
            let pod = match kind {
                Some(EventKind::Deleted) => entry.gone(group.view.tombstone()),
                Some(EventKind::Added | EventKind::Modified) => entry.after.clone(),
                None => None,
            };
            self.pass(revision, kind.is_some());
            if let Some((kind, pod)) = kind.zip(pod) {
                let pod = match kind {
                    EventKind::Deleted => pod,
                    EventKind::Added | EventKind::Modified => {
                        sight.see(&group.view.scope.mask, &pod)
                    }
                };
                return Next::Event(kind, pod);
            }
        }
        Next::Later
    }

    /// Goes one entry on.
    const fn pass(&mut self, revision: Revision, is_event: bool) {
        self.read = revision;
        if self.counted < revision {
            self.counted = revision;
            if is_event && revision <= self.slack_until {
                self.slack += 1;
            }
        } else if is_event {
            self.ahead = self.ahead.saturating_sub(1);
        }
    }

    /// Counts what is unread, a bounded part of it at a time, and cuts the reader off where that is more
    /// than `buffer` and what it was behind at the end of its first list.
    pub(super) fn measure(
        &mut self,
        buffer: u32,
        log: &mut Log,
        group: &Group,
        sight: &mut Sight<'_>,
    ) -> Lag {
        for _ in 0..STEPS {
            let room = u64::from(buffer) + u64::from(self.slack) - u64::from(self.ahead);
            if self.counted >= log.last() || self.counted + room >= log.last() {
                return Lag::NotBefore(self.counted + room + 1);
            }
            if sight.is_tired() {
                break;
            }
            let revision = self.counted + 1;
            let Some(entry) = log.entry_mut(revision) else {
                // It fell out of the log, and what it has not read is lost.
                self.cut(self.read);
                return Lag::TooFar;
            };
            let is_event = group.sees(entry, sight).is_some();
            if is_event && room == 0 && revision > self.slack_until {
                self.cut(revision - 1);
                return Lag::TooFar;
            }
            self.counted = revision;
            if is_event {
                self.ahead += 1;
                if revision <= self.slack_until {
                    self.slack += 1;
                }
            }
        }
        Lag::Unknown
    }

    const fn cut(&mut self, after: Revision) {
        self.cut = Some(Cut {
            after,
            lost_until: after,
        });
    }
}

impl Rounds {
    pub(super) const fn new(base: Revision) -> Self {
        Self {
            base,
            doubt: base,
            read: base,
            goal: base,
            told: 0,
        }
    }

    /// Reads on.
    pub(super) fn next(
        &mut self,
        log: &mut Log,
        group: &Group,
        sight: &mut Sight<'_>,
        counters: &mut Counters,
    ) -> Next {
        let mut steps = STEPS;
        while steps > 0 && !sight.is_tired() {
            if self.read >= self.goal {
                if self.goal >= log.last() {
                    *self = Self::new(self.goal);
                    return Next::CaughtUp;
                }
                *self = Self {
                    goal: log.last(),
                    ..Self::new(self.goal)
                };
            }
            if self.read < log.forgotten() {
                return Next::Lost;
            }
            if self.read == self.base {
                self.goal = log.last();
            } else if self.goal + 1 < log.first() {
                // What pods were at the goal cannot be told any more.
                self.doubt = self.read;
                self.goal = log.last();
            }
            let Some(became) = log.became(self.base, &mut self.read, self.goal, &mut steps) else {
                continue;
            };
            let told = self.told(&became, log, group, sight, counters);
            if let Some((kind, pod)) = told {
                return Next::Event(kind, pod);
            }
        }
        Next::Later
    }

    /// Returns what its reader is told of what became of a pod, if it is anything.
    fn told(
        &mut self,
        became: &Became,
        log: &mut Log,
        group: &Group,
        sight: &mut Sight<'_>,
        counters: &mut Counters,
    ) -> Option<(EventKind, Arc<Served>)> {
        let folded = &mut counters.watch_events_coalesced;
        let mask = &group.view.scope.mask;
        let mut events = 0;
        for revision in &became.entries {
            let entry = log.entry_mut(*revision);
            events += u64::from(entry.is_some_and(|entry| group.counts(entry, sight)));
        }
        self.told += events;
        // Whether the reader knows the pod; where there is doubt, one that is there is new to it, and one
        // that is gone is not: the one may be said again, but nothing is kept that is gone.
        let older = match became.after {
            After::Served(_) => became.created <= self.base,
            After::Gone(..) => became.created <= self.doubt,
        };
        let known = match &became.before {
            Some(before) => older && group.view.sees(before),
            None => older && became.after.is_seen_by(group),
        };
        let before = became.before.as_ref().filter(|_| self.doubt == self.base);
        let (kind, pod) = match (&became.after, known) {
            (After::Gone(..), false) => {
                *folded += events;
                return None;
            }
            (After::Gone(pod, at), true) => {
                let kind = group.view.tombstone();
                let entry = log.entry_mut(became.revision);
                let gone = entry
                    .filter(|_| group.view.sees(pod))
                    .and_then(|entry| entry.gone(kind));
                // What went away from where it was not seen any more has the names that were seen.
                let known = became.before.as_ref().filter(|_| !group.view.sees(pod));
                let made = || Arc::new(known.unwrap_or(pod).tombstone(kind, *at));
                (EventKind::Deleted, gone.unwrap_or_else(made))
            }
            (After::Served(pod), known) => match (group.view.sees(pod), known) {
                (false, false) => {
                    *folded += events;
                    return None;
                }
                (false, true) => {
                    // It is in another namespace now.
                    let before = became.before.as_ref()?;
                    let at = log.entry(became.revision)?.at();
                    let gone = before.tombstone(group.view.tombstone(), at);
                    (EventKind::Deleted, Arc::new(gone))
                }
                (true, false) => (EventKind::Added, sight.see(mask, pod)),
                (true, true) => {
                    match before {
                        _ if mask.is_all() => {}
                        Some(before) if events > 0 && sight.differs(mask, before, pod) => {}
                        Some(_) => {
                            *folded += events;
                            return None;
                        }
                        None => counters.watch_events_uncompared += 1,
                    }
                    (EventKind::Modified, sight.see(mask, pod))
                }
            },
        };
        *folded += events.saturating_sub(1);
        Some((kind, pod))
    }
}

impl After {
    fn is_seen_by(&self, group: &Group) -> bool {
        match self {
            Self::Served(pod) | Self::Gone(pod, _) => group.view.sees(pod),
        }
    }
}

/// Returns how many changes after `from` and up to `to` are events for those who see this; of those that
/// left the log that cannot be seen, and each counts; so do those that it would take long to look at.
pub(super) fn events(
    from: Revision,
    to: Revision,
    log: &mut Log,
    group: &Group,
    sight: &mut Sight<'_>,
) -> u64 {
    let first = log.first().clamp(from + 1, to + 1);
    let seen = (first..=to).filter(|revision| {
        let entry = log.entry_mut(*revision);
        entry.is_some_and(|entry| group.counts(entry, sight))
    });
    first - from - 1 + seen.count() as u64
}
