//! The list beside the watch, over a real socket: what a kubelet lists and does not tell.

use std::time::Duration;

use podsapi_proto::v1alpha1::EventType;

use super::upstream::{Upstream, Watch, broken, pod};
use super::{Source, count};
use crate::recorder::Heard;

/// A source whose upstream has told its one pod.
async fn one_pod(period: Duration) -> (Source, Upstream, Watch) {
    let mut source = Source::with(|options| options.resync = period);
    let mut upstream = source.upstream();
    let mut watch = upstream.watch().await;
    watch.added(&pod("1", "a"));
    watch.synced();
    source.synced(1).await;
    (source, upstream, watch)
}

/// A pod with one more field that nobody knows.
fn newer(uid: &str, name: &str) -> Vec<u8> {
    [pod(uid, name), b"\x82\x7d\x01x".to_vec()].concat()
}

fn removed(heard: &Heard) -> bool {
    count(heard, "remove") > 0
}

const NEVER: Duration = Duration::from_secs(3_600);
const OFTEN: Duration = Duration::from_millis(200);

#[tokio::test]
async fn a_pod_that_ends_stays_as_long_as_it_is_listed() {
    let (mut source, upstream, mut watch) = one_pod(NEVER).await;
    // The list has its last state, of which the watch said nothing.
    upstream.listed.put(&newer("1", "a"));
    watch.ended(&pod("1", "a"));
    let last = |heard: &Heard| heard.pods["ns/a"].bytes() == &newer("1", "a");
    let heard = source.until(last).await;
    assert!(!removed(&heard), "{heard:?}");
    assert_eq!(upstream.listed.asked(), 1);

    // It is gone when a list is without it, here asked for since another pod has ended.
    upstream.listed.remove(&pod("1", "a"));
    watch.added(&pod("2", "b"));
    watch.ended(&pod("2", "b"));
    let heard = source.until(removed).await;
    assert_eq!(heard.names(), ["ns/b"]);
    assert_eq!(upstream.listed.asked(), 2);
    assert_eq!(heard.lists, 1, "{heard:?}");
}

#[tokio::test]
async fn what_the_watch_never_tells_is_found_on_the_beat() {
    let (mut source, upstream, mut watch) = one_pod(OFTEN).await;
    // A static pod is replaced: the old one ends unseen, the new one is listed at once.
    upstream.listed.put(&pod("2", "a2"));
    source.until(|heard| heard.pods.len() == 2).await;
    upstream.listed.remove(&pod("1", "a"));
    let heard = source.until(removed).await;
    assert_eq!(heard.names(), ["ns/a2"]);
    // What the watch says of the old one while its containers end is no news of a pod.
    let puts = count(&heard, "put");
    let asked = upstream.listed.asked();
    for kind in [EventType::Modified, EventType::Added, EventType::Deleted] {
        watch.odd_event(kind.into(), &pod("1", "a"));
    }
    while upstream.listed.asked() < asked + 2 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let heard = source.recorder.heard();
    assert_eq!((count(&heard, "put"), heard.names()), (puts, vec!["ns/a2"]));
    // One that is back under its UID is.
    watch.added(&pod("1", "a"));
    source.until(|heard| heard.pods.len() == 2).await;
}

#[tokio::test]
async fn a_pod_that_comes_back_after_its_end_waits_for_no_list() {
    let (mut source, upstream, mut watch) = one_pod(NEVER).await;
    // The list lacks it before its containers have ended.
    upstream.listed.remove(&pod("1", "a"));
    watch.added(&pod("2", "b"));
    watch.ended(&pod("2", "b"));
    source.until(removed).await;
    watch.ended(&pod("1", "a"));
    // No list has it.
    watch.odd_event(EventType::Added.into(), &pod("1", "a"));
    source
        .until(|heard| heard.names() == ["ns/a", "ns/b"])
        .await;
}

#[tokio::test]
async fn a_pod_that_is_back_before_its_end_is_served_as_soon_as_a_list_has_it() {
    let (mut source, upstream, mut watch) = one_pod(NEVER).await;
    upstream.listed.remove(&pod("1", "a"));
    watch.added(&pod("2", "b"));
    watch.ended(&pod("2", "b"));
    let heard = source.until(removed).await;
    assert_eq!((heard.names(), upstream.listed.asked()), (vec!["ns/b"], 1));
    // The watch said it as its containers end, or since it is there again.
    upstream.listed.put(&newer("1", "a"));
    watch.odd_event(EventType::Added.into(), &pod("1", "a"));
    let heard = source.until(|heard| heard.pods.len() == 2).await;
    assert_eq!(heard.pods["ns/a"].bytes(), &pod("1", "a"));
    assert_eq!(upstream.listed.asked(), 2);
    let last = |heard: &Heard| heard.pods["ns/a"].bytes() == &newer("1", "a");
    source.until(last).await;
}

