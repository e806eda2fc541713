//! What is asked next when an answer is a refusal, breaks off, ends or does not come.

use std::time::Duration;

use podsapi_core::Moment;
use podsapi_proto::json::printable;

use super::ListWatch;
use super::answer::Refusal;
use super::asking::{Asking, State, Task, after, lasted};
use super::body::Body;
use super::failure::{Cause, Failure};
use super::request::Age;

impl ListWatch {
    /// Takes that nothing came for too long.
    pub(super) fn give_up(&mut self, now: Moment) {
        let State::Asking(asking) = &self.state else {
            return;
        };
        let text = match (&asking.task, &asking.body) {
            (Task::Watch, Body::Watch(_)) => {
                self.counts.silences += 1;
                let task = self.newer_list();
                self.state = State::Waiting { until: now, task };
                return;
            }
            _ if asking.answered.is_some() => "the server fell silent",
            _ => "no answer came in time, be it of the server or of a credentials plugin",
        };
        self.fail(Cause::Broken(text.to_owned()), now);
    }

    /// Takes that a watch came to an end between two events.
    pub(super) fn watch_ended(&mut self, answered: Option<Moment>, now: Moment) {
        if lasted(answered, now) < SHORT_WATCH {
            let text = "the server ended the watch as soon as it had begun";
            return self.fail(Cause::Broken(text.to_owned()), now);
        }
        if lasted(answered, now) >= PROVEN_WATCH {
            self.schedule.reset();
        }
        self.failed_watches = 0;
        self.state = State::Waiting {
            until: now,
            task: Task::Watch,
        };
    }

    /// Takes that the server does not do what it was asked for.
    pub(super) fn refused(&mut self, refusal: Refusal, now: Moment) {
        let State::Asking(asking) = &self.state else {
            return;
        };
        let retry_after = refusal.retry_after;
        let gone = refusal.is_expired() || refusal.ahead;
        let next = match &asking.task {
            Task::Watch if refusal.ahead => Task::list(Age::Newest),
            Task::Watch if gone => self.newer_list(),
            // One in one piece has no pages that could expire; a server that says so waits.
            Task::List { age, token, .. }
                if gone && !token.is_empty() && *age != Age::NewestWhole =>
            {
                Task::list(Age::NewestWhole)
            }
            Task::List {
                age: Age::Any | Age::NotOlderThan(_),
                ..
            } if gone => Task::list(Age::Newest),
            // It cannot even read that version, which another server told.
            Task::List {
                age: Age::NotOlderThan(_),
                ..
            } if refusal.code == 400 => {
                let next = Task::list(Age::Newest);
                return self.retry(Cause::Refused(refusal), retry_after, next, now);
            }
            Task::List { .. } | Task::Watch => {
                let next = self.again(retry_again(refusal.code));
                return self.retry(Cause::Refused(refusal), retry_after, next, now);
            }
        };
        // Nothing is lost as long as the list that follows succeeds. All nodes may be told so in
        // the same instant, so that a list after a watch waits; one after a list has waited.
        self.counts.expired += 1;
        let until = match &asking.task {
            Task::List { .. } => now,
            Task::Watch => {
                if lasted(asking.answered, now) >= PROVEN_WATCH {
                    self.schedule.reset();
                }
                after(now, self.schedule.next_wait(retry_after))
            }
        };
        self.state = State::Waiting { until, task: next };
    }

    /// Takes that a request failed.
    pub(super) fn fail(&mut self, cause: Cause, now: Moment) {
        if let State::Asking(asking) = &self.state
            && matches!(asking.task, Task::Watch)
            && !matches!(asking.body, Body::Refusal { .. })
            && lasted(asking.answered, now) >= PROVEN_WATCH
        {
            // Something on the way cut it, as many a proxy does with what is quiet. Whether the
            // server is away shows the next one, which costs the server little.
            self.counts.failures += 1;
            self.schedule.reset();
            self.failed_watches = 0;
            self.state = State::Waiting {
                until: now,
                task: Task::Watch,
            };
            return;
        }
        let next = self.again(true);
        self.retry(cause, None, next, now);
    }

    /// Returns what to ask after a failure.
    fn again(&mut self, same: bool) -> Task {
        match &self.state {
            State::Asking(Asking {
                task: Task::List { age, .. },
                ..
            }) => Task::list(age.clone()),
            State::Asking(_) => {
                self.failed_watches += 1;
                match same && self.failed_watches < WATCHES {
                    true => Task::Watch,
                    false => self.newer_list(),
                }
            }
            State::Waiting { task, .. } => task.clone(),
        }
    }

    /// Returns the task of a list that goes not back behind what is known.
    pub(super) fn newer_list(&self) -> Task {
        Task::list(Age::NotOlderThan(self.version.clone()))
    }

    pub(super) fn retry(
        &mut self,
        cause: Cause,
        retry_after: Option<u64>,
        next: Task,
        now: Moment,
    ) {
        let verb = match &self.state {
            State::Asking(Asking {
                task: Task::List { .. },
                ..
            }) => "list",
            State::Asking(asking) => {
                if lasted(asking.answered, now) >= PROVEN_WATCH {
                    self.schedule.reset();
                }
                "watch"
            }
            State::Waiting { .. } => return,
        };
        let failure = Failure {
            verb,
            node: &self.options.node_name,
            synced: self.pods.is_synced(),
            cause,
        };
        self.outage = Some(printable(&failure.to_string()).into_owned());
        self.counts.failures += 1;
        self.pods.lose();
        let wait = self.schedule.next_wait(retry_after);
        self.state = State::Waiting {
            until: after(now, wait),
            task: next,
        };
    }
}

/// Tells whether a watch that was refused with this code may succeed as it is at another time.
fn retry_again(code: u16) -> bool {
    matches!(code, 0 | 401 | 403..=408 | 415 | 425 | 429 | 300..=399 | 500..=599)
}

/// A watch that ends within this time is one that the server did not want.
const SHORT_WATCH: Duration = Duration::from_secs(1);

/// After this time a watch without news has shown that the server is well.
const PROVEN_WATCH: Duration = Duration::from_secs(10);

/// Watches that may fail in a row before a list shows whether that is better.
const WATCHES: u32 = 3;
