//! What is known of a runtime's sandboxes and containers, and whose status must be asked for.
//!
//! Pure. What is shown of each is the last status that the runtime told of it: a status that fails
//! or does not come leaves the one before, and nothing is shown of what was never told, nor of a
//! container whose sandbox never was. What is not listed any more is gone once all statuses of its
//! pod were told; until then its place could be taken by what is listed and not told yet.
//!
//! A status is asked for once, and again
//!
//! * when the list shows another state than it, or an event is about it;
//! * two seconds after the first status of a container that failed, since runtimes learn that it
//!   was short of memory from another event than its end;
//! * while it cannot be final: a ready sandbox without address, a container in an unknown state;
//! * every two seconds for a sandbox that is not ready and has an address: one that was stopped
//!   loses it when its network is taken down, some time after lists show it as not ready, and one
//!   that died keeps it;
//! * a second after the runtime failed to tell it or told what the list does not have, then less
//!   and less often;
//! * on a new connection.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use podsapi_proto::cri;
use podsapi_proto::text::readable;
use tokio::time::Instant;

use super::{listed, reading};
use crate::view::{Container, ContainerState, RuntimeView, Sandbox};

/// What lists and statuses have told so far.
#[derive(Debug, Default)]
pub(super) struct Known {
    containers: BTreeMap<String, Entry<Container>>,
    sandboxes: BTreeMap<String, Entry<Sandbox>>,
    /// How many lists were taken.
    lists: u64,
    /// Whether the view is another one than when this was asked last.
    changed: bool,
}

/// A status that must be asked for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Need {
    /// Of the container with this ID.
    Container(String),
    /// Of the sandbox with this ID.
    Sandbox(String),
}

impl Need {
    /// The call that answers it.
    pub(super) fn method(&self) -> &'static str {
        match self {
            Self::Container(_) => "ContainerStatus",
            Self::Sandbox(_) => "PodSandboxStatus",
        }
    }
}

/// One item of a list.
#[derive(Debug)]
struct Entry<S> {
    /// What it belongs to: the pod's UID of a sandbox, the sandbox's ID of a container.
    of: String,
    /// The last list that had it.
    listed_in: u64,
    /// Its state there.
    listed_state: i32,
    /// The last status that was told.
    status: Option<S>,
    /// Whether that answers the last question.
    is_answered: bool,
    /// Questions in a row without an answer that agrees with the list.
    failures: u32,
    /// When to ask (again).
    ask: Ask,
    /// When to ask at the earliest whether an end was told in full.
    confirm_at: Option<Instant>,
    /// Why the runtime did not tell the status when it was asked last.
    refused: Option<String>,
}

/// When a status is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ask {
    /// Not before this instant.
    After(Instant),
    /// Not until the list changes.
    OnChange,
    /// As soon as anything is asked.
    Now,
}

impl<S: Told> Entry<S> {
    fn new(of: String, listed_in: u64, listed_state: i32) -> Self {
        Self {
            of,
            listed_in,
            listed_state,
            status: None,
            is_answered: false,
            failures: 0,
            ask: Ask::Now,
            confirm_at: None,
            refused: None,
        }
    }

    /// Takes that a list has it in this state.
    fn handle_listed(&mut self, list: u64, state: i32) {
        if self.listed_in == list {
            // A list that has it twice says nothing by that.
            return;
        }
        let came_back = self.listed_in + 1 < list;
        let changed = self.listed_state != state;
        self.listed_in = list;
        self.listed_state = state;
        if came_back || changed && !self.agrees() {
            self.ask = Ask::Now;
            self.is_answered = false;
        }
    }

    /// Whether the status says what the list says; a list can be older than a status.
    fn agrees(&self) -> bool {
        let status = self.status.as_ref();
        status.is_some_and(|status| status.is_listed_as(self.listed_state))
    }

    /// Takes a status; returns whether it says something new.
    fn handle_status(&mut self, status: S, now: Instant) -> bool {
        let changed = self.status.as_ref() != Some(&status);
        self.status = Some(status);
        self.is_answered = true;
        self.refused = None;
        if self.agrees() {
            self.failures = 0;
            self.ask = Ask::OnChange;
        } else {
            self.ask = self.later(now);
        }
        changed
    }

