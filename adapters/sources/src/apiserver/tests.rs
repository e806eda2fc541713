//! An API server over real sockets: how it is reached, what it answers, and that it may not.

use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::task::AbortHandle;

use super::{Cluster, Options, run};
use crate::Reload;
use crate::recorder::{Heard, Recorder};
use server::{Answer, Question, Server, Then};
use wire::{event, json, json_pod, list, pod, refusal, watch};

mod credentials;
mod earlier;
mod pings;
mod server;
mod wire;

/// A source that asks again within milliseconds, and the folder of its kubeconfig.
struct Source {
    recorder: Recorder,
    running: AbortHandle,
    folder: tempfile::TempDir,
}

impl Drop for Source {
    fn drop(&mut self) {
        self.running.abort();
    }
}

impl Source {
    /// Begins with a kubeconfig of this server.
    fn of(server: &Server) -> Self {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), &server.url("http"), "", "{}");
        Self::start(folder, |_| {})
    }

    fn start(folder: tempfile::TempDir, change: impl FnOnce(&mut Options)) -> Self {
        let file = folder.path().join("config");
        let mut options = Options::new(Cluster::Kubeconfig(file), "n");
        options.backoff = Duration::from_millis(1);
        options.lookout = Duration::from_millis(50);
        change(&mut options);
        let recorder = Recorder::new();
        let running = tokio::spawn(run(options, recorder.sink.clone())).abort_handle();
        Self {
            recorder,
            running,
            folder,
        }
    }

    async fn until(&mut self, wanted: impl FnMut(&Heard) -> bool) -> Heard {
        self.recorder.until(wanted).await
    }

    async fn problem(&mut self, wanted: &str) -> Heard {
        self.until(|heard| heard.problem().contains(wanted)).await
    }

    /// Waits for the first list and for nothing to be wrong.
    async fn listed(&mut self) -> Heard {
        self.until(|heard| heard.lists >= 1 && heard.problem().is_empty())
            .await
    }

    fn kubeconfig(&self) -> PathBuf {
        self.folder.path().join("config")
    }
}

/// Writes a kubeconfig of a server, with more about the cluster and all about the user.
fn write(folder: &Path, server: &str, cluster: &str, user: &str) {
    let text = format!(
        "apiVersion: v1\nkind: Config\ncurrent-context: here\n\
         contexts: [{{name: here, context: {{cluster: c, user: u}}}}]\n\
         clusters: [{{name: c, cluster: {{server: '{server}'{cluster}}}}}]\n\
         users: [{{name: u, user: {user}}}]\n"
    );
    let beside = folder.join("config.new");
    std::fs::write(&beside, text).unwrap();
    std::fs::rename(beside, folder.join("config")).unwrap();
}

/// Lists the pods, and watches what is told.
fn pods(uids: &'static [&str], word: &'static str) -> impl Fn(&Question) -> Answer {
    move |question| match question.is_watch() {
        true => watch(),
        false => list(uids, word),
    }
}

#[tokio::test]
async fn pods_come_as_they_are_on_the_wire_and_change_with_the_watch() {
    let server = Server::start(None, pods(&["1", "2"], "old")).await;
    let mut source = Source::of(&server);
    let heard = source.listed().await;
    assert_eq!(heard.names(), ["ns/pod-1", "ns/pod-2"]);
    assert_eq!(heard.pods["ns/pod-1"], pod("1", "old"));
    server.tell(&event("ADDED", "3", "new"));
    server.tell(&event("MODIFIED", "1", "new"));
    server.tell(&event("MODIFIED", "1", "new"));
    server.tell(&event("DELETED", "2", "old"));
    let heard = source.until(|heard| heard.words.contains(&"remove")).await;
    assert_eq!(heard.names(), ["ns/pod-1", "ns/pod-3"]);
    assert_eq!(heard.pods["ns/pod-1"], pod("1", "new"));
    assert_eq!(
        heard.words,
        ["begin", "put", "put", "complete", "put", "put", "remove"]
    );
    assert_eq!(heard.stale, [false]);

    let asked = server.asked();
    assert_eq!(asked.len(), 2, "{asked:?}");
    for question in asked {
        let path = "/api/v1/pods?fieldSelector=spec.nodeName%3Dn";
        assert!(question.path.starts_with(path), "{question:?}");
        assert_eq!(
            question.header("user-agent"),
            concat!("podsapi/", env!("CARGO_PKG_VERSION"))
        );
        assert_eq!(question.header("accept-encoding"), "");
        assert!(question.header("accept").contains(wire::PROTOBUF));
    }
}

