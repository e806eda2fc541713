//! An upstream that behaves, that restarts, and that does neither.

use std::path::PathBuf;
use std::time::Duration;

use podsapi_client::BackoffOptions;
use podsapi_proto::v1alpha1::EventType;
use tokio::io::AsyncWriteExt;
use tokio::net::UnixListener;
use tokio::task::AbortHandle;

use super::{Options, run};
use crate::Reload;
use crate::recorder::{Heard, Recorder};
use upstream::{Upstream, broken, pod};

mod lists;
mod model;
mod upstream;

/// A source that watches a socket in a folder of its own.
struct Source {
    recorder: Recorder,
    socket: PathBuf,
    running: AbortHandle,
    _directory: tempfile::TempDir,
}

impl Drop for Source {
    fn drop(&mut self) {
        self.running.abort();
    }
}

impl Source {
    fn start() -> Self {
        Self::with_patience(Duration::from_secs(60))
    }

    fn with_patience(patience: Duration) -> Self {
        Self::with(|options| options.patience = patience)
    }

    fn with(change: impl FnOnce(&mut Options)) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let socket = directory.path().join("upstream.sock");
        let recorder = Recorder::new();
        let backoff = BackoffOptions {
            initial: Duration::from_millis(2),
            max: Duration::from_millis(20),
            ..BackoffOptions::default()
        };
        let mut options = Options {
            backoff,
            ..Options::new(&socket)
        };
        change(&mut options);
        let running = tokio::spawn(run(options, recorder.sink.clone())).abort_handle();
        Self {
            recorder,
            socket,
            running,
            _directory: directory,
        }
    }

    fn upstream(&self) -> Upstream {
        Upstream::at(&self.socket)
    }

    async fn until(&mut self, wanted: impl FnMut(&Heard) -> bool) -> Heard {
        self.recorder.until(wanted).await
    }

    async fn problem(&mut self, wanted: &str) -> Heard {
        self.until(|heard| heard.problem().contains(wanted)).await
    }

    async fn synced(&mut self, times: usize) -> Heard {
        self.until(|heard| heard.lists == times).await
    }
}

fn count(heard: &Heard, word: &str) -> usize {
    heard.words.iter().filter(|said| **said == word).count()
}

#[tokio::test]
async fn a_replay_counts_from_its_marker_on_and_bytes_stay_as_they_came() {
    let mut source = Source::start();
    let mut upstream = source.upstream();
    let mut watch = upstream.watch().await;
    let (a, b) = (pod("1", "a"), pod("2", "b"));
    watch.added(&a);
    watch.added(&b);
    let heard = source.until(|heard| count(heard, "put") == 2).await;
    assert!(heard.pods.is_empty() && heard.lists == 0, "{heard:?}");

    watch.synced();
    let heard = source.synced(1).await;
    assert_eq!(heard.names(), ["ns/a", "ns/b"]);
    assert_eq!(heard.pods["ns/a"].bytes(), &a);

    let changed = [pod("2", "b"), b"\x82\x7d\x01x".to_vec()].concat();
    watch.event(EventType::Modified, &changed);
    watch.event(EventType::Deleted, &pod("1", "a"));
    let heard = source.until(|heard| count(heard, "remove") == 1).await;
    assert_eq!(heard.names(), ["ns/b"]);
    assert_eq!(heard.pods["ns/b"].bytes(), &changed);
    assert_eq!(heard.problem(), "");
}

