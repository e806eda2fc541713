//! From listeners to a server that accepts, serves, and drains when asked to stop.

use std::future::{Future, pending, poll_fn};
use std::io;
use std::os::unix::net::{UnixListener, UnixStream};
use std::pin::{Pin, pin};
use std::sync::{Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use async_executor::Task;
use async_io::{Async, Timer};
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use podsapi_h2::Server;
use podsapi_socket::{
    AcceptCounts, Admission, Listener, OpenError, Opened, Replaceable, accept_loop, open,
};

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

/// Serves all `listeners` until `stop` completes, then drains.
///
/// A socket's file that is lost meanwhile is made anew within a second, unless another server
/// answers in its place by then.
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
) -> Result<(), OpenError> {
    let Opened { sockets, files } = open(listeners, Async::new)?;
    let sockets: Vec<_> = sockets
        .into_iter()
        .map(|socket| {
            tracing::info!(socket = socket.label, "serving");
            let listener = Replaceable::new(socket.listener, socket.successor, Async::new);
            (listener, socket.label)
        })
        .collect();
    let admission = Admission::new(options.max_connections);
    let counts = AcceptCounts::default();
    let accepted = Mutex::new(Vec::new());
    let connect = |stream| {
        let connection = connect(&server, &runtime, &admission, stream);
        let mut accepted = accepted.lock().unwrap_or_else(PoisonError::into_inner);
        accepted.extend(connection);
    };
    let mut loops: FuturesUnordered<_> = sockets
        .iter()
        .map(|(socket, label)| {
            accept_loop(
                |cx| socket.poll_accept(cx, poll_accept),
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
    admission: &Admission,
    stream: UnixStream,
) -> Option<Task<()>> {
    let (peer, slot) = admission.admit(&stream, server, runtime)?;
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

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
        assert!(matches!(error, OpenError::NoListener), "{error}");
    }
}
