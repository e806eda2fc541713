//! What `serve` makes of its flags, environment and file, and what `check` and `demo` show.

use std::os::unix::fs::PermissionsExt;

use nix::sys::signal::Signal;
use podsapi_proto::json::parse_json;

use crate::process::{Running, Server, command, manifest, page, run, until};

fn count(server: &Server) -> usize {
    server.ask(&["list", "-o", "name"]).text().lines().count()
}

#[test]
fn flags_win_over_the_environment_and_that_over_the_file() {
    let directory = tempfile::tempdir().unwrap();
    let socket = directory.path().join("pods.sock");
    let file = directory.path().join("podsapi.toml");
    let text = format!("socket = [{socket:?}]\nsimulate = \"3\"\nlog-format = \"json\"\n");
    std::fs::write(&file, text).unwrap();
    for (environment, flag, expected) in [
        (None, None, 3),
        (Some("4"), None, 4),
        (Some("4"), Some("5"), 5),
    ] {
        let mut serve = command(["serve", "--config"]);
        serve.arg(&file);
        environment.map(|value| serve.env("PODSAPI_SIMULATE", value));
        flag.map(|value| serve.args(["--simulate", value]));
        let process = Running::start(&mut serve);
        let line = process.error_line("serving");
        parse_json(line.trim().as_bytes()).expect("the file's log format is used");
        let server = Server {
            process,
            socket: socket.clone(),
        };
        until("the server is ready", || {
            (server.ask(&["check"]).code == Some(0)).then_some(())
        });
        assert_eq!(count(&server), expected);
    }
}

#[test]
fn an_unknown_key_ends_with_two_and_names_key_file_and_the_nearest() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("podsapi.toml");
    std::fs::write(&file, "simulate = '1'\ndrain_seconds = 3\n").unwrap();
    let ended = run(["serve".as_ref(), "--config".as_ref(), file.as_os_str()]);
    assert_eq!(ended.code, Some(2));
    let file = file.to_str().unwrap();
    for part in [file, "\"drain_seconds\"", "\"drain-seconds\""] {
        assert!(ended.stderr.contains(part), "{}", ended.stderr);
    }
}

#[test]
fn sources_combine() {
    let directory = tempfile::tempdir().unwrap();
    manifest(directory.path(), "static", "uid-static");
    let sockets = tempfile::tempdir().unwrap();
    let manifests = directory.path().to_str().unwrap();
    let server = Server::ready(
        sockets.path(),
        ["--manifests", manifests, "--simulate", "4"],
    );
    assert_eq!(count(&server), 5);
    let report = server.ask(&["check"]).text();
    for source in ["manifests", "simulated"] {
        assert!(
            report.lines().any(|line| line.starts_with(source)),
            "{report}"
        );
    }
}

#[test]
fn a_snapshot_is_served_as_it_was_listed() {
    let directory = tempfile::tempdir().unwrap();
    let first = Server::ready(directory.path(), ["--simulate", "4"]);
    let listed = first.ask(&["list", "-o", "json"]).text();
    drop(first);
    let file = directory.path().join("pods.json");
    std::fs::write(&file, &listed).unwrap();
    let second = Server::ready(directory.path(), ["--snapshot", file.to_str().unwrap()]);
    assert_eq!(second.ask(&["list", "-o", "json"]).text(), listed);
}

#[test]
fn a_server_that_waits_for_a_source_is_not_ready_and_says_for_which() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("pods.yaml");
    let server = Server::start(directory.path(), ["--snapshot", file.to_str().unwrap()]);
    let check = server.ask(&["check"]);
    let report = String::from_utf8(check.stdout).unwrap();
    assert_eq!(check.code, Some(1), "{report}");
    assert!(report.contains("no, waiting for snapshot"), "{report}");
    let list = server.ask(&["list"]);
    assert_eq!(list.code, Some(1));
    assert!(
        list.stderr
            .contains("FAILED_PRECONDITION: Kubelet is initializing"),
        "{}",
        list.stderr
    );
    assert!(
        list.stderr
            .ends_with("  try: podsapi check, which says why\n")
    );

    let text = "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: b, uid: c}\n";
    std::fs::write(&file, text).unwrap();
    until("the server is ready", || {
        (server.ask(&["check"]).code == Some(0)).then_some(())
    });
    assert_eq!(count(&server), 1);
}

