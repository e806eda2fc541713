//! A node that serves what two owners and a runtime say, and what must hold of it.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use podsapi_core::{
    Call, Config, Dialect, EncodedPod, Method, Moment, Pods, Reply, SourceConfig, SourceEvent,
    SourceId, SourceKind,
};
use podsapi_proto::{core_v1, meta_v1, v1alpha1};
use podsapi_sources::join::{Join, SourceRef};
use podsapi_sources::view::{ContainerState, NodeFacts, RuntimeView};
use prost::Message;

/// The join in front of a core, and beside it one that sees all in the other order.
pub(super) struct Node {
    join: Join,
    reversed: Join,
    pods: Pods,
    owners: Vec<SourceId>,
    runtime: SourceId,
    /// The wall clock, in seconds since 1970.
    pub(super) at: i64,
    seen: RuntimeView,
    /// Whether a view was seen since the runtime was lost.
    live: bool,
    begun: bool,
    /// The addresses that were ever shown, and the node's.
    ips: BTreeSet<String>,
}

impl Node {
    pub(super) fn new() -> Self {
        let kinds = [SourceKind::Manifests, SourceKind::Apiserver];
        let join = || Join::new(kinds, facts());
        let owners = [("files", kinds[0]), ("api", kinds[1])];
        let mut sources: Vec<_> = owners
            .iter()
            .map(|(name, kind)| SourceConfig::new(*name, *kind))
            .collect();
        sources.push(SourceConfig::new("cri", SourceKind::Cri));
        let config = Config {
            sources,
            ..Config::default()
        };
        let pods = Pods::new(config, Moment::ORIGIN);
        let source = |name| pods.source(name).expect("it is configured above");
        Self {
            join: join(),
            reversed: join(),
            owners: owners.iter().map(|(name, _)| source(name)).collect(),
            runtime: source("cri"),
            pods,
            at: 1_762_283_628,
            seen: RuntimeView::default(),
            live: false,
            begun: false,
            ips: facts().host_ips.into_iter().collect(),
        }
    }

    /// Takes a view; the owners list the pods of the first one before.
    pub(super) fn view(&mut self, view: &RuntimeView) {
        self.seen = view.clone();
        let ips = view.sandboxes.iter().flat_map(|sandbox| &sandbox.ips);
        self.ips.extend(ips.cloned());
        if !self.begun {
            self.begun = true;
            for owner in 0..self.owners.len() {
                self.list(owner);
            }
        }
        let whole = !self.live;
        self.live = true;
        self.join.handle_runtime(view.clone(), self.at);
        let mut other = view.clone();
        other.sandboxes.reverse();
        other.containers.reverse();
        self.reversed.handle_runtime(other, self.at);
        let told = self.told();
        if whole {
            let of_runtime: Vec<_> = told
                .iter()
                .filter(|(source, _)| *source == SourceRef::Runtime)
                .map(|(_, event)| event)
                .collect();
            assert!(
                matches!(
                    of_runtime.as_slice(),
                    [SourceEvent::Begin, .., SourceEvent::Complete { .. }]
                ),
                "no whole list: {of_runtime:?}"
            );
        }
    }

    /// Takes the same view twice more, of which the second time can bring nothing.
    pub(super) fn view_again(&mut self, view: &RuntimeView) {
        self.view(view);
        for join in [&mut self.join, &mut self.reversed] {
            join.handle_runtime(view.clone(), self.at);
        }
        let told = self.told();
        assert!(told.is_empty(), "told again: {told:?}");
    }

    pub(super) fn lose(&mut self) {
        self.live = false;
        for join in [&mut self.join, &mut self.reversed] {
            join.handle_runtime_lost(self.at);
        }
        self.told();
    }

    pub(super) fn unchanged(&mut self) {
        for join in [&mut self.join, &mut self.reversed] {
            join.handle_runtime_unchanged(self.at);
        }
        self.told();
    }

    /// One owner tells a pod that the runtime shows, in one of a few forms.
    pub(super) fn put(&mut self, which: u8) {
        let owner = usize::from(which & 1);
        let place = usize::from(which >> 1 & 7);
        if self.begun
            && let Some(pod) = self.pod(owner, place, which >> 4)
        {
            self.say(owner, SourceEvent::Put { pod, at: self.at });
        }
    }

    /// One owner tells that a pod is gone.
    pub(super) fn remove(&mut self, which: u8) {
        let owner = usize::from(which & 1);
        let place = usize::from(which >> 1 & 7);
        if self.begun
            && let Some(pod) = self.pod(owner, place, 0)
        {
            let (uid, at) = (pod.uid().clone(), self.at);
            self.say(owner, SourceEvent::Remove { uid, at });
        }
    }

    /// One owner is lost or lists again, or the runtime gets another name.
    pub(super) fn owner(&mut self, which: u8) {
        let owner = usize::from(which & 1);
        match which >> 1 & 3 {
            0..=2 if !self.begun => {}
            0 => self.say(owner, SourceEvent::Lost),
            1 => self.list(owner),
            2 => {
                self.say(owner, SourceEvent::Begin);
                self.say(owner, SourceEvent::Complete { at: self.at });
            }
            _ => {
                let name = ["containerd", "cri-o"][usize::from(which >> 3 & 1)];
                for join in [&mut self.join, &mut self.reversed] {
                    join.handle_runtime_name(name);
                }
            }
        }
    }

