//! Connections: their begin, their silence, their end.

use std::time::Duration;

use podsapi_core::Code;
use podsapi_h2::Limits;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    time::{Instant, timeout},
};

use crate::harness::{GET, LIST, Node, WATCH, framed, request, unlimited, until};

pub(crate) const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
pub(crate) const EMPTY_SETTINGS: &[u8] = &[0, 0, 0, 4, 0, 0, 0, 0, 0];

pub(crate) fn with(change: impl FnOnce(&mut Limits)) -> Node {
    let mut limits = Limits::default();
    change(&mut limits);
    Node::with(&[("a", 10)], limits, unlimited())
}

/// Reads until the other side closes, and returns what came.
pub(crate) async fn rest(io: &mut tokio::io::DuplexStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    // A connection that was given up ends in an error instead of an end.
    let _either = io.read_to_end(&mut bytes).await;
    bytes
}

/// Returns the type and payload of each whole frame.
pub(crate) fn frames(bytes: &[u8]) -> Vec<(u8, Vec<u8>)> {
    let mut frames = Vec::new();
    let mut rest = bytes;
    while let [a, b, c, kind, _flags, _, _, _, _, tail @ ..] = rest {
        let len = usize::from(*a) << 16 | usize::from(*b) << 8 | usize::from(*c);
        let Some((payload, after)) = tail.split_at_checked(len) else {
            break;
        };
        frames.push((*kind, payload.to_vec()));
        rest = after;
    }
    frames
}

pub(crate) const GOAWAY: u8 = 7;
pub(crate) const PING: u8 = 6;
pub(crate) const SETTINGS: u8 = 4;

#[tokio::test(start_paused = true)]
async fn settings_come_before_the_client_says_anything() {
    let node = with(|_| {});
    let (mut io, _server) = node.pipe(1 << 16);
    let mut head = [0; 9];
    timeout(Duration::from_millis(100), io.read_exact(&mut head))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(head[3], SETTINGS);
}

