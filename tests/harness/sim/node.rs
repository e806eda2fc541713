//! The server of a run with what is true of its pods, told apart from it.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock};

use bytes::Bytes;
use podsapi_core::{
    Call, Config, Dialect, Method, Moment, Outgoing, Pods, Projection, Reply, SourceConfig,
    SourceEvent, SourceId, SourceKind, Uid,
};
use podsapi_h2::{Limits, Peer, Runtime, Server};
use podsapi_sources::join::{Join, SourceRef};
use podsapi_sources::view::{NodeFacts, RuntimeView};
use prost::encoding::decode_varint;

use super::history::{History, Listing, project_pod};
use super::ledger::Ledger;
use super::owners::Owners;
use super::pipe::{End, Pipe};
use super::reach::Reach;
use super::world::{World, lock};

/// One server from its start to its end, with its sources.
///
/// A second service, which nobody is connected to, hears the same words of the sources: it says
/// what lists, watches and mirrors must come to. It is held against plain maps, too.
pub(super) struct Node {
    pub(super) world: World,
    pub(super) server: Server<World>,
    pub(super) config: Config,
    pub(super) ledger: Ledger,
    pub(super) limits: Limits,
    /// When the server was told to stop.
    stopped: OnceLock<Moment>,
    /// The connections that are open of clients that read, by number.
    open: Mutex<BTreeMap<u64, Arc<Pipe>>>,
    truth: Mutex<Truth>,
}

