//! API servers that go away, come back, and have forgotten what happened meanwhile.

use std::time::Duration;

use podsapi_client::EventKind;

use super::api::identity;
use super::link::Link;
use super::node::{Node, by_uid};
use super::plane::Plane;
use super::pods::{create_many, planned};

/// How long a killed server stays away.
fn outage() -> Duration {
    let seconds = std::env::var("PODSAPI_OUTAGE").ok();
    Duration::from_secs(seconds.map_or(10, |text| text.parse().unwrap()))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_was_killed_is_missed_by_nobody_and_what_changed_is_told_once() {
    let Some(mut plane) = Plane::start().await else {
        return;
    };
    let (space, name) = ("killed", "node-of-the-killed");
    plane.api.namespace(space).await;
    for pod in ["stays", "changes", "goes"] {
        plane.api.create(space, &planned(pod, name)).await;
    }
    let mut node = Node::start(name, &plane.kubeconfig(name, plane.port), BACKOFF).await;
    let (_, before) = plane.api.list(name).await;
    node.holds("all before", &before).await;
    let told_before = node.told();

    plane.kill_server();
    let gone = crate::process::now();
    node.says("lost");
    // Another server of the same control plane takes the changes, and goes too.
    let second = plane.second().await;
    second
        .api
        .patch(
            space,
            "changes",
            r#"{"metadata":{"labels":{"app":"changed"}}}"#,
        )
        .await;
    second.api.delete(space, "goes", 0).await;
    second.api.create(space, &planned("comes", name)).await;
    drop(second);
    tokio::time::sleep(outage().saturating_sub(gone.elapsed())).await;
    assert_eq!(
        node.told(),
        told_before,
        "nothing is told while nothing is known"
    );
    let mut served = node.list().await;
    served.sort();
    let mut kept = before.clone();
    kept.sort();
    assert_eq!(
        served, kept,
        "all is served while the control plane is away"
    );

    let away = gone.elapsed();
    plane.start_server().await;
    let back = crate::process::now();
    let (_, after) = plane.api.list(name).await;
    node.holds("all after", &after).await;
    println!(
        "away for {:.1} s; all was right {:.2} s after the server was ready",
        away.as_secs_f64(),
        back.elapsed().as_secs_f64()
    );
    let told = node.told().split_off(told_before.len());
    let mut kinds: Vec<_> = told.iter().map(|event| event.kind).collect();
    kinds.sort();
    let once = [EventKind::Added, EventKind::Deleted, EventKind::Modified];
    assert_eq!(kinds, once, "{:#?}", super::node::lines(&told));
    let report = node.server.ask(&["check"]).text();
    assert!(!report.contains("lost"), "{report}");
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_compaction_the_node_is_listed_anew_and_only_differences_are_told() {
    let Some(mut plane) = Plane::start().await else {
        return;
    };
    let (space, name) = ("compacted", "node-of-the-compacted");
    plane.api.namespace(space).await;
    let names: Vec<_> = (0..20).map(|number| format!("pod-{number:03}")).collect();
    create_many(&plane.api, space, name, &names).await;
    let link = Link::to(plane.port).await;
    let mut node = Node::start(name, &plane.kubeconfig(name, link.port), BACKOFF).await;
    let (last_seen, before) = plane.api.list(name).await;
    node.holds("all before", &before).await;
    let told_before = node.told().len();

    link.cut();
    for gone in &names[..5] {
        plane.api.delete(space, gone, 0).await;
    }
    for changed in &names[5..8] {
        let text = r#"{"metadata":{"labels":{"app":"changed"}}}"#;
        plane.api.patch(space, changed, text).await;
    }
    plane.api.create(space, &planned("comes", name)).await;
    // Made and gone while nobody looked: there never was such a pod.
    let unseen = plane.api.create(space, &planned("unseen", name)).await;
    plane.api.delete(space, "unseen", 0).await;
    let (revision, after) = plane.api.list(name).await;
    plane.compact(revision).await;
    // What a server has in memory it tells even after a compaction.
    plane.kill_server();
    plane.start_server().await;
    let refused = plane.api.history(name, last_seen).await.unwrap_err();
    println!("{:?} {}", refused.code, refused.message.unwrap_or_default());
    assert_eq!(refused.code, Some(410));

    let asked_before = plane.asked(name).len();
    link.restore();
    node.holds("all after", &after).await;
    let told = node.told().split_off(told_before);
    let count = |kind| told.iter().filter(|event| event.kind == kind).count();
    let counts = [EventKind::Added, EventKind::Deleted, EventKind::Modified].map(count);
    assert_eq!(counts, [1, 5, 3], "{:#?}", super::node::lines(&told));
    assert!(!by_uid(&node.told()).contains_key(&identity(&unseen).0));
    let asked = plane.asked(name).split_off(asked_before);
    for (verb, address) in &asked {
        println!("{verb} {address}");
    }
    // What the watch may not go on from is at least where the list begins.
    let expected = [("watch", last_seen), ("list", last_seen)];
    assert!(asked.len() >= expected.len(), "{asked:#?}");
    for ((verb, address), (wanted, version)) in asked.iter().zip(expected) {
        let version = format!("resourceVersion={version}");
        assert!(verb == wanted && address.contains(&version), "{asked:#?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_control_plane_restored_from_an_older_state_is_listed_in_pages() {
    let Some(mut plane) = Plane::start().await else {
        return;
    };
    let (space, name) = ("restored", "node-of-the-restored");
    plane.api.namespace(space).await;
    plane.api.create(space, &planned("forgotten", name)).await;
    plane.pass_revisions(2 * u64::try_from(PODS).unwrap()).await;
    plane
        .api
        .create(space, &planned("also-forgotten", name))
        .await;
    let link = Link::to(plane.port).await;
    let mut node = Node::start(name, &plane.kubeconfig(name, link.port), BACKOFF).await;
    let (last_seen, before) = plane.api.list(name).await;
    node.holds("all before", &before).await;

    // After a few failures the watch gives way to a list, which the server refuses in its turn: the
    // revision is none that it has come to.
    link.close();
    let tried = link.opened();
    plane.forget_all().await;
    plane.api.namespace(space).await;
    let names: Vec<_> = (0..PODS).map(|number| format!("pod-{number:03}")).collect();
    create_many(&plane.api, space, name, &names).await;
    crate::process::until("it has failed often enough", || {
        (link.opened() - tried > 3).then_some(())
    });
    let (revision, after) = plane.api.list(name).await;
    assert!(revision < last_seen, "{revision} is before {last_seen}");
    let asked_before = plane.asked(name).len();
    link.restore();
    node.holds("all after", &after).await;
    let asked = plane.asked(name).split_off(asked_before);
    for (verb, address) in &asked {
        println!("{verb} {address}");
    }
    let next = |(_, address): &&(String, String)| address.contains("&continue=");
    assert_eq!(asked.iter().filter(next).count(), PODS.div_ceil(PAGE) - 1);
}

/// More than fit on two pages.
const PODS: usize = 1_020;
/// How many pods are asked for at a time.
const PAGE: usize = 500;

/// The first try after a loss comes within a second.
const BACKOFF: [&str; 2] = ["--api-backoff", "1"];

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_that_breaks_again_and_again_loses_no_event() {
    let Some(plane) = Plane::shared().await else {
        return;
    };
    let (api, space, name) = (&plane.api, "broken", "node-of-the-broken");
    api.namespace(space).await;
    let (since, _) = api.list(name).await;
    let link = Link::to(plane.port).await;
    let mut node = Node::start(name, &plane.kubeconfig(name, link.port), BACKOFF).await;
    for round in 0..5 {
        let pod = format!("pod-{round}");
        api.create(space, &planned(&pod, name)).await;
        link.cut();
        let text = r#"{"metadata":{"labels":{"round":"changed"}}}"#;
        let changed = api.patch(space, &pod, text).await;
        link.restore();
        let is_told = |told: &[podsapi_client::Event]| told.iter().any(|e| e.pod == changed);
        node.until("the change is told", is_told).await;
    }
    let (_, pods) = api.list(name).await;
    node.holds("each pod as it is", &pods).await;
    // A watch goes on where it was: also what was over before the next one began is told.
    let own = api.history(name, since).await.unwrap();
    assert_eq!(node.told().len(), own.len() + 1);
    println!("{} connections, {} events", link.opened(), own.len());
    let asked = plane.asked(name);
    let lists = asked.iter().filter(|(verb, _)| verb == "list").count();
    assert_eq!(lists, 1, "{asked:#?}");
}
