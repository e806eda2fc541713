//! Every limit of the service: its unit, its default, its reason.

use alloc::string::String;
use alloc::vec::Vec;
use core::num::NonZeroU32;

/// What a service is made of; every field has a valid value in its type, so nothing is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_structs,
    reason = "callers fill fields over the default"
)]
pub struct Config {
    /// The sources that must complete a first sync before calls succeed. A name that repeats an
    /// earlier one is left out.
    pub sources: Vec<SourceConfig>,
    /// Calls of `ListPods` and `GetPod` a second in the long run; 0 turns the limit off.
    pub qps: u32,
    /// Calls that may come at once.
    pub burst: NonZeroU32,
    /// Peers that get a rate of their own, each all of [`Config::qps`] and [`Config::burst`], and of
    /// the watches a quarter at most; none for one rate that all callers share.
    ///
    /// A peer is known by [`Call::peer`](crate::Call::peer). Those that find no room share one
    /// bucket, until another peer's bucket is full again.
    pub fair_peers: Option<NonZeroU32>,
    /// Events that a watch may leave unread before [`SlowWatch`] applies.
    pub watch_buffer: NonZeroU32,
    /// What happens to a watch that reads too slowly.
    pub slow_watch: SlowWatch,
    /// Watches open at one time, those counted too whose end was not read yet.
    pub max_watches: NonZeroU32,
    /// Changes that are remembered for watches that have not read them; as many as
    /// [`Config::watch_buffer`] where that is more.
    pub log_entries: NonZeroU32,
    /// Bytes of pods that are held for these changes alone.
    pub log_bytes: u32,
    /// Distinct masks that may be watched at one time.
    pub max_watched_masks: NonZeroU32,
    /// Those of them that one peer may bring; a peer is known by [`Call::peer`](crate::Call::peer).
    pub max_watched_masks_per_peer: NonZeroU32,
    /// Identities that one source may speak of at one time.
    pub max_pods_per_source: NonZeroU32,
    /// Bytes of one encoded pod, in [`SourceEvent::Put`](crate::SourceEvent::Put) and as served.
    pub max_pod_bytes: NonZeroU32,
    /// Masks whose projections of pods are kept.
    pub max_projection_masks: NonZeroU32,
    /// Bytes that the kept projections may take together; 0 keeps none.
    pub max_projection_bytes: u32,
    /// The key of the hashes that find pods, masks and watches. Nothing that is told depends on it, and
    /// who does not know it cannot choose names that collide: draw it at random where pods or masks come
    /// from somebody else.
    pub seed: [u64; 2],
}

/// A source by name, with what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "a plain pair that callers build")]
pub struct SourceConfig {
    /// The name in messages, metrics and `Pods::source`.
    pub name: String,
    /// What it is, which decides who wins when two sources own one pod; of two of one kind, the
    /// one whose name comes first.
    pub kind: SourceKind,
}

/// The kinds of sources; the owners of pods come first, in their order of precedence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(clippy::exhaustive_enums, reason = "adapters name every kind")]
pub enum SourceKind {
    /// A directory of static pod manifests.
    Manifests,
    /// A kubelet's own list.
    Kubelet,
    /// The cluster's API server.
    Apiserver,
    /// A file with captured pods.
    Snapshot,
    /// Made-up pods.
    Simulated,
    /// A container runtime, which owns no pods but sees what runs.
    Cri,
}

/// What happens to a watch whose unread events reach [`Config::watch_buffer`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "the two promises of the contract")]
pub enum SlowWatch {
    /// One event more ends that watch once what is unread is read, and the client is told to watch again.
    #[default]
    End,
    /// Of the unread events of one pod only its newest state is told, so that no watch ends.
    Coalesce,
}

/// Calls a second that a kubelet's pods endpoint admits.
pub const DEFAULT_QPS: u32 = 100;

/// Calls at once that a kubelet's pods endpoint admits.
pub const DEFAULT_BURST: NonZeroU32 = NonZeroU32::new(10).expect("10 is not zero");

/// Peers with a rate of their own: a node's agents run as a handful of users, and a bucket that was
/// not used for the time of its burst makes room.
pub const DEFAULT_FAIR_PEERS: NonZeroU32 = NonZeroU32::new(64).expect("64 is not zero");

/// Unread events that a kubelet keeps for one watch.
pub const DEFAULT_WATCH_BUFFER: NonZeroU32 = NonZeroU32::new(100).expect("100 is not zero");