struct Truth {
    twin: Pods,
    ids: Vec<SourceId>,
    owners: Owners,
    runtime: Option<SourceId>,
    join: Option<Join>,
    history: History,
}

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
            ids: OWNERS.map(|(name, _)| known(name)).into(),
            owners: Owners::silent(OWNERS.len()),
            runtime: joined.then(|| known(RUNTIME.0)),
            join: joined.then(|| Join::new(OWNERS.map(|(_, kind)| kind), facts)),
            history: History::default(),
            twin,
        };
        Arc::new(Self {
            server: Server::new(pods, limits.clone(), world.clone()),
            world: world.clone(),
            config,
            ledger: Ledger::default(),
            limits: limits.clone(),
            stopped: OnceLock::new(),
            open: Mutex::default(),
            truth: Mutex::new(truth),
        })
    }

    /// An owner of pods says something, in one step.
    pub(super) fn say(&self, owner: usize, words: Vec<SourceEvent>) {
        let mut truth = lock(&self.truth);
        let wall = self.wall();
        for word in &words {
            truth.owners.hear(owner, word, wall);
        }
        let told = match &mut truth.join {
            None => {
                let id = truth.ids[owner];
                words.into_iter().map(|word| (id, word)).collect()
            }
            Some(join) => {
                for word in words {
                    join.handle_owner(owner, word, wall);
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
        if let Some(view) = &view {
            truth.owners.see(view, wall);
        }
        match (&mut truth.join, view) {
            (Some(join), Some(view)) => join.handle_runtime(view, wall),
            (Some(join), None) => {
                self.world.reached(Reach::RuntimesLost, 1);
                join.handle_runtime_lost(wall);
            }
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
        if let Some(pods) = truth.list(now) {
            truth.history.observe(pods);
            let served = truth.history.current();
            truth.owners.check(served, truth.join.is_some());
        }
    }

    /// Tells the server to stop.
    pub(super) fn stop(&self) {
        self.world.tell(format_args!("the server stops"));
        let first = self.stopped.set(self.world.now());
        first.expect("each server is stopped once");
        self.server.shutdown();
    }

    /// Returns when the server was told to stop.
    pub(super) fn stopped(&self) -> Option<Moment> {
        self.stopped.get().copied()
    }

    /// Returns whether the server was told to stop.
    pub(super) fn is_stopping(&self) -> bool {
        self.stopped().is_some()
    }

    /// Serves a connection; one whose client reads what it is sent is expected to end in time.
    pub(super) fn serve(self: &Arc<Self>, end: End, number: u64, reader: Option<Arc<Pipe>>) {
        if let Some(pipe) = reader {
            lock(&self.open).insert(number, pipe);
        }
        let serving = self.server.serve_connection(end, Peer::default());
        let node = Arc::clone(self);
        self.world.spawn(async move {
            serving.await;
            lock(&node.open).remove(&number);
        });
    }

    /// Expects the connections to have ended that nothing keeps from it.
    ///
    /// # Panics
    ///
    /// When one has not.
    pub(super) fn check_farewell(&self) {
        let open = lock(&self.open);
        let kept: Vec<_> = open
            .iter()
            .filter(|(_, pipe)| !pipe.is_broken() && pipe.is_fast())
            .map(|(number, _)| number)
            .collect();
        assert!(
            kept.is_empty(),
            "connections {kept:?} are open although their clients read to the end"
        );
    }

    /// Returns how often what is served has changed so far; none while the server is not ready.
    pub(super) fn version(&self) -> Option<usize> {
        lock(&self.truth).history.version()
    }

    /// Returns what is served now to a client that asked for some fields.
    pub(super) fn listing(&self, mask: &Projection) -> Listing {
        let truth = lock(&self.truth);
        let pods = truth.history.current().iter();
        pods.map(|(uid, pod)| (uid.as_str().to_owned(), project_pod(pod, mask).into()))
            .collect()
    }

    /// Returns whether all that was served at `since`, or at any time later, is this.
    pub(super) fn was_ever(&self, since: usize, mask: &Projection, expected: &Listing) -> bool {
        lock(&self.truth).history.was_ever(since, mask, expected)
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
        history.pod_was_ever(since, mask, uid, expected)
    }

    /// Returns whether each step of what is served is seen by itself: a join may take two.
    pub(super) fn has_single_steps(&self) -> bool {
        lock(&self.truth).join.is_none()
    }

    /// Returns the UIDs that an owner speaks of, in ascending order.
    pub(super) fn owned(&self, owner: usize) -> Vec<Uid> {
        lock(&self.truth).owners.owned(owner)
    }

    /// Returns the pods that an owner speaks of.
    pub(super) fn pods_of(&self, owner: usize) -> Vec<podsapi_core::EncodedPod> {
        lock(&self.truth).owners.pods(owner)
    }

    /// Returns whether an owner has told a whole list.
    pub(super) fn has_listed(&self, owner: usize) -> bool {
        lock(&self.truth).owners.has_listed(owner)
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
                SourceRef::Owner(owner) => Some(self.ids[owner]),
                SourceRef::Runtime => self.runtime,
            };
            told.extend(id.map(|id| (id, event)));
        }
        told
    }

    /// Returns the pods that the twin serves, in their order, once it is ready.
    fn list(&mut self, now: Moment) -> Option<Vec<Bytes>> {
        let call = Call::new(Dialect::V1alpha1, Method::ListPods, Bytes::new());
        let Reply::Answer(answer) = self.twin.handle_call(call, now) else {
            return None;
        };
        Some(pods_of(&answer))
    }
}

/// Returns the pods of a list: it is the head of a field and the pod, over and over, so that none
/// need be copied.
fn pods_of(list: &Outgoing) -> Vec<Bytes> {
    let mut segments = list.segments();
    let mut pods = Vec::with_capacity(segments.len() / 2);
    while let Some(head) = segments.next() {
        let pod = segments.next().expect("a pod follows its head");
        let mut head = &head[..];
        let read = [decode_varint(&mut head), decode_varint(&mut head)];
        let expected = [Ok(FIRST_FIELD), Ok(pod.len() as u64)];
        assert!(read == expected && head.is_empty(), "the head of a pod");
        pods.push(pod.clone());
    }
    pods
}

/// The tag of field 1 with a length.
const FIRST_FIELD: u64 = 1 << 3 | 2;

impl fmt::Debug for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Node").finish_non_exhaustive()
    }
}
