//! A pod whose strings are not UTF-8, from an API server through two servers to every command.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use podsapi_proto::core_v1::{Pod, PodSpec, PodStatus};
use podsapi_proto::json::parse_json;
use podsapi_proto::meta_v1::ObjectMeta;
use podsapi_proto::v1alpha1::{GetPodResponse, ListPodsResponse};
use prost::Message;

use crate::process::{Running, Server, page, until};

/// An API server that speaks Kubernetes protobuf, in which a string may hold any bytes.
struct Api {
    port: u16,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    over: AtomicBool,
    /// The pods as they came; a later one of a name takes the place of an earlier one.
    history: Mutex<Vec<(&'static str, Vec<u8>)>>,
}

impl Drop for Api {
    fn drop(&mut self) {
        self.shared.over.store(true, Ordering::SeqCst);
        // Wakes what waits for connections.
        drop(TcpStream::connect(("127.0.0.1", self.port)));
    }
}

impl Api {
    fn start(pods: [(&'static str, Vec<u8>); 2]) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let shared = Arc::new(Shared::default());
        shared.history.lock().unwrap().extend(pods);
        let of_all = Arc::clone(&shared);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                if of_all.over.load(Ordering::SeqCst) {
                    return;
                }
                let (stream, shared) = (stream.unwrap(), Arc::clone(&of_all));
                // Whoever is gone need not be served.
                std::thread::spawn(move || drop(shared.serve(stream)));
            }
        });
        Self { port, shared }
    }

    fn change(&self, name: &'static str, pod: Vec<u8>) {
        self.shared.history.lock().unwrap().push((name, pod));
    }

    fn kubeconfig(&self, folder: &Path) -> String {
        let file = folder.join("kubeconfig");
        let text = format!(
            "current-context: a\ncontexts: [{{name: a, context: {{cluster: b, user: c}}}}]\n\
             clusters: [{{name: b, cluster: {{server: 'http://127.0.0.1:{}'}}}}]\n\
             users: [{{name: c, user: {{}}}}]\n",
            self.port
        );
        std::fs::write(&file, text).unwrap();
        file.display().to_string()
    }
}

