//! Field masks on the wire: in the headers of requests, and in what answers say of them.

use std::num::NonZeroU32;

use http::{HeaderMap, HeaderValue, Request};
use podsapi_core::{Code, Config, EncodedPod, SourceEvent, Uid};
use podsapi_grpc::trailers::{MAX_BLOCK_BYTES, field_bytes};
use podsapi_h2::Limits;
use podsapi_proto::{core_v1, documented, meta_v1, v1alpha1};
use prost::Message;

use crate::harness::{
    self, ADDED, Answer, Client, DELETED, GET, INITIAL_SYNC_COMPLETE, LIST, MODIFIED, Node, STATUS,
    WATCH, framed, request, unlimited,
};

const TEXT: &str = "x-kubernetes-fieldmask";
const BIN: &str = "x-kubernetes-fieldmask-bin";
const APPLIED: &str = "x-kubernetes-fieldmask-applied";
const SCHEMA: &str = "x-kubernetes-fieldmask-schema";

/// The encoded masks of one path each, padded, and one of both paths.
const PHASE: &str = "CgxzdGF0dXMucGhhc2U=";
const UID: &str = "CgxtZXRhZGF0YS51aWQ=";
const UID_AND_PHASE: &str = "CgxtZXRhZGF0YS51aWQKDHN0YXR1cy5waGFzZQ==";
const LABEL_BEYOND_ASCII: &str = "ChRtZXRhZGF0YS5sYWJlbHMuYMO8YA==";

