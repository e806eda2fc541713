//! What the server makes of request bodies.

use podsapi_h2::Limits;
use podsapi_tests::frames::{self, flag, kind, message};
use podsapi_tests::raw_client::{RawClient, request, request_with};
use podsapi_tests::reply::Reply;
use podsapi_tests::served::{Served, Setup};

use crate::{GET, LIST, WATCH};

/// A request for the pod `uid-1`.
const UID_1: &[u8] = b"\x0a\x05uid-1";

/// Sends a call whose body comes in these DATA frames; the last one ends the stream.
async fn call(client: &mut RawClient, path: &str, pieces: &[&[u8]]) -> Reply {
    let stream = client.next_stream();
    client
        .headers(stream, &request(path), flag::END_HEADERS)
        .await;
    for (number, piece) in pieces.iter().enumerate() {
        let end = if number + 1 == pieces.len() {
            flag::END_STREAM
        } else {
            0
        };
        client.data(stream, piece, end).await;
    }
    client.reply(stream).await
}

/// Line 7.
#[tokio::test]
async fn padded_frames_and_priorities_are_accepted() {
    let served = Served::start();
    let mut client = served.client().await;
    let padded = |payload: &[u8]| [&[255], payload, &[0; 255]].concat();
    let mut fields = vec![255, 0, 0, 0, 0, 15];
    fields.extend(frames::block(&request(GET)));
    fields.extend([0; 255]);
    let flags = flag::END_HEADERS | flag::PADDED | flag::PRIORITY;
    let stream = client.next_stream();
    client
        .send(&frames::frame(kind::PRIORITY, 0, stream, &[0, 0, 0, 0, 7]))
        .await;
    client
        .send(&frames::frame(kind::HEADERS, flags, stream, &fields))
        .await;
    client
        .data(
            stream,
            &padded(&message(UID_1)),
            flag::PADDED | flag::END_STREAM,
        )
        .await;
    let reply = client.reply(stream).await;
    assert_eq!(reply.grpc_status(), "0");
    assert_eq!(reply.messages().len(), 1);
}

/// A request with an unknown field, which is ignored, of so many bytes altogether.
fn filled(length: usize) -> Vec<u8> {
    let value = u32::try_from(length - 4).expect("a request is small");
    let seven = |shift: u32| u8::try_from(value >> shift & 0x7f).expect("seven bits");
    let head = [0x7a, seven(0) | 0x80, seven(7) | 0x80, seven(14)];
    [&head[..], &vec![b'x'; length - 4]].concat()
}

/// Lines 7 and 43. The connection's window is small, so that even what padding alone takes would not
/// fit into it.
#[tokio::test]
async fn everything_received_is_paid_back_to_the_connection() {
    let limits = Limits {
        connection_window_bytes: 65_535,
        ..Limits::default()
    };
    let served = Served::start_with(Setup {
        limits,
        ..Setup::default()
    });
    let mut client = served.client().await;
    let framed = message(&filled(30_724));
    let (first, second) = framed.split_at(16_000);
    let padded = |payload: &[u8]| [&[255], payload, &[0; 255]].concat();
    let mut padding = 0;
    for _ in 0..200 {
        let stream = client.next_stream();
        client
            .headers(stream, &request(LIST), flag::END_HEADERS)
            .await;
        client.data(stream, &padded(first), flag::PADDED).await;
        client
            .data(stream, &padded(second), flag::PADDED | flag::END_STREAM)
            .await;
        padding += 512;
        assert_eq!(client.reply(stream).await.grpc_status(), "0");
    }
    assert!(padding > 65_535, "{padding} bytes do not fill a window");
    client.ping(b"all read").await;
    assert!(client.go_aways.is_empty());
}

