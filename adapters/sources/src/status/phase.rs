//! The phase of a pod, from the states of its containers (`getPhase`).

use podsapi_proto::core_v1::{ContainerState, ContainerStateTerminated, ContainerStatus};

use super::containers::Built;
use super::ends::RESTARTING_ALL;
use super::restart::{Planned, Role};

/// What a pod's phase is worked out from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stage<'a> {
    /// The regular containers and their statuses, in the same order.
    pub(super) regular: (&'a [Planned<'a>], &'a [Built]),
    /// The init containers, sidecars among them, and their statuses.
    pub(super) init: (&'a [Planned<'a>], &'a [Built]),
    /// Whether a regular container has run in the sandbox that is in use.
    pub(super) initialized: bool,
    /// Whether nothing of the pod will be started again, whatever its policy says.
    pub(super) over: bool,
}

/// How many containers are how far.
#[derive(Debug, Default)]
struct Counts {
    init_pending: usize,
    init_failed: usize,
    sidecars_pending: usize,
    running: usize,
    waiting: usize,
    stopped: usize,
    stopped_for_good: usize,
    succeeded: usize,
    unknown: usize,
}

/// Returns the phase, whatever it was before.
pub(super) fn phase(stage: &Stage<'_>) -> &'static str {
    let mut counts = Counts::default();
    for (planned, built) in stage.init.0.iter().zip(stage.init.1) {
        if planned.role == Role::Sidecar {
            counts.sidecar(&built.status);
        } else {
            counts.init(planned, &built.status);
        }
    }
    for (planned, built) in stage.regular.0.iter().zip(stage.regular.1) {
        counts.regular(planned, &built.status);
    }
    counts.phase(stage)
}

impl Counts {
    fn init(&mut self, planned: &Planned<'_>, status: &ContainerStatus) {
        match ended(status) {
            Some(end) => {
                self.init_failed += usize::from(end.exit_code() != 0 && !restarts(planned, end));
            }
            None => self.init_pending += 1,
        }
    }

    fn sidecar(&mut self, status: &ContainerStatus) {
        let state = state(status);
        if state.running.is_some() {
            self.sidecars_pending += usize::from(!status.started());
            self.running += 1;
        } else if state.waiting.is_some() && ended(status).is_none() {
            self.sidecars_pending += 1;
            self.waiting += 1;
        } else if state == ContainerState::default() {
            self.sidecars_pending += 1;
            self.unknown += 1;
        }
    }

    fn regular(&mut self, planned: &Planned<'_>, status: &ContainerStatus) {
        let state = state(status);
        if state.running.is_some() {
            self.running += 1;
        } else if let Some(end) = ended(status) {
            self.stopped += 1;
            self.stopped_for_good += usize::from(!restarts(planned, end));
            // One that waits has not succeeded, whatever it ended with before.
            self.succeeded += usize::from(state.terminated.is_some() && end.exit_code() == 0);
        } else if state.waiting.is_some() {
            self.waiting += 1;
        } else {
            self.unknown += 1;
        }
    }

    fn phase(&self, stage: &Stage<'_>) -> &'static str {
        if self.init_failed > 0 {
            return FAILED;
        }
        let initializing =
            self.init_pending > 0 || (self.sidecars_pending > 0 && !stage.initialized);
        if initializing || self.waiting > 0 || self.unknown > 0 {
            return PENDING;
        }
        if self.running > 0 {
            return RUNNING;
        }
        if self.stopped == 0 {
            return PENDING;
        }
        if !stage.over && self.stopped != self.stopped_for_good {
            return RUNNING;
        }
        if self.stopped == self.succeeded {
            SUCCEEDED
        } else {
            FAILED
        }
    }
}

/// Tells whether a pod never leaves this phase.
pub(super) fn is_terminal(phase: &str) -> bool {
    [FAILED, SUCCEEDED].contains(&phase)
}

/// Tells whether the container is started again after this end.
fn restarts(planned: &Planned<'_>, end: &ContainerStateTerminated) -> bool {
    planned.restarts_after(end.exit_code()) || end.reason() == RESTARTING_ALL
}

/// Returns how the container ended, when it has ended or waits after it did.
fn ended(status: &ContainerStatus) -> Option<&ContainerStateTerminated> {
    let state = status.state.as_ref()?;
    if let Some(ended) = &state.terminated {
        return Some(ended);
    }
    state.waiting.as_ref()?;
    status.last_state.as_ref()?.terminated.as_ref()
}

fn state(status: &ContainerStatus) -> ContainerState {
    status.state.clone().unwrap_or_default()
}

pub(super) const FAILED: &str = "Failed";
pub(super) const PENDING: &str = "Pending";
pub(super) const RUNNING: &str = "Running";
pub(super) const SUCCEEDED: &str = "Succeeded";
