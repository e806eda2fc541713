//! A step of the pods that it can matter to, as if there were no others.
//!
//! Names and UIDs that anything held here names together belong together: what is told of a pod
//! depends on nothing else. So a step takes out what belongs to its pods, works on that as on a
//! whole join, and puts it back.
//!
//! What a step changed may change again in the next without a word: so that is worked on once more
//! then, until a step changes nothing.

use std::collections::BTreeMap;

use podsapi_core::Uid;

use super::claims::Registry;
use super::identity::{Adopted, guesses, name};
use super::index::{Held, Index};
use super::known::Known;
use super::leaving::Leaving;
use super::owner::{self, Owner};
use super::scope::{Scope, differing, taken};
use super::{Join, Lists, foreign};
use crate::view::NodeFacts;

/// What a step may change.
#[derive(Debug)]
struct Before {
    told: Vec<BTreeMap<Uid, owner::Held>>,
    adopted: Adopted,
    registry: Registry,
    known: BTreeMap<Uid, Known>,
    leaving: Leaving,
}

impl Join {
    /// Works out what has changed and tells it.
    pub(super) fn step(&mut self, lists: Lists, at: i64) {
        let scope = std::mem::take(&mut self.dirty);
        let last = std::mem::replace(&mut self.now, at);
        let all = lists.runtime || lists.owner.is_some() || scope.all;
        #[cfg(test)]
        let all = all || self.recomputes_all;
        if all {
            self.step_of_all(lists, at);
        } else {
            self.step_of(scope, lists, last, at);
        }
        self.registry.forget();
    }

    fn step_of_all(&mut self, lists: Lists, at: i64) {
        let before = self.before();
        let foreign = self.work(lists, at);
        self.note_changes(&before);
        let mut index = Index::default();
        index.add(self.held(), foreign);
        self.index = index;
        let outdated = self.adopted.is_outdated();
        self.note_outdated(outdated);
        self.foreign = foreign::in_order(&self.index.foreign, &self.adopted);
    }

    fn step_of(&mut self, mut scope: Scope, lists: Lists, last: i64, at: i64) {
        scope.uids.extend(self.index.due(last, at).cloned());
        self.index.links.close(&mut scope);
        if self.may_prove_the_first(&scope) {
            scope.names.extend(self.index.of_both.iter().cloned());
            self.index.links.close(&mut scope);
        }
        let mut part = self.take(&scope);
        let claimed = self.index.remove(part.held(), &scope);
        let before = part.before();
        let foreign = part.work(lists, at);
        part.note_changes(&before);
        let changed = claimed != foreign;
        self.index.add(part.held(), foreign);
        let outdated = part.adopted.is_outdated();
        self.put_back(part);
        self.note_outdated(outdated);
        if changed {
            self.foreign = foreign::in_order(&self.index.foreign, &self.adopted);
        }
    }

    /// Has the next step work on what depends on whether any document is proven, if that is outdated.
    fn note_outdated(&mut self, outdated: bool) {
        if outdated {
            let names = self.index.of_both.iter().cloned();
            self.dirty.names.extend(names);
        }
    }

    /// Tells whether no document outside of these names is known to have got the UID that a kubelet
    /// gives it, and there is one here that may be, which matters to all other names.
    fn may_prove_the_first(&self, scope: &Scope) -> bool {
        let documents = self.adopted.documents();
        let mut files = self.owners.iter().filter(|owner| guesses(owner.kind));
        let of_file = |owner: &Owner| scope.uids.iter().any(|uid| owner.held.contains_key(uid));
        let (any, proven) = documents.among(&scope.names);
        (any || files.any(of_file)) && proven == self.index.proven
    }

    /// Takes out what is of these names and UIDs: a join of its own.
    fn take(&mut self, scope: &Scope) -> Self {
        let owners = self.owners.iter_mut();
        Self {
            owners: owners.map(|owner| owner.take(&scope.uids)).collect(),
            node: std::mem::take(&mut self.node),
            adopted: self.adopted.take(scope, self.index.proven),
            registry: self.registry.take(&scope.uids),
            seen: std::mem::take(&mut self.seen),
            untold: std::mem::take(&mut self.untold),
            runtime: self.runtime,
            views: self.views,
            known: taken(&mut self.known, &scope.uids),
            leaving: self.leaving.take(&scope.uids, self.owners.len()),
            ..Self::new([], NodeFacts::default())
        }
    }

    /// Puts back what was taken out, and takes what it tells.
    fn put_back(&mut self, part: Self) {
        for (owner, part) in self.owners.iter_mut().zip(part.owners) {
            owner.put_back(part);
        }
        self.node = part.node;
        self.adopted.put_back(part.adopted);
        self.registry.put_back(part.registry);
        self.seen = part.seen;
        self.untold = part.untold;
        self.known.extend(part.known);
        self.leaving.put_back(part.leaving);
        self.told.extend(part.told);
        self.dirty.extend(part.dirty);
        #[cfg(test)]
        {
            self.worked += part.worked;
        }
    }

    fn held(&self) -> Held<'_> {
        Held {
            owners: &self.owners,
            adopted: &self.adopted,
            known: &self.known,
            leaving: &self.leaving,
            views: self.views,
        }
    }

    fn before(&self) -> Before {
        let told = self.owners.iter().map(|owner| owner.told.clone());
        Before {
            told: told.collect(),
            adopted: self.adopted.copied(),
            registry: self.registry.copied(),
            known: self.known.clone(),
            leaving: self.leaving.clone(),
        }
    }

    /// Takes note of what is worked on once more in the next step: all that was something else before.
    fn note_changes(&mut self, before: &Before) {
        let dirty = &mut self.dirty;
        for (owner, before) in self.owners.iter().zip(&before.told) {
            for (uid, both) in differing(before, &owner.told) {
                dirty.uids.insert(uid.clone());
                let pods = both.into_iter().flatten();
                dirty
                    .names
                    .extend(pods.filter_map(|held| held.pod.as_ref().map(name)));
            }
        }
        self.adopted.note_changes(&before.adopted, dirty);
        let uids = self.registry.changed(&before.registry);
        dirty.uids.extend(uids.cloned());
        let known = differing(&before.known, &self.known);
        dirty.uids.extend(known.map(|(uid, _)| uid.clone()));
        for (name, uid) in self.leaving.changed(&before.leaving) {
            dirty.names.extend(name);
            dirty.uids.insert(uid);
        }
    }
}
