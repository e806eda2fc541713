//! Pods that look real and are not: a node for trying things out, the same for the same seed.
//!
//! The pods belong to a handful of workloads in several namespaces: deployments with a sidecar, a
//! daemon set on the host's network, a database with a claim, jobs. They are created, start,
//! become ready, lose readiness, crash and come back, run to their end and are deleted with
//! grace, one change at a time.
//!
//! Names, UIDs, container IDs and the order of changes follow from the seed and the number of
//! pods alone; times follow from the start and the rate. The generator is this crate's own, so a
//! seed keeps its meaning.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use podsapi_core::{EncodedPod, PodError, SourceError, Uid};
use podsapi_proto::json::{self, JsonError};
use podsapi_proto::schema::Message;
use tokio::time::Instant;

use crate::problems::{Problem, Problems};
use crate::sink::Sink;
use pod::{Pod, Step};
use random::Random;
use workloads::{Owner, WORKLOADS, Workload};

mod pod;
pub(crate) mod random;
mod render;
mod workloads;

/// What to simulate.
#[derive(Clone, Debug)]
pub struct Options {
    /// How many pods there are, give or take the ones that are being replaced.
    pub pods: usize,
    /// How many times a second a pod changes, on average and in the long run exactly; nothing
    /// changes at 0.
    pub changes_per_second: f64,
    /// What decides everything but the time.
    pub seed: u64,
    /// The name of the node.
    pub node_name: String,
}

/// Serves a simulated node until the future is dropped.
///
/// # Errors
///
/// Ends only when the sink does not accept the source.
pub async fn run(options: Options, sink: Sink) -> Result<Infallible, SourceError> {
    let start = sink.now();
    let mut node = Node::new(options.seed, options.pods, &options.node_name, start);
    let mut problems = Problems::default();
    let mut found = BTreeSet::new();
    let mut pods = Vec::new();
    for pod in node.pods() {
        match pod {
            Ok(pod) => pods.push(pod),
            Err(error) => {
                found.insert(Problem::fault(&options.node_name, error.to_string()));
            }
        }
    }
    found.extend(sink.replace(&pods)?);
    tracing::info!(source = SOURCE, pods = pods.len(), "list complete");
    problems.replace(found, SOURCE, &sink);

    let began = Instant::now();
    let mut done: u64 = 0;
    loop {
        let due = changes_due(began.elapsed(), options.changes_per_second);
        for _ in 0..due.saturating_sub(done).min(BURST) {
            done += 1;
            let elapsed = seconds_of(done, options.changes_per_second);
            match node.next_change(start.saturating_add(elapsed)) {
                Some(Ok(change)) => apply(change, &sink)?,
                Some(Err(error)) => tracing::warn!(source = SOURCE, "{error}"),
                None => {}
            }
            // Who was woken by this change would wait for the whole step on this very thread.
            tokio::task::yield_now().await;
        }
        match pause(began.elapsed(), done, options.changes_per_second) {
            Some(pause) => tokio::time::sleep(pause).await,
            None => std::future::pending().await,
        }
    }
}

/// How long to wait for the change after `done` of them, or `None` when there is none to come.
#[expect(
    clippy::cast_precision_loss,
    reason = "exact for 2^53 changes, which take longer than anybody waits"
)]
fn pause(elapsed: Duration, done: u64, changes_per_second: f64) -> Option<Duration> {
    if changes_per_second > 0.0 {
        let next = (done as f64 + 1.0) / changes_per_second;
        let pause = (next - elapsed.as_secs_f64()).clamp(0.0, LONG.as_secs_f64());
        Some(Duration::from_secs_f64(pause).max(PACE))
    } else {
        None
    }
}

fn apply(change: Change, sink: &Sink) -> Result<(), SourceError> {
    let refused = match change {
        Change::Put(pod) => sink.put(pod),
        Change::Remove(uid) => sink.remove(uid),
    };
    match refused {
        Ok(()) => Ok(()),
        Err(error @ (SourceError::TooManyPods { .. } | SourceError::PodTooLarge { .. })) => {
            tracing::warn!(source = SOURCE, "{error}");
            Ok(())
        }
        Err(
            error @ (SourceError::CompleteBeforeBegin
            | SourceError::PutBeforeBegin
            | SourceError::UnknownSource),
        ) => Err(error),
    }
}

/// How many changes there are to be after `elapsed`.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a float that is out of range becomes the nearest whole number, or 0 when it is none"
)]
fn changes_due(elapsed: Duration, changes_per_second: f64) -> u64 {
    (elapsed.as_secs_f64() * changes_per_second) as u64
}

/// How many whole seconds after the start the change with the number `change` happens.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "exact for 2^53 changes; a float that is out of range becomes the nearest number"
)]
fn seconds_of(change: u64, changes_per_second: f64) -> i64 {
    (change as f64 / changes_per_second) as i64
}

/// A node whose whole history follows from its seed, its number of pods and the times it is given.
#[derive(Clone, Debug)]
pub struct Node {
    name: String,
    target: usize,
    random: Random,
    /// By serial number, so that choosing one does not depend on how they are named.
    pods: BTreeMap<u32, Pod>,
    next_serial: u32,
}

/// One change of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// The pod is new, or is now as given.
    Put(EncodedPod),
    /// The pod is gone.
    Remove(Uid),
}

