//! The thread that accepts connections.

use std::future::poll_fn;
use std::io;
use std::os::unix::net::UnixListener as Socket;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker, ready};
use std::thread;

use podsapi_h2::Peer;
use podsapi_socket::{OpenError, OpenedSocket, Replaceable, Slot, accept_loop};
use tokio::net::{UnixListener, UnixStream};
use tokio::runtime::Builder;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::sync::oneshot;
use tokio::task::{JoinSet, yield_now};
use tokio_util::task::TaskTracker;

use super::{ServeError, Shared};
use crate::http::accept;
use crate::runtime::TokioRuntime;
use crate::transport::Transport;

/// Connections of a socket that wait for their first turns; while there are so many, no more are
/// accepted.
///
/// Clients that come and go faster than they can be served wait in the socket's queue then, and
/// take no slot from others.
const WAITING_LIMIT: usize = 32;

/// Turns in which it shows that a client has left: in one it is read, in the next it is known to have
/// ended.
const FIRST_TURNS: usize = 2;

/// Accepts connections of all `sockets` on a new thread, until [`Shared::accepting`] is cancelled.
///
/// What it returns is empty once the thread has ended, the sockets are closed, and what was accepted is
/// served.
pub(super) async fn accept_all(
    shared: Arc<Shared>,
    sockets: Vec<OpenedSocket<Socket>>,
) -> Result<TaskTracker, ServeError> {
    let (tell, begun) = oneshot::channel();
    let (hand_over, accepted) = mpsc::unbounded_channel();
    let threads = TaskTracker::new();
    threads.close();
    // Not one of the connections, whose number is told.
    threads.spawn(start_each(Arc::clone(&shared), accepted));
    let running = threads.token();
    let accepting = move || {
        // Dropped last, when the sockets are closed.
        let _running = running;
        let runtime = match Builder::new_current_thread().enable_all().build() {
            Ok(runtime) => runtime,
            Err(cause) => return drop(tell.send(Err(ServeError::Accept { cause }))),
        };
        runtime.block_on(async {
            let mut loops = JoinSet::new();
            for socket in sockets {
                let OpenedSocket {
                    listener,
                    label,
                    successor,
                } = socket;
                match UnixListener::from_std(listener) {
                    Ok(listener) => {
                        let socket = Replaceable::new(listener, successor, UnixListener::from_std);
                        tracing::info!(socket = label, "serving");
                        let (shared, hand_over) = (Arc::clone(&shared), hand_over.clone());
                        loops.spawn(accept_each(shared, socket, label, hand_over));
                    }
                    Err(cause) => {
                        let error = OpenError::Socket { label, cause };
                        return drop(tell.send(Err(error.into())));
                    }
                }
            }
            // Who does not wait any more has cancelled the loops, too.
            let _heard = tell.send(Ok(()));
            // A loop that panics ends all of them: half a server would be noticed by nobody.
            while let Some(Ok(())) = loops.join_next().await {}
        });
    };
    thread::Builder::new()
        .name("podsapi-accept".to_owned())
        .spawn(accepting)
        .map_err(|cause| ServeError::Accept { cause })?;
    match begun.await {
        Ok(result) => result.map(|()| threads),
        Err(_panicked) => Err(ServeError::accepting_ended()),
    }
}

impl ServeError {
    pub(super) fn accepting_ended() -> Self {
        let cause = io::Error::other("the thread ended by itself");
        Self::Accept { cause }
    }
}

/// A connection on its way from the thread that accepts to the runtime that serves.
struct Accepted {
    stream: std::os::unix::net::UnixStream,
    peer: Peer,
    slot: Slot,
    waits: Waits,
}

async fn accept_each(
    shared: Arc<Shared>,
    socket: Replaceable<UnixListener>,
    label: String,
    hand_over: UnboundedSender<Accepted>,
) {
    let waiting = Arc::<Waiting>::default();
    // Its timers go on whatever the serving runtime does.
    let runtime = TokioRuntime::new();
    accept_loop(
        |cx| {
            ready!(waiting.poll_room(cx));
            socket.poll_accept(cx, accept)
        },
        &label,
        &runtime,
        shared.accepting.cancelled(),
        &shared.counts,
        |stream| {
            let accepted = admit(&shared, stream, &waiting);
            // It can only fail once this loop is about to end, too.
            drop(accepted.map(|accepted| hand_over.send(accepted)));
        },
    )
    .await;
}

/// Takes a slot for a connection, if there is one.
fn admit(shared: &Shared, stream: UnixStream, waiting: &Arc<Waiting>) -> Option<Accepted> {
    let admission = &shared.admission;
    let (peer, slot) = admission.admit(&stream, &shared.server, &shared.runtime)?;
    let stream = stream.into_std().map_err(cannot_be_served).ok()?;
    Some(Accepted {
        stream,
        peer,
        slot,
        waits: waiting.add(),
    })
}

fn cannot_be_served(error: io::Error) {
    tracing::warn!(%error, "a connection cannot be served");
}

/// Starts to serve what was accepted, until nothing is any more; when it ends, so does accepting.
async fn start_each(shared: Arc<Shared>, mut accepted: UnboundedReceiver<Accepted>) {
    let _accepting = shared.accepting.clone().drop_guard();
    while let Some(accepted) = accepted.recv().await {
        start(&shared, accepted);
    }
}

fn start(shared: &Shared, accepted: Accepted) {
    let Accepted {
        stream,
        peer,
        slot,
        waits,
    } = accepted;
    let Ok(stream) = UnixStream::from_std(stream).map_err(cannot_be_served) else {
        return;
    };
    let connected = shared.connected.clone();
    let served = shared.server.serve_connection(Transport(stream), peer);
    shared.connections.spawn(async move {
        let _slot = slot;
        let mut served = pin!(async {
            tokio::select! {
                biased;
                () = connected.cancelled() => {}
                () = served => {}
            }
        });
        for _ in 0..FIRST_TURNS {
            if poll_fn(|cx| Poll::Ready(served.as_mut().poll(cx).is_ready())).await {
                return;
            }
            yield_now().await;
        }
        drop(waits);
        served.await;
    });
}

/// How many connections wait for their first turns.
#[derive(Debug, Default)]
struct Waiting(Mutex<Count>);

#[derive(Debug, Default)]
struct Count {
    connections: usize,
    /// The loop, when it waits for one of them.
    accepting: Option<Waker>,
}

impl Waiting {
    fn count(&self) -> MutexGuard<'_, Count> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn poll_room(&self, cx: &Context<'_>) -> Poll<()> {
        let mut count = self.count();
        if count.connections < WAITING_LIMIT {
            return Poll::Ready(());
        }
        count.accepting = Some(cx.waker().clone());
        Poll::Pending
    }

    fn add(self: &Arc<Self>) -> Waits {
        self.count().connections += 1;
        Waits(Arc::clone(self))
    }
}

/// A connection that waits for its first turns.
struct Waits(Arc<Waiting>);

impl Drop for Waits {
    fn drop(&mut self) {
        let mut count = self.0.count();
        count.connections -= 1;
        let accepting = count.accepting.take();
        drop(count);
        if let Some(accepting) = accepting {
            accepting.wake();
        }
    }
}
