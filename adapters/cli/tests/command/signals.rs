//! Signals to the real process: SIGHUP has it read anew, SIGTERM drains it, a second one ends it.

use std::fs::{self, File};
use std::path::Path;
use std::time::Duration;

use nix::sys::signal::Signal;

use crate::process::{Running, Server, command, page, run, until};

/// Takes all locks that a server could want of the folder of its socket.
fn lock_all(folder: &Path) -> Vec<File> {
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let files = files.filter(|entry| entry.file_type().unwrap().is_file());
    let mut paths: Vec<_> = files.map(|entry| entry.path()).collect();
    paths.push(folder.to_owned());
    let open = |path| {
        let file = File::open(path).unwrap();
        file.lock().unwrap();
        file
    };
    paths.into_iter().map(open).collect()
}

fn snapshot(file: &Path, name: &str) {
    let text = format!(
        "apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}, namespace: b, uid: {name}}}\n"
    );
    fs::write(file, text).unwrap();
}

#[test]
fn sighup_ends_nothing_and_has_the_configuration_read_anew() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("podsapi.toml");
    fs::write(&file, "log = \"info\"\nsimulate = \"2\"\n").unwrap();
    let server = Server::ready(folder.path(), ["--config", file.to_str().unwrap()]);
    let watch = server.command(&["watch", "-o", "name"]);
    watch.line("pod/");
    let hang_up = |expected: &[&str]| {
        server.process.signal(Signal::SIGHUP);
        server.process.error_line("asked to read anew");
        for line in expected {
            server.process.error_line(line);
        }
    };
    hang_up(&["read anew part=\"log\"", "read anew part=\"sources\""]);

    // What cannot be changed any more is named, and what can is.
    fs::write(&file, "log = \"debug\"\nsimulate = \"3\"\nqps = 7\n").unwrap();
    hang_up(&["count from the next start on keys=\"qps, simulate\""]);
    assert_eq!(
        server.ask(&["list", "-o", "name"]).text().lines().count(),
        2
    );
    // At debug each connection has its line.
    server.process.error_line("DEBUG");

    // What is wrong is told, and changes nothing.
    fs::write(&file, "log = \"loud\"\n").unwrap();
    hang_up(&["the configuration cannot be read anew"]);
    // Nothing of it was.
    let next = server.process.error_line("read anew");
    assert!(next.contains("part=\"sources\""), "{next}");
    fs::remove_file(&file).unwrap();
    hang_up(&["the configuration cannot be read anew"]);
    assert_eq!(server.ask(&["check"]).code, Some(0));
    let socket = server.socket.clone();
    let ended = server.process.stop();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(ended.stderr.contains("drained"), "{}", ended.stderr);
    assert!(!socket.exists());
}

#[test]
fn sighup_has_the_sources_look_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let api = folder.path().join("kubeconfig");
    let server = Server::start(
        folder.path(),
        [
            "--api-backoff",
            "3600",
            "--apiserver",
            api.to_str().unwrap(),
        ],
    );
    let report = |wanted: &str| {
        until(wanted, || {
            let report = String::from_utf8(server.ask(&["check"]).stdout).unwrap();
            report.contains(wanted).then_some(())
        });
    };
    report("the kubeconfig cannot be read: No such file");
    // Without the signal it would be looked at in half an hour, on average.
    fs::write(&api, "").unwrap();
    server.process.signal(Signal::SIGHUP);
    report("the kubeconfig is empty");
}

#[test]
fn a_server_whose_terminal_is_gone_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pods.yaml");
    snapshot(&file, "a");
    let mut server = Server::ready(folder.path(), ["--snapshot", file.to_str().unwrap()]);
    server.process.deafen();
    server.process.signal(Signal::SIGHUP);
    snapshot(&file, "c");
    until("the change is served", || {
        (server.ask(&["list", "-o", "name"]).stdout == b"pod/c\n").then_some(())
    });
    server.process.signal(Signal::SIGHUP);
    assert_eq!(server.ask(&["check"]).code, Some(0));
    let (_took, status) = server.process.terminate();
    assert!(status.success(), "{status:?}");
}

