//! A live server on a UNIX socket in a folder of its own, with the sources that a test lets speak.

use std::{fmt, future::Future, path::PathBuf, time::Duration};

use bytes::Bytes;
use podsapi_client::{Client, ClientOptions, Event, EventKind, WatchStream};
use podsapi_core::{
    Config, EncodedPod, EncodedStatus, Pods, SourceConfig, SourceEvent, SourceId, SourceKind, Uid,
};
use podsapi_h2::{Limits, Runtime, Server};
use podsapi_sources::Sink;
use podsapi_tokio::{Listener, ServeError, ServeOptions, SocketOptions, TokioRuntime, serve};
use tempfile::TempDir;
use tokio::{sync::oneshot, task::JoinHandle};

/// A folder with the path of a socket, on which servers may come and go.
#[derive(Debug)]
pub struct Socket {
    directory: TempDir,
}

impl Socket {
    /// Makes an empty folder; it is removed with the value.
    ///
    /// # Panics
    ///
    /// When the system gives no temporary folder.
    pub fn new() -> Self {
        let directory = TempDir::with_prefix("podsapi-").expect("a temporary folder can be made");
        Self { directory }
    }

    /// Returns the path of the socket, which is there while a server runs.
    pub fn path(&self) -> PathBuf {
        self.directory.path().join("pods-api.sock")
    }

    /// Starts a server with the usual limits; its sources are silent until the test feeds them.
    ///
    /// # Panics
    ///
    /// When the socket cannot be bound, or outside a tokio runtime.
    pub fn start(&self, config: Config) -> Live {
        self.start_with(config, Limits::default())
    }

    /// Starts a server with limits of the test's choice.
    ///
    /// # Panics
    ///
    /// As [`Socket::start`].
    pub fn start_with(&self, config: Config, limits: Limits) -> Live {
        let runtime = TokioRuntime::new();
        let pods = Pods::new(config, runtime.now());
        let server = Server::new(pods, limits, runtime);
        let listener = Listener::bind(&SocketOptions::new(self.path()))
            .expect("nobody else serves in a folder of our own");
        let (stop, stopped) = oneshot::channel();
        let options = ServeOptions {
            drain: DRAIN,
            second_signal: false,
            ..ServeOptions::default()
        };
        let serving = tokio::spawn(serve(server.clone(), vec![listener], options, stopped));
        Live {
            path: self.path(),
            server,
            stop: Some(stop),
            serving,
            sources: Vec::new(),
        }
    }
}

impl Default for Socket {
    fn default() -> Self {
        Self::new()
    }
}

/// A server that runs until it is stopped, killed or dropped.
#[derive(Debug)]
pub struct Live {
    path: PathBuf,
    server: Server<TokioRuntime>,
    stop: Option<oneshot::Sender<()>>,
    serving: JoinHandle<Result<(), ServeError>>,
    sources: Vec<JoinHandle<()>>,
}

impl Live {
    /// Returns the server itself.
    pub fn server(&self) -> &Server<TokioRuntime> {
        &self.server
    }

    /// Returns the path of the socket.
    pub fn path(&self) -> &PathBuf {
        &self.path
    }

    /// Returns the mouth of the source that is configured as `name`.
    ///
    /// # Panics
    ///
    /// When no such source is configured.
    pub fn feed(&self, name: &str) -> Feed {
        let id = self.server.with_pods(|pods| pods.source(name));
        Feed {
            server: self.server.clone(),
            id: id.expect("the test configured the source that it feeds"),
        }
    }

    /// Runs a real source of `podsapi-sources` as the source that is configured as `name`.
    ///
    /// # Panics
    ///
    /// As [`Live::feed`].
    pub fn run<F>(&mut self, name: &str, source: impl FnOnce(Sink) -> F)
    where
        F: Future<Output: fmt::Debug + Send> + Send + 'static,
    {
        let running = source(self.feed(name).sink());
        self.sources.push(tokio::spawn(async move {
            let ended = running.await;
            panic!("the source ended: {ended:?}");
        }));
    }

