//! Serving and draining with real clients over real sockets.

mod accepting;

use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::{UnixDatagram, UnixListener as StdListener, UnixStream as StdStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use podsapi_client::{Client, ClientOptions, Code, EventKind};
use podsapi_core::{Config, EncodedPod, Pods, SourceConfig, SourceEvent, SourceKind};
use podsapi_h2::{Limits, Runtime};
use podsapi_proto::{core_v1, meta_v1};
use podsapi_socket::{OpenError, SocketOptions};
use podsapi_test_process as child_process;
use prost::Message;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::*;
use crate::signal::shutdown_signal;

/// Longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// What an HTTP/2 client sends first: the preface and empty settings.
const HELLO: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";

#[tokio::test]
async fn clients_of_several_sockets_see_the_same_pods() {
    let directory = tempfile::tempdir().unwrap();
    let paths = ["a.sock", "b.sock"].map(|name| directory.path().join(name));
    let serving = Serving::start(&paths, ServeOptions::default());
    for path in &paths {
        let pods = client(path).await.list().await.unwrap();
        assert_eq!(pods.len(), 1);
    }
    serving.stop().await;
    assert!(paths.iter().all(|path| !path.exists()));
}

#[tokio::test]
async fn a_stop_ends_watches_with_unavailable_and_then_the_server() {
    let (_directory, path) = socket();
    let serving = Serving::start(std::slice::from_ref(&path), ServeOptions::default());
    let mut watch = client(&path).await.watch().await.unwrap();
    let kinds = [
        watch.next().await.unwrap().unwrap().kind,
        watch.next().await.unwrap().unwrap().kind,
    ];
    assert!(
        matches!(kinds, [EventKind::Added, EventKind::InitialSyncComplete]),
        "{kinds:?}"
    );
    let ended = tokio::join!(serving.stop(), watch.next()).1;
    assert_eq!(ended.unwrap_err().code(), Code::Unavailable);
}

#[tokio::test]
async fn clients_that_never_read_cannot_hold_up_the_end() {
    let (_directory, path) = socket();
    let drain = Duration::from_secs(1);
    let serving = Serving::start(
        std::slice::from_ref(&path),
        ServeOptions {
            drain,
            ..ServeOptions::default()
        },
    );
    let _silent = UnixStream::connect(&path).await.unwrap();
    let mut deaf = UnixStream::connect(&path).await.unwrap();
    deaf.write_all(HELLO).await.unwrap();
    // Another client is served after them, so both have been accepted.
    assert!(client(&path).await.list().await.is_ok());
    let begin = Instant::now();
    serving.stop().await;
    // Neither of them would ever let it end.
    assert!(
        begin.elapsed() < drain + PATIENCE / 2,
        "{:?}",
        begin.elapsed()
    );
}

#[tokio::test]
async fn without_drain_time_the_end_comes_at_once() {
    let (_directory, path) = socket();
    let options = ServeOptions {
        drain: Duration::ZERO,
        ..ServeOptions::default()
    };
    let serving = Serving::start(std::slice::from_ref(&path), options);
    let _silent = UnixStream::connect(&path).await.unwrap();
    assert!(client(&path).await.list().await.is_ok());
    let begin = Instant::now();
    serving.stop().await;
    // Without this option it would take 10 s at least, and with this client for ever.
    assert!(
        begin.elapsed() < ServeOptions::default().drain,
        "{:?}",
        begin.elapsed()
    );
}

#[tokio::test]
async fn a_new_server_may_take_the_path_while_the_old_one_drains() {
    let (_directory, path) = socket();
    let options = ServeOptions {
        drain: PATIENCE,
        ..ServeOptions::default()
    };
    let old = Serving::start(std::slice::from_ref(&path), options);
    let mut deaf = UnixStream::connect(&path).await.unwrap();
    deaf.write_all(HELLO).await.unwrap();
    assert!(client(&path).await.list().await.is_ok());
    let ending = tokio::spawn(old.stop());
    let begin = Instant::now();
    let new = loop {
        match Listener::bind(&SocketOptions::new(&path)) {
            Ok(listener) => break Serving::with(vec![listener], ServeOptions::default()),
            // The old server has not closed its listener yet.
            Err(_) => tokio::time::sleep(Duration::from_millis(1)).await,
        }
        assert!(begin.elapsed() < PATIENCE);
    };
    assert!(
        !ending.is_finished(),
        "the old server ended before the new one began"
    );
    drop(deaf);
    ending.await.unwrap();
    assert_eq!(client(&path).await.list().await.unwrap().len(), 1);
    new.stop().await;
    assert!(!path.exists());
}

#[tokio::test]
async fn one_connection_too_many_is_closed_and_counted() {
    let (directory, path) = socket();
    let metrics = directory.path().join("metrics.sock");
    let options = ServeOptions {
        max_connections: 2,
        metrics: Some(MetricsAddress::Unix(metrics.clone())),
        ..ServeOptions::default()
    };
    let serving = Serving::start(std::slice::from_ref(&path), options);
    let first = UnixStream::connect(&path).await.unwrap();
    let second = client(&path).await;
    assert!(second.list().await.is_ok());
    let mut over = UnixStream::connect(&path).await.unwrap();
    assert_eq!(
        timeout(PATIENCE, over.read(&mut [0]))
            .await
            .unwrap()
            .unwrap(),
        0
    );
    let answer = get(&metrics, "/metrics").await;
    let user = nix::unistd::geteuid();
    let by_user = format!("\npodsapi_connections_refused_by_user_total{{uid=\"{user}\"}} 1\n");
    assert!(
        answer.contains("\npodsapi_connections_refused_total 1\n") && answer.contains(&by_user),
        "{answer}"
    );
    drop(first);
    let begin = Instant::now();
    let mut served = false;
    while !served {
        served = match Client::connect(&path, ClientOptions::default()).await {
            Ok(client) => client.list().await.is_ok(),
            Err(_) => false,
        };
        assert!(begin.elapsed() < PATIENCE, "the slot does not come back");
    }
    serving.stop().await;
    assert!(!metrics.exists());
}

#[tokio::test]
async fn health_says_what_is_waited_for_until_it_is_there() {
    let (directory, path) = socket();
    let metrics = directory.path().join("metrics.sock");
    let options = ServeOptions {
        metrics: Some(MetricsAddress::Unix(metrics.clone())),
        ..ServeOptions::default()
    };
    let server = waiting_server();
    let serving = Serving::run(server.clone(), vec![bind(&path)], options);
    let begin = Instant::now();
    while !metrics.exists() {
        assert!(begin.elapsed() < PATIENCE);
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let answer = get(&metrics, "/healthz").await;
    assert!(
        answer.starts_with("HTTP/1.1 503 ") && answer.ends_with("waiting for store\n"),
        "{answer}"
    );
    complete(&server);
    let answer = get(&metrics, "/healthz").await;
    assert!(
        answer.starts_with("HTTP/1.1 200 ") && answer.ends_with("\r\n\r\nok\n"),
        "{answer}"
    );

    assert!(client(&path).await.list().await.is_ok());
    let answer = get(&metrics, "/metrics").await;
    assert!(
        answer.contains("content-type: text/plain; version=0.0.4"),
        "{answer}"
    );
    assert!(
        answer.contains("kubelet_pod_requests_list_total{"),
        "{answer}"
    );
    assert_each_metric_is_told_once(&answer);
    serving.stop().await;
}

#[tokio::test]
async fn giving_up_on_the_server_closes_everything() {
    let (_directory, path) = socket();
    let serving = Serving::start(std::slice::from_ref(&path), ServeOptions::default());
    let mut connection = UnixStream::connect(&path).await.unwrap();
    assert!(client(&path).await.list().await.is_ok());
    serving.task.abort();
    let _ = timeout(PATIENCE, connection.read_to_end(&mut Vec::new()))
        .await
        .unwrap();
    assert!(!path.exists());
    let begin = Instant::now();
    while let Ok(_still) = UnixStream::connect(&path).await {
        assert!(begin.elapsed() < PATIENCE);
    }
}

#[tokio::test]
async fn nothing_to_serve_and_a_bad_metrics_address_are_errors() {
    let (directory, path) = socket();
    let never = std::future::pending::<()>;
    let error = serve(ready_server(), Vec::new(), ServeOptions::default(), never())
        .await
        .unwrap_err();
    assert!(
        matches!(error, ServeError::Open(OpenError::NoListener)),
        "{error}"
    );
    let taken = directory.path().join("file");
    std::fs::write(&taken, "").unwrap();
    let options = ServeOptions {
        metrics: Some(MetricsAddress::Unix(taken.clone())),
        ..ServeOptions::default()
    };
    let error = serve(ready_server(), vec![bind(&path)], options, never())
        .await
        .unwrap_err()
        .to_string();
    assert!(
        error.contains(taken.to_str().unwrap()) && error.contains("not a socket"),
        "{error}"
    );
    assert!(
        !path.exists(),
        "the socket of a server that did not start is gone"
    );
}

#[test]
fn a_signal_drains_and_a_second_one_ends_at_once() {
    let name = "serve::tests::a_signal_drains_and_a_second_one_ends_at_once";
    if child_process::is_child() {
        return serve_until_signalled(vec![bind(&variable("SOCKET"))], Duration::from_secs(50));
    }
    for signal in [Signal::SIGTERM, Signal::SIGINT] {
        let (directory, path) = socket();
        let (told, notify) = supervisor(&directory);
        let variables = [
            ("SOCKET", path.to_str().unwrap()),
            ("NOTIFY_SOCKET", &notify),
        ];
        let child = child_process::start(name, "", Stdio::null(), &variables);
        assert!(hear(&told).contains("READY=1\n"));
        let mut deaf = StdStream::connect(&path).unwrap();
        deaf.write_all(HELLO).unwrap();
        // The server's first bytes say that this connection was accepted.
        io::Read::read_exact(&mut deaf, &mut [0; 9]).unwrap();
        send(&child, signal);
        assert!(hear(&told).contains("STOPPING=1\n"));
        std::thread::sleep(Duration::from_millis(300));
        assert!(alive(&child), "the server did not drain");
        assert!(!path.exists());
        let begin = Instant::now();
        for _ in 0..2 {
            send(&child, signal);
            std::thread::sleep(Duration::from_millis(300));
        }
        child_process::finish(child);
        assert!(
            begin.elapsed() < Duration::from_secs(40),
            "the second signal did not end the drain"
        );
    }
}

#[test]
fn a_signal_ends_an_idle_server() {
    let name = "serve::tests::a_signal_ends_an_idle_server";
    if child_process::is_child() {
        return serve_until_signalled(vec![bind(&variable("SOCKET"))], Duration::from_secs(50));
    }
    let (directory, path) = socket();
    let (told, notify) = supervisor(&directory);
    let variables = [
        ("SOCKET", path.to_str().unwrap()),
        ("NOTIFY_SOCKET", &notify),
    ];
    let child = child_process::start(name, "", Stdio::null(), &variables);
    assert!(hear(&told).contains("READY=1\n"));
    send(&child, Signal::SIGTERM);
    child_process::finish(child);
    assert!(!path.exists());
}

#[test]
fn a_handed_over_socket_is_served_and_left_to_its_owner() {
    let name = "serve::tests::a_handed_over_socket_is_served_and_left_to_its_owner";
    if child_process::is_child() {
        return serve_until_signalled(Listener::inherited().unwrap(), Duration::from_secs(50));
    }
    let (_directory, path) = socket();
    let owner = StdListener::bind(&path).unwrap();
    let prelude = "exec 3<&0\nexport LISTEN_FDS=1 LISTEN_PID=$$";
    let child = child_process::start(
        name,
        prelude,
        OwnedFd::from(owner.try_clone().unwrap()),
        &[],
    );
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let listed = timeout(PATIENCE, async { client(&path).await.list().await })
            .await
            .unwrap();
        assert_eq!(listed.unwrap().len(), 1);
    });
    drop(runtime);
    send(&child, Signal::SIGTERM);
    child_process::finish(child);
    assert!(path.exists());
    // The owner's queue still takes clients, for the next server.
    StdStream::connect(&path).unwrap();
}

