//! How long the lock around the service was held, for who looks for what made a caller wait.

use std::{
    fmt,
    sync::atomic::{AtomicU64, Ordering},
};

/// Counts of how long something took: in each place those below twice as long as in the one before it,
/// the first below 1 µs, the last all others.
#[derive(Debug, Default)]
pub(crate) struct Holds([AtomicU64; PLACES]);

/// From below 1 µs to 16 ms and more.
const PLACES: usize = 16;

impl Holds {
    pub(crate) fn count(&self, nanos: u64) {
        let micros = nanos / 1_000;
        let place = (u64::BITS - micros.leading_zeros()) as usize;
        if let Some(count) = self.0.get(place.min(PLACES - 1)) {
            count.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl fmt::Display for Holds {
    /// Writes the counts that are not zero with what they are below.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for (place, count) in self.0.iter().enumerate() {
            let count = count.load(Ordering::Relaxed);
            if count == 0 {
                continue;
            }
            if place < PLACES - 1 {
                write!(f, "{separator}{count} below {} µs", 1_u64 << place)?;
            } else {
                write!(f, "{separator}{count} longer")?;
            }
            separator = ", ";
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_counted_below_the_next_power_of_two() {
        let holds = Holds::default();
        for nanos in [
            0,
            999,
            1_000,
            1_999,
            2_000,
            16_383_999,
            16_384_000,
            u64::MAX,
        ] {
            holds.count(nanos);
        }
        let expected = "2 below 1 µs, 2 below 2 µs, 1 below 4 µs, 1 below 16384 µs, 2 longer";
        assert_eq!(holds.to_string(), expected);
        let few = Holds::default();
        few.count(16_000_000);
        assert_eq!(few.to_string(), "1 below 16384 µs");
    }
}
