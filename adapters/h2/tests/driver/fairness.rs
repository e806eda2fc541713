//! Clients that hold all they can, and one that is served nevertheless.

use std::time::Duration;

use bytes::Bytes;
use podsapi_core::{Code, Config};
use podsapi_h2::Limits;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, DuplexStream},
    time::timeout,
};

use crate::{
    calls::get,
    connections::{EMPTY_SETTINGS, PREFACE, frame, header_block},
    harness::{Answer, GET, LIST, Node, STATUS, WATCH, framed, request, unlimited, until},
};

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;

/// Returns a frame of any size on any stream.
fn large_frame(kind: u8, flags: u8, stream: u16, payload: &[u8]) -> Vec<u8> {
    let [.., a, b, c] = payload.len().to_be_bytes();
    let [high, low] = stream.to_be_bytes();
    let mut bytes = vec![a, b, c, kind, flags, 0, 0, high, low];
    bytes.extend(payload);
    bytes
}

/// Returns the headers of a call of GetPod on the stream of a number.
fn begin(number: u16) -> Vec<u8> {
    let block = header_block(&[
        (":method", "POST"),
        (":scheme", "http"),
        (":path", GET),
        ("content-type", "application/grpc"),
    ]);
    large_frame(HEADERS, END_HEADERS, 2 * number + 1, &block)
}

async fn connect(node: &Node) -> DuplexStream {
    let (mut io, _server) = node.pipe(1 << 20);
    let hello = [PREFACE, EMPTY_SETTINGS].concat();
    io.write_all(&hello).await.unwrap();
    // The server has said by then how large its windows are.
    tokio::time::sleep(Duration::from_millis(1)).await;
    io
}

/// Returns the number that the metrics show.
fn number(node: &Node, name: &str) -> u64 {
    let metrics = node.server.metrics_text();
    let found = metrics.lines().find_map(|line| {
        let value = line.strip_prefix(name)?.strip_prefix(' ')?;
        Some(value.parse().unwrap())
    });
    found.unwrap_or_else(|| panic!("no {name} in\n{metrics}"))
}

#[tokio::test(start_paused = true)]
async fn requests_that_do_not_end_leave_room_for_a_small_one() {
    const PIECE: usize = 16 << 10;
    let limits = Limits {
        max_request_bytes_in_flight: 64 * PIECE,
        ..Limits::default()
    };
    let node = Node::with(&[("a", 10)], limits, unlimited());
    let mut hostile = [connect(&node).await, connect(&node).await];
    // What every call has for free, then as much as one frame holds; the last byte never comes.
    let claim = u32::try_from(PIECE + 1025).unwrap().to_be_bytes();
    let free = [&[0][..], &claim, &[7; 1019]].concat();
    for io in &mut hostile {
        for stream in 0..32 {
            io.write_all(&begin(stream)).await.unwrap();
            for piece in [&free[..], &[7; PIECE]] {
                let data = large_frame(DATA, 0, 2 * stream + 1, piece);
                io.write_all(&data).await.unwrap();
            }
        }
    }
    until(|| number(&node, "podsapi_request_bytes") == 64 * (16 << 10)).await;

    let client = node.client().await;
    assert_eq!(client.call(GET, &get("a")).await.code(), Code::Ok);
    assert_eq!(client.call(LIST, b"").await.code(), Code::Ok);
    assert_eq!(client.call(STATUS, b"").await.code(), Code::Ok);
    let mut events = client.watch(request(WATCH)).await;
    assert_eq!(events.first_list().await, 1);
    // One that is larger is refused, so the bytes are all there.
    let large = client.call(GET, &get(&"u".repeat(2_000))).await;
    assert_eq!(large.code(), Code::ResourceExhausted);
    let refused = "podsapi_calls_refused_total{reason=\"request_bytes\"}";
    assert_eq!(number(&node, refused), 1);

    drop(hostile);
    until(|| number(&node, "podsapi_request_bytes") == 0).await;
    let large = client.call(GET, &get(&"u".repeat(2_000))).await;
    assert_eq!(large.code(), Code::NotFound);
}

