//! What is asked, or is to be asked at which time.

use std::time::Duration;

use podsapi_core::Moment;

use super::body::Body;
use super::request::Age;

/// Whether something is asked.
#[derive(Debug)]
pub(super) enum State {
    Asking(Asking),
    Waiting { until: Moment, task: Task },
}

/// What is to be asked.
#[derive(Clone, Debug)]
pub(super) enum Task {
    List {
        age: Age,
        /// What stands for the next page, empty on the first one.
        token: String,
        /// Pages that came before.
        pages: u32,
    },
    Watch,
}

/// A request in flight.
#[derive(Debug)]
pub(super) struct Asking {
    pub(super) task: Task,
    pub(super) body: Body,
    /// When the head of the answer came.
    pub(super) answered: Option<Moment>,
    /// When it is given up, unless something comes.
    pub(super) give_up: Moment,
}

impl Task {
    pub(super) fn list(age: Age) -> Self {
        Self::List {
            age,
            token: String::new(),
            pages: 1,
        }
    }
}

pub(super) fn after(now: Moment, wait: Duration) -> Moment {
    now.plus_nanos(u64::try_from(wait.as_nanos()).unwrap_or(u64::MAX))
}

pub(super) fn lasted(answered: Option<Moment>, now: Moment) -> Duration {
    Duration::from_nanos(answered.map_or(0, |answered| now.nanos_since(answered)))
}

/// As long as servers give themselves for one answer (60 s), and some more.
pub(super) const SILENCE: Duration = Duration::from_secs(75);
