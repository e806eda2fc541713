//! Which pods an API server has for one node: a list, then a watch of what changes, without I/O.
//!
//! ```text
//!            whole                   clean end, or broken after 10 s and more: at once
//!   LIST ───────────▶ WATCH ◀──────────────────────────────┐
//!   ▲ ▲ ▲               │ └────────────────────────────────┘
//!   │ │ │  410 Gone     │
//!   │ │ └─ after a wait ┤
//!   │ │    90 s without │   anything else: Lost, after a wait the same watch again
//!   │ └─ a word: at once┤   (every third time in a row: a list)
//!   └───────────────────┘
//! ```
//!
//! The machine neither connects nor waits. Whoever drives it
//!
//! 1. calls [`ListWatch::poll_request`]; a request is sent, in place of the one in flight;
//! 2. tells what comes back: [`ListWatch::handle_head`], [`ListWatch::handle_body`] for each piece,
//!    however it is cut, [`ListWatch::handle_end`], or [`ListWatch::handle_failure`] when there is
//!    no answer or it breaks off;
//! 3. drains [`ListWatch::poll_word`] after each of these;
//! 4. begins again when something came or at [`ListWatch::poll_timeout`]. An answer that
//!    [`ListWatch::wants_answer`] denies can be dropped; what it still says is not listened to.
//!
//! # What is asked
//!
//! The first list may come from the server's memory (`resourceVersion=0`), later ones must be as
//! new as the last version that was seen, and only when the server no longer has that (410), or not
//! yet (it was set back), the list is read from the store. A watch goes on from the last version
//! after a loss, so that a server that is back answers each node with what changed, if anything.
//! Watches ask for bookmarks, which servers send about each minute. One without a word for 90 s may
//! be of a server that was set back, which is silent about versions that it does not have, or go
//! over a connection that no longer carries anything: a list with the last version tells.
//! Answers are asked for in Kubernetes protobuf, and taken in JSON from servers that refuse or
//! choose so.
//!
//! # What is told
//!
//! [`Word`]s, as the core takes them. A list is told when it is whole, and never in part. A pod
//! whose bytes are as before is not told again, except between [`Word::Begin`] and
//! [`Word::Complete`], where silence would mean that it is gone. A loss is told once, and takes no
//! pod away; when the watch goes on after it, what is known is told as a list, since that is true
//! again. A pod that cannot be read hides no other one: it is a text in [`ListWatch::problem`], and
//! what was read of it last stays.
//!
//! Servers tell that a pod leaves a selection as its deletion. One that is told as changed with
//! another `spec.nodeName` all the same is taken as deleted too, and named as a problem.
//!
//! # Bounds
//!
//! | what | bound | beyond it |
//! | --- | --- | --- |
//! | one pod | [`Options::max_pod_bytes`] | its problem; of the answer only the first 64 KiB of it are kept |
//! | the pods of the node | 65,536, and 512 MiB together | the problem of those that are more |
//! | a page or an event of JSON | 64 MiB | the request has failed |
//! | pages of one list | 10,000 | the request has failed |
//! | an answer without a byte | 75 s | the request has failed |
//! | a watch without a byte | 90 s | a list |
//! | a wait that a server asks for | 2 minutes | it is asked then |
//!
//! A pod is copied once, into memory of its own, so that it keeps nothing that came beside it; it
//! is never decoded. While a list comes, the one before stays, and the two share no memory.

use std::time::Duration;

use bytes::Bytes;
use podsapi_core::{DEFAULT_MAX_PODS_PER_SOURCE, Moment};

pub use request::Request;
pub use vocabulary::{Counts, Options, Word};

mod answer;
mod asking;
mod body;
mod envelope;
mod events;
mod failure;
mod fields;
mod found;
mod page;
mod pods;
mod recovery;
mod request;
mod schedule;
mod vocabulary;

use answer::Refusal;
use asking::{Asking, SILENCE, State, Task, after};
use body::Body;
use events::Event;
use failure::Cause;
use page::VERSION_BYTES;
use pods::{Bounds, Pods};
use request::Age;
use schedule::Schedule;

