//! Shared byte strings found again by where their bytes lie.

use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;

/// The byte strings that one vectored write is made of.
///
/// h2 shows a transport only slices. Who lends them notes here what they are of, so that the
/// transport can hold a reference until the bytes are written, instead of a copy.
#[derive(Debug, Default)]
pub(crate) struct Ledger(Mutex<Vec<Bytes>>);

impl Ledger {
    /// From how many bytes on a string is worth noting: fewer are copied in the time that counting
    /// references takes, and need no slice of a vectored write of their own.
    pub(crate) const SHARED_BYTES: usize = 1 << 10;

    /// Notes byte strings, of which slices are about to be lent, in place of those before.
    pub(crate) fn note<'a>(&self, parts: impl Iterator<Item = &'a Bytes>) {
        let mut noted = self.lock();
        noted.clear();
        noted.extend(
            parts
                .filter(|part| part.len() >= Self::SHARED_BYTES)
                .cloned(),
        );
    }

    /// Returns the string that `slice` is of, cut to it; none when it was not noted.
    pub(crate) fn find(&self, slice: &[u8]) -> Option<Bytes> {
        if slice.len() < Self::SHARED_BYTES {
            return None;
        }
        let noted = self.lock();
        // The noted strings are alive, so what lies at their addresses is theirs.
        let at = slice.as_ptr().addr();
        noted.iter().find_map(|part| {
            let start = at.checked_sub(part.as_ptr().addr())?;
            let end = start.checked_add(slice.len())?;
            (end <= part.len()).then(|| part.slice(start..end))
        })
    }

    /// Lets go of all that was noted.
    pub(crate) fn clear(&self) {
        self.lock().clear();
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Bytes>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slice_of_a_noted_string_is_found_without_a_copy() {
        let ledger = Ledger::default();
        let whole = Bytes::from(vec![7; 5_000]);
        ledger.note([&whole].into_iter());
        let found = ledger.find(&whole[1_000..4_000]).unwrap();
        assert_eq!(found.as_ptr(), whole[1_000..].as_ptr());
        assert_eq!(found.len(), 3_000);
    }

    #[test]
    fn equal_bytes_elsewhere_are_not_found() {
        let ledger = Ledger::default();
        ledger.note([&Bytes::from(vec![7; 5_000])].into_iter());
        assert_eq!(ledger.find(&vec![7; 5_000]), None);
    }

    #[test]
    fn nothing_is_held_once_it_is_cleared() {
        let ledger = Ledger::default();
        let whole = Bytes::from(vec![7; 5_000]);
        ledger.note([&whole].into_iter());
        assert!(!whole.is_unique());
        ledger.clear();
        assert!(whole.is_unique());
    }
}
