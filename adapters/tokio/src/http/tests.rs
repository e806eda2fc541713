//! The endpoint over real sockets: what it answers, whom it refuses, how long it waits.

use std::net::SocketAddr;

use tempfile::TempDir;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpStream, UnixStream};
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout};

use super::*;

/// Longer than any answer takes.
const PATIENCE: Duration = Duration::from_secs(20);

#[tokio::test]
async fn paths_are_served_over_tcp() {
    for address in ["127.0.0.1:0", "[::1]:0"] {
        let Some(server) = Endpoint::start(address).await else {
            continue;
        };
        let answer = get(server.tcp().await, "GET /page HTTP/1.1").await;
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
        assert!(answer.ends_with("\r\n\r\npage\n"), "{answer}");
        server.stop().await;
    }
}

#[tokio::test]
async fn paths_are_served_over_a_unix_socket_that_only_this_user_may_use() {
    use std::os::unix::fs::PermissionsExt;

    let directory = tempfile::tempdir().unwrap();
    let (server, path) = unix(&directory).await;
    assert_eq!(
        std::fs::metadata(&path).unwrap().permissions().mode() & 0o7777,
        0o600
    );
    let answer = get(
        UnixStream::connect(&path).await.unwrap(),
        "GET /page?query=1 HTTP/1.1",
    )
    .await;
    assert!(
        answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.ends_with("page\n"),
        "{answer}"
    );
    server.stop().await;
    assert!(!path.exists());
}

#[tokio::test]
async fn head_gets_the_headers_without_the_body() {
    let directory = tempfile::tempdir().unwrap();
    let (_server, path) = unix(&directory).await;
    let answer = get(
        UnixStream::connect(&path).await.unwrap(),
        "HEAD /page HTTP/1.1",
    )
    .await;
    assert!(
        answer.contains("content-length: 5\r\n") && answer.ends_with("\r\n\r\n"),
        "{answer}"
    );
}

#[tokio::test]
async fn an_unknown_path_is_404_and_names_those_there_are() {
    let directory = tempfile::tempdir().unwrap();
    let (_server, path) = unix(&directory).await;
    for request in [
        "GET / HTTP/1.1",
        "POST /pages HTTP/1.1",
        "GET /page/ HTTP/1.1",
    ] {
        let answer = get(UnixStream::connect(&path).await.unwrap(), request).await;
        assert!(
            answer.starts_with("HTTP/1.1 404 ") && answer.contains("/other /page"),
            "{answer}"
        );
    }
}

#[tokio::test]
async fn other_methods_are_405_and_told_which_are_allowed() {
    let directory = tempfile::tempdir().unwrap();
    let (_server, path) = unix(&directory).await;
    for method in ["POST", "PUT", "DELETE", "OPTIONS"] {
        let answer = get(
            UnixStream::connect(&path).await.unwrap(),
            &format!("{method} /page HTTP/1.1"),
        )
        .await;
        assert!(
            answer.starts_with("HTTP/1.1 405 ") && answer.contains("allow: GET, HEAD\r\n"),
            "{answer}"
        );
    }
}

#[tokio::test]
async fn what_is_not_http_does_no_harm() {
    let directory = tempfile::tempdir().unwrap();
    let (_server, path) = unix(&directory).await;
    let long = format!("GET /{} HTTP/1.1", "x".repeat(REQUEST_BYTES));
    for request in ["PRI * HTTP/2.0\r\n\r\nSM", "\0\u{1}\u{2}", &long] {
        let mut client = UnixStream::connect(&path).await.unwrap();
        // The server may close before it has read all.
        let _ = client
            .write_all(format!("{request}\r\n\r\n").as_bytes())
            .await;
        let mut answer = Vec::new();
        let _ = timeout(PATIENCE, client.read_to_end(&mut answer))
            .await
            .unwrap();
        assert!(!String::from_utf8_lossy(&answer).contains(" 200 "));
    }
    let answer = get(
        UnixStream::connect(&path).await.unwrap(),
        "GET /page HTTP/1.1",
    )
    .await;
    assert!(answer.ends_with("page\n"), "{answer}");
}

