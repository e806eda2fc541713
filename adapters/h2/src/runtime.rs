//! The seam to a runtime: spawn a task, sleep until a moment, tell the moment.

use std::future::Future;

use podsapi_core::Moment;

/// What the driver needs from whoever runs it.
///
/// A runtime adapter implements the three methods; nothing else in this crate starts a task,
/// waits for a timer or reads a clock. The moments are those that the state machine sees, so one
/// runtime must count all of them from one origin.
pub trait Runtime: Clone + Send + Sync + Unpin + 'static {
    /// The future that [`Runtime::sleep_until`] returns.
    type Sleep: Future<Output = ()> + Send + 'static;

    /// Runs a task to its end, independently of the caller.
    fn spawn(&self, task: impl Future<Output = ()> + Send + 'static);

    /// Returns a future that completes once `at` has come; at once when it has already passed.
    fn sleep_until(&self, at: Moment) -> Self::Sleep;

    /// Returns the present moment; it never goes back.
    fn now(&self) -> Moment;
}
