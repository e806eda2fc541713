//! The status of one container: what its runs show, and what others said of the same run.

use podsapi_proto::core_v1::{
    ContainerState, ContainerStateRunning, ContainerStateTerminated, ContainerStateWaiting,
    ContainerStatus,
};
use podsapi_proto::text::decode;
use prost::Message;

use super::Scene;
use super::evidence::{count, ended, time};
use super::number;
use super::records::Fields;
use super::restart::{Planned, Role};
use crate::view::{self, Container};

/// The status of a container, to be read and to be sent.
#[derive(Clone, Debug)]
pub(super) struct Built {
    pub(super) status: ContainerStatus,
    pub(super) bytes: Vec<u8>,
}

/// Works out the statuses of the containers of one list of the spec, in its order.
pub(super) fn statuses(scene: &Scene<'_>, planned: &[Planned<'_>]) -> Vec<Built> {
    planned.iter().map(|one| status(scene, one)).collect()
}

fn status(scene: &Scene<'_>, planned: &Planned<'_>) -> Built {
    let before = scene.before().container(planned.name);
    let mut runs = scene.seen.runs(planned.name);
    let mut status = match (runs.next(), before) {
        (Some(newest), _) => {
            let history = History {
                newest,
                previous: runs.next(),
                before,
                owner: scene.owner.container(planned.name),
                id: scene.id(newest),
            };
            shown(scene, planned, &history)
        }
        (None, Some(before)) if state(before).terminated.is_some() => before.clone(),
        (None, _) => missing(scene, planned, before),
    };
    judge(scene, planned, &mut status);
    let bytes = encode(&status, scene.owner.container_bytes(planned.name));
    Built { status, bytes }
}

/// The runs of a container that the runtime has, and what was said before.
struct History<'a> {
    newest: &'a Container,
    previous: Option<&'a Container>,
    before: Option<&'a ContainerStatus>,
    owner: Option<&'a ContainerStatus>,
    /// The newest run's identity as statuses spell it.
    id: String,
}

impl<'a> History<'a> {
    fn same<'s>(&self, said: Option<&'s ContainerStatus>) -> Option<&'s ContainerStatus> {
        said.filter(|status| status.container_id() == self.id)
    }

    /// Returns what was said of exactly the newest run, first here, then by the owner.
    fn of_this_run(&self) -> impl Iterator<Item = &'a ContainerStatus> {
        let said = [self.same(self.before), self.same(self.owner)];
        said.into_iter().flatten()
    }

    fn kept(&self, text: impl Fn(&ContainerStatus) -> &str, or: &str) -> String {
        let mut said = self.of_this_run().map(text);
        let kept = said.find(|text| !text.is_empty());
        kept.unwrap_or(or).to_owned()
    }
}

/// The status of a container that the runtime has at least one run of.
fn shown(scene: &Scene<'_>, planned: &Planned<'_>, history: &History<'_>) -> ContainerStatus {
    let newest = history.newest;
    let before = history.before;
    let mut restarts = i32::try_from(count(newest)).unwrap_or(i32::MAX);
    restarts = restarts.max(before.map_or(0, ContainerStatus::restart_count));
    let mut last = history.previous.and_then(|run| {
        (run.state == view::ContainerState::Exited).then(|| terminated(scene, run, history))
    });
    if last.is_none() {
        last = before.and_then(|before| {
            let ended = state(before).terminated;
            ended
                .filter(|_| before.container_id() != history.id)
                .or_else(|| last_terminated(before))
        });
    }
    let waits = owner_waits(history);
    let now = match newest.state {
        view::ContainerState::Running => running(newest),
        view::ContainerState::Created => waiting(waits.unwrap_or_default()),
        view::ContainerState::Exited => {
            let ended = terminated(scene, newest, history);
            let done = planned.role == Role::Init && newest.exit_code == 0;
            let again = !scene.deleted() && !done && planned.restarts_after(newest.exit_code);
            match waits.filter(|_| again) {
                Some(waits) => {
                    last = Some(ended);
                    waiting(waits)
                }
                None => over(ended),
            }
        }
        view::ContainerState::Unknown => match (history.same(before), before) {
            (Some(same), _) if state(same).terminated.is_some() => state(same),
            (_, Some(before)) if state(before).running.is_some() => {
                restarts = restarts.max(before.restart_count().saturating_add(1));
                over(lost())
            }
            (Some(_) | None, _) => waiting(waits.unwrap_or_default()),
        },
    };
    ContainerStatus {
        name: Some(planned.name.to_owned()),
        state: Some(now),
        last_state: Some(last.map(over).unwrap_or_default()),
        restart_count: Some(restarts),
        image: Some(history.kept(
            ContainerStatus::image,
            if newest.image.is_empty() {
                planned.image
            } else {
                &newest.image
            },
        )),
        image_id: Some(history.kept(ContainerStatus::image_id, &newest.image_ref)),
        container_id: Some(history.id.clone()),
        ..ContainerStatus::default()
    }
}

