//! Streams that end by a reset: the server's where no trailers can follow, and the client's.

use std::time::Duration;

use podsapi_h2::Limits;
use podsapi_tests::frames::{self, code, flag, message, setting};
use podsapi_tests::raw_client::{RawClient, request, request_with};
use podsapi_tests::reply::Reply;
use podsapi_tests::served::{Served, Setup};

use crate::{GET, WATCH};

/// A request for the pod `uid-1`.
const UID_1: &[u8] = b"\x0a\x05uid-1";
/// The watch that has no marker, so that without pods it has nothing to tell.
const DOCUMENTED_WATCH: &str = "/Pods/WatchPods";

/// A client of whose streams each has room for this part of a pod, and no more.
async fn with_a_small_window(served: &Served) -> RawClient {
    let mut client =
        RawClient::connect_with(served.path(), &[(setting::INITIAL_WINDOW_SIZE, 100)]).await;
    client.grants = false;
    client
}

fn large_pods(limits: Limits) -> Setup {
    Setup {
        ballast: 40_000,
        limits,
        ..Setup::default()
    }
}

/// Asserts that a stream was reset inside its first message.
fn assert_cut(reply: &Reply, reason: u32) {
    assert_eq!(reply.data.len(), 100, "{reply:?}");
    assert_eq!(reply.reset, Some(reason));
    assert_eq!((reply.ended, &reply.trailers), (false, &None));
}

/// Lines 28 and 54.
#[tokio::test]
async fn a_deadline_inside_a_message_is_a_reset_with_cancel() {
    let served = Served::start_with(large_pods(Limits::default()));
    let mut client = with_a_small_window(&served).await;
    for path in [GET, WATCH] {
        let stream = client.next_stream();
        let fields = request_with(path, "grpc-timeout", b"500m");
        client.headers(stream, &fields, flag::END_HEADERS).await;
        client.data(stream, &message(UID_1), flag::END_STREAM).await;
        assert_cut(&client.reply(stream).await, code::CANCEL);
    }
    served.has_watches(0).await;
    let stream = client.next_stream();
    let absent = client.unary(stream, GET, b"\x0a\x06absent").await;
    assert_eq!(absent.grpc_status(), "5");
    assert!(client.go_aways.is_empty());
}

/// Lines 28 and 54: a stopping server lets a watch end its event for a while, and then no more.
#[tokio::test]
async fn a_stop_inside_a_message_is_a_reset_with_cancel() {
    let limits = Limits {
        stuck_stream_timeout: Duration::from_secs(5),
        ..Limits::default()
    };
    let mut served = Served::start_with(large_pods(limits));
    let mut client = with_a_small_window(&served).await;
    client.call(1, WATCH, &[]).await;
    let begun = |client: &RawClient| client.replies.get(&1).is_some_and(|r| r.data.len() == 100);
    client.until("the window's bytes", begun).await;
    served.ask_to_stop();
    let warned = |client: &RawClient| !client.go_aways.is_empty();
    client.until("GOAWAY", warned).await;
    assert_cut(&client.reply(1).await, code::CANCEL);
    client.end().await;
    served.ended().await;
}

/// Line 54: a watch that was stuck is told what it would be told by trailers.
#[tokio::test]
async fn a_watch_stuck_inside_a_message_is_a_reset_with_enhance_your_calm() {
    let limits = Limits {
        stuck_stream_timeout: Duration::from_millis(500),
        ..Limits::default()
    };
    let served = Served::start_with(large_pods(limits));
    let mut client = with_a_small_window(&served).await;
    client.call(1, WATCH, &[]).await;
    assert_cut(&client.reply(1).await, code::ENHANCE_YOUR_CALM);
    served.has_watches(0).await;
}

/// Line 55.
#[tokio::test]
async fn a_reset_or_a_lost_connection_ends_its_watch() {
    let served = Served::start();
    let mut client = served.client().await;
    for stream in [1, 3] {
        client.call(stream, WATCH, &[]).await;
        let begun = |client: &RawClient| client.replies.contains_key(&stream);
        client.until("the watch's headers", begun).await;
    }
    assert_eq!(served.watches(), 2);
    client.send(&frames::reset(1, code::CANCEL)).await;
    served.has_watches(1).await;
    drop(client);
    served.has_watches(0).await;
    served.is_empty().await;
}

/// Line 55: also before there was anything to tell, and in whatever way the client goes.
#[tokio::test]
async fn a_watch_without_a_first_event_ends_with_its_client() {
    let served = Served::start_with(Setup {
        pods: 0,
        ..Setup::default()
    });
    let mut client = served.client().await;
    for stream in [1, 3] {
        client.call(stream, DOCUMENTED_WATCH, &[]).await;
        let open = |client: &RawClient| client.replies.contains_key(&stream);
        client.until("the watch's headers", open).await;
        assert!(client.replies[&stream].data.is_empty());
    }
    served.has_watches(2).await;
    client.send(&frames::reset(1, code::CANCEL)).await;
    served.has_watches(1).await;
    let fields = request_with(DOCUMENTED_WATCH, "grpc-timeout", b"50m");
    client.headers(5, &fields, flag::END_HEADERS).await;
    client.data(5, &message(&[]), flag::END_STREAM).await;
    assert_eq!(client.reply(5).await.grpc_status(), "4");
    served.has_watches(1).await;
    drop(client);
    served.has_watches(0).await;
    served.is_empty().await;
}

/// Line 55.
#[tokio::test]
async fn a_reset_ends_a_watch_that_waits_for_a_window() {
    let served = Served::start();
    let mut client =
        RawClient::connect_with(served.path(), &[(setting::INITIAL_WINDOW_SIZE, 0)]).await;
    client.call(1, WATCH, &[]).await;
    client
        .until("the watch's headers", |client| {
            client.replies.contains_key(&1)
        })
        .await;
    assert_eq!(served.watches(), 1);
    client.send(&frames::reset(1, code::CANCEL)).await;
    served.has_watches(0).await;
    assert_eq!(
        client.unary(3, GET, b"\x0a\x06absent").await.grpc_status(),
        "5"
    );
}

/// Line 55: a call whose request has not ended holds nothing once it is reset.
#[tokio::test]
async fn a_reset_ends_a_call_whose_request_has_not_ended() {
    let served = Served::start();
    let mut client = served.client().await;
    client.headers(1, &request(GET), flag::END_HEADERS).await;
    client.data(1, &message(UID_1), 0).await;
    client.ping(b"received").await;
    let calls = |count: usize| format!("\npodsapi_calls {count}\n");
    let page = || served.server().metrics_text();
    assert!(page().contains(&calls(1)), "{}", page());
    client.send(&frames::reset(1, code::CANCEL)).await;
    client.ping(b"is reset").await;
    assert!(page().contains(&calls(0)), "{}", page());
}
