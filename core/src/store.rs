//! The newest pod of every identity, whoever owns it, in the order of the identities.

use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;

use bytes::Bytes;
use smallvec::SmallVec;

use crate::hash::{Map, Seed};
use crate::index::{Index, Snapshot};
use crate::log::Revision;
use crate::pod::{Claim, EncodedPod, EncodedStatus, Uid};
use crate::served::Served;
use crate::splice;

/// What all sources say, and what of it is served.
#[derive(Debug)]
pub(crate) struct PodStore {
    entries: Map<Uid, Entry>,
    /// What of them is served.
    index: Index,
    /// Whether a source is configured that reports what really runs here.
    local_expected: bool,
    /// The pods that each rank owns without being served.
    shadowed: Vec<u64>,
    /// Times that an identity got one more owner than it had.
    conflicts: u64,
    /// The revision of the last change.
    revision: Revision,
}

/// The place of a source in the order of precedence; 0 comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Rank(pub(crate) u16);

/// What happened to one identity.
#[derive(Debug)]
pub(crate) struct Change {
    /// The number of the change among all.
    pub(crate) revision: Revision,
    /// Where the pod began that is or was served.
    pub(crate) created: Revision,
    /// Where it changed before, if it was served then.
    pub(crate) previous: Option<Revision>,
    /// What was served until now.
    pub(crate) before: Option<Arc<Served>>,
    /// What is served from now on.
    pub(crate) after: Option<Arc<Served>>,
    /// When the source learned of it, in seconds since 1970.
    pub(crate) at: i64,
}

/// What an identity's sources say, first those that come first, and what is served.
#[derive(Debug, Default)]
struct Entry {
    claims: SmallVec<[(Rank, Claim); 1]>,
    served: Option<Arc<Served>>,
    /// Where what is served began and changed last, as far as anything is.
    created: Revision,
    changed: Revision,
}

impl PodStore {
    pub(crate) fn new(ranks: usize, local_expected: bool, seed: Seed) -> Self {
        Self {
            entries: seed.map(),
            index: Index::default(),
            local_expected,
            shadowed: vec![0; ranks],
            conflicts: 0,
            revision: 0,
        }
    }

    pub(crate) fn put(&mut self, rank: Rank, pod: EncodedPod, at: i64) -> Option<Change> {
        let uid = pod.uid().clone();
        self.edit(&uid, at, |entry| {
            set(&mut entry.claim(rank).pod, Some(pod), EncodedPod::bytes)
        })
    }

    pub(crate) fn set_status(
        &mut self,
        rank: Rank,
        uid: &Uid,
        status: EncodedStatus,
        at: i64,
    ) -> Option<Change> {
        self.edit(uid, at, |entry| {
            set(
                &mut entry.claim(rank).status,
                Some(status),
                EncodedStatus::bytes,
            );
        })
    }

    pub(crate) fn remove(&mut self, rank: Rank, uid: &Uid, at: i64) -> Option<Change> {
        self.edit(uid, at, |entry| {
            entry.claims.retain(|(other, _)| *other != rank)
        })
    }

    /// Takes what a source says of one identity in a whole list.
    pub(crate) fn claim(&mut self, rank: Rank, uid: &Uid, claim: Claim, at: i64) -> Option<Change> {
        if self.holds(rank, uid, &claim) {
            return None;
        }
        self.edit(uid, at, |entry| {
            let current = entry.claim(rank);
            set(&mut current.pod, claim.pod, EncodedPod::bytes);
            set(&mut current.status, claim.status, EncodedStatus::bytes);
        })
    }

    /// Brings the last changes, one of each identity at most, into the order of one step: pods that went
    /// away come first, so that a pod whose name another one takes is gone before the other appears.
    pub(crate) fn order(&mut self, changes: &mut [Change]) {
        changes.sort_by(|one, other| one.place().cmp(&other.place()));
        let first = self.revision + 1 - changes.len() as u64;
        for (revision, change) in (first..).zip(changes) {
            if change.revision != revision {
                self.renumber(change, revision);
            }
        }
    }

