//! Where a step finds the pods that an event, or the time, can matter to, without a look at all.

use std::collections::{BTreeMap, BTreeSet};

use podsapi_core::Uid;

use super::foreign::ByUid;
use super::identity::{Name, link, of_both};
use super::known::Known;
use super::leaving::Leaving;
use super::scope::{Links, Scope, taken};
use super::{Adopted, Owner};

/// What follows from what the join holds, put in other orders.
#[derive(Debug, Default)]
pub(super) struct Index {
    pub(super) links: Links,
    /// When pods will have been active for as long as they may.
    deadlines: BTreeSet<(i64, Uid)>,
    /// When else something follows from the time alone.
    times: BTreeSet<(i64, Uid)>,
    /// The pods that no view is newer than.
    pub(super) fresh: BTreeSet<Uid>,
    /// The pods whose status could not be worked out.
    pub(super) troubled: BTreeSet<Uid>,
    /// The names of pods that a file and a kubelet have.
    pub(super) of_both: BTreeSet<Name>,
    /// What claims what is not its own.
    pub(super) foreign: ByUid,
    /// Of how many names a document is known to have got the UID that a kubelet gives it.
    pub(super) proven: usize,
}

/// What is put in order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held<'a> {
    pub(super) owners: &'a [Owner],
    pub(super) adopted: &'a Adopted,
    pub(super) known: &'a BTreeMap<Uid, Known>,
    pub(super) leaving: &'a Leaving,
    pub(super) views: u64,
}

impl Index {
    /// Adds all that is held.
    pub(super) fn add(&mut self, held: Held<'_>, foreign: ByUid) {
        for owner in held.owners {
            for uid in owner.uids() {
                link(owner, uid, &mut self.links);
            }
        }
        held.adopted.link(&mut self.links);
        for (name, uid) in held.leaving.links() {
            self.links.add(&name, uid);
        }
        self.of_both.extend(of_both(held.owners));
        self.proven += held.adopted.documents().proven_names();
        for (uid, known) in held.known {
            self.deadlines.extend(known.deadline_of(uid));
            self.times.extend(known.end_of(uid));
            if known.since >= held.views {
                self.fresh.insert(uid.clone());
            }
            if known.problem.is_some() {
                self.troubled.insert(uid.clone());
            }
        }
        self.add_times(held.leaving);
        self.foreign.extend(foreign);
    }

    /// Takes out what is held of a closed scope, which is all that `held` has; returns what claimed there
    /// what is not its own.
    pub(super) fn remove(&mut self, held: Held<'_>, scope: &Scope) -> ByUid {
        self.links.remove(scope);
        for name in &scope.names {
            self.of_both.remove(name);
        }
        self.proven -= held.adopted.documents().proven_names();
        for (uid, known) in held.known {
            if let Some(due) = known.deadline_of(uid) {
                self.deadlines.remove(&due);
            }
            if let Some(due) = known.end_of(uid) {
                self.times.remove(&due);
            }
            self.fresh.remove(uid);
            self.troubled.remove(uid);
        }
        self.remove_times(held.leaving);
        taken(&mut self.foreign, &scope.uids)
    }

    pub(super) fn add_times(&mut self, leaving: &Leaving) {
        let times = leaving.times().map(|(time, uid)| (time, uid.clone()));
        self.times.extend(times);
    }

    pub(super) fn remove_times(&mut self, leaving: &Leaving) {
        for (time, uid) in leaving.times() {
            self.times.remove(&(time, uid.clone()));
        }
    }

    /// Returns the pods of which something follows now from the time alone, and did not when time was
    /// looked at last. A pod that has been active for too long is looked at until it has ended.
    pub(super) fn due(&self, last: i64, at: i64) -> impl Iterator<Item = &Uid> {
        let deadlines = self.deadlines.iter().take_while(move |due| due.0 <= at);
        let times = later(&self.times, last).take_while(move |due| due.0 <= at);
        deadlines.chain(times).map(|(_, uid)| uid)
    }

    /// Returns when something follows from the time alone next, and whether of what runs for too long.
    pub(super) fn next(&self, now: i64, deadlines: bool) -> Option<i64> {
        let next = |times| later(times, now).next().map(|(time, _)| *time);
        let deadline = next(&self.deadlines).filter(|_| deadlines);
        deadline.into_iter().chain(next(&self.times)).min()
    }
}

/// Returns what is due after a time.
fn later(times: &BTreeSet<(i64, Uid)>, time: i64) -> impl Iterator<Item = &(i64, Uid)> {
    let next = time.checked_add(1).into_iter();
    next.flat_map(|next| times.range((next, Uid::new(""))..))
}
