//! Connections in memory that take bytes in pieces, deliver them late, and break.

use std::collections::VecDeque;
use std::future::Future;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use bytes::Bytes;
use podsapi_core::Moment;
use podsapi_h2::Runtime;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::reach::Reach;
use super::world::{Sleep, World, lock};

/// What is wrong with a connection.
#[derive(Clone, Debug)]
pub(super) struct Faults {
    /// Bytes that one direction holds before its writer must wait.
    pub(super) capacity: usize,
    /// Whether reads and writes take fewer bytes than they could.
    pub(super) partial: bool,
    /// The longest time that bytes are on their way.
    pub(super) delay: Duration,
    /// Bytes after which the connection breaks, unless the world is calm: to the server, to the
    /// client.
    pub(super) cut: [Option<u64>; 2],
    /// Whether who reads a broken connection sees an error, not an end.
    pub(super) reset: bool,
    /// Whether several buffers can be written at once.
    pub(super) vectored: bool,
}

impl Faults {
    /// Draws what is wrong.
    pub(super) fn draw(world: &World) -> Self {
        let cut = |longest: u64| {
            let breaks = !world.is_calm() && world.one_in(5);
            breaks.then(|| world.draw(|random| random.u64(..longest)))
        };
        let cut = [cut(2_000), cut(40_000)];
        let delayed = world.one_in(2);
        Self {
            cut,
            capacity: world.draw(|random| 1 << random.u32(6..17)),
            partial: world.one_in(3),
            delay: Duration::from_micros(if delayed { 3_000 } else { 0 }),
            reset: world.one_in(2),
            vectored: world.one_in(2),
        }
    }
}

/// One end of a connection; dropping it is seen at the other end.
#[derive(Debug)]
pub(super) struct End {
    pipe: Arc<Pipe>,
    /// 0 at the client, which writes the first direction; 1 at the server.
    side: usize,
    arrival: Option<Pin<Box<Sleep>>>,
}

/// What both ends share.
#[derive(Debug)]
pub(super) struct Pipe {
    world: World,
    number: u64,
    faults: Faults,
    directions: Mutex<[Direction; 2]>,
    broken: AtomicBool,
    /// Set once who writes to a closed connection has not read all of it.
    overtaken: AtomicBool,
}

#[derive(Debug, Default)]
struct Direction {
    /// Bytes on their way, and when they arrive.
    chunks: VecDeque<(Moment, Bytes)>,
    held: usize,
    passed: u64,
    last_arrival: Moment,
    /// No more is written.
    closed: bool,
    /// No more is read.
    deaf: bool,
    reader: Option<Waker>,
    writer: Option<Waker>,
}

/// Returns the ends of a new connection, the client's first, and what tells how it fares.
pub(super) fn connection(world: &World, number: u64, faults: Faults) -> (End, End, Arc<Pipe>) {
    let pipe = Arc::new(Pipe {
        world: world.clone(),
        number,
        faults,
        directions: Mutex::default(),
        broken: AtomicBool::new(false),
        overtaken: AtomicBool::new(false),
    });
    let end = |side| End {
        pipe: Arc::clone(&pipe),
        side,
        arrival: None,
    };
    (end(0), end(1), Arc::clone(&pipe))
}

impl Pipe {
    /// Returns whether the connection broke.
    pub(super) fn is_broken(&self) -> bool {
        self.broken.load(Ordering::Relaxed)
    }

    /// Returns whether an end heard that the connection was closed from a write, with bytes on their
    /// way to it: what reads a connection together with writing it leaves those unread.
    pub(super) fn is_overtaken(&self) -> bool {
        self.overtaken.load(Ordering::Relaxed)
    }

    /// Returns whether bytes pass at once, or soon in great numbers.
    pub(super) fn is_fast(&self) -> bool {
        self.world.is_calm() || self.is_wide()
    }

    /// Returns whether a whole window passes in a moment, also while the world is not calm.
    pub(super) fn is_wide(&self) -> bool {
        self.faults.capacity >= 4_096
    }

    /// Returns how many more bytes may pass before the connection breaks.
    fn left(&self, side: usize, passed: u64) -> u64 {
        match self.faults.cut[side] {
            Some(cut) if !self.world.is_calm() => cut.saturating_sub(passed),
            Some(_) | None => u64::MAX,
        }
    }

    fn cut(&self, directions: &mut [Direction; 2]) {
        self.broken.store(true, Ordering::Relaxed);
        self.world
            .tell(format_args!("connection {} breaks", self.number));
        self.world.reached(Reach::ConnectionsBreak, 1);
        for direction in directions {
            direction.wake_all();
        }
    }
}

