//! Processes of the command: each is waited for, but not for ever, and none outlives its test.

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// The node whose pods are served, where a test names none.
pub(crate) const NODE: &str = "node-of-tests";

/// Longer than anything here takes on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// What a command that ended left.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

impl Ended {
    /// Returns whether the server's rate limit refused what the command asked.
    pub(crate) fn is_rate_limited(&self) -> bool {
        let refused = "RESOURCE_EXHAUSTED: rejected by rate limit";
        self.code == Some(1) && self.stderr.contains(refused)
    }

    /// Returns the output of a command that succeeded.
    pub(crate) fn text(self) -> String {
        assert_eq!(self.code, Some(0), "{self:?}");
        String::from_utf8(self.stdout).unwrap()
    }
}

/// Returns the command without any environment but what finds programs, and the name of a node: a
/// machine of tests may be a pod itself, where a server wants to be told.
pub(crate) fn command<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_podsapi"));
    command.args(arguments).env_clear().stdin(Stdio::null());
    command.env("PODSAPI_NODE_NAME", NODE);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    if let Some(path) = std::env::var_os("PATH") {
        command.env("PATH", path);
    }
    command
}

/// Runs to its end.
pub(crate) fn run<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Ended {
    Running::start(&mut command(arguments)).end()
}

/// A process that is killed when its test ends.
pub(crate) struct Running {
    child: Child,
    lines: Receiver<Vec<u8>>,
    errors: Receiver<Vec<u8>>,
    /// Lines of standard error that were read and are still to be looked at.
    kept: Mutex<VecDeque<Vec<u8>>>,
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ended = self.child.kill();
        let _status = self.child.wait();
    }
}

impl Running {
    pub(crate) fn start(command: &mut Command) -> Self {
        Self::of(command.spawn().unwrap())
    }

    /// Takes over a process; output that the test took itself is not read.
    pub(crate) fn of(mut child: Child) -> Self {
        let lines = lines_of(child.stdout.take());
        let errors = lines_of(child.stderr.take());
        Self {
            child,
            lines,
            errors,
            kept: Mutex::default(),
        }
    }

    /// Returns the process id.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Waits for the end.
    pub(crate) fn end(mut self) -> Ended {
        let status = self.wait();
        // The other ends of the pipes are closed, so both readers come to an end.
        let stdout = self.lines.iter().flatten().collect();
        let kept = std::mem::take(&mut *self.kept.lock().unwrap());
        let errors = kept.into_iter().chain(self.errors.iter());
        let stderr = String::from_utf8(errors.flatten().collect()).unwrap();
        Ended {
            code: status.code(),
            stdout,
            stderr,
        }
    }

    fn wait(&mut self) -> ExitStatus {
        until("the process ends", || self.child.try_wait().unwrap())
    }

    /// Asks it to stop, and returns how long that took.
    pub(crate) fn terminate(mut self) -> (Duration, ExitStatus) {
        let asked = now();
        self.signal(Signal::SIGTERM);
        let status = self.wait();
        (asked.elapsed(), status)
    }

    /// Asks it to stop, and returns what it left that was not looked at before.
    pub(crate) fn stop(self) -> Ended {
        self.signal(Signal::SIGTERM);
        self.end()
    }

    /// Sends it a signal.
    pub(crate) fn signal(&self, signal: Signal) {
        kill(Pid::from_raw(self.child.id().try_into().unwrap()), signal).unwrap();
    }

    /// Waits for a line of output in which `wanted` occurs, and returns it.
    pub(crate) fn line(&self, wanted: &str) -> String {
        line(|| self.lines.recv_timeout(PATIENCE), wanted).0
    }

    /// Passes over the lines of output that came until now.
    pub(crate) fn pass_lines(&self) {
        self.lines.try_iter().for_each(drop);
    }

    /// Closes the reading end of standard error, as a terminal that is closed does.
    pub(crate) fn deafen(&mut self) {
        self.errors = channel().1;
    }

    /// Waits for the first line of output, which is empty when there is none.
    pub(crate) fn first_line(&self) -> String {
        let line = self.lines.recv_timeout(PATIENCE).unwrap_or_default();
        String::from_utf8(line).unwrap()
    }

    /// Waits for such a line on standard error.
    pub(crate) fn error_line(&self, wanted: &str) -> String {
        let mut kept = self.kept.lock().unwrap();
        let next = || {
            let kept = kept.pop_front();
            kept.map_or_else(|| self.errors.recv_timeout(PATIENCE), Ok)
        };
        line(next, wanted).0
    }

