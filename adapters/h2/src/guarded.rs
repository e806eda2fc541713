//! A byte stream that counts what passes, notes when it was last heard and gives up stalled writes.

use std::{
    io::{self, IoSlice},
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
};

use podsapi_core::Moment;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::{
    alarm::{Alarm, after},
    refusals::Refusals,
    runtime::Runtime,
    server::Shared,
};

/// The transport of one connection.
pub(crate) struct Guarded<IO, R: Runtime> {
    io: IO,
    shared: Arc<Shared<R>>,
    heard: Arc<Heard>,
    alarm: Alarm<R>,
    /// Since when a write waits; none while writes go through.
    stalled: Option<Moment>,
    refusals: Refusals,
}

/// Whether something was read from a connection since that was asked last.
#[derive(Debug, Default)]
pub(crate) struct Heard(AtomicBool);

impl Heard {
    /// Tells whether something was read, and forgets it.
    pub(crate) fn take(&self) -> bool {
        self.0.load(Ordering::Relaxed) && self.0.swap(false, Ordering::Relaxed)
    }
}

impl<IO, R: Runtime> Guarded<IO, R> {
    /// Wraps the transport.
    pub(crate) fn new(io: IO, shared: Arc<Shared<R>>, heard: Arc<Heard>) -> Self {
        let alarm = Alarm::new(shared.runtime.clone());
        Self {
            io,
            shared,
            heard,
            alarm,
            stalled: None,
            refusals: Refusals::default(),
        }
    }

    /// Passes on what a write came to, and fails it when it has waited for too long.
    fn watched<T>(
        &mut self,
        cx: &mut Context<'_>,
        result: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if result.is_ready() {
            self.stalled = None;
            return result;
        }
        let now = self.shared.runtime.now();
        let since = *self.stalled.get_or_insert(now);
        let give_up = after(since, self.shared.limits.write_stall_timeout);
        self.alarm.poll_passed(cx, give_up).map(|()| {
            Err(io::Error::new(
                io::ErrorKind::TimedOut,
                "the peer does not read",
            ))
        })
    }
}

impl<IO: AsyncRead + Unpin, R: Runtime> AsyncRead for Guarded<IO, R> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buf.filled().len();
        let result = Pin::new(&mut this.io).poll_read(cx, buf);
        let count = buf.filled().len() - before;
        if count > 0 {
            this.shared.meters.received.add(count);
            this.heard.0.store(true, Ordering::Relaxed);
        }
        result
    }
}

impl<IO: AsyncWrite + Unpin, R: Runtime> AsyncWrite for Guarded<IO, R> {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let result = Pin::new(&mut this.io).poll_write(cx, buf);
        let result = this.watched(cx, result);
        this.count_sent(&[IoSlice::new(buf)], result)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let result = Pin::new(&mut this.io).poll_write_vectored(cx, bufs);
        let result = this.watched(cx, result);
        this.count_sent(bufs, result)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let result = Pin::new(&mut this.io).poll_flush(cx);
        this.watched(cx, result)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let result = Pin::new(&mut this.io).poll_shutdown(cx);
        this.watched(cx, result)
    }
}

impl<IO, R: Runtime> Guarded<IO, R> {
    /// Counts what went out of these bytes.
    fn count_sent(
        &mut self,
        bufs: &[IoSlice<'_>],
        result: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        if let Poll::Ready(Ok(count)) = result {
            let meters = &self.shared.meters;
            meters.sent.add(count);
            let refused = self.refusals.follow_all(bufs, count);
            if refused > 0 {
                meters.streams_refused.add(refused);
            }
        }
        result
    }
}
