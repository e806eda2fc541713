//! Servers in front of other servers: one process watches another, or asks a kubelet for its list.

use std::ffi::OsStr;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};

use nix::sys::signal::Signal;
use podsapi_client::{Client, ClientOptions};
use podsapi_proto::json::{Value, parse_json};
use tokio::task::JoinSet;

use crate::process::{Ended, Running, Server, command, now, page, run, until};

/// A snapshot file, a server of it, and a server in front of that one.
struct Chain {
    upstream_folder: tempfile::TempDir,
    proxy_folder: tempfile::TempDir,
    file: PathBuf,
}

impl Chain {
    fn new() -> Self {
        let upstream_folder = tempfile::tempdir().unwrap();
        Self {
            file: upstream_folder.path().join("pods.json"),
            upstream_folder,
            proxy_folder: tempfile::tempdir().unwrap(),
        }
    }

    /// Replaces the upstream's pods.
    fn write(&self, pods: &[(&str, &str)]) {
        let hidden = self.upstream_folder.path().join(".pods.tmp");
        std::fs::write(&hidden, list(pods)).unwrap();
        std::fs::rename(hidden, &self.file).unwrap();
    }

    fn upstream(&self) -> Server {
        Server::ready(
            self.upstream_folder.path(),
            ["--snapshot".as_ref(), self.file.as_os_str()],
        )
    }

    fn proxy(&self) -> Server {
        let server = self.starting_proxy();
        ready(&server);
        server
    }

    fn starting_proxy(&self) -> Server {
        let upstream = self.upstream_folder.path().join("pods.sock");
        Server::start(
            self.proxy_folder.path(),
            ["--kubelet".as_ref(), upstream.as_os_str()],
        )
    }
}

fn list(pods: &[(&str, &str)]) -> String {
    let items = pods.iter().map(|(uid, word)| {
        format!(
            r#"{{"metadata":{{"name":"{uid}","namespace":"shop","uid":"uid-{uid}",
                "labels":{{"word":"{word}"}}}},"spec":{{"nodeName":"n"}}}}"#
        )
    });
    let items: Vec<_> = items.collect();
    format!(r#"{{"kind":"PodList","items":[{}]}}"#, items.join(","))
}

fn ready(server: &Server) {
    until("the server is ready", || {
        (server.ask(&["check"]).code == Some(0)).then_some(())
    });
}

fn report(ended: Ended) -> String {
    String::from_utf8(ended.stdout).unwrap()
}

/// Waits until the report about the source of that name has `wanted` in it, and returns it.
fn source(server: &Server, name: &str, wanted: &str) -> String {
    until(wanted, || {
        let report = report(server.ask(&["check"]));
        let mut lines = report.lines().map(str::to_owned);
        lines.find(|line| line.starts_with(&format!("{name} ")) && line.contains(wanted))
    })
}

/// Reads lines of a watch in JSON up to the one about `last`, as kinds and UIDs.
fn told(watch: &Running, last: &str) -> Vec<String> {
    let mut told = Vec::new();
    loop {
        let line = watch.line("{");
        let event = parse_json(line.trim().as_bytes()).unwrap();
        let text = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or("").to_owned();
        let kind = text(event.get("type"));
        let metadata = event.get("object").and_then(|pod| pod.get("metadata"));
        let uid = text(metadata.and_then(|metadata| metadata.get("uid")));
        let done = uid == last || kind == last;
        told.push(format!("{kind} {uid}").trim().to_owned());
        if done {
            return told;
        }
    }
}

#[test]
fn a_server_in_front_of_another_serves_the_same_bytes_with_limits_of_its_own() {
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let metrics = folders[0].path().join("metrics.sock");
    let upstream = Server::ready(
        folders[0].path(),
        [
            "--simulate",
            "30",
            "--qps",
            "1",
            "--burst",
            "1",
            "--metrics",
            metrics.to_str().unwrap(),
        ],
    );
    let socket = upstream.socket.to_str().unwrap();
    let proxy = Server::ready(folders[1].path(), ["--kubelet", socket, "--burst", "100"]);

    let lists = listed(&proxy.socket, 20);
    let answer = proxy.ask(&["list", "-o", "protobuf"]);
    let watches = [proxy.command(&["watch"]), proxy.command(&["watch"])];
    watches.iter().for_each(|watch| {
        watch.line("Running");
    });
    let numbers = page(&metrics);
    let number = |name: &str| {
        let lines = numbers.lines().filter(|line| line.starts_with(name));
        let values = lines.filter_map(|line| line.rsplit(' ').next()?.parse::<f64>().ok());
        values.sum::<f64>()
    };
    assert!(numbers.contains("\npodsapi_watches 1\n"), "{numbers}");
    for calls in [
        "kubelet_pod_requests_list_total{",
        "kubelet_pod_requests_get_total{",
        "podsapi_request_seconds_count{method=\"ListPods\"",
        "podsapi_request_seconds_count{method=\"GetPod\"",
    ] {
        assert!(number(calls).abs() < f64::EPSILON, "{calls} {numbers}");
    }

    let bytes = upstream.ask(&["list", "-o", "protobuf"]).stdout;
    assert!(bytes.len() > 10_000, "{}", bytes.len());
    assert_eq!(answer.code, Some(0), "{}", answer.stderr);
    assert!(answer.stdout == bytes, "the bytes are the same");
    assert!(
        lists
            .iter()
            .all(|pods| pods.len() == 30 && *pods == lists[0])
    );
}