#[tokio::test(start_paused = true)]
async fn a_preface_may_come_byte_by_byte() {
    let node = with(|_| {});
    let (mut io, _server) = node.pipe(1 << 16);
    for byte in PREFACE.iter().chain(EMPTY_SETTINGS) {
        io.write_all(&[*byte]).await.unwrap();
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let ping = [0, 0, 8, 6, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8];
    io.write_all(&ping).await.unwrap();
    let mut seen = Vec::new();
    let answered = |seen: &[u8]| frames(seen).contains(&(PING, (1..=8).collect()));
    while !answered(&seen) {
        let mut piece = [0; 256];
        let count = timeout(Duration::from_secs(1), io.read(&mut piece))
            .await
            .unwrap()
            .unwrap();
        assert!(count > 0, "closed after {seen:?}");
        seen.extend_from_slice(&piece[..count]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_connection_without_a_preface_is_closed() {
    let node = with(|limits| limits.preface_timeout = Duration::from_secs(3));
    let (mut io, server) = node.pipe(1 << 16);
    let began = Instant::now();
    io.write_all(&PREFACE[..5]).await.unwrap();
    rest(&mut io).await;
    server.await.unwrap();
    assert!(
        (3..5).contains(&began.elapsed().as_secs()),
        "{:?}",
        began.elapsed()
    );
    assert_eq!(node.server.connection_count(), 0);
    node.has_ended(&[("preface", 1)]);
}

#[tokio::test(start_paused = true)]
async fn a_frame_that_does_not_end_ends_the_connection() {
    // HEADERS of stream 1 without END_HEADERS; the head of a PING; a part of a SETTINGS payload.
    let headers = [0, 0, 1, 1, 0, 0, 0, 0, 1, 0x83];
    let settings = [0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 3];
    for begun in [&headers[..], &[0, 0, 8, 6, 0][..], &settings[..]] {
        let node = with(|limits| limits.request_timeout = Duration::from_secs(3));
        let (mut io, server) = node.pipe(1 << 16);
        let sent = [PREFACE, EMPTY_SETTINGS, begun].concat();
        io.write_all(&sent).await.unwrap();
        let began = Instant::now();
        rest(&mut io).await;
        server.await.unwrap();
        let took = began.elapsed().as_secs();
        assert!((3..5).contains(&took), "{begun:?}: {took} s");
        assert_eq!(node.server.connection_count(), 0);
        node.has_ended(&[("unfinished_frame", 1)]);
    }
}

#[tokio::test(start_paused = true)]
async fn whole_frames_at_any_pace_keep_the_connection() {
    let node = with(|limits| limits.request_timeout = Duration::from_secs(3));
    let (mut io, server) = node.pipe(1 << 16);
    io.write_all(&[PREFACE, EMPTY_SETTINGS].concat())
        .await
        .unwrap();
    for _ in 0..5 {
        let ping = [0, 0, 8, 6, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8];
        for byte in ping {
            io.write_all(&[byte]).await.unwrap();
            tokio::time::sleep(Duration::from_millis(150)).await;
        }
        tokio::time::sleep(Duration::from_secs(4)).await;
    }
    assert_eq!(node.server.connection_count(), 1);
    drop(io);
    server.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn frames_that_end_keep_the_connection_though_each_write_begins_another() {
    let node = with(|limits| limits.request_timeout = Duration::from_secs(3));
    let (mut io, server) = node.pipe(1 << 16);
    let ping = [0, 0, 8, 6, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8];
    let (head, tail) = ping.split_at(5);
    io.write_all(&[PREFACE, EMPTY_SETTINGS, head].concat())
        .await
        .unwrap();
    for _ in 0..20 {
        tokio::time::sleep(Duration::from_secs(1)).await;
        io.write_all(&[tail, head].concat()).await.unwrap();
    }
    assert_eq!(node.server.connection_count(), 1);
    drop(io);
    server.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_frame_whose_end_is_not_read_yet_keeps_the_connection() {
    let limits = Limits {
        request_timeout: Duration::from_secs(3),
        ..Limits::default()
    };
    let node = Node::with(&[("a", 1 << 20)], limits, unlimited());
    let (mut io, server) = node.pipe(1 << 16);
    // SETTINGS_INITIAL_WINDOW_SIZE and the connection's window are beyond the answer.
    let settings = [0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 4, 0x7f, 0xff, 0xff, 0xff];
    let window = [0, 0, 4, 8, 0, 0, 0, 0, 0, 0x70, 0, 0, 0];
    // POST, http, :path, content-type, and a message of no bytes.
    let headers = [
        &[0, 0, 46, 1, 4, 0, 0, 0, 1, 0x83, 0x86, 0x04, 23][..],
        LIST.as_bytes(),
        &[0x0f, 0x10, 16],
        b"application/grpc",
    ];
    let message = [0, 0, 5, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0];
    let sent = [PREFACE, &settings, &window, &headers.concat(), &message];
    io.write_all(&sent.concat()).await.unwrap();
    tokio::time::sleep(Duration::from_millis(100)).await;
    // The answer fills the pipe, so that a PING cannot be answered and nothing more is read.
    let ping = [0, 0, 8, 6, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8];
    let (head, tail) = ping.split_at(5);
    io.write_all(&[&ping, head].concat()).await.unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    io.write_all(tail).await.unwrap();
    tokio::time::sleep(Duration::from_secs(5)).await;
    let mut answer = vec![0; 1 << 20];
    io.read_exact(&mut answer).await.unwrap();
    drop(io);
    server.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn something_else_than_http_2_is_closed() {
    let node = with(|_| {});
    for bytes in [
        &b"GET / HTTP/1.1\r\nhost: x\r\n\r\n............"[..],
        b"\x16\x03\x01\x02\0\x01",
    ] {
        let (mut io, server) = node.pipe(1 << 16);
        io.write_all(bytes).await.unwrap();
        io.shutdown().await.unwrap();
        rest(&mut io).await;
        server.await.unwrap();
    }
    node.has_ended(&[("preface", 2)]);
}

#[tokio::test(start_paused = true)]
async fn a_silent_peer_is_asked_and_then_closed() {
    let node = with(|limits| {
        limits.keepalive_interval = Duration::from_secs(60);
        limits.keepalive_timeout = Duration::from_secs(20);
    });
    let (mut io, server) = node.pipe(1 << 16);
    io.write_all(&[PREFACE, EMPTY_SETTINGS].concat())
        .await
        .unwrap();
    let began = Instant::now();
    let seen = rest(&mut io).await;
    server.await.unwrap();
    assert!(
        (79..90).contains(&began.elapsed().as_secs()),
        "{:?}",
        began.elapsed()
    );
    assert!(frames(&seen).iter().any(|(kind, _)| *kind == PING));
    node.has_ended(&[("keepalive", 1)]);
}

#[tokio::test(start_paused = true)]
async fn a_watch_lives_as_long_as_its_client_answers() {
    let node = with(|limits| {
        limits.keepalive_interval = Duration::from_secs(60);
        limits.idle_timeout = Duration::from_secs(100);
    });
    let client = node.client().await;
    let mut events = client.watch(request(WATCH)).await;
    assert_eq!(events.first_list().await, 1);
    tokio::time::sleep(Duration::from_secs(3600)).await;
    node.put("b", 1);
    events.next().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_connection_without_calls_is_closed_after_a_while() {
    let node = with(|limits| limits.idle_timeout = Duration::from_secs(100));
    let client = node.client().await;
    assert_eq!(client.call(LIST, b"").await.code(), Code::Ok);
    let began = Instant::now();
    client.server.await.unwrap();
    assert!(
        (99..110).contains(&began.elapsed().as_secs()),
        "{:?}",
        began.elapsed()
    );
    node.has_ended(&[("idle", 1)]);
}

#[tokio::test(start_paused = true)]
async fn a_peer_that_does_not_read_its_socket_is_given_up() {
    let node = with(|limits| {
        limits.write_stall_timeout = Duration::from_secs(30);
        limits.keepalive_interval = Duration::from_secs(3600);
        limits.reply_timeout = Duration::from_secs(3600);
    });
    let (mut io, server) = node.pipe(1 << 10);
    let headers = header_block(&[
        (":method", "POST"),
        (":scheme", "http"),
        (":path", LIST),
        ("content-type", "application/grpc"),
    ]);
    let request = [
        PREFACE.to_vec(),
        EMPTY_SETTINGS.to_vec(),
        frame(1, 4, 1, &headers),
        frame(0, 1, 1, &framed(b"")),
    ];
    node.put("big", 1 << 20);
    io.write_all(&request.concat()).await.unwrap();
    let began = Instant::now();
    // The windows of the protocol are open, but nobody takes what the pipe holds.
    timeout(Duration::from_secs(60), server)
        .await
        .unwrap()
        .unwrap();
    assert!(
        (29..40).contains(&began.elapsed().as_secs()),
        "{:?}",
        began.elapsed()
    );
    node.has_ended(&[("write_stall", 1)]);
    drop(io);
}

#[tokio::test(start_paused = true)]
async fn a_stopping_server_ends_watches_and_closes_connections() {
    let node = with(|_| {});
    let client = node.client().await;
    let mut events = client.watch(request(WATCH)).await;
    events.first_list().await;
    let began = Instant::now();
    node.server.shutdown();
    assert_eq!(events.next().await.unwrap_err().code(), Code::Unavailable);
    drop(events);
    drop(client.requests);
    client.server.await.unwrap();
    assert!(
        began.elapsed() < Duration::from_secs(1),
        "{:?}",
        began.elapsed()
    );
    assert_eq!(node.server.connection_count(), 0);
    node.has_ended(&[]);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_never_acknowledges_does_not_hold_up_the_stop() {
    let node = with(|limits| limits.goaway_timeout = Duration::from_secs(5));
    let (mut io, server) = node.pipe(1 << 16);
    io.write_all(&[PREFACE, EMPTY_SETTINGS].concat())
        .await
        .unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    let began = Instant::now();
    node.server.shutdown();
    let seen = rest(&mut io).await;
    server.await.unwrap();
    assert!(
        (4..8).contains(&began.elapsed().as_secs()),
        "{:?}",
        began.elapsed()
    );
    let last_ids: Vec<_> = frames(&seen)
        .into_iter()
        .filter(|(kind, _)| *kind == GOAWAY)
        .map(|(_, payload)| payload[..8].to_vec())
        .collect();
    assert_eq!(last_ids, [[0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 0], [0; 8]]);
    node.has_ended(&[("drain", 1)]);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_never_reads_does_not_hold_up_the_stop() {
    let node = with(|limits| limits.drain_timeout = Duration::from_secs(10));
    node.put("big", 1 << 20);
    let (mut io, server) = node.pipe(64);
    io.write_all(PREFACE).await.unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    let began = Instant::now();
    node.server.shutdown();
    server.await.unwrap();
    assert!(
        began.elapsed() < Duration::from_secs(15),
        "{:?}",
        began.elapsed()
    );
}

#[tokio::test(start_paused = true)]
async fn a_stuck_watch_does_not_hold_up_the_stop() {
    let node = with(|limits| limits.drain_timeout = Duration::from_secs(10));
    node.put("big", 1 << 20);
    let client = node.client().await;
    let response = client.start(request(WATCH), &framed(b"")).await;
    let _unread = response.await.unwrap();
    let began = Instant::now();
    node.server.shutdown();
    client.server.await.unwrap();
    assert!(
        began.elapsed() < Duration::from_secs(12),
        "{:?}",
        began.elapsed()
    );
    until(|| node.server.metrics_text().contains("podsapi_calls 0\n")).await;
}

#[tokio::test(start_paused = true)]
async fn a_call_in_flight_finishes_while_the_server_stops() {
    let node = with(|_| {});
    node.put("big", 1 << 20);
    let client = node.client().await;
    let response = client.start(request(LIST), &framed(b"")).await;
    let mut body = response.await.unwrap().into_body();
    node.server.shutdown();
    let mut received = 0;
    while let Some(piece) = body.data().await {
        received += piece.as_ref().unwrap().len();
        body.flow_control()
            .release_capacity(piece.unwrap().len())
            .unwrap();
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    assert!(received > 1 << 20);
    assert_eq!(
        crate::harness::status(&body.trailers().await.unwrap().unwrap()).code(),
        Code::Ok
    );
    client.server.await.unwrap();
}

#[tokio::test]
async fn a_connection_beyond_the_limit_is_closed() {
    let node = with(|limits| limits.max_connections = 1);
    let client = node.client().await;
    let (mut io, server) = node.pipe(1 << 16);
    assert_eq!(rest(&mut io).await, b"");
    server.await.unwrap();
    assert_eq!(client.call(LIST, b"").await.code(), Code::Ok);
    assert!(
        node.server
            .metrics_text()
            .contains("podsapi_connections_refused_total 1")
    );
}

#[tokio::test]
async fn streams_reset_at_once_leave_nothing_behind() {
    let node = with(|_| {});
    let client = node.client().await;
    for _ in 0..500 {
        let mut requests = client.requests.clone().ready().await.unwrap();
        let (_response, mut stream) = requests.send_request(request(GET), false).unwrap();
        stream.send_reset(h2::Reason::CANCEL);
        tokio::task::yield_now().await;
    }
    until(|| node.server.metrics_text().contains("podsapi_calls 0\n")).await;
}

#[tokio::test]
async fn a_half_closed_connection_ends() {
    let node = with(|_| {});
    let (mut io, server) = node.pipe(1 << 16);
    io.write_all(&[PREFACE, EMPTY_SETTINGS].concat())
        .await
        .unwrap();
    io.shutdown().await.unwrap();
    timeout(Duration::from_secs(60), server)
        .await
        .unwrap()
        .unwrap();
}

/// A header block with literal fields only, neither indexed nor Huffman-coded.
pub(crate) fn header_block(fields: &[(&str, &str)]) -> Vec<u8> {
    let mut block = Vec::new();
    for text in fields
        .iter()
        .flat_map(|(name, value)| [(true, name), (false, value)])
    {
        let (is_name, text) = text;
        if is_name {
            block.push(0);
        }
        block.push(u8::try_from(text.len()).expect("test fields are short"));
        block.extend_from_slice(text.as_bytes());
    }
    block
}

pub(crate) fn frame(kind: u8, flags: u8, stream: u8, payload: &[u8]) -> Vec<u8> {
    let len = u8::try_from(payload.len()).expect("test frames are short");
    let mut frame = vec![0, 0, len, kind, flags, 0, 0, 0, stream];
    frame.extend_from_slice(payload);
    frame
}

#[tokio::test(start_paused = true)]
async fn a_socket_path_as_authority_reaches_the_handler() {
    let node = with(|_| {});
    for authority in [
        "%2Fvar%2Frun%2Fx.sock",
        "run%2Fx.sock",
        "/run/x.sock",
        "unix:///run/x",
    ] {
        let (mut io, _server) = node.pipe(1 << 16);
        let headers = header_block(&[
            (":method", "POST"),
            (":scheme", "http"),
            (":path", LIST),
            (":authority", authority),
            ("content-type", "application/grpc"),
        ]);
        let request = [
            PREFACE.to_vec(),
            EMPTY_SETTINGS.to_vec(),
            frame(1, 4, 1, &headers),
            frame(0, 1, 1, &framed(b"")),
        ];
        io.write_all(&request.concat()).await.unwrap();
        tokio::time::sleep(Duration::from_secs(1)).await;
        io.shutdown().await.unwrap();
        let seen = frames(&rest(&mut io).await);
        let kinds: Vec<_> = seen
            .iter()
            .map(|(kind, _)| *kind)
            .filter(|kind| *kind < 4)
            .collect();
        assert_eq!(kinds, [1, 0, 1], "{authority}: {seen:?}");
    }
}

#[tokio::test]
async fn a_reset_while_an_answer_waits_for_room_ends_the_call() {
    let node = with(|_| {});
    node.put("big", 1 << 20);
    let client = node.client().await;
    for path in [LIST, WATCH] {
        let response = client
            .start(request(path), &framed(b""))
            .await
            .await
            .unwrap();
        until(|| node.server.metrics_text().contains("podsapi_calls 1\n")).await;
        drop(response);
        until(|| node.server.metrics_text().contains("podsapi_calls 0\n")).await;
    }
}
