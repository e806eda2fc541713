//! The status of a simulated pod, which the state of its containers decides.

use podsapi_proto::json::{Map, Value};

use super::time;
use crate::simulated::pod::{Container, Ended, Pod, State};
use crate::simulated::workloads::Image;
use crate::tree::object;

/// Writes out `status`.
pub(super) fn status(pod: &Pod) -> Value {
    let workload = pod.workload;
    let statuses = pod.containers.iter().zip(workload.containers);
    let statuses = statuses.map(|(container, image)| container_status(container, image));
    let init = pod.init.iter().zip(&workload.init);
    let init = init.map(|(container, image)| container_status(container, image));
    let addresses = |addresses: &[String]| {
        let addresses = addresses.iter();
        Value::List(
            addresses
                .map(|address| object([("ip", Value::from(address.as_str()))]))
                .collect(),
        )
    };
    let host = HOST_ADDRESSES.map(str::to_owned);
    let own = if pod
        .containers
        .iter()
        .all(Container::waits_for_its_first_run)
    {
        Vec::new()
    } else if workload.host_network {
        host.to_vec()
    } else {
        pod_addresses(pod.serial).to_vec()
    };
    object([
        ("phase", Value::from(pod.phase())),
        ("conditions", Value::List(conditions(pod))),
        ("hostIP", Value::from(HOST_ADDRESSES[0])),
        ("hostIPs", addresses(&host)),
        (
            "podIP",
            own.first()
                .map_or(Value::Null, |address| Value::from(address.as_str())),
        ),
        ("podIPs", addresses(&own)),
        ("startTime", time(pod.created)),
        ("initContainerStatuses", Value::List(init.collect())),
        ("containerStatuses", Value::List(statuses.collect())),
        ("qosClass", Value::from("Burstable")),
    ])
}

/// Addresses from the ranges that are usual inside clusters, one pair for each pod.
fn pod_addresses(serial: u32) -> [String; 2] {
    let host = serial % 250 + 2;
    let (third, second) = (serial / 250 % 250, 64 + serial / 62_500 % 64);
    [
        format!("10.{second}.{third}.{host}"),
        format!("fd00:10:244::{serial:x}"),
    ]
}

fn conditions(pod: &Pod) -> Vec<Value> {
    let ready = pod.ready() && pod.deletion.is_none();
    let started = !pod
        .containers
        .iter()
        .all(Container::waits_for_its_first_run);
    let ended = pod.phase() == "Succeeded";
    let condition = |kind: &str, met: bool, at: i64, reason: &str| {
        object([
            ("type", Value::from(kind)),
            ("status", Value::from(if met { "True" } else { "False" })),
            ("lastTransitionTime", time(at)),
            (
                "reason",
                if met {
                    Value::Null
                } else {
                    Value::from(reason)
                },
            ),
        ])
    };
    let unready = if ended {
        "PodCompleted"
    } else {
        "ContainersNotReady"
    };
    let initialized = pod.initialized.unwrap_or(pod.created);
    vec![
        condition(
            "PodReadyToStartContainers",
            started,
            pod.created,
            "SandboxNotReady",
        ),
        condition(
            "Initialized",
            pod.initialized.is_some(),
            initialized,
            "ContainersNotInitialized",
        ),
        condition("Ready", ready, pod.ready_changed, unready),
        condition("ContainersReady", ready, pod.ready_changed, unready),
        condition("PodScheduled", true, pod.created, "Unschedulable"),
    ]
}

fn container_status(container: &Container, image: &Image) -> Value {
    let running = container.is_running();
    let id = match &container.state {
        State::Running { .. } => Value::from(format!("containerd://{}", container.id)),
        State::Terminated(ended) => Value::from(format!("containerd://{}", ended.id)),
        State::Waiting { .. } => container.last.as_ref().map_or(Value::Null, |ended| {
            Value::from(format!("containerd://{}", ended.id))
        }),
    };
    let name = image.image.split(['@', ':']).next().unwrap_or_default();
    let image_id = match id {
        Value::Null => Value::from(""),
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::List(_) | Value::Map(_) => {
            Value::from(format!("{name}@sha256:{}", container.image_digest))
        }
    };
    let last = container.last.as_ref().map_or_else(
        || Value::Map(Map::new()),
        |ended| object([("terminated", run(ended))]),
    );
    object([
        ("name", Value::from(image.container)),
        ("state", state(&container.state)),
        ("lastState", last),
        ("ready", Value::from(container.ready)),
        ("restartCount", Value::from(container.restarts)),
        ("image", Value::from(image.image)),
        ("imageID", image_id),
        ("containerID", id),
        ("started", Value::from(running)),
    ])
}

fn state(state: &State) -> Value {
    match state {
        State::Running { since } => object([("running", object([("startedAt", time(*since))]))]),
        State::Terminated(ended) => object([("terminated", run(ended))]),
        State::Waiting { reason } => {
            let message = match *reason {
                "CrashLoopBackOff" => Value::from("back-off restarting the failed container"),
                _ => Value::Null,
            };
            object([(
                "waiting",
                object([("reason", Value::from(*reason)), ("message", message)]),
            )])
        }
    }
}

fn run(ended: &Ended) -> Value {
    object([
        ("exitCode", Value::from(ended.exit_code)),
        ("reason", Value::from(ended.reason)),
        ("startedAt", time(ended.since)),
        ("finishedAt", time(ended.until)),
        (
            "containerID",
            Value::from(format!("containerd://{}", ended.id)),
        ),
    ])
}

/// Addresses that are reserved for documentation.
const HOST_ADDRESSES: [&str; 2] = ["192.0.2.10", "2001:db8::10"];
