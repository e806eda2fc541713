//! What breaks the rules of HTTP/2, and the code that the client is told.
//!
//! h2spec, which `tests/interop/h2spec` runs, takes a connection that ends without a word for an
//! answer, and so do clients that then cannot say why. Here an end has to be said by GOAWAY with the
//! right code, calls are watches that still run on the server's side, and a few cases are ones that
//! h2spec does not have. An error of a stream may end the connection instead, and the code may be
//! `PROTOCOL_ERROR` where the RFC has one that says more.

use podsapi_tests::frames::{self, code, flag, frame, kind, message, setting};
use podsapi_tests::raw_client::{RawClient, request, request_with};
use podsapi_tests::reply::Reply;
use podsapi_tests::served::Served;

use crate::{LIST, WATCH};

/// What a server has to make of the frames of a case.
#[derive(Clone, Copy, Debug)]
enum Expected {
    /// The call on stream 1 gets an answer, and the connection goes on.
    Answered,
    /// The connection ends by a GOAWAY with one of these codes.
    Closed(&'static [u32]),
    /// Stream 1 is reset with one of these codes, or the connection ends so.
    Reset(&'static [u32]),
    /// Nothing is wrong: a call on another stream is served.
    Fine,
}

use Expected::{Answered, Closed, Fine, Reset};

/// A case: what it does, the frames behind preface and SETTINGS, what must follow.
type Case = (&'static str, Vec<u8>, Expected);

const NO_ERROR: &[u32] = &[code::NO_ERROR];
const PROTOCOL: &[u32] = &[code::PROTOCOL_ERROR];
// The library says `PROTOCOL_ERROR` in place of most codes that say more.
const FLOW_CONTROL: &[u32] = &[code::FLOW_CONTROL_ERROR, code::PROTOCOL_ERROR];
const STREAM_CLOSED: &[u32] = &[code::STREAM_CLOSED, code::PROTOCOL_ERROR];
const FRAME_SIZE: &[u32] = &[code::FRAME_SIZE_ERROR, code::PROTOCOL_ERROR];
const COMPRESSION: &[u32] = &[code::COMPRESSION_ERROR, code::PROTOCOL_ERROR];

const HEADERS_END: u8 = flag::END_HEADERS | flag::END_STREAM;
const MAX_WINDOW: u32 = 0x7fff_ffff;

fn block() -> Vec<u8> {
    frames::block(&request(LIST))
}

/// HEADERS of a call that goes on.
fn open(stream: u32) -> Vec<u8> {
    frame(kind::HEADERS, flag::END_HEADERS, stream, &block())
}

/// HEADERS and DATA of a watch, which stays open on the server's side.
fn watch(stream: u32) -> Vec<u8> {
    let fields = frames::block(&request(WATCH));
    let headers = frame(kind::HEADERS, flag::END_HEADERS, stream, &fields);
    [headers, data(stream)].concat()
}

/// DATA with the message of a whole call.
fn data(stream: u32) -> Vec<u8> {
    frame(kind::DATA, flag::END_STREAM, stream, &message(&[]))
}

fn reset() -> Vec<u8> {
    frames::reset(1, code::CANCEL)
}

fn priority(stream: u32, on: u32) -> Vec<u8> {
    let payload = [&on.to_be_bytes()[..], &[15]].concat();
    frame(kind::PRIORITY, 0, stream, &payload)
}

fn continuation(flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    frame(kind::CONTINUATION, flags, stream, payload)
}

/// A header block with these bytes behind the fields of a call.
fn hpack(more: &[u8]) -> Vec<u8> {
    frame(kind::HEADERS, HEADERS_END, 1, &[&block(), more].concat())
}

#[tokio::test]
async fn frames_where_they_do_not_belong_end_the_connection() {
    let on = |kind, stream, payload: &[u8]| frame(kind, flag::END_HEADERS, stream, payload);
    let promised = [&[0, 0, 0, 2], &block()[..]].concat();
    run(vec![
        ("DATA on an idle stream", data(1), Closed(PROTOCOL)),
        ("RST_STREAM on an idle stream", reset(), Closed(PROTOCOL)),
        (
            "WINDOW_UPDATE on an idle stream",
            frames::window_update(1, 9),
            Closed(PROTOCOL),
        ),
        (
            "CONTINUATION on an idle stream",
            on(kind::CONTINUATION, 1, &[]),
            Closed(PROTOCOL),
        ),
        ("an even stream", open(2), Closed(PROTOCOL)),
        (
            "a lower stream",
            [watch(5), open(3)].concat(),
            Closed(STREAM_CLOSED),
        ),
        ("DATA on stream 0", data(0), Closed(PROTOCOL)),
        ("HEADERS on stream 0", open(0), Closed(PROTOCOL)),
        ("PRIORITY on stream 0", priority(0, 3), Closed(PROTOCOL)),
        (
            "RST_STREAM on stream 0",
            frames::reset(0, code::CANCEL),
            Closed(PROTOCOL),
        ),
        (
            "SETTINGS on a stream",
            frame(kind::SETTINGS, 0, 1, &[]),
            Closed(PROTOCOL),
        ),
        (
            "PING on a stream",
            frame(kind::PING, 0, 1, &[0; 8]),
            Closed(PROTOCOL),
        ),
        (
            "GOAWAY on a stream",
            frame(kind::GO_AWAY, 0, 1, &[0; 8]),
            Closed(PROTOCOL),
        ),
        (
            "PUSH_PROMISE",
            on(kind::PUSH_PROMISE, 1, &promised),
            Closed(PROTOCOL),
        ),
        (
            "GOAWAY, which is no error",
            frame(kind::GO_AWAY, 0, 0, &[0; 8]),
            Closed(NO_ERROR),
        ),
    ])
    .await;
}

#[tokio::test]
async fn frames_of_a_wrong_size_or_value_end_the_connection() {
    let large = vec![0; 16_385];
    let padding = [&[255], &block()[..]].concat();
    let set = |id: u16, value: u32| frames::settings(&[(id, value)]);
    run(vec![
        (
            "DATA too large",
            [open(1), frame(kind::DATA, 0, 1, &large)].concat(),
            Closed(FRAME_SIZE),
        ),
        (
            "HEADERS too large",
            frame(kind::HEADERS, HEADERS_END, 1, &large),
            Closed(FRAME_SIZE),
        ),
        (
            "RST_STREAM of 3 bytes",
            [watch(1), frame(kind::RST_STREAM, 0, 1, &[0; 3])].concat(),
            Closed(FRAME_SIZE),
        ),
        (
            "SETTINGS of 3 bytes",
            frame(kind::SETTINGS, 0, 0, &[0; 3]),
            Closed(FRAME_SIZE),
        ),
        (
            "SETTINGS ACK with values",
            frame(kind::SETTINGS, flag::ACK, 0, &[0; 6]),
            Closed(FRAME_SIZE),
        ),
        (
            "PING of 6 bytes",
            frame(kind::PING, 0, 0, &[0; 6]),
            Closed(FRAME_SIZE),
        ),
        (
            "WINDOW_UPDATE of 3 bytes",
            frame(kind::WINDOW_UPDATE, 0, 0, &[0; 3]),
            Closed(FRAME_SIZE),
        ),
        (
            "DATA with wrong padding",
            [
                open(1),
                frame(kind::DATA, flag::PADDED | flag::END_STREAM, 1, &[9, 0, 0]),
            ]
            .concat(),
            Closed(PROTOCOL),
        ),
        (
            "HEADERS with wrong padding",
            frame(kind::HEADERS, HEADERS_END | flag::PADDED, 1, &padding),
            Closed(PROTOCOL),
        ),
        ("ENABLE_PUSH of 2", set(2, 2), Closed(PROTOCOL)),
        (
            "INITIAL_WINDOW_SIZE of 2^31",
            set(setting::INITIAL_WINDOW_SIZE, 1 << 31),
            Closed(FLOW_CONTROL),
        ),
        (
            "MAX_FRAME_SIZE of 16,383",
            set(setting::MAX_FRAME_SIZE, 16_383),
            Closed(PROTOCOL),
        ),
        (
            "MAX_FRAME_SIZE of 2^24",
            set(setting::MAX_FRAME_SIZE, 1 << 24),
            Closed(PROTOCOL),
        ),
        (
            "WINDOW_UPDATE of 0",
            frames::window_update(0, 0),
            Closed(PROTOCOL),
        ),
        (
            "a window of the connection that overflows",
            frames::window_update(0, MAX_WINDOW),
            Closed(FLOW_CONTROL),
        ),
    ])
    .await;
}

#[tokio::test]
async fn broken_header_blocks_end_the_connection() {
    let fields = block();
    let (first, rest) = fields.split_at(fields.len() / 2);
    let begun = || frame(kind::HEADERS, flag::END_STREAM, 1, first);
    let with = |next: Vec<u8>| [begun(), next].concat();
    let resized = [&[0x3f, 0xe2, 0x1f], &block()[..]].concat();
    let resized = frame(kind::HEADERS, HEADERS_END, 1, &resized);
    run(vec![
        ("PRIORITY inside", with(priority(1, 0)), Closed(PROTOCOL)),
        (
            "HEADERS of another stream inside",
            with(open(3)),
            Closed(PROTOCOL),
        ),
        (
            "an unknown frame inside",
            with(frame(0x16, 0, 1, &[0; 4])),
            Closed(PROTOCOL),
        ),
        (
            "CONTINUATION on stream 0",
            with(continuation(flag::END_HEADERS, 0, rest)),
            Closed(PROTOCOL),
        ),
        (
            "DATA behind CONTINUATION",
            with([continuation(0, 1, rest), data(1)].concat()),
            Closed(PROTOCOL),
        ),
        (
            "CONTINUATION behind the last one",
            with(
                [
                    continuation(flag::END_HEADERS, 1, rest),
                    continuation(4, 1, &[]),
                ]
                .concat(),
            ),
            Closed(PROTOCOL),
        ),
        (
            "half a field",
            frame(kind::HEADERS, HEADERS_END, 1, &[0x40]),
            Closed(COMPRESSION),
        ),
        ("index 0", hpack(&[0x80]), Closed(COMPRESSION)),
        (
            "an index beyond both tables",
            hpack(&[0xff, 0x7f]),
            Closed(COMPRESSION),
        ),
        (
            "the name of an index beyond both tables",
            hpack(&[0x7f, 0x7f, 1, b'y']),
            Closed(COMPRESSION),
        ),
        (
            "a size update behind fields",
            hpack(&[0x20]),
            Closed(COMPRESSION),
        ),
        (
            "a table larger than announced",
            resized,
            Closed(COMPRESSION),
        ),
        (
            "padding of more than 7 bits",
            hpack(b"\x00\x01x\x82\xf5\xff"),
            Closed(COMPRESSION),
        ),
        (
            "padding of zeros",
            hpack(b"\x00\x01x\x81\xf4"),
            Closed(COMPRESSION),
        ),
        (
            "EOS in a text",
            hpack(b"\x00\x01x\x84\xff\xff\xff\xff"),
            Closed(COMPRESSION),
        ),
    ])
    .await;
}

#[tokio::test]
async fn a_watch_whose_request_has_ended_takes_only_what_it_may() {
    let again = || frame(kind::HEADERS, HEADERS_END, 1, &block());
    let continued = || continuation(flag::END_HEADERS, 1, &[]);
    let cases = vec![
        ("WINDOW_UPDATE", frames::window_update(1, 9), Fine),
        ("PRIORITY", priority(1, 0), Fine),
        ("RST_STREAM", reset(), Fine),
        (
            "RST_STREAM of an unknown code",
            frames::reset(1, 0xff),
            Fine,
        ),
        ("PRIORITY, reset", [reset(), priority(1, 0)].concat(), Fine),
        ("DATA", data(1), Reset(STREAM_CLOSED)),
        ("HEADERS", again(), Reset(STREAM_CLOSED)),
        ("CONTINUATION", continued(), Closed(STREAM_CLOSED)),
        (
            "DATA, reset",
            [reset(), data(1)].concat(),
            Reset(STREAM_CLOSED),
        ),
        (
            "HEADERS, reset",
            [reset(), again()].concat(),
            Reset(STREAM_CLOSED),
        ),
        (
            "CONTINUATION, reset",
            [reset(), continued()].concat(),
            Closed(STREAM_CLOSED),
        ),
        ("PRIORITY on itself", priority(1, 1), Reset(PROTOCOL)),
        (
            "PRIORITY of 4 bytes",
            frame(kind::PRIORITY, 0, 1, &[0; 4]),
            Reset(FRAME_SIZE),
        ),
        (
            "WINDOW_UPDATE of 0",
            frames::window_update(1, 0),
            Reset(PROTOCOL),
        ),
        (
            "a window that overflows",
            frames::window_update(1, MAX_WINDOW),
            Reset(FLOW_CONTROL),
        ),
    ];
    let behind_a_watch = |(name, sent, expected)| (name, [watch(1), sent].concat(), expected);
    run(cases.into_iter().map(behind_a_watch).collect()).await;
}

#[tokio::test]
async fn odd_requests_that_break_no_rule_are_answered() {
    let with_length = |length: &[u8], pieces: [usize; 2]| {
        let fields = frames::block(&request_with(LIST, "content-length", length));
        let [first, last] = pieces.map(|length| vec![0; length]);
        let headers = frame(kind::HEADERS, flag::END_HEADERS, 1, &fields);
        let first = frame(kind::DATA, 0, 1, &first);
        [
            headers,
            first,
            frame(kind::DATA, flag::END_STREAM, 1, &last),
        ]
        .concat()
    };
    let trailers = frames::block(&[(":method", b"POST")]);
    run(vec![
        (
            "a field of the dynamic table",
            hpack(b"\x40\x01x\x01y\xbe"),
            Answered,
        ),
        (
            "a content-length that is right",
            with_length(b"5", [3, 2]),
            Answered,
        ),
        (
            "a content-length that is wrong",
            with_length(b"9", [3, 2]),
            Reset(PROTOCOL),
        ),
        // It breaks a rule: the library passes trailers over, and nothing reads them.
        (
            "a pseudo-header in trailers that end the request",
            [open(1), frame(kind::HEADERS, HEADERS_END, 1, &trailers)].concat(),
            Answered,
        ),
    ])
    .await;
}

/// Runs cases, and names all that went otherwise.
async fn run(cases: Vec<Case>) {
    let served = Served::start();
    let mut wrong = Vec::new();
    for (name, sent, expected) in cases {
        let mut client = served.client().await;
        if sent.get(3) == Some(&kind::SETTINGS) {
            client.count_settings();
        }
        client.send(&sent).await;
        if let Err(found) = outcome(&mut client, expected).await {
            wrong.push(format!("{name}: expected {expected:?}, {found}"));
        }
    }
    let good = served.client().await.unary(1, LIST, &[]).await;
    assert_eq!(good.grpc_status(), "0");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

async fn outcome(client: &mut RawClient, expected: Expected) -> Result<(), String> {
    // The answer to a PING or the end of the connection comes whatever the case does. A reset may
    // stand behind the answer to the first PING, but not to the second.
    for last in [b"the last", b"and then"] {
        client.send(&frame(kind::PING, 0, 0, last)).await;
        let answered = |client: &RawClient| client.pongs.iter().any(|pong| pong == last);
        client
            .until_or_closed("an answer to PING, or the end", answered)
            .await;
    }
    let closed_with = |codes: &[u32], client: &RawClient| {
        let mut told = client.go_aways.iter();
        client.closed
            && !client.go_aways.is_empty()
            && told.all(|(_, code, _)| codes.contains(code))
    };
    let is_right = match expected {
        Answered => {
            let over = |client: &RawClient| client.replies.get(&1).is_some_and(Reply::is_over);
            client.until_or_closed("the answer", over).await;
            let reply = client.replies.get(&1);
            !client.closed && reply.is_some_and(|reply| !reply.grpc_status().is_empty())
        }
        Closed(codes) => closed_with(codes, client),
        Reset(codes) => {
            let reset = client.replies.get(&1).and_then(|reply| reply.reset);
            reset.is_some_and(|code| codes.contains(&code)) || closed_with(codes, client)
        }
        Fine => !client.closed && client.unary(101, LIST, &[]).await.grpc_status() == "0",
    };
    is_right.then_some(()).ok_or_else(|| {
        let replies = client.replies.iter().map(|(stream, reply)| {
            let (http, grpc) = (reply.http_status(), reply.grpc_status());
            (stream, reply.reset, http, grpc)
        });
        let replies: Vec<_> = replies.collect();
        format!(
            "closed: {}, {:?}, {replies:?}",
            client.closed, client.go_aways
        )
    })
}
