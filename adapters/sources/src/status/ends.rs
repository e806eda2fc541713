//! The states that a container's status is made of, and the ends that were told of its runs.

use podsapi_proto::core_v1::{
    ContainerState, ContainerStateRunning, ContainerStateTerminated, ContainerStateWaiting,
    ContainerStatus,
};

use super::Scene;
use super::evidence::{at, ended, time};
use crate::view::Container;

/// Returns how a run ended as the runtime shows it.
pub(super) fn shown(scene: &Scene<'_>, run: &Container) -> ContainerStateTerminated {
    ContainerStateTerminated {
        exit_code: Some(run.exit_code),
        signal: None,
        reason: Some(run.reason.clone()),
        message: Some(match (&run.message, &run.termination_message) {
            (message, None) => message.clone(),
            (message, Some(words)) if message.is_empty() => words.clone(),
            (message, Some(words)) if words.is_empty() => message.clone(),
            (message, Some(words)) => format!("{message}: {words}"),
        }),
        // Of a run that never started a kubelet says 1970, where the clocks of its runtime begin.
        started_at: Some(at(run.started_at.max(0) / 1_000_000_000)),
        finished_at: Some(time(ended(run))),
        container_id: Some(scene.id(run)),
    }
}

/// Returns what a status says of the end of the run with this identity.
///
/// An end without an identity was not seen, but guessed.
pub(super) fn said(status: &ContainerStatus, id: &str) -> Option<ContainerStateTerminated> {
    let ends = [terminated(status), last_terminated(status)];
    let mut ends = ends.into_iter().flatten();
    ends.find(|ended| ended.container_id() == id).cloned()
}

/// Returns the end that was guessed of the run with this identity.
pub(super) fn guessed(status: &ContainerStatus, id: &str) -> Option<ContainerStateTerminated> {
    if status.container_id() != id {
        return None;
    }
    // One that waits to be started again has ended before.
    let waited = waits(status).is_some_and(|waits| !waits.reason().is_empty());
    let waited = || last_terminated(status).filter(|ended| waited && is_lost(ended));
    let ended = terminated(status).or_else(waited)?;
    Some(ended)
        .filter(|ended| ended.container_id().is_empty())
        .cloned()
}

/// Tells whether a status says no more than that a run must have ended.
pub(super) fn is_guess(status: &ContainerStatus) -> bool {
    let ended = terminated(status);
    let ended = ended.or_else(|| last_terminated(status).filter(|_| !is_running(status)));
    ended.is_some_and(is_lost)
}

/// Tells whether this is the end of a run that nobody saw.
pub(super) fn is_lost(ended: &ContainerStateTerminated) -> bool {
    ended.container_id().is_empty() && ended.reason() == UNKNOWN
}

/// The end of a run that nobody saw.
pub(super) fn lost() -> ContainerStateTerminated {
    ContainerStateTerminated {
        exit_code: Some(137),
        reason: Some(UNKNOWN.to_owned()),
        message: Some("it ran, and the runtime has lost track of it".to_owned()),
        ..ContainerStateTerminated::default()
    }
}

/// The end of a run that was removed because all containers of the pod are started again.
pub(super) fn removed() -> ContainerStateTerminated {
    ContainerStateTerminated {
        reason: Some(RESTARTING_ALL.to_owned()),
        message: Some("it was removed, since all containers are started again".to_owned()),
        ..lost()
    }
}

/// The end of an init container of which only what followed it is left.
pub(super) fn completed() -> ContainerStateTerminated {
    ContainerStateTerminated {
        exit_code: Some(0),
        reason: Some("Completed".to_owned()),
        message: Some("the runtime has no trace of it, but what follows it has run".to_owned()),
        ..ContainerStateTerminated::default()
    }
}

pub(super) fn running(run: &Container) -> ContainerState {
    ContainerState {
        running: Some(ContainerStateRunning {
            started_at: Some(time(run.started_at)),
        }),
        ..ContainerState::default()
    }
}

pub(super) fn waiting(waiting: ContainerStateWaiting) -> ContainerState {
    ContainerState {
        waiting: Some(waiting),
        ..ContainerState::default()
    }
}

pub(super) fn over(terminated: ContainerStateTerminated) -> ContainerState {
    ContainerState {
        terminated: Some(terminated),
        ..ContainerState::default()
    }
}

/// Returns how the container ended, if that is its state.
pub(super) fn terminated(status: &ContainerStatus) -> Option<&ContainerStateTerminated> {
    status.state.as_ref()?.terminated.as_ref()
}

/// Returns how the run before ended.
pub(super) fn last_terminated(status: &ContainerStatus) -> Option<&ContainerStateTerminated> {
    status.last_state.as_ref()?.terminated.as_ref()
}

pub(super) fn is_running(status: &ContainerStatus) -> bool {
    let state = status.state.as_ref();
    state.is_some_and(|state| state.running.is_some())
}

pub(super) fn waits(status: &ContainerStatus) -> Option<&ContainerStateWaiting> {
    status.state.as_ref()?.waiting.as_ref()
}

/// Why a container has ended of which nobody saw the end.
const UNKNOWN: &str = "ContainerStatusUnknown";

/// Why a container waits, and has ended, while all containers of its pod are started again.
pub(super) const RESTARTING_ALL: &str = "RestartingAllContainers";
