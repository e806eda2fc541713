//! A token bucket in exact integer arithmetic.

use core::fmt;
use core::num::NonZeroU32;

use crate::time::Moment;

/// Admits `burst` calls at once and `qps` a second in the long run.
///
/// The level is counted in billionths of a token: a nanosecond adds `qps` of them, so nothing is
/// ever rounded and no number of calls makes it drift.
#[derive(Clone, Debug)]
pub struct TokenBucket {
    qps: u32,
    capacity: u64,
    level: u64,
    /// The latest moment that was seen; a clock that goes back does not move it.
    filled_at: Moment,
}

/// The bucket holds no whole token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_structs,
    reason = "all that a bucket knows when it is empty"
)]
pub struct Empty {
    /// Until the next token is whole, if nobody takes one before.
    pub wait_nanos: u64,
}

/// The parts of a token that are counted: one for each nanosecond of a second.
const PARTS_PER_TOKEN: u64 = 1_000_000_000;

impl TokenBucket {
    /// Returns a full bucket; `qps` of 0 admits everything.
    pub fn new(qps: u32, burst: NonZeroU32, now: Moment) -> Self {
        let capacity = u64::from(burst.get()) * PARTS_PER_TOKEN;
        Self {
            qps,
            capacity,
            level: capacity,
            filled_at: now,
        }
    }

    /// Takes one token.
    ///
    /// # Errors
    ///
    /// Returns [`Empty`] when less than one token is there; the call changes nothing then.
    ///
    /// # Examples
    ///
    /// ```
    /// use core::num::NonZeroU32;
    /// use podsapi_core::{Moment, TokenBucket};
    ///
    /// let mut bucket = TokenBucket::new(2, NonZeroU32::MIN, Moment::ORIGIN);
    /// assert!(bucket.take(Moment::ORIGIN).is_ok());
    /// let empty = bucket.take(Moment::from_nanos(499_999_999)).unwrap_err();
    /// assert_eq!(empty.wait_nanos, 1);
    /// assert!(bucket.take(Moment::from_nanos(500_000_000)).is_ok());
    /// ```
    pub fn take(&mut self, now: Moment) -> Result<(), Empty> {
        if self.qps == 0 {
            return Ok(());
        }
        self.fill(now);
        match self.level.checked_sub(PARTS_PER_TOKEN) {
            Some(level) => {
                self.level = level;
                Ok(())
            }
            None => Err(Empty {
                wait_nanos: (PARTS_PER_TOKEN - self.level).div_ceil(u64::from(self.qps)),
            }),
        }
    }

    /// Returns whether the bucket is as it was when it was new.
    pub(crate) fn is_full(&mut self, now: Moment) -> bool {
        self.fill(now);
        self.level == self.capacity
    }

    fn fill(&mut self, now: Moment) {
        let elapsed = now.nanos_since(self.filled_at);
        let gained = elapsed.saturating_mul(u64::from(self.qps));
        self.level = self.level.saturating_add(gained).min(self.capacity);
        self.filled_at = self.filled_at.max(now);
    }
}

impl fmt::Display for Empty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("rejected by rate limit")
    }
}

impl core::error::Error for Empty {}

#[cfg(test)]
mod tests;
