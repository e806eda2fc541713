//! A real kubelet in a folder of its own, started and stopped by the scripts of `../shared/kubelet`.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::process::until;

/// A running kubelet; it ends with the value, and also when the test itself is killed.
pub(super) struct Kubelet {
    program: PathBuf,
    folder: PathBuf,
    runtime: PathBuf,
    node: String,
    port: u16,
    flags: Vec<String>,
    pid: u32,
    guard: Child,
}

impl Kubelet {
    /// Starts one on a runtime.
    pub(super) fn start(
        program: &Path,
        folder: &Path,
        runtime: &Path,
        node: &str,
        flags: Vec<String>,
    ) -> Self {
        fs::create_dir_all(folder.join("manifests")).unwrap();
        let mut kubelet = Self {
            program: program.to_owned(),
            folder: folder.to_owned(),
            runtime: runtime.to_owned(),
            node: node.to_owned(),
            port: free_ports(),
            flags,
            pid: 0,
            guard: guard(folder),
        };
        kubelet.start_again();
        kubelet
    }

    /// Starts it where it was; whether it answers yet is for the caller to see.
    pub(super) fn start_again(&mut self) {
        // The script waits for the socket, and a killed kubelet leaves its own behind.
        let _absent = fs::remove_file(self.socket());
        let mut start = Command::new("timeout");
        start.args([
            "90".as_ref(),
            scripts().join("start-kubelet.sh").as_os_str(),
        ]);
        start
            .arg(&self.program)
            .arg(&self.folder)
            .arg(&self.runtime);
        start.arg(&self.node).args(&self.flags);
        let started = start
            .env("KUBELET_PORT", self.port.to_string())
            .output()
            .unwrap();
        assert!(
            started.status.success(),
            "{}",
            String::from_utf8_lossy(&started.stderr)
        );
        let told = String::from_utf8(started.stdout).unwrap();
        let mut lines = told.lines();
        let pid = lines.find_map(|line| line.strip_prefix("pid="));
        self.pid = pid.unwrap().parse().unwrap();
    }

    /// Ends it with a signal, and waits until it is gone; its pods run on.
    pub(super) fn end(&self, signal: Signal) {
        kill(Pid::from_raw(self.pid.try_into().unwrap()), signal).unwrap();
        until("the kubelet ends", || {
            // A process that nobody has waited for yet has no command line any more.
            let line = fs::read(format!("/proc/{}/cmdline", self.pid));
            line.map_or(true, |line| line.is_empty()).then_some(())
        });
    }

    pub(super) fn socket(&self) -> PathBuf {
        self.folder.join("root/pods-api/pods-api.sock")
    }

    pub(super) fn manifests(&self) -> PathBuf {
        self.folder.join("manifests")
    }

    /// Returns the port that speaks without TLS.
    pub(super) fn plain_port(&self) -> u16 {
        self.port + READ_ONLY
    }

    /// Returns how its log ends.
    pub(super) fn log(&self) -> String {
        let text = fs::read(self.folder.join("kubelet.log")).unwrap_or_default();
        let text = String::from_utf8_lossy(&text).into_owned();
        let lines: Vec<_> = text.lines().rev().take(30).collect();
        lines.into_iter().rev().collect::<Vec<_>>().join("\n")
    }
}

impl Drop for Kubelet {
    fn drop(&mut self) {
        // The end of its input is what the guard waits for.
        drop(self.guard.stdin.take());
        let _ended = self.guard.wait();
    }
}

/// Starts a process that stops the kubelet of this folder once its own input ends.
fn guard(folder: &Path) -> Child {
    let mut shell = Command::new("sh");
    shell.args(["-c", r#"read -r end; exec "$0" "$1""#]);
    shell.arg(scripts().join("stop-kubelet.sh")).arg(folder);
    shell
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    shell.spawn().unwrap()
}

/// Returns the kubelet's program, which is built first where it has not been.
pub(super) fn program() -> Result<PathBuf, String> {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| value == "1");
    if !set("PODSAPI_REAL_KUBELET") {
        return Err("set PODSAPI_REAL_KUBELET=1 to run a kubelet".to_owned());
    }
    if !scripts().is_dir() {
        return Err("../shared/kubelet is missing".to_owned());
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/interop/kubelet/build");
    let built = Command::new(script).output();
    let built = built.map_err(|error| error.to_string())?;
    let program = String::from_utf8_lossy(&built.stdout).trim().to_owned();
    if program.is_empty() {
        return Err(String::from_utf8_lossy(&built.stderr).trim().to_owned());
    }
    Ok(PathBuf::from(program))
}

/// Returns what a kubelet calls its own version.
pub(super) fn version(program: &Path) -> String {
    let told = Command::new(program).arg("--version").output().unwrap();
    let told = String::from_utf8(told.stdout).unwrap();
    told.trim().trim_start_matches("Kubernetes ").to_owned()
}

/// Returns the folder with the small pods of many kinds.
pub(super) fn pods() -> PathBuf {
    scripts().join("pods")
}

fn scripts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/kubelet")
}

/// Where the script puts the port without TLS and the one for health, counted from the first.
const READ_ONLY: u16 = 5;
const HEALTH: u16 = 2;

/// Returns a port that is free with those that the script takes beside it.
fn free_ports() -> u16 {
    if let Some(port) = std::env::var("KUBELET_PORT")
        .ok()
        .and_then(|port| port.parse().ok())
    {
        return port;
    }
    let free = |port: u16| TcpListener::bind(("127.0.0.1", port)).is_ok();
    let mut ports = (0..1_000).map(|_| fastrand::u16(2_000..3_200) * 10);
    let found = ports.find(|port| {
        [*port, port + READ_ONLY, port - HEALTH]
            .into_iter()
            .all(free)
    });
    found.expect("few ports are in use")
}
