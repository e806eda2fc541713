//! A server on a UNIX socket in a folder of its own, with pods that the test decides.

use core::time::Duration;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use podsapi_core::{
    Config, EncodedPod, Pods, SourceConfig, SourceEvent, SourceId, SourceKind, Uid,
};
use podsapi_h2::{Limits, Runtime, Server};
use podsapi_proto::{core_v1, meta_v1};
use podsapi_tokio::{Listener, ServeOptions, SocketOptions, TokioRuntime};
use prost::Message;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::raw_client::RawClient;

/// How long a test waits for what must come: far more than it takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);
/// The name of the one source.
const SOURCE: &str = "snapshot";

/// A running server; it ends with the value.
#[derive(Debug)]
pub struct Served {
    server: Server<TokioRuntime>,
    source: SourceId,
    path: PathBuf,
    stop: Option<oneshot::Sender<()>>,
    task: JoinHandle<()>,
    _folder: tempfile::TempDir,
}

/// What a server is started with.
#[derive(Debug, Clone)]
pub struct Setup {
    /// The pods, which have the UIDs `uid-0`, `uid-1` and so on.
    pub pods: usize,
    /// Bytes in an annotation of each pod.
    pub ballast: usize,
    /// The bounds of the driver.
    pub limits: Limits,
    /// How long clients get once the server is asked to stop.
    pub drain: Duration,
    /// Calls a second; 0 is as many as come.
    pub qps: u32,
    /// Events that a watch may leave unread.
    pub watch_buffer: u32,
    /// Whether the source has told all its pods when the server starts.
    pub ready: bool,
}

impl Default for Setup {
    fn default() -> Self {
        let watch_buffer = Config::default().watch_buffer.get();
        let drain = Duration::from_secs(30);
        Self {
            pods: 3,
            ballast: 0,
            limits: Limits::default(),
            drain,
            qps: 0,
            watch_buffer,
            ready: true,
        }
    }
}

impl Served {
    /// Starts a server with three small pods and the default bounds.
    pub fn start() -> Self {
        Self::start_with(Setup::default())
    }

    /// Starts a server.
    ///
    /// # Panics
    ///
    /// When there is no room for a socket, or the pods are refused.
    pub fn start_with(setup: Setup) -> Self {
        let runtime = TokioRuntime::new();
        let config = Config {
            sources: vec![SourceConfig::new(SOURCE, SourceKind::Snapshot)],
            qps: setup.qps,
            watch_buffer: setup
                .watch_buffer
                .try_into()
                .expect("a buffer holds an event"),
            ..Config::default()
        };
        let pods = Pods::new(config, runtime.now());
        let source = pods.source(SOURCE).expect("the configuration names it");
        let server = Server::new(pods, setup.limits, runtime);
        let folder = tempfile::tempdir().expect("there is room for a folder");
        let path = folder.path().join("pods.sock");
        let listener = Listener::bind(&SocketOptions::new(&path)).expect("the folder is ours");
        let (stop, stopped) = oneshot::channel();
        let options = ServeOptions {
            drain: setup.drain,
            second_signal: false,
            ..ServeOptions::default()
        };
        let serving = podsapi_tokio::serve(server.clone(), vec![listener], options, stopped);
        let task = tokio::spawn(async { serving.await.expect("the socket is bound") });
        let served = Self {
            server,
            source,
            path,
            stop: Some(stop),
            task,
            _folder: folder,
        };
        served.tell(SourceEvent::Begin);
        for number in 0..setup.pods {
            served.put(number, setup.ballast);
        }
        if setup.ready {
            served.complete();
        }
        served
    }

    /// Has the source say that it has told all its pods.
    pub fn complete(&self) {
        self.tell(SourceEvent::Complete { at: 0 });
    }

    /// Has the source tell a list of one pod anew.
    pub fn tell_again(&self) {
        self.tell(SourceEvent::Begin);
        self.put(0, 0);
        self.complete();
    }

    /// Returns the socket.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the server behind the socket.
    pub const fn server(&self) -> &Server<TokioRuntime> {
        &self.server
    }

    /// Connects a client that has sent its preface and SETTINGS.
    pub async fn client(&self) -> RawClient {
        RawClient::connect(&self.path).await
    }

    /// Adds or changes the pod of this number; its annotation gets so many bytes.
    pub fn put(&self, number: usize, ballast: usize) {
        self.tell(SourceEvent::Put {
            pod: pod(number, ballast),
            at: 0,
        });
    }

    /// Removes the pod of this number.
    pub fn remove(&self, number: usize) {
        self.tell(SourceEvent::Remove {
            uid: Uid::new(&format!("uid-{number}")),
            at: 0,
        });
    }

    /// Returns how many watches are open.
    pub fn watches(&self) -> usize {
        self.server.with_pods(|pods| pods.watch_count())
    }

    /// Waits until so many watches are open.
    ///
    /// # Panics
    ///
    /// When that does not happen for a while.
    pub async fn has_watches(&self, count: usize) {
        self.comes_true("the number of watches", || self.watches() == count)
            .await;
    }

    /// Waits until no connection is open.
    ///
    /// # Panics
    ///
    /// When that does not happen for a while.
    pub async fn is_empty(&self) {
        self.comes_true("no connections", || self.server.connection_count() == 0)
            .await;
    }

    /// Looks every few milliseconds: the server has no event for what only a test waits for.
    async fn comes_true(&self, what: &str, is_true: impl Fn() -> bool) {
        let waiting = async {
            while !is_true() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        let waited = tokio::time::timeout(PATIENCE, waiting).await;
        waited.unwrap_or_else(|_| panic!("{what}: not within the time"));
    }

    /// Asks the server to stop, without waiting.
    pub fn ask_to_stop(&mut self) {
        if let Some(stop) = self.stop.take() {
            // The receiver is gone only when the server has ended already.
            stop.send(()).ok();
        }
    }

    /// Waits until the server has ended.
    ///
    /// # Panics
    ///
    /// When it has panicked.
    pub async fn ended(&mut self) {
        (&mut self.task).await.expect("the server does not panic");
    }

    fn tell(&self, event: SourceEvent) {
        self.server
            .handle_source(self.source, event)
            .expect("the source keeps the order");
    }
}

/// Returns the pod of a number.
fn pod(number: usize, ballast: usize) -> EncodedPod {
    let annotations = [("ballast".to_owned(), "x".repeat(ballast))];
    let metadata = meta_v1::ObjectMeta {
        name: Some(format!("pod-{number}")),
        namespace: Some("default".to_owned()),
        uid: Some(format!("uid-{number}")),
        annotations: annotations.into_iter().collect(),
        ..meta_v1::ObjectMeta::default()
    };
    let pod = core_v1::Pod {
        metadata: Some(metadata),
        ..core_v1::Pod::default()
    };
    EncodedPod::parse(Bytes::from(pod.encode_to_vec())).expect("the pod has a UID")
}
