//! The conditions of a pod: those that a kubelet decides (`status/generate.go`), and all others
//! as they were.

use podsapi_proto::core_v1::{ContainerStatus, PodCondition};
use podsapi_proto::meta_v1::Time;
use prost::Message;

use super::Scene;
use super::again::{self, CONDITION as RESTARTING};
use super::containers::Built;
use super::evidence::at;
use super::number;
use super::phase::{FAILED, SUCCEEDED};
use super::records::Fields;
use super::restart::{Planned, Role};

/// The containers of a pod that its conditions depend on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cast<'a> {
    pub(super) regular: (&'a [Planned<'a>], &'a [Built]),
    pub(super) init: (&'a [Planned<'a>], &'a [Built]),
}

/// What a condition says, without the time since when.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Verdict {
    holds: bool,
    reason: &'static str,
    message: String,
}

/// Returns all conditions encoded: those that are not decided here first, as the owner has them.
pub(super) fn conditions(scene: &Scene<'_>, cast: &Cast<'_>, phase: &str) -> Vec<Vec<u8>> {
    let containers_ready = containers_ready(cast, phase);
    let mut verdicts = vec![
        (READY_TO_START, ready_to_start(scene)),
        (INITIALIZED, initialized(scene, cast, phase)),
        (READY, ready(scene, &containers_ready)),
        (CONTAINERS_READY, containers_ready),
        (SCHEDULED, Verdict::yes()),
    ];
    if scene.can_restart_all() {
        verdicts.push((RESTARTING, restarting(scene, cast, phase)));
    }
    let decided =
        |kind: &str| kind == RESTARTING || verdicts.iter().any(|(decided, _)| *decided == kind);
    let others = scene.owner.condition_bytes();
    let others = others.filter(|(condition, _)| !decided(condition.r#type()));
    let mut all: Vec<_> = others.map(|(_, bytes)| bytes.to_vec()).collect();
    all.extend(
        verdicts
            .iter()
            .map(|(kind, verdict)| encode(scene, kind, verdict)),
    );
    all
}

/// True while the newest sandbox is ready, the only ready one, of the right network, with an
/// address unless the network is the node's (`PodSandboxChanged`).
fn ready_to_start(scene: &Scene<'_>) -> Verdict {
    let sandboxes = scene.seen.sandboxes();
    let message = match sandboxes {
        [] => "no pod sandbox exists",
        [..] if scene.seen.ready_sandboxes() > 1 => {
            "multiple pod sandboxes are ready and need to be reconciled"
        }
        [first, ..] if !first.ready => "pod sandbox is not ready",
        [first, ..] if first.host_network != scene.host_network() => {
            "network namespace mode changed and sandbox needs to be recreated"
        }
        [first, ..] if !first.host_network && first.ips.is_empty() => {
            "pod sandbox has no IP address"
        }
        [_, ..] => return Verdict::yes(),
    };
    Verdict::no("PodSandboxNotReady", message.to_owned())
}

/// True once each init container has done its part, or any regular container has run; what was
/// initialized stays so while its containers start again.
fn initialized(scene: &Scene<'_>, cast: &Cast<'_>, phase: &str) -> Verdict {
    let done = |planned: &Planned<'_>, status: &ContainerStatus| match planned.role {
        Role::Sidecar => status.started(),
        Role::Ephemeral | Role::Init | Role::Regular => status.ready(),
    };
    if phase == SUCCEEDED {
        return Verdict {
            reason: "PodCompleted",
            ..Verdict::yes()
        };
    }
    let ran = |built: &Built| {
        let state = built.status.state.as_ref();
        state.is_some_and(|state| state.running.is_some() || state.terminated.is_some())
    };
    if cast.regular.1.iter().any(ran) {
        return Verdict::yes();
    }
    let incomplete = names(cast.init, |planned, status| !done(planned, status));
    let was = scene.before().condition(INITIALIZED);
    if incomplete.is_empty() || was.is_some_and(|was| was.status() == TRUE) {
        return Verdict::yes();
    }
    let message = format!(
        "containers with incomplete status: [{}]",
        incomplete.join(" ")
    );
    Verdict::no("ContainersNotInitialized", message)
}

/// True while all regular containers and sidecars are ready.
fn containers_ready(cast: &Cast<'_>, phase: &str) -> Verdict {
    if phase == SUCCEEDED {
        return Verdict::no("PodCompleted", String::new());
    }
    if phase == FAILED {
        return Verdict::no("PodFailed", String::new());
    }
    let mut unready = names(cast.init, |planned, status| {
        planned.role == Role::Sidecar && !status.ready()
    });
    unready.extend(names(cast.regular, |_, status| !status.ready()));
    if unready.is_empty() {
        return Verdict::yes();
    }
    let message = format!("containers with unready status: [{}]", unready.join(" "));
    Verdict::no("ContainersNotReady", message)
}

/// True while the containers are ready and each readiness gate's condition is true.
fn ready(scene: &Scene<'_>, containers_ready: &Verdict) -> Verdict {
    if !containers_ready.holds {
        return containers_ready.clone();
    }
    let gates = scene.spec().readiness_gates.iter();
    let closed: Vec<_> = gates
        .map(|gate| gate.condition_type())
        .filter(|gate| {
            scene
                .owner
                .condition(gate)
                .is_none_or(|it| it.status() != TRUE)
        })
        .collect();
    if closed.is_empty() {
        return Verdict::yes();
    }
    let message = format!("readiness gates that are not true: {}", closed.join(", "));
    Verdict::no("ReadinessGatesNotReady", message)
}

/// True from the end that asks for it until nothing of the containers before is left.
fn restarting(scene: &Scene<'_>, cast: &Cast<'_>, phase: &str) -> Verdict {
    let all = [cast.init.0, cast.regular.0].concat();
    match phase {
        SUCCEEDED => Verdict::no("PodCompleted", String::new()),
        FAILED => Verdict::no("PodFailed", String::new()),
        _ if !scene.restarting_all() || again::cleaned_up(scene, &all) => {
            Verdict::no("", String::new())
        }
        _ => Verdict {
            holds: true,
            reason: "RestartAllContainersStarted",
            message: "a container ended in a way that starts all of them again".to_owned(),
        },
    }
}

fn names<'a>(
    (planned, built): (&[Planned<'a>], &[Built]),
    wanted: impl Fn(&Planned<'_>, &ContainerStatus) -> bool,
) -> Vec<&'a str> {
    let both = planned.iter().zip(built);
    both.filter(|(planned, built)| wanted(planned, &built.status))
        .map(|(planned, _)| planned.name)
        .collect()
}

/// Encodes a condition that was decided here over what the owner said of it.
fn encode(scene: &Scene<'_>, kind: &str, verdict: &Verdict) -> Vec<u8> {
    let status = if verdict.holds { TRUE } else { FALSE };
    let at_generation = Some(scene.generation()).filter(|of| *of != 0 && kind != RESTARTING);
    let known = PodCondition {
        r#type: Some(kind.to_owned()),
        status: Some(status.to_owned()),
        last_probe_time: None,
        last_transition_time: Some(since(scene, kind, status).unwrap_or_else(|| at(scene.now))),
        reason: Some(verdict.reason.to_owned()),
        message: Some(verdict.message.clone()),
        observed_generation: at_generation,
    };
    let mut owners = scene.owner.condition_bytes();
    let owners = owners.find(|(condition, _)| condition.r#type() == kind);
    let mut fields = match owners {
        Some((_, bytes)) => Fields::keeping(bytes, &number::KNOWN_OF_CONDITIONS),
        None => {
            let mut fields = Fields::default();
            let never = PodCondition {
                last_probe_time: Some(Time::default()),
                ..PodCondition::default()
            };
            fields.add_all(&never.encode_to_vec());
            fields
        }
    };
    fields.add_all(&known.encode_to_vec());
    fields.finish()
}

/// Returns since when the condition is as it is, if that was said before
/// (`updateLastTransitionTime`). The owner may have seen it change before it did so here.
fn since(scene: &Scene<'_>, kind: &str, status: &str) -> Option<Time> {
    let same = |condition: &&PodCondition| condition.status() == status;
    let before = scene.before().condition(kind);
    if let Some(before) = before.filter(same) {
        return before.last_transition_time;
    }
    let changed = before.and_then(|before| before.last_transition_time);
    let owner = scene.owner.condition(kind).filter(same);
    let owner = owner.and_then(|owner| owner.last_transition_time);
    let seconds = |time: Time| time.seconds.unwrap_or_default();
    owner.filter(|owner| changed.is_none_or(|changed| seconds(changed) < seconds(*owner)))
}

impl Verdict {
    fn yes() -> Self {
        Self {
            holds: true,
            reason: "",
            message: String::new(),
        }
    }

    fn no(reason: &'static str, message: String) -> Self {
        Self {
            holds: false,
            reason,
            message,
        }
    }
}

const CONTAINERS_READY: &str = "ContainersReady";
const INITIALIZED: &str = "Initialized";
const READY: &str = "Ready";
const READY_TO_START: &str = "PodReadyToStartContainers";
const SCHEDULED: &str = "PodScheduled";

const FALSE: &str = "False";
const TRUE: &str = "True";
