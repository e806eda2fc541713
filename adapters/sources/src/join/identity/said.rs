//! What the sandboxes in the newest view of the runtime say of UIDs.

use std::collections::BTreeMap;

use podsapi_core::Uid;

use super::{Adopted, Name};

/// What a sandbox says of a UID.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::join) struct Said {
    /// When it was created, in nanoseconds since 1970, its identity, and how many came before that have
    /// the same of both: the order of sandboxes.
    pub(in crate::join) place: (i64, String, usize),
    /// Whose the UID is.
    pub(in crate::join) name: Name,
}

impl Adopted {
    /// Returns whose the UID is as the runtime shows it.
    pub(in crate::join) fn shown_as(&self, uid: &Uid) -> Option<&Name> {
        let first = self.said.get(uid)?.first()?;
        Some(&first.name)
    }

    /// Returns whose each UID is that the runtime shows.
    pub(in crate::join) fn shown(&self) -> impl Iterator<Item = (&Uid, &Name)> {
        let said = self.said.iter();
        said.filter_map(|(uid, said)| Some((uid, &said.first()?.name)))
    }

    /// Returns the sandboxes that say two things of whose they are.
    pub(in crate::join) fn torn(&self) -> impl Iterator<Item = &str> {
        self.torn.iter().map(String::as_str)
    }

    /// Returns all that sandboxes say of each UID.
    pub(in crate::join) fn said(&self) -> impl Iterator<Item = (&Uid, &Said)> {
        let said = self.said.iter();
        said.flat_map(|(uid, all)| all.iter().map(move |said| (uid, said)))
    }
}

/// Returns when the newest sandbox of a pod was created, of those in the newest view.
pub(super) fn created(said: &BTreeMap<Uid, Vec<Said>>, name: &Name, uid: &Uid) -> Option<i64> {
    let mut newest = said.get(uid)?.iter().rev();
    let newest = newest.find(|said| said.name == *name);
    newest.map(|said| said.place.0)
}
