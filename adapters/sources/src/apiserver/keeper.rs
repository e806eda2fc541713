//! When the pods are written to the checkpoint, and when those of the earlier run are served.
//!
//! The first whole list is written at once; a change after that at the latest [`SETTLE`] later,
//! together with all that came meanwhile, so that a busy node costs one write in that time. What is
//! not written yet when the source ends is written then.
//!
//! A file is of one cluster: that is found out before the first write, and before the pods of the
//! earlier run are served. Those of another cluster never are. A server that does not say its UID,
//! as one that is overloaded, is asked again until it does; meanwhile the way to it stands for it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use podsapi_core::{EncodedPod, Uid};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until};

use super::access::Cluster;
use super::checkpoint::{self, Earlier, Refused};
use super::identity::{Answered, Identity, Way, identify};
use super::trouble::Trouble;
use crate::problems::Problem;
use crate::wall::rfc3339;

/// A file that keeps the pods, so that a restart while the API server is away has some to serve.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// The file, whose folder must be there.
    pub file: PathBuf,
    /// How long the API server may take for its first whole list, until the file's pods are served.
    pub after: Duration,
}

/// Reads the file once, and writes it again and again.
#[derive(Debug)]
pub(super) struct Keeper {
    checkpoint: Checkpoint,
    node: String,
    cluster: Cluster,
    /// Which cluster the pods are of, once it is known.
    identity: Option<Identity>,
    /// Under way for a write that is due, or for a UID that was not said.
    identifying: Option<Identifying>,
    /// When the cluster is asked again for a UID that it has not said.
    ask_at: Option<Instant>,
    /// How long it is waited then.
    wait: Duration,
    earlier: State,
    /// When the earlier pods are due.
    open_at: Instant,
    /// When the pods as they are now are due to be written.
    write_at: Option<Instant>,
    writing: Option<JoinHandle<std::io::Result<()>>>,
    turns: Turns,
    problem: Option<Problem>,
}

type Identifying = JoinHandle<Result<Answered, Trouble>>;

/// What is known of the earlier run.
#[derive(Debug)]
enum State {
    Reading(JoinHandle<Result<Option<Earlier>, Refused>>),
    Ready(Earlier),
    /// Its pods are due, unless they are of another cluster.
    Compared(Earlier, Identifying),
    /// Its pods are served.
    Served,
    /// There is nothing, or it is of no use any more.
    Over,
}

impl Keeper {
    /// Begins to read the file.
    pub(super) fn new(checkpoint: Checkpoint, node: &str, cluster: &Cluster) -> Self {
        let (file, of) = (checkpoint.file.clone(), node.to_owned());
        let reading = tokio::task::spawn_blocking(move || checkpoint::read(&file, &of));
        Self {
            node: node.to_owned(),
            cluster: cluster.clone(),
            identity: None,
            identifying: None,
            ask_at: None,
            wait: FIRST_WAIT,
            earlier: State::Reading(reading),
            open_at: Instant::now() + checkpoint.after,
            checkpoint,
            write_at: None,
            writing: None,
            turns: Turns::default(),
            problem: None,
        }
    }

    /// Takes note that the first list is whole: what the file had is of no use any more.
    pub(super) fn listed(&mut self) {
        if let State::Served = self.earlier {
            self.problem = None;
        }
        self.earlier = State::Over;
        self.write_at = Some(Instant::now());
    }

    /// Takes note that a pod changed.
    pub(super) fn changed(&mut self) {
        self.write_at.get_or_insert_with(|| Instant::now() + SETTLE);
    }

    /// Waits for the next thing to do and does it; returns the earlier pods once they are due.
    ///
    /// The pods came by `way`; `now` is wall time in seconds since 1970. May be given up at any time.
    pub(super) async fn next(
        &mut self,
        pods: &BTreeMap<Uid, EncodedPod>,
        way: &Way,
        now: i64,
    ) -> Option<Earlier> {
        let busy = self.writing.is_some() || self.identifying.is_some();
        let write_at = self.write_at.filter(|_| !busy);
        let ask_at = self.ask_at.filter(|_| !busy);
        tokio::select! {
            found = found(&mut self.earlier) => match found {
                Found::Earlier(Ok(Some(earlier))) => self.earlier = State::Ready(earlier),
                Found::Earlier(Ok(None)) => self.earlier = State::Over,
                Found::Earlier(Err(text)) => {
                    self.earlier = State::Over;
                    self.tell(text);
                }
                Found::Cluster(cluster) => {
                    if let State::Compared(earlier, _) =
                        std::mem::replace(&mut self.earlier, State::Over)
                    {
                        return self.open(earlier, cluster, now);
                    }
                }
            },
            () = due(Some(self.open_at)), if matches!(self.earlier, State::Ready(_)) => {
                if let State::Ready(earlier) = std::mem::replace(&mut self.earlier, State::Over) {
                    self.earlier = State::Compared(earlier, self.identify());
                }
            }
            found = identified(self.identifying.as_mut()) => {
                self.identifying = None;
                self.name(found, way);
            }
            written = end(&mut self.writing) => {
                self.writing = None;
                match written {
                    Ok(()) => self.problem = None,
                    Err(text) => self.not_kept(&format!("{text}; {ADVICE}")),
                }
            }
            () = due(write_at) => {
                match self.identity.clone().filter(|identity| identity.way == *way) {
                    Some(of) => {
                        self.write_at = None;
                        let write = self.write(&of, pods, now);
                        self.writing = Some(tokio::task::spawn_blocking(write));
                    }
                    None => self.identifying = Some(self.identify()),
                }
            }
            () = due(ask_at) => {
                self.ask_at = None;
                self.identifying = Some(self.identify());
            }
        }
        None
    }