#[tokio::test]
async fn pods_stay_while_the_upstream_is_away_and_its_return_is_one_new_list() {
    let mut source = Source::start();
    let mut upstream = source.upstream();
    let mut watch = upstream.watch().await;
    watch.added(&pod("1", "a"));
    watch.added(&pod("2", "b"));
    watch.synced();
    source.synced(1).await;

    drop(upstream);
    let heard = source.problem("its pods stay as they were last").await;
    assert_eq!(heard.names(), ["ns/a", "ns/b"]);

    let mut upstream = source.upstream();
    let mut watch = upstream.watch().await;
    watch.added(&pod("2", "b"));
    // Nothing is gone before the upstream says that this is all.
    source.until(|heard| count(heard, "begin") == 2).await;
    assert_eq!(source.recorder.heard().names(), ["ns/a", "ns/b"]);
    watch.synced();
    let heard = source.synced(2).await;
    assert_eq!(heard.names(), ["ns/b"]);
    source.problem("").await;
    source.until(|heard| heard.problem().is_empty()).await;
    assert_eq!(count(&heard, "lost"), 1, "{heard:?}");
}

#[tokio::test]
async fn refusals_have_names_and_are_asked_again() {
    let mut source = Source::start();
    source.problem("is the server running").await;
    let mut upstream = source.upstream();
    for (code, text, expected) in [
        (9, "Kubelet is initializing", "not ready yet"),
        (
            12,
            "unknown service",
            "does not serve the released Pods API",
        ),
        (7, "no", "does not accept this user"),
        (13, "odd", "Internal: odd"),
    ] {
        upstream.call().await.refuse(code, text);
        let heard = source.problem(expected).await;
        assert!(heard.problem().contains(text), "{heard:?}");
        assert!(heard.problem().contains("nothing of it is served before"));
    }
    let mut watch = upstream.watch().await;
    watch.added(&pod("1", "a"));
    watch.synced();
    source.synced(1).await;
    watch.end(8);
    let heard = source.problem("was read too slowly").await;
    assert_eq!(heard.names(), ["ns/a"]);
    // There were many refusals, and two times without a watch.
    assert_eq!(count(&heard, "lost"), 2, "{heard:?}");
    let mut watch = upstream.watch().await;
    watch.synced();
    source.synced(2).await;
    watch.end(0);
    source.problem("ended the watch").await;
    let mut watch = upstream.watch().await;
    watch.synced();
    let heard = source.synced(3).await;
    assert!(heard.pods.is_empty());
}

#[tokio::test]
async fn a_pod_that_cannot_be_read_hides_no_other_and_stays_as_it_was() {
    let mut source = Source::start();
    let mut upstream = source.upstream();
    let mut watch = upstream.watch().await;
    let a = pod("1", "a");
    watch.added(&a);
    watch.added(&broken("2", "b"));
    watch.added(b"\xff\xff\xff");
    watch.added(&pod("3", "c"));
    watch.synced();
    let heard = source.problem("ns/b (2)").await;
    assert_eq!(heard.names(), ["ns/a", "ns/c"]);
    assert!(heard.problem().contains("a pod without a UID"), "{heard:?}");

    watch.event(EventType::Modified, &broken("1", "a"));
    let heard = source.problem("ns/a (1)").await;
    assert_eq!(heard.pods["ns/a"].bytes(), &a);
    assert!(heard.problem().contains("as last read it stays served"));

    watch.event(EventType::Modified, &pod("2", "b"));
    source.until(|heard| heard.names().contains(&"ns/b")).await;
    source
        .until(|heard| !heard.problem().contains("ns/b"))
        .await;

    // In a replay, too, it stands in for itself.
    drop(watch);
    let mut watch = upstream.watch().await;
    watch.added(&broken("1", "a"));
    watch.synced();
    let heard = source.synced(2).await;
    assert_eq!(heard.names(), ["ns/a"]);
    assert_eq!(heard.pods["ns/a"].bytes(), &a);
    let heard = source
        .until(|heard| !heard.problem().contains("again"))
        .await;
    assert!(heard.problem().starts_with("ns/a (1): "), "{heard:?}");
    watch.event(EventType::Deleted, &pod("1", "a"));
    let heard = source.until(|heard| heard.problem().is_empty()).await;
    assert!(heard.pods.is_empty());
}