    /// Gives a change, of which there was none of its pod since, another number.
    fn renumber(&mut self, change: &mut Change, revision: Revision) {
        change.revision = revision;
        if change.previous.is_none() {
            change.created = revision;
        }
        let pod = change.after.as_ref().or(change.before.as_ref());
        if let Some(entry) = pod.and_then(|pod| self.entries.get_mut(pod.uid())) {
            entry.changed = change.revision;
            entry.created = change.created;
        }
    }

    /// Returns a pod as a source said it before, where it says the same bytes again: they are not held
    /// twice, and that nothing changed is seen without comparing them.
    pub(crate) fn known_pod(&self, rank: Rank, pod: EncodedPod) -> EncodedPod {
        let known = self
            .claimed(rank, pod.uid())
            .and_then(|claim| claim.pod.as_ref());
        match known {
            Some(known) if known.bytes() == pod.bytes() => known.clone(),
            Some(_) | None => pod,
        }
    }

    /// The same of a status.
    pub(crate) fn known_status(
        &self,
        rank: Rank,
        uid: &Uid,
        status: EncodedStatus,
    ) -> EncodedStatus {
        let known = self
            .claimed(rank, uid)
            .and_then(|claim| claim.status.as_ref());
        match known {
            Some(known) if known.bytes() == status.bytes() => known.clone(),
            Some(_) | None => status,
        }
    }

    fn claimed(&self, rank: Rank, uid: &Uid) -> Option<&Claim> {
        let claims = &self.entries.get(uid)?.claims;
        let (_, claim) = claims.iter().find(|(other, _)| *other == rank)?;
        Some(claim)
    }

    /// Tells whether a source says of a pod what it said before, in the same memory.
    fn holds(&self, rank: Rank, uid: &Uid, claim: &Claim) -> bool {
        let place = |bytes: &Bytes| (bytes.as_ptr(), bytes.len());
        let parts = |claim: &Claim| {
            let pod = claim.pod.as_ref().map(|pod| place(pod.bytes()));
            let status = claim.status.as_ref();
            (pod, status.map(|status| place(status.bytes())))
        };
        let known = self.claimed(rank, uid);
        known.is_some_and(|known| parts(known) == parts(claim))
    }

    /// Changes what is said of one identity and works out what is served then.
    fn edit(&mut self, uid: &Uid, at: i64, edit: impl FnOnce(&mut Entry)) -> Option<Change> {
        let entry = self.entries.entry_ref(uid).or_default();
        let losers_before = entry.losers().count();
        for rank in entry.losers() {
            adjust(&mut self.shadowed, rank, |count| count.saturating_sub(1));
        }
        edit(entry);
        for rank in entry.losers() {
            adjust(&mut self.shadowed, rank, |count| count.saturating_add(1));
        }
        self.conflicts += entry.losers().count().saturating_sub(losers_before) as u64;
        let revision = self.revision + 1;
        let replaced = entry.work_out(self.local_expected, revision);
        let previous = replaced
            .as_ref()
            .and_then(|replaced| replaced.before.as_ref())
            .map(|_| entry.changed);
        if replaced.is_some() {
            entry.changed = revision;
            if previous.is_none() {
                entry.created = revision;
            }
        }
        let created = entry.created;
        if entry.claims.is_empty() {
            self.entries.remove(uid);
        }
        let Replaced { before, after } = replaced?;
        self.revision = revision;
        match &after {
            Some(after) => self.index.put(after.clone()),
            None => self.index.remove(uid.as_str()),
        }
        Some(Change {
            revision,
            created,
            previous,
            before,
            after,
            at,
        })
    }

    /// Returns the pod that is served under exactly this identity.
    pub(crate) fn get(&self, uid: &str) -> Option<&Arc<Served>> {
        self.entries.get(uid)?.served.as_ref()
    }

    /// Tells whether exactly this revision of a pod is served.
    pub(crate) fn serves(&self, pod: &Served) -> bool {
        let served = self.get(pod.uid().as_str());
        served.is_some_and(|served| served.revision() == pod.revision())
    }

    /// Returns all served pods as they are now.
    pub(crate) fn snapshot(&self) -> Snapshot {
        self.index.snapshot()
    }

