//! A join in front of a core, and small pods for both.

use podsapi_core::{
    Call, Config, Dialect, EncodedPod, Method, Moment, Pods, Reply, SourceConfig, SourceEvent,
    SourceId, SourceKind, Uid, WatchId, WatchOutput,
};
use podsapi_proto::core_v1::Pod;
use podsapi_proto::v1alpha1::{ListPodsResponse, WatchPodsEvent};
use prost::Message;

use super::{Join, SourceRef};
use crate::status::scenes::{node, of_pod, pod, running, sandbox};
use crate::view::{ContainerState, NodeFacts, RuntimeView, Sandbox};

/// A join in front of a core.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) join: Join,
    pub(super) pods: Pods,
    sources: Vec<SourceId>,
    /// Nothing where nobody looks at a runtime.
    runtime: Option<SourceId>,
    clock: i64,
    /// How many calls there were; each has a second of its own, since their rate is limited.
    calls: i64,
    /// How many seconds each word takes.
    pub(super) pace: i64,
}

/// A pod that is served, in short.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Served {
    pub(super) uid: String,
    pub(super) name: String,
    pub(super) phase: String,
    pub(super) hash: String,
}

impl Node {
    pub(super) fn new(owners: &[SourceKind]) -> Self {
        Self::with_facts(owners, node())
    }

    /// A node where nobody looks at a runtime.
    pub(super) fn without_runtime(owners: &[SourceKind]) -> Self {
        Self::with(owners, None, NodeFacts::default())
    }

    pub(super) fn with_facts(owners: &[SourceKind], facts: NodeFacts) -> Self {
        let runtime = SourceConfig::new("cri", SourceKind::Cri);
        Self::with(owners, Some(runtime), facts)
    }

    fn with(owners: &[SourceKind], runtime: Option<SourceConfig>, facts: NodeFacts) -> Self {
        let mut sources: Vec<_> = owners
            .iter()
            .enumerate()
            .map(|(place, kind)| SourceConfig::new(place.to_string(), *kind))
            .collect();
        sources.extend(runtime.clone());
        let config = Config {
            sources,
            qps: u32::MAX,
            ..Config::default()
        };
        let pods = Pods::new(config, Moment::ORIGIN);
        let source = |name: &str| pods.source(name).unwrap();
        Self {
            join: Join::new(owners.iter().copied(), facts),
            sources: (0..owners.len())
                .map(|place| source(&place.to_string()))
                .collect(),
            runtime: runtime.map(|runtime| source(&runtime.name)),
            pods,
            clock: 1_800_000_000,
            calls: 0,
            pace: 1,
        }
    }

    /// Hands what the join tells to the core, which must accept it; returns what was told.
    pub(super) fn drain(&mut self) -> Vec<(SourceRef, SourceEvent)> {
        let mut told = Vec::new();
        while let Some((source, event)) = self.join.poll() {
            let id = match source {
                SourceRef::Owner(place) => self.sources[place],
                SourceRef::Runtime => self.runtime.expect("somebody looks at a runtime"),
            };
            let heard = self.pods.handle_source(id, event.clone(), Moment::ORIGIN);
            assert_eq!(heard, Ok(()), "{event:?}");
            told.push((source, event));
        }
        told
    }

    pub(super) fn owner(
        &mut self,
        owner: usize,
        event: SourceEvent,
    ) -> Vec<(SourceRef, SourceEvent)> {
        self.clock += self.pace;
        self.join.handle_owner(owner, event, self.clock);
        self.drain()
    }

    pub(super) fn list(
        &mut self,
        owner: usize,
        pods: &[EncodedPod],
    ) -> Vec<(SourceRef, SourceEvent)> {
        let mut told = self.owner(owner, SourceEvent::Begin);
        for pod in pods {
            told.extend(self.put(owner, pod));
        }
        told.extend(self.owner(owner, SourceEvent::Complete { at: 0 }));
        told
    }

    pub(super) fn put(&mut self, owner: usize, pod: &EncodedPod) -> Vec<(SourceRef, SourceEvent)> {
        let pod = pod.clone();
        self.owner(owner, SourceEvent::Put { pod, at: 0 })
    }

    pub(super) fn remove(&mut self, owner: usize, uid: &str) -> Vec<(SourceRef, SourceEvent)> {
        let uid = Uid::new(uid);
        self.owner(owner, SourceEvent::Remove { uid, at: 0 })
    }

    pub(super) fn view(&mut self, view: &RuntimeView) -> Vec<(SourceRef, SourceEvent)> {
        self.clock += self.pace;
        self.join.handle_runtime(view.clone(), self.clock);
        self.drain()
    }

    pub(super) fn untold(&mut self, uids: &[&str]) -> Vec<(SourceRef, SourceEvent)> {
        self.clock += self.pace;
        let uids = uids.iter().copied().map(str::to_owned).collect();
        self.join.handle_runtime_untold(uids, self.clock);
        self.drain()
    }

    pub(super) fn lose(&mut self) -> Vec<(SourceRef, SourceEvent)> {
        self.join.handle_runtime_lost(self.clock);
        self.drain()
    }

    /// Lets time pass until something follows from it alone; returns what was told.
    pub(super) fn wait(&mut self) -> Vec<(SourceRef, SourceEvent)> {
        self.clock = self
            .join
            .due()
            .expect("something will follow from the time");
        self.join.handle_time(self.clock);
        self.drain()
    }

    /// Lets so many seconds pass.
    pub(super) fn pass(&mut self, seconds: i64) -> Vec<(SourceRef, SourceEvent)> {
        self.clock += seconds;
        self.join.handle_time(self.clock);
        self.drain()
    }