#[tokio::test]
async fn an_event_of_an_unknown_kind_is_a_change_if_it_has_a_pod() {
    let mut source = Source::start();
    let mut upstream = source.upstream();
    let mut watch = upstream.watch().await;
    watch.odd_event(77, &pod("1", "a"));
    watch.odd_event(78, b"");
    watch.synced();
    let heard = source.problem("an unknown kind").await;
    assert_eq!(heard.names(), ["ns/a"]);
    watch.odd_event(78, b"");
    for listed in [pod("1", "a"), pod("2", "b")] {
        upstream.listed.put(&listed);
    }
    watch.odd_event(79, &pod("2", "b"));
    let heard = source.until(|heard| heard.pods.len() == 2).await;
    assert_eq!(heard.problems.len(), 1, "{heard:?}");
}

#[tokio::test]
async fn a_deletion_of_nobody_knows_which_pod_leads_to_a_new_replay() {
    let mut source = Source::start();
    let mut upstream = source.upstream();
    let mut watch = upstream.watch().await;
    watch.added(&pod("1", "a"));
    watch.synced();
    watch.event(EventType::Deleted, b"\xff");
    source.problem("without saying which one").await;
    let mut watch = upstream.watch().await;
    watch.synced();
    assert!(source.synced(2).await.pods.is_empty());
}

#[tokio::test]
async fn a_replay_that_breaks_off_changes_nothing() {
    let mut source = Source::start();
    let mut upstream = source.upstream();
    let mut watch = upstream.watch().await;
    watch.added(&pod("1", "a"));
    watch.synced();
    source.synced(1).await;
    drop(watch);
    let endings: [(&[u8], Option<u16>, &str); 4] = [
        (b"\0\0\0\x01\0half", None, "reset"),
        (b"\0\0\0\x01\0half", Some(0), "in the middle of a message"),
        (b"\0\xff\xff\xff\xff", None, "larger than max"),
        (b"\0\0\0\0\x01\xff", None, "does not decode"),
    ];
    for (bytes, status, expected) in endings {
        let mut watch = upstream.watch().await;
        let puts = count(&source.recorder.heard(), "put");
        watch.added(&pod("2", "b"));
        source.until(|heard| count(heard, "put") > puts).await;
        watch.bytes(bytes);
        // A watch that is let go before its end is reset; held, it is the reader who ends it.
        let held = match (status, expected) {
            (Some(code), _) => {
                watch.end(code);
                None
            }
            (None, "reset") => {
                drop(watch);
                None
            }
            (None, _) => Some(watch),
        };
        let heard = source.problem(expected).await;
        let lost = |heard: &Heard| heard.words.last() == Some(&"lost");
        assert!(lost(&source.until(lost).await));
        assert_eq!(heard.names(), ["ns/a"], "{bytes:?}");
        assert_eq!(heard.lists, 1);
        drop(held);
    }
}

#[tokio::test]
async fn a_peer_that_speaks_something_else_is_a_problem() {
    let mut source = Source::start();
    let _absent = std::fs::remove_file(&source.socket);
    let listener = UnixListener::bind(&source.socket).unwrap();
    let talking = tokio::spawn(async move {
        let mut open = Vec::new();
        while let Ok((mut stream, _)) = listener.accept().await {
            let _closed = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
            open.push(stream);
        }
    });
    source.problem("the connection failed").await;
    talking.abort();
}

#[tokio::test]
async fn an_upstream_that_never_comes_to_its_marker_is_asked_anew() {
    // Long enough for an answer on a busy machine.
    let mut source = Source::with_patience(Duration::from_secs(2));
    let mut upstream = source.upstream();
    let unanswered = upstream.call().await;
    source.problem("said nothing for 2s").await;
    let mut stuck = upstream.watch().await;
    stuck.added(&pod("1", "a"));
    let mut watch = upstream.watch().await;
    watch.synced();
    let heard = source.synced(1).await;
    assert!(heard.pods.is_empty(), "{heard:?}");
    // From the marker on, silence means that nothing happens.
    tokio::time::sleep(Duration::from_millis(2_500)).await;
    watch.added(&pod("2", "b"));
    let heard = source.until(|heard| heard.pods.len() == 1).await;
    assert_eq!(heard.lists, 1);
    drop((unanswered, stuck));
}

