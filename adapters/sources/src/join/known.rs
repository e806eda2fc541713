//! The pods that are served, and the status of each as it was worked out last.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use podsapi_core::{EncodedPod, EncodedStatus, Uid};

use super::meaning::{own_status, says_the_same};
use super::owner::{Held, same_pod};
use super::{Join, Runtime};
use crate::status::{PodView, StatusError, deadline, guess, status};

/// A pod that is served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Known {
    /// The views that there were when the pod became known.
    pub(super) since: u64,
    /// What the last status was worked out from.
    pub(super) from: Option<(EncodedPod, Arc<PodView>)>,
    pub(super) status: Option<EncodedStatus>,
    /// The last of these without what is only a guess.
    pub(super) sure: Option<EncodedStatus>,
    /// When the pod will have been active for as long as it may, in seconds since 1970.
    pub(super) deadline: Option<i64>,
    pub(super) problem: Option<StatusError>,
    /// Those of its containers that may be on their way to end.
    pub(super) ending: Option<Ending>,
}

/// The containers of a pod that was leaving when its manifest came back: a kubelet ends them all the
/// same, and then starts others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ending {
    containers: BTreeSet<String>,
    /// When they should have ended by, in seconds since 1970.
    pub(super) until: i64,
}

impl Known {
    /// Returns when the pod with this UID will have been active for as long as it may.
    pub(super) fn deadline_of(&self, uid: &Uid) -> Option<(i64, Uid)> {
        self.deadline.map(|at| (at, uid.clone()))
    }

    /// Returns when its containers should have ended that are ending.
    pub(super) fn end_of(&self, uid: &Uid) -> Option<(i64, Uid)> {
        let ending = self.ending.as_ref();
        ending.map(|ending| (ending.until, uid.clone()))
    }

    /// Takes note that the pod was leaving until now and stays.
    pub(super) fn stays(&mut self, until: i64) {
        let containers = self.from.iter().flat_map(|(_, seen)| seen.containers());
        let containers: BTreeSet<String> = containers.map(|one| one.id.clone()).collect();
        self.ending = (!containers.is_empty()).then_some(Ending { containers, until });
    }

    /// Returns what is shown with those containers that are shown no more and of which a kubelet knows
    /// how they ended, while nobody does here; nothing where there can be none.
    fn kept(&mut self, shown: &PodView, leaves: bool, at: i64) -> Option<PodView> {
        let (_, before) = self.from.as_ref()?;
        if leaves {
            return Some(shown.keeping(before, |_| true));
        }
        let ending = self.ending.as_ref().filter(|ending| at < ending.until);
        let kept = ending.map(|ending| {
            let followed = |id: &str| {
                let mut all = before.containers().iter();
                let run = all.find(|run| run.id == id);
                run.is_none_or(|run| {
                    shown
                        .runs(&run.name)
                        .any(|now| now.id != id && now.created_at >= run.created_at)
                })
            };
            shown.keeping(before, |id| ending.containers.contains(id) && !followed(id))
        });
        let mut left = kept.iter().flat_map(PodView::containers);
        let any = left.any(|one| ending.is_some_and(|ending| ending.containers.contains(&one.id)));
        if !any {
            self.ending = None;
        }
        kept
    }
}

impl Join {
    /// Brings what is known up to what is served; returns what had a status and is not any more.
    pub(super) fn take_stock(&mut self, served: &[BTreeMap<Uid, Held>]) -> Vec<Uid> {
        let serves = |uid: &Uid| {
            let mut owners = served.iter();
            owners.any(|pods| pods.get(uid).is_some_and(|held| held.pod.is_some()))
        };
        let mut gone = Vec::new();
        self.known.retain(|uid, known| {
            let stays = serves(uid);
            if !stays && known.status.is_some() {
                gone.push(uid.clone());
            }
            stays
        });
        for uid in served.iter().flat_map(BTreeMap::keys) {
            if serves(uid) && !self.known.contains_key(uid) {
                let known = Known {
                    since: self.views,
                    from: None,
                    status: None,
                    sure: None,
                    deadline: None,
                    problem: None,
                    ending: None,
                };
                self.known.insert(uid.clone(), known);
            }
        }
        gone
    }

    /// Works out the statuses of the pods of which anything is new; returns those that changed.
    pub(super) fn work_out_statuses(
        &mut self,
        served: &[BTreeMap<Uid, Held>],
        at: i64,
    ) -> Vec<(Uid, EncodedStatus)> {
        let mut news = Vec::new();
        if self.runtime != Runtime::Live {
            return news;
        }
        let mut order: Vec<usize> = (0..self.owners.len()).collect();
        order.sort_by_key(|place| self.owners.get(*place).map(|owner| owner.kind));
        let nothing = Arc::new(PodView::default());
        for (uid, known) in &mut self.known {
            let mut pods = order
                .iter()
                .filter_map(|place| served.get(*place)?.get(uid));
            let Some(pod) = pods.find_map(|held| held.pod.as_ref()) else {
                continue;
            };
            if self.untold.contains(uid.as_str()) {
                continue;
            }
            let shown = self.seen.shared(uid.as_str(), pod.namespace(), pod.name());
            let leaves = self.leaving.has(uid);
            let newer = known.since >= self.views || leaves;
            let Some(shown) = shown.or_else(|| (!newer).then_some(&nothing)) else {
                continue;
            };
            let kept = known.kept(shown, leaves, at).map(Arc::new);
            let shown = kept.as_ref().unwrap_or(shown);
            let same = known.from.as_ref();
            let same = same.filter(|_| known.deadline.is_none_or(|deadline| at < deadline));
            if same.is_some_and(|(from, seen)| same_pod(from, pod) && seen == shown) {
                continue;
            }
            known.from = Some((pod.clone(), Arc::clone(shown)));
            let said = known.status.as_ref().zip(known.sure.as_ref());
            let better =
                said.and_then(|(last, sure)| guess::taken_back(pod, last, sure, shown, &self.node));
            let last = better.as_ref().or(known.status.as_ref());
            let sure = !known.status.as_ref().is_some_and(guess::has_any);
            match status(pod, last, shown, &self.node, at) {
                Ok(status) if leaves && sure && guess::has_any(&status) => known.problem = None,
                Ok(status) => {
                    known.problem = None;
                    known.sure = guess::sure(known.sure.as_ref(), &status);
                    known.deadline = deadline(pod, &status);
                    let last = known.status.as_ref();
                    if last.is_none_or(|last| !says_the_same(last.bytes(), status.bytes())) {
                        // In the owner's words where they say the same: the pod is served as it is.
                        let own = own_status(pod);
                        let own = own.filter(|own| says_the_same(own.bytes(), status.bytes()));
                        let status = own.unwrap_or(status);
                        news.push((uid.clone(), status.clone()));
                        known.status = Some(status);
                    }
                }
                Err(problem) => {
                    known.deadline = None;
                    known.problem = Some(problem);
                }
            }
        }
        news
    }
}