/// A request with these lines of headers.
fn masked(path: &str, lines: &[(&'static str, &str)]) -> Request<()> {
    let mut request = request(path);
    for (name, line) in lines {
        let line =
            HeaderValue::from_bytes(line.as_bytes()).expect("a test sends no control characters");
        request.headers_mut().append(*name, line);
    }
    request
}

async fn list(client: &Client, lines: &[(&'static str, &str)]) -> Answer {
    client.send(masked(LIST, lines), &framed(b"")).await
}

fn get_b() -> Vec<u8> {
    let pod_uid = "b".into();
    framed(&v1alpha1::GetPodRequest { pod_uid }.encode_to_vec())
}

fn pods(answer: &Answer) -> Vec<Vec<u8>> {
    assert_eq!(answer.code(), Code::Ok, "{answer:?}");
    let list =
        v1alpha1::ListPodsResponse::decode(answer.messages[0].as_ref()).expect("it is a list");
    list.pods.into_iter().map(Into::into).collect()
}

fn applied(headers: &HeaderMap) -> Option<&str> {
    assert!(headers.get_all(APPLIED).iter().count() <= 1);
    let schema = headers.get(SCHEMA).map(HeaderValue::as_bytes);
    let expected = headers.get(APPLIED).map(|_| podsapi_core::mask_schema());
    assert_eq!(schema, expected.as_deref().map(str::as_bytes));
    headers
        .get(APPLIED)
        .map(|value| value.to_str().expect("fields are ASCII"))
}

/// What is left of a pod of the harness through the mask of its UID and phase.
fn uid_and_phase(uid: Option<&str>, phase: Option<&str>) -> core_v1::Pod {
    core_v1::Pod {
        metadata: uid.map(|uid| meta_v1::ObjectMeta {
            uid: Some(uid.into()),
            ..Default::default()
        }),
        status: phase.map(|phase| core_v1::PodStatus {
            phase: Some(phase.into()),
            ..Default::default()
        }),
        ..Default::default()
    }
}

/// The size of an answer's first block as clients count it.
fn block_bytes(answer: &Answer) -> usize {
    let fields = answer.headers.iter();
    fields
        .map(|(name, value)| field_bytes(name.as_str(), value.to_str().expect("fields are ASCII")))
        .sum::<usize>()
        + field_bytes(":status", "200")
}

#[tokio::test]
async fn every_method_sends_the_selected_fields_and_says_so() {
    let client = Node::small().client().await;
    let mask = [(TEXT, "status.phase,metadata.uid")];
    let canonical = Some("metadata.uid,status.phase");
    let expected = ["a", "b", "c"].map(|uid| uid_and_phase(Some(uid), Some("Running")));

    let answer = list(&client, &mask).await;
    assert_eq!(
        pods(&answer),
        expected.clone().map(|pod| pod.encode_to_vec())
    );
    assert_eq!(applied(&answer.headers), canonical);

    let answer = client.send(masked(GET, &mask), &get_b()).await;
    let got = v1alpha1::GetPodResponse::decode(answer.messages[0].as_ref()).unwrap();
    assert_eq!(got.pod, expected[1].encode_to_vec());
    assert_eq!(applied(&answer.headers), canonical);

    let mut events = client.watch(masked(WATCH, &mask)).await;
    assert_eq!(applied(&events.headers), canonical);
    for pod in &expected {
        let event = events.next().await.unwrap();
        assert_eq!(
            (event.r#type, event.pod),
            (ADDED, pod.encode_to_vec().into())
        );
    }
    let marker = events.next().await.unwrap();
    assert_eq!(marker.r#type, INITIAL_SYNC_COMPLETE);
    assert!(marker.pod.is_empty());

    let answer = client
        .send(masked("/Pods/ListPods", &mask), &framed(b""))
        .await;
    let got = documented::PodListResponse::decode(answer.messages[0].as_ref()).unwrap();
    assert_eq!(got.pods, expected.map(|pod| pod.encode_to_vec()));
    assert_eq!(applied(&answer.headers), canonical);
}

#[tokio::test]
async fn a_masked_watch_hears_of_a_pod_when_the_selected_fields_changed() {
    let node = Node::with(&[("a", 10)], Limits::default(), unlimited());
    let client = node.client().await;
    let mut phases = client.watch(masked(WATCH, &[(TEXT, "status.phase")])).await;
    let mut whole = client.watch(request(WATCH)).await;
    assert_eq!(phases.first_list().await, 1);
    assert_eq!(whole.first_list().await, 1);

    node.put("a", 20);
    node.put("a", 30);
    let mut done = core_v1::Pod::decode(&*harness::pod("a", 30)).unwrap();
    done.status.as_mut().unwrap().phase = Some("Succeeded".into());
    let pod = EncodedPod::parse(done.encode_to_vec().into()).unwrap();
    node.say(SourceEvent::Put { pod, at: 0 });
    node.put("b", 10);
    let uid = Uid::new("a");
    node.say(SourceEvent::Remove { uid, at: 0 });

    let identity = core_v1::Pod {
        metadata: Some(meta_v1::ObjectMeta {
            name: Some("pod-a".into()),
            namespace: Some("default".into()),
            uid: Some("a".into()),
            ..Default::default()
        }),
        ..Default::default()
    };
    let expected = [
        (MODIFIED, uid_and_phase(None, Some("Succeeded"))),
        (ADDED, uid_and_phase(None, Some("Running"))),
        (DELETED, identity),
    ];
    for (kind, pod) in expected {
        let event = phases.next().await.unwrap();
        let found = core_v1::Pod::decode(event.pod.as_ref()).unwrap();
        assert_eq!((event.r#type, found), (kind, pod));
    }
    for kind in [MODIFIED, MODIFIED, MODIFIED, ADDED, DELETED] {
        assert_eq!(whole.next().await.unwrap().r#type, kind);
    }
}

#[tokio::test]
async fn masks_of_all_headers_and_lines_are_united() {
    let client = Node::small().client().await;
    let unpadded = PHASE.trim_end_matches('=');
    let joined = format!("{PHASE},{UID}");
    let joined_unpadded = format!("{unpadded}, {UID}");
    let spellings: [&[(&str, &str)]; 10] = [
        &[(TEXT, "metadata.uid,status.phase")],
        &[(TEXT, "status.phase"), (TEXT, "metadata.uid")],
        &[(TEXT, " status.phase,, metadata.uid , status.phase")],
        &[(TEXT, ""), (TEXT, "metadata.uid,status.phase")],
        &[(BIN, UID_AND_PHASE)],
        &[(BIN, UID_AND_PHASE.trim_end_matches('='))],
        &[(BIN, &joined)],
        &[(BIN, &joined_unpadded)],
        &[(BIN, UID), (BIN, unpadded)],
        &[(BIN, PHASE), (TEXT, "metadata.uid")],
    ];
    for lines in spellings {
        let answer = list(&client, lines).await;
        let expected = ["a", "b", "c"].map(|uid| uid_and_phase(Some(uid), Some("Running")));
        assert_eq!(
            pods(&answer),
            expected.map(|pod| pod.encode_to_vec()),
            "{lines:?}"
        );
        let told = applied(&answer.headers);
        assert_eq!(told, Some("metadata.uid,status.phase"), "{lines:?}");
    }
}

#[tokio::test]
async fn a_mask_that_names_nothing_is_no_mask() {
    let client = Node::small().client().await;
    let whole = ["a", "b", "c"].map(|uid| harness::pod(uid, 10));
    let nothing: [&[(&str, &str)]; 5] = [
        &[],
        &[(TEXT, "")],
        &[(TEXT, ","), (TEXT, " ,")],
        &[(BIN, "")],
        &[(BIN, "CgA="), (TEXT, "")],
    ];
    for lines in nothing {
        let answer = list(&client, lines).await;
        assert_eq!(pods(&answer), whole, "{lines:?}");
        assert_eq!(applied(&answer.headers), None, "{lines:?}");
        let watch = client.watch(masked(WATCH, lines)).await;
        assert_eq!(applied(&watch.headers), None, "{lines:?}");
    }
    let answer = list(&client, &[(TEXT, "*")]).await;
    assert_eq!(pods(&answer), whole);
    assert_eq!(applied(&answer.headers), Some("*"));
}

#[tokio::test]
async fn a_bad_mask_is_refused_whether_or_not_there_are_pods() {
    let bad: [(&[(&str, &str)], &str); 5] = [
        (&[(TEXT, "status.fase")], "x-kubernetes-fieldmask: path 1"),
        (
            &[(TEXT, "status.phase"), (BIN, "CgtzdGF0dXMuZmFzZQ==")],
            "x-kubernetes-fieldmask-bin: path 2",
        ),
        (
            &[(TEXT, "status.phase"), (BIN, "!")],
            "x-kubernetes-fieldmask-bin: ",
        ),
        (&[(BIN, "Cn8=")], "x-kubernetes-fieldmask-bin: "),
        (&[(TEXT, "status.phäse")], "x-kubernetes-fieldmask: "),
    ];
    let empty = Node::with(&[], Limits::default(), unlimited());
    for node in [empty, Node::small()] {
        let client = node.client().await;
        for (lines, text) in bad {
            for path in [LIST, GET, WATCH, "/Pods/ListPods", "/Pods/WatchPods"] {
                let answer = client.send(masked(path, lines), &framed(b"")).await;
                assert_eq!(answer.code(), Code::InvalidArgument, "{path} {lines:?}");
                assert!(answer.status.message().starts_with(text), "{answer:?}");
                assert_eq!(answer.status.violations().len(), 1, "{answer:?}");
                assert_eq!(answer.status.reason(), Some("INVALID_FIELD_MASK"));
                assert!(answer.trailers_only, "{path} {lines:?}");
                assert_eq!(applied(&answer.headers), None);
            }
        }
        assert_eq!(node.server.with_pods(|pods| pods.watch_count()), 0);
    }
}

#[tokio::test]
async fn readiness_and_rate_count_before_the_mask_and_the_pod_after_it() {
    let bad = [(TEXT, "(")];
    let waiting = Node::waiting(Limits::default(), Config::default());
    let client = waiting.client().await;
    for path in [LIST, GET, WATCH] {
        let answer = client.send(masked(path, &bad), &framed(b"")).await;
        assert_eq!(answer.code(), Code::FailedPrecondition, "{path}");
    }

    let config = Config {
        qps: 1,
        burst: NonZeroU32::MIN,
        ..Config::default()
    };
    let client = Node::with(&[], Limits::default(), config).client().await;
    assert_eq!(list(&client, &bad).await.code(), Code::InvalidArgument);
    assert_eq!(list(&client, &bad).await.code(), Code::ResourceExhausted);
    let answer = client.send(masked(WATCH, &bad), &framed(b"")).await;
    assert_eq!(answer.code(), Code::InvalidArgument);

    let client = Node::with(&[], Limits::default(), unlimited())
        .client()
        .await;
    let answer = client.send(masked(GET, &bad), &get_b()).await;
    assert_eq!(answer.code(), Code::InvalidArgument);
    let answer = client
        .send(masked(GET, &[(TEXT, "status.phase")]), &get_b())
        .await;
    assert_eq!(answer.code(), Code::NotFound);
    assert_eq!(applied(&answer.headers), None, "nothing was projected");
}

#[tokio::test]
async fn five_hundred_bad_paths_are_told_within_the_bound_of_a_block() {
    let client = Node::small().client().await;
    let mask: Vec<_> = (0..500).map(|n| format!("status.p{n:03}")).collect();
    let mask = mask.join(",");
    for path in [LIST, GET, WATCH] {
        let request = masked(path, &[(TEXT, &mask)]);
        let answer = client.send(request, &framed(b"")).await;
        assert_eq!(answer.code(), Code::InvalidArgument);
        assert!(answer.trailers_only);
        let told = answer.status.violations();
        assert_eq!(told[0].field, "status.p000");
        assert!(told.len() > 8, "only {} are told", told.len());
        assert!(answer.status.message().len() <= 1_024);
        let size = block_bytes(&answer);
        assert!(size <= MAX_BLOCK_BYTES, "{size} bytes");
    }
}

#[tokio::test]
async fn a_mask_of_too_many_bytes_is_an_invalid_argument() {
    let client = Node::small().client().await;
    let line = "metadata.labels.k,".repeat(240);
    let answer = list(&client, &[(TEXT, &line), (TEXT, &line)]).await;
    assert_eq!(answer.code(), Code::InvalidArgument, "{answer:?}");
    let text = answer.status.message();
    assert!(
        text.contains("expected at most 8192 bytes, found 8640"),
        "{text}"
    );
    assert_eq!(list(&client, &[]).await.code(), Code::Ok);
}

#[tokio::test]
async fn a_mask_that_no_header_should_carry_back_is_told_by_a_word() {
    let client = Node::small().client().await;
    let keys = |keys: std::ops::Range<u32>| {
        let keys: Vec<_> = keys
            .map(|key| format!("metadata.labels.k{key:03}"))
            .collect();
        keys.join(",")
    };
    let fitting = keys(0..97);
    let answer = list(&client, &[(TEXT, &fitting)]).await;
    assert_eq!(applied(&answer.headers), Some(&*fitting));
    assert!(block_bytes(&answer) <= MAX_BLOCK_BYTES);

    for lines in [(TEXT, &*keys(0..98)), (BIN, LABEL_BEYOND_ASCII)] {
        let answer = list(&client, &[lines]).await;
        assert_eq!(pods(&answer).len(), 3);
        assert_eq!(applied(&answer.headers), Some("applied"), "{lines:?}");
        let watch = client.watch(masked(WATCH, &[lines])).await;
        assert_eq!(applied(&watch.headers), Some("applied"), "{lines:?}");
    }
}

#[tokio::test]
async fn metrics_tell_which_projections_were_kept() {
    let node = Node::small();
    let client = node.client().await;
    let metric = |name: &str| {
        let page = node.server.metrics_text();
        let line = page.lines().find_map(|line| line.strip_prefix(name));
        line.unwrap_or_else(|| panic!("no {name} in {page}"))
            .trim()
            .parse::<u64>()
            .unwrap()
    };
    assert_eq!(metric("podsapi_projection_masks "), 0);
    list(&client, &[(TEXT, "status.phase")]).await;
    assert_eq!(metric("podsapi_projection_misses_total "), 3);
    assert_eq!(metric("podsapi_projection_hits_total "), 0);
    node.put("b", 20);
    list(&client, &[(BIN, PHASE)]).await;
    assert_eq!(metric("podsapi_projection_misses_total "), 4);
    assert_eq!(metric("podsapi_projection_hits_total "), 2);
    assert_eq!(metric("podsapi_projection_masks "), 1);
    assert!(metric("podsapi_projection_bytes ") > 0);
    assert_eq!(metric("podsapi_projection_evictions_total "), 0);
}

#[tokio::test]
async fn diagnostics_do_not_look_at_masks() {
    let client = Node::small().client().await;
    let request = masked(STATUS, &[(TEXT, "((("), (BIN, "!")]);
    let answer = client.send(request, &framed(b"")).await;
    assert_eq!(answer.code(), Code::Ok);
    assert_eq!(applied(&answer.headers), None);
}