#[tokio::test]
async fn an_upstream_that_hangs_is_noticed_and_its_pods_stay_until_it_is_back() {
    let mut source = Source::with(|options| options.vigilance = Duration::from_secs(2));
    let mut upstream = source.upstream();
    let mut watch = upstream.watch().await;
    watch.added(&pod("1", "a"));
    watch.synced();
    // Any answer is a sign of life, even that there is no such service, as of a kubelet.
    for _ in 0..3 {
        let call = upstream.call().await;
        assert_eq!(call.path, "/grpc.health.v1.Health/Check");
        call.refuse(12, "unknown service");
    }
    assert_eq!(count(&source.recorder.heard(), "lost"), 0);

    // From now on nothing is answered, neither then nor before a watch began.
    let heard = source
        .problem("the upstream hangs: it gave no sign of life for 2s")
        .await;
    assert!(heard.problem().contains("its pods stay as they were last"));
    assert_eq!((heard.names(), count(&heard, "lost")), (vec!["ns/a"], 1));
    // A call that is dropped is answered by a reset, so all are held.
    let (mut held, mut watches) = (Vec::new(), 0);
    while watches < 2 {
        let call = upstream.call().await;
        watches += usize::from(call.path.ends_with("WatchPods"));
        held.push(call);
    }
    assert_eq!(count(&source.recorder.heard(), "lost"), 1, "one outage");
    drop(held);
}

#[tokio::test]
async fn a_new_socket_is_tried_at_once_and_often_until_it_answers() {
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path().join("pods-api");
    let socket = folder.join("s.sock");
    let mut source = Source::with(|options| {
        options.socket = socket.clone();
        options.backoff.initial = Duration::from_secs(3_600);
        options.backoff.max = Duration::from_secs(3_600);
    });
    source.problem("cannot connect").await;
    for round in 1..=3 {
        // There was no folder, no socket in it, and another folder.
        std::fs::create_dir_all(&folder).unwrap();
        // A file at which nobody listens yet, and a server that is not ready.
        drop(UnixListener::bind(&socket).unwrap());
        source.problem("not running any more").await;
        let mut upstream = Upstream::at(&socket);
        for _ in 0..3 {
            let call = upstream.call().await;
            call.refuse(9, "Kubelet is initializing");
        }
        let mut watch = upstream.watch().await;
        watch.added(&pod("1", "a"));
        watch.synced();
        source.synced(round).await;
        drop((watch, upstream));
        source.problem("its pods stay as they were last").await;
        std::fs::remove_file(&socket).unwrap();
        if round == 2 {
            std::fs::rename(&folder, directory.path().join("aside")).unwrap();
        }
    }
}

#[tokio::test]
async fn a_wish_to_read_anew_ends_the_wait_for_an_upstream() {
    let directory = tempfile::tempdir().unwrap();
    let socket = directory.path().join("upstream.sock");
    let (mut recorder, reload) = (Recorder::new(), Reload::new());
    let sink = recorder.sink.clone().with_reload(&reload);
    let mut options = Options::new(&socket);
    options.backoff.initial = Duration::from_secs(3_600);
    options.backoff.max = Duration::from_secs(3_600);
    let mut upstream = Upstream::at(&socket);
    let running = tokio::spawn(run(options, sink));
    upstream.call().await.refuse(9, "not ready");
    recorder
        .until(|heard| heard.problem().contains("not ready"))
        .await;
    reload.wish();
    let mut watch = upstream.watch().await;
    watch.synced();
    recorder.until(|heard| heard.lists == 1).await;
    // While there is a watch a wish is one for the list.
    upstream.listed.put(&pod("1", "a"));
    reload.wish();
    recorder.until(|heard| heard.pods.len() == 1).await;
    running.abort();
}

