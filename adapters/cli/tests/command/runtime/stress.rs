//! A containerd that is killed and stopped at random moments, while somebody runs pods in it.
//!
//! `PODSAPI_STRESS_SECONDS` says how long with all versions (by hand 1,800), `PODSAPI_SEED` which
//! moments. What is served is compared with the runtime's own answers whenever all is quiet; what
//! the watch was told meanwhile, with the last word of the runtime on each container.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use fastrand::Rng;
use podsapi_client::{Client, ClientError, ClientOptions, EventKind};
use podsapi_proto::core_v1::{ContainerStatus, Pod};
use podsapi_tests::containerd::{Containerd, PlannedContainer, Runtime, Version};
use prost::Message;
use tokio::sync::{Mutex, RwLock, watch};
use tokio::task::{JoinSet, LocalSet};

use super::{planned, serve};
use crate::faults::number;
use crate::process::{PATIENCE, now};

/// How many pods of each kind somebody takes care of.
const OF_EACH_KIND: usize = 4;

#[tokio::test]
async fn a_runtime_that_is_killed_and_stopped_at_random_ends_no_pod() {
    let all = number("PODSAPI_STRESS_SECONDS", 0);
    if all == 0 {
        println!("skipped: set PODSAPI_STRESS_SECONDS, or run tests/endure stress");
        return;
    }
    let seed = number("PODSAPI_SEED", 13);
    let each = Duration::from_secs(all / Version::ALL.len() as u64);
    for version in Version::ALL {
        match Containerd::start(version) {
            Ok(containerd) => {
                LocalSet::new()
                    .run_until(stressed(containerd, each, seed))
                    .await
            }
            Err(reason) => println!("skipped with {version:?}: {reason}"),
        }
    }
}

async fn stressed(mut containerd: Containerd, lasts: Duration, seed: u64) {
    let mut random = Rng::with_seed(seed);
    let runtime = containerd.connect().await;
    let version = runtime.version().await.unwrap().runtime_version;
    let (connected, host) = watch::channel(runtime);
    let folders = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let [manifests, sockets] = folders.each_ref().map(tempfile::TempDir::path);
    let server = serve(sockets, manifests, &containerd);
    let told = Arc::new(Mutex::new(Told::default()));
    let node = Arc::new(Caretaker {
        manifests: manifests.to_owned(),
        words: tempfile::tempdir().unwrap(),
        host,
        turn: RwLock::new(()),
        may_end: Mutex::default(),
        last_words: Mutex::default(),
        succeeded: Mutex::default(),
    });
    let mut running = JoinSet::new();
    running.spawn_local(listening(server.socket.clone(), Arc::clone(&told)));
    for number in 0..OF_EACH_KIND {
        for kind in [Kind::Steady, Kind::Once, Kind::Again] {
            let node = Arc::clone(&node);
            running.spawn_local(kind.lives(node, number, random.fork()));
        }
    }

    let started = now();
    let mut faults = BTreeMap::<_, usize>::new();
    let mut compared = 0;
    while started.elapsed() < lasts || !told.lock().await.has_compared(&node).await {
        let patient = started.elapsed() < lasts + 2 * PATIENCE;
        assert!(patient, "nothing was compared, with seed {seed}");
        for _ in 0..random.usize(2..8) {
            pause(random.u64(50..1_500)).await;
            let fault = any_fault(&mut random);
            *faults.entry(fault).or_default() += 1;
            let away = random.u64(0..5_000);
            match fault {
                "paused" => {
                    // At the worst moment: while somebody asks how this one ended.
                    if let Some(id) = node.may_end.lock().await.pop() {
                        containerd.terminate_task(&id);
                        pause(random.u64(0..30)).await;
                    }
                    containerd.pause();
                    pause(away).await;
                    containerd.resume();
                }
                "killed" => containerd.kill(),
                _terminated => containerd.terminate(),
            }
            if fault != "paused" {
                pause(away).await;
                containerd.start_again();
                connected.send_replace(containerd.connect().await);
            }
        }
        let _quiet = node.turn.write().await;
        compared += node.agrees(&server.socket, seed).await;
    }
    // All of these go on until they are stopped.
    if let Some(ended) = running.try_join_next() {
        panic!("one ended: {ended:?}");
    }
    running.abort_all();
    let words = node.last_words.lock().await;
    let ends = told
        .lock()
        .await
        .agrees(&words, &*node.succeeded.lock().await);
    println!(
        "containerd {version} of seed {seed}: {} events beside {faults:?}; {compared} containers \
         compared with the runtime's answers, 0 different; {ends} ends were the runtime's",
        told.lock().await.events,
    );
}

