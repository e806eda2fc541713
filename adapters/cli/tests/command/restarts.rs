//! A watch through the end and the return of its server.

use crate::process::{PATIENCE, Server, manifest};

#[test]
fn a_watch_goes_on_after_the_server_was_killed_and_started_again() {
    let sockets = tempfile::tempdir().unwrap();
    let directory = tempfile::tempdir().unwrap();
    for (name, uid) in [("kept", "uid-kept"), ("gone", "uid-gone")] {
        manifest(directory.path(), name, uid);
    }
    let manifests = directory.path().to_str().unwrap();
    let arguments = ["--node-name", "n1", "--manifests", manifests];
    let first = Server::ready(sockets.path(), arguments);
    let watch = first.command(&["watch", "-o", "json"]);
    watch.line("uid-kept");
    watch.line("INITIAL_SYNC_COMPLETE");

    // Killed, so that it can neither say goodbye nor take its socket away.
    drop(first);
    watch.error_line("reconnecting");
    std::fs::remove_file(directory.path().join("gone.yaml")).unwrap();
    manifest(directory.path(), "new", "uid-new");
    let _second = Server::ready(sockets.path(), arguments);

    watch.error_line("reconnected");
    assert!(watch.line("uid-new").contains("\"ADDED\""));
    assert!(watch.line("uid-gone").contains("\"DELETED\""));
    watch.line("INITIAL_SYNC_COMPLETE");
    manifest(directory.path(), "later", "uid-later");
    assert!(watch.line("uid-later").contains("\"ADDED\""));
}

#[test]
fn a_server_that_is_asked_to_stop_ends_in_time_whatever_its_watches_do() {
    let sockets = tempfile::tempdir().unwrap();
    let server = Server::ready(
        sockets.path(),
        ["--simulate", "5:1", "--drain-seconds", "5"],
    );
    let watch = server.command(&["watch", "-o", "name"]);
    watch.line("pod/");
    let socket = server.socket.clone();
    let (took, status) = server.process.terminate();
    assert!(status.success(), "{status:?}");
    // Its watch would never end by itself.
    assert!(took < PATIENCE / 2, "{took:?}");
    assert!(!socket.exists(), "the server takes its socket away");
    watch.error_line("reconnecting");
}

#[test]
fn a_restart_with_another_set_of_pods_shows_in_the_table() {
    let sockets = tempfile::tempdir().unwrap();
    let directory = tempfile::tempdir().unwrap();
    manifest(directory.path(), "gone", "uid-gone");
    let manifests = directory.path().to_str().unwrap();
    let arguments = ["--node-name", "n1", "--manifests", manifests];
    let first = Server::ready(sockets.path(), arguments);
    let watch = first.command(&["watch"]);
    watch.line("gone-n1");
    drop(first);
    std::fs::remove_file(directory.path().join("gone.yaml")).unwrap();
    let _second = Server::ready(sockets.path(), arguments);
    assert!(watch.line("gone-n1").contains("Deleted"));
}
