//! A small API server: a history of events, the list of what is left of it, and watches of it.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A running API server; dropped, it is gone with its connections.
pub(super) struct Fake {
    pub(super) port: u16,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    over: AtomicBool,
    /// Each event's type, and the pod's name and JSON.
    history: Mutex<Vec<(&'static str, String, String)>>,
}

impl Drop for Fake {
    fn drop(&mut self) {
        self.shared.over.store(true, Ordering::SeqCst);
        // Wakes what waits for connections, and waits until nobody listens any more.
        while TcpStream::connect(("127.0.0.1", self.port)).is_ok() {
            std::thread::sleep(TICK);
        }
    }
}

impl Fake {
    /// Begins with these pods; a port of zero is any.
    pub(super) fn start(port: u16, pods: &[(&str, &str)]) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", port)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let shared = Arc::new(Shared::default());
        let of_all = Arc::clone(&shared);
        let fake = Self { port, shared };
        // Before it answers: whoever waits for it shall not see half of them.
        for (name, more) in pods {
            fake.tell("ADDED", name, more);
        }
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                if of_all.over.load(Ordering::SeqCst) {
                    return;
                }
                let (stream, shared) = (stream.unwrap(), Arc::clone(&of_all));
                // Whoever is gone need not be served.
                std::thread::spawn(move || drop(serve(stream, &shared)));
            }
        });
        fake
    }

    /// Adds an event of a pod, with more of its metadata.
    pub(super) fn tell(&self, kind: &'static str, name: &str, more: &str) {
        let mut history = self.shared.history.lock().unwrap();
        let version = history.len() + 1;
        let pod = format!(
            r#"{{"metadata":{{"name":"{name}","namespace":"shop","uid":"api-{name}","resourceVersion":"{version}"{more}}},"spec":{{"nodeName":"n1","containers":[{{"name":"a"}}]}}}}"#
        );
        history.push((kind, name.to_owned(), pod));
    }

    /// Writes a kubeconfig that leads here.
    pub(super) fn kubeconfig(&self, folder: &Path) -> PathBuf {
        kubeconfig(folder, self.port, "{}")
    }
}

/// Writes a kubeconfig that leads to a port of this machine.
pub(super) fn kubeconfig(folder: &Path, port: u16, user: &str) -> PathBuf {
    let file = folder.join("kubeconfig");
    let text = format!(
        "current-context: a\ncontexts: [{{name: a, context: {{cluster: b, user: c}}}}]\n\
         clusters: [{{name: b, cluster: {{server: 'http://127.0.0.1:{port}'}}}}]\n\
         users: [{{name: c, user: {user}}}]\n"
    );
    std::fs::write(&file, text).unwrap();
    file
}

impl Shared {
    fn list(&self) -> String {
        let history = self.history.lock().unwrap();
        let mut pods = BTreeMap::new();
        for (kind, name, pod) in history.iter() {
            match *kind {
                "DELETED" => drop(pods.remove(name)),
                _ => drop(pods.insert(name, pod.as_str())),
            }
        }
        let items = pods.into_values().collect::<Vec<_>>().join(",");
        let version = history.len();
        format!(
            r#"{{"kind":"PodList","apiVersion":"v1","metadata":{{"resourceVersion":"{version}"}},"items":[{items}]}}"#
        )
    }

    fn since(&self, version: usize) -> Vec<(&'static str, String, String)> {
        let history = self.history.lock().unwrap();
        history.iter().skip(version).cloned().collect()
    }
}

fn path(question: &[u8]) -> String {
    let question = std::str::from_utf8(question).unwrap();
    question.split(' ').nth(1).unwrap().to_owned()
}

fn version(path: &str) -> usize {
    let version = path.split("&resourceVersion=").nth(1).unwrap();
    version.split('&').next().unwrap().parse().unwrap()
}

fn serve(mut stream: TcpStream, shared: &Shared) -> std::io::Result<()> {
    let mut question = Vec::new();
    while !question.ends_with(b"\r\n\r\n") {
        let mut piece = [0; 4096];
        match stream.read(&mut piece)? {
            0 => return Ok(()),
            read => question.extend(&piece[..read]),
        }
    }
    let path = path(&question);
    if path == "/api/v1/namespaces/kube-system" {
        let text = r#"{"kind":"Namespace","metadata":{"uid":"uid-of-the-cluster"}}"#;
        let length = text.len();
        let head =
            format!("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n");
        return stream.write_all((head + text).as_bytes());
    }
    let selector = "/api/v1/pods?fieldSelector=spec.nodeName%3Dn1&";
    assert!(path.starts_with(selector), "{path}");
    let kind = "content-type: application/json";
    if !path.contains("watch=true") {
        let list = shared.list();
        let length = list.len();
        let head = format!(
            "HTTP/1.1 200 OK\r\n{kind}\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n"
        );
        return stream.write_all((head + &list).as_bytes());
    }
    let mut sent = version(&path);
    let head = format!("HTTP/1.1 200 OK\r\n{kind}\r\ntransfer-encoding: chunked\r\n\r\n");
    stream.write_all(head.as_bytes())?;
    while !shared.over.load(Ordering::SeqCst) {
        let news = shared.since(sent);
        for (kind, _, pod) in &news {
            let line = format!("{{\"type\":\"{kind}\",\"object\":{pod}}}\n");
            stream.write_all(format!("{:x}\r\n{line}\r\n", line.len()).as_bytes())?;
        }
        sent += news.len();
        std::thread::sleep(TICK);
    }
    Ok(())
}

/// How often a thread looks whether anything is new.
const TICK: Duration = Duration::from_millis(5);
