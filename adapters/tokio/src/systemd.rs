//! What systemd is told, when it is there to listen (`NOTIFY_SOCKET`).

use sd_notify::NotifyState;

/// Says that connections are served.
///
/// It does not wait for the first sync: a source that is away must not let the start of the unit run into its time limit, and
/// clients are told `FAILED_PRECONDITION` meanwhile.
pub(crate) fn notify_ready() {
    send(&[NotifyState::Ready, NotifyState::Status("serving")]);
}

/// Says that the server drains.
pub(crate) fn notify_stopping() {
    send(&[NotifyState::Stopping, NotifyState::Status("draining")]);
}

fn send(states: &[NotifyState<'_>]) {
    if let Err(error) = sd_notify::notify(states) {
        tracing::warn!(%error, "systemd could not be told");
    }
}