    /// Once everybody has listed, a list is answered with pods that can be decoded.
    pub(super) fn all_is_served(&mut self) {
        let call = Call::new(Dialect::V1alpha1, Method::ListPods, Bytes::new());
        if let Reply::Answer(answer) = self.pods.handle_call(call, Moment::ORIGIN) {
            let list = v1alpha1::ListPodsResponse::decode(answer.to_vec().as_slice());
            for pod in list.expect("an answer can be decoded").pods {
                core_v1::Pod::decode(pod).expect("what is served can be decoded");
            }
        } else {
            assert!(!self.pods.readiness().is_ready());
        }
    }

    fn list(&mut self, owner: usize) {
        self.say(owner, SourceEvent::Begin);
        for place in 0..self.seen.sandboxes.len().min(MAX_PODS) {
            if let Some(pod) = self.pod(owner, place, 0) {
                self.say(owner, SourceEvent::Put { pod, at: self.at });
            }
        }
        self.say(owner, SourceEvent::Complete { at: self.at });
    }

    /// The pod of a sandbox: static from a file if it says so, else as an API server has it.
    fn pod(&self, owner: usize, place: usize, form: u8) -> Option<EncodedPod> {
        let sandboxes = &self.seen.sandboxes;
        let sandbox = sandboxes.get(place.checked_rem(sandboxes.len())?)?;
        let is_file = sandbox
            .annotations
            .get(SOURCE)
            .is_some_and(|it| it == "file");
        if owner == 0 && !is_file {
            return None;
        }
        let uid = &sandbox.pod_uid;
        let (uid, annotations) = match (is_file, owner) {
            (false, _) => (uid.clone(), BTreeMap::new()),
            (true, 0) => (
                format!("made up for {}", sandbox.name),
                [(SOURCE, "file")].map(owned).into(),
            ),
            (true, _) => (
                format!("mirror of {uid}"),
                [(SOURCE, "file"), (MIRROR, uid), (HASH, uid)]
                    .map(owned)
                    .into(),
            ),
        };
        let containers = self.seen.containers.iter();
        let containers = containers.filter(|container| container.sandbox_id == sandbox.id);
        let containers: Vec<_> = containers
            .map(|container| core_v1::Container {
                name: Some(container.name.clone()),
                ..core_v1::Container::default()
            })
            .collect();
        let (init_containers, containers) = match form & 4 {
            0 => (Vec::new(), containers),
            _ => (containers, Vec::new()),
        };
        let deleted = meta_v1::Time {
            seconds: Some(self.at),
            nanos: None,
        };
        let pod = core_v1::Pod {
            metadata: Some(meta_v1::ObjectMeta {
                name: Some(sandbox.name.clone()),
                namespace: Some(sandbox.namespace.clone()),
                uid: Some(uid),
                annotations,
                deletion_timestamp: (form & 2 != 0).then_some(deleted),
                ..meta_v1::ObjectMeta::default()
            }),
            spec: Some(core_v1::PodSpec {
                containers,
                init_containers,
                restart_policy: (form & 1 != 0).then(|| "Never".to_owned()),
                ..core_v1::PodSpec::default()
            }),
            ..core_v1::Pod::default()
        };
        // A sandbox may say that its pod has no UID.
        EncodedPod::parse(Bytes::from(pod.encode_to_vec())).ok()
    }

    fn say(&mut self, owner: usize, event: SourceEvent) {
        self.join.handle_owner(owner, event.clone(), self.at);
        self.reversed.handle_owner(owner, event, self.at);
        self.told();
    }

    /// Hands what is told to the core, which accepts it, and checks the statuses.
    fn told(&mut self) -> Vec<(SourceRef, SourceEvent)> {
        let told: Vec<_> = std::iter::from_fn(|| self.join.poll()).collect();
        let reversed: Vec<_> = std::iter::from_fn(|| self.reversed.poll()).collect();
        assert_eq!(told, reversed, "it depends on the order of the view");
        for (source, event) in &told {
            let id = match source {
                SourceRef::Owner(owner) => self.owners[*owner],
                SourceRef::Runtime => self.runtime,
            };
            let heard = self.pods.handle_source(id, event.clone(), Moment::ORIGIN);
            assert_eq!(heard, Ok(()), "{event:?}");
            if let (SourceRef::Runtime, SourceEvent::Status { status, .. }) = (source, event) {
                assert!(self.live, "told while the runtime is lost");
                self.is_shown(status.bytes());
            }
        }
        told
    }

    /// A status says that something runs only if the runtime shows it, and makes up no address.
    fn is_shown(&self, status: &[u8]) {
        let status = core_v1::PodStatus::decode(status).expect("what is served can be decoded");
        for ip in &status.pod_i_ps {
            assert!(self.ips.contains(ip.ip()), "{ip:?} was never shown");
        }
        let phases = ["Pending", "Running", "Succeeded", "Failed"];
        assert!(phases.contains(&status.phase()), "{:?}", status.phase());
        let init = status.init_container_statuses.iter();
        for container in init.chain(&status.container_statuses) {
            let state = container.state.clone().unwrap_or_default();
            if state.running.is_some() {
                let id = container.container_id();
                let shown = self.seen.containers.iter().any(|shown| {
                    shown.state == ContainerState::Running
                        && shown.name == container.name()
                        && id.ends_with(&format!("://{}", shown.id))
                });
                assert!(shown, "{id} runs, as nobody shows it");
            }
        }
    }
}

fn facts() -> NodeFacts {
    NodeFacts {
        node_name: "node-1".to_owned(),
        runtime_name: "containerd".to_owned(),
        host_ips: vec!["10.0.0.1".to_owned()],
    }
}

fn owned((name, value): (&str, &str)) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

const SOURCE: &str = "kubernetes.io/config.source";
const MIRROR: &str = "kubernetes.io/config.mirror";
const HASH: &str = "kubernetes.io/config.hash";

/// More add nothing but time.
const MAX_PODS: usize = 20;
