//! Pods of the published types, as tests write and read them.

use bytes::Bytes;
use podsapi_client::{Event, EventKind};
use podsapi_core::{EncodedPod, EncodedStatus, SourceKind};
use podsapi_proto::{
    core_v1::{Container, Pod, PodCondition, PodSpec, PodStatus},
    meta_v1::ObjectMeta,
};
use podsapi_tests::live::{Feed, Live, Socket, config};
use prost::Message;

/// Returns a running pod.
pub(crate) fn pod(uid: &str) -> Pod {
    let metadata = ObjectMeta {
        name: text(&format!("name-of-{uid}")),
        namespace: text("default"),
        uid: text(uid),
        ..ObjectMeta::default()
    };
    let container = Container {
        name: text("main"),
        image: text("registry.example/main:1"),
        ..Container::default()
    };
    let spec = PodSpec {
        containers: vec![container],
        node_name: text("node-1"),
        ..PodSpec::default()
    };
    Pod {
        metadata: Some(metadata),
        spec: Some(spec),
        status: Some(status("Running")),
    }
}

/// Returns the same pod in another phase.
pub(crate) fn in_phase(phase: &str, mut pod: Pod) -> Pod {
    pod.status.get_or_insert_default().phase = text(phase);
    pod
}

/// Returns the same pod with a label.
pub(crate) fn labelled(key: &str, value: impl ToString, mut pod: Pod) -> Pod {
    let labels = &mut pod.metadata.get_or_insert_default().labels;
    labels.insert(key.to_owned(), value.to_string());
    pod
}

/// Returns a status of nothing but a phase.
pub(crate) fn status(phase: &str) -> PodStatus {
    PodStatus {
        phase: text(phase),
        ..PodStatus::default()
    }
}

/// Returns a condition `Ready`.
pub(crate) fn ready(value: &str) -> PodCondition {
    PodCondition {
        r#type: text("Ready"),
        status: text(value),
        ..PodCondition::default()
    }
}

/// Returns the pod as a source hands it over.
pub(crate) fn encoded(pod: &Pod) -> EncodedPod {
    EncodedPod::parse(pod.encode_to_vec().into()).unwrap()
}

/// Returns the status as a source hands it over.
pub(crate) fn encoded_status(status: &PodStatus) -> EncodedStatus {
    EncodedStatus::parse(status.encode_to_vec().into()).unwrap()
}

/// Reads a pod that was served.
pub(crate) fn decoded(bytes: &Bytes) -> Pod {
    Pod::decode(bytes.clone()).unwrap()
}

/// Reads the kind and the pod of an event.
pub(crate) fn read(event: &Event) -> (EventKind, Pod) {
    (event.kind, decoded(&event.pod))
}

/// Returns the UID of a pod.
pub(crate) fn uid(pod: &Pod) -> &str {
    pod.metadata.as_ref().unwrap().uid()
}

/// Returns the phase of a pod.
pub(crate) fn phase(pod: &Pod) -> &str {
    pod.status.as_ref().unwrap().phase()
}

/// Returns the value of a label, empty when there is none.
pub(crate) fn label<'a>(key: &str, pod: &'a Pod) -> &'a str {
    let labels = &pod.metadata.as_ref().unwrap().labels;
    labels.get(key).map_or("", String::as_str)
}

/// Returns what is left of a pod that was deleted.
pub(crate) fn identity(pod: &Pod) -> Pod {
    let metadata = pod.metadata.as_ref().unwrap();
    Pod {
        metadata: Some(ObjectMeta {
            name: metadata.name.clone(),
            namespace: metadata.namespace.clone(),
            uid: metadata.uid.clone(),
            ..ObjectMeta::default()
        }),
        ..Pod::default()
    }
}

/// Starts a ready server whose one source has these pods.
pub(crate) fn serving(socket: &Socket, pods: &[Pod]) -> (Live, Feed) {
    let live = socket.start(config([("node", SourceKind::Snapshot)]));
    let feed = live.feed("node");
    feed.list(pods.iter().map(encoded));
    (live, feed)
}

/// Returns a string field that is set.
pub(crate) fn text(text: &str) -> Option<String> {
    Some(text.to_owned())
}
