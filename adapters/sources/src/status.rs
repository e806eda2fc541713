//! The status of a pod that is true on this node, from its spec and what its runtime shows.
//!
//! [`status`] is a pure function. It reads the owner's pod, whose status holds the owner's word,
//! the status that it gave last time, what the runtime shows of the pod now, facts of the node and
//! a wall clock. It gives the same bytes when it is asked again with its own answer.
//!
//! # Rules
//!
//! Each rule follows what a kubelet of Kubernetes 1.37 does in public (`pkg/kubelet`: `getPhase`,
//! `convertToAPIContainerStatuses`, `generateAPIPodStatus` in `kubelet_pods.go`; `status/generate.go`;
//! `status/status_manager.go`; `prober/prober_manager.go`; `kuberuntime/util`), in which *what was
//! said before* is the last answer, or the owner's status the first time.
//!
//! Containers (`convertToAPIContainerStatuses`):
//!
//! 1. Statuses come in the order of the spec, one for each container in it and for no other.
//! 2. The run with the most restarts, then the latest creation, is the container's state; the one
//!    before it is its last state. Restarts are never fewer than what was said before.
//! 3. A run that was created waits without a reason; one that runs is running; one that exited is
//!    terminated. Times are whole seconds; an end before its start is moved to the start, and a
//!    time that the runtime does not know is left out.
//! 4. A run ends once: what was said of the end of the same run stays, the owner's word before
//!    ours. So a runtime that forgot after its own outage how a run ended changes nothing.
//! 5. The runtime's message and the container's last words make the message, at most 12 KiB for a
//!    pod, shared evenly by its containers (`normalizeStatus`).
//! 6. A container that is to be started again waits with the owner's reason (`CrashLoopBackOff`)
//!    if the owner said so of exactly this run; otherwise it is terminated until the next one runs.
//! 7. A container that the runtime does not show waits: with the owner's reason if it gave one
//!    (`ImagePullBackOff`), else `PodInitializing` in a pod with init containers, else
//!    `ContainerCreating`. If it had ended it stays so; if it ran, its last state is code 137,
//!    `ContainerStatusUnknown`. An init container is taken for completed once regular ones exist.
//! 8. A run that the runtime lost track of has ended with 137, `ContainerStatusUnknown`, if it ran.
//! 9. Image and image identity of a run are what was said of the same run first, since lists and
//!    single answers of a runtime spell them differently.
//! 10. It has started when it runs and has no startup probe, and is ready when it has started and
//!     has no readiness probe; with a probe it is as the owner said of exactly this run, and until
//!     then not (`UpdatePodStatus` of the probe manager). An init container is ready when it ended
//!     with 0. Of ephemeral ones neither is said.
//!
//! Pod:
//!
//! 11. The phase is a kubelet's (`getPhase`), restart rules of containers included. Terminal phases
//!     stay. A phase becomes terminal only when nothing runs any more (`mergePodStatus`). A pod that
//!     is being deleted and has stopped is terminal whatever its policy, unless it is static.
//!     Different from a kubelet, a pod that was Running never goes back to Pending.
//! 12. Reason and message stay with the phase that they belong to.
//! 13. Addresses are those of the ready sandbox, one for each family, and stay when it is gone; on
//!     the node's network they are the node's, and stay. The node's are the owner's word first.
//! 14. The start stays; the first is that of the first sandbox, else now.
//! 15. `PodReadyToStartContainers`, `Initialized`, `Ready` with its gates, `ContainersReady` and
//!     `PodScheduled` are decided here, with the reasons of `status/generate.go`; the time changes
//!     only with the status. All other conditions are the owner's. A generation is named where one
//!     was named before.
//! 16. The class of service is the owner's word, else computed.
//! 17. All else that the owner said stays as its bytes are, at each level: fields that are newer
//!     than this release, resize, claims, allocated resources, users, volumes.

use core::fmt;

use podsapi_core::{EncodedPod, EncodedStatus, PodError};
use podsapi_proto::core_v1::{HostIp, Pod, PodIp, PodSpec, PodStatus};
use podsapi_proto::text::decode;
use prost::{DecodeError, Message};

use crate::view::{Container, NodeFacts};

mod addresses;
mod conditions;
mod containers;
mod evidence;
mod number;
mod phase;
mod quality;
pub(crate) mod records;
mod report;
mod restart;

#[cfg(test)]
mod container_tests;
#[cfg(test)]
pub(crate) mod golden_tests;
#[cfg(test)]
mod pod_tests;
#[cfg(test)]
mod properties;
#[cfg(test)]
pub(crate) mod scenes;

pub use evidence::PodView;

use conditions::Cast;
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
    let scene = Scene {
        spec: pod.spec.take().unwrap_or_default(),
        pod,
        owner,
        last: last.transpose()?,
        seen,
        node,
        now,
    };
    EncodedStatus::parse(scene.work_out().into()).map_err(StatusError::Encode)
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
}

impl Scene<'_> {
    fn work_out(&self) -> Vec<u8> {
        let regular = Planned::regular(&self.spec);
        let init = Planned::init(&self.spec);
        let ephemeral = Planned::ephemeral(&self.spec);
        let regular_built = containers::statuses(self, &regular);
        let init_built = containers::statuses(self, &init);
        let ephemeral_built = containers::statuses(self, &ephemeral);

        let computed = phase::phase(&Stage {
            regular: (&regular, &regular_built),
            init: (&init, &init_built),
            initialized: regular.iter().any(|one| self.seen.active_has(one.name)),
            over: self.stopped_for_good(),
        });
        let decided = self.sticky(computed);
        let cast = Cast {
            regular: (&regular, &regular_built),
            init: (&init, &init_built),
        };
        let conditions = conditions::conditions(self, &cast, decided);
        let phase = self.settled(decided);

        let node_ips = addresses::of_node(self);
        let pod_ips = addresses::of_pod(self, &node_ips);
        let known = PodStatus {
            phase: Some(phase.to_owned()),
            host_ip: node_ips.first().cloned(),
            pod_ip: pod_ips.first().cloned(),
            start_time: Some(self.start()),
            qos_class: Some(self.class()),
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
        let mut replaced = number::KNOWN_OF_PODS.to_vec();
        if phase != self.owner.status.phase() {
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
                fields.add(number, &one.bytes);
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

    /// A terminal phase stays, whoever said it.
    fn sticky(&self, computed: &'static str) -> &'static str {
        let mut said = self.said().map(|report| report.status.phase());
        let terminal = [phase::FAILED, phase::SUCCEEDED];
        said.find_map(|said| terminal.into_iter().find(|phase| *phase == said))
            .unwrap_or(computed)
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

    /// Tells whether nothing of the pod will be started again because it is being deleted.
    fn stopped_for_good(&self) -> bool {
        let active = self.seen.active().is_some() || self.seen.any_running();
        self.deleted() && !active && !self.is_static()
    }

    fn start(&self) -> podsapi_proto::meta_v1::Time {
        let said = self.said().find_map(|report| report.status.start_time);
        let begun = self.seen.begun().unwrap_or(self.now);
        said.unwrap_or_else(|| evidence::at(begun))
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

    /// Tells whether the runtime has any run of a regular container.
    fn any_regular_seen(&self) -> bool {
        let mut regular = self.spec.containers.iter();
        regular.any(|one| self.seen.runs(one.name()).next().is_some())
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

/// The annotation that says where a kubelet has a pod from; `api` is the API server.
pub(crate) const CONFIG_SOURCE: &str = "kubernetes.io/config.source";