fn any_fault(random: &mut Rng) -> &'static str {
    let faults = ["killed", "paused", "paused", "paused", "terminated"];
    faults[random.usize(..faults.len())]
}

async fn pause(milliseconds: u64) {
    tokio::time::sleep(Duration::from_millis(milliseconds)).await;
}

/// How a pod lives.
#[derive(Clone, Copy, Debug)]
enum Kind {
    /// It runs, and nobody ever touches it.
    Steady,
    /// It ends by itself, well or not, and goes; another one of another name comes.
    Once,
    /// It is killed and made again, as by a kubelet.
    Again,
}

impl Kind {
    async fn lives(self, node: Arc<Caretaker>, number: usize, random: Rng) {
        match self {
            Self::Steady => node.steady(number).await,
            Self::Once => node.once(number, random).await,
            Self::Again => node.again(number, random).await,
        }
    }
}

/// Who runs the pods: what fails is done again, as a kubelet does.
struct Caretaker {
    manifests: PathBuf,
    /// What containers wait for that are not to end before their start is answered.
    words: tempfile::TempDir,
    host: watch::Receiver<Runtime>,
    /// Each step has it for reading; whoever has it for writing sees nobody at work.
    turn: RwLock<()>,
    /// Containers that end when they are asked to, well or not.
    may_end: Mutex<Vec<String>>,
    /// How the runtime says that each container ended, when its pod was given up.
    last_words: Mutex<BTreeMap<String, i32>>,
    /// UIDs of pods that are not run again and ended well.
    succeeded: Mutex<BTreeSet<String>>,
}

impl Caretaker {
    async fn steady(&self, number: usize) {
        let (name, uid) = (format!("steady-{number}"), format!("uid-steady-{number}"));
        {
            let _turn = self.turn.read().await;
            write(&self.manifests, &name, &uid, "Always");
            let app = PlannedContainer::new("app", "sleep 100000");
            self.launched(&name, &uid, &app).await;
        }
        std::future::pending().await
    }

    async fn once(&self, number: usize, mut random: Rng) {
        for count in 0_u64.. {
            let name = format!("once-{number}-{count}");
            let uid = format!("uid-{name}");
            let code = random.choice([0, 0, 3]).unwrap_or_default();
            {
                let _turn = self.turn.read().await;
                write(&self.manifests, &name, &uid, "Never");
                let waits = random.bool();
                let line = if waits {
                    format!("trap 'exit {code}' TERM; sleep 100000 & wait")
                } else {
                    format!("sleep 0.{}; exit {code}", random.u8(..9))
                };
                let word = self.words.path().join(&name);
                std::fs::write(&word, "").unwrap();
                let app = PlannedContainer::held("app", &line, &word);
                self.launched(&name, &uid, &app).await;
                std::fs::write(&word, "go").unwrap();
                if waits {
                    let made = self.containers(&uid).await;
                    let made = made.into_iter().map(|(id, _)| id);
                    self.may_end.lock().await.extend(made);
                }
            }
            pause(random.u64(100..2_500)).await;
            let _turn = self.turn.read().await;
            let ended = self.containers(&uid).await;
            if !ended.is_empty() && ended.iter().all(|(_, code)| *code == Some(0)) {
                self.succeeded.lock().await.insert(uid.clone());
            }
            self.noted(&uid).await;
            std::fs::remove_file(self.manifests.join(format!("{name}.yaml"))).unwrap();
            self.removed(&uid).await;
        }
    }