impl Direction {
    fn wake_all(&mut self) {
        let wakers = [self.reader.take(), self.writer.take()];
        wakers.into_iter().flatten().for_each(Waker::wake);
    }
}

impl AsyncRead for End {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        let (pipe, world) = (&this.pipe, &this.pipe.world);
        let mut directions = lock(&pipe.directions);
        let direction = &mut directions[1 - this.side];
        let Some((arrives, chunk)) = direction.chunks.front_mut() else {
            if pipe.is_broken() && pipe.faults.reset {
                return Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()));
            }
            if pipe.is_broken() || direction.closed {
                return Poll::Ready(Ok(()));
            }
            direction.reader = Some(cx.waker().clone());
            return Poll::Pending;
        };
        if *arrives > world.now() {
            let mut sleep = Box::pin(world.sleep_until(*arrives));
            let waits = sleep.as_mut().poll(cx).is_pending();
            this.arrival = waits.then_some(sleep);
            return Poll::Pending;
        }
        let most = chunk.len().min(buf.remaining());
        let count = match pipe.faults.partial && most > 1 {
            true => world.draw(|random| random.usize(1..=most)),
            false => most,
        };
        let bytes = chunk.split_to(count);
        if chunk.is_empty() {
            direction.chunks.pop_front();
        }
        direction.held -= count;
        buf.put_slice(&bytes);
        direction.writer.take().into_iter().for_each(Waker::wake);
        Poll::Ready(Ok(()))
    }
}

impl End {
    /// Takes as many of these bytes as there is room for, or as chance allows.
    fn write(&self, cx: &Context<'_>, bufs: &[IoSlice<'_>]) -> Poll<io::Result<usize>> {
        let (pipe, world) = (&self.pipe, &self.pipe.world);
        let mut directions = lock(&pipe.directions);
        let direction = &mut directions[self.side];
        if pipe.is_broken() || direction.closed || direction.deaf {
            let overtakes = direction.deaf && !directions[1 - self.side].chunks.is_empty();
            pipe.overtaken.fetch_or(overtakes, Ordering::Relaxed);
            return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()));
        }
        let length: usize = bufs.iter().map(|buf| buf.len()).sum();
        if length == 0 {
            return Poll::Ready(Ok(0));
        }
        let room = pipe.faults.capacity - direction.held;
        if room == 0 {
            direction.writer = Some(cx.waker().clone());
            return Poll::Pending;
        }
        let left = pipe.left(self.side, direction.passed);
        if left == 0 {
            pipe.cut(&mut directions);
            return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()));
        }
        let most = length
            .min(room)
            .min(usize::try_from(left).unwrap_or(usize::MAX));
        let count = match pipe.faults.partial && most > 1 {
            true => world.draw(|random| random.usize(1..=most)),
            false => most,
        };
        let mut bytes = Vec::with_capacity(count);
        for buf in bufs {
            let more = buf.len().min(count - bytes.len());
            bytes.extend_from_slice(&buf[..more]);
        }
        world.pass(pipe.number * 2 + self.side as u64, &bytes);
        direction.passed += count as u64;
        direction.held += count;
        // Bytes stay in their order, however long each piece takes.
        let delay = match world.is_calm() {
            true => Duration::ZERO,
            false => world.some_time(pipe.faults.delay),
        };
        let arrives = world.after(delay);
        direction.last_arrival = direction.last_arrival.max(arrives);
        let arrives = direction.last_arrival;
        direction.chunks.push_back((arrives, bytes.into()));
        direction.reader.take().into_iter().for_each(Waker::wake);
        Poll::Ready(Ok(count))
    }
}

impl AsyncWrite for End {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.write(cx, &[IoSlice::new(buf)])
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match self.pipe.faults.vectored {
            true => self.write(cx, bufs),
            false => {
                let first = bufs.iter().position(|buf| !buf.is_empty());
                self.write(cx, first.map_or(&[], |first| &bufs[first..=first]))
            }
        }
    }

    fn is_write_vectored(&self) -> bool {
        self.pipe.faults.vectored
    }

    fn poll_flush(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let direction = &mut lock(&self.pipe.directions)[self.side];
        direction.closed = true;
        direction.wake_all();
        Poll::Ready(Ok(()))
    }
}

impl Drop for End {
    fn drop(&mut self) {
        let mut directions = lock(&self.pipe.directions);
        let outgoing = &mut directions[self.side];
        outgoing.closed = true;
        outgoing.wake_all();
        let incoming = &mut directions[1 - self.side];
        incoming.deaf = true;
        incoming.wake_all();
    }
}
