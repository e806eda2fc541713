//! What must hold after every step of a run, and for the messages of each watch.

use std::collections::{BTreeMap, BTreeSet};

use podsapi_core::{Counters, Dialect, SlowWatch, WatchId};

use crate::model::Seen;

use super::Run;

/// Returns how many live events were told or lost.
fn accounted(counters: &Counters) -> u64 {
    counters.watch_events_delivered
        + counters.watch_events_dropped
        + counters.watch_events_coalesced
        + counters.watch_events_discarded
}

/// What a watch has read, as far as later messages depend on it.
#[derive(Debug, Default)]
pub(super) struct History {
    synced: bool,
    alive: BTreeSet<String>,
    first: Vec<String>,
}

impl Run {
    /// Checks what must hold for the messages of any one watch in their order.
    pub(super) fn remember(&mut self, id: WatchId, dialect: Dialect, seen: &Seen) {
        let history = self.seen.entry(id).or_default();
        match seen {
            Seen::Added(pod) => {
                assert!(
                    history.alive.insert(pod.uid.clone()),
                    "ADDED again: {pod:?}"
                );
                if !history.synced && dialect == Dialect::V1alpha1 {
                    assert!(history.first.last().is_none_or(|last| *last < pod.uid));
                    history.first.push(pod.uid.clone());
                }
            }
            Seen::Modified(pod) => {
                assert!(
                    history.synced || dialect == Dialect::Documented,
                    "early: {pod:?}"
                );
                assert!(
                    history.alive.contains(&pod.uid),
                    "MODIFIED before ADDED: {pod:?}"
                );
            }
            Seen::Deleted(gone) => {
                assert!(
                    history.synced || dialect == Dialect::Documented,
                    "early: {gone:?}"
                );
                assert!(
                    history.alive.remove(&gone.uid),
                    "DELETED before ADDED: {gone:?}"
                );
            }
            Seen::Marker => {
                assert!(!history.synced, "the marker came twice");
                history.synced = true;
            }
            Seen::Idle | Seen::End(_) => {}
        }
    }

    pub(super) fn check(&mut self) {
        let mut drained = BTreeSet::new();
        while let Some(id) = self.pods.poll_ready() {
            assert!(drained.insert(id), "{id:?} was named twice");
            let watch = self.ids.iter().position(|other| *other == id);
            let watch = &self.model.watches[watch.expect("only open watches are named")];
            // What a deletion takes out of a queue that coalesces may have been named before.
            let may_be_empty = self.setup.slow_watch == SlowWatch::Coalesce && watch.is_live();
            assert!(
                watch.is_readable() || may_be_empty,
                "{id:?} has nothing to read"
            );
        }
        self.named.extend(drained);
        for (watch, id) in self.model.watches.iter().zip(&self.ids) {
            assert!(
                !watch.is_readable() || self.named.contains(id),
                "{id:?} was never named"
            );
        }
        let live = self.model.watches.iter().filter(|watch| watch.is_live());
        assert_eq!(self.pods.watch_count(), live.clone().count());
        // Changes of which a watch sees nothing count there, too.
        let unread = live.clone().map(|watch| watch.unread()).sum::<usize>();
        assert!(self.pods.queued_events() >= unread, "{unread} are unread");
        assert!(live.clone().all(|watch| watch.unread() <= watch.bound()));
        assert_eq!(self.pods.readiness().is_ready(), self.model.is_ready());
        assert_eq!(self.pods.pod_count(), self.model.served().len());
        let counters = self.pods.counters();
        assert!(counters.projection_masks <= u64::from(self.setup.projection_masks));
        assert!(counters.projection_bytes <= u64::from(self.setup.projection_bytes));
        assert!(self.pods.pod_count() > 0 || counters.projection_bytes == 0);
        self.check_counters(&counters);
    }

    fn check_counters(&self, counters: &Counters) {
        let requests: BTreeMap<_, _> = counters
            .all_requests()
            .map(|(dialect, method, code, count)| ((dialect, method, code), count))
            .collect();
        assert_eq!(requests, self.model.requests);
        assert_eq!(counters.watch_events_dropped, self.model.dropped);
        assert!(accounted(counters) <= self.model.produced, "{counters:?}");
    }

    /// Checks, once everything is read, that every event is accounted for.
    pub(super) fn check_events(&self) {
        let counters = self.pods.counters();
        assert_eq!(accounted(&counters), self.model.produced, "{counters:?}");
        assert_eq!(self.pods.queued_events(), 0);
    }
}