    /// Returns how many pods a rank owns without being served.
    pub(crate) fn shadowed(&self, rank: Rank) -> u64 {
        self.shadowed
            .get(usize::from(rank.0))
            .copied()
            .unwrap_or_default()
    }

    /// Returns how many times an identity got one more owner than it had.
    pub(crate) fn conflicts(&self) -> u64 {
        self.conflicts
    }

    /// Returns each identity with several owners: whose pod is served, and whose is not, and whether
    /// both pods have one namespace and name.
    pub(crate) fn contested(&self) -> impl Iterator<Item = (&Uid, Rank, Rank, bool)> {
        let several = |(_, entry): &(&Uid, &Entry)| entry.owners().nth(1).is_some();
        let mut contested: Vec<_> = self.entries.iter().filter(several).collect();
        contested.sort_unstable_by_key(|(uid, _)| *uid);
        contested.into_iter().flat_map(|(uid, entry)| {
            let pods = || {
                let claims = entry.claims.iter();
                claims.filter_map(|(rank, claim)| Some((*rank, claim.pod.as_ref()?)))
            };
            let winner = pods().next();
            pods().skip(1).filter_map(move |(loser, other)| {
                let (rank, pod) = winner?;
                let same = (pod.namespace(), pod.name()) == (other.namespace(), other.name());
                Some((uid, rank, loser, same))
            })
        })
    }
}

/// What was served, and what is served in its place.
struct Replaced {
    before: Option<Arc<Served>>,
    after: Option<Arc<Served>>,
}

impl Change {
    /// Returns what orders the changes of one step: what went away, then the rest, by identity.
    fn place(&self) -> (bool, Option<&Uid>) {
        let pod = self.after.as_ref().or(self.before.as_ref());
        (self.after.is_some(), pod.map(|pod| pod.uid()))
    }
}

impl Entry {
    /// Returns what one rank says, which is nothing at first.
    fn claim(&mut self, rank: Rank) -> &mut Claim {
        let place = self.claims.partition_point(|(other, _)| *other < rank);
        if self
            .claims
            .get(place)
            .is_none_or(|(other, _)| *other != rank)
        {
            self.claims.insert(place, (rank, Claim::default()));
        }
        let (_, claim) = self
            .claims
            .get_mut(place)
            .expect("the claim was there or is put there");
        claim
    }

    fn owners(&self) -> impl Iterator<Item = Rank> {
        self.claims
            .iter()
            .filter(|(_, claim)| claim.pod.is_some())
            .map(|(rank, _)| *rank)
    }

    fn losers(&self) -> impl Iterator<Item = Rank> {
        self.owners().skip(1)
    }

    /// Works out what is served, and returns it with what was served if that is another.
    fn work_out(&mut self, local_expected: bool, revision: u64) -> Option<Replaced> {
        self.claims
            .retain(|(_, claim)| claim.pod.is_some() || claim.status.is_some());
        let pod = self.claims.iter().find_map(|(_, claim)| claim.pod.as_ref());
        let status = self
            .claims
            .iter()
            .find_map(|(_, claim)| claim.status.as_ref());
        let bytes = pod.map(|pod| splice::served(pod, status, local_expected));
        if bytes.as_ref() == self.served.as_ref().map(|served| served.bytes()) {
            return None;
        }
        let after = pod
            .zip(bytes)
            .map(|(pod, bytes)| match &self.served {
                Some(served) if served.is_named_as(pod) => served.next(revision, bytes),
                Some(_) | None => Served::new(pod, revision, bytes),
            })
            .map(Arc::new);
        let before = core::mem::replace(&mut self.served, after.clone());
        Some(Replaced { before, after })
    }
}

/// Sets a value unless its bytes are the same, so that equal bytes are not held twice.
fn set<T>(place: &mut Option<T>, new: Option<T>, bytes: impl Fn(&T) -> &Bytes) {
    if place.as_ref().map(&bytes) != new.as_ref().map(&bytes) {
        *place = new;
    }
}

fn adjust(counts: &mut [u64], rank: Rank, change: impl Fn(u64) -> u64) {
    if let Some(count) = counts.get_mut(usize::from(rank.0)) {
        *count = change(*count);
    }
}

#[cfg(test)]
mod tests;
