//! Tests of watches: their states, their places in the log, their ids and the ready list.

use super::*;
use crate::call::{Dialect, Method, Scope};
use crate::pod::EncodedPod;
use crate::projections::Projections;
use crate::sample::{pod, pod_in_phase};
use crate::store::{Change, PodStore, Rank};

/// Watches beside the store that feeds them.
pub(super) struct Desk {
    pub(super) store: PodStore,
    pub(super) log: Log,
    projections: Projections,
    pub(super) watches: WatchSet,
    pub(super) counters: Counters,
}

impl Desk {
    fn new(buffer: u32, slow_watch: SlowWatch) -> Self {
        Self::remembering(4_096, buffer, slow_watch)
    }

    pub(super) fn remembering(entries: usize, buffer: u32, slow_watch: SlowWatch) -> Self {
        let limits = WatchLimits {
            buffer,
            watches: 1_000,
            masks: 3,
            masks_per_peer: 2,
            slow_watch,
        };
        Self {
            store: PodStore::new(1, false, Seed::default()),
            log: Log::new(entries, 16 << 20),
            projections: Projections::new(64, 1 << 20, Seed::default()),
            watches: WatchSet::new(limits, Seed::default()),
            counters: Counters::default(),
        }
    }

    pub(super) fn watch(&mut self, dialect: Dialect) -> WatchId {
        self.open(dialect, Scope::everything(), None).unwrap()
    }

    pub(super) fn open(
        &mut self,
        dialect: Dialect,
        scope: Scope,
        peer: Option<PeerKey>,
    ) -> Result<WatchId, Full> {
        let view = View { dialect, scope };
        let mut sight = Sight::new(&self.store, &mut self.projections);
        let pods = self.store.snapshot();
        self.watches
            .open(view, None, pods, peer, &self.log, &mut sight)
    }

    pub(super) fn put(&mut self, pod: EncodedPod) {
        let change = self.store.put(Rank(0), pod, 0).unwrap();
        self.publish(change);
    }

    pub(super) fn remove(&mut self, uid: &str) {
        let change = self.store.remove(Rank(0), &uid.into(), 0).unwrap();
        self.publish(change);
    }

    fn publish(&mut self, change: Change) {
        self.log.append(change);
        self.log.show();
        self.watches.publish(&mut self.log);
        while self.act(|watches, log, sight, counters| watches.look(64, log, sight, counters)) {}
    }

