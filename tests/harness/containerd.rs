//! A private containerd in a folder of its own, started and stopped by the scripts of `../shared/cri`.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;
use std::time::Duration;

use podsapi_client::{Channel, ChannelOptions};
use tempfile::TempDir;

mod pods;

pub use pods::{PlannedContainer, PlannedPod, Runtime};

/// Which containerd to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// The one of the machine's own packages, 1.6 on Debian 12.
    Packaged,
    /// The one of Debian's next release, 1.7, fetched and unpacked but not installed.
    Next,
    /// The newest one that Debian has, 2 or later; where it cannot be had or does not start, nothing
    /// is lost.
    Newest,
}

impl Version {
    /// From the oldest on.
    pub const ALL: [Self; 3] = [Self::Packaged, Self::Next, Self::Newest];

    /// Whether a gate must have it.
    const fn is_required(self) -> bool {
        match self {
            Self::Packaged | Self::Next => true,
            Self::Newest => false,
        }
    }

    /// Returns the folder with its programs, if they are not the machine's own.
    ///
    /// What cannot be had is not asked for again by the same process.
    fn programs(self) -> Result<Option<PathBuf>, String> {
        static NEWEST: OnceLock<Result<PathBuf, String>> = OnceLock::new();
        static NEXT: OnceLock<Result<PathBuf, String>> = OnceLock::new();
        let fetching = match self {
            Self::Packaged => return Ok(None),
            Self::Next => NEXT.get_or_init(|| fetched("trixie")),
            Self::Newest => NEWEST.get_or_init(|| fetched("sid")),
        };
        fetching.clone().map(Some)
    }
}

/// A running containerd; it ends, with all its pods and its folder, when it is dropped.
#[derive(Debug)]
pub struct Containerd {
    directory: TempDir,
    /// What the script printed at the last start.
    printed: Printed,
    /// The folder with another containerd's programs.
    programs: Option<PathBuf>,
}

/// Where a started containerd is.
#[derive(Debug)]
struct Printed {
    socket: PathBuf,
    pid: u32,
    cgroup_parent: String,
}

impl Containerd {
    /// Starts a containerd that has nothing yet; the error says why that cannot be done here.
    ///
    /// # Errors
    ///
    /// When it was not asked for by `PODSAPI_CONTAINERD=1`, or without root or the scripts, or where
    /// the programs cannot be had.
    ///
    /// # Panics
    ///
    /// When everything is there and it does not start; with `CI=true`, also when it cannot be had.
    /// The newest containerd is excepted.
    pub fn start(version: Version) -> Result<Self, String> {
        if !is_set("PODSAPI_CONTAINERD", "1") {
            return Err("set PODSAPI_CONTAINERD=1 to run a containerd".to_owned());
        }
        let started = Self::try_start(version);
        let required = version.is_required() && is_set("CI", "true");
        assert!(started.is_ok() || !required, "{started:?}");
        started
    }

