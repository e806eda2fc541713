//! Rounds of edits and reverts beside a kubelet, judged by rules: by hand, for as many as are asked.
//!
//! `PODSAPI_KUBELET_EDITS` says how many edits (with half as many reverts), `PODSAPI_KUBELET_SEED` takes
//! the rounds of another run. What each server told is compared with what the kubelet lists and the
//! runtime runs at that moment, which are asked many times a second.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use podsapi_client::{Client, ClientOptions, EventKind};
use podsapi_proto::json::to_json;
use tokio::task::JoinHandle;

use super::bed::Bed;
use super::pod::{Pod, text};
use super::record::{KUBELET, Record, What};
use super::restarts::seeded;
use super::statics::serve;
use crate::faults::number;
use crate::process::{NODE, now};

mod files;

/// The pods that are edited at the same time.
const NAMES: [&str; 5] = ["r0", "r1", "r2", "r3", "r4"];

/// The servers that are held to the rules. The others follow the kubelet's list, which forgets a pod
/// while it runs; of them it is printed.
const SEE_THE_RUNTIME: [&str; 3] = ["m", "m3", "mh3"];

/// Returns one version of a pod's manifest.
fn manifest(name: &str, version: usize) -> String {
    format!(
        "apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}, annotations: {{edited: '{version}'}}}}\n\
         spec:\n  terminationGracePeriodSeconds: 2\n  containers:\n  - {{name: c, image: \
         \"localhost/busybox:local\", command: [sleep, \"3600\"]}}\n"
    )
}

fn version(pod: &Pod) -> Option<&str> {
    text(&pod.value, "metadata.annotations.edited")
}

/// What is done to one pod in a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Round {
    Edit,
    /// Another version, and the one before again.
    Revert,
    /// Two others, one soon after the other.
    Twice,
    /// Gone, and put again the same.
    Back,
}

#[tokio::test(flavor = "multi_thread")]
async fn edits_and_reverts_are_told_as_the_kubelet_does_them() {
    let edits = number("PODSAPI_KUBELET_EDITS", 0);
    if edits == 0 {
        println!("skipped: set PODSAPI_KUBELET_EDITS, or run tests/endure edits");
        return;
    }
    let Some(mut bed) = Bed::start("rounds", Vec::new()).await else {
        return;
    };
    let mut random = seeded();
    serve(&mut bed);
    let upstream = bed.kubelet.socket();
    let url = format!("http://127.0.0.1:{}", bed.kubelet.plain_port());
    let (folder, runtime) = (bed.kubelet.manifests(), bed.containerd.socket().to_owned());
    bed.serve("mk", &[&"--manifests", &folder, &"--kubelet", &upstream]);
    bed.serve(
        "mh3",
        &[
            &"--manifests",
            &folder,
            &"--kubelet-http",
            &url,
            &"--kubelet-period",
            &"1",
            &"--cri",
            &runtime,
        ],
    );
    let samples = Samples::take(&bed).await;
    let mut current: BTreeMap<&str, usize> = NAMES.iter().map(|name| (*name, 0)).collect();
    let mut newest = current.clone();
    for name in NAMES {
        bed.put(name, &manifest(name, 0));
    }
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    let mut wave = 0;
    loop {
        for (name, version) in &current {
            let wanted = version.to_string();
            bed.shows(name, "is ready", |pod| {
                pod.is_ready() && self::version(pod) == Some(&wanted)
            })
            .await;
        }
        settled(&bed, &samples, SETTLING).await;
        let done = |kind: &str| counts.get(kind).copied().unwrap_or(0);
        if done("edits") >= edits && done("reverts") * 2 >= edits {
            break;
        }
        wave += 1;
        bed.step(&format!("wave {wave}"));
        let mut plan = Vec::new();
        for name in NAMES {
            let round = match random.u32(..12) {
                0..6 => Round::Edit,
                6..10 => Round::Revert,
                10 => Round::Twice,
                _ => Round::Back,
            };
            let at = random.u64(..1_500);
            let before = current[name];
            let mut next = || {
                let newest = newest.get_mut(name).unwrap();
                *newest += 1;
                *newest
            };
            let short = random.u64(5..400);
            let gap = if random.bool() {
                random.u64(5..3_000)
            } else {
                short
            };
            let kind = match round {
                Round::Edit => {
                    plan.push((at, name, Some(next())));
                    "edits"
                }
                Round::Revert => {
                    plan.push((at, name, Some(next())));
                    plan.push((at + gap, name, Some(before)));
                    "reverts"
                }
                Round::Twice => {
                    plan.push((at, name, Some(next())));
                    plan.push((at + short, name, Some(next())));
                    "double edits"
                }
                Round::Back => {
                    plan.push((at, name, None));
                    plan.push((at + gap, name, Some(before)));
                    "removals taken back"
                }
            };
            *counts.entry(kind).or_default() += 1;
        }
        plan.sort_unstable();
        let began = now();
        for (at, name, version) in plan {
            tokio::time::sleep(Duration::from_millis(at).saturating_sub(began.elapsed())).await;
            match version {
                Some(version) => {
                    bed.did(&format!("{name} gets version {version}"));
                    bed.put(name, &manifest(name, version));
                    current.insert(name, version);
                }
                None => bed.remove(name),
            }
        }
    }
    for name in NAMES {
        bed.remove(name);
    }
    for name in NAMES {
        bed.gone(name).await;
    }
    settled(&bed, &samples, AT_THE_END).await;
    let records = bed.recorder.records();
    if let Some(folder) = std::env::var_os("PODSAPI_RECORD") {
        bed.recorder.save(&Path::new(&folder).join("rounds.record"));
    }
    let done = counts.iter().map(|(kind, count)| format!("{count} {kind}"));
    let done = done.collect::<Vec<_>>().join(", ");
    let samples = samples.end();
    let mut all = 0;
    for server in bed.names() {
        let mut judge = Judge::new(server, &records, &samples);
        judge.read();
        let faults = judge.report(&done);
        if SEE_THE_RUNTIME.contains(&server) {
            all += faults;
        }
    }
    let is_survey =
        std::env::var_os("PODSAPI_BESIDE_SURVEY").is_some_and(|asked| !asked.is_empty());
    assert!(is_survey || all == 0, "{all} faults: see above");
}