#[test]
fn sighup_while_the_server_drains_ends_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::ready(folder.path(), ["--simulate", "1"]);
    let locks = lock_all(folder.path());
    server.process.signal(Signal::SIGTERM);
    server.process.error_line("draining");
    server.process.signal(Signal::SIGHUP);
    drop(locks);
    let ended = server.process.end();
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.stderr.contains("drained"), "{}", ended.stderr);
}

#[test]
fn a_second_signal_ends_the_drain_and_nothing_is_said_to_be_left() {
    for second in [Signal::SIGTERM, Signal::SIGINT] {
        let folder = tempfile::tempdir().unwrap();
        let server = Server::ready(folder.path(), ["--simulate", "1"]);
        // The removal of the socket waits for this, and the drain for the removal.
        let locks = lock_all(folder.path());
        server.process.signal(Signal::SIGTERM);
        server.process.error_line("draining");
        // Sooner, it would be the same wish.
        std::thread::sleep(Duration::from_millis(300));
        server.process.signal(second);
        let ended = server.process.end();
        drop(locks);
        assert_eq!(ended.code, Some(0), "{ended:?}");
        assert!(!ended.stderr.contains("do not end"), "{}", ended.stderr);
    }
}

#[test]
fn a_signal_while_the_server_starts_ends_it_in_order_and_sighup_does_not() {
    let moments = [0, 1, 2, 3, 5, 8, 12, 20];
    for (signal, after) in [Signal::SIGTERM, Signal::SIGINT, Signal::SIGHUP]
        .into_iter()
        .flat_map(|signal| moments.map(|after| (signal, after)))
    {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("s.sock");
        let mut serve = command(["serve", "--simulate", "1", "--socket"]);
        let process = Running::start(serve.arg(&socket));
        process.error_line("starting");
        std::thread::sleep(Duration::from_millis(after));
        process.signal(signal);
        if signal == Signal::SIGHUP {
            process.error_line("asked to read anew");
            process.signal(Signal::SIGTERM);
        }
        let ended = process.end();
        assert_eq!(ended.code, Some(0), "{signal} after {after} ms: {ended:?}");
        let left: Vec<_> = fs::read_dir(folder.path()).unwrap().collect();
        assert!(left.is_empty(), "{signal} after {after} ms: {left:?}");
    }
}

#[test]
fn without_time_to_drain_nothing_is_said_to_be_left() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::ready(folder.path(), ["--simulate", "1", "--drain-seconds", "0"]);
    let ended = server.process.stop();
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(!ended.stderr.contains("do not end"), "{}", ended.stderr);
}

#[test]
fn the_node_is_named_by_the_first_line_by_check_and_by_the_metrics() {
    let folder = tempfile::tempdir().unwrap();
    let metrics = folder.path().join("metrics.sock");
    let metrics = metrics.to_str().unwrap();
    let flags = ["--simulate", "1", "--node-name", "N7", "--metrics", metrics];
    let server = Server::ready(folder.path(), flags);
    let report = String::from_utf8(server.ask(&["check"]).stdout).unwrap();
    assert!(report.contains("\nNode:          n7\n"), "{report}");
    let numbers = page(Path::new(metrics));
    let wanted = "\npodsapi_node_info{node=\"n7\"} 1\n";
    assert!(numbers.contains(wanted), "{numbers}");
    drop(server);

    // A wrong one is refused before anything else is said.
    let flags = ["serve", "--simulate", "1", "--node-name", "a_b"];
    assert_eq!(run(flags).code, Some(2));
    let socket = folder.path().join("first.sock");
    let socket = socket.to_str().unwrap();
    let mut serve = command(["serve", "--socket", socket, "--simulate", "1"]);
    let process = Running::start(serve.args(["--node-name", "n8", "--cri", "/absent"]));
    let first = process.error_line("");
    assert!(
        first.contains("starting") && first.contains("node=\"n8\""),
        "{first}"
    );
    process.error_line("serving");
    assert_eq!(process.stop().code, Some(0));
}
