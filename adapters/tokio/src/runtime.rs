//! Tokio's timers and clock, lent to the driver.

use std::time::Duration;

use podsapi_core::Moment;
use podsapi_h2::Runtime;
use tokio::runtime::Handle;
use tokio::time::{Instant, Sleep, sleep_until};

/// A tokio runtime and the origin that its moments are counted from.
#[derive(Clone, Debug)]
pub struct TokioRuntime {
    handle: Handle,
    origin: Instant,
}

impl TokioRuntime {
    /// Takes the runtime that this code runs in, and the present as the origin of its moments.
    ///
    /// # Panics
    ///
    /// Outside a tokio runtime that has its timers switched on.
    #[must_use]
    #[expect(
        clippy::new_without_default,
        reason = "a default that panics outside a runtime would surprise"
    )]
    pub fn new() -> Self {
        Self {
            handle: Handle::current(),
            origin: Instant::now(),
        }
    }

    /// Returns the wall time in whole seconds since 1970, for sources that date what they tell.
    pub fn wall_seconds() -> i64 {
        podsapi_socket::wall_seconds()
    }

    /// Returns the wall time in nanoseconds since 1970.
    pub fn wall_nanos() -> i64 {
        podsapi_socket::wall_nanos()
    }
}

impl Runtime for TokioRuntime {
    type Sleep = Sleep;

    fn sleep_until(&self, at: Moment) -> Self::Sleep {
        let _entered = self.handle.enter();
        let after = Duration::from_nanos(at.as_nanos());
        // The last moment that can be named may lie beyond what the system's clock can hold; a century later does as well.
        let deadline = self
            .origin
            .checked_add(after)
            .unwrap_or_else(|| self.origin + CENTURY);
        sleep_until(deadline)
    }

    fn now(&self) -> Moment {
        let since = Instant::now().saturating_duration_since(self.origin);
        Moment::from_nanos(u64::try_from(since.as_nanos()).unwrap_or(u64::MAX))
    }
}

const CENTURY: Duration = Duration::from_secs(100 * 365 * 24 * 60 * 60);

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_sleep_ends_at_its_moment_and_not_before() {
        let runtime = TokioRuntime::new();
        let at = runtime.now().plus_nanos(1_500_000_000);
        runtime.sleep_until(at).await;
        assert!(runtime.now() >= at);
        assert!(runtime.now().nanos_since(at) < 10_000_000);
    }

    #[tokio::test(start_paused = true)]
    async fn a_sleep_until_a_past_moment_ends_at_once() {
        let runtime = TokioRuntime::new();
        tokio::time::advance(Duration::from_secs(1)).await;
        let before = runtime.now();
        runtime.sleep_until(Moment::ORIGIN).await;
        assert!(runtime.now().nanos_since(before) < 10_000_000);
    }

    #[tokio::test(start_paused = true)]
    async fn the_last_moment_of_all_can_be_slept_for() {
        let runtime = TokioRuntime::new();
        let sleep = runtime.sleep_until(Moment::from_nanos(u64::MAX));
        let slept = tokio::time::timeout(Duration::from_secs(3600), sleep).await;
        assert!(slept.is_err());
    }

    #[test]
    fn a_sleep_may_begin_on_a_thread_outside_the_runtime() {
        let tokio = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_time()
            .build()
            .unwrap();
        let runtime = tokio.block_on(async { TokioRuntime::new() });
        let sleep = runtime.sleep_until(runtime.now().plus_nanos(1));
        tokio.block_on(sleep);
    }

    #[test]
    fn the_wall_clock_tells_a_time_of_this_century() {
        assert!(TokioRuntime::wall_seconds() > 1_700_000_000);
    }
}
