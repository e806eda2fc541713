//! What systemd is told, when it is there to listen (`NOTIFY_SOCKET`).

use sd_notify::NotifyState;

/// Says that connections are served.
///
/// It does not wait for the first sync: a source that is away must not let the start of the unit run into its time limit, and
/// clients are told `FAILED_PRECONDITION` meanwhile.
pub(crate) fn notify_ready() {
    send(&[NotifyState::Ready, NotifyState::Status("serving")]);
}

/// Says that what was read is read anew, does so by `act`, and says that it is done.
pub fn notify_reload<T>(act: impl FnOnce() -> T) -> T {
    // Without the time a unit of type notify-reload is ended; without a clock nobody is told.
    match NotifyState::monotonic_usec_now() {
        Ok(now) => send(&[NotifyState::Reloading, now]),
        Err(error) => tracing::warn!(%error, "systemd could not be told of the reload"),
    }
    let done = act();
    notify_ready();
    done
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