    fn try_start(version: Version) -> Result<Self, String> {
        if !cfg!(target_os = "linux") {
            return Err("containerd is run on Linux only".to_owned());
        }
        let root = std::fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0);
        if !root {
            return Err("only root can run a containerd".to_owned());
        }
        if !scripts().is_dir() {
            return Err("../shared/cri is missing".to_owned());
        }
        let programs = version.programs()?;
        let directory = TempDir::with_prefix("podsapi-cri-").map_err(|error| error.to_string())?;
        let printed = match started(directory.path(), programs.as_deref()) {
            Ok(printed) => printed,
            Err(why) if version.is_required() => panic!("{why}"),
            Err(why) => return Err(format!("it does not start: {why}")),
        };
        Ok(Self {
            directory,
            printed,
            programs,
        })
    }

    /// The socket of its CRI.
    pub fn socket(&self) -> &Path {
        &self.printed.socket
    }

    /// The folder that holds all its state.
    pub fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// Kills containerd itself; its pods run on.
    ///
    /// # Panics
    ///
    /// When it does not run any more.
    pub fn kill(&self) {
        signal("KILL", self.printed.pid);
    }

    /// Asks containerd itself to end; its pods run on.
    ///
    /// # Panics
    ///
    /// When it does not run any more.
    pub fn terminate(&self) {
        signal("TERM", self.printed.pid);
    }

    /// Stops containerd where it is: connections stay open, and nobody answers.
    ///
    /// # Panics
    ///
    /// When it does not run any more.
    pub fn pause(&self) {
        signal("STOP", self.printed.pid);
    }

    /// Lets containerd go on.
    ///
    /// # Panics
    ///
    /// When it does not run any more.
    pub fn resume(&self) {
        signal("CONT", self.printed.pid);
    }

    /// Starts it again on the state that it left.
    ///
    /// # Panics
    ///
    /// When it does not start.
    pub fn start_again(&mut self) {
        let started = started(self.directory.path(), self.programs.as_deref());
        self.printed = started.unwrap_or_else(|why| panic!("{why}"));
    }

    /// Kills the first process of a sandbox or a container, by ID.
    ///
    /// # Panics
    ///
    /// When there is no such process.
    pub fn kill_task(&self, id: &str) {
        signal("KILL", self.task(id));
    }

    /// Asks the first process of a container to end, if it is still there.
    pub fn terminate_task(&self, id: &str) {
        self.signal_task_if_any("TERM", id);
    }

    /// Kills the first process of a sandbox or a container where there is still one.
    pub fn kill_task_if_any(&self, id: &str) {
        self.signal_task_if_any("KILL", id);
    }

    fn signal_task_if_any(&self, name: &str, id: &str) {
        if let Some(pid) = self.try_task(id) {
            let mut kill = Command::new("kill");
            let _gone = kill.args([format!("-{name}"), pid.to_string()]).output();
        }
    }

    /// Kills a sandbox or a container together with the shim that would tell how it ended.
    ///
    /// # Panics
    ///
    /// When there is no such process.
    pub fn kill_with_shim(&self, id: &str) {
        let task = self.task(id);
        let status = std::fs::read_to_string(format!("/proc/{task}/status"));
        let status = status.expect("the process runs");
        let mut lines = status.lines();
        let parent = lines.find_map(|line| line.strip_prefix("PPid:"));
        let parent = parent.expect("each process has a parent").trim();
        signal("KILL", parent.parse().expect("a process is a number"));
        signal("KILL", task);
    }

    fn task(&self, id: &str) -> u32 {
        let task = self.try_task(id);
        task.expect("a task has a file with the number of its process")
    }

    fn try_task(&self, id: &str) -> Option<u32> {
        let tasks = "state/io.containerd.runtime.v2.task/k8s.io";
        let file = self.directory().join(tasks).join(id).join("init.pid");
        let pid = std::fs::read_to_string(&file).ok()?;
        pid.trim().parse().ok()
    }

    /// Connects to its CRI, for a test that makes pods.
    ///
    /// # Panics
    ///
    /// When it does not take the connection.
    pub async fn connect(&self) -> Runtime {
        let options = ChannelOptions {
            connect_timeout: Duration::from_secs(60),
            keepalive: None,
            max_message_bytes: 16 << 20,
        };
        let channel = Channel::connect(self.socket(), options).await;
        let channel = channel.expect("the script waits until CRI answers");
        Runtime::new(channel, self.printed.cgroup_parent.clone())
    }
}

impl Drop for Containerd {
    fn drop(&mut self) {
        let mut stop = Command::new(scripts().join("stop-containerd.sh"));
        // The folder itself goes with its owner.
        let stopped = stop.arg(self.directory.path()).output();
        let ended = stopped.as_ref().is_ok_and(|output| output.status.success());
        assert!(ended || std::thread::panicking(), "{stopped:?}");
    }
}

fn scripts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/cri")
}

fn signal(name: &str, pid: u32) {
    let mut kill = Command::new("kill");
    let sent = kill.args([&format!("-{name}"), &pid.to_string()]).status();
    assert!(sent.is_ok_and(|status| status.success()), "{pid} is gone");
}

fn is_set(variable: &str, expected: &str) -> bool {
    std::env::var_os(variable).is_some_and(|value| value == expected)
}

/// Starts a containerd; the error is what the script says.
fn started(directory: &Path, programs: Option<&Path>) -> Result<Printed, String> {
    let mut start = Command::new(scripts().join("start-containerd.sh"));
    if let Some(programs) = programs {
        start.env("CRI_CONTAINERD_BIN", programs);
    }
    let output = start.arg(directory).output();
    let output = output.map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(told(&output));
    }
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = |name: &str| {
        let mut lines = text.lines().filter_map(|line| line.split_once('='));
        let found = lines.find(|(key, _)| *key == name);
        let missing = || format!("the script printed no {name}: {text}");
        found.map(|(_, value)| value.to_owned()).ok_or_else(missing)
    };
    let pid = line("pid")?;
    Ok(Printed {
        socket: PathBuf::from(line("socket")?),
        pid: pid.parse().map_err(|error| format!("pid={pid}: {error}"))?,
        cgroup_parent: line("cgroup_parent")?,
    })
}

/// Returns the folder with the programs of a later Debian's containerd.
fn fetched(suite: &str) -> Result<PathBuf, String> {
    let cache = std::env::var_os("PODSAPI_CACHE").map_or_else(std::env::temp_dir, PathBuf::from);
    let directory = cache.join(format!("podsapi-containerd-{suite}"));
    let mut fetch = Command::new("timeout");
    fetch.args(["--kill-after=5", FETCH_SECONDS]);
    fetch.arg(scripts().join("fetch-containerd.sh"));
    let output = fetch.arg(suite).arg(&directory).output();
    let output = output.map_err(|error| error.to_string())?;
    if !output.status.success() {
        let why = told(&output);
        return Err(format!("containerd of {suite} cannot be had: {why}"));
    }
    Ok(PathBuf::from(
        String::from_utf8_lossy(&output.stdout).trim(),
    ))
}

fn told(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr);
    format!("{}: {}", output.status, said.trim())
}

/// It takes four seconds where the network is good.
const FETCH_SECONDS: &str = "120";
