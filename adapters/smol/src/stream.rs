//! A UNIX stream of async-io with the traits that h2 is written against.

use std::io::{self, IoSlice, Read};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use async_io::Async;
use podsapi_socket::send;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// One connection.
#[derive(Debug)]
pub(crate) struct Stream(Async<UnixStream>);

impl Stream {
    /// Registers an accepted stream with the reactor.
    pub(crate) fn new(stream: UnixStream) -> io::Result<Self> {
        Async::new(stream).map(Self)
    }

    /// Tries until the stream is ready for it; `wait` says what to wait for.
    fn attempt<T>(
        &self,
        cx: &mut Context<'_>,
        wait: impl Fn(&Async<UnixStream>, &mut Context<'_>) -> Poll<io::Result<()>>,
        mut act: impl FnMut(&UnixStream) -> io::Result<T>,
    ) -> Poll<io::Result<T>> {
        loop {
            match act(self.0.get_ref()) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    ready!(wait(&self.0, cx))?;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => return Poll::Ready(result),
            }
        }
    }
}

impl AsyncRead for Stream {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let read = self.attempt(cx, Async::poll_readable, |mut stream| {
            stream.read(buf.initialize_unfilled())
        });
        read.map_ok(|count| buf.advance(count))
    }
}

impl AsyncWrite for Stream {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.poll_write_vectored(cx, &[IoSlice::new(buf)])
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.attempt(cx, Async::poll_writable, |stream| send(stream, bufs))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        // A socket has no buffer of its own to flush.
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(self.0.get_ref().shutdown(Shutdown::Write))
    }
}
