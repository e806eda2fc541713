//! The status of a pod that is true on this node, from its spec and what its runtime shows.
//!
//! [`status`] is a pure function. It reads the owner's pod, whose status holds the owner's word,
//! the status that it gave last time, what the runtime shows of the pod now, facts of the node and
//! a wall clock. It gives the same bytes when it is asked again with its own answer.
//!
//! # Rules
//!
//! Each rule follows the named function of a kubelet of Kubernetes 1.37 (`pkg/kubelet`), with its
//! feature gates as they are when nobody sets them. *What was said before* is the last answer, or
//! the owner's status the first time: a kubelet's own cache, or the API server's word.
//! `differential.rs` asks those functions themselves, and names where the answers may differ.
//!
//! Containers (`convertToAPIContainerStatuses` where nothing else is named):
//!
//! 1. Statuses are sorted by name, those of init containers in the order of the spec, one for each
//!    container in the spec and for no other (`SortedContainerStatuses`,
//!    `SortStatusesOfInitContainers`).
//! 2. The run that was created last is the container's state, the one before it its last state
//!    (`containerStatusByCreated`). Restarts are those that the kubelet noted, never fewer than
//!    were said before or the owner says of the same run, and one more where a run follows an end
//!    with as many. *Different:* a run that is noted with 0 and was made after another counts one
//!    more from the start, whether its start or the other's end was seen or not.
//! 3. A run that was created waits without a reason; one that runs is running; one that exited is
//!    terminated. Times are whole seconds (`normalizeStatus`). *Different:* an end before its start
//!    is moved to the start, a time that the runtime does not know is left out, and a run whose
//!    start nobody has told yet waits.
//! 4. *Different:* a run ends once. While the runtime shows the end of a run, its newest word
//!    counts (it may learn of `OOMKilled` late). What was said of the end of a run that the runtime
//!    has forgotten, or does not show as ended yet, stays, the owner's word before ours.
//! 5. The runtime's message and the container's last words make the message, at most 12 KiB for a
//!    pod, shared evenly by its containers (`normalizeStatus`).
//! 6. A container that is to be started (`ShouldContainerBeRestarted`) waits with the owner's
//!    reason (`CrashLoopBackOff`, `ImagePullBackOff`) if the owner said so of exactly this run: the
//!    owner is our `reasonCache`. From its second end on it waits for `CrashLoopBackOff` at once
//!    (`doBackOff`, `status/back_off.rs`); *different:* a kubelet says so when it looks at the pod
//!    again, which may be when the wait is over. Not so in a pod that is being deleted, unless it is
//!    static (a kubelet deletes no static pod, it ends it), nor one that exited with 0 and is an
//!    init container.
//! 7. A container that the runtime does not show waits: for `PodInitializing` in a pod with init
//!    containers, else for `ContainerCreating`. If it had ended it stays so; *different:* an end
//!    that the owner saw counts as well. If it ran, its last state is code 137,
//!    `ContainerStatusUnknown`, and a restart is counted; *different:* where it is not started
//!    again, that is its state, and no restart is counted; and where the same run is shown again, or
//!    the owner tells its end, all that was guessed is taken back (`status/guess.rs`). An init container is taken for completed
//!    once regular ones exist (`HasAnyRegularContainerCreated`).
//! 8. A run that the runtime lost track of has ended with 137, `ContainerStatusUnknown`, if the
//!    container ran; *different:* and stays so.
//! 9. *Different:* image and image identity of a run are what was said of the same run first, since
//!    lists and single answers of a runtime spell them differently.
//! 10. It has started when it runs and has no startup probe, and is ready when it has started and
//!     has no readiness probe; with a probe it is as the owner said of exactly this run, and until
//!     then not (`UpdatePodStatus` of the probe manager). An init container is ready when it ended
//!     with 0. Of ephemeral ones neither is said.
//! 11. A container that ended and is not started again keeps its end, whatever the runtime shows
//!     later (`checkContainerStateTransition`). *Different:* a kubelet keeps the whole status then.
//! 12. While all containers are started again (`ShouldAllContainersRestart`), those that were
//!     removed wait and have ended with 137, `RestartingAllContainers`.
//!
//! Pod (`generateAPIPodStatus` where nothing else is named):
//!
//! 13. The phase follows from the containers (`getPhase`), restart rules of containers included
//!     (`ContainerShouldRestart`). The owner's terminal phase stays, then one that was served. A
//!     phase becomes terminal only when nothing runs any more (`mergePodStatus`). *Different:* a
//!     pod that was Running never goes back to Pending.
//! 14. A pod is over when it is being deleted or has a terminal phase, nothing of it runs and no
//!     sandbox is ready. Then its containers that have no end get one, and it has failed unless it
//!     has succeeded or is static (`TerminatePod`, `hasPodInitialized`). *Different:* its
//!     conditions are those of that state.
//! 15. Reason and message stay with the phase that they belong to, the owner's first.
//! 16. The newest sandbox is the one with the highest attempt, then that was created last, whether
//!     it is ready or not (`podSandboxByCreatedThenID`). Addresses are its own while it is ready,
//!     one for each family (`GetPodStatus`, `sortPodIPs`); while no sandbox is ready, those that
//!     the pod had (`getPodIPs` of the PLEG). On the node's network they are the node's, and stay.
//!     The node's are the owner's word first.
//! 17. The start stays (`updateStatusInternal`); the first is that of the first sandbox, else now.
//! 18. `PodReadyToStartContainers` (`PodSandboxChanged`), `Initialized`, `Ready` with its gates,
//!     `ContainersReady`, `PodScheduled` and, where rules ask for it, `AllContainersRestarting` are
//!     decided here, with the reasons of `status/generate.go`. The time changes only with the
//!     status (`updateLastTransitionTime`). The generation is the pod's
//!     (`CalculatePodConditionObservedGeneration`). All other conditions are the owner's.
//! 19. The class of service is the owner's word, else computed (`GetPodQOS`).
//! 20. A pod that was active for `activeDeadlineSeconds` from its start has failed at once, also while
//!     its containers still run (`pastActiveDeadline`). *Different:* not one that had ended by then.
//! 21. What the owner said of exactly this run comes first of its resources and its user; then the
//!     resources are those of the spec with what the runtime tells of a run that runs
//!     (`convertContainerStatusResources`), and the user is the runtime's word. The pod's resources
//!     are the owner's, else the sum of the spec's (`getEffectiveAllocatedResources`); *different:*
//!     the cgroup of a pod that runs is not looked at. Of volumes, too, the owner comes first;
//!     *different:* they are told from the first look on, and nothing is said of
//!     `recursiveReadOnly` where it depends on the runtime (`IfPossible`).
//! 22. All else that the owner said stays as its bytes are, at each level: fields that are newer
//!     than this release, resize, claims.
//!
//! # What cannot be known
//!
//! | what a kubelet tells | here, where no owner tells it |
//! | --- | --- |
//! | that an image cannot be pulled (`ErrImagePull`, `ImagePullBackOff`, `InvalidImageName`) | waits for `ContainerCreating` or `PodInitializing` |
//! | that a container cannot be made or started (`CreateContainerConfigError`, `CreateContainerError`, `RunContainerError`) | as in the row above; once the runtime has the container, terminated with the runtime's word (`StartError`, 128), from the second end on waiting for `CrashLoopBackOff` |
//! | that a lifecycle hook failed (`PostStartHookError`) | the end of the container |
//! | `CrashLoopBackOff` | said from the second end on, also in the moments before the kubelet says so or where none is; its length is guessed from how long the last run waited, and a kubelet that was restarted may wait for less |
//! | what probes answer (`started`, `ready`) | false where there is a probe that decides it |
//! | that a pod was refused at admission (`Failed` with a reason, such as `OutOfcpu`, `UnexpectedAdmissionError`) | `Pending` |
//! | that a pod was evicted or shut down with the node (`Evicted`, `Terminated`, condition `DisruptionTarget`) | as its containers ended |
//! | since when a static pod is there, after the kubelet was restarted (`startTime`, by which its deadline counts) | the first sandbox that is left, else when it was seen here |
//! | what a pod's cgroup allows, a resize under way (`resources` of the pod, conditions `PodResizePending`, `PodResizeInProgress`) | what the spec wants |
//! | devices and their health (`allocatedResourcesStatus`), claims of resources | nothing |
//! | whether a read-only mount is so for all below it where it is to be so if possible (`recursiveReadOnly`) | nothing |

