//! Pods whose manifest is gone and whose containers run, or may.
//!
//! A kubelet ends such a pod within its grace period, and its watch says DELETED when the containers
//! have ended. So the pod is served as it was, with the time at which it will be killed, until the
//! runtime shows nothing of it that runs, and no other owner has it. Where nobody looks at a runtime it
//! is gone at once.
//!
//! A pod that the runtime does not show yet may be about to run there: it stays until a look that
//! began a while later shows nothing either.
//!
//! The mirror of such a pod in an API server says nothing of whether it runs: a kubelet deletes it some
//! seconds later, or when it makes that of the next pod. It neither keeps the pod nor is it served
//! when the pod has ended.

use std::collections::{BTreeMap, BTreeSet};

use podsapi_core::{EncodedPod, SourceKind, Uid};
use podsapi_proto::core_v1::PodSpec;
use podsapi_proto::meta_v1::{ObjectMeta, Time};
use podsapi_proto::text::decode;
use prost::Message;

use super::documents::Documents;
use super::identity::{Identity, Name, guesses, name};
use super::owner::{Held, Owner};
use super::scope::{differing, taken};
use crate::status::records::{Fields, merged};

/// The pods that are leaving, by owner and UID.
#[derive(Clone, Debug, Default)]
pub(super) struct Leaving {
    pods: BTreeMap<(usize, Uid), Left>,
    /// Those that have left and whose mirrors are still there.
    mirrored: BTreeSet<Uid>,
}

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Left {
    /// As it is served.
    held: Held,
    /// When it should have ended by: a while after its grace period, in seconds since 1970.
    late: i64,
    grace: i64,
    /// Until when the runtime may not show yet what runs of it.
    unsure: Look,
}

/// A look at the runtime: the first after the time at which the count is more than this one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Look {
    /// In seconds since 1970.
    pub(super) at: i64,
    pub(super) count: u64,
}

/// What is known of whether a pod runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Runs {
    Yes,
    No,
    /// The runtime does not show it, and it has not ended as far as anybody knows.
    Unseen,
}

impl Leaving {
    /// Tells whether none is.
    pub(super) fn is_empty(&self) -> bool {
        self.pods.is_empty()
    }

    /// Tells whether this pod is leaving, whoever had it.
    pub(super) fn has(&self, uid: &Uid) -> bool {
        let owners = self.pods.last_key_value().map(|((owner, _), _)| *owner);
        let mut owners = owners.into_iter().flat_map(|last| 0..=last);
        owners.any(|owner| self.pods.contains_key(&(owner, uid.clone())))
    }

    /// Returns the names of those that are.
    pub(super) fn names(&self) -> BTreeSet<Name> {
        let pods = self.pods.values();
        pods.filter_map(|left| left.held.pod.as_ref().map(name))
            .collect()
    }

    /// Takes note of the pods that nobody has any more, or whose manifest is gone, and that run.
    pub(super) fn keep_up(
        &mut self,
        owners: &[Owner],
        served: &[BTreeMap<Uid, Held>],
        documents: &Documents,
        runs: impl Fn(&EncodedPod) -> Runs,
        look: Look,
    ) {
        self.mirrored.retain(|uid| {
            let pod = mirror(served, uid).and_then(|held| held.pod.as_ref());
            pod.is_some_and(|pod| runs(pod) != Runs::Yes) && !of_another(served, uid)
        });
        for (place, (owner, pods)) in owners.iter().zip(served).enumerate() {
            if !(guesses(owner.kind) || owner.kind == SourceKind::Kubelet) {
                continue;
            }
            for (uid, told) in &owner.told {
                let is_static = told.identity == Identity::Static;
                let Some(pod) = told.pod.as_ref().filter(|_| is_static) else {
                    continue;
                };
                if pods.contains_key(uid) || self.has(uid) {
                    continue;
                }
                let gone = guesses(owner.kind) && documents.has_gone(&name(pod), uid);
                if !gone && of_another(served, uid) {
                    continue;
                }
                match runs(pod) {
                    // Where nobody looks at a runtime, the mirror is all that tells of the pod.
                    Runs::No if look.count > 0 => drop(self.mirrored.insert(uid.clone())),
                    Runs::Yes => self.begin(place, uid, told, look.at, look),
                    // A manifest that is there has another UID now.
                    Runs::Unseen if gone || !guesses(owner.kind) => {
                        let at = look.at.saturating_add(UNSEEN_SECONDS);
                        self.begin(place, uid, told, look.at, Look { at, ..look });
                    }
                    Runs::No | Runs::Unseen => {}
                }
            }
        }
    }

