//! Turns of a connection: what it does in one, what it leaves for the next, and that it has a next.

use std::{
    future::Future,
    io,
    pin::{Pin, pin},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
    time::Duration,
};

use podsapi_core::Code;
use podsapi_h2::Peer;
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufStream, ReadBuf},
    time::timeout,
};

use crate::{
    connections::{EMPTY_SETTINGS, PING, PREFACE, frame, frames, header_block, with},
    harness::{Client, LIST, framed},
};

const HEADERS: u8 = 1;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;

#[tokio::test(start_paused = true)]
async fn a_whole_call_does_not_wait_behind_many_whose_requests_have_not_come() {
    for unfinished in [10, 63, 64, 65, 150] {
        let node = with(|_| {});
        let (mut io, _server) = node.pipe(1 << 16);
        let block = header_block(&[
            (":method", "POST"),
            (":scheme", "http"),
            (":path", LIST),
            ("content-type", "application/grpc"),
        ]);
        let mut sent = [PREFACE, EMPTY_SETTINGS].concat();
        for number in 0..=unfinished {
            let stream = u16::try_from(2 * number + 1).unwrap();
            let mut headers = frame(HEADERS, END_HEADERS, 0, &block);
            headers[7..9].copy_from_slice(&stream.to_be_bytes());
            sent.extend(headers);
        }
        let mut body = frame(0, END_STREAM, 0, &framed(b""));
        let stream = u16::try_from(2 * unfinished + 1).unwrap();
        body[7..9].copy_from_slice(&stream.to_be_bytes());
        sent.extend(body);
        io.write_all(&sent).await.unwrap();
        let mut seen = Vec::new();
        let answer = async {
            while !frames(&seen).iter().any(|(kind, _)| *kind == HEADERS) {
                let mut piece = [0; 256];
                let count = io.read(&mut piece).await.unwrap();
                assert!(count > 0, "closed after {seen:?}");
                seen.extend_from_slice(&piece[..count]);
            }
        };
        let answered = timeout(Duration::from_secs(1), answer).await;
        assert!(answered.is_ok(), "behind {unfinished}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_transport_that_keeps_bytes_until_it_is_flushed_is_flushed() {
    let node = with(|_| {});
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let theirs = BufStream::new(theirs);
    let server = node.server.serve_connection(theirs, Peer::default());
    let server = tokio::spawn(server);
    let talk = async {
        let (requests, connection) = h2::client::handshake(ours).await.unwrap();
        let driver = tokio::spawn(async move { drop(connection.await) });
        let client = Client {
            requests,
            driver,
            server,
        };
        client.call(LIST, b"").await
    };
    let answer = timeout(Duration::from_secs(5), talk).await;
    assert_eq!(answer.expect("the answer is flushed").code(), Code::Ok);
}

/// How often a task was woken.
#[derive(Default)]
struct Wakes(AtomicUsize);

impl Wake for Wakes {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

#[tokio::test(start_paused = true)]
async fn a_small_call_takes_its_connection_one_look_and_no_other() {
    let node = with(|_| {});
    let (mut ours, theirs) = tokio::io::duplex(1 << 16);
    let mut connection = pin!(node.server.serve_connection(theirs, Peer::default()));
    let wakes = Arc::<Wakes>::default();
    let waker = Waker::from(Arc::clone(&wakes));
    let mut cx = Context::from_waker(&waker);
    ours.write_all(&[PREFACE, EMPTY_SETTINGS].concat())
        .await
        .unwrap();
    for _ in 0..4 {
        assert!(connection.as_mut().poll(&mut cx).is_pending());
    }
    let block = header_block(&[
        (":method", "POST"),
        (":scheme", "http"),
        (":path", LIST),
        ("content-type", "application/grpc"),
    ]);
    for stream in [1, 3, 5] {
        let mut headers = frame(HEADERS, END_HEADERS, 0, &block);
        let mut body = frame(0, END_STREAM, 0, &framed(b""));
        headers[8] = stream;
        body[8] = stream;
        wakes.0.store(0, Ordering::SeqCst);
        ours.write_all(&[headers, body].concat()).await.unwrap();
        assert_eq!(wakes.0.swap(0, Ordering::SeqCst), 1);
        assert!(connection.as_mut().poll(&mut cx).is_pending());
        assert_eq!(wakes.0.load(Ordering::SeqCst), 0, "it wakes itself");
        let mut seen = vec![0; 1 << 16];
        let count = ours.read(&mut seen).await.unwrap();
        let frames = frames(&seen[..count]);
        let ends = frames.iter().filter(|(kind, _)| *kind == HEADERS);
        assert_eq!(ends.count(), 2, "headers and trailers are there");
    }
}

/// A client that pings as fast as it is read, and reads all that comes.
struct Flood {
    next: std::collections::VecDeque<u8>,
    reads: usize,
}

impl AsyncRead for Flood {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.reads += 1;
        assert!(self.reads < 5_000, "the server reads on and on");
        let room = buffer.remaining();
        while self.next.len() < room {
            self.next.extend(frame(PING, 0, 0, &[7; 8]));
        }
        let bytes: Vec<_> = self.next.drain(..room).collect();
        buffer.put_slice(&bytes);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Flood {
    fn poll_write(
        self: Pin<&mut Self>,
        _cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

#[tokio::test(start_paused = true)]
async fn a_client_that_sends_without_end_leaves_others_their_turn_and_the_server_its_stop() {
    let node = with(|_| {});
    let flood = Flood {
        next: [PREFACE, EMPTY_SETTINGS].concat().into(),
        reads: 0,
    };
    let mut connection = pin!(node.server.serve_connection(flood, Peer::default()));
    let mut cx = Context::from_waker(Waker::noop());
    for _ in 0..10 {
        assert!(connection.as_mut().poll(&mut cx).is_pending());
    }
    node.server.shutdown();
    for _ in 0..60 {
        tokio::time::advance(Duration::from_secs(1)).await;
        if connection.as_mut().poll(&mut cx).is_ready() {
            return;
        }
    }
    panic!("the server does not stop");
}
