//! `serve --cri`: the state that a container runtime shows, of pods that another source owns.
//!
//! The tests with a real containerd need root and `../shared/cri`, and `PODSAPI_CONTAINERD=1`.

use std::path::Path;

use podsapi_proto::json::{Value, parse_json};
use podsapi_tests::containerd::{Containerd, PlannedContainer, PlannedPod, Runtime, Version};

use crate::process::{Server, manifest, now, run, until};

mod stress;

#[test]
fn without_a_runtime_the_server_waits_and_says_for_what() {
    let directory = tempfile::tempdir().unwrap();
    manifest(directory.path(), "web", "uid-web");
    let absent = directory.path().join("cri.sock");
    let manifests = directory.path().to_str().unwrap();
    let sockets = tempfile::tempdir().unwrap();
    let absent = absent.to_str().unwrap();
    let server = Server::start(
        sockets.path(),
        [
            "--manifests",
            manifests,
            "--cri",
            absent,
            "--host-ip",
            "192.0.2.7",
        ],
    );
    let report = until("the trouble is told", || {
        let report = server.ask(&["check"]);
        let text = String::from_utf8(report.stdout).unwrap();
        // The manifests may be read after the runtime was tried.
        let told = ["cannot connect to", "no, waiting for cri\n"];
        told.iter().all(|part| text.contains(part)).then_some(text)
    });
    assert!(report.contains(absent), "{report}");
}

#[test]
fn what_listens_in_a_runtimes_place_is_named_in_the_report_with_what_to_do() {
    let directory = tempfile::tempdir().unwrap();
    manifest(directory.path(), "web", "uid-web");
    let [other, file] = ["other", "file"].map(|name| directory.path().join(name));
    std::fs::create_dir(&other).unwrap();
    std::fs::write(&file, "").unwrap();
    // A gRPC server, but without this service, as a containerd whose CRI is switched off.
    let other = Server::ready(&other, ["--simulate", "1"]);
    for (place, advice) in [
        (&other.socket, "disabled_plugins"),
        (&file, "this file is not a socket"),
    ] {
        let sockets = tempfile::tempdir().unwrap();
        let manifests = directory.path().to_str().unwrap();
        let place = place.to_str().unwrap();
        let server = Server::start(sockets.path(), ["--manifests", manifests, "--cri", place]);
        let line = until("the trouble is told", || {
            let report = String::from_utf8(server.ask(&["check"]).stdout).unwrap();
            let mut lines = report.lines();
            let line = lines.find(|line| line.starts_with("cri ") && line.contains(place));
            line.map(str::to_owned)
        });
        assert!(line.contains(" lost ") && line.contains(advice), "{line}");
    }
}

#[test]
fn a_runtime_alone_is_no_source_of_pods_and_its_socket_is_a_path() {
    let alone = run(["serve", "--cri", "/run/containerd/containerd.sock"]);
    assert_eq!(alone.code, Some(2));
    assert!(
        alone.stderr.contains("no source of pods"),
        "{}",
        alone.stderr
    );
    let distant = run(["serve", "--simulate", "1", "--cri", "tcp://192.0.2.1:1"]);
    assert_eq!(distant.code, Some(2));
    assert!(distant.stderr.contains("UNIX socket"), "{}", distant.stderr);
}

/// A static pod as a kubelet calls it: its file's name with the node's behind it.
pub(crate) fn planned(name: &str, uid: &str) -> PlannedPod {
    let (key, value) = ("kubernetes.io/config.source", "file");
    PlannedPod {
        namespace: "shop".to_owned(),
        uid: uid.to_owned(),
        annotations: [(key.to_owned(), value.to_owned())].into(),
        ..PlannedPod::new(&format!("{name}-n1"))
    }
}

/// Starts a server of a folder's manifests and of this runtime.
pub(crate) fn serve(sockets: &Path, manifests: &Path, containerd: &Containerd) -> Server {
    let scheme = format!("unix://{}", containerd.socket().display());
    let manifests = manifests.to_str().unwrap();
    let arguments = ["--node-name", "n1", "--host-ip", "192.0.2.7"];
    let more = ["--manifests", manifests, "--cri", &scheme];
    Server::ready(sockets, arguments.into_iter().chain(more))
}