use core::fmt;
use std::collections::BTreeMap;

use podsapi_core::{EncodedPod, EncodedStatus, PodError};
use podsapi_proto::core_v1::{ContainerStateTerminated, HostIp, Pod, PodIp, PodSpec, PodStatus};
use podsapi_proto::text::decode;
use prost::{DecodeError, Message};

use crate::view::{Container, ContainerState, NodeFacts};

mod addresses;
mod again;
mod amounts;
mod back_off;
mod conditions;
mod containers;
mod ends;
mod evidence;
mod finish;
pub(crate) mod guess;
mod hold;
mod number;
mod phase;
mod quality;
pub(crate) mod records;
mod report;
mod resources;
mod restart;

#[cfg(test)]
mod container_tests;
#[cfg(test)]
mod differential;
#[cfg(test)]
pub(crate) mod golden_tests;
#[cfg(test)]
mod pod_tests;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod run_tests;
#[cfg(test)]
pub(crate) mod scenes;
#[cfg(test)]
mod several_tests;

pub use evidence::{PodView, PodViews};

use conditions::Cast;
use containers::Built;
use hold::Holds;
use phase::{PENDING, RUNNING, Stage, is_terminal};
use records::{Fields, merged};
use report::Report;
use restart::Planned;

/// Why a status could not be worked out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StatusError {
    /// The pod, or the last status, is not what the schema says.
    Decode(DecodeError),
    /// The result is not accepted as a status.
    Encode(PodError),
}

