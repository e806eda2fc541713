//! The seam to a runtime: sleep until a moment, tell the moment.

use std::future::Future;

use podsapi_core::Moment;

/// What the driver needs from whoever runs it.
///
/// A runtime adapter implements the two methods; nothing in this crate starts a task, and nothing else
/// in it waits for a timer or reads a clock. The moments are those that the state machine sees, so one
/// runtime must count all of them from one origin.
pub trait Runtime: Clone + Send + Sync + Unpin + 'static {
    /// The future that [`Runtime::sleep_until`] returns.
    type Sleep: Future<Output = ()> + Send + 'static;

    /// Returns a future that completes once `at` has come; at once when it has already passed.
    fn sleep_until(&self, at: Moment) -> Self::Sleep;

    /// Returns the present moment; it never goes back.
    fn now(&self) -> Moment;
}
