//! A server over in-memory pipes, and a client that sees every header and frame.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use h2::{RecvStream, client};
use http::{HeaderMap, Request};
use podsapi_core::{
    Code, Config, EncodedPod, Moment, Pods, SourceConfig, SourceEvent, SourceId, SourceKind, Status,
};
use podsapi_grpc::{frame, frame::Deframer, trailers};
use podsapi_h2::{Limits, Peer, Runtime, Server};
use podsapi_proto::{core_v1, meta_v1};
use prost::Message;
use tokio::{
    io::DuplexStream,
    task::JoinHandle,
    time::{Instant, Sleep},
};

pub(crate) const LIST: &str = "/v1alpha1.Pods/ListPods";
pub(crate) const GET: &str = "/v1alpha1.Pods/GetPod";
pub(crate) const WATCH: &str = "/v1alpha1.Pods/WatchPods";
pub(crate) const STATUS: &str = "/podsapi.v1.Diagnostics/GetStatus";

/// tokio's clock and timers, which fail on demand.
#[derive(Clone)]
pub(crate) struct TestRuntime {
    origin: Instant,
    /// Makes the next timer that is set panic.
    pub(crate) broken: Arc<AtomicBool>,
}

impl Runtime for TestRuntime {
    type Sleep = Sleep;

    fn sleep_until(&self, at: Moment) -> Sleep {
        if self.broken.swap(false, Ordering::SeqCst) {
            panic!("the timer is broken, as the test asked for");
        }
        tokio::time::sleep_until(self.origin + Duration::from_nanos(at.as_nanos()))
    }

    fn now(&self) -> Moment {
        let since = self.origin.elapsed().as_nanos();
        Moment::from_nanos(u64::try_from(since).unwrap())
    }
}

/// A server with one source.
pub(crate) struct Node {
    pub(crate) server: Server<TestRuntime>,
    pub(crate) source: SourceId,
    pub(crate) runtime: TestRuntime,
}

impl Node {
    /// A server that is ready with these pods.
    pub(crate) fn with(pods: &[(&str, usize)], limits: Limits, config: Config) -> Self {
        let node = Self::waiting(limits, config);
        node.say(SourceEvent::Begin);
        for &(uid, filler) in pods {
            node.put(uid, filler);
        }
        node.say(SourceEvent::Complete { at: 0 });
        node
    }

    /// A server with default bounds and three pods.
    pub(crate) fn small() -> Self {
        Self::with(
            &[("a", 10), ("b", 10), ("c", 10)],
            Limits::default(),
            unlimited(),
        )
    }

    /// A server whose source has said nothing yet.
    pub(crate) fn waiting(limits: Limits, config: Config) -> Self {
        let runtime = TestRuntime {
            origin: Instant::now(),
            broken: Arc::new(AtomicBool::new(false)),
        };
        let sources = [SourceConfig::new("test", SourceKind::Simulated)].to_vec();
        let pods = Pods::new(Config { sources, ..config }, Moment::ORIGIN);
        let source = pods.source("test").unwrap();
        Self {
            server: Server::new(pods, limits, runtime.clone()),
            source,
            runtime,
        }
    }

    /// Checks how many connections the server has ended by itself, and why.
    pub(crate) fn has_ended(&self, expected: &[(&str, u64)]) {
        let metrics = self.server.metrics_text();
        let ended = metrics.lines().filter_map(|line| {
            let line = line.strip_prefix("podsapi_connections_ended_total{reason=\"")?;
            let (reason, count) = line.split_once("\"} ")?;
            let count: u64 = count.parse().unwrap();
            (count > 0).then_some((reason, count))
        });
        assert_eq!(ended.collect::<Vec<_>>(), expected);
    }

    pub(crate) fn say(&self, event: SourceEvent) {
        self.server.handle_source(self.source, event).unwrap();
    }

    pub(crate) fn put(&self, uid: &str, filler: usize) {
        let pod = EncodedPod::parse(pod(uid, filler).into()).unwrap();
        self.say(SourceEvent::Put { pod, at: 0 });
    }

    /// Opens a connection; the task ends when the server is done with it.
    pub(crate) fn pipe(&self, buffer: usize) -> (DuplexStream, JoinHandle<()>) {
        let (ours, theirs) = tokio::io::duplex(buffer);
        let task = tokio::spawn(self.server.serve_connection(theirs, Peer::default()));
        (ours, task)
    }

    pub(crate) async fn client(&self) -> Client {
        self.client_with(&client::Builder::new()).await
    }

    pub(crate) async fn client_with(&self, builder: &client::Builder) -> Client {
        let (io, server) = self.pipe(1 << 16);
        let (requests, connection) = builder.handshake(io).await.unwrap();
        let driver = tokio::spawn(async move { drop(connection.await) });
        Client {
            requests,
            driver,
            server,
        }
    }
}

/// No rate limit, so that tests may call as fast as they like.
pub(crate) fn unlimited() -> Config {
    Config {
        qps: 0,
        ..Config::default()
    }
}

pub(crate) fn pod(uid: &str, filler: usize) -> Vec<u8> {
    let pod = core_v1::Pod {
        metadata: Some(meta_v1::ObjectMeta {
            name: Some(format!("pod-{uid}")),
            namespace: Some("default".into()),
            uid: Some(uid.into()),
            generate_name: Some("x".repeat(filler)),
            ..Default::default()
        }),
        status: Some(core_v1::PodStatus {
            phase: Some("Running".into()),
            ..Default::default()
        }),
        ..Default::default()
    };
    pod.encode_to_vec()
}

