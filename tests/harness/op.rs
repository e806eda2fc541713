//! The operations of a model run; each is legal in every state.

use podsapi_core::{Dialect, SlowWatch};
use proptest::collection::vec;
use proptest::prelude::*;

pub use ask::{Ask, MaskChoice, PEERS, ScopeChoice};

mod ask;

/// How the service of a run is configured.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Calls a second; 0 is no limit.
    pub qps: u32,
    /// Calls at once, at least 1.
    pub burst: u32,
    /// Peers that get a rate of their own; 0 is one rate for all.
    pub fair_peers: u32,
    /// Unread events of a watch, at least 1.
    pub watch_buffer: u32,
    /// What happens to a slow watch.
    pub slow_watch: SlowWatch,
    /// Whether a source of local status is configured.
    pub runtime: bool,
    /// Masks whose projections are kept, at least 1.
    pub projection_masks: u32,
    /// Bytes of kept projections.
    pub projection_bytes: u32,
}

/// One step of a run. Sources, pods and watches are picked by a number that wraps round.
#[derive(Clone, Debug)]
pub enum Op {
    /// A source begins a list.
    Begin(u8),
    /// A source puts a pod.
    Put(u8, PodChoice),
    /// A source tells a status.
    Status(u8, u8, StatusChoice),
    /// A source removes a pod.
    Remove(u8, u8),
    /// A source completes its list.
    Complete(u8),
    /// A source is lost.
    Lost(u8),
    /// A source begins, puts these pods, and completes.
    Replace(u8, Vec<PodChoice>),
    /// A client lists.
    List(Ask),
    /// A client asks for a pod.
    Get(Ask, u8),
    /// A client sends a request that cannot be decoded.
    Garbage(Dialect),
    /// A client watches.
    Watch(Ask),
    /// A client reads some messages of a watch.
    Read(u8, u8),
    /// A client ends a watch.
    Cancel(u8),
    /// Time passes, in milliseconds.
    Wait(u16),
    /// The server is told to end.
    Shutdown,
}

/// A version of one of a few pods.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PodChoice {
    /// Which pod.
    pub pod: u8,
    /// In which of two namespaces.
    pub namespace: u8,
    /// Which version.
    pub version: u8,
    /// The pod's own status, if it has one.
    pub status: Option<StatusChoice>,
}

/// One of a few statuses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatusChoice {
    /// Whether it has the phase Running, or none.
    pub running: bool,
    /// The condition Ready, if it is there.
    pub ready: Option<bool>,
}

/// The pods that operations speak of.
pub const PODS: u8 = 5;

/// Generates configurations.
pub fn setups() -> impl Strategy<Value = Setup> {
    let slow_watch = prop_oneof![Just(SlowWatch::End), Just(SlowWatch::Coalesce)];
    let bytes = prop_oneof![Just(0), 0_u32..3_000, Just(u32::MAX)];
    let projections = (1_u32..4, bytes);
    (
        0_u32..4,
        (1_u32..4, 0_u32..4),
        1_u32..5,
        slow_watch,
        any::<bool>(),
        projections,
    )
        .prop_map(
            |(qps, (burst, fair_peers), watch_buffer, slow_watch, runtime, projections)| Setup {
                qps,
                burst,
                fair_peers,
                watch_buffer,
                slow_watch,
                runtime,
                projection_masks: projections.0,
                projection_bytes: projections.1,
            },
        )
}

/// Generates runs of at most `length` operations.
pub fn ops(length: usize) -> impl Strategy<Value = Vec<Op>> {
    vec(op(), 1..length)
}

/// Generates what stands around `count` calls.
pub fn asks(count: usize) -> impl Strategy<Value = Vec<Ask>> {
    vec(ask::ask(), count)
}

fn op() -> impl Strategy<Value = Op> {
    let source = any::<u8>;
    prop_oneof![
        2 => source().prop_map(Op::Begin),
        20 => (source(), pod()).prop_map(|(source, pod)| Op::Put(source, pod)),
        6 => (source(), 0..PODS, status()).prop_map(|(s, pod, status)| Op::Status(s, pod, status)),
        8 => (source(), 0..PODS).prop_map(|(source, pod)| Op::Remove(source, pod)),
        3 => source().prop_map(Op::Complete),
        1 => source().prop_map(Op::Lost),
        8 => (source(), vec(pod(), 0..4)).prop_map(|(source, pods)| Op::Replace(source, pods)),
        3 => ask::ask().prop_map(Op::List),
        3 => (ask::ask(), 0..PODS).prop_map(|(ask, pod)| Op::Get(ask, pod)),
        1 => ask::dialect().prop_map(Op::Garbage),
        6 => ask::ask().prop_map(Op::Watch),
        12 => (any::<u8>(), 0_u8..8).prop_map(|(watch, count)| Op::Read(watch, count)),
        2 => any::<u8>().prop_map(Op::Cancel),
        2 => (0_u16..2_000).prop_map(Op::Wait),
        1 => Just(Op::Shutdown),
    ]
}

fn pod() -> impl Strategy<Value = PodChoice> {
    (
        0..PODS,
        prop_oneof![9 => Just(None), 1 => Just(Some(()))],
        0_u8..3,
        proptest::option::of(status()),
    )
        .prop_map(|(pod, moved, version, status)| PodChoice {
            pod,
            namespace: (pod + u8::from(moved.is_some())) % 2,
            version,
            status,
        })
}

fn status() -> impl Strategy<Value = StatusChoice> {
    (any::<bool>(), proptest::option::of(any::<bool>()))
        .prop_map(|(running, ready)| StatusChoice { running, ready })
}
