//! Lists and single pods: all of them, whole, and byte for byte what the source said.

use bytes::Bytes;
use podsapi_client::{ClientOptions, Code, Dialect, EventKind};
use podsapi_core::EncodedPod;
use podsapi_proto::{
    core_v1::{
        Container, ContainerPort, EnvVar, EphemeralContainer, EphemeralContainerCommon, Pod,
        PodStatus,
    },
    meta_v1::Time,
};
use podsapi_tests::{
    live::{Socket, soon},
    pods::{message, varint},
};
use proptest::{
    collection::{btree_map, vec},
    option,
    prelude::{Strategy, any},
    strategy::ValueTree,
    test_runner::TestRunner,
};
use prost::Message;

use crate::sample::{decoded, in_phase, phase, pod, ready, serving, status, text, uid};

/// Item 9. A list returns all pods in the order of their UIDs, and each can be decoded.
#[tokio::test]
async fn a_list_returns_all_pods_in_the_order_of_their_uids() {
    let socket = Socket::new();
    let pods = ["f", "10", "9", "B", "a", "\u{e9}"].map(pod);
    let (live, _feed) = serving(&socket, &pods);
    let listed = soon(live.client().await.list()).await.unwrap();
    let listed: Vec<_> = listed.iter().map(decoded).collect();
    let uids: Vec<_> = listed.iter().map(uid).collect();
    assert_eq!(uids, ["10", "9", "B", "a", "f", "\u{e9}"]);
    assert!(listed.iter().all(|listed| pods.contains(listed)));
}

/// Item 10. Get returns the pod and keeps its phase when no local status is known.
#[tokio::test]
async fn a_pod_keeps_its_phase_when_no_local_status_is_known() {
    let socket = Socket::new();
    let failed = in_phase("Failed", pod("a"));
    let (live, _feed) = serving(&socket, std::slice::from_ref(&failed));
    let got = soon(live.client().await.get("a")).await.unwrap();
    assert_eq!(phase(&decoded(&got)), "Failed");
    assert_eq!(decoded(&got), failed);
}

/// Item 11. Ephemeral containers survive whole.
#[tokio::test]
async fn ephemeral_containers_survive_whole() {
    let socket = Socket::new();
    let debugger = EphemeralContainer {
        ephemeral_container_common: Some(EphemeralContainerCommon {
            name: text("debugger"),
            image: text("registry.example/shell:2"),
            command: vec!["sh".to_owned(), "-c".to_owned(), "sleep 1".to_owned()],
            stdin: Some(true),
            tty: Some(true),
            ..EphemeralContainerCommon::default()
        }),
        target_container_name: text("main"),
    };
    let mut debugged = pod("a");
    let spec = debugged.spec.get_or_insert_default();
    spec.ephemeral_containers = vec![debugger.clone()];
    let (live, _feed) = serving(&socket, &[debugged]);
    let client = live.client().await;
    let got = decoded(&soon(client.get("a")).await.unwrap());
    let listed = decoded(&soon(client.list()).await.unwrap()[0]);
    let watched = decoded(&live.watch().await.first_list().await[0]);
    for pod in [got, listed, watched] {
        let containers = pod.spec.unwrap().ephemeral_containers;
        assert_eq!(containers, std::slice::from_ref(&debugger));
    }
}

/// Item 14. A hundred random pods survive encode, list, decode.
#[tokio::test]
async fn a_hundred_random_pods_survive_encode_list_and_decode() {
    let socket = Socket::new();
    let mut runner = TestRunner::deterministic();
    let random = random_pod();
    let pods: Vec<_> = (0..100)
        .map(|number| {
            let tree = random.new_tree(&mut runner).unwrap();
            let mut pod = tree.current();
            let metadata = pod.metadata.get_or_insert_default();
            metadata.uid = Some(format!("uid-{number:03}"));
            pod
        })
        .collect();
    let (live, _feed) = serving(&socket, &pods);
    let listed = soon(live.client().await.list()).await.unwrap();
    let listed: Vec<_> = listed.iter().map(decoded).collect();
    // A pod without a phase is served as pending: the phase is never empty.
    let expected = pods.into_iter().map(|pod| match phase_of(&pod) {
        "" => in_phase("Pending", pod),
        _ => pod,
    });
    let expected: Vec<_> = expected.collect();
    assert_eq!(listed, expected);
}

/// What no schema knows is kept byte for byte, at every level, in lists, answers and events.
#[tokio::test]
async fn unknown_fields_are_preserved_byte_for_byte_at_every_level() {
    let socket = Socket::new();
    let (live, feed) = serving(&socket, &[]);
    let mut watch = live.watch().await;
    watch.first_list().await;
    let bytes = pod_of_another_age();
    let only = [bytes.clone()];
    feed.put(EncodedPod::parse(bytes.clone()).unwrap());
    let client = live.client().await;
    assert_eq!(soon(client.get("strange")).await.unwrap(), bytes);
    assert_eq!(soon(client.list()).await.unwrap(), only);
    let added = watch.next().await;
    assert_eq!((added.kind, added.pod), (EventKind::Added, bytes.clone()));
    assert_eq!(live.watch().await.first_list().await, only);
    let documented = ClientOptions {
        dialect: Dialect::Documented,
        ..ClientOptions::default()
    };
    let client = live.client_with(documented).await;
    assert_eq!(soon(client.get("strange")).await.unwrap(), bytes);
    assert_eq!(soon(client.list()).await.unwrap(), only);
    let mut watch = soon(client.watch()).await.unwrap();
    let event = soon(watch.next()).await.unwrap().unwrap();
    assert_eq!(event.pod, bytes);
}

