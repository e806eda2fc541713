//! The UIDs of static pods: those that a kubelet gives them, from the moment their files are read.
//!
//! The test with a real containerd needs root and `../shared/cri`, and `PODSAPI_CONTAINERD=1`.

use std::path::Path;

use podsapi_proto::json::{Value, parse_json};
use podsapi_tests::containerd::{Containerd, PlannedContainer, PlannedPod, Version};

use crate::process::{Server, manifest, run, until};
use crate::runtime::{planned, serve};

/// What a kubelet 1.37 on node-a gives the pod of this file in /etc/kubernetes/manifests.
const CRASH: &str = "9751894352ef1c0eb68da853b9a25681";

fn uids(server: &Server) -> Vec<(String, String)> {
    let listed = server.ask(&["list", "-o", "json"]).text();
    let listed = parse_json(listed.as_bytes()).unwrap();
    let items = listed.get("items").and_then(Value::as_list).unwrap();
    let metadata = items.iter().filter_map(|pod| pod.get("metadata"));
    let text = |value: &Value, key| value.get(key).and_then(Value::as_str).unwrap().to_owned();
    metadata
        .map(|metadata| (text(metadata, "name"), text(metadata, "uid")))
        .collect()
}

fn uid(server: &Server, name: &str) -> Option<String> {
    let all = uids(server).into_iter();
    let mut named = all.filter(|(found, _)| found == name);
    named.next().map(|(_, uid)| uid)
}

#[test]
fn a_folder_that_is_mounted_elsewhere_has_the_uids_of_the_kubelets_path() {
    let manifests = tempfile::tempdir().unwrap();
    let crash = r#"{"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "crash"}, "spec": {
        "containers": [{"name": "c", "image": "localhost/busybox:local",
        "command": ["sh", "-c", "sleep 1; exit 1"]}]}}"#;
    std::fs::write(manifests.path().join("crash.yaml"), crash).unwrap();
    let start = |more: &[&str]| {
        let sockets = tempfile::tempdir().unwrap();
        let folder = manifests.path().to_str().unwrap();
        let first = ["--manifests", folder, "--node-name", "Node-A"];
        let server = Server::ready(sockets.path(), first.iter().chain(more));
        uid(&server, "crash-node-a").unwrap()
    };
    let path = "--kubelet-manifests-path";
    assert_eq!(start(&[path, "/etc/kubernetes/manifests"]), CRASH);
    assert_eq!(start(&[path, "/etc//kubernetes/./x/../manifests/"]), CRASH);
    assert_ne!(start(&[]), CRASH);
    let older = [
        "--kubelet-version",
        "1.35",
        path,
        "/etc/kubernetes/manifests",
    ];
    assert_ne!(start(&older), CRASH);
}

#[test]
fn a_release_that_is_not_known_is_refused() {
    for version in ["1.32", "1.38", "latest"] {
        let ended = run(["serve", "--simulate", "1", "--kubelet-version", version]);
        assert_eq!(ended.code, Some(2));
        let expected = "expected a release of the kubelet from 1.33 to 1.37";
        assert!(ended.stderr.contains(expected), "{}", ended.stderr);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_static_pod_costs_one_added_and_the_runtime_says_of_which_release_it_is() {
    for version in Version::ALL {
        match Containerd::start(version) {
            Ok(containerd) => beside(containerd).await,
            Err(reason) => println!("skipped with {version:?}: {reason}"),
        }
    }
}

async fn beside(containerd: Containerd) {
    let folder = tempfile::tempdir().unwrap();
    let sockets = tempfile::tempdir().unwrap();
    let runtime = containerd.connect().await;
    let server = serve(sockets.path(), folder.path(), &containerd);
    let watch = server.command(&["watch", "-o", "json"]);
    watch.line("INITIAL_SYNC_COMPLETE");
    let launch = async |pod: &PlannedPod| {
        let sandbox = runtime.run(pod).await.unwrap();
        let app = PlannedContainer::new("app", "sleep 1000");
        runtime.launch(&sandbox, pod, &app).await.unwrap()
    };

    // It is there under its UID before the runtime has it, and stays under it.
    manifest(folder.path(), "web", "");
    let added = parse_json(watch.line("web-n1").as_bytes()).unwrap();
    assert_eq!(added.get("type").and_then(Value::as_str), Some("ADDED"));
    let web = uid(&server, "web-n1").unwrap();
    launch(&planned("web", &web)).await;
    loop {
        let line = watch.line("web-n1");
        assert!(
            line.contains("\"MODIFIED\"") && line.contains(&web),
            "{line}"
        );
        if line.contains("\"phase\":\"Running\"") {
            break;
        }
    }

    // A kubelet of another release is found out by the UID of its pod, and stays so.
    let older = older_uids(folder.path(), &["web", "next", "third"]);
    manifest(folder.path(), "next", "");
    let [anew, next, third] = older.as_slice() else {
        panic!("{older:?}")
    };
    until("it is served", || uid(&server, "next-n1"));
    assert_ne!(uid(&server, "next-n1").as_ref(), Some(next));
    launch(&planned("next", next)).await;
    let told = "set --kubelet-version 1.35";
    until("the release is told", || {
        let report = String::from_utf8(server.ask(&["check"]).stdout).unwrap();
        report.contains(told).then_some(())
    });
    manifest(folder.path(), "third", "");
    until("it is served", || uid(&server, "third-n1"));
    let report = server.ask(&["check"]).stdout;
    let report = String::from_utf8_lossy(&report);
    assert_eq!(uid(&server, "third-n1").as_ref(), Some(third), "{report}");
    // It runs each pod anew under its own UIDs, and ends those that another release has left.
    for uid in [&web, anew] {
        until("both are served", || {
            let got = server.ask(&["get", uid, "-o", "json"]);
            (got.code == Some(0)).then_some(())
        });
    }
    let left = server.ask(&["get", &web, "-o", "json"]).text();
    assert!(left.contains("deletionTimestamp"), "{left}");
}

/// Returns the UIDs that pods of these names have in a kubelet 1.35.
fn older_uids(folder: &Path, names: &[&str]) -> Vec<String> {
    let (copy, sockets) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for name in names {
        manifest(copy.path(), name, "");
    }
    let [copied, folder] = [copy.path(), folder].map(|path| path.to_str().unwrap());
    let arguments = ["--node-name", "n1", "--kubelet-version", "1.35"];
    let more = ["--manifests", copied, "--kubelet-manifests-path", folder];
    let server = Server::ready(sockets.path(), arguments.into_iter().chain(more));
    let found = names.iter().map(|name| uid(&server, &format!("{name}-n1")));
    found.collect::<Option<_>>().unwrap()
}
