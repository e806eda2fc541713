//! What becomes of the containers of a pod that is over (`TerminatePod`).

use podsapi_proto::core_v1::ContainerStatus;

use super::Scene;
use super::containers::Built;
use super::ends::{is_running, last_terminated, lost, over, terminated, waits};
use super::restart::{Planned, Role};

/// Ends what has no end: nothing of the pod runs, and nothing will be started again.
///
/// A pod that was never initialized keeps its regular containers waiting, and its init containers
/// behind the last one that has begun.
pub(super) fn finish(regular: &mut [Built], init: &mut [Built], scene: &Scene<'_>) {
    let planned = Planned::init(&scene.spec);
    let all = |built: &[Built]| -> Vec<ContainerStatus> {
        built.iter().map(|built| built.status.clone()).collect()
    };
    let said = scene.said().any(|report| {
        let status = &report.status;
        initialized(
            &planned,
            &status.container_statuses,
            &status.init_container_statuses,
        )
    });
    if said || initialized(&planned, &all(regular), &all(init)) {
        regular.iter_mut().for_each(end);
    }
    let last = init.iter().rposition(|built| begun(&built.status));
    let count = last.map_or(1, |last| last + 1);
    init.iter_mut().take(count).for_each(end);
}

/// Tells whether a pod with these statuses was initialized (`hasPodInitialized`).
fn initialized(
    planned: &[Planned<'_>],
    regular: &[ContainerStatus],
    init: &[ContainerStatus],
) -> bool {
    if planned.is_empty() || regular.iter().any(begun) {
        return true;
    }
    let Some(last) = init.last() else {
        return false;
    };
    let planned = planned.iter().find(|one| one.name == last.name());
    match planned.map(|planned| planned.role) {
        Some(Role::Sidecar) => is_running(last) && last.started(),
        Some(Role::Ephemeral | Role::Init | Role::Regular) => {
            let ends = [last_terminated(last), terminated(last)];
            ends.into_iter().flatten().any(|end| end.exit_code() == 0)
        }
        None => false,
    }
}

/// Tells whether there is a sign that the container was started at some time.
fn begun(status: &ContainerStatus) -> bool {
    waits(status).is_none() || last_terminated(status).is_some()
}

fn end(built: &mut Built) {
    if terminated(&built.status).is_none() {
        built.status.state = Some(over(lost()));
    }
}
