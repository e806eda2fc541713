//! The clock of the measurements.

use std::time::{Duration, Instant};

use nix::sys::resource::{Usage, UsageWho, getrusage};
use nix::time::{ClockId, clock_gettime};

/// Returns the time now.
#[expect(
    clippy::disallowed_methods,
    reason = "measuring time is what this is for"
)]
pub fn now() -> Instant {
    Instant::now()
}

/// Returns the CPU that this process has used, in user and in kernel mode together.
///
/// # Errors
///
/// When the kernel does not tell.
pub fn used_by_process() -> nix::Result<Duration> {
    getrusage(UsageWho::RUSAGE_SELF).map(|used| in_all(&used))
}

/// Returns the CPU that this thread has used, to the nanosecond.
///
/// # Errors
///
/// When the kernel does not tell.
pub fn used_by_thread() -> nix::Result<Duration> {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map(Duration::from)
}

fn in_all(used: &Usage) -> Duration {
    let micros = |time: nix::sys::time::TimeVal| time.tv_sec() * 1_000_000 + time.tv_usec();
    let micros = micros(used.user_time()) + micros(used.system_time());
    Duration::from_micros(micros.unsigned_abs())
}
