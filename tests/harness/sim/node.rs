//! The server of a run with what is true of its pods, told apart from it.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use podsapi_core::{
    Call, Config, Dialect, EncodedPod, Method, Moment, Pods, Projection, Reply, SourceConfig,
    SourceEvent, SourceId, SourceKind,
};
use podsapi_h2::{Limits, Runtime, Server};
use podsapi_proto::v1alpha1;
use podsapi_sources::join::{Join, SourceRef};
use podsapi_sources::view::{NodeFacts, RuntimeView};
use prost::Message;

use super::ledger::Ledger;
use super::world::{World, lock};

/// One server from its start to its end, with its sources.
///
/// A second service, which nobody is connected to, hears the same words of the sources: it says
/// what lists, watches and mirrors must come to. Without a runtime to be seen it is held against
/// plain maps, too.
pub(super) struct Node {
    pub(super) world: World,
    pub(super) server: Server<World>,
    pub(super) config: Config,
    pub(super) ledger: Ledger,
    /// Set when the server is told to stop.
    stopping: AtomicBool,
    truth: Mutex<Truth>,
}

struct Truth {
    twin: Pods,
    owners: Vec<(SourceId, Said)>,
    runtime: Option<SourceId>,
    join: Option<Join>,
    /// All that was ever served once the server was ready, the newest last.
    history: Vec<Arc<Listing>>,
}

/// What a source said, as a map.
#[derive(Debug, Default)]
struct Said {
    pods: BTreeMap<String, EncodedPod>,
    staged: Option<BTreeMap<String, EncodedPod>>,
    synced: bool,
}

/// What was served at one moment, by UID in ascending order.
pub(super) type Listing = BTreeMap<String, Bytes>;

/// The owners of pods, the one with precedence first.
pub(super) const OWNERS: [(&str, SourceKind); 2] = [
    ("static", SourceKind::Manifests),
    ("api", SourceKind::Apiserver),
];

const RUNTIME: (&str, SourceKind) = ("cri", SourceKind::Cri);

impl Node {
    /// Starts a server whose sources have not said anything.
    pub(super) fn new(world: &World, config: &Config, limits: &Limits, joined: bool) -> Arc<Self> {
        let mut sources: Vec<_> = OWNERS
            .map(|(name, kind)| SourceConfig::new(name, kind))
            .into();
        sources.extend(joined.then(|| SourceConfig::new(RUNTIME.0, RUNTIME.1)));
        let config = Config {
            sources,
            ..config.clone()
        };
        let pods = Pods::new(config.clone(), world.now());
        let unlimited = Config {
            qps: 0,
            ..config.clone()
        };
        let twin = Pods::new(unlimited, world.now());
        let known = |name| twin.source(name).expect("the configuration names it");
        let facts = NodeFacts {
            node_name: "node".into(),
            runtime_name: "containerd".into(),
            host_ips: vec!["192.0.2.1".into()],
        };
        let truth = Truth {
            owners: OWNERS
                .map(|(name, _)| (known(name), Said::default()))
                .into(),
            runtime: joined.then(|| known(RUNTIME.0)),
            join: joined.then(|| Join::new(OWNERS.map(|(_, kind)| kind), facts)),
            history: Vec::new(),
            twin,
        };
        Arc::new(Self {
            server: Server::new(pods, limits.clone(), world.clone()),
            world: world.clone(),
            config,
            ledger: Ledger::default(),
            stopping: AtomicBool::new(false),
            truth: Mutex::new(truth),
        })
    }

    /// An owner of pods says something, in one step.
    pub(super) fn say(&self, owner: usize, words: Vec<SourceEvent>) {
        let mut truth = lock(&self.truth);
        for word in &words {
            truth.owners[owner].1.hear(word);
        }
        let told = match &mut truth.join {
            None => {
                let id = truth.owners[owner].0;
                words.into_iter().map(|word| (id, word)).collect()
            }
            Some(join) => {
                for word in words {
                    join.handle_owner(owner, word, self.wall());
                }
                truth.joined()
            }
        };
        self.hand_over(&mut truth, told);
    }

    /// The runtime shows something, or cannot be seen; nothing without a runtime.
    pub(super) fn see(&self, view: Option<RuntimeView>) {
        let mut truth = lock(&self.truth);
        let wall = self.wall();
        match (&mut truth.join, view) {
            (Some(join), Some(view)) => join.handle_runtime(view, wall),
            (Some(join), None) => join.handle_runtime_lost(),
            (None, _) => return,
        }
        let told = truth.joined();
        self.hand_over(&mut truth, told);
    }

    fn hand_over(&self, truth: &mut Truth, told: Vec<(SourceId, SourceEvent)>) {
        let now = self.world.now();
        let refused = self.server.handle_sources(told.iter().cloned());
        let mut refused_by_twin = Vec::new();
        for (source, event) in told {
            if let Err(error) = truth.twin.handle_source(source, event, now) {
                refused_by_twin.push((source, error));
            }
        }
        assert_eq!(
            refused, refused_by_twin,
            "words of sources that are refused"
        );
        let Some(pods) = truth.list(now) else {
            return;
        };
        let listing: Listing = match truth.join {
            None => truth.plain(),
            Some(_) => pods.iter().map(|pod| (uid_of(pod), pod.clone())).collect(),
        };
        assert!(
            pods.iter().eq(listing.values()),
            "what is served is not what owners said"
        );
        if truth.history.last().is_none_or(|last| **last != listing) {
            truth.history.push(Arc::new(listing));
        }
    }

