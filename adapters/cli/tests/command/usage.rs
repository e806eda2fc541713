//! What is said of flags, variables and files that are wrong, and how usage is shown.

use crate::process::{Ended, Running, Server, command, run};

/// Runs `serve --simulate 1` with a variable.
fn serve_with(name: &str, value: &str) -> Ended {
    let mut serve = command(["serve", "--simulate", "1"]);
    Running::start(serve.env(name, value)).end()
}

#[test]
fn a_wrong_variable_is_named() {
    for (name, value, part) in [
        ("PODSAPI_QPS", "many", "'many' for '--qps <N>'"),
        (
            "PODSAPI_SLOW_WATCH",
            "x",
            "[possible values: end, coalesce]",
        ),
        ("PODSAPI_DRAIN_SECONDS", "90000", "86400"),
        ("PODSAPI_NODE_NAME", " ", "expected a name, found none"),
        ("PODSAPI_NODE_NAME", "a_b", "\"a_b\""),
        ("PODSAPI_METRICS", "9090", "127.0.0.1:9090"),
    ] {
        let ended = serve_with(name, value);
        assert_eq!(ended.code, Some(2), "{ended:?}");
        let start = format!("podsapi: {name}: ");
        assert!(ended.stderr.starts_with(&start), "{}", ended.stderr);
        assert!(ended.stderr.contains(part), "{}", ended.stderr);
    }
    // A flag that is wrong itself is told as such, whatever the environment says.
    let mut serve = command(["serve", "--simulate", "1", "--burst", "0"]);
    let ended = Running::start(serve.env("PODSAPI_QPS", "many")).end();
    assert_eq!(ended.code, Some(2));
    assert!(ended.stderr.contains("--burst"), "{}", ended.stderr);
    assert!(!ended.stderr.contains("QPS"), "{}", ended.stderr);
}

#[test]
fn an_empty_variable_counts_as_not_set() {
    let directory = tempfile::tempdir().unwrap();
    let socket = directory.path().join("pods.sock");
    let mut serve = command(["serve", "--simulate", "2", "--socket"]);
    serve.arg(&socket);
    for name in [
        "BURST",
        "CONFIG",
        "DRAIN_SECONDS",
        "LOG",
        "LOG_FORMAT",
        "MANIFESTS",
        "MAX_CONNECTIONS",
        "METRICS",
        "NODE_NAME",
        "QPS",
        "SIMULATE",
        "SLOW_WATCH",
        "SNAPSHOT",
        "SOCKET",
        "SOCKET_GROUP",
        "SOCKET_MODE",
        "WATCH_BUFFER",
    ] {
        serve.env(format!("PODSAPI_{name}"), "");
    }
    let process = Running::start(&mut serve);
    process.error_line("serving");
    let server = Server { process, socket };
    let mut list = command(["list", "-o", "name", "--socket"]);
    list.arg(&server.socket).env("PODSAPI_SOCKET", "");
    crate::process::until("the server is ready", || {
        (server.ask(&["check"]).code == Some(0)).then_some(())
    });
    assert_eq!(Running::start(&mut list).end().text().lines().count(), 2);
    // Without a flag the default is dialled, which is not there.
    let mut check = command(["check"]);
    let ended = Running::start(check.env("PODSAPI_SOCKET", "")).end();
    assert_eq!(ended.code, Some(3));
    assert!(
        ended.stderr.contains("/var/lib/kubelet/"),
        "{}",
        ended.stderr
    );
    let help = run(["serve", "--help"]).text().replace('\n', " ");
    assert!(help.contains("empty counts as not set"), "{help}");
}