struct Serving {
    stop: oneshot::Sender<()>,
    task: JoinHandle<Result<(), ServeError>>,
}

impl Serving {
    fn start(paths: &[PathBuf], options: ServeOptions) -> Self {
        Self::with(paths.iter().map(|path| bind(path)).collect(), options)
    }

    fn with(listeners: Vec<Listener>, options: ServeOptions) -> Self {
        Self::run(ready_server(), listeners, options)
    }

    fn run(server: Server<TokioRuntime>, listeners: Vec<Listener>, options: ServeOptions) -> Self {
        // A caught signal would stay caught in this process after the test.
        let options = ServeOptions {
            second_signal: false,
            ..options
        };
        let (stop, stopped) = oneshot::channel();
        let task = tokio::spawn(serve(server, listeners, options, stopped));
        Self { stop, task }
    }

    async fn stop(self) {
        self.stop.send(()).unwrap();
        timeout(PATIENCE, self.task)
            .await
            .unwrap()
            .unwrap()
            .unwrap();
    }
}

fn serve_until_signalled(listeners: Vec<Listener>, drain: Duration) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    let options = ServeOptions {
        drain,
        ..ServeOptions::default()
    };
    runtime.block_on(async {
        serve(ready_server(), listeners, options, shutdown_signal())
            .await
            .unwrap()
    });
}

