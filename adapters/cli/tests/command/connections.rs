//! Exit codes, and what is said with them.

use std::io::{BufRead, BufReader};
use std::os::unix::net::UnixListener;

use crate::process::{Running, Server, command, run, until};

#[test]
fn a_refusal_ends_with_one_and_its_status() {
    let directory = tempfile::tempdir().unwrap();
    let server = Server::ready(directory.path(), ["--simulate", "2"]);
    for (asked, expected) in [
        (
            "nope",
            "podsapi: the server refused: NOT_FOUND: pod with UID nope not found\n  \
             try: a pod's name needs its namespace: NAMESPACE/NAME\n",
        ),
        (
            "0c000000-0000-4000-8000-000000000009",
            "podsapi: the server refused: NOT_FOUND: pod with UID \
             0c000000-0000-4000-8000-000000000009 not found\n",
        ),
        (
            "shop/nope",
            "podsapi: the server refused: NOT_FOUND: the server has no pod shop/nope\n",
        ),
    ] {
        let ended = server.ask(&["get", asked]);
        assert_eq!((ended.code, ended.stderr.as_str()), (Some(1), expected));
    }
}

#[test]
fn wrong_usage_ends_with_two() {
    let ended = run(["serve"]);
    assert_eq!(ended.code, Some(2));
    for source in ["--manifests", "--snapshot", "--simulate"] {
        assert!(ended.stderr.contains(source), "{}", ended.stderr);
    }
    for wrong in [
        &["lisst"][..],
        &["list", "--output", "csv"],
        &["get"],
        &["get", "a/b", "-n", "c"],
        &["serve", "--simulate", "many"],
        &["serve", "--simulate", "1", "--burst", "0"],
        &["serve", "--simulate", "1", "--socket-mode", "9"],
        &["completions", "command.com"],
    ] {
        assert_eq!(run(wrong).code, Some(2), "{wrong:?}");
    }
}

#[test]
fn what_stands_in_the_way_of_a_connection_is_told_with_three() {
    let directory = tempfile::tempdir().unwrap();
    let missing = directory.path().join("missing.sock");
    let file = directory.path().join("file");
    std::fs::write(&file, "").unwrap();
    let dead = directory.path().join("dead.sock");
    drop(UnixListener::bind(&dead).unwrap());
    for (path, advice) in [
        (missing, "is the server running"),
        (file, "not a socket"),
        (dead, "not running any more"),
    ] {
        for name in ["list", "watch", "check"] {
            let ended = run([name.as_ref(), "--socket".as_ref(), path.as_os_str()]);
            assert_eq!(ended.code, Some(3), "{ended:?}");
            assert!(
                ended.stderr.contains(path.to_str().unwrap()),
                "{}",
                ended.stderr
            );
            assert!(ended.stderr.contains(advice), "{}", ended.stderr);
        }
    }
}

#[test]
fn a_socket_of_something_else_ends_with_three() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("other.sock");
    let listener = UnixListener::bind(&path).unwrap();
    std::thread::spawn(move || {
        // Takes connections and closes them.
        while let Ok((connection, _)) = listener.accept() {
            drop(connection);
        }
    });
    let ended = run(["list".as_ref(), "--socket".as_ref(), path.as_os_str()]);
    assert_eq!(ended.code, Some(3), "{ended:?}");
}

#[test]
fn a_server_that_is_full_is_told_as_a_possibility() {
    let directory = tempfile::tempdir().unwrap();
    let limit = ["--simulate", "2", "--max-connections", "1"];
    let server = Server::start(directory.path(), limit);
    let watch = until("the watch has the only connection", || {
        let watch = server.command(&["watch", "-o", "json"]);
        watch.first_line().contains("ADDED").then_some(watch)
    });
    for name in ["list", "check", "watch"] {
        let ended = server.ask(&[name]);
        assert_eq!(ended.code, Some(3), "{ended:?}");
        let expected = "its --max-connections may be reached";
        assert!(ended.stderr.contains(expected), "{}", ended.stderr);
    }
    drop(watch);
}

#[test]
fn a_socket_path_that_is_too_long_is_told_with_its_length_and_the_limit() {
    let path = format!("/tmp/{}", "x".repeat(103));
    let ended = run(["list", "--socket", &path]);
    assert_eq!(ended.code, Some(3), "{ended:?}");
    let expected =
        "the path has 108 bytes and a UNIX socket address holds 107\n  try: choose a shorter";
    assert!(ended.stderr.contains(expected), "{}", ended.stderr);
}

#[test]
fn the_environment_names_the_socket_for_all() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("pods.sock");
    // Of a list a server takes all, and a client the first.
    let second = directory.path().join("second.sock");
    let mut serve = command(["serve", "--simulate", "2"]);
    let path = format!("{},{}", path.display(), second.display());
    let serve = Running::start(serve.env("PODSAPI_SOCKET", &path));
    serve.error_line("serving");
    until("the server is ready", || {
        let mut check = command(["check"]);
        let ended = Running::start(check.env("PODSAPI_SOCKET", &path)).end();
        (ended.code == Some(0)).then_some(())
    });
    let mut list = command(["list", "-o", "name"]);
    let names = Running::start(list.env("PODSAPI_SOCKET", &path))
        .end()
        .text();
    assert_eq!(names.lines().count(), 2);
    let wide = ["list", "-o", "wide", "--socket"].map(AsRef::as_ref);
    let rows = run(wide.into_iter().chain([second.as_os_str()])).text();
    assert_eq!(rows.lines().count(), 3);
}

#[test]
fn output_to_a_closed_pipe_ends_quietly() {
    let directory = tempfile::tempdir().unwrap();
    let server = Server::ready(directory.path(), ["--simulate", "40:20"]);
    for asked in [
        &["list", "-o", "json"][..],
        &["watch"],
        &["watch", "-o", "json"],
        &["check"],
    ] {
        let mut command = command(asked);
        let mut child = command.arg("--socket").arg(&server.socket).spawn().unwrap();
        drop(child.stdout.take());
        let ended = Running::of(child).end();
        assert_eq!(
            (ended.code, ended.stderr.as_str()),
            (Some(0), ""),
            "{asked:?}"
        );
    }
    let mut child = command(["completions", "bash"]).spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(Running::of(child).end().code, Some(0));
}

#[test]
fn a_watch_of_which_only_the_first_line_is_read_ends_quietly() {
    let directory = tempfile::tempdir().unwrap();
    let server = Server::ready(directory.path(), ["--simulate", "20:200"]);
    let mut command = command(["watch", "-o", "json"]);
    let mut child = command.arg("--socket").arg(&server.socket).spawn().unwrap();
    let mut first = String::new();
    let mut lines = BufReader::new(child.stdout.take().unwrap());
    lines.read_line(&mut first).unwrap();
    drop(lines);
    assert!(first.contains("ADDED"), "{first}");
    let ended = Running::of(child).end();
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
}

#[test]
fn a_watch_of_a_quiet_node_ends_when_its_reader_has_left() {
    let directory = tempfile::tempdir().unwrap();
    let server = Server::ready(directory.path(), ["--simulate", "2"]);
    let mut command = command(["watch", "-o", "json"]);
    let mut child = command.arg("--socket").arg(&server.socket).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    while !line.contains("INITIAL_SYNC_COMPLETE") {
        line.clear();
        assert!(lines.read_line(&mut line).unwrap() > 0);
    }
    drop(lines);
    let ended = Running::of(child).end();
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
}
