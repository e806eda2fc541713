//! The signals that ask the process to stop, or to read anew what it has read.

use std::future::{Future, pending};
use std::time::Duration;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::time::Instant;

/// Completes at the next SIGTERM or SIGINT after this call, be it before the first poll.
///
/// From the call on neither ends the process by itself any more: [`serve`](crate::serve()) takes the first as the wish to drain and a
/// second as the wish to end at once.
///
/// # Panics
///
/// Outside a tokio runtime that has its reactor switched on.
pub fn shutdown_signal() -> impl Future<Output = ()> {
    let mut stops = Stops::listen();
    async move {
        let signal = stops.next().await;
        tracing::info!(signal, "asked to stop");
    }
}

/// Completes at the next SIGTERM or SIGINT that is not the wish of just now once more.
///
/// Some that stop a process send two at once: `timeout` of coreutils signals the process and its
/// group.
pub(crate) fn second_signal() -> impl Future<Output = ()> {
    let first = Instant::now();
    let mut stops = Stops::listen();
    async move {
        loop {
            stops.next().await;
            if first.elapsed() >= SAME_WISH {
                return;
            }
        }
    }
}

/// Signals that are less than this apart are one wish.
const SAME_WISH: Duration = Duration::from_millis(200);

/// The wishes that the process stop.
struct Stops {
    terminate: Option<Signal>,
    interrupt: Option<Signal>,
}

impl Stops {
    fn listen() -> Self {
        Self {
            terminate: listen(SignalKind::terminate()),
            interrupt: listen(SignalKind::interrupt()),
        }
    }

    /// Returns the name of the next one.
    async fn next(&mut self) -> &'static str {
        tokio::select! {
            () = next(&mut self.terminate) => "SIGTERM",
            () = next(&mut self.interrupt) => "SIGINT",
        }
    }
}

/// The SIGHUPs of the process: the wish that what was read be read anew.
#[derive(Debug)]
pub struct Hangups(Option<Signal>);

impl Hangups {
    /// Begins to listen; from then on SIGHUP does not end the process any more, not even when this is
    /// dropped.
    ///
    /// # Panics
    ///
    /// Outside a tokio runtime that has its reactor switched on.
    #[must_use]
    pub fn listen() -> Self {
        Self(listen(SignalKind::hangup()))
    }

    /// Completes at the next one; several that come before anybody waits are one.
    pub async fn next(&mut self) {
        next(&mut self.0).await;
    }
}

fn listen(kind: SignalKind) -> Option<Signal> {
    signal(kind)
        .inspect_err(|error| tracing::warn!(%error, ?kind, "the signal cannot be caught and ends the process at once"))
        .ok()
}

async fn next(signal: &mut Option<Signal>) {
    match signal {
        Some(signal) => {
            if signal.recv().await.is_none() {
                pending().await
            }
        }
        None => pending().await,
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::process::Stdio;
    use std::task::Poll;

    use nix::sys::signal::{self, raise};
    use podsapi_test_process as child_process;

    use super::*;

    #[test]
    fn a_signal_that_comes_at_once_is_the_same_wish_and_a_later_one_is_another() {
        let name = "signal::tests::a_signal_that_comes_at_once_is_the_same_wish_and_a_later_one_is_another";
        if !child_process::is_child() {
            return child_process::run(name, "", Stdio::null(), &[]);
        }
        // Its time stands still: how long the machine takes for a signal does not count.
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .start_paused(true)
            .build()
            .unwrap();
        runtime.block_on(async {
            let mut told = listen(SignalKind::terminate()).unwrap();
            let mut second = pin!(second_signal());
            for wait in [Duration::ZERO, SAME_WISH - Duration::from_millis(1)] {
                tokio::time::advance(wait).await;
                raise(signal::SIGTERM).unwrap();
                told.recv().await.unwrap();
                let polled = std::future::poll_fn(|cx| Poll::Ready(second.as_mut().poll(cx)));
                assert!(polled.await.is_pending(), "after {wait:?}");
            }
            tokio::time::advance(Duration::from_millis(1)).await;
            raise(signal::SIGTERM).unwrap();
            second.await;
        });
    }
}