#[test]
fn a_node_name_that_no_node_can_have_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    for name in ["", "  ", "a_b", "-", "a..b"] {
        let ended = run(["serve", "--simulate", "1", "--node-name", name]);
        assert_eq!(ended.code, Some(2), "{name:?}: {ended:?}");
        assert!(ended.stderr.contains("--node-name"), "{}", ended.stderr);
        let file = directory.path().join("p.toml");
        std::fs::write(&file, format!("simulate = '1'\nnode-name = '{name}'\n")).unwrap();
        let mut serve = command(["serve".as_ref(), "--config".as_ref(), file.as_os_str()]);
        // Variables win over the file.
        let ended = Running::start(serve.env_remove("PODSAPI_NODE_NAME")).end();
        assert_eq!(ended.code, Some(2), "{name:?}: {ended:?}");
        assert!(ended.stderr.contains("p.toml: "), "{}", ended.stderr);
        assert!(ended.stderr.contains("--node-name"), "{}", ended.stderr);
    }
    let given = ["--simulate", "1", "--node-name", " Node-7 "];
    let server = Server::ready(directory.path(), given);
    let json = server.ask(&["list", "-o", "json"]).text();
    assert!(json.contains(r#""nodeName": "node-7""#), "{json}");
}

#[test]
fn a_socket_named_twice_is_wrong_usage_however_it_is_spelled() {
    let directory = tempfile::tempdir().unwrap();
    for (first, second) in [("s", "s"), ("s", "./s"), ("./x/../s", "s")] {
        std::fs::create_dir_all(directory.path().join("x")).unwrap();
        let line = [
            "serve",
            "--simulate",
            "1",
            "--socket",
            first,
            "--socket",
            second,
        ];
        let ended = Running::start(command(line).current_dir(directory.path())).end();
        assert_eq!(ended.code, Some(2), "{ended:?}");
        assert!(
            ended.stderr.contains("are the same socket"),
            "{}",
            ended.stderr
        );
    }
}

#[test]
fn a_wrong_number_of_passed_sockets_is_wrong_usage() {
    let ended = serve_with("LISTEN_FDS", "abc");
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(
        ended.stderr.starts_with("podsapi: LISTEN_FDS: "),
        "{}",
        ended.stderr
    );
}

#[test]
fn usage_shows_as_required_only_what_is() {
    for (name, usage) in [
        ("list", "Usage: podsapi list [OPTIONS]\n"),
        ("watch", "Usage: podsapi watch [OPTIONS]\n"),
        ("serve", "Usage: podsapi serve [OPTIONS]\n"),
        (
            "get",
            "Usage: podsapi get [OPTIONS] <UID | NAMESPACE/NAME>\n",
        ),
    ] {
        let mut line = command([name, "--no-such-flag"]);
        let ended = Running::start(line.env("PODSAPI_SOCKET", "/s")).end();
        assert_eq!(ended.code, Some(2));
        assert!(ended.stderr.contains(usage), "{}", ended.stderr);
        let help = run([name, "--help"]).text();
        assert!(help.contains(usage), "{help}");
    }
}

#[test]
fn what_is_no_pod_is_wrong_usage() {
    for asked in [
        &["a/b/c"][..],
        &["/"],
        &["x/"],
        &["/x"],
        &[""],
        &["", "-n", "x"],
        &["a", "-n", ""],
        &["a/b/c", "-n", "a"],
    ] {
        let ended = run(["get"].iter().chain(asked));
        assert_eq!(ended.code, Some(2), "{asked:?}: {ended:?}");
        let expected = "expected a UID or NAMESPACE/NAME";
        assert!(ended.stderr.contains(expected), "{}", ended.stderr);
    }
}

#[test]
fn a_flag_about_another_one_is_refused_without_it() {
    let ended = run(["serve", "--simulate", "1", "--kubelet-resync", "5"]);
    assert_eq!(ended.code, Some(2), "{ended:?}");
    let expected = "podsapi: --kubelet-resync belongs to --kubelet, which is not given: give it, or \
                    leave this out\n";
    assert_eq!(ended.stderr, expected);
    let ended = serve_with("PODSAPI_CRI_PERIOD", "5");
    assert_eq!(ended.code, Some(2), "{ended:?}");
    let expected = "podsapi: PODSAPI_CRI_PERIOD: belongs to --cri, which is not given: give it, or \
                    leave this out\n";
    assert_eq!(ended.stderr, expected);
    let path = ["--manifests", "/m", "--kubelet-manifests-path", "m"];
    let ended = run(["serve"].iter().chain(&path));
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(
        ended.stderr.contains("expected an absolute path"),
        "{}",
        ended.stderr
    );
}

#[test]
fn the_most_talkative_log_tells_of_calls_and_of_pods_by_their_uids_alone() {
    let directory = tempfile::tempdir().unwrap();
    let server = Server::ready(directory.path(), ["--simulate", "2:500", "--log", "trace"]);
    let listed = server.ask(&["list", "-o", "json"]).text();
    let told = server.process.stop().stderr;
    for expected in ["a call is over", "a pod as it is now", "a list is complete"] {
        let mut lines = told.lines().filter(|line| line.contains("TRACE"));
        assert!(
            lines.any(|line| line.contains(expected)),
            "{expected}: {told}"
        );
    }
    let image = listed.split("\"image\": \"").nth(1).unwrap();
    let image = image.split('"').next().unwrap();
    assert!(!told.contains(image), "{told}");
}