impl Node {
    /// Creates the node named `node_name` with `pods` pods as they are at `start_seconds`, in
    /// seconds since 1970.
    pub fn new(seed: u64, pods: usize, node_name: &str, start_seconds: i64) -> Self {
        let mut node = Self {
            name: node_name.to_owned(),
            target: pods,
            random: Random::new(seed),
            pods: BTreeMap::new(),
            next_serial: 0,
        };
        for _ in 0..pods {
            node.add_with_past(start_seconds);
        }
        node
    }

    /// Returns the pods as they are.
    pub fn pods(&self) -> impl Iterator<Item = Result<EncodedPod, SimulationError>> {
        self.pods.values().map(|pod| self.encode(pod))
    }

    /// Lets the next thing happen, at `now_seconds` since 1970; returns `None` when the node is
    /// to have no pods.
    pub fn next_change(&mut self, now_seconds: i64) -> Option<Result<Change, SimulationError>> {
        if self.target == 0 {
            return None;
        }
        let busy = self.serials(|pod| !pod.settled());
        let settled = self.serials(Pod::settled);
        let go_on = !busy.is_empty() && (self.random.chance(70) || settled.is_empty());
        if !go_on && self.pods.len() < self.target {
            let serial = self.add(now_seconds);
            return self.put(serial);
        }
        let choices = if go_on { &busy } else { &settled };
        let serial = *self.random.choose(choices)?;
        let pod = self.pods.get_mut(&serial)?;
        let step = if go_on {
            pod.advance(now_seconds, &mut self.random)
        } else {
            pod.disturb(now_seconds, &mut self.random);
            Step::Changed
        };
        match step {
            Step::Changed => self.put(serial),
            Step::Gone => {
                let pod = self.pods.remove(&serial)?;
                Some(Ok(Change::Remove(Uid::new(&pod.uid))))
            }
        }
    }

    fn put(&self, serial: u32) -> Option<Result<Change, SimulationError>> {
        let pod = self.pods.get(&serial)?;
        Some(self.encode(pod).map(Change::Put))
    }

    fn serials(&self, which: impl Fn(&Pod) -> bool) -> Vec<u32> {
        let pods = self.pods.iter();
        pods.filter(|(_, pod)| which(pod))
            .map(|(serial, _)| *serial)
            .collect()
    }

    /// Adds a pod that is created now.
    fn add(&mut self, now: i64) -> u32 {
        let serial = self.next_serial;
        self.next_serial += 1;
        let workload = self.workload(serial);
        let pod = Pod::new(workload, serial, now, &mut self.random);
        self.pods.insert(serial, pod);
        serial
    }

    /// Adds a pod that was created some time ago and has come as far as pods come.
    fn add_with_past(&mut self, now: i64) {
        let age = i64::try_from(self.random.below(WEEK_SECONDS)).unwrap_or(0);
        let created = now.saturating_sub(age + 60);
        let serial = self.add(created);
        let fate = self.random.below(100);
        let Some(pod) = self.pods.get_mut(&serial) else {
            return;
        };
        // A few still wait for their containers.
        if fate < 6 {
            return;
        }
        let mut at = created;
        while !pod.settled() {
            at = now.min(at + 2);
            pod.advance(at, &mut self.random);
        }
        if pod.workload.owner.runs_to_an_end() && fate < 80 {
            let exit_code = if fate < 20 { 1 } else { 0 };
            pod.finish(exit_code, now.min(at + 45), &mut self.random);
        }
    }

    /// The first pods are one of each workload; afterwards chance decides, but a daemon set has
    /// one pod on a node.
    fn workload(&mut self, serial: u32) -> &'static Workload {
        let first = usize::try_from(serial)
            .ok()
            .and_then(|serial| WORKLOADS.get(serial));
        let chosen = first.or_else(|| self.random.choose(WORKLOADS));
        let taken = |workload: &&'static Workload| {
            let mut pods = self.pods.values();
            workload.owner == Owner::DaemonSet
                && pods.any(|pod| std::ptr::eq(pod.workload, *workload))
        };
        chosen
            .filter(|workload| !taken(workload))
            .unwrap_or(&WORKLOADS[0])
    }

    fn encode(&self, pod: &Pod) -> Result<EncodedPod, SimulationError> {
        let value = render::render(pod, &self.name);
        let encoded = json::encode(Message::POD, &value).map_err(SimulationError::Encode)?;
        EncodedPod::parse(Bytes::from(encoded.bytes)).map_err(SimulationError::Pod)
    }
}

/// Why a simulated pod cannot be served; with a name of a node that Kubernetes would take it can.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SimulationError {
    /// It does not fit the schema.
    Encode(JsonError),
    /// It is beyond the bounds of a pod.
    Pod(PodError),
}

impl fmt::Display for SimulationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Encode(error) => write!(f, "the simulated pod cannot be encoded: {error}"),
            Self::Pod(error) => write!(f, "the simulated pod cannot be served: {error}"),
        }
    }
}

impl std::error::Error for SimulationError {}

const SOURCE: &str = "simulated";

/// How long to wait at least: at high rates several changes are made in one go.
const PACE: Duration = Duration::from_millis(2);

/// How long to wait at most before looking again.
const LONG: Duration = Duration::from_secs(3600);

/// The most changes in one step, after which there is a pause.
const BURST: u64 = 1_000;

const WEEK_SECONDS: usize = 7 * 86_400;

#[cfg(test)]
mod tests;