/// The list and the watch of one node's pods.
#[derive(Debug)]
pub struct ListWatch {
    options: Options,
    schedule: Schedule,
    pods: Pods,
    state: State,
    /// The last `resourceVersion` that a list, an event or a bookmark told.
    version: String,
    /// Whether the server refuses protobuf.
    json: bool,
    /// When the server last said something about pods, be it a bookmark.
    spoke: Moment,
    /// Watches that failed since the last list, or since one brought something.
    failed_watches: u32,
    /// Why the last request failed; `None` when it did not.
    outage: Option<String>,
    counts: Counts,
}

impl ListWatch {
    /// Begins, with a list that is due at once.
    pub fn new(options: Options, now: Moment) -> Self {
        let bounds = Bounds {
            pods: DEFAULT_MAX_PODS_PER_SOURCE.get() as usize,
            bytes: NODE_BYTES,
        };
        Self {
            schedule: Schedule::new(options.backoff, options.seed),
            pods: Pods::new(options.node_name.clone(), bounds),
            state: State::Waiting {
                until: now,
                task: Task::list(Age::Any),
            },
            version: String::new(),
            json: false,
            spoke: now,
            failed_watches: 0,
            outage: None,
            counts: Counts::default(),
            options,
        }
    }

    /// Returns what to ask, if it is time; it takes the place of what is in flight.
    pub fn poll_request(&mut self, now: Moment) -> Option<Request> {
        if let State::Asking(asking) = &self.state
            && asking.give_up <= now
        {
            self.give_up(now);
        }
        let State::Waiting { until, task } = &self.state else {
            return None;
        };
        if *until > now {
            return None;
        }
        let task = match task {
            // Watches that are cut again and again before a bookmark comes are silent, too.
            Task::Watch if after(self.spoke, WATCH_SILENCE) <= now => self.newer_list(),
            task @ (Task::Watch | Task::List { .. }) => task.clone(),
        };
        let node = &self.options.node_name;
        let request = match &task {
            Task::List { age, token, .. } => {
                self.counts.pages += 1;
                if token.is_empty() {
                    self.pods.begin();
                }
                Request::list(node, age, token, self.options.page.get(), self.json)
            }
            Task::Watch => {
                self.counts.watches += 1;
                let seconds = self.schedule.watch_seconds();
                Request::watch(node, &self.version, seconds, self.json)
            }
        };
        self.counts.requests += 1;
        self.state = State::Asking(Asking {
            task,
            body: Body::None,
            answered: None,
            give_up: after(now, SILENCE),
        });
        Some(request)
    }

    /// Returns when to call [`ListWatch::poll_request`] again if nothing comes until then.
    pub fn poll_timeout(&self) -> Option<Moment> {
        Some(match &self.state {
            State::Asking(asking) => asking.give_up,
            State::Waiting { until, .. } => *until,
        })
    }

    /// Takes the status of the answer with the headers `content-type` and `retry-after`.
    pub fn handle_head(
        &mut self,
        status: u16,
        content_type: Option<&str>,
        retry_after: Option<&str>,
        now: Moment,
    ) {
        let State::Asking(asking) = &mut self.state else {
            return;
        };
        if asking.answered.is_some() {
            return;
        }
        asking.answered = Some(now);
        asking.give_up = match asking.task {
            Task::Watch if status == 200 => after(self.spoke, WATCH_SILENCE),
            Task::List { .. } | Task::Watch => after(now, SILENCE),
        };
        if matches!(status, 406 | 415) && !self.json {
            // It may still speak JSON; that is known at once, so nothing is lost.
            self.json = true;
            self.state = State::Waiting {
                until: now,
                task: asking.task.clone(),
            };
            return;
        }
        let pod_bytes = self.options.max_pod_bytes.get() as usize;
        let is_watch = matches!(asking.task, Task::Watch);
        match Body::begin(status, content_type, retry_after, is_watch, pod_bytes) {
            Ok(body) => asking.body = body,
            Err(problem) => return self.fail(Cause::Broken(problem), now),
        }
        if is_watch && status == 200 {
            self.outage = None;
            self.pods.resume();
        }
    }