/// Works out the status of `pod` from what the runtime shows of it.
///
/// `last` is what this function gave for the pod the last time, if it did; the owner's status is
/// in the pod. `now` is wall time in seconds since 1970.
///
/// # Errors
///
/// Returns why the pod cannot be read, or that the status is larger than a pod may be.
pub fn status(
    pod: &EncodedPod,
    last: Option<&EncodedStatus>,
    seen: &PodView,
    node: &NodeFacts,
    now: i64,
) -> Result<EncodedStatus, StatusError> {
    let owner = Report::decode(merged(pod.bytes(), number::POD_STATUS))?;
    let last = last.map(|last| Report::decode(last.bytes().to_vec()));
    let mut pod: Pod = decode(pod.bytes().clone())?;
    pod.status = None;
    let mut scene = Scene {
        spec: pod.spec.take().unwrap_or_default(),
        pod,
        owner,
        last: last.transpose()?,
        seen,
        node,
        now,
        restarting: false,
        exceeded: false,
    };
    scene.exceeded = scene.has_exceeded();
    let all = [Planned::init(&scene.spec), Planned::regular(&scene.spec)].concat();
    let restarting = again::restarting(&scene, &all);
    drop(all);
    scene.restarting = restarting;
    EncodedStatus::parse(scene.work_out().into()).map_err(StatusError::Encode)
}

/// Returns when a pod that has this status will have been active for as long as its spec allows, in
/// seconds since 1970; nothing where it may for ever, or has ended.
pub(crate) fn deadline(pod: &EncodedPod, status: &EncodedStatus) -> Option<i64> {
    let spec = merged(pod.bytes(), number::POD_SPEC);
    let mut fields = records::records(&spec);
    if !fields.any(|field| field.number == number::ACTIVE_DEADLINE) {
        return None;
    }
    let allowed = decode::<PodSpec>(spec.as_slice()).ok()?;
    let status: PodStatus = decode(status.bytes().clone()).ok()?;
    let start = status.start_time?.seconds?;
    let until = start.saturating_add(allowed.active_deadline_seconds?);
    (!is_terminal(status.phase())).then_some(until)
}

