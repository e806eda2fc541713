//! What watches see of a change, and those that see the same together.

use alloc::sync::Arc;

use crate::call::{Dialect, Scope};
use crate::log::{Entry, MaskId};
use crate::outgoing::EventKind;
use crate::project::Projection;
use crate::project::Selected;
use crate::projections::Projections;
use crate::served::{Served, Tombstone};
use crate::store::PodStore;

use super::waits::WaitId;

/// What a watch sees and in which words: watches of one view get the same events.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct View {
    /// The mask that is left of the caller's and the peer's, and the namespaces.
    pub(crate) scope: Scope,
    pub(crate) dialect: Dialect,
}

/// The watches of one view.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) view: Arc<View>,
    pub(super) mask: MaskId,
    /// What the mask selects; none where it is everything.
    pub(super) selected: Option<Arc<Selected>>,
    pub(super) members: usize,
    /// Where those of them wait that have read everything.
    pub(super) wait: Option<WaitId>,
}

/// What pods look like through masks, for one call.
#[derive(Debug)]
pub(crate) struct Sight<'a> {
    store: &'a PodStore,
    pub(crate) projections: &'a mut Projections,
    /// Pods that were looked at to find what differs.
    looks: usize,
}

/// Pods that one call looks at to find what differs, before others have their turn: some hundred
/// microseconds.
const MOST_LOOKS: usize = 64;

impl View {
    pub(super) fn sees(&self, pod: &Served) -> bool {
        self.scope.namespaces.contains(pod.namespace())
    }

    /// Returns what is left of a pod that went away, in the words of the dialect.
    pub(super) const fn tombstone(&self) -> Tombstone {
        match self.dialect {
            Dialect::Documented => Tombstone::Timestamped,
            Dialect::V1alpha1 => Tombstone::Identity,
        }
    }
}

impl Group {
    /// Returns what a change is for those who see this, if it is anything.
    pub(super) fn sees(&self, entry: &mut Entry, sight: &mut Sight<'_>) -> Option<EventKind> {
        let kind = self.kind(entry)?;
        let Some(selected) = self
            .selected
            .as_ref()
            .filter(|_| kind == EventKind::Modified)
        else {
            return Some(kind);
        };
        sight.looks += usize::from(!entry.is_known());
        let mask = &self.view.scope.mask;
        entry
            .differs(self.mask, selected, |before, after| {
                sight.differs(mask, before, after)
            })
            .then_some(kind)
    }

    /// Tells whether a change is anything for those who see this, to be counted; where many were looked at
    /// already, one that nobody looked at counts unseen.
    pub(super) fn counts(&self, entry: &mut Entry, sight: &mut Sight<'_>) -> bool {
        if sight.is_tired() && !entry.is_known() {
            return self.kind(entry).is_some();
        }
        self.sees(entry, sight).is_some()
    }

    /// Tells whether a change may be anything for those who see this, without looking at the pod.
    pub(super) fn may_see(&self, entry: &mut Entry) -> bool {
        match (self.kind(entry), &self.selected) {
            (None, _) => false,
            (Some(EventKind::Modified), Some(selected)) => entry.may_differ(selected),
            (Some(_), _) => true,
        }
    }

    /// Returns what a change is for those who see all fields.
    fn kind(&self, entry: &Entry) -> Option<EventKind> {
        let sees = |pod: &Option<Arc<Served>>| pod.as_ref().is_some_and(|pod| self.view.sees(pod));
        match (sees(&entry.before), sees(&entry.after)) {
            (false, false) => None,
            (false, true) => Some(EventKind::Added),
            (true, true) => Some(EventKind::Modified),
            (true, false) => Some(EventKind::Deleted),
        }
    }
}

impl<'a> Sight<'a> {
    pub(crate) const fn new(store: &'a PodStore, projections: &'a mut Projections) -> Self {
        Self {
            store,
            projections,
            looks: 0,
        }
    }

    /// Tells whether so many pods were looked at that others should have their turn.
    pub(super) const fn is_tired(&self) -> bool {
        self.looks >= MOST_LOOKS
    }

    /// Returns what is seen of a pod, kept for the next one if the pod is served now.
    pub(crate) fn see(&mut self, mask: &Projection, pod: &Arc<Served>) -> Arc<Served> {
        if self.store.serves(pod) {
            self.projections.keep(mask, pod)
        } else {
            self.projections.look(mask, pod)
        }
    }

    /// Tells whether what is seen of a pod differs between two states of it.
    pub(super) fn differs(
        &mut self,
        mask: &Projection,
        before: &Arc<Served>,
        after: &Arc<Served>,
    ) -> bool {
        self.looks += 1;
        // Looked up first, since keeping the new revision drops the former one.
        let before = self.projections.look(mask, before);
        self.see(mask, after).bytes() != before.bytes()
    }
}