    /// Waits until it says that it serves; what it says before is still to be looked at.
    fn serving(&self) {
        let (_, before) = line(|| self.errors.recv_timeout(PATIENCE), "serving");
        self.kept.lock().unwrap().extend(before);
    }
}

/// A server on a socket of its own.
pub(crate) struct Server {
    pub(crate) process: Running,
    pub(crate) socket: PathBuf,
}

impl Server {
    /// Starts a server and waits until it is ready.
    pub(crate) fn ready<S: AsRef<OsStr>>(
        directory: &Path,
        arguments: impl IntoIterator<Item = S>,
    ) -> Self {
        let server = Self::start(directory, arguments);
        until("the server is ready", || {
            (server.ask(&["check"]).code == Some(0)).then_some(())
        });
        server
    }

    /// Starts a server and waits until it listens.
    pub(crate) fn start<S: AsRef<OsStr>>(
        directory: &Path,
        arguments: impl IntoIterator<Item = S>,
    ) -> Self {
        let socket = directory.join("pods.sock");
        let mut command = command(["serve"]);
        command.arg("--socket").arg(&socket).args(arguments);
        let process = Running::start(&mut command);
        process.serving();
        Self { process, socket }
    }

    /// Runs a command against this server.
    pub(crate) fn ask(&self, arguments: &[&str]) -> Ended {
        self.command(arguments).end()
    }

    /// Lists until the rate limit refuses a list, and returns that one. Several at a time, so that they
    /// are more than the rate allows on a busy machine, too.
    pub(crate) fn drained(&self) -> Ended {
        until("a list is refused by the rate limit", || {
            let lists = [(); 8].map(|()| self.command(&["list"]));
            let mut ended = lists.map(Running::end).into_iter();
            ended.rfind(Ended::is_rate_limited)
        })
    }

    /// Starts a command against this server.
    pub(crate) fn command(&self, arguments: &[&str]) -> Running {
        let mut command = command(arguments);
        Running::start(command.arg("--socket").arg(&self.socket))
    }
}

/// Asks again and again, since another process does not tell when it has changed.
pub(crate) fn until<T>(what: &str, ask: impl FnMut() -> Option<T>) -> T {
    until_within(PATIENCE, what, ask)
}

/// As [`until`], for what takes its time.
pub(crate) fn until_within<T>(
    patience: Duration,
    what: &str,
    mut ask: impl FnMut() -> Option<T>,
) -> T {
    let started = now();
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(
            started.elapsed() < patience,
            "it takes too long until {what}"
        );
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[expect(clippy::disallowed_methods, reason = "processes run in real time")]
pub(crate) fn now() -> Instant {
    Instant::now()
}

/// Waits for a line with `wanted` in it; returns it and those before it.
fn line(
    mut next: impl FnMut() -> Result<Vec<u8>, RecvTimeoutError>,
    wanted: &str,
) -> (String, Vec<Vec<u8>>) {
    let mut seen = Vec::new();
    loop {
        match next() {
            Ok(line) => match String::from_utf8(line).unwrap() {
                line if line.contains(wanted) => return (line, seen),
                line => seen.push(line.into_bytes()),
            },
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                let seen = String::from_utf8(seen.concat()).unwrap();
                panic!("no line with {wanted:?} came after:\n{seen}")
            }
        }
    }
}

/// Reads lines, each with its end, on a thread of their own.
fn lines_of(pipe: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    if let Some(pipe) = pipe {
        std::thread::spawn(move || {
            let mut pipe = BufReader::new(pipe);
            let mut line = Vec::new();
            while pipe
                .read_until(b'\n', &mut line)
                .is_ok_and(|count| count > 0)
            {
                if sender.send(std::mem::take(&mut line)).is_err() {
                    return;
                }
            }
        });
    }
    receiver
}

/// Returns the page of metrics that a server shows on this socket.
pub(crate) fn page(socket: &Path) -> String {
    let mut stream = UnixStream::connect(socket).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let request = "GET /metrics HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

/// Writes the manifest of a pod with this name and UID.
pub(crate) fn manifest(directory: &Path, name: &str, uid: &str) {
    let text = format!(
        "apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}, namespace: shop, uid: {uid}}}\n\
         spec: {{containers: [{{name: app, image: 'example.org/app:1'}}]}}\n"
    );
    let hidden = directory.join(format!(".{name}.tmp"));
    std::fs::write(&hidden, text).unwrap();
    std::fs::rename(hidden, directory.join(format!("{name}.yaml"))).unwrap();
}