    /// Takes that no status came.
    fn handle_failure(&mut self, refused: Option<String>, now: Instant) {
        self.is_answered = false;
        self.ask = self.later(now);
        self.refused = refused;
    }

    /// Returns when to ask after one more failure.
    fn later(&mut self, now: Instant) -> Ask {
        let wait = RETRY_FIRST.saturating_mul(1 << self.failures.min(RETRY_DOUBLINGS));
        self.failures = self.failures.saturating_add(1);
        Ask::After(now + wait.min(RETRY_MAX))
    }

    fn is_due(&self, list: u64, now: Instant) -> bool {
        self.listed_in == list
            && match self.ask {
                Ask::After(instant) => instant <= now,
                Ask::OnChange => false,
                Ask::Now => true,
            }
    }

    fn is_untold(&self, list: u64) -> bool {
        // What the runtime does not have is told by that.
        self.status.is_none() && self.listed_in == list && self.refused.is_some()
    }

    /// When it is asked for again because the runtime failed to tell it.
    fn retry_at(&self, list: u64) -> Option<Instant> {
        match self.ask {
            Ask::After(instant) if !self.is_answered && self.listed_in == list => Some(instant),
            Ask::After(_) | Ask::Now | Ask::OnChange => None,
        }
    }
}

/// A status that can be compared with a list.
trait Told: PartialEq {
    /// Whether it says the same as this state of a list.
    fn is_listed_as(&self, state: i32) -> bool;
}

impl Told for Container {
    fn is_listed_as(&self, state: i32) -> bool {
        self.state == reading::state(state)
    }
}

impl Told for Sandbox {
    fn is_listed_as(&self, state: i32) -> bool {
        self.ready == reading::is_ready(state)
    }
}

impl Known {
    /// Takes complete lists, in whatever order; returns which statuses must be asked for.
    ///
    /// [`Known::settle`] must follow when they were.
    pub(super) fn handle_lists(
        &mut self,
        sandboxes: &[listed::Sandbox],
        containers: &[listed::Container],
        now: Instant,
    ) -> Vec<Need> {
        self.lists += 1;
        let list = self.lists;
        for listed in sandboxes {
            let uid = listed.pod.as_ref().map_or(&[][..], |pod| &pod.uid);
            take_listed(&mut self.sandboxes, (&listed.id, uid, listed.state), list);
        }
        for listed in containers {
            let item = (&*listed.id, &*listed.sandbox_id, listed.state);
            take_listed(&mut self.containers, item, list);
        }
        self.needs(now)
    }

    /// Takes that an event is about the item with this ID; returns whether it is known.
    pub(super) fn handle_event(&mut self, id: &str) -> bool {
        if let Some(entry) = self.containers.get_mut(id) {
            entry.ask = Ask::Now;
            return true;
        }
        let sandbox = self.sandboxes.get_mut(id);
        sandbox.map(|entry| entry.ask = Ask::Now).is_some()
    }

    /// Returns which statuses must be asked for, sandboxes first, in ascending order of IDs.
    pub(super) fn needs(&self, now: Instant) -> Vec<Need> {
        let list = self.lists;
        let sandboxes = self.sandboxes.iter();
        let sandboxes = sandboxes.filter(|(_, entry)| entry.is_due(list, now));
        let containers = self.containers.iter();
        let containers = containers.filter(|(_, entry)| entry.is_due(list, now));
        sandboxes
            .map(|(id, _)| Need::Sandbox(id.clone()))
            .chain(containers.map(|(id, _)| Need::Container(id.clone())))
            .collect()
    }

    /// Returns when the first status that the runtime failed to tell is asked for again.
    pub(super) fn retry_at(&self) -> Option<Instant> {
        let list = self.lists;
        let sandboxes = self.sandboxes.values();
        let sandboxes = sandboxes.filter_map(|entry| entry.retry_at(list));
        let containers = self.containers.values();
        let containers = containers.filter_map(|entry| entry.retry_at(list));
        sandboxes.chain(containers).min()
    }

