//! One pod for each identity, with the status that is true here: the stage between sources and core.
//!
//! ```text
//! owners of pods ── SourceEvent ──▶ ┌──────┐
//!                                   │ Join │ ── poll ──▶ SourceEvent of each source ──▶ Pods
//! a runtime ─────── RuntimeView ──▶ └──────┘
//! ```
//!
//! The join is pure: no clock, no I/O. After each `handle_*`, drain [`Join::poll`] and hand every
//! event to the source that it names, in that order and under one lock, so that no client sees
//! half of a step. What a client then sees of one step is as little as it can be.
//!
//! # Identities
//!
//! * A mirror pod (annotation `kubernetes.io/config.mirror`) is served under the hash UID of its
//!   static pod, which is the annotation's value, as a kubelet does, since that is in the paths of
//!   cgroups and logs.
//! * Static pods and mirror pods of one namespace and name are one pod, and of no others. The UID of a
//!   pod from a folder of manifests is computed there as the kubelet does, and where a kubelet, its
//!   mirror pod or the runtime has shown it, it is that for good.
//! * Where nobody has shown it, it is that of the kubelet's pod that says what the manifest says; of one
//!   that says otherwise only where no UID at all was shown to be computed as the kubelet does: then
//!   this pod is served as the kubelet tells it, and the manifest is not. So no document is ever served
//!   under the UID of another that is read here later than by the kubelet.
//! * Where no kubelet tells, it is that of the runtime's sandbox (same namespace and name,
//!   `kubernetes.io/config.source` is `file`; of several a ready one, then the one that was created
//!   last), which is remembered when the sandbox goes; else the mirror pod's hash, which is remembered
//!   too, since a kubelet's pod stays when its mirror is deleted; else the UID that the manifest got.
//!   `kubernetes.io/config.hash` follows.
//! * Another document under the same name is another pod, in a kubelet, too. The UIDs that were
//!   learned of one document are void for every other (`join/documents.rs`), until a sandbox with
//!   another UID appears that was created later; one that comes back has the UID that it had. A mirror
//!   pod that names another UID than its manifest has is another pod as well.
//! * A UID is of one namespace and name. Whoever may make pods may write a hash into one, so that a
//!   hash, and the UID of a sandbox too, counts only for the one whose it is (`join/claims.rs`). What
//!   claims another's is served under its own UID and told by [`Join::foreign`].
//! * Where a pod comes from an owner knows of its own pods alone: of a pod in an API server,
//!   `kubernetes.io/config.source` says nothing.
//! * So adoption before the first view and the first lists are complete is seen by nobody, and
//!   later is DELETED of the old UID and ADDED of the new one.
//! * A static pod's file has no status; while its mirror pod is known, the mirror's is its owner's
//!   word.
//!
//! # Statuses
//!
//! * Each pod that is served and that the runtime shows, or that was known before the runtime was
//!   looked at, has the status that [`status`](crate::status::status()) works out, told as the
//!   runtime's. A pod that is newer than the view and not in it has none until the next view.
//!   Nothing is told of pods that no owner has.
//! * Where nobody looks at a runtime, no view ever comes, and statuses are the owners' own.
//! * The status of a pod of which the runtime does not tell everything that it lists stays as it is.
//! * While the runtime is lost all statuses stay as they are. The next view is told as a whole list.
//!
//! # Pods that leave
//!
//! A pod whose manifest is gone, or has another document now, is served as it was, with its
//! `deletionTimestamp` (then, and the grace period) and `deletionGracePeriodSeconds`, until the
//! runtime shows neither a container of it that runs nor a sandbox that is ready, and no other owner has
//! it: then it is told once more as it ended, and is gone (`join/leaving.rs`). So is a static pod that a
//! kubelet lists no more. Its mirror in an API server, which is deleted some seconds later, does not
//! keep it, and is not served any more then. A pod of the new document is there beside it, under its
//! own UID. One whose manifest is put back meanwhile is that pod again, and was never gone.
//!
//! * Where no runtime was seen the pod is gone at once. One that has not ended and of which the runtime
//!   shows nothing that runs may be about to run, or to be started again: it stays until a look after two
//!   seconds shows the same.
//! * Of containers of such a pod that the runtime shows no more the last state that was seen stays: the
//!   kubelet saw how they ended before it removed them, and nobody knows it here. So it is with those
//!   of a pod whose manifest was put back, until the runtime shows those that a kubelet makes then, for
//!   as long as the pod might have taken to leave; they are not ready, and the new ones count as
//!   started again.
//! * While the runtime is lost the pod stays, until a minute after its grace period, counted from
//!   when its manifest went or the runtime was lost, whichever was later.
//! * What another owner has still a minute after its grace period it has for good: the pod is served as
//!   that owner tells it. So it is with a mirror, while the pod runs.
//! * If it still runs a minute after its grace period, no kubelet ends it. It stays, as long as it
//!   runs; but where the UID of the old document was learned and not the one that it got here, a new
//!   document under the name is then taken for the same pod, since a kubelet may see no difference
//!   between both (a default that is written out).
//!
//! # Time
//!
//! Some things follow from time alone ([`Join::due`]): a pod that was active for as long as
//! `activeDeadlineSeconds` allows, and the bounds above.
//!
//! # Lists
//!
//! An owner's list is held back until it is complete, then told at once. An owner that is lost and
//! whose pod must change its UID is told as lost again afterwards. A word out of order is passed
//! on, for the core to refuse.
//!
//! # Bounds
//!
//! The join holds what the owners hold, by reference, and one status for each pod. What is not
//! polled is at most one word for each pod and source, for each `handle_*`.
//!
//! A word of one pod, and a time at which something is due, cost what the pods cost that belong to it:
//! those of its name, and those that claim one UID with it (`join/part.rs`). So it is with what is new
//! in a view of the runtime, which is compared with the view before as a whole; nothing else is worked
//! out anew. A list, the first view, and one after the runtime was lost cost time in proportion to the
//! pods of the node. Whoever has pods claim one UID, or gives them one name, makes the words of these
//! pods cost more, and of no others.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use podsapi_core::{EncodedPod, EncodedStatus, SourceEvent, SourceKind, Uid};

