//! Whose a UID is: what a pod is by itself, what the runtime shows, and what pods only claim.
//!
//! A UID is of one namespace and name. Those that a pod's own metadata give are its own. All others
//! are claims (the hash of a mirror pod, the UID of a sandbox), which count for one name alone:
//!
//! 1. that of a pod that an owner gives this very UID;
//! 2. that which had it before, if that was no mere claim;
//! 3. that of the runtime's sandbox, the one that was created first;
//! 4. of those that claim it, one that is known as a static pod, from its file or a kubelet;
//! 5. that which had it before;
//! 6. of those that claim it, one that a node controls, then the one that was made first.
//!
//! So a pod that is deleted does not hand its UID on, and who claims a UID takes it from nobody.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use podsapi_core::Uid;

use super::identity::{Adopted, Group, Identity, Name, name};
use super::owner::{Held, Owner};
use super::scope::{differing, taken};

/// A mirror pod's word that it stands for a static pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Claim {
    /// The UID that it claims.
    pub(super) uid: Uid,
    /// Whether a node controls it, as is so with those that kubelets make.
    pub(super) by_node: bool,
    /// When it was made, in seconds since 1970.
    pub(super) created: i64,
}

/// Who had which UID, also of pods that are gone, of the newest [`GONE_LIMIT`] of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Registry {
    /// Of those that somebody has or claims.
    now: BTreeMap<Uid, Record>,
    /// Of those that nobody does any more.
    past: BTreeMap<Uid, Record>,
    /// These, the one that was given up first at the front.
    gone: VecDeque<Uid>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Record {
    name: Name,
    /// Whether an owner or the runtime gave it, so that it was no mere claim.
    proven: bool,
}

/// Namespace and name, borrowed.
type NameRef<'a> = (&'a str, &'a str);

/// What an owner gives each pod by itself.
pub(super) type Own<'a> = BTreeMap<&'a Uid, NameRef<'a>>;

/// Returns the UIDs that pods have by themselves; of two owners the one that has precedence counts.
pub(super) fn own(owners: &[Owner]) -> Own<'_> {
    let mut own = BTreeMap::new();
    for owner in by_precedence(owners) {
        for (uid, held) in &owner.held {
            if let Some(pod) = &held.pod {
                own.entry(uid)
                    .or_insert_with(|| (pod.namespace(), pod.name()));
            }
        }
    }
    own
}

/// Returns the owners in their order of precedence.
pub(super) fn by_precedence(owners: &[Owner]) -> Vec<&Owner> {
    let mut order: Vec<&Owner> = owners.iter().collect();
    order.sort_by_key(|owner| owner.kind);
    order
}

/// Whose the UIDs are that are claimed now.
#[derive(Debug, Default)]
pub(super) struct Whose {
    names: BTreeMap<Uid, Name>,
}

impl Whose {
    /// Returns whose the UID is, if anybody claims it.
    pub(super) fn name(&self, uid: &Uid) -> Option<&Name> {
        self.names.get(uid)
    }

    pub(super) fn allows(&self, uid: &Uid, name: &Name) -> bool {
        self.names.get(uid).is_none_or(|of| of == name)
    }
}

/// What speaks for one of those that claim a UID; the greatest has it.
type Weight = (bool, bool, std::cmp::Reverse<(i64, Name)>);

impl Registry {
    /// Decides whose each UID is that anybody claims.
    pub(super) fn whose(
        &self,
        own: &Own<'_>,
        groups: &BTreeMap<Name, Group>,
        adopted: &Adopted,
    ) -> Whose {
        let mut claims: BTreeMap<&Uid, Vec<(&Name, Weight)>> = BTreeMap::new();
        for (name, group) in groups {
            for (uid, claim) in group.claims(name, adopted) {
                let by_node = claim.is_some_and(|claim| claim.by_node);
                let created = claim.map_or(0, |claim| claim.created);
                let age = std::cmp::Reverse((created, name.clone()));
                let weight = (group.is_static(), by_node, age);
                claims.entry(uid).or_default().push((name, weight));
            }
        }
        let names = claims.into_iter().filter_map(|(uid, claims)| {
            let best = claims.into_iter().max_by(|one, other| one.1.cmp(&other.1));
            let record = self.record(uid);
            let of_own = own.get(uid);
            let of_own = of_own.map(|(space, name)| ((*space).to_owned(), (*name).to_owned()));
            let name = of_own
                .or_else(|| Some(record.filter(|record| record.proven)?.name.clone()))
                .or_else(|| adopted.shown_as(uid).cloned())
                .or_else(|| Some(best.as_ref().filter(|best| best.1.0)?.0.clone()))
                .or_else(|| Some(record?.name.clone()))
                .or_else(|| Some(best.as_ref()?.0.clone()))?;
            Some((uid.clone(), name))
        });
        Whose {
            names: names.collect(),
        }
    }

