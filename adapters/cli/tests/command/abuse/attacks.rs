//! The attacks by name, and how each one is carried out.

use std::path::Path;
use std::time::Duration;

use podsapi_tests::frames::{PREFACE, settings};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::net::unix::OwnedReadHalf;

use super::floods::{self, Streams};
use super::sockets;

/// What goes over the wire.
#[derive(Clone, Copy)]
pub(super) enum Attack {
    /// These bytes again and again, as fast as they are taken, on a new connection whenever the last
    /// one ends; all that is answered is read and thrown away.
    Flood(fn(&mut Streams) -> Vec<u8>),
    /// The same, and nothing is read.
    Deaf(fn(&mut Streams) -> Vec<u8>),
    /// As many connections, each of which sends these bytes once, and then nothing.
    Hold(usize, fn(&mut Streams) -> Vec<u8>),
    /// These bytes one at a time.
    Trickle(fn(&mut Streams) -> Vec<u8>),
    /// Bytes that are no HTTP/2.
    Bare(&'static [u8]),
    /// Something that is not about bytes.
    Socket(sockets::Kind),
}

/// Every attack of the list; two of a number are two ways to do it.
pub(super) const ATTACKS: &[(&str, Attack)] = &[
    ("A1 rapid reset", Attack::Flood(floods::call_and_reset)),
    (
        "A2 reset before accept",
        Attack::Flood(floods::thousand_resets),
    ),
    ("A3 resets by overflow", Attack::Flood(floods::overflows)),
    (
        "A3 resets by dependency",
        Attack::Flood(floods::self_dependent),
    ),
    ("A4 streams with errors", Attack::Flood(floods::odd_headers)),
    (
        "A5 CONTINUATION flood",
        Attack::Flood(floods::endless_block),
    ),
    (
        "A5 CONTINUATION trickle",
        Attack::Trickle(floods::endless_block),
    ),
    ("A6 empty DATA", Attack::Flood(floods::empty_data)),
    ("A6 tiny DATA", Attack::Flood(floods::tiny_data)),
    ("A7 empty header names", Attack::Flood(floods::nameless)),
    ("A8 PING flood", Attack::Deaf(floods::pings)),
    ("A8 PING flood, read", Attack::Flood(floods::pings)),
    ("A9 SETTINGS flood", Attack::Deaf(floods::settings_again)),
    (
        "A9 SETTINGS flood, read",
        Attack::Flood(floods::settings_again),
    ),
    ("A10 PRIORITY churn", Attack::Flood(floods::priorities)),
    ("A11 unknown frames", Attack::Flood(floods::unknown_frames)),
    ("A12 reset flood", Attack::Flood(floods::resets_of_idle)),
    ("A13 window of one byte", Attack::Flood(floods::dribble)),
    (
        "A14 open window, socket not read",
        Attack::Deaf(floods::lists),
    ),
    ("A15 HPACK bomb", Attack::Flood(floods::references)),
    ("A16 giant strings", Attack::Flood(floods::giant_string)),
    ("A16 long integers", Attack::Flood(floods::long_integer)),
    ("A17 WINDOW_UPDATE of 0", Attack::Flood(floods::zero_update)),
    (
        "A18 window overflow",
        Attack::Flood(floods::window_overflow),
    ),
    (
        "A18 SETTINGS overflow",
        Attack::Flood(floods::settings_overflow),
    ),
    (
        "A19 DATA over the window",
        Attack::Flood(floods::over_window),
    ),
    (
        "A19 padding longer than DATA",
        Attack::Flood(floods::bad_padding),
    ),
    ("A19 even stream", Attack::Flood(floods::even_stream)),
    ("A19 PUSH_PROMISE", Attack::Flood(floods::promise)),
    ("A19 frame too large", Attack::Flood(floods::large_frame)),
    ("A20 no preface", Attack::Hold(100, floods::nothing)),
    ("A20 slow preface", Attack::Trickle(floods::nothing)),
    (
        "A21 preface, then silence",
        Attack::Hold(100, floods::nothing),
    ),
    ("A22 many connections", Attack::Socket(sockets::Kind::Crowd)),
    ("A24 many streams", Attack::Flood(floods::open_streams)),
    ("A25 refusals", Attack::Flood(floods::many_calls)),
    (
        "A26 body never ends",
        Attack::Hold(20, floods::open_streams),
    ),
    ("A27 length of 4 GiB", Attack::Flood(floods::claims)),
    (
        "A28 partial messages",
        Attack::Hold(20, floods::partial_messages),
    ),
    (
        "A29 bodies of refused calls",
        Attack::Flood(floods::unread_bodies),
    ),
    ("A30 stuck watches", Attack::Hold(20, floods::watches)),
    (
        "A31 watch and cancel",
        Attack::Flood(floods::watch_and_cancel),
    ),
    ("A32 stopped peer", Attack::Hold(20, floods::lists)),
    (
        "A33 closed while answered",
        Attack::Socket(sockets::Kind::Leave),
    ),
    ("A34 gzip bomb", Attack::Flood(floods::compressed)),
    (
        "A35 passed descriptors",
        Attack::Socket(sockets::Kind::Descriptors),
    ),
    ("A37 full backlog", Attack::Socket(sockets::Kind::Storm)),
    ("A38 words for the log", Attack::Flood(floods::forged_paths)),
    ("A39 many headers", Attack::Flood(floods::many_headers)),
    (
        "HTTP/1.1",
        Attack::Bare(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n"),
    ),
    (
        "TLS",
        Attack::Bare(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"),
    ),
];

/// Attacks for so long.
pub(super) async fn attack(socket: &Path, kind: Attack, time: Duration) {
    let fighting = async {
        match kind {
            Attack::Flood(bytes) => repeat(socket, bytes, true).await,
            Attack::Deaf(bytes) => repeat(socket, bytes, false).await,
            Attack::Hold(count, bytes) => hold(socket, count, bytes).await,
            Attack::Trickle(bytes) => trickle(socket, bytes).await,
            Attack::Bare(bytes) => bare(socket, bytes).await,
            Attack::Socket(kind) => sockets::attack(socket, kind).await,
        }
    };
    let _over = tokio::time::timeout(time, fighting).await;
}

/// Connects; where it is not let in, it tries again.
async fn connect(socket: &Path) -> UnixStream {
    loop {
        match UnixStream::connect(socket).await {
            Ok(stream) => return stream,
            Err(_) => tokio::time::sleep(Duration::from_millis(1)).await,
        }
    }
}

async fn discard(mut stream: OwnedReadHalf) {
    let mut buffer = vec![0; 64 << 10];
    while stream.read(&mut buffer).await.is_ok_and(|count| count > 0) {}
}

fn beginning() -> Vec<u8> {
    [PREFACE, &settings(&[])].concat()
}

async fn repeat(socket: &Path, bytes: fn(&mut Streams) -> Vec<u8>, reads: bool) {
    loop {
        let (reader, mut writer) = connect(socket).await.into_split();
        let (mut kept, mut reading) = (None, None);
        if reads {
            reading = Some(AbortOnDrop(tokio::spawn(discard(reader))));
        } else {
            kept = Some(reader);
        }
        let mut streams = Streams::default();
        let mut next = beginning();
        while writer.write_all(&next).await.is_ok() {
            next = bytes(&mut streams);
            if next.is_empty() {
                break;
            }
            tokio::task::yield_now().await;
        }
        drop((kept.take(), reading.take()));
        tokio::task::yield_now().await;
    }
}

struct AbortOnDrop(tokio::task::JoinHandle<()>);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

async fn hold(socket: &Path, count: usize, bytes: fn(&mut Streams) -> Vec<u8>) {
    let mut held = Vec::new();
    for _ in 0..count {
        let mut stream = connect(socket).await;
        let mut streams = Streams::default();
        let wanted = bytes(&mut streams);
        // Whoever sends nothing does not even say hello.
        if !wanted.is_empty() {
            let _refused = stream.write_all(&[beginning(), wanted].concat()).await;
        }
        held.push(stream);
    }
    std::future::pending().await
}

async fn trickle(socket: &Path, bytes: fn(&mut Streams) -> Vec<u8>) {
    loop {
        let mut stream = connect(socket).await;
        let mut streams = Streams::default();
        for byte in [beginning(), bytes(&mut streams)].concat() {
            if stream.write_all(&[byte]).await.is_err() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

async fn bare(socket: &Path, bytes: &[u8]) {
    loop {
        let mut stream = connect(socket).await;
        let _refused = stream.write_all(bytes).await;
        let mut answer = Vec::new();
        let _closed = stream.read_to_end(&mut answer).await;
    }
}
