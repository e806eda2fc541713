//! Which pods that a kubelet's answer lacks are gone.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use podsapi_core::{Moment, Uid};

/// What was answered last, and what is not believed yet; pure.
///
/// A kubelet that has just started answers with none of its pods, and then with some, as if these
/// were all. Whether it started anew cannot be seen when it did so between two questions. So a pod
/// is gone when a second answer says so, some time after the first one, with no answer in between
/// that had the pod, and no failure: after a failure the next answer is a first one. A busy
/// machine may need many times the usual to start a kubelet, and one whose runtime is away knows
/// no pods until that is back: so after a failure, and while an answer has no pod at all, it takes
/// longer.
#[derive(Debug)]
pub(super) struct Belief {
    /// How much later the second answer must be.
    confirm: Duration,
    /// How long after a failure, and without any pod, no answer is believed.
    startup: Duration,
    /// Until when the kubelet may have just started; from the first answer after a failure on.
    young_until: Option<Moment>,
    /// Since when the pods are missing that are served still.
    missing: BTreeMap<Uid, Moment>,
    /// What the last answer named, and since when all answers did; none after a failure.
    named: Option<(BTreeSet<Uid>, Moment)>,
    /// Whether there was a failure that no two equal answers have followed yet.
    shaken: bool,
}

impl Belief {
    pub(super) fn new(confirm: Duration, startup: Duration) -> Self {
        Self {
            confirm,
            startup,
            young_until: None,
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
        if self.shaken && self.named.is_none() {
            self.young_until = Some(later(now, self.startup));
        }
        let since = match &self.named {
            Some((before, since)) if *before == named => *since,
            Some(_) | None => now,
        };
        let missing = served.difference(&named);
        let mut before = std::mem::take(&mut self.missing);
        if matches!(&self.named, Some((last, _)) if last.is_empty() && !named.is_empty()) {
            // The first pods of a kubelet that knew none.
            before.clear();
        }
        self.missing = missing
            .map(|uid| (uid.clone(), before.remove(uid).unwrap_or(now)))
            .collect();
        self.named = Some((named, since));
        self.shaken &= !self.agree(now);
    }

    /// Returns the missing pods that were so long enough to be gone.
    pub(super) fn gone(&self, now: Moment) -> BTreeSet<Uid> {
        if self.is_young(now) || self.is_suddenly_empty(now) {
            return BTreeSet::new();
        }
        let gone = self.missing.iter();
        let gone = gone.filter(|(_, since)| is_long(self.confirm, **since, now));
        gone.map(|(uid, _)| uid.clone()).collect()
    }

    /// Forgets pods that are no longer served.
    pub(super) fn forget(&mut self, gone: &BTreeSet<Uid>) {
        self.missing.retain(|uid, _| !gone.contains(uid));
    }

    /// Whether two answers agree, the second long enough after the first.
    pub(super) fn agree(&self, now: Moment) -> bool {
        let named = self.named.as_ref();
        named.is_some_and(|(_, since)| is_long(self.confirm, *since, now))
    }

    /// Whether the last answers may be those of a kubelet that is about to know its pods.
    pub(super) fn is_premature(&self, now: Moment) -> bool {
        let empty = matches!(&self.named, Some((named, _)) if named.is_empty());
        !self.agree(now) && (empty || self.shaken) || empty && self.is_young(now)
    }

    fn is_young(&self, now: Moment) -> bool {
        self.young_until.is_some_and(|until| now < until)
    }

    fn is_suddenly_empty(&self, now: Moment) -> bool {
        let named = self.named.as_ref();
        named.is_some_and(|(named, since)| named.is_empty() && !is_long(self.startup, *since, now))
    }

    /// Whether the next answer is awaited: after a failure, and while pods are missing.
    pub(super) fn is_open(&self) -> bool {
        self.shaken || !self.missing.is_empty()
    }
}

fn is_long(wanted: Duration, since: Moment, now: Moment) -> bool {
    u128::from(now.nanos_since(since)) >= wanted.as_nanos()
}

fn later(now: Moment, wait: Duration) -> Moment {
    now.plus_nanos(u64::try_from(wait.as_nanos()).unwrap_or(u64::MAX))
}
