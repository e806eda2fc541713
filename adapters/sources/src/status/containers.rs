//! The status of one container: what its runs show, and what others said of the same run
//! (`convertToAPIContainerStatuses`).

use podsapi_proto::core_v1::{ContainerState, ContainerStateWaiting, ContainerStatus};
use podsapi_proto::text::decode;
use prost::Message;

use super::Scene;
use super::ends::{
    self, RESTARTING_ALL, is_running, last_terminated, lost, over, running, terminated, waiting,
    waits,
};
use super::hold::{self, Holds};
use super::number;
use super::records::Fields;
use super::resources;
use super::restart::{Planned, Role};
use crate::view::{self, Container};

/// The status of a container, to be read and, once it is complete, to be sent.
#[derive(Clone, Debug)]
pub(super) struct Built {
    pub(super) status: ContainerStatus,
}

/// Works out the statuses of the containers of one list of the spec, in its order.
///
/// In a pod that is over no container waits to be started again.
pub(super) fn statuses(scene: &Scene<'_>, planned: &[Planned<'_>], holds: Holds) -> Vec<Built> {
    let built = planned.iter().map(|one| Built {
        status: status(scene, one, holds),
    });
    built.collect()
}

fn status(scene: &Scene<'_>, planned: &Planned<'_>, holds: Holds) -> ContainerStatus {
    let mut runs = scene.seen.runs(planned.name);
    let newest = runs.next();
    let before = before(scene, planned.name);
    let mut status = match newest {
        Some(newest) => shown(scene, planned, newest, runs.next(), before),
        None => missing(scene, planned, before),
    };
    if !hold::completed_init(scene, planned, newest, &status) {
        hold::hold(scene, planned, newest, (holds, before), &mut status);
    }
    let left = terminated(&status).is_none();
    let for_good = |end: &ContainerStatus| {
        terminated(end).is_some_and(|end| !planned.may_leave(end.exit_code()))
    };
    if let Some(before) = before.filter(|before| left && for_good(before))
        && !scene.can_restart_all()
    {
        status = before.clone();
    }
    let lost = newest.is_some_and(|newest| scene.seen.has_lost(&newest.id));
    judge(scene, planned, !lost, &mut status);
    status
}

/// Returns what was said of the container before. The owner saw an end that nobody saw here: its
/// word counts, unless a later run was seen.
fn before<'s>(scene: &'s Scene<'_>, name: &str) -> Option<&'s ContainerStatus> {
    let before = scene.before().container(name);
    if scene.seen.runs(name).next().is_some() {
        // Of a run that is here the runtime tells more.
        return before;
    }
    let counts = |owner: &ContainerStatus| {
        let Some(before) = before else {
            return true;
        };
        let (owners, ours) = (owner.restart_count(), before.restart_count());
        let starts = waits(before).is_some_and(|waits| waits.reason() == RESTARTING_ALL);
        match terminated(before) {
            Some(_) if ends::is_guess(before) => owners >= ours,
            Some(_) if ends::is_guess(owner) => false,
            Some(_) => owners > ours || (owners == ours && phase_is_terminal(scene)),
            None if phase_is_terminal(scene) => true,
            // A guess has counted the start that it takes for given.
            None if ends::is_guess(before) => owners.saturating_add(1) >= ours,
            None if starts => owners > ours,
            None => owners >= ours,
        }
    };
    let ended = scene.owner.container(name);
    let ended = ended.filter(|owner| terminated(owner).is_some() && counts(owner));
    ended.or(before)
}

fn phase_is_terminal(scene: &Scene<'_>) -> bool {
    super::phase::is_terminal(scene.owner.status.phase())
}

