//! Pods whose manifest is gone and whose containers still run.
//!
//! A kubelet ends such a pod within its grace period, and its watch says DELETED when the containers
//! have ended. So the pod is served as it was, with the time at which it will be killed, until the
//! runtime shows nothing of it that runs. Where nobody looks at a runtime it is gone at once.

use std::collections::BTreeMap;

use podsapi_core::{EncodedPod, Uid};
use podsapi_proto::core_v1::PodSpec;
use podsapi_proto::meta_v1::{ObjectMeta, Time};
use podsapi_proto::text::decode;
use prost::Message;

use super::identity::{Identity, guesses};
use super::owner::{Held, Owner};
use crate::status::records::{Fields, merged};

/// The pods that are leaving, by owner and UID.
#[derive(Debug, Default)]
pub(super) struct Leaving {
    pods: BTreeMap<(usize, Uid), Left>,
}

/// One of them.
#[derive(Debug)]
struct Left {
    /// As it is served.
    held: Held,
    /// When it should have ended by: a while after its grace period, in seconds since 1970.
    late: i64,
    grace: i64,
}

impl Leaving {
    /// Tells whether none is.
    pub(super) fn is_empty(&self) -> bool {
        self.pods.is_empty()
    }

    /// Takes note of the pods of which `gone` says that they run and their manifest is gone.
    pub(super) fn keep_up(
        &mut self,
        owners: &[Owner],
        served: &[BTreeMap<Uid, Held>],
        gone: impl Fn(&EncodedPod) -> bool,
        at: i64,
    ) {
        let guessing = owners.iter().zip(served).enumerate();
        for (place, (owner, served)) in guessing.filter(|(_, (owner, _))| guesses(owner.kind)) {
            for (uid, told) in &owner.told {
                let known =
                    served.contains_key(uid) || self.pods.contains_key(&(place, uid.clone()));
                if !known && told.pod.as_ref().is_some_and(&gone) {
                    self.begin(place, uid, told, at);
                }
            }
        }
    }

    /// Takes note that a pod's manifest is gone.
    fn begin(&mut self, owner: usize, uid: &Uid, held: &Held, at: i64) {
        let Some(pod) = &held.pod else { return };
        let grace = grace(pod);
        let left = Left {
            held: Held {
                pod: Some(deleted(pod, at.saturating_add(grace), grace)),
                ..held.clone()
            },
            late: at.saturating_add(grace).saturating_add(SLACK_SECONDS),
            grace,
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

    /// Drops what `stays` does not say of: the pod, and whether it is late.
    pub(super) fn retain(&mut self, at: i64, stays: impl Fn(&EncodedPod, bool) -> bool) {
        self.pods.retain(|_, left| {
            let pod = left.held.pod.as_ref();
            pod.is_some_and(|pod| stays(pod, left.late <= at))
        });
    }

    /// Puts what is leaving to what is served; what is served under the same UID is that pod again.
    ///
    /// A pod that another owner has in its own right, and not as the mirror of a static pod, is
    /// that owner's from then on.
    pub(super) fn join(&mut self, served: &mut [BTreeMap<Uid, Held>]) {
        self.pods.retain(|(owner, uid), left| {
            let mut others = served.iter().filter_map(|pods| pods.get(uid));
            if others.any(|held| held.identity == Identity::Plain) {
                return false;
            }
            let Some(pods) = served.get_mut(*owner) else {
                return false;
            };
            let again = pods.contains_key(uid);
            if !again {
                pods.insert(uid.clone(), left.held.clone());
            }
            !again
        });
    }

    /// Returns the pods that are late.
    pub(super) fn late(&self, at: i64) -> impl Iterator<Item = &EncodedPod> {
        let late = self.pods.values().filter(move |left| left.late <= at);
        late.filter_map(|left| left.held.pod.as_ref())
    }

    /// Returns when the next pod is late that is not yet.
    pub(super) fn due(&self, at: i64) -> Option<i64> {
        let late = self.pods.values().map(|left| left.late);
        late.filter(|late| *late > at).min()
    }
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

/// The grace period of a pod that names none.
const GRACE_SECONDS: i64 = 30;

/// `metadata` and `spec` of `Pod`.
const METADATA: u32 = 1;
const SPEC: u32 = 2;
/// `deletionTimestamp` and `deletionGracePeriodSeconds` of `ObjectMeta`.
const DELETION_TIMESTAMP: u32 = 9;
const DELETION_GRACE: u32 = 10;
