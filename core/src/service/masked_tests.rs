//! Tests of masks through the whole service: what is shared, what is suppressed, what is told.

use podsapi_proto::schema::Message;

use super::tests::{NOW, answer, ready, say, unlimited};
use super::*;
use crate::call::{Dialect, Method};
use crate::call::{MaskRequest, Namespaces, Scope};
use crate::config::SlowWatch;
use crate::mask::FieldMask;
use crate::pod::Uid;
use crate::sample::pod_in_phase;

fn masked(dialect: Dialect, method: Method, mask: &str) -> Call {
    Call {
        mask: MaskRequest::new(FieldMask::parse(mask).unwrap()),
        ..Call::new(dialect, method, Default::default())
    }
}

fn scope(mask: &str) -> Scope {
    let mask = FieldMask::parse(mask).unwrap();
    Scope {
        mask: mask.compile(Message::POD).unwrap(),
        ..Scope::default()
    }
}

fn watch(pods: &mut Pods, call: Call) -> WatchId {
    match pods.handle_call(call, NOW) {
        Reply::Watch(id) => id,
        other @ (Reply::Answer(_) | Reply::Refuse(_)) => panic!("no watch: {other:?}"),
    }
}

fn put(pods: &mut Pods, uid: &str, phase: &str) {
    let pod = pod_in_phase(uid, phase);
    say(pods, "s", SourceEvent::Put { pod, at: 0 });
}

fn remove(pods: &mut Pods, uid: &str) {
    let uid = Uid::new(uid);
    say(pods, "s", SourceEvent::Remove { uid, at: 0 });
}

/// Reads all that there is and returns the types of the events; the documented dialect has none.
fn read(pods: &mut Pods, id: WatchId) -> Vec<u8> {
    let mut types = Vec::new();
    while let WatchOutput::Event(event) = pods.poll_watch(id) {
        types.push(event.to_vec()[1]);
    }
    types
}

fn coalescing() -> Config {
    Config {
        slow_watch: SlowWatch::Coalesce,
        ..unlimited()
    }
}

fn uids(count: usize) -> Vec<String> {
    (0..count)
        .map(|number| alloc::format!("u{number}"))
        .collect()
}

#[test]
fn five_hundred_pods_listed_twice_with_one_change_are_501_projections() {
    let uids = uids(500);
    let uids: Vec<_> = uids.iter().map(String::as_str).collect();
    let mut pods = ready(&uids, unlimited());
    let list = || masked(Dialect::V1alpha1, Method::ListPods, "status.phase");
    let first = answer(pods.handle_call(list(), NOW));
    put(&mut pods, "u77", "Failed");
    let second = answer(pods.handle_call(list(), NOW));
    assert_eq!(first.len() - second.len(), "Running".len() - "Failed".len());
    let counters = pods.counters();
    assert_eq!(
        (counters.projection_misses, counters.projection_hits),
        (501, 499)
    );
    // Another spelling, another dialect, another method: the same mask.
    let list = masked(
        Dialect::Documented,
        Method::ListPods,
        "status.phase,status.phase",
    );
    assert_eq!(answer(pods.handle_call(list, NOW)), second);
    let get = masked(Dialect::V1alpha1, Method::GetPod, "status.phase");
    let body = (&b"\x0a\x02u7"[..]).into();
    answer(pods.handle_call(Call { body, ..get }, NOW));
    assert_eq!(pods.counters().projection_misses, 501);
}

#[test]
fn a_thousand_watches_of_one_mask_share_one_projection_a_change() {
    let mut pods = ready(&["u"], unlimited());
    let ids: Vec<_> = (0..1_000)
        .map(|number| {
            let dialect = Dialect::ALL[number % 2];
            let call = masked(dialect, Method::WatchPods, "status.phase");
            let namespaces = match number % 3 {
                0 => Namespaces::Only(["n".into()].into()),
                _ => Namespaces::All,
            };
            let scope = Scope {
                namespaces,
                ..Scope::default()
            };
            watch(&mut pods, Call { scope, ..call })
        })
        .collect();
    ids.iter().for_each(|id| drop(read(&mut pods, *id)));
    for phase in ["Failed", "Running", "Unknown"] {
        let before = pods.counters().projection_misses;
        put(&mut pods, "u", phase);
        assert_eq!(pods.counters().projection_misses, before, "nobody read");
        for id in &ids {
            assert_eq!(read(&mut pods, *id).len(), 1);
        }
        assert_eq!(pods.counters().projection_misses, before + 1);
    }
}

