//! The checkpoint: what a restart finds while the API server is away, and when it is back.

use std::os::unix::fs::PermissionsExt;

use super::*;
use crate::apiserver::{Checkpoint, checkpoint};

/// A source that keeps its pods in `file` of its folder, with no server that could be reached.
fn away(folder: tempfile::TempDir, after: Duration) -> Source {
    write(folder.path(), "http://127.0.0.1:1", "", "{}");
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
        .problem("the pods of an earlier run are served, as of 2025-11-04T")
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
    checkpoint::write(&folder.path().join("file"), "n", &[pod("9", "old")], 7).unwrap();
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
        "podsapi checkpoint\n\0\0\0\x01half",
    )
    .unwrap();
    let other = tempfile::tempdir().unwrap();
    checkpoint::write(&other.path().join("file"), "m", &[pod("9", "old")], 7).unwrap();
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
