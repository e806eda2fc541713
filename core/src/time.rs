//! Moments: nanoseconds since an origin that the adapter chose.

/// A point in time, counted in nanoseconds from the adapter's own origin.
///
/// The core never reads a clock: whoever calls it says what time it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Moment(u64);

impl Moment {
    /// The origin itself.
    pub const ORIGIN: Self = Self(0);

    /// Returns the moment that lies `nanos` nanoseconds after the origin.
    pub const fn from_nanos(nanos: u64) -> Self {
        Self(nanos)
    }

    /// Returns the nanoseconds since the origin.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Returns the moment `nanos` nanoseconds later, or the last one that can be named.
    pub const fn plus_nanos(self, nanos: u64) -> Self {
        Self(self.0.saturating_add(nanos))
    }

    /// Returns the nanoseconds from `earlier` to `self`, zero when `earlier` is not earlier.
    pub const fn nanos_since(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}
