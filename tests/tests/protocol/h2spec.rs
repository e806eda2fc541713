//! The cases of h2spec (version 2.6), as frames of our own; each is named by the section it checks.
//!
//! As there, an error of a stream may end the connection instead, and an error of the connection may
//! close it without a word.

use podsapi_tests::frames::{self, code, flag, frame, kind, message, setting};
use podsapi_tests::raw_client::{RawClient, request, request_with};
use podsapi_tests::served::{Served, Setup};

use crate::{LIST, WATCH};

mod connection;
mod frame_definitions;
mod requests;

/// What a server has to make of the frames of a case.
#[derive(Clone, Copy, Debug)]
enum Expected {
    /// The connection ends, with one of these codes where one is told.
    Closed(&'static [u32]),
    /// Stream 1 is reset with one of these codes, or the connection ends so.
    Reset(&'static [u32]),
    /// Nothing is wrong: a call on another stream is served.
    Fine,
    /// The call on stream 1 gets an answer, and the connection goes on.
    Answered,
}

use Expected::{Answered, Closed, Fine, Reset};

/// A case: its section and what it does, the frames behind preface and SETTINGS, what must follow.
type Case = (&'static str, Vec<u8>, Expected);

const PROTOCOL: &[u32] = &[code::PROTOCOL_ERROR];
/// The library says `PROTOCOL_ERROR` of SETTINGS, and of all that is wrong with compression.
const FLOW_CONTROL: &[u32] = &[3, code::PROTOCOL_ERROR];
const STREAM_CLOSED: &[u32] = &[5, code::PROTOCOL_ERROR];
const FRAME_SIZE: &[u32] = &[6, code::PROTOCOL_ERROR];
const COMPRESSION: &[u32] = &[9, code::PROTOCOL_ERROR];
const REFUSED: &[u32] = &[code::REFUSED_STREAM, code::PROTOCOL_ERROR];

const HEADERS_END: u8 = flag::END_HEADERS | flag::END_STREAM;
const MAX_WINDOW: u32 = 0x7fff_ffff;

fn block() -> Vec<u8> {
    frames::block(&request(LIST))
}

/// HEADERS of a call that goes on.
fn open(stream: u32) -> Vec<u8> {
    frame(kind::HEADERS, flag::END_HEADERS, stream, &block())
}

/// HEADERS and DATA of a whole call.
fn whole(stream: u32) -> Vec<u8> {
    [
        open(stream),
        frame(kind::DATA, flag::END_STREAM, stream, &message(&[])),
    ]
    .concat()
}

/// HEADERS of a watch, which stays open on the server's side.
fn watch(stream: u32) -> Vec<u8> {
    let fields = frames::block(&request(WATCH));
    let data = frame(kind::DATA, flag::END_STREAM, stream, &message(&[]));
    [
        frame(kind::HEADERS, flag::END_HEADERS, stream, &fields),
        data,
    ]
    .concat()
}

fn headers(fields: &[(&str, &[u8])]) -> Vec<u8> {
    frame(kind::HEADERS, HEADERS_END, 1, &frames::block(fields))
}

fn without(name: &str) -> Vec<u8> {
    let mut fields = request(LIST);
    fields.retain(|(found, _)| *found != name);
    headers(&fields)
}

fn twice(name: &'static str, value: &[u8]) -> Vec<u8> {
    let mut fields = request(LIST);
    fields.insert(0, (name, value));
    headers(&fields)
}

fn added(name: &str, value: &[u8]) -> Vec<u8> {
    let mut fields = request(LIST);
    fields.push((name, value));
    headers(&fields)
}

fn ping(flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    frame(kind::PING, flags, stream, payload)
}

fn priority(stream: u32, on: u32) -> Vec<u8> {
    frame(
        kind::PRIORITY,
        0,
        stream,
        &[&on.to_be_bytes()[..], &[15]].concat(),
    )
}

fn continuation(flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    frame(kind::CONTINUATION, flags, stream, payload)
}

/// HEADERS without their end, with the first half of the block, and the other half.
fn halves() -> (Vec<u8>, Vec<u8>) {
    let block = block();
    let (first, rest) = block.split_at(block.len() / 2);
    (
        frame(kind::HEADERS, flag::END_STREAM, 1, first),
        rest.to_vec(),
    )
}

/// A header block with these bytes behind the fields of a call.
fn hpack(more: &[u8]) -> Vec<u8> {
    frame(kind::HEADERS, HEADERS_END, 1, &[&block(), more].concat())
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
        client.send(&ping(0, 0, last)).await;
        let answered = |client: &RawClient| client.pongs.iter().any(|pong| pong == last);
        client
            .until("an answer to PING, or the end", answered)
            .await;
    }
    let closed_with = |codes: &[u32], client: &RawClient| {
        client.closed
            && client
                .go_aways
                .iter()
                .all(|(_, code, _)| codes.contains(code))
    };
    let is_right = match expected {
        Closed(codes) => closed_with(codes, client),
        Reset(codes) => {
            let reset = client.replies.get(&1).and_then(|reply| reply.reset);
            reset.is_some_and(|code| codes.contains(&code)) || closed_with(codes, client)
        }
        Fine => !client.closed && client.unary(101, LIST, &[]).await.grpc_status() == "0",
        Answered => {
            !client.closed && {
                let reply = client.reply(1).await;
                !reply.grpc_status().is_empty()
            }
        }
    };
    is_right.then_some(()).ok_or_else(|| {
        let replies = client.replies.iter().map(|(stream, reply)| {
            (
                stream,
                reply.reset,
                reply.http_status(),
                reply.grpc_status(),
            )
        });
        let replies: Vec<_> = replies.collect();
        format!(
            "closed: {}, {:?}, {replies:?}",
            client.closed, client.go_aways
        )
    })
}

#[tokio::test]
async fn the_generic_cases() {
    run(connection::generic()).await;
}

#[tokio::test]
async fn the_cases_of_frames_and_header_blocks() {
    run(connection::framing()).await;
}

#[tokio::test]
async fn the_cases_of_stream_states() {
    run(frame_definitions::states()).await;
}

#[tokio::test]
async fn the_cases_of_frame_definitions() {
    run(frame_definitions::definitions()).await;
}

#[tokio::test]
async fn the_cases_of_requests() {
    run(requests::semantics()).await;
}

#[tokio::test]
async fn the_cases_of_header_compression() {
    run(requests::compression()).await;
}

/// Section 5.1.2.
#[tokio::test]
async fn the_case_of_too_many_streams() {
    let served = Served::start_with(Setup {
        pods: 0,
        ..Setup::default()
    });
    let mut client = served.client().await;
    for number in 0..=200 {
        client.call(2 * number + 1, WATCH, &[]).await;
    }
    let reply = client.reply(401).await;
    assert!(
        reply.reset.is_some_and(|code| REFUSED.contains(&code)),
        "{reply:?}"
    );
}

/// Section 3.5: anything but the preface ends the connection.
#[tokio::test]
async fn the_case_of_a_wrong_preface() {
    let served = Served::start();
    let mut client = RawClient::silent(served.path()).await;
    client.send(b"INVALID CONNECTION PREFACE\r\n\r\n").await;
    client.end().await;
}

/// Section 6.5.3: of two values in one frame the last counts, and SETTINGS are acknowledged.
#[tokio::test]
async fn the_case_of_two_values_of_one_setting() {
    let served = Served::start();
    let mut client = served.client().await;
    client
        .send_settings(&[
            (setting::INITIAL_WINDOW_SIZE, 100),
            (setting::INITIAL_WINDOW_SIZE, 1),
        ])
        .await;
    client.ping(b"settings").await;
    client.grants = false;
    client.call(1, LIST, &[]).await;
    let one = |client: &RawClient| {
        let reply = client.replies.get(&1);
        reply.is_some_and(|reply| !reply.data.is_empty())
    };
    client.until("one byte", one).await;
    client.ping(b"no more.").await;
    assert_eq!(client.replies[&1].data.len(), 1);
}
