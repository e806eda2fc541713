//! The typed calls against a server that a test scripts.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::server::{Answer, Asked, details, framed, pod, serve, socket, soon};
use bytes::Bytes;
use podsapi_client::{
    Client, ClientError, ClientOptions, Code, ConnectErrorKind, Dialect, Event, EventKind, Status,
    TransportError,
};
use podsapi_proto::{core_v1, diagnostics, documented, google_rpc, meta_v1, v1alpha1, well_known};
use prost::Message;

async fn asked(
    options: ClientOptions,
    script: impl Fn(&Asked) -> Answer + Send + Sync + 'static,
) -> (Client, (tempfile::TempDir, crate::server::Server)) {
    let (directory, path) = socket();
    let server = serve(&path, script);
    (
        soon(Client::connect(path, options)).await.unwrap(),
        (directory, server),
    )
}

fn refused<T: std::fmt::Debug>(result: Result<T, ClientError>) -> Status {
    match result {
        Err(ClientError::Refused(status)) => status,
        other => panic!("expected a status, found {other:?}"),
    }
}

fn list_of(pods: Vec<Bytes>) -> Answer {
    Answer::Messages(vec![framed(&v1alpha1::ListPodsResponse { pods })])
}

#[tokio::test]
async fn a_list_keeps_the_bytes_of_each_pod() {
    // An unknown field stays.
    let odd = [pod("a", "a").encode_to_vec(), b"\xf8\x7f\x01".to_vec()].concat();
    let sent = vec![Bytes::from(odd), Bytes::new()];
    let answer = sent.clone();
    let (client, _server) = asked(ClientOptions::default(), move |asked| {
        assert_eq!(asked.uri(), "http://localhost/v1alpha1.Pods/ListPods");
        assert_eq!(asked.headers()["te"], "trailers");
        assert_eq!(asked.body().as_ref(), [0, 0, 0, 0, 0]);
        list_of(answer.clone())
    })
    .await;
    assert_eq!(soon(client.list()).await.unwrap(), sent);
}

#[tokio::test]
async fn a_get_sends_the_uid_in_either_dialect() {
    for (dialect, path) in [
        (Dialect::V1alpha1, "/v1alpha1.Pods/GetPod"),
        (Dialect::Documented, "/Pods/GetPod"),
    ] {
        let options = ClientOptions {
            dialect,
            ..ClientOptions::default()
        };
        let (client, _server) = asked(options, move |asked| {
            assert_eq!(asked.uri().path(), path);
            let request = v1alpha1::GetPodRequest::decode(asked.body().slice(5..)).unwrap();
            assert_eq!(request.pod_uid, "a-1");
            let pod = pod("a-1", "a").encode_to_vec().into();
            Answer::Messages(vec![framed(&documented::PodGetResponse { pod })])
        })
        .await;
        assert_eq!(
            soon(client.get("a-1")).await.unwrap(),
            pod("a-1", "a").encode_to_vec()
        );
    }
}

#[tokio::test]
async fn a_refusal_carries_code_text_and_details() {
    let request = google_rpc::BadRequest {
        field_violations: vec![google_rpc::bad_request::FieldViolation {
            field: "spec.x".to_owned(),
            description: "no such field".to_owned(),
            ..Default::default()
        }],
    };
    let pair = ("zone".to_owned(), "b".to_owned());
    let info = google_rpc::ErrorInfo {
        reason: "BUSY".to_owned(),
        domain: "a.test".to_owned(),
        metadata: [pair.clone()].into(),
    };
    let delay = google_rpc::RetryInfo {
        retry_delay: Some(well_known::Duration {
            seconds: 1,
            nanos: 500_000_000,
        }),
    };
    let details = details(&[
        ("BadRequest", &request.encode_to_vec()),
        ("Help", b"\xff"),
        ("ErrorInfo", &info.encode_to_vec()),
        ("RetryInfo", &delay.encode_to_vec()),
    ]);
    for answer in [
        Answer::Refuse(3, "bad %25 mask", Some(details)),
        Answer::ThenRefuse(3, "bad %25 mask", details),
    ] {
        let (client, _server) = asked(ClientOptions::default(), move |_| answer.clone()).await;
        let error = soon(client.list()).await.unwrap_err();
        assert_eq!(error.retry_after(), Some(Duration::from_millis(1_500)));
        let status = refused::<()>(Err(error));
        assert_eq!(
            (status.code(), status.message()),
            (Code::InvalidArgument, "bad % mask")
        );
        assert_eq!(status.violations()[0].field, "spec.x");
        assert_eq!(status.violations()[0].description, "no such field");
        assert_eq!(
            (status.reason(), status.domain(), status.metadata()),
            (Some("BUSY"), Some("a.test"), &[pair.clone()][..])
        );
    }
}

