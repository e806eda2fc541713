//! Tests of what calls are told, with the texts and the order of checks.

use core::num::NonZeroU32;

use bytes::Bytes;

use super::*;
use crate::call::{Dialect, Method, PeerKey};
use crate::call::{MaskRequest, Namespaces, Scope};
use crate::config::{SlowWatch, SourceConfig, SourceKind};
use crate::mask::FieldMask;
use crate::pod::{EncodedPod, Uid};
use crate::sample::{pod, pod_in_phase, status};
use crate::status::Code;
use crate::wire::put_bytes;

pub(super) const NOW: Moment = Moment::ORIGIN;

pub(super) fn service(sources: &[(&str, SourceKind)], config: Config) -> Pods {
    let sources = sources
        .iter()
        .map(|(name, kind)| SourceConfig::new(*name, *kind))
        .collect();
    Pods::new(Config { sources, ..config }, NOW)
}

/// Returns a service whose only source has completed a list of these pods.
pub(super) fn ready(uids: &[&str], config: Config) -> Pods {
    let mut pods = service(&[("s", SourceKind::Snapshot)], config);
    list(&mut pods, "s", uids);
    pods
}

pub(super) fn list(pods: &mut Pods, source: &str, uids: &[&str]) {
    say(pods, source, SourceEvent::Begin);
    uids.iter().for_each(|uid| {
        say(
            pods,
            source,
            SourceEvent::Put {
                pod: pod(uid),
                at: 0,
            },
        )
    });
    say(pods, source, SourceEvent::Complete { at: 0 });
}

pub(super) fn say(pods: &mut Pods, source: &str, event: SourceEvent) {
    let source = pods.source(source).unwrap();
    pods.handle_source(source, event, NOW).unwrap();
}

fn call(pods: &mut Pods, method: Method, body: impl Into<Bytes>) -> Reply {
    pods.handle_call(Call::new(Dialect::V1alpha1, method, body.into()), NOW)
}

fn get(pods: &mut Pods, uid: &str) -> Reply {
    let mut body = Vec::new();
    put_bytes(1, uid.as_bytes(), &mut body);
    call(pods, Method::GetPod, body)
}

pub(super) fn answer(reply: Reply) -> Vec<u8> {
    match reply {
        Reply::Answer(message) => message.to_vec(),
        other @ (Reply::Watch(_) | Reply::Refuse(_)) => {
            panic!("expected an answer, found {other:?}")
        }
    }
}

fn refusal(reply: Reply) -> (Code, String) {
    match reply {
        Reply::Refuse(status) => (status.code(), status.message().into()),
        other @ (Reply::Answer(_) | Reply::Watch(_)) => {
            panic!("expected a refusal, found {other:?}")
        }
    }
}

fn watch(pods: &mut Pods) -> WatchId {
    match call(pods, Method::WatchPods, "") {
        Reply::Watch(id) => id,
        other @ (Reply::Answer(_) | Reply::Refuse(_)) => {
            panic!("expected a watch, found {other:?}")
        }
    }
}

pub(super) fn unlimited() -> Config {
    Config {
        qps: 0,
        ..Config::default()
    }
}

#[test]
fn not_ready_names_the_sources_that_are_missing_on_every_method() {
    let mut pods = service(
        &[
            ("files", SourceKind::Manifests),
            ("api", SourceKind::Apiserver),
        ],
        Config::default(),
    );
    let text = "Kubelet is initializing: waiting for files, api";
    for method in Method::ALL {
        let told = refusal(call(&mut pods, method, ""));
        assert_eq!(told, (Code::FailedPrecondition, text.into()));
    }
    list(&mut pods, "files", &[]);
    let text = "Kubelet is initializing: waiting for api";
    assert_eq!(refusal(get(&mut pods, "u")).1, text);
}

#[test]
fn calls_before_the_first_sync_cost_no_token() {
    let mut pods = service(&[("s", SourceKind::Snapshot)], Config::default());
    for _ in 0..50 {
        call(&mut pods, Method::ListPods, "");
    }
    list(&mut pods, "s", &[]);
    for _ in 0..10 {
        answer(call(&mut pods, Method::ListPods, ""));
    }
    let told = refusal(call(&mut pods, Method::ListPods, ""));
    assert_eq!(
        told,
        (Code::ResourceExhausted, "rejected by rate limit".into())
    );
    watch(&mut pods);
    assert_eq!(pods.counters().rate_limited, 1);
}

#[test]
fn the_gate_stays_open_when_a_source_is_lost() {
    let mut pods = ready(&["u"], unlimited());
    say(&mut pods, "s", SourceEvent::Lost);
    assert!(!answer(get(&mut pods, "u")).is_empty());
    say(&mut pods, "s", SourceEvent::Begin);
    assert!(!answer(get(&mut pods, "u")).is_empty());
}

