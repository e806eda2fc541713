//! Flow control: the client's windows are obeyed and slow readers are bounded.

use std::cell::Cell;

use podsapi_h2::Limits;
use podsapi_proto::v1alpha1::ListPodsResponse;
use podsapi_tests::frames::{self, code, setting};
use podsapi_tests::raw_client::RawClient;
use podsapi_tests::served::{Served, Setup};
use prost::Message;

use crate::{GET, LIST, WATCH};

/// Bytes in each pod where a reply shall be large.
const BALLAST: usize = 8_192;

/// Line 4.
#[tokio::test]
async fn windows_that_change_while_a_watch_runs_are_obeyed() {
    let served = Served::start_with(Setup {
        pods: 40,
        ballast: BALLAST,
        ..Setup::default()
    });
    let mut client = served.client().await;
    client.grants = false;
    client.call(1, WATCH, &[]).await;
    // The whole default window of both stream and connection is used up.
    let received = |client: &RawClient, bytes: usize| {
        client
            .replies
            .get(&1)
            .is_some_and(|reply| reply.data.len() >= bytes)
    };
    client
        .until("a whole window", |client| received(client, 65_535))
        .await;
    client.grant(0, 1 << 20).await;
    // Smaller: what was received counts, so the window is below zero and nothing comes.
    client
        .send_settings(&[(setting::INITIAL_WINDOW_SIZE, 10_000)])
        .await;
    client.ping(b"smaller.").await;
    assert_eq!(client.replies[&1].data.len(), 65_535);
    client.grant(1, 55_535).await;
    client.ping(b"at zero.").await;
    assert_eq!(client.replies[&1].data.len(), 65_535);
    client.grant(1, 100).await;
    client
        .until("100 bytes", |client| received(client, 65_635))
        .await;
    // Larger again: the difference may be used at once.
    client
        .send_settings(&[(setting::INITIAL_WINDOW_SIZE, 20_000)])
        .await;
    client
        .until("10,000 bytes", |client| received(client, 75_635))
        .await;
    client
        .send_settings(&[(setting::INITIAL_WINDOW_SIZE, 0)])
        .await;
    client.ping(b"to zero.").await;
    assert!(client.acknowledged(), "SETTINGS without an answer");
    assert_eq!(client.replies[&1].data.len(), 75_635);
    client.grant(1, 1 << 20).await;
    let all = |client: &RawClient| client.replies[&1].messages().len() == 41;
    client.until("all pods and the marker", all).await;
}

/// Lines 8 and 57.
#[tokio::test]
async fn two_large_replies_share_the_connection() {
    let served = Served::start_with(Setup {
        pods: 500,
        ballast: BALLAST,
        ..Setup::default()
    });
    let mut client = served.client().await;
    client.call(1, LIST, &[]).await;
    client.call(3, LIST, &[]).await;
    let bytes = |client: &RawClient, stream: u32| {
        let reply = client.replies.get(&stream);
        reply.map_or(0, |reply| reply.data.len())
    };
    while !client.replies.get(&1).is_some_and(|reply| reply.is_over()) {
        let before = client.replies.get(&1).map_or(0, |reply| reply.data_frames);
        let progress = |client: &RawClient| {
            client
                .replies
                .get(&1)
                .is_some_and(|reply| reply.data_frames > before || reply.is_over())
        };
        client.until("the first reply", progress).await;
    }
    let (first, second) = (bytes(&client, 1), bytes(&client, 3));
    assert!(
        second >= first / 4,
        "{second} bytes of the second reply came beside {first} of the first one"
    );
    for stream in [1, 3] {
        let reply = client.reply(stream).await;
        assert_eq!(reply.grpc_status(), "0");
        assert!(reply.data.len() > 4_000_000, "{} bytes", reply.data.len());
        let [message] = reply.messages().try_into().unwrap();
        assert_eq!(
            ListPodsResponse::decode(message.as_slice())
                .unwrap()
                .pods
                .len(),
            500
        );
    }
}

/// Line 58.
#[tokio::test]
async fn trailers_need_no_window() {
    let served = Served::start();
    for size in [0, 1] {
        let mut client =
            RawClient::connect_with(served.path(), &[(setting::INITIAL_WINDOW_SIZE, size)]).await;
        assert_eq!(
            client.unary(1, GET, b"\x0a\x06absent").await.grpc_status(),
            "5"
        );
        client.grants = false;
        client.call(3, GET, b"\x0a\x05uid-0").await;
        client
            .until("headers", |client| client.replies.contains_key(&3))
            .await;
        client.ping(b"no more.").await;
        assert_eq!(client.replies[&3].data.len(), size as usize);
        // Exactly the message; END_STREAM comes without any more.
        client.grant(3, 4_096 - size).await;
        let reply = client.reply(3).await;
        assert_eq!(
            (reply.grpc_status().as_str(), reply.messages().len()),
            ("0", 1)
        );
    }
}