    async fn again(&self, number: usize, mut random: Rng) {
        let (name, uid) = (format!("again-{number}"), format!("uid-again-{number}"));
        write(&self.manifests, &name, &uid, "Always");
        for attempt in 0_u32.. {
            {
                let _turn = self.turn.read().await;
                let app = PlannedContainer {
                    attempt,
                    ..PlannedContainer::new("app", "sleep 100000")
                };
                self.launched(&name, &uid, &app).await;
            }
            pause(random.u64(100..4_000)).await;
            let _turn = self.turn.read().await;
            for (id, _) in self.containers(&uid).await {
                self.tried(async |runtime: &Runtime| runtime.stop(&id).await)
                    .await;
            }
            self.noted(&uid).await;
        }
    }

    /// Makes a sandbox where there is none that is ready, and a container in it.
    async fn launched(&self, name: &str, uid: &str, container: &PlannedContainer) {
        let attempt = container.attempt;
        for sandboxes in 0.. {
            let mut pod = planned(name, uid);
            pod.attempt = sandboxes;
            let tried = async |runtime: &Runtime| {
                // A call that was cut off may have done its work.
                let found = runtime.sandboxes().await?;
                let found = found
                    .into_iter()
                    .find(|(_, status)| is_ready_of(status, uid));
                let sandbox = match found {
                    Some((listed, _)) => listed.id,
                    None => runtime.run(&pod).await?,
                };
                let made = runtime.containers().await?;
                let mut made = made.into_iter().filter(|(listed, _)| {
                    let metadata = listed.metadata.as_ref();
                    listed.labels.get(UID).is_some_and(|found| found == uid)
                        && metadata.is_some_and(|metadata| metadata.attempt == attempt)
                });
                if let Some((_, status)) = made.next() {
                    // One that was made and not started is no use: the name is taken.
                    return match status.state {
                        0 => runtime.start(&status.id).await,
                        _started => Ok(()),
                    };
                }
                runtime.launch(&sandbox, &pod, container).await.map(drop)
            };
            let host = self.host.borrow().clone();
            match tried(&host).await {
                Ok(()) => return,
                Err(_) => pause(200).await,
            }
        }
    }

    /// Remembers how the containers of a pod ended; those that run are none of these.
    async fn noted(&self, uid: &str) {
        let ended = self.containers(uid).await.into_iter();
        let ended = ended.filter_map(|(id, found)| found.map(|code| (id, code)));
        self.last_words.lock().await.extend(ended);
    }

    /// Returns the containers of a pod, with their exit codes where they have ended.
    async fn containers(&self, uid: &str) -> Vec<(String, Option<i32>)> {
        let all = self.tried(async |runtime: &Runtime| runtime.containers().await);
        let own = all.await.into_iter().filter(|(listed, _)| {
            let labels = listed.labels.get(UID);
            labels.is_some_and(|found| found == uid)
        });
        own.map(|(listed, status)| (listed.id, (status.state == 2).then_some(status.exit_code)))
            .collect()
    }

    async fn removed(&self, uid: &str) {
        self.tried(async |runtime: &Runtime| {
            for (listed, status) in runtime.sandboxes().await? {
                if status.metadata.is_some_and(|metadata| metadata.uid == uid) {
                    runtime.stop_sandbox(&listed.id).await?;
                    runtime.remove_sandbox(&listed.id).await?;
                }
            }
            Ok(())
        })
        .await;
    }

    /// Asks until there is an answer.
    async fn tried<T>(&self, ask: impl AsyncFn(&Runtime) -> Result<T, ClientError>) -> T {
        loop {
            let host = self.host.borrow().clone();
            match ask(&host).await {
                Ok(answer) => return answer,
                Err(_) => pause(100).await,
            }
        }
    }

    /// Waits until each pod is served as the runtime has it; returns how many containers there are.
    async fn agrees(&self, socket: &Path, seed: u64) -> usize {
        let started = now();
        loop {
            let client = Client::connect(socket, ClientOptions::default()).await;
            let served = client.unwrap().list().await.unwrap();
            let mut served: BTreeMap<_, _> = served.iter().flat_map(|pod| shown(pod)).collect();
            let truth = self.truth().await;
            for (uid, found) in &mut served {
                // What a kubelet guesses of it the runtime has no word on.
                found.is_lost = truth.get(uid).is_some_and(|own| own.is_lost);
                found.exit_code = found.exit_code.filter(|_| !found.is_lost);
            }
            if served == truth {
                return truth.len();
            }
            if started.elapsed() > PATIENCE {
                let uids = served.keys().chain(truth.keys());
                for uid in uids.collect::<BTreeSet<_>>() {
                    let (served, truth) = (served.get(uid), truth.get(uid));
                    if served != truth {
                        println!("{uid} is served as {served:?}, and the runtime has {truth:?}");
                    }
                }
                panic!("what is served is not what runs, with seed {seed}");
            }
            pause(100).await;
        }
    }

