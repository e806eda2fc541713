//! The thread that accepts connections.

use std::io;
use std::sync::Arc;
use std::thread;

use podsapi_socket::{Listener, Opened, SocketFile, accept_loop, open};
use tokio::net::{UnixListener, UnixStream};
use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;
use tokio_util::task::TaskTracker;

use super::{ServeError, Shared};
use crate::transport::Transport;

/// Accepts connections of all `listeners` on a new thread, until [`Shared::accepting`] is cancelled.
///
/// Returns the socket files, and what is empty once the thread has closed the sockets.
pub(super) async fn accept_all(
    shared: Arc<Shared>,
    listeners: Vec<Listener>,
) -> Result<(Vec<SocketFile>, TaskTracker), ServeError> {
    let (tell, opened) = oneshot::channel();
    let (serving, loops) = (Handle::current(), TaskTracker::new());
    let running = loops.token();
    let accept = move || {
        // Dropped last, when the sockets are closed.
        let _running = running;
        let runtime = match Builder::new_current_thread().enable_all().build() {
            Ok(runtime) => runtime,
            Err(cause) => return drop(tell.send(Err(ServeError::Accept { cause }))),
        };
        runtime.block_on(async {
            let Opened { sockets, files } = match open(listeners, UnixListener::from_std) {
                Ok(opened) => opened,
                Err(error) => return drop(tell.send(Err(error.into()))),
            };
            let loops = TaskTracker::new();
            for (socket, label) in sockets {
                tracing::info!(socket = label, "serving");
                let (shared, serving) = (Arc::clone(&shared), serving.clone());
                loops.spawn(accept_each(shared, socket, label, serving));
            }
            // Who does not wait any more has cancelled the loops, too.
            drop(tell.send(Ok(files)));
            loops.close();
            loops.wait().await;
        });
    };
    thread::Builder::new()
        .name("podsapi-accept".to_owned())
        .spawn(accept)
        .map_err(|cause| ServeError::Accept { cause })?;
    match opened.await {
        Ok(files) => Ok((files?, loops)),
        Err(_panicked) => Err(ServeError::Accept {
            cause: io::Error::other("the thread ended"),
        }),
    }
}

async fn accept_each(shared: Arc<Shared>, socket: UnixListener, label: String, serving: Handle) {
    accept_loop(
        |cx| socket.poll_accept(cx).map_ok(|(stream, _)| stream),
        &label,
        &shared.runtime,
        shared.accepting.cancelled(),
        &shared.counts,
        |stream| connect(&shared, stream, &serving),
    )
    .await;
}

/// Has a connection served by `serving`, if there is a slot for it.
fn connect(shared: &Arc<Shared>, stream: UnixStream, serving: &Handle) {
    let admitted = shared
        .admission
        .admit(&stream, &shared.server, &shared.runtime);
    let Some((peer, slot)) = admitted else {
        return;
    };
    let moved = stream.into_std().and_then(|stream| {
        let _there = serving.enter();
        UnixStream::from_std(stream)
    });
    let stream = match moved {
        Ok(stream) => stream,
        Err(error) => {
            tracing::warn!(%error, "a connection cannot be served");
            return;
        }
    };
    let connected = shared.connected.clone();
    let served = shared.server.serve_connection(Transport(stream), peer);
    let serve = async move {
        let _slot = slot;
        tokio::select! {
            biased;
            () = connected.cancelled() => {}
            () = served => {}
        }
    };
    shared.connections.spawn_on(serve, serving);
}
