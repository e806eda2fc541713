//! The differences from a kubelet that are meant, each with its name and the case that it needs.

use podsapi_proto::core_v1::{ContainerStatus, PodStatus};

use super::case::Case;
use super::compare::Difference;
use crate::view::{Container, ContainerState};

/// Takes out the differences that are meant, and returns their names.
pub(super) fn explained(
    case: &Case,
    refused: bool,
    ours: &PodStatus,
    kubelet: &PodStatus,
    found: &mut Vec<Difference>,
) -> Vec<&'static str> {
    let last = case.last_status();
    let before = last.as_ref().unwrap_or(&case.owner);
    if refused && !found.is_empty() && keeps_an_end(before, ours) {
        found.clear();
        return vec![REFUSED];
    }
    let exceeded = |status: &PodStatus| status.reason() == "DeadlineExceeded";
    if exceeded(ours) != exceeded(kubelet) {
        let ended = ["Failed", "Succeeded"].contains(&ours.phase());
        let reason = match exceeded(kubelet) {
            true => Some(IN_TIME).filter(|_| ended),
            false => Some(STARTED).filter(|_| before.start_time.is_none()),
        };
        if let Some(reason) = reason {
            found.clear();
            return vec![reason];
        }
    }
    let mut why = Vec::new();
    let terminal = |status: &PodStatus| ["Failed", "Succeeded"].contains(&status.phase());
    let over = (case.deleted || terminal(ours)) && case.seen().stopped();

    let mut containers = false;
    found.retain(|difference| {
        let of = |prefix| difference.what.strip_prefix(prefix);
        if let Some(name) = of("resources of ").or_else(|| of("mounts of ")) {
            let reason = of_container(case, before, name, over);
            let reason = reason.or_else(|| of_uses(case, name, difference));
            why.extend(reason);
            return reason.is_none();
        }
        let Some(name) = of("container ") else {
            return true;
        };
        let restarted = difference.ours.contains(ALL) || difference.kubelet.contains(ALL);
        let reason = of_container(case, before, name, over);
        let reason = reason.or_else(|| restarted.then_some(AGAIN));
        let held = exceeded(ours) && difference.kubelet.starts_with("waiting ");
        let reason = reason.or_else(|| held.then_some(EXCEEDED));
        containers |= reason.is_some();
        why.extend(reason);
        reason.is_none()
    });
    let follows = |difference: &Difference| {
        let what = difference.what.as_str();
        what.starts_with("condition ") && what != "condition PodReadyToStartContainers"
            || ["phase", "reason", "message"].contains(&what)
    };
    if containers {
        let ended = terminal(ours) != terminal(kubelet);
        found.retain(|difference| {
            !(follows(difference) || ended && difference.what.starts_with("container "))
        });
    }
    let said = [Some(&case.owner), last.as_ref()];
    let mut said = said.into_iter().flatten();
    let kept = last
        .as_ref()
        .is_some_and(|last| terminal(last) && !terminal(&case.owner));
    if kept && found.iter().any(follows) && ours.phase() == before.phase() {
        why.push(SERVED);
        found.retain(|difference| !follows(difference));
    }
    if ours.phase() == "Running" && said.any(|said| said.phase() == "Running") {
        let count = found.len();
        found.retain(|difference| {
            difference.what != "phase" || !["Pending", ""].contains(&difference.kubelet.as_str())
        });
        why.extend((found.len() < count).then_some(RUNNING));
    }
    if kubelet.phase().is_empty() && ours.phase() == "Pending" {
        found.retain(|difference| difference.what != "phase");
    }
    let over = |difference: &Difference| {
        over && follows(difference) && (difference.what != "phase" || case.is_static())
    };
    if found.iter().any(over) {
        why.push(OVER);
        found.retain(|difference| !over(difference));
    }
    let reasons = |difference: &Difference| {
        ["reason", "message"].contains(&difference.what.as_str())
            && case.owner.phase() == ours.phase()
    };
    if found.iter().any(reasons) {
        why.push(REASON);
        found.retain(|difference| !reasons(difference));
    }
    // Before its probes are asked, a kubelet takes what was said of a sidecar before for what is.
    let new = |status: &ContainerStatus| {
        let was = container(before, status.name());
        status.started() != was.is_some_and(ContainerStatus::started)
    };
    if ours.init_container_statuses.iter().any(new) {
        let count = found.len();
        let early = |it: &Difference| {
            let phases = [it.ours.as_str(), it.kubelet.as_str()];
            it.what == "phase"
                && phases
                    .iter()
                    .all(|one| ["Pending", "Running"].contains(one))
        };
        found.retain(|it| !early(it));
        why.extend((found.len() < count).then_some(SIDECAR));
    }
    let addresses = |difference: &Difference| {
        let gone = case.seen().ready_sandboxes() == 0 && before.pod_ip().is_empty();
        difference.what == "addresses" && gone && ours.pod_ip() == case.owner.pod_ip()
    };
    if found.iter().any(addresses) {
        why.push(ADDRESSES);
        found.retain(|difference| !addresses(difference));
    }
    why.sort_unstable();
    why.dedup();
    why
}