/// The status of a container that the runtime shows no run of.
fn missing(
    scene: &Scene<'_>,
    planned: &Planned<'_>,
    before: Option<&ContainerStatus>,
) -> ContainerStatus {
    let owner = scene.owner.container(planned.name);
    let owner_waits = owner.and_then(|owner| state(owner).waiting);
    let mut now = waiting(
        owner_waits
            .filter(|waiting| !waiting.reason().is_empty())
            .unwrap_or_else(|| ContainerStateWaiting {
                reason: Some(scene.default_waiting().to_owned()),
                message: None,
            }),
    );
    let mut restarts = before.map_or(0, ContainerStatus::restart_count);
    let mut last = before.and_then(last_terminated);
    let ran = before.is_some_and(|before| state(before).running.is_some());
    if ran && last.is_none() {
        last = Some(lost());
        if !scene.deleted() {
            restarts = restarts.saturating_add(1);
        }
    }
    if planned.role == Role::Init && scene.any_regular_seen() {
        now = over(ContainerStateTerminated {
            exit_code: Some(0),
            reason: Some("Completed".to_owned()),
            message: Some("the runtime has no trace of it, but what follows it has run".to_owned()),
            ..ContainerStateTerminated::default()
        });
    }
    ContainerStatus {
        name: Some(planned.name.to_owned()),
        state: Some(now),
        last_state: Some(last.map(over).unwrap_or_default()),
        restart_count: Some(restarts),
        image: Some(planned.image.to_owned()),
        image_id: Some(String::new()),
        container_id: Some(String::new()),
        ..ContainerStatus::default()
    }
}

/// Decides whether the container has started and is ready.
fn judge(scene: &Scene<'_>, planned: &Planned<'_>, status: &mut ContainerStatus) {
    let state = status.state.clone().unwrap_or_default();
    let runs = state.running.is_some();
    let owner = scene.owner.container(planned.name).filter(|owner| {
        owner.container_id() == status.container_id()
            && owner
                .state
                .as_ref()
                .is_some_and(|state| state.running.is_some())
    });
    let said =
        |probed: bool, word: fn(&ContainerStatus) -> bool| !probed || owner.is_some_and(word);
    let (started, ready) = match planned.role {
        Role::Ephemeral => (None, false),
        Role::Init => {
            let ended = state.terminated.as_ref();
            (
                Some(runs),
                ended.is_some_and(|ended| ended.exit_code() == 0),
            )
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

/// Puts what is known here in the place of what the owner said, keeping all else of it.
fn encode(status: &ContainerStatus, owner: &[u8]) -> Vec<u8> {
    let mut known = ContainerStatus {
        name: status.name.clone(),
        state: status.state.clone(),
        last_state: status.last_state.clone(),
        ready: status.ready,
        restart_count: status.restart_count,
        image: status.image.clone(),
        image_id: status.image_id.clone(),
        container_id: status.container_id.clone(),
        started: status.started,
        ..ContainerStatus::default()
    };
    let mut replaced = number::KNOWN_OF_CONTAINERS.to_vec();
    if let Ok(owner) = decode::<ContainerStatus>(owner) {
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

/// Returns why the owner said that the container waits after or before exactly this run.
fn owner_waits(history: &History<'_>) -> Option<ContainerStateWaiting> {
    let waiting = state(history.same(history.owner)?).waiting?;
    Some(waiting).filter(|waiting| !waiting.reason().is_empty())
}

/// The end of a run. A run ends once: what was said of its end before stays, the owner's word
/// first, since the owner may have read more of the container's last words.
fn terminated(
    scene: &Scene<'_>,
    run: &Container,
    history: &History<'_>,
) -> ContainerStateTerminated {
    let id = scene.id(run);
    let mut said = [history.owner, history.before].into_iter().flatten();
    let said = said.find_map(|status| {
        let now = state(status).terminated;
        let ends = [now, last_terminated(status)].into_iter().flatten();
        ends.into_iter().find(|ended| ended.container_id() == id)
    });
    let message = scene.shortened(match (&run.message, &run.termination_message) {
        (message, None) => message.clone(),
        (message, Some(words)) if message.is_empty() => words.clone(),
        (message, Some(words)) if words.is_empty() => message.clone(),
        (message, Some(words)) => format!("{message}: {words}"),
    });
    if let Some(mut said) = said {
        if said.message().is_empty() && !message.is_empty() {
            said.message = Some(message);
        }
        return said;
    }
    ContainerStateTerminated {
        exit_code: Some(run.exit_code),
        signal: None,
        reason: Some(run.reason.clone()),
        message: Some(message),
        started_at: Some(time(run.started_at)),
        finished_at: Some(time(ended(run))),
        container_id: Some(id),
    }
}

/// The end of a run that nobody saw.
fn lost() -> ContainerStateTerminated {
    ContainerStateTerminated {
        exit_code: Some(137),
        reason: Some("ContainerStatusUnknown".to_owned()),
        message: Some("it ran, and the runtime has lost track of it".to_owned()),
        ..ContainerStateTerminated::default()
    }
}

fn running(run: &Container) -> ContainerState {
    ContainerState {
        running: Some(ContainerStateRunning {
            started_at: Some(time(run.started_at)),
        }),
        ..ContainerState::default()
    }
}

fn waiting(waiting: ContainerStateWaiting) -> ContainerState {
    ContainerState {
        waiting: Some(waiting),
        ..ContainerState::default()
    }
}

fn over(terminated: ContainerStateTerminated) -> ContainerState {
    ContainerState {
        terminated: Some(terminated),
        ..ContainerState::default()
    }
}

fn state(status: &ContainerStatus) -> ContainerState {
    status.state.clone().unwrap_or_default()
}

/// Returns the end of the run before.
fn last_terminated(status: &ContainerStatus) -> Option<ContainerStateTerminated> {
    status.last_state.as_ref()?.terminated.clone()
}