#[test]
fn a_second_server_does_not_take_the_socket_of_a_living_one() {
    let directory = tempfile::tempdir().unwrap();
    let server = Server::ready(directory.path(), ["--simulate", "1"]);
    let mut second = command(["serve", "--simulate", "2", "--socket"]);
    let ended = Running::start(second.arg(&server.socket)).end();
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert_eq!(count(&server), 1);
}

#[test]
fn metrics_are_served_beside_the_pods() {
    let directory = tempfile::tempdir().unwrap();
    let metrics = directory.path().join("metrics.sock");
    let arguments = ["--simulate", "3", "--metrics", metrics.to_str().unwrap()];
    let server = Server::ready(directory.path(), arguments);
    assert_eq!(count(&server), 3);
    let answer = page(&metrics);
    assert!(answer.contains("podsapi_pods 3"), "{answer}");
}

#[test]
fn limits_come_from_the_flags() {
    let directory = tempfile::tempdir().unwrap();
    let limits = [
        "--simulate",
        "1",
        "--qps",
        "1",
        "--burst",
        "2",
        "--log",
        "off",
    ];
    let mut serve = command(["serve", "--socket"]);
    let socket = directory.path().join("pods.sock");
    let process = Running::start(serve.arg(&socket).args(limits));
    let server = Server { process, socket };
    until("the server is ready", || {
        (server.ask(&["check"]).code == Some(0)).then_some(())
    });
    server.drained();
}

#[test]
fn a_demo_shows_its_pods_once_and_leaves_nothing_behind() {
    let directory = tempfile::tempdir().unwrap();
    let mut demo = command(["demo", "--once"]);
    let table = Running::start(demo.env("TMPDIR", directory.path()))
        .end()
        .text();
    assert!(table.starts_with("NAMESPACE"), "{table}");
    assert_eq!(table.lines().count(), 13);
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
}

#[test]
fn a_demo_without_a_place_says_what_names_it() {
    let directory = tempfile::tempdir().unwrap();
    let absent = directory.path().join("absent");
    let mut demo = command(["demo", "--once"]);
    let ended = Running::start(demo.env("TMPDIR", &absent)).end();
    assert_eq!(ended.code, Some(1), "{ended:?}");
    for part in ["TMPDIR", absent.to_str().unwrap()] {
        assert!(ended.stderr.contains(part), "{part}: {}", ended.stderr);
    }
}

#[test]
fn a_demo_goes_on_until_it_is_told_to_stop_or_its_terminal_goes() {
    for signal in [
        Signal::SIGTERM,
        Signal::SIGINT,
        Signal::SIGHUP,
        Signal::SIGQUIT,
    ] {
        let directory = tempfile::tempdir().unwrap();
        let mut demo = command(["demo"]);
        let demo = Running::start(demo.env("TMPDIR", directory.path()));
        demo.line("NAMESPACE");
        let mut folders = std::fs::read_dir(directory.path()).unwrap();
        let folder = folders.next().unwrap().unwrap().metadata().unwrap();
        assert_eq!(folder.permissions().mode() & 0o7777, 0o700);
        demo.signal(signal);
        let ended = demo.end();
        assert_eq!(ended.code, Some(0), "{signal}: {ended:?}");
        let left = std::fs::read_dir(directory.path()).unwrap().count();
        assert_eq!(left, 0, "{signal}");
    }
}

#[test]
fn a_demo_whose_output_nobody_reads_leaves_nothing_behind() {
    let directory = tempfile::tempdir().unwrap();
    let mut demo = command(["demo"]);
    let mut child = demo.env("TMPDIR", directory.path()).spawn().unwrap();
    drop(child.stdout.take());
    drop(child.stderr.take());
    let ended = Running::of(child).end();
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
}

#[test]
fn help_documents_the_exit_codes_and_completions_name_the_commands() {
    let help = run(["--help"]).text();
    for code in [
        "0  done",
        "1  the server refused",
        "2  wrong usage",
        "3  cannot connect",
    ] {
        assert!(help.contains(code), "{help}");
    }
    assert!(run(["completions", "bash"]).text().contains("completions"));
    assert!(run(["--version"]).text().contains("Kubernetes v1.37"));
}
