//! The runtime's messages as plain data.

use std::collections::BTreeMap;

use podsapi_proto::cri;

use crate::view::{Container, ContainerState, Labelled, Resources, Sandbox, User};

/// Reads the status of a sandbox.
pub(crate) fn sandbox(status: cri::PodSandboxStatus) -> Sandbox {
    let metadata = status.metadata.unwrap_or_default();
    let network = status.network.unwrap_or_default();
    let ips = std::iter::once(network.ip).chain(network.additional_ips.into_iter().map(|ip| ip.ip));
    let options = status
        .linux
        .and_then(|linux| linux.namespaces)
        .and_then(|namespaces| namespaces.options);
    Sandbox {
        id: status.id,
        pod_uid: metadata.uid,
        namespace: metadata.namespace,
        name: metadata.name,
        attempt: metadata.attempt,
        ready: is_ready(status.state),
        created_at: status.created_at,
        ips: ips.filter(|ip| !ip.is_empty()).collect(),
        host_network: options
            .is_some_and(|options| options.network == i32::from(cri::NamespaceMode::Node)),
        annotations: status.annotations,
        labels: status.labels,
    }
}

/// Reads the status of a container, all but its sandbox, which only lists tell.
pub(crate) fn container(status: cri::ContainerStatus) -> Container {
    let metadata = status.metadata.unwrap_or_default();
    Container {
        id: status.id,
        sandbox_id: String::new(),
        pod: labelled(&status.labels),
        name: label(&status.labels, NAME_LABEL),
        attempt: metadata.attempt,
        restart_count: restart_count(&metadata, &status.annotations),
        state: state(status.state),
        created_at: status.created_at,
        started_at: status.started_at,
        finished_at: status.finished_at,
        exit_code: status.exit_code,
        reason: status.reason,
        message: status.message,
        image: status.image.unwrap_or_default().image,
        image_ref: status.image_ref,
        termination_message: None,
        resources: status
            .resources
            .and_then(|resources| resources.linux)
            .map(resources),
        user: status.user.and_then(|user| user.linux).map(|user| User {
            uid: user.uid,
            gid: user.gid,
            supplemental_groups: user.supplemental_groups,
        }),
    }
}

/// Reads what a container may use (`toKubeContainerResources`).
fn resources(linux: cri::LinuxContainerResources) -> Resources {
    let some = |amount: i64| Some(amount).filter(|amount| *amount > 0);
    let quota = linux.cpu_quota.saturating_mul(MILLIS_A_CPU);
    let shares = some(linux.cpu_shares).filter(|shares| *shares >= LEAST_SHARES);
    let shares = shares.map(|shares| shares.saturating_mul(MILLIS_A_CPU));
    Resources {
        // The next whole thousandth.
        cpu_request: shares
            .map(|shares| shares / SHARES_A_CPU + i64::from(shares % SHARES_A_CPU > 0)),
        cpu_limit: some(linux.cpu_period).and_then(|period| some(quota / period)),
        memory_limit: some(linux.memory_limit_in_bytes),
    }
}

/// Reads the state of a sandbox.
pub(super) fn is_ready(state: i32) -> bool {
    state == i32::from(cri::PodSandboxState::SandboxReady)
}

/// Reads the state of a container.
pub(super) fn state(state: i32) -> ContainerState {
    match cri::ContainerState::try_from(state) {
        Ok(cri::ContainerState::ContainerCreated) => ContainerState::Created,
        Ok(cri::ContainerState::ContainerRunning) => ContainerState::Running,
        Ok(cri::ContainerState::ContainerExited) => ContainerState::Exited,
        Ok(cri::ContainerState::ContainerUnknown) | Err(_) => ContainerState::Unknown,
    }
}

/// The pod that a kubelet's labels name: what other clients of the runtime start has none.
fn labelled(labels: &BTreeMap<String, String>) -> Labelled {
    Labelled {
        uid: label(labels, "io.kubernetes.pod.uid"),
        namespace: label(labels, "io.kubernetes.pod.namespace"),
        name: label(labels, "io.kubernetes.pod.name"),
    }
}

fn label(labels: &BTreeMap<String, String>, name: &str) -> String {
    labels.get(name).cloned().unwrap_or_default()
}

/// What a kubelet counted, or else how often the runtime says that it was made.
fn restart_count(metadata: &cri::ContainerMetadata, annotations: &BTreeMap<String, String>) -> u32 {
    let counted = annotations.get(RESTARTS_ANNOTATION);
    counted
        .and_then(|text| text.parse().ok())
        .unwrap_or(metadata.attempt)
}

const NAME_LABEL: &str = "io.kubernetes.container.name";

const RESTARTS_ANNOTATION: &str = "io.kubernetes.container.restartCount";

const MILLIS_A_CPU: i64 = 1_000;

/// The shares of one whole CPU, and the fewest that say anything (`SharesPerCPU`, `MinShares`).
const SHARES_A_CPU: i64 = 1_024;
const LEAST_SHARES: i64 = 2;