/// Lists so often at once, and returns the pods of each list.
#[tokio::main]
async fn listed(socket: &Path, times: usize) -> Vec<Vec<bytes::Bytes>> {
    let connecting = Client::connect(socket, ClientOptions::default());
    let client = connecting.await.unwrap();
    let mut lists = JoinSet::new();
    for _ in 0..times {
        let client = client.clone();
        lists.spawn(async move { client.list().await.unwrap() });
    }
    lists.join_all().await
}

#[test]
fn a_restart_of_the_upstream_shows_as_what_changed_meanwhile_and_no_more() {
    let chain = Chain::new();
    chain.write(&[("kept", "a"), ("gone", "a"), ("changed", "a")]);
    let upstream = chain.upstream();
    let proxy = chain.proxy();
    let watch = proxy.command(&["watch", "-o", "json"]);
    assert_eq!(told(&watch, "INITIAL_SYNC_COMPLETE").len(), 4);

    // Killed, so that it can say nothing.
    drop(upstream);
    let line = source(&proxy, "kubelet", "its pods stay as they were last");
    assert!(line.contains(" lost "), "{line}");
    assert_eq!(proxy.ask(&["list", "-o", "name"]).text().lines().count(), 3);

    chain.write(&[("kept", "a"), ("changed", "b"), ("new", "a")]);
    let upstream = chain.upstream();
    let mut events = told(&watch, "uid-new");
    events.sort();
    let expected = ["ADDED uid-new", "DELETED uid-gone", "MODIFIED uid-changed"];
    assert_eq!(events, expected);
    let line = source(&proxy, "kubelet", " live ");
    assert!(line.trim_end().ends_with('-'), "no error is left: {line}");

    // The same pods once more are no news.
    drop(upstream);
    source(&proxy, "kubelet", " lost ");
    let _upstream = chain.upstream();
    source(&proxy, "kubelet", " live ");
    chain.write(&[("kept", "a"), ("changed", "b"), ("new", "c")]);
    assert_eq!(told(&watch, "uid-new"), ["MODIFIED uid-new"]);
}

#[test]
fn an_upstream_that_hangs_is_lost_within_half_a_minute_and_back_when_it_goes_on() {
    let chain = Chain::new();
    chain.write(&[("kept", "a")]);
    let upstream = chain.upstream();
    let proxy = chain.proxy();
    upstream.process.signal(Signal::SIGSTOP);
    let stopped = now();
    let line = source(&proxy, "kubelet", " lost ");
    println!("noticed after {:?}", stopped.elapsed());
    assert!(
        line.contains("the upstream hangs: it gave no sign of life for 20s"),
        "{line}"
    );
    assert_eq!(proxy.ask(&["list", "-o", "name"]).text(), "pod/kept\n");
    upstream.process.signal(Signal::SIGCONT);
    source(&proxy, "kubelet", " live ");
    chain.write(&[("kept", "a"), ("new", "a")]);
    until("the new pod is told", || {
        let ended = proxy.ask(&["list", "-o", "name"]);
        (ended.stdout == b"pod/kept\npod/new\n").then_some(())
    });
}

#[test]
fn a_restart_of_the_server_in_front_is_no_news_to_its_clients() {
    let chain = Chain::new();
    chain.write(&[("kept", "a"), ("other", "a")]);
    let _upstream = chain.upstream();
    let proxy = chain.proxy();
    let watch = proxy.command(&["watch", "-o", "json"]);
    assert_eq!(told(&watch, "INITIAL_SYNC_COMPLETE").len(), 3);
    drop(proxy);
    watch.error_line("reconnecting");
    let _proxy = chain.proxy();
    watch.error_line("reconnected");
    chain.write(&[("kept", "a"), ("other", "b")]);
    let events = told(&watch, "uid-other");
    let pods = events.iter().filter(|event| event.contains("uid-"));
    assert_eq!(pods.collect::<Vec<_>>(), ["MODIFIED uid-other"]);
}