    /// Waits until every source has told all its pods.
    pub async fn ready(&self) {
        let is_ready = || self.server.with_pods(|pods| pods.readiness().is_ready());
        becomes(PATIENCE, "the server is ready", is_ready).await;
    }

    /// Connects with the usual options.
    ///
    /// # Panics
    ///
    /// When the server does not take the connection.
    pub async fn client(&self) -> Client {
        self.client_with(ClientOptions::default()).await
    }

    /// Connects with options of the test's choice.
    ///
    /// # Panics
    ///
    /// As [`Live::client`].
    pub async fn client_with(&self, options: ClientOptions) -> Client {
        let connecting = Client::connect(&self.path, options);
        soon(connecting)
            .await
            .expect("the server takes connections")
    }

    /// Opens a watch on a connection of its own.
    ///
    /// # Panics
    ///
    /// When the server refuses it.
    pub async fn watch(&self) -> Watching {
        let client = self.client().await;
        Watching::new(soon(client.watch()).await.expect("the server is ready"))
    }

    /// Returns the metrics as an operator reads them now.
    pub fn metrics(&self) -> Metrics {
        Metrics {
            text: self.server.metrics_text(),
        }
    }

    /// Stops the server as SIGTERM does, and waits until it has drained.
    ///
    /// # Panics
    ///
    /// When it does not end in time or ends with an error.
    pub async fn stop(mut self) {
        if let Some(stop) = self.stop.take() {
            let told = stop.send(());
            assert_eq!(told, Ok(()), "the server ended before it was told to");
        }
        let ended = soon(&mut self.serving).await;
        ended
            .expect("the server's task is not cancelled")
            .expect("a server that serves does not fail");
    }

    /// Cuts the server off in the middle of everything, without a farewell to its clients.
    ///
    /// # Panics
    ///
    /// When it ended by itself before.
    pub async fn kill(mut self) {
        self.serving.abort();
        let ended = soon(&mut self.serving).await;
        assert!(ended.is_err_and(|error| error.is_cancelled()));
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.serving.abort();
        for source in &self.sources {
            source.abort();
        }
    }
}

/// What a test makes one source say.
#[derive(Clone, Debug)]
pub struct Feed {
    server: Server<TokioRuntime>,
    id: SourceId,
}

impl Feed {
    /// Says anything.
    ///
    /// # Panics
    ///
    /// When the server refuses it.
    pub fn say(&self, event: SourceEvent) {
        let said = self.server.handle_source(self.id, event);
        said.expect("the test keeps the order and the limits of a source");
    }

    /// Says that these are all pods.
    pub fn list(&self, pods: impl IntoIterator<Item = EncodedPod>) {
        self.say(SourceEvent::Begin);
        for pod in pods {
            self.put(pod);
        }
        self.say(SourceEvent::Complete { at: AT });
    }

    /// Says that a pod is new or is now as given.
    pub fn put(&self, pod: EncodedPod) {
        self.say(SourceEvent::Put { pod, at: AT });
    }

    /// Says what is known here of the status of a pod.
    pub fn status(&self, uid: &str, status: EncodedStatus) {
        let uid = Uid::new(uid);
        self.say(SourceEvent::Status {
            uid,
            status,
            at: AT,
        });
    }

    /// Says that a pod is gone.
    pub fn remove(&self, uid: &str) {
        let uid = Uid::new(uid);
        self.say(SourceEvent::Remove { uid, at: AT });
    }

    /// Returns the id, for tests that speak to the service under its lock.
    pub fn id(&self) -> SourceId {
        self.id
    }

    /// Returns where a real source puts its pods.
    pub fn sink(&self) -> Sink {
        let (events, problems) = (self.clone(), self.clone());
        Sink::new(
            move |event| events.server.handle_source(events.id, event),
            move |problem| problems.server.source_problem(problems.id, problem),
            TokioRuntime::wall_seconds,
        )
    }
}

/// The events of a watch, none of which may keep the test waiting for long.
#[derive(Debug)]
pub struct Watching {
    stream: WatchStream,
}

