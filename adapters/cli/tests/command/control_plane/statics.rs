//! Static pods: their mirrors in the API server, and their manifests beside it.

use podsapi_proto::core_v1;
use prost::Message;

use super::node::{Node, by_uid, current};
use super::plane::Plane;
use super::pods::NOTHING;
use crate::process::manifest;

/// Returns the JSON of the mirror that a kubelet makes of its static pod.
fn mirror(name: &str, node: &str, hash: &str) -> String {
    format!(
        r#"{{"metadata":{{"name":"{name}-{node}","annotations":{{
        "kubernetes.io/config.hash":"{hash}","kubernetes.io/config.mirror":"{hash}",
        "kubernetes.io/config.seen":"2026-01-01T00:00:00Z","kubernetes.io/config.source":"file"}}}},
        "spec":{{"nodeName":"{node}","containers":[{{"name":"app","image":"example.org/app:1"}}]}}}}"#
    )
}

const HASH: &str = "0123456789abcdef0123456789abcdef";

#[tokio::test(flavor = "multi_thread")]
async fn a_mirror_pod_is_served_under_the_uid_of_its_static_pod() {
    let Some(plane) = Plane::shared().await else {
        return;
    };
    let (api, space, name) = (&plane.api, "mirrors", "node-of-mirrors");
    api.namespace(space).await;
    let mut node = Node::start(name, &plane.kubeconfig(name, plane.port), NOTHING).await;
    let made = api.create(space, &mirror("web", name, HASH)).await;
    let is_there = |told: &[podsapi_client::Event]| current(told).contains_key(HASH);
    node.until("the static pod is served", is_there).await;
    let served = node.list().await;
    let [served] = served.as_slice() else {
        panic!("one pod: {served:?}");
    };
    // All but the UID is as the server has it.
    let mut expected = core_v1::Pod::decode(made).unwrap();
    expected.metadata.as_mut().unwrap().uid = Some(HASH.to_owned());
    assert_eq!(core_v1::Pod::decode(served.clone()).unwrap(), expected);

    api.delete(space, &format!("web-{name}"), 0).await;
    node.until("the pod is gone", |told| current(told).is_empty())
        .await;
    let told = by_uid(&node.told());
    let kinds: Vec<_> = told[HASH].iter().map(|(kind, _)| *kind).collect();
    assert_eq!(
        (told.len(), kinds.first(), kinds.last()),
        (1, Some(&"ADDED"), Some(&"DELETED"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_manifest_and_its_mirror_are_one_pod() {
    let Some(plane) = Plane::shared().await else {
        return;
    };
    // As the manifests of these tests say.
    let (api, space, name) = (&plane.api, "shop", "node-of-both");
    api.namespace(space).await;
    let manifests = tempfile::tempdir().unwrap();
    manifest(manifests.path(), "web", "");
    let more = ["--manifests", manifests.path().to_str().unwrap()];
    let mut node = Node::start(name, &plane.kubeconfig(name, plane.port), more).await;
    assert_eq!(current(&node.told()).len(), 1, "the manifest's");
    api.create(space, &mirror("web", name, HASH)).await;
    node.until("the two are one", |told| current(told).keys().eq([HASH]))
        .await;
    assert_eq!(node.list().await.len(), 1);
    // Without its mirror the manifest is still there.
    api.delete(space, &format!("web-{name}"), 0).await;
    let (_, left) = api.list(name).await;
    assert_eq!(left.len(), 0);
    std::fs::remove_file(manifests.path().join("web.yaml")).unwrap();
    node.until("the pod is gone", |told| current(told).is_empty())
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pod_in_another_namespace_takes_no_identity_and_costs_nobody_an_event() {
    let Some(plane) = Plane::shared().await else {
        return;
    };
    let (api, space, evil, name) = (&plane.api, "victims", "evil", "node-of-claims");
    api.namespace(space).await;
    api.namespace(evil).await;
    let mut node = Node::start(name, &plane.kubeconfig(name, plane.port), NOTHING).await;
    api.create(space, &mirror("web", name, HASH)).await;
    let ordinary = api
        .create(space, &super::pods::planned("ordinary", name))
        .await;
    let ordinary = super::node::uid(&ordinary);
    let ours = |told: &[podsapi_client::Event]| {
        let current = current(told);
        current.contains_key(HASH) && current.contains_key(&ordinary)
    };
    node.until("both are served", ours).await;
    let before = by_uid(&node.told());

    let first = api.create(evil, &mirror("first", name, HASH)).await;
    let second = api.create(evil, &mirror("second", name, &ordinary)).await;
    let claimers = [&first, &second].map(|pod| super::node::uid(pod));
    let all = |told: &[podsapi_client::Event]| {
        let current = current(told);
        claimers.iter().all(|uid| current.contains_key(uid))
    };
    node.until("they are served under their own UIDs", all)
        .await;
    node.says(&format!("the UID {HASH} of {space}/web-{name}"));
    node.says(&format!("the UID {ordinary} of {space}/ordinary"));
    let after = by_uid(&node.told());
    for uid in [HASH, &ordinary] {
        assert_eq!(after[uid], before[uid], "no event of another pod");
    }
    // No deletion hands a UID on.
    api.delete(space, "ordinary", 0).await;
    api.delete(space, &format!("web-{name}"), 0).await;
    let left = |told: &[podsapi_client::Event]| current(told).keys().eq(sorted(&claimers).iter());
    node.until("the claimers alone are left", left).await;
    for claimer in ["first", "second"] {
        api.delete(evil, &format!("{claimer}-{name}"), 0).await;
    }
    node.until("all are gone", |told| current(told).is_empty())
        .await;
}

fn sorted(uids: &[String; 2]) -> Vec<String> {
    let mut uids = uids.to_vec();
    uids.sort_unstable();
    uids
}
