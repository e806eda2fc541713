//! Tests of what callers see while a whole list is taken.

use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;

use bytes::Bytes;

use super::tests::{NOW, answer, list, ready, say, service, unlimited};
use super::*;
use crate::call::{Dialect, Method};
use crate::sample::pod_in_phase;
use crate::wire::put_bytes;

fn uids(count: usize) -> Vec<String> {
    (0..count)
        .map(|number| alloc::format!("{number:04}"))
        .collect()
}

fn call(pods: &mut Pods, method: Method, body: impl Into<Bytes>) -> Reply {
    pods.handle_call(Call::new(Dialect::V1alpha1, method, body.into()), NOW)
}

fn get(pods: &mut Pods, uid: &str) -> Reply {
    let mut body = Vec::new();
    put_bytes(1, uid.as_bytes(), &mut body);
    call(pods, Method::GetPod, body)
}

fn watch(pods: &mut Pods) -> WatchId {
    match call(pods, Method::WatchPods, Bytes::new()) {
        Reply::Watch(id) => id,
        other @ (Reply::Answer(_) | Reply::Refuse(_)) => panic!("no watch: {other:?}"),
    }
}

/// Reads all that there is and returns the types of the events.
fn read(pods: &mut Pods, id: WatchId) -> Vec<u8> {
    let mut types = Vec::new();
    while let WatchOutput::Event(event) = pods.poll_watch(id) {
        types.push(event.to_vec()[1]);
    }
    types
}

/// Says a list of these pods in this phase up to its end, and begins to take it.
fn begin(pods: &mut Pods, uids: &[String], phase: &str) -> bool {
    say(pods, "s", SourceEvent::Begin);
    for uid in uids {
        let pod = pod_in_phase(uid, phase);
        say(pods, "s", SourceEvent::Put { pod, at: 0 });
    }
    let source = pods.source("s").unwrap();
    let complete = SourceEvent::Complete { at: 0 };
    pods.begin_source(source, complete, NOW).unwrap()
}

fn roomy() -> Config {
    Config {
        watch_buffer: core::num::NonZeroU32::new(10_000).unwrap(),
        ..unlimited()
    }
}

#[test]
fn a_list_is_seen_by_nobody_before_all_of_it_is_taken() {
    let former = uids(1_000);
    let names: Vec<_> = former.iter().map(String::as_str).collect();
    let mut pods = ready(&names, roomy());
    let early = watch(&mut pods);
    assert_eq!(read(&mut pods, early).len(), 1_001);
    while pods.poll_ready().is_some() {}
    let before = answer(call(&mut pods, Method::ListPods, Bytes::new()));

    // Half of them go, the others change, and as many are new.
    let newest: Vec<_> = uids(1_500).split_off(500);
    assert!(begin(&mut pods, &newest, "Failed"));
    let mut late = None;
    let mut parts = 1;
    loop {
        assert_eq!(
            answer(call(&mut pods, Method::ListPods, Bytes::new())),
            before
        );
        assert!(matches!(get(&mut pods, "0000"), Reply::Answer(_)));
        assert!(answer(get(&mut pods, "0500")).ends_with(b"Running"));
        assert!(matches!(get(&mut pods, "1400"), Reply::Refuse(_)));
        assert_eq!((pods.pod_count(), pods.poll_ready()), (1_000, None));
        assert_eq!(read(&mut pods, early), []);
        late.get_or_insert_with(|| watch(&mut pods));
        while pods.poll_ready().is_some() {}
        if !pods.resume_source() {
            break;
        }
        parts += 1;
    }
    assert!(parts > 10, "{parts}");
    assert_eq!(pods.poll_ready(), Some(early));
    let events = read(&mut pods, early);
    let kinds = [3, 2, 1].map(|kind| events.iter().filter(|event| **event == kind).count());
    assert_eq!(kinds, [500, 500, 500]);
    assert!(
        events[..500].iter().all(|event| *event == 3),
        "who went comes first"
    );
    let events = read(&mut pods, late.unwrap());
    assert_eq!(events[..1_000], [1; 1_000], "the list of its beginning");
    assert_eq!(events[1_000], 4);
    assert_eq!(events[1_001..].len(), 1_500);
    assert!(matches!(get(&mut pods, "0000"), Reply::Refuse(_)));
    assert!(answer(get(&mut pods, "1400")).ends_with(b"Failed"));
    assert_eq!(pods.pod_count(), 1_000);
}

#[test]
fn what_comes_after_a_list_comes_after_it() {
    let former = uids(500);
    let names: Vec<_> = former.iter().map(String::as_str).collect();
    for last in [false, true] {
        let mut pods = ready(&names, roomy());
        assert!(begin(&mut pods, &former, "Failed"));
        if last {
            pods.handle_shutdown();
        } else {
            let pod = pod_in_phase("0000", "Unknown");
            say(&mut pods, "s", SourceEvent::Put { pod, at: 0 });
            assert!(answer(get(&mut pods, "0000")).ends_with(b"Unknown"));
        }
        assert!(answer(get(&mut pods, "0499")).ends_with(b"Failed"));
        assert!(!pods.resume_source());
    }
}

#[test]
fn a_first_list_opens_the_gate_when_all_of_it_is_taken() {
    let mut pods = service(&[("s", crate::config::SourceKind::Snapshot)], roomy());
    let mut more = begin(&mut pods, &uids(600), "Running");
    while more {
        assert!(!pods.readiness().is_ready());
        more = pods.resume_source();
    }
    assert!(pods.readiness().is_ready());
    let mut again = ready(&[], roomy());
    list(&mut again, "s", &["a"]);
    assert_eq!(again.pod_count(), 1);
}

#[test]
fn stuck_watches_are_cut_off_a_part_at_a_time() {
    let mut pods = ready(&[], unlimited());
    let ids: Vec<_> = (0..1_000).map(|_| watch(&mut pods)).collect();
    for id in &ids {
        assert_eq!(read(&mut pods, *id), [4]);
    }
    while pods.poll_ready().is_some() {}
    let mut more = begin(&mut pods, &uids(120), "Running");
    let mut open = BTreeSet::from([pods.watch_count()]);
    while more {
        more = pods.resume_source();
        open.insert(pods.watch_count());
    }
    assert_eq!(pods.watch_count(), 0);
    assert!(open.len() > 10, "{open:?}");
    assert_eq!(pods.counters().watch_events_dropped, 20 * 1_000);
}