    /// Takes the status of a sandbox.
    pub(super) fn handle_sandbox(&mut self, status: cri::PodSandboxStatus, now: Instant) {
        let Some(entry) = self.sandboxes.get_mut(&status.id) else {
            return;
        };
        let status = reading::sandbox(status);
        let ask = match (status.ready, status.ips.is_empty()) {
            (true, true) if !status.host_network => Some(Ask::Now),
            (false, false) => Some(Ask::After(now + CONFIRMATION)),
            (true, _) | (false, true) => None,
        };
        self.changed |= entry.handle_status(status, now);
        entry.ask = ask.unwrap_or(entry.ask);
    }

    /// Takes the status of a container, with its last words where they could be read.
    pub(super) fn handle_container(
        &mut self,
        status: cri::ContainerStatus,
        last_words: Option<String>,
        now: Instant,
    ) {
        let Some(entry) = self.containers.get_mut(&status.id) else {
            return;
        };
        let status = Container {
            sandbox_id: entry.of.clone(),
            termination_message: last_words,
            ..reading::container(status)
        };
        let before = entry.status.as_ref();
        let had_ended = before.is_some_and(|before| before.state == ContainerState::Exited);
        entry.confirm_at = match status.state {
            ContainerState::Exited if had_ended => entry.confirm_at.filter(|at| *at > now),
            ContainerState::Exited if status.exit_code != 0 => Some(now + CONFIRMATION),
            ContainerState::Created
            | ContainerState::Exited
            | ContainerState::Running
            | ContainerState::Unknown => None,
        };
        let is_lost = status.state == ContainerState::Unknown;
        self.changed |= entry.handle_status(status, now);
        if let Some(instant) = entry.confirm_at {
            entry.ask = Ask::After(instant);
        } else if is_lost {
            entry.ask = Ask::Now;
        }
    }

    /// Takes that the runtime has no such thing: either it went since it was listed, which the next
    /// list shows, or the list is wrong.
    pub(super) fn handle_missing(&mut self, need: &Need, now: Instant) {
        let text = |failures, kind, id| {
            (failures > 0).then(|| format!("{kind} {id}: is listed, and has no status"))
        };
        match need {
            Need::Container(id) => {
                if let Some(entry) = self.containers.get_mut(id) {
                    entry.handle_failure(text(entry.failures, "container", id), now);
                }
            }
            Need::Sandbox(id) => {
                if let Some(entry) = self.sandboxes.get_mut(id) {
                    entry.handle_failure(text(entry.failures, "sandbox", id), now);
                }
            }
        }
    }

    /// Takes that the runtime does not tell a status; the one before stays.
    pub(super) fn handle_refused(&mut self, need: &Need, reason: &str, now: Instant) {
        match need {
            Need::Container(id) => {
                if let Some(entry) = self.containers.get_mut(id) {
                    entry.handle_failure(Some(format!("container {id}: {reason}")), now);
                }
            }
            Need::Sandbox(id) => {
                if let Some(entry) = self.sandboxes.get_mut(id) {
                    entry.handle_failure(Some(format!("sandbox {id}: {reason}")), now);
                }
            }
        }
    }

    /// Forgets what is not listed any more, of all pods of which everything listed was told.
    pub(super) fn settle(&mut self) {
        let list = self.lists;
        let gone = |listed_in: u64| listed_in != list;
        if !self.sandboxes.values().any(|entry| gone(entry.listed_in))
            && !self.containers.values().any(|entry| gone(entry.listed_in))
        {
            return;
        }
        let sandboxes = self.sandboxes.iter();
        let sandboxes = sandboxes.filter(|(_, entry)| !gone(entry.listed_in) && !entry.is_answered);
        let containers = self.containers.values();
        let containers = containers.filter(|entry| !gone(entry.listed_in) && !entry.is_answered);
        let open: BTreeSet<String> = sandboxes
            .map(|(id, _)| self.pod(id))
            .chain(containers.map(|entry| self.pod(&entry.of)))
            .map(str::to_owned)
            .collect();
        let is_over = |sandbox: &str| !open.contains(self.pod(sandbox));
        let over_sandboxes: Vec<String> = self
            .sandboxes
            .iter()
            .filter(|(id, entry)| gone(entry.listed_in) && is_over(id))
            .map(|(id, _)| id.clone())
            .collect();
        let over_containers: Vec<String> = self
            .containers
            .iter()
            .filter(|(_, entry)| gone(entry.listed_in) && is_over(&entry.of))
            .map(|(id, _)| id.clone())
            .collect();
        for id in over_sandboxes {
            self.changed |= self.sandboxes.remove(&id).is_some();
        }
        for id in over_containers {
            self.changed |= self.containers.remove(&id).is_some();
        }
    }

