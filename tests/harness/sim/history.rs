//! All that one server ever served, to hold late answers against it.

use std::collections::BTreeMap;
use std::mem;

use bytes::Bytes;
use podsapi_core::{Projection, Uid};

use super::heads;

/// Pods by UID in ascending order, as a client knows them.
pub(super) type Listing = BTreeMap<String, Bytes>;

/// What was served since the server was ready; a version is one listing, counted from zero.
#[derive(Debug, Default)]
pub(super) struct History {
    versions: usize,
    /// The newest version, by UID in ascending order.
    current: Vec<(Uid, Bytes)>,
    /// What each UID was, and from which version on; before the first it was not there.
    pods: BTreeMap<Uid, Vec<(usize, Option<Bytes>)>>,
}

impl History {
    /// Notes what is served now, in its order.
    ///
    /// # Panics
    ///
    /// When it is not in ascending order of UIDs.
    pub(super) fn observe(&mut self, listing: Vec<Bytes>) {
        let mut both = self.current.iter().zip(&listing);
        let same = both.all(|((_, pod), now)| are_one(pod, now));
        if same && self.current.len() == listing.len() && self.versions > 0 {
            return;
        }
        let mut changes = Vec::new();
        let mut before = mem::take(&mut self.current).into_iter().peekable();
        for pod in listing {
            if let Some(same) = before.next_if(|(_, former)| are_one(former, &pod)) {
                self.current.push(same);
                continue;
            }
            let uid = Uid::from(heads::read(&pod).0);
            while let Some((gone, _)) = before.next_if(|(former, _)| *former < uid) {
                changes.push((gone, None));
            }
            let former = before.next_if(|(former, _)| *former == uid);
            if former.is_none_or(|(_, former)| former != pod) {
                changes.push((uid.clone(), Some(pod.clone())));
            }
            self.current.push((uid, pod));
        }
        changes.extend(before.map(|(gone, _)| (gone, None)));
        assert!(
            self.current.is_sorted_by(|(one, _), (next, _)| one < next),
            "what is served is out of order"
        );
        if changes.is_empty() && self.versions > 0 {
            return;
        }
        for (uid, pod) in changes {
            let versions = self.pods.entry(uid).or_default();
            versions.push((self.versions, pod));
        }
        self.versions += 1;
    }

    /// Returns the newest version; none while nothing was served.
    pub(super) fn version(&self) -> Option<usize> {
        self.versions.checked_sub(1)
    }

    /// Returns what is served now.
    pub(super) fn current(&self) -> &[(Uid, Bytes)] {
        &self.current
    }

    /// Returns whether all that was served at `since`, or at any time later, is this.
    pub(super) fn was_ever(&self, since: usize, mask: &Projection, expected: &Listing) -> bool {
        let Some(newest) = self.version() else {
            return false;
        };
        if expected.keys().any(|uid| !self.pods.contains_key(&**uid)) {
            return false;
        }
        // The newest version that no pod has forbidden yet.
        let mut version = newest;
        loop {
            let looked_at = version;
            for (uid, pods) in &self.pods {
                let expected = expected.get(uid.as_str());
                let mut states = states(pods, version);
                let right = states.find(|(_, pod)| is_part(*pod, mask, expected));
                let Some((until, _)) = right.filter(|(until, _)| *until >= since) else {
                    return false;
                };
                version = until;
            }
            if version == looked_at {
                return true;
            }
        }
    }

    /// Returns whether a pod was, at `since` or at any time later, served as this, or not at all.
    pub(super) fn pod_was_ever(
        &self,
        since: usize,
        mask: &Projection,
        uid: &str,
        expected: Option<&Bytes>,
    ) -> bool {
        let (Some(newest), Some(pods)) = (self.version(), self.pods.get(uid)) else {
            return expected.is_none() && self.versions > 0;
        };
        states(pods, newest)
            .take_while(|(until, _)| *until >= since)
            .any(|(_, pod)| is_part(pod, mask, expected))
    }
}

/// Returns what a pod was up to a version, the newest first, each with the last version as which
/// it was that.
fn states(
    pods: &[(usize, Option<Bytes>)],
    newest: usize,
) -> impl Iterator<Item = (usize, Option<&Bytes>)> {
    let known = pods.partition_point(|(from, _)| *from <= newest);
    let known = pods[..known].iter().rev();
    let known = known.map(|(from, pod)| (*from, pod.as_ref()));
    let was_there_first = pods.first().is_some_and(|(from, _)| *from == 0);
    let before = (!was_there_first).then_some((0, None));
    known.chain(before).scan(newest, |until, (from, pod)| {
        let state = (*until, pod);
        *until = from.saturating_sub(1);
        Some(state)
    })
}

/// Returns whether this is what a client sees of a pod.
fn is_part(pod: Option<&Bytes>, mask: &Projection, expected: Option<&Bytes>) -> bool {
    match (pod, expected) {
        (None, None) => true,
        (Some(pod), Some(expected)) if mask.is_all() => pod == expected,
        (Some(pod), Some(expected)) => {
            expected.len() <= pod.len() && project_pod(pod, mask) == *expected
        }
        (Some(_), None) | (None, Some(_)) => false,
    }
}

/// Returns a pod as a client sees it that asked for some fields.
pub(super) fn project_pod(pod: &Bytes, mask: &Projection) -> Vec<u8> {
    let mut part = Vec::new();
    let projected = mask.project(pod, &mut part);
    projected.expect("what is served is well formed");
    part
}

/// Returns whether two byte strings are one in memory, which is seen without reading them.
pub(super) fn are_one(one: &Bytes, other: &Bytes) -> bool {
    (one.as_ptr(), one.len()) == (other.as_ptr(), other.len())
}
