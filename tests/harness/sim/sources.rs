//! Sources whose words the seed decides: pods come, change and go, sources are lost and return.

use std::sync::Arc;
use std::time::Duration;

use podsapi_core::{EncodedPod, SourceEvent};
use podsapi_sources::view::{Container, ContainerState, Labelled, RuntimeView, Sandbox};

use super::node::{Node, OWNERS};
use super::reach::Reach;
use super::world::World;
use crate::pods::{SamplePod, SampleStatus};

/// How sources behave in a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Habits {
    /// The pods that one owner may speak of.
    pub(super) pods: u32,
    /// The longest time between two words.
    pub(super) pause: Duration,
    /// Whether most pods are so large that a first list does not fit into what is sent at once.
    pub(super) heavy: bool,
    /// Whether both owners speak of the same pods at times.
    pub(super) shared: bool,
}

/// Speaks for one owner until the world is calm, then leaves a complete list behind.
pub(super) async fn speak(node: Arc<Node>, owner: usize, habits: Habits) {
    let world = node.world.clone();
    // Until the first list of each owner is complete, nothing is served.
    world.sleep(world.some_time(habits.pause * 4)).await;
    list(&node, owner, habits).await;
    while !world.is_calm() && !node.is_stopping() {
        world.sleep(world.some_time(habits.pause)).await;
        if world.is_calm() || node.is_stopping() {
            break;
        }
        match world.draw(|random| random.u32(..20)) {
            0 => list(&node, owner, habits).await,
            1 => {
                node.say(owner, vec![SourceEvent::Lost]);
                world.tell(format_args!("{} is lost", OWNERS[owner].0));
                world.reached(Reach::SourcesLost, 1);
                world.sleep(world.some_time(habits.pause * 3)).await;
                match world.one_in(4) {
                    true => world.reached(Reach::SourcesGoOn, 1),
                    false => list(&node, owner, habits).await,
                }
            }
            2..=6 => {
                let known = node.owned(owner);
                if !known.is_empty() {
                    let uid = known[world.draw(|random| random.usize(..known.len()))].clone();
                    let at = node.wall();
                    node.say(owner, vec![SourceEvent::Remove { uid, at }]);
                }
            }
            7 => {
                // Many changes at one instant, which a small queue does not hold.
                for _ in 0..world.draw(|random| random.u32(1..30)) {
                    put(&node, owner, habits);
                }
            }
            _ => put(&node, owner, habits),
        }
    }
}

/// Shows what runs until the world is calm; views come and go.
pub(super) async fn show(node: Arc<Node>, habits: Habits) {
    let world = node.world.clone();
    loop {
        world.sleep(world.some_time(habits.pause * 2)).await;
        if world.is_calm() || node.is_stopping() {
            break;
        }
        let lost = world.one_in(10);
        node.see((!lost).then(|| view(&node)));
    }
    // The gate does not open before there was a view.
    if !node.is_stopping() {
        node.see(Some(view(&node)));
    }
}

/// Tells all pods anew, sometimes in one step and sometimes while time passes, which may need more
/// than one attempt.
async fn list(node: &Node, owner: usize, habits: Habits) {
    while !try_list(node, owner, habits).await {}
}

/// Returns whether the list was told to its end.
async fn try_list(node: &Node, owner: usize, habits: Habits) -> bool {
    let world = &node.world;
    let mut words = vec![SourceEvent::Begin];
    for _ in 0..world.draw(|random| random.u32(..=habits.pods)) {
        let at = node.wall();
        words.push(SourceEvent::Put {
            pod: pod(world, owner, habits),
            at,
        });
    }
    words.push(SourceEvent::Complete { at: node.wall() });
    world.tell(format_args!(
        "{} lists {} pods",
        OWNERS[owner].0,
        words.len() - 2
    ));
    if world.one_in(2) {
        node.say(owner, words);
        return true;
    }
    let fails = !world.is_calm() && world.one_in(4);
    let told = match fails {
        true => world.draw(|random| random.usize(1..words.len())),
        false => words.len(),
    };
    words.truncate(told);
    for word in words {
        if world.one_in(4) {
            world.sleep(world.some_time(habits.pause / 4)).await;
        }
        node.say(owner, vec![word]);
    }
    if !fails {
        return true;
    }
    world.tell(format_args!("{} breaks off", OWNERS[owner].0));
    if world.one_in(2) {
        world.reached(Reach::ListsBeginAgain, 1);
        return false;
    }
    node.say(owner, vec![SourceEvent::Lost]);
    world.reached(Reach::ListsLost, 1);
    world.sleep(world.some_time(habits.pause)).await;
    // Before the first list an owner may not speak of single pods.
    match node.has_listed(owner) && world.one_in(2) {
        true => {
            put(node, owner, habits);
            world.reached(Reach::SourcesGoOn, 1);
            true
        }
        false => false,
    }
}

fn put(node: &Node, owner: usize, habits: Habits) {
    let pod = pod(&node.world, owner, habits);
    let at = node.wall();
    node.say(owner, vec![SourceEvent::Put { pod, at }]);
}

fn pod(world: &World, owner: usize, habits: Habits) -> EncodedPod {
    let number = world.draw(|random| random.u32(..habits.pods));
    let whose = match habits.shared && world.one_in(4) {
        true => "shared",
        false => OWNERS[owner].0,
    };
    let version = world.draw(|random| random.u32(..1_000));
    // Some fill several frames, and most fit many times into one.
    let ballast = match world.draw(|random| random.u32(..200)) {
        0 => world.draw(|random| random.usize(..60_000)),
        1..20 => world.draw(|random| random.usize(..3_000)),
        _ if habits.heavy => 3_000,
        _ => 0,
    };
    let phase = world.draw(|random| random.choice(["Pending", "Running", "Failed"]));
    let status = SampleStatus::phase(phase.unwrap_or("Running"));
    let namespace = format!("namespace-{}", number % 2);
    SamplePod::new(
        &namespace,
        &format!("pod-{number}"),
        &format!("{whose}-{number}"),
    )
    .version(version)
    .label("ballast", &"x".repeat(ballast))
    .status(status)
    .parse()
}

/// Returns a view of some of the pods.
fn view(node: &Node) -> RuntimeView {
    let world = &node.world;
    let mut view = RuntimeView::default();
    for owner in 0..OWNERS.len() {
        for pod in node.pods_of(owner) {
            let uid = pod.uid();
            if world.one_in(3) {
                continue;
            }
            let (ready, runs) = (world.one_in(2), world.one_in(2));
            let state = match runs {
                true => ContainerState::Running,
                false => ContainerState::Exited,
            };
            view.containers.push(Container {
                id: format!("container-{uid}"),
                sandbox_id: format!("sandbox-{uid}"),
                pod: Labelled {
                    uid: uid.as_str().to_owned(),
                    ..Labelled::default()
                },
                name: "main".into(),
                state,
                created_at: 1_700_000_000_000_000_000,
                started_at: 1_700_000_000_000_000_000,
                ..Container::default()
            });
            view.sandboxes.push(Sandbox {
                id: format!("sandbox-{uid}"),
                pod_uid: uid.as_str().to_owned(),
                namespace: pod.namespace().to_owned(),
                name: pod.name().to_owned(),
                ready,
                created_at: 1_700_000_000_000_000_000,
                ips: vec!["198.51.100.7".into()],
                ..Sandbox::default()
            });
        }
    }
    view
}