/// Changes that are remembered: 80 seconds of 50 changes each, and forty times what a watch may be behind.
pub const DEFAULT_LOG_ENTRIES: NonZeroU32 = NonZeroU32::new(4_096).expect("4096 is not zero");

/// Bytes of pods as they were before these changes: 1,600 of 10 KiB. Beyond it the oldest changes go.
pub const DEFAULT_LOG_BYTES: u32 = 16 * 1024 * 1024;

/// Distinct masks that are watched: a node has some tens of agents with a mask or two of their own. Each
/// costs a look at each change that somebody waits for through it.
pub const DEFAULT_MAX_WATCHED_MASKS: NonZeroU32 = NonZeroU32::new(1_024).expect("1024 is not zero");

/// Distinct masks that one peer watches: a sixteenth of all, so that one who brings many leaves the
/// others theirs.
pub const DEFAULT_MAX_WATCHED_MASKS_PER_PEER: NonZeroU32 =
    NonZeroU32::new(64).expect("64 is not zero");

/// Open watches: a node has some tens of agents, so this is a hundred times what is needed. One takes
/// some hundred bytes, and nothing for what it has not read.
pub const DEFAULT_MAX_WATCHES: NonZeroU32 = NonZeroU32::new(4_096).expect("4096 is not zero");

/// Identities of one source: a kubelet runs 110 pods by default and large nodes under 1,000; a
/// snapshot of a whole small cluster fits too.
pub const DEFAULT_MAX_PODS_PER_SOURCE: NonZeroU32 =
    NonZeroU32::new(65_536).expect("65536 is not zero");

/// Bytes of one pod: a kubelet reads manifests of up to 10 MiB and runs what they say, and an API
/// server, which takes requests of up to 3 MiB, hands out no more. Such a pod reaches clients that
/// receive more than the 4 MiB that gRPC allows by default.
pub const DEFAULT_MAX_POD_BYTES: NonZeroU32 =
    NonZeroU32::new(10 * 1024 * 1024).expect("10 MiB is not zero");

/// Masks with kept projections: a node has some tens of agents, and each asks with a mask of its own
/// or two.
pub const DEFAULT_MAX_PROJECTION_MASKS: NonZeroU32 = NonZeroU32::new(64).expect("64 is not zero");

/// Bytes of kept projections: 64 masks that leave 500 bytes of each of 500 pods take 24 MiB with
/// what a kept pod needs beside its bytes.
pub const DEFAULT_MAX_PROJECTION_BYTES: u32 = 32 * 1024 * 1024;

impl Default for Config {
    fn default() -> Self {
        Self {
            sources: Vec::new(),
            qps: DEFAULT_QPS,
            burst: DEFAULT_BURST,
            fair_peers: None,
            watch_buffer: DEFAULT_WATCH_BUFFER,
            slow_watch: SlowWatch::End,
            log_entries: DEFAULT_LOG_ENTRIES,
            log_bytes: DEFAULT_LOG_BYTES,
            max_watched_masks: DEFAULT_MAX_WATCHED_MASKS,
            max_watched_masks_per_peer: DEFAULT_MAX_WATCHED_MASKS_PER_PEER,
            max_watches: DEFAULT_MAX_WATCHES,
            max_pods_per_source: DEFAULT_MAX_PODS_PER_SOURCE,
            max_pod_bytes: DEFAULT_MAX_POD_BYTES,
            max_projection_masks: DEFAULT_MAX_PROJECTION_MASKS,
            max_projection_bytes: DEFAULT_MAX_PROJECTION_BYTES,
            seed: [0, 0],
        }
    }
}

impl SourceConfig {
    /// Returns the pair.
    pub fn new(name: impl Into<String>, kind: SourceKind) -> Self {
        Self {
            name: name.into(),
            kind,
        }
    }
}

impl SourceKind {
    /// Returns the kind in one lower-case word, as flags and metrics spell it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Manifests => "manifests",
            Self::Kubelet => "kubelet",
            Self::Apiserver => "apiserver",
            Self::Snapshot => "snapshot",
            Self::Simulated => "simulated",
            Self::Cri => "cri",
        }
    }

    /// Tells whether such a source reports what really runs on this node.
    pub const fn reports_local_status(self) -> bool {
        match self {
            Self::Cri => true,
            Self::Manifests
            | Self::Kubelet
            | Self::Apiserver
            | Self::Snapshot
            | Self::Simulated => false,
        }
    }
}
