//! Calls that are answered, refused, cut short or broken.

use std::{sync::atomic::Ordering, time::Duration};

use bytes::Bytes;
use http::Request;
use podsapi_core::{Code, Config};
use podsapi_h2::Limits;
use podsapi_proto::{diagnostics, v1alpha1};
use prost::Message;

use crate::harness::{self, GET, LIST, Node, STATUS, WATCH, framed, request, unlimited, until};

const REFLECTION: &str = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";

pub(crate) fn get(uid: &str) -> Vec<u8> {
    v1alpha1::GetPodRequest {
        pod_uid: uid.into(),
    }
    .encode_to_vec()
}

#[tokio::test]
async fn a_list_has_every_pod_in_one_message() {
    let client = Node::small().client().await;
    let answer = client.call(LIST, b"").await;
    assert_eq!((answer.http_status, answer.code()), (200, Code::Ok));
    assert_eq!(answer.headers["content-type"], "application/grpc");
    let [message] = &answer.messages[..] else {
        panic!("{answer:?}")
    };
    let list = v1alpha1::ListPodsResponse::decode(message.as_ref()).unwrap();
    let expected = ["a", "b", "c"].map(|uid| harness::pod(uid, 10));
    assert_eq!(list.pods, expected);
}

#[tokio::test]
async fn a_pod_is_found_by_its_uid_or_not_found() {
    let client = Node::small().client().await;
    let answer = client.call(GET, &get("b")).await;
    assert_eq!((answer.code(), answer.messages.len()), (Code::Ok, 1));
    let answer = client.call(GET, &get("zz")).await;
    assert_eq!(answer.code(), Code::NotFound);
    assert_eq!(answer.status.message(), "pod with UID zz not found");
    assert!(answer.trailers_only);
}

#[tokio::test]
async fn both_dialects_are_served() {
    let client = Node::small().client().await;
    let answer = client.call("/Pods/ListPods", b"").await;
    assert_eq!(answer.code(), Code::Ok);
    let list = podsapi_proto::documented::PodListResponse::decode(answer.messages[0].as_ref());
    assert_eq!(list.unwrap().pods.len(), 3);
}

#[tokio::test]
async fn diagnostics_answer_before_the_server_is_ready_and_cost_no_rate() {
    let node = Node::waiting(
        Limits::default(),
        Config {
            qps: 1,
            ..Config::default()
        },
    );
    node.server
        .source_problem(node.source, Some("no such file".into()));
    let client = node.client().await;
    assert_eq!(
        client.call(LIST, b"").await.code(),
        Code::FailedPrecondition
    );
    for _ in 0..50 {
        let answer = client.call(STATUS, b"").await;
        assert_eq!(answer.code(), Code::Ok);
        let status = diagnostics::GetStatusResponse::decode(answer.messages[0].as_ref()).unwrap();
        assert_eq!((status.ready, status.connections), (false, 1));
        assert_eq!(status.waiting_for, ["test"]);
        assert_eq!(status.sources[0].last_error, "no such file");
    }
}

#[tokio::test]
async fn refused_requests_say_why_in_one_block() {
    let client = Node::small().client().await;
    let uri = format!("http://localhost{LIST}");
    let json = Request::post(&uri)
        .header("content-type", "application/json")
        .body(())
        .unwrap();
    let answer = client.send(json, &framed(b"")).await;
    assert_eq!((answer.http_status, answer.code()), (415, Code::Unknown));
    assert!(answer.trailers_only);

    let put = Request::put(&uri)
        .header("content-type", "application/grpc")
        .body(())
        .unwrap();
    let answer = client.send(put, &framed(b"")).await;
    assert_eq!((answer.http_status, answer.code()), (405, Code::Internal));
    assert_eq!(answer.headers["allow"], "POST");

    let answer = client.call("/v1alpha1.Pods/Nope", b"").await;
    assert_eq!(
        (answer.http_status, answer.code()),
        (200, Code::Unimplemented)
    );
    assert_eq!(
        answer.status.message(),
        "unknown method Nope for service v1alpha1.Pods"
    );

    let mut odd = request(LIST);
    odd.headers_mut()
        .insert("grpc-encoding", "zstd".parse().unwrap());
    let answer = client.send(odd, &framed(b"")).await;
    assert_eq!(answer.code(), Code::Unimplemented);
    assert_eq!(answer.headers["grpc-accept-encoding"], "identity,gzip");
}