#[tokio::test]
async fn a_client_that_does_not_send_its_request_is_closed() {
    let directory = tempfile::tempdir().unwrap();
    let (_server, path) = unix(&directory).await;
    let begin = Instant::now();
    let mut silent = UnixStream::connect(&path).await.unwrap();
    let mut slow = UnixStream::connect(&path).await.unwrap();
    slow.write_all(b"GET /page HTTP/1.1\r\nhost:")
        .await
        .unwrap();
    for client in [&mut silent, &mut slow] {
        let _ = timeout(PATIENCE, client.read_to_end(&mut Vec::new()))
            .await
            .unwrap();
    }
    assert!(begin.elapsed() >= REQUEST_TIME / 2);
    assert!(begin.elapsed() < CONNECTION_TIME);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_does_not_read_is_closed() {
    let routes = Routes::new().with("/page", |_| text(StatusCode::OK, vec![b'x'; 1 << 20]));
    let (mut client, server) = tokio::io::duplex(1024);
    client
        .write_all(b"GET /page HTTP/1.1\r\nhost: x\r\n\r\n")
        .await
        .unwrap();
    let begin = Instant::now();
    answer(server, Arc::new(routes)).await;
    assert_eq!(begin.elapsed().as_secs(), CONNECTION_TIME.as_secs());
}

#[tokio::test]
async fn one_client_too_many_is_closed_at_once() {
    let directory = tempfile::tempdir().unwrap();
    let (_server, path) = unix(&directory).await;
    let mut held = Vec::new();
    for _ in 0..MAX_CONNECTIONS {
        held.push(UnixStream::connect(&path).await.unwrap());
    }
    let begin = Instant::now();
    let mut over = UnixStream::connect(&path).await.unwrap();
    assert_eq!(
        timeout(PATIENCE, over.read(&mut [0]))
            .await
            .unwrap()
            .unwrap(),
        0
    );
    assert!(begin.elapsed() < REQUEST_TIME);
}

#[tokio::test]
async fn an_address_in_use_is_an_error_that_says_what_to_do() {
    let taken = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = MetricsAddress::Tcp(taken.local_addr().unwrap());
    let error = HttpListener::bind(&address, false)
        .await
        .unwrap_err()
        .to_string();
    assert!(error.contains("choose another port"), "{error}");
}

struct Endpoint {
    tcp: Option<SocketAddr>,
    stop: CancellationToken,
    task: JoinHandle<()>,
}

impl Endpoint {
    /// Starts an endpoint with two paths; `None` when this machine lacks the address family.
    async fn start(address: &str) -> Option<Self> {
        let listener = match HttpListener::bind(&address.parse().unwrap(), false).await {
            Ok(listener) => listener,
            Err(error) if address.starts_with('[') => {
                println!("skipped: no IPv6 here: {error}");
                return None;
            }
            Err(error) => panic!("{error}"),
        };
        let tcp = match &listener {
            HttpListener::Tcp(listener) => listener.local_addr().ok(),
            HttpListener::Unix(..) => None,
        };
        let routes = Routes::new()
            .with("/page", |_| text(StatusCode::OK, "page\n"))
            .with("/other", |_| text(StatusCode::OK, "other\n"));
        let stop = CancellationToken::new();
        let task = tokio::spawn(listener.run(routes, stop.clone()));
        Some(Self { tcp, stop, task })
    }

    async fn tcp(&self) -> TcpStream {
        TcpStream::connect(self.tcp.unwrap()).await.unwrap()
    }

    async fn stop(self) {
        self.stop.cancel();
        timeout(PATIENCE, self.task).await.unwrap().unwrap();
    }
}

async fn unix(directory: &TempDir) -> (Endpoint, std::path::PathBuf) {
    let path = directory.path().join("metrics.sock");
    let endpoint = Endpoint::start(path.to_str().unwrap()).await.unwrap();
    (endpoint, path)
}

async fn get(mut io: impl AsyncRead + AsyncWrite + Unpin, request: &str) -> String {
    io.write_all(format!("{request}\r\nhost: localhost\r\n\r\n").as_bytes())
        .await
        .unwrap();
    let mut answer = String::new();
    timeout(PATIENCE, io.read_to_string(&mut answer))
        .await
        .unwrap()
        .unwrap();
    answer
}
