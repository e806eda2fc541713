//! Selects the wanted fields here, where a server did not, and drops changes of all others.

use std::collections::BTreeMap;

use bytes::Bytes;
use podsapi_core::{Projection, Uid};

use crate::fields::Fields;
use crate::watch::{Event, EventKind};

/// Narrows the events of one watch to the wanted fields.
#[derive(Debug)]
pub(crate) struct Narrowing {
    wanted: Projection,
    /// What is wanted of a pod that is gone: its identity too.
    of_deleted: Projection,
    /// What was told last of each pod that is there; empty when everything is wanted.
    told: BTreeMap<Uid, Bytes>,
}

impl Narrowing {
    pub(crate) fn new(wanted: Projection) -> Self {
        let identity = Fields::identity().projection().unwrap_or_default();
        Self {
            of_deleted: wanted.union(&identity),
            wanted,
            told: BTreeMap::new(),
        }
    }

    /// Returns what is left of `event`; nothing when it tells nothing new of the wanted fields.
    pub(crate) fn handle_event(&mut self, event: Event) -> Option<Event> {
        let Event { kind, pod } = event;
        if self.wanted.is_all() || kind == EventKind::InitialSyncComplete {
            return Some(Event { kind, pod });
        }
        let uid = Uid::in_pod(&pod);
        if kind == EventKind::Deleted {
            uid.and_then(|uid| self.told.remove(&uid));
            let pod = select(&self.of_deleted, pod);
            return Some(Event { kind, pod });
        }
        let Some(uid) = uid else {
            // Without an identity there is nothing to compare with.
            let pod = select(&self.wanted, pod);
            return Some(Event { kind, pod });
        };
        let pod = select(&self.wanted, pod);
        let before = self.told.insert(uid, pod.clone());
        let unchanged = kind == EventKind::Modified && before.as_ref() == Some(&pod);
        (!unchanged).then_some(Event { kind, pod })
    }
}

/// Returns the selected part of `pod`, or the whole when it cannot be read.
pub(crate) fn select(wanted: &Projection, pod: Bytes) -> Bytes {
    if wanted.is_all() {
        return pod;
    }
    let mut part = Vec::new();
    match wanted.project(&pod, &mut part) {
        Ok(()) => {
            // Room for the whole was made, while a watch keeps the part.
            part.shrink_to_fit();
            part.into()
        }
        Err(_) => pod,
    }
}

#[cfg(test)]
mod tests;