#[tokio::test]
async fn broken_messages_are_refused_by_their_kind() {
    let limits = Limits {
        max_request_bytes: 100,
        ..Limits::default()
    };
    let client = Node::with(&[], limits, unlimited()).client().await;
    let two = [framed(b""), framed(b"")].concat();
    let large = framed(&[0; 101]);
    let cases: [(&[u8], Code); 7] = [
        (b"", Code::Unimplemented),
        (&two, Code::Unimplemented),
        (b"\0\0\0", Code::Internal),
        (b"\0\0\0\0\x09ab", Code::Internal),
        (b"\x01\0\0\0\0", Code::Internal),
        (&large, Code::ResourceExhausted),
        (b"\0\0\0\0\x01\xff", Code::Internal),
    ];
    for (body, code) in cases {
        for path in [LIST, GET, WATCH, STATUS] {
            let answer = client.send(request(path), body).await;
            assert_eq!(answer.code(), code, "{path} {body:?}");
        }
    }
    let answer = client.send(request(LIST), &large).await;
    assert_eq!(
        answer.status.message(),
        "received message larger than max (101 vs. 100)"
    );
    assert_eq!(client.call(LIST, b"").await.code(), Code::Ok);
}

#[tokio::test(start_paused = true)]
async fn a_request_may_arrive_byte_by_byte_and_end_in_an_empty_frame() {
    let client = Node::small().client().await;
    let mut requests = client.requests.clone().ready().await.unwrap();
    let (response, mut stream) = requests.send_request(request(GET), false).unwrap();
    for byte in framed(&get("a")) {
        stream
            .send_data(Bytes::copy_from_slice(&[byte]), false)
            .unwrap();
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    stream.send_data(Bytes::new(), true).unwrap();
    assert_eq!(harness::Answer::read(response).await.code(), Code::Ok);
    assert_eq!(client.call(LIST, b"").await.code(), Code::Ok);
}

#[tokio::test(start_paused = true)]
async fn a_request_that_never_ends_is_given_up() {
    let node = Node::small();
    let client = node.client().await;
    let mut requests = client.requests.clone().ready().await.unwrap();
    let (response, mut stream) = requests.send_request(request(GET), false).unwrap();
    stream
        .send_data(Bytes::from_static(b"\0\0\0"), false)
        .unwrap();
    let answer = harness::Answer::read(response).await;
    assert_eq!(answer.code(), Code::DeadlineExceeded);
    assert_eq!(client.call(LIST, b"").await.code(), Code::Ok);
}

#[tokio::test(start_paused = true)]
async fn a_refusal_does_not_wait_for_a_client_that_keeps_its_side_open() {
    let client = Node::small().client().await;
    let began = tokio::time::Instant::now();
    let mut requests = client.requests.clone().ready().await.unwrap();
    let (response, _stream) = requests.send_request(request("/x.Y/Z"), false).unwrap();
    assert_eq!(
        harness::Answer::read(response).await.code(),
        Code::Unimplemented
    );
    assert!(began.elapsed() < Duration::from_secs(1));
}

#[tokio::test(start_paused = true)]
async fn a_deadline_ends_a_call_with_its_own_code() {
    let node = Node::small();
    let client = node.client().await;
    let mut unknown = b"\x0a\x03".to_vec();
    unknown.extend(b"x.Y");
    for (path, body) in [
        (LIST, framed(b"")),
        (GET, framed(&get("a"))),
        (WATCH, framed(b"")),
        (STATUS, framed(b"")),
        ("/grpc.health.v1.Health/Check", framed(b"")),
        ("/grpc.health.v1.Health/Check", framed(&unknown)),
        ("/grpc.health.v1.Health/List", framed(b"")),
        ("/grpc.health.v1.Health/Watch", framed(b"")),
        // A stream of no questions, and one of a question.
        (REFLECTION, Vec::new()),
        (REFLECTION, framed(b"\x3a\x01*")),
    ] {
        let mut late = request(path);
        late.headers_mut()
            .insert("grpc-timeout", "0n".parse().unwrap());
        let answer = client.send(late, &body).await;
        assert_eq!(answer.code(), Code::DeadlineExceeded, "{path} {body:?}");
        assert!(answer.messages.is_empty(), "{path} {body:?}");
    }

    let mut watch = request(WATCH);
    watch
        .headers_mut()
        .insert("grpc-timeout", "2S".parse().unwrap());
    let mut events = client.watch(watch).await;
    assert_eq!(events.first_list().await, 3);
    let began = tokio::time::Instant::now();
    assert_eq!(
        events.next().await.unwrap_err().code(),
        Code::DeadlineExceeded
    );
    assert!(began.elapsed() <= Duration::from_secs(3));
    until(|| node.server.with_pods(|pods| pods.watch_count()) == 0).await;
    let metrics = node.server.metrics_text();
    let line = r#"kubelet_pod_requests_watch_total{server_api_version="v1alpha1",status_code="DeadlineExceeded"} 2"#;
    assert!(metrics.contains(line), "{metrics}");
}

#[tokio::test(start_paused = true)]
async fn a_question_that_does_not_come_in_time_is_counted_unless_the_deadline_was_earlier() {
    let limits = Limits {
        reflection_idle_timeout: Duration::from_secs(5),
        ..Limits::default()
    };
    let node = Node::with(&[], limits, unlimited());
    let client = node.client().await;
    let counted = r#"podsapi_calls_refused_total{reason="question_time"}"#;
    for (timeout, count) in [("3S", 0), ("7S", 1), ("7S", 2)] {
        let mut ask = request(REFLECTION);
        let value = timeout.parse().unwrap();
        ask.headers_mut().insert("grpc-timeout", value);
        let mut requests = client.requests.clone().ready().await.unwrap();
        let (response, _silent) = requests.send_request(ask, false).unwrap();
        let answer = harness::Answer::read(response).await;
        assert_eq!(answer.code(), Code::DeadlineExceeded, "{timeout}");
        let line = format!("\n{counted} {count}\n");
        assert!(node.server.metrics_text().contains(&line), "{timeout}");
    }
}

#[tokio::test]
async fn a_bug_in_a_call_is_internal_for_that_call_only() {
    let node = Node::small();
    let client = node.client().await;
    let mut events = client.watch(request(WATCH)).await;
    assert_eq!(events.first_list().await, 3);

    // Only a call whose request does not end at once sets a timer.
    node.runtime.broken.store(true, Ordering::SeqCst);
    let mut requests = client.requests.clone().ready().await.unwrap();
    let (response, _unfinished) = requests.send_request(request(LIST), false).unwrap();
    let answer = harness::Answer::read(response).await;
    assert_eq!(answer.code(), Code::Internal);
    assert!(!node.runtime.broken.load(Ordering::SeqCst));

    assert_eq!(client.call(LIST, b"").await.code(), Code::Ok);
    node.put("d", 1);
    assert_eq!(events.next().await.unwrap().r#type, harness::ADDED);
    assert!(
        node.server
            .metrics_text()
            .contains("podsapi_calls_panicked_total 1")
    );
}

#[tokio::test]
async fn a_panic_under_the_lock_leaves_the_server_usable() {
    let node = Node::small();
    let server = node.server.clone();
    let failed = tokio::spawn(async move { server.with_pods(|_pods| panic!("on purpose")) });
    assert!(failed.await.unwrap_err().is_panic());
    assert_eq!(node.client().await.call(LIST, b"").await.code(), Code::Ok);
}

#[tokio::test]
async fn hundreds_of_concurrent_calls_on_one_connection_all_succeed() {
    let node = Node::small();
    let mut builder = h2::client::Builder::new();
    // As clients for gRPC do: the library counts small answers that were not read yet against it.
    builder.initial_connection_window_size(4 << 20);
    let client = node.client_with(&builder).await;
    let mut calls = Vec::new();
    for _ in 0..600 {
        let requests = client.requests.clone();
        calls.push(tokio::spawn(async move {
            let mut requests = requests.ready().await.unwrap();
            let (response, mut stream) = requests.send_request(request(GET), false).unwrap();
            // The end of the request has a frame of its own, as some clients send it.
            stream.send_data(framed(&get("a")).into(), false).unwrap();
            stream.send_data(Bytes::new(), true).unwrap();
            harness::Answer::read(response).await.code()
        }));
    }
    for call in calls {
        assert_eq!(call.await.unwrap(), Code::Ok);
    }
}

#[tokio::test]
async fn calls_beyond_the_limit_are_refused() {
    let limits = Limits {
        max_calls: 1,
        calls_kept_per_connection: 1,
        ..Limits::default()
    };
    let node = Node::with(&[], limits, unlimited());
    let client = node.client().await;
    let mut events = client.watch(request(WATCH)).await;
    events.first_list().await;
    assert_eq!(client.call(LIST, b"").await.code(), Code::ResourceExhausted);
    let counted = "\npodsapi_calls_refused_total{reason=\"calls\"} 1\n";
    assert!(node.server.metrics_text().contains(counted));
    drop(events);
    until(|| node.server.with_pods(|pods| pods.watch_count()) == 0).await;
    until(|| node.server.metrics_text().contains("podsapi_calls 0\n")).await;
    assert_eq!(client.call(LIST, b"").await.code(), Code::Ok);
}

#[tokio::test]
async fn request_bytes_beyond_the_budget_are_refused() {
    let limits = Limits {
        max_request_bytes_in_flight: 20,
        ..Limits::default()
    };
    let node = Node::with(&[], limits, unlimited());
    let client = node.client().await;
    let answer = client.call(GET, &get(&"u".repeat(1_040))).await;
    assert_eq!(answer.code(), Code::ResourceExhausted);
    let answer = client.call(GET, &get(&"u".repeat(1_010))).await;
    assert_eq!(answer.code(), Code::NotFound, "the first KiB is free");
    let counted = "\npodsapi_calls_refused_total{reason=\"request_bytes\"} 1\n";
    assert!(node.server.metrics_text().contains(counted));
}

#[tokio::test]
async fn the_end_of_each_call_is_counted_once() {
    let node = Node::small();
    let client = node.client().await;
    client.call(LIST, b"").await;
    client.call(LIST, b"").await;
    client.call(GET, &get("zz")).await;
    let watch = client.watch(request(WATCH)).await;
    drop(watch);
    until(|| node.server.metrics_text().contains("podsapi_calls 0\n")).await;
    let metrics = node.server.metrics_text();
    for line in [
        r#"kubelet_pod_requests_total{server_api_version="v1alpha1",status_code="OK"} 2"#,
        r#"kubelet_pod_requests_total{server_api_version="v1alpha1",status_code="NotFound"} 1"#,
        r#"kubelet_pod_requests_total{server_api_version="v1alpha1",status_code="Canceled"} 1"#,
        r#"podsapi_request_seconds_count{method="ListPods"} 2"#,
        "podsapi_connections 1",
        r#"podsapi_source_state{source="test",kind="simulated",state="live"} 1"#,
    ] {
        assert!(
            metrics.lines().any(|found| found == line),
            "{line}\n{metrics}"
        );
    }
}

#[tokio::test]
async fn a_request_larger_than_its_window_is_read() {
    let limits = Limits {
        max_request_bytes: 200_000,
        connection_window_bytes: 65_535,
        ..Limits::default()
    };
    let client = Node::with(&[("a", 10)], limits, unlimited()).client().await;
    // Field 2 is unknown to this version and holds most of the bytes.
    let mut message = get("a");
    message.extend([0x12, 0xf0, 0x93, 0x09]);
    message.resize(message.len() + 150_000, 7);
    for _ in 0..3 {
        let answer = client.call(GET, &message);
        let answer = tokio::time::timeout(Duration::from_secs(60), answer).await;
        assert_eq!(answer.unwrap().code(), Code::Ok);
    }
}

#[tokio::test(start_paused = true)]
async fn a_refusal_waits_a_moment_for_the_end_of_the_request() {
    let client = Node::small().client().await;
    let began = tokio::time::Instant::now();
    let mut requests = client.requests.clone().ready().await.unwrap();
    let (response, mut stream) = requests.send_request(request("/x.Y/Z"), false).unwrap();
    tokio::time::sleep(Duration::from_millis(100)).await;
    stream.send_data(framed(b"").into(), true).unwrap();
    let answer = harness::Answer::read(response).await;
    assert_eq!(answer.code(), Code::Unimplemented);
    assert!(began.elapsed() >= Duration::from_millis(100));
    assert!(began.elapsed() < Duration::from_millis(200));
}

#[tokio::test]
async fn thousands_of_refused_calls_do_not_use_a_connection_up() {
    let node = Node::waiting(Limits::default(), unlimited());
    let client = node.client().await;
    for round in 0..3_000 {
        let path = if round % 2 == 0 { "/x.Y/Z" } else { LIST };
        let mut requests = client.requests.clone().ready().await.unwrap();
        let (response, mut stream) = requests.send_request(request(path), false).unwrap();
        stream.send_data(framed(b"").into(), false).unwrap();
        stream.send_data(Bytes::new(), true).unwrap();
        let expected = [Code::Unimplemented, Code::FailedPrecondition][round % 2];
        assert_eq!(harness::Answer::read(response).await.code(), expected);
    }
}

#[tokio::test(start_paused = true)]
async fn calls_that_come_together_are_all_begun_before_any_has_said_anything() {
    let node = Node::small();
    let client = node.client().await;
    // The first answer tells that the client knows how many streams there may be.
    assert_eq!(client.call(LIST, b"").await.code(), Code::Ok);
    let begun = tokio::time::Instant::now();
    let mut requests = client.requests.clone().ready().await.unwrap();
    let calls: Vec<_> = (0..150)
        .map(|_| requests.send_request(request(GET), false).unwrap())
        .collect();
    until(|| node.server.metrics_text().contains("\npodsapi_calls 150\n")).await;
    assert!(begun.elapsed() < Duration::from_millis(100));
    drop(calls);
}
