//! A transport that gathers what is written and hands it on in few large writes.

use std::{
    io::{self, IoSlice},
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, ready},
};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::{
    ledger::{Ledger, Lent},
    queue::Queue,
};

/// One end of a transport that the library and the driver of a connection share.
///
/// The library makes one write for each DATA frame, and each write wakes the reader, which is most
/// of what an answer costs. So writing and flushing only gather here; the driver has all of it
/// written with [`Gathered::poll_drain`] when it has nothing more to do. A reader that does not read
/// makes the library wait once as many bytes are here as may be.
#[derive(Debug)]
pub(crate) struct Gathered<IO> {
    inner: Arc<Mutex<Inner<IO>>>,
}

#[derive(Debug)]
struct Inner<IO> {
    io: IO,
    ledger: Arc<Ledger>,
    queue: Queue,
    /// Bytes that wait before who writes has to wait too.
    limit: usize,
    /// Something was written since the transport was flushed.
    unflushed: bool,
    /// Reads that are left of this turn; one that finds nothing takes none, and others have theirs.
    reads: u32,
    /// What the first write announces as the largest header list; none once it was written.
    header_list: Option<u32>,
}

/// Reads of a connection before others have their turn.
///
/// 2, of some 8 KiB each: a hundred calls that come at one time take fewer. The library reads for as
/// long as there is something: without a bound a client that sends without end would keep a thread
/// for itself, and with 8 reads of streams that must be reset others waited for milliseconds.
const READS_A_TURN: u32 = 2;

/// Parts of one vectored write: enough for what the kernel takes at one time in pods of some KiB.
const SLICES: usize = 128;

impl<IO> Gathered<IO> {
    /// Wraps a transport; bytes that `ledger` knows are held by reference until they are written.
    ///
    /// Who writes has to wait once `limit` bytes wait for the socket.
    pub(crate) fn new(io: IO, ledger: Arc<Ledger>, limit: usize) -> Self {
        let inner = Inner {
            io,
            ledger,
            queue: Queue::default(),
            limit,
            unflushed: false,
            reads: READS_A_TURN,
            header_list: None,
        };
        Self {
            inner: Arc::new(Mutex::new(inner)),
        }
    }

    /// Has the first SETTINGS, which is the first that is written, say this of header lists.
    ///
    /// The library announces the size from which on it refuses a stream by itself, without a word of
    /// gRPC; the server refuses streams before that.
    pub(crate) fn announce_header_list(&self, bytes: u32) {
        self.lock().header_list = Some(bytes);
    }

    /// Begins a turn of the connection, in which so much is read and no more.
    pub(crate) fn begin_turn(&self) {
        self.lock().reads = READS_A_TURN;
    }

    fn lock(&self) -> MutexGuard<'_, Inner<IO>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<IO: AsyncWrite + Unpin> Gathered<IO> {
    /// Writes out all that was gathered, and flushes it.
    pub(crate) fn poll_drain(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut inner = self.lock();
        ready!(inner.poll_drain(cx))?;
        if inner.unflushed {
            ready!(Pin::new(&mut inner.io).poll_flush(cx))?;
            inner.unflushed = false;
        }
        Poll::Ready(Ok(()))
    }
}

impl<IO> Clone for Gathered<IO> {
    fn clone(&self) -> Self {
        Self {
            inner: Arc::clone(&self.inner),
        }
    }
}

impl<IO: AsyncRead + Unpin> AsyncRead for Gathered<IO> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let mut inner = self.lock();
        let Some(reads) = inner.reads.checked_sub(1) else {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        };
        let result = Pin::new(&mut inner.io).poll_read(cx, buffer);
        if result.is_ready() {
            inner.reads = reads;
        }
        result
    }
}

impl<IO: AsyncWrite + Unpin> AsyncWrite for Gathered<IO> {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.poll_write_vectored(cx, &[IoSlice::new(bytes)])
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let mut inner = self.lock();
        if inner.queue.len() >= inner.limit {
            // Not all of it has to go: a slow reader shall not wait for bytes that are ready.
            if let Poll::Ready(Err(error)) = inner.poll_drain(cx) {
                return Poll::Ready(Err(error));
            }
            if inner.queue.len() >= inner.limit {
                return Poll::Pending;
            }
        }
        let header_list = inner.header_list.take();
        let Inner { ledger, queue, .. } = &mut *inner;
        let before = queue.len();
        if let Some(bytes) = header_list {
            let greeting = announcing(slices, bytes);
            queue.copy(&greeting);
            ledger.clear();
            return Poll::Ready(Ok(greeting.len()));
        }
        ledger.settle(slices, |lent| match lent {
            Lent::Shared(bytes) => queue.share(bytes),
            Lent::Unknown(bytes) => queue.copy(bytes),
        });
        Poll::Ready(Ok(queue.len() - before))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut inner = self.lock();
        ready!(inner.poll_drain(cx))?;
        Pin::new(&mut inner.io).poll_shutdown(cx)
    }
}

impl<IO: AsyncWrite + Unpin> Inner<IO> {
    fn poll_drain(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while self.queue.len() > 0 {
            let mut slices = [IoSlice::new(&[]); SLICES];
            let filled = self.queue.fill(&mut slices);
            let slices = slices.get(..filled).unwrap_or_default();
            let io = Pin::new(&mut self.io);
            match ready!(io.poll_write_vectored(cx, slices))? {
                0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                written => {
                    self.queue.advance(written);
                    self.unflushed = true;
                }
            }
        }
        Poll::Ready(Ok(()))
    }
}

/// Returns what is first written with another size of header lists in its SETTINGS (RFC 9113
/// sections 6.5.1 and 6.5.2).
fn announcing(slices: &[IoSlice<'_>], bytes: u32) -> Vec<u8> {
    const HEAD_BYTES: usize = 9;
    const SETTINGS: u8 = 4;
    const MAX_HEADER_LIST_SIZE: [u8; 2] = [0, 6];
    let mut greeting: Vec<u8> = slices
        .iter()
        .flat_map(|slice| slice.iter())
        .copied()
        .collect();
    if let Some(([high, middle, low, SETTINGS, ..], rest)) =
        greeting.split_first_chunk_mut::<HEAD_BYTES>()
    {
        let len = u32::from_be_bytes([0, *high, *middle, *low]) as usize;
        let settings = rest.get_mut(..len).unwrap_or_default();
        for setting in settings.as_chunks_mut::<6>().0 {
            if let [a, b, value @ ..] = setting
                && [*a, *b] == MAX_HEADER_LIST_SIZE
            {
                *value = bytes.to_be_bytes();
            }
        }
    }
    greeting
}

#[cfg(test)]
mod tests;