use crate::status::{PodViews, StatusError};
use crate::view::{NodeFacts, RuntimeView};

mod claims;
mod documents;
mod foreign;
mod identity;
mod index;
mod known;
mod leaving;
mod meaning;
mod owner;
mod part;
mod scope;

#[cfg(test)]
mod beside_tests;
#[cfg(test)]
mod captured_tests;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod leaving_tests;
#[cfg(test)]
mod model;
#[cfg(test)]
mod node;
#[cfg(test)]
mod part_tests;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;

use claims::Registry;
pub use foreign::Foreign;
pub(crate) use identity::annotation;
use identity::{Adopted, served};
use index::Index;
use known::Known;
use leaving::{Leaving, Look, Runs};
use meaning::has_ended;
use owner::{Held, Owner};
use scope::Scope;

/// Which source an event is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SourceRef {
    /// The owner in this place of those that [`Join::new`] was given.
    Owner(usize),
    /// The runtime.
    Runtime,
}

/// Joins what owners and a runtime say.
#[derive(Debug)]
pub struct Join {
    owners: Vec<Owner>,
    node: NodeFacts,
    adopted: Adopted,
    /// Whose UIDs are and were.
    registry: Registry,
    /// What claims an identity that is not its own.
    foreign: Vec<Foreign>,
    /// What the runtime showed last; nothing before the first view.
    seen: PodViews,
    /// The UIDs of pods of which the runtime does not tell everything.
    untold: BTreeSet<String>,
    runtime: Runtime,
    /// How many views there were.
    views: u64,
    known: BTreeMap<Uid, Known>,
    /// The pods whose manifest is gone and whose containers run.
    leaving: Leaving,
    /// When the last step was, in seconds since 1970.
    now: i64,
    told: VecDeque<(SourceRef, SourceEvent)>,
    index: Index,
    /// What the next step works on, whatever it is of.
    dirty: Scope,
    /// Whether each step works on all pods.
    #[cfg(test)]
    recomputes_all: bool,
    /// How many pods were worked on.
    #[cfg(test)]
    worked: usize,
}

/// Whether the runtime can be seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Runtime {
    Silent,
    Live,
    Lost,
}

/// Which sources are told as whole lists in a step.
#[derive(Clone, Copy, Debug, Default)]
struct Lists {
    runtime: bool,
    owner: Option<usize>,
    /// Whether pods that have ended are told once more as they ended.
    last_words: bool,
}