impl Shared {
    fn serve(&self, mut stream: TcpStream) -> std::io::Result<()> {
        let mut question = Vec::new();
        while !question.ends_with(b"\r\n\r\n") {
            let mut piece = [0; 4096];
            match stream.read(&mut piece)? {
                0 => return Ok(()),
                read => question.extend(&piece[..read]),
            }
        }
        let question = String::from_utf8_lossy(&question);
        let kind = "content-type: application/vnd.kubernetes.protobuf";
        if !question.contains("watch=true") {
            let list = self.list();
            let length = list.len();
            let head = format!(
                "HTTP/1.1 200 OK\r\n{kind}\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n"
            );
            return stream.write_all(&[head.as_bytes(), &list].concat());
        }
        let version = question
            .split("&resourceVersion=")
            .nth(1)
            .unwrap_or_default();
        let version = version.split(['&', ' ']).next().unwrap_or_default();
        let mut sent: usize = version.parse().map_err(std::io::Error::other)?;
        let head = format!("HTTP/1.1 200 OK\r\n{kind};stream=watch\r\n");
        stream.write_all(format!("{head}transfer-encoding: chunked\r\n\r\n").as_bytes())?;
        while !self.over.load(Ordering::SeqCst) {
            let news = self.since(sent);
            sent += news.len();
            for (_, pod) in news {
                let event = event(&pod);
                let head = format!("{:x}\r\n", event.len());
                stream.write_all(&[head.as_bytes(), &event, b"\r\n"].concat())?;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }

    fn since(&self, version: usize) -> Vec<(&'static str, Vec<u8>)> {
        self.history.lock().unwrap()[version..].to_vec()
    }

    fn list(&self) -> Vec<u8> {
        let history = self.history.lock().unwrap();
        let version = history.len().to_string();
        let mut list = field(1, &field(2, version.as_bytes()));
        for (at, (name, pod)) in history.iter().enumerate() {
            if !history[at + 1..].iter().any(|(other, _)| other == name) {
                list.extend(field(2, pod));
            }
        }
        envelope("PodList", &list)
    }
}

fn event(pod: &[u8]) -> Vec<u8> {
    let object = field(1, &envelope("Pod", pod));
    let event = [field(1, b"MODIFIED"), field(2, &object)].concat();
    let length = u32::try_from(event.len()).unwrap().to_be_bytes();
    [&length[..], &event].concat()
}

/// Puts an object in the envelope that Kubernetes gives it.
fn envelope(kind: &str, object: &[u8]) -> Vec<u8> {
    let meta = [field(1, b"v1"), field(2, kind.as_bytes())].concat();
    [b"k8s\0".to_vec(), field(1, &meta), field(2, object)].concat()
}

/// Writes a field with one of the numbers up to 15.
fn field(number: u8, payload: &[u8]) -> Vec<u8> {
    let mut written = vec![number << 3 | 2];
    prost::encode_length_delimiter(payload.len(), &mut written).unwrap();
    written.extend_from_slice(payload);
    written
}

/// Returns a pod of the node `n1`, in whose texts each `?` is a byte that is in no UTF-8 text.
fn pod(name: &str, note: &str, message: &str) -> Vec<u8> {
    let pod = Pod {
        metadata: Some(ObjectMeta {
            name: Some(name.to_owned()),
            namespace: Some("shop".to_owned()),
            uid: Some(format!("api-{name}")),
            annotations: [("note".to_owned(), note.to_owned())].into(),
            ..ObjectMeta::default()
        }),
        spec: Some(PodSpec {
            node_name: Some("n1".to_owned()),
            ..PodSpec::default()
        }),
        status: Some(PodStatus {
            phase: Some("Failed".to_owned()),
            message: Some(message.to_owned()),
            ..PodStatus::default()
        }),
    };
    let bytes = pod.encode_to_vec().into_iter();
    bytes
        .map(|byte| if byte == b'?' { 0xff } else { byte })
        .collect()
}

/// Every command shows both pods, with U+FFFD where text is needed, and the bytes as they came.
fn shows(server: &Server, cut: &[u8]) {
    assert_eq!(
        server.ask(&["list", "-o", "name"]).text(),
        "pod/a\npod/cut\n"
    );
    let wide = server.ask(&["list", "-n", "shop", "-o", "wide"]).text();
    assert!(
        wide.contains("\ncut ") && wide.contains("api-cut"),
        "{wide}"
    );
    for arguments in [
        &["list", "-o", "json"][..],
        &["get", "api-cut", "-o", "json"],
        &["get", "shop/cut", "-o", "yaml"],
        &["list", "-o", "yaml"],
        &[
            "list",
            "-o",
            "json",
            "--fields",
            "metadata.annotations,status.message,metadata.uid",
        ],
    ] {
        let ended = server.ask(arguments);
        assert_eq!(ended.stderr, "", "{arguments:?}");
        let text = ended.text();
        for part in ["out of \u{fffd}", "\u{fffd}\u{fffd} b", "api-cut"] {
            assert!(text.contains(part), "{arguments:?}: {text}");
        }
    }
    let list = server.ask(&["list", "-o", "protobuf"]).stdout;
    assert_eq!(ListPodsResponse::decode(&*list).unwrap().pods[1], cut);
    let one = server.ask(&["get", "api-cut", "-o", "protobuf"]).stdout;
    assert_eq!(GetPodResponse::decode(&*one).unwrap().pod, cut);
}

/// Waits for the line about the source in `check` that has the problem, or that has none.
fn source(server: &Server, name: &str, problem: Option<&str>) {
    until(name, || {
        let report = server.ask(&["check"]);
        let report = String::from_utf8(report.stdout).unwrap();
        let line = report.lines().find(|line| line.starts_with(name))?;
        let found = match problem {
            Some(problem) => line.contains(problem),
            None => line.contains(" live ") && line.trim_end().ends_with(" -"),
        };
        found.then_some(())
    });
}

/// Reads events up to the one that has `last` in it, as kinds and UIDs.
fn told(watch: &Running, last: &str) -> Vec<String> {
    let mut told = Vec::new();
    loop {
        let line = watch.line("{");
        let event = parse_json(line.trim().as_bytes()).unwrap();
        let kind = event.get("type").unwrap().as_str().unwrap();
        let metadata = event.get("object").and_then(|pod| pod.get("metadata"));
        let uid = metadata.and_then(|metadata| metadata.get("uid")?.as_str());
        told.push([kind, uid.unwrap_or_default()].join(" "));
        if line.contains(last) {
            return told;
        }
    }
}

#[test]
fn it_is_listed_got_and_watched_and_survives_restarts_of_both() {
    let folders = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let [node, front] = folders.each_ref().map(|folder| folder.path());
    let cut = pod("cut", "a ?? b", "out of ?");
    let api = Api::start([("a", pod("a", "", "")), ("cut", cut.clone())]);
    let kubeconfig = api.kubeconfig(node);
    let metrics = node.join("metrics.sock");
    let on_node = ["--node-name", "n1", "--apiserver", &kubeconfig];
    let metered = ["--metrics", metrics.to_str().unwrap()];
    let upstream = Server::ready(node, on_node.iter().chain(&metered));
    let socket = upstream.socket.display().to_string();
    let in_front = ["--kubelet", &socket];
    let proxy = Server::ready(front, in_front);
    for server in [&upstream, &proxy] {
        shows(server, &cut);
    }
    let problem = "shop/cut (api-cut): metadata.annotations is not UTF-8";
    source(&upstream, "apiserver ", Some(problem));
    source(&proxy, "kubelet ", Some(problem));
    let counted = "podsapi_source_problems_total{source=\"apiserver\",kind=\"apiserver\"} 1\n";
    assert!(page(&metrics).contains(counted), "{}", page(&metrics));

    let watch = proxy.command(&["watch", "-o", "json"]);
    let all = ["ADDED api-a", "ADDED api-cut", "INITIAL_SYNC_COMPLETE "];
    assert_eq!(told(&watch, "INITIAL_SYNC_COMPLETE"), all);
    let log = upstream.process.stop().stderr;
    assert_eq!(log.matches("WARN").count(), 1, "{log}");
    assert_eq!(log.matches(problem).count(), 1, "{log}");
    let upstream = Server::ready(node, on_node);
    source(&proxy, "kubelet ", Some(problem));
    until("the upstream is back", || {
        let report = proxy.ask(&["check"]).stdout;
        String::from_utf8_lossy(&report)
            .contains(" live ")
            .then_some(())
    });
    drop(proxy);
    watch.error_line("reconnecting");
    let proxy = Server::ready(front, in_front);
    watch.error_line("reconnected");
    shows(&proxy, &cut);
    api.change("a", pod("a", "changed", ""));
    let events = ["INITIAL_SYNC_COMPLETE ", "MODIFIED api-a"];
    assert_eq!(told(&watch, "changed"), events, "nothing is gone");
    api.change("cut", pod("cut", "mended", ""));
    assert_eq!(told(&watch, "mended"), ["MODIFIED api-cut"]);
    source(&upstream, "apiserver ", None);
    source(&proxy, "kubelet ", None);
}
