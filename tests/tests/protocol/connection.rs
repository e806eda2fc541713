//! Preface, SETTINGS, PING, odd frames, other protocols.

use std::time::Duration;

use podsapi_h2::Limits;
use podsapi_tests::frames::{self, PREFACE, code, flag, kind, message, setting};
use podsapi_tests::raw_client::{RawClient, request};
use podsapi_tests::served::{Served, Setup};
use tokio::io::AsyncWriteExt;

use crate::{LIST, WATCH};

/// Line 1.
#[tokio::test]
async fn settings_come_before_the_client_says_anything() {
    let served = Served::start();
    let mut client = RawClient::silent(served.path()).await;
    client
        .until("SETTINGS", |client| client.settings.is_some())
        .await;
    let settings = client.settings.unwrap();
    let value = |wanted: u16| {
        let pair = settings
            .chunks_exact(6)
            .find(|pair| pair[..2] == wanted.to_be_bytes())?;
        Some(u32::from_be_bytes(pair[2..].try_into().unwrap()))
    };
    assert!((100..=512).contains(&value(setting::MAX_CONCURRENT_STREAMS).unwrap()));
    assert_eq!(value(setting::MAX_HEADER_LIST_SIZE), Some(16 << 10));
    assert!(value(setting::MAX_FRAME_SIZE).is_none_or(|size| size == 16_384));
}

/// Line 2.
#[tokio::test]
async fn a_preface_and_a_request_that_come_byte_by_byte_are_served() {
    let served = Served::start();
    let mut client = RawClient::silent(served.path()).await;
    let sent = [
        PREFACE,
        &frames::settings(&[]),
        &frames::frame(
            kind::HEADERS,
            flag::END_HEADERS,
            1,
            &frames::block(&request(LIST)),
        ),
        &frames::frame(kind::DATA, flag::END_STREAM, 1, &message(&[])),
    ]
    .concat();
    client.count_settings();
    for byte in sent {
        client.send(&[byte]).await;
        tokio::task::yield_now().await;
    }
    assert_eq!(client.reply(1).await.grpc_status(), "0");
}

/// Line 2.
#[tokio::test]
async fn a_preface_and_several_requests_in_one_write_are_served() {
    let served = Served::start();
    let mut client = RawClient::silent(served.path()).await;
    let mut sent = PREFACE.to_vec();
    sent.extend(frames::settings(&[]));
    for stream in [1, 3, 5] {
        let block = frames::block(&request(LIST));
        sent.extend(frames::frame(
            kind::HEADERS,
            flag::END_HEADERS,
            stream,
            &block,
        ));
        sent.extend(frames::frame(
            kind::DATA,
            flag::END_STREAM,
            stream,
            &message(&[]),
        ));
    }
    client.count_settings();
    client.send(&sent).await;
    for stream in [1, 3, 5] {
        assert_eq!(client.reply(stream).await.grpc_status(), "0");
    }
}

/// Line 3.
#[tokio::test]
async fn unknown_settings_frames_and_flags_are_ignored() {
    let served = Served::start();
    let mut client = RawClient::connect_with(served.path(), &[(0xfe03, 1), (0x99, u32::MAX)]).await;
    client
        .send(&frames::frame(0xfa, 0xff, 0, b"whatever"))
        .await;
    client.send(&frames::frame(0xfb, 0, 77, &[0; 1_000])).await;
    client
        .headers(1, &request(LIST), flag::END_HEADERS | 0xd2)
        .await;
    client.data(1, &message(&[]), flag::END_STREAM | 0xf6).await;
    assert_eq!(client.reply(1).await.grpc_status(), "0");
}

/// Line 5.
#[tokio::test]
async fn every_ping_is_answered_while_calls_wait_and_a_watch_is_blocked() {
    let served = Served::start();
    let mut client =
        RawClient::connect_with(served.path(), &[(setting::INITIAL_WINDOW_SIZE, 0)]).await;
    client.call(1, WATCH, &[]).await;
    client
        .until("the watch's headers", |client| {
            client.replies.contains_key(&1)
        })
        .await;
    // A reply that waits for its window, and calls whose requests do not end.
    client.call(3, LIST, &[]).await;
    for number in 2..60 {
        client
            .headers(2 * number + 1, &request(LIST), flag::END_HEADERS)
            .await;
    }
    for round in 0..30_u64 {
        let pings: Vec<Vec<u8>> = (0..100)
            .map(|ping| (round * 100 + ping).to_be_bytes().to_vec())
            .collect();
        let before = client.pongs.len();
        for ping in &pings {
            client.send(&frames::frame(kind::PING, 0, 0, ping)).await;
        }
        client
            .until("100 answers", |client| client.pongs.len() == before + 100)
            .await;
        assert_eq!(client.pongs[before..], pings);
    }
    assert!(!client.replies[&1].is_over() && !client.replies[&3].is_over());
    assert!(client.go_aways.is_empty() && !client.closed);
}

