//! From listeners to a server that accepts, serves, and drains when asked to stop.

use std::error::Error;
use std::fmt;
use std::future::{Future, pending, poll_fn};
use std::io;
use std::os::unix::net::{UnixListener, UnixStream};
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use async_executor::Task;
use async_io::{Async, Timer};
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use podsapi_h2::{Peer, Server};
use podsapi_socket::{AcceptCounts, Listener, Slots, accept_loop};

use crate::runtime::SmolRuntime;
use crate::stream::Stream;

/// What [`serve()`] is told beside the listeners.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServeOptions {
    /// How many connections may be open at once; one more is accepted and closed. Users other than
    /// root and the server's own get seven eighths of them.
    pub max_connections: usize,
    /// How long clients get to finish what they do once the server is asked to stop; then they are
    /// cut off.
    pub drain: Duration,
}

impl Default for ServeOptions {
    fn default() -> Self {
        Self {
            max_connections: 1024,
            drain: Duration::from_secs(10),
        }
    }
}

/// Why [`serve()`] did not begin.
#[derive(Debug)]
pub enum ServeError {
    /// There was nothing to listen on.
    NoListener,
    /// A listener could not be given to the reactor.
    Socket {
        /// Which one.
        label: String,
        /// What the system said.
        cause: io::Error,
    },
}

/// Serves all `listeners` until `stop` completes, then drains.
///
/// In order: the socket files that are still ours go, the listeners close, the server refuses new
/// calls, ends its watches and says GOAWAY, and connections get [`ServeOptions::drain`] to end by
/// themselves. What is left then is cut off, as is everything when the returned future is dropped.
///
/// # Errors
///
/// When there is no listener, or one of them cannot be used. Once it serves it does not fail.
pub async fn serve(
    server: Server<SmolRuntime>,
    runtime: SmolRuntime,
    listeners: Vec<Listener>,
    options: ServeOptions,
    stop: impl Future,
) -> Result<(), ServeError> {
    if listeners.is_empty() {
        return Err(ServeError::NoListener);
    }
    let mut sockets = Vec::with_capacity(listeners.len());
    let mut files = Vec::with_capacity(listeners.len());
    for listener in listeners {
        let label = listener.label().to_owned();
        let failed = |cause| ServeError::Socket {
            label: label.clone(),
            cause,
        };
        let (socket, file) = listener.into_parts().map_err(failed)?;
        files.push(file);
        let socket = Async::new(socket).map_err(failed)?;
        tracing::info!(socket = label, "serving");
        sockets.push((socket, label));
    }
    let slots = Slots::new(options.max_connections, nix::unistd::geteuid().as_raw());
    let counts = AcceptCounts::default();
    let accepted = Mutex::new(Vec::new());
    let connect = |stream| {
        let connection = connect(&server, &runtime, &slots, stream);
        let mut accepted = accepted.lock().unwrap_or_else(PoisonError::into_inner);
        accepted.extend(connection);
    };
    let mut loops: FuturesUnordered<_> = sockets
        .iter()
        .map(|(socket, label)| {
            accept_loop(
                |cx| poll_accept(socket, cx),
                label,
                &runtime,
                pending(),
                &counts,
                connect,
            )
        })
        .collect();

    let mut connections = Connections::default();
    let mut stop = pin!(stop);
    poll_fn(|cx| {
        // They never end; this only lets them accept.
        let _accepting = loops.poll_next_unpin(cx);
        let new = std::mem::take(&mut *accepted.lock().unwrap_or_else(PoisonError::into_inner));
        connections.tasks.extend(new);
        let _idle = connections.poll_idle(cx);
        stop.as_mut().poll(cx).map(drop)
    })
    .await;

    server.announce_shutdown();
    // A new server may already have put its own file there; that one stays.
    drop(files);
    drop(loops);
    drop(sockets);
    server.shutdown();
    let mut time = Timer::after(options.drain);
    let drained = poll_fn(|cx| {
        if connections.poll_idle(cx).is_ready() {
            return Poll::Ready(true);
        }
        Pin::new(&mut time).poll(cx).map(|_instant| false)
    });
    if drained.await {
        tracing::info!("drained");
    } else {
        let connections = connections.tasks.len();
        tracing::warn!(
            connections,
            "the drain time is over; cutting off what is left"
        );
    }
    Ok(())
}

