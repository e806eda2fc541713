//! What the server makes of every odd form that protobuf allows or does not, in a request.
//!
//! The numbers are those of the list of attacks. What no request has is in `pod_forms`, A47 in the
//! tests of the core.

use podsapi_tests::frames::{flag, message};
use podsapi_tests::raw_client::{RawClient, request};
use podsapi_tests::reply::Reply;
use podsapi_tests::served::Served;

use crate::GET;

/// The pod `uid-1`, as field 1.
const UID: &[u8] = b"\x0a\x05uid-1";

const OK: &str = "0";
const NOT_FOUND: &str = "5";
const INTERNAL: &str = "13";

/// Asks for a pod with this body, in as many frames as it needs.
async fn get(client: &mut RawClient, body: &[u8]) -> Reply {
    let stream = client.next_stream();
    let fields = request(GET);
    client.headers(stream, &fields, flag::END_HEADERS).await;
    for piece in message(body).chunks(16_000) {
        client.data(stream, piece, 0).await;
    }
    client.data(stream, &[], flag::END_STREAM).await;
    client.reply(stream).await
}

/// Asks for a pod with these bodies, all on one connection; the server stands it.
async fn assert_answers(rows: &[(&str, Vec<u8>, &str)]) {
    let served = Served::start();
    let mut client = served.client().await;
    for (what, body, expected) in rows {
        let reply = get(&mut client, body).await;
        assert_eq!(
            reply.grpc_status(),
            *expected,
            "{what}: {}",
            reply.grpc_message()
        );
        if *expected == OK {
            assert_eq!(reply.messages().len(), 1, "{what}");
        }
    }
    assert!(client.go_aways.is_empty());
}

/// Returns the parts one after another.
fn bytes(parts: &[&[u8]]) -> Vec<u8> {
    parts.concat()
}

/// Lines A40 and A41.
#[tokio::test]
async fn numbers_and_tags() {
    let ten = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01];
    let eleven = [[0xff; 10].as_slice(), &[0x01]].concat();
    let too_large = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02];
    assert_answers(&[
        ("a number of ten bytes", bytes(&[&[0x78], &ten, UID]), OK),
        (
            "a number of eleven",
            bytes(&[&[0x78], &eleven, UID]),
            INTERNAL,
        ),
        (
            "more than 64 bits",
            bytes(&[&[0x78], &too_large, UID]),
            INTERNAL,
        ),
        (
            "a zero of three bytes",
            bytes(&[&[0x78, 0x80, 0x80, 0x00], UID]),
            OK,
        ),
        (
            "a tag of two bytes for field 1",
            b"\x8a\x00\x05uid-1".to_vec(),
            OK,
        ),
        ("a length of two bytes", b"\x0a\x85\x00uid-1".to_vec(), OK),
        ("field 0", bytes(&[&[0x00, 0x00], UID]), INTERNAL),
        (
            "the last field number",
            bytes(&[&[0xf8, 0xff, 0xff, 0xff, 0x0f, 0x00], UID]),
            OK,
        ),
        (
            "one more",
            bytes(&[&[0x80, 0x80, 0x80, 0x80, 0x10, 0x00], UID]),
            INTERNAL,
        ),
        ("wire type 6", bytes(&[&[0x7e, 0x00], UID]), INTERNAL),
        ("wire type 7", bytes(&[&[0x7f, 0x00], UID]), INTERNAL),
    ])
    .await;
}

/// Lines A42 and A43.
#[tokio::test]
async fn groups() {
    let around = |inner: &[u8], depth: usize| {
        let (starts, ends) = (vec![0x7b; depth], vec![0x7c; depth]);
        [&starts, inner, &ends, UID].concat()
    };
    let nested = |depth| around(&[], depth);
    assert_answers(&[
        ("an empty group", bytes(&[&[0x7b, 0x7c], UID]), OK),
        (
            "a group with a field",
            bytes(&[&[0x7b, 0x08, 0x01, 0x7c], UID]),
            OK,
        ),
        (
            "another group's end",
            bytes(&[&[0x7b, 0x74], UID]),
            INTERNAL,
        ),
        (
            "an end without a beginning",
            bytes(&[&[0x7c], UID]),
            INTERNAL,
        ),
        (
            "a beginning without an end",
            bytes(&[UID, &[0x7b]]),
            INTERNAL,
        ),
        ("as deep as may be", nested(100), OK),
        ("one deeper", nested(101), INTERNAL),
        // A value is a level of its own.
        ("as deep, with a number", around(&[0x08, 1], 99), OK),
        ("deeper, with one", around(&[0x08, 1], 100), INTERNAL),
        ("a thousand deep", nested(1_000), INTERNAL),
        ("thirty thousand deep", nested(30_000), INTERNAL),
    ])
    .await;
}