fn waiting_server() -> Server<TokioRuntime> {
    let runtime = TokioRuntime::new();
    let sources = vec![SourceConfig::new("store", SourceKind::Simulated)];
    let pods = Pods::new(
        Config {
            sources,
            qps: 0,
            ..Config::default()
        },
        runtime.now(),
    );
    Server::new(pods, Limits::default(), runtime)
}

fn ready_server() -> Server<TokioRuntime> {
    let server = waiting_server();
    complete(&server);
    server
}

fn complete(server: &Server<TokioRuntime>) {
    let source = server.with_pods(|pods| pods.source("store")).unwrap();
    let metadata = meta_v1::ObjectMeta {
        uid: Some("0001".to_owned()),
        name: Some("web".to_owned()),
        namespace: Some("default".to_owned()),
        ..Default::default()
    };
    let pod = core_v1::Pod {
        metadata: Some(metadata),
        ..Default::default()
    };
    let pod = EncodedPod::parse(pod.encode_to_vec().into()).unwrap();
    for event in [
        SourceEvent::Begin,
        SourceEvent::Put { pod, at: 0 },
        SourceEvent::Complete { at: 0 },
    ] {
        server.handle_source(source, event).unwrap();
    }
}

fn socket() -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("pods.sock");
    (directory, path)
}