#[test]
fn a_list_has_every_pod_in_both_dialects() {
    let mut pods = ready(&["b", "a"], unlimited());
    let mut expected = Vec::new();
    put_bytes(1, pod("a").bytes(), &mut expected);
    put_bytes(1, pod("b").bytes(), &mut expected);
    for dialect in Dialect::ALL {
        let call = Call::new(dialect, Method::ListPods, Bytes::new());
        assert_eq!(answer(pods.handle_call(call, NOW)), expected);
    }
}

#[test]
fn an_empty_list_is_an_answer() {
    assert_eq!(
        answer(call(&mut ready(&[], unlimited()), Method::ListPods, "")),
        b""
    );
}

#[test]
fn a_pod_that_is_not_there_is_named_safely() {
    let mut pods = ready(&["u"], unlimited());
    let told = |uid: &str, pods: &mut Pods| {
        let (code, text) = refusal(get(pods, uid));
        assert_eq!(code, Code::NotFound);
        text
    };
    assert_eq!(told("v", &mut pods), "pod with UID v not found");
    assert_eq!(told("", &mut pods), "pod with UID  not found");
    assert_eq!(
        told("a\n\\ü", &mut pods),
        "pod with UID a\\u{a}\\\\\\u{fc} not found"
    );
    let long = told(&"x".repeat(1 << 20), &mut pods);
    assert_eq!(
        long,
        alloc::format!("pod with UID {}... not found", "x".repeat(64))
    );
}

#[test]
fn unknown_fields_of_requests_are_passed_over_and_the_last_uid_counts() {
    let mut pods = ready(&["u"], unlimited());
    let mut body = Vec::new();
    put_bytes(1, b"v", &mut body);
    put_bytes(77, b"later", &mut body);
    put_bytes(1, b"u", &mut body);
    assert!(!answer(call(&mut pods, Method::GetPod, body)).is_empty());
    assert!(!answer(call(&mut pods, Method::ListPods, &b"\x0a\x01?\x10\x01"[..])).is_empty());
}

#[test]
fn a_request_that_cannot_be_decoded_is_internal() {
    let mut pods = ready(&["u"], unlimited());
    for method in Method::ALL {
        assert_eq!(
            refusal(call(&mut pods, method, &b"\x0a\x05u"[..])).0,
            Code::Internal
        );
    }
    let wrong_type = call(&mut pods, Method::GetPod, &b"\x08\x01"[..]);
    assert_eq!(refusal(wrong_type).0, Code::Internal);
}

#[test]
fn a_uid_that_is_not_utf_8_is_asked_for_as_it_is_read() {
    let mut pods = ready(&["u"], unlimited());
    let body = &b"\x0a\x02v\xff"[..];
    let told = refusal(call(&mut pods, Method::GetPod, body));
    assert_eq!(told.0, Code::Internal, "a request is refused, as in Go");
    let bytes = &b"\x0a\x04\x2a\x02v\xff"[..];
    let pod = EncodedPod::parse(bytes.into()).unwrap();
    say(&mut pods, "s", SourceEvent::Put { pod, at: 0 });
    let id = watch(&mut pods);
    let found = answer(get(&mut pods, "v\u{fffd}"));
    assert!(found.ends_with(b"\x1a\x09\x0a\x07Pending"), "{found:?}");
    let uid = Uid::new("v\u{fffd}");
    say(&mut pods, "s", SourceEvent::Remove { uid, at: 0 });
    let mut last = Vec::new();
    while let WatchOutput::Event(event) = pods.poll_watch(id) {
        last = event.to_vec();
    }
    assert_eq!(last, b"\x08\x03\x12\x06\x0a\x04\x2a\x02v\xff", "as it came");
}

#[test]
fn a_wrong_mask_is_told_before_a_wrong_request_and_after_the_rate() {
    let one = NonZeroU32::MIN;
    let mut pods = ready(
        &["u"],
        Config {
            burst: one,
            ..Config::default()
        },
    );
    let masked = || Call {
        mask: MaskRequest::new(FieldMask::parse("status.fase").unwrap()),
        ..Call::new(
            Dialect::V1alpha1,
            Method::GetPod,
            Bytes::from_static(b"\x0a"),
        )
    };
    let Reply::Refuse(status) = pods.handle_call(masked(), NOW) else {
        panic!()
    };
    assert_eq!(status.code(), Code::InvalidArgument);
    assert_eq!(status.violations().len(), 1);
    assert_eq!(
        refusal(pods.handle_call(masked(), NOW)).0,
        Code::ResourceExhausted
    );
}