/// Line A44.
#[tokio::test]
async fn lengths_beyond_the_end() {
    let largest = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01];
    let mut rows = vec![
        ("2^64 - 1", bytes(&[&[0x0a], &largest]), INTERNAL),
        (
            "2^32",
            bytes(&[&[0x0a, 0x80, 0x80, 0x80, 0x80, 0x10], b"uid-1"]),
            INTERNAL,
        ),
        ("one too many", b"\x0a\x06uid-1".to_vec(), INTERNAL),
        ("of an unknown field", b"\x7a\x06uid-1".to_vec(), INTERNAL),
        (
            "four bytes of a fixed64",
            bytes(&[UID, b"\x79abcd"]),
            INTERNAL,
        ),
        (
            "three bytes of a fixed32",
            bytes(&[UID, b"\x7dabc"]),
            INTERNAL,
        ),
    ];
    // Cut nowhere is nothing: no pod has the empty UID.
    rows.push(("cut to nothing", Vec::new(), NOT_FOUND));
    for length in 1..UID.len() {
        rows.push(("cut", UID[..length].to_vec(), INTERNAL));
    }
    assert_answers(&rows).await;
}

/// Lines A45, A46, A48 and A49.
#[tokio::test]
async fn fields_again_unknown_and_wrong() {
    assert_answers(&[
        (
            "twice, the last one counts",
            bytes(&[b"\x0a\x01x", UID]),
            OK,
        ),
        (
            "twice, the other way",
            bytes(&[UID, b"\x0a\x01x"]),
            NOT_FOUND,
        ),
        (
            "unknown before and behind",
            bytes(&[b"\x12\x03abc", UID, b"\x18\x07"]),
            OK,
        ),
        (
            "a number where text is due",
            bytes(&[&[0x08, 0x01], UID]),
            INTERNAL,
        ),
        (
            "four bytes where text is due",
            bytes(&[b"\x0dabcd", UID]),
            INTERNAL,
        ),
        ("no UTF-8", b"\x0a\x05uid\xff1".to_vec(), INTERNAL),
        ("a surrogate", b"\x0a\x03\xed\xa0\x80".to_vec(), INTERNAL),
        ("half a letter", b"\x0a\x01\xc3".to_vec(), INTERNAL),
    ])
    .await;
}

/// Line A52, and as much of A51 as there is room for in a request.
#[tokio::test]
async fn much_of_it() {
    let named = |uid: &[u8]| {
        let [.., low, high] = [uid.len() & 0x7f | 0x80, uid.len() >> 7]
            .map(|byte| u8::try_from(byte).expect("the UID is short"));
        [&[0x0a, low, high], uid].concat()
    };
    let tiny = |count: usize| [b"\x78\x01".repeat(count), UID.to_vec()].concat();
    let long = {
        let uid = vec![b'a'; 60_000];
        [&[0x0a, 0xe0, 0xd4, 0x03], uid.as_slice()].concat()
    };
    assert_answers(&[
        ("30,000 unknown fields", tiny(30_000), OK),
        ("a UID of 60,000 bytes", long.clone(), NOT_FOUND),
        ("a path", named(b"../../uid-1"), NOT_FOUND),
        ("NUL", named(b"uid-1\0"), NOT_FOUND),
        (
            "control characters",
            named(b"uid-1\r\ngrpc-status: 0\x1b[2J"),
            NOT_FOUND,
        ),
    ])
    .await;

    let served = Served::start();
    let mut client = served.client().await;
    for body in [long, named(b"uid-1\r\ngrpc-status: 0\x1b[2J")] {
        let text = get(&mut client, &body).await.status().message().to_owned();
        assert!(text.contains("not found"), "{text:?}");
        assert!(text.len() < 400, "{} bytes are told", text.len());
        assert!(!text.contains(char::is_control), "{text:?}");
    }
}
