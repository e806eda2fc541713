//! A server whose pods come from an API server, which is there, away, back, or never answers.

use std::net::TcpListener;
use std::path::Path;

use crate::process::{Server, manifest, page, run, until};
use fake::{Fake, kubeconfig};

mod fake;

/// Starts a server of what the API server has for the node `n1`.
fn start(folder: &Path, kubeconfig: &Path, more: &[&str]) -> Server {
    let mut arguments = vec!["--node-name", "n1", "--api-backoff", "1", "--apiserver"];
    arguments.push(kubeconfig.to_str().unwrap());
    arguments.extend(more);
    Server::start(folder, arguments)
}

/// Waits until the line about the source in `check` has `wanted` in it.
fn source(server: &Server, wanted: &str) -> String {
    until(wanted, || {
        let report = server.ask(&["check"]).stdout;
        let report = String::from_utf8(report).unwrap();
        let mut lines = report.lines().map(str::to_owned);
        lines.find(|line| line.starts_with("apiserver ") && line.contains(wanted))
    })
}

fn names(server: &Server, wanted: &str) {
    until(wanted, || {
        let names = server.ask(&["list", "-o", "name"]).stdout;
        (names == wanted.as_bytes()).then_some(())
    });
}

#[test]
fn pods_of_the_node_are_served_and_watched() {
    let folder = tempfile::tempdir().unwrap();
    let api = Fake::start(0, &[("a", ""), ("b", "")]);
    let metrics = folder.path().join("metrics.sock");
    let file = api.kubeconfig(folder.path());
    let server = start(
        folder.path(),
        &file,
        &["--metrics", metrics.to_str().unwrap()],
    );
    let line = source(&server, " live ");
    assert!(line.trim_end().ends_with('-'), "{line}");
    let watch = server.command(&["watch", "-o", "json"]);
    watch.line("INITIAL_SYNC_COMPLETE");
    api.tell("MODIFIED", "a", r#","labels":{"word":"new"}"#);
    assert!(watch.line("api-a").contains("\"MODIFIED\""));
    api.tell("DELETED", "b", "");
    assert!(watch.line("api-b").contains("\"DELETED\""));
    let labels = "{source=\"apiserver\",kind=\"apiserver\"}";
    let numbers = page(&metrics);
    assert!(
        numbers.contains(&format!("podsapi_source_stale{labels} 0\n")),
        "{numbers}"
    );
}

#[test]
fn a_mirror_pod_and_its_manifest_are_one_pod_under_the_hash() {
    let folder = tempfile::tempdir().unwrap();
    let manifests = tempfile::tempdir().unwrap();
    manifest(manifests.path(), "web", "made-up");
    let mirror = r#","annotations":{"kubernetes.io/config.mirror":"hash-1",
        "kubernetes.io/config.hash":"hash-1","kubernetes.io/config.source":"file"}"#;
    let api = Fake::start(
        0,
        &[(
            "alone",
            &mirror.replace("hash-1", "hash-2").replace('\n', ""),
        )],
    );
    let file = api.kubeconfig(folder.path());
    let manifests = manifests.path().to_str().unwrap();
    let server = start(folder.path(), &file, &["--manifests", manifests]);
    let uids = |wanted: &str| {
        until(wanted, || {
            let ended = server.ask(&["list", "-o", "json", "--fields", "metadata.uid"]);
            let text = String::from_utf8(ended.stdout).unwrap();
            let mut uids: Vec<_> = text.split("\"uid\":").skip(1).collect();
            uids.iter_mut()
                .for_each(|uid| *uid = uid.split('"').nth(1).unwrap());
            uids.sort_unstable();
            (uids.join(" ") == wanted).then_some(())
        });
    };
    uids("hash-2 made-up");
    api.tell("ADDED", "web-n1", &mirror.replace('\n', ""));
    uids("hash-1 hash-2");
    // A kubelet makes it anew: the pod runs all the while.
    api.tell("DELETED", "web-n1", "");
    api.tell("ADDED", "later", "");
    uids("api-later hash-1 hash-2");
}