#[test]
fn a_server_is_not_ready_before_its_upstream_is() {
    let chain = Chain::new();
    let proxy = chain.starting_proxy();
    source(&proxy, "kubelet", "is the server running");
    let upstream = Server::start(
        chain.upstream_folder.path(),
        ["--snapshot".as_ref(), chain.file.as_os_str()],
    );
    let line = source(&proxy, "kubelet", "the upstream is not ready yet");
    assert!(line.contains("Kubelet is initializing"), "{line}");
    let check = proxy.ask(&["check"]);
    assert_eq!(check.code, Some(1));
    let report = report(check);
    assert!(report.contains("no, waiting for kubelet"), "{report}");
    chain.write(&[("a", "a")]);
    ready(&upstream);
    ready(&proxy);
    assert_eq!(proxy.ask(&["list", "-o", "name"]).text(), "pod/a\n");
}

#[test]
fn a_server_does_not_watch_itself() {
    let directory = tempfile::tempdir().unwrap();
    let socket = directory.path().join("pods.sock");
    let mut serve = command(["serve", "--socket"]);
    serve.arg(&socket).arg("--kubelet").arg(&socket);
    let ended = Running::start(&mut serve).end();
    assert_eq!(ended.code, Some(2));
    assert!(ended.stderr.contains("give another --socket"), "{ended:?}");
}

#[test]
fn a_kubelet_without_the_api_is_asked_for_its_list_and_sources_combine() {
    let url = http_kubelet(list(&[("x", "a"), ("y", "a")]));
    let chain = Chain::new();
    chain.write(&[("a", "a"), ("x", "other")]);
    let upstream = chain.upstream();
    let metrics = chain.proxy_folder.path().join("metrics.sock");
    let arguments: [&OsStr; 8] = [
        "--kubelet".as_ref(),
        upstream.socket.as_os_str(),
        "--kubelet-http".as_ref(),
        url.as_ref(),
        "--kubelet-period".as_ref(),
        "1".as_ref(),
        "--metrics".as_ref(),
        metrics.as_os_str(),
    ];
    let server = Server::ready(chain.proxy_folder.path(), arguments);
    let names = server.ask(&["list", "-o", "name"]).text();
    assert_eq!(names, "pod/a\npod/x\npod/y\n");
    source(&server, "kubelet-http", " live ");
    let page = page(&metrics);
    for source in ["kubelet", "kubelet-http"] {
        let live = format!(
            "podsapi_source_state{{source=\"{source}\",kind=\"kubelet\",state=\"live\"}} 1"
        );
        assert!(page.contains(&live), "{page}");
        let age = format!("podsapi_source_age_seconds{{source=\"{source}\",kind=\"kubelet\"}} ");
        assert!(page.contains(&age), "{page}");
    }
}

#[test]
fn what_is_not_checked_is_said_aloud_and_what_cannot_be_is_refused() {
    let missing = run(["serve", "--kubelet-http", "https://127.0.0.1:1"]);
    assert_eq!(missing.code, Some(2));
    assert!(
        missing.stderr.contains("--kubelet-ca-file"),
        "{}",
        missing.stderr
    );
    let none = run(["serve"]);
    assert_eq!(none.code, Some(2));
    for flag in ["--kubelet SOCKET", "--kubelet-http URL"] {
        assert!(none.stderr.contains(flag), "{}", none.stderr);
    }

    let directory = tempfile::tempdir().unwrap();
    let token = token_file(directory.path());
    let mut serve = command(["serve", "--kubelet-http", "https://127.0.0.1:1", "--socket"]);
    serve.arg(directory.path().join("pods.sock"));
    serve.env("PODSAPI_KUBELET_INSECURE_TLS", "true");
    serve.env("PODSAPI_KUBELET_TOKEN_FILE", token);
    let server = Running::start(&mut serve);
    let line = server.error_line("certificate is not checked");
    assert!(line.contains("WARN"), "{line}");
    let line = server.error_line("cannot connect");
    assert!(!line.contains("a-secret-word"), "{line}");
}

fn token_file(directory: &Path) -> PathBuf {
    let path = directory.join("token");
    std::fs::write(&path, "a-secret-word").unwrap();
    path
}

/// Answers every question with this list, from a thread that ends with the tests.
fn http_kubelet(list: String) -> String {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut question = [0; 4096];
            let _read = stream.read(&mut question);
            let length = list.len();
            let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n");
            // Who went away meanwhile is no matter here.
            let _gone = stream.write_all((head + &list).as_bytes());
        }
    });
    url
}
