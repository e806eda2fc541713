//! The cases of h2spec (version 2.6), as frames of our own; each is named by its suite, section and
//! number there.
//!
//! As there, an error of a stream may end the connection instead. A connection that ends has to say so
//! by GOAWAY, which h2spec asks of one case only; the code may be `PROTOCOL_ERROR` where the RFC has one
//! that says more. The one case that is not met says so where it stands.

use std::collections::BTreeSet;
use std::time::Duration;

use podsapi_h2::Limits;
use podsapi_tests::frames::{self, code, flag, frame, kind, message, setting};
use podsapi_tests::raw_client::{RawClient, request, request_with};
use podsapi_tests::reply::Reply;
use podsapi_tests::served::{Served, Setup};

use crate::{LIST, WATCH};

mod connection;
mod frame_definitions;
mod requests;

/// What a server has to make of the frames of a case.
#[derive(Clone, Copy, Debug)]
enum Expected {
    /// The connection ends by a GOAWAY with one of these codes.
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
    run_behind(false, cases).await;
}

/// Runs cases on connections that may have seen a whole call on stream 1 before.
async fn run_behind(a_call: bool, cases: Vec<Case>) {
    let served = Served::start();
    let mut wrong = Vec::new();
    for (name, sent, expected) in cases {
        let mut client = served.client().await;
        if a_call {
            assert_eq!(client.unary(1, LIST, &[]).await.grpc_status(), "0");
        }
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
        Closed(codes) => closed_with(codes, client),
        Reset(codes) => {
            let reset = client.replies.get(&1).and_then(|reply| reply.reset);
            reset.is_some_and(|code| codes.contains(&code)) || closed_with(codes, client)
        }
        Fine => !client.closed && client.unary(101, LIST, &[]).await.grpc_status() == "0",
        Answered => {
            let over = |client: &RawClient| client.replies.get(&1).is_some_and(Reply::is_over);
            client.until_or_closed("the answer", over).await;
            let reply = client.replies.get(&1);
            !client.closed && reply.is_some_and(|reply| !reply.grpc_status().is_empty())
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
async fn the_cases_of_closed_streams() {
    run_behind(true, frame_definitions::closed()).await;
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
async fn the_cases_of_header_representations() {
    run(requests::representations()).await;
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
    // Requests that do not end; of those that may last, fewer are let through.
    let most = Limits::default().max_streams_per_connection;
    for number in 0..=most {
        let stream = 2 * number + 1;
        client
            .headers(stream, &request(LIST), flag::END_HEADERS)
            .await;
    }
    let reply = client.reply(2 * most + 1).await;
    assert_eq!(reply.reset, Some(code::REFUSED_STREAM), "{reply:?}");
}

/// Section 3.5: SETTINGS are the first frame, whoever speaks first; the client checks that of every
/// connection.
#[tokio::test]
async fn the_case_of_the_preface() {
    let served = Served::start();
    let mut client = served.client().await;
    let settled = |client: &RawClient| client.settings.is_some() && client.acknowledged();
    client.until("SETTINGS and their answer", settled).await;
}

/// Section 3.5: anything but the preface ends the connection.
#[tokio::test]
async fn the_case_of_a_wrong_preface() {
    // Longer than this client waits for anything.
    let limits = Limits {
        preface_timeout: Duration::from_secs(60),
        ..Limits::default()
    };
    let served = Served::start_with(Setup {
        limits,
        ..Setup::default()
    });
    let mut client = RawClient::silent(served.path()).await;
    client.send(b"INVALID CONNECTION PREFACE\r\n\r\n").await;
    client.end().await;
}

/// Section 6.5.3: of two values in one frame the last counts, and SETTINGS are acknowledged.
/// Section 6.9.1: not more is sent than a window has room for.
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
    assert!(client.acknowledged(), "SETTINGS without an answer");
    client.grants = false;
    client.call(1, LIST, &[]).await;
    client.until("one byte", has_bytes(1)).await;
    client.ping(b"no more.").await;
    assert_eq!(client.replies[&1].data.len(), 1);
}

/// Section 6.9.2: windows of open streams follow the setting, also below zero.
#[tokio::test]
async fn the_cases_of_windows_that_change() {
    let served = Served::start();
    let mut client = served.client().await;
    client.grants = false;
    let window = async |client: &mut RawClient, size: u32| {
        client
            .send_settings(&[(setting::INITIAL_WINDOW_SIZE, size)])
            .await;
    };
    window(&mut client, 0).await;
    client.ping(b"settings").await;
    client.call(1, LIST, &[]).await;
    let open = |client: &RawClient| client.replies.contains_key(&1);
    client.until("headers", open).await;
    window(&mut client, 3).await;
    client.until("three bytes", has_bytes(3)).await;
    // Three are used up, so that two are less than nothing, and two more are one.
    window(&mut client, 2).await;
    client.ping(b"below 0.").await;
    assert_eq!(client.replies[&1].data.len(), 3);
    client.grant(1, 2).await;
    client.until("the fourth byte", has_bytes(4)).await;
    client.ping(b"no more.").await;
    assert_eq!(client.replies[&1].data.len(), 4);
}

/// Whether stream 1 has so many bytes.
fn has_bytes(count: usize) -> impl Fn(&RawClient) -> bool {
    move |client| {
        let reply = client.replies.get(&1);
        reply.is_some_and(|reply| reply.data.len() >= count)
    }
}

/// Every section, and how many cases it has.
pub(crate) const SECTIONS: [(&str, usize); 49] = [
    ("generic/1", 1),
    ("generic/2", 5),
    ("generic/3.1", 3),
    ("generic/3.2", 3),
    ("generic/3.3", 5),
    ("generic/3.4", 1),
    ("generic/3.5", 1),
    ("generic/3.7", 1),
    ("generic/3.8", 1),
    ("generic/3.9", 2),
    ("generic/3.10", 2),
    ("generic/4", 4),
    ("generic/5", 15),
    ("http2/3.5", 2),
    ("http2/4.1", 3),
    ("http2/4.2", 3),
    ("http2/4.3", 3),
    ("http2/5.1", 13),
    ("http2/5.1.1", 2),
    ("http2/5.1.2", 1),
    ("http2/5.3.1", 2),
    ("http2/5.4.1", 2),
    ("http2/5.5", 2),
    ("http2/6.1", 3),
    ("http2/6.2", 4),
    ("http2/6.3", 2),
    ("http2/6.4", 3),
    ("http2/6.5", 3),
    ("http2/6.5.2", 5),
    ("http2/6.5.3", 2),
    ("http2/6.7", 4),
    ("http2/6.8", 1),
    ("http2/6.9", 3),
    ("http2/6.9.1", 3),
    ("http2/6.9.2", 3),
    ("http2/6.10", 6),
    ("http2/7", 2),
    ("http2/8.1", 1),
    ("http2/8.1.2", 1),
    ("http2/8.1.2.1", 4),
    ("http2/8.1.2.2", 2),
    ("http2/8.1.2.3", 7),
    ("http2/8.1.2.6", 2),
    ("http2/8.2", 1),
    ("hpack/2.3.3", 2),
    ("hpack/4.2", 1),
    ("hpack/5.2", 3),
    ("hpack/6.1", 1),
    ("hpack/6.3", 1),
];

/// Cases that are tests by themselves.
const BY_THEMSELVES: [&str; 9] = [
    "generic/1/1",
    "http2/3.5/1",
    "http2/3.5/2",
    "http2/5.1.2/1",
    "http2/6.5.3/1",
    "http2/6.5.3/2",
    "http2/6.9.1/1",
    "http2/6.9.2/1",
    "http2/6.9.2/2",
];

#[test]
fn every_case_is_there() {
    let tables = [
        connection::generic(),
        connection::framing(),
        frame_definitions::states(),
        frame_definitions::closed(),
        frame_definitions::definitions(),
        requests::semantics(),
        requests::representations(),
        requests::compression(),
    ];
    let names = tables.iter().flatten().map(|(name, ..)| *name);
    let mut found: BTreeSet<_> = names.filter_map(|name| name.split(' ').next()).collect();
    found.extend(BY_THEMSELVES);
    for (section, cases) in SECTIONS {
        for case in 1..=cases {
            let case = format!("{section}/{case}");
            assert!(found.contains(case.as_str()), "no case {case}");
        }
    }
}
