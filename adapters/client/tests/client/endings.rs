//! How answers end: whole, in the middle of a message, or by a reset.

use std::time::Duration;

use bytes::Bytes;
use podsapi_client::{Client, ClientError, ClientOptions, Code, EventKind};
use podsapi_proto::v1alpha1;
use prost::Message;

use crate::server::{Answer, Server, framed, pod, serve, socket, soon};

async fn answered(answer: Answer) -> (Client, (tempfile::TempDir, Server)) {
    let (directory, path) = socket();
    let server = serve(&path, move |_| answer.clone());
    let client = soon(Client::connect(path, ClientOptions::default())).await;
    (client.unwrap(), (directory, server))
}

fn added(uid: &str) -> Bytes {
    framed(&v1alpha1::WatchPodsEvent {
        r#type: v1alpha1::EventType::Added.into(),
        pod: pod(uid, uid).encode_to_vec().into(),
    })
}

#[tokio::test]
async fn a_watch_that_ends_inside_a_message_has_not_ended_well() {
    let whole = added("b");
    for cut in [1, 4, 5, 6, whole.len() - 1] {
        let messages = vec![added("a"), whole.slice(..cut)];
        let (client, _server) = answered(Answer::Messages(messages)).await;
        let mut watch = soon(client.watch()).await.unwrap();
        let event = soon(watch.next()).await.unwrap().unwrap();
        assert_eq!(event.kind, EventKind::Added);
        let Err(ClientError::Refused(status)) = soon(watch.next()).await else {
            panic!("cut at {cut}, and taken as an end");
        };
        assert_eq!(status.code(), Code::Internal);
        assert_eq!(
            status.message(),
            "the answer ended in the middle of a message"
        );
    }
}

#[tokio::test]
async fn a_watch_that_ends_behind_a_message_has_ended_well() {
    for messages in [vec![], vec![added("a")], vec![added("a"), added("b")]] {
        let told = messages.len();
        let (client, _server) = answered(Answer::Messages(messages)).await;
        let mut watch = soon(client.watch()).await.unwrap();
        for _ in 0..told {
            assert!(soon(watch.next()).await.unwrap().is_some());
        }
        assert_eq!(soon(watch.next()).await.unwrap(), None);
    }
}

#[tokio::test]
async fn a_list_that_is_cut_is_told_as_cut() {
    let list = framed(&v1alpha1::ListPodsResponse {
        pods: vec![pod("a", "a").encode_to_vec().into()],
    });
    for cut in [1, 5, list.len() - 1] {
        let (client, _server) = answered(Answer::Messages(vec![list.slice(..cut)])).await;
        let error = soon(client.list()).await.unwrap_err();
        assert!(error.to_string().contains("middle of a message"), "{error}");
    }
}

#[tokio::test]
async fn a_reset_means_what_grpc_says_of_its_reason() {
    for (reason, code) in [
        (h2::Reason::NO_ERROR, Code::Internal),
        (h2::Reason::PROTOCOL_ERROR, Code::Internal),
        (h2::Reason::INTERNAL_ERROR, Code::Internal),
        (h2::Reason::REFUSED_STREAM, Code::Unavailable),
        (h2::Reason::CANCEL, Code::Cancelled),
        (h2::Reason::ENHANCE_YOUR_CALM, Code::ResourceExhausted),
        (h2::Reason::INADEQUATE_SECURITY, Code::PermissionDenied),
    ] {
        let (client, _server) = answered(Answer::Reset(reason)).await;
        let Err(ClientError::Refused(status)) = soon(client.list()).await else {
            panic!("{reason:?} is no status");
        };
        assert_eq!(status.code(), code, "{reason:?}");
        assert!(status.message().contains(reason.description()));
    }
}

#[tokio::test]
async fn any_answer_is_a_sign_of_life_and_none_in_time_is_not() {
    let patience = Duration::from_millis(50);
    for answer in [
        Answer::Messages(vec![]),
        Answer::Refuse(12, "no such service", None),
        Answer::Reset(h2::Reason::CANCEL),
        Answer::Http(404),
    ] {
        let (client, _server) = answered(answer).await;
        soon(client.probe(Duration::from_secs(20))).await.unwrap();
    }
    let (client, _server) = answered(Answer::Never).await;
    let Err(ClientError::Refused(status)) = soon(client.probe(patience)).await else {
        panic!("silence is no answer");
    };
    assert_eq!(status.code(), Code::DeadlineExceeded);
    soon(client.hung(patience)).await;
}

#[tokio::test]
async fn a_silent_server_hangs_after_just_the_time_that_it_has() {
    let (client, _server) = answered(Answer::Never).await;
    tokio::time::pause();
    let began = tokio::time::Instant::now();
    let vigilance = Duration::from_secs(20);
    client.hung(vigilance).await;
    // The clock is the test's own; its timers are rounded up to milliseconds.
    let late = began.elapsed() - vigilance;
    assert!(late < Duration::from_millis(10), "{late:?}");
}
