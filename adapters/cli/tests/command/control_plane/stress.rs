//! Faults of an API server at random moments, and after each one a comparison with what it lists.
//!
//! `PODSAPI_STRESS_SECONDS` says how long (by hand 1,800), `PODSAPI_SEED` which moments.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use fastrand::Rng;
use podsapi_client::{Event, EventKind};
use podsapi_proto::core_v1;
use prost::Message;
use tokio::sync::Mutex;
use tokio::task::JoinHandle;

use super::api::{Api, Question};
use super::link::Link;
use super::node::{Node, current, lines, uid};
use super::plane::Plane;
use super::pods::planned;
use crate::faults::number;
use crate::process::{PATIENCE, now};

const NAMESPACE: &str = "stress";
const NODE: &str = "node-under-stress";

/// The first try after a loss comes within a second.
const BACKOFF: [&str; 2] = ["--api-backoff", "1"];

/// How many names there are for pods: each is made, changed and deleted again and again.
const NAMES: u32 = 12;

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_killed_and_stopped_at_random_is_followed_without_a_false_word() {
    let seconds = number("PODSAPI_STRESS_SECONDS", 0);
    if seconds == 0 {
        println!("skipped: set PODSAPI_STRESS_SECONDS, or run tests/endure stress");
        return;
    }
    let seed = number("PODSAPI_SEED", 13);
    let Some(mut plane) = Plane::start().await else {
        return;
    };
    let mut random = Rng::with_seed(seed);
    plane.api.namespace(NAMESPACE).await;
    let link = Link::to(plane.port).await;
    let node = Node::start(NODE, &plane.kubeconfig(NODE, link.port), BACKOFF).await;
    let changes = Changes::start(plane.api.clone(), random.fork());
    let started = now();
    let mut faults = BTreeMap::<_, usize>::new();
    let mut compared = 0;
    while started.elapsed() < Duration::from_secs(seconds) {
        pause(random.u64(100..6_000)).await;
        let fault = Fault::any(&mut random);
        *faults.entry(fault).or_default() += 1;
        fault.happens(&mut plane, &link, &mut random).await;
        plane.is_ready().await;
        let _quiet = changes.quiet.lock().await;
        compared += agree(&plane, &node, &format!("{fault:?} of seed {seed}")).await;
    }
    changes.end();
    let told = node.told();
    in_order(&told);
    println!(
        "{} events of seed {seed} in {seconds} s beside {faults:?}; {compared} pods compared with \
         the server's list, 0 different",
        told.len(),
    );
}

