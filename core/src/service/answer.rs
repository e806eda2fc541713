//! The checks that a call meets in their order, and the answer to one that passes.

use alloc::sync::Arc;

use crate::call::{Call, Method, Namespaces, Reply, Scope, check_empty_request, requested_uid};
use crate::outgoing::Outgoing;
use crate::project::Projection;
use crate::store::Snapshot;
use crate::time::Moment;
use crate::watch::{Ending, Full, View};

use super::Pods;
use super::refusal::Refusal;

impl Pods {
    pub(super) fn admit(&mut self, call: &Call, now: Moment) -> Result<(), Refusal<'static>> {
        if self.shutting_down && call.method == Method::WatchPods {
            return Err(Refusal::WatchEnded {
                ending: Ending::Shutdown,
                buffer: 0,
            });
        }
        if !self.gate.is_open() {
            return Err(Refusal::NotReady(self.gate.readiness()));
        }
        match call.method {
            Method::GetPod | Method::ListPods => self.rate.take(call.peer, now).map_err(|empty| {
                self.counters.rate_limited += 1;
                Refusal::RateLimited(empty)
            }),
            Method::WatchPods => Ok(()),
        }
    }

    pub(super) fn answer<'a>(&mut self, call: &'a Call) -> Result<Reply, Refusal<'a>> {
        let (mask, applied) = self.compiled.compile(&call.mask).map_err(Refusal::Mask)?;
        let mask = mask.intersection(&call.scope.mask);
        let namespaces = &call.scope.namespaces;
        match call.method {
            Method::GetPod => {
                let uid = requested_uid(&call.body).map_err(Refusal::Malformed)?;
                let pod = self
                    .store
                    .get(uid)
                    .filter(|pod| namespaces.contains(pod.namespace()));
                let Some(pod) = pod else {
                    return Err(Refusal::NotFound(uid));
                };
                let answer = Outgoing::get(&self.projections.keep(&mask, pod));
                Ok(Reply::Answer(answer.with_applied_mask(applied)))
            }
            Method::ListPods => {
                check_empty_request(&call.body).map_err(Refusal::Malformed)?;
                let answer = self.list(&mask, namespaces);
                Ok(Reply::Answer(answer.with_applied_mask(applied)))
            }
            Method::WatchPods => {
                check_empty_request(&call.body).map_err(Refusal::Malformed)?;
                if let (Some(peer), Some(limit)) = (call.peer, self.max_watches_per_peer)
                    && self.watches.count_of(peer) >= limit as usize
                {
                    self.counters.watches_refused += 1;
                    return Err(Refusal::TooManyWatchesOfPeer { limit });
                }
                let pods = self.visible(namespaces);
                let scope = Scope {
                    mask,
                    namespaces: namespaces.clone(),
                };
                let opened = self.watches.open(
                    View {
                        scope,
                        dialect: call.dialect,
                    },
                    applied,
                    pods,
                    call.peer,
                );
                opened.map(Reply::Watch).map_err(|Full| {
                    self.counters.watches_refused += 1;
                    Refusal::TooManyWatches {
                        limit: self.max_watches,
                    }
                })
            }
        }
    }

    /// Returns the list of the served pods of some namespaces; that of all is made once a change.
    fn list(&mut self, mask: &Projection, namespaces: &Namespaces) -> Outgoing {
        if *namespaces == Namespaces::All
            && let Some(list) = self.lists.find(mask)
        {
            self.projections.use_again(mask, self.store.len());
            return list;
        }
        let pods = self.visible(namespaces);
        let seen = self.projections.keep_all(mask, &pods);
        match namespaces {
            Namespaces::All => self.lists.make(mask, &seen),
            Namespaces::Only(_) => Outgoing::list(&seen),
        }
    }

    /// Returns the served pods of some namespaces; those of all are shared until a change.
    fn visible(&mut self, namespaces: &Namespaces) -> Snapshot {
        let all = self.store.snapshot();
        match namespaces {
            Namespaces::All => all,
            Namespaces::Only(_) => all
                .iter()
                .filter(|pod| namespaces.contains(pod.namespace()))
                .map(Arc::clone)
                .collect(),
        }
    }
}