impl Watching {
    /// Takes over a watch.
    pub fn new(stream: WatchStream) -> Self {
        Self { stream }
    }

    /// Returns the next event.
    ///
    /// # Panics
    ///
    /// When the watch ends or tells nothing in time.
    pub async fn next(&mut self) -> Event {
        let next = soon(self.stream.next()).await;
        next.expect("the watch goes on")
            .expect("the server ends no watch with OK")
    }

    /// Returns the pods up to the sync marker.
    ///
    /// # Panics
    ///
    /// When something else than an added pod comes before the marker.
    pub async fn first_list(&mut self) -> Vec<Bytes> {
        let mut pods = Vec::new();
        loop {
            let event = self.next().await;
            match event.kind {
                EventKind::Added => pods.push(event.pod),
                EventKind::InitialSyncComplete => return pods,
                EventKind::Deleted | EventKind::Modified => panic!("{event:?}"),
            }
        }
    }

    /// Returns the events up to the end of the watch, and why it ended.
    ///
    /// # Panics
    ///
    /// When the server ends the watch with OK, or does not end it in time.
    pub async fn until_the_end(&mut self) -> (Vec<Event>, podsapi_client::ClientError) {
        let mut events = Vec::new();
        loop {
            match soon(self.stream.next()).await {
                Ok(event) => events.push(event.expect("the server ends no watch with OK")),
                Err(error) => return (events, error),
            }
        }
    }
}

/// Metrics in the text format of Prometheus.
#[derive(Clone, Debug)]
pub struct Metrics {
    text: String,
}

impl Metrics {
    /// Returns the value of a series, named with its labels as in the text; `None` when it is not
    /// there.
    pub fn series(&self, name: &str) -> Option<u64> {
        let line = |line: &str| line.strip_prefix(name)?.strip_prefix(' ')?.parse().ok();
        self.text.lines().find_map(line)
    }

    /// Returns how many calls of the released API ended with a code, by the metric of one method
    /// (`list_`, `get_`, `watch_`) or of all (an empty string).
    pub fn requests(&self, method: &str, code: &str) -> u64 {
        let labels = format!("server_api_version=\"v1alpha1\",status_code=\"{code}\"");
        self.series(&format!("kubelet_pod_requests_{method}total{{{labels}}}"))
            .unwrap_or(0)
    }

    /// Returns the lines about one metric: its help, its type and its series.
    pub fn lines<'a>(&'a self, metric: &'a str) -> impl Iterator<Item = &'a str> {
        let is_about = move |line: &&str| {
            let line = line
                .trim_start_matches("# HELP ")
                .trim_start_matches("# TYPE ");
            let name = line.split(['{', ' ']).next();
            name == Some(metric)
        };
        self.text.lines().filter(is_about)
    }
}

/// Returns a configuration with these sources and no rate limit, which tests of anything else
/// would only stumble over.
pub fn config<const COUNT: usize>(sources: [(&str, SourceKind); COUNT]) -> Config {
    let sources = sources.map(|(name, kind)| SourceConfig::new(name, kind));
    Config {
        sources: sources.into(),
        qps: 0,
        ..Config::default()
    }
}

/// Waits for something that must come.
///
/// # Panics
///
/// When it does not come in time.
pub async fn soon<F: Future>(future: F) -> F::Output {
    tokio::time::timeout(PATIENCE, future)
        .await
        .expect("what must come comes in time")
}

/// Waits until something is so that nobody tells of.
///
/// # Panics
///
/// When it does not become so within `limit`.
pub async fn becomes(limit: Duration, what: &str, is_so: impl Fn() -> bool) {
    let waiting = async {
        while !is_so() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    let waited = tokio::time::timeout(limit, waiting).await;
    waited.unwrap_or_else(|_| panic!("not so within {limit:?}: {what}"));
}

/// The time of everything that a test makes a source say, in seconds since 1970.
pub const AT: i64 = 1_700_000_000;

/// How long a test waits for what must come: far more than it takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// How long clients get at a stop.
const DRAIN: Duration = Duration::from_secs(10);
