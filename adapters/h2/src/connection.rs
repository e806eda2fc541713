//! One connection: accepts streams, and decides when it is over.

use std::{
    future::{Future, poll_fn},
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    task::{Context, Poll, Waker},
};

use h2::{
    Ping, PingPong, Reason,
    server::{Builder, Connection},
};
use podsapi_core::Moment;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::{
    alarm::{Alarm, after},
    attention::Attention,
    authority::{AuthorityFilter, MAX_HEADER_BYTES},
    calls::Calls,
    exchange,
    gathered::Gathered,
    guarded::{Guarded, Heard},
    ledger::Ledger,
    limits::Limits,
    origin::Origin,
    peer::Peer,
    reasons::{Counted, Ending},
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
        shared.count_refused_connection(peer);
        tracing::debug!(?peer, "a connection is closed, there are too many");
        return;
    };
    shared.count_connection(peer);
    let now = shared.runtime.now();
    let heard = Arc::<Heard>::default();
    let attention = Arc::<Attention>::default();
    let own_waker = Waker::from(Arc::clone(&attention));
    let _registration = Registration::new(&shared, &own_waker);
    let ledger = Arc::new(Ledger::default());
    let io = Guarded::new(io, Arc::clone(&shared), Arc::clone(&heard));
    let unwritten = shared.limits.max_unwritten_bytes;
    let transport = Gathered::new(io, Arc::clone(&ledger), unwritten);
    transport.announce_header_list(shared.limits.max_header_list_bytes);
    let io = AuthorityFilter::new(transport.clone());
    let unfinished = io.unfinished();

    let mut alarm = Alarm::new(shared.runtime.clone());
    let preface_limit = after(now, shared.limits.preface_timeout);
    let mut handshake = pin!(builder(&shared.limits).handshake::<_, Segments>(io));
    let connection = poll_fn(|task| {
        attention.begin_turn();
        transport.begin_turn();
        let cx = &mut Context::from_waker(&own_waker);
        let result = handshake.as_mut().poll(cx);
        // The first settings do not wait for the client's.
        let drained = transport.poll_drain(cx);
        if let Poll::Ready(result) = result {
            return Poll::Ready(result.map_err(|error| {
                let ending = Ending::of_failure(&error);
                ending.map(|_| Ending::Preface)
            }));
        }
        if let Poll::Ready(Err(error)) = drained {
            return Poll::Ready(Err(Ending::of_io(&error)));
        }
        if shared.is_stopping() {
            return Poll::Ready(Err(None));
        }
        if alarm.poll_passed(cx, preface_limit).is_ready() {
            return Poll::Ready(Err(Some(Ending::Preface)));
        }
        attention.wake_when_called(task.waker());
        Poll::Pending
    })
    .await;
    let mut connection = match connection {
        Ok(connection) => connection,
        Err(ending) => {
            if let Some(ending) = ending {
                shared.meters.connections_ended.count(ending);
            }
            tracing::debug!(?peer, "a connection ends without an HTTP/2 preface");
            return;
        }
    };

    let mut driver = Driver {
        pings: connection.ping_pong(),
        calls: Calls::new(&attention),
        attention,
        own_waker,
        transport,
        ledger,
        phase: Phase::Open,
        ending: None,
        ping_sent: None,
        idle_since: None,
        unfinished,
        unfinished_since: None,
        alarm,
        heard,
        heard_at: now,
        origin: Arc::new(Origin::new(peer, &shared.limits)),
        shared: Arc::clone(&shared),
    };
    poll_fn(|cx| driver.poll(cx.waker(), &mut connection)).await;
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
        .max_header_list_size(limits.max_header_list_bytes.max(HOSTILE_LIST_BYTES + 1))
        .max_frame_size(MAX_FRAME_BYTES)
        .max_send_buffer_size(limits.max_send_buffer_bytes)
        // Answers before the end of a request and cancelled calls leave reset streams behind; a
        // client may do that to all of its streams at one time.
        .max_concurrent_reset_streams(streams)
        .reset_stream_duration(limits.reset_stream_memory)
        .max_pending_accept_reset_streams(streams)
        .max_local_error_reset_streams(Some(limits.max_stream_errors));
    builder
}