    /// Takes the next piece of the answer's body.
    pub fn handle_body(&mut self, bytes: Bytes, now: Moment) {
        let State::Asking(asking) = &mut self.state else {
            return;
        };
        if !bytes.is_empty() {
            self.spoke = now;
            asking.give_up = match asking.task {
                Task::List { .. } => after(now, SILENCE),
                Task::Watch => after(now, WATCH_SILENCE),
            };
        }
        let limit = self.options.max_pod_bytes.get() as usize;
        match &mut asking.body {
            Body::None => {}
            Body::Page(page) => {
                let mut found = Vec::new();
                let pushed = page.push(&bytes, &mut found);
                self.list(found);
                if let Err(problem) = pushed {
                    self.fail(Cause::Broken(problem), now);
                }
            }
            Body::Refusal { kept, .. } => {
                let room = REFUSAL_BYTES.saturating_sub(kept.len());
                kept.extend_from_slice(bytes.get(..room).unwrap_or(&bytes));
            }
            Body::Watch(stream) => {
                let mut events = Vec::new();
                let pushed = stream.push(&bytes, limit, &mut events);
                self.watched(events, pushed, now);
            }
        }
    }

    /// Takes that the answer is over.
    pub fn handle_end(&mut self, now: Moment) {
        let limit = self.options.max_pod_bytes.get() as usize;
        let State::Asking(asking) = &mut self.state else {
            return;
        };
        let task = asking.task.clone();
        let answered = asking.answered;
        match (std::mem::replace(&mut asking.body, Body::None), task) {
            (Body::Page(page), Task::List { age, token, pages }) => {
                let mut found = Vec::new();
                let finished = page.finish(limit, &mut found);
                self.list(found);
                match finished {
                    Ok(meta) if meta.next.is_empty() => self.listed(meta.version, now),
                    Ok(meta) if meta.next == token => {
                        let text = "a page of a list that names itself as the next one";
                        self.fail(Cause::Broken(text.to_owned()), now);
                    }
                    Ok(_) if pages >= PAGES => {
                        let text = format!("a list of more than {PAGES} pages");
                        self.fail(Cause::Broken(text), now);
                    }
                    Ok(meta) => {
                        let task = Task::List {
                            age,
                            token: meta.next,
                            pages: pages + 1,
                        };
                        self.state = State::Waiting { until: now, task };
                    }
                    Err(problem) => self.fail(Cause::Broken(problem), now),
                }
            }
            (
                Body::Refusal {
                    code,
                    retry_after,
                    kept,
                },
                _,
            ) => {
                let mut refusal = Refusal::in_body(code, &kept);
                refusal.retry_after = refusal.retry_after.max(retry_after);
                self.refused(refusal, now);
            }
            (Body::Watch(stream), _) => {
                let mut events = Vec::new();
                let finished = stream.finish(limit, &mut events);
                self.watched(events, finished, now);
                if matches!(self.state, State::Asking(_)) {
                    self.watch_ended(answered, now);
                }
            }
            (Body::None | Body::Page(_), _) => {
                let text = "the connection ended without an answer";
                self.fail(Cause::Broken(text.to_owned()), now);
            }
        }
    }

    /// Takes that there is no answer, or no more of it: no connection, no credentials, a reset.
    ///
    /// `what` says so for people.
    pub fn handle_failure(&mut self, what: &str, now: Moment) {
        let State::Asking(asking) = &self.state else {
            return;
        };
        match &asking.body {
            // Half of what the server said is more than that there is no more.
            Body::Refusal { .. } => self.handle_end(now),
            Body::None | Body::Page(_) | Body::Watch(_) => {
                self.fail(Cause::Broken(what.to_owned()), now);
            }
        }
    }

    /// Takes that another server is asked from now on, or the same one as somebody else.
    ///
    /// What is known comes of the former one: it is listed anew, and nothing stays that the list
    /// does not have. A request in flight is given up.
    pub fn handle_replaced(&mut self, now: Moment) {
        self.version.clear();
        self.json = false;
        self.failed_watches = 0;
        self.outage = None;
        self.schedule.reset();
        self.pods.disown();
        self.state = State::Waiting {
            until: now,
            task: Task::list(Age::Any),
        };
    }

    /// Takes that credentials may be new: what is in flight is given up, no wait goes on, and a list
    /// is due at once. The pods stay until it is whole.
    pub fn handle_reload(&mut self, now: Moment) {
        let task = self.newer_list();
        self.state = State::Waiting { until: now, task };
    }

    /// Returns the next word about the pods.
    pub fn poll_word(&mut self) -> Option<Word> {
        self.pods.next_word()
    }

