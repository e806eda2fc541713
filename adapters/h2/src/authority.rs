//! Makes the authorities that clients send over UNIX sockets acceptable to h2.
//!
//! Many clients put the socket's path into `:authority`, in one form or another. h2 parses that
//! field with [`http::uri::Authority`] and resets the stream with `PROTOCOL_ERROR` when it does not
//! parse, before the application sees anything, and has no option for it. The path says nothing
//! that the server needs, so [`AuthorityFilter`] stands between the socket and h2 and replaces the
//! bytes that no authority may hold by hyphens.
//!
//! Only that field changes, and only when it would be refused: for all other clients the filter is
//! the identity. The decoded length of the value stays, since the dynamic table of HPACK counts it.
#![warn(
    clippy::std_instead_of_core,
    clippy::std_instead_of_alloc,
    clippy::alloc_instead_of_core,
    clippy::exhaustive_enums,
    clippy::exhaustive_structs
)]
#![cfg_attr(
    not(test),
    warn(clippy::indexing_slicing, clippy::cast_possible_truncation)
)]

extern crate alloc;

mod frames;
mod hpack;
mod huffman;
mod lists;
#[cfg(test)]
mod tests;

use alloc::sync::Arc;
use core::pin::Pin;
use core::sync::atomic::{AtomicU64, Ordering};
use core::task::{Context, Poll, ready};
use std::io;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

pub use frames::{AuthorityScanner, MAX_HEADER_BYTES};

/// Bytes of output buffer that a connection keeps while it has nothing to hand over.
const RETAINED_BYTES: usize = 4_096;

/// A byte stream whose reading side passes an [`AuthorityScanner`].
///
/// Bytes that need no change are read straight into the reader's buffer; only header blocks that
/// are split or rewritten take a detour. Writing is not touched.
///
/// # Examples
///
/// ```
/// # async fn serve(socket: tokio::net::UnixStream) -> Result<(), h2::Error> {
/// let socket = podsapi_h2::AuthorityFilter::new(socket);
/// let connection = h2::server::handshake(socket).await?;
/// # drop(connection);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct AuthorityFilter<IO> {
    io: IO,
    scanner: AuthorityScanner,
    /// Scanned bytes that the reader has not taken yet, from `taken` on.
    output: Vec<u8>,
    taken: usize,
    /// [`AuthorityScanner::unfinished`] while a read waits, or 0, for who cannot see the filter
    /// inside h2.
    unfinished: Arc<AtomicU64>,
}

impl<IO> AuthorityFilter<IO> {
    /// Wraps a connection that nothing has been read from yet.
    #[must_use]
    pub fn new(io: IO) -> Self {
        Self {
            io,
            scanner: AuthorityScanner::new(),
            output: Vec::new(),
            taken: 0,
            unfinished: Arc::default(),
        }
    }

    /// Returns the cell with the number of the frame or header block that has begun and whose end
    /// has not come, 0 between two and while nobody reads; h2 waits for that end without a limit.
    pub(crate) fn unfinished(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.unfinished)
    }

    /// Returns the wrapped connection.
    pub const fn get_ref(&self) -> &IO {
        &self.io
    }

    /// Moves scanned bytes to the reader; false when there are none.
    fn hand_over(&mut self, buffer: &mut ReadBuf<'_>) -> bool {
        let waiting = self.output.get(self.taken..).unwrap_or_default();
        if waiting.is_empty() {
            return false;
        }
        let length = waiting.len().min(buffer.remaining());
        buffer.put_slice(waiting.get(..length).unwrap_or_default());
        self.taken += length;
        if self.taken == self.output.len() {
            self.output.clear();
            self.output.shrink_to(RETAINED_BYTES);
            self.taken = 0;
        }
        true
    }
}

impl<IO: AsyncRead + Unpin> AsyncRead for AuthorityFilter<IO> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let filter = self.get_mut();
        let result = filter.poll_scanned(context, buffer);
        // Only a read that waits is up to the client: h2 does not read while it cannot write.
        let unfinished = match result {
            Poll::Pending => filter.scanner.unfinished().unwrap_or_default(),
            Poll::Ready(_) => 0,
        };
        filter.unfinished.store(unfinished, Ordering::Relaxed);
        result
    }
}

impl<IO: AsyncRead + Unpin> AuthorityFilter<IO> {
    /// Reads until there is something to hand over, or nothing comes.
    fn poll_scanned(
        &mut self,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let filter = self;
        if buffer.remaining() == 0 {
            return Poll::Ready(Ok(()));
        }
        while !filter.hand_over(buffer) {
            let before = buffer.filled().len();
            ready!(Pin::new(&mut filter.io).poll_read(context, buffer))?;
            let fresh = buffer.filled().get(before..).unwrap_or_default();
            if fresh.is_empty() {
                filter.scanner.finish(&mut filter.output);
                filter.hand_over(buffer);
                return Poll::Ready(Ok(()));
            }
            let passed = filter.scanner.pass(fresh);
            filter
                .scanner
                .push(fresh.get(passed..).unwrap_or_default(), &mut filter.output);
            buffer.set_filled(before + passed);
            if passed > 0 {
                return Poll::Ready(Ok(()));
            }
        }
        Poll::Ready(Ok(()))
    }
}

impl<IO: AsyncWrite + Unpin> AsyncWrite for AuthorityFilter<IO> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(context)
    }
}
