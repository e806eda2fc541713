//! What a container runtime says of this node's pods, over the container runtime interface.
//!
//! ```text
//! connect ─▶ Version ─▶ events? ─▶ lists ─▶ statuses of what is new or changed ─▶ a view
//!    ▲                                ▲                                             │
//!    └── failed: Lost, wait           └────── the period, or an event sooner ◀──────┘
//! ```
//!
//! Lists are the truth and are fetched on a period. An event is a hint at whose status to ask for
//! sooner, or to list sooner where it is about something new; however many there are, they lead to
//! one list a second. Runtimes lose events, deal each to only one of several clients (containerd
//! 1.7, which is left alone for that: [`Events`]), or have none (containerd 1.6), and then only the
//! period is left. A list says less than a status, so the status of each sandbox and container is
//! asked for once, and again when the list shows that it changed (`src/cri/known.rs`). Verbose
//! answers, which hold environments and mounts, are never asked for.
//!
//! One status that fails or does not come is a problem in words, leaves what was told before, and
//! is asked for again soon.
//!
//! At rest, with a period of a second, a release build of the server takes so much CPU a minute (a
//! runtime that is made, the mean of 40 s): 0.07 s for 110 pods, 0.46 s with 5,000 exited
//! containers beside them, 0.8 to 1.1 s with a hundred events a second about pods.
//!
//! A runtime that is gone, hangs or answers what cannot be read is [`Word::Lost`] and a problem in
//! words; what it said before stays the caller's to keep, and connecting is tried again for ever.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::path::PathBuf;
use std::time::Duration;

use podsapi_client::{Backoff, BackoffOptions};
use podsapi_proto::json::printable;
use tokio::time::Instant;

use crate::view::RuntimeView;

mod answers;
mod events;
mod known;
mod listed;
pub(crate) mod reading;
mod round;
mod runtime;
mod termination;
mod trouble;

pub use answers::Answers;
pub use events::Events;

use events::Hints;
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
    /// Whether its events are taken.
    pub events: Events,
}

impl Options {
    /// Asks the runtime at `socket` every second, and gives it ten for an answer.
    pub fn new(socket: impl Into<PathBuf>) -> Self {
        Self {
            socket: socket.into(),
            period: PERIOD,
            deadline: DEADLINE,
            events: Events::default(),
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
    /// The UIDs of pods of which the runtime lists something that it never told the status of, so that
    /// what a view lacks of them says nothing; told when they are others than before.
    Untold(BTreeSet<String>),
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
        untold: BTreeSet::new(),
        event_list: None,
        pause: EVENT_GAP,
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
    /// What was told last of pods that are not told.
    untold: BTreeSet<String>,
    /// When events led to a list last.
    event_list: Option<Instant>,
    /// How long to wait for more events after one.
    pause: Duration,
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
        let takes_events = self.options.events.are_taken(&version);
        (self.tell)(Word::Runtime {
            name: version.runtime_name,
            version: version.runtime_version,
        });
        // Much may have changed that no list shows, such as how a container ended.
        self.known.distrust();
        let hints = Hints::default();
        let watching = async {
            match takes_events {
                true => events::watch(&runtime, &hints).await,
                false => std::future::pending().await,
            }
        };
        tokio::select! {
            end = self.ask(&runtime, &hints) => end,
            never = watching => match never {},
        }
    }

    /// Makes rounds, each when it is due or sooner when `hints` say so.
    async fn ask(&mut self, runtime: &Runtime, hints: &Hints) -> Result<Infallible, Trouble> {
        let mut is_first = true;
        loop {
            let began = Instant::now();
            let refused = round::run(runtime, &mut self.known, began).await?;
            self.backoff.reset();
            self.report(refused);
            if !self.tell_changes(is_first) {
                (self.tell)(Word::Unchanged);
            }
            is_first = false;
            self.between(runtime, hints, began + self.options.period)
                .await?;
        }
    }

    /// Asks for the statuses that `hints` are about, and again for those that did not come, until
    /// the next list is due or `hints` ask for one.
    async fn between(
        &mut self,
        runtime: &Runtime,
        hints: &Hints,
        mut due: Instant,
    ) -> Result<(), Trouble> {
        let mut hinted = false;
        loop {
            let retry = self.known.retry_at();
            let wake = retry.map_or(due, |retry| retry.min(due));
            tokio::select! {
                () = tokio::time::sleep_until(wake) => {}
                () = hints.arrived() => tokio::time::sleep(self.pause).await,
            }
            let noted = hints.take();
            let mut lists = noted.lists;
            for id in &noted.ids {
                lists |= !self.known.handle_event(id);
            }
            let now = Instant::now();
            if lists {
                hinted = true;
                due = due.min(self.event_list.map_or(now, |last| last + EVENT_LIST_GAP));
            }
            if due <= now {
                if hinted {
                    self.event_list = Some(now);
                }
                return Ok(());
            }
            let needs = self.known.needs(now);
            if needs.is_empty() {
                continue;
            }
            let refused = round::statuses(runtime, &mut self.known, needs).await?;
            self.report(refused);
            self.tell_changes(false);
        }
    }

    /// Tells what changed, or everything if `whole`; returns whether that was anything.
    fn tell_changes(&mut self, whole: bool) -> bool {
        let untold = self.known.untold();
        // A pod is held before a view lacks something of it, and let go after one has it.
        let held: BTreeSet<String> = untold.union(&self.untold).cloned().collect();
        self.tell_untold(held);
        let changed = self.known.take_changed() || whole;
        if changed {
            self.tell_view();
        }
        self.tell_untold(untold);
        changed
    }

    fn tell_untold(&mut self, untold: BTreeSet<String>) {
        if untold != self.untold {
            (self.tell)(Word::Untold(untold.clone()));
            self.untold = untold;
        }
    }

    /// Tells everything, and finds out what that costs.
    fn tell_view(&mut self) {
        let began = Instant::now();
        (self.tell)(Word::View(self.known.view()));
        self.pause = EVENT_GAP.max(began.elapsed() * EVENT_SHARE);
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
/// is looked at together.
const EVENT_GAP: Duration = Duration::from_millis(30);

/// A list costs time for each container that there is: when events storm, they lead to no more lists
/// than the period has.
const EVENT_LIST_GAP: Duration = Duration::from_secs(1);

/// Between two views that events lead to, this many times as long as one takes: a tenth of one core
/// at the most.
const EVENT_SHARE: u32 = 10;

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