#[tokio::test]
async fn a_name_that_another_pod_takes_is_reason_to_ask() {
    let (mut source, upstream, mut watch) = one_pod(NEVER).await;
    upstream.listed.remove(&pod("1", "a"));
    watch.added(&pod("2", "a"));
    let heard = source.until(removed).await;
    assert_eq!(count(&heard, "put"), 2);
    assert_eq!(upstream.listed.asked(), 1);
}

#[tokio::test]
async fn a_sign_in_a_kubelets_folders_is_reason_to_ask() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("pods-api/s.sock");
    for made in ["pods-api", "pods/1"] {
        std::fs::create_dir_all(folder.path().join(made)).unwrap();
    }
    let mut source = Source::with(|options| {
        options.socket = socket.clone();
        options.resync = NEVER;
    });
    let mut upstream = Upstream::at(&socket);
    let mut watch = upstream.watch().await;
    watch.added(&pod("1", "a"));
    watch.synced();
    source.synced(1).await;
    assert_eq!(upstream.listed.asked(), 0);
    upstream.listed.remove(&pod("1", "a"));
    std::fs::remove_dir(folder.path().join("pods/1")).unwrap();
    source.until(removed).await;
}

#[tokio::test]
async fn a_refused_list_is_asked_for_again_and_loses_nothing() {
    let (mut source, upstream, mut watch) = one_pod(NEVER).await;
    upstream.listed.refuse(8, "rejected by rate limit");
    watch.event(EventType::Deleted, &pod("1", "a"));
    let heard = source.until(removed).await;
    assert!(heard.pods.is_empty());
    assert_eq!(upstream.listed.asked(), 2);
    assert!(!heard.words.contains(&"lost"), "{heard:?}");
    assert!(
        heard.problems.iter().flatten().count() <= 1,
        "only the start: {heard:?}"
    );
}

#[tokio::test]
async fn where_there_is_no_list_a_deletion_counts_as_it_is_told() {
    let (mut source, upstream, mut watch) = one_pod(NEVER).await;
    upstream
        .listed
        .refuse(12, "method ListPods not implemented");
    watch.added(&pod("2", "b"));
    watch.ended(&pod("1", "a"));
    let heard = source.problem("gives no list").await;
    assert!(
        heard
            .problem()
            .contains("a pod is gone when its watch says so")
    );
    source.until(|heard| heard.names() == ["ns/b"]).await;
    watch.ended(&pod("2", "b"));
    source.until(|heard| heard.pods.is_empty()).await;
    assert_eq!(upstream.listed.asked(), 1, "it is not asked again");
}

#[tokio::test]
async fn a_podsapi_tells_exactly_what_it_lists_and_is_never_asked() {
    let mut source = Source::with(|options| options.resync = OFTEN);
    let mut upstream = source.upstream();
    upstream.listed.podsapi();
    let mut watch = upstream.watch().await;
    watch.added(&pod("1", "a"));
    watch.added(&pod("2", "b"));
    watch.synced();
    source.synced(1).await;
    watch.event(EventType::Deleted, &pod("1", "a"));
    source.until(|heard| heard.names() == ["ns/b"]).await;
    tokio::time::sleep(OFTEN * 3).await;
    watch.event(EventType::Deleted, &pod("2", "b"));
    source.until(|heard| heard.pods.is_empty()).await;
    assert!(upstream.listed.asked() <= 1, "before it was known at most");
}

#[tokio::test]
async fn a_listed_pod_that_cannot_be_read_is_named_and_goes_with_its_problem() {
    let (mut source, upstream, mut watch) = one_pod(OFTEN).await;
    upstream.listed.put(&broken("1", "a"));
    upstream.listed.put(&broken("2", "b"));
    let heard = source.problem("ns/b (2)").await;
    assert_eq!(heard.names(), ["ns/a"]);
    assert!(
        heard.problem().contains("as last read it stays served"),
        "{heard:?}"
    );
    upstream.listed.remove(&pod("2", "b"));
    source
        .until(|heard| !heard.problem().contains("ns/b"))
        .await;
    watch.event(EventType::Modified, &pod("1", "a"));
    source.until(|heard| heard.problem().is_empty()).await;
}
