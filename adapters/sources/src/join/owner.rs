//! One owner of pods: what it holds, and what of it was told.

use std::collections::{BTreeMap, BTreeSet};

use podsapi_core::{EncodedPod, EncodedStatus, SourceEvent, SourceKind, Uid};

use super::identity::Identity;
use super::scope::taken;

/// What an owner says of one pod.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Held {
    pub(super) pod: Option<EncodedPod>,
    pub(super) status: Option<EncodedStatus>,
    pub(super) identity: Identity,
}

/// One owner's side of the conversation.
#[derive(Debug)]
pub(super) struct Owner {
    pub(super) kind: SourceKind,
    /// What it holds, under the UIDs that it gives.
    pub(super) held: BTreeMap<Uid, Held>,
    /// What was told of it, under the UIDs that are served.
    pub(super) told: BTreeMap<Uid, Held>,
    /// The list under way.
    listing: Option<BTreeMap<Uid, Held>>,
    /// Whether a list was complete at some time.
    synced: bool,
    lost: bool,
}

/// What follows from an owner's word.
#[derive(Debug)]
pub(super) enum Effect {
    Nothing,
    /// The core is to hear the word as it is.
    PassedOn(SourceEvent),
    /// Single pods changed.
    Changed,
    /// All that the owner holds is to be told as a list.
    Listed,
}

impl Owner {
    pub(super) fn new(kind: SourceKind) -> Self {
        Self {
            kind,
            held: BTreeMap::new(),
            told: BTreeMap::new(),
            listing: None,
            synced: false,
            lost: false,
        }
    }

    /// Returns the UIDs of all that is held or was told; some come twice.
    pub(super) fn uids(&self) -> impl Iterator<Item = &Uid> {
        self.held.keys().chain(self.told.keys())
    }

    /// Takes out what is held and was told under these UIDs.
    pub(super) fn take(&mut self, uids: &BTreeSet<Uid>) -> Self {
        Self {
            held: taken(&mut self.held, uids),
            told: taken(&mut self.told, uids),
            lost: self.lost,
            synced: self.synced,
            ..Self::new(self.kind)
        }
    }

    /// Puts back what was taken out.
    pub(super) fn put_back(&mut self, part: Self) {
        self.held.extend(part.held);
        self.told.extend(part.told);
    }

    pub(super) fn handle(&mut self, event: SourceEvent) -> Effect {
        match event {
            SourceEvent::Begin => {
                self.listing = Some(BTreeMap::new());
                Effect::Nothing
            }
            SourceEvent::Complete { at } => {
                let Some(list) = self.listing.take() else {
                    return Effect::PassedOn(SourceEvent::Complete { at });
                };
                self.held = list;
                self.synced = true;
                self.lost = false;
                Effect::Listed
            }
            SourceEvent::Lost => {
                self.listing = None;
                self.lost = true;
                Effect::PassedOn(SourceEvent::Lost)
            }
            SourceEvent::Put { .. } | SourceEvent::Status { .. } | SourceEvent::Remove { .. } => {
                self.edit(event)
            }
        }
    }

    /// Takes a word of one pod; one told by an owner that was lost shows that it is back.
    fn edit(&mut self, event: SourceEvent) -> Effect {
        let kind = self.kind;
        let pods = match &mut self.listing {
            Some(list) => list,
            None if self.synced => &mut self.held,
            None => return Effect::PassedOn(event),
        };
        match event {
            SourceEvent::Put { pod, .. } => {
                let held = pods.entry(pod.uid().clone()).or_default();
                held.identity = Identity::of(kind, &pod);
                held.pod = Some(pod);
            }
            SourceEvent::Status { uid, status, .. } => {
                pods.entry(uid).or_default().status = Some(status);
            }
            SourceEvent::Remove { uid, .. } => {
                pods.remove(&uid);
            }
            SourceEvent::Begin | SourceEvent::Complete { .. } | SourceEvent::Lost => {}
        }
        if self.listing.is_some() {
            return Effect::Nothing;
        }
        if self.lost {
            self.lost = false;
            return Effect::Listed;
        }
        Effect::Changed
    }

    /// Tells all that is served of this owner as a list.
    pub(super) fn list(
        &mut self,
        served: BTreeMap<Uid, Held>,
        at: i64,
    ) -> impl Iterator<Item = SourceEvent> {
        let mut events = vec![SourceEvent::Begin];
        for (uid, held) in &served {
            events.extend(words(uid, None, held, at));
        }
        events.push(SourceEvent::Complete { at });
        self.told = served;
        events.into_iter()
    }

    /// Tells what is different from what was told: what went away, and the rest.
    pub(super) fn change(
        &mut self,
        served: BTreeMap<Uid, Held>,
        at: i64,
    ) -> (Vec<SourceEvent>, Vec<SourceEvent>) {
        let mut removals = Vec::new();
        let mut changes = Vec::new();
        for (uid, told) in &self.told {
            let stays = served.get(uid);
            if stays.is_none_or(|held| told.pod.is_some() && held.pod.is_none()) {
                let uid = uid.clone();
                removals.push(SourceEvent::Remove { uid, at });
            }
        }
        for (uid, held) in &served {
            let told = self.told.get(uid);
            let told = told.filter(|told| told.pod.is_none() || held.pod.is_some());
            changes.extend(words(uid, told, held, at));
        }
        if self.lost && !(removals.is_empty() && changes.is_empty()) {
            changes.push(SourceEvent::Lost);
        }
        self.told = served;
        (removals, changes)
    }
}

/// Returns the words for what is held of one pod and was not told.
fn words(
    uid: &Uid,
    told: Option<&Held>,
    held: &Held,
    at: i64,
) -> impl Iterator<Item = SourceEvent> {
    let pod = held.pod.clone();
    let pod = pod.filter(|pod| {
        let told = told.and_then(|told| told.pod.as_ref());
        told.is_none_or(|told| !same_pod(told, pod))
    });
    let status = held.status.clone();
    let status = status.filter(|new| told.and_then(|told| told.status.as_ref()) != Some(new));
    let put = pod.map(|pod| SourceEvent::Put { pod, at });
    let uid = uid.clone();
    let status = status.map(|status| SourceEvent::Status { uid, status, at });
    put.into_iter().chain(status)
}

/// Tells whether two pods are equal; most of those that are share their bytes.
pub(super) fn same_pod(one: &EncodedPod, other: &EncodedPod) -> bool {
    let (a, b) = (one.bytes(), other.bytes());
    (a.as_ptr(), a.len()) == (b.as_ptr(), b.len()) || one == other
}
