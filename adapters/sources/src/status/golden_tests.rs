//! What a real kubelet computed of its pods, computed again from what its runtime must have shown.

use std::path::PathBuf;

use bytes::Bytes;
use podsapi_core::{EncodedPod, EncodedStatus};
use podsapi_proto::core_v1::{ContainerStateTerminated, ContainerStatus, Pod, PodStatus};
use podsapi_proto::json::{Value, encode, parse_json};
use podsapi_proto::meta_v1::Time;
use podsapi_proto::schema::Message as Schema;
use prost::Message;

use super::{PodView, PodViews, status};
use crate::status::scenes::of_pod;
use crate::view::{Container, ContainerState, NodeFacts, RuntimeView, Sandbox};

const NOW: i64 = 1_800_000_000;

/// The pods that the kubelet listed or none where the captured node is not there.
pub(crate) fn captured() -> Vec<Pod> {
    let file = "../../../shared/testdata/nodes/v1.31/kubelet-pods.json";
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(file);
    let Ok(text) = std::fs::read(file) else {
        eprintln!("skipped: the captured node in ../shared/testdata/nodes/v1.31 is not there");
        return Vec::new();
    };
    let list = parse_json(&text).unwrap();
    let items = list.get("items").and_then(Value::as_list).unwrap();
    let pods = items.iter().map(|item| {
        let encoded = encode(Schema::POD, item).unwrap();
        Pod::decode(encoded.bytes.as_slice()).unwrap()
    });
    let pods: Vec<_> = pods.collect();
    assert_eq!(pods.len(), 23);
    pods
}

fn nanos(time: Option<Time>) -> i64 {
    time.and_then(|time| time.seconds).unwrap_or_default() * 1_000_000_000
}

fn encoded(pod: &Pod) -> EncodedPod {
    EncodedPod::parse(Bytes::from(pod.encode_to_vec())).unwrap()
}

fn facts(pod: &Pod) -> NodeFacts {
    let status = pod.status.clone().unwrap();
    NodeFacts {
        node_name: pod.spec.clone().unwrap().node_name().to_owned(),
        runtime_name: "containerd".to_owned(),
        host_ips: status
            .host_i_ps
            .iter()
            .map(|ip| ip.ip().to_owned())
            .collect(),
    }
}

/// What the runtime must have shown of one pod.
fn shown_alone(pod: &Pod) -> PodView {
    let pods = PodViews::new(shown(pod));
    let metadata = pod.metadata.clone().unwrap();
    let shown = pods.of(metadata.uid(), metadata.namespace(), metadata.name());
    shown.cloned().unwrap_or_default()
}