    /// Looks at the runtime again, which shows what it did.
    pub(super) fn look(&mut self) -> Vec<(SourceRef, SourceEvent)> {
        self.join.handle_runtime_unchanged(self.clock);
        self.drain()
    }

    pub(super) fn pods(&mut self) -> Vec<Pod> {
        let call = Call::new(Dialect::V1alpha1, Method::ListPods, bytes::Bytes::new());
        self.calls += 1;
        let now = Moment::from_nanos((self.clock + self.calls).unsigned_abs() * 1_000_000_000);
        let Reply::Answer(answer) = self.pods.handle_call(call, now) else {
            panic!("a list is answered once all sources are known");
        };
        let list = ListPodsResponse::decode(answer.to_vec().as_slice()).unwrap();
        let pods = list
            .pods
            .iter()
            .map(|pod| Pod::decode(pod.clone()).unwrap());
        pods.collect()
    }

    pub(super) fn served(&mut self) -> Vec<Served> {
        self.pods().iter().map(Served::of).collect()
    }

    pub(super) fn watch(&mut self) -> WatchId {
        let call = Call::new(Dialect::V1alpha1, Method::WatchPods, bytes::Bytes::new());
        let Reply::Watch(watch) = self.pods.handle_call(call, Moment::ORIGIN) else {
            panic!("a watch is accepted once all sources are known");
        };
        self.events(watch);
        watch
    }

    /// What a watch has to read: the kind of each event, UID and phase.
    pub(super) fn events(&mut self, watch: WatchId) -> Vec<(i32, String, String)> {
        let events = self.events_whole(watch).into_iter();
        let events = events.map(|(kind, pod)| {
            let served = Served::of(&pod);
            (kind, served.uid, served.phase)
        });
        events.collect()
    }

    /// What a watch has to read: the kind of each event, and the pod.
    pub(super) fn events_whole(&mut self, watch: WatchId) -> Vec<(i32, Pod)> {
        let mut events = Vec::new();
        while let WatchOutput::Event(event) = self.pods.poll_watch(watch) {
            let event = WatchPodsEvent::decode(event.to_vec().as_slice()).unwrap();
            events.push((event.r#type, Pod::decode(event.pod.clone()).unwrap()));
        }
        events
    }
}

/// The document of which a pod says that it is.
pub(super) fn document(pod: &Pod) -> String {
    let metadata = pod.metadata.clone().unwrap_or_default();
    let document = metadata.labels.get("document");
    document.cloned().unwrap_or_default()
}

impl Served {
    fn of(pod: &Pod) -> Self {
        let metadata = pod.metadata.clone().unwrap_or_default();
        let hash = metadata.annotations.get("kubernetes.io/config.hash");
        Self {
            uid: metadata.uid().to_owned(),
            name: metadata.name().to_owned(),
            phase: pod.status.clone().unwrap_or_default().phase().to_owned(),
            hash: hash.cloned().unwrap_or_default(),
        }
    }
}

/// The pod `ns/p` from a file, with a UID that was made up, which is also in a label.
pub(super) fn from_file(name: &str, uid: &str) -> EncodedPod {
    pod(&format!(
        "metadata: {{name: {name}, namespace: ns, uid: {uid}, labels: {{document: {uid}}}, \
         annotations: {{kubernetes.io/config.source: file, kubernetes.io/config.hash: {uid}}}}}\n\
         spec: {{terminationGracePeriodSeconds: 600, containers: [{{name: a, image: image}}]}}\n\
         status: {{phase: Pending}}"
    ))
}

/// The mirror of the pod `ns/p`.
pub(super) fn mirror(name: &str, uid: &str, hash: &str) -> EncodedPod {
    pod(&format!(
        "metadata: {{name: {name}, namespace: ns, uid: {uid}, annotations: \
         {{kubernetes.io/config.source: file, kubernetes.io/config.hash: {hash}, \
         kubernetes.io/config.mirror: {hash}}}}}\n\
         spec: {{containers: [{{name: a, image: image}}]}}\n\
         status: {{phase: Running, qosClass: Guaranteed}}"
    ))
}

/// A sandbox of a pod from a file.
pub(super) fn file_sandbox(name: &str, uid: &str) -> Sandbox {
    let source = ("kubernetes.io/config.source".to_owned(), "file".to_owned());
    Sandbox {
        id: format!("s-{uid}"),
        pod_uid: uid.to_owned(),
        name: name.to_owned(),
        annotations: [source].into(),
        ..sandbox()
    }
}

/// The view with everything ended.
pub(super) fn ended(mut view: RuntimeView) -> RuntimeView {
    for container in &mut view.containers {
        container.state = ContainerState::Exited;
        container.exit_code = 137;
        container.finished_at = 1_700_000_009_000_000_000;
    }
    view.sandboxes.iter_mut().for_each(|one| one.ready = false);
    view
}

/// A view with these sandboxes, each with a running container `a`.
pub(super) fn view(sandboxes: &[Sandbox]) -> RuntimeView {
    let containers = sandboxes.iter().map(|sandbox| {
        let mut container = running("a");
        container.id = format!("a-{}", sandbox.id);
        container.sandbox_id.clone_from(&sandbox.id);
        container.pod = of_pod(&sandbox.pod_uid);
        container
    });
    RuntimeView {
        containers: containers.collect(),
        sandboxes: sandboxes.to_vec(),
    }
}

pub(super) fn plain(uid: &str) -> EncodedPod {
    pod(&format!(
        "metadata: {{name: {uid}, namespace: ns, uid: {uid}}}\n\
         spec: {{containers: [{{name: a, image: image}}]}}"
    ))
}

pub(super) fn plain_sandbox(uid: &str) -> Sandbox {
    Sandbox {
        annotations: std::collections::BTreeMap::new(),
        ..file_sandbox(uid, uid)
    }
}