#[tokio::test]
async fn a_server_that_refuses_protobuf_is_asked_for_json() {
    let script = |question: &Question| match question.header("accept") {
        "application/json" if question.is_watch() => Answer {
            then: Then::Follow,
            ..json(200, String::new())
        },
        "application/json" => {
            let item = json_pod("1", "old");
            let meta = r#""kind":"PodList","metadata":{"resourceVersion":"5"}"#;
            json(200, format!(r#"{{{meta},"items":[{item}]}}"#))
        }
        _ => refusal(406, "not acceptable"),
    };
    let server = Server::start(None, script).await;
    let mut source = Source::of(&server);
    let heard = source.listed().await;
    assert_eq!(heard.names(), ["ns/pod-1"]);
    let line = format!(
        "{{\"type\":\"ADDED\",\"object\":{}}}\n",
        json_pod("2", "new")
    );
    server.tell(line.as_bytes());
    source
        .until(|heard| heard.names() == ["ns/pod-1", "ns/pod-2"])
        .await;
}

#[tokio::test]
async fn pods_stay_while_the_server_refuses_and_it_is_told_what_and_where() {
    for (status, message, expected) in [
        (401, "Unauthorized", "does not accept the credentials"),
        (403, "pods is forbidden", "pods is forbidden"),
        (
            404,
            "",
            "check that its URL is that of a Kubernetes API server",
        ),
        (500, "etcd", "the API server fails"),
    ] {
        let server = Server::start(None, pods(&["1"], "old")).await;
        let mut source = Source::of(&server);
        source.listed().await;
        server.script(move |_| refusal(status, message));
        server.tell(b"");
        let heard = source.problem(expected).await;
        assert!(heard.problem().starts_with(&server.url("http")));
        assert!(heard.problem().contains("the pods stay as they were last"));
        assert_eq!(heard.names(), ["ns/pod-1"]);
        server.script(pods(&["1"], "old"));
        source.until(|heard| heard.problem().is_empty()).await;
    }
}

#[tokio::test]
async fn a_watch_that_breaks_off_within_an_event_goes_on_with_what_changed() {
    let whole = event("MODIFIED", "1", "new");
    let half = whole[..whole.len() / 2].to_vec();
    let script = move |question: &Question| match question.is_watch() {
        true => Answer {
            body: half.clone(),
            then: Then::Cut,
            ..watch()
        },
        false => list(&["1"], "old"),
    };
    let server = Server::start(None, script).await;
    let mut source = Source::of(&server);
    let heard = source.problem("the answer broke off").await;
    assert_eq!(heard.pods["ns/pod-1"], pod("1", "old"));
    server.tell(&whole);
    server.script(pods(&["1"], "new"));
    let heard = source
        .until(|heard| heard.problem().is_empty() && heard.pods["ns/pod-1"] == pod("1", "new"))
        .await;
    assert_eq!(heard.names(), ["ns/pod-1"]);
}

#[tokio::test]
async fn pods_stay_while_the_server_is_away_and_what_is_gone_then_goes_once() {
    let server = Server::start(None, pods(&["1"], "old")).await;
    let mut source = Source::of(&server);
    source.listed().await;
    let port = server.port;
    drop(server);
    let heard = source.problem("is it running there?").await;
    assert_eq!(heard.names(), ["ns/pod-1"]);
    let back = move |question: &Question| match question.is_watch() {
        true => refusal(410, "too old"),
        false => list(&["2"], "new"),
    };
    let server = Server::at(port, None, back).await;
    source.until(|heard| heard.names() == ["ns/pod-2"]).await;
    server.script(pods(&["2"], "new"));
    source.until(|heard| heard.problem().is_empty()).await;
}

#[tokio::test]
async fn a_server_that_never_answers_does_not_keep_a_source_from_ending() {
    let never = |_: &Question| Answer {
        then: Then::Never,
        ..watch()
    };
    let server = Server::start(None, never).await;
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &server.url("http"), "", "{}");
    let recorder = Recorder::new();
    let cluster = Cluster::Kubeconfig(folder.path().join("config"));
    let running = tokio::spawn(run(Options::new(cluster, "n"), recorder.sink.clone()));
    tokio::time::timeout(Duration::from_secs(30), async {
        while server.asked().is_empty() {
            tokio::task::yield_now().await;
        }
    })
    .await
    .unwrap();
    running.abort();
    let ended = tokio::time::timeout(Duration::from_secs(30), running).await;
    assert!(ended.unwrap().unwrap_err().is_cancelled());
}

#[tokio::test]
async fn a_first_list_without_a_pod_says_for_which_name_it_asked() {
    let server = Server::start(None, pods(&[], "old")).await;
    let mut source = Source::of(&server);
    let heard = source
        .problem("no pod is bound to a node of the name \"n\"")
        .await;
    assert_eq!(heard.lists, 1);
    assert!(heard.problem().starts_with(&server.url("http")));
    server.tell(&event("ADDED", "1", "new"));
    source.until(|heard| heard.problem().is_empty()).await;
    // A node that is emptied is no mistake.
    server.tell(&event("DELETED", "1", "new"));
    let heard = source.until(|heard| heard.pods.is_empty()).await;
    assert_eq!(heard.problem(), "");
}

#[tokio::test]
async fn a_wish_to_read_anew_takes_the_kubeconfig_as_it_is_then() {
    let servers = [
        Server::start(None, pods(&["1"], "old")).await,
        Server::start(None, pods(&["2"], "old")).await,
    ];
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &servers[0].url("http"), "", "{}");
    let file = folder.path().join("config");
    let (mut recorder, reload) = (Recorder::new(), Reload::new());
    let sink = recorder.sink.clone().with_reload(&reload);
    let mut options = Options::new(Cluster::Kubeconfig(file), "n");
    // A new attempt would come too late for this.
    options.backoff = Duration::from_secs(3_600);
    let running = tokio::spawn(run(options, sink));
    recorder.until(|heard| heard.names() == ["ns/pod-1"]).await;
    write(folder.path(), &servers[1].url("http"), "", "{}");
    reload.wish();
    recorder.until(|heard| heard.names() == ["ns/pod-2"]).await;

    // A wait after a failure ends with it, too.
    write(folder.path(), "http://127.0.0.1:1", "", "{}");
    reload.wish();
    recorder
        .until(|heard| heard.problem().contains("is it running there?"))
        .await;
    assert_eq!(recorder.heard().names(), ["ns/pod-2"]);
    write(folder.path(), &servers[0].url("http"), "", "{}");
    reload.wish();
    let heard = recorder
        .until(|heard| heard.names() == ["ns/pod-1"] && heard.problem().is_empty())
        .await;
    let lost = heard.words.iter().filter(|word| **word == "lost").count();
    assert_eq!(lost, 1, "{:?}", heard.words);
    running.abort();
}
