//! Watches: the first list, changes, deletions, and every way in which a watch ends.

use std::time::Duration;

use bytes::Bytes;
use podsapi_core::SourceKind;
use podsapi_proto::{
    core_v1::Pod,
    documented::PodWatchRequest,
    v1alpha1::{EventType, ListPodsRequest, ListPodsResponse, WatchPodsEvent, WatchPodsRequest},
};
use podsapi_tests::live::{AT, Live, Socket, becomes, config, soon};
use prost::Message;
use tonic::{Code, Request, Streaming};

use crate::dial::{DocumentedPod, Tonic, decoded, pod, serving};

#[tokio::test]
async fn a_watch_tells_the_first_list_then_a_change_and_a_deletion() {
    let socket = Socket::new();
    let (live, feed) = serving(&socket, &[pod("a", 1), pod("b", 1)]);
    let mut watch = watch(&Tonic::dial(&live).await).await;
    assert_eq!(next(&mut watch).await, (1, pod("a", 1).encode()));
    assert_eq!(next(&mut watch).await, (1, pod("b", 1).encode()));
    assert_eq!(next(&mut watch).await, (4, Bytes::new()));
    feed.put(pod("b", 2).parse());
    assert_eq!(next(&mut watch).await, (2, pod("b", 2).encode()));
    feed.remove("a");
    let (kind, deleted) = next(&mut watch).await;
    assert_eq!(kind, EventType::Deleted as i32);
    let deleted = Pod::decode(deleted).unwrap();
    assert_eq!(deleted.metadata.unwrap().uid(), "a");
    assert_eq!((deleted.spec, deleted.status), (None, None));
}

#[tokio::test]
async fn a_documented_watch_tells_a_deletion_by_its_timestamp() {
    let socket = Socket::new();
    let (live, feed) = serving(&socket, &[pod("a", 1)]);
    let client = Tonic::dial(&live).await;
    let watching = client.stream("/Pods/WatchPods", Request::new(PodWatchRequest {}));
    let mut watch: Streaming<DocumentedPod> = watching.await.unwrap();
    feed.put(pod("a", 2).parse());
    feed.remove("a");
    for version in [1, 2] {
        let told = soon(watch.message()).await.unwrap().unwrap();
        assert_eq!(told.pod, Some(decoded(&pod("a", version))));
    }
    let deleted = soon(watch.message()).await.unwrap().unwrap().pod.unwrap();
    assert_eq!((deleted.spec, deleted.status), (None, None));
    let metadata = deleted.metadata.unwrap();
    assert_eq!(metadata.uid(), "a");
    assert_eq!(metadata.name(), "name-of-a");
    assert_eq!(metadata.deletion_grace_period_seconds, Some(0));
    let deletion = metadata.deletion_timestamp.unwrap();
    assert_eq!(deletion.seconds, Some(AT));
}

#[tokio::test]
async fn a_cancelled_watch_is_gone_from_the_server() {
    let socket = Socket::new();
    let (live, _feed) = serving(&socket, &[pod("a", 1)]);
    let client = Tonic::dial(&live).await;
    let mut first = watch(&client).await;
    let second = watch(&client).await;
    next(&mut first).await;
    becomes(LONG, "both watches are open", || open(&live) == 2).await;
    drop(first);
    becomes(LONG, "one watch is open", || open(&live) == 1).await;
    drop(second);
    becomes(LONG, "no watch is open", || open(&live) == 0).await;
    let canceled = || live.metrics().requests("watch_", "Canceled") == 2;
    becomes(LONG, "both are counted", canceled).await;
}

#[tokio::test]
async fn a_watch_with_a_deadline_ends_when_it_is_over() {
    let socket = Socket::new();
    let (live, _feed) = serving(&socket, &[pod("a", 1)]);
    let client = Tonic::dial(&live).await;
    let mut request = Request::new(WatchPodsRequest {});
    // Long enough for the first events on a busy machine.
    request.set_timeout(Duration::from_secs(3));
    let mut watch: Streaming<WatchPodsEvent> = client.stream(WATCH, request).await.unwrap();
    assert_eq!(next(&mut watch).await, (1, pod("a", 1).encode()));
    assert_eq!(next(&mut watch).await, (4, Bytes::new()));
    let ended = soon(watch.message()).await.unwrap_err();
    assert_eq!(ended.code(), Code::DeadlineExceeded);
    becomes(LONG, "no watch is open", || open(&live) == 0).await;
    let counted = || live.metrics().requests("watch_", "DeadlineExceeded") == 1;
    becomes(LONG, "the end is counted", counted).await;
}

