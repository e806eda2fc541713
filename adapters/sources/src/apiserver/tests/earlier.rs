//! The checkpoint: what a restart finds while the API server is away, and when it is back.

use std::os::unix::fs::PermissionsExt;

use super::*;
use crate::apiserver::identity::{Identity, Way};
use crate::apiserver::{Checkpoint, checkpoint};

/// The cluster at an address without authorities of its own, as `write` writes kubeconfigs.
fn cluster(uid: &str, server: &str) -> Identity {
    Identity {
        uid: uid.to_owned(),
        way: Way::new(server.to_owned(), None),
    }
}

/// Leaves the pod 9 of that cluster and node.
fn leave(folder: &tempfile::TempDir, node: &str, of: &Identity) {
    let file = folder.path().join("file");
    checkpoint::write(&file, node, of, &[pod("9", "old")], 1_762_280_028).unwrap();
}

/// A source that keeps its pods in `file` of its folder, with no server that could be reached.
fn away(folder: tempfile::TempDir, after: Duration) -> Source {
    write(folder.path(), AWAY, "", "{}");
    start(folder, after)
}

fn start(folder: tempfile::TempDir, after: Duration) -> Source {
    let file = folder.path().join("file");
    Source::start(folder, |options| {
        options.checkpoint = Some(Checkpoint { file, after });
    })
}

fn kept(folder: &tempfile::TempDir, node: &str) -> Vec<podsapi_core::EncodedPod> {
    let earlier = checkpoint::read(&folder.path().join("file"), node);
    earlier
        .unwrap()
        .map(|earlier| earlier.pods)
        .unwrap_or_default()
}

/// Ends the source and leaves its folder.
fn stop(source: Source) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in ["file", "config"] {
        let to = folder.path().join(name);
        std::fs::copy(source.folder.path().join(name), to).unwrap();
    }
    folder
}

const AWAY: &str = "http://127.0.0.1:1";

const LATER: Duration = Duration::from_secs(3_600);

#[tokio::test]
async fn a_restart_without_the_server_serves_what_was_kept_until_the_server_is_back() {
    let server = Server::start(None, pods(&["1", "2"], "old")).await;
    let port = server.port;
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &server.url("http"), "", "{}");
    let mut source = start(folder, LATER);
    source.listed().await;
    // The first list is written at once.
    tokio::time::timeout(Duration::from_secs(30), async {
        while kept(&source.folder, "n").len() < 2 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await
    .unwrap();
    drop(server);

    let mut source = start(stop(source), Duration::from_millis(300));
    let heard = source
        .until(|heard| heard.words.ends_with(&["complete", "lost"]))
        .await;
    assert_eq!(heard.names(), ["ns/pod-1", "ns/pod-2"]);
    assert_eq!(heard.stale, [true]);
    let heard = source
        .problem("the pods of an earlier run are served, as of 2025-11-04T19:13:48Z, 0 seconds ago")
        .await;
    assert!(
        heard.problem().contains("is it running there?"),
        "both are told: {}",
        heard.problem()
    );

    let _server = Server::at(port, None, pods(&["1", "3"], "old")).await;
    let heard = source
        .until(|heard| heard.stale == [true, false] && heard.problem().is_empty())
        .await;
    assert_eq!(heard.names(), ["ns/pod-1", "ns/pod-3"]);
    assert_eq!(heard.pods["ns/pod-1"], pod("1", "old"));
    assert_eq!(heard.lists, 2);
}

#[tokio::test]
async fn the_last_change_before_the_end_is_kept() {
    let server = Server::start(None, pods(&["1", "2"], "old")).await;
    let mut source = start(folder_of(&server), LATER);
    source.listed().await;
    // Long before a change is due to be written.
    server.tell(&event("DELETED", "1", "old"));
    source.until(|heard| heard.names() == ["ns/pod-2"]).await;
    source.running.abort();
    while !source.running.is_finished() {
        tokio::task::yield_now().await;
    }
    assert_eq!(kept(&source.folder, "n"), [pod("2", "old")]);
}

#[tokio::test]
async fn a_server_that_answers_in_time_makes_the_file_useless() {
    let folder = tempfile::tempdir().unwrap();
    leave(&folder, "n", &cluster("", AWAY));
    let server = Server::start(None, pods(&["1"], "old")).await;
    write(folder.path(), &server.url("http"), "", "{}");
    let mut source = start(folder, LATER);
    let heard = source.listed().await;
    assert_eq!((heard.names(), heard.lists), (vec!["ns/pod-1"], 1));
    assert_eq!(heard.stale, [false]);
}

#[tokio::test]
async fn a_file_that_is_torn_or_of_another_node_is_told_and_not_served() {
    let torn = tempfile::tempdir().unwrap();
    std::fs::write(
        torn.path().join("file"),
        "podsapi checkpoint\n\0\0\0\x02half",
    )
    .unwrap();
    let other = tempfile::tempdir().unwrap();
    leave(&other, "m", &cluster("", AWAY));
    let server = Server::start(None, pods(&["1"], "old")).await;
    for (folder, expected) in [
        (torn, "file: is torn"),
        (other, "file: is of the node \"m\""),
    ] {
        let mut source = away(folder, Duration::ZERO);
        let heard = source.problem(expected).await;
        assert!(
            heard
                .problem()
                .contains("is replaced once the API server has told its pods")
        );
        assert_eq!((heard.lists, heard.stale.len()), (0, 0));
        write(source.folder.path(), &server.url("http"), "", "{}");
        source.listed().await;
        assert_eq!(kept(&source.folder, "n"), [pod("1", "old")]);
    }
}

#[tokio::test]
async fn a_folder_that_cannot_be_written_to_is_told_and_all_is_served() {
    let server = Server::start(None, pods(&["1"], "old")).await;
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &server.url("http"), "", "{}");
    let file = folder.path().join("absent/file");
    let mut source = Source::start(folder, |options| {
        options.checkpoint = Some(Checkpoint { file, after: LATER });
    });
    let heard = source.problem("absent`: No such file").await;
    assert_eq!(heard.names(), ["ns/pod-1"]);
    server.tell(&event("DELETED", "1", "old"));
    source.until(|heard| heard.pods.is_empty()).await;
}