/// Line 43: what refused calls have sent is paid back as well, whatever they are refused for.
#[tokio::test]
async fn bodies_of_refused_calls_are_paid_back_to_the_connection() {
    let served = Served::start();
    let mut client = served.client().await;
    let whole = message(&filled(60_000));
    let mut compressed = whole.clone();
    compressed[0] = 1;
    let twice = message(&filled(30_000)).repeat(2);
    let unknown = request("/nothing/Here");
    let odd = request_with(LIST, "content-type", b"image/jpeg");
    let plain = request(LIST);
    for (fields, body, expected) in [
        (&unknown, &whole, ("200", "12")),
        (&odd, &whole, ("415", "2")),
        (&plain, &compressed, ("200", "13")),
        (&plain, &twice, ("200", "12")),
    ] {
        let mut sent = 0;
        while sent <= 1 << 20 {
            let stream = client.next_stream();
            client.headers(stream, fields, flag::END_HEADERS).await;
            for piece in body.chunks(16_000) {
                client.data(stream, piece, 0).await;
            }
            client.data(stream, &[], flag::END_STREAM).await;
            sent += body.len();
            let reply = client.reply(stream).await;
            let found = (reply.http_status(), reply.grpc_status());
            assert_eq!((found.0.as_str(), found.1.as_str()), expected);
        }
    }
    let pieces: Vec<&[u8]> = whole.chunks(16_000).collect();
    let reply = call(&mut client, LIST, &pieces).await;
    assert_eq!(reply.grpc_status(), "0");
    client.ping(b"all read").await;
    assert!(client.go_aways.is_empty());
}

/// Line 36.
#[tokio::test]
async fn a_message_may_be_split_anywhere() {
    let served = Served::start();
    let mut client = served.client().await;
    let whole = message(UID_1);
    for at in 0..=whole.len() {
        let (first, rest) = whole.split_at(at);
        let reply = call(&mut client, GET, &[first, rest]).await;
        assert_eq!(reply.grpc_status(), "0", "split at {at}");
    }
    let bytes: Vec<&[u8]> = whole.chunks(1).collect();
    assert_eq!(call(&mut client, GET, &bytes).await.grpc_status(), "0");
    assert_eq!(
        call(&mut client, GET, &[&whole, &[]]).await.grpc_status(),
        "0"
    );
    assert_eq!(
        call(&mut client, GET, &[&[], &whole]).await.grpc_status(),
        "0"
    );
}

/// Line 36.
#[tokio::test]
async fn a_client_may_end_its_stream_with_trailers() {
    let served = Served::start();
    let mut client = served.client().await;
    let stream = client.next_stream();
    client
        .headers(stream, &request(GET), flag::END_HEADERS)
        .await;
    client.data(stream, &message(UID_1), 0).await;
    client
        .headers(stream, &[("x", b"y")], flag::END_HEADERS | flag::END_STREAM)
        .await;
    assert_eq!(client.reply(stream).await.grpc_status(), "0");
}

/// Line 37.
#[tokio::test]
async fn a_message_of_no_bytes_is_a_message() {
    let served = Served::start();
    let mut client = served.client().await;
    assert_eq!(call(&mut client, LIST, &[&[0; 5]]).await.grpc_status(), "0");
    assert_eq!(call(&mut client, GET, &[&[0; 5]]).await.grpc_status(), "5");
    let stream = client.next_stream();
    client.call(stream, WATCH, &[]).await;
    let four = |client: &RawClient| {
        client
            .replies
            .get(&stream)
            .is_some_and(|reply| reply.messages().len() == 4)
    };
    client.until("three pods and the marker", four).await;
}

/// Line 38.
#[tokio::test]
async fn no_message_is_unimplemented() {
    let served = Served::start();
    let mut client = served.client().await;
    for path in [LIST, GET, WATCH] {
        assert_eq!(
            call(&mut client, path, &[&[]]).await.grpc_status(),
            "12",
            "{path}"
        );
        let stream = client.next_stream();
        let flags = flag::END_HEADERS | flag::END_STREAM;
        client.headers(stream, &request(path), flags).await;
        assert_eq!(client.reply(stream).await.grpc_status(), "12", "{path}");
    }
}

/// Line 39.
#[tokio::test]
async fn two_messages_are_unimplemented() {
    let served = Served::start();
    let mut client = served.client().await;
    let one = message(UID_1);
    for path in [LIST, GET, WATCH] {
        assert_eq!(
            call(&mut client, path, &[&one, &one]).await.grpc_status(),
            "12",
            "{path}"
        );
        let both = [&one[..], &one].concat();
        assert_eq!(
            call(&mut client, path, &[&both]).await.grpc_status(),
            "12",
            "{path}"
        );
    }
    served.has_watches(0).await;
}

