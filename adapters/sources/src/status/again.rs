//! The start of all containers of a pod anew, which an end of one of them can ask for.

use super::Scene;
use super::ends::{self, terminated};
use super::restart::Planned;
use crate::view::ContainerState;

/// Tells whether the containers of the pod are being started again, all of them
/// (`ShouldAllContainersRestart`): it was said before, or one has ended so.
pub(super) fn restarting(scene: &Scene<'_>, all: &[Planned<'_>]) -> bool {
    if scene.phase_was_terminal() {
        return false;
    }
    let said = scene.before().condition(CONDITION);
    if said.is_some_and(|condition| condition.status() == "True") {
        return true;
    }
    let asks = |planned: &Planned<'_>| {
        let newest = scene.seen.runs(planned.name).next();
        let Some(newest) = newest.filter(|run| run.state == ContainerState::Exited) else {
            return false;
        };
        let before = scene.before().container(planned.name);
        let before = before.and_then(terminated).map(|ended| ended.exit_code());
        let id = scene.id(newest);
        let mut said = scene.owner_first();
        let said = said.find_map(|report| ends::said(report.container(planned.name)?, &id));
        let code = said.map_or(newest.exit_code, |ended| ended.exit_code());
        let mut codes = [code].into_iter().chain(before);
        codes.any(|code| planned.restarts_all_after(code))
    };
    all.iter().any(asks)
}

/// Tells whether nothing of the containers before is left (`AllContainersRestartCleanedUp`).
pub(super) fn cleaned_up(scene: &Scene<'_>, all: &[Planned<'_>]) -> bool {
    let mut all = all.iter();
    all.all(|planned| scene.seen.runs(planned.name).next().is_none())
}

/// The condition that is true while all containers are being started again.
pub(super) const CONDITION: &str = "AllContainersRestarting";