#[tokio::test(start_paused = true)]
async fn calls_that_do_not_end_leave_every_connection_some_of_its_own() {
    let node = Node::with(&[("a", 10)], Limits::default(), unlimited());
    let mut hostile = Vec::new();
    for _ in 0..42 {
        let mut io = connect(&node).await;
        let calls: Vec<_> = (0..200).flat_map(begin).collect();
        io.write_all(&calls).await.unwrap();
        hostile.push(io);
    }
    let refused = "podsapi_calls_refused_total{reason=\"calls\"}";
    // The last connection finds all calls taken, and has those of its own.
    let held = 8192 + 4;
    until(|| number(&node, refused) == 42 * 200 - held).await;
    assert_eq!(number(&node, "podsapi_calls"), held);

    let client = node.client().await;
    let mut watches = Vec::new();
    for _ in 0..3 {
        let mut events = client.watch(request(WATCH)).await;
        assert_eq!(events.first_list().await, 1);
        watches.push(events);
        assert_eq!(client.call(GET, &get("a")).await.code(), Code::Ok);
    }
    watches.push(client.watch(request(WATCH)).await);
    // That is all a connection has of its own.
    assert_eq!(client.call(LIST, b"").await.code(), Code::ResourceExhausted);
    drop(watches.pop());
    until(|| number(&node, "podsapi_calls") == held + 3).await;
    assert_eq!(client.call(LIST, b"").await.code(), Code::Ok);
    let other = node.client().await;
    assert_eq!(other.call(LIST, b"").await.code(), Code::Ok);

    drop((hostile, watches));
    until(|| number(&node, "podsapi_calls") == 0).await;
}

#[tokio::test(start_paused = true)]
async fn replies_that_are_not_read_leave_every_connection_one() {
    let limits = Limits {
        max_reply_bytes_per_connection: 50_000,
        max_reply_bytes: 100_000,
        ..Limits::default()
    };
    let node = Node::with(&[("a", 20_000)], limits, unlimited());
    let mut builder = h2::client::Builder::new();
    builder.initial_window_size(0);
    // Only replies that have nothing in common cost each what it has.
    let changes = std::cell::Cell::new(0);
    let change = || {
        changes.set(changes.get() + 1);
        node.put("a", 20_000 + changes.get());
    };
    let mut hostile = Vec::new();
    for number in 0..4 {
        let client = node.client_with(&builder).await;
        let mut unread = Vec::new();
        for _ in 0..2 {
            let response = client.start(request(LIST), &framed(b"")).await;
            unread.push(response.await.unwrap());
            change();
        }
        // The third is too many for a connection, or for all.
        let answer = client.call(LIST, b"").await;
        assert_eq!(
            answer.code(),
            Code::ResourceExhausted,
            "connection {number}"
        );
        hostile.push((client, unread));
        if number == 1 {
            break;
        }
    }
    let connection = "podsapi_replies_refused_total{limit=\"connection\"}";
    assert_eq!(number(&node, connection), 2);
    // Two more, of which each has one reply: more than there may be in all.
    for _ in 0..2 {
        let client = node.client_with(&builder).await;
        let response = client.start(request(LIST), &framed(b"")).await;
        let unread = vec![response.await.unwrap()];
        change();
        let answer = client.call(LIST, b"").await;
        assert_eq!(answer.code(), Code::ResourceExhausted);
        hostile.push((client, unread));
    }
    assert!(number(&node, "podsapi_reply_bytes") > 100_000);
    let all = "podsapi_replies_refused_total{limit=\"all\"}";
    assert_eq!(number(&node, all), 2);

    let client = node.client().await;
    for _ in 0..3 {
        assert_eq!(client.call(LIST, b"").await.code(), Code::Ok);
    }
    assert_eq!(client.call(STATUS, b"").await.code(), Code::Ok);
    drop(hostile);
    until(|| number(&node, "podsapi_reply_bytes") == 0).await;
}

