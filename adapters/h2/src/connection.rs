//! One connection: accepts streams, and decides when it is over.

use std::{
    future::{Future, poll_fn},
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    task::{Context, Poll},
};

use futures_util::task::AtomicWaker;
use h2::{
    Ping, PingPong, Reason,
    server::{Builder, Connection},
};
use podsapi_core::Moment;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::{
    alarm::{Alarm, after},
    authority::AuthorityFilter,
    exchange,
    guarded::{Guarded, Heard},
    limits::Limits,
    origin::Origin,
    peer::Peer,
    runtime::Runtime,
    segments::Segments,
    server::Shared,
};

/// Serves one connection to its end.
pub(crate) async fn serve<R, IO>(shared: Arc<Shared<R>>, io: IO, peer: Peer)
where
    R: Runtime,
    IO: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let Some(_slot) = shared.connections.take(1, shared.limits.max_connections) else {
        shared.meters.connections_refused.add(1);
        tracing::debug!(?peer, "a connection is closed, there are too many");
        return;
    };
    shared.meters.connections_accepted.add(1);
    shared.meters.count_peer(peer);
    tracing::debug!(uid = peer.uid, pid = peer.pid, "a connection begins");
    let now = shared.runtime.now();
    let heard = Arc::new(Heard::new(now));
    let registration = Registration::new(&shared);
    let io = AuthorityFilter::new(Guarded::new(io, Arc::clone(&shared), Arc::clone(&heard)));
    let unfinished = io.unfinished();

    let mut alarm = Alarm::new(shared.runtime.clone());
    let preface_limit = after(now, shared.limits.preface_timeout);
    let mut handshake = pin!(builder(&shared.limits).handshake::<_, Segments>(io));
    let connection = poll_fn(|cx| {
        if let Poll::Ready(result) = handshake.as_mut().poll(cx) {
            return Poll::Ready(result.ok());
        }
        if shared.is_stopping(registration.id, cx.waker()) {
            return Poll::Ready(None);
        }
        alarm.poll_passed(cx, preface_limit).map(|()| None)
    })
    .await;
    let Some(mut connection) = connection else {
        tracing::debug!(?peer, "a connection ends without an HTTP/2 preface");
        return;
    };

    let mut driver = Driver {
        pings: connection.ping_pong(),
        streams: Arc::default(),
        phase: Phase::Open,
        ping_sent: None,
        idle_since: None,
        unfinished,
        unfinished_since: None,
        alarm,
        heard,
        shared: Arc::clone(&shared),
        origin: Arc::new(Origin::new(peer)),
        id: registration.id,
    };
    poll_fn(|cx| driver.poll(cx, &mut connection)).await;
    tracing::trace!(?peer, "a connection is over");
}

/// The settings that bound what a client can make the library keep.
fn builder(limits: &Limits) -> Builder {
    let streams = usize::try_from(limits.max_streams_per_connection).unwrap_or(usize::MAX);
    let mut builder = Builder::new();
    builder
        .max_concurrent_streams(limits.max_streams_per_connection)
        .initial_connection_window_size(limits.connection_window_bytes)
        .initial_window_size(limits.stream_window_bytes)
        .max_header_list_size(limits.max_header_list_bytes)
        .max_frame_size(MAX_FRAME_BYTES)
        .max_send_buffer_size(limits.max_send_buffer_bytes)
        // Answers before the end of a request and cancelled calls leave reset streams behind; a
        // client may do that to all of its streams at one time.
        .max_concurrent_reset_streams(streams)
        .reset_stream_duration(limits.reset_stream_memory)
        .max_pending_accept_reset_streams(streams)
        .max_local_error_reset_streams(Some(MAX_LOCAL_RESETS));
    builder
}

/// The smallest frame size that the protocol allows to announce (RFC 9113 section 6.5.2), and
/// more than any request needs.
const MAX_FRAME_BYTES: u32 = 16_384;

/// Streams that a client may make the library reset in the life of a connection.
const MAX_LOCAL_RESETS: usize = 1024;

/// Seconds that a connection gets to deliver its last GOAWAY.
const FAREWELL: std::time::Duration = std::time::Duration::from_secs(1);

/// The place of a connection in the server's list of whom to wake when it stops.
struct Registration<R: Runtime> {
    id: u64,
    shared: Arc<Shared<R>>,
}

impl<R: Runtime> Registration<R> {
    fn new(shared: &Arc<Shared<R>>) -> Self {
        Self {
            id: shared.next_number(),
            shared: Arc::clone(shared),
        }
    }
}

impl<R: Runtime> Drop for Registration<R> {
    fn drop(&mut self) {
        self.shared.forget_connection(self.id);
    }
}

/// Calls in progress on one connection, and whom to tell when one ends.
#[derive(Debug, Default)]
struct Streams {
    live: AtomicUsize,
    connection: AtomicWaker,
}

/// One call in progress.
struct Stream(Arc<Streams>);

impl Stream {
    fn begin(streams: &Arc<Streams>) -> Self {
        streams.live.fetch_add(1, Ordering::AcqRel);
        Self(Arc::clone(streams))
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.0.live.fetch_sub(1, Ordering::AcqRel);
        self.0.connection.wake();
    }
}

