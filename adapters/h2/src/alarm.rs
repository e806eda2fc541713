//! A timer that one task asks again and again for moments that move.

use std::{
    fmt,
    future::Future,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use podsapi_core::Moment;

use crate::runtime::Runtime;

/// One sleep of the runtime, kept and set anew only when it must ring earlier.
pub(crate) struct Alarm<R: Runtime> {
    runtime: R,
    sleep: Option<(Moment, Pin<Box<R::Sleep>>)>,
}

impl<R: Runtime> Alarm<R> {
    /// Returns an alarm that is not set.
    pub(crate) fn new(runtime: R) -> Self {
        Self {
            runtime,
            sleep: None,
        }
    }

    /// Completes when `at` has come; otherwise the task is woken then, or a little earlier.
    pub(crate) fn poll_passed(&mut self, cx: &mut Context<'_>, at: Moment) -> Poll<()> {
        let now = self.runtime.now();
        self.poll_passed_since(cx, now, at)
    }

    /// Does the same for who has looked at the clock a moment ago.
    pub(crate) fn poll_passed_since(
        &mut self,
        cx: &mut Context<'_>,
        now: Moment,
        at: Moment,
    ) -> Poll<()> {
        if now >= at {
            return Poll::Ready(());
        }
        loop {
            let (set_for, sleep) = match &mut self.sleep {
                Some((set_for, sleep)) if *set_for <= at => (*set_for, sleep),
                Some(_) | None => {
                    let sleep = Box::pin(self.runtime.sleep_until(at));
                    let (set_for, sleep) = self.sleep.insert((at, sleep));
                    (*set_for, sleep)
                }
            };
            match sleep.as_mut().poll(cx) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(()) => {
                    self.sleep = None;
                    if set_for >= at {
                        return Poll::Ready(());
                    }
                }
            }
        }
    }
}

impl<R: Runtime> fmt::Debug for Alarm<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Alarm")
            .field("at", &self.sleep.as_ref().map(|(at, _)| at))
            .finish()
    }
}

/// Returns the moment that is `wait` later.
pub(crate) fn after(moment: Moment, wait: Duration) -> Moment {
    moment.plus_nanos(u64::try_from(wait.as_nanos()).unwrap_or(u64::MAX))
}