    /// Returns the newest container of each pod with a manifest.
    async fn truth(&self) -> BTreeMap<String, Shown> {
        let all = self.tried(async |runtime: &Runtime| runtime.containers().await);
        let mut newest = BTreeMap::new();
        for (listed, status) in all.await {
            let uid = listed.labels[UID].clone();
            let file = self
                .manifests
                .join(format!("{}.yaml", &uid["uid-".len()..]));
            if !file.exists() {
                continue;
            }
            // As a kubelet, which does not believe the list: containerd 2 has 0 there for one that it lost
            // and found again.
            let order = (status.created_at, listed.id.clone());
            let found = Shown {
                id: format!("containerd://{}", listed.id),
                restarts: status.annotations["io.kubernetes.container.restartCount"]
                    .parse()
                    .unwrap(),
                runs: status.state == 1,
                exit_code: (status.state == 2).then_some(status.exit_code),
                is_lost: status.state == 3,
            };
            let kept = newest
                .entry(uid)
                .or_insert_with(|| (order.clone(), found.clone()));
            if kept.0 < order {
                *kept = (order, found);
            }
        }
        newest
            .into_iter()
            .map(|(uid, (_, found))| (uid, found))
            .collect()
    }
}

/// What is said of a run that the runtime itself has in no state that it knows: for a moment when it comes
/// back late, and then it may tell how the run ended.
const LOST_TRACK: &str = "the runtime has lost track of it";

const UID: &str = "io.kubernetes.pod.uid";

fn is_ready_of(status: &podsapi_proto::cri::PodSandboxStatus, uid: &str) -> bool {
    let metadata = status.metadata.as_ref();
    status.state == 0 && metadata.is_some_and(|metadata| metadata.uid == uid)
}

/// Writes a manifest at once.
fn write(manifests: &Path, name: &str, uid: &str, policy: &str) {
    let text = format!(
        "apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}, namespace: shop, uid: {uid}}}\n\
         spec: {{restartPolicy: {policy}, containers: [{{name: app, image: 'example.org/app:1'}}]}}\n"
    );
    let hidden = manifests.join(format!(".{name}.tmp"));
    std::fs::write(&hidden, text).unwrap();
    std::fs::rename(hidden, manifests.join(format!("{name}.yaml"))).unwrap();
}

/// A container, as it is compared.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Shown {
    id: String,
    restarts: i32,
    runs: bool,
    /// Of one that has ended.
    exit_code: Option<i32>,
    /// Whether the runtime does not know any more whether it runs.
    is_lost: bool,
}

/// Returns a pod's UID and the container that it shows, if it shows one.
fn shown(pod: &[u8]) -> Option<(String, Shown)> {
    let pod = Pod::decode(pod).ok()?;
    let uid = pod.metadata?.uid?;
    let mut statuses = pod.status?.container_statuses;
    let status = statuses.pop()?;
    let id = status.container_id.clone().unwrap_or_default();
    let found = Shown {
        restarts: status.restart_count.unwrap_or_default(),
        runs: status
            .state
            .as_ref()
            .is_some_and(|state| state.running.is_some()),
        exit_code: ended(&status).map(|(_, code)| code),
        is_lost: false,
        id,
    };
    Some((uid, found))
}

/// Returns the ID that the runtime has for the container that has ended, and its exit code: of one that waits for its next start,
/// the one before.
fn ended(status: &ContainerStatus) -> Option<(String, i32)> {
    let state = status.state.as_ref()?;
    let last = || status.last_state.as_ref()?.terminated.as_ref();
    let waits = state.waiting.is_some();
    let terminated = state
        .terminated
        .as_ref()
        .or_else(|| last().filter(|_| waits))?;
    let id = terminated.container_id.as_deref().unwrap_or_default();
    Some((
        id.trim_start_matches("containerd://").to_owned(),
        terminated.exit_code.unwrap_or_default(),
    ))
}

