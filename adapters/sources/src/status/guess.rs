//! What a guess is taken back with: the last status of each container that was no guess.
//!
//! A container that ran and is not shown any more is taken for ended (`ContainerStatusUnknown`), its
//! restart is counted, and its pod may have failed by that. A kubelet keeps this. Where the same run
//! is shown again, or the owner tells how it ended, the guess was wrong, and nothing of it may stay.

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
    restored(now, &before, |_| true).or_else(|| kept.cloned())
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
            let same = format!("{}://{}", node.runtime_name, run.id) == id;
            same && run.state != ContainerState::Unknown
        };
        let owner = owner.container(was.name());
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
        if let Some(was) = was.filter(|was| !was.container_id().is_empty() && wrong(was)) {
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
