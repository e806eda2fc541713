//! What a call needs that no lock has to be held for: compiling a mask, and making a list through one.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::mem;

use crate::call::{Call, Namespaces, Reply};
use crate::index::Snapshot;
use crate::lists;
use crate::log::Revision;
use crate::mask::MaskError;
use crate::outgoing::Outgoing;
use crate::project::Projection;
use crate::projections::{self, Seen};
use crate::served::Served;

/// How far a call is.
#[derive(Debug)]
#[expect(clippy::exhaustive_enums, reason = "adapters match both")]
pub enum Begun {
    /// It is answered.
    Done(Reply),
    /// There is work to do for it, which needs no [`Pods`](crate::Pods): run it where nobody waits
    /// for it, then give it to [`Pods::resume_call`](crate::Pods::resume_call).
    Work(Box<Work>),
}

/// What has to be done for a call before it can be answered; dropping it gives the call up.
#[derive(Debug)]
pub struct Work {
    pub(super) call: Call,
    pub(super) task: Task,
}

#[derive(Debug)]
pub(super) enum Task {
    Compile(Option<Result<Mask, MaskError>>),
    List(Box<Listing>),
}

/// What a mask selects, and what its caller is told of it.
type Mask = (Projection, Option<Arc<str>>);

/// A list that is made of a moment's pods.
#[derive(Debug)]
pub(super) struct Listing {
    pub(super) mask: Projection,
    pub(super) applied: Option<Arc<str>>,
    pub(super) revision: Revision,
    pub(super) pods: Snapshot,
    /// What the mask left of pods before.
    pub(super) kept: Option<Arc<Seen>>,
    /// What it left of others now, and how many were there.
    pub(super) made: Seen,
    pub(super) hits: usize,
    pub(super) list: Outgoing,
}

impl Work {
    /// Does the work.
    pub fn run(&mut self) {
        match &mut self.task {
            Task::Compile(compiled) => *compiled = Some(self.call.mask.compile()),
            Task::List(listing) => listing.run(&self.call.scope.namespaces),
        }
    }
}

impl Listing {
    fn run(&mut self, namespaces: &Namespaces) {
        let pods = mem::take(&mut self.pods);
        let mut seen = Vec::with_capacity(pods.len());
        for pod in pods.iter() {
            if namespaces.contains(pod.namespace()) {
                seen.push(self.see(pod));
            }
        }
        // What goes to all who ask is kept in fewer parts than what goes to one.
        self.list = match namespaces {
            Namespaces::All => lists::make(&self.mask, &seen),
            Namespaces::Only(_) => Outgoing::list(&seen),
        };
        // What is kept can change without a copy from now on.
        self.kept = None;
    }

    fn see(&mut self, pod: &Arc<Served>) -> Arc<Served> {
        if self.mask.is_all() {
            return pod.clone();
        }
        let kept = self.kept.as_ref().map(|kept| projections::find(kept, pod));
        if let Some(Some(kept)) = kept {
            self.hits += 1;
            return kept.clone();
        }
        let seen = projections::project(&self.mask, pod);
        self.made.insert(pod.uid().clone(), seen.clone());
        seen
    }
}