#[tokio::test(start_paused = true)]
async fn unread_lists_of_the_same_pods_cost_as_one() {
    let limits = Limits {
        max_reply_bytes_per_connection: 50_000,
        max_reply_bytes: 50_000,
        ..Limits::default()
    };
    let node = Node::with(&[("a", 20_000), ("b", 20_000)], limits, unlimited());
    let mut builder = h2::client::Builder::new();
    builder.initial_window_size(0);
    let mut slow = Vec::new();
    for connection in 0..20 {
        let client = node.client_with(&builder).await;
        for call in 0..20 {
            let response = client.start(request(LIST), &framed(b"")).await;
            let response = response.await.unwrap();
            // A refusal would be the end already.
            assert!(!response.body().is_end_stream(), "{connection}, {call}");
            slow.push(response);
        }
        slow.push(
            client
                .start(request(GET), &framed(&get("a")))
                .await
                .await
                .unwrap(),
        );
        std::mem::forget(client.requests);
    }
    let kept = number(&node, "podsapi_reply_bytes");
    assert!((40_000..50_000).contains(&kept), "{kept}");

    // The store lets go of a pod that the replies keep: with what they keep now, one of another
    // state is too much, and so is each that follows.
    node.put("a", 20_001);
    let client = node.client_with(&builder).await;
    let first = client
        .start(request(LIST), &framed(b""))
        .await
        .await
        .unwrap();
    assert!(
        !first.body().is_end_stream(),
        "a connection has room for one"
    );
    let refused = client.call(GET, &get("a")).await;
    assert_eq!(refused.code(), Code::ResourceExhausted);
    assert_eq!(
        number(&node, "podsapi_replies_refused_total{limit=\"all\"}"),
        1
    );
    drop((slow, first));
    until(|| number(&node, "podsapi_reply_bytes") == 0).await;
    assert_eq!(node.client().await.call(LIST, b"").await.code(), Code::Ok);
}

#[tokio::test(start_paused = true)]
async fn streams_that_last_leave_their_connection_room_for_calls() {
    const HEALTH: &str = "/grpc.health.v1.Health/Watch";
    const REFLECTION: &str = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
    let node = Node::small();
    let limits = Limits::default();
    let client = node.client().await;
    let (mut held, mut open) = (Vec::new(), Vec::new());
    for stream in 0..limits.max_held_streams_per_connection {
        let path = [WATCH, HEALTH, REFLECTION][stream % 3];
        let mut requests = client.requests.clone().ready().await.unwrap();
        let (response, mut body) = requests.send_request(request(path), false).unwrap();
        // A reflection stream stays open for as long as its client may ask.
        let asks_on = path == REFLECTION;
        let sent = if asks_on { vec![] } else { framed(b"") };
        body.send_data(sent.into(), !asks_on).unwrap();
        held.push(response.await.unwrap());
        open.push(body);
    }
    let patience = Duration::from_secs(5);
    for path in [WATCH, HEALTH, REFLECTION] {
        let refused = timeout(patience, client.call(path, b"")).await;
        let refused = refused.expect("it is not left waiting");
        assert_eq!(refused.code(), Code::ResourceExhausted, "{path}");
        assert_eq!(refused.status.reason(), Some("TOO_MANY_STREAMS"));
        assert!(refused.trailers_only);
    }
    let counted = "podsapi_calls_refused_total{reason=\"held_streams\"}";
    assert_eq!(number(&node, counted), 3);
    // As many calls at one time as may be held beside them.
    let mut calls = Vec::new();
    for _ in 0..limits.max_held_streams_per_connection {
        let requests = timeout(patience, client.requests.clone().ready()).await;
        let mut requests = requests.expect("it is not left waiting").unwrap();
        calls.push(requests.send_request(request(LIST), false).unwrap());
    }
    for (response, mut body) in calls {
        body.send_data(framed(b"").into(), true).unwrap();
        assert_eq!(Answer::read(response).await.code(), Code::Ok);
    }
    assert_eq!(client.call(STATUS, b"").await.code(), Code::Ok);
    assert_eq!(number(&node, "podsapi_streams_refused_total"), 0);

    // Other connections have their own, and one that ends makes room.
    let mut other = node.client().await.watch(request(WATCH)).await;
    assert_eq!(other.first_list().await, 3);
    drop((held.pop(), open.pop()));
    until(|| number(&node, "podsapi_calls") == limits.max_held_streams_per_connection as u64).await;
    let mut again = client.watch(request(WATCH)).await;
    assert_eq!(again.first_list().await, 3);
}