#[test]
fn a_masked_watch_is_told_of_selected_changes_only() {
    let mut pods = ready(&["u"], unlimited());
    let call = Call {
        mask: MaskRequest::new(FieldMask::parse("metadata.name").unwrap()),
        ..Call::new(Dialect::V1alpha1, Method::WatchPods, Bytes::new())
    };
    let Reply::Watch(id) = pods.handle_call(call, NOW) else {
        panic!()
    };
    let read = |pods: &mut Pods| match pods.poll_watch(id) {
        WatchOutput::Event(event) => event.to_vec(),
        WatchOutput::Idle | WatchOutput::End(_) => Vec::new(),
    };
    assert_eq!(read(&mut pods), b"\x08\x01\x12\x05\x0a\x03\x0a\x01u");
    assert_eq!(read(&mut pods), b"\x08\x04");
    say(
        &mut pods,
        "s",
        SourceEvent::Put {
            pod: pod_in_phase("u", "Failed"),
            at: 0,
        },
    );
    assert_eq!(read(&mut pods), b"");
    say(
        &mut pods,
        "s",
        SourceEvent::Remove {
            uid: Uid::new("u"),
            at: 0,
        },
    );
    let identity = b"\x08\x03\x12\x0b\x0a\x09\x0a\x01u\x1a\x01n\x2a\x01u";
    assert_eq!(
        read(&mut pods),
        identity,
        "a deletion has its identity whatever the mask"
    );
}

#[test]
fn a_peer_sees_the_namespaces_of_its_scope_only() {
    let mut pods = ready(&["u"], unlimited());
    let scope = Scope {
        namespaces: Namespaces::Only(["other".into()].into()),
        ..Scope::default()
    };
    for method in [Method::GetPod, Method::ListPods] {
        let body = if method == Method::GetPod {
            &b"\x0a\x01u"[..]
        } else {
            b""
        };
        let call = Call {
            scope: scope.clone(),
            ..Call::new(Dialect::V1alpha1, method, body.into())
        };
        match pods.handle_call(call, NOW) {
            Reply::Answer(message) => assert!(message.is_empty()),
            reply @ (Reply::Watch(_) | Reply::Refuse(_)) => {
                assert_eq!(refusal(reply).0, Code::NotFound);
            }
        }
    }
}

#[test]
fn a_slow_watch_is_told_to_watch_again() {
    let config = Config {
        watch_buffer: NonZeroU32::MIN,
        ..unlimited()
    };
    let mut pods = ready(&[], config);
    let id = watch(&mut pods);
    assert!(matches!(pods.poll_watch(id), WatchOutput::Event(_)));
    for uid in ["a", "b"] {
        say(
            &mut pods,
            "s",
            SourceEvent::Put {
                pod: pod(uid),
                at: 0,
            },
        );
    }
    assert!(matches!(pods.poll_watch(id), WatchOutput::Event(_)));
    let WatchOutput::End(status) = pods.poll_watch(id) else {
        panic!()
    };
    assert_eq!(status.code(), Code::ResourceExhausted);
    assert!(
        status.message().contains("watch again"),
        "{}",
        status.message()
    );
}

#[test]
fn the_end_of_the_server_ends_watches_and_refuses_new_ones() {
    let mut pods = ready(&["u"], unlimited());
    let id = watch(&mut pods);
    pods.handle_shutdown();
    let WatchOutput::End(status) = pods.poll_watch(id) else {
        panic!()
    };
    assert_eq!(status.code(), Code::Unavailable);
    let (code, text) = refusal(call(&mut pods, Method::WatchPods, ""));
    assert_eq!(
        (code, &*text),
        (Code::Unavailable, "the server is shutting down")
    );
}

#[test]
fn a_call_that_comes_after_the_end_of_the_server_was_announced_is_answered() {
    let mut pods = ready(&["u"], unlimited());
    let before = [
        answer(get(&mut pods, "u")),
        answer(call(&mut pods, Method::ListPods, "")),
    ];
    pods.handle_shutdown();
    let after = [
        answer(get(&mut pods, "u")),
        answer(call(&mut pods, Method::ListPods, "")),
    ];
    assert_eq!(before, after);
    assert_eq!(refusal(get(&mut pods, "v")).0, Code::NotFound);
}

#[test]
fn there_are_no_more_watches_than_the_limit() {
    let mut pods = ready(
        &[],
        Config {
            max_watches: NonZeroU32::MIN,
            ..unlimited()
        },
    );
    let id = watch(&mut pods);
    let (code, text) = refusal(call(&mut pods, Method::WatchPods, ""));
    assert_eq!(code, Code::ResourceExhausted);
    assert!(text.contains("1 watches are open"), "{text}");
    assert_eq!(pods.counters().watches_refused, 1);
    pods.handle_cancel(id);
    watch(&mut pods);
}