/// A connection to a [`Node`].
pub(crate) struct Client {
    pub(crate) requests: client::SendRequest<Bytes>,
    /// Drives the client's side; stop it to have a client that does not read.
    pub(crate) driver: JoinHandle<()>,
    /// The server's side.
    pub(crate) server: JoinHandle<()>,
}

impl Client {
    /// Starts a call and sends the body, whatever it is, with the end of the request.
    pub(crate) async fn start(&self, request: Request<()>, body: &[u8]) -> client::ResponseFuture {
        let mut requests = self.requests.clone().ready().await.unwrap();
        let (response, mut stream) = requests.send_request(request, false).unwrap();
        stream
            .send_data(Bytes::copy_from_slice(body), true)
            .unwrap();
        response
    }

    /// Makes a whole call.
    pub(crate) async fn send(&self, request: Request<()>, body: &[u8]) -> Answer {
        Answer::read(self.start(request, body).await).await
    }

    /// Makes a whole call with one message.
    pub(crate) async fn call(&self, path: &str, message: &[u8]) -> Answer {
        self.send(request(path), &framed(message)).await
    }

    /// Opens a watch and returns its stream once the headers are there.
    pub(crate) async fn watch(&self, request: Request<()>) -> Events {
        let response = self.start(request, &framed(b"")).await.await.unwrap();
        assert_eq!(response.headers()["content-type"], "application/grpc");
        Events {
            headers: response.headers().clone(),
            stream: response.into_body(),
            deframer: Deframer::new(usize::MAX),
        }
    }
}

pub(crate) fn request(path: &str) -> Request<()> {
    Request::post(format!("http://localhost{path}"))
        .header("content-type", "application/grpc")
        .header("te", "trailers")
        .body(())
        .unwrap()
}

pub(crate) fn framed(message: &[u8]) -> Vec<u8> {
    let mut bytes = frame::prefix(message.len()).unwrap().to_vec();
    bytes.extend_from_slice(message);
    bytes
}

/// What a call came to.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) http_status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) messages: Vec<Bytes>,
    pub(crate) status: Status,
    /// The answer was a single block of headers.
    pub(crate) trailers_only: bool,
}

impl Answer {
    pub(crate) async fn read(response: client::ResponseFuture) -> Self {
        let (head, mut body) = response.await.unwrap().into_parts();
        let trailers_only = body.is_end_stream();
        let mut deframer = Deframer::new(usize::MAX);
        let mut messages = Vec::new();
        while let Some(piece) = body.data().await {
            let piece = piece.unwrap();
            body.flow_control().release_capacity(piece.len()).unwrap();
            deframer.push(&piece);
            messages.extend(std::iter::from_fn(|| deframer.next_message().unwrap()));
        }
        assert!(deframer.is_between_messages());
        let trailers = body.trailers().await.unwrap();
        assert_eq!(trailers.is_none(), trailers_only);
        let status = status(trailers.as_ref().unwrap_or(&head.headers));
        Self {
            http_status: head.status.as_u16(),
            headers: head.headers,
            messages,
            status,
            trailers_only,
        }
    }

    pub(crate) fn code(&self) -> Code {
        self.status.code()
    }
}

pub(crate) fn status(fields: &HeaderMap) -> Status {
    trailers::decode(
        fields
            .iter()
            .map(|(name, value)| (name.as_str().as_bytes(), value.as_bytes())),
    )
}

/// A watch as its client sees it.
pub(crate) struct Events {
    pub(crate) headers: HeaderMap,
    pub(crate) stream: RecvStream,
    deframer: Deframer,
}

impl Events {
    /// Returns the next event, or the status at the end.
    pub(crate) async fn next(&mut self) -> Result<podsapi_proto::v1alpha1::WatchPodsEvent, Status> {
        loop {
            if let Some(message) = self.deframer.next_message().unwrap() {
                return Ok(Message::decode(message.as_ref()).unwrap());
            }
            match self.stream.data().await {
                Some(Ok(piece)) => {
                    self.stream
                        .flow_control()
                        .release_capacity(piece.len())
                        .unwrap();
                    self.deframer.push(&piece);
                }
                Some(Err(error)) => return Err(Status::new(Code::Unknown, error.to_string())),
                None => {
                    assert!(self.deframer.is_between_messages());
                    return Err(status(&self.stream.trailers().await.unwrap().unwrap()));
                }
            }
        }
    }

    /// Reads the first list and its marker, and returns how many pods it had.
    pub(crate) async fn first_list(&mut self) -> usize {
        let mut pods = 0;
        while self.next().await.unwrap().r#type != INITIAL_SYNC_COMPLETE {
            pods += 1;
        }
        pods
    }
}

pub(crate) const ADDED: i32 = 1;
pub(crate) const MODIFIED: i32 = 2;
pub(crate) const DELETED: i32 = 3;
pub(crate) const INITIAL_SYNC_COMPLETE: i32 = 4;

/// Waits until something holds, for at most half a minute.
pub(crate) async fn until(mut holds: impl FnMut() -> bool) {
    for _ in 0..30_000 {
        if holds() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    panic!("it did not come true within half a minute");
}