/// All that a status depends on.
#[derive(Debug)]
struct Scene<'a> {
    /// The pod without spec and status.
    pod: Pod,
    spec: PodSpec,
    owner: Report,
    last: Option<Report>,
    seen: &'a PodView,
    node: &'a NodeFacts,
    now: i64,
    /// Whether all containers of the pod are being started again.
    restarting: bool,
    /// Whether the pod was active for longer than it may, before anybody said that it has ended.
    exceeded: bool,
}

impl Scene<'_> {
    fn work_out(&self) -> Vec<u8> {
        let regular = Planned::regular(&self.spec);
        let init = Planned::init(&self.spec);
        let ephemeral = Planned::ephemeral(&self.spec);
        let mut regular_built = containers::statuses(self, &regular, Holds::All);
        let mut init_built = containers::statuses(self, &init, Holds::All);
        let mut ephemeral_built = containers::statuses(self, &ephemeral, Holds::All);

        let initialized = regular.iter().any(|one| self.seen.active_has(one.name));
        let decide = |regular_built: &[Built], init_built: &[Built], over: bool| {
            self.sticky(phase::phase(&Stage {
                regular: (&regular, regular_built),
                init: (&init, init_built),
                initialized,
                over: over && !self.is_static(),
            }))
        };
        let computed = decide(&regular_built, &init_built, false);
        let exceeded = self.exceeded && !(is_terminal(computed) && self.ended_in_time());
        let decide = |regular_built: &[Built], init_built: &[Built], over: bool| match exceeded {
            true => phase::FAILED,
            false => decide(regular_built, init_built, over),
        };
        if is_terminal(decide(&regular_built, &init_built, false)) {
            // In a pod that has ended nothing is started again.
            regular_built = containers::statuses(self, &regular, Holds::Owners);
            init_built = containers::statuses(self, &init, Holds::Owners);
        }
        let over = self.is_over(decide(&regular_built, &init_built, false));
        let mut decided = decide(&regular_built, &init_built, over);
        if over {
            regular_built = containers::statuses(self, &regular, Holds::Nothing);
            init_built = containers::statuses(self, &init, Holds::Nothing);
            finish::finish(&mut regular_built, &mut init_built, self);
            if self.is_static() {
                decided = decide(&regular_built, &init_built, over);
            } else if !is_terminal(decided) {
                decided = phase::FAILED;
            }
        }
        let cast = Cast {
            regular: (&regular, &regular_built),
            init: (&init, &init_built),
        };
        let conditions = conditions::conditions(self, &cast, decided);
        let phase = match exceeded {
            // A kubelet says so before the containers have ended.
            true => phase::FAILED,
            false => self.settled(decided),
        };
        for built in [&mut regular_built, &mut ephemeral_built] {
            built.sort_by(|one, other| one.status.name().cmp(other.status.name()));
        }

        let node_ips = addresses::of_node(self);
        let pod_ips = addresses::of_pod(self, &node_ips);
        let known = PodStatus {
            phase: Some(phase.to_owned()),
            host_ip: node_ips.first().cloned(),
            pod_ip: pod_ips.first().cloned(),
            start_time: Some(self.start()),
            qos_class: Some(self.class()),
            reason: match exceeded {
                true => Some(EXCEEDED.to_owned()),
                false => self.last_said_of(phase, |last| &last.reason),
            },
            message: match exceeded {
                true => Some(EXCEEDED_MESSAGE.to_owned()),
                false => self.last_said_of(phase, |last| &last.message),
            },
            pod_i_ps: pod_ips
                .into_iter()
                .map(|ip| PodIp { ip: Some(ip) })
                .collect(),
            host_i_ps: node_ips
                .into_iter()
                .map(|ip| HostIp { ip: Some(ip) })
                .collect(),
            ..PodStatus::default()
        };
        let mut known = known;
        let wanted = resources::of_pod(&self.spec);
        // What an owner that has seen the containers leaves out is not there either.
        let told = &self.owner.status;
        if told.container_statuses.is_empty() && told.allocated_resources.is_empty() {
            known.allocated_resources.clone_from(&wanted.requests);
        }
        if told.container_statuses.is_empty() && told.resources.is_none() {
            known.resources = Some(wanted);
        }
        let mut replaced = number::KNOWN_OF_PODS.to_vec();
        if phase != self.owner.status.phase() || exceeded {
            replaced.extend([number::MESSAGE, number::REASON]);
        }
        let mut fields = Fields::keeping(&self.owner.bytes, &replaced);
        fields.add_all(&known.encode_to_vec());
        for condition in conditions {
            fields.add(number::CONDITIONS, &condition);
        }
        for (number, built) in [
            (number::CONTAINER_STATUSES, regular_built),
            (number::INIT_CONTAINER_STATUSES, init_built),
            (number::EPHEMERAL_CONTAINER_STATUSES, ephemeral_built),
        ] {
            for one in built {
                fields.add(number, &one.encode(self));
            }
        }
        fields.finish()
    }

    /// Returns what was said before, the newest word of ours first.
    fn said(&self) -> impl Iterator<Item = &Report> {
        self.last.iter().chain([&self.owner])
    }

    /// Returns what was said before: our last answer, else the owner's word.
    fn before(&self) -> &Report {
        self.last.as_ref().unwrap_or(&self.owner)
    }

    /// Returns what was said before, the owner's word first.
    fn owner_first(&self) -> impl Iterator<Item = &Report> {
        [&self.owner].into_iter().chain(&self.last)
    }

    /// A terminal phase stays, whoever said it, the owner's word first.
    fn sticky(&self, computed: &'static str) -> &'static str {
        let mut said = self.owner_first().map(|report| report.status.phase());
        let terminal = [phase::FAILED, phase::SUCCEEDED];
        said.find_map(|said| terminal.into_iter().find(|phase| *phase == said))
            .unwrap_or(computed)
    }

    /// Tells whether anybody has said that the pod has ended.
    fn phase_was_terminal(&self) -> bool {
        self.said().any(|report| is_terminal(report.status.phase()))
    }

    /// Returns what was said last with this phase, unless the owner says the phase itself.
    fn last_said_of(&self, phase: &str, what: fn(&PodStatus) -> &Option<String>) -> Option<String> {
        let owners = self.owner.status.phase() == phase;
        let last = self.last.as_ref().map(|last| &last.status);
        let last = last.filter(|last| !owners && last.phase() == phase)?;
        what(last).clone()
    }

    /// A phase does not go back, and does not become terminal while something runs.
    fn settled(&self, decided: &'static str) -> &'static str {
        let said = |wanted: fn(&str) -> bool| {
            let mut said = self.said().map(|report| report.status.phase());
            said.any(wanted)
        };
        let held = is_terminal(decided) && !said(is_terminal) && self.seen.any_running();
        if !held && decided != PENDING {
            return decided;
        }
        if said(|phase| phase == RUNNING) {
            RUNNING
        } else {
            PENDING
        }
    }

    /// Tells whether all of the pod has stopped and nothing of it will be started again.
    fn is_over(&self, decided: &str) -> bool {
        (self.deleted() || is_terminal(decided)) && self.seen.stopped()
    }

    fn start(&self) -> podsapi_proto::meta_v1::Time {
        let said = self.said().find_map(|report| report.status.start_time);
        let begun = self.seen.begun().unwrap_or(self.now);
        said.unwrap_or_else(|| evidence::at(begun))
    }

    /// Tells whether the pod was active for as long as it may (`pastActiveDeadline`), and nobody has
    /// said that it has ended.
    fn has_exceeded(&self) -> bool {
        let until = self.until();
        !self.phase_was_terminal() && until.is_some_and(|until| until <= self.now)
    }

    /// Returns until when the pod may be active, in seconds since 1970.
    fn until(&self) -> Option<i64> {
        let start = self.start().seconds.unwrap_or_default();
        let allowed = self.spec.active_deadline_seconds?;
        Some(start.saturating_add(allowed))
    }

    /// Tells whether the newest run of each container ended before the pod was active for as long as
    /// it may.
    fn ended_in_time(&self) -> bool {
        let ended = self.seen.last_end();
        let until = self.until();
        ended.zip(until).is_some_and(|(ended, until)| ended < until)
    }

    fn class(&self) -> String {
        match self.owner.status.qos_class() {
            "" => quality::quality_of_service(&self.spec).to_owned(),
            said => said.to_owned(),
        }
    }

    fn spec(&self) -> &PodSpec {
        &self.spec
    }

    fn host_network(&self) -> bool {
        self.spec.host_network()
    }

    fn deleted(&self) -> bool {
        let metadata = self.pod.metadata.as_ref();
        metadata.is_some_and(|metadata| metadata.deletion_timestamp.is_some())
    }

    fn is_static(&self) -> bool {
        let metadata = self.pod.metadata.as_ref();
        let source = metadata.and_then(|metadata| metadata.annotations.get(CONFIG_SOURCE));
        source.is_some_and(|source| source != "api")
    }

    fn generation(&self) -> i64 {
        let metadata = self.pod.metadata.as_ref();
        metadata.map_or(0, |metadata| metadata.generation())
    }

    /// Returns why a container waits that nobody said more of.
    fn default_waiting(&self) -> &'static str {
        if self.spec.init_containers.is_empty() {
            "ContainerCreating"
        } else {
            "PodInitializing"
        }
    }

    /// Tells whether a regular container was created (`HasAnyRegularContainerCreated`).
    fn any_regular_created(&self) -> bool {
        let mut regular = self.spec.containers.iter();
        regular.any(|one| {
            let newest = self.seen.runs(one.name()).next();
            newest.is_some_and(|run| run.state != ContainerState::Unknown)
        })
    }

    /// Tells whether all containers of the pod are being started again.
    fn restarting_all(&self) -> bool {
        self.restarting
    }

    /// Tells whether an end can start all containers of the pod again
    /// (`AllContainersCouldRestart`).
    fn can_restart_all(&self) -> bool {
        let regular = Planned::regular(&self.spec);
        let init = Planned::init(&self.spec);
        regular.iter().chain(&init).any(Planned::can_restart_all)
    }

    /// The end of a run that the runtime lost track of.
    fn lost(&self) -> ContainerStateTerminated {
        if self.restarting {
            ends::removed()
        } else {
            ends::lost()
        }
    }

    /// Returns the identity of a run as statuses spell it.
    fn id(&self, run: &Container) -> String {
        format!("{}://{}", self.node.runtime_name, run.id)
    }

    /// Returns a container's message within its share of what a pod may say.
    fn shortened(&self, mut message: String) -> String {
        let spec = &self.spec;
        let containers =
            spec.containers.len() + spec.init_containers.len() + spec.ephemeral_containers.len();
        let mut end = (MAX_MESSAGE_BYTES / containers.max(1)).min(message.len());
        while !message.is_char_boundary(end) {
            end -= 1;
        }
        message.truncate(end);
        message
    }
}

impl From<DecodeError> for StatusError {
    fn from(error: DecodeError) -> Self {
        Self::Decode(error)
    }
}

impl fmt::Display for StatusError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Decode(error) => write!(f, "expected a pod with its status, found {error}"),
            Self::Encode(error) => write!(f, "the status that was worked out: {error}"),
        }
    }
}

impl core::error::Error for StatusError {}

/// The messages of all containers of a pod together, in bytes: 12 KiB, as a kubelet has it.
const MAX_MESSAGE_BYTES: usize = 12 << 10;

/// Why a pod has failed that was active for longer than it may, as a kubelet has it.
const EXCEEDED: &str = "DeadlineExceeded";
const EXCEEDED_MESSAGE: &str = "Pod was active on the node longer than the specified deadline";

/// The annotation that says where a kubelet has a pod from; `api` is the API server.
pub(crate) const CONFIG_SOURCE: &str = "kubernetes.io/config.source";

/// Tells whether a sandbox with these annotations is that of a pod from a file.
pub(crate) fn is_from_file(annotations: &BTreeMap<String, String>) -> bool {
    let source = annotations.get(CONFIG_SOURCE);
    source.is_some_and(|source| source == "file")
}