/// What a watch was told.
#[derive(Default)]
struct Told {
    events: usize,
    /// The exit codes of each container, in order, each once.
    ends: BTreeMap<String, Vec<i32>>,
    /// What a kubelet says where it does not know how a container ended, though the runtime did not say
    /// that it does not know either.
    guessed: Vec<String>,
    /// Pods that have failed, by UID.
    failed: BTreeSet<String>,
    /// Pods that nobody touches, with what was said of them beside that they run.
    steady: BTreeMap<String, Vec<String>>,
}

impl Told {
    fn hear(&mut self, kind: EventKind, pod: &[u8]) {
        self.events += 1;
        if !matches!(kind, EventKind::Added | EventKind::Modified) {
            return;
        }
        let pod = Pod::decode(pod).unwrap();
        let metadata = pod.metadata.unwrap();
        if metadata.deletion_timestamp.is_some() {
            // Its containers go from the runtime, which may be seen before how they ended.
            return;
        }
        let uid = metadata.uid.unwrap();
        let status = pod.status.unwrap_or_default();
        let is_lost = format!("{:?}", status.container_statuses).contains(LOST_TRACK);
        if status.phase.as_deref() == Some("Failed") && !is_lost {
            self.failed.insert(uid.clone());
        }
        for container in &status.container_statuses {
            let text = format!("{uid}: {container:?}");
            if text.contains("ContainerStatusUnknown") && !is_lost {
                self.guessed.push(text);
            }
            if let Some((id, code)) = ended(container) {
                let codes = self.ends.entry(id).or_default();
                if codes.last() != Some(&code) {
                    codes.push(code);
                }
            }
        }
        if uid.starts_with("uid-steady") {
            let state = status.container_statuses.first().and_then(|container| {
                let runs = container.state.as_ref()?.running.is_some();
                Some((runs, container.restart_count.unwrap_or_default()))
            });
            let said = self.steady.entry(uid).or_default();
            // Before it runs for the first time it waits.
            if state == Some((true, 0)) {
                if said.is_empty() {
                    said.push("runs".to_owned());
                }
            } else if !said.is_empty() && !is_lost {
                said.push(format!(
                    "{:?} {:?}",
                    status.phase, status.container_statuses
                ));
            }
        }
    }

    /// Whether there is something of each kind to compare: on a busy machine it may take its time.
    async fn has_compared(&self, node: &Caretaker) -> bool {
        let words = node.last_words.lock().await;
        let ran = self.steady.values().any(|said| !said.is_empty());
        ran && self.ends.keys().any(|id| words.contains_key(id))
    }

    /// Compares with the runtime's last words; returns how many ends these were.
    fn agrees(&self, last_words: &BTreeMap<String, i32>, succeeded: &BTreeSet<String>) -> usize {
        // A runtime that was killed while it made a container may keep its name from the next one.
        let mut ran = 0;
        for (uid, said) in &self.steady {
            assert!(said.len() <= 1, "{uid} was never touched: {said:#?}");
            ran += said.len();
        }
        assert!(ran > 0, "none of {} ran", self.steady.len());
        assert_eq!(self.guessed, Vec::<String>::new());
        for uid in &self.failed {
            assert!(!succeeded.contains(uid), "{uid} ended well and was Failed");
        }
        let mut count = 0;
        for (id, codes) in &self.ends {
            if let Some(last) = last_words.get(id) {
                assert_eq!(codes.as_slice(), [*last], "how {id} ended");
                count += 1;
            }
        }
        assert!(count > 0, "nothing was compared");
        count
    }
}

async fn listening(socket: PathBuf, told: Arc<Mutex<Told>>) {
    let client = Client::connect(&socket, ClientOptions::default()).await;
    let mut events = client.unwrap().watch().await.unwrap();
    while let Some(event) = events.next().await.unwrap() {
        told.lock().await.hear(event.kind, &event.pod);
    }
}
