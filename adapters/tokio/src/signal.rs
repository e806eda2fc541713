//! The signals that ask the process to stop, or to read anew what it has read.

use std::future::pending;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// Completes at the next SIGTERM or SIGINT that comes after the first poll.
///
/// From then on neither ends the process by itself any more: [`serve`](crate::serve()) takes the first as the wish to drain and a
/// second as the wish to end at once.
///
/// # Panics
///
/// Outside a tokio runtime that has its reactor switched on.
pub async fn shutdown_signal() {
    let mut terminate = listen(SignalKind::terminate());
    let mut interrupt = listen(SignalKind::interrupt());
    let name = tokio::select! {
        () = next(&mut terminate) => "SIGTERM",
        () = next(&mut interrupt) => "SIGINT",
    };
    tracing::info!(signal = name, "asked to stop");
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
