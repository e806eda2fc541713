//! Which names and UIDs belong together: all that one event can matter to.

use std::collections::{BTreeMap, BTreeSet};

use podsapi_core::Uid;

use super::identity::Name;

/// Names and UIDs.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    pub(super) names: BTreeSet<Name>,
    pub(super) uids: BTreeSet<Uid>,
    /// Whether it is all that there is.
    pub(super) all: bool,
}

impl Scope {
    pub(super) fn extend(&mut self, other: Self) {
        self.names.extend(other.names);
        self.uids.extend(other.uids);
        self.all |= other.all;
    }
}

/// Which UIDs anything that is held here names together with which names.
#[derive(Debug, Default)]
pub(super) struct Links {
    names: BTreeMap<Name, BTreeSet<Uid>>,
    uids: BTreeMap<Uid, BTreeSet<Name>>,
}

impl Links {
    pub(super) fn add(&mut self, name: &Name, uid: &Uid) {
        let names = self.uids.entry(uid.clone()).or_default();
        if names.insert(name.clone()) {
            let uids = self.names.entry(name.clone()).or_default();
            uids.insert(uid.clone());
        }
    }

    /// Adds to a scope all that anything links to it, however far.
    pub(super) fn close(&self, scope: &mut Scope) {
        let mut names: Vec<Name> = scope.names.iter().cloned().collect();
        let mut uids: Vec<Uid> = scope.uids.iter().cloned().collect();
        loop {
            if let Some(uid) = uids.pop() {
                let linked = self.uids.get(&uid).into_iter().flatten();
                let new = linked.filter(|name| scope.names.insert((*name).clone()));
                names.extend(new.cloned());
            } else if let Some(name) = names.pop() {
                let linked = self.names.get(&name).into_iter().flatten();
                let new = linked.filter(|uid| scope.uids.insert((*uid).clone()));
                uids.extend(new.cloned());
            } else {
                break;
            }
        }
    }

    /// Forgets what is in a closed scope.
    pub(super) fn remove(&mut self, scope: &Scope) {
        for name in &scope.names {
            self.names.remove(name);
        }
        for uid in &scope.uids {
            self.uids.remove(uid);
        }
    }
}

/// Takes the entries with these keys out of a map.
pub(super) fn taken<K: Ord, V>(map: &mut BTreeMap<K, V>, keys: &BTreeSet<K>) -> BTreeMap<K, V> {
    keys.iter()
        .filter_map(|key| map.remove_entry(key))
        .collect()
}

/// Returns the keys whose values are not the same in both maps, each with both values.
pub(super) fn differing<'m, K: Ord, V: PartialEq>(
    before: &'m BTreeMap<K, V>,
    now: &'m BTreeMap<K, V>,
) -> impl Iterator<Item = (&'m K, [Option<&'m V>; 2])> {
    let gone = before.iter().filter(|(key, _)| !now.contains_key(key));
    let gone = gone.map(|(key, before)| (key, [Some(before), None]));
    let new = now.iter().filter_map(|(key, now)| {
        let before = before.get(key);
        (before != Some(now)).then_some((key, [before, Some(now)]))
    });
    gone.chain(new)
}