    /// Takes note that a pod's manifest is gone.
    fn begin(&mut self, owner: usize, uid: &Uid, held: &Held, at: i64, unsure: Look) {
        let Some(pod) = &held.pod else { return };
        let grace = grace(pod);
        let left = Left {
            held: Held {
                pod: Some(deleted(pod, at.saturating_add(grace), grace)),
                ..held.clone()
            },
            late: at.saturating_add(grace).saturating_add(SLACK_SECONDS),
            grace,
            unsure,
        };
        self.pods.insert((owner, uid.clone()), left);
    }

    /// Takes note that the runtime cannot be seen since `at`.
    pub(super) fn lose_sight(&mut self, at: i64) {
        for left in self.pods.values_mut() {
            let late = at.saturating_add(left.grace).saturating_add(SLACK_SECONDS);
            left.late = left.late.max(late);
        }
    }

    /// Drops what has left: `runs` says what is known of a pod, and of one that is late.
    ///
    /// What another owner has stays as it was told until that owner drops it. If it still does when
    /// the pod is late, it has the pod for good; so it is with a mirror while the pod runs.
    pub(super) fn retain(
        &mut self,
        served: &[BTreeMap<Uid, Held>],
        look: Look,
        runs: impl Fn(&EncodedPod, bool) -> Runs,
    ) {
        let mirrored = &mut self.mirrored;
        self.pods.retain(|(_, uid), left| {
            let late = left.late <= look.at;
            if of_another(served, uid) {
                return !late;
            }
            let Some(pod) = &left.held.pod else {
                return false;
            };
            let has_mirror = mirror(served, uid).is_some();
            let stays = match runs(pod, late && !has_mirror) {
                Runs::Yes if late && has_mirror => return false,
                Runs::Yes => true,
                Runs::No => false,
                Runs::Unseen => look.at < left.unsure.at || look.count <= left.unsure.count,
            };
            if has_mirror && !stays {
                mirrored.insert(uid.clone());
            }
            stays
        });
    }

    /// Puts what is leaving to what is served; what is served under the same UID is that pod again,
    /// which is returned with when it should have ended by. The mirror of what has left is not served.
    ///
    /// A pod that another owner has in its own right, and not as the mirror of a static pod, is
    /// that owner's from then on.
    pub(super) fn join(&mut self, served: &mut [BTreeMap<Uid, Held>]) -> Vec<(Uid, i64)> {
        for pods in served.iter_mut() {
            let left = |uid: &Uid, held: &Held| is_mirror(held) && self.mirrored.contains(uid);
            pods.retain(|uid, held| !left(uid, held));
        }
        let mut back = Vec::new();
        self.pods.retain(|(owner, uid), left| {
            let mut others = served.iter().filter_map(|pods| pods.get(uid));
            if others.any(|held| held.identity == Identity::Plain) {
                return false;
            }
            let Some(pods) = served.get_mut(*owner) else {
                return false;
            };
            let again = pods.contains_key(uid);
            if again {
                back.push((uid.clone(), left.late));
            } else {
                pods.insert(uid.clone(), left.held.clone());
            }
            !again
        });
        back
    }

    /// Returns the pods that are late.
    pub(super) fn late(&self, at: i64) -> impl Iterator<Item = &EncodedPod> {
        let late = self.pods.values().filter(move |left| left.late <= at);
        late.filter_map(|left| left.held.pod.as_ref())
    }

    /// Returns when each is late, and when it surely does not run.
    pub(super) fn times(&self) -> impl Iterator<Item = (i64, &Uid)> {
        let pods = self.pods.iter();
        pods.flat_map(|((_, uid), left)| [(left.late, uid), (left.unsure.at, uid)])
    }

    /// Returns the UIDs of those that are leaving.
    pub(super) fn uids(&self) -> impl Iterator<Item = &Uid> {
        self.pods.keys().map(|(_, uid)| uid)
    }