#[test]
fn one_peer_has_a_quarter_of_the_watches_where_peers_are_told_apart() {
    let config = Config {
        fair_peers: Some(NonZeroU32::MIN),
        max_watches: NonZeroU32::new(8).unwrap(),
        ..unlimited()
    };
    let mut pods = ready(&[], config);
    let mut open = |peer| {
        let call = Call {
            peer: Some(PeerKey::new(peer)),
            ..Call::new(Dialect::V1alpha1, Method::WatchPods, Bytes::new())
        };
        let opened = matches!(pods.handle_call(call, NOW), Reply::Watch(_));
        (opened, pods.counters().watches_refused)
    };
    assert_eq!(
        [open(1), open(1), open(1)],
        [(true, 0), (true, 0), (false, 1)]
    );
    assert_eq!(open(2), (true, 1));
}

#[test]
fn calls_are_counted_by_what_became_of_them() {
    let mut pods = service(&[("s", SourceKind::Snapshot)], unlimited());
    call(&mut pods, Method::ListPods, "");
    list(&mut pods, "s", &["u"]);
    call(&mut pods, Method::ListPods, "");
    get(&mut pods, "u");
    get(&mut pods, "v");
    let id = watch(&mut pods);
    let count = |pods: &Pods| -> Vec<_> { pods.counters().all_requests().collect() };
    let unary = [
        (Dialect::V1alpha1, Method::GetPod, Code::Ok, 1),
        (Dialect::V1alpha1, Method::GetPod, Code::NotFound, 1),
        (Dialect::V1alpha1, Method::ListPods, Code::Ok, 1),
        (
            Dialect::V1alpha1,
            Method::ListPods,
            Code::FailedPrecondition,
            1,
        ),
    ];
    assert_eq!(count(&pods), unary, "a watch is counted when it ends");
    pods.handle_cancel(id);
    assert_eq!(
        count(&pods)[4],
        (Dialect::V1alpha1, Method::WatchPods, Code::Cancelled, 1)
    );
}

#[test]
fn the_kind_of_a_source_decides_and_not_its_place() {
    let kinds = [
        ("api", SourceKind::Apiserver),
        ("files", SourceKind::Manifests),
    ];
    let mut pods = service(&kinds, unlimited());
    list(&mut pods, "api", &["u"]);
    list(&mut pods, "files", &["u"]);
    let conflicts = pods.conflicts();
    let conflicts: Vec<_> = conflicts
        .map(|c| (c.served, c.shadowed, c.same_name))
        .collect();
    assert_eq!(conflicts, [("files", "api", true)]);
    let shadowed: Vec<_> = pods.sources().map(|view| view.counts.shadowed).collect();
    assert_eq!(
        (shadowed, pods.counters().conflicts),
        (alloc::vec![1, 0], 1)
    );
}

#[test]
fn a_source_of_local_status_speaks_for_what_runs_here() {
    let kinds = [("s", SourceKind::Snapshot), ("cri", SourceKind::Cri)];
    let mut pods = service(&kinds, unlimited());
    list(&mut pods, "s", &["u"]);
    list(&mut pods, "cri", &[]);
    let event = SourceEvent::Status {
        uid: Uid::new("u"),
        status: status("Failed"),
        at: 0,
    };
    say(&mut pods, "cri", event);
    let mut expected = Vec::new();
    put_bytes(1, pod_in_phase("u", "Failed").bytes(), &mut expected);
    assert_eq!(answer(get(&mut pods, "u")), expected);
}

#[test]
fn a_name_that_repeats_is_left_out_and_a_foreign_id_is_refused() {
    let mut pods = service(
        &[("s", SourceKind::Snapshot), ("s", SourceKind::Cri)],
        unlimited(),
    );
    assert_eq!(pods.sources().len(), 1);
    let foreign = SourceId(7);
    let error = pods.handle_source(foreign, SourceEvent::Begin, NOW);
    assert_eq!(error, Err(SourceError::UnknownSource));
    assert_eq!(pods.counters().source_errors, 1);
}

#[test]
fn a_watch_that_coalesces_never_ends_for_being_slow() {
    let config = Config {
        slow_watch: SlowWatch::Coalesce,
        watch_buffer: NonZeroU32::MIN,
        ..unlimited()
    };
    let mut pods = ready(&[], config);
    let id = watch(&mut pods);
    for round in 0..1_000 {
        let phase = if round % 2 == 0 { "Running" } else { "Failed" };
        say(
            &mut pods,
            "s",
            SourceEvent::Put {
                pod: pod_in_phase("u", phase),
                at: 0,
            },
        );
    }
    assert_eq!(pods.queued_events(), 1_000);
    let events = core::iter::from_fn(|| match pods.poll_watch(id) {
        WatchOutput::Event(event) => Some(event),
        WatchOutput::Idle | WatchOutput::End(_) => None,
    });
    assert_eq!(events.count(), 2, "the marker, and the pod");
    assert_eq!((pods.queued_events(), pods.is_watch_over(id)), (0, false));
}