/// The status of a container that the runtime has at least one run of.
fn shown(
    scene: &Scene<'_>,
    planned: &Planned<'_>,
    newest: &Container,
    previous: Option<&Container>,
    before: Option<&ContainerStatus>,
) -> ContainerStatus {
    let id = scene.id(newest);
    let counted = i32::try_from(newest.restart_count).unwrap_or(i32::MAX);
    let owner = scene.owner.container(planned.name);
    let owner = owner.filter(|owner| owner.container_id() == id);
    let mut restarts = counted
        .max(before.map_or(0, ContainerStatus::restart_count))
        .max(owner.map_or(0, ContainerStatus::restart_count));
    let was = before.and_then(terminated);
    let mut last = before.and_then(|before| {
        let ended = was.filter(|_| before.container_id() != id);
        ended.or_else(|| last_terminated(before)).cloned().map(over)
    });
    let now = state(scene, newest, before);
    let again = before.is_some_and(|before| before.restart_count() >= counted) && was.is_some();
    let bumped = now.running.is_some() && again;
    let vanished = newest.state == view::ContainerState::Unknown
        && now.terminated.is_some()
        && before.is_some_and(is_running);
    let anew = before.is_some_and(|before| made_anew(newest, &id, before));
    if bumped || vanished || anew {
        restarts = before
            .map_or(0, ContainerStatus::restart_count)
            .saturating_add(1)
            .max(restarts);
    }
    if let Some(previous) = previous {
        let same = before.filter(|before| before.container_id() == scene.id(previous));
        let ended = state(scene, previous, same);
        // Of a run that the runtime lost track of, what was said before is more.
        let nothing = previous.state == view::ContainerState::Unknown && ended.terminated.is_none();
        if !nothing || last.is_none() {
            last = Some(ended);
        }
    }
    let guessed = last.as_ref().is_none_or(|last| {
        last.terminated.as_ref().is_none_or(ends::is_lost) && last.running.is_none()
    });
    let owners = owner.and_then(last_terminated);
    if let Some(ended) = owners.filter(|ended| guessed && !ends::is_lost(ended)) {
        last = Some(over(ended.clone()));
    }
    let said = [scene.before(), &scene.owner];
    let said = said.map(|report| {
        let status = report.container(planned.name);
        status.filter(|status| status.container_id() == id)
    });
    let kept = |text: fn(&ContainerStatus) -> &str, or: &str| {
        let mut said = said.iter().flatten().map(|status| text(status));
        let kept = said.find(|text| !text.is_empty());
        kept.unwrap_or(or).to_owned()
    };
    let image = match newest.image.as_str() {
        "" => planned.image,
        image => image,
    };
    let mut status = ContainerStatus {
        name: Some(planned.name.to_owned()),
        state: Some(now),
        last_state: Some(last.unwrap_or_default()),
        restart_count: Some(restarts),
        image: Some(kept(ContainerStatus::image, image)),
        image_id: Some(kept(ContainerStatus::image_id, &newest.image_ref)),
        container_id: Some(id),
        volume_mounts: resources::mounts(planned),
        ..ContainerStatus::default()
    };
    resources::of_run(planned, newest, before, &mut status);
    status
}

/// Tells whether a run was made after the one that was told before, and is noted as the first one:
/// what notes the count was lost with the folder of its logs.
fn made_anew(run: &Container, id: &str, before: &ContainerStatus) -> bool {
    let was = before.state.as_ref();
    let running = was.and_then(|state| state.running.as_ref());
    let running = running.and_then(|running| running.started_at);
    let ended = [terminated(before), last_terminated(before)];
    let ended = ended.into_iter().flatten();
    let mut ended = ended.filter(|end| end.container_id() == before.container_id());
    let then = running.or_else(|| ended.next()?.finished_at);
    let other = !before.container_id().is_empty() && before.container_id() != id;
    let made = run.created_at.div_euclid(1_000_000_000);
    let later = then
        .and_then(|then| then.seconds)
        .is_some_and(|then| made >= then);
    run.restart_count == 0 && other && later
}

