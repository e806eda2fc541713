//! What a group of watches sees of a change.

use alloc::sync::Arc;

use crate::call::{Dialect, Scope};
use crate::outgoing::{EventKind, seen};
use crate::store::{Change, Served, Tombstone};

use super::queue::Event;

/// What a watch sees and in which words: watches of one view get the same events.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct View {
    pub(crate) dialect: Dialect,
    /// Namespaces, and the mask that is left of the caller's and the peer's.
    pub(crate) scope: Scope,
}

impl View {
    /// Returns what a change is for those who see this, if it is anything.
    pub(super) fn event(&self, change: &Change) -> Option<Event> {
        let visible = |pod: &&Arc<_>| self.sees(pod);
        let before = change.before.as_ref().filter(visible);
        let after = change.after.as_ref().filter(visible);
        let mask = &self.scope.mask;
        match (before, after) {
            (None, None) => None,
            (None, Some(after)) => Some(Event {
                kind: EventKind::Added,
                pod: seen(after, mask),
            }),
            (Some(before), Some(after)) => {
                let pod = seen(after, mask);
                // Whole pods differ, or there would be no change.
                let changed = mask.is_all() || seen(before, mask).bytes() != pod.bytes();
                changed.then_some(Event {
                    kind: EventKind::Modified,
                    pod,
                })
            }
            (Some(before), None) => {
                let kind = match self.dialect {
                    Dialect::Documented => Tombstone::Timestamped,
                    Dialect::V1alpha1 => Tombstone::Identity,
                };
                let pod = Arc::new(before.tombstone(kind, change.at));
                Some(Event {
                    kind: EventKind::Deleted,
                    pod,
                })
            }
        }
    }

    fn sees(&self, pod: &Served) -> bool {
        self.scope.namespaces.contains(pod.namespace())
    }
}