/// How far the end of a connection is.
#[derive(Clone, Copy, Debug)]
enum Phase {
    /// Calls are accepted.
    Open,
    /// The first GOAWAY was sent at this moment; calls in progress go on.
    Draining(Moment),
    /// The last GOAWAY was sent; whatever happens, this moment is the end.
    Closing(Moment),
}

/// Everything that decides about a connection beside the protocol itself.
struct Driver<R: Runtime> {
    shared: Arc<Shared<R>>,
    origin: Arc<Origin>,
    id: u64,
    streams: Arc<Streams>,
    phase: Phase,
    heard: Arc<Heard>,
    pings: Option<PingPong>,
    /// When the sign of life was asked for that has not come yet.
    ping_sent: Option<Moment>,
    /// Since when no call is in progress; none while one is.
    idle_since: Option<Moment>,
    /// The number of the frame or header block that the client has begun and not ended, or 0.
    unfinished: Arc<AtomicU64>,
    /// That number when it was looked at last, and since when it is the same; none at 0.
    unfinished_since: Option<(u64, Moment)>,
    alarm: Alarm<R>,
}

impl<R: Runtime> Driver<R> {
    /// Accepts streams without ever waiting for one, and completes when the connection is over.
    fn poll<IO: AsyncRead + AsyncWrite + Unpin>(
        &mut self,
        cx: &mut Context<'_>,
        connection: &mut Connection<IO, Segments>,
    ) -> Poll<()> {
        self.streams.connection.register(cx.waker());
        loop {
            let now = self.shared.runtime.now();
            match connection.poll_accept(cx) {
                Poll::Ready(Some(Ok((request, respond)))) => {
                    let stream = Stream::begin(&self.streams);
                    let shared = Arc::clone(&self.shared);
                    let origin = Arc::clone(&self.origin);
                    self.shared.runtime.spawn(async move {
                        exchange::serve(shared, now, request, respond, origin).await;
                        drop(stream);
                    });
                    continue;
                }
                Poll::Ready(Some(Err(error))) => {
                    tracing::debug!(%error, "a connection fails");
                    return Poll::Ready(());
                }
                Poll::Ready(None) => return Poll::Ready(()),
                Poll::Pending => {}
            }
            let idle = self.streams.live.load(Ordering::Acquire) == 0;
            self.idle_since = idle.then(|| self.idle_since.unwrap_or(now));
            let idle_limit = self
                .idle_since
                .map(|since| after(since, self.shared.limits.idle_timeout));
            let stopping = self.shared.is_stopping(self.id, cx.waker());
            let next = match self.phase {
                Phase::Open if stopping || idle_limit.is_some_and(|limit| now >= limit) => {
                    connection.graceful_shutdown();
                    self.phase = Phase::Draining(now);
                    continue;
                }
                Phase::Open => idle_limit,
                Phase::Draining(since) => {
                    let unanswered = after(since, self.shared.limits.goaway_timeout);
                    let end = after(since, self.shared.limits.drain_timeout);
                    if now >= end || (idle && now >= unanswered) {
                        connection.abrupt_shutdown(Reason::NO_ERROR);
                        self.phase = Phase::Closing(after(now, FAREWELL));
                        continue;
                    }
                    Some(if now < unanswered {
                        unanswered.min(end)
                    } else {
                        end
                    })
                }
                Phase::Closing(end) if now >= end => return Poll::Ready(()),
                Phase::Closing(end) => Some(end),
            };
            let Some(sign_of_life) = self.poll_keepalive(cx, now) else {
                tracing::debug!("a connection is closed, its peer shows no sign of life");
                return Poll::Ready(());
            };
            let frame = self.unfinished.load(Ordering::Relaxed);
            let known = self.unfinished_since.filter(|(known, _)| *known == frame);
            self.unfinished_since = (frame > 0).then(|| known.unwrap_or((frame, now)));
            let frame_limit = self
                .unfinished_since
                .map(|(_, since)| after(since, self.shared.limits.request_timeout));
            if frame_limit.is_some_and(|limit| now >= limit) {
                tracing::debug!("a connection is closed, its peer does not end a frame");
                return Poll::Ready(());
            }
            let next = [next, frame_limit]
                .into_iter()
                .flatten()
                .fold(sign_of_life, Moment::min);
            if self.alarm.poll_passed(cx, next).is_pending() {
                return Poll::Pending;
            }
        }
    }

    /// Asks a silent peer for a sign of life. Returns when to look again, none when the peer has
    /// not answered in time.
    fn poll_keepalive(&mut self, cx: &mut Context<'_>, now: Moment) -> Option<Moment> {
        let limits = &self.shared.limits;
        let heard = self.heard.last();
        if let (Some(pings), Some(_)) = (&mut self.pings, self.ping_sent)
            && pings.poll_pong(cx).is_ready()
        {
            self.ping_sent = None;
        }
        if let Some(sent) = self.ping_sent {
            let limit = after(sent.max(heard), limits.keepalive_timeout);
            return (now < limit).then_some(limit);
        }
        let ask = after(heard, limits.keepalive_interval);
        if now < ask {
            return Some(ask);
        }
        if let Some(pings) = &mut self.pings
            && pings.send_ping(Ping::opaque()).is_ok()
        {
            self.ping_sent = Some(now);
            // Registers the task for the answer.
            if pings.poll_pong(cx).is_ready() {
                self.ping_sent = None;
            }
        }
        Some(after(now, limits.keepalive_timeout))
    }
}
