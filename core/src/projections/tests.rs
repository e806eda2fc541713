//! Tests of kept projections: what is found, what is made, and what has to go.

use alloc::string::ToString as _;
use alloc::vec::Vec;

use podsapi_proto::schema::Message;

use super::*;
use crate::mask::FieldMask;
use crate::sample::{pod, pod_in_phase};
use crate::store::{Change, PodStore, Rank};

fn mask(text: &str) -> Projection {
    let mask = FieldMask::parse(text).unwrap();
    mask.compile(Message::POD).unwrap()
}

fn store(uids: &[&str]) -> PodStore {
    let mut store = PodStore::new(1, false, Seed::default());
    for uid in uids {
        store.put(Rank(0), pod(uid), 0).unwrap();
    }
    store
}

fn turn(store: &mut PodStore, uid: &str, phase: &str) -> Change {
    store.put(Rank(0), pod_in_phase(uid, phase), 0).unwrap()
}

fn numbers(projections: &Projections) -> Counters {
    let mut counters = Counters::default();
    projections.count(&mut counters);
    counters
}

impl Projections {
    /// Keeps what is seen of all pods of a moment, one after the other.
    fn keep_all(&mut self, mask: &Projection, pods: &[Arc<Served>]) -> Vec<Arc<Served>> {
        pods.iter().map(|pod| self.keep(mask, pod)).collect()
    }
}

fn all(store: &PodStore) -> Vec<Arc<Served>> {
    store.snapshot().iter().cloned().collect()
}

fn roomy() -> Projections {
    Projections::new(64, 1 << 20, Seed::default())
}

/// The masks whose projections are kept, as their canonical texts.
fn kept(projections: &Projections) -> Vec<alloc::string::String> {
    let mut kept: Vec<_> = projections
        .masks
        .keys()
        .map(|mask| mask.to_string())
        .collect();
    kept.sort();
    kept
}

/// Holds the sums against what is there, and both against the bounds.
fn check(projections: &Projections) {
    let sums = projections.masks.values().map(|masked| {
        let sum: usize = masked.pods.values().map(|pod| cost(pod)).sum();
        assert_eq!(masked.bytes, sum);
        sum
    });
    assert_eq!(projections.bytes, sums.sum::<usize>());
    assert!(projections.bytes <= projections.max_bytes);
    assert!(projections.masks.len() <= projections.max_masks);
    let ordered = projections.order.iter().map(BTreeMap::len).sum::<usize>();
    assert_eq!(ordered, projections.masks.len());
}

#[test]
fn a_projection_is_made_once_for_each_mask_and_revision() {
    let (mut store, mut projections) = (store(&["u"]), roomy());
    let former = store.get("u").unwrap().clone();
    let [name, phase] = ["metadata.name", "status.phase"].map(mask);
    for _ in 0..3 {
        let seen = projections.keep(&phase, &former);
        assert_eq!(seen.bytes().as_ref(), b"\x1a\x09\x0a\x07Running");
        assert_eq!(seen.revision(), former.revision());
        projections.keep(&name, &former);
    }
    let counters = numbers(&projections);
    assert_eq!(
        (counters.projection_misses, counters.projection_hits),
        (2, 4)
    );

    let change = turn(&mut store, "u", "Failed");
    let newest = change.after.as_ref().unwrap();
    let seen = projections.keep(&phase, newest);
    assert_eq!(seen.bytes().as_ref(), b"\x1a\x08\x0a\x06Failed");
    let seen = projections.look(&phase, &former);
    assert_eq!(seen.bytes().as_ref(), b"\x1a\x09\x0a\x07Running");
    let seen = projections.look(&phase, newest);
    assert_eq!(seen.bytes().as_ref(), b"\x1a\x08\x0a\x06Failed");
    let counters = numbers(&projections);
    assert_eq!(
        (counters.projection_misses, counters.projection_hits),
        (4, 5)
    );
    check(&projections);
}

