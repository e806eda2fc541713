//! What one event costs a join of an API server's pods and a runtime, by the number of pods of the node.

use std::error::Error;
use std::hint::black_box;

use podsapi_bench::corpus::{self, CorpusPod};
use podsapi_core::{EncodedPod, SourceEvent, SourceKind};
use podsapi_proto::core_v1::Pod;
use podsapi_sources::join::Join;
use podsapi_sources::view::{Container, ContainerState, Labelled, NodeFacts, RuntimeView, Sandbox};
use prost::Message;

use crate::rounds::Comparison;

/// A join, and what is said to it next.
struct Node {
    join: Join,
    states: Vec<[EncodedPod; 2]>,
    view: RuntimeView,
    now: i64,
    said: usize,
}

/// One event of one pod, and a second in which nothing happens.
pub(crate) fn join() -> Result<(), Box<dyn Error>> {
    for (pods, [event, view, idle]) in ROWS {
        let pods = corpus::corpus(pods);
        let mut node = Node::new(&pods)?;
        Comparison::new(event, 1, || node.change()).run();
        let mut node = Node::new(&pods)?;
        let copied = node.view.clone();
        Comparison::new(view, 1, || node.restart())
            .beside("copying what the runtime shows", || {
                drop(black_box(copied.clone()));
            })
            .run();
        let mut node = Node::new(&pods)?;
        Comparison::new(idle, 1, || node.idle()).run();
    }
    Ok(())
}

impl Node {
    fn new(pods: &[CorpusPod]) -> Result<Self, Box<dyn Error>> {
        let (mut states, mut view) = (Vec::new(), RuntimeView::default());
        for pod in pods {
            let parse = |bytes: &bytes::Bytes| EncodedPod::parse(bytes.clone());
            states.push([parse(&pod.pod)?, parse(&pod.changed)?]);
            show(&mut view, &Pod::decode(&*pod.pod)?);
        }
        let mut node = Self {
            join: Join::new([SourceKind::Apiserver], NodeFacts::default()),
            states,
            view,
            now: NOW,
            said: 0,
        };
        node.say(SourceEvent::Begin);
        for place in 0..node.states.len() {
            let pod = node.states[place][0].clone();
            node.say(SourceEvent::Put { pod, at: NOW });
        }
        node.say(SourceEvent::Complete { at: NOW });
        node.restart();
        node.change();
        node.idle();
        Ok(node)
    }

    /// Puts the next pod in its other state.
    fn change(&mut self) {
        let (round, place) = (self.said / self.states.len(), self.said % self.states.len());
        self.said += 1;
        let pod = self.states[place][1 - round % 2].clone();
        self.say(SourceEvent::Put { pod, at: NOW });
    }

    /// Shows all, and a container of the next pod as one that was started again.
    fn restart(&mut self) {
        let place = self.said % self.view.containers.len();
        self.said += 1;
        if let Some(container) = self.view.containers.get_mut(place) {
            container.restart_count += 1;
        }
        self.join.handle_runtime(self.view.clone(), self.now);
        self.hear();
    }

    /// Lets a second pass in which the runtime is looked at and shows what it did.
    fn idle(&mut self) {
        self.now += 1;
        self.join.handle_runtime_unchanged(self.now);
        self.join.handle_time(self.now);
        self.hear();
    }

    fn say(&mut self, event: SourceEvent) {
        self.join.handle_owner(0, event, self.now);
        self.hear();
    }

    /// Does what whoever has a join does after each word.
    fn hear(&mut self) {
        while let Some(event) = self.join.poll() {
            drop(black_box(event));
        }
        black_box((self.join.problems().count(), self.join.due()));
    }
}

/// Adds a pod that runs.
fn show(view: &mut RuntimeView, pod: &Pod) {
    let metadata = pod.metadata.clone().unwrap_or_default();
    let labelled = Labelled {
        uid: metadata.uid().to_owned(),
        namespace: metadata.namespace().to_owned(),
        name: metadata.name().to_owned(),
    };
    let sandbox = Sandbox {
        id: format!("sandbox-{}", labelled.uid),
        pod_uid: labelled.uid.clone(),
        namespace: labelled.namespace.clone(),
        name: labelled.name.clone(),
        ready: true,
        created_at: CREATED,
        ips: vec!["10.0.0.1".to_owned()],
        ..Sandbox::default()
    };
    let spec = pod.spec.clone().unwrap_or_default();
    for container in &spec.containers {
        view.containers.push(Container {
            id: format!("{}-{}", container.name(), labelled.uid),
            sandbox_id: sandbox.id.clone(),
            pod: labelled.clone(),
            name: container.name().to_owned(),
            state: ContainerState::Running,
            created_at: CREATED,
            started_at: CREATED,
            image: container.image().to_owned(),
            image_ref: container.image().to_owned(),
            ..Container::default()
        });
    }
    view.sandboxes.push(sandbox);
}

/// For each number of pods what the rows are called.
const ROWS: [(usize, [&str; 3]); 3] = [
    (
        110,
        ["join, event, 110", "join, view, 110", "join, idle, 110"],
    ),
    (
        1_000,
        [
            "join, event, 1,000",
            "join, view, 1,000",
            "join, idle, 1,000",
        ],
    ),
    (
        5_000,
        [
            "join, event, 5,000",
            "join, view, 5,000",
            "join, idle, 5,000",
        ],
    ),
];

/// In seconds and in nanoseconds since 1970.
const NOW: i64 = 1_900_000_000;
const CREATED: i64 = 1_800_000_000_000_000_000;
