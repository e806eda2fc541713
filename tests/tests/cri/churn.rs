//! Forty pods that come, change and go all at once.

use podsapi_tests::containerd::{PlannedContainer, PlannedPod, Runtime, Version};
use tokio::task::JoinSet;

use crate::node::Node;

const PODS: usize = 40;

/// As many as a kubelet works on without being slowed down by the runtime.
const WORKERS: usize = 8;

#[tokio::test(flavor = "multi_thread")]
async fn forty_churning_pods_end_as_the_runtime_has_them() {
    for version in Version::ALL {
        if let Some(mut node) = Node::start(version).await {
            let mut workers = JoinSet::new();
            for worker in 0..WORKERS {
                let runtime = node.runtime.clone();
                workers.spawn(async move {
                    for pod in (worker..PODS).step_by(WORKERS) {
                        live(&runtime, pod).await;
                    }
                });
            }
            while let Some(ended) = workers.join_next().await {
                ended.unwrap();
            }
            let view = node.agrees().await;
            // Each fourth was removed, each fourth has a second sandbox.
            assert_eq!(view.sandboxes.len(), PODS);
        }
    }
}

/// What happens to one pod depends on its number.
async fn live(runtime: &Runtime, number: usize) {
    let pod = PlannedPod::new(&format!("churn-{number}"));
    let main = PlannedContainer::new("main", "sleep 1000");
    let sandbox = runtime.run(&pod).await.unwrap();
    let id = runtime.launch(&sandbox, &pod, &main).await.unwrap();
    match number % 4 {
        0 => runtime.remove_sandbox(&sandbox).await.unwrap(),
        1 => {
            runtime.stop_sandbox(&sandbox).await.unwrap();
            let again = PlannedPod { attempt: 1, ..pod };
            let sandbox = runtime.run(&again).await.unwrap();
            let next = PlannedContainer { attempt: 1, ..main };
            runtime.launch(&sandbox, &again, &next).await.unwrap();
        }
        2 => {
            runtime.stop(&id).await.unwrap();
            let next = PlannedContainer { attempt: 1, ..main };
            runtime.launch(&sandbox, &pod, &next).await.unwrap();
            runtime.remove(&id).await.unwrap();
        }
        _rest => {}
    }
}
