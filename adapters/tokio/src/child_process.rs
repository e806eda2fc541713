//! Runs one test of this binary again in a process of its own, for what belongs to a whole process: umask, limits, descriptors.

use std::env;
use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::sync::{PoisonError, RwLock, RwLockReadGuard};
use std::thread;
use std::time::Duration;

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
pub(crate) fn none_starts() -> RwLockReadGuard<'static, ()> {
    STARTING.read().unwrap_or_else(PoisonError::into_inner)
}

/// Says whether this process is such a child.
pub(crate) fn is_child() -> bool {
    env::var_os(MARK).is_some()
}

/// Starts the test called `name` (its full path) after the shell commands in `prelude`.
pub(crate) fn start(
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
        .arg(env::current_exe().unwrap())
        .arg(name)
        .env(MARK, "1")
        .envs(variables.iter().copied())
        .stdin(stdin)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Waits for a child and checks that its test ran and passed.
pub(crate) fn finish(mut child: Child) {
    let mut waited = Duration::ZERO;
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if waited > TIME {
            child.kill().unwrap();
            panic!("the child did not end within {TIME:?}");
        }
        thread::sleep(Duration::from_millis(10));
        waited += Duration::from_millis(10);
    };
    let mut output = String::new();
    child
        .stdout
        .take()
        .unwrap()
        .read_to_string(&mut output)
        .unwrap();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut output)
        .unwrap();
    assert!(
        status.success() && output.contains("1 passed"),
        "{status}\n{output}"
    );
}

/// Runs a test in a child and waits for it.
pub(crate) fn run(name: &str, prelude: &str, stdin: impl Into<Stdio>, variables: &[(&str, &str)]) {
    finish(start(name, prelude, stdin, variables));
}
