//! Pods and files whose texts would steer a terminal or forge a line of a log.

use std::os::unix::ffi::OsStrExt;

use podsapi_proto::json::parse_json;

use crate::process::{Ended, Running, Server, command, until};

/// Two pods, the second of which is refused; `\u001b` is what begins a terminal's commands.
const PODS: &str = r#"{"kind": "List", "items": [
    {"metadata": {"name": "red\u001b[31m\nforged", "namespace": "shop\r", "uid": "u\u009b2J"},
     "status": {"reason": "Ev\u0007il\n", "podIP": "10.0.0.1\u001b]0;t\u0007", "phase": "Failed"}},
    {"metadata": {"name": "bad\u001b\nERROR forged", "namespace": "shop"},
     "spec": {"hostNetwork": 3}}]}"#;

fn assert_clean(text: &str) {
    let wrong = |character: char| character.is_control() && character != '\n';
    assert!(!text.contains(wrong), "{text:?}");
    assert!(
        !text
            .lines()
            .any(|line| line.trim_start().starts_with("forged")),
        "{text:?}"
    );
    assert!(
        !text.lines().any(|line| line.starts_with("ERROR")),
        "{text:?}"
    );
}

fn text(ended: Ended) -> String {
    assert_clean(&ended.stderr);
    let text = ended.text();
    assert_clean(&text);
    text
}

#[test]
fn what_pods_say_reaches_no_terminal_and_no_log_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pods\u{1b}c\nforged.json");
    std::fs::write(&file, PODS).unwrap();
    let mut serve = command(["serve", "--log", "info", "--snapshot"]);
    let socket = folder.path().join("pods.sock");
    let process = Running::start(serve.arg(&file).arg("--socket").arg(&socket));
    let line = process.error_line("not served");
    assert_clean(&line);
    assert!(line.contains(r"bad\u{1b}\nERROR forged"), "{line}");
    let server = Server { process, socket };
    until("the server is ready", || {
        (server.ask(&["check"]).code == Some(0)).then_some(())
    });

    let table = text(server.ask(&["list"]));
    let row = r"shop\r      red\u{1b}[31m\nforged   0/0     Ev\u{7}il\n";
    assert!(table.contains(row), "{table}");
    assert_eq!(table.lines().count(), 2, "{table}");
    let wide = text(server.ask(&["list", "-o", "wide"]));
    assert!(
        wide.ends_with("10.0.0.1\\u{1b}]0;t\\u{7}   u\\u{9b}2J\n"),
        "{wide}"
    );
    let name = text(server.ask(&["list", "-o", "name"]));
    assert_eq!(name, "pod/red\\u{1b}[31m\\nforged\n");
    for format in ["table", "wide", "name"] {
        let watch = server.command(&["watch", "-o", format]);
        assert_clean(&watch.line("forged"));
    }
    let check = text(server.ask(&["check"]));
    assert!(check.contains(r"bad\u{1b}\nERROR forged"), "{check}");
    for format in ["json", "yaml"] {
        text(server.ask(&["list", "-o", format]));
    }
    let json = server.ask(&["list", "-o", "json"]).text();
    parse_json(json.as_bytes()).unwrap();
}

#[test]
fn the_name_of_a_file_forges_no_line_of_a_log() {
    let folder = tempfile::tempdir().unwrap();
    let manifests = folder.path().join("manifests");
    std::fs::create_dir(&manifests).unwrap();
    let name = std::ffi::OsStr::from_bytes(b"a\nERROR forged\x1b[2J\xff.yaml");
    std::fs::write(manifests.join(name), "kind: Secret\n").unwrap();
    let server = Server::start(
        folder.path(),
        ["--manifests".as_ref(), manifests.as_os_str()],
    );
    let line = server.process.error_line("forged");
    assert_clean(&line);
    assert!(line.contains(r"a\nERROR forged\u{1b}[2J"), "{line}");
}
