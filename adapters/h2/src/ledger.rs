//! Shared byte strings found again where slices of them are written.

use std::{
    io::IoSlice,
    sync::{Mutex, MutexGuard, PoisonError},
};

use bytes::Bytes;

/// The byte strings that one vectored write is made of, in their order.
///
/// h2 shows a transport only slices. Who lends them notes here what they are of, so that the
/// transport can hold a reference until the bytes are written, instead of a copy.
#[derive(Debug, Default)]
pub(crate) struct Ledger(Mutex<Noted>);

#[derive(Debug)]
struct Noted {
    parts: Vec<Bytes>,
    /// The most bytes of one write so far: more than that need not be noted for the next.
    write_bytes: usize,
}

/// A frame of the size that every client takes (RFC 9113 section 6.5.2).
const FRAME_BYTES: usize = 16 << 10;

impl Default for Noted {
    fn default() -> Self {
        Self {
            parts: Vec::new(),
            write_bytes: FRAME_BYTES,
        }
    }
}

impl Ledger {
    /// From how many bytes on a string is worth noting: fewer are copied in the time that counting
    /// references takes, and need no slice of a vectored write of their own.
    pub(crate) const SHARED_BYTES: usize = 1 << 10;

    /// Notes byte strings, of which slices are about to be lent, in place of those before: as many as
    /// go into one write, and a string is never lent but from its start.
    pub(crate) fn note<'a>(&self, parts: impl Iterator<Item = &'a Bytes>) {
        let mut noted = self.lock();
        noted.parts.clear();
        let mut left = noted.write_bytes;
        for part in parts.filter(|part| part.len() >= Self::SHARED_BYTES) {
            noted.parts.push(part.clone());
            left = left.saturating_sub(part.len());
            if left == 0 {
                break;
            }
        }
    }

    /// Gives the slices of a write to `each` in their order, with the string that one is of in its
    /// place if that was noted, cut to it; and lets go of all that was noted.
    pub(crate) fn settle(&self, slices: &[IoSlice<'_>], mut each: impl FnMut(Lent<'_>)) {
        let mut noted = self.lock();
        let mut bytes = 0;
        let mut parts = noted.parts.drain(..).peekable();
        for slice in slices {
            bytes += slice.len();
            // The noted strings are alive, so what lies at their addresses is theirs.
            let part = parts.next_if(|part| {
                part.as_ptr() == slice.as_ptr()
                    && (Self::SHARED_BYTES..=part.len()).contains(&slice.len())
            });
            each(match part {
                Some(mut part) => {
                    part.truncate(slice.len());
                    Lent::Shared(part)
                }
                None => Lent::Unknown(slice),
            });
        }
        drop(parts);
        noted.write_bytes = noted.write_bytes.max(bytes);
    }

    /// Lets go of all that was noted.
    pub(crate) fn clear(&self) {
        self.lock().parts.clear();
    }

    fn lock(&self) -> MutexGuard<'_, Noted> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A slice of a write.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Lent<'a> {
    /// It is of a string that was noted.
    Shared(Bytes),
    /// It is only there for as long as the write is.
    Unknown(&'a [u8]),
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns what is known of each of the slices.
    fn settled(ledger: &Ledger, slices: &[&[u8]]) -> Vec<Option<Bytes>> {
        let slices: Vec<_> = slices.iter().map(|slice| IoSlice::new(slice)).collect();
        let mut found = Vec::new();
        ledger.settle(&slices, |lent| {
            found.push(match lent {
                Lent::Shared(bytes) => Some(bytes),
                Lent::Unknown(_) => None,
            });
        });
        found
    }

    #[test]
    fn slices_of_noted_strings_are_found_without_a_copy() {
        let ledger = Ledger::default();
        let [first, second] = [7, 8].map(|byte| Bytes::from(vec![byte; 5_000]));
        ledger.note([&first, &Bytes::from_static(b"few"), &second].into_iter());
        let slices: [&[u8]; 4] = [b"head", &first, b"few", &second[..3_000]];
        let found = settled(&ledger, &slices);
        let places = found
            .iter()
            .map(|found| found.as_ref().map(|f| (f.as_ptr(), f.len())));
        let expected = [
            None,
            Some((first.as_ptr(), 5_000)),
            None,
            Some((second.as_ptr(), 3_000)),
        ];
        assert!(places.eq(expected));
    }

    #[test]
    fn equal_bytes_elsewhere_are_not_found() {
        let ledger = Ledger::default();
        let noted = Bytes::from(vec![7; 5_000]);
        ledger.note([&noted].into_iter());
        assert_eq!(settled(&ledger, &[&vec![7; 5_000]]), [None]);
    }

    #[test]
    fn nothing_is_held_once_it_is_settled_or_cleared() {
        let ledger = Ledger::default();
        let whole = Bytes::from(vec![7; 5_000]);
        for settles in [false, true] {
            ledger.note([&whole].into_iter());
            assert!(!whole.is_unique());
            if settles {
                settled(&ledger, &[]);
            } else {
                ledger.clear();
            }
            assert!(whole.is_unique());
        }
    }

    #[test]
    fn no_more_is_noted_than_goes_into_one_write() {
        let ledger = Ledger::default();
        let strings: Vec<_> = (0..10).map(|_| Bytes::from(vec![7; 10_000])).collect();
        let slices: Vec<&[u8]> = strings.iter().map(|string| &string[..]).collect();
        let shared = || {
            ledger.note(strings.iter());
            settled(&ledger, &slices).iter().flatten().count()
        };
        // The first write is larger than any before.
        assert_eq!([shared(), shared()], [2, 10]);
    }
}