/// Line 58.
#[tokio::test]
async fn a_window_that_opens_byte_by_byte_is_enough() {
    let served = Served::start();
    let mut client =
        RawClient::connect_with(served.path(), &[(setting::INITIAL_WINDOW_SIZE, 0)]).await;
    client.grants = false;
    client.call(1, GET, b"\x0a\x05uid-0").await;
    for received in 0..4_096 {
        client.grant(1, 1).await;
        let more = |client: &RawClient| {
            client
                .replies
                .get(&1)
                .is_some_and(|reply| reply.data.len() > received || reply.is_over())
        };
        client.until("one more byte", more).await;
        if client.replies[&1].is_over() {
            break;
        }
    }
    let reply = client.reply(1).await;
    assert_eq!(
        (reply.grpc_status().as_str(), reply.messages().len()),
        ("0", 1)
    );
}

/// Line 56.
#[tokio::test]
async fn a_watch_that_does_not_read_ends_alone_with_resource_exhausted() {
    let setup = Setup {
        watch_buffer: 10,
        ballast: BALLAST,
        ..Setup::default()
    };
    let served = Served::start_with(setup);
    let mut client = served.client().await;
    client.grants = false;
    client.grant(0, 4 << 20).await;
    client.call(1, WATCH, &[]).await;
    client.call(3, WATCH, &[]).await;
    let synced = |stream: u32| {
        move |client: &RawClient| {
            client
                .replies
                .get(&stream)
                .is_some_and(|reply| reply.messages().len() == 4)
        }
    };
    client.until("the first watch's marker", synced(1)).await;
    client.until("the second watch's marker", synced(3)).await;
    client.grant(3, 4 << 20).await;
    for change in 1..200 {
        served.put(0, BALLAST + change);
        // The reading watch and all other calls go on.
        let event = |client: &RawClient| client.replies[&3].messages().len() == 4 + change;
        client.until("the change", event).await;
    }
    let reading = &client.replies[&3];
    assert!(!reading.is_over());
    served.has_watches(1).await;
    client.grant(1, 1 << 30).await;
    let stuck = client.reply(1).await;
    assert_eq!(stuck.grpc_status(), "8");
    assert!(
        stuck.messages().len() < 100,
        "{} messages were kept",
        stuck.messages().len()
    );
    let other = served.client().await.unary(1, LIST, &[]).await;
    assert_eq!(other.grpc_status(), "0");
}

/// Line 56, for replies: what is not read is bounded on a connection and for all together, and a
/// connection on which nothing waits has room for one reply.
#[tokio::test]
async fn replies_that_are_not_read_are_bounded_and_counted() {
    let limits = Limits {
        max_reply_bytes_per_connection: 40_000,
        max_reply_bytes: 60_000,
        ..Limits::default()
    };
    let served = Served::start_with(Setup {
        ballast: BALLAST,
        limits,
        ..Setup::default()
    });
    let changes = Cell::new(0);
    let change = || {
        changes.set(changes.get() + 1);
        (0..3).for_each(|pod| served.put(pod, BALLAST + changes.get()));
    };
    let stuck = async || {
        let mut client = served.client().await;
        client
            .send_settings(&[(setting::INITIAL_WINDOW_SIZE, 0)])
            .await;
        client.call(1, LIST, &[]).await;
        let open = |client: &RawClient| client.replies.contains_key(&1);
        client.until("headers", open).await;
        // The next list has none of these bytes.
        change();
        client
    };
    // A list takes some 25,000 bytes: the second is one too many for a connection, and with three
    // unread there is no room for another pod either.
    let mut first = stuck().await;
    let refused = first.unary(3, LIST, &[]).await;
    assert_eq!(refused.grpc_status(), "8");
    let mut second = stuck().await;
    let other = stuck().await;
    assert_eq!(
        second.unary(3, GET, b"\x0a\x05uid-0").await.grpc_status(),
        "8"
    );
    let mut third = served.client().await;
    assert_eq!(third.unary(1, LIST, &[]).await.grpc_status(), "0");
    // What needs no reply of bytes is served.
    assert_eq!(
        third.unary(3, GET, b"\x0a\x06absent").await.grpc_status(),
        "5"
    );
    let page = served.server().metrics_text();
    for limit in ["connection", "all"] {
        let line = format!("\npodsapi_replies_refused_total{{limit=\"{limit}\"}} 1\n");
        assert!(page.contains(&line), "{page}");
    }

    // Read or given up, the room comes back.
    first.grant(1, 1 << 20).await;
    assert_eq!(first.reply(1).await.grpc_status(), "0");
    assert_eq!(third.unary(5, LIST, &[]).await.grpc_status(), "0");
    second.send(&frames::reset(1, code::CANCEL)).await;
    second.ping(b"is reset").await;
    drop((first, second, third, other));
    served.is_empty().await;
    let page = served.server().metrics_text();
    assert!(page.contains("\npodsapi_reply_bytes 0\n"), "{page}");
}

/// A reply that alone is more than there may be is still an answer.
#[tokio::test]
async fn a_reply_larger_than_the_bound_is_let_through_alone() {
    let limits = Limits {
        max_reply_bytes_per_connection: 1_000,
        max_reply_bytes: 1_000,
        ..Limits::default()
    };
    let served = Served::start_with(Setup {
        ballast: BALLAST,
        limits,
        ..Setup::default()
    });
    let mut client = served.client().await;
    for stream in [1, 3] {
        assert_eq!(client.unary(stream, LIST, &[]).await.grpc_status(), "0");
    }
}
