//! How the attacks are carried out.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use podsapi_tests::frames::{PREFACE, kind, settings};
use tokio::io::{AsyncReadExt, AsyncWriteExt, Interest};
use tokio::net::UnixStream;
use tokio::runtime::Handle;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::floods::Streams;
use super::sockets;
use super::tally::{Ear, Tally};

/// What a client sends next on a connection that has begun.
pub(super) type Bytes = fn(&mut Streams) -> Vec<u8>;

/// How long a held connection stays at least before another one takes its place: less than it takes
/// the server to end what does not go on, so that what is held is always there.
const HELD: Duration = Duration::from_secs(5);

/// How often a held connection is looked at.
const LOOK: Duration = Duration::from_millis(50);

/// What goes over the wire.
#[derive(Clone, Copy)]
pub(super) enum Attack {
    /// These bytes again and again, as fast as they are taken, on a new connection whenever the last
    /// one ends; all that is answered is read, counted and thrown away.
    Flood(Bytes),
    /// The same, and nothing is read until the connection is over.
    Deaf(Bytes),
    /// The same, and the next bytes come only after the server has said something.
    Paced(Bytes),
    /// As many connections at all times, each of which sends these bytes once, and then nothing, or
    /// the second ones now and then; nothing is read.
    Hold(usize, Bytes, Option<Bytes>),
    /// As many connections that say nothing; one that the server ends is followed by another at once.
    Silent(usize),
    /// As many connections, each of which sends these bytes, the first time with all that begins a
    /// connection, and all of them one at a time with this pause.
    Trickle(usize, Duration, Bytes),
    /// Bytes that are no HTTP/2, on one connection after another.
    Bare(&'static [u8]),
    /// Something that is not about bytes.
    Socket(sockets::Kind),
}

/// Begins an attack, which goes on until the set is dropped.
pub(super) fn begin(
    runtime: &Handle,
    socket: &Path,
    attack: Attack,
    tally: &Arc<Tally>,
) -> JoinSet<()> {
    let mut tasks = JoinSet::new();
    let (socket, own) = (socket.to_owned(), || Arc::clone(tally));
    match attack {
        Attack::Flood(bytes) => {
            tasks.spawn_on(flood(socket, bytes, Reading::All, own()), runtime);
        }
        Attack::Deaf(bytes) => {
            tasks.spawn_on(flood(socket, bytes, Reading::Nothing, own()), runtime);
        }
        Attack::Paced(bytes) => {
            tasks.spawn_on(flood(socket, bytes, Reading::Between, own()), runtime);
        }
        Attack::Hold(count, bytes, more) => {
            for place in 0..count {
                // Not all leave at one time.
                let time = HELD + LOOK * u32::try_from(place).unwrap_or_default();
                tasks.spawn_on(hold(socket.clone(), time, bytes, more, own()), runtime);
            }
        }
        Attack::Silent(count) => {
            for _ in 0..count {
                tasks.spawn_on(say_nothing(socket.clone(), own()), runtime);
            }
        }
        Attack::Trickle(count, pause, bytes) => {
            for _ in 0..count {
                tasks.spawn_on(trickle(socket.clone(), pause, bytes, own()), runtime);
            }
        }
        Attack::Bare(bytes) => {
            tasks.spawn_on(bare(socket, bytes, own()), runtime);
        }
        Attack::Socket(kind) => {
            tasks.spawn_on(sockets::attack(socket, kind, own()), runtime);
        }
    }
    tasks
}

/// Connects; where it is not let in, it tries again.
pub(super) async fn connect(socket: &Path, tally: &Tally) -> UnixStream {
    loop {
        match UnixStream::connect(socket).await {
            Ok(stream) => {
                tally.connected();
                return stream;
            }
            Err(_full) => {
                tally.found_full();
                sleep(Duration::from_millis(1)).await;
            }
        }
    }
}

/// Returns what every client sends first.
pub(super) fn beginning() -> Vec<u8> {
    [PREFACE, &settings(&[])].concat()
}

/// Writes all and counts it; false when the server has closed.
async fn write(stream: &mut (impl AsyncWriteExt + Unpin), bytes: &[u8], tally: &Tally) -> bool {
    let written = stream.write_all(bytes).await.is_ok();
    if written {
        tally.wrote(bytes);
    }
    written
}

/// Reads once; false when the server has closed.
async fn read(
    stream: &mut (impl AsyncReadExt + Unpin),
    buffer: &mut [u8],
    ear: &mut Ear,
    tally: &Tally,
) -> bool {
    match stream.read(buffer).await {
        Ok(0) | Err(_) => false,
        Ok(count) => {
            ear.hear(&buffer[..count], tally);
            true
        }
    }
}

/// Reads until the server closes.
async fn read_all(stream: &mut (impl AsyncReadExt + Unpin), ear: &mut Ear, tally: &Tally) {
    let mut buffer = vec![0; 64 << 10];
    while read(stream, &mut buffer, ear, tally).await {}
}

/// When a flood reads.
enum Reading {
    All,
    Nothing,
    Between,
}

async fn flood(socket: PathBuf, bytes: Bytes, reading: Reading, tally: Arc<Tally>) {
    loop {
        let (mut reader, mut writer) = connect(&socket, &tally).await.into_split();
        let mut ear = Ear::default();
        let mut streams = Streams::default();
        let mut next = beginning();
        match reading {
            Reading::Between => {
                let mut buffer = vec![0; 64 << 10];
                while write(&mut writer, &next, &tally).await
                    && read(&mut reader, &mut buffer, &mut ear, &tally).await
                {
                    next = bytes(&mut streams);
                }
            }
            Reading::All | Reading::Nothing => {
                let writing = async {
                    while write(&mut writer, &next, &tally).await {
                        next = bytes(&mut streams);
                        tokio::task::yield_now().await;
                    }
                };
                tokio::select! {
                    () = writing => {}
                    () = read_all(&mut reader, &mut ear, &tally),
                        if matches!(reading, Reading::All) => {}
                }
            }
        }
        // What the server said last is heard, too; it is there already.
        let rest = read_all(&mut reader, &mut ear, &tally);
        let _silent = timeout(Duration::from_millis(10), rest).await;
        tally.closed();
    }
}

async fn hold(
    socket: PathBuf,
    time: Duration,
    bytes: Bytes,
    more: Option<Bytes>,
    tally: Arc<Tally>,
) {
    loop {
        let mut stream = connect(&socket, &tally).await;
        let held = async {
            let mut streams = Streams::default();
            // Only after this frame is the window of the connection as large as it gets.
            let mut greeting = [0; 512];
            let mut ear = Ear::default();
            if !write(&mut stream, &beginning(), &tally).await {
                return;
            }
            while ear.count(kind::WINDOW_UPDATE) == 0 {
                if !read(&mut stream, &mut greeting, &mut ear, &tally).await {
                    return;
                }
            }
            if !write(&mut stream, &bytes(&mut streams), &tally).await {
                return;
            }
            loop {
                sleep(LOOK).await;
                let state = timeout(Duration::ZERO, stream.ready(Interest::READABLE)).await;
                if state.is_ok_and(|state| state.is_ok_and(|state| state.is_read_closed())) {
                    return;
                }
                if let Some(more) = more
                    && !write(&mut stream, &more(&mut streams), &tally).await
                {
                    return;
                }
            }
        };
        if timeout(time, held).await.is_ok() {
            tally.closed();
        }
    }
}

async fn say_nothing(socket: PathBuf, tally: Arc<Tally>) {
    loop {
        let mut stream = connect(&socket, &tally).await;
        read_all(&mut stream, &mut Ear::default(), &tally).await;
        tally.closed();
    }
}

async fn trickle(socket: PathBuf, pause: Duration, bytes: Bytes, tally: Arc<Tally>) {
    loop {
        let mut stream = connect(&socket, &tally).await;
        let mut streams = Streams::default();
        let mut next = beginning();
        'connection: loop {
            for byte in next {
                if stream.write_all(&[byte]).await.is_err() {
                    break 'connection;
                }
                tally.wrote_byte();
                sleep(pause).await;
            }
            next = bytes(&mut streams);
        }
        tally.closed();
    }
}

async fn bare(socket: PathBuf, bytes: &[u8], tally: Arc<Tally>) {
    loop {
        let mut stream = connect(&socket, &tally).await;
        let _refused = stream.write_all(bytes).await;
        read_all(&mut stream, &mut Ear::default(), &tally).await;
        tally.closed();
    }
}