impl Join {
    /// Returns a join of these owners, of which nothing is known yet.
    ///
    /// Owners come by the precedence of their kinds, those of one kind in the order of their names,
    /// which is the order of precedence in the core.
    pub fn new(owners: impl IntoIterator<Item = SourceKind>, node: NodeFacts) -> Self {
        Self {
            owners: owners.into_iter().map(Owner::new).collect(),
            node,
            adopted: Adopted::default(),
            registry: Registry::default(),
            foreign: Vec::new(),
            seen: PodViews::default(),
            untold: BTreeSet::new(),
            runtime: Runtime::Silent,
            views: 0,
            known: BTreeMap::new(),
            leaving: Leaving::default(),
            now: i64::MIN,
            told: VecDeque::new(),
            index: Index::default(),
            dirty: Scope::default(),
            #[cfg(test)]
            recomputes_all: false,
            #[cfg(test)]
            worked: 0,
        }
    }

    /// Takes an owner's next word; an owner that does not exist says nothing.
    ///
    /// `at` is wall time in seconds since 1970.
    pub fn handle_owner(&mut self, owner: usize, event: SourceEvent, at: i64) {
        let Some(said) = self.owners.get_mut(owner) else {
            return;
        };
        let uid = match &event {
            SourceEvent::Put { pod, .. } => Some(pod.uid().clone()),
            SourceEvent::Status { uid, .. } | SourceEvent::Remove { uid, .. } => Some(uid.clone()),
            SourceEvent::Begin | SourceEvent::Complete { .. } | SourceEvent::Lost => None,
        };
        let effect = said.handle(event);
        if let (owner::Effect::Changed, Some(uid)) = (&effect, uid) {
            identity::link(said, &uid, &mut self.index.links);
            self.dirty.uids.insert(uid);
        }
        match effect {
            owner::Effect::Nothing => {}
            owner::Effect::PassedOn(event) => {
                self.told.push_back((SourceRef::Owner(owner), event));
            }
            owner::Effect::Changed => self.step(Lists::default(), at),
            owner::Effect::Listed => {
                let owner = Some(owner);
                self.step(
                    Lists {
                        owner,
                        ..Lists::default()
                    },
                    at,
                );
            }
        }
    }

    /// Takes all that the runtime shows now.
    ///
    /// `at` is wall time in seconds since 1970.
    pub fn handle_runtime(&mut self, view: RuntimeView, at: i64) {
        let learned = self.adopted.learn(&view);
        self.adopted.link_shown(&learned, &mut self.index.links);
        self.dirty.extend(learned);
        let before = std::mem::replace(&mut self.seen, PodViews::new(view));
        let differing = self.seen.differing(&before).into_iter().map(Uid::new);
        self.dirty.uids.extend(differing);
        self.look();
        let whole = self.runtime != Runtime::Live;
        self.runtime = Runtime::Live;
        self.step(
            Lists {
                runtime: whole,
                last_words: true,
                owner: None,
            },
            at,
        );
        if !self.leaving.is_empty() {
            // What is over was told as it ended.
            self.dirty.uids.extend(self.leaving.uids().cloned());
            self.step(Lists::default(), at);
        }
    }

    /// Takes note that the runtime was looked at again and shows what it showed last.
    ///
    /// So pods that are newer than the last view and not in it are known not to be there. Does
    /// nothing while there is no view.
    pub fn handle_runtime_unchanged(&mut self, at: i64) {
        if self.runtime == Runtime::Live {
            // All else that a status follows from was looked at when it came.
            if self.look() || !self.leaving.is_empty() {
                self.dirty.uids.extend(self.leaving.uids().cloned());
                self.step(Lists::default(), at);
            }
        }
    }

    /// Takes the UIDs of the pods of which the runtime lists what it never told: what a view lacks of
    /// them says nothing, and their status stays.
    pub fn handle_runtime_untold(&mut self, untold: BTreeSet<String>, at: i64) {
        let others = self.untold.symmetric_difference(&untold);
        self.dirty.uids.extend(others.map(|uid| Uid::new(uid)));
        self.untold = untold;
        if self.runtime == Runtime::Live {
            self.step(Lists::default(), at);
        }
    }

    /// Takes note of the time; what follows from it alone is told then.
    pub fn handle_time(&mut self, at: i64) {
        if self.due().is_some_and(|due| due <= at) {
            self.step(Lists::default(), at);
        }
    }

    /// Returns when something follows from the time alone, in seconds since 1970: call
    /// [`Join::handle_time`] then.
    pub fn due(&self) -> Option<i64> {
        self.index.next(self.now, self.runtime == Runtime::Live)
    }

