//! A kubelet and the servers of ours beside it, on one runtime and one folder, under one recorder.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bytes::Bytes;
use nix::sys::signal::Signal;
use podsapi_client::{Client, ClientError, ClientOptions, Code};
use podsapi_tests::containerd::{Containerd, Version};
use tempfile::TempDir;

use super::allowed::List;
use super::fields::{self, Difference};
use super::kubelet::{self, Kubelet};
use super::pod::Pod;
use super::record::{KUBELET, What};
use super::recorder::Recorder;
use crate::process::{NODE, PATIENCE, Server, now};

/// How long our servers may take to show what the kubelet shows. Pods that crash again and again rest
/// for ten seconds at least.
const SETTLING: Duration = Duration::from_secs(8);

/// How long the kubelet may take to come to rest.
const REST: Duration = Duration::from_secs(120);

/// How much longer than other things a pod may take to reach a state: some are delayed on purpose, and
/// a machine may be busy.
const POD_PATIENCE: Duration = Duration::from_secs(180);

/// How long after the last pod a server may have some: `--kubelet-http` believes no empty answer sooner.
const LEFT: Duration = Duration::from_secs(30);

pub(super) struct Bed {
    pub(super) run: &'static str,
    servers: BTreeMap<&'static str, (Server, Vec<OsString>)>,
    pub(super) kubelet: Kubelet,
    pub(super) containerd: Containerd,
    pub(super) recorder: Recorder,
    pub(super) list: List,
    pub(super) found: Vec<Difference>,
    /// How many pods were compared.
    pub(super) compared: usize,
    // Last: what runs in it ends first.
    folder: TempDir,
}

impl Drop for Bed {
    /// Leaves the record behind, of a run that failed above all.
    fn drop(&mut self) {
        if let Some(folder) = std::env::var_os("PODSAPI_RECORD") {
            let file = Path::new(&folder).join(format!("{}.record", self.run));
            self.recorder.save(&file);
        }
    }
}

impl Bed {
    /// Says whether a kubelet is to be run at all; prints why not.
    pub(super) fn is_asked() -> bool {
        let program = kubelet::program();
        if let Err(reason) = &program {
            println!("skipped beside a kubelet: {reason}");
        }
        program.is_ok()
    }

    /// Starts a kubelet with its runtime; prints why where that cannot be done.
    pub(super) async fn start(run: &'static str, flags: Vec<String>) -> Option<Self> {
        let started = kubelet::program().and_then(|program| {
            let containerd = Containerd::start(Version::Newest)?;
            Ok((program, containerd))
        });
        let required = std::env::var_os("CI").is_some_and(|value| value == "true");
        let (program, containerd) = match started {
            Ok(started) => started,
            Err(reason) => {
                let asked = std::env::var_os("PODSAPI_REAL_KUBELET").is_some();
                assert!(
                    !(required && asked),
                    "on CI this may not be missing: {reason}"
                );
                println!("skipped beside a kubelet: {reason}");
                return None;
            }
        };
        let folder = TempDir::with_prefix("podsapi-beside-").unwrap();
        for name in ["kubelet", "new"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        let text = fs::read_to_string(differences()).unwrap();
        let kubelet = Kubelet::start(
            &program,
            &folder.path().join("kubelet"),
            containerd.socket(),
            NODE,
            flags,
        );
        let mut bed = Self {
            run,
            servers: BTreeMap::new(),
            kubelet,
            containerd,
            recorder: Recorder::new(),
            list: List::parse(&text).unwrap(),
            found: Vec::new(),
            compared: 0,
            folder,
        };
        let socket = bed.kubelet.socket();
        bed.recorder.follow(KUBELET, &socket);
        bed.kubelet_lists("the kubelet is ready", |_| true).await;
        let runtime = bed.containerd.connect().await.version().await.unwrap();
        let version = kubelet::version(&program);
        let (name, release) = (runtime.runtime_name, runtime.runtime_version);
        println!("kubelet {version} beside podsapi on {name} {release}");
        Some(bed)
    }

    /// Starts a server of ours under a name, and follows it.
    pub(super) fn serve(&mut self, name: &'static str, flags: &[&dyn AsRef<std::ffi::OsStr>]) {
        let folder = self.folder.path().join(name);
        fs::create_dir(&folder).unwrap();
        let metrics = folder.join("metrics.sock");
        let mut arguments: Vec<OsString> = vec!["--metrics".into(), metrics.into()];
        arguments.extend(["--watch-buffer", "2000"].map(OsString::from));
        arguments.extend(flags.iter().map(|flag| flag.as_ref().to_owned()));
        let server = Server::start(&folder, &arguments);
        self.recorder.follow(name, &server.socket);
        self.servers.insert(name, (server, arguments));
    }

    pub(super) fn names(&self) -> Vec<&'static str> {
        self.servers.keys().copied().collect()
    }

