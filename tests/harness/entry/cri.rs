//! The answers of a container runtime, as any bytes.

use bytes::Bytes;
use podsapi_core::{EncodedPod, SourceEvent, SourceKind};
use podsapi_proto::{core_v1, cri as runtime, meta_v1};
use podsapi_sources::cri::read;
use podsapi_sources::join::Join;
use podsapi_sources::view::{NodeFacts, RuntimeView};
use prost::Message;

/// Whatever a runtime answers: a view has each thing once and in order, has all that is listed, and
/// statuses that every client can decode follow from it.
///
/// The input is pieces of two bytes of length and a body: the sandboxes, the containers, then one
/// status after the other.
///
/// # Panics
///
/// When one of these promises is broken.
pub fn cri(data: &[u8]) {
    let mut pieces = pieces(data).into_iter();
    let sandboxes = pieces.next().unwrap_or_default();
    let containers = pieces.next().unwrap_or_default();
    let statuses: Vec<&[u8]> = pieces.collect();
    let Ok(view) = read(sandboxes, containers, &statuses) else {
        let decoded = runtime::ListPodSandboxResponse::decode(sandboxes).is_ok()
            && runtime::ListContainersResponse::decode(containers).is_ok();
        assert!(!decoded, "both lists can be read");
        return;
    };
    let ids: Vec<&str> = view
        .sandboxes
        .iter()
        .map(|sandbox| sandbox.id.as_str())
        .collect();
    assert!(ids.is_sorted_by(|one, other| one < other), "{ids:?}");
    let listed = runtime::ListPodSandboxResponse::decode(sandboxes).unwrap_or_default();
    let lists = |id: &&str| listed.items.iter().any(|sandbox| sandbox.id == *id);
    assert!(ids.iter().all(lists), "{ids:?} are not all listed");
    assert!(
        listed
            .items
            .iter()
            .all(|sandbox| ids.contains(&sandbox.id.as_str()))
    );
    let ids: Vec<&str> = view.containers.iter().map(|one| one.id.as_str()).collect();
    assert!(ids.is_sorted_by(|one, other| one < other), "{ids:?}");
    let listed = runtime::ListContainersResponse::decode(containers).unwrap_or_default();
    assert!(
        listed
            .containers
            .iter()
            .all(|one| ids.contains(&one.id.as_str()))
    );
    statuses_decode(view);
}

/// Joins the view with pods that have its names.
fn statuses_decode(view: RuntimeView) {
    let facts = NodeFacts {
        node_name: "node-1".to_owned(),
        runtime_name: "containerd".to_owned(),
        host_ips: vec!["10.0.0.1".to_owned()],
    };
    let mut join = Join::new([SourceKind::Apiserver], facts);
    join.handle_owner(0, SourceEvent::Begin, AT);
    for sandbox in view.sandboxes.iter().take(MAX_PODS) {
        let names = view.containers.iter();
        let names = names.filter(|container| container.sandbox_id == sandbox.id);
        let containers = names.map(|container| core_v1::Container {
            name: Some(container.name.clone()),
            ..core_v1::Container::default()
        });
        let pod = core_v1::Pod {
            metadata: Some(meta_v1::ObjectMeta {
                name: Some(sandbox.name.clone()),
                namespace: Some(sandbox.namespace.clone()),
                uid: Some(sandbox.pod_uid.clone()),
                ..meta_v1::ObjectMeta::default()
            }),
            spec: Some(core_v1::PodSpec {
                containers: containers.collect(),
                ..core_v1::PodSpec::default()
            }),
            ..core_v1::Pod::default()
        };
        // A sandbox may say that its pod has no UID.
        if let Ok(pod) = EncodedPod::parse(Bytes::from(pod.encode_to_vec())) {
            join.handle_owner(0, SourceEvent::Put { pod, at: AT }, AT);
        }
    }
    join.handle_owner(0, SourceEvent::Complete { at: AT }, AT);
    join.handle_runtime(view, AT);
    while let Some((_, event)) = join.poll() {
        if let SourceEvent::Status { status, .. } = event {
            let decoded = core_v1::PodStatus::decode(status.bytes().clone());
            decoded.expect("what is served can be decoded");
        }
    }
}

fn pieces(mut rest: &[u8]) -> Vec<&[u8]> {
    let mut pieces = Vec::new();
    while let [high, low, behind @ ..] = rest {
        let length = usize::from(u16::from_be_bytes([*high, *low]));
        let (piece, after) = behind.split_at(length.min(behind.len()));
        pieces.push(piece);
        rest = after;
    }
    pieces
}

/// The wall clock, in seconds since 1970.
const AT: i64 = 1_762_283_628;

/// More add nothing but time.
const MAX_PODS: usize = 20;