    /// Returns the name and UID of each.
    pub(super) fn links(&self) -> impl Iterator<Item = (Name, &Uid)> {
        let pods = self.pods.iter();
        pods.filter_map(|((_, uid), left)| Some((name(left.held.pod.as_ref()?), uid)))
    }

    /// Takes out what has these UIDs, of so many owners.
    pub(super) fn take(&mut self, uids: &BTreeSet<Uid>, owners: usize) -> Self {
        let keys = uids
            .iter()
            .flat_map(|uid| (0..owners).map(move |owner| (owner, uid.clone())));
        let pods = match self.pods.is_empty() {
            true => BTreeMap::new(),
            false => taken(&mut self.pods, &keys.collect()),
        };
        let mirrored = uids.iter().filter_map(|uid| self.mirrored.take(uid));
        Self {
            pods,
            mirrored: mirrored.collect(),
        }
    }

    /// Puts back what was taken out.
    pub(super) fn put_back(&mut self, part: Self) {
        self.pods.extend(part.pods);
        self.mirrored.extend(part.mirrored);
    }

    /// Returns what was different before, with the name where there is one.
    pub(super) fn changed(&self, before: &Self) -> Vec<(Option<Name>, Uid)> {
        let mut changed = Vec::new();
        for ((_, uid), both) in differing(&before.pods, &self.pods) {
            for left in both.into_iter().flatten() {
                changed.push((left.held.pod.as_ref().map(name), uid.clone()));
            }
        }
        let mirrored = self.mirrored.symmetric_difference(&before.mirrored);
        changed.extend(mirrored.map(|uid| (None, uid.clone())));
        changed
    }
}

/// Tells whether any owner has the pod, and not only its mirror.
fn of_another(served: &[BTreeMap<Uid, Held>], uid: &Uid) -> bool {
    let mut owners = served.iter().filter_map(|pods| pods.get(uid));
    owners.any(|held| !is_mirror(held))
}

/// Returns the mirror of the pod.
fn mirror<'a>(served: &'a [BTreeMap<Uid, Held>], uid: &Uid) -> Option<&'a Held> {
    let mut owners = served.iter().filter_map(|pods| pods.get(uid));
    owners.find(|held| is_mirror(held))
}

fn is_mirror(held: &Held) -> bool {
    matches!(held.identity, Identity::Mirror(_))
}

/// Returns the grace period of a pod in seconds.
fn grace(pod: &EncodedPod) -> i64 {
    let spec: PodSpec = decode(merged(pod.bytes(), SPEC).as_slice()).unwrap_or_default();
    let grace = spec.termination_grace_period_seconds;
    grace.unwrap_or(GRACE_SECONDS).max(0)
}

/// Returns the pod as one that is being deleted and will be killed at `at`.
fn deleted(pod: &EncodedPod, at: i64, grace: i64) -> EncodedPod {
    let metadata = merged(pod.bytes(), METADATA);
    let mut fields = Fields::keeping(&metadata, &[DELETION_TIMESTAMP, DELETION_GRACE]);
    let deletion = ObjectMeta {
        deletion_timestamp: Some(Time {
            seconds: Some(at),
            nanos: Some(0),
        }),
        deletion_grace_period_seconds: Some(grace),
        ..ObjectMeta::default()
    };
    fields.add_all(&deletion.encode_to_vec());
    let mut whole = Fields::keeping(pod.bytes(), &[METADATA]);
    whole.add(METADATA, &fields.finish());
    // Only the bound on the size of a pod can be in the way.
    EncodedPod::parse(whole.finish().into()).unwrap_or_else(|_| pod.clone())
}

/// How much longer than its grace period a pod may take to end: a kubelet that is told of no changes
/// reads its manifests every 20 seconds, and a runtime takes some more to kill.
const SLACK_SECONDS: i64 = 60;

/// How long a pod may be about to run that the runtime does not show: longer than a runtime takes to
/// make a sandbox and is looked at again.
const UNSEEN_SECONDS: i64 = 2;

/// The grace period of a pod that names none.
const GRACE_SECONDS: i64 = 30;

/// `metadata` and `spec` of `Pod`.
const METADATA: u32 = 1;
const SPEC: u32 = 2;
/// `deletionTimestamp` and `deletionGracePeriodSeconds` of `ObjectMeta`.
const DELETION_TIMESTAMP: u32 = 9;
const DELETION_GRACE: u32 = 10;
