//! One case: a pod with its owner's word, the last status and what the runtime shows.

use podsapi_core::{EncodedPod, EncodedStatus};
use podsapi_proto::core_v1::PodStatus;
use podsapi_proto::cri;
use podsapi_proto::json::{decode, to_json};
use podsapi_proto::schema::Message as Schema;
use prost::Message;

use crate::cri::reading;
use crate::status::records::{Fields, merged};
use crate::status::scenes::NOW;
use crate::status::{PodView, PodViews};
use crate::view::{Container, RuntimeView, Sandbox};

/// What a status is worked out from.
pub(super) struct Case {
    pub(super) pod: EncodedPod,
    pub(super) owner: PodStatus,
    pub(super) last: Option<EncodedStatus>,
    pub(super) now: i64,
    pub(super) deleted: bool,
    pub(super) sandboxes: Vec<cri::PodSandboxStatus>,
    pub(super) containers: Vec<(String, cri::ContainerStatus)>,
}

impl Case {
    /// A pod of which only its owner says anything.
    pub(super) fn of_the_owner(pod: EncodedPod) -> Self {
        Self {
            owner: PodStatus::decode(merged(pod.bytes(), 3).as_slice()).unwrap(),
            pod,
            last: None,
            now: NOW,
            deleted: false,
            sandboxes: Vec::new(),
            containers: Vec::new(),
        }
    }

    /// What the runtime shows, as it is read here.
    pub(super) fn seen(&self) -> PodView {
        let sandboxes = self.sandboxes.iter().cloned().map(reading::sandbox);
        let containers = self.containers.iter().map(|(sandbox, status)| {
            let mut read = reading::container(status.clone());
            read.sandbox_id.clone_from(sandbox);
            read
        });
        let view = RuntimeView {
            sandboxes: sandboxes.collect(),
            containers: containers.collect(),
        };
        let pods = PodViews::new(view);
        pods.of("u", "ns", "p").cloned().unwrap_or_default()
    }

    /// The parts of the question.
    pub(super) fn parts(&self) -> Vec<(u8, Vec<u8>)> {
        let mut parts = vec![(b'P', self.pod.bytes().to_vec())];
        parts.push((b'N', self.now.to_string().into_bytes()));
        parts.extend(self.last.as_ref().map(|last| (b'L', last.bytes().to_vec())));
        for sandbox in &self.sandboxes {
            parts.push((b'S', sandbox.encode_to_vec()));
        }
        for (sandbox, status) in &self.containers {
            let listed = cri::Container {
                id: status.id.clone(),
                pod_sandbox_id: sandbox.clone(),
                metadata: status.metadata.clone(),
                image: status.image.clone(),
                image_ref: status.image_ref.clone(),
                state: status.state,
                created_at: status.created_at,
                labels: status.labels.clone(),
                annotations: status.annotations.clone(),
                ..cri::Container::default()
            };
            parts.push((b'C', listed.encode_to_vec()));
            parts.push((b'D', status.encode_to_vec()));
        }
        parts
    }

    /// The newest state of a container that the runtime shows.
    pub(super) fn newest(&self, name: &str) -> Option<Container> {
        self.seen().runs(name).next().cloned()
    }

    /// Whether the pod is from a file.
    pub(super) fn is_static(&self) -> bool {
        let bytes = self.pod.bytes();
        bytes.windows(13).any(|window| window == b"config.source")
    }

    /// Whether anybody has said that the pod has ended.
    pub(super) fn was_terminal(&self) -> bool {
        let last = self.last_status();
        let said = [Some(&self.owner), last.as_ref()];
        let mut said = said.into_iter().flatten();
        said.any(|status| ["Failed", "Succeeded"].contains(&status.phase()))
    }

    pub(super) fn last_status(&self) -> Option<PodStatus> {
        let last = self.last.as_ref()?;
        Some(PodStatus::decode(last.bytes().clone()).unwrap())
    }

    /// The case for people.
    pub(super) fn printed(&self) -> String {
        let json = |bytes: &[u8]| {
            let text = to_json(&decode(Schema::POD, bytes).unwrap());
            text.replace(&"x".repeat(2_000), "")
        };
        let mut last = Fields::default();
        if let Some(status) = &self.last {
            last.add(3, status.bytes());
        }
        let seen = self.seen();
        let sandboxes = seen.sandboxes().iter().map(|one| {
            let Sandbox {
                id,
                attempt,
                ready,
                ips,
                host_network,
                ..
            } = one;
            format!("{id} attempt {attempt} ready {ready} {ips:?} node {host_network}")
        });
        let runs = self.containers.iter().map(|(sandbox, one)| {
            let read = reading::container(one.clone());
            let Container {
                id,
                state,
                exit_code,
                created_at,
                ..
            } = read;
            format!("{id} in {sandbox} {state:?} {exit_code} created {created_at}")
        });
        format!(
            "pod {}\nlast {}\nsandboxes {:#?}\nruns {:#?}",
            json(self.pod.bytes()),
            json(&last.finish()),
            sandboxes.collect::<Vec<_>>(),
            runs.collect::<Vec<_>>(),
        )
    }
}