    /// Takes the namespaces and names of manifests that were changed after older sandboxes of theirs
    /// had been made of other content, with when that was, in nanoseconds since 1970: no UID is
    /// learned from those sandboxes. What it says of a name counts from the next word on.
    pub fn handle_outdated(&mut self, outdated: Vec<(String, String, i64)>) {
        for (namespace, name, until) in outdated {
            self.dirty.names.insert((namespace.clone(), name.clone()));
            self.adopted.void_until((namespace, name), until);
        }
    }

    /// Takes what the runtime calls itself: the scheme of the identities of containers.
    ///
    /// The next view or word of an owner is told with it.
    pub fn handle_runtime_name(&mut self, name: &str) {
        if self.node.runtime_name != name {
            name.clone_into(&mut self.node.runtime_name);
            for known in self.known.values_mut() {
                known.from = None;
            }
            self.dirty.all = true;
        }
    }

    /// Takes note that the runtime cannot be seen for now.
    pub fn handle_runtime_lost(&mut self, at: i64) {
        if self.runtime == Runtime::Live {
            self.index.remove_times(&self.leaving);
            self.leaving.lose_sight(at);
            self.index.add_times(&self.leaving);
            self.dirty.uids.extend(self.leaving.uids().cloned());
        }
        self.runtime = match self.runtime {
            Runtime::Silent => Runtime::Silent,
            Runtime::Live | Runtime::Lost => Runtime::Lost,
        };
        self.told.push_back((SourceRef::Runtime, SourceEvent::Lost));
    }

    /// Returns the next event for the core, and of which source it is.
    pub fn poll(&mut self) -> Option<(SourceRef, SourceEvent)> {
        self.told.pop_front()
    }

    /// Returns the pods whose status could not be worked out, and why; their last one stays.
    pub fn problems(&self) -> impl Iterator<Item = (&Uid, &StatusError)> {
        let troubled = self.index.troubled.iter();
        troubled.filter_map(|uid| Some((uid, self.known.get(uid)?.problem.as_ref()?)))
    }

    /// Returns what claims the identity of another pod now; it is served, but not as that.
    pub fn foreign(&self) -> &[Foreign] {
        &self.foreign
    }

    /// Tells whether anybody has or had this UID.
    #[cfg(test)]
    fn knows(&self, uid: &str) -> bool {
        self.registry.name(&Uid::new(uid)).is_some()
    }

    /// Tells whether an owner or the runtime has shown whose this UID is.
    #[cfg(test)]
    fn has_proof(&self, uid: &str) -> bool {
        self.registry.is_proven(&Uid::new(uid))
    }

    /// How many UIDs are remembered that nobody has.
    #[cfg(test)]
    fn remembered(&self) -> usize {
        self.registry.past()
    }

    /// Takes note of a look at the runtime; tells whether it is the first of any pod that is served.
    fn look(&mut self) -> bool {
        self.views += 1;
        let fresh = std::mem::take(&mut self.index.fresh);
        let any = !fresh.is_empty();
        self.dirty.uids.extend(fresh);
        any
    }

    /// Works out what has changed of all that is here and tells it; returns what claims there what is
    /// not its own.
    fn work(&mut self, lists: Lists, at: i64) -> foreign::ByUid {
        #[cfg(test)]
        {
            let uids = self.owners.iter().flat_map(Owner::uids);
            self.worked += uids.collect::<BTreeSet<_>>().len();
        }
        let names = self.leaving.names();
        // Whether what was told until now leaves turns out below.
        let mut told = names.clone();
        if self.runtime != Runtime::Silent {
            told.extend(self.owners.iter().flat_map(identity::told_by_file));
        }
        self.adopted.keep_up(&self.owners, &names, &told);
        self.forgive(at);
        let groups = identity::groups(&self.owners);
        let own = claims::own(&self.owners);
        let whose = self.registry.whose(&own, &groups, &self.adopted);
        self.adopted.learn_documents(&groups, &whose);
        let mut served = served(&self.owners, &groups, &self.adopted, &whose);
        let count = self.views;
        let look = Look { at, count };
        let mut leaving = std::mem::take(&mut self.leaving);
        let runs = |pod: &EncodedPod, late: bool| self.runs(pod, late);
        let (owners, documents) = (&self.owners, self.adopted.documents());
        leaving.keep_up(owners, &served, documents, |pod| runs(pod, false), look);
        if !lists.last_words {
            leaving.retain(&served, look, runs);
        }
        self.leaving = leaving;
        for (uid, late) in self.leaving.join(&mut served) {
            if let Some(known) = self.known.get_mut(&uid) {
                known.stays(late);
            }
        }
        let left = self.leaving.names();
        if left != told {
            self.adopted.keep_up(&self.owners, &left, &left);
        }
        self.adopted.learn_hashes(&groups, &whose);
        self.registry.keep_up(&own, &self.adopted, &served, &whose);
        let foreign = foreign::all(&self.owners, &self.adopted, &self.registry, &whose);
        let gone = self.take_stock(&served);
        let news = self.work_out_statuses(&served, at);
        if !lists.runtime {
            self.tell_statuses(news, at);
        }
        self.tell_owners(served, lists.owner, at);
        if lists.runtime {
            self.told
                .push_back((SourceRef::Runtime, SourceEvent::Begin));
            let known = self.known.iter();
            let known = known.filter_map(|(uid, known)| Some((uid.clone(), known.status.clone()?)));
            self.tell_statuses(known.collect(), at);
            let event = SourceEvent::Complete { at };
            self.told.push_back((SourceRef::Runtime, event));
        } else if self.runtime == Runtime::Live {
            let events = gone.into_iter().map(|uid| SourceEvent::Remove { uid, at });
            self.told
                .extend(events.map(|event| (SourceRef::Runtime, event)));
        }
        foreign
    }