#[tokio::test]
async fn a_refusal_of_a_megabyte_is_one_of_that_call_alone() {
    let text: &'static str = "x".repeat(1 << 20).leak();
    let (client, _server) = asked(ClientOptions::default(), move |asked| {
        match asked.uri().path().ends_with("ListPods") {
            true => Answer::ThenRefuse(13, text, ""),
            false => Answer::Messages(vec![framed(&v1alpha1::GetPodResponse::default())]),
        }
    })
    .await;
    let status = refused(soon(client.list()).await);
    assert_eq!(
        (status.code(), status.message().len()),
        (Code::Internal, 1 << 20)
    );
    soon(client.get("a")).await.unwrap();
}

#[tokio::test]
async fn answers_that_break_the_rules_become_statuses() {
    let message = || framed(&v1alpha1::ListPodsResponse::default());
    for (answer, expected) in [
        (Answer::Http(404), Code::Unimplemented),
        (Answer::Http(503), Code::Unavailable),
        (Answer::Messages(vec![]), Code::Internal),
        (Answer::Messages(vec![message(), message()]), Code::Internal),
        (
            Answer::Messages(vec![Bytes::from_static(&[0, 0, 0, 0, 9, 1])]),
            Code::Internal,
        ),
        (
            Answer::Messages(vec![Bytes::from_static(&[0, 0, 0, 0, 1, 255])]),
            Code::Internal,
        ),
        (Answer::Then(vec![message()], 8), Code::ResourceExhausted),
        (Answer::Reset(h2::Reason::REFUSED_STREAM), Code::Unavailable),
        (
            Answer::Reset(h2::Reason::ENHANCE_YOUR_CALM),
            Code::ResourceExhausted,
        ),
    ] {
        let scripted = answer.clone();
        let (client, _server) = asked(ClientOptions::default(), move |_| scripted.clone()).await;
        assert_eq!(
            refused(soon(client.list()).await).code(),
            expected,
            "{answer:?}"
        );
    }
}

#[tokio::test]
async fn an_answer_over_the_limit_is_refused_and_one_at_the_limit_is_not() {
    let large = vec![Bytes::from(vec![0; 6 << 20])];
    let size = v1alpha1::ListPodsResponse {
        pods: large.clone(),
    }
    .encoded_len();
    for (limit, fits) in [(size, true), (size - 1, false)] {
        let options = ClientOptions {
            max_message_bytes: limit,
            ..ClientOptions::default()
        };
        let pods = large.clone();
        let (client, _server) = asked(options, move |_| list_of(pods.clone())).await;
        let listed = soon(client.list()).await;
        if fits {
            assert_eq!(listed.unwrap()[0].len(), 6 << 20);
        } else {
            assert_eq!(refused(listed).code(), Code::ResourceExhausted);
        }
    }
}

#[tokio::test]
async fn a_deadline_is_told_to_the_server_and_kept_here() {
    let seen = Arc::new(Mutex::new(None));
    let told = Arc::clone(&seen);
    // Long enough for the question to arrive on a busy machine.
    let deadline = Some(Duration::from_secs(1));
    let options = ClientOptions {
        deadline,
        ..ClientOptions::default()
    };
    let (client, _server) = asked(options, move |asked| {
        *told.lock().unwrap() = asked.headers().get("grpc-timeout").cloned();
        Answer::Never
    })
    .await;
    assert_eq!(
        refused(soon(client.list()).await).code(),
        Code::DeadlineExceeded
    );
    assert_eq!(seen.lock().unwrap().as_ref().unwrap(), "1000000u");
}

#[tokio::test]
async fn a_watch_tells_events_until_its_status() {
    use v1alpha1::EventType;
    let event = |kind: i32, pod: &core_v1::Pod| {
        framed(&v1alpha1::WatchPodsEvent {
            r#type: kind,
            pod: pod.encode_to_vec().into(),
        })
    };
    let a = pod("a", "a");
    let messages = vec![
        event(EventType::Added.into(), &a),
        event(
            EventType::InitialSyncComplete.into(),
            &core_v1::Pod::default(),
        ),
        event(EventType::Modified.into(), &a),
        event(77, &a),
        event(EventType::Deleted.into(), &a),
    ];
    let (client, _server) = asked(ClientOptions::default(), move |_| {
        Answer::Then(messages.clone(), 14)
    })
    .await;
    let mut watch = soon(client.watch()).await.unwrap();
    let pod = Bytes::from(a.encode_to_vec());
    for (kind, pod) in [
        (EventKind::Added, pod.clone()),
        (EventKind::InitialSyncComplete, Bytes::new()),
        (EventKind::Modified, pod.clone()),
        (EventKind::Modified, pod.clone()),
        (EventKind::Deleted, pod),
    ] {
        assert_eq!(soon(watch.next()).await.unwrap(), Some(Event { kind, pod }));
    }
    assert_eq!(refused(soon(watch.next()).await).code(), Code::Unavailable);
}