#[tokio::test]
async fn a_pod_that_is_not_utf_8_is_handed_on_and_named_once() {
    let mut source = Source::start();
    let mut upstream = source.upstream();
    // `status.message`, cut inside a character.
    let cut = [pod("2", "b"), b"\x1a\x05\x1a\x03ab\xc3".to_vec()].concat();
    for round in 1..=2 {
        let mut watch = upstream.watch().await;
        watch.added(&pod("1", "a"));
        watch.added(&cut);
        watch.synced();
        let heard = source.synced(round).await;
        assert_eq!(heard.names(), ["ns/a", "ns/b"]);
        assert_eq!(heard.pods["ns/b"].bytes(), &cut);
        watch.event(EventType::Modified, &cut);
        if round == 2 {
            watch.event(EventType::Modified, &pod("2", "b"));
            let heard = source.until(|heard| heard.problem().is_empty()).await;
            let named = heard.problems.iter().flatten();
            let named = named.filter(|text| text.contains("ns/b (2): status.message is not UTF-8"));
            // The loss of the upstream is told beside it, and then alone is over.
            assert!(named.count() <= 3, "{:?}", heard.problems);
            return;
        }
        source
            .problem("ns/b (2): status.message is not UTF-8")
            .await;
        watch.end(14);
    }
}

#[tokio::test]
async fn a_pod_that_grows_beyond_the_bound_stays_as_it_was_and_is_named() {
    let mut source = Source::start();
    let mut upstream = source.upstream();
    let mut watch = upstream.watch().await;
    let small = pod("1", "a");
    // An unknown field of `length` bytes behind the pod.
    let grown = |length: usize| {
        let mut grown = [small.as_slice(), b"\x82\x7d"].concat();
        prost::encode_length_delimiter(length, &mut grown).unwrap();
        grown.resize(grown.len() + length, b'x');
        grown
    };
    let manifest = grown(10 * (1 << 20) - 100);
    for pod in [&small, &manifest] {
        watch.added(pod);
    }
    watch.synced();
    let heard = source.synced(1).await;
    assert_eq!(
        heard.pods["ns/a"].bytes(),
        &manifest,
        "as a manifest may be"
    );
    watch.event(EventType::Modified, &grown(10 * (1 << 20)));
    let heard = source.problem("as last read it stays served").await;
    let limit = "ns/a (1): expected at most 10485760 bytes";
    assert!(heard.problem().starts_with(limit), "{}", heard.problem());
    assert_eq!(heard.pods["ns/a"].bytes(), &manifest);
    watch.event(EventType::Modified, &small);
    source.until(|heard| heard.problem().is_empty()).await;
}

#[tokio::test]
async fn a_pod_whose_uid_reads_as_anothers_is_named_and_hides_it_not() {
    let raw = |byte: u8, name: &str| {
        let mut pod = pod("q~", name);
        let at = pod.windows(2).position(|two| two == b"q~").unwrap();
        pod[at + 1] = byte;
        pod
    };
    let mut source = Source::start();
    let mut upstream = source.upstream();
    let mut watch = upstream.watch().await;
    watch.added(&raw(0xff, "a"));
    watch.added(&raw(0xfe, "b"));
    watch.synced();
    let told = "ns/b: the UID q\u{fffd} is another pod's already (not served)";
    let heard = source.problem(told).await;
    assert_eq!(heard.names(), ["ns/a"]);
    // Its end is not that of the other one.
    watch.event(EventType::Deleted, &raw(0xfe, "b"));
    let heard = source.until(|heard| !heard.problem().contains(told)).await;
    assert_eq!(heard.names(), ["ns/a"]);
    // Live, too; and it is served once there is room for it.
    watch.added(&raw(0xfe, "b"));
    source.problem(told).await;
    watch.event(EventType::Deleted, &raw(0xff, "a"));
    watch.event(EventType::Modified, &raw(0xfe, "b"));
    let heard = source
        .until(|heard| heard.names() == ["ns/b"] && !heard.problem().contains(told))
        .await;
    assert!(heard.problem().contains("metadata.uid is not UTF-8"));
}