/// Reads until nothing comes for a while, and adds the bytes of data of each of the streams 1 and 3.
async fn data(io: &mut DuplexStream, unread: &mut Vec<u8>, counts: &mut [usize; 2]) {
    let mut piece = vec![0; 1 << 16];
    while let Ok(count) = timeout(Duration::from_millis(10), io.read(&mut piece)).await {
        unread.extend_from_slice(&piece[..count.unwrap()]);
    }
    let mut rest = unread.as_slice();
    while let [a, b, c, kind, _, _, _, _, stream, after @ ..] = rest {
        let len = u32::from_be_bytes([0, *a, *b, *c]) as usize;
        let Some(next) = after.get(len..) else { break };
        if *kind == DATA {
            counts[usize::from(*stream / 2)] += len;
        }
        rest = next;
    }
    *unread = rest.to_vec();
}

#[tokio::test(start_paused = true)]
async fn a_list_that_waits_for_room_leaves_the_next_call_what_opens_beyond_32_kib() {
    const WINDOW: usize = 65_535;
    const TURN: usize = 32 << 10;
    let pods = [("large", 1_000_000), ("small", 5_000)];
    let node = Node::with(&pods, Limits::default(), unlimited());
    let (mut io, _server) = node.pipe(1 << 20);
    // All streams have room, so that the connection alone has none.
    let settings = frame(4, 0, 0, &[0, 4, 0x7f, 0xff, 0xff, 0xff]);
    let call = |path: &str, stream: u16, message: &[u8]| {
        let block = header_block(&[
            (":method", "POST"),
            (":scheme", "http"),
            (":path", path),
            ("content-type", "application/grpc"),
        ]);
        let headers = large_frame(HEADERS, END_HEADERS, stream, &block);
        let body = large_frame(DATA, END_STREAM, stream, &framed(message));
        [headers, body].concat()
    };
    let opened = |bytes: usize| {
        let bytes = u32::try_from(bytes).unwrap().to_be_bytes();
        frame(8, 0, 0, &bytes)
    };
    let (mut unread, mut counts) = (Vec::new(), [0; 2]);
    io.write_all(&[PREFACE, &settings, &call(LIST, 1, b"")].concat())
        .await
        .unwrap();
    data(&mut io, &mut unread, &mut counts).await;
    assert_eq!(counts, [WINDOW, 0]);

    io.write_all(&call(GET, 3, &get("small"))).await.unwrap();
    data(&mut io, &mut unread, &mut counts).await;
    assert_eq!(counts, [WINDOW, 0]);
    io.write_all(&opened(TURN + 10_000)).await.unwrap();
    data(&mut io, &mut unread, &mut counts).await;
    let [list, get] = counts;
    assert!((5_000..6_000).contains(&get), "{counts:?}");
    assert_eq!(list + get, WINDOW + TURN + 10_000);
    // And what others leave is the list's.
    io.write_all(&opened(10 * TURN)).await.unwrap();
    data(&mut io, &mut unread, &mut counts).await;
    assert_eq!(counts, [list + 10 * TURN, get]);
}