/// Waits until the node tells and lists what the server lists; returns how many pods these are.
///
/// Nobody begins a change meanwhile, but one that was given up may still come to pass.
async fn agree(plane: &Plane, node: &Node, after: &str) -> usize {
    let started = now();
    loop {
        let (_, mut pods) = plane.api.list(NODE).await;
        pods.sort();
        let mut told: Vec<_> = current(&node.told()).into_values().collect();
        told.sort();
        if told == pods {
            let mut listed = node.list().await;
            listed.sort();
            if listed == pods {
                return pods.len();
            }
        }
        // After a long outage the next try is half a minute away at most.
        let patient = started.elapsed() < PATIENCE + Duration::from_secs(30);
        let report = || node.server.ask(&["check"]).stdout;
        let report = || String::from_utf8_lossy(&report()).into_owned();
        assert!(
            patient,
            "after {after}:\n{}\n{:#?}",
            report(),
            lines(&node.told())
        );
        pause(100).await;
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fault {
    Killed,
    Paused,
    EtcdKilled,
    Stalled,
    Refused,
}

impl Fault {
    fn any(random: &mut Rng) -> Self {
        let all = [
            Self::Killed,
            Self::Paused,
            Self::EtcdKilled,
            Self::Stalled,
            Self::Refused,
        ];
        all[random.usize(..all.len())]
    }

    /// Begins and ends.
    async fn happens(self, plane: &mut Plane, link: &Link, random: &mut Rng) {
        let lasts = random.u64(10..8_000);
        match self {
            Self::Killed => {
                plane.kill_server();
                pause(lasts).await;
                plane.start_server().await;
            }
            Self::Paused => {
                plane.pause_server();
                // Now and then longer than a silence is waited for.
                let long = random.u8(..8) == 0;
                pause(if long { 45_000 } else { lasts }).await;
                plane.resume_server();
            }
            Self::EtcdKilled => plane.restart_etcd().await,
            Self::Stalled => {
                link.cut();
                pause(lasts).await;
                link.restore();
            }
            Self::Refused => {
                link.close();
                pause(lasts).await;
                link.restore();
            }
        }
    }
}

async fn pause(milliseconds: u64) {
    tokio::time::sleep(Duration::from_millis(milliseconds)).await;
}

/// Changes that somebody makes again and again, whether or not they succeed.
struct Changes {
    /// Whoever has it sees no change.
    quiet: Arc<Mutex<()>>,
    running: JoinHandle<()>,
}

impl Changes {
    fn start(api: Api, random: Rng) -> Self {
        let quiet = Arc::new(Mutex::new(()));
        let running = tokio::spawn(changing(api, random, Arc::clone(&quiet)));
        Self { quiet, running }
    }

    fn end(self) {
        self.running.abort();
    }
}

async fn changing(api: Api, mut random: Rng, quiet: Arc<Mutex<()>>) {
    for count in 0_u64.. {
        pause(random.u64(5..200)).await;
        let _turn = quiet.lock().await;
        let name = format!("pod-{}", random.u32(..NAMES));
        let pods = format!("/api/v1/namespaces/{NAMESPACE}/pods");
        let one = format!("{pods}/{name}");
        let status = format!("{one}/status");
        let grace = random.choice([0, 30]).unwrap_or_default();
        let gone = format!("{one}?gracePeriodSeconds={grace}");
        let made = planned(&name, NODE);
        let label = format!(r#"{{"metadata":{{"labels":{{"count":"{count}"}}}}}}"#);
        let phase = random.choice(["Running", "Pending"]).unwrap_or_default();
        let phase = format!(r#"{{"status":{{"phase":"{phase}"}}}}"#);
        let (method, path, kind, text) = match random.u8(..8) {
            0..=2 => ("POST", &pods, "application/json", made.as_str()),
            3..=4 => ("PATCH", &one, PATCH, label.as_str()),
            5..=6 => ("PATCH", &status, PATCH, phase.as_str()),
            _ => ("DELETE", &gone, "application/json", ""),
        };
        let question = Question {
            method,
            body: (kind, text),
            ..Question::get(path)
        };
        // A server that is away or says no is a part of it.
        let _answer = tokio::time::timeout(Duration::from_secs(2), api.ask(question)).await;
    }
}

const PATCH: &str = "application/merge-patch+json";

/// Each pod is told once as new, then newer and newer, and at the end as deleted; then no more.
fn in_order(told: &[Event]) {
    /// What was told last of a pod.
    enum Last {
        Version(u64),
        Deleted,
    }
    let mut pods = BTreeMap::new();
    for (place, event) in told.iter().enumerate() {
        if event.kind == EventKind::InitialSyncComplete {
            continue;
        }
        let uid = uid(&event.pod);
        let version = || {
            let metadata = core_v1::Pod::decode(event.pod.as_ref()).unwrap().metadata;
            let version = metadata.unwrap().resource_version.unwrap();
            version.parse().unwrap()
        };
        let next = match (event.kind, pods.get(&uid)) {
            (EventKind::Added, None) => Last::Version(version()),
            (EventKind::Modified, Some(Last::Version(before))) => {
                let version = version();
                assert!(*before < version, "{uid} at {place}: {before}, {version}");
                Last::Version(version)
            }
            (EventKind::Deleted, Some(Last::Version(_))) => Last::Deleted,
            (kind, last) => panic!(
                "{uid} at {place}: {kind:?} {}",
                match last {
                    None => "of a pod that is not known",
                    Some(Last::Version(_)) => "of a pod that is known",
                    Some(Last::Deleted) => "of a pod that is gone",
                }
            ),
        };
        pods.insert(uid, next);
    }
}
