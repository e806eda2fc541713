//! Which connections the server ends by itself, and which their clients leave.

use std::time::Duration;

use tokio::io::AsyncWriteExt;

use crate::{
    connections::{
        EMPTY_SETTINGS, GOAWAY, PREFACE, SETTINGS, frame, frames, header_block, rest, with,
    },
    harness::LIST,
};

#[tokio::test(start_paused = true)]
async fn a_client_that_leaves_is_not_one_that_was_ended() {
    let node = with(|_| {});
    for begun in [
        &PREFACE[..0],
        &PREFACE[..5],
        PREFACE,
        &[PREFACE, EMPTY_SETTINGS].concat(),
        &[PREFACE, EMPTY_SETTINGS, &frame(GOAWAY, 0, 0, &[0; 8])].concat(),
    ] {
        let (mut io, server) = node.pipe(1 << 16);
        io.write_all(begun).await.unwrap();
        tokio::time::sleep(Duration::from_secs(1)).await;
        drop(io);
        server.await.unwrap();
    }
    node.has_ended(&[]);
}

#[tokio::test(start_paused = true)]
async fn what_the_library_ends_is_counted_by_what_was_wrong() {
    let broken = [
        ("protocol_error", frame(0, 0, 0, b"data on no stream")),
        ("protocol_error", frame(SETTINGS, 0, 0, &[0; 5])),
        ("protocol_error", frame(1, 4, 1, &[0x80])),
        ("flood", empty_data(200)),
        ("flood", resets(20)),
    ];
    for (reason, bytes) in broken {
        let node = with(|limits| limits.max_stream_errors = 10);
        let (mut io, server) = node.pipe(1 << 16);
        let sent = [PREFACE, EMPTY_SETTINGS, &bytes].concat();
        io.write_all(&sent).await.unwrap();
        let seen = rest(&mut io).await;
        server.await.unwrap();
        assert!(frames(&seen).iter().any(|(kind, _)| *kind == GOAWAY));
        node.has_ended(&[(reason, 1)]);
    }
    let node = with(|_| {});
    let (mut io, server) = node.pipe(1 << 16);
    let sent = [PREFACE, EMPTY_SETTINGS, &resets(20)].concat();
    io.write_all(&sent).await.unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(node.server.connection_count(), 1, "1,024 by default");
    drop(io);
    server.await.unwrap();
}

/// A call with so many frames that say nothing.
fn empty_data(count: usize) -> Vec<u8> {
    let mut bytes = frame(1, 4, 1, &list_headers());
    bytes.extend(frame(0, 0, 1, &[]).repeat(count));
    bytes
}

/// So many calls of which each is against the protocol: a window grows beyond what there is.
fn resets(count: u8) -> Vec<u8> {
    let calls = (0..count).flat_map(|number| {
        let stream = 2 * number + 1;
        let mut call = frame(1, 4, stream, &list_headers());
        call.extend(frame(8, 0, stream, &[0x7f, 0xff, 0xff, 0xff]));
        call
    });
    calls.collect()
}

fn list_headers() -> Vec<u8> {
    header_block(&[
        (":method", "POST"),
        (":scheme", "http"),
        (":path", LIST),
        ("content-type", "application/grpc"),
    ])
}