    /// Writes what is not written yet, before it returns; for the end, when nothing can be awaited.
    pub(super) fn finish(&mut self, pods: &BTreeMap<Uid, EncodedPod>, way: &Way, now: i64) {
        if self.write_at.take().is_none() && self.writing.take().is_none() {
            return;
        }
        let known = self.identity.take().filter(|identity| identity.way == *way);
        let of = known.unwrap_or_else(|| Identity {
            uid: String::new(),
            way: way.clone(),
        });
        if let Err(error) = self.write(&of, pods, now)() {
            let file = self.checkpoint.file.display();
            tracing::warn!(
                source = super::SOURCE,
                "{file}: the last changes of the pods are not kept: {error}"
            );
        }
    }

    fn identify(&self) -> Identifying {
        tokio::spawn(identify(self.cluster.clone()))
    }

    /// Returns the earlier pods if they are of the cluster that was found; keeps them where none was.
    fn open(
        &mut self,
        earlier: Earlier,
        found: Result<Answered, String>,
        now: i64,
    ) -> Option<Earlier> {
        match found {
            Ok(here) if here.identity.is(&earlier.of) => {
                self.earlier = State::Served;
                self.tell(format!(
                    "the pods of an earlier run are served, as of {}, {} ago, until the API server \
                     has told its own",
                    rfc3339(earlier.written),
                    span(earlier.age(now))
                ));
                Some(earlier)
            }
            Ok(here) if !here.is_final && !earlier.of.uid.is_empty() => {
                self.tell(format!(
                    "is of another cluster: of that at {}, and this is {}, which has not said its \
                     UID; it is not used unless that is the same, for which is asked every {} \
                     seconds, and is replaced once the API server has told its pods",
                    earlier.of,
                    here.identity,
                    COMPARE.as_secs()
                ));
                self.compare_later(earlier);
                None
            }
            Ok(Answered { identity: here, .. }) => {
                self.tell(format!(
                    "is of another cluster: of that at {}, and this is {here}; it is not used, and \
                     is replaced once the API server has told its pods",
                    earlier.of
                ));
                None
            }
            Err(text) => {
                self.tell(format!(
                    "the pods of an earlier run, as of {}, are not served before it is known which \
                     cluster this is: {text}; it is tried again every {} seconds",
                    rfc3339(earlier.written),
                    COMPARE.as_secs()
                ));
                self.compare_later(earlier);
                None
            }
        }
    }

    fn compare_later(&mut self, earlier: Earlier) {
        self.open_at = Instant::now() + COMPARE;
        self.earlier = State::Ready(earlier);
    }

    /// Takes which cluster the pods are of that came by `way`.
    fn name(&mut self, found: Result<Answered, String>, way: &Way) {
        let known = self.identity.take().filter(|known| known.way == *way);
        let wrong = match found {
            Ok(Answered { identity, is_final }) if identity.way == *way => {
                if is_final {
                    self.wait = FIRST_WAIT;
                    if known.is_some_and(|known| known != identity) {
                        // What was written does not have the UID.
                        self.write_at.get_or_insert_with(Instant::now);
                    }
                } else {
                    self.ask_later();
                }
                self.identity = Some(identity);
                return;
            }
            // The credentials were changed, and the pods are still those of before.
            Ok(Answered { identity, .. }) => {
                format!("they are not of the cluster at {identity}")
            }
            Err(text) => text,
        };
        match known {
            // They are kept all the same, by the way to it.
            Some(known) => {
                self.identity = Some(known);
                self.ask_later();
            }
            None => self.not_kept(&wrong),
        }
    }

    fn ask_later(&mut self) {
        self.ask_at = Some(Instant::now() + self.wait);
        self.wait = RETRY.min(self.wait * 2);
    }

    fn not_kept(&mut self, text: &str) {
        self.tell(format!(
            "the pods cannot be kept: {text}; it is tried again every {} seconds, and all else is \
             served",
            RETRY.as_secs()
        ));
        self.write_at = Some(Instant::now() + RETRY);
    }