fn bind(path: &Path) -> Listener {
    Listener::bind(&SocketOptions::new(path)).unwrap()
}

async fn client(path: &Path) -> Client {
    Client::connect(path, ClientOptions::default())
        .await
        .unwrap()
}

async fn get(socket: &Path, path: &str) -> String {
    let mut io = UnixStream::connect(socket).await.unwrap();
    io.write_all(format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n").as_bytes())
        .await
        .unwrap();
    let mut answer = String::new();
    timeout(PATIENCE, io.read_to_string(&mut answer))
        .await
        .unwrap()
        .unwrap();
    answer
}

fn assert_each_metric_is_told_once(answer: &str) {
    let mut types: Vec<_> = answer
        .lines()
        .filter(|line| line.starts_with("# TYPE "))
        .collect();
    assert!(!types.is_empty());
    let all = types.len();
    types.sort_unstable();
    types.dedup_by_key(|line| line.split(' ').nth(2));
    assert_eq!(types.len(), all, "{answer}");
}

fn variable(name: &str) -> PathBuf {
    PathBuf::from(std::env::var_os(name).unwrap())
}

/// Returns what systemd would listen on, and its address.
fn supervisor(directory: &TempDir) -> (UnixDatagram, String) {
    let path = directory.path().join("notify");
    let socket = UnixDatagram::bind(&path).unwrap();
    socket.set_read_timeout(Some(PATIENCE)).unwrap();
    (socket, path.to_str().unwrap().to_owned())
}

fn hear(supervisor: &UnixDatagram) -> String {
    let mut message = [0; 256];
    let length = supervisor.recv(&mut message).unwrap();
    String::from_utf8(message[..length].to_vec()).unwrap()
}

fn send(child: &Child, signal: Signal) {
    kill(Pid::from_raw(child.id().try_into().unwrap()), signal).unwrap();
}

fn alive(child: &Child) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap();
    !stat
        .rsplit(')')
        .next()
        .unwrap()
        .trim_start()
        .starts_with('Z')
}