#[tokio::test]
async fn a_server_that_stops_ends_its_watches_as_unavailable() {
    let socket = Socket::new();
    let (live, _feed) = serving(&socket, &[pod("a", 1)]);
    let mut watch = watch(&Tonic::dial(&live).await).await;
    assert_eq!(next(&mut watch).await.0, EventType::Added as i32);
    assert_eq!(
        next(&mut watch).await.0,
        EventType::InitialSyncComplete as i32
    );
    let (stopped, ended) = tokio::join!(live.stop(), soon(watch.message()));
    let () = stopped;
    let ended = ended.unwrap_err();
    assert_eq!(ended.code(), Code::Unavailable);
    assert_eq!(ended.message(), "the server is shutting down");
}

#[tokio::test]
async fn after_a_restart_the_same_channel_gets_a_full_replay() {
    let socket = Socket::new();
    let (first, _feed) = serving(&socket, &[pod("a", 1), pod("b", 1)]);
    let client = Tonic::dial(&first).await;
    let mut before = watch(&client).await;
    next(&mut before).await;
    first.kill().await;
    while let Ok(event) = soon(before.message()).await {
        assert!(event.is_some(), "a watch does not end with OK");
    }
    let second = socket.start(config([("node", SourceKind::Snapshot)]));
    let feed = second.feed("node");
    feed.list([pod("b", 2).parse(), pod("c", 1).parse()]);
    let mut after = soon(watch_again(&client)).await;
    assert_eq!(next(&mut after).await, (1, pod("b", 2).encode()));
    assert_eq!(next(&mut after).await, (1, pod("c", 1).encode()));
    assert_eq!(next(&mut after).await, (4, Bytes::new()));
}

/// Opens a watch on a channel that may not know yet that it must connect again.
#[tokio::test]
async fn two_hundred_watches_of_a_channel_leave_room_for_its_other_calls() {
    let socket = Socket::new();
    let (live, _feed) = serving(&socket, &[pod("a", 1)]);
    let client = Tonic::dial(&live).await;
    let mut watches = Vec::new();
    for _ in 0..200 {
        let mut watch = watch(&client).await;
        assert_eq!(next(&mut watch).await, (1, pod("a", 1).encode()));
        watches.push(watch);
    }
    let more = Request::new(WatchPodsRequest {});
    let refused = client.stream::<_, WatchPodsEvent>(WATCH, more).await;
    assert_eq!(refused.unwrap_err().code(), Code::ResourceExhausted);
    let listed: ListPodsResponse = client.unary(LIST, ListPodsRequest {}).await.unwrap();
    assert_eq!(listed.pods.len(), 1);
    drop(watches.pop());
    becomes(LONG, "a watch is over", || open(&live) == 199).await;
    assert_eq!(next(&mut watch(&client).await).await.0, 1);
}

#[tokio::test]
async fn headers_that_are_too_large_leave_a_watch_of_the_same_channel() {
    let socket = Socket::new();
    let (live, feed) = serving(&socket, &[]);
    let client = Tonic::dial(&live).await;
    let mut watch = watch(&client).await;
    assert_eq!(next(&mut watch).await.0, 4);
    for size in [17_000, 48_000, 120_000] {
        let mut request = Request::new(ListPodsRequest {});
        let much = "a".repeat(size).parse().unwrap();
        request.metadata_mut().insert("x-much", much);
        let refused = client.ask::<_, ListPodsResponse>(LIST, request).await;
        let refused = refused.unwrap_err();
        assert_eq!(refused.code(), Code::ResourceExhausted, "{size}: {refused}");
        assert!(refused.message().contains("expected at most 16384"));
    }
    feed.put(pod("a", 1).parse());
    assert_eq!(next(&mut watch).await, (1, pod("a", 1).encode()));
}

async fn watch_again(client: &Tonic) -> Streaming<WatchPodsEvent> {
    loop {
        let request = Request::new(WatchPodsRequest {});
        match client.stream(WATCH, request).await {
            Ok(watch) => return watch,
            Err(refused) => {
                let broken = [Code::Unavailable, Code::Unknown, Code::Cancelled];
                assert!(broken.contains(&refused.code()), "{refused}");
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        }
    }
}

async fn watch(client: &Tonic) -> Streaming<WatchPodsEvent> {
    client
        .stream(WATCH, Request::new(WatchPodsRequest {}))
        .await
        .unwrap()
}

/// Returns the type, as a number, and the pod of the next event.
pub(crate) async fn next(watch: &mut Streaming<WatchPodsEvent>) -> (i32, Bytes) {
    let event = soon(watch.message()).await.unwrap().unwrap();
    (event.r#type, event.pod)
}

fn open(live: &Live) -> usize {
    live.server().with_pods(|pods| pods.watch_count())
}

const LIST: &str = "/v1alpha1.Pods/ListPods";
pub(crate) const WATCH: &str = "/v1alpha1.Pods/WatchPods";

const LONG: Duration = Duration::from_secs(60);