    /// Returns what names the pod of a sandbox: its UID, or the sandbox where that is not known.
    fn pod<'a>(&'a self, sandbox: &'a str) -> &'a str {
        match self.sandboxes.get(sandbox) {
            Some(entry) if !entry.of.is_empty() => &entry.of,
            Some(_) | None => sandbox,
        }
    }

    /// Asks for every status again in the next round.
    pub(super) fn distrust(&mut self) {
        for entry in self.sandboxes.values_mut() {
            entry.ask = Ask::Now;
            entry.is_answered = false;
        }
        for entry in self.containers.values_mut() {
            entry.ask = Ask::Now;
            entry.is_answered = false;
        }
    }

    /// Returns whether the view changed since this was asked last.
    pub(super) fn take_changed(&mut self) -> bool {
        std::mem::take(&mut self.changed)
    }

    /// Everything of which a status is known, in ascending order of IDs.
    pub(super) fn view(&self) -> RuntimeView {
        let shows = |entry: &&Entry<Container>| {
            let sandbox = self.sandboxes.get(&entry.of);
            sandbox.is_none_or(|sandbox| sandbox.status.is_some())
        };
        let sandboxes = self.sandboxes.values();
        let containers = self.containers.values().filter(shows);
        RuntimeView {
            sandboxes: sandboxes.filter_map(|entry| entry.status.clone()).collect(),
            containers: containers
                .filter_map(|entry| entry.status.clone())
                .collect(),
        }
    }

    /// The UIDs of pods of which something is listed that was never told.
    pub(super) fn untold(&self) -> BTreeSet<String> {
        let list = self.lists;
        let sandboxes = self.sandboxes.iter();
        let sandboxes = sandboxes.filter(|(_, entry)| entry.is_untold(list));
        let containers = self.containers.values();
        let containers = containers.filter(|entry| entry.is_untold(list));
        sandboxes
            .map(|(id, _)| self.pod(id))
            .chain(containers.map(|entry| self.pod(&entry.of)))
            .map(str::to_owned)
            .collect()
    }

    /// What the runtime does not tell, one line for each item.
    pub(super) fn refused(&self) -> BTreeSet<String> {
        let sandboxes = self.sandboxes.values().map(|entry| &entry.refused);
        let containers = self.containers.values().map(|entry| &entry.refused);
        sandboxes.chain(containers).flatten().cloned().collect()
    }
}

/// Takes an item of a list: its ID, what it belongs to, and its state.
fn take_listed<S: Told>(
    entries: &mut BTreeMap<String, Entry<S>>,
    (id, of, state): (&[u8], &[u8], i32),
    list: u64,
) {
    let id: Cow<'_, str> = readable(id);
    if let Some(entry) = entries.get_mut(&*id) {
        entry.handle_listed(list, state);
        return;
    }
    let entry = Entry::new(readable(of).into_owned(), list, state);
    entries.insert(id.into_owned(), entry);
}

/// The events of a container's end and of its want of memory come within milliseconds, and most
/// networks are taken down as fast.
const CONFIRMATION: Duration = Duration::from_secs(2);

/// A runtime that fails to tell one status was most likely busy for a moment.
const RETRY_FIRST: Duration = Duration::from_secs(1);

/// One that goes on failing may take long with each question.
const RETRY_MAX: Duration = Duration::from_secs(10);

/// Four lead from the first wait beyond the longest.
const RETRY_DOUBLINGS: u32 = 4;

#[cfg(test)]
mod model;
#[cfg(test)]
mod tests;