    /// Tells whether an answer is listened to; otherwise the request in flight can be dropped.
    pub fn wants_answer(&self) -> bool {
        matches!(self.state, State::Asking(_))
    }

    /// Returns what is wrong, where, and what to do about it; `None` when all is well.
    ///
    /// The text is for people, on one line, and holds nothing that could steer a terminal.
    pub fn problem(&self) -> Option<String> {
        let faults = self.pods.faults();
        let more = faults.len().saturating_sub(FAULTS_TOLD);
        let outage = self.outage.as_deref();
        let faults = faults.map(|fault| fault.text.as_str());
        let mut lines: Vec<_> = outage.into_iter().chain(faults.take(FAULTS_TOLD)).collect();
        let rest = format!("and {more} more");
        if more > 0 {
            lines.push(&rest);
        }
        (!lines.is_empty()).then(|| lines.join("; "))
    }

    /// Returns the same in parts: why the last request failed, and what is wrong with single pods,
    /// with whether they are served as they were before.
    pub fn problems(&self) -> impl Iterator<Item = (&str, bool)> {
        let outage = self.outage.iter().map(|text| (text.as_str(), false));
        let faults = self.pods.faults();
        outage.chain(faults.map(|fault| (fault.text.as_str(), fault.outdated)))
    }

    /// Returns what has happened so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Returns the bytes of the answer under way that are held, beside the pods that are whole.
    pub fn buffered_bytes(&self) -> usize {
        match &self.state {
            State::Asking(asking) => asking.body.held(),
            State::Waiting { .. } => 0,
        }
    }

    fn list(&mut self, found: Vec<found::Found>) {
        for found in found {
            self.pods.list(found, &mut self.counts);
        }
    }

    /// Takes that the list is whole.
    fn listed(&mut self, version: String, now: Moment) {
        self.counts.lists += 1;
        self.version = version;
        self.spoke = now;
        self.failed_watches = 0;
        self.outage = None;
        self.pods.complete();
        self.state = State::Waiting {
            until: now,
            task: Task::Watch,
        };
    }

    /// Takes events, and whether the stream behind them is still one.
    fn watched(&mut self, events: Vec<Event>, stream: Result<(), String>, now: Moment) {
        for event in events {
            let version = match event {
                Event::Put(found) => {
                    self.counts.events += 1;
                    self.pods.put(&found, &mut self.counts);
                    found.names.version
                }
                Event::Deleted(found) => {
                    self.counts.events += 1;
                    if self.pods.delete(&found.names).is_err() {
                        // Only a list can tell which pod that was.
                        let text = "a deletion that does not say which pod is gone";
                        let task = self.newer_list();
                        return self.retry(Cause::Broken(text.to_owned()), None, task, now);
                    }
                    found.names.version
                }
                Event::Bookmark(version) => {
                    self.counts.bookmarks += 1;
                    version
                }
                Event::Error(refusal) => return self.refused(refusal, now),
                Event::Foreign(kind) => {
                    let text = "this type of event is not known (passed over)";
                    self.pods.remark(&format!("{kind:?}"), text);
                    continue;
                }
            };
            if version.len() > VERSION_BYTES {
                let text = "an event whose resourceVersion is too long";
                let task = Task::list(Age::Newest);
                return self.retry(Cause::Broken(text.to_owned()), None, task, now);
            }
            if !version.is_empty() {
                self.version = version;
            }
            self.failed_watches = 0;
            self.schedule.reset();
        }
        if let Err(problem) = stream {
            self.fail(Cause::Broken(problem), now);
        }
    }
}

/// Bytes of all pods of a node: the 65,536 of a source with 8 KiB each.
const NODE_BYTES: usize = 512 << 20;

/// Pages of one list: of a million pods, a hundred at a time.
const PAGES: u32 = 10_000;

/// Half as long again as servers take between two bookmarks, which is a minute.
const WATCH_SILENCE: Duration = Duration::from_secs(90);

/// As much as is kept of a refusal: what servers say has some hundred bytes.
const REFUSAL_BYTES: usize = 64 << 10;

/// Pods with problems that are told of at a time.
const FAULTS_TOLD: usize = 5;

#[cfg(test)]
mod model;
#[cfg(test)]
mod operations;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod scenes;
#[cfg(test)]
mod tests;
