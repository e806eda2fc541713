//! The checks that a call meets in their order, and the answer to one that passes.

use alloc::boxed::Box;
use alloc::sync::Arc;

use crate::call::{
    Call, Dialect, Method, Namespaces, Reply, Scope, check_empty_request, requested_uid,
};
use crate::outgoing::Outgoing;
use crate::project::Projection;
use crate::status::{Code, Status};
use crate::time::Moment;
use crate::watch::{Ending, Full, Sight, TooManyMasks, View};

use super::Pods;
use super::refusal::Refusal;
use super::work::{Begun, Listing, Task, Work};

impl Pods {
    pub(super) fn admit(&mut self, call: &Call, now: Moment) -> Result<(), Refusal<'static>> {
        if self.shutting_down && call.method == Method::WatchPods {
            return Err(SHUT_DOWN);
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

    /// Answers a call that was admitted, or says what has to be done for it.
    pub(super) fn answer(&mut self, call: Call) -> Begun {
        let Some((mask, applied)) = self.compiled.find(&call.mask) else {
            let task = Task::Compile(None);
            return Begun::Work(Box::new(Work { call, task }));
        };
        self.answer_through(call, &mask, applied)
    }

    /// Goes on with a call after work was done for it.
    pub(super) fn resume(&mut self, work: Work) -> Begun {
        let Work { call, task } = work;
        match task {
            Task::Compile(None) => self.answer(call),
            Task::Compile(Some(Ok(compiled))) => {
                self.compiled.keep(&call.mask, &compiled);
                let (mask, applied) = compiled;
                self.answer_through(call, &mask, applied)
            }
            Task::Compile(Some(Err(error))) => {
                Begun::Done(self.refuse(call.dialect, call.method, Refusal::Mask(error)))
            }
            Task::List(listing) => {
                let answer = self.listed(*listing, &call.scope.namespaces);
                Begun::Done(self.succeed(&call, answer))
            }
        }
    }

    pub(super) fn refuse(
        &mut self,
        dialect: Dialect,
        method: Method,
        refusal: Refusal<'_>,
    ) -> Reply {
        let status = Status::from(refusal);
        self.counters.count(dialect, method, status.code());
        Reply::Refuse(status)
    }

    fn succeed(&mut self, call: &Call, answer: Outgoing) -> Reply {
        self.counters.count(call.dialect, call.method, Code::Ok);
        Reply::Answer(answer)
    }

    fn answer_through(
        &mut self,
        call: Call,
        mask: &Projection,
        applied: Option<Arc<str>>,
    ) -> Begun {
        let mask = mask.intersection(&call.scope.mask);
        let answered = match call.method {
            Method::GetPod => self.get(&call, &mask, applied),
            Method::ListPods => match check_empty_request(&call.body) {
                Ok(()) => return self.list(call, mask, applied),
                Err(error) => Err(Refusal::Malformed(error)),
            },
            Method::WatchPods => self.watch(&call, mask, applied),
        };
        Begun::Done(match answered {
            Ok(Reply::Answer(answer)) => self.succeed(&call, answer),
            Ok(reply) => reply,
            Err(refusal) => self.refuse(call.dialect, call.method, refusal),
        })
    }

    fn get<'a>(
        &mut self,
        call: &'a Call,
        mask: &Projection,
        applied: Option<Arc<str>>,
    ) -> Result<Reply, Refusal<'a>> {
        let uid = requested_uid(&call.body).map_err(Refusal::Malformed)?;
        let namespaces = &call.scope.namespaces;
        let pod = match self.is_shown() {
            true => self.store.get(uid).cloned(),
            false => self.seen().get(uid).cloned(),
        };
        let Some(pod) = pod.filter(|pod| namespaces.contains(pod.namespace())) else {
            return Err(Refusal::NotFound(uid));
        };
        let mut sight = Sight::new(&self.store, &mut self.projections);
        let answer = Outgoing::get(&sight.see(mask, &pod));
        Ok(Reply::Answer(answer.with_applied_mask(applied)))
    }

    /// Returns the list of the served pods of some namespaces; that of all is made once a change.
    fn list(&mut self, call: Call, mask: Projection, applied: Option<Arc<str>>) -> Begun {
        if call.scope.namespaces == Namespaces::All
            && let Some(list) = self.lists.find(&mask)
        {
            self.projections.use_again(&mask, self.pod_count());
            return Begun::Done(self.succeed(&call, list.with_applied_mask(applied)));
        }
        let listing = Listing {
            revision: self.log.last(),
            pods: self.seen(),
            kept: self.projections.kept(&mask),
            made: self.projections.empty(),
            hits: 0,
            list: Outgoing::default(),
            mask,
            applied,
        };
        let task = Task::List(Box::new(listing));
        Begun::Work(Box::new(Work { call, task }))
    }

    /// Keeps what was made for a list, as far as it is still of use.
    fn listed(&mut self, listing: Listing, namespaces: &Namespaces) -> Outgoing {
        let Listing {
            mask, made, hits, ..
        } = listing;
        let is_current = listing.revision == self.log.last() && self.is_shown();
        if is_current {
            self.projections.adopt(&mask, made, hits);
            if *namespaces == Namespaces::All {
                self.lists.keep(&mask, &listing.list);
            }
        } else {
            let store = &self.store;
            let served = made.into_iter().filter(|(_, seen)| store.serves(seen));
            let mut current = self.projections.empty();
            current.extend(served);
            self.projections.adopt(&mask, current, hits);
        }
        listing.list.with_applied_mask(listing.applied)
    }

    fn watch(
        &mut self,
        call: &Call,
        mask: Projection,
        applied: Option<Arc<str>>,
    ) -> Result<Reply, Refusal<'static>> {
        if self.shutting_down {
            return Err(SHUT_DOWN);
        }
        check_empty_request(&call.body).map_err(Refusal::Malformed)?;
        if let (Some(peer), Some(limit)) = (call.peer, self.max_watches_per_peer)
            && self.watches.count_of(peer) >= limit as usize
        {
            self.counters.watches_refused += 1;
            return Err(Refusal::TooManyWatchesOfPeer { limit });
        }
        let scope = Scope {
            mask,
            namespaces: call.scope.namespaces.clone(),
        };
        let view = View {
            scope,
            dialect: call.dialect,
        };
        let pods = self.seen();
        let mut sight = Sight::new(&self.store, &mut self.projections);
        let opened = self
            .watches
            .open(view, applied, pods, call.peer, &self.log, &mut sight);
        opened.map(Reply::Watch).map_err(|full| {
            self.counters.watches_refused += 1;
            let limits = self.limits;
            match full {
                Full::Watches => Refusal::TooManyWatches {
                    limit: limits.watches,
                },
                Full::Masks(TooManyMasks::InAll) => Refusal::TooManyMasks {
                    limit: limits.masks,
                },
                Full::Masks(TooManyMasks::OfPeer) => Refusal::TooManyMasksOfPeer {
                    limit: limits.masks_per_peer,
                },
            }
        })
    }
}

const SHUT_DOWN: Refusal<'static> = Refusal::WatchEnded {
    ending: Ending::Shutdown,
    buffer: 0,
};
