//! An upstream whose watches a test leads by the hand.

use std::path::Path;

use bytes::{BufMut, Bytes, BytesMut};
use h2::SendStream;
use h2::server::SendResponse;
use http::{HeaderMap, Response};
use podsapi_proto::core_v1::Pod;
use podsapi_proto::meta_v1::ObjectMeta;
use podsapi_proto::v1alpha1::{EventType, WatchPodsEvent};
use prost::Message;
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::mpsc;
use tokio::task::{JoinHandle, JoinSet};

/// A running upstream; dropped, it is gone with its connections.
pub(super) struct Upstream {
    accepting: JoinHandle<()>,
    calls: mpsc::UnboundedReceiver<Call>,
}

impl Drop for Upstream {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

impl Upstream {
    /// Listens at `path`, in place of what is there.
    pub(super) fn at(path: &Path) -> Self {
        let _absent = std::fs::remove_file(path);
        let listener = UnixListener::bind(path).unwrap();
        let (sender, calls) = mpsc::unbounded_channel();
        let accepting = tokio::spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                connections.spawn(connection(stream, sender.clone()));
            }
        });
        Self { accepting, calls }
    }

    /// Waits for the next call.
    pub(super) async fn call(&mut self) -> Call {
        let call = tokio::time::timeout(std::time::Duration::from_secs(20), self.calls.recv());
        call.await.expect("a call comes").expect("it listens")
    }

    /// Waits for the next watch and accepts it.
    pub(super) async fn watch(&mut self) -> Watch {
        let mut call = self.call().await;
        assert_eq!(call.path, "/v1alpha1.Pods/WatchPods");
        let head = head().body(()).unwrap();
        let stream = call.respond.send_response(head, false).unwrap();
        Watch { stream }
    }
}

async fn connection(stream: UnixStream, calls: mpsc::UnboundedSender<Call>) {
    let Ok(mut connection) = h2::server::handshake(stream).await else {
        return;
    };
    while let Some(Ok((request, respond))) = connection.accept().await {
        let path = request.uri().path().to_owned();
        assert!(!request.headers().contains_key("x-kubernetes-fieldmask-bin"));
        let _test_over = calls.send(Call { path, respond });
    }
}

fn head() -> http::response::Builder {
    Response::builder().header("content-type", "application/grpc")
}

/// A call that was not answered yet.
pub(super) struct Call {
    pub(super) path: String,
    respond: SendResponse<Bytes>,
}

impl Call {
    pub(super) fn refuse(mut self, code: u16, text: &str) {
        let head = head()
            .header("grpc-status", code)
            .header("grpc-message", text);
        let head = head.body(()).unwrap();
        self.respond.send_response(head, true).unwrap();
    }
}

/// An accepted watch; dropped, its stream is reset.
pub(super) struct Watch {
    stream: SendStream<Bytes>,
}

impl Watch {
    pub(super) fn event(&mut self, kind: EventType, pod: &[u8]) {
        self.odd_event(kind.into(), pod);
    }

    /// Tells an event with any number for its kind.
    pub(super) fn odd_event(&mut self, kind: i32, pod: &[u8]) {
        let event = WatchPodsEvent {
            r#type: kind,
            pod: Bytes::copy_from_slice(pod),
        };
        let event = event.encode_to_vec();
        let mut framed = BytesMut::new();
        framed.put_u8(0);
        framed.put_u32(event.len().try_into().unwrap());
        framed.extend_from_slice(&event);
        self.bytes(framed.freeze());
    }

    pub(super) fn added(&mut self, pod: &[u8]) {
        self.event(EventType::Added, pod);
    }

    pub(super) fn synced(&mut self) {
        self.event(EventType::InitialSyncComplete, b"");
    }

    /// Sends what may be no message at all.
    pub(super) fn bytes(&mut self, bytes: impl Into<Bytes>) {
        self.stream.send_data(bytes.into(), false).unwrap();
    }

    pub(super) fn end(mut self, code: u16) {
        let mut trailers = HeaderMap::new();
        trailers.insert("grpc-status", code.into());
        self.stream.send_trailers(trailers).unwrap();
    }
}

/// Returns an encoded pod `ns/NAME`, with a field at its end that nobody knows.
pub(super) fn pod(uid: &str, name: &str) -> Vec<u8> {
    let metadata = ObjectMeta {
        uid: Some(uid.to_owned()),
        name: Some(name.to_owned()),
        namespace: Some("ns".to_owned()),
        ..ObjectMeta::default()
    };
    let pod = Pod {
        metadata: Some(metadata),
        ..Pod::default()
    };
    [pod.encode_to_vec(), b"\x82\x7d\x03new".to_vec()].concat()
}

/// Returns the pod with a spec that ends too early.
pub(super) fn broken(uid: &str, name: &str) -> Vec<u8> {
    [pod(uid, name), b"\x12\x02\x0a\x7f".to_vec()].concat()
}