#[test]
fn a_pod_that_claims_a_static_pods_identity_is_served_under_its_own_and_told_by_check() {
    let folder = tempfile::tempdir().unwrap();
    let mirror = |hash: &str, day: u8| {
        format!(
            r#","creationTimestamp":"2026-01-0{day}T00:00:00Z","annotations":{{"kubernetes.io/config.mirror":"{hash}","kubernetes.io/config.hash":"{hash}","kubernetes.io/config.source":"file"}}"#
        )
    };
    // The lower UID of both has the one that claims.
    let claim = mirror("hash-1", 2);
    let api = Fake::start(
        0,
        &[
            ("evil", &claim),
            ("web-n1", &mirror("hash-1", 1)),
            ("plain", ""),
        ],
    );
    let server = start(folder.path(), &api.kubeconfig(folder.path()), &[]);
    let served = |wanted: &str| {
        until(wanted, || {
            let fields = [
                "list",
                "-o",
                "json",
                "--fields",
                "metadata.uid,metadata.name",
            ];
            let text = String::from_utf8(server.ask(&fields).stdout).unwrap();
            let value = |pod: &str, key: &str| {
                let rest = pod.split(&format!("\"{key}\":")).nth(1);
                let value = rest.and_then(|rest| rest.split('"').nth(1));
                value.unwrap_or_default().to_owned()
            };
            let pods = text
                .split("\"metadata\":")
                .filter(|pod| pod.contains("\"uid\""));
            let pairs = pods.map(|pod| value(pod, "name") + "=" + &value(pod, "uid"));
            let mut pairs: Vec<_> = pairs.collect();
            pairs.sort_unstable();
            (pairs.join(" ") == wanted).then_some(())
        });
    };
    served("evil=api-evil plain=api-plain web-n1=hash-1");
    source(
        &server,
        "shop/evil (api-evil): claims as a mirror pod the UID hash-1 of shop/web-n1 (not believed)",
    );
    api.tell("ADDED", "late", &mirror("api-plain", 3));
    served("evil=api-evil late=api-late plain=api-plain web-n1=hash-1");
    source(
        &server,
        "claims as a mirror pod the UID api-plain of shop/plain",
    );
    // Neither is handed on by the end of the pod whose it was.
    api.tell("DELETED", "plain", "");
    served("evil=api-evil late=api-late web-n1=hash-1");
    api.tell("DELETED", "web-n1", &mirror("hash-1", 1));
    served("evil=api-evil late=api-late");
    api.tell("ADDED", "web-n1", &mirror("hash-1", 4));
    served("evil=api-evil late=api-late web-n1=hash-1");
    api.tell("DELETED", "evil", &claim);
    api.tell("DELETED", "late", "");
    served("web-n1=hash-1");
    until("the problem is over", || {
        let report = server.ask(&["check"]).stdout;
        let report = String::from_utf8(report).unwrap();
        (!report.contains("claims as")).then_some(())
    });
}

#[test]
fn a_restart_while_the_api_server_is_away_serves_the_checkpoint_marked_as_stale() {
    let folder = tempfile::tempdir().unwrap();
    let api = Fake::start(0, &[("a", ""), ("b", "")]);
    let file = api.kubeconfig(folder.path());
    let checkpoint = folder.path().join("checkpoint");
    let metrics = folder.path().join("metrics.sock");
    let flags = [
        "--checkpoint",
        checkpoint.to_str().unwrap(),
        "--checkpoint-after=1",
        "--metrics",
        metrics.to_str().unwrap(),
    ];
    let server = start(folder.path(), &file, &flags);
    source(&server, " live ");
    until("the checkpoint is written", || {
        checkpoint.exists().then_some(())
    });
    drop(server);
    let port = api.port;
    drop(api);

    let server = start(folder.path(), &file, &flags);
    // That it is stale is said before its pods are, and what is wrong after them.
    let line = source(&server, "the pods of an earlier run are served");
    assert!(line.contains(" stale "), "{line}");
    names(&server, "pod/a\npod/b\n");
    let stale = |value: u8| {
        let wanted =
            format!("podsapi_source_stale{{source=\"apiserver\",kind=\"apiserver\"}} {value}\n");
        until(&wanted, || page(&metrics).contains(&wanted).then_some(()));
    };
    stale(1);
    let watch = server.command(&["watch", "-o", "json"]);
    watch.line("INITIAL_SYNC_COMPLETE");

    let _api = Fake::start(port, &[("a", ""), ("c", "")]);
    let mut told = [watch.line("\"type\""), watch.line("\"type\"")];
    told.sort();
    assert!(
        told[0].contains("ADDED") && told[0].contains("api-c"),
        "{told:?}"
    );
    assert!(
        told[1].contains("DELETED") && told[1].contains("api-b"),
        "{told:?}"
    );
    let line = source(&server, " live ");
    assert!(line.trim_end().ends_with('-'), "{line}");
    stale(0);
}

#[test]
fn a_server_ends_in_time_whatever_the_api_server_or_a_plugin_does() {
    let silent = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = silent.local_addr().unwrap().port();
    let plugin = "{exec: {apiVersion: client.authentication.k8s.io/v1, command: sleep, args: ['600'], \
                  interactiveMode: Never}}";
    for user in ["{}", plugin] {
        let folder = tempfile::tempdir().unwrap();
        let server = start(folder.path(), &kubeconfig(folder.path(), port, user), &[]);
        assert_eq!(server.ask(&["check"]).code, Some(1));
        // Which is waited for, but not as long as the plugin or the API server would take.
        let (_took, status) = server.process.terminate();
        assert!(status.success(), "{status:?}");
    }
}

#[test]
fn what_is_wrong_with_a_kubeconfig_is_told_by_check_and_other_flags_are_checked_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let server = start(folder.path(), &folder.path().join("absent"), &[]);
    let line = source(&server, "absent: cannot list pods");
    assert!(
        line.contains("the kubeconfig cannot be read: No such file"),
        "{line}"
    );
    let ended = run(["serve", "--simulate", "1", "--checkpoint", "/f"]);
    assert_eq!(ended.code, Some(2));
    assert!(
        ended
            .stderr
            .contains("--checkpoint keeps the pods of --apiserver"),
        "{ended:?}"
    );
    assert!(run(["serve"]).stderr.contains("--apiserver [KUBECONFIG]"));
}