    fn write(
        &mut self,
        of: &Identity,
        pods: &BTreeMap<Uid, EncodedPod>,
        now: i64,
    ) -> impl FnOnce() -> std::io::Result<()> + Send + use<> {
        let pods: Vec<_> = pods.values().cloned().collect();
        let (file, node) = (self.checkpoint.file.clone(), self.node.clone());
        let (of, turn) = (of.clone(), self.turns.next());
        move || turn.take(|| checkpoint::write(&file, &node, &of, &pods, now))
    }

    pub(super) fn problem(&self) -> Option<&Problem> {
        self.problem.as_ref()
    }

    fn tell(&mut self, text: String) {
        let file = self.checkpoint.file.display().to_string();
        self.problem = Some(Problem::fault(file, text));
    }
}

/// The order of the writes: one at a time, and none after a later one.
#[derive(Debug, Default)]
struct Turns {
    given: u64,
    taken: Arc<Mutex<u64>>,
}

#[derive(Debug)]
struct Turn {
    number: u64,
    taken: Arc<Mutex<u64>>,
}

impl Turns {
    fn next(&mut self) -> Turn {
        self.given += 1;
        Turn {
            number: self.given,
            taken: Arc::clone(&self.taken),
        }
    }
}

impl Turn {
    fn take(self, write: impl FnOnce() -> std::io::Result<()>) -> std::io::Result<()> {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        if *taken > self.number {
            return Ok(());
        }
        *taken = self.number;
        write()
    }
}

async fn due(at: Option<Instant>) {
    match at {
        Some(at) => sleep_until(at).await,
        None => std::future::pending().await,
    }
}

/// What came to light about the earlier run.
#[derive(Debug)]
enum Found {
    Cluster(Result<Answered, String>),
    Earlier(Result<Option<Earlier>, String>),
}

async fn found(state: &mut State) -> Found {
    match state {
        State::Reading(reading) => Found::Earlier(read(reading).await),
        State::Compared(_, identifying) => Found::Cluster(identified(Some(identifying)).await),
        State::Ready(_) | State::Served | State::Over => std::future::pending().await,
    }
}

async fn read(
    reading: &mut JoinHandle<Result<Option<Earlier>, Refused>>,
) -> Result<Option<Earlier>, String> {
    match reading.await {
        Ok(read) => read.map_err(|refused| {
            if refused.is_of_the_folder() {
                return format!("is not used: {refused}");
            }
            let next = match refused.is_replaced() {
                true => "is replaced once the API server has told its pods",
                false => "is left alone; name another file",
            };
            format!("{refused}; it is not used, and {next}")
        }),
        Err(error) => Err(error.to_string()),
    }
}

async fn identified(identifying: Option<&mut Identifying>) -> Result<Answered, String> {
    match identifying {
        Some(identifying) => match identifying.await {
            Ok(found) => found.map_err(|Trouble { place, text }| format!("{place}: {text}")),
            Err(error) => Err(error.to_string()),
        },
        None => std::future::pending().await,
    }
}

/// Returns so many seconds as people say it.
fn span(seconds: i64) -> String {
    for (unit, length) in [("days", 86_400), ("hours", 3_600), ("minutes", 60)] {
        if seconds >= 2 * length {
            return format!("{} {unit}", seconds / length);
        }
    }
    format!("{seconds} seconds")
}

async fn end(writing: &mut Option<JoinHandle<std::io::Result<()>>>) -> Result<(), String> {
    match writing {
        Some(writing) => match writing.await {
            Ok(written) => written.map_err(|error| error.to_string()),
            Err(error) => Err(error.to_string()),
        },
        None => std::future::pending().await,
    }
}

const ADVICE: &str =
    "name a file of its own, make room in its folder and let this user write there";

/// How long a change waits for others to be written with.
pub(super) const SETTLE: Duration = Duration::from_secs(10);

/// How often it is looked whether a kubeconfig that cannot be used has come right.
const COMPARE: Duration = Duration::from_secs(5);

/// How long after the first question for a UID that was not answered the second follows; the waits
/// double, up to [`RETRY`].
const FIRST_WAIT: Duration = Duration::from_secs(1);

/// After a write that failed; a full disk is seldom emptied sooner.
const RETRY: Duration = Duration::from_secs(30);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_is_told_in_the_largest_unit_of_which_there_are_two() {
        for (seconds, expected) in [
            (0, "0 seconds"),
            (119, "119 seconds"),
            (120, "2 minutes"),
            (7_199, "119 minutes"),
            (7_200, "2 hours"),
            (172_800, "2 days"),
        ] {
            assert_eq!(span(seconds), expected);
        }
    }

    #[test]
    fn a_write_that_comes_after_a_later_one_is_none() {
        let mut turns = Turns::default();
        let [first, second] = [(); 2].map(|()| turns.next());
        let written = std::cell::RefCell::new(Vec::new());
        for (turn, name) in [(second, "second"), (first, "first")] {
            let write = || {
                written.borrow_mut().push(name);
                Ok(())
            };
            turn.take(write).unwrap();
        }
        assert_eq!(written.into_inner(), ["second"]);
    }
}
