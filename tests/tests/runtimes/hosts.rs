//! A server on a thread of its own, on one runtime or the other.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use podsapi_client::{Client, ClientOptions};
use podsapi_core::{Config, Pods, SourceConfig, SourceEvent, SourceId, SourceKind};
use podsapi_h2::{Limits, Runtime, Server};
use podsapi_smol::SmolRuntime;
use podsapi_tests::pods::SamplePod;
use podsapi_tokio::{Listener, SocketOptions, TokioRuntime};
use tempfile::TempDir;
use tokio::sync::oneshot;

/// A runtime with a way to serve.
pub(crate) trait Host: Sized + 'static {
    /// What the driver is given.
    type Runtime: Runtime;

    /// Serves until `stop` is dropped or sent; hands the server out before.
    fn serve(
        listener: Listener,
        setup: Setup,
        made: impl FnOnce(Self::Runtime, &Setup) -> Server<Self::Runtime>,
        stop: oneshot::Receiver<()>,
    );
}

/// What a server is started with.
#[derive(Clone, Debug)]
pub(crate) struct Setup {
    pub(crate) limits: Limits,
    pub(crate) drain: Duration,
    pub(crate) max_connections: usize,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            drain: Duration::from_secs(10),
            max_connections: 100,
        }
    }
}

pub(crate) struct Tokio;

impl Host for Tokio {
    type Runtime = TokioRuntime;

    fn serve(
        listener: Listener,
        setup: Setup,
        made: impl FnOnce(TokioRuntime, &Setup) -> Server<TokioRuntime>,
        stop: oneshot::Receiver<()>,
    ) {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let server = made(TokioRuntime::new(), &setup);
            let options = podsapi_tokio::ServeOptions {
                drain: setup.drain,
                max_connections: setup.max_connections,
                second_signal: false,
                ..podsapi_tokio::ServeOptions::default()
            };
            let serving = podsapi_tokio::serve(server, vec![listener], options, stop);
            serving.await.unwrap();
        });
    }
}

pub(crate) struct Smol;

impl Host for Smol {
    type Runtime = SmolRuntime;

    fn serve(
        listener: Listener,
        setup: Setup,
        made: impl FnOnce(SmolRuntime, &Setup) -> Server<SmolRuntime>,
        stop: oneshot::Receiver<()>,
    ) {
        let executor = Arc::new(async_executor::Executor::new());
        // A second thread helps until it hears that the first one is done.
        let (done, over) = oneshot::channel::<()>();
        let helping = Arc::clone(&executor);
        let helper = thread::spawn(move || async_io::block_on(helping.run(over)));
        let runtime = SmolRuntime::new(Arc::clone(&executor));
        let server = made(runtime.clone(), &setup);
        let options = podsapi_smol::ServeOptions {
            drain: setup.drain,
            max_connections: setup.max_connections,
        };
        let serving = podsapi_smol::serve(server, runtime, vec![listener], options, stop);
        async_io::block_on(executor.run(serving)).unwrap();
        drop(done);
        drop(helper.join().unwrap());
    }
}

/// A server that serves one pod, `uid-0`.
pub(crate) struct Running<H: Host> {
    server: Server<H::Runtime>,
    source: SourceId,
    path: PathBuf,
    stop: oneshot::Sender<()>,
    thread: thread::JoinHandle<()>,
    _folder: TempDir,
}

impl<H: Host> Running<H> {
    pub(crate) fn start(setup: Setup) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pods.sock");
        let listener = Listener::bind(&SocketOptions {
            mode: Some(0o640),
            ..SocketOptions::new(&path)
        });
        let listener = listener.unwrap();
        let (stop, stopped) = oneshot::channel();
        let (give, take) = mpsc::channel();
        let make = move |runtime: H::Runtime, setup: &Setup| {
            let sources = vec![SourceConfig::new("mine", SourceKind::Snapshot)];
            let config = Config {
                sources,
                qps: 0,
                ..Config::default()
            };
            let pods = Pods::new(config, runtime.now());
            let source = pods.source("mine").unwrap();
            let server = Server::new(pods, setup.limits.clone(), runtime);
            give.send((server.clone(), source)).unwrap();
            server
        };
        let thread = thread::spawn(move || H::serve(listener, setup, make, stopped));
        let (server, source) = take.recv().unwrap();
        let running = Self {
            server,
            source,
            path,
            stop,
            thread,
            _folder: folder,
        };
        running.say(SourceEvent::Begin);
        let pod = SamplePod::new("default", "pod-0", "uid-0").parse();
        running.say(SourceEvent::Put { pod, at: 0 });
        running.say(SourceEvent::Complete { at: 0 });
        running
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.path.clone()
    }

    pub(crate) fn connections(&self) -> usize {
        self.server.connection_count()
    }

    pub(crate) fn say(&self, event: SourceEvent) {
        self.server.handle_source(self.source, event).unwrap();
    }

    pub(crate) async fn client(&self) -> Client {
        let connecting = Client::connect(&self.path, ClientOptions::default());
        connecting.await.unwrap()
    }

    /// Stops the server and waits until it has ended.
    pub(crate) async fn stop(self) {
        self.stop.send(()).unwrap();
        let ended = tokio::task::spawn_blocking(|| self.thread.join());
        ended.await.unwrap().unwrap();
    }
}