/// The smallest frame size that the protocol allows to announce (RFC 9113 section 6.5.2), and
/// more than any request needs.
const MAX_FRAME_BYTES: u32 = 16_384;

/// Bytes of a header list that do not come past the filter. What comes past is less than the library
/// takes, so that the server refuses it, and says why.
const HOSTILE_LIST_BYTES: u32 = MAX_HEADER_BYTES as u32;

/// Seconds that a connection gets to deliver its last GOAWAY.
const FAREWELL: std::time::Duration = std::time::Duration::from_secs(1);

/// The place of a connection in the server's list of whom to wake when it stops.
struct Registration<R: Runtime> {
    id: u64,
    shared: Arc<Shared<R>>,
}

impl<R: Runtime> Registration<R> {
    fn new(shared: &Arc<Shared<R>>, waker: &Waker) -> Self {
        let id = shared.next_number();
        shared.remember_connection(id, waker.clone());
        Self {
            id,
            shared: Arc::clone(shared),
        }
    }
}

impl<R: Runtime> Drop for Registration<R> {
    fn drop(&mut self) {
        self.shared.forget_connection(self.id);
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
struct Driver<IO, R: Runtime> {
    shared: Arc<Shared<R>>,
    origin: Arc<Origin>,
    attention: Arc<Attention>,
    /// Calls the attention to the connection as a whole.
    own_waker: Waker,
    calls: Calls,
    /// The transport that the library writes to, for writing what it gathered.
    transport: Gathered<Guarded<IO, R>>,
    ledger: Arc<Ledger>,
    phase: Phase,
    /// Why the server ends the connection, once it does so by itself.
    ending: Option<Ending>,
    heard: Arc<Heard>,
    /// When something was last read.
    heard_at: Moment,
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

/// What a turn of a connection came to.
enum Turn {
    /// There is more to do at once.
    Again,
    /// Nothing until something is woken.
    Idle,
    /// The connection is over.
    Over,
}

/// Turns of one connection before other connections have theirs.
const TURNS: usize = 16;

/// Calls that are begun in one turn, before those that are in progress have theirs.
const BEGUN_A_TURN: usize = 64;

type Http2<IO, R> = Connection<AuthorityFilter<Gathered<Guarded<IO, R>>>, Segments>;

impl<IO, R> Driver<IO, R>
where
    IO: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    R: Runtime,
{
    /// Drives the connection and all its calls, and completes when it is over.
    fn poll(&mut self, task: &Waker, connection: &mut Http2<IO, R>) -> Poll<()> {
        self.attention.hush();
        self.transport.begin_turn();
        let own_waker = self.own_waker.clone();
        let cx = &mut Context::from_waker(&own_waker);
        for _ in 0..TURNS {
            match self.turn(cx, connection) {
                Turn::Again => {}
                Turn::Idle => {
                    self.attention.wake_when_called(task);
                    return Poll::Pending;
                }
                Turn::Over => return Poll::Ready(()),
            }
        }
        // A connection that always has something to do ends in time nevertheless.
        if let Turn::Over = self.rest(cx, self.shared.runtime.now(), connection) {
            return Poll::Ready(());
        }
        task.wake_by_ref();
        Poll::Pending
    }

    fn turn(&mut self, cx: &mut Context<'_>, connection: &mut Http2<IO, R>) -> Turn {
        let now = self.shared.runtime.now();
        // The library tells of what comes only to who has asked it for all that is there.
        let mut more = true;
        for _ in 0..BEGUN_A_TURN {
            // What a call that was just begun has to say is written by the look that follows.
            self.attention.begin_turn();
            match connection.poll_accept(cx) {
                Poll::Ready(Some(Ok((request, respond)))) => {
                    let shared = Arc::clone(&self.shared);
                    let origin = Arc::clone(&self.origin);
                    let ledger = Arc::clone(&self.ledger);
                    let call = exchange::serve(shared, now, request, respond, origin, ledger);
                    self.calls.begin(call);
                }
                Poll::Ready(Some(Err(error))) => {
                    tracing::debug!(%error, "a connection fails");
                    return self.over(Ending::of_failure(&error));
                }
                Poll::Ready(None) => return Turn::Over,
                Poll::Pending => {
                    more = false;
                    break;
                }
            }
        }
        if self.calls.poll_woken() || more {
            return Turn::Again;
        }
        self.rest(cx, now, connection)
    }

    /// Does what is done when no call is to be looked at: writes out what was said, and sees whether
    /// it is time for anything.
    fn rest(&mut self, cx: &mut Context<'_>, now: Moment, connection: &mut Http2<IO, R>) -> Turn {
        if let Poll::Ready(Err(error)) = self.transport.poll_drain(cx) {
            tracing::debug!(%error, "a connection fails");
            return self.over(Ending::of_io(&error));
        }
        self.look_at_time(cx, now, connection)
    }

    /// Ends the connection at once.
    fn over(&mut self, ending: Option<Ending>) -> Turn {
        if let Some(ending) = ending {
            self.count_end(ending);
        }
        Turn::Over
    }

    /// Counts that the server ends the connection, for the first reason that there is.
    fn count_end(&mut self, ending: Ending) {
        if self.ending.is_none() {
            self.ending = Some(ending);
            self.shared.meters.connections_ended.count(ending);
            tracing::debug!(reason = ending.name(), "a connection is closed");
        }
    }

    /// Ends the connection, or begins to end it, when it is time for that.
    fn look_at_time(
        &mut self,
        cx: &mut Context<'_>,
        now: Moment,
        connection: &mut Http2<IO, R>,
    ) -> Turn {
        let idle = self.calls.len() == 0;
        self.idle_since = idle.then(|| self.idle_since.unwrap_or(now));
        let idle_limit = self
            .idle_since
            .map(|since| after(since, self.shared.limits.idle_timeout));
        let next = match self.phase {
            Phase::Open
                if self.shared.is_stopping() || idle_limit.is_some_and(|limit| now >= limit) =>
            {
                if !self.shared.is_stopping() {
                    self.count_end(Ending::Idle);
                }
                connection.graceful_shutdown();
                self.phase = Phase::Draining(now);
                return Turn::Again;
            }
            Phase::Open => idle_limit,
            Phase::Draining(since) => {
                let unanswered = after(since, self.shared.limits.goaway_timeout);
                let end = after(since, self.shared.limits.drain_timeout);
                if now >= end || (idle && now >= unanswered) {
                    self.count_end(Ending::Drain);
                    connection.abrupt_shutdown(Reason::NO_ERROR);
                    self.phase = Phase::Closing(after(now, FAREWELL));
                    return Turn::Again;
                }
                Some(if now < unanswered {
                    unanswered.min(end)
                } else {
                    end
                })
            }
            Phase::Closing(end) if now >= end => return Turn::Over,
            Phase::Closing(end) => Some(end),
        };
        let Some(sign_of_life) = self.poll_keepalive(cx, now) else {
            return self.over(Some(Ending::Keepalive));
        };
        let frame = self.unfinished.load(Ordering::Relaxed);
        let known = self.unfinished_since.filter(|(known, _)| *known == frame);
        self.unfinished_since = (frame > 0).then(|| known.unwrap_or((frame, now)));
        let frame_limit = self
            .unfinished_since
            .map(|(_, since)| after(since, self.shared.limits.request_timeout));
        if frame_limit.is_some_and(|limit| now >= limit) {
            return self.over(Some(Ending::Frame));
        }
        let next = [next, frame_limit]
            .into_iter()
            .flatten()
            .fold(sign_of_life, Moment::min);
        match self.alarm.poll_passed_since(cx, now, next) {
            Poll::Ready(()) => Turn::Again,
            Poll::Pending => Turn::Idle,
        }
    }

    /// Asks a silent peer for a sign of life. Returns when to look again, none when the peer has
    /// not answered in time.
    fn poll_keepalive(&mut self, cx: &mut Context<'_>, now: Moment) -> Option<Moment> {
        let limits = &self.shared.limits;
        if self.heard.take() {
            self.heard_at = now;
        }
        let heard = self.heard_at;
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
