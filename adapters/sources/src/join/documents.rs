//! Which UID the document of each manifest has, so that no document gets the UID of another.
//!
//! A kubelet's pod is one document of one file: another document under the same name is another pod
//! with another UID. So a UID that a document had is void for every other document of the name, and
//! so is every sandbox that was created before the pod of that document had gone. A document that
//! comes back has the UID that it had.
//!
//! The UID that a document got here is most often the kubelet's own. Where a kubelet or the runtime
//! has shown that it is (it is *proven*), the document has no other from then on, and no other document
//! has this one.

use std::collections::{BTreeMap, BTreeSet};

use podsapi_core::Uid;

use super::identity::Name;
use super::scope::{differing, taken};

/// The documents of all names that a manifest or a sandbox has now.
#[derive(Clone, Debug, Default)]
pub(super) struct Documents {
    names: BTreeMap<Name, Of>,
    /// Whether these are those of some names alone, and a document of another name is proven.
    proven_elsewhere: bool,
}

/// Those of one name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Of {
    /// The UID that each got here, and those that it has had, the one that it has now at the end.
    pairs: Vec<(Uid, Uid)>,
    /// Which of them are there now.
    held: BTreeSet<Uid>,
    /// Those whose own UID is a kubelet's, too.
    proven: BTreeSet<Uid>,
    /// A sandbox that was created by then, in nanoseconds since 1970, is of a document before.
    until: Option<i64>,
}

impl Documents {
    /// Takes note of which documents there are now; `created` tells when the newest sandbox of a
    /// pod was created. Names that are not in `named` are forgotten.
    pub(super) fn keep_up(
        &mut self,
        held: &BTreeMap<Name, BTreeSet<Uid>>,
        named: impl Fn(&Name) -> bool,
        created: impl Fn(&Name, &Uid) -> Option<i64>,
    ) {
        for (name, of) in &mut self.names {
            let nothing = BTreeSet::new();
            let now = held.get(name).unwrap_or(&nothing);
            for document in of.held.difference(now) {
                let pairs = of.pairs.iter().filter(|pair| pair.0 == *document);
                of.until = of
                    .until
                    .max(pairs.filter_map(|pair| created(name, &pair.1)).max());
            }
            of.held.clone_from(now);
        }
        self.names.retain(|name, _| named(name));
    }

    /// Takes note that what was created by this time, in nanoseconds since 1970, is of a document
    /// before those that are there.
    pub(super) fn void_until(&mut self, name: Name, until: i64) {
        let of = self.names.entry(name).or_default();
        of.until = of.until.max(Some(until));
    }

    /// Takes note of a document that is there.
    pub(super) fn hold(&mut self, name: &Name, document: &Uid) {
        let of = self.names.entry(name.clone()).or_default();
        of.held.insert(document.clone());
    }

    /// Takes note that a kubelet gave a document the UID that it got here.
    pub(super) fn prove(&mut self, name: &Name, document: &Uid) {
        let of = self.names.entry(name.clone()).or_default();
        of.proven.insert(document.clone());
        while of.proven.len() > PAIRS_LIMIT {
            let gone = of.proven.iter().find(|uid| !of.held.contains(*uid));
            let Some(gone) = gone.cloned() else { break };
            of.proven.remove(&gone);
        }
    }

    /// Tells whether a kubelet is known to give a document the UID that it got here.
    pub(super) fn is_proven(&self, name: &Name, document: &Uid) -> bool {
        let of = self.names.get(name);
        of.is_some_and(|of| of.proven.contains(document))
    }

    /// Tells whether any document is known to have got here the UID that a kubelet gives it.
    pub(super) fn any_is_proven(&self) -> bool {
        self.proven_elsewhere || self.proven_names() > 0
    }

    /// Returns of how many names a document is known to have got the UID that a kubelet gives it.
    pub(super) fn proven_names(&self) -> usize {
        let names = self.names.values();
        names.filter(|of| !of.proven.is_empty()).count()
    }

    /// Tells whether any document of these names is known, and of how many of them one is proven.
    pub(super) fn among(&self, names: &BTreeSet<Name>) -> (bool, usize) {
        let of = names.iter().filter_map(|name| self.names.get(name));
        let proven = of.clone().filter(|of| !of.proven.is_empty()).count();
        (of.count() > 0, proven)
    }

    /// Takes out those of these names; `proven` tells of how many names in all one is proven.
    pub(super) fn take(&mut self, names: &BTreeSet<Name>, proven: usize) -> Self {
        let mut part = Self {
            names: taken(&mut self.names, names),
            proven_elsewhere: false,
        };
        part.proven_elsewhere = proven > part.proven_names();
        part
    }

    /// Puts back what was taken out.
    pub(super) fn put_back(&mut self, part: Self) {
        self.names.extend(part.names);
    }

