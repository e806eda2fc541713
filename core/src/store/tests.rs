//! Tests of what is served when sources agree, disagree and go away.

use alloc::collections::BTreeMap;
use alloc::string::String;

use super::*;
use crate::sample::{pod, pod_in_phase, status};
use crate::served::Tombstone;

const FIRST: Rank = Rank(0);
const SECOND: Rank = Rank(1);

fn store() -> PodStore {
    PodStore::new(2, false, Seed::default())
}

fn served(store: &PodStore) -> Vec<String> {
    store
        .snapshot()
        .iter()
        .map(|pod| pod.uid().as_str().into())
        .collect()
}

fn claims(pods: impl IntoIterator<Item = EncodedPod>) -> BTreeMap<Uid, Claim> {
    let claim = |pod: EncodedPod| {
        let uid = pod.uid().clone();
        let status = None;
        (
            uid,
            Claim {
                pod: Some(pod),
                status,
            },
        )
    };
    pods.into_iter().map(claim).collect()
}

impl PodStore {
    /// Replaces all that one source said.
    fn replace(
        &mut self,
        rank: Rank,
        gone: &[Uid],
        claims: BTreeMap<Uid, Claim>,
        at: i64,
    ) -> Vec<Change> {
        let mut changes: Vec<_> = gone
            .iter()
            .filter_map(|uid| self.remove(rank, uid, at))
            .collect();
        for (uid, claim) in claims {
            changes.extend(self.claim(rank, &uid, claim, at));
        }
        self.order(&mut changes);
        changes
    }
}

fn kinds(changes: &[Change]) -> Vec<(bool, bool)> {
    changes
        .iter()
        .map(|change| (change.before.is_some(), change.after.is_some()))
        .collect()
}

#[test]
fn pods_are_listed_in_the_order_of_the_bytes_of_their_uids() {
    let mut store = store();
    for uid in ["b", "a", "B", "aa", "1"] {
        store.put(FIRST, pod(uid), 0);
    }
    assert_eq!(served(&store), ["1", "B", "a", "aa", "b"]);
    assert_eq!(store.snapshot().len(), 5);
}

#[test]
fn equal_bytes_are_no_change_and_are_not_held_twice() {
    let mut store = store();
    store.put(FIRST, pod("u"), 0);
    let held = store.get("u").unwrap().bytes().as_ptr();
    assert!(store.put(FIRST, pod("u"), 1).is_none());
    assert_eq!(store.get("u").unwrap().bytes().as_ptr(), held);
}

#[test]
fn precedence_decides_whoever_came_first() {
    for order in [[FIRST, SECOND], [SECOND, FIRST]] {
        let mut store = store();
        for rank in order {
            let phase = if rank == FIRST { "Running" } else { "Failed" };
            store.put(rank, pod_in_phase("u", phase), 0);
        }
        assert_eq!(store.get("u").unwrap().bytes(), pod("u").bytes());
        assert_eq!((store.shadowed(FIRST), store.shadowed(SECOND)), (0, 1));
        assert_eq!(store.conflicts(), 1);
        let contested: Vec<_> = store.contested().collect();
        assert_eq!(contested, [(&Uid::new("u"), FIRST, SECOND, true)]);
    }
}

#[test]
fn the_loser_takes_over_when_the_winner_goes_away() {
    let mut store = store();
    store.put(FIRST, pod("u"), 0);
    store.put(SECOND, pod_in_phase("u", "Failed"), 0);
    let change = store.remove(FIRST, &Uid::new("u"), 0).unwrap();
    assert!(change.before.is_some());
    assert_eq!(
        change.after.unwrap().bytes(),
        pod_in_phase("u", "Failed").bytes()
    );
    assert_eq!((store.shadowed(SECOND), store.conflicts()), (0, 1));
}

#[test]
fn a_loser_with_the_same_bytes_takes_over_unseen() {
    let mut store = store();
    store.put(FIRST, pod("u"), 0);
    store.put(SECOND, pod("u"), 0);
    assert!(store.remove(FIRST, &Uid::new("u"), 0).is_none());
    assert_eq!(served(&store), ["u"]);
}

#[test]
fn a_replacement_tells_what_went_away_first() {
    let mut store = store();
    store.replace(FIRST, &[], claims([pod("b"), pod("d")]), 0);
    let gone = [Uid::new("d")];
    let next = claims([pod("a"), pod_in_phase("b", "Failed"), pod("c")]);
    let changes = store.replace(FIRST, &gone, next, 7);
    assert_eq!(
        kinds(&changes),
        [(true, false), (false, true), (true, true), (false, true)]
    );
    assert!(changes.iter().all(|change| change.at == 7));
    assert_eq!(served(&store), ["a", "b", "c"]);
}

#[test]
fn one_source_does_not_remove_what_another_says() {
    let mut store = store();
    store.put(FIRST, pod("u"), 0);
    assert!(store.remove(SECOND, &Uid::new("u"), 0).is_none());
    assert!(store.replace(SECOND, &[], BTreeMap::new(), 0).is_empty());
    assert_eq!(served(&store), ["u"]);
}

#[test]
fn a_status_is_served_once_somebody_owns_the_pod() {
    let mut store = store();
    assert!(
        store
            .set_status(SECOND, &Uid::new("u"), status("Failed"), 0)
            .is_none()
    );
    assert_eq!(
        (store.snapshot().len(), store.get("u").is_none()),
        (0, true)
    );
    store.put(FIRST, pod("u"), 0);
    assert_eq!(
        store.get("u").unwrap().bytes(),
        pod_in_phase("u", "Failed").bytes()
    );
    store.remove(SECOND, &Uid::new("u"), 0);
    assert_eq!(store.get("u").unwrap().bytes(), pod("u").bytes());
    store.remove(FIRST, &Uid::new("u"), 0);
    assert!(store.entries.is_empty());
}

#[test]
fn snapshots_share_the_pods_and_one_another() {
    let mut store = store();
    store.put(FIRST, pod("u"), 0);
    let (one, two) = (store.snapshot(), store.snapshot());
    assert!(one.is_same(&two));
    store.put(FIRST, pod("v"), 0);
    assert_eq!((one.len(), store.snapshot().len()), (1, 2));
    assert!(Arc::ptr_eq(
        one.iter().next().unwrap(),
        store.snapshot().iter().next().unwrap()
    ));
}

#[test]
fn a_tombstone_has_exactly_name_namespace_and_uid() {
    let mut store = store();
    store.put(FIRST, pod("u"), 0);
    let pod = store.get("u").unwrap();
    let identity = pod.tombstone(Tombstone::Identity, 5);
    assert_eq!(
        identity.bytes(),
        &b"\x0a\x09\x0a\x01u\x1a\x01n\x2a\x01u"[..]
    );
    let timed = pod.tombstone(Tombstone::Timestamped, 5);
    let expected = b"\x0a\x0f\x0a\x01u\x1a\x01n\x2a\x01u\x4a\x02\x08\x05\x50\x00";
    assert_eq!(timed.bytes(), &expected[..]);
    assert!(EncodedPod::parse(timed.bytes().clone()).is_ok());
    let before_1970 = pod.tombstone(Tombstone::Timestamped, -1);
    assert!(EncodedPod::parse(before_1970.bytes().clone()).is_ok());
}
