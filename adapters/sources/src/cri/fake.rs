//! A container runtime that says what a test scripts.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::{BufMut, Bytes, BytesMut};
use h2::server::SendResponse;
use http::{HeaderMap, Request, Response};
use podsapi_proto::cri;
use prost::Message;
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::broadcast;
use tokio::task::{JoinHandle, JoinSet};

/// What one call is answered with.
#[derive(Clone, Debug)]
pub(super) enum Answer {
    /// Bytes of a message, after a time.
    After(Duration, Vec<u8>),
    /// Bytes of a message.
    Bytes(Vec<u8>),
    /// Bytes as they are, and the end of the stream without a status.
    Cut(Vec<u8>),
    /// A status of UNKNOWN in trailers, with a text of so many bytes.
    Explain(usize),
    /// Nothing, ever.
    Never,
    /// Bytes as they are, with a status of OK behind them.
    Raw(Vec<u8>),
    /// A status.
    Refuse(u16),
    /// Bytes of a message, one at a time.
    Trickle(Vec<u8>),
}

/// What the runtime has, by method and by ID where the method is about one item.
#[derive(Debug, Default)]
pub(super) struct Script {
    pub(super) answers: BTreeMap<String, Answer>,
    /// The methods called, with IDs.
    pub(super) calls: Vec<String>,
}

/// A running fake; it stops, with its connections, when it is dropped.
#[derive(Debug)]
pub(super) struct Fake {
    pub(super) script: Arc<Mutex<Script>>,
    pub(super) events: Option<broadcast::Sender<Vec<u8>>>,
    accepting: JoinHandle<()>,
}

impl Drop for Fake {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

impl Fake {
    /// Serves on `path`; with events or, as old runtimes, without.
    pub(super) fn start(path: &Path, script: Arc<Mutex<Script>>, with_events: bool) -> Self {
        let _absent = std::fs::remove_file(path);
        let listener = UnixListener::bind(path).unwrap();
        let events = with_events.then(|| broadcast::channel(1 << 10).0);
        let shared = (Arc::clone(&script), events.clone());
        let accepting = tokio::spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                connections.spawn(connection(stream, shared.clone()));
            }
        });
        Self {
            script,
            events,
            accepting,
        }
    }

    /// Sets what a call is answered with: a method, or a method and an ID.
    pub(super) fn answer(&self, call: &str, answer: Answer) {
        self.script
            .lock()
            .unwrap()
            .answers
            .insert(call.to_owned(), answer);
    }

    /// Sets the lists and, for each item, a status that agrees.
    pub(super) fn has(&self, sandboxes: &[&str], containers: &[(&str, cri::ContainerState)]) {
        for id in sandboxes {
            let status = Some(sandbox_status(id, true, "10.0.0.1"));
            let status = cri::PodSandboxStatusResponse { status };
            self.answer(&format!("PodSandboxStatus {id}"), message(&status));
        }
        for (id, state) in containers {
            let status = Some(container_status(id, *state));
            let status = cri::ContainerStatusResponse { status };
            self.answer(&format!("ContainerStatus {id}"), message(&status));
        }
        let items = sandboxes.iter().map(|id| sandbox(id, true)).collect();
        let list = cri::ListPodSandboxResponse { items };
        self.answer("ListPodSandbox", message(&list));
        let items = containers.iter();
        let items = items.map(|(id, state)| container(id, sandboxes[0], *state));
        let containers = items.collect();
        let list = cri::ListContainersResponse { containers };
        self.answer("ListContainers", message(&list));
    }

    /// Tells an event about the item with this ID.
    pub(super) fn tell(&self, id: &str) {
        let event = cri::ContainerEventResponse {
            container_id: id.to_owned(),
            ..cri::ContainerEventResponse::default()
        };
        let events = self.events.as_ref().expect("it has events");
        let _nobody = events.send(event.encode_to_vec());
    }

    /// How often a method was called, with whatever ID.
    pub(super) fn count(&self, method: &str) -> usize {
        let script = self.script.lock().unwrap();
        let calls = script.calls.iter();
        calls
            .filter(|call| call.split(' ').next() == Some(method))
            .count()
    }
}

/// An answer that is a message.
pub(super) fn message(message: &impl Message) -> Answer {
    Answer::Bytes(message.encode_to_vec())
}

type Shared = (Arc<Mutex<Script>>, Option<broadcast::Sender<Vec<u8>>>);

async fn connection(stream: UnixStream, shared: Shared) {
    let Ok(mut connection) = h2::server::handshake(stream).await else {
        return;
    };
    let mut calls = JoinSet::new();
    while let Some(Ok((request, respond))) = connection.accept().await {
        calls.spawn(call(request, respond, shared.clone()));
    }
}

