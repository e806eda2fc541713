//! A stream of tokio's that is written to without a signal when its peer has left.

use std::io::{self, IoSlice};
use std::os::fd::AsFd;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use podsapi_socket::send;
use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};
use tokio::net::{TcpStream, UnixStream};

/// A stream that is read by tokio and written by [`send`].
#[derive(Debug)]
pub(crate) struct Transport<S>(pub(crate) S);

/// What both kinds of streams have in common, for which tokio has no trait.
pub(crate) trait Stream: AsyncRead + AsyncWrite + AsFd + Send + Unpin + 'static {
    fn poll_write_ready(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>>;

    /// Writes if the stream is ready, and remembers if it turns out not to be.
    fn try_write(&self, write: impl FnOnce() -> io::Result<usize>) -> io::Result<usize>;
}

impl Stream for UnixStream {
    fn poll_write_ready(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_write_ready(cx)
    }

    fn try_write(&self, write: impl FnOnce() -> io::Result<usize>) -> io::Result<usize> {
        self.try_io(Interest::WRITABLE, write)
    }
}

impl Stream for TcpStream {
    fn poll_write_ready(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_write_ready(cx)
    }

    fn try_write(&self, write: impl FnOnce() -> io::Result<usize>) -> io::Result<usize> {
        self.try_io(Interest::WRITABLE, write)
    }
}

impl<S: Stream> AsyncRead for Transport<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(cx, buffer)
    }
}

impl<S: Stream> AsyncWrite for Transport<S> {
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
        let stream = &self.0;
        loop {
            ready!(stream.poll_write_ready(cx))?;
            match stream.try_write(|| send(stream, slices)) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                written => return Poll::Ready(written),
            }
        }
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(cx)
    }
}