/// Line 11.
#[tokio::test]
async fn an_idle_client_is_asked_for_a_sign_of_life_and_dropped_without_one() {
    let limits = Limits {
        keepalive_interval: Duration::from_millis(50),
        // Long enough for an answer on a busy machine.
        keepalive_timeout: Duration::from_secs(3),
        ..Limits::default()
    };
    let served = Served::start_with(Setup {
        limits,
        ..Setup::default()
    });
    let mut client = served.client().await;
    client.until("two PINGs", |client| client.pings >= 2).await;
    assert!(!client.closed);
    client.answers_pings = false;
    client.end().await;
}

/// Line 12.
#[tokio::test]
async fn frequent_pings_are_no_offence() {
    let served = Served::start();
    let mut client = served.client().await;
    for ping in 0..200_u64 {
        client.ping(&ping.to_be_bytes()).await;
    }
    assert_eq!(client.unary(1, LIST, &[]).await.grpc_status(), "0");
    assert!(client.go_aways.is_empty());
}

/// Line 13.
#[tokio::test]
async fn open_streams_finish_after_the_clients_go_away() {
    let served = Served::start();
    let mut client = served.client().await;
    client.headers(1, &request(LIST), flag::END_HEADERS).await;
    client
        .send(&frames::frame(kind::GO_AWAY, 0, 0, &[0; 8]))
        .await;
    client.data(1, &message(&[]), flag::END_STREAM).await;
    assert_eq!(client.reply(1).await.grpc_status(), "0");
    client.end().await;
    assert!(
        client
            .go_aways
            .iter()
            .all(|(_, code, _)| *code == code::NO_ERROR)
    );
}

/// Line 14.
#[tokio::test]
async fn other_protocols_are_closed_at_once() {
    // Longer than this client waits for anything.
    let limits = Limits {
        preface_timeout: Duration::from_secs(600),
        ..Limits::default()
    };
    let served = Served::start_with(Setup {
        limits,
        ..Setup::default()
    });
    for hello in [
        &b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"[..],
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\r",
    ] {
        let mut client = RawClient::silent(served.path()).await;
        client.send(hello).await;
        client.end().await;
    }
    assert_eq!(
        served
            .client()
            .await
            .unary(1, LIST, &[])
            .await
            .grpc_status(),
        "0"
    );
}

/// Line 15.
#[tokio::test]
async fn a_client_that_stops_sending_leaves_nothing_behind() {
    let served = Served::start();
    let mut client = served.client().await;
    client.call(1, WATCH, &[]).await;
    client
        .until("the watch's headers", |client| {
            client.replies.contains_key(&1)
        })
        .await;
    client.half_close().await;
    client.end().await;
    served.is_empty().await;
}

/// Line 60.
#[tokio::test]
async fn a_stream_over_the_limit_is_refused_and_the_others_go_on() {
    let limits = Limits {
        max_streams_per_connection: 100,
        ..Limits::default()
    };
    let served = Served::start_with(Setup {
        limits,
        ..Setup::default()
    });
    let mut client = served.client().await;
    client.ping(b"settings").await;
    for number in 0..101 {
        client
            .headers(2 * number + 1, &request(WATCH), flag::END_HEADERS)
            .await;
    }
    assert_eq!(client.reply(201).await.reset, Some(code::REFUSED_STREAM));
    client.data(1, &message(&[]), flag::END_STREAM).await;
    client
        .until("the first watch's headers", |client| {
            client.replies.contains_key(&1)
        })
        .await;
    assert!(client.go_aways.is_empty());
    let page = served.server().metrics_text();
    assert!(
        page.contains("\npodsapi_streams_refused_total 1\n"),
        "{page}"
    );
}

/// What all of these tests rest on: a server that goes away has not done what is waited for.
#[tokio::test]
#[should_panic(expected = "the connection ended while waiting for an answer to PING")]
async fn a_connection_that_ends_is_not_what_was_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gone.sock");
    let listener = tokio::net::UnixListener::bind(&path).unwrap();
    let mut client = RawClient::connect(&path).await;
    let (mut server, _) = listener.accept().await.unwrap();
    server.write_all(&frames::settings(&[])).await.unwrap();
    drop(server);
    client.ping(b"and then").await;
}