    /// Takes note of who has which UID now.
    pub(super) fn keep_up(
        &mut self,
        own: &Own<'_>,
        adopted: &Adopted,
        served: &[BTreeMap<Uid, Held>],
        whose: &Whose,
    ) {
        let mut present: BTreeSet<&Uid> = whose.names.keys().collect();
        present.extend(own.keys());
        present.extend(adopted.shown().map(|(uid, _)| uid));
        present.extend(served.iter().flat_map(BTreeMap::keys));
        for uid in &present {
            if let Some(record) = self.past.remove(*uid) {
                self.now.insert((*uid).clone(), record);
            }
        }
        for (uid, (space, name)) in own {
            let same = self.now.get(*uid).filter(|record| {
                record.proven && (&*record.name.0, &*record.name.1) == (*space, *name)
            });
            if same.is_none() {
                self.note(uid, ((*space).to_owned(), (*name).to_owned()), true);
            }
        }
        for (uid, name) in adopted.shown() {
            if self.now.get(uid).is_none_or(|record| !record.proven) {
                self.note(uid, name.clone(), true);
            }
        }
        for (uid, held) in served.iter().flatten() {
            let Some(pod) = &held.pod else { continue };
            let record = self.now.get(uid);
            if record.is_none_or(|record| !record.proven && record.name != name(pod)) {
                self.note(uid, name(pod), false);
            }
        }
        let mut left: Vec<Uid> = self.now.keys().cloned().collect();
        left.retain(|uid| !present.contains(uid));
        for uid in left {
            if let Some(record) = self.now.remove(&uid) {
                self.past.insert(uid.clone(), record);
                self.gone.push_back(uid);
            }
        }
    }

    /// Forgets those that were given up long ago.
    pub(super) fn forget(&mut self) {
        while self.gone.len() > GONE_LIMIT {
            if let Some(uid) = self.gone.pop_front() {
                self.past.remove(&uid);
            }
        }
    }

    /// Takes out what is known of these UIDs.
    pub(super) fn take(&mut self, uids: &BTreeSet<Uid>) -> Self {
        Self {
            now: taken(&mut self.now, uids),
            past: taken(&mut self.past, uids),
            gone: VecDeque::new(),
        }
    }

    /// Puts back what was taken out.
    pub(super) fn put_back(&mut self, part: Self) {
        self.now.extend(part.now);
        self.past.extend(part.past);
        self.gone.extend(part.gone);
    }

    /// Returns a copy of what is known, but for the order in which UIDs were given up.
    pub(super) fn copied(&self) -> Self {
        Self {
            now: self.now.clone(),
            past: self.past.clone(),
            gone: VecDeque::new(),
        }
    }

    /// Returns the UIDs of which something else was known before.
    pub(super) fn changed<'r>(&'r self, before: &'r Self) -> impl Iterator<Item = &'r Uid> {
        let now = differing(&before.now, &self.now);
        let past = differing(&before.past, &self.past);
        now.chain(past).map(|(uid, _)| uid)
    }

    fn note(&mut self, uid: &Uid, name: Name, proven: bool) {
        self.now.insert(uid.clone(), Record { name, proven });
    }

    fn record(&self, uid: &Uid) -> Option<&Record> {
        self.now.get(uid).or_else(|| self.past.get(uid))
    }

    #[cfg(test)]
    pub(super) fn past(&self) -> usize {
        self.past.len()
    }

    #[cfg(test)]
    pub(super) fn is_proven(&self, uid: &Uid) -> bool {
        self.record(uid).is_some_and(|record| record.proven)
    }

    /// Returns whose the UID is or was.
    pub(super) fn name(&self, uid: &Uid) -> Option<&Name> {
        self.record(uid).map(|record| &record.name)
    }
}

/// Returns the pods that claim what is not theirs, with the UID that they claim, if it can be told,
/// and whose that is.
pub(super) fn foreign<'a>(
    owner: &'a Owner,
    whose: &'a Whose,
) -> impl Iterator<Item = (&'a Uid, &'a Held, Option<(&'a Uid, &'a Name)>)> {
    owner.held.iter().filter_map(|(uid, held)| {
        let pod = held.pod.as_ref()?;
        match &held.identity {
            Identity::Mirror(None) => Some((uid, held, None)),
            Identity::Mirror(Some(claim)) => {
                let of = whose.name(&claim.uid)?;
                let foreign = (&*of.0, &*of.1) != (pod.namespace(), pod.name());
                foreign.then_some((uid, held, Some((&claim.uid, of))))
            }
            Identity::Plain | Identity::Static => None,
        }
    })
}

/// How many UIDs that were given up are remembered: more pods than a node runs in an hour, at some
/// 200 bytes each.
pub(super) const GONE_LIMIT: usize = 4_096;
