//! What an upstream's list leaves open, since its watch goes on beside it.

use std::collections::{BTreeMap, VecDeque};

use bytes::Bytes;
use podsapi_core::{Moment, Uid};

/// What the watch told of a pod since the list was asked for, which may be newer than the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Touch {
    /// It appeared: a list without it is older.
    Appeared,
    /// It changed or ended.
    Changed,
}

/// The pods that the watch spoke of since the list was asked for.
#[derive(Debug, Default)]
pub(super) struct Touched {
    pods: BTreeMap<String, Touch>,
    /// Whether there were more than are remembered, so that the list says nothing.
    overflown: bool,
}

impl Touched {
    pub(super) fn insert(&mut self, uid: &str, touch: Touch) {
        if self.pods.len() < TOUCHED_LIMIT || self.pods.contains_key(uid) {
            let known = self.pods.entry(uid.to_owned()).or_insert(touch);
            if touch == Touch::Appeared {
                *known = touch;
            }
        } else {
            self.overflown = true;
        }
    }

    pub(super) fn get(&self, uid: &str) -> Option<Touch> {
        self.pods.get(uid).copied()
    }

    pub(super) fn contains(&self, uid: &str) -> bool {
        self.pods.contains_key(uid)
    }

    pub(super) fn is_overflown(&self) -> bool {
        self.overflown
    }
}

/// Pods that the upstream was heard to list no more, and whose end its watch has not told yet; what
/// it says of them until then, as of those whose containers have yet to end, is no news of a pod.
///
/// What it says ADDED of may be back, which the next list decides.
#[derive(Debug, Default)]
pub(super) struct Gone(VecDeque<(Uid, Option<Bytes>)>);

impl Gone {
    pub(super) fn insert(&mut self, uid: Uid) {
        self.remove(uid.as_str());
        if self.0.len() == GONE_LIMIT {
            self.0.pop_front();
        }
        self.0.push_back((uid, None));
    }

    /// Forgets a pod; returns the last that the watch said of it since it said ADDED.
    pub(super) fn remove(&mut self, uid: &str) -> Option<Bytes> {
        let place = self.0.iter().position(|(gone, _)| gone.as_str() == uid)?;
        self.0.remove(place)?.1
    }

    pub(super) fn contains(&self, uid: &str) -> bool {
        self.0.iter().any(|(gone, _)| gone.as_str() == uid)
    }

    /// Keeps what the watch says of a pod, from an event that says ADDED on.
    pub(super) fn hear(&mut self, uid: &str, appeared: bool, pod: &Bytes) {
        let known = self.0.iter_mut().find(|(gone, _)| gone.as_str() == uid);
        if let Some((_, heard)) = known
            && (appeared || heard.is_some())
        {
            // A copy, so that it does not keep what arrived in one piece with it.
            *heard = Some(Bytes::copy_from_slice(pod));
        }
    }
}

/// Pods that are listed otherwise than the watch told them; the watch has a moment to say so
/// itself, since what it has under way may be older than the list, and would come as a step back.
#[derive(Debug, Default)]
pub(super) struct Doubts {
    pods: Vec<(String, Bytes)>,
    until: Option<Moment>,
}

impl Doubts {
    pub(super) fn new(pods: Vec<(String, Bytes)>, until: Moment) -> Self {
        let until = (!pods.is_empty()).then_some(until);
        Self { pods, until }
    }

    /// Forgets what was listed of a pod, since the watch has spoken; returns whether there was any.
    pub(super) fn settle(&mut self, uid: &str) -> bool {
        let count = self.pods.len();
        self.pods.retain(|(other, _)| other != uid);
        self.pods.len() < count
    }

    /// Returns when what is left is to be taken.
    pub(super) fn until(&self) -> Option<Moment> {
        self.until
    }

    /// Returns what the watch did not speak of.
    pub(super) fn take(&mut self) -> Vec<(String, Bytes)> {
        self.until = None;
        std::mem::take(&mut self.pods)
    }
}

/// Far more pods than speak up within the time of one answer, unless somebody floods the memory.
const TOUCHED_LIMIT: usize = 10_000;

/// More pods than a node ends within the longest grace period that is usual.
const GONE_LIMIT: usize = 256;
