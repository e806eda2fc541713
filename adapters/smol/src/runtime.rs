//! An executor's tasks and the clock of async-io, lent to the driver.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use async_executor::Executor;
use async_io::Timer;
use podsapi_core::Moment;
use podsapi_h2::Runtime;

/// An executor that somebody runs, and the origin that its moments are counted from.
#[derive(Clone, Debug)]
pub struct SmolRuntime {
    executor: Arc<Executor<'static>>,
    origin: Instant,
}

impl SmolRuntime {
    /// Takes an executor, which the caller runs on as many threads as it likes, and the present as
    /// the origin of its moments.
    #[must_use]
    pub fn new(executor: Arc<Executor<'static>>) -> Self {
        Self {
            executor,
            origin: present(),
        }
    }

    /// Returns the wall time in whole seconds since 1970, for sources that date what they tell.
    pub fn wall_seconds() -> i64 {
        podsapi_socket::wall_seconds()
    }

    /// Returns the executor.
    pub(crate) fn executor(&self) -> &Executor<'static> {
        &self.executor
    }
}

impl Runtime for SmolRuntime {
    type Sleep = SmolSleep;

    fn sleep_until(&self, at: Moment) -> SmolSleep {
        let at = self.origin.checked_add(Duration::from_nanos(at.as_nanos()));
        // What the system's clock cannot hold does not come.
        SmolSleep(at.map_or_else(Timer::never, Timer::at))
    }

    fn now(&self) -> Moment {
        let since = present().saturating_duration_since(self.origin);
        Moment::from_nanos(u64::try_from(since.as_nanos()).unwrap_or(u64::MAX))
    }
}

/// Completes once its moment has come.
#[derive(Debug)]
pub struct SmolSleep(Timer);

impl Future for SmolSleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        Pin::new(&mut self.0).poll(cx).map(|_instant| ())
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the one place where this adapter reads the clock that only goes on"
)]
fn present() -> Instant {
    Instant::now()
}
