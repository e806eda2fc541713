//! How a server says goodbye.

use std::time::{Duration, Instant};

use podsapi_tests::frames::{code, flag, message};
use podsapi_tests::raw_client::{RawClient, request};
use podsapi_tests::served::{Served, Setup};

use crate::{GET, LIST, WATCH};

const MAX_STREAM: u32 = 0x7fff_ffff;

/// Line 9.
#[tokio::test]
async fn a_stopping_server_warns_ends_its_watches_and_closes() {
    let mut served = Served::start();
    let mut client = served.client().await;
    client.call(1, WATCH, &[]).await;
    client
        .until("the watch's headers", |client| {
            client.replies.contains_key(&1)
        })
        .await;
    served.ask_to_stop();
    let watch = client.reply(1).await;
    assert_eq!(watch.grpc_status(), "14");
    assert!(watch.headers.is_some() && watch.trailers.is_some());
    client.end().await;
    let go_aways: Vec<_> = client
        .go_aways
        .iter()
        .map(|(last, code, _)| (*last, *code))
        .collect();
    assert_eq!(
        go_aways,
        [(MAX_STREAM, code::NO_ERROR), (1, code::NO_ERROR)]
    );
    served.ended().await;
}

/// Line 9.
#[tokio::test]
async fn a_call_in_flight_finishes_while_the_server_stops() {
    let mut served = Served::start();
    let mut client = served.client().await;
    client.headers(1, &request(LIST), flag::END_HEADERS).await;
    client.ping(b"received").await;
    served.ask_to_stop();
    client
        .until("GOAWAY", |client| !client.go_aways.is_empty())
        .await;
    client.data(1, &message(&[]), flag::END_STREAM).await;
    let reply = client.reply(1).await;
    // It was accepted before the stop, but reaches the service after it.
    assert_eq!(reply.grpc_status(), "0", "{reply:?}");
    client.end().await;
    served.ended().await;
}

/// Line 9.
#[tokio::test]
async fn a_client_that_never_answers_does_not_hold_the_server() {
    let drain = Duration::from_millis(400);
    let mut served = Served::start_with(Setup {
        drain,
        ballast: 30_000,
        ..Setup::default()
    });
    // One that never acknowledges, and one that never reads and has much to read.
    let mut deaf = served.client().await;
    deaf.answers_pings = false;
    deaf.call(1, WATCH, &[]).await;
    deaf.until("the watch's headers", |client| {
        client.replies.contains_key(&1)
    })
    .await;
    let mut stuck = served.client().await;
    stuck.grant(0, 1 << 30).await;
    for number in 0..20 {
        stuck.call(2 * number + 1, WATCH, &[]).await;
    }
    served.has_watches(21).await;
    #[expect(
        clippy::disallowed_methods,
        reason = "the drain is measured in real time"
    )]
    let before = Instant::now();
    served.ask_to_stop();
    served.ended().await;
    // Neither of them would ever let it end.
    assert!(
        before.elapsed() < drain + Duration::from_secs(30),
        "{:?}",
        before.elapsed()
    );
    // What it was sent is less than it had room for: the server did wait for its socket.
    stuck.end().await;
    let sent: usize = stuck.replies.values().map(|reply| reply.data.len()).sum();
    assert!(sent < 20 * 65_535, "{sent} bytes");
}

/// Line 10.
#[tokio::test]
async fn a_call_between_the_two_go_aways_is_answered() {
    let mut served = Served::start();
    let mut client = served.client().await;
    client.answers_pings = false;
    client.call(1, WATCH, &[]).await;
    client
        .until("the watch's headers", |client| {
            client.replies.contains_key(&1)
        })
        .await;
    served.ask_to_stop();
    let warned = |client: &RawClient| !client.go_aways.is_empty();
    client.until("GOAWAY", warned).await;
    assert_eq!(client.go_aways[0].0, MAX_STREAM);
    for (stream, path, status) in [
        (3, LIST, "0"),
        (5, GET, "5"),
        (7, WATCH, "14"),
        (9, "/grpc.health.v1.Health/Check", "0"),
        (11, "/podsapi.v1.Diagnostics/GetStatus", "0"),
    ] {
        let reply = client.unary(stream, path, &[]).await;
        assert_eq!(reply.grpc_status(), status, "{path} {reply:?}");
        assert_eq!(reply.messages().len(), usize::from(status == "0"), "{path}");
    }
    // The watch that was open has ended, whoever acknowledges what.
    assert_eq!(client.reply(1).await.grpc_status(), "14");
}

/// Line 10.
#[tokio::test]
async fn a_call_above_the_last_stream_is_not_answered_and_the_others_finish() {
    let mut served = Served::start();
    let mut client = served.client().await;
    client.headers(1, &request(LIST), flag::END_HEADERS).await;
    client.ping(b"received").await;
    served.ask_to_stop();
    let both = |client: &RawClient| client.go_aways.len() == 2;
    client.until("both GOAWAYs", both).await;
    assert_eq!(client.go_aways[1].0, 1);
    client.call(3, LIST, &[]).await;
    client.ping(b"received").await;
    let late = client.replies.get(&3);
    assert!(late.is_none_or(|reply| reply.headers.is_none()), "{late:?}");
    client.data(1, &message(&[]), flag::END_STREAM).await;
    assert_eq!(client.reply(1).await.grpc_status(), "0");
    client.end().await;
    served.ended().await;
}