/// The state of one run. A run ends once: while the runtime shows its end that counts, and else
/// what was said of its end, the owner's word first, since the owner may have seen it earlier.
fn state(scene: &Scene<'_>, run: &Container, before: Option<&ContainerStatus>) -> ContainerState {
    let id = scene.id(run);
    let mut said = scene.owner_first();
    let end = said.find_map(|report| ends::said(report.container(&run.name)?, &id));
    if run.state == view::ContainerState::Exited {
        let mut shown = ends::shown(scene, run);
        let Some(end) = end else {
            return over(shown);
        };
        // A runtime that was away and has lost the end says so; that is no newer word.
        if run.reason == "Unknown" {
            return over(end);
        }
        if shown.message().is_empty() {
            shown.message = end.message;
        }
        return over(shown);
    }
    if let Some(end) = end {
        return over(end);
    }
    match run.state {
        view::ContainerState::Running if run.started_at <= 0 => begun(scene, &run.name, &id),
        view::ContainerState::Running => running(run),
        view::ContainerState::Created => waiting(ContainerStateWaiting::default()),
        view::ContainerState::Exited => over(ends::shown(scene, run)),
        view::ContainerState::Unknown => {
            let mut said = scene.owner_first();
            let guess = said.find_map(|said| ends::guessed(said.container(&run.name)?, &id));
            let ran = before.is_some_and(is_running);
            let guess = guess.or_else(|| ran.then(|| scene.lost()));
            guess.map_or_else(|| waiting(ContainerStateWaiting::default()), over)
        }
    }
}

/// The state of a run that runs since nobody knows when: as it was said before, or else it is said
/// to run once the runtime has told when it began.
fn begun(scene: &Scene<'_>, name: &str, id: &str) -> ContainerState {
    let said = scene.said().filter_map(|report| report.container(name));
    let mut said = said.filter(|said| said.container_id() == id && is_running(said));
    let said = said.find_map(|said| said.state.clone());
    said.unwrap_or_else(|| waiting(ContainerStateWaiting::default()))
}

/// The status of a container that the runtime shows no run of.
fn missing(
    scene: &Scene<'_>,
    planned: &Planned<'_>,
    before: Option<&ContainerStatus>,
) -> ContainerStatus {
    let mut status = ContainerStatus {
        name: Some(planned.name.to_owned()),
        state: Some(waiting(ContainerStateWaiting {
            reason: Some(scene.default_waiting().to_owned()),
            message: None,
        })),
        last_state: Some(ContainerState::default()),
        restart_count: Some(before.map_or(0, ContainerStatus::restart_count)),
        image: Some(planned.image.to_owned()),
        image_id: Some(String::new()),
        container_id: Some(String::new()),
        volume_mounts: resources::mounts(planned),
        ..ContainerStatus::default()
    };
    if let Some(before) = before {
        status.last_state = Some(before.last_state.clone().unwrap_or_default());
        if terminated(before).is_some() {
            status = before.clone();
        }
        // An end that nobody saw was no run that could be removed.
        let counted = terminated(before).is_some_and(|ended| ended.container_id().is_empty());
        if scene.restarting_all() && waits(before).is_none() && !counted {
            status.state = Some(waiting(ContainerStateWaiting {
                reason: Some(RESTARTING_ALL.to_owned()),
                message: ends::removed().message,
            }));
            status.last_state = Some(over(ends::removed()));
            status.restart_count = Some(before.restart_count().saturating_add(1));
        } else if waits(before).is_some_and(|waits| waits.reason() == RESTARTING_ALL) {
            status = before.clone();
        } else if is_running(before) {
            vanish(scene, planned, before, &mut status);
        }
    }
    if planned.role == Role::Init && scene.any_regular_created() && waits(&status).is_some() {
        status.state = Some(over(ends::completed()));
    }
    status
}

/// A container that ran, of which nobody saw the end. It has ended where it is not started again;
/// elsewhere it waits, and what started it again counts, as a kubelet has it.
fn vanish(
    scene: &Scene<'_>,
    planned: &Planned<'_>,
    before: &ContainerStatus,
    status: &mut ContainerStatus,
) {
    let for_good = phase_is_terminal(scene) || !planned.restarts_after(lost().exit_code());
    if for_good && !scene.deleted() {
        status.state = Some(over(lost()));
        for (text, said) in [
            (&mut status.image, &before.image),
            (&mut status.image_id, &before.image_id),
            (&mut status.container_id, &before.container_id),
        ] {
            text.clone_from(said);
        }
    } else if last_terminated(before).is_none() {
        status.last_state = Some(over(lost()));
        if !scene.deleted() {
            status.restart_count = Some(before.restart_count().saturating_add(1));
        }
    }
}