    pub(super) fn socket(&self, server: &str) -> PathBuf {
        match self.servers.get(server) {
            Some((server, _)) => server.socket.clone(),
            None => self.kubelet.socket(),
        }
    }

    pub(super) fn metrics(&self, server: &str) -> PathBuf {
        self.folder.path().join(server).join("metrics.sock")
    }

    /// Ends a server of ours by a signal, and starts it again.
    pub(super) fn restart(&mut self, name: &'static str, signal: Signal) {
        let (server, arguments) = self.servers.remove(name).unwrap();
        self.did(&format!("{name} gets {signal}"));
        server.process.signal(signal);
        server.process.end();
        let server = Server::start(&self.folder.path().join(name), &arguments);
        self.servers.insert(name, (server, arguments));
    }

    /// Ends the kubelet.
    pub(super) fn end_kubelet(&self, signal: Signal) {
        self.did(&format!("the kubelet gets {signal}"));
        self.kubelet.end(signal);
    }

    /// Starts the kubelet again, and waits until it answers.
    pub(super) async fn start_kubelet(&mut self) {
        self.did("the kubelet starts");
        self.kubelet.start_again();
        self.kubelet_lists("the kubelet answers", |_| true).await;
        self.did("the kubelet answers");
    }

    pub(super) fn step(&self, name: &str) {
        self.recorder.note(What::Step(name.to_owned()));
    }

    pub(super) fn did(&self, what: &str) {
        self.recorder.note(What::Did(what.to_owned()));
    }

    /// Puts a manifest into the folder, by a rename.
    pub(super) fn put(&self, name: &str, text: &str) {
        self.put_into(name, name, text);
    }

    fn put_into(&self, file: &str, name: &str, text: &str) {
        let hidden = self.folder.path().join("new").join(name);
        fs::write(&hidden, text).unwrap();
        self.recorder.note(What::Put(format!("{name}-{NODE}")));
        fs::rename(hidden, self.file(file)).unwrap();
    }

    pub(super) fn remove(&self, name: &str) {
        self.recorder.note(What::Removed(format!("{name}-{NODE}")));
        fs::remove_file(self.file(name)).unwrap();
    }

    /// Puts a manifest of this pod into a file of another name.
    pub(super) fn put_as(&self, file: &str, name: &str, text: &str) {
        self.did(&format!("{file} is a file of {name}"));
        self.put_into(file, name, text);
    }

    /// Gives the file of a pod another name.
    pub(super) fn rename(&self, file: &str, to: &str, name: &str) {
        self.touch(name, &format!("{file} becomes {to}"));
        fs::rename(self.file(file), self.file(to)).unwrap();
    }

    /// Removes one of the files of a pod.
    pub(super) fn remove_file(&self, file: &str, name: &str) {
        self.touch(name, &format!("{file} is removed"));
        fs::remove_file(self.file(file)).unwrap();
    }

    /// Takes note that a pod may go, and come again.
    fn touch(&self, name: &str, what: &str) {
        self.did(what);
        self.recorder.note(What::Put(format!("{name}-{NODE}")));
    }

    fn file(&self, name: &str) -> PathBuf {
        self.kubelet.manifests().join(format!("{name}.yaml"))
    }

    /// Kills the first process of a pod's container; returns its ID.
    pub(super) async fn kill(&self, pod: &str, container: &str) -> String {
        let id = self.container(pod, container).await;
        self.kill_id(pod, &id);
        id
    }

    /// Waits until another container than this one runs in its place, and the pod is ready.
    ///
    /// How often it was started by then is for the kubelet to say: one that finds nothing of a pod in its
    /// runtime counts on from the logs that an earlier pod of the same UID left, which it removes once a
    /// minute; and on a busy machine it may start one twice.
    pub(super) async fn runs_again(&self, pod: &str, container: &str, killed: &str) {
        self.shows(pod, "runs again", |pod| {
            let id = pod.container_id(container);
            let other = id.is_some_and(|id| id != killed);
            other && pod.runs(container) && pod.restarts(container) > 0 && pod.is_ready()
        })
        .await;
    }

    /// Kills the first process of a pod's container where the kubelet says that it runs.
    pub(super) async fn kill_if_running(&self, pod: &str, container: &str) {
        let pods = self.pods(KUBELET).await.unwrap_or_default();
        let named = |found: &&Pod| fields::short(&found.name, NODE) == pod;
        let running = pods.iter().filter(named).find(|pod| pod.runs(container));
        if let Some(id) = running.and_then(|pod| pod.container_id(container)) {
            self.did(&format!("a container of {pod} is killed"));
            // It may have ended by itself just now.
            self.containerd.kill_task_if_any(&id);
        }
    }

