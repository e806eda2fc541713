//! Which pods that a kubelet's answer lacks are gone.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use podsapi_core::{Moment, Uid};

/// What was answered last, and what is not believed yet; pure.
///
/// A kubelet that has just started answers with none of its pods, and then with some, as if these
/// were all. Whether it started anew cannot be seen when it did so between two questions. So a pod
/// is gone when a second answer says so, some time after the first one, with no answer in between
/// that had the pod, and no failure: after a failure the next answer is a first one.
#[derive(Debug)]
pub(super) struct Belief {
    /// How much later the second answer must be.
    confirm: Duration,
    /// Since when the pods are missing that are served still.
    missing: BTreeMap<Uid, Moment>,
    /// What the last answer named, and since when all answers did; none after a failure.
    named: Option<(BTreeSet<Uid>, Moment)>,
    /// Whether there was a failure that no two equal answers have followed yet.
    shaken: bool,
}

impl Belief {
    pub(super) fn new(confirm: Duration) -> Self {
        Self {
            confirm,
            missing: BTreeMap::new(),
            named: None,
            shaken: false,
        }
    }

    /// Takes note that there was no good answer.
    pub(super) fn handle_failure(&mut self) {
        self.missing.clear();
        self.named = None;
        self.shaken = true;
    }

    /// Takes which pods an answer named, while others were `served`.
    pub(super) fn handle_answer(
        &mut self,
        named: BTreeSet<Uid>,
        served: &BTreeSet<Uid>,
        now: Moment,
    ) {
        let since = match &self.named {
            Some((before, since)) if *before == named => *since,
            Some(_) | None => now,
        };
        let missing = served.difference(&named);
        let mut before = std::mem::take(&mut self.missing);
        self.missing = missing
            .map(|uid| (uid.clone(), before.remove(uid).unwrap_or(now)))
            .collect();
        self.named = Some((named, since));
        self.shaken &= !self.agree(now);
    }

    /// Returns the missing pods that were so long enough to be gone.
    pub(super) fn gone(&self, now: Moment) -> BTreeSet<Uid> {
        let gone = self.missing.iter();
        let gone = gone.filter(|(_, since)| self.is_long(**since, now));
        gone.map(|(uid, _)| uid.clone()).collect()
    }

    /// Forgets pods that are no longer served.
    pub(super) fn forget(&mut self, gone: &BTreeSet<Uid>) {
        self.missing.retain(|uid, _| !gone.contains(uid));
    }

    /// Whether two answers agree, the second long enough after the first.
    pub(super) fn agree(&self, now: Moment) -> bool {
        let named = self.named.as_ref();
        named.is_some_and(|(_, since)| self.is_long(*since, now))
    }

    /// Whether there was a failure, and not two answers that agree since.
    pub(super) fn is_shaken(&self) -> bool {
        self.shaken
    }

    /// Whether the next answer is awaited: after a failure, and while pods are missing.
    pub(super) fn is_open(&self) -> bool {
        self.shaken || !self.missing.is_empty()
    }

    fn is_long(&self, since: Moment, now: Moment) -> bool {
        u128::from(now.nanos_since(since)) >= self.confirm.as_nanos()
    }
}
