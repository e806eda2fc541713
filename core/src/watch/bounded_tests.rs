//! Tests of watches that the log does not wait for, and of the bounds of masks.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use podsapi_proto::schema::Message;
use proptest::prelude::*;

use super::tests::Desk;
use super::*;
use crate::call::{Dialect, Scope};
use crate::mask::FieldMask;
use crate::sample::{pod, pod_in_phase};
use crate::wire::Reader;

/// What a reader knows: the phases of pods by their UIDs, and what it was told that it knew.
#[derive(Debug, Default)]
struct Known {
    pods: BTreeMap<String, String>,
    again: usize,
    unknown: usize,
}

impl Known {
    fn take(&mut self, event: &[u8]) {
        let (kind, uid, phase) = told(event);
        match kind {
            1 => self.again += usize::from(self.pods.insert(uid, phase).is_some()),
            2 => assert!(
                self.pods.insert(uid, phase).is_some(),
                "MODIFIED before ADDED"
            ),
            3 => self.unknown += usize::from(self.pods.remove(&uid).is_none()),
            _ => {}
        }
    }
}

/// Returns the type, the UID and the phase that an event tells.
fn told(event: &[u8]) -> (u8, String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let pod = field(event, 2);
    let (metadata, status) = (field(&pod, 1), field(&pod, 3));
    (
        event[1],
        text(&field(&metadata, 5)),
        text(&field(&status, 1)),
    )
}

fn field(message: &[u8], number: u32) -> Vec<u8> {
    let mut reader = Reader::new(message);
    while let Some(record) = reader.record().unwrap() {
        if record.tag.field == number {
            return record.payload.to_vec();
        }
    }
    Vec::new()
}

fn served(desk: &Desk) -> BTreeMap<String, String> {
    let snapshot = desk.store.snapshot();
    let pods = snapshot.iter().map(|pod| {
        let status = field(pod.bytes(), 3);
        let phase = String::from_utf8(field(&status, 1)).unwrap();
        (pod.uid().as_str().into(), phase)
    });
    pods.collect()
}

#[derive(Clone, Debug)]
enum Step {
    Put(u8, u8),
    Remove(u8),
    Read(u8),
    Trim,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        6 => (0_u8..6, 0_u8..3).prop_map(|(pod, phase)| Step::Put(pod, phase)),
        2 => (0_u8..6).prop_map(Step::Remove),
        3 => (0_u8..4).prop_map(Step::Read),
        1 => Just(Step::Trim),
    ];
    prop::collection::vec(step, 0..120)
}

/// Does steps beside one reader, then reads all, and returns what the reader knows, unless it was ended.
fn run(desk: &mut Desk, id: WatchId, steps: &[Step]) -> Option<Known> {
    let mut known = Known::default();
    for step in steps.iter().chain([&Step::Read(u8::MAX)]) {
        match step {
            Step::Put(number, phase) => {
                let uid = alloc::format!("u{number}");
                let phase = ["Running", "Failed", "Pending"][usize::from(*phase)];
                let now = served(desk);
                if now.get(&uid).map(String::as_str) != Some(phase) {
                    desk.put(pod_in_phase(&uid, phase));
                }
            }
            Step::Remove(number) => {
                let uid = alloc::format!("u{number}");
                if desk.store.get(&uid).is_some() {
                    desk.remove(&uid);
                }
            }
            Step::Trim => {
                let read = desk.watches.all_read(desk.log.last());
                desk.log.trim(read);
            }
            Step::Read(count) => {
                for _ in 0..*count {
                    match desk.poll(id) {
                        Read::Event(event) => known.take(&event.to_vec()),
                        Read::End(Ending::TooSlow | Ending::Outdated) => return None,
                        Read::End(ending) => panic!("{ending:?}"),
                        Read::Idle => {
                            // Others had their turn.
                            if desk.ready().contains(&id) {
                                continue;
                            }
                            break;
                        }
                    }
                }
            }
        }
    }
    Some(known)
}

proptest! {
    #[test]
    fn who_has_read_everything_knows_what_is_served(
        entries in 1_usize..12, before in 0_u8..5, steps in steps(),
    ) {
        let mut desk = Desk::remembering(entries, 1, SlowWatch::Coalesce);
        (0..before).for_each(|number| desk.put(pod(&alloc::format!("u{number}"))));
        let id = desk.watch(Dialect::V1alpha1);
        if let Some(known) = run(&mut desk, id, &steps) {
            prop_assert_eq!(&known.pods, &served(&desk));
            let changes = desk.log.last() - u64::from(before);
            if changes <= entries as u64 {
                prop_assert_eq!((known.again, known.unknown), (0, 0));
            }
        } else {
            let removed = steps.iter().filter(|step| matches!(step, Step::Remove(_))).count();
            prop_assert!(removed > entries, "only deletions that are forgotten end it");
        }
    }

    #[test]
    fn who_follows_every_change_has_them_all_or_is_told_that_it_lost_some(
        entries in 1_usize..12, buffer in 1_u32..8, steps in steps(),
    ) {
        let mut desk = Desk::remembering(entries, buffer, SlowWatch::End);
        desk.put(pod("u0"));
        let id = desk.watch(Dialect::V1alpha1);
        if let Some(known) = run(&mut desk, id, &steps) {
            prop_assert_eq!(&known.pods, &served(&desk));
            prop_assert_eq!((known.again, known.unknown), (0, 0));
        } else {
            prop_assert!(desk.counters.watch_events_dropped > 0);
            prop_assert_eq!(desk.watches.len(), 0);
        }
    }
}

