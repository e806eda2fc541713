//! Processes of tests: a test of the binary run again by itself, for what belongs to a whole process (umask, limits, descriptors), and examples.

mod embedding;

use std::env;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{PoisonError, RwLock, RwLockReadGuard};
use std::thread;
use std::time::Duration;

pub use embedding::embedding_example;

/// Set in the child, so that the test knows that its setting is prepared.
const MARK: &str = "PODSAPI_TEST_CHILD";

/// How long a child may take.
const TIME: Duration = Duration::from_secs(60);

/// Held for writing while a child starts.
static STARTING: RwLock<()> = RwLock::new(());

/// Keeps children from starting meanwhile.
///
/// Until a new process runs its program it holds copies of all descriptors, so a listener that this process closes would
/// answer a little longer.
pub fn none_starts() -> RwLockReadGuard<'static, ()> {
    STARTING.read().unwrap_or_else(PoisonError::into_inner)
}

/// Says whether this process is such a child.
pub fn is_child() -> bool {
    env::var_os(MARK).is_some()
}

/// Starts the test called `name` (its full path) after the shell commands in `prelude`.
///
/// # Panics
///
/// When no process can be started.
pub fn start(
    name: &str,
    prelude: &str,
    stdin: impl Into<Stdio>,
    variables: &[(&str, &str)],
) -> Child {
    let script = format!("{prelude}\nexec \"$0\" --exact \"$1\" --nocapture --test-threads 1");
    let _starting = STARTING.write().unwrap_or_else(PoisonError::into_inner);
    Command::new("sh")
        .arg("-c")
        .arg(script)
        .arg(env::current_exe().expect("a test is run from a file"))
        .arg(name)
        .env(MARK, "1")
        .envs(variables.iter().copied())
        .stdin(stdin)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("there is room for a process")
}

/// Waits for a child and checks that its test ran and passed.
///
/// # Panics
///
/// When it did not, or takes too long.
pub fn finish(child: Child) {
    let mut status = None;
    let mut running = Running(child);
    running.until("does not end", |child| {
        status = child.try_wait().expect("the child is ours");
        status.is_some()
    });
    let child = &mut running.0;
    let mut output = String::new();
    let streams: [Option<Box<dyn Read>>; 2] = [
        child.stdout.take().map(|stream| Box::new(stream) as _),
        child.stderr.take().map(|stream| Box::new(stream) as _),
    ];
    for mut stream in streams.into_iter().flatten() {
        stream
            .read_to_string(&mut output)
            .expect("a test prints text");
    }
    assert!(
        status.is_some_and(|status| status.success()) && output.contains("1 passed"),
        "{status:?}\n{output}"
    );
}

/// Runs a test in a child and waits for it.
///
/// # Panics
///
/// As [`start`] and [`finish`].
pub fn run(name: &str, prelude: &str, stdin: impl Into<Stdio>, variables: &[(&str, &str)]) {
    finish(start(name, prelude, stdin, variables));
}

/// Runs an example of the package under test with the path of a socket, lets `check` look once the
/// socket is there, and asks the example to end.
///
/// # Panics
///
/// When the example was not built, makes no socket, or does not end well in time.
pub fn serving_example(name: &str, check: impl FnOnce(&Path)) {
    let test = env::current_exe().expect("a test is run from a file");
    let folder = test.parent().and_then(Path::parent);
    let example = folder
        .expect("tests lie in a folder of their own")
        .join("examples")
        .join(name);
    assert!(
        example.exists(),
        "{} is not there; `cargo test` without a target builds it",
        example.display()
    );
    let directory = tempfile::tempdir().expect("there is room for a folder");
    let socket = directory.path().join("pods.sock");
    let child = Command::new(example)
        .arg(&socket)
        .stdin(Stdio::null())
        .spawn()
        .expect("an example can be run");
    let mut running = Running(child);
    running.until("makes no socket", |_| socket.exists());
    check(&socket);
    let pid = running.0.id().to_string();
    let told = Command::new("kill").args(["-TERM", &pid]).status();
    assert!(told.is_ok_and(|status| status.success()), "nobody to tell");
    let mut success = false;
    running.until("does not end", |child| {
        let status = child.try_wait().expect("the child is ours");
        success = status.is_some_and(|status| status.success());
        status.is_some()
    });
    assert!(success, "the example fails");
    assert!(!socket.exists(), "the example leaves its socket behind");
}

/// A process that ends with the value.
struct Running(Child);

impl Running {
    fn until(&mut self, what: &str, mut is_so: impl FnMut(&mut Child) -> bool) {
        let mut waited = Duration::ZERO;
        while !is_so(&mut self.0) {
            assert!(waited < TIME, "within {TIME:?} the process {what}");
            thread::sleep(Duration::from_millis(10));
            waited += Duration::from_millis(10);
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It has ended already, unless a test fails.
        let _killed = self.0.kill();
        let _ended = self.0.wait();
    }
}