#[test]
fn one_changed_pod_costs_one_projection() {
    let uids: Vec<_> = (0..500).map(|number| alloc::format!("u{number}")).collect();
    let uids: Vec<_> = uids.iter().map(|uid| uid.as_str()).collect();
    let (mut store, mut projections) = (store(&uids), roomy());
    let phase = mask("status.phase");
    projections.keep_all(&phase, &all(&store));
    let change = turn(&mut store, "u250", "Failed");
    projections.forget(&change.before.unwrap());
    let listed = projections.keep_all(&phase, &all(&store));
    for (seen, pod) in listed.iter().zip(all(&store).iter()) {
        assert_eq!(seen.bytes(), &phase.apply(pod.bytes()));
    }
    let counters = numbers(&projections);
    assert_eq!(
        (counters.projection_misses, counters.projection_hits),
        (501, 499)
    );
    check(&projections);
}

#[test]
fn whole_pods_are_themselves_and_cost_nothing() {
    let (store, mut projections) = (store(&["a", "b"]), roomy());
    let pods = all(&store);
    let seen = projections.keep_all(&Projection::all(), &pods);
    assert!(
        seen.iter()
            .zip(&pods)
            .all(|(seen, pod)| Arc::ptr_eq(seen, pod))
    );
    assert!(Arc::ptr_eq(
        &projections.keep(&Projection::all(), &pods[0]),
        &pods[0]
    ));
    assert!(Arc::ptr_eq(
        &projections.look(&Projection::all(), &pods[1]),
        &pods[1]
    ));
    assert_eq!(numbers(&projections), Counters::default());
}

#[test]
fn what_is_kept_holds_no_pod_and_goes_with_it() {
    let (mut store, mut projections) = (store(&["a", "b"]), roomy());
    let masks = ["spec,status", "metadata"].map(mask);
    for mask in &masks {
        projections.keep_all(mask, &all(&store));
    }
    let change = store.remove(Rank(0), &Uid::new("a"), 0).unwrap();
    let gone = change.before.unwrap();
    assert_eq!(Arc::strong_count(&gone), 1);
    projections.forget(&gone);
    check(&projections);
    for masked in projections.masks.values() {
        let uids: Vec<_> = masked.pods.keys().map(Uid::as_str).collect();
        assert_eq!(uids, ["b"]);
    }
    let change = store.remove(Rank(0), &Uid::new("b"), 0).unwrap();
    projections.forget(&change.before.unwrap());
    let counters = numbers(&projections);
    assert_eq!(
        (counters.projection_masks, counters.projection_bytes),
        (0, 0)
    );
    assert_eq!(counters.projection_evictions, 0);
}

#[test]
fn the_mask_that_was_not_used_for_longest_goes_first() {
    let store = store(&["u"]);
    let pod = store.get("u").unwrap();
    let mut projections = Projections::new(2, 1 << 20, Seed::default());
    let [a, b, c, d] = ["metadata.name", "metadata.uid", "spec", "status"].map(mask);
    projections.keep(&a, pod);
    projections.keep(&b, pod);
    projections.look(&a, pod);
    projections.keep(&c, pod);
    assert_eq!(kept(&projections), ["metadata.name", "spec"]);
    projections.keep(&a, pod);
    projections.keep(&d, pod);
    assert_eq!(kept(&projections), ["metadata.name", "status"]);
    let counters = numbers(&projections);
    assert_eq!(
        (counters.projection_evictions, counters.projection_masks),
        (2, 2)
    );
    assert_eq!(
        (counters.projection_hits, counters.projection_misses),
        (2, 4)
    );
    check(&projections);
}

#[test]
fn bytes_are_bounded_and_other_masks_make_room() {
    let store = store(&["a", "b", "c", "d", "e"]);
    let pods = all(&store);
    let [name, uid] = ["metadata.name", "metadata.uid"].map(mask);
    // Room for four of one letter each.
    let one = 5 + BYTES_A_POD;
    let mut projections = Projections::new(64, u32::try_from(4 * one).unwrap(), Seed::default());
    projections.keep_all(&name, &pods[..3]);
    check(&projections);
    projections.keep(&uid, &pods[0]);
    assert_eq!(kept(&projections), ["metadata.name", "metadata.uid"]);
    projections.keep(&uid, &pods[1]);
    assert_eq!(kept(&projections), ["metadata.uid"]);
    check(&projections);

    // Of a mask that does not fit alone, what came first stays and is found.
    for _ in 0..2 {
        let seen = projections.keep_all(&uid, &pods);
        let expected = pods.iter().map(|pod| uid.apply(pod.bytes()));
        assert!(expected.eq(seen.iter().map(|pod| pod.bytes().clone())));
        check(&projections);
    }
    let counters = numbers(&projections);
    assert_eq!(counters.projection_bytes, 4 * one as u64);
    assert_eq!(
        (counters.projection_misses, counters.projection_hits),
        (9, 6)
    );
}