    /// Kills the first process of a container by the runtime's ID.
    pub(super) fn kill_id(&self, pod: &str, id: &str) {
        self.did(&format!("a container of {pod} is killed"));
        self.containerd.kill_task(id);
    }

    /// Returns the runtime's ID of a container that the kubelet lists.
    pub(super) async fn container(&self, pod: &str, container: &str) -> String {
        let pods = self.pods(KUBELET).await.unwrap();
        let found = pods
            .iter()
            .find(|found| fields::short(&found.name, NODE) == pod);
        found.and_then(|pod| pod.container_id(container)).unwrap()
    }

    /// Kills the first process of a pod's sandbox.
    pub(super) async fn kill_sandbox(&self, pod: &str) {
        let runtime = self.containerd.connect().await;
        let began = now();
        let sandboxes = loop {
            match runtime.sandboxes().await {
                Ok(sandboxes) => break sandboxes,
                Err(error) => assert!(began.elapsed() < PATIENCE, "{error}"),
            }
        };
        let name = format!("{pod}-{NODE}");
        let mut running = sandboxes.iter().filter(|(listed, _)| {
            let metadata = listed.metadata.as_ref();
            listed.state == 0 && metadata.is_some_and(|metadata| metadata.name == name)
        });
        let (listed, _) = running.next().unwrap();
        self.did(&format!("the sandbox of {pod} is killed"));
        self.containerd.kill_task(&listed.id);
    }

    /// Waits until the kubelet lists exactly one pod of this name, and in this state.
    pub(super) async fn shows(&self, name: &str, what: &str, wanted: impl Fn(&Pod) -> bool) {
        self.kubelet_lists(&format!("{name} {what}"), |pods| {
            let named: Vec<_> = pods
                .iter()
                .filter(|pod| fields::short(&pod.name, NODE) == name)
                .collect();
            matches!(named.as_slice(), [pod] if wanted(pod))
        })
        .await;
    }

    /// Waits until the kubelet lists no pod of this name and runs none of its containers.
    pub(super) async fn gone(&self, name: &str) {
        self.kubelet_lists(&format!("{name} is gone"), |pods| {
            pods.iter()
                .all(|pod| fields::short(&pod.name, NODE) != name)
        })
        .await;
        let runtime = self.containerd.connect().await;
        let began = now();
        loop {
            // What goes while it is asked for is there as far as this answer goes.
            let sandboxes = runtime.sandboxes().await;
            let runs = sandboxes.is_err();
            let runs = runs
                || sandboxes.iter().flatten().any(|(listed, _)| {
                    let metadata = listed.metadata.as_ref();
                    let name_of = metadata.map(|metadata| fields::short(&metadata.name, NODE));
                    listed.state == 0 && name_of.is_some_and(|found| found == name)
                });
            if !runs {
                return;
            }
            assert!(began.elapsed() < POD_PATIENCE, "{name} does not end");
            tokio::time::sleep(PAUSE).await;
        }
    }