/// A UID that names no pod is not found, and the answer says which UID that was.
#[tokio::test]
async fn a_uid_that_names_no_pod_is_not_found() {
    let socket = Socket::new();
    let (live, _feed) = serving(&socket, &[pod("a")]);
    let client = live.client().await;
    for (asked, told) in [("b", "b"), ("", ""), ("A", "A"), ("a\n", "a\\u{a}")] {
        let refused = soon(client.get(asked)).await.unwrap_err();
        assert_eq!(refused.code(), Code::NotFound);
        let text = format!("NotFound: pod with UID {told} not found");
        assert_eq!(refused.to_string(), text);
    }
}

/// Returns a pod with fields of later releases in the pod, its metadata, its spec, a container of
/// it, its status and a condition of it, in every wire type that a field can have.
fn pod_of_another_age() -> Bytes {
    let mut metadata = Vec::new();
    message(1, b"strange", &mut metadata);
    unknown(&mut metadata);
    message(3, b"default", &mut metadata);
    message(5, b"strange", &mut metadata);
    let mut container = Vec::new();
    unknown(&mut container);
    message(1, b"main", &mut container);
    let mut spec = Vec::new();
    message(2, &container, &mut spec);
    unknown(&mut spec);
    let mut condition = ready("True").encode_to_vec();
    unknown(&mut condition);
    let mut state = Vec::new();
    message(1, b"Running", &mut state);
    message(2, &condition, &mut state);
    unknown(&mut state);
    let mut pod = Vec::new();
    message(1, &metadata, &mut pod);
    message(2, &spec, &mut pod);
    message(3, &state, &mut pod);
    unknown(&mut pod);
    pod.into()
}

/// Appends fields that no release has: a varint with more bytes than it needs, fixed numbers, a
/// string and a field of the highest number.
fn unknown(out: &mut Vec<u8>) {
    varint(1_000 << 3, out);
    out.extend([0x81, 0x80, 0x00]);
    varint(1_001 << 3 | 5, out);
    out.extend([1, 2, 3, 4]);
    varint(1_002 << 3 | 1, out);
    out.extend([1, 2, 3, 4, 5, 6, 7, 8]);
    message(1_003, b"of another age", out);
    message((1 << 29) - 1, &[], out);
}

fn phase_of(pod: &Pod) -> &str {
    pod.status.as_ref().map_or("", PodStatus::phase)
}

fn random_pod() -> impl Strategy<Value = Pod> {
    let words = || btree_map("[a-z.]{1,12}/[a-z]{1,8}", "\\PC{0,20}", 0..5);
    let metadata = (words(), words(), any::<i64>(), option::of(any::<i64>()));
    let container = (
        "[a-z]{1,12}",
        "[a-z./:]{1,40}",
        vec("\\PC{0,12}", 0..4),
        vec(("[A-Z_]{1,9}", "\\PC{0,9}"), 0..4),
        vec(any::<i32>(), 0..3),
    );
    let containers = vec(container, 1..5);
    let phases = vec!["", "Pending", "Running", "Succeeded", "Failed"];
    let state = option::of((proptest::sample::select(phases), "[0-9.]{0,15}"));
    (metadata, containers, state).prop_map(|(metadata, containers, state)| {
        let (labels, annotations, generation, created) = metadata;
        let mut pod = pod("replaced");
        let meta = pod.metadata.get_or_insert_default();
        meta.labels = labels;
        meta.annotations = annotations;
        meta.generation = Some(generation);
        meta.creation_timestamp = created.map(|seconds| Time {
            seconds: Some(seconds),
            nanos: None,
        });
        let spec = pod.spec.get_or_insert_default();
        spec.containers = containers
            .into_iter()
            .map(|(name, image, command, env, ports)| Container {
                name: Some(name),
                image: Some(image),
                command,
                env: env
                    .into_iter()
                    .map(|(name, value)| EnvVar {
                        name: Some(name),
                        value: Some(value),
                        ..EnvVar::default()
                    })
                    .collect(),
                ports: ports
                    .into_iter()
                    .map(|port| ContainerPort {
                        container_port: Some(port),
                        ..ContainerPort::default()
                    })
                    .collect(),
                ..Container::default()
            })
            .collect();
        pod.status = state.map(|(phase, address)| PodStatus {
            pod_ip: Some(address),
            ..status(phase)
        });
        pod
    })
}
