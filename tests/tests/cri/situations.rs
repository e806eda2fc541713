//! What can be the case with a pod, made one after another.

use podsapi_sources::view::{Container, ContainerState, RuntimeView, Sandbox};
use podsapi_tests::containerd::{PlannedContainer, PlannedPod, Version};

use crate::node::Node;

const SLEEP: &str = "trap 'exit 0' TERM; sleep 1000 & wait";

fn container<'a>(view: &'a RuntimeView, id: &str) -> &'a Container {
    let found = view.containers.iter().find(|container| container.id == id);
    found.unwrap_or_else(|| panic!("no container {id} in {view:#?}"))
}

fn sandbox<'a>(view: &'a RuntimeView, id: &str) -> &'a Sandbox {
    let found = view.sandboxes.iter().find(|sandbox| sandbox.id == id);
    found.unwrap_or_else(|| panic!("no sandbox {id} in {view:#?}"))
}

/// A container that runs a line of shell once it is let go.
fn held(node: &Node, name: &str, attempt: u32, line: &str) -> PlannedContainer {
    let words = node
        .containerd
        .directory()
        .join(format!("{name}-{attempt}"));
    std::fs::write(&words, "").unwrap();
    PlannedContainer {
        attempt,
        ..PlannedContainer::held(name, line, &words)
    }
}

/// Starts it and lets it go; returns its ID.
async fn let_go(node: &Node, sandbox: &str, pod: &PlannedPod, held: &PlannedContainer) -> String {
    let id = node.runtime.launch(sandbox, pod, held).await.unwrap();
    std::fs::write(held.termination_file.as_ref().unwrap(), "go").unwrap();
    id
}

#[tokio::test(flavor = "multi_thread")]
async fn containers_run_and_end_in_every_way() {
    for version in Version::ALL {
        if let Some(node) = Node::start(version).await {
            containers(node).await;
        }
    }
}