#[test]
fn without_room_every_projection_is_made_anew() {
    let store = store(&["u"]);
    let mut projections = Projections::new(1, 0, Seed::default());
    for _ in 0..2 {
        let seen = projections.keep(&mask("metadata.uid"), store.get("u").unwrap());
        assert_eq!(seen.bytes().as_ref(), b"\x0a\x03\x2a\x01u");
    }
    let counters = numbers(&projections);
    assert_eq!(
        (counters.projection_misses, counters.projection_masks),
        (2, 0)
    );
    check(&projections);
}

#[test]
fn a_pod_that_grows_is_counted_anew() {
    let (mut store, mut projections) = (store(&["u"]), roomy());
    let phase = mask("status.phase");
    projections.keep(&phase, store.get("u").unwrap());
    let before = numbers(&projections).projection_bytes;
    for _ in 0..3 {
        let change = turn(&mut store, "u", &"x".repeat(100));
        projections.keep(&phase, change.after.as_ref().unwrap());
        projections.forget(&change.before.unwrap());
        check(&projections);
        assert_eq!(numbers(&projections).projection_bytes, before + 93);
        let change = turn(&mut store, "u", "Running");
        projections.keep(&phase, change.after.as_ref().unwrap());
        projections.forget(&change.before.unwrap());
        assert_eq!(numbers(&projections).projection_bytes, before);
    }
}

#[test]
fn what_was_of_use_together_elsewhere_is_counted_and_stays_longer() {
    let store = store(&["u"]);
    let pod = store.get("u").unwrap();
    let mut projections = Projections::new(2, 1 << 20, Seed::default());
    let [a, b, c, d] = ["metadata.name", "metadata.uid", "spec", "status"].map(mask);
    projections.keep(&a, pod);
    projections.keep(&b, pod);
    projections.use_again(&a, 5);
    assert_eq!(numbers(&projections).projection_hits, 5);
    projections.use_again(&a, 2);
    assert_eq!(numbers(&projections).projection_hits, 7);
    projections.use_again(&Projection::all(), 9);
    projections.keep(&c, pod);
    assert_eq!(kept(&projections), ["metadata.name", "spec"]);
    // What is not kept by pod may be kept as a list: it was of use, and makes no room.
    projections.use_again(&d, 3);
    let counters = numbers(&projections);
    assert_eq!(
        (counters.projection_hits, counters.projection_evictions),
        (10, 1)
    );
    check(&projections);
}

#[test]
fn lists_date_their_masks_too() {
    let store = store(&["a", "b", "c"]);
    let pods = all(&store);
    let mut projections = Projections::new(2, 1 << 20, Seed::default());
    let [a, b, c] = ["metadata.name", "metadata.uid", "spec"].map(mask);
    projections.keep_all(&a, &pods);
    projections.keep_all(&b, &pods);
    projections.keep_all(&a, &pods);
    projections.keep_all(&c, &pods);
    assert_eq!(kept(&projections), ["metadata.name", "spec"]);
    check(&projections);
}

#[test]
fn a_former_revision_takes_no_newer_one_along_and_no_other_pod() {
    let (mut store, mut projections) = (store(&["a", "b"]), roomy());
    let phase = mask("status.phase");
    projections.keep_all(&phase, &all(&store));
    let change = turn(&mut store, "a", "Failed");
    let (before, after) = (change.before.unwrap(), change.after.unwrap());
    projections.keep(&phase, &after);
    let held = numbers(&projections).projection_bytes;
    projections.forget(&before);
    assert_eq!(numbers(&projections).projection_bytes, held);
    projections.forget(&after);
    check(&projections);
    let uids: Vec<_> = projections.masks[&phase]
        .pods
        .keys()
        .map(Uid::as_str)
        .collect();
    assert_eq!(uids, ["b"]);
}
