//! A transport that gathers what is written and hands it on in few large writes.

use std::{
    io::{self, IoSlice},
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, ready},
};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::{ledger::Ledger, queue::Queue};

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
    /// Reads that are left of this turn.
    reads: u32,
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
        };
        Self {
            inner: Arc::new(Mutex::new(inner)),
        }
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
        inner.reads = reads;
        Pin::new(&mut inner.io).poll_read(cx, buffer)
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
        let Inner { ledger, queue, .. } = &mut *inner;
        let before = queue.len();
        for slice in slices {
            match ledger.find(slice) {
                Some(shared) => queue.share(shared),
                None => queue.copy(slice),
            }
        }
        ledger.clear();
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

#[cfg(test)]
mod tests;
