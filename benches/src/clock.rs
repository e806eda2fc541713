//! The clock of the measurements.

use std::time::Instant;

/// Returns the time now.
#[expect(
    clippy::disallowed_methods,
    reason = "measuring time is what this is for"
)]
pub fn now() -> Instant {
    Instant::now()
}
