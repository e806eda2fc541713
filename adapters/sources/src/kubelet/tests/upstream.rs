//! An upstream whose watches a test leads by the hand, and whose list follows them.

use std::collections::{BTreeMap, VecDeque};
use std::path::Path;
use std::sync::{Arc, Mutex};

use bytes::{BufMut, Bytes, BytesMut};
use h2::SendStream;
use h2::server::SendResponse;
use http::{HeaderMap, Response};
use podsapi_proto::core_v1::Pod;
use podsapi_proto::meta_v1::ObjectMeta;
use podsapi_proto::v1alpha1::{EventType, ListPodsResponse, WatchPodsEvent};
use prost::Message;
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::mpsc;
use tokio::task::{JoinHandle, JoinSet};

use crate::kubelet::names::Names;

/// A running upstream; dropped, it is gone with its connections.
pub(super) struct Upstream {
    accepting: JoinHandle<()>,
    calls: mpsc::UnboundedReceiver<Call>,
    pub(super) listed: Listed,
}

/// What the upstream lists, by UID; clones share it.
#[derive(Clone, Default)]
pub(super) struct Listed(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    pods: BTreeMap<String, Vec<u8>>,
    /// Lists that were asked for.
    asked: usize,
    /// The next answers.
    refusals: VecDeque<(u16, &'static str)>,
    is_podsapi: bool,
}

impl Listed {
    pub(super) fn put(&self, pod: &[u8]) {
        let uid = Names::read(pod).uid;
        self.0.lock().unwrap().pods.insert(uid, pod.to_vec());
    }

    pub(super) fn remove(&self, pod: &[u8]) {
        let uid = Names::read(pod).uid;
        self.0.lock().unwrap().pods.remove(&uid);
    }

    /// Answers so in place of the next list.
    pub(super) fn refuse(&self, code: u16, text: &'static str) {
        self.0.lock().unwrap().refusals.push_back((code, text));
    }

    /// Says from now on that it is a podsapi.
    pub(super) fn podsapi(&self) {
        self.0.lock().unwrap().is_podsapi = true;
    }

    /// Returns how many lists were asked for.
    pub(super) fn asked(&self) -> usize {
        self.0.lock().unwrap().asked
    }

    /// Answers what needs no leading by the hand; returns other calls.
    fn answer(&self, call: Call) -> Option<Call> {
        let mut state = self.0.lock().unwrap();
        match call.path.as_str() {
            "/podsapi.v1.Diagnostics/GetStatus" if state.is_podsapi => call.message(b""),
            "/podsapi.v1.Diagnostics/GetStatus" => call.refuse(12, "unknown service"),
            "/v1alpha1.Pods/ListPods" => {
                state.asked += 1;
                if let Some((code, text)) = state.refusals.pop_front() {
                    call.refuse(code, text);
                } else {
                    let pods = state.pods.values().cloned().map(Bytes::from).collect();
                    call.message(&ListPodsResponse { pods }.encode_to_vec());
                }
            }
            _ => return Some(call),
        }
        None
    }
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
        let listed = Listed::default();
        let answering = listed.clone();
        let accepting = tokio::spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                connections.spawn(connection(stream, sender.clone(), answering.clone()));
            }
        });
        Self {
            accepting,
            calls,
            listed,
        }
    }

    /// Waits for the next call.
    pub(super) async fn call(&mut self) -> Call {
        let call = tokio::time::timeout(std::time::Duration::from_secs(60), self.calls.recv());
        call.await.expect("a call comes").expect("it listens")
    }

    /// Waits for the next watch and accepts it.
    pub(super) async fn watch(&mut self) -> Watch {
        let mut call = self.call().await;
        assert_eq!(call.path, "/v1alpha1.Pods/WatchPods");
        let head = head().body(()).unwrap();
        let stream = call.respond.send_response(head, false).unwrap();
        Watch {
            stream,
            listed: self.listed.clone(),
        }
    }
}

async fn connection(stream: UnixStream, calls: mpsc::UnboundedSender<Call>, listed: Listed) {
    let Ok(mut connection) = h2::server::handshake(stream).await else {
        return;
    };
    while let Some(Ok((request, respond))) = connection.accept().await {
        let path = request.uri().path().to_owned();
        assert!(!request.headers().contains_key("x-kubernetes-fieldmask-bin"));
        if let Some(call) = listed.answer(Call { path, respond }) {
            let _test_over = calls.send(call);
        }
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

    /// Answers with one message.
    fn message(mut self, message: &[u8]) {
        let head = head().body(()).unwrap();
        let mut stream = self.respond.send_response(head, false).unwrap();
        stream.send_data(framed(message), false).unwrap();
        let mut trailers = HeaderMap::new();
        trailers.insert("grpc-status", 0_u16.into());
        stream.send_trailers(trailers).unwrap();
    }
}

fn framed(message: &[u8]) -> Bytes {
    let mut framed = BytesMut::new();
    framed.put_u8(0);
    framed.put_u32(message.len().try_into().unwrap());
    framed.extend_from_slice(message);
    framed.freeze()
}

/// An accepted watch; dropped, its stream is reset.
pub(super) struct Watch {
    stream: SendStream<Bytes>,
    listed: Listed,
}

impl Watch {
    /// Tells an event of a pod, after which the list is as the event says.
    pub(super) fn event(&mut self, kind: EventType, pod: &[u8]) {
        if kind == EventType::Deleted {
            self.listed.remove(pod);
        } else {
            self.listed.put(pod);
        }
        self.odd_event(kind.into(), pod);
    }

    /// Tells what a kubelet does of a pod that has ended, and is listed on.
    pub(super) fn ended(&mut self, pod: &[u8]) {
        self.odd_event(EventType::Deleted.into(), pod);
    }

    /// Tells an event with any number for its kind.
    pub(super) fn odd_event(&mut self, kind: i32, pod: &[u8]) {
        let event = WatchPodsEvent {
            r#type: kind,
            pod: Bytes::copy_from_slice(pod),
        };
        self.bytes(framed(&event.encode_to_vec()));
    }

    pub(super) fn added(&mut self, pod: &[u8]) {
        self.event(EventType::Added, pod);
    }

    pub(super) fn synced(&mut self) {
        self.odd_event(EventType::InitialSyncComplete.into(), b"");
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
