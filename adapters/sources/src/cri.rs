//! What a container runtime says of this node's pods, over the container runtime interface.
//!
//! ```text
//! connect ─▶ Version ─▶ events? ─▶ lists ─▶ statuses of what is new or changed ─▶ a view
//!    ▲                                ▲                                             │
//!    └── failed: Lost, wait           └────── the period, or an event sooner ◀──────┘
//! ```
//!
//! Lists are the truth and are fetched on a period; an event is a hint to fetch them sooner, since
//! runtimes lose events, deal each to only one of several clients (containerd 1.7), or have none
//! (containerd 1.6 answers `UNIMPLEMENTED`, and only the period is left). A list says less than a
//! status, so the status of each sandbox and container is asked for once, and again when the list
//! shows that it changed (`src/cri/known.rs`). Verbose answers, which hold environments and mounts,
//! are never asked for.
//!
//! A runtime that is gone, hangs or answers what cannot be read is [`Word::Lost`] and a problem in
//! words; what it said before stays the caller's to keep, and connecting is tried again for ever.

use std::convert::Infallible;
use std::path::PathBuf;
use std::time::Duration;

use podsapi_client::{Backoff, BackoffOptions};
use podsapi_proto::json::printable;
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::view::RuntimeView;

mod answers;
mod events;
mod known;
pub(crate) mod reading;
mod round;
mod runtime;
mod termination;
mod trouble;

pub use answers::Answers;

use known::Known;
use runtime::Runtime;
use trouble::Trouble;

/// Which runtime to ask, and how often.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The runtime's UNIX socket.
    pub socket: PathBuf,
    /// How often everything is listed, events or not.
    pub period: Duration,
    /// How long the runtime may take for one answer.
    pub deadline: Duration,
}

impl Options {
    /// Asks the runtime at `socket` every second, and gives it ten for an answer.
    pub fn new(socket: impl Into<PathBuf>) -> Self {
        Self {
            socket: socket.into(),
            period: PERIOD,
            deadline: DEADLINE,
        }
    }
}

/// What the source tells, in order: the runtime's name before its first view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Word {
    /// The runtime does not answer; a view follows when it does again.
    Lost,
    /// What is wrong changed; `None` when nothing is any more.
    Problem(Option<String>),
    /// What the runtime calls itself, told on every connection.
    Runtime {
        /// The scheme of container IDs, such as "containerd".
        name: String,
        /// The runtime's version, as it spells it.
        version: String,
    },
    /// The runtime was looked at again and has what it had in the view before.
    Unchanged,
    /// Everything that the runtime has; told when it differs from the view before, and always on a
    /// new connection.
    View(RuntimeView),
}

/// Asks the runtime until the future is dropped, and tells `tell` what it says.
pub async fn run(options: Options, tell: impl Fn(Word) + Send + Sync) -> Infallible {
    let mut source = Source {
        // The instants of failures differ from node to node by themselves; one runtime serves one
        // node, so nothing is to be spread.
        backoff: Backoff::new(backoff(), 0),
        known: Known::default(),
        problem: None,
        tell,
        options,
    };
    loop {
        let trouble = source.stay_connected().await;
        source.report(Some(trouble.told(&source.options.socket)));
        (source.tell)(Word::Lost);
        tokio::time::sleep(source.backoff.next_wait()).await;
    }
}

/// The source between two rounds.
struct Source<T> {
    options: Options,
    backoff: Backoff,
    known: Known,
    /// What was told last.
    problem: Option<String>,
    tell: T,
}

impl<T: Fn(Word) + Send + Sync> Source<T> {
    /// Connects and asks; returns why that came to an end.
    async fn stay_connected(&mut self) -> Trouble {
        match self.connected().await {
            Ok(never) => match never {},
            Err(trouble) => trouble,
        }
    }

    async fn connected(&mut self) -> Result<Infallible, Trouble> {
        let runtime = Runtime::connect(&self.options.socket, self.options.deadline).await?;
        let version = runtime.version().await?;
        tracing::info!(
            runtime = version.runtime_name,
            version = version.runtime_version,
            "connected to the container runtime"
        );
        (self.tell)(Word::Runtime {
            name: version.runtime_name,
            version: version.runtime_version,
        });
        // Much may have changed that no list shows, such as how a container ended.
        self.known.distrust();
        let changed = Notify::new();
        tokio::select! {
            end = self.ask(&runtime, &changed) => end,
            never = events::watch(&runtime, &changed) => match never {},
        }
    }

    /// Makes rounds, each when it is due or sooner when `changed` says so.
    async fn ask(&mut self, runtime: &Runtime, changed: &Notify) -> Result<Infallible, Trouble> {
        let mut told: Option<RuntimeView> = None;
        loop {
            let began = Instant::now();
            let refused = round::run(runtime, &mut self.known, began).await?;
            self.backoff.reset();
            self.report(refused);
            let view = self.known.view();
            if told.as_ref() == Some(&view) {
                (self.tell)(Word::Unchanged);
            } else {
                (self.tell)(Word::View(view.clone()));
                told = Some(view);
            }
            let due = began + self.options.period;
            tokio::select! {
                () = tokio::time::sleep_until(due) => {}
                () = changed.notified() => tokio::time::sleep(EVENT_GAP).await,
            }
        }
    }

    /// Tells what is wrong if that is not known yet.
    fn report(&mut self, problem: Option<String>) {
        // A runtime's own words may hold anything.
        let problem = problem.map(|text| printable(&text).into_owned());
        if problem == self.problem {
            return;
        }
        match &problem {
            Some(text) => tracing::warn!(source = SOURCE, "{text}"),
            None => tracing::info!(source = SOURCE, "the runtime answers well again"),
        }
        (self.tell)(Word::Problem(problem.clone()));
        self.problem = problem;
    }
}

const SOURCE: &str = "cri";

/// As often as a kubelet lists the same: two lists are a millisecond of the runtime's time, and
/// where there are no events this is how late a restart can be seen.
const PERIOD: Duration = Duration::from_secs(1);

/// A healthy runtime answers in milliseconds; ten seconds cover one that is starting many pods.
const DEADLINE: Duration = Duration::from_secs(10);

/// After an event, others follow (a container is made, then started): what arrives within this time
/// is one round, so that a busy runtime is listed at most some 30 times a second.
const EVENT_GAP: Duration = Duration::from_millis(30);

/// A runtime that restarts is back within a second or takes long; one that is gone is asked every
/// two seconds, which costs one failed connect.
fn backoff() -> BackoffOptions {
    BackoffOptions {
        max: Duration::from_secs(2),
        ..BackoffOptions::default()
    }
}

#[cfg(test)]
mod fake;
#[cfg(test)]
mod tests;