/// Decides whether the container has started and is ready (`UpdatePodStatus` of the probe manager).
fn judge(scene: &Scene<'_>, planned: &Planned<'_>, is_shown: bool, status: &mut ContainerStatus) {
    let runs = is_running(status) && is_shown;
    let owner = scene.owner.container(planned.name);
    let owner =
        owner.filter(|owner| owner.container_id() == status.container_id() && is_running(owner));
    let said =
        |probed: bool, word: fn(&ContainerStatus) -> bool| !probed || owner.is_some_and(word);
    let (started, ready) = match planned.role {
        Role::Ephemeral => (None, false),
        Role::Init => {
            let ended = terminated(status);
            let done = ended.is_some_and(|ended| ended.exit_code() == 0);
            let started = runs && said(planned.startup_probe, ContainerStatus::started);
            (Some(started), done)
        }
        Role::Regular | Role::Sidecar => {
            let started = runs && said(planned.startup_probe, ContainerStatus::started);
            let ready = started && said(planned.readiness_probe, ContainerStatus::ready);
            (Some(started), ready)
        }
    };
    status.started = started;
    status.ready = Some(ready);
}

impl Built {
    /// Puts what is known here in the place of what the owner said, keeping all else of it.
    pub(super) fn encode(mut self, scene: &Scene<'_>) -> Vec<u8> {
        for state in [&mut self.status.state, &mut self.status.last_state] {
            if let Some(end) = state.as_mut().and_then(|state| state.terminated.as_mut()) {
                end.message = end.message.take().map(|message| scene.shortened(message));
            }
        }
        let status = self.status;
        let owner = scene.owner.container_bytes(status.name());
        let mut known = ContainerStatus {
            name: status.name,
            state: status.state,
            last_state: status.last_state,
            ready: status.ready,
            restart_count: status.restart_count,
            image: status.image,
            image_id: status.image_id,
            container_id: status.container_id,
            started: status.started,
            allocated_resources: status.allocated_resources,
            resources: status.resources,
            volume_mounts: status.volume_mounts,
            user: status.user,
            ..ContainerStatus::default()
        };
        let mut replaced = number::KNOWN_OF_CONTAINERS.to_vec();
        replaced.extend([
            number::ALLOCATED,
            number::RESOURCES,
            number::VOLUME_MOUNTS,
            number::USER,
        ]);
        if let Ok(owner) = decode::<ContainerStatus>(owner) {
            let mut keep = |owners: bool, number: u32| {
                if owners {
                    replaced.retain(|replaced| *replaced != number);
                }
                owners
            };
            // What the owner leaves out of exactly this run is not there either.
            let of_any = owner.container_id().is_empty();
            let of_run = !of_any && owner.container_id() == known.container_id();
            let counts = |there: bool| of_run || (of_any && there);
            if keep(
                counts(!owner.allocated_resources.is_empty()),
                number::ALLOCATED,
            ) {
                known.allocated_resources.clear();
            }
            if keep(counts(owner.resources.is_some()), number::RESOURCES) {
                known.resources = None;
            }
            if keep(counts(owner.user.is_some()), number::USER) {
                known.user = None;
            }
            if keep(
                of_run || !owner.volume_mounts.is_empty(),
                number::VOLUME_MOUNTS,
            ) {
                known.volume_mounts.clear();
            }
            if owner.state.is_some() && owner.state == known.state {
                known.state = None;
                replaced.retain(|number| *number != number::STATE);
            }
            if owner.last_state.is_some() && owner.last_state == known.last_state {
                known.last_state = None;
                replaced.retain(|number| *number != number::LAST_STATE);
            }
        }
        let mut fields = Fields::keeping(owner, &replaced);
        fields.add_all(&known.encode_to_vec());
        fields.finish()
    }
}
