//! A node whose container runtime is seen while its control plane is away.

use std::time::Duration;

use podsapi_client::{Event, EventKind};
use podsapi_proto::core_v1;
use podsapi_tests::containerd::{Containerd, PlannedContainer, PlannedPod, Version};
use prost::Message;

use super::api::identity;
use super::node::Node;
use super::plane::Plane;
use super::pods::planned;
use crate::process::now;

#[tokio::test(flavor = "multi_thread")]
async fn a_restart_is_told_while_the_control_plane_is_away() {
    for version in [Version::Packaged, Version::Next] {
        match Containerd::start(version) {
            Ok(containerd) => served(containerd).await,
            Err(reason) => println!("skipped with {version:?}: {reason}"),
        }
    }
}

async fn served(containerd: Containerd) {
    let Some(mut plane) = Plane::start().await else {
        return;
    };
    let (space, name) = ("with-runtime", "node-with-a-runtime");
    plane.api.namespace(space).await;
    let made = plane.api.create(space, &planned("web", name)).await;
    let (uid, pod_name) = identity(&made);
    let pod = PlannedPod {
        namespace: space.to_owned(),
        uid: uid.clone(),
        ..PlannedPod::new(&pod_name)
    };
    let runtime = containerd.connect().await;
    let sandbox = runtime.run(&pod).await.unwrap();
    let app = PlannedContainer::new("app", "sleep 1000");
    let mut running = runtime.launch(&sandbox, &pod, &app).await.unwrap();
    let socket = containerd.socket().to_str().unwrap();
    let more = [
        "--cri",
        socket,
        "--host-ip",
        "192.0.2.7",
        "--api-backoff",
        "1",
    ];
    let kubeconfig = plane.kubeconfig(name, plane.port);
    let mut node = Node::start(name, &kubeconfig, more).await;
    told(&mut node, 0, &running, true).await;

    plane.kill_server();
    println!("{}", node.says("lost"));
    let mut delays = Vec::new();
    for attempt in 1..=RESTARTS {
        let before = node.told().len();
        let killed = now();
        containerd.kill_task(&running);
        let ended = told(&mut node, before, &running, false).await;
        delays.push(killed.elapsed());
        assert_eq!(
            (ended.kind, exit_code(&ended)),
            (EventKind::Modified, Some(137)),
            "{:#?}",
            container(&ended)
        );
        let app = PlannedContainer {
            attempt,
            ..app.clone()
        };
        let next = runtime.launch(&sandbox, &pod, &app).await.unwrap();
        let restarted = told(&mut node, before, &next, true).await;
        assert_eq!(
            container(&restarted).unwrap().restart_count,
            Some(i32::try_from(attempt).unwrap())
        );
        runtime.remove(&running).await.unwrap();
        running = next;
    }
    delays.sort();
    let runtime = runtime.version().await.unwrap();
    println!(
        "{} {}: without the API server, from an end to its event p50 {:?}, p99 {:?} of {RESTARTS}",
        runtime.runtime_name,
        runtime.runtime_version,
        delays[delays.len() / 2],
        delays[delays.len() * 99 / 100]
    );
    // The period of a second, and as much again. On a busy machine any single one may take longer.
    assert!(
        delays[delays.len() * 3 / 4] < Duration::from_secs(2),
        "{delays:?}"
    );

    // The server that comes back knows an older state than the runtime, and does not win.
    plane.start_server().await;
    let text = r#"{"metadata":{"labels":{"app":"changed"}}}"#;
    plane.api.patch(space, "web", text).await;
    node.until("the change is told", |told| {
        let last = told
            .last()
            .map(|event| core_v1::Pod::decode(event.pod.clone()).unwrap());
        let labels = last
            .and_then(|pod| pod.metadata)
            .map(|metadata| metadata.labels);
        labels.is_some_and(|labels| labels.get("app").is_some_and(|app| app == "changed"))
    })
    .await;
    let last = node.told().pop().unwrap();
    let container = container(&last).unwrap();
    assert_eq!(
        container.container_id,
        Some(format!("containerd://{running}"))
    );
    assert!(container.state.unwrap().running.is_some());
    assert!(
        node.told()
            .iter()
            .all(|event| event.kind != EventKind::Deleted)
    );
}

/// Waits for an event after the first `seen` that tells this container in this state; returns it.
async fn told(node: &mut Node, seen: usize, id: &str, running: bool) -> Event {
    let id = format!("containerd://{id}");
    let is_it = |event: &&Event| {
        container(event).is_some_and(|found| {
            let state = found.state.clone().unwrap_or_default();
            found.container_id.as_ref() == Some(&id) && state.running.is_some() == running
        })
    };
    node.until("the state is told", |told| {
        told.iter().skip(seen).any(|event| is_it(&event))
    })
    .await;
    let told = node.told();
    told.iter().skip(seen).find(is_it).cloned().unwrap()
}

fn container(event: &Event) -> Option<core_v1::ContainerStatus> {
    let pod = core_v1::Pod::decode(event.pod.clone()).unwrap();
    pod.status?.container_statuses.into_iter().next()
}

/// Returns how a container ended; from its second end on that is the last state of one that waits.
fn exit_code(event: &Event) -> Option<i32> {
    let container = container(event)?;
    let now = container.state.and_then(|state| state.terminated);
    let last = container.last_state.and_then(|state| state.terminated);
    now.or(last)?.exit_code
}

/// How many ends the figures are taken from.
const RESTARTS: u32 = 30;