async fn containers(mut node: Node) {
    let runtime = node.runtime.clone();
    let logs = node.containerd.directory().join("logs");
    let pod = PlannedPod {
        log_directory: logs.display().to_string(),
        ..PlannedPod::new("ends")
    };
    let inside = runtime.run(&pod).await.unwrap();
    let view = node.agrees().await;
    assert!(sandbox(&view, &inside).ready);
    assert_eq!(sandbox(&view, &inside).ips.len(), 1);

    let created = PlannedContainer::new("created", SLEEP);
    let created = runtime.create(&inside, &pod, &created).await.unwrap();
    let view = node.agrees().await;
    assert_eq!(container(&view, &created).state, ContainerState::Created);

    runtime.start(&created).await.unwrap();
    let view = node.agrees().await;
    let running = container(&view, &created);
    assert_eq!(running.state, ContainerState::Running);
    assert!(running.started_at > 0 && running.image_ref.contains("sha256:"));

    let farewell = "echo farewell >/dev/termination-log; exit 3";
    let three = held(&node, "three", 0, farewell);
    let three = let_go(&node, &inside, &pod, &three).await;
    let ended = |id: String| {
        move |view: &RuntimeView| {
            let mut containers = view.containers.iter();
            containers.any(|c| c.id == id && c.state == ContainerState::Exited)
        }
    };
    let view = node.settles("exit 3", ended(three.clone())).await;
    let found = container(&view, &three);
    assert_eq!((found.exit_code, found.reason.as_str()), (3, "Error"));
    assert_eq!(found.termination_message.as_deref(), Some("farewell\n"));

    let four = PlannedContainer {
        falls_back_to_log: true,
        ..held(&node, "four", 0, "echo so long; printf goodbye >&2; exit 4")
    };
    let four = let_go(&node, &inside, &pod, &four).await;
    let view = node.settles("exit 4", ended(four.clone())).await;
    let said = container(&view, &four).termination_message.clone();
    let said = said.unwrap_or_default();
    // The runtime writes the two streams down in whatever order it reads them.
    let both = ["so long\ngoodbye", "goodbyeso long\n"];
    assert!(both.contains(&said.as_str()), "{said}");

    let planned = PlannedContainer::new("zero", "exit 0");
    let zero = runtime.launch(&inside, &pod, &planned).await.unwrap();
    let view = node.settles("exit 0", ended(zero.clone())).await;
    assert_eq!(container(&view, &zero).reason, "Completed");

    let hungry = PlannedContainer {
        memory_bytes: 16 << 20,
        ..held(&node, "hungry", 0, "exec tail /dev/zero")
    };
    let hungry = let_go(&node, &inside, &pod, &hungry).await;
    let view = node.settles("out of memory", ended(hungry.clone())).await;
    let found = container(&view, &hungry);
    assert_eq!((found.exit_code, found.reason.as_str()), (137, "OOMKilled"));

    let planned = PlannedContainer {
        command: vec!["/nonexistent".to_owned()],
        ..PlannedContainer::new("absent", "")
    };
    let absent = runtime.create(&inside, &pod, &planned).await.unwrap();
    runtime.start(&absent).await.unwrap_err();
    let view = node.settles("no program", ended(absent.clone())).await;
    let found = container(&view, &absent);
    assert_eq!(
        (found.exit_code, found.reason.as_str()),
        (128, "StartError")
    );

    node.containerd.kill_task(&created);
    let view = node.settles("killed", ended(created.clone())).await;
    assert_eq!(container(&view, &created).exit_code, 137);

    runtime.remove_sandbox(&inside).await.unwrap();
    assert_eq!(node.agrees().await, RuntimeView::default());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crash_loop_is_one_container_after_another() {
    for version in Version::ALL {
        if let Some(node) = Node::start(version).await {
            crash_loop(node).await;
        }
    }
}

async fn crash_loop(mut node: Node) {
    let runtime = node.runtime.clone();
    let pod = PlannedPod::new("loops");
    let inside = runtime.run(&pod).await.unwrap();
    let mut earlier: Vec<String> = Vec::new();
    for attempt in 0..4 {
        let planned = held(&node, "main", attempt, "exit 1");
        let id = let_go(&node, &inside, &pod, &planned).await;
        // As a kubelet, which keeps the last one that ended.
        if earlier.len() > 1 {
            runtime.remove(&earlier.remove(0)).await.unwrap();
        }
        earlier.push(id.clone());
        let wanted = earlier.len();
        let view = node
            .settles("the next attempt", |view| {
                let ended = |c: &Container| c.state == ContainerState::Exited;
                view.containers.len() == wanted && view.containers.iter().all(ended)
            })
            .await;
        let newest = container(&view, &id);
        assert_eq!((newest.restart_count, newest.attempt), (attempt, attempt));
        assert_eq!(newest.exit_code, 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn sandboxes_stop_die_are_made_anew_and_share_the_nodes_network() {
    for version in Version::ALL {
        if let Some(node) = Node::start(version).await {
            sandboxes(node).await;
        }
    }
}

async fn sandboxes(mut node: Node) {
    let runtime = node.runtime.clone();
    let pod = PlannedPod::new("anew");
    let old = runtime.run(&pod).await.unwrap();
    let planned = PlannedContainer::new("main", SLEEP);
    let inside = runtime.launch(&old, &pod, &planned).await.unwrap();
    let view = node.agrees().await;
    assert_eq!(sandbox(&view, &old).ips.len(), 1);

    runtime.stop_sandbox(&old).await.unwrap();
    let view = node.agrees().await;
    let stopped = sandbox(&view, &old);
    assert_eq!((stopped.ready, stopped.ips.len()), (false, 0));
    assert_eq!(container(&view, &inside).exit_code, 137);

    let again = PlannedPod { attempt: 1, ..pod };
    let new = runtime.run(&again).await.unwrap();
    let view = node.agrees().await;
    assert_eq!(view.sandboxes.len(), 2, "of one UID");
    assert_eq!(sandbox(&view, &new).attempt, 1);
    assert_eq!(sandbox(&view, &new).pod_uid, sandbox(&view, &old).pod_uid);

    let planned = PlannedContainer {
        attempt: 1,
        ..planned
    };
    let survivor = runtime.launch(&new, &again, &planned).await.unwrap();
    node.containerd.kill_task(&new);
    let view = node
        .settles("the sandbox died", |view| !sandbox(view, &new).ready)
        .await;
    assert_eq!(
        sandbox(&view, &new).ips.len(),
        1,
        "a dead one keeps its address"
    );
    assert_eq!(container(&view, &survivor).state, ContainerState::Running);

    let shared = PlannedPod {
        host_network: true,
        ..PlannedPod::new("shared")
    };
    let shared = runtime.run(&shared).await.unwrap();
    let dual = PlannedPod {
        handler: "dual".to_owned(),
        ..PlannedPod::new("dual")
    };
    let dual = runtime.run(&dual).await.unwrap();
    let view = node.agrees().await;
    let found = sandbox(&view, &shared);
    assert_eq!((found.host_network, found.ips.len()), (true, 0));
    let found = sandbox(&view, &dual);
    assert_eq!((found.host_network, found.ips.len()), (false, 2));
}