#[tokio::test]
async fn a_documented_watch_tells_deletions_from_terminating_pods() {
    let mut terminating = pod("a", "a");
    let metadata = terminating.metadata.as_mut().unwrap();
    metadata.deletion_timestamp = Some(meta_v1::Time::default());
    metadata.deletion_grace_period_seconds = Some(0);
    let deleted = terminating.clone();
    terminating.spec = Some(core_v1::PodSpec::default());
    let message = |pod: core_v1::Pod| {
        framed(&documented::PodWatchResponse {
            pod: pod.encode_to_vec().into(),
        })
    };
    let messages = vec![message(terminating), message(deleted)];
    let options = ClientOptions {
        dialect: Dialect::Documented,
        ..ClientOptions::default()
    };
    let (client, _server) = asked(options, move |_| Answer::Hang(messages.clone())).await;
    let mut watch = soon(client.watch()).await.unwrap();
    let mut kinds = Vec::new();
    for _ in 0..2 {
        kinds.push(soon(watch.next()).await.unwrap().unwrap().kind);
    }
    assert_eq!(kinds, [EventKind::Modified, EventKind::Deleted]);
}

#[tokio::test]
async fn a_connection_that_breaks_under_a_call_is_no_status() {
    let (client, (_directory, server)) =
        asked(ClientOptions::default(), |_| Answer::Hang(vec![])).await;
    let mut watch = soon(client.watch()).await.unwrap();
    drop(server);
    assert!(matches!(
        soon(watch.next()).await,
        Err(ClientError::Transport(_))
    ));
    assert!(matches!(
        soon(client.list()).await,
        Err(ClientError::Transport(_))
    ));
}

#[tokio::test]
async fn calls_go_on_while_a_watch_is_not_read() {
    let event = framed(&v1alpha1::WatchPodsEvent {
        r#type: 2,
        pod: vec![0; 1 << 20].into(),
    });
    let (client, _server) = asked(ClientOptions::default(), move |asked| {
        match asked.uri().path() {
            "/v1alpha1.Pods/WatchPods" => Answer::Hang(vec![event.clone(); 12]),
            _ => list_of(vec![Bytes::from(vec![0; 8 << 20])]),
        }
    })
    .await;
    let mut watch = soon(client.watch()).await.unwrap();
    assert_eq!(soon(client.list()).await.unwrap().len(), 1);
    for _ in 0..12 {
        assert_eq!(
            soon(watch.next()).await.unwrap().unwrap().pod.len(),
            1 << 20
        );
    }
}

#[tokio::test]
async fn why_there_is_no_connection_is_told_apart() {
    let (directory, path) = socket();
    let fails = async |path| {
        let error = soon(Client::connect(path, ClientOptions::default()))
            .await
            .unwrap_err();
        assert!(error.to_string().contains("cannot connect to"), "{error}");
        error.kind()
    };
    assert_eq!(fails(path.clone()).await, ConnectErrorKind::Missing);
    let file = directory.path().join("file");
    std::fs::write(&file, "").unwrap();
    assert_eq!(fails(file).await, ConnectErrorKind::NotASocket);
    drop(tokio::net::UnixListener::bind(&path).unwrap());
    assert_eq!(fails(path).await, ConnectErrorKind::Dead);
    assert_eq!(
        fails(directory.path().join("x".repeat(200))).await,
        ConnectErrorKind::PathTooLong
    );
}

/// Time stands still but where nothing else is left to do, so the pings come at once.
#[tokio::test(start_paused = true)]
async fn a_server_that_answers_no_ping_is_dead() {
    let (_directory, path) = socket();
    let silent = tokio::net::UnixListener::bind(&path).unwrap();
    let client = Client::connect(&path, ClientOptions::default())
        .await
        .unwrap();
    let (_connection, _) = silent.accept().await.unwrap();
    let started = tokio::time::Instant::now();
    let error = client.watch().await.unwrap_err();
    assert!(
        matches!(error, ClientError::Transport(TransportError::PingTimeout)),
        "{error}"
    );
    assert_eq!(error.code(), Code::Unavailable);
    assert!(started.elapsed() >= Duration::from_secs(330));
}

#[tokio::test]
async fn the_status_is_what_the_server_says_of_itself() {
    let said = diagnostics::GetStatusResponse {
        ready: true,
        pods: 7,
        ..diagnostics::GetStatusResponse::default()
    };
    let answer = framed(&said);
    let (client, _server) = asked(ClientOptions::default(), move |asked| {
        assert_eq!(asked.uri().path(), "/podsapi.v1.Diagnostics/GetStatus");
        Answer::Messages(vec![answer.clone()])
    })
    .await;
    assert_eq!(soon(client.status()).await.unwrap(), said);
}

#[tokio::test]
async fn a_server_that_answers_is_asked_again_and_again_and_does_not_hang() {
    let (counting, mut counted) = tokio::sync::watch::channel(0_u32);
    let (client, _server) = asked(ClientOptions::default(), move |asked| {
        assert_eq!(asked.uri().path(), "/grpc.health.v1.Health/Check");
        counting.send_modify(|count| *count += 1);
        Answer::Messages(vec![])
    })
    .await;
    let asked_thrice = soon(counted.wait_for(|&count| count >= 3));
    tokio::select! {
        () = client.hung(Duration::from_millis(200)) => { panic!("it answers") }
        asked = asked_thrice => assert!(asked.is_ok()),
    }
}
