//! Small pods, small runtimes and the statuses that follow, for tests.

use bytes::Bytes;
use podsapi_core::{EncodedPod, EncodedStatus};
use podsapi_proto::core_v1::{ContainerStatus, PodCondition, PodStatus};
use podsapi_proto::json::{encode, parse_yaml};
use podsapi_proto::schema::Message as Schema;
use prost::Message;

use super::{PodView, PodViews, status};
use crate::view::{Container, ContainerState, Labelled, NodeFacts, RuntimeView, Sandbox};

pub(crate) const NOW: i64 = 1_800_000_000;

/// Encodes a pod from YAML.
pub(crate) fn pod(yaml: &str) -> EncodedPod {
    let documents = parse_yaml(yaml.as_bytes()).unwrap();
    let encoded = encode(Schema::POD, &documents[0]).unwrap();
    assert_eq!(encoded.unknown, Vec::<String>::new());
    EncodedPod::parse(Bytes::from(encoded.bytes)).unwrap()
}

/// A pod with the containers `b` and `a`.
pub(crate) const TWO: &str = "
metadata: {name: p, namespace: ns, uid: u}
spec: {containers: [{name: b, image: image}, {name: a, image: image}]}";

/// A pod with one container `a` and this much more in spec and status.
pub(crate) fn one(container: &str, spec: &str, status: &str) -> EncodedPod {
    pod(&format!(
        "metadata: {{name: p, namespace: ns, uid: u}}\n\
         spec: {{containers: [{{name: a, image: image{container}}}]{spec}}}\n\
         status: {{{status}}}"
    ))
}

pub(crate) fn node() -> NodeFacts {
    NodeFacts {
        node_name: "node-a".to_owned(),
        runtime_name: "containerd".to_owned(),
        host_ips: vec!["192.0.2.1".to_owned(), "2001:db8::1".to_owned()],
    }
}

/// A ready sandbox `s` of the pod `u` with one address.
pub(crate) fn sandbox() -> Sandbox {
    Sandbox {
        id: "s".to_owned(),
        pod_uid: "u".to_owned(),
        namespace: "ns".to_owned(),
        name: "p".to_owned(),
        ready: true,
        created_at: 1_700_000_000_000_000_000,
        ips: vec!["10.0.0.7".to_owned()],
        ..Sandbox::default()
    }
}

/// A run of the container `name`, whose identity is the name and the count of its restarts.
pub(crate) fn run(name: &str, restarts: u32, state: ContainerState) -> Container {
    let begun = 1_700_000_001_000_000_000 + i64::from(restarts) * 10_000_000_000;
    Container {
        id: format!("{name}{restarts}"),
        sandbox_id: "s".to_owned(),
        pod: of_pod("u"),
        name: name.to_owned(),
        attempt: restarts,
        restart_count: restarts,
        state,
        created_at: begun,
        started_at: begun + 1_000_000_000,
        finished_at: if state == ContainerState::Exited {
            begun + 5_000_000_000
        } else {
            0
        },
        image: "image:1".to_owned(),
        image_ref: "sha256:1".to_owned(),
        ..Container::default()
    }
}

/// The labels of a container of the pod with this UID.
pub(crate) fn of_pod(uid: &str) -> Labelled {
    Labelled {
        uid: uid.to_owned(),
        ..Labelled::default()
    }
}

pub(crate) fn running(name: &str) -> Container {
    run(name, 0, ContainerState::Running)
}

pub(crate) fn exited(name: &str, restarts: u32, exit_code: i32) -> Container {
    let reason = if exit_code == 0 { "Completed" } else { "Error" };
    Container {
        exit_code,
        reason: reason.to_owned(),
        ..run(name, restarts, ContainerState::Exited)
    }
}

/// What the runtime shows of the pod `u` with these sandboxes and containers.
pub(crate) fn seen(sandboxes: Vec<Sandbox>, containers: Vec<Container>) -> PodView {
    let view = RuntimeView {
        sandboxes,
        containers,
    };
    let pods = PodViews::new(view);
    pods.of("u", "ns", "p").cloned().unwrap_or_default()
}

/// The pod's status once the runtime shows these containers in one ready sandbox.
pub(crate) fn after(pod: &EncodedPod, containers: &[Container]) -> Told {
    told(pod, None, &seen(vec![sandbox()], containers.to_vec()), NOW)
}

pub(crate) fn told(
    pod: &EncodedPod,
    last: Option<&EncodedStatus>,
    seen: &PodView,
    now: i64,
) -> Told {
    let encoded = status(pod, last, seen, &node(), now).unwrap();
    let status = PodStatus::decode(encoded.bytes().clone()).unwrap();
    Told { encoded, status }
}

/// A status that was worked out.
#[derive(Clone, Debug)]
pub(crate) struct Told {
    pub(crate) encoded: EncodedStatus,
    pub(crate) status: PodStatus,
}

impl Told {
    pub(crate) fn container(&self, name: &str) -> &ContainerStatus {
        let lists = [
            &self.status.container_statuses,
            &self.status.init_container_statuses,
            &self.status.ephemeral_container_statuses,
        ];
        let mut all = lists.into_iter().flatten();
        all.find(|one| one.name() == name).unwrap()
    }

    /// The state in one line: what it is and why.
    pub(crate) fn state(&self, name: &str) -> String {
        line(self.container(name).state.clone())
    }

    pub(crate) fn last_state(&self, name: &str) -> String {
        line(self.container(name).last_state.clone())
    }

    pub(crate) fn condition(&self, kind: &str) -> &PodCondition {
        let mut all = self.status.conditions.iter();
        all.find(|one| one.r#type() == kind).unwrap()
    }

    /// Status and reason of a condition.
    pub(crate) fn verdict(&self, kind: &str) -> (&str, &str) {
        let condition = self.condition(kind);
        (condition.status(), condition.reason())
    }

    pub(crate) fn ips(&self) -> Vec<&str> {
        self.status.pod_i_ps.iter().map(|ip| ip.ip()).collect()
    }
}

fn line(state: Option<podsapi_proto::core_v1::ContainerState>) -> String {
    let state = state.unwrap_or_default();
    if let Some(waiting) = state.waiting {
        return format!("waiting {}", waiting.reason());
    }
    if state.running.is_some() {
        return "running".to_owned();
    }
    state.terminated.map_or(String::new(), |ended| {
        format!("terminated {} {}", ended.exit_code(), ended.reason())
    })
}