    fn act<T>(
        &mut self,
        act: impl FnOnce(&mut WatchSet, &mut Log, &mut Sight<'_>, &mut Counters) -> T,
    ) -> T {
        let mut sight = Sight::new(&self.store, &mut self.projections);
        act(
            &mut self.watches,
            &mut self.log,
            &mut sight,
            &mut self.counters,
        )
    }

    pub(super) fn poll(&mut self, id: WatchId) -> Read {
        self.act(|watches, log, sight, counters| watches.poll(id, log, sight, counters))
    }

    pub(super) fn cancel(&mut self, id: WatchId) {
        self.act(|watches, log, sight, counters| watches.cancel(id, log, sight, counters));
    }

    fn shutdown(&mut self) {
        self.act(WatchSet::shutdown);
    }

    /// Returns what open watches have not read, in changes.
    fn behind(&self) -> u64 {
        let views = self.watches.views(self.log.last());
        views.map(|watch| watch.behind).sum()
    }

    /// Reads so many events, or as many as there are.
    pub(super) fn read_some(&mut self, id: WatchId, count: usize) -> Vec<(u8, char)> {
        let mut events = Vec::new();
        while events.len() < count
            && let Read::Event(event) = self.poll(id)
        {
            events.push(told(&event.to_vec()));
        }
        events
    }

    /// Reads until nothing comes and returns the types of the events with the UIDs' last letter.
    pub(super) fn read(&mut self, id: WatchId) -> Vec<(u8, char)> {
        self.read_some(id, usize::MAX)
    }

    pub(super) fn ready(&mut self) -> Vec<WatchId> {
        core::iter::from_fn(|| self.watches.poll_ready()).collect()
    }
}

fn told(event: &[u8]) -> (u8, char) {
    let uid = event
        .windows(3)
        .rfind(|window| window.starts_with(&[0x2a, 1]));
    (event[1], uid.map_or('-', |uid| char::from(uid[2])))
}

impl From<&str> for crate::pod::Uid {
    fn from(uid: &str) -> Self {
        Self::new(uid)
    }
}

#[test]
fn events_during_the_first_list_come_after_the_marker() {
    let mut desk = Desk::new(10, SlowWatch::End);
    desk.put(pod("b"));
    desk.put(pod("a"));
    let id = desk.watch(Dialect::V1alpha1);
    desk.put(pod("c"));
    desk.put(pod_in_phase("a", "Failed"));
    desk.remove("b");
    let events = [(1, 'a'), (1, 'b'), (4, '-'), (1, 'c'), (2, 'a'), (3, 'b')];
    assert_eq!(desk.read(id), events);
}

#[test]
fn a_watch_that_does_not_read_ends_alone() {
    let mut desk = Desk::new(1, SlowWatch::End);
    let [slow, quick] = [(); 2].map(|()| desk.watch(Dialect::V1alpha1));
    desk.put(pod("a"));
    desk.read(quick);
    desk.put(pod("b"));
    assert_eq!(desk.read(quick), [(1, 'b')]);
    assert_eq!(
        desk.watches.len(),
        2,
        "its list was not read: that costs nothing"
    );
    assert_eq!(desk.read_some(slow, 1), [(4, '-')]);
    // It was two behind at the marker, which it may be, and one more.
    desk.put(pod("c"));
    assert_eq!(desk.watches.len(), 2);
    desk.read(quick);
    desk.put(pod("d"));
    assert_eq!(desk.watches.len(), 1);
    assert_eq!(desk.counters.watch_events_dropped, 1);
    desk.read(quick);
    desk.put(pod("e"));
    assert!(!desk.watches.is_over(slow));
    let events = desk.read_some(slow, 3);
    assert_eq!(events, [(1, 'a'), (1, 'b'), (1, 'c')]);
    assert!(desk.watches.is_over(slow));
    let end = desk.poll(slow);
    assert!(matches!(end, Read::End(Ending::TooSlow)), "{end:?}");
    assert_eq!(desk.counters.watch_events_dropped, 2, "d and e");
    assert_eq!(desk.read(quick).len(), 1);
}

#[test]
fn a_watch_that_coalesces_gets_the_newest_state_of_each_pod() {
    let mut desk = Desk::new(1, SlowWatch::Coalesce);
    ["a", "b", "c"]
        .into_iter()
        .for_each(|uid| desk.put(pod(uid)));
    let id = desk.watch(Dialect::V1alpha1);
    desk.read(id);
    desk.put(pod_in_phase("a", "Failed"));
    desk.put(pod("a"));
    desk.put(pod_in_phase("b", "Failed"));
    desk.remove("b");
    desk.put(pod("d"));
    desk.put(pod_in_phase("d", "Failed"));
    desk.put(pod("e"));
    desk.remove("e");
    desk.remove("c");
    desk.put(pod("c"));
    desk.put(pod_in_phase("c", "Failed"));
    assert_eq!(desk.behind(), 11);
    let events = [(2, 'a'), (3, 'b'), (1, 'd'), (3, 'c'), (1, 'c')];
    assert_eq!(desk.read(id), events);
    assert_eq!(desk.counters.watch_events_coalesced, 6);
}

#[test]
fn a_pod_that_comes_and_goes_leaves_nothing_behind() {
    let mut desk = Desk::new(1, SlowWatch::Coalesce);
    let id = desk.watch(Dialect::V1alpha1);
    desk.read(id);
    desk.put(pod("stuck"));
    for _ in 0..100 {
        desk.put(pod("a"));
        desk.remove("a");
    }
    desk.remove("stuck");
    assert_eq!(desk.read(id), []);
}

#[test]
fn a_watch_is_named_when_it_becomes_readable_and_not_again_before_it_is_read() {
    let mut desk = Desk::new(10, SlowWatch::End);
    let id = desk.watch(Dialect::V1alpha1);
    desk.put(pod("a"));
    assert_eq!(desk.ready(), [id]);
    desk.put(pod("b"));
    assert!(matches!(desk.poll(id), Read::Event(_)), "the marker");
    desk.put(pod("c"));
    assert_eq!(desk.ready(), [], "a and b are unread");
    assert_eq!(desk.read(id).len(), 3);
    desk.put(pod("d"));
    desk.put(pod("e"));
    assert_eq!(desk.ready(), [id]);
    assert_eq!(desk.ready(), []);
}

#[test]
fn watches_that_nobody_reads_are_named_at_their_begin_and_at_their_end() {
    let mut desk = Desk::new(20, SlowWatch::End);
    let stuck: Vec<_> = (0..300).map(|_| desk.watch(Dialect::V1alpha1)).collect();
    for id in &stuck {
        assert_eq!(desk.read_some(*id, 1), [(4, '-')]);
    }
    let quick = desk.watch(Dialect::V1alpha1);
    desk.read(quick);
    let mut names = desk.ready().len();
    for number in 0..20 {
        desk.put(pod(&alloc::format!("u{number}")));
        names += desk.ready().len();
        desk.read(quick);
    }
    assert_eq!(names, stuck.len() + 20);
    desk.put(pod("last"));
    assert_eq!(desk.ready().len(), stuck.len() + 1);
    assert_eq!(desk.counters.watch_events_dropped, 300);
}

#[test]
fn a_reader_for_whom_everything_vanished_is_named_for_the_next_change() {
    let mut desk = Desk::new(1, SlowWatch::Coalesce);
    let id = desk.watch(Dialect::V1alpha1);
    desk.read(id);
    desk.ready();
    for _ in 0..3 {
        desk.put(pod("a"));
        assert_eq!(desk.ready(), [id]);
        desk.remove("a");
        assert_eq!(desk.ready(), [], "it was named");
        assert_eq!(desk.read(id), []);
    }
}

#[test]
fn the_watches_of_a_peer_are_counted_until_their_end_is_read() {
    let mut desk = Desk::new(10, SlowWatch::End);
    let peers = [Some(PeerKey::new(1)), Some(PeerKey::new(2)), None];
    let counts = |desk: &Desk| [1, 2, 3].map(|peer| desk.watches.count_of(PeerKey::new(peer)));
    let open = |desk: &mut Desk, peer: Option<PeerKey>| {
        desk.open(Dialect::V1alpha1, Scope::everything(), peer)
            .unwrap()
    };
    let ids: Vec<_> = [0, 0, 1, 2]
        .map(|place| open(&mut desk, peers[place]))
        .into();
    assert_eq!(counts(&desk), [2, 1, 0]);
    desk.cancel(ids[0]);
    desk.cancel(ids[0]);
    assert_eq!(counts(&desk), [1, 1, 0]);
    desk.shutdown();
    assert_eq!(counts(&desk), [1, 1, 0]);
    for id in ids {
        desk.read(id);
    }
    assert_eq!(counts(&desk), [0, 0, 0]);
    assert!(desk.watches.by_peer.is_empty());
}

#[test]
fn an_id_of_a_former_watch_names_nothing() {
    let mut desk = Desk::new(10, SlowWatch::End);
    let former = desk.watch(Dialect::V1alpha1);
    desk.cancel(former);
    let id = desk.watch(Dialect::V1alpha1);
    assert_eq!(former.slot, id.slot);
    desk.cancel(former);
    let end = desk.poll(former);
    assert!(matches!(end, Read::End(Ending::NotThere)));
    assert!(desk.watches.is_over(former) && !desk.watches.is_over(id));
    assert_eq!(desk.ready(), [id]);
    assert_eq!(
        desk.counters
            .requests(Dialect::V1alpha1, Method::WatchPods, Code::Cancelled),
        1
    );
}

#[test]
fn a_slot_is_not_used_beyond_its_last_generation() {
    let mut desk = Desk::new(10, SlowWatch::End);
    let id = desk.watch(Dialect::V1alpha1);
    desk.watches.slots[0].generation = u32::MAX;
    let last = WatchId {
        generation: u32::MAX,
        ..id
    };
    desk.cancel(last);
    assert_eq!(desk.watch(Dialect::V1alpha1).slot, 1);
}

#[test]
fn an_ended_watch_takes_its_place_until_its_end_is_read() {
    let mut desk = Desk::new(10, SlowWatch::End);
    desk.watches.limits.watches = 1;
    let id = desk.watch(Dialect::V1alpha1);
    desk.shutdown();
    let open = |desk: &mut Desk| desk.open(Dialect::V1alpha1, Scope::everything(), None);
    assert_eq!(open(&mut desk), Err(Full::Watches));
    assert!(matches!(desk.poll(id), Read::End(Ending::Shutdown)));
    assert!(open(&mut desk).is_ok());
}

#[test]
fn the_documented_dialect_has_no_marker_and_starts_idle_when_there_is_no_pod() {
    let mut desk = Desk::new(10, SlowWatch::End);
    let id = desk.watch(Dialect::Documented);
    assert_eq!(desk.ready(), []);
    assert!(matches!(desk.poll(id), Read::Idle));
    desk.put(pod("a"));
    assert_eq!(desk.ready(), [id]);
}

#[test]
fn a_thousand_watches_hold_the_same_pods() {
    let mut desk = Desk::new(100, SlowWatch::End);
    for number in 0..500 {
        desk.put(pod(&alloc::format!("u{number}")));
    }
    let ids: Vec<_> = (0..1_000).map(|_| desk.watch(Dialect::V1alpha1)).collect();
    desk.put(pod("last"));
    let slots = desk.watches.slots.iter();
    let snapshots = slots.filter_map(|slot| match &slot.watch.as_ref()?.state {
        State::First { pods, .. } => Some(pods.clone()),
        State::Live | State::Ended(_) => None,
    });
    let snapshots: Vec<_> = snapshots.collect();
    assert_eq!(snapshots.len(), ids.len());
    assert!(snapshots.iter().all(|pods| pods.is_same(&snapshots[0])));
    assert_eq!(desk.watches.by_view.len(), 1);
    let first = desk.store.get("u0").unwrap().bytes().as_ptr();
    for id in ids {
        let Read::Event(event) = desk.poll(id) else {
            panic!()
        };
        assert_eq!(event.segments().last().unwrap().as_ptr(), first);
    }
}