#[test]
fn first_lists_share_projections_and_a_late_reader_keeps_nothing_old() {
    let mut pods = ready(&["a", "b"], unlimited());
    let call = || masked(Dialect::V1alpha1, Method::WatchPods, "status.phase");
    let ids = [(); 3].map(|()| watch(&mut pods, call()));
    assert_eq!(read(&mut pods, ids[0]), [1, 1, 4]);
    assert_eq!(read(&mut pods, ids[1]), [1, 1, 4]);
    assert_eq!(pods.counters().projection_misses, 2);
    let bytes = pods.counters().projection_bytes;
    put(&mut pods, "a", "Failed");
    let WatchOutput::Event(event) = pods.poll_watch(ids[2]) else {
        panic!("nothing to read")
    };
    assert!(
        event.to_vec().ends_with(b"Running"),
        "the state of the instant"
    );
    assert_eq!(read(&mut pods, ids[2]), [1, 4, 2]);
    let shorter = "Running".len() - "Failed".len();
    assert_eq!(pods.counters().projection_bytes, bytes - shorter as u64);
    assert_eq!(pods.counters().projection_misses, 2 + 1 + 1);
    remove(&mut pods, "a");
    remove(&mut pods, "b");
    assert_eq!(pods.counters().projection_bytes, 0);
}

#[test]
fn scopes_with_other_masks_never_share_what_they_see() {
    let mut pods = ready(&["u"], unlimited());
    let list = |scope| Call {
        scope,
        ..masked(Dialect::V1alpha1, Method::ListPods, "metadata.name,status")
    };
    let all = answer(pods.handle_call(list(Scope::everything()), NOW));
    let less = answer(pods.handle_call(list(scope("metadata.name")), NOW));
    let again = answer(pods.handle_call(list(Scope::everything()), NOW));
    assert_eq!(all, again);
    assert_eq!(less, b"\x0a\x05\x0a\x03\x0a\x01u");
}

#[test]
fn a_change_that_a_mask_does_not_see_wakes_nobody() {
    for config in [unlimited(), coalescing()] {
        let mut pods = ready(&["u"], config);
        let id = watch(
            &mut pods,
            masked(Dialect::V1alpha1, Method::WatchPods, "metadata"),
        );
        assert_eq!(read(&mut pods, id), [1, 4]);
        while pods.poll_ready().is_some() {}
        put(&mut pods, "u", "Failed");
        assert_eq!(pods.poll_ready(), None);
        remove(&mut pods, "u");
        put(&mut pods, "u", "Failed");
        assert_eq!(
            read(&mut pods, id),
            [3, 1],
            "however little is seen of them"
        );
    }
}

#[test]
fn a_mask_that_selects_nothing_hears_of_coming_and_going() {
    let mut pods = ready(&["u"], unlimited());
    let id = watch(
        &mut pods,
        masked(Dialect::V1alpha1, Method::WatchPods, "kind"),
    );
    put(&mut pods, "u", "Failed");
    put(&mut pods, "v", "Failed");
    remove(&mut pods, "u");
    assert_eq!(read(&mut pods, id), [1, 4, 1, 3]);
}

