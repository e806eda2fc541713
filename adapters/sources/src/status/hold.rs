//! What a container waits for that is to be started again.

use podsapi_proto::core_v1::{ContainerStateWaiting, ContainerStatus};

use super::Scene;
use super::back_off;
use super::ends::{RESTARTING_ALL, is_running, terminated, waiting, waits};
use super::restart::{Planned, Role};
use crate::view::{self, Container};

/// For what containers wait that are to be started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Holds {
    /// For the owner's reasons and their back-off.
    All,
    /// For nothing: none will be started.
    Nothing,
    /// For the owner's reasons.
    Owners,
}

/// Tells whether an init container is done: it is not held, whatever was said of it.
pub(super) fn completed_init(
    scene: &Scene<'_>,
    planned: &Planned<'_>,
    newest: Option<&Container>,
    status: &ContainerStatus,
) -> bool {
    let ended = terminated(status).is_some_and(|end| end.exit_code() == 0);
    let seen = newest.is_some_and(|run| run.state == view::ContainerState::Exited);
    match planned.role {
        Role::Init => (ended && seen) || (newest.is_none() && scene.any_regular_created()),
        Role::Sidecar => ended && seen,
        Role::Ephemeral | Role::Regular => false,
    }
}

/// Lets a container that is to be started wait: with the reason that its owner gave of exactly this
/// run, or of a container that has not run again since; or else for its back-off.
pub(super) fn hold(
    scene: &Scene<'_>,
    planned: &Planned<'_>,
    newest: Option<&Container>,
    (holds, before): (Holds, Option<&ContainerStatus>),
    status: &mut ContainerStatus,
) {
    let owners = owners_reason(scene, planned, newest, before, status);
    let back_off = || back_off::waits(scene, planned, newest, status);
    let reason = match holds {
        Holds::All => owners.or_else(back_off),
        Holds::Nothing => None,
        Holds::Owners => owners,
    };
    let Some(reason) = reason else {
        return;
    };
    let now = status.state.replace(waiting(reason));
    if let Some(ended) = now.filter(|state| state.terminated.is_some()) {
        status.last_state = Some(ended);
    }
    if newest.is_none() {
        status.image = Some(planned.image.to_owned());
        (status.image_id, status.container_id) = (Some(String::new()), Some(String::new()));
        status.allocated_resources.clear();
        (status.resources, status.user) = (None, None);
    }
}

/// Returns the reason that the owner gave of exactly this run, or of a container that has not run
/// again since.
fn owners_reason(
    scene: &Scene<'_>,
    planned: &Planned<'_>,
    newest: Option<&Container>,
    before: Option<&ContainerStatus>,
    status: &ContainerStatus,
) -> Option<ContainerStateWaiting> {
    let owner = scene.owner.container(planned.name)?;
    let ended = terminated(status);
    let again = match ended {
        Some(_) if scene.phase_was_terminal() || scene.exceeded => false,
        Some(end) if newest.is_some() => planned.restarts_after(end.exit_code()),
        Some(_) | None => !is_running(status),
    };
    let was = before.map(ContainerStatus::container_id);
    let of_this_run = match newest {
        Some(newest) => owner.container_id() == scene.id(newest),
        None if ended.is_none() => owner.restart_count() >= status.restart_count(),
        None => {
            was.is_some_and(|was| !was.is_empty() && was == owner.container_id())
                || owner.restart_count() > status.restart_count()
        }
    };
    let reason = waits(owner).filter(|waits| !WAITS_ANYWAY.contains(&waits.reason()));
    let reason = reason.filter(|_| again && of_this_run && (!scene.deleted() || scene.is_static()));
    reason.cloned()
}

/// The reasons with which a container waits that nobody has tried to start: they say nothing of why
/// it cannot be.
const WAITS_ANYWAY: [&str; 4] = ["", "ContainerCreating", "PodInitializing", RESTARTING_ALL];
