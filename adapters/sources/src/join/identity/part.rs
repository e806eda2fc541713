//! What was learned of some pods alone, apart from that of all others.

use std::collections::BTreeMap;

use podsapi_core::Uid;

use super::{Adopted, Identity, Name, guesses, name};
use crate::join::owner::Owner;
use crate::join::scope::{Links, Scope, differing, taken};

impl Adopted {
    /// Takes out what is of these names and UIDs; `proven` tells of how many names in all a document is
    /// known to have got the UID that a kubelet gives it.
    pub(in crate::join) fn take(&mut self, scope: &Scope, proven: usize) -> Self {
        let said = scope.uids.iter();
        let said = said.filter_map(|uid| Some((uid.clone(), self.said.get(uid)?.clone())));
        Self {
            uids: taken(&mut self.uids, &scope.names),
            hashes: taken(&mut self.hashes, &scope.names),
            files: std::mem::take(&mut self.files),
            exact: self.exact,
            documents: self.documents.take(&scope.names, proven),
            stood_for: taken(&mut self.stood_for, &scope.names),
            alike: taken(&mut self.alike, &scope.names),
            said: said.collect(),
            torn: Vec::new(),
        }
    }

    /// Puts back what was taken out.
    pub(in crate::join) fn put_back(&mut self, part: Self) {
        self.uids.extend(part.uids);
        self.hashes.extend(part.hashes);
        self.files = part.files;
        self.exact = part.exact;
        self.documents.put_back(part.documents);
        self.stood_for.extend(part.stood_for);
        self.alike.extend(part.alike);
    }

    /// Returns a copy of what may change without a word of the runtime.
    pub(in crate::join) fn copied(&self) -> Self {
        Self {
            uids: self.uids.clone(),
            hashes: self.hashes.clone(),
            documents: self.documents.clone(),
            stood_for: self.stood_for.clone(),
            alike: self.alike.clone(),
            ..Self::default()
        }
    }

    /// Tells whether a document is proven now and none was when the documents were looked at last, or the
    /// other way round: this matters to all names that a file and a kubelet have.
    pub(in crate::join) fn is_outdated(&self) -> bool {
        self.exact != self.documents.any_is_proven()
    }

    /// Adds all names and UIDs of which something else was known before.
    pub(in crate::join) fn note_changes(&self, before: &Self, scope: &mut Scope) {
        for (name, both) in differing(&before.uids, &self.uids) {
            scope.names.insert(name.clone());
            scope
                .uids
                .extend(both.into_iter().flatten().flatten().cloned());
        }
        for (name, both) in differing(&before.hashes, &self.hashes) {
            scope.names.insert(name.clone());
            scope.uids.extend(both.into_iter().flatten().cloned());
        }
        for (name, uids) in self.documents.changed(&before.documents) {
            scope.names.insert(name.clone());
            scope.uids.extend(uids.into_iter().cloned());
        }
        let stood_for = differing(&before.stood_for, &self.stood_for).map(|(name, _)| name);
        scope.names.extend(stood_for.cloned());
        let alike = differing(&before.alike, &self.alike).map(|(name, _)| name);
        scope.names.extend(alike.cloned());
    }

    /// Adds what names and UIDs have to do with each other.
    pub(in crate::join) fn link(&self, links: &mut Links) {
        for (name, uids) in &self.uids {
            uids.iter().for_each(|uid| links.add(name, uid));
        }
        for (name, uid) in &self.hashes {
            links.add(name, uid);
        }
        for (name, uid) in self.documents.links() {
            links.add(name, uid);
        }
    }

    /// Adds what the runtime has shown of these names.
    pub(in crate::join) fn link_shown(&self, scope: &Scope, links: &mut Links) {
        for name in &scope.names {
            let uids = self.uids.get(name).into_iter().flatten();
            uids.for_each(|uid| links.add(name, uid));
        }
    }
}

/// Adds what one pod has to do with names and UIDs, as it is held or was told.
pub(in crate::join) fn link(owner: &Owner, uid: &Uid, links: &mut Links) {
    let both = [&owner.held, &owner.told].map(|pods| pods.get(uid));
    for held in both.into_iter().flatten() {
        let Some(pod) = &held.pod else { continue };
        let name = name(pod);
        links.add(&name, uid);
        if let Identity::Mirror(Some(claim)) = &held.identity {
            links.add(&name, &claim.uid);
        }
    }
}

/// Returns the names of which owners know both a document of a file and a pod that a kubelet made of
/// one: what is served of these depends on the documents of other names.
pub(in crate::join) fn of_both(owners: &[Owner]) -> impl Iterator<Item = Name> {
    let mut kinds: BTreeMap<Name, [bool; 2]> = BTreeMap::new();
    for owner in owners {
        let all = owner.held.values();
        for held in all.filter(|held| held.identity == Identity::Static) {
            if let Some(pod) = &held.pod {
                let kinds = kinds.entry(name(pod)).or_default();
                kinds[usize::from(guesses(owner.kind))] = true;
            }
        }
    }
    let both = kinds.into_iter().filter(|(_, kinds)| *kinds == [true; 2]);
    both.map(|(name, _)| name)
}
