//! Requests that are compressed, and what is not taken of them.

use podsapi_h2::Limits;
use podsapi_proto::reflection::{
    ServerReflectionRequest, server_reflection_request::MessageRequest,
};
use podsapi_tests::frames::{compressed, flag, gzip, message};
use podsapi_tests::raw_client::{RawClient, request_with};
use podsapi_tests::reply::Reply;
use podsapi_tests::served::{Served, Setup};
use prost::Message;

use crate::{GET, LIST, WATCH};

const STATUS: &str = "/podsapi.v1.Diagnostics/GetStatus";
const CHECK: &str = "/grpc.health.v1.Health/Check";
const HEALTH: &str = "/grpc.health.v1.Health/List";
const WATCH_HEALTH: &str = "/grpc.health.v1.Health/Watch";
const REFLECTION: &str = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";

/// `GetPodRequest` with the UID of the first pod.
const UID: &[u8] = b"\x0a\x05uid-0";

/// The largest payload of a frame.
const MAX_FRAME_BYTES: usize = 16_384;

/// Begins a call that names an encoding, and sends this body.
async fn begin(client: &mut RawClient, path: &str, encoding: &[u8], body: &[u8]) -> u32 {
    let stream = client.next_stream();
    let fields = request_with(path, "grpc-encoding", encoding);
    client.headers(stream, &fields, flag::END_HEADERS).await;
    for piece in body.chunks(MAX_FRAME_BYTES) {
        client.data(stream, piece, 0).await;
    }
    client.data(stream, &[], flag::END_STREAM).await;
    stream
}

/// The same to the end.
async fn call(client: &mut RawClient, path: &str, encoding: &[u8], body: &[u8]) -> Reply {
    let stream = begin(client, path, encoding, body).await;
    client.reply(stream).await
}

/// Lines 29, 30 and 42: each message says whether it is compressed, every method takes it, and the
/// answer is plain.
#[tokio::test]
async fn every_method_takes_messages_in_gzip() {
    let served = Served::start();
    let mut client = served.client().await;
    for (path, body) in [
        (GET, UID),
        (LIST, &[]),
        (STATUS, &[]),
        (CHECK, &[]),
        (HEALTH, &[]),
    ] {
        let expected = client.next_stream();
        let expected = client.unary(expected, path, body).await;
        assert_eq!(expected.grpc_status(), "0", "{path}");
        for sent in [compressed(&gzip(body)), message(body)] {
            let reply = call(&mut client, path, b"gzip", &sent).await;
            assert_eq!(reply.grpc_status(), "0", "{path}: {reply:?}");
            assert_eq!(reply.field("grpc-encoding"), None, "{path}");
            if path != STATUS {
                assert_eq!(reply.messages(), expected.messages(), "{path}");
            }
        }
    }
    for path in [WATCH, WATCH_HEALTH] {
        let stream = begin(&mut client, path, b"gzip", &compressed(&gzip(b""))).await;
        let told = |client: &RawClient| {
            let reply = client.replies.get(&stream);
            reply.is_some_and(|reply| !reply.messages().is_empty())
        };
        client.until("a message", told).await;
    }
}

/// Line 42: questions of one stream in both forms, and cut anywhere.
#[tokio::test]
async fn a_stream_takes_plain_and_compressed_messages_in_turn() {
    let served = Served::start();
    let mut client = served.client().await;
    let question = ServerReflectionRequest {
        host: "here".to_owned(),
        message_request: Some(MessageRequest::ListServices("*".to_owned())),
    };
    let question = question.encode_to_vec();
    let body = [
        compressed(&gzip(&question)),
        message(&question),
        compressed(&gzip(&question)),
    ];
    let stream = client.next_stream();
    let fields = request_with(REFLECTION, "grpc-encoding", b"gzip");
    client.headers(stream, &fields, flag::END_HEADERS).await;
    for piece in body.concat().chunks(7) {
        client.data(stream, piece, 0).await;
    }
    client.data(stream, &[], flag::END_STREAM).await;
    let reply = client.reply(stream).await;
    let [first, second, third] = &reply.messages()[..] else {
        panic!("{reply:?}")
    };
    assert_eq!((first, first), (second, third));
    assert_eq!(reply.grpc_status(), "0");

    let bad = compressed(&gzip(&question)[1..]);
    let reply = call(&mut client, REFLECTION, b"gzip", &bad).await;
    assert_eq!(reply.grpc_status(), "13");
}