/// Tells whether a container that had ended still has.
fn keeps_an_end(before: &PodStatus, ours: &PodStatus) -> bool {
    let lists = [&before.container_statuses, &before.init_container_statuses];
    let mut all = lists.into_iter().flatten();
    all.any(|was| {
        let is = container(ours, was.name()).and_then(|is| is.state.clone());
        let was = was.state.clone().unwrap_or_default();
        was.terminated.is_some() && is.is_some_and(|is| is.terminated.is_some())
    })
}

fn of_container(case: &Case, before: &PodStatus, name: &str, over: bool) -> Option<&'static str> {
    let owner = container(&case.owner, name);
    let before = container(before, name);
    let newest = case.newest(name);
    let ended = |status: &ContainerStatus| {
        let state = status.state.clone().unwrap_or_default();
        state.terminated
    };
    let runs = |status: &ContainerStatus| {
        let state = status.state.clone().unwrap_or_default();
        state.running.is_some()
    };
    let end_of = |id: &str| {
        let said = [owner, before].into_iter().flatten();
        let mut said = said.flat_map(|status| {
            let last = status.last_state.clone().unwrap_or_default();
            [ended(status), last.terminated]
        });
        said.any(|end| end.is_some_and(|end| end.container_id() == format!("containerd://{id}")))
    };
    let seen = case.seen();
    let mut shown = seen.runs(name).take(2);
    let lost = |run: &Container| run.state == ContainerState::Unknown;
    let again = |status: &ContainerStatus| {
        let state = status.state.clone().unwrap_or_default();
        let last = status.last_state.clone().unwrap_or_default();
        state.waiting.is_some_and(|waits| waits.reason() == ALL)
            || last.terminated.is_some_and(|end| end.reason() == ALL)
    };
    if case.is_static() && case.deleted {
        return Some(LEAVES);
    }
    match newest {
        Some(_) if shown.any(|run| end_of(&run.id)) => Some(ENDED),
        Some(_) if seen.runs(name).take(2).any(lost) => Some(UNKNOWN),
        Some(_) if owner.is_some_and(waits) && case.was_terminal() => Some(SERVED),
        Some(_) if over => Some(OVER),
        Some(run) if run.restart_count == 0 && before.is_some_and(|it| of_another(it, &run)) => {
            Some(ANEW)
        }
        Some(_) => None,
        None if before.is_some_and(again) => Some(AGAIN),
        None if before.and_then(ended).is_some() && owner.is_some_and(waits) => Some(HELD),
        None if owner.and_then(ended).is_some() && owner != before => Some(OWNER_SAW),
        None if before.is_some_and(runs) => Some(UNSEEN),
        None if over => Some(OVER),
        None => None,
    }
}

/// What a container may use, and where its volumes are.
fn of_uses(case: &Case, name: &str, difference: &Difference) -> Option<&'static str> {
    if difference.what.starts_with("mounts ") {
        return (difference.kubelet == "[]").then_some(MOUNTS);
    }
    let owner = container(&case.owner, name)?;
    let same = match case.newest(name) {
        Some(newest) => !of_another(owner, &newest),
        None => !owner.container_id().is_empty(),
    };
    same.then_some(KEPT)
}

fn of_another(status: &ContainerStatus, run: &Container) -> bool {
    let id = status.container_id();
    !id.is_empty() && id != format!("containerd://{}", run.id)
}

fn waits(status: &ContainerStatus) -> bool {
    let state = status.state.clone().unwrap_or_default();
    state.waiting.is_some()
}

fn container<'s>(status: &'s PodStatus, name: &str) -> Option<&'s ContainerStatus> {
    let lists = [
        &status.container_statuses,
        &status.init_container_statuses,
        &status.ephemeral_container_statuses,
    ];
    let mut all = lists.into_iter().flatten();
    all.find(|one| one.name() == name)
}

const REFUSED: &str = "a change that its status manager refuses whole is refused for one container";
const ANEW: &str = "a run that is noted as the first counts as made anew, its end seen or not";
const ENDED: &str = "a run ends once: the owner's word, or what was served, of its end stays";
const UNKNOWN: &str = "a run that the runtime lost track of stays ended";
const OWNER_SAW: &str = "the owner saw the end of a container that is gone";
const UNSEEN: &str = "a container that ended unseen and is not started again is not restarted";
const SERVED: &str = "a terminal phase that was served stays";
const RUNNING: &str = "a pod that was Running does not go back to Pending";
const OVER: &str = "the conditions of a pod that is over are those of its last statuses";
const SIDECAR: &str = "a sidecar has started when it has, not one look later";
const ADDRESSES: &str = "the owner's addresses count while no sandbox has any";
const AGAIN: &str = "the start of all containers anew is counted once";
const HELD: &str = "a container that is gone and held has no identity any more";
const ALL: &str = "RestartingAllContainers";
const REASON: &str = "the owner's reason stays with its phase";
const IN_TIME: &str = "a pod that had ended before its deadline has not exceeded it";
const STARTED: &str = "a deadline counts from the first sandbox where nobody has told the start";
const MOUNTS: &str = "the volumes of a container are told from the first look on";
const KEPT: &str = "the owner's word of what exactly this run may use stays";
const LEAVES: &str = "a static pod that leaves waits as it did";
const EXCEEDED: &str = "in a pod that was active for too long nothing waits to be started";