#[tokio::test]
async fn what_is_kept_is_for_its_owner_alone() {
    let server = Server::start(None, pods(&["1"], "old")).await;
    let folder = folder_of(&server);
    let mut source = start(folder, LATER);
    source.listed().await;
    let file = source.folder.path().join("file");
    let mode = tokio::time::timeout(Duration::from_secs(30), async {
        loop {
            match std::fs::metadata(&file) {
                Ok(found) => break found.permissions().mode() & 0o777,
                Err(_) => tokio::time::sleep(Duration::from_millis(5)).await,
            }
        }
    });
    assert_eq!(mode.await.unwrap(), 0o600);
}

fn folder_of(server: &Server) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &server.url("http"), "", "{}");
    folder
}

#[tokio::test]
async fn what_is_no_checkpoint_is_left_alone() {
    let server = Server::start(None, pods(&["1"], "old")).await;
    let folder = folder_of(&server);
    std::fs::write(folder.path().join("file"), "somebody's").unwrap();
    let mut source = start(folder, LATER);
    let heard = source
        .problem("the pods cannot be kept: there is something else in its place")
        .await;
    assert_eq!(heard.names(), ["ns/pod-1"]);
    let file = source.folder.path().join("file");
    assert_eq!(std::fs::read_to_string(file).unwrap(), "somebody's");
}