/// The connections that are being served; dropping them cuts them off.
#[derive(Default)]
struct Connections {
    tasks: FuturesUnordered<Task<()>>,
}

impl Connections {
    /// Forgets the connections that have ended, and completes once there is none.
    fn poll_idle(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        while let Some(()) = std::task::ready!(self.tasks.poll_next_unpin(cx)) {}
        Poll::Ready(())
    }
}

/// Starts to serve a connection, if there is a slot for it.
fn connect(
    server: &Server<SmolRuntime>,
    runtime: &SmolRuntime,
    slots: &Arc<Slots>,
    stream: UnixStream,
) -> Option<Task<()>> {
    let peer = peer(&stream);
    let Some(slot) = slots.take(peer.uid) else {
        server.count_refused_connection();
        tracing::debug!(?peer, "connection refused: no free slot");
        return None;
    };
    let stream = match Stream::new(stream) {
        Ok(stream) => stream,
        Err(error) => {
            tracing::warn!(%error, "a connection cannot be served");
            return None;
        }
    };
    let served = server.serve_connection(stream, peer);
    Some(runtime.executor().spawn(async move {
        let _slot = slot;
        served.await;
    }))
}

fn poll_accept(socket: &Async<UnixListener>, cx: &mut Context<'_>) -> Poll<io::Result<UnixStream>> {
    loop {
        match socket.get_ref().accept() {
            Ok((stream, _)) => return Poll::Ready(Ok(stream)),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                std::task::ready!(socket.poll_readable(cx))?;
            }
            Err(error) => return Poll::Ready(Err(error)),
        }
    }
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn peer(stream: &UnixStream) -> Peer {
    use nix::sys::socket::{getsockopt, sockopt::PeerCredentials};

    let credentials = getsockopt(stream, PeerCredentials).ok();
    Peer {
        uid: credentials.map(|credentials| credentials.uid()),
        pid: credentials.map(|credentials| credentials.pid()),
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn peer(stream: &UnixStream) -> Peer {
    let user = nix::unistd::getpeereid(stream).ok();
    Peer {
        uid: user.map(|(uid, _)| uid.as_raw()),
        pid: None,
    }
}

impl fmt::Display for ServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoListener => f.write_str("there is no socket to serve; bind one first"),
            Self::Socket { label, cause } => write!(f, "cannot serve socket `{label}`: {cause}"),
        }
    }
}

impl Error for ServeError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::NoListener => None,
            Self::Socket { cause, .. } => Some(cause),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peer_is_known_by_its_user_and_process() {
        let (near, _far) = UnixStream::pair().unwrap();
        let peer = peer(&near);
        assert_eq!(peer.uid, Some(nix::unistd::geteuid().as_raw()));
        assert_eq!(peer.pid, i32::try_from(std::process::id()).ok());
    }

    #[test]
    fn without_a_listener_nothing_is_served() {
        let runtime = SmolRuntime::new(Arc::default());
        let pods = podsapi_core::Pods::new(
            podsapi_core::Config::default(),
            podsapi_core::Moment::ORIGIN,
        );
        let server = Server::new(pods, podsapi_h2::Limits::default(), runtime.clone());
        let serving = serve(
            server,
            runtime,
            Vec::new(),
            ServeOptions::default(),
            pending::<()>(),
        );
        let error = async_io::block_on(serving).unwrap_err();
        assert_eq!(
            error.to_string(),
            "there is no socket to serve; bind one first"
        );
    }
}
