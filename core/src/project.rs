//! What of a pod a caller sees: a selection of fields applied to encoded bytes.

use bytes::Bytes;

/// A selection of the fields of a pod, in its canonical form.
///
/// Two projections are equal when they select the same fields, so one can be a key.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Projection(());

impl Projection {
    /// Returns the selection of everything.
    pub const fn all() -> Self {
        Self(())
    }

    /// Tells whether everything is selected, so that projected bytes are the bytes themselves.
    pub const fn is_all(&self) -> bool {
        true
    }

    /// Returns what both `self` and `other` select.
    #[must_use]
    pub fn intersection(&self, _other: &Self) -> Self {
        Self(())
    }

    /// Returns the selected part of an encoded pod; everything shares the bytes.
    pub(crate) fn apply(&self, pod: &Bytes) -> Bytes {
        pod.clone()
    }
}
