//! When the pods are written to the checkpoint, and when those of the earlier run are served.
//!
//! The first whole list is written at once; a change after that at the latest [`SETTLE`] later,
//! together with all that came meanwhile, so that a busy node costs one write in that time.

use std::collections::BTreeMap;
use std::path::PathBuf;
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
                let pods: Vec<_> = pods.values().cloned().collect();
                let (file, node) = (self.checkpoint.file.clone(), self.node.clone());
                let write = move || checkpoint::write(&file, &node, &pods, now);
                self.writing = Some(tokio::task::spawn_blocking(write));
            }
        }
        None
    }

    pub(super) fn problem(&self) -> Option<&Problem> {
        self.problem.as_ref()
    }

    fn tell(&mut self, text: String) {
        let file = self.checkpoint.file.display().to_string();
        self.problem = Some(Problem::fault(file, text));
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