/// Lists the pods of a cluster whose `kube-system` has this UID, or may not be read without one.
fn pods_of(uid: &'static str, list: Option<&'static [&str]>) -> impl Fn(&Question) -> Answer {
    move |question| match (question.path.as_str(), list) {
        ("/api/v1/namespaces/kube-system", _) => match uid {
            "" => refusal(403, "namespaces is forbidden"),
            uid => json(
                200,
                format!(r#"{{"kind":"Namespace","metadata":{{"uid":"{uid}"}}}}"#),
            ),
        },
        (_, Some(list)) => pods(list, "old")(question),
        (_, None) => refusal(500, "etcd"),
    }
}

/// Waits for the file to be there, and returns of which cluster it is.
async fn kept_of(folder: &tempfile::TempDir) -> Identity {
    let file = folder.path().join("file");
    let reading = async {
        loop {
            if let Ok(Some(earlier)) = checkpoint::read(&file, "n") {
                break earlier.of;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let read = tokio::time::timeout(Duration::from_secs(30), reading);
    read.await.unwrap()
}

#[tokio::test]
async fn the_file_names_its_cluster_by_what_may_be_read_of_it() {
    for uid in ["uid-of-here", ""] {
        let server = Server::start(None, pods_of(uid, Some(&["1"]))).await;
        let mut source = start(folder_of(&server), LATER);
        source.listed().await;
        let of = kept_of(&source.folder).await;
        assert_eq!(of, cluster(uid, &server.url("http")));
        let asked = server.asked();
        let about = |question: &&Question| question.path.starts_with("/api/v1/namespaces");
        assert_eq!(asked.iter().filter(about).count(), 1, "{asked:?}");
    }
}

/// Lists one pod, and says the UID only when it is asked for the third time.
fn slow_to_say() -> impl Fn(&Question) -> Answer {
    let asked = std::sync::atomic::AtomicUsize::new(0);
    let said = pods_of("uid-of-here", Some(&["1"]));
    move |question| {
        let about = question.path.starts_with("/api/v1/namespaces");
        match about && asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed) < 2 {
            true => refusal(503, "etcd"),
            false => said(question),
        }
    }
}

#[tokio::test]
async fn a_uid_that_was_not_said_is_asked_for_again_until_the_file_has_it() {
    let server = Server::start(None, slow_to_say()).await;
    let mut source = start(folder_of(&server), LATER);
    source.listed().await;
    assert_eq!(
        kept_of(&source.folder).await,
        cluster("", &server.url("http")),
        "the pods are kept all the same"
    );
    let named = async {
        while kept_of(&source.folder).await.uid.is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), named)
        .await
        .unwrap();
    assert_eq!(
        kept_of(&source.folder).await,
        cluster("uid-of-here", &server.url("http"))
    );
}

#[tokio::test]
async fn pods_of_an_earlier_run_wait_for_a_uid_that_was_not_said() {
    let said = slow_to_say();
    let server = Server::start(None, move |question: &Question| {
        match question.path.starts_with("/api/v1/namespaces") {
            true => said(question),
            false => refusal(500, "etcd"),
        }
    })
    .await;
    let folder = tempfile::tempdir().unwrap();
    // By another way to the same cluster.
    leave(&folder, "n", &cluster("uid-of-here", "https://elsewhere"));
    write(folder.path(), &server.url("http"), "", "{}");
    let mut source = start(folder, Duration::ZERO);
    let heard = source.problem("which has not said its UID").await;
    assert!(heard.pods.is_empty());
    let heard = source
        .problem("the pods of an earlier run are served")
        .await;
    assert_eq!(heard.names(), ["ns/pod-9"]);
}

#[tokio::test]
async fn without_a_checkpoint_nobody_asks_which_cluster_it_is() {
    let server = Server::start(None, pods_of("u", Some(&["1"]))).await;
    let mut source = Source::of(&server);
    source.listed().await;
    let asked = server.asked();
    let all_of_pods = asked
        .iter()
        .all(|one| one.path.starts_with("/api/v1/pods?"));
    assert!(all_of_pods, "{asked:?}");
}

#[tokio::test]
async fn the_pods_of_another_cluster_are_not_served() {
    // Whether it cannot be reached at all, or answers for itself and not for its pods.
    let failing = Server::start(None, pods_of("uid-of-here", None)).await;
    let silent = Server::start(None, pods_of("", None)).await;
    for (here, there) in [
        (AWAY.to_owned(), cluster("u", "http://127.0.0.1:2")),
        (
            failing.url("http"),
            cluster("uid-of-there", &failing.url("http")),
        ),
        (silent.url("http"), cluster("u", AWAY)),
    ] {
        let folder = tempfile::tempdir().unwrap();
        leave(&folder, "n", &there);
        write(folder.path(), &here, "", "{}");
        let mut source = start(folder, Duration::ZERO);
        let heard = source
            .problem("file: is of another cluster: of that at")
            .await;
        let told = heard.problem();
        assert!(
            told.contains(&there.to_string()) && told.contains(&here),
            "{told}"
        );
        assert_eq!((heard.lists, heard.stale.len()), (0, 0), "{there:?}");
    }
}

#[tokio::test]
async fn the_pods_of_the_same_cluster_are_served_by_its_uid_or_by_the_way() {
    let failing = Server::start(None, pods_of("uid-of-here", None)).await;
    for (here, there) in [
        (AWAY.to_owned(), cluster("uid-of-here", AWAY)),
        (AWAY.to_owned(), cluster("", AWAY)),
        // Its address has changed.
        (
            failing.url("http"),
            cluster("uid-of-here", "https://elsewhere"),
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        leave(&folder, "n", &there);
        write(folder.path(), &here, "", "{}");
        let mut source = start(folder, Duration::ZERO);
        let heard = source
            .problem("are served, as of 2025-11-04T18:13:48Z, 60 minutes ago")
            .await;
        assert_eq!(heard.names(), ["ns/pod-9"]);
    }
}

#[tokio::test]
async fn pods_whose_cluster_cannot_be_told_wait_for_the_kubeconfig() {
    let folder = tempfile::tempdir().unwrap();
    leave(&folder, "n", &cluster("u", AWAY));
    let mut source = start(folder, Duration::ZERO);
    let heard = source
        .problem("are not served before it is known which cluster this is")
        .await;
    assert!(heard.pods.is_empty());
    write(source.folder.path(), AWAY, "", "{}");
    let heard = source
        .problem("the pods of an earlier run are served")
        .await;
    assert_eq!(heard.names(), ["ns/pod-9"]);
}

#[tokio::test]
async fn a_file_that_does_not_name_its_cluster_is_replaced() {
    let server = Server::start(None, pods(&["1"], "old")).await;
    let folder = folder_of(&server);
    // As format 1 had it: the node, the time, no pods; and its sum.
    let mut old = b"podsapi checkpoint\n\0\0\0\x01\0\0\0\x01n\0\0\0\0\0\0\0\x07\0\0\0\0".to_vec();
    old.extend(<sha2::Sha256 as sha2::Digest>::digest(&old));
    std::fs::write(folder.path().join("file"), old).unwrap();
    let mut source = start(folder, LATER);
    source
        .until(|heard| {
            let told = heard.problems.iter().flatten();
            told.into_iter()
                .any(|text| text.contains("did not note the cluster"))
        })
        .await;
    source.listed().await;
    assert_eq!(
        kept_of(&source.folder).await,
        cluster("", &server.url("http"))
    );
}
