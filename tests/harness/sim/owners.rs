//! What owners of pods said, in plain maps: a truth that shares nothing with the server.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use podsapi_core::{EncodedPod, SourceEvent, Uid};
use podsapi_sources::view::{ContainerState, RuntimeView};

use super::heads;
use super::history::are_one;

/// The owners, the one with precedence first.
#[derive(Debug)]
pub(super) struct Owners {
    said: Vec<Said>,
    /// Of each UID what its first owner says.
    first: BTreeMap<Uid, First>,
    /// Pods of which nobody speaks any more, as the one with manifests had them last, and since when,
    /// for as long as the runtime shows that they run, or shows nothing that runs and they may be about
    /// to: they may be served while they end.
    leaving: BTreeMap<Uid, (EncodedPod, i64)>,
}

/// What an owner said.
#[derive(Debug, Default)]
struct Said {
    pods: BTreeMap<Uid, EncodedPod>,
    staged: Option<BTreeMap<Uid, EncodedPod>>,
    has_listed: bool,
}

#[derive(Debug)]
struct First {
    pod: EncodedPod,
    /// What was served and found to be right.
    right: Option<Bytes>,
}

impl Owners {
    /// Returns so many owners that have said nothing.
    pub(super) fn silent(count: usize) -> Self {
        Self {
            said: (0..count).map(|_| Said::default()).collect(),
            first: BTreeMap::new(),
            leaving: BTreeMap::new(),
        }
    }

    /// Takes a word of an owner, at a time in seconds.
    pub(super) fn hear(&mut self, owner: usize, word: &SourceEvent, at: i64) {
        let before = (owner == MANIFESTS).then(|| self.said[owner].pods.clone());
        self.take(owner, word);
        for (uid, pod) in before.into_iter().flatten() {
            self.leaving.insert(uid, (pod, at));
        }
        let owned: Vec<_> = self.said.iter().flat_map(|said| said.pods.keys()).collect();
        self.leaving.retain(|uid, _| !owned.contains(&uid));
    }

    /// Takes what the runtime shows, at a time in seconds.
    pub(super) fn see(&mut self, view: &RuntimeView, at: i64) {
        let containers = view.containers.iter();
        let containers = containers.filter(|one| one.state == ContainerState::Running);
        let containers = containers.map(|container| container.pod.uid.as_str());
        let sandboxes = view.sandboxes.iter().filter(|sandbox| sandbox.ready);
        let sandboxes = sandboxes.map(|sandbox| sandbox.pod_uid.as_str());
        let running: BTreeSet<_> = containers.chain(sandboxes).collect();
        self.leaving.retain(|uid, (_, since)| {
            running.contains(uid.as_str()) || at < *since + UNSEEN_SECONDS
        });
    }

    fn take(&mut self, owner: usize, word: &SourceEvent) {
        let said = &mut self.said[owner];
        let pods = said.staged.as_mut().unwrap_or(&mut said.pods);
        match word {
            SourceEvent::Begin => said.staged = Some(BTreeMap::new()),
            SourceEvent::Put { pod, .. } => {
                pods.insert(pod.uid().clone(), pod.clone());
                self.look_at(pod.uid());
            }
            SourceEvent::Remove { uid, .. } => {
                pods.remove(uid);
                self.look_at(uid);
            }
            SourceEvent::Complete { .. } => {
                if let Some(staged) = said.staged.take() {
                    said.pods = staged;
                    said.has_listed = true;
                    let all = self.said.iter().flat_map(|said| said.pods.keys());
                    let all: BTreeSet<_> = all.chain(self.first.keys()).cloned().collect();
                    all.iter().for_each(|uid| self.look_at(uid));
                }
            }
            SourceEvent::Lost => said.staged = None,
            SourceEvent::Status { .. } => {}
        }
    }

    /// Finds again who is the first to speak of a pod.
    fn look_at(&mut self, uid: &Uid) {
        let Some(pod) = self.said.iter().find_map(|said| said.pods.get(uid)) else {
            self.first.remove(uid);
            return;
        };
        match self.first.get(uid) {
            Some(first) if are_one(first.pod.bytes(), pod.bytes()) => {}
            Some(_) | None => {
                let pod = pod.clone();
                self.first.insert(uid.clone(), First { pod, right: None });
            }
        }
    }

    /// Returns the UIDs that an owner speaks of, in ascending order.
    pub(super) fn owned(&self, owner: usize) -> Vec<Uid> {
        self.said[owner].pods.keys().cloned().collect()
    }

    /// Returns the pods that an owner speaks of, in ascending order of their UIDs.
    pub(super) fn pods(&self, owner: usize) -> Vec<EncodedPod> {
        self.said[owner].pods.values().cloned().collect()
    }

    /// Returns whether an owner has told a whole list.
    pub(super) fn has_listed(&self, owner: usize) -> bool {
        self.said[owner].has_listed
    }

    /// Holds what is served against what was said; where a runtime decides the statuses, all but
    /// those.
    ///
    /// # Panics
    ///
    /// When it differs.
    pub(super) fn check(&mut self, served: &[(Uid, Bytes)], joined: bool) {
        let (leaving, served): (Vec<_>, Vec<_>) = served
            .iter()
            .partition(|(uid, _)| joined && self.leaving.contains_key(uid));
        for (uid, served) in leaving {
            assert!(
                heads::ends_as(served, self.leaving[uid].0.bytes()),
                "pod {uid} is not served as one that ends"
            );
        }
        let uids = served.iter().map(|(uid, _)| uid);
        assert!(
            uids.clone().eq(self.first.keys()),
            "what is served is not what owners said: {:?} for {:?}",
            uids.collect::<Vec<_>>(),
            self.first.keys().collect::<Vec<_>>()
        );
        for ((uid, served), first) in served.iter().zip(self.first.values_mut()) {
            if first
                .right
                .as_ref()
                .is_some_and(|right| are_one(right, served))
            {
                continue;
            }
            let same = match joined {
                true => heads::owners_part(first.pod.bytes()) == heads::owners_part(served),
                false => first.pod.bytes() == served,
            };
            assert!(same, "pod {uid} is not served as its owner has it");
            first.right = Some(served.clone());
        }
    }
}

/// How long a pod may be about to run that the runtime does not show.
const UNSEEN_SECONDS: i64 = 2;

/// The owner whose pods end as those of manifests do.
const MANIFESTS: usize = 0;
