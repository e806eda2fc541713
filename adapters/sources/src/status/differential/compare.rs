//! What two statuses of a pod differ in.

use std::collections::BTreeMap;

use podsapi_proto::core_v1::{
    ContainerState, ContainerStateTerminated, ContainerStatus, PodCondition, PodStatus,
    ResourceRequirements,
};
use podsapi_proto::meta_v1::Time;
use podsapi_proto::resource::Quantity;

/// One thing in which they differ: what it is, ours and the kubelet's.
#[derive(Clone, Debug)]
pub(super) struct Difference {
    pub(super) what: String,
    pub(super) ours: String,
    pub(super) kubelet: String,
}

pub(super) fn differences(ours: &PodStatus, kubelet: &PodStatus) -> Vec<Difference> {
    let mut all = Vec::new();
    let mut put = |what: &str, ours: String, kubelet: String| {
        if ours != kubelet {
            let what = what.to_owned();
            all.push(Difference {
                what,
                ours,
                kubelet,
            });
        }
    };
    let ips = |status: &PodStatus| {
        let ips: Vec<_> = status.pod_i_ps.iter().map(|ip| ip.ip()).collect();
        format!("{} {}", status.pod_ip(), ips.join(" "))
    };
    let host = |status: &PodStatus| {
        let ips: Vec<_> = status.host_i_ps.iter().map(|ip| ip.ip()).collect();
        format!("{} {}", status.host_ip(), ips.join(" "))
    };
    put("phase", ours.phase().to_owned(), kubelet.phase().to_owned());
    put(
        "reason",
        ours.reason().to_owned(),
        kubelet.reason().to_owned(),
    );
    put(
        "message",
        ours.message().to_owned(),
        kubelet.message().to_owned(),
    );
    put("addresses", ips(ours), ips(kubelet));
    put("addresses of the node", host(ours), host(kubelet));
    put(
        "class",
        ours.qos_class().to_owned(),
        kubelet.qos_class().to_owned(),
    );
    // Of a pod that runs a kubelet asks its cgroup, which is not there.
    if kubelet.resources.is_some() {
        let whole = |status: &PodStatus| {
            let allocated = amounts(&status.allocated_resources);
            format!(
                "{} allocated {allocated}",
                required(status.resources.as_ref())
            )
        };
        put("resources", whole(ours), whole(kubelet));
    }
    let kinds = |status: &PodStatus| {
        let kinds = status.conditions.iter().map(|one| one.r#type().to_owned());
        kinds.collect::<Vec<_>>()
    };
    put(
        "conditions",
        kinds(ours).join(" "),
        kinds(kubelet).join(" "),
    );
    for kind in kinds(kubelet) {
        let of = |status: &PodStatus| {
            let mut all = status.conditions.iter();
            all.find(|one| one.r#type() == kind)
                .map_or(String::new(), condition)
        };
        put(&format!("condition {kind}"), of(ours), of(kubelet));
    }
    for (list, ours, kubelet) in [
        (
            "containers",
            &ours.container_statuses,
            &kubelet.container_statuses,
        ),
        (
            "initContainers",
            &ours.init_container_statuses,
            &kubelet.init_container_statuses,
        ),
        (
            "ephemeralContainers",
            &ours.ephemeral_container_statuses,
            &kubelet.ephemeral_container_statuses,
        ),
    ] {
        let names = |list: &[ContainerStatus]| {
            let names = list.iter().map(|one| one.name().to_owned());
            names.collect::<Vec<_>>().join(" ")
        };
        put(list, names(ours), names(kubelet));
        for (ours, kubelet) in ours.iter().zip(kubelet) {
            put(
                &format!("container {}", kubelet.name()),
                container(ours),
                container(kubelet),
            );
            put(
                &format!("resources of {}", kubelet.name()),
                uses(ours),
                uses(kubelet),
            );
            put(
                &format!("mounts of {}", kubelet.name()),
                mounts(ours),
                mounts(kubelet),
            );
        }
    }
    all
}

fn condition(condition: &PodCondition) -> String {
    // The words are our own where the kubelet's tell no names.
    let words = Some(condition.message()).filter(|words| {
        words.starts_with("containers with ") || condition.r#type() == "PodReadyToStartContainers"
    });
    format!(
        "{} {} {:?} generation {}",
        condition.status(),
        condition.reason(),
        words,
        condition.observed_generation(),
    )
}

fn container(status: &ContainerStatus) -> String {
    format!(
        "{} | last {} | restarts {} ready {} started {:?} image {} {} id {}",
        state(status.state.as_ref()),
        state(status.last_state.as_ref()),
        status.restart_count(),
        status.ready(),
        status.started,
        status.image(),
        status.image_id(),
        status.container_id(),
    )
}

/// What a container may use and as whom it runs.
fn uses(status: &ContainerStatus) -> String {
    let allocated = amounts(&status.allocated_resources);
    let user = status.user.clone().unwrap_or_default().linux;
    format!(
        "{} allocated {allocated} user {user:?}",
        required(status.resources.as_ref())
    )
}

fn mounts(status: &ContainerStatus) -> String {
    format!("{:?}", status.volume_mounts)
}

fn required(resources: Option<&ResourceRequirements>) -> String {
    let Some(resources) = resources else {
        return "nothing".to_owned();
    };
    let (requests, limits) = (amounts(&resources.requests), amounts(&resources.limits));
    format!("requests {requests} limits {limits}")
}

fn amounts(amounts: &BTreeMap<String, Quantity>) -> String {
    let texts = amounts
        .iter()
        .map(|(name, amount)| format!("{name}={}", amount.string()));
    texts.collect::<Vec<_>>().join(" ")
}

fn state(state: Option<&ContainerState>) -> String {
    let Some(state) = state else {
        return "nothing".to_owned();
    };
    if let Some(waiting) = &state.waiting {
        let words =
            Some(waiting.message()).filter(|_| waiting.reason() != "RestartingAllContainers");
        return format!("waiting {} {words:?}", waiting.reason());
    }
    if let Some(running) = &state.running {
        return format!("running since {}", time(running.started_at));
    }
    state
        .terminated
        .as_ref()
        .map_or_else(|| "nothing".to_owned(), ended)
}

fn ended(end: &ContainerStateTerminated) -> String {
    let known = !end.container_id().is_empty();
    let words = Some(end.message()).filter(|_| known);
    format!(
        "terminated {} {} {} to {} of {:?} {}",
        end.exit_code(),
        end.reason(),
        time(end.started_at),
        time(end.finished_at),
        end.container_id(),
        words.map_or(0, str::len),
    )
}

/// A time that a runtime does not know is left out here, and 1970 or the year 1 in a kubelet's.
fn time(time: Option<Time>) -> i64 {
    time.and_then(|time| time.seconds)
        .unwrap_or_default()
        .max(0)
}
