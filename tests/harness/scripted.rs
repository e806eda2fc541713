//! An h2 server that reads a script instead of a socket, without a runtime.

use core::future::Future;
use core::pin::{Pin, pin};
use core::task::{Context, Poll, Waker};
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// What h2 made of the script.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Served {
    /// The requests that it handed over, as text.
    pub(crate) requests: Vec<String>,
    /// Whether it reset a stream or ended the connection.
    pub(crate) refused: bool,
    /// Whether it ended the connection.
    pub(crate) ended: bool,
}

/// Serves a client that sends these bytes and then stays silent.
pub(crate) fn serve(sent: &[u8]) -> Served {
    let written = Arc::default();
    let io = Script {
        unread: sent.to_vec(),
        written: Arc::clone(&written),
    };
    let mut context = Context::from_waker(Waker::noop());
    let mut served = Served::default();
    let mut handshake = pin!(h2::server::handshake(io));
    let mut connection = match handshake.as_mut().poll(&mut context) {
        Poll::Ready(Ok(connection)) => connection,
        Poll::Ready(Err(_)) => {
            return Served {
                ended: true,
                ..served
            };
        }
        Poll::Pending => return served,
    };
    // The handles stay alive: dropping one would reset its stream.
    let mut handles = Vec::new();
    loop {
        match connection.poll_accept(&mut context) {
            Poll::Ready(Some(Ok((request, respond)))) => {
                let (parts, body) = request.into_parts();
                let stream = respond.stream_id();
                let request = (stream, parts.method, parts.uri, parts.headers);
                served.requests.push(format!("{request:?}"));
                handles.push((respond, body));
            }
            Poll::Ready(Some(Err(_)) | None) => {
                served.ended = true;
                break;
            }
            Poll::Pending => break,
        }
    }
    let written = written.lock().unwrap_or_else(PoisonError::into_inner);
    served.ended |= sends(&written, GO_AWAY);
    served.refused |= served.ended || sends(&written, RST_STREAM);
    served
}

const RST_STREAM: u8 = 3;
const GO_AWAY: u8 = 7;

/// Returns whether a frame of this kind is among these.
fn sends(mut frames: &[u8], wanted: u8) -> bool {
    while let [a, b, c, kind, rest @ ..] = frames {
        if *kind == wanted {
            return true;
        }
        let payload = u32::from_be_bytes([0, *a, *b, *c]);
        let next = usize::try_from(payload).map_or(usize::MAX, |payload| payload + 5);
        frames = rest.get(next..).unwrap_or_default();
    }
    false
}

/// The two directions of a connection, in memory.
struct Script {
    unread: Vec<u8>,
    written: Arc<Mutex<Vec<u8>>>,
}

impl AsyncRead for Script {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.unread.is_empty() {
            return Poll::Pending;
        }
        let length = self.unread.len().min(buffer.remaining());
        buffer.put_slice(&self.unread.drain(..length).collect::<Vec<_>>());
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Script {
    fn poll_write(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.written
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .extend_from_slice(bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