    async fn kubelet_lists(&self, what: &str, wanted: impl Fn(&[Pod]) -> bool) {
        let began = now();
        loop {
            let pods = self.pods(KUBELET).await;
            if pods.as_ref().is_ok_and(|pods| wanted(pods)) {
                return;
            }
            if began.elapsed() > POD_PATIENCE {
                let pods = pods.map(|pods| {
                    let told = pods
                        .iter()
                        .map(|pod| format!("{} {:?}", pod.name, pod.marks()));
                    told.collect::<Vec<_>>()
                });
                panic!(
                    "{what}: it takes too long: {pods:?}\n{}",
                    self.kubelet.log()
                );
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Returns the pods that a server lists.
    pub(super) async fn pods(&self, server: &str) -> Result<Vec<Pod>, String> {
        let client = self.client(server).await?;
        let pods = client.list().await.map_err(|error| error.to_string())?;
        Ok(pods.iter().map(|pod| Pod::decode(pod)).collect())
    }

    async fn client(&self, server: &str) -> Result<Client, String> {
        let options = ClientOptions {
            deadline: Some(PATIENCE),
            ..ClientOptions::default()
        };
        let connecting = Client::connect(self.socket(server), options).await;
        connecting.map_err(|error| error.to_string())
    }

    /// Compares all servers with the kubelet. What differs counts once the kubelet has shown the same of
    /// this pod for so long that the others have had time to: one that flips is not compared meanwhile.
    pub(super) async fn settle(&mut self) {
        let began = now();
        let mut steady = Steady::default();
        loop {
            let compared = self.compare(&mut steady).await;
            let (pods, found) = compared.unwrap_or_default();
            let fresh: Vec<_> = found
                .iter()
                .filter(|found| self.list.reason(found).is_none())
                .collect();
            let believed = |found: &&Difference| steady.since(&found.pod) > SETTLING;
            if pods.is_some() && fresh.iter().all(believed) {
                for difference in fresh {
                    self.did(&format!("a difference: {difference:?}"));
                }
                self.compared += pods.unwrap_or_default();
                self.found.extend(found);
                return;
            }
            assert!(
                began.elapsed() < REST,
                "it takes too long until the kubelet rests and all servers answer: {fresh:?}"
            );
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Waits until no server has any pod, as the kubelet has none.
    pub(super) async fn settle_empty(&mut self) {
        self.settle().await;
        let began = now();
        for server in self.names() {
            loop {
                let pods = self.pods(server).await;
                if pods.as_ref().is_ok_and(Vec::is_empty) {
                    break;
                }
                if began.elapsed() > LEFT {
                    let left = match pods {
                        Ok(pods) => pods.iter().map(|pod| pod.name.clone()).collect(),
                        Err(error) => vec![error],
                    };
                    self.found.push(Difference {
                        server,
                        pod: "-".to_owned(),
                        path: "(left at the end)".to_owned(),
                        kubelet: String::new(),
                        ours: left.join(" "),
                    });
                    break;
                }
                tokio::time::sleep(PAUSE).await;
            }
        }
    }

    /// Returns how many pods were compared and what differs, unless the kubelet changed meanwhile.
    async fn compare(&self, steady: &mut Steady) -> Option<(Option<usize>, Vec<Difference>)> {
        let before = self.pods(KUBELET).await.ok()?;
        steady.see(&before);
        let (mut found, mut count) = (Vec::new(), 0);
        for server in self.names().into_iter().chain([KUBELET]) {
            let ours = self.pods(server).await.ok()?;
            if server != KUBELET {
                count += before.len();
                found.extend(fields::lists(server, NODE, &before, &ours));
            }
            let client = self.client(server).await.ok()?;
            for pod in &before {
                let got = got(&client, &pod.uid).await;
                let listed = ours.iter().find(|listed| listed.uid == pod.uid);
                let same = match (&got, listed) {
                    (Ok(got), Some(listed)) => Pod::decode(got) == *listed,
                    (Ok(_), None) => false,
                    (Err(_), listed) => listed.is_none(),
                };
                if !same {
                    found.push(Difference {
                        server,
                        pod: fields::short(&pod.name, NODE),
                        path: "(get)".to_owned(),
                        kubelet: "as listed".to_owned(),
                        ours: got
                            .map_or_else(|error| error.to_string(), |_| "otherwise".to_owned()),
                    });
                }
            }
        }
        let after = self.pods(KUBELET).await.ok()?;
        steady.see(&after);
        (before == after).then_some((Some(count), found))
    }
}

/// Since when the kubelet has listed the same, by the name of a pod in its manifest.
#[derive(Default)]
struct Steady {
    began: Option<Instant>,
    pods: BTreeMap<String, (Vec<Pod>, Instant)>,
}

impl Steady {
    fn see(&mut self, listed: &[Pod]) {
        let at = now();
        self.began.get_or_insert(at);
        let mut by_name: BTreeMap<_, Vec<Pod>> = BTreeMap::new();
        for name in self.pods.keys() {
            by_name.insert(name.clone(), Vec::new());
        }
        for pod in listed {
            let name = fields::short(&pod.name, NODE);
            by_name.entry(name).or_default().push(pod.clone());
        }
        for (name, pods) in by_name {
            let known = self.pods.entry(name).or_insert_with(|| (pods.clone(), at));
            if known.0 != pods {
                *known = (pods, at);
            }
        }
    }

    /// Returns for how long.
    fn since(&self, name: &str) -> Duration {
        let known = self.pods.get(name).map(|(_, since)| *since);
        let since = known.or(self.began);
        since.map_or(Duration::ZERO, |since| since.elapsed())
    }
}

/// Asks for a pod, again and again while there are too many calls.
async fn got(client: &Client, uid: &str) -> Result<Bytes, ClientError> {
    loop {
        match client.get(uid).await {
            Err(error) if error.code() == Code::ResourceExhausted => {
                tokio::time::sleep(PAUSE).await;
            }
            got => return got,
        }
    }
}

const PAUSE: Duration = Duration::from_millis(100);

/// Returns the list of the known differences.
pub(super) fn differences() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/interop/kubelet/differences.txt")
}