    /// Tells whether a pod runs, as far as the runtime shows; of one that is late nothing is believed
    /// while the runtime is lost.
    fn runs(&self, pod: &EncodedPod, late: bool) -> Runs {
        match self.runtime {
            Runtime::Silent => Runs::No,
            Runtime::Lost if late => Runs::No,
            Runtime::Live | Runtime::Lost => {
                let uid = pod.uid();
                let shown = self.seen.of(uid.as_str(), pod.namespace(), pod.name());
                let status = || self.known.get(uid).and_then(|it| it.status.as_ref());
                match shown {
                    _ if self.untold.contains(uid.as_str()) => Runs::Yes,
                    Some(shown) if !shown.stopped() => Runs::Yes,
                    // What has stopped may have been started again since that look.
                    Some(_) | None => match status() {
                        Some(status) if has_ended(status) => Runs::No,
                        Some(_) | None => Runs::Unseen,
                    },
                }
            }
        }
    }

    /// Lets another document have the UID of one before whose pod is not being ended.
    fn forgive(&mut self, at: i64) {
        if self.runtime != Runtime::Live {
            return;
        }
        let late = self.leaving.late(at);
        let late = late.filter(|pod| self.runs(pod, false) == Runs::Yes);
        let late: Vec<EncodedPod> = late.cloned().collect();
        for pod in late {
            self.adopted.forgive(&identity::name(&pod), pod.uid());
        }
    }

    fn tell_statuses(&mut self, statuses: Vec<(Uid, EncodedStatus)>, at: i64) {
        let statuses = statuses.into_iter();
        let events = statuses.map(|(uid, status)| SourceEvent::Status { uid, status, at });
        self.told
            .extend(events.map(|event| (SourceRef::Runtime, event)));
    }

    /// Tells what has changed of the owners' pods: what went away first.
    fn tell_owners(&mut self, served: Vec<BTreeMap<Uid, Held>>, listed: Option<usize>, at: i64) {
        let (mut gone, mut puts, mut unlisted) = (Vec::new(), Vec::new(), BTreeSet::new());
        for (place, (owner, served)) in self.owners.iter_mut().zip(served).enumerate() {
            let source = SourceRef::Owner(place);
            if listed == Some(place) {
                let told = owner.told.keys();
                unlisted.extend(told.filter(|uid| !served.contains_key(*uid)).cloned());
                puts.extend(owner.list(served, at).map(|event| (source, event)));
                continue;
            }
            let (removals, changes) = owner.change(served, at);
            gone.extend(removals.into_iter().map(|event| (source, event)));
            puts.extend(changes.into_iter().map(|event| (source, event)));
        }
        // Who comes first gives a pod up last, so that no client sees what it hid.
        let (last, first): (Vec<_>, Vec<_>) = gone.into_iter().rev().partition(
            |(_, event)| matches!(event, SourceEvent::Remove { uid, .. } if unlisted.contains(uid)),
        );
        self.told.extend(first);
        // A pod that another owner gives up must be there under its new identity before a list
        // opens the gate.
        puts.sort_by_key(|(source, _)| {
            listed.is_some_and(|place| *source == SourceRef::Owner(place))
        });
        self.told.extend(puts);
        self.told.extend(last);
    }
}