#[test]
fn a_first_list_is_read_whole_however_much_the_log_forgets_meanwhile() {
    for slow_watch in [SlowWatch::End, SlowWatch::Coalesce] {
        let mut desk = Desk::remembering(4, 2, slow_watch);
        (0..3).for_each(|number| desk.put(pod(&alloc::format!("{number}"))));
        let id = desk.watch(Dialect::V1alpha1);
        for round in 0..50 {
            let phase = if round % 2 == 0 { "Failed" } else { "Running" };
            desk.put(pod_in_phase("1", phase));
        }
        let first = [(1, '0'), (1, '1'), (1, '2'), (4, '-')];
        assert_eq!(desk.read_some(id, 4), first);
        match (slow_watch, desk.poll(id)) {
            (SlowWatch::End, Read::End(Ending::TooSlow)) => {
                assert_eq!(desk.counters.watch_events_dropped, 50);
            }
            (SlowWatch::Coalesce, Read::Event(event)) => {
                assert_eq!(told(&event.to_vec()), (2, "1".into(), "Running".into()));
            }
            (_, read) => panic!("{slow_watch:?}: {read:?}"),
        }
    }
}

#[test]
fn a_watch_that_waits_for_what_never_comes_is_not_behind() {
    let mut desk = Desk::remembering(4, 2, SlowWatch::End);
    let namespaces = crate::call::Namespaces::Only(["elsewhere".into()].into());
    let scope = Scope {
        namespaces,
        ..Scope::default()
    };
    let id = desk.open(Dialect::V1alpha1, scope, None).unwrap();
    assert_eq!(desk.read(id), [(4, '-')]);
    for number in 0..100 {
        desk.put(pod(&alloc::format!("{number}")));
    }
    assert!(matches!(desk.poll(id), Read::Idle));
    assert_eq!(desk.watches.len(), 1);
}

#[test]
fn what_nobody_needs_leaves_the_log() {
    let mut desk = Desk::remembering(4_096, 4_096, SlowWatch::End);
    let [slow, quick] = [(); 2].map(|()| desk.watch(Dialect::V1alpha1));
    for id in [slow, quick] {
        assert_eq!(desk.read(id), [(4, '-')]);
    }
    for number in 0..10 {
        desk.put(pod(&alloc::format!("{number}")));
    }
    desk.read(quick);
    desk.read_some(slow, 3);
    let all_read = |desk: &Desk| desk.watches.all_read(desk.log.last());
    assert_eq!(all_read(&desk), 3);
    desk.log.trim(3);
    assert_eq!((desk.log.first(), desk.log.last()), (4, 10));
    desk.cancel(slow);
    let read = all_read(&desk);
    desk.log.trim(read);
    assert_eq!((desk.log.first(), desk.log.bytes()), (11, 0));
    desk.put(pod("x"));
    assert_eq!(desk.read(quick), [(1, 'x')]);
}

fn scope(text: &str) -> Scope {
    let mask = FieldMask::parse(text).unwrap();
    Scope {
        mask: mask.compile(Message::POD).unwrap(),
        ..Scope::default()
    }
}

#[test]
fn distinct_masks_are_bounded_in_all_and_for_each_peer() {
    let mut desk = Desk::remembering(4_096, 1, SlowWatch::End);
    let (one, other) = (Some(PeerKey::new(1)), Some(PeerKey::new(2)));
    let mut open = |peer, mask| desk.open(Dialect::V1alpha1, scope(mask), peer);
    let first = open(one, "spec").unwrap();
    let again = open(one, "spec").unwrap();
    open(one, "status").unwrap();
    let refused = Full::Masks(TooManyMasks::OfPeer);
    assert_eq!(open(one, "metadata"), Err(refused));
    open(one, "*").unwrap();
    open(one, "status").unwrap();
    open(other, "metadata").unwrap();
    let refused = Full::Masks(TooManyMasks::InAll);
    assert_eq!(open(other, "kind"), Err(refused));
    assert_eq!(open(None, "kind"), Err(refused));
    open(None, "metadata").unwrap();
    open(other, "spec").unwrap();
    // One of two watches of a mask leaves it where it is.
    desk.cancel(first);
    let mut open = |peer, mask| desk.open(Dialect::V1alpha1, scope(mask), peer);
    assert!(open(one, "metadata").is_err());
    desk.cancel(again);
    let mut open = |peer, mask| desk.open(Dialect::V1alpha1, scope(mask), peer);
    assert!(open(one, "metadata").is_ok());
    assert_eq!(open(other, "kind"), Err(Full::Masks(TooManyMasks::InAll)));
}

#[test]
fn masks_are_forgotten_with_their_last_watch() {
    let mut desk = Desk::remembering(4_096, 1, SlowWatch::End);
    for _ in 0..100 {
        let peer = Some(PeerKey::new(1));
        let ids =
            ["spec", "status"].map(|mask| desk.open(Dialect::V1alpha1, scope(mask), peer).unwrap());
        assert!(desk.open(Dialect::V1alpha1, scope("kind"), peer).is_err());
        ids.into_iter().for_each(|id| desk.cancel(id));
    }
}
