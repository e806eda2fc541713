//! A real node whose API server and runtime are joined is what its kubelet said.

use std::collections::BTreeMap;
use std::path::PathBuf;

use bytes::Bytes;
use podsapi_core::{EncodedPod, SourceKind};
use podsapi_proto::core_v1::Pod;
use podsapi_proto::json::{Value, encode, parse_yaml};
use podsapi_proto::schema::Message as Schema;

use super::node::Node;
use crate::status::golden_tests::{captured, printed_all, shown};
use crate::view::{NodeFacts, RuntimeView};

/// What the API server listed, mirror pods among it; nothing where the captured node is not there.
fn listed() -> Vec<EncodedPod> {
    let file = "../../../shared/testdata/nodes/v1.31/pods.yaml";
    let Ok(text) = std::fs::read(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(file)) else {
        eprintln!("skipped: the captured node in ../shared/testdata/nodes/v1.31 is not there");
        return Vec::new();
    };
    let documents = parse_yaml(&text).unwrap();
    let items = documents[0].get("items").and_then(Value::as_list).unwrap();
    // A node asks only for the pods that are bound to it.
    let bound = items.iter().filter(|item| {
        let node = item.get("spec").and_then(|spec| spec.get("nodeName"));
        node.and_then(Value::as_str).is_some()
    });
    let pods = bound.map(|item| encode(Schema::POD, item).unwrap().bytes);
    pods.map(|bytes| EncodedPod::parse(Bytes::from(bytes)).unwrap())
        .collect()
}

fn by_uid(pods: Vec<Pod>) -> BTreeMap<String, Pod> {
    let pods = pods.into_iter();
    pods.map(|pod| (pod.metadata.clone().unwrap().uid().to_owned(), pod))
        .collect()
}

#[test]
fn the_api_server_and_the_runtime_joined_are_what_the_kubelet_said() {
    let (listed, kubelet) = (listed(), by_uid(captured()));
    if listed.is_empty() || kubelet.is_empty() {
        return;
    }
    let facts = NodeFacts {
        runtime_name: "containerd".to_owned(),
        ..NodeFacts::default()
    };
    let mut view = RuntimeView::default();
    for pod in kubelet.values() {
        let one = shown(pod);
        view.sandboxes.extend(one.sandboxes);
        view.containers.extend(one.containers);
    }
    let mut node = Node::with_facts(&[SourceKind::Apiserver], facts);
    node.view(&view);
    node.list(0, &listed);
    let served = by_uid(node.pods());
    let uids = |pods: &BTreeMap<String, Pod>| pods.keys().cloned().collect::<Vec<_>>();
    assert_eq!(uids(&served), uids(&kubelet));
    for (uid, pod) in served {
        let said = kubelet[&uid].status.clone().unwrap();
        let status = pod.status.unwrap();
        assert_eq!(status.phase(), said.phase(), "{uid}");
        assert_eq!(
            printed_all(&status.container_statuses),
            printed_all(&said.container_statuses),
            "{uid}"
        );
        assert_eq!(status.pod_i_ps, said.pod_i_ps, "{uid}");
    }
    assert_eq!(node.view(&view), [], "nothing is new");
}