/// Line 40.
#[tokio::test]
async fn a_body_that_ends_inside_a_message_is_internal() {
    let served = Served::start();
    let mut client = served.client().await;
    let whole = message(UID_1);
    for length in 1..whole.len() {
        let reply = call(&mut client, GET, &[&whole[..length]]).await;
        assert_eq!(reply.grpc_status(), "13", "{length} bytes");
    }
}

/// Line 40.
#[tokio::test]
async fn a_flag_that_is_not_zero_is_internal() {
    let served = Served::start();
    let mut client = served.client().await;
    // With an encoding that changes nothing as without one.
    let identity = request_with(GET, "grpc-encoding", b"identity");
    for fields in [request(GET), identity] {
        for first in [0, 1, 2, 0x80, 255] {
            let mut body = message(UID_1);
            body[0] = first;
            let stream = client.next_stream();
            client.headers(stream, &fields, flag::END_HEADERS).await;
            client.data(stream, &body, flag::END_STREAM).await;
            let reply = client.reply(stream).await;
            let expected = if first == 0 { "0" } else { "13" };
            assert_eq!(reply.grpc_status(), expected, "flag {first}");
            assert_eq!(
                reply.grpc_message().contains("compressed flag set"),
                first == 1,
                "{reply:?}"
            );
        }
    }
}

/// Line 41.
#[tokio::test]
async fn a_message_over_the_limit_is_refused_from_its_prefix() {
    let limits = Limits {
        max_request_bytes: 1_000,
        ..Limits::default()
    };
    let served = Served::start_with(Setup {
        limits,
        ..Setup::default()
    });
    let mut client = served.client().await;
    // Field 15, unknown, of 996 and 997 bytes.
    let body = |length: usize| {
        let [.., high, low] = (length - 3).to_be_bytes();
        let value = usize::from(high) << 8 | usize::from(low);
        let varint = [(value & 0x7f) as u8 | 0x80, (value >> 7) as u8];
        message(&[&[0x7a][..], &varint, &vec![b'x'; length - 3]].concat())
    };
    assert_eq!(
        call(&mut client, LIST, &[&body(1_000)]).await.grpc_status(),
        "0"
    );
    let reply = call(&mut client, LIST, &[&body(1_001)]).await;
    assert_eq!(reply.grpc_status(), "8");
    assert_eq!(
        reply.grpc_message(),
        "received message larger than max (1001 vs. 1000)"
    );
    // Only the prefix, with the largest claim, and the stream left open.
    let stream = client.next_stream();
    client
        .headers(stream, &request(LIST), flag::END_HEADERS)
        .await;
    client.data(stream, &[0, 0xff, 0xff, 0xff, 0xff], 0).await;
    let reply = client.reply(stream).await;
    assert_eq!(reply.grpc_status(), "8");
    assert_eq!(
        call(&mut client, LIST, &[&body(100)]).await.grpc_status(),
        "0"
    );
}

/// Line 44.
#[tokio::test]
async fn a_request_that_is_no_protobuf_is_internal() {
    let served = Served::start();
    let mut client = served.client().await;
    for body in [
        &[0x0a][..],
        &[0x0a, 5, b'x'],
        &[0xff; 11],
        &[0],
        &[0x0f],
        &[0x0a, 1, 0xff],
    ] {
        let reply = call(&mut client, GET, &[&message(body)]).await;
        assert_eq!(reply.grpc_status(), "13", "{body:02x?}");
    }
}

/// Line 44: what can be decoded and means nothing is the caller's mistake, told field by field.
#[tokio::test]
async fn a_request_that_asks_for_what_does_not_exist_is_an_invalid_argument() {
    let served = Served::start();
    let mut client = served.client().await;
    for path in [LIST, GET, WATCH] {
        let stream = client.next_stream();
        let fields = request_with(path, "x-kubernetes-fieldmask", b"no.such,status.phase");
        client.headers(stream, &fields, flag::END_HEADERS).await;
        client.data(stream, &message(UID_1), flag::END_STREAM).await;
        let reply = client.reply(stream).await;
        assert!(reply.is_trailers_only(), "{reply:?}");
        assert_eq!(reply.grpc_status(), "3", "{path}");
        let status = reply.status();
        let [violation] = status.violations() else {
            panic!("{status:?}")
        };
        assert_eq!(violation.field, "no.such", "{path}");
        assert!(!violation.description.is_empty());
    }
}