    /// Returns each name with the UIDs that its documents have or had.
    pub(super) fn links(&self) -> impl Iterator<Item = (&Name, &Uid)> {
        let names = self.names.iter();
        names.flat_map(|(name, of)| of.links().map(move |uid| (name, uid)))
    }

    /// Returns the names of which something else was known before, with the UIDs of then and now.
    pub(super) fn changed<'d>(
        &'d self,
        before: &'d Self,
    ) -> impl Iterator<Item = (&'d Name, Vec<&'d Uid>)> {
        differing(&before.names, &self.names).map(|(name, both)| {
            let both = both.into_iter().flatten();
            (name, both.flat_map(Of::links).collect())
        })
    }

    /// Takes note of the UID that a document has now.
    pub(super) fn learn(&mut self, name: &Name, document: &Uid, uid: &Uid) {
        let of = self.names.entry(name.clone()).or_default();
        of.held.insert(document.clone());
        let pair = (document.clone(), uid.clone());
        if of.current(document) == Some(uid) {
            return;
        }
        of.pairs.retain(|one| *one != pair);
        of.pairs.push(pair);
        while of.pairs.len() > PAIRS_LIMIT {
            let over = |pair: &(Uid, Uid)| {
                !(of.held.contains(&pair.0) && of.current(&pair.0) == Some(&pair.1))
            };
            let Some(oldest) = of.pairs.iter().position(over) else {
                break;
            };
            of.pairs.remove(oldest);
        }
    }

    /// Returns the UID that a document has or had last.
    pub(super) fn of(&self, name: &Name, document: &Uid) -> Option<&Uid> {
        self.names.get(name)?.current(document)
    }

    /// Returns the UIDs of the documents of a name that are there now.
    pub(super) fn uids(&self, name: &Name) -> impl Iterator<Item = &Uid> {
        let of = self.names.get(name).into_iter();
        of.flat_map(|of| of.held.iter().filter_map(|document| of.current(document)))
    }

    /// Tells whether another document of the name has or had the UID, or it is that document's own. Of
    /// those that are gone the last one counts: what they had before was taken for theirs by mistake.
    pub(super) fn is_void(&self, name: &Name, document: &Uid, uid: &Uid) -> bool {
        let Some(of) = self.names.get(name) else {
            return false;
        };
        if of.proven.contains(uid) || of.held.contains(uid) {
            return uid != document;
        }
        let mut others = of
            .pairs
            .iter()
            .filter(|pair| pair.0 != *document && pair.1 == *uid);
        others.any(|pair| of.held.contains(&pair.0) || of.current(&pair.0) == Some(uid))
    }

    /// Tells whether a sandbox that was created at this time is too old for a document.
    pub(super) fn is_too_old(&self, name: &Name, created: Option<i64>) -> bool {
        let until = self.names.get(name).and_then(|of| of.until);
        until.is_some_and(|until| created.is_none_or(|created| created <= until))
    }

    /// Tells whether the UID was that of documents that have all gone.
    pub(super) fn has_gone(&self, name: &Name, uid: &Uid) -> bool {
        let Some(of) = self.names.get(name) else {
            return true;
        };
        let current = |pair: &&(Uid, Uid)| pair.1 == *uid && of.current(&pair.0) == Some(uid);
        let mut pairs = of.pairs.iter().filter(current).peekable();
        pairs.peek().is_some() && pairs.all(|pair| !of.held.contains(&pair.0))
    }

    /// Takes back that the UID is void, where another document came for one whose UID was made up
    /// here: if a kubelet keeps its pod, both documents are the same pod to it.
    pub(super) fn forgive(&mut self, name: &Name, uid: &Uid) {
        if let Some(of) = self.names.get_mut(name)
            && !of.held.is_empty()
        {
            let kept =
                |pair: &(Uid, Uid)| pair.1 != *uid || pair.0 == pair.1 || of.held.contains(&pair.0);
            let count = of.pairs.len();
            of.pairs.retain(kept);
            if of.pairs.len() < count {
                of.until = None;
            }
        }
    }
}

impl Of {
    fn links(&self) -> impl Iterator<Item = &Uid> {
        let pairs = self.pairs.iter().flat_map(|pair| [&pair.0, &pair.1]);
        pairs.chain(&self.held).chain(&self.proven)
    }

    /// Returns the UID that a document has or had last.
    fn current(&self, document: &Uid) -> Option<&Uid> {
        let mut pairs = self.pairs.iter().rev();
        pairs.find(|pair| pair.0 == *document).map(|pair| &pair.1)
    }
}

/// How many UIDs of documents of one name are remembered; one document is there, and maybe that
/// before it, and of each up to two UIDs are known.
const PAIRS_LIMIT: usize = 16;
