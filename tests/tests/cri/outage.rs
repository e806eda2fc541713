//! A runtime that is killed and comes back, while its pods run on.

use podsapi_sources::view::{ContainerState, RuntimeView};
use podsapi_tests::containerd::{PlannedContainer, PlannedPod, Version};

use crate::node::Node;

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_runtime_is_lost_and_what_ended_meanwhile_is_seen_when_it_is_back() {
    for version in Version::ALL {
        if let Some(node) = Node::start(version).await {
            killed_and_back(node).await;
        }
    }
}

async fn killed_and_back(mut node: Node) {
    let pod = PlannedPod::new("stays");
    let inside = node.runtime.run(&pod).await.unwrap();
    let planned = PlannedContainer::new("stays", "sleep 1000");
    let stays = node.runtime.launch(&inside, &pod, &planned).await.unwrap();
    let planned = PlannedContainer::new("ends", "sleep 1000");
    let ends = node.runtime.launch(&inside, &pod, &planned).await.unwrap();
    let pod = PlannedPod::new("forgotten");
    let inside = node.runtime.run(&pod).await.unwrap();
    let planned = PlannedContainer::new("forgotten", "sleep 1000");
    let forgotten = node.runtime.launch(&inside, &pod, &planned).await.unwrap();
    let before = node.agrees().await;

    node.containerd.kill();
    let said = node.until("lost", |said| said.lost).await;
    assert_eq!(said.view, Some(before), "the last view stays");
    assert!(said.problem.is_some());
    node.containerd.kill_task(&ends);
    node.containerd.kill_with_shim(&forgotten);
    node.containerd.start_again();
    node.runtime = node.containerd.connect().await;

    let state = |view: &RuntimeView, id: &str| {
        let mut containers = view.containers.iter();
        containers
            .find(|found| found.id == id)
            .map(|found| found.state)
    };
    let view = node
        .settles("the end seen", |view| {
            [&ends, &forgotten].map(|id| state(view, id)) == [Some(ContainerState::Exited); 2]
        })
        .await;
    assert_eq!(state(&view, &stays), Some(ContainerState::Running));
    let found = view.containers.iter().find(|found| found.id == forgotten);
    let found = found.map(|found| (found.exit_code, found.reason.as_str()));
    assert_eq!(found, Some((255, "Unknown")));
}
