//! The ways to find a pod beside its UID.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::sync::Arc;

use super::facts::Facts;

/// UIDs by what pods share: a name, a container, an address, another UID.
#[derive(Clone, Debug, Default)]
pub(super) struct Index {
    aliases: Table<String>,
    addresses: Table<IpAddr>,
    containers: Table<String>,
    /// Names within namespaces: both are looked up without building a key.
    names: BTreeMap<String, Table<String>>,
}

impl Index {
    pub(super) fn insert(&mut self, facts: &Facts) {
        let uid = &facts.uid;
        facts
            .aliases
            .iter()
            .for_each(|key| self.aliases.insert(key.clone(), uid));
        facts
            .addresses
            .iter()
            .for_each(|key| self.addresses.insert(*key, uid));
        facts
            .containers
            .iter()
            .for_each(|key| self.containers.insert(key.clone(), uid));
        let names = self.names.entry(facts.namespace.clone()).or_default();
        names.insert(facts.name.clone(), uid);
    }

    pub(super) fn remove(&mut self, facts: &Facts) {
        let uid = &facts.uid;
        facts
            .aliases
            .iter()
            .for_each(|key| self.aliases.remove(key, uid));
        facts
            .addresses
            .iter()
            .for_each(|key| self.addresses.remove(key, uid));
        facts
            .containers
            .iter()
            .for_each(|key| self.containers.remove(key, uid));
        if let Some(names) = self.names.get_mut(&facts.namespace) {
            names.remove(&facts.name, uid);
            if names.uids.is_empty() {
                self.names.remove(&facts.namespace);
            }
        }
    }

    pub(super) fn by_alias(&self, alias: &str) -> Option<&BTreeSet<Arc<str>>> {
        self.aliases.uids.get(alias)
    }

    pub(super) fn by_container(&self, id: &str) -> Option<&BTreeSet<Arc<str>>> {
        self.containers.uids.get(id)
    }

    pub(super) fn by_ip(&self, address: IpAddr) -> Option<&BTreeSet<Arc<str>>> {
        self.addresses.uids.get(&address)
    }

    pub(super) fn by_name(&self, namespace: &str, name: &str) -> Option<&BTreeSet<Arc<str>>> {
        self.names.get(namespace)?.uids.get(name)
    }

    /// Returns how many keys there are, to see that none is left behind.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        let names: usize = self.names.values().map(|table| table.uids.len()).sum();
        self.aliases.uids.len() + self.addresses.uids.len() + self.containers.uids.len() + names
    }
}

/// The UIDs under each key; a key without UIDs does not stay.
#[derive(Clone, Debug)]
struct Table<K> {
    uids: BTreeMap<K, BTreeSet<Arc<str>>>,
}

impl<K> Default for Table<K> {
    fn default() -> Self {
        Self {
            uids: BTreeMap::new(),
        }
    }
}

impl<K: Ord> Table<K> {
    fn insert(&mut self, key: K, uid: &Arc<str>) {
        self.uids.entry(key).or_default().insert(Arc::clone(uid));
    }

    fn remove(&mut self, key: &K, uid: &Arc<str>) {
        if let Some(uids) = self.uids.get_mut(key) {
            uids.remove(uid);
            if uids.is_empty() {
                self.uids.remove(key);
            }
        }
    }
}