#[tokio::test(start_paused = true)]
async fn lists_on_one_connection_are_sent_by_turns() {
    let node = Node::with(&[("large", 1_000_000)], Limits::default(), unlimited());
    let (mut io, _server) = node.pipe(64 << 10);
    let settings = frame(4, 0, 0, &[0, 4, 0x7f, 0xff, 0xff, 0xff]);
    let all = frame(8, 0, 0, &[0x7f, 0xff, 0, 0]);
    let mut sent = [PREFACE, &settings, &all].concat();
    let block = header_block(&[
        (":method", "POST"),
        (":scheme", "http"),
        (":path", LIST),
        ("content-type", "application/grpc"),
    ]);
    for stream in [1, 3] {
        sent.extend(large_frame(HEADERS, END_HEADERS, stream, &block));
        sent.extend(large_frame(DATA, END_STREAM, stream, &framed(b"")));
    }
    io.write_all(&sent).await.unwrap();
    let mut counts = [0_usize; 2];
    let mut most = 0;
    while counts.iter().sum::<usize>() < 1_900_000 {
        let mut head = [0; 9];
        io.read_exact(&mut head).await.unwrap();
        let [a, b, c, kind, _, _, _, _, stream] = head;
        let len = u32::from_be_bytes([0, a, b, c]) as usize;
        io.read_exact(&mut vec![0; len]).await.unwrap();
        if kind == DATA {
            counts[usize::from(stream / 2)] += len;
            most = most.max(counts[0].abs_diff(counts[1]));
        }
    }
    // What the library keeps of the one that was first, and some frames.
    assert!(most <= (128 << 10) + (64 << 10), "{most}");
}

#[tokio::test(start_paused = true)]
async fn a_call_that_was_reset_is_not_decided_and_costs_no_rate() {
    let config = Config {
        qps: 1,
        ..Config::default()
    };
    let node = Node::with(&[("a", 10)], Limits::default(), config);
    let burst = 10;
    let mut io = connect(&node).await;
    let calls: Vec<_> = (0..50_u16)
        .flat_map(|number| {
            let stream = 2 * number + 1;
            let body = framed(&get("a"));
            [
                begin(number),
                large_frame(DATA, END_STREAM, stream, &body),
                large_frame(RST_STREAM, 0, stream, &[0, 0, 0, 8]),
            ]
            .concat()
        })
        .collect();
    io.write_all(&calls).await.unwrap();
    let canceled =
        "kubelet_pod_requests_get_total{server_api_version=\"v1alpha1\",status_code=\"Canceled\"}";
    let ping = frame(6, 0, 0, &[7; 8]);
    io.write_all(&ping).await.unwrap();
    let metrics = || node.server.metrics_text();
    until(|| metrics().contains("podsapi_calls 0\n") && metrics().contains(canceled)).await;
    assert_eq!(number(&node, canceled), 50);
    let counters = node.server.with_pods(|pods| pods.counters());
    assert_eq!(counters.all_requests().count(), 0, "{counters:?}");

    let client = node.client().await;
    for _ in 0..burst {
        assert_eq!(client.call(LIST, b"").await.code(), Code::Ok);
    }
    assert_eq!(client.call(LIST, b"").await.code(), Code::ResourceExhausted);
}

#[tokio::test(start_paused = true)]
async fn a_call_whose_request_ends_after_the_stop_is_served() {
    let node = Node::small();
    let client = node.client().await;
    let mut begun = client.requests.clone().ready().await.unwrap();
    let mut unfinished = Vec::new();
    for _ in 0..2 {
        unfinished.push(begun.send_request(request(GET), false).unwrap());
    }
    until(|| number(&node, "podsapi_calls") == 2).await;
    node.server.shutdown();
    let (answer, mut stream) = unfinished.pop().unwrap();
    stream.send_data(framed(&get("b")).into(), true).unwrap();
    let answer = timeout(Duration::from_secs(5), Answer::read(answer)).await;
    assert_eq!(answer.unwrap().code(), Code::Ok);
    let (answer, mut stream) = unfinished.pop().unwrap();
    stream
        .send_data(Bytes::from(framed(&get("zz"))), true)
        .unwrap();
    assert_eq!(Answer::read(answer).await.code(), Code::NotFound);
    client.server.await.unwrap();
}

#[tokio::test]
async fn a_watch_beyond_the_limit_is_refused_and_counted() {
    let config = Config {
        max_watches: std::num::NonZeroU32::MIN,
        ..unlimited()
    };
    let node = Node::with(&[], Limits::default(), config);
    let client = node.client().await;
    let mut events = client.watch(request(WATCH)).await;
    events.first_list().await;
    let refused = client.call(WATCH, b"").await;
    assert_eq!(refused.code(), Code::ResourceExhausted);
    assert_eq!(number(&node, "podsapi_watches_refused_total"), 1);
}