    /// Tells the server to stop.
    pub(super) fn stop(&self) {
        self.world.tell(format_args!("the server stops"));
        self.stopping.store(true, Ordering::Relaxed);
        self.server.shutdown();
    }

    /// Returns whether the server was told to stop.
    pub(super) fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Relaxed)
    }

    /// Returns how often what is served has changed so far; none while the server is not ready.
    pub(super) fn version(&self) -> Option<usize> {
        lock(&self.truth).history.len().checked_sub(1)
    }

    /// Returns what is served now.
    ///
    /// # Panics
    ///
    /// While the server is not ready.
    pub(super) fn listing(&self) -> Arc<Listing> {
        let history = &lock(&self.truth).history;
        Arc::clone(
            history
                .last()
                .expect("the sources have told all their pods"),
        )
    }

    /// Returns whether all that was served at `since`, or at any time later, is this.
    pub(super) fn was_ever(&self, since: usize, mask: &Projection, expected: &Listing) -> bool {
        let history = &lock(&self.truth).history;
        // The newest is what is seen most of the time.
        let mut listings = history[since..].iter().rev();
        listings
            .any(|listing| listing.len() == expected.len() && project(listing, mask) == *expected)
    }

    /// Returns whether a pod was, at `since` or at any time later, served as this, or not at all.
    pub(super) fn pod_was_ever(
        &self,
        since: usize,
        mask: &Projection,
        uid: &str,
        expected: Option<&Bytes>,
    ) -> bool {
        let history = &lock(&self.truth).history;
        let listings = history[since..].iter().rev();
        let mut pods = listings.map(|listing| listing.get(uid));
        pods.any(|pod| match (pod, expected) {
            (None, None) => true,
            (Some(pod), Some(expected)) => project_pod(pod, mask) == *expected,
            (Some(_), None) | (None, Some(_)) => false,
        })
    }

    /// Returns whether each step of what is served is seen by itself: a join may take two.
    pub(super) fn has_single_steps(&self) -> bool {
        lock(&self.truth).join.is_none()
    }

    /// Returns the UIDs that an owner speaks of, in ascending order.
    pub(super) fn owned(&self, owner: usize) -> Vec<String> {
        lock(&self.truth).owners[owner]
            .1
            .pods
            .keys()
            .cloned()
            .collect()
    }

    /// Returns wall time in seconds since 1970.
    pub(super) fn wall(&self) -> i64 {
        let seconds = self.world.now().as_nanos() / 1_000_000_000;
        1_700_000_000 + i64::try_from(seconds).unwrap_or(i64::MAX)
    }
}

impl Truth {
    /// Returns what the join has to tell.
    fn joined(&mut self) -> Vec<(SourceId, SourceEvent)> {
        let mut told = Vec::new();
        while let Some((source, event)) = self.join.as_mut().and_then(Join::poll) {
            let id = match source {
                SourceRef::Owner(owner) => Some(self.owners[owner].0),
                SourceRef::Runtime => self.runtime,
            };
            told.extend(id.map(|id| (id, event)));
        }
        told
    }

    /// Returns what the twin serves, once it is ready.
    fn list(&mut self, now: Moment) -> Option<Vec<Bytes>> {
        let call = Call::new(Dialect::V1alpha1, Method::ListPods, Bytes::new());
        let Reply::Answer(answer) = self.twin.handle_call(call, now) else {
            return None;
        };
        let answer = v1alpha1::ListPodsResponse::decode(Bytes::from(answer.to_vec()));
        Some(answer.expect("the service encodes its answers").pods)
    }

    /// Returns what must be served where no runtime is seen: of each UID what its first owner says.
    fn plain(&self) -> Listing {
        let owners = self.owners.iter().rev();
        let pods = owners.flat_map(|(_, said)| &said.pods);
        pods.map(|(uid, pod)| (uid.clone(), pod.bytes().clone()))
            .collect()
    }
}

impl Said {
    fn hear(&mut self, word: &SourceEvent) {
        let pods = self.staged.as_mut().unwrap_or(&mut self.pods);
        match word {
            SourceEvent::Begin => self.staged = Some(BTreeMap::new()),
            SourceEvent::Put { pod, .. } => {
                pods.insert(pod.uid().as_str().to_owned(), pod.clone());
            }
            SourceEvent::Remove { uid, .. } => {
                pods.remove(uid.as_str());
            }
            SourceEvent::Complete { .. } => {
                if let Some(staged) = self.staged.take() {
                    self.pods = staged;
                    self.synced = true;
                }
            }
            SourceEvent::Lost => self.staged = None,
            SourceEvent::Status { .. } => {}
        }
    }
}

impl fmt::Debug for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Node").finish_non_exhaustive()
    }
}

/// Returns a listing as a client sees it that asked for some fields.
pub(super) fn project(listing: &Listing, mask: &Projection) -> Listing {
    let pods = listing.iter();
    pods.map(|(uid, pod)| (uid.clone(), project_pod(pod, mask)))
        .collect()
}

/// Returns a pod as a client sees it that asked for some fields.
pub(super) fn project_pod(pod: &Bytes, mask: &Projection) -> Bytes {
    let mut part = Vec::new();
    let projected = mask.project(pod, &mut part);
    projected.expect("what is served is well formed");
    part.into()
}

fn uid_of(pod: &Bytes) -> String {
    let pod = EncodedPod::parse(pod.clone()).expect("what is served is well formed");
    pod.uid().as_str().to_owned()
}
