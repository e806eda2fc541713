//! What a guess is taken back with: the last status of each container that was no guess.
//!
//! A container that ran and is not shown any more is taken for ended (`ContainerStatusUnknown`), its
//! restart is counted, and its pod may have failed by that. A kubelet keeps this. Where the same run
//! is shown again, or the owner tells how it ended, the guess was wrong, and nothing of it may stay. So
//! it was where a pod that is over had a container that nobody had seen run, and it runs now, for the
//! first time.

use podsapi_core::{EncodedPod, EncodedStatus};
use podsapi_proto::core_v1::{ContainerStatus, PodStatus};
use podsapi_proto::text::decode;
use prost::Message;

use super::ends;
use super::evidence::PodView;
use super::number;
use super::phase::is_terminal;
use super::records::merged;
use super::report::Report;
use crate::view::{ContainerState, NodeFacts};

/// Returns what is to be kept of a new status, and what was kept before, for [`taken_back`].
pub(crate) fn sure(kept: Option<&EncodedStatus>, status: &EncodedStatus) -> Option<EncodedStatus> {
    let now: PodStatus = decode(status.bytes().clone()).ok()?;
    if !all(&now).any(is_guess) {
        return Some(status.clone());
    }
    let before: PodStatus = decode(kept?.bytes().clone()).ok()?;
    restored(now, &before, has_run).or_else(|| kept.cloned())
}

/// Tells whether anything in a status is a guess.
pub(crate) fn has_any(status: &EncodedStatus) -> bool {
    let status = decode::<PodStatus>(status.bytes().clone()).unwrap_or_default();
    all(&status).any(is_guess)
}

/// Returns the last status without the guesses that are known to be wrong now; nothing where it has
/// none.
pub(crate) fn taken_back(
    pod: &EncodedPod,
    last: &EncodedStatus,
    sure: &EncodedStatus,
    seen: &PodView,
    node: &NodeFacts,
) -> Option<EncodedStatus> {
    if last == sure {
        return None;
    }
    let last: PodStatus = decode(last.bytes().clone()).ok()?;
    let sure: PodStatus = decode(sure.bytes().clone()).ok()?;
    let owner = Report::decode(merged(pod.bytes(), number::POD_STATUS)).ok()?;
    let known = |was: &ContainerStatus| {
        let id = was.container_id();
        let shown = |run: &crate::view::Container| {
            let same = match has_run(was) {
                true => format!("{}://{}", node.runtime_name, run.id) == id,
                false => i32::try_from(run.restart_count) == Ok(was.restart_count()),
            };
            same && run.state != ContainerState::Unknown
        };
        let owner = owner.container(was.name()).filter(|_| has_run(was));
        seen.runs(was.name()).any(shown) || owner.is_some_and(|it| ends::said(it, id).is_some())
    };
    restored(last, &sure, known)
}

/// Puts what was sure in the place of the guesses of which `wrong` says so.
fn restored(
    mut status: PodStatus,
    sure: &PodStatus,
    wrong: impl Fn(&ContainerStatus) -> bool,
) -> Option<EncodedStatus> {
    let mut changed = false;
    let lists = [
        &mut status.container_statuses,
        &mut status.init_container_statuses,
        &mut status.ephemeral_container_statuses,
    ];
    for one in lists.into_iter().flatten().filter(|one| is_guess(one)) {
        let was = all(sure).find(|was| was.name() == one.name());
        if let Some(was) = was.filter(|was| wrong(was)) {
            one.clone_from(was);
            changed = true;
        }
    }
    if !changed {
        return None;
    }
    if is_terminal(status.phase()) && !is_terminal(sure.phase()) {
        status.phase.clone_from(&sure.phase);
        status.reason.clone_from(&sure.reason);
        status.message.clone_from(&sure.message);
    }
    EncodedStatus::parse(status.encode_to_vec().into()).ok()
}

fn has_run(status: &ContainerStatus) -> bool {
    !status.container_id().is_empty()
}

fn is_guess(status: &ContainerStatus) -> bool {
    let mut ends = [ends::terminated(status), ends::last_terminated(status)]
        .into_iter()
        .flatten();
    ends.any(ends::is_lost)
}

fn all(status: &PodStatus) -> impl Iterator<Item = &ContainerStatus> {
    let regular = status.container_statuses.iter();
    let all = regular.chain(&status.init_container_statuses);
    all.chain(&status.ephemeral_container_statuses)
}

#[cfg(test)]
mod tests {
    use super::super::scenes::{NOW, exited, node, one, run, running, sandbox, seen, told};
    use super::*;

    /// What is told of the container of a pod that its owner calls failed before anybody saw it run, once
    /// the runtime shows this.
    fn after_a_failure(shown: crate::view::Container) -> (String, i32, String) {
        let spec = ", activeDeadlineSeconds: 5";
        let nothing = seen(Vec::new(), Vec::new());
        let waits = told(&one("", spec, "phase: Running"), None, &nothing, NOW);
        let kept = sure(None, &waits.encoded).unwrap();
        let failed = one("", spec, "phase: Failed, reason: DeadlineExceeded");
        let over = told(&failed, Some(&waits.encoded), &nothing, NOW);
        assert_eq!(over.state("a"), "terminated 137 ContainerStatusUnknown");
        let kept = sure(Some(&kept), &over.encoded).unwrap();
        let now = seen(vec![sandbox()], vec![shown]);
        let last = taken_back(&failed, &over.encoded, &kept, &now, &node());
        let last = last.as_ref().unwrap_or(&over.encoded);
        let told = told(&failed, Some(last), &now, NOW);
        let count = told.container("a").restart_count();
        (told.state("a"), count, told.last_state("a"))
    }

    #[test]
    fn a_first_run_of_a_pod_that_was_over_before_it_was_seen_is_no_restart() {
        let none = String::new();
        assert_eq!(
            after_a_failure(running("a")),
            ("running".to_owned(), 0, none.clone())
        );
        let ended = "terminated 137 Error".to_owned();
        assert_eq!(after_a_failure(exited("a", 0, 137)), (ended, 0, none));
        // One that was counted is a later run.
        let later = after_a_failure(run("a", 1, ContainerState::Running));
        assert_eq!((later.0.as_str(), later.1), ("running", 1));
    }
}
