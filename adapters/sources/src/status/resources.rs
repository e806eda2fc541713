//! What containers and their pod may use, where their volumes are, and as whom they run.
//!
//! The owner's word of exactly this run counts first: it knows of resizing and of claims.

use podsapi_proto::core_v1::{
    ContainerStatus, ContainerUser, LinuxContainerUser, PodSpec, ResourceRequirements, VolumeMount,
    VolumeMountStatus,
};

use super::amounts::{Amounts, add, is_zero, millis, of_bytes, of_millis, raise};
use super::ends::is_running;
use super::restart::Planned;
use crate::view::{Container, ContainerState, Resources, User};

/// Completes the status of a container of which there is a run.
pub(super) fn of_run(
    planned: &Planned<'_>,
    run: &Container,
    before: Option<&ContainerStatus>,
    status: &mut ContainerStatus,
) {
    let wanted = planned.resources.cloned().unwrap_or_default();
    status.allocated_resources.clone_from(&wanted.requests);
    let before = before.filter(|before| {
        is_running(before) && is_running(status) && before.container_id() == status.container_id()
    });
    let before = before.and_then(|before| before.resources.as_ref());
    status.resources = Some(match run.state {
        ContainerState::Running => actual(wanted, run.resources.unwrap_or_default(), before),
        ContainerState::Created | ContainerState::Exited | ContainerState::Unknown => wanted,
    });
    status.user = run.user.as_ref().map(user);
}

/// Returns where the volumes of a container are.
pub(super) fn mounts(planned: &Planned<'_>) -> Vec<VolumeMountStatus> {
    planned.mounts.iter().map(mount).collect()
}

/// Whether all that is mounted below is read-only, too, is known where it does not depend on what
/// the runtime supports.
fn mount(mount: &VolumeMount) -> VolumeMountStatus {
    let mode = match mount.recursive_read_only() {
        "" | DISABLED => Some(DISABLED),
        ENABLED => Some(ENABLED),
        _ => None,
    };
    VolumeMountStatus {
        name: Some(mount.name().to_owned()),
        mount_path: Some(mount.mount_path().to_owned()),
        read_only: Some(mount.read_only()),
        recursive_read_only: mode.filter(|_| mount.read_only()).map(str::to_owned),
        volume_status: None,
    }
}

/// Returns what a container that runs may use: what the runtime tells in the place of what the spec
/// wants (`convertContainerStatusResources`). Amounts so small that the kernel has no number for them
/// stay as they are wanted.
fn actual(
    mut wanted: ResourceRequirements,
    told: Resources,
    before: Option<&ResourceRequirements>,
) -> ResourceRequirements {
    let put = |list: &mut Amounts, name: &str, new: Option<_>, before: Option<&Amounts>| {
        let new = new.or_else(|| before?.get(name).cloned());
        if let Some(new) = new.filter(|_| !list.is_empty()) {
            list.insert(name.to_owned(), new);
        }
    };
    let cpu = |list: &Amounts, told: Option<i64>, least: i64| {
        let wanted = list.get("cpu").and_then(|cpu| millis(cpu.string()));
        let small = wanted.unwrap_or(0) <= least.into();
        // Nothing is put in the place of an amount that is known, and too small.
        told.map(|told| (told > least || !small).then(|| of_millis(told)))
    };
    let limit = cpu(&wanted.limits, told.cpu_limit, LEAST_CPU_LIMIT);
    let request = cpu(&wanted.requests, told.cpu_request, LEAST_CPU_REQUEST);
    let limits = before.map(|before| &before.limits);
    let requests = before.map(|before| &before.requests);
    let or_before = |told: &Option<_>, before| if told.is_some() { None } else { before };
    let of_limits = or_before(&limit, limits);
    put(&mut wanted.limits, "cpu", limit.flatten(), of_limits);
    let memory = told.memory_limit.map(of_bytes);
    put(&mut wanted.limits, "memory", memory, limits);
    let of_requests = or_before(&request, requests);
    put(&mut wanted.requests, "cpu", request.flatten(), of_requests);
    put(&mut wanted.requests, "memory", None, requests);
    wanted
}

fn user(user: &User) -> ContainerUser {
    ContainerUser {
        linux: Some(LinuxContainerUser {
            uid: Some(user.uid),
            gid: Some(user.gid),
            supplemental_groups: user.supplemental_groups.clone(),
        }),
    }
}

/// Returns what the whole pod may use, as its spec wants it (`getEffectiveAllocatedResources`).
pub(super) fn of_pod(spec: &PodSpec) -> ResourceRequirements {
    let whole = spec.resources.clone().unwrap_or_default();
    let of_whole = |amounts: &Amounts| {
        let mut amounts = amounts.clone();
        amounts.retain(|name, _| counts_for_pods(name));
        amounts
    };
    let (requests, limits) = (of_whole(&whole.requests), of_whole(&whole.limits));
    let mut all = ResourceRequirements {
        requests: together(spec, |wanted| &wanted.requests),
        limits: together(spec, |wanted| &wanted.limits),
        claims: whole.claims,
    };
    all.requests.extend(requests);
    all.limits.extend(limits);
    add(&mut all.requests, &spec.overhead);
    let mut overhead = spec.overhead.clone();
    overhead.retain(|name, _| all.limits.get(name).is_some_and(|limit| !is_zero(limit)));
    add(&mut all.limits, &overhead);
    all
}

/// Tells whether a resource can be given to a pod as a whole.
fn counts_for_pods(name: &str) -> bool {
    ["cpu", "memory"].contains(&name) || name.starts_with("hugepages-")
}

/// Returns what the containers of a pod need together: its init containers run one after the other,
/// beside the sidecars that were started before (`AggregateContainerRequests`).
fn together(spec: &PodSpec, list: fn(&ResourceRequirements) -> &Amounts) -> Amounts {
    let nothing = Amounts::new();
    let mut all = Amounts::new();
    for container in &spec.containers {
        add(
            &mut all,
            container.resources.as_ref().map_or(&nothing, list),
        );
    }
    let (mut sidecars, mut most) = (Amounts::new(), Amounts::new());
    for container in &spec.init_containers {
        let own = container.resources.as_ref().map_or(&nothing, list);
        if container.restart_policy.as_deref() == Some("Always") {
            add(&mut all, own);
            add(&mut sidecars, own);
            raise(&mut most, &sidecars);
        } else {
            let mut beside = own.clone();
            add(&mut beside, &sidecars);
            raise(&mut most, &beside);
        }
    }
    raise(&mut all, &most);
    all
}

const DISABLED: &str = "Disabled";
const ENABLED: &str = "Enabled";

/// The least limit of CPU time that the kernel is told, in thousandths of a CPU (`MinMilliCPULimit`).
const LEAST_CPU_LIMIT: i64 = 10;

/// The least share of CPU time that the kernel is told (`MinShares`).
const LEAST_CPU_REQUEST: i64 = 2;