/// Waits until all servers list what the kubelet lists, or for so long that they will not.
async fn settled(bed: &Bed, samples: &Samples, patience: Duration) {
    let began = now();
    let uids = |pods: Vec<Pod>| pods.into_iter().map(|pod| pod.uid).collect::<BTreeSet<_>>();
    loop {
        let mut differ = Vec::new();
        if let Ok(wanted) = bed.pods(KUBELET).await.map(uids) {
            for server in bed.names() {
                if bed.pods(server).await.map(uids).as_ref() != Ok(&wanted) {
                    differ.push(server);
                }
            }
            if differ.is_empty() {
                return;
            }
        }
        if began.elapsed() > patience {
            samples.unsettled.lock().unwrap().extend(differ);
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// How long that is.
const SETTLING: Duration = Duration::from_secs(8);

/// And when no pod is left: of a kubelet's `/pods` no empty answer is believed sooner.
const AT_THE_END: Duration = Duration::from_secs(30);

/// What the kubelet lists and the runtime runs, again and again.
struct Samples {
    taken: Arc<Taken>,
    unsettled: Mutex<Vec<&'static str>>,
    tasks: Vec<JoinHandle<()>>,
}

/// UIDs, or UIDs with containers, by when they were asked for.
type Series = Vec<(Duration, BTreeSet<String>)>;

#[derive(Default)]
struct Taken {
    listed: Mutex<Series>,
    running: Mutex<Series>,
}

/// How often it is asked.
const PERIOD: Duration = Duration::from_millis(60);

impl Samples {
    async fn take(bed: &Bed) -> Self {
        let taken = Arc::new(Taken::default());
        let clock = bed.recorder.clock();
        let runtime = bed.containerd.connect().await;
        let socket = bed.kubelet.socket();
        let mine = Arc::clone(&taken);
        let listing = tokio::spawn(async move {
            let options = ClientOptions::default();
            let client = Client::connect(&socket, options).await.unwrap();
            loop {
                let at = clock.elapsed();
                if let Ok(pods) = client.list().await {
                    let uids = pods.iter().map(|pod| Pod::decode(pod).uid);
                    mine.listed.lock().unwrap().push((at, uids.collect()));
                }
                tokio::time::sleep(PERIOD).await;
            }
        });
        let mine = Arc::clone(&taken);
        let looking = tokio::spawn(async move {
            loop {
                let at = clock.elapsed();
                if let Ok(containers) = runtime.containers().await {
                    let running = containers.iter().filter(|(listed, _)| listed.state == 1);
                    let uids = running.filter_map(|(listed, _)| {
                        listed.labels.get("io.kubernetes.pod.uid").cloned()
                    });
                    mine.running.lock().unwrap().push((at, uids.collect()));
                }
                tokio::time::sleep(PERIOD).await;
            }
        });
        Self {
            taken,
            unsettled: Mutex::default(),
            tasks: vec![listing, looking],
        }
    }

    fn end(self) -> Ended {
        for task in &self.tasks {
            task.abort();
        }
        let take = |series: &Mutex<Series>| std::mem::take(&mut *series.lock().unwrap());
        Ended {
            listed: take(&self.taken.listed),
            running: take(&self.taken.running),
            unsettled: self.unsettled.into_inner().unwrap(),
        }
    }
}

struct Ended {
    listed: Series,
    running: Series,
    unsettled: Vec<&'static str>,
}

/// Tells whether a series has the UID before and after, and all the time between.
fn holds(series: &Series, uid: &str, from: Duration, to: Duration) -> bool {
    let first = series
        .partition_point(|(at, _)| *at < from)
        .saturating_sub(1);
    let last = series.partition_point(|(at, _)| *at <= to);
    let span = series.get(first..=last);
    span.is_some_and(|span| span.iter().all(|(_, uids)| uids.contains(uid)))
}

/// Reads what one server told, and counts what breaks a rule.
struct Judge<'a> {
    server: &'static str,
    records: &'a [Record],
    samples: &'a Ended,
    /// The version of each UID, as the kubelet tells.
    versions: BTreeMap<String, String>,
    /// When the kubelet's watch told of a UID that it is deleted.
    deleted: BTreeMap<String, Vec<Duration>>,
    faults: BTreeMap<&'static str, Vec<String>>,
    late: Vec<u128>,
}

/// How far the moments may lie apart at which each process notices.
const SLACK: Duration = Duration::from_millis(300);

/// How much later the kubelet may tell an end than the runtime shows it.
const LAG: Duration = Duration::from_secs(2);

impl<'a> Judge<'a> {
    fn new(server: &'static str, records: &'a [Record], samples: &'a Ended) -> Self {
        let mut judge = Self {
            server,
            records,
            samples,
            versions: BTreeMap::new(),
            deleted: BTreeMap::new(),
            faults: BTreeMap::new(),
            late: Vec::new(),
        };
        let mut learn = |pod: &Pod| {
            if let Some(version) = version(pod) {
                judge.versions.insert(pod.uid.clone(), version.to_owned());
            }
        };
        for record in records {
            match &record.what {
                What::Listed(KUBELET, pods) => pods.iter().for_each(|pod| learn(pod)),
                What::Told(KUBELET, kind, Some(pod)) => {
                    learn(pod);
                    if *kind == EventKind::Deleted {
                        let times = judge.deleted.entry(pod.uid.clone()).or_default();
                        times.push(record.at);
                    }
                }
                What::Step(_)
                | What::Put(_)
                | What::Removed(_)
                | What::Did(_)
                | What::Opened(_)
                | What::Lost(..)
                | What::Told(..)
                | What::Listed(..) => {}
            }
        }
        judge
    }

    fn fault(&mut self, rule: &'static str, at: Duration, pod: &Pod, more: &str) {
        let uid = &pod.uid;
        let line = format!("{:.3} {} {uid} {more}", at.as_secs_f64(), pod.name);
        self.faults.entry(rule).or_default().push(line);
    }

    fn read(&mut self) {
        let mut leaving = BTreeMap::<String, Duration>::new();
        let mut last = BTreeMap::<String, Arc<Pod>>::new();
        let mut gone = BTreeMap::<String, Duration>::new();
        let mut wrong = BTreeSet::new();
        let mut puts = BTreeMap::<(String, String), Duration>::new();
        let (mut present, mut awaited) = (BTreeSet::new(), BTreeMap::new());
        for record in self.records {
            let at = record.at;
            match &record.what {
                What::Did(text) => {
                    if let Some((name, version)) = text.split_once(" gets version ") {
                        puts.insert((format!("{name}-{NODE}"), version.to_owned()), at);
                    }
                }
                What::Listed(server, pods) if *server == self.server => {
                    for pod in pods {
                        self.is_of_its_uid(at, pod, &mut wrong);
                    }
                }
                What::Told(KUBELET, EventKind::Added, Some(pod)) => {
                    if present.contains(&pod.uid) {
                        self.late.push(0);
                    } else {
                        awaited.insert(pod.uid.clone(), at);
                    }
                }
                What::Told(KUBELET, EventKind::Deleted, Some(pod)) => {
                    awaited.remove(&pod.uid);
                }
                What::Told(server, kind, Some(pod)) if *server == self.server => {
                    let uid = &pod.uid;
                    self.is_of_its_uid(at, pod, &mut wrong);
                    let document = (
                        pod.name.clone(),
                        version(pod).unwrap_or_default().to_owned(),
                    );
                    let put = puts.get(&document).copied().unwrap_or_default();
                    match leaving.get(uid) {
                        // No more than its names is told of one that is gone.
                        _ if *kind == EventKind::Deleted => {}
                        Some(since) if !pod.is_leaving() && put + LAG < *since => {
                            let told = format!("{kind:?}");
                            self.fault("deletionTimestamp is taken away", at, pod, &told);
                            leaving.remove(uid);
                        }
                        Some(_) if !pod.is_leaving() => drop(leaving.remove(uid)),
                        None if pod.is_leaving() => drop(leaving.insert(uid.clone(), at)),
                        Some(_) | None => {}
                    }
                    match kind {
                        EventKind::Added => {
                            present.insert(uid.clone());
                            if let Some(time) = awaited.remove(uid) {
                                self.late.push((at - time).as_millis());
                            }
                            if let Some(since) = gone.remove(uid) {
                                let said = self.deleted.get(uid);
                                let soon = since.saturating_sub(Duration::from_secs(3));
                                let does = |times: &Vec<Duration>| {
                                    times.iter().any(|time| (soon..=at + LAG).contains(time))
                                };
                                if !said.is_some_and(does) {
                                    self.fault(
                                        "DELETED and ADDED, not by the kubelet",
                                        at,
                                        pod,
                                        "",
                                    );
                                }
                            }
                        }
                        EventKind::Deleted => {
                            let to = at + SLACK;
                            let from = at.saturating_sub(Duration::from_millis(100));
                            if holds(&self.samples.running, uid, from, to) {
                                self.fault("DELETED while its containers run", at, pod, "");
                            }
                            let early = at.saturating_sub(Duration::from_secs(3));
                            let said = self.deleted.get(uid).into_iter().flatten();
                            let said = said.clone().any(|time| (early..=to).contains(time));
                            if !said && holds(&self.samples.listed, uid, from, to) {
                                self.fault("DELETED while the kubelet lists it", at, pod, "");
                            }
                            let unknown = last.get(uid).is_some_and(|pod| {
                                to_json(&pod.value).contains("ContainerStatusUnknown")
                            });
                            if unknown {
                                self.fault("ContainerStatusUnknown at the end", at, pod, "");
                            }
                            gone.insert(uid.clone(), at);
                            present.remove(uid);
                            leaving.remove(uid);
                            last.remove(uid);
                            continue;
                        }
                        EventKind::Modified | EventKind::InitialSyncComplete => {}
                    }
                    last.insert(uid.clone(), Arc::clone(pod));
                }
                What::Step(_)
                | What::Put(_)
                | What::Removed(_)
                | What::Opened(_)
                | What::Lost(..)
                | What::Told(..)
                | What::Listed(..) => {}
            }
        }
    }

    fn is_of_its_uid(&mut self, at: Duration, pod: &Pod, wrong: &mut BTreeSet<String>) {
        let of = self.versions.get(&pod.uid).cloned();
        if let (Some(of), Some(told)) = (of, version(pod))
            && of != told
            && wrong.insert(pod.uid.clone())
        {
            let more = format!("version {told} under the UID of version {of}");
            self.fault("a document under the UID of another", at, pod, &more);
        }
    }

    /// Prints the counts, and returns how many there are.
    fn report(&mut self, done: &str) -> usize {
        let unsettled = self.samples.unsettled.iter();
        let unsettled = unsettled.filter(|server| **server == self.server).count();
        for (rule, lines) in &self.faults {
            for line in lines.iter().take(12) {
                println!("rounds: {} {rule}: {line}", self.server);
            }
        }
        let mut told = String::new();
        for rule in [
            "a document under the UID of another",
            "DELETED while its containers run",
            "DELETED while the kubelet lists it",
            "DELETED and ADDED, not by the kubelet",
            "deletionTimestamp is taken away",
            "ContainerStatusUnknown at the end",
        ] {
            let count = self.faults.get(rule).map_or(0, Vec::len);
            write!(told, "; {count} {rule}").unwrap();
        }
        self.late.sort_unstable();
        let late = self.late.iter().filter(|late| **late > 300).count();
        let (middle, most) = (self.late.get(self.late.len() / 2), self.late.last());
        println!(
            "rounds: {}: {done}{told}; {unsettled} lists that stay otherwise; ADDED {} ms after the \
             kubelet's (most {}), {late} of {} over 300 ms",
            self.server,
            middle.copied().unwrap_or_default(),
            most.copied().unwrap_or_default(),
            self.late.len()
        );
        self.faults.values().map(Vec::len).sum::<usize>() + unsettled
    }
}
