//! Pods that are made, changed and deleted, while a watch is told of them.

use std::collections::BTreeMap;

use bytes::Bytes;
use podsapi_client::EventKind;
use tokio::task::JoinSet;

use super::api::{Api, Told, identity};
use super::node::{Node, by_uid};
use super::plane::Plane;

/// Returns the JSON of a pod for a node, or for none yet where that has no name.
pub(super) fn planned(name: &str, node: &str) -> String {
    let place = match node {
        "" => String::new(),
        node => format!(r#""nodeName":"{node}","#),
    };
    format!(
        r#"{{"metadata":{{"name":"{name}","labels":{{"app":"{name}"}}}},"spec":{{{place}
        "containers":[{{"name":"app","image":"example.org/app:1"}}]}}}}"#
    )
}

/// Makes so many pods of a node, several at a time.
pub(super) async fn create_many(api: &Api, namespace: &str, node: &str, names: &[String]) {
    let mut making = JoinSet::new();
    for chunk in names.chunks(names.len().div_ceil(CLIENTS).max(1)) {
        let (api, names) = (api.clone(), chunk.to_vec());
        let (namespace, node) = (namespace.to_owned(), node.to_owned());
        making.spawn(async move {
            for name in names {
                api.create(&namespace, &planned(&name, &node)).await;
            }
        });
    }
    while let Some(made) = making.join_next().await {
        made.unwrap();
    }
}

/// How many at a time: more would wait for each other on two cores.
const CLIENTS: usize = 4;

/// Returns what the server tells of each pod, in order, in the words of a watch of ours.
fn history(told: &[Told]) -> BTreeMap<String, Vec<(&str, Bytes)>> {
    let mut pods: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for event in told {
        // Of a deleted pod a watch of ours tells no more than which one it is.
        let gone = event.kind == "DELETED";
        let pod = if gone {
            Bytes::new()
        } else {
            event.pod.clone()
        };
        let seen = pods.entry(identity(&event.pod).0).or_default();
        seen.push((event.kind.as_str(), pod));
    }
    pods
}

#[tokio::test(flavor = "multi_thread")]
async fn a_watch_is_told_the_api_servers_own_history_of_the_node() {
    let Some(plane) = Plane::shared().await else {
        return;
    };
    let (api, space, name) = (&plane.api, "history", "node-of-history");
    api.namespace(space).await;
    let (since, before) = api.list(name).await;
    assert_eq!(before, Vec::<Bytes>::new());
    let mut node = Node::start(name, &plane.kubeconfig(name, plane.port), NOTHING).await;

    for pod in ["patched", "graceful", "forced", "again"] {
        api.create(space, &planned(pod, name)).await;
    }
    api.create(space, &planned("elsewhere", "another-node"))
        .await;
    api.create(space, &planned("bound-later", "")).await;
    api.patch(
        space,
        "patched",
        r#"{"metadata":{"annotations":{"a":"1"}}}"#,
    )
    .await;
    api.bind(space, "bound-later", name).await;
    let running =
        r#"{"status":{"phase":"Running","podIP":"192.0.2.1","podIPs":[{"ip":"192.0.2.1"}]}}"#;
    api.patch(space, "patched/status", running).await;
    // The same again changes nothing.
    api.patch(space, "patched/status", running).await;
    api.delete(space, "graceful", 30).await;
    let leaving = api.pod(space, "graceful").await;
    let (uid, _) = identity(&leaving);
    node.until("the pod is marked", |told| {
        by_uid(told).get(&uid).and_then(|seen| seen.last()) == Some(&("MODIFIED", leaving.clone()))
    })
    .await;
    api.delete(space, "graceful", 0).await;
    api.delete(space, "forced", 0).await;
    api.delete(space, "again", 0).await;
    let again = api.create(space, &planned("again", name)).await;
    node.until("the last pod is told", |told| {
        told.iter().any(|event| event.pod == again)
    })
    .await;

    let (_, pods) = api.list(name).await;
    assert_eq!(
        pods.len(),
        3,
        "patched, bound later, and the one made again"
    );
    node.holds("each pod as the server lists it", &pods).await;
    for pod in &pods {
        let (_, pod_name) = identity(pod);
        assert_eq!(
            api.pod(space, &pod_name).await,
            *pod,
            "the server's own two answers"
        );
    }
    let told = node.told();
    let own = api.history(name, since).await.unwrap();
    println!(
        "{} events of {} pods are the server's own",
        own.len(),
        history(&own).len()
    );
    assert_eq!(by_uid(&told), history(&own));
    assert_eq!(told.len(), own.len() + 1, "and the marker of the sync");
}

#[tokio::test(flavor = "multi_thread")]
async fn hundreds_of_pods_are_served_byte_for_byte_and_all_go() {
    let Some(plane) = Plane::shared().await else {
        return;
    };
    let (api, space, name) = (&plane.api, "hundreds", "node-of-hundreds");
    api.namespace(space).await;
    let names: Vec<_> = (0..500).map(|number| format!("pod-{number:03}")).collect();
    create_many(api, space, name, &names[..250]).await;
    // Half of them are there before the watch, half come during it.
    let mut node = Node::start(name, &plane.kubeconfig(name, plane.port), NOTHING).await;
    create_many(api, space, name, &names[250..]).await;
    let (_, pods) = api.list(name).await;
    assert_eq!(pods.len(), 500);
    node.holds("five hundred pods", &pods).await;
    let added = |kind| {
        let told = node.told();
        told.iter().filter(|event| event.kind == kind).count()
    };
    assert_eq!(
        (added(EventKind::Added), added(EventKind::Modified)),
        (500, 0)
    );

    let path = format!("/api/v1/namespaces/{space}/pods?gracePeriodSeconds=0");
    let question = super::api::Question {
        method: "DELETE",
        ..super::api::Question::get(&path)
    };
    api.done(question).await;
    node.holds("no pod", &[]).await;
    let told = node.told();
    let gone = told.iter().filter(|event| event.kind == EventKind::Deleted);
    assert_eq!(gone.count(), 500);
}

pub(super) const NOTHING: [&str; 0] = [];
