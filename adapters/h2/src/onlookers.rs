//! Those who want to hear when the server becomes ready, is about to end, or ends.

use std::{
    collections::BTreeMap,
    sync::Arc,
    task::{Context, Poll, Waker},
};

use podsapi_grpc::health::Health;

use crate::{runtime::Runtime, server::Shared};

/// How far the life of the server is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stage {
    pub(crate) health: Health,
    /// Streams end now.
    pub(crate) stopped: bool,
}

/// The tasks that wait for the next stage.
#[derive(Debug, Default)]
pub(crate) struct Onlookers {
    waiting: BTreeMap<u64, Waker>,
    /// The stage at which those who wait began to.
    stage: Stage,
}

impl Onlookers {
    /// Returns whether nobody waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Has one wait for the end of the present stage; returns its former waker.
    pub(crate) fn insert(&mut self, onlooker: u64, stage: Stage, waker: Waker) -> Option<Waker> {
        self.stage = stage;
        self.waiting.insert(onlooker, waker)
    }

    /// Forgets one; returns its waker.
    pub(crate) fn remove(&mut self, onlooker: u64) -> Option<Waker> {
        self.waiting.remove(&onlooker)
    }

    /// Returns all who wait if the stage is another one now.
    pub(crate) fn take_if_changed(&mut self, stage: Stage) -> impl Iterator<Item = Waker> + use<> {
        let woken = if stage == self.stage {
            BTreeMap::new()
        } else {
            std::mem::take(&mut self.waiting)
        };
        woken.into_values()
    }
}

/// One task that follows the stages, until it is dropped.
pub(crate) struct Onlooker<R: Runtime> {
    number: u64,
    shared: Arc<Shared<R>>,
    seen: Stage,
}

impl<R: Runtime> Onlooker<R> {
    /// Returns an onlooker that has seen the present stage.
    pub(crate) fn new(shared: &Arc<Shared<R>>) -> Self {
        Self {
            number: shared.next_number(),
            shared: Arc::clone(shared),
            seen: shared.stage(),
        }
    }

    /// Returns the stage that was seen last.
    pub(crate) fn seen(&self) -> Stage {
        self.seen
    }

    /// Completes once there is a stage that was not seen, and then has seen it.
    pub(crate) fn poll_next(&mut self, cx: &Context<'_>) -> Poll<()> {
        let stage = self.shared.watch_stage(self.number, self.seen, cx.waker());
        if stage == self.seen {
            return Poll::Pending;
        }
        self.seen = stage;
        Poll::Ready(())
    }
}

impl<R: Runtime> Drop for Onlooker<R> {
    fn drop(&mut self) {
        self.shared.forget_onlooker(self.number);
    }
}

#[cfg(test)]
mod tests;