#[test]
fn a_change_that_is_taken_back_unread_vanishes_where_events_fold() {
    let mut pods = ready(&["u"], coalescing());
    let id = watch(
        &mut pods,
        masked(Dialect::V1alpha1, Method::WatchPods, "status.phase"),
    );
    read(&mut pods, id);
    put(&mut pods, "u", "Failed");
    put(&mut pods, "u", "Unknown");
    put(&mut pods, "u", "Running");
    assert_eq!(read(&mut pods, id), []);
    put(&mut pods, "u", "Failed");
    assert_eq!(read(&mut pods, id), [2]);
    put(&mut pods, "u", "Running");
    put(&mut pods, "u", "Failed");
    assert_eq!(read(&mut pods, id), []);
    remove(&mut pods, "u");
    put(&mut pods, "u", "Failed");
    put(&mut pods, "u", "Running");
    put(&mut pods, "u", "Failed");
    assert_eq!(read(&mut pods, id), [3, 1], "a pod that is new again");
    put(&mut pods, "v", "Failed");
    put(&mut pods, "v", "Running");
    put(&mut pods, "v", "Failed");
    assert_eq!(read(&mut pods, id), [1], "a pod that was never read");
    let counters = pods.counters();
    assert_eq!(
        (
            counters.watch_events_delivered,
            counters.watch_events_coalesced
        ),
        (4, 9)
    );
}

#[test]
fn what_a_reader_knows_costs_nothing_to_remember() {
    let uids = uids(3);
    let uids: Vec<_> = uids.iter().map(String::as_str).collect();
    let mut pods = ready(&uids, coalescing());
    let long = "x".repeat(40_000);
    let id = watch(
        &mut pods,
        masked(Dialect::V1alpha1, Method::WatchPods, "status.phase"),
    );
    uids.iter().for_each(|uid| put(&mut pods, uid, &long));
    read(&mut pods, id);
    uids.iter().for_each(|uid| put(&mut pods, uid, "Failed"));
    uids.iter().for_each(|uid| put(&mut pods, uid, &long));
    assert_eq!(read(&mut pods, id), []);
}

#[test]
fn the_mask_of_the_caller_is_told_and_not_that_of_its_scope() {
    let mut pods = ready(&["u"], unlimited());
    for (mask, expected) in [
        (
            "status.pod_ips,status.phase",
            Some("status.phase,status.podIPs"),
        ),
        ("*", Some("*")),
        ("", None),
        (",", None),
    ] {
        let call = |method| Call {
            scope: scope("metadata"),
            ..masked(Dialect::Documented, method, mask)
        };
        let Reply::Answer(list) = pods.handle_call(call(Method::ListPods), NOW) else {
            panic!("no answer")
        };
        assert_eq!(list.applied_mask(), expected);
        let body = (&b"\x0a\x01u"[..]).into();
        let get = Call {
            body,
            ..call(Method::GetPod)
        };
        let Reply::Answer(get) = pods.handle_call(get, NOW) else {
            panic!("no answer")
        };
        assert_eq!(get.applied_mask(), expected);
        let id = watch(&mut pods, call(Method::WatchPods));
        assert_eq!(pods.applied_mask(id).as_deref(), expected);
        pods.handle_cancel(id);
        assert_eq!(pods.applied_mask(id), None);
    }
    let list = Call::new(Dialect::Documented, Method::ListPods, Default::default());
    let Reply::Answer(list) = pods.handle_call(list, NOW) else {
        panic!("no answer")
    };
    assert_eq!(list.applied_mask(), None);
}

#[test]
fn a_large_part_of_a_pod_is_that_of_the_event_however_late_it_is_read() {
    let uid = "u".repeat(600);
    let mask = "metadata,status.phase";
    let mut pods = ready(&[&uid], unlimited());
    let id = watch(
        &mut pods,
        masked(Dialect::V1alpha1, Method::WatchPods, mask),
    );
    assert_eq!(read(&mut pods, id), [1, 4]);
    for phase in ["Failed", "Succeeded"] {
        put(&mut pods, &uid, phase);
    }
    remove(&mut pods, &uid);
    for phase in ["Failed", "Succeeded"] {
        let WatchOutput::Event(event) = pods.poll_watch(id) else {
            panic!("no event");
        };
        let event = event.to_vec();
        assert!(event.len() > 1_200 && event.ends_with(phase.as_bytes()));
    }
    assert_eq!(read(&mut pods, id), [3]);

    let mut pods = ready(&[&uid], coalescing());
    let id = watch(
        &mut pods,
        masked(Dialect::V1alpha1, Method::WatchPods, mask),
    );
    assert_eq!(read(&mut pods, id), [1, 4]);
    for phase in ["Failed", "Running"] {
        put(&mut pods, &uid, phase);
    }
    assert_eq!(read(&mut pods, id), []);
}