/// Follows names and, where they are numbers, places in lists.
fn at<'a>(value: &'a Value, path: &str) -> Option<&'a Value> {
    path.split('.').try_fold(value, |value, part| match value {
        Value::Map(members) => members.get(part),
        Value::List(elements) => elements.get(part.parse::<usize>().ok()?),
        Value::Bool(_) | Value::Null | Value::Number(_) | Value::String(_) => None,
    })
}

fn text(value: &Value, path: &str) -> String {
    match at(value, path) {
        Some(Value::String(text)) => text.clone(),
        other => panic!("{path} is {other:?} in {value:?}"),
    }
}

fn pod(server: &Server, uid: &str) -> Option<Value> {
    let got = server.ask(&["get", uid, "-o", "json"]);
    (got.code == Some(0)).then(|| parse_json(&got.stdout).unwrap())
}

async fn address(runtime: &Runtime, sandbox: &str) -> String {
    let all = runtime.sandboxes().await.unwrap();
    let found = all.into_iter().find(|(listed, _)| listed.id == sandbox);
    found.unwrap().1.network.unwrap().ip
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pod_of_a_manifest_is_served_as_containerd_runs_it() {
    for version in Version::ALL {
        match Containerd::start(version) {
            Ok(containerd) => served(containerd).await,
            Err(reason) => println!("skipped with {version:?}: {reason}"),
        }
    }
}

async fn served(mut containerd: Containerd) {
    let directory = tempfile::tempdir().unwrap();
    manifest(directory.path(), "web", "uid-web");
    let runtime = containerd.connect().await;
    let web = planned("web", "uid-web");
    let sandbox = runtime.run(&web).await.unwrap();
    let app = PlannedContainer::new("app", "sleep 1000");
    let first = runtime.launch(&sandbox, &web, &app).await.unwrap();

    let sockets = tempfile::tempdir().unwrap();
    let server = serve(sockets.path(), directory.path(), &containerd);
    let shown = pod(&server, "uid-web").unwrap();
    assert_eq!(text(&shown, "status.phase"), "Running");
    let ip = address(&runtime, &sandbox).await;
    assert_eq!(text(&shown, "status.podIP"), ip);
    assert_eq!(text(&shown, "status.hostIP"), "192.0.2.7");
    let container = "status.containerStatuses.0";
    let id = text(&shown, &format!("{container}.containerID"));
    assert_eq!(id, format!("containerd://{first}"));

    // A container is killed, and made again as a kubelet does.
    let watch = server.command(&["watch", "-o", "json"]);
    watch.line("INITIAL_SYNC_COMPLETE");
    containerd.kill_task(&first);
    let ended = watch.line("\"exitCode\":137");
    assert!(ended.contains("\"MODIFIED\""), "{ended}");
    let app = PlannedContainer { attempt: 1, ..app };
    let second = runtime.launch(&sandbox, &web, &app).await.unwrap();
    let restarted = watch.line(&format!("\"containerID\":\"containerd://{second}\""));
    assert!(restarted.contains("\"restartCount\":1"), "{restarted}");
    until("the restart is served", || {
        let shown = pod(&server, "uid-web")?;
        at(&shown, &format!("{container}.state.running"))?;
        at(&shown, &format!("{container}.lastState.terminated"))?;
        Some(())
    });

    // A pod on the node's network has the node's address.
    let file = directory.path().join("net.yaml");
    let shared = "apiVersion: v1\nkind: Pod\nmetadata: {name: net, namespace: shop, uid: uid-net}\n\
                spec: {hostNetwork: true, containers: [{name: app, image: 'example.org/app:1'}]}\n";
    std::fs::write(file, shared).unwrap();
    let net = PlannedPod {
        host_network: true,
        ..planned("net", "uid-net")
    };
    runtime.run(&net).await.unwrap();
    until("the node's address is the pod's", || {
        let shown = pod(&server, "uid-net")?;
        let found = at(&shown, "status.podIP")?.as_str()? == "192.0.2.7";
        found.then_some(())
    });

    // A static pod that comes later takes the UID that the sandbox carries.
    manifest(directory.path(), "late", "");
    let late = planned("late", "0123456789abcdef0123456789abcdef");
    let inside = runtime.run(&late).await.unwrap();
    let app = PlannedContainer::new("app", "sleep 1000");
    runtime.launch(&inside, &late, &app).await.unwrap();
    until("the pod is served under the runtime's UID", || {
        let shown = pod(&server, &late.uid)?;
        (text(&shown, "status.phase") == "Running").then_some(())
    });

    // Without the runtime, pods stay as they were, and the trouble is told.
    let before = server.ask(&["list", "-o", "json"]).text();
    containerd.kill();
    until("the loss is told", || {
        let report = server.ask(&["check"]);
        let report = String::from_utf8(report.stdout).unwrap();
        report.contains("the container runtime").then_some(())
    });
    assert_eq!(server.ask(&["list", "-o", "json"]).text(), before);
    containerd.kill_task(&second);
    containerd.start_again();
    until("what ended meanwhile is served", || {
        let shown = pod(&server, "uid-web")?;
        let ended = has_ended(at(&shown, container)?, &format!("containerd://{second}"));
        ended.then_some(())
    });
}

#[tokio::test(flavor = "multi_thread")]
async fn an_end_is_told_to_a_watch_within_the_period() {
    for version in Version::ALL {
        match Containerd::start(version) {
            Ok(containerd) => delays(containerd).await,
            Err(reason) => println!("skipped with {version:?}: {reason}"),
        }
    }
}

async fn delays(containerd: Containerd) {
    let directory = tempfile::tempdir().unwrap();
    manifest(directory.path(), "web", "uid-web");
    let runtime = containerd.connect().await;
    let web = planned("web", "uid-web");
    let sandbox = runtime.run(&web).await.unwrap();
    let sockets = tempfile::tempdir().unwrap();
    let server = serve(sockets.path(), directory.path(), &containerd);
    let watch = server.command(&["watch", "-o", "json"]);
    watch.line("INITIAL_SYNC_COMPLETE");
    let told = |id: &str, wanted: fn(&Value, &str) -> bool| {
        let id = format!("containerd://{id}");
        loop {
            let event = parse_json(watch.line("\"MODIFIED\"").as_bytes()).unwrap();
            let container = at(&event, "object.status.containerStatuses.0");
            if container.is_some_and(|container| wanted(container, &id)) {
                return;
            }
        }
    };
    let mut delays = Vec::new();
    for attempt in 0..ENDS {
        let app = PlannedContainer {
            attempt,
            ..PlannedContainer::new("app", "sleep 1000")
        };
        let id = runtime.launch(&sandbox, &web, &app).await.unwrap();
        told(&id, runs);
        let killed = now();
        containerd.kill_task(&id);
        told(&id, has_ended);
        delays.push(killed.elapsed());
        runtime.remove(&id).await.unwrap();
    }
    delays.sort();
    let version = runtime.version().await.unwrap().runtime_version;
    let (middle, last) = (delays[delays.len() / 2], delays[delays.len() - 1]);
    println!("{version}: from an end to its event p50 {middle:?}, max {last:?} of {ENDS}");
    // The period of a second, and as much again. On a busy machine any single one may take longer.
    let most = delays[delays.len() * 3 / 4];
    assert!(most.as_secs() < 2, "{delays:?}");
}

const ENDS: u32 = 20;

fn runs(container: &Value, id: &str) -> bool {
    let found = container.get("containerID").and_then(Value::as_str);
    found == Some(id) && at(container, "state.running").is_some()
}

/// From its second end on a container waits for its next start, and its end is its last state.
fn has_ended(container: &Value, id: &str) -> bool {
    let waits = at(container, "state.waiting").is_some();
    let ended = if waits { "lastState" } else { "state" };
    let found = at(container, &format!("{ended}.terminated.containerID"));
    found.and_then(Value::as_str) == Some(id)
}
