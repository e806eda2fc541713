//! When the pods are written to the checkpoint, and when those of the earlier run are served.
//!
//! The first whole list is written at once; a change after that at the latest [`SETTLE`] later,
//! together with all that came meanwhile, so that a busy node costs one write in that time. What is
//! not written yet when the source ends is written then.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use podsapi_core::{EncodedPod, Uid};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until};

use super::checkpoint::{self, Earlier, Refused};
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
    earlier: State,
    /// When the earlier pods are due.
    open_at: Instant,
    /// When the pods as they are now are due to be written.
    write_at: Option<Instant>,
    writing: Option<JoinHandle<std::io::Result<()>>>,
    turns: Turns,
    problem: Option<Problem>,
}

/// What is known of the earlier run.
#[derive(Debug)]
enum State {
    Reading(JoinHandle<Result<Option<Earlier>, Refused>>),
    Ready(Earlier),
    /// Its pods are served.
    Served,
    /// There is nothing, or it is of no use any more.
    Over,
}

impl Keeper {
    /// Begins to read the file.
    pub(super) fn new(checkpoint: Checkpoint, node: &str) -> Self {
        let (file, of) = (checkpoint.file.clone(), node.to_owned());
        let reading = tokio::task::spawn_blocking(move || checkpoint::read(&file, &of));
        Self {
            node: node.to_owned(),
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
    /// `now` is wall time in seconds since 1970. May be given up at any time.
    pub(super) async fn next(
        &mut self,
        pods: &BTreeMap<Uid, EncodedPod>,
        now: i64,
    ) -> Option<Earlier> {
        let write_at = self.write_at.filter(|_| self.writing.is_none());
        tokio::select! {
            read = read(&mut self.earlier) => {
                self.earlier = match read {
                    Ok(Some(earlier)) => State::Ready(earlier),
                    Ok(None) => State::Over,
                    Err(text) => {
                        self.tell(text);
                        State::Over
                    }
                };
            }
            () = due(Some(self.open_at)), if matches!(self.earlier, State::Ready(_)) => {
                if let State::Ready(earlier) = std::mem::replace(&mut self.earlier, State::Served) {
                    self.tell(format!(
                        "the pods of an earlier run are served, as of {}, until the API server has \
                         told its own", rfc3339(earlier.written)));
                    return Some(earlier);
                }
            }
            written = end(&mut self.writing) => {
                self.writing = None;
                match written {
                    Ok(()) => self.problem = None,
                    Err(text) => {
                        self.tell(format!(
                            "the pods cannot be kept: {text}; {ADVICE}; it is tried again every {} \
                             seconds, and all else is served", RETRY.as_secs()));
                        self.write_at = Some(Instant::now() + RETRY);
                    }
                }
            }
            () = due(write_at) => {
                self.write_at = None;
                self.writing = Some(tokio::task::spawn_blocking(self.write(pods, now)));
            }
        }
        None
    }

    /// Writes what is not written yet, before it returns; for the end, when nothing can be awaited.
    pub(super) fn finish(&mut self, pods: &BTreeMap<Uid, EncodedPod>, now: i64) {
        if self.write_at.take().is_none() && self.writing.take().is_none() {
            return;
        }
        if let Err(error) = self.write(pods, now)() {
            let file = self.checkpoint.file.display();
            tracing::warn!(
                source = super::SOURCE,
                "{file}: the last changes of the pods are not kept: {error}"
            );
        }
    }

    fn write(
        &mut self,
        pods: &BTreeMap<Uid, EncodedPod>,
        now: i64,
    ) -> impl FnOnce() -> std::io::Result<()> + Send + use<> {
        let pods: Vec<_> = pods.values().cloned().collect();
        let (file, node) = (self.checkpoint.file.clone(), self.node.clone());
        let turn = self.turns.next();
        move || turn.take(|| checkpoint::write(&file, &node, &pods, now))
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

async fn read(state: &mut State) -> Result<Option<Earlier>, String> {
    match state {
        State::Reading(reading) => match reading.await {
            Ok(read) => read.map_err(|refused| {
                let next = match refused.is_replaced() {
                    true => "is replaced once the API server has told its pods",
                    false => "is left alone; name another file",
                };
                format!("{refused}; it is not used, and {next}")
            }),
            Err(error) => Err(error.to_string()),
        },
        State::Ready(_) | State::Served | State::Over => std::future::pending().await,
    }
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

/// After a write that failed; a full disk is seldom emptied sooner.
const RETRY: Duration = Duration::from_secs(30);

#[cfg(test)]
mod tests {
    use super::*;

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