/// Line 42: what is wrong with a message is told, and nothing of it is used.
#[tokio::test]
async fn what_cannot_be_inflated_is_internal_and_the_connection_goes_on() {
    let served = Served::start();
    let mut client = served.client().await;
    let whole = gzip(UID);
    let mut sum = whole.clone();
    *sum.iter_mut().nth_back(5).expect("a checksum and a length") ^= 1;
    let mut length = whole.clone();
    *length.last_mut().expect("a length") ^= 1;
    let members = [gzip(&UID[..3]), gzip(&UID[3..])].concat();
    let cases: [(&str, &[u8], Vec<u8>, &str); 13] = [
        ("whole", b"gzip", compressed(&whole), "0"),
        ("two members", b"gzip", compressed(&members), "0"),
        ("plain, flag says gzip", b"gzip", compressed(UID), "13"),
        ("nothing, flag says gzip", b"gzip", compressed(&[]), "13"),
        (
            "cut short",
            b"gzip",
            compressed(&whole[..whole.len() - 1]),
            "13",
        ),
        (
            "garbage behind",
            b"gzip",
            compressed(&[&whole[..], b"x"].concat()),
            "13",
        ),
        (
            "zeros behind",
            b"gzip",
            compressed(&[&whole[..], &[0; 8]].concat()),
            "13",
        ),
        ("another checksum", b"gzip", compressed(&sum), "13"),
        ("another length", b"gzip", compressed(&length), "13"),
        ("flag without gzip", b"identity", compressed(&whole), "13"),
        ("gzip, flag says plain", b"gzip", message(&whole), "13"),
        ("two messages", b"gzip", compressed(&whole).repeat(2), "12"),
        ("unknown", b"zstd", compressed(&whole), "12"),
    ];
    for (what, encoding, body, expected) in cases {
        let reply = call(&mut client, GET, encoding, &body).await;
        assert_eq!(reply.grpc_status(), expected, "{what}: {reply:?}");
    }
    let flag = [&[2][..], &compressed(&whole)[1..]].concat();
    assert_eq!(
        call(&mut client, GET, b"gzip", &flag).await.grpc_status(),
        "13"
    );
    drop(client);
    served.is_empty().await;
}

/// Lines 41 and 42: the bound of a request is on what comes out, too.
#[tokio::test]
async fn what_inflates_beyond_the_bound_is_refused() {
    let served = Served::start_with(Setup {
        pods: 1,
        ..Setup::default()
    });
    let mut client = served.client().await;
    let limit = Limits::default().max_request_bytes;
    // An unknown field of zeros is ignored, and counts.
    let request = |size: usize| {
        let mut text = vec![0x7a, 0, 0, 0];
        let mut length = size - 4;
        for byte in &mut text[1..] {
            *byte = (length & 0x7f) as u8 | 0x80;
            length >>= 7;
        }
        text[3] &= 0x7f;
        text.resize(size, 0);
        text
    };
    let bomb = vec![0; 32 << 20];
    for (text, expected) in [
        (request(limit), "0"),
        (request(limit + 1), "8"),
        (bomb, "8"),
    ] {
        let size = text.len();
        let body = compressed(&gzip(&text));
        assert!(body.len() < limit, "a prefix that is refused shows nothing");
        let reply = call(&mut client, LIST, b"gzip", &body).await;
        assert_eq!(reply.grpc_status(), expected, "{size}: {reply:?}");
    }
    let members = gzip(b"").repeat(1_000);
    let reply = call(&mut client, LIST, b"gzip", &compressed(&members)).await;
    assert_eq!(reply.grpc_status(), "8");
    let page = served.server().metrics_text();
    assert!(page.contains("\npodsapi_request_bytes 0\n"), "{page}");
}