async fn call(
    request: Request<h2::RecvStream>,
    mut respond: SendResponse<Bytes>,
    (script, events): Shared,
) {
    let (head, mut body) = request.into_parts();
    let mut asked = BytesMut::new();
    while let Some(Ok(chunk)) = body.data().await {
        asked.extend_from_slice(&chunk);
    }
    let method = head.uri.path().strip_prefix("/runtime.v1.RuntimeService/");
    let method = method.expect("only this service is called");
    let grpc = || Response::builder().header("content-type", "application/grpc");
    if let (Some(events), "GetContainerEvents") = (&events, method) {
        let mut events = events.subscribe();
        script.lock().unwrap().calls.push(method.to_owned());
        let mut head = Some(respond);
        let mut sending = None;
        while let Ok(event) = events.recv().await {
            // As grpc-go: the head goes out with the first message.
            if let Some(mut respond) = head.take() {
                let response = grpc().body(()).unwrap();
                sending = respond.send_response(response, false).ok();
            }
            if let Some(stream) = &mut sending
                && stream.send_data(framed(&event), false).is_err()
            {
                return;
            }
        }
        return;
    }
    // Both requests have the ID as their first and only field.
    let id = cri::ContainerStatusRequest::decode(&asked[5..]).unwrap();
    let id = id.container_id;
    let name = if id.is_empty() {
        method.to_owned()
    } else {
        format!("{method} {id}")
    };
    let answer = {
        let mut script = script.lock().unwrap();
        script.calls.push(name.clone());
        script.answers.get(&name).cloned()
    };
    let chunks = match answer {
        Some(Answer::After(pause, bytes)) => {
            tokio::time::sleep(pause).await;
            vec![framed(&bytes)]
        }
        Some(Answer::Bytes(bytes)) => vec![framed(&bytes)],
        Some(Answer::Cut(bytes)) => {
            let response = grpc().body(()).unwrap();
            let mut stream = respond.send_response(response, false).unwrap();
            stream.send_data(bytes.into(), true).unwrap();
            return;
        }
        Some(Answer::Explain(length)) => {
            let response = grpc().body(()).unwrap();
            let mut stream = respond.send_response(response, false).unwrap();
            let mut trailers = HeaderMap::new();
            trailers.insert("grpc-status", 2.into());
            let text = "x".repeat(length).parse().unwrap();
            trailers.insert("grpc-message", text);
            return stream.send_trailers(trailers).unwrap();
        }
        Some(Answer::Never) => std::future::pending().await,
        Some(Answer::Raw(bytes)) => vec![bytes.into()],
        Some(Answer::Refuse(code)) => return refuse(&mut respond, code),
        Some(Answer::Trickle(bytes)) => {
            let bytes = framed(&bytes);
            (0..bytes.len()).map(|k| bytes.slice(k..=k)).collect()
        }
        None => return refuse(&mut respond, 12),
    };
    let response = grpc().body(()).unwrap();
    let mut stream = respond.send_response(response, false).unwrap();
    let one = chunks.len() == 1;
    for chunk in chunks {
        // Who waits no longer has reset the stream.
        if stream.send_data(chunk, false).is_err() {
            return;
        }
        if !one {
            tokio::time::sleep(TRICKLE).await;
        }
    }
    let mut trailers = HeaderMap::new();
    trailers.insert("grpc-status", 0.into());
    stream.send_trailers(trailers).unwrap();
}

/// Between two bytes: slower than any deadline for a message, and never silent.
const TRICKLE: Duration = Duration::from_millis(50);

fn refuse(respond: &mut SendResponse<Bytes>, code: u16) {
    let response = Response::builder()
        .header("content-type", "application/grpc")
        .header("grpc-status", code)
        .body(())
        .unwrap();
    respond.send_response(response, true).unwrap();
}

fn framed(message: &[u8]) -> Bytes {
    let mut framed = BytesMut::new();
    framed.put_u8(0);
    framed.put_u32(message.len().try_into().unwrap());
    framed.extend_from_slice(message);
    framed.freeze()
}

fn pod(id: &str) -> Option<cri::PodSandboxMetadata> {
    Some(cri::PodSandboxMetadata {
        name: format!("pod-{id}"),
        uid: format!("uid-{id}"),
        namespace: "default".to_owned(),
        attempt: 0,
    })
}

fn sandbox_state(ready: bool) -> i32 {
    i32::from(if ready {
        cri::PodSandboxState::SandboxReady
    } else {
        cri::PodSandboxState::SandboxNotready
    })
}

/// A sandbox as a list has it.
pub(super) fn sandbox(id: &str, ready: bool) -> cri::PodSandbox {
    cri::PodSandbox {
        id: id.to_owned(),
        metadata: pod(id),
        state: sandbox_state(ready),
        created_at: 1_000,
        ..cri::PodSandbox::default()
    }
}

/// The status of the same sandbox; with an empty address it has none.
pub(super) fn sandbox_status(id: &str, ready: bool, ip: &str) -> cri::PodSandboxStatus {
    cri::PodSandboxStatus {
        id: id.to_owned(),
        metadata: pod(id),
        state: sandbox_state(ready),
        created_at: 1_000,
        network: Some(cri::PodSandboxNetworkStatus {
            ip: ip.to_owned(),
            additional_ips: Vec::new(),
        }),
        ..cri::PodSandboxStatus::default()
    }
}

/// A container as a list has it.
pub(super) fn container(id: &str, sandbox: &str, state: cri::ContainerState) -> cri::Container {
    cri::Container {
        id: id.to_owned(),
        pod_sandbox_id: sandbox.to_owned(),
        metadata: Some(cri::ContainerMetadata {
            name: format!("name-{id}"),
            attempt: 0,
        }),
        image_ref: "listed".to_owned(),
        state: state.into(),
        labels: labels(id),
        ..cri::Container::default()
    }
}

/// The status of the same container.
pub(super) fn container_status(id: &str, state: cri::ContainerState) -> cri::ContainerStatus {
    cri::ContainerStatus {
        id: id.to_owned(),
        metadata: Some(cri::ContainerMetadata {
            name: format!("name-{id}"),
            attempt: 0,
        }),
        image_ref: "resolved".to_owned(),
        state: state.into(),
        labels: labels(id),
        ..cri::ContainerStatus::default()
    }
}

/// The label that a kubelet gives the container.
fn labels(id: &str) -> BTreeMap<String, String> {
    let label = "io.kubernetes.container.name".to_owned();
    [(label, format!("name-{id}"))].into()
}
