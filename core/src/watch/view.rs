//! What a group of watches sees of a change.

use alloc::sync::Arc;
use core::cell::OnceCell;

use crate::call::{Dialect, Scope};
use crate::outgoing::EventKind;
use crate::project::Projection;
use crate::projections::Projections;
use crate::served::{Served, Tombstone};
use crate::store::Change;

use super::queue::{Event, Held, Offer};

/// What a watch sees and in which words: watches of one view get the same events.
///
/// Views are ordered by their masks first, so that those of one mask follow each other.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct View {
    /// The mask that is left of the caller's and the peer's, and the namespaces.
    pub(crate) scope: Scope,
    pub(crate) dialect: Dialect,
}

/// A change through one mask, worked out when it is asked for and once for all views of that mask.
#[derive(Debug)]
pub(super) struct Sight<'a> {
    change: &'a Change,
    mask: &'a Projection,
    after: OnceCell<Arc<Served>>,
    /// What was seen before, if what is seen now differs from it.
    former: OnceCell<Option<Arc<Served>>>,
}

impl View {
    /// Returns what a change is for those who see this, if it is anything.
    pub(super) fn offer(&self, sight: &Sight<'_>, projections: &mut Projections) -> Option<Offer> {
        let visible = |pod: &&Arc<_>| self.sees(pod);
        let before = sight.change.before.as_ref().filter(visible);
        let after = sight.change.after.as_ref().filter(visible);
        let (kind, pod, seen, former) = match (before, after) {
            (None, None) => return None,
            (None, Some(after)) => {
                let seen = sight.after(after, projections);
                (EventKind::Added, Held::new(after, &seen), seen, None)
            }
            (Some(before), Some(after)) => {
                let former = sight.former(before, after, projections)?;
                let seen = sight.after(after, projections);
                // A whole pod that is not served any more is not worth its memory.
                let former = Some(former).filter(|_| !sight.mask.is_all());
                (EventKind::Modified, Held::new(after, &seen), seen, former)
            }
            (Some(before), None) => {
                let kind = match self.dialect {
                    Dialect::Documented => Tombstone::Timestamped,
                    Dialect::V1alpha1 => Tombstone::Identity,
                };
                let pod = Arc::new(before.tombstone(kind, sight.change.at));
                (EventKind::Deleted, Held::Seen(pod.clone()), pod, None)
            }
        };
        let event = Event { kind, pod };
        Some(Offer {
            event,
            seen,
            former,
        })
    }

    fn sees(&self, pod: &Served) -> bool {
        self.scope.namespaces.contains(pod.namespace())
    }
}

impl<'a> Sight<'a> {
    pub(super) const fn new(change: &'a Change, mask: &'a Projection) -> Self {
        Self {
            change,
            mask,
            after: OnceCell::new(),
            former: OnceCell::new(),
        }
    }

    /// Tells whether it is through this mask.
    pub(super) fn is_through(&self, mask: &Projection) -> bool {
        self.mask == mask
    }

    fn after(&self, after: &Arc<Served>, projections: &mut Projections) -> Arc<Served> {
        let seen = self
            .after
            .get_or_init(|| projections.keep(self.mask, after));
        seen.clone()
    }

    /// Returns what was seen before a change that can be seen.
    fn former(
        &self,
        before: &Arc<Served>,
        after: &Arc<Served>,
        projections: &mut Projections,
    ) -> Option<Arc<Served>> {
        let work_out = || {
            // Looked up first, since keeping the new revision drops the former one.
            let former = projections.look(self.mask, before);
            let after = self.after(after, projections);
            // Whole pods differ, or there would be no change.
            let differs = self.mask.is_all() || former.bytes() != after.bytes();
            differs.then_some(former)
        };
        self.former.get_or_init(work_out).clone()
    }
}