/// What the runtime must have shown for the kubelet to say what it said.
pub(crate) fn shown(pod: &Pod) -> RuntimeView {
    let metadata = pod.metadata.clone().unwrap();
    let status = pod.status.clone().unwrap();
    let host_network = pod.spec.clone().unwrap().host_network();
    let mut conditions = status.conditions.iter();
    let ready =
        conditions.any(|it| it.r#type() == "PodReadyToStartContainers" && it.status() == "True");
    let ips = status.pod_i_ps.iter().map(|ip| ip.ip().to_owned());
    let sandbox = Sandbox {
        id: metadata.uid().to_owned(),
        pod_uid: metadata.uid().to_owned(),
        namespace: metadata.namespace().to_owned(),
        name: metadata.name().to_owned(),
        annotations: metadata.annotations.clone(),
        ready,
        ips: ips.filter(|_| ready && !host_network).collect(),
        host_network,
        created_at: nanos(status.start_time),
        ..Sandbox::default()
    };
    let lists = [
        status.init_container_statuses,
        status.container_statuses,
        status.ephemeral_container_statuses,
    ];
    let all = lists.iter().flatten();
    let mut containers: Vec<_> = all.flat_map(|one| runs(metadata.uid(), one)).collect();
    containers.reverse();
    RuntimeView {
        sandboxes: vec![sandbox],
        containers,
    }
}

/// The newest run of a container, and the one before it if the kubelet spoke of it.
fn runs(sandbox: &str, status: &ContainerStatus) -> Vec<Container> {
    let state = status.state.clone().unwrap();
    let count = u32::try_from(status.restart_count()).unwrap();
    let base = Container {
        sandbox_id: sandbox.to_owned(),
        pod: of_pod(sandbox),
        name: status.name().to_owned(),
        attempt: count,
        restart_count: count,
        image: status.image().to_owned(),
        image_ref: status.image_id().to_owned(),
        ..Container::default()
    };
    let exited = |ended: &ContainerStateTerminated, count| Container {
        id: bare(ended.container_id()),
        attempt: count,
        restart_count: count,
        state: ContainerState::Exited,
        started_at: nanos(ended.started_at),
        finished_at: nanos(ended.finished_at),
        exit_code: ended.exit_code(),
        reason: ended.reason().to_owned(),
        message: ended.message().to_owned(),
        ..base.clone()
    };
    let mut runs = Vec::new();
    if let Some(running) = &state.running {
        runs.push(Container {
            id: bare(status.container_id()),
            state: ContainerState::Running,
            started_at: nanos(running.started_at),
            ..base.clone()
        });
    }
    if let Some(ended) = &state.terminated {
        runs.push(exited(ended, count));
    }
    let last = status.last_state.clone().unwrap_or_default().terminated;
    runs.extend(last.map(|ended| exited(&ended, count.saturating_sub(1))));
    runs
}

fn bare(id: &str) -> String {
    id.strip_prefix("containerd://").unwrap().to_owned()
}

fn compute(pod: &Pod, last: Option<&EncodedStatus>, seen: &PodView) -> (EncodedStatus, PodStatus) {
    let computed = status(&encoded(pod), last, seen, &facts(pod), NOW).unwrap();
    let decoded = PodStatus::decode(computed.bytes().clone()).unwrap();
    (computed, decoded)
}

/// What of a status is compared when all times of conditions are new.
fn verdicts(status: &PodStatus) -> Vec<(String, String, String)> {
    let conditions = status.conditions.iter().map(|it| {
        // Since Kubernetes 1.33 this condition says why it is false.
        let newer = it.r#type() == "PodReadyToStartContainers";
        let reason = if newer { "" } else { it.reason() };
        (
            it.r#type().to_owned(),
            it.status().to_owned(),
            reason.to_owned(),
        )
    });
    conditions.collect()
}

/// A pod as it was before the kubelet said anything but what its probes found.
fn with_the_word_of_the_probes_only(pod: &Pod) -> Pod {
    let mut pod = pod.clone();
    let status = pod.status.take().unwrap();
    let spec = pod.spec.clone().unwrap();
    let probed = spec.containers.iter().filter(|container| {
        container.readiness_probe.is_some() || container.startup_probe.is_some()
    });
    let probed: Vec<_> = probed
        .map(|container| container.name().to_owned())
        .collect();
    let words = status.container_statuses.into_iter();
    let words = words
        .filter(|word| probed.iter().any(|name| *name == word.name()))
        .map(|word| ContainerStatus {
            name: word.name.clone(),
            container_id: word.container_id.clone(),
            ready: word.ready,
            started: word.started,
            state: word.state,
            ..ContainerStatus::default()
        });
    pod.status = Some(PodStatus {
        container_statuses: words.collect(),
        ..PodStatus::default()
    });
    pod
}

#[test]
fn the_runtime_and_the_probes_alone_give_what_the_kubelet_said() {
    for pod in captured() {
        let name = pod.metadata.clone().unwrap().name().to_owned();
        let said = pod.status.clone().unwrap();
        let seen = shown_alone(&pod);
        let mut before = with_the_word_of_the_probes_only(&pod);
        if said.pod_i_ps.len() > seen.active().map_or(0, |sandbox| sandbox.ips.len()) {
            // The sandbox that had the address is gone, or it is the node's.
            let status = before.status.as_mut().unwrap();
            status.pod_i_ps.clone_from(&said.pod_i_ps);
        }
        let mut whole = pod.clone();
        whole.status = before.status.clone();
        let bytes = encoded(&whole);
        let computed = status(&bytes, None, &seen, &facts(&pod), NOW).unwrap();
        let computed = PodStatus::decode(computed.bytes().clone()).unwrap();
        assert_eq!(computed.phase(), said.phase(), "{name}");
        assert_eq!(
            computed.container_statuses.len(),
            said.container_statuses.len()
        );
        for (computed, said) in computed
            .container_statuses
            .iter()
            .zip(&said.container_statuses)
        {
            let mut said = said.clone();
            said.volume_mounts.clear();
            assert_eq!(
                printed(&without_resources(computed)),
                printed(&said),
                "{name}"
            );
        }
        let init = computed.init_container_statuses.iter();
        let init: Vec<_> = init.map(without_resources).collect();
        assert_eq!(
            printed_all(&init),
            printed_all(&said.init_container_statuses)
        );
        assert_eq!(verdicts(&computed), verdicts(&said), "{name}");
        assert_eq!(computed.pod_i_ps, said.pod_i_ps, "{name}");
        assert_eq!(computed.pod_ip(), said.pod_ip(), "{name}");
        assert_eq!(computed.host_i_ps, said.host_i_ps, "{name}");
        assert_eq!(computed.host_ip(), said.host_ip(), "{name}");
        assert_eq!(computed.qos_class(), said.qos_class(), "{name}");
    }
}

#[test]
fn a_status_that_the_kubelet_said_stays_to_the_letter() {
    for pod in captured() {
        let name = pod.metadata.clone().unwrap().name().to_owned();
        let said = pod.status.clone().unwrap();
        let seen = shown_alone(&pod);
        let (first, computed) = compute(&pod, None, &seen);
        assert_eq!(computed.phase(), said.phase(), "{name}");
        assert_eq!(computed.start_time, said.start_time, "{name}");
        assert_eq!(
            printed_all(&computed.container_statuses),
            printed_all(&said.container_statuses),
            "{name}"
        );
        for (computed, said) in computed.conditions.iter().zip(&said.conditions) {
            assert_eq!(computed.r#type(), said.r#type(), "{name}");
            assert_eq!(computed.status(), said.status(), "{name}");
            assert_eq!(
                computed.last_transition_time.unwrap().seconds,
                said.last_transition_time.unwrap().seconds,
                "{name}"
            );
        }
        let (second, _) = compute(&pod, Some(&first), &seen);
        assert_eq!(first, second, "{name}");
    }
}

/// A container's status as kubelets had it before Kubernetes 1.33; they told of volumes only where
/// they had seen the container wait.
fn without_resources(status: &ContainerStatus) -> ContainerStatus {
    let mut status = status.clone();
    status.volume_mounts.clear();
    status.resources = None;
    status.allocated_resources.clear();
    status
}

/// A container's status as people see it, in which what is absent and what is zero are the same.
fn printed(status: &ContainerStatus) -> String {
    let mut status = status.clone();
    status.restart_count.get_or_insert_default();
    status.ready.get_or_insert_default();
    status.last_state.get_or_insert_default();
    for state in [&mut status.state, &mut status.last_state] {
        let state = state.get_or_insert_default();
        if let Some(ended) = &mut state.terminated {
            ended.exit_code.get_or_insert_default();
            ended.message = Some(ended.message().to_owned());
            for time in [&mut ended.started_at, &mut ended.finished_at] {
                let time = time.get_or_insert_default();
                time.nanos = None;
            }
        }
        if let Some(running) = &mut state.running {
            running.started_at.get_or_insert_default().nanos = None;
        }
    }
    format!("{status:?}")
}

pub(crate) fn printed_all(statuses: &[ContainerStatus]) -> Vec<String> {
    statuses.iter().map(printed).collect()
}
