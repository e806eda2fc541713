//! A channel's calls of services that are not the Pods API.

use std::time::Duration;

use bytes::Bytes;
use podsapi_client::{Channel, ChannelOptions, ClientError, Code, ConnectErrorKind};
use podsapi_proto::cri;
use prost::Message;
use tokio::net::{UnixSocket, UnixStream};

use crate::server::{Answer, Asked, Server, framed, serve, socket, soon};

async fn channel(
    script: impl Fn(&Asked) -> Answer + Send + Sync + 'static,
) -> (Channel, (tempfile::TempDir, Server)) {
    let (directory, path) = socket();
    let server = serve(&path, script);
    let options = ChannelOptions {
        connect_timeout: Duration::from_secs(60),
        keepalive: None,
        max_message_bytes: 100,
    };
    let channel = soon(Channel::connect(path, options)).await.unwrap();
    (channel, (directory, server))
}

fn named(name: &str) -> Bytes {
    framed(&cri::VersionResponse {
        runtime_name: name.to_owned(),
        ..cri::VersionResponse::default()
    })
}

fn code<T: std::fmt::Debug>(result: Result<T, ClientError>) -> Code {
    result.unwrap_err().code()
}

#[tokio::test]
async fn a_socket_whose_queue_is_full_is_tried_again_until_there_is_room() {
    let (_directory, path) = socket();
    let listener = UnixSocket::new_stream().unwrap();
    listener.bind(&path).unwrap();
    let listener = listener.listen(1).unwrap();
    let mut queue = Vec::new();
    let full = loop {
        match UnixStream::connect(&path).await {
            Ok(stream) => queue.push(stream),
            Err(full) => break full,
        }
    };
    assert_eq!(full.kind(), std::io::ErrorKind::WouldBlock);
    let options = |connect_timeout| ChannelOptions {
        connect_timeout,
        keepalive: None,
        max_message_bytes: 100,
    };
    let error = Channel::connect(&path, options(Duration::from_millis(20))).await;
    assert_eq!(error.unwrap_err().kind(), ConnectErrorKind::Timeout);
    let connecting = Channel::connect(&path, options(Duration::from_secs(60)));
    let accepting = async {
        loop {
            tokio::time::sleep(Duration::from_millis(20)).await;
            queue.push(listener.accept().await.unwrap().0);
        }
    };
    tokio::select! {
        connected = connecting => drop(connected.unwrap()),
        () = accepting => {}
    }
}

#[tokio::test]
async fn a_unary_call_carries_its_path_its_message_and_its_deadline() {
    let (channel, _server) = channel(|asked| {
        assert_eq!(
            asked.uri(),
            "http://localhost/runtime.v1.RuntimeService/Version"
        );
        assert_eq!(asked.headers()["grpc-timeout"], "60000000u");
        assert_eq!(asked.body().as_ref(), b"\0\0\0\0\x02\x0a\0");
        Answer::Messages(vec![named("fake")])
    })
    .await;
    let path = "/runtime.v1.RuntimeService/Version";
    let calling = channel.unary(path, b"\x0a\0", Some(Duration::from_secs(60)));
    let answer = cri::VersionResponse::decode(soon(calling).await.unwrap()).unwrap();
    assert_eq!(answer.runtime_name, "fake");
}

#[tokio::test]
async fn a_unary_call_ends_at_its_deadline_and_at_the_limit_of_its_answer() {
    let (channel, _server) = channel(|asked| match asked.uri().path() {
        "/a.A/Never" => Answer::Never,
        _large => Answer::Messages(vec![named(&"x".repeat(101))]),
    })
    .await;
    let deadline = Some(Duration::from_millis(20));
    let never = soon(channel.unary("/a.A/Never", &[], deadline)).await;
    assert_eq!(code(never), Code::DeadlineExceeded);
    let large = soon(channel.unary("/a.A/Large", &[], None)).await;
    assert_eq!(code(large), Code::ResourceExhausted);
}

#[tokio::test]
async fn a_stream_hands_on_each_message_and_then_its_end() {
    let (channel, _server) = channel(|asked| match asked.uri().path() {
        "/a.A/Good" => Answer::Messages(vec![named("a"), named("b")]),
        "/a.A/Bad" => Answer::Then(vec![named("a")], 14),
        _unknown => Answer::Refuse(12, "unknown", None),
    })
    .await;
    let mut good = soon(channel.stream("/a.A/Good", &[])).await.unwrap();
    for name in ["a", "b"] {
        let message = soon(good.next()).await.unwrap().unwrap();
        assert_eq!(message, named(name).slice(5..));
    }
    assert_eq!(soon(good.next()).await.unwrap(), None);

    let mut bad = soon(channel.stream("/a.A/Bad", &[])).await.unwrap();
    assert!(soon(bad.next()).await.unwrap().is_some());
    assert_eq!(code(soon(bad.next()).await), Code::Unavailable);

    let none = soon(channel.stream("/a.A/None", &[])).await;
    assert_eq!(code(none), Code::Unimplemented);
}
