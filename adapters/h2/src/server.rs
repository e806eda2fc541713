//! The handle that connections, sources and the process share.

use std::{
    collections::BTreeMap,
    fmt,
    future::Future,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    task::Waker,
};

use http::HeaderValue;
use podsapi_core::{
    Begun, Call, Moment, Pods, Reply, SourceError, SourceEvent, SourceId, WatchId, WatchOutput,
};
use podsapi_grpc::health::Health;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::{
    connection,
    diagnostics::Notes,
    holds::Holds,
    limits::Limits,
    meters::{Meters, Slots},
    onlookers::{Onlookers, Stage},
    peer::Peer,
    runtime::Runtime,
    unread::Unread,
};

/// One node's pods, served on any number of connections; a cheap handle to clone.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
///
/// use podsapi_core::{Config, Moment, Pods, SourceConfig, SourceEvent, SourceKind};
/// use podsapi_h2::{Limits, Peer, Runtime, Server};
///
/// #[derive(Clone)]
/// struct Tokio(tokio::time::Instant);
///
/// impl Runtime for Tokio {
///     type Sleep = tokio::time::Sleep;
///
///     fn sleep_until(&self, at: Moment) -> Self::Sleep {
///         tokio::time::sleep_until(self.0 + Duration::from_nanos(at.as_nanos()))
///     }
///
///     fn now(&self) -> Moment {
///         Moment::from_nanos(u64::try_from(self.0.elapsed().as_nanos()).unwrap_or(u64::MAX))
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let runtime = Tokio(tokio::time::Instant::now());
/// let sources = vec![SourceConfig::new("mine", SourceKind::Snapshot)];
/// let pods = Pods::new(Config { sources, ..Config::default() }, runtime.now());
/// let source = pods.source("mine").ok_or("no such source")?;
///
/// let server = Server::new(pods, Limits::default(), runtime);
/// server.handle_source(source, SourceEvent::Begin)?;
/// server.handle_source(source, SourceEvent::Complete { at: 0 })?;
/// assert!(server.diagnostics().ready);
///
/// let (client, socket) = tokio::io::duplex(1024);
/// let connection = tokio::spawn(server.serve_connection(socket, Peer::default()));
/// drop(client);
/// connection.await?;
/// # Ok(())
/// # }
/// ```
pub struct Server<R: Runtime> {
    shared: Arc<Shared<R>>,
}

/// What all connections and calls of a server have in common.
pub(crate) struct Shared<R: Runtime> {
    pub(crate) runtime: R,
    pub(crate) limits: Limits,
    pub(crate) meters: Meters,
    pub(crate) connections: Arc<Slots>,
    pub(crate) calls: Arc<Slots>,
    pub(crate) request_bytes: Arc<Slots>,
    pub(crate) unread: Arc<Unread>,
    /// What masked answers say of the schema.
    pub(crate) mask_schema: HeaderValue,
    service: Mutex<Service>,
    /// When the server was made.
    pub(crate) started: Moment,
    /// The node whose pods these are; empty when nobody said.
    pub(crate) node_name: String,
    stopping: AtomicBool,
    numbers: AtomicU64,
    /// How long the lock was held, where somebody wants to know.
    holds: Option<Holds>,
    /// How to wake each connection when the server stops.
    connection_wakers: Mutex<BTreeMap<u64, Waker>>,
}

/// What the one lock protects; nothing is encoded and nobody is woken under it.
struct Service {
    pods: Pods,
    /// The tasks that wait for something to read on their watch.
    waiting: BTreeMap<WatchId, Waker>,
    /// What was noted about each source that said anything.
    notes: Notes,
    /// The tasks that wait for the server to become ready, or to end.
    onlookers: Onlookers,
    /// The end of the server was announced.
    draining: bool,
    /// The server has begun to stop.
    stopped: bool,
}

impl Service {
    fn stage(&self) -> Stage {
        Stage {
            health: Health {
                ready: self.pods.readiness().is_ready(),
                draining: self.draining,
            },
            stopped: self.stopped,
        }
    }
}

impl<R: Runtime> Server<R> {
    /// Returns a server of these pods; it serves whatever is given to
    /// [`Server::serve_connection`].
    pub fn new(pods: Pods, limits: Limits, runtime: R) -> Self {
        Self::of_node("", pods, limits, runtime)
    }

    /// Returns a server of the pods of the node of this name, which diagnostics and metrics tell: pods
    /// of a node that has another name than was thought look like none at all.
    pub fn of_node(node_name: impl Into<String>, pods: Pods, limits: Limits, runtime: R) -> Self {
        let service = Service {
            pods,
            waiting: BTreeMap::new(),
            notes: Notes::new(),
            onlookers: Onlookers::default(),
            draining: false,
            stopped: false,
        };
        let shared = Shared {
            started: runtime.now(),
            node_name: node_name.into(),
            runtime,
            unread: Unread::new(limits.max_reply_bytes),
            limits,
            meters: Meters::default(),
            connections: Arc::default(),
            calls: Arc::default(),
            request_bytes: Arc::default(),
            mask_schema: HeaderValue::try_from(podsapi_core::mask_schema())
                .unwrap_or(HeaderValue::from_static("unknown")),
            service: Mutex::new(service),
            stopping: AtomicBool::new(false),
            numbers: AtomicU64::new(0),
            holds: tracing::enabled!(tracing::Level::DEBUG).then(Holds::default),
            connection_wakers: Mutex::default(),
        };
        Self {
            shared: Arc::new(shared),
        }
    }

    /// Lets `act` see and change the pods; watches that became readable are woken afterwards, so
    /// `act` must leave [`Pods::poll_ready`] alone.
    pub fn with_pods<T>(&self, act: impl FnOnce(&mut Pods) -> T) -> T {
        self.shared.with_pods(act)
    }

    /// Hands over what a source says.
    ///
    /// # Errors
    ///
    /// As [`Pods::handle_source`].
    pub fn handle_source(&self, source: SourceId, event: SourceEvent) -> Result<(), SourceError> {
        let now = self.shared.runtime.now();
        let mut more = self.shared.with_service(|service| {
            let more = service.pods.begin_source(source, event, now)?;
            service.notes.entry(source).or_default().events += 1;
            Ok(more)
        })?;
        while more {
            // A whole list takes a while, and others want the lock, too.
            std::thread::yield_now();
            more = self
                .shared
                .with_service(|service| service.pods.resume_source());
        }
        Ok(())
    }

    /// Hands over what several sources say, in that order and in one step, so that no client sees
    /// half of it; returns what was refused, and goes on after it.
    pub fn handle_sources(
        &self,
        events: impl IntoIterator<Item = (SourceId, SourceEvent)>,
    ) -> Vec<(SourceId, SourceError)> {
        let now = self.shared.runtime.now();
        let mut refused = Vec::new();
        self.shared.with_service(|service| {
            for (source, event) in events {
                match service.pods.handle_source(source, event, now) {
                    Ok(()) => service.notes.entry(source).or_default().events += 1,
                    Err(error) => refused.push((source, error)),
                }
            }
        });
        refused
    }

    /// Records the last error of a source, which diagnostics show; none clears it.
    pub fn source_problem(&self, source: SourceId, problem: Option<String>) {
        let new = u64::from(problem.is_some());
        self.source_troubles(source, problem, new, 0);
    }

    /// Records all that is wrong with a source in one text, how many problems of it are new, and how
    /// many of its pods are served in an older state.
    pub fn source_troubles(&self, source: SourceId, text: Option<String>, new: u64, outdated: u64) {
        self.shared.with_service(|service| {
            let notes = service.notes.entry(source).or_default();
            notes.problems += new;
            notes.outdated = outdated;
            notes.last_error = text;
        });
    }

    /// Records whether the pods of a source are those of an earlier run, which diagnostics show.
    pub fn source_stale(&self, source: SourceId, stale: bool) {
        self.shared
            .with_service(|service| service.notes.entry(source).or_default().stale = stale);
    }

    /// Serves one connection to its end: the peer leaves, a limit is reached, or the server stops.
    ///
    /// Each connection needs a task of its own; dropping the future closes the connection.
    pub fn serve_connection<IO>(
        &self,
        io: IO,
        peer: Peer,
    ) -> impl Future<Output = ()> + Send + use<IO, R>
    where
        IO: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        connection::serve(Arc::clone(&self.shared), io, peer)
    }

    /// Has health say that the server is about to end, while everything is served as before; for
    /// who has more to do between the decision to stop and [`Server::shutdown`].
    pub fn announce_shutdown(&self) {
        self.shared.with_service(|service| service.draining = true);
    }

    /// Stops the server: watches end and new ones are refused, and every connection closes as soon
    /// as its calls have ended, at the latest after [`Limits::drain_timeout`].
    ///
    /// Other calls that come before their client can have heard of the stop are answered.
    pub fn shutdown(&self) {
        self.announce_shutdown();
        self.shared.stopping.store(true, Ordering::SeqCst);
        self.shared.with_service(|service| {
            service.stopped = true;
            service.pods.handle_shutdown();
        });
        if let Some(holds) = &self.shared.holds {
            tracing::debug!(%holds, "how often the lock of the service was held, and how long");
        }
        let wakers = std::mem::take(&mut *self.shared.connection_wakers());
        for waker in wakers.into_values() {
            waker.wake();
        }
    }

    pub(crate) fn shared(&self) -> &Shared<R> {
        &self.shared
    }

    /// Counts a connection that was closed unserved, since as many as there may be were open.
    ///
    /// For who accepts connections and has a limit of its own; [`Limits::max_connections`] is
    /// counted without this.
    pub fn count_refused_connection(&self, peer: Peer) {
        self.shared.count_refused_connection(peer);
    }

    /// Counts a connection whose client had left before it could be served.
    pub fn count_departed_connection(&self, peer: Peer) {
        self.shared.count_connection(peer);
    }

    /// Returns the number of connections that are being served.
    pub fn connection_count(&self) -> usize {
        self.shared.connections.taken()
    }
}

impl<R: Runtime> Clone for Server<R> {
    fn clone(&self) -> Self {
        Self {
            shared: Arc::clone(&self.shared),
        }
    }
}

impl<R: Runtime> fmt::Debug for Server<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server")
            .field("limits", &self.shared.limits)
            .finish_non_exhaustive()
    }
}

impl<R: Runtime> Shared<R> {
    /// Counts a connection of this peer that was closed unserved.
    pub(crate) fn count_connection(&self, peer: Peer) {
        self.meters.connections_accepted.add(1);
        self.meters.served_peers.count(peer);
        tracing::debug!(uid = peer.uid, pid = peer.pid, "a connection begins");
    }

    pub(crate) fn count_refused_connection(&self, peer: Peer) {
        self.meters.connections_refused.add(1);
        self.meters.refused_peers.count(peer);
    }

    /// Lets `act` see and change the pods, then wakes the watches that became readable.
    pub(crate) fn with_pods<T>(&self, act: impl FnOnce(&mut Pods) -> T) -> T {
        self.with_service(|service| act(&mut service.pods))
    }

    /// Has the service decide a call, and returns what it says of the mask of a watch. What a call needs
    /// that takes long is done while others have the lock.
    pub(crate) fn call(&self, call: Call) -> (Reply, Option<Arc<str>>) {
        let now = self.runtime.now();
        let watched = |pods: &Pods, begun: &Begun| match begun {
            Begun::Done(Reply::Watch(watch)) => pods.applied_mask(*watch),
            Begun::Done(Reply::Answer(_) | Reply::Refuse(_)) | Begun::Work(_) => None,
        };
        let (mut begun, mut applied) = self.with_pods(|pods| {
            let begun = pods.begin_call(call, now);
            let applied = watched(pods, &begun);
            (begun, applied)
        });
        loop {
            match begun {
                Begun::Done(reply) => return (reply, applied),
                Begun::Work(mut work) => {
                    work.run();
                    (begun, applied) = self.with_pods(|pods| {
                        let begun = pods.resume_call(*work);
                        let applied = watched(pods, &begun);
                        (begun, applied)
                    });
                }
            }
        }
    }

    /// Lets `read` see the pods and what was noted about their sources.
    pub(crate) fn with_notes<T>(&self, read: impl FnOnce(&Pods, &Notes) -> T) -> T {
        self.with_service(|service| read(&service.pods, &service.notes))
    }

    /// Returns a number that no other connection or onlooker has.
    pub(crate) fn next_number(&self) -> u64 {
        self.numbers.fetch_add(1, Ordering::Relaxed)
    }

    /// Reads a watch; when there is nothing to read, the waker is called once there is.
    pub(crate) fn poll_watch(&self, watch: WatchId, waker: &Waker) -> WatchOutput {
        let (output, _former) = self.with_service(|service| {
            let output = service.pods.poll_watch(watch);
            let former = match output {
                WatchOutput::Idle => service.waiting.insert(watch, waker.clone()),
                WatchOutput::Event(_) => None,
                WatchOutput::End(_) => service.waiting.remove(&watch),
            };
            (output, former)
        });
        output
    }

    /// Returns whether a watch has ended, without reading from it; if not, the waker is called once
    /// it may have.
    pub(crate) fn is_watch_over(&self, watch: WatchId, waker: &Waker) -> bool {
        let (over, _former) = self.with_service(|service| {
            let over = service.pods.is_watch_over(watch);
            let former = if over {
                None
            } else {
                service.waiting.insert(watch, waker.clone())
            };
            (over, former)
        });
        over
    }

    /// Returns whether the end of a watch is decided.
    pub(crate) fn is_watch_ending(&self, watch: WatchId) -> bool {
        self.with_service(|service| service.pods.is_watch_ending(watch))
    }

    /// Ends a watch that nobody reads any more.
    pub(crate) fn cancel_watch(&self, watch: WatchId) {
        let _former = self.with_service(|service| {
            service.pods.handle_cancel(watch);
            service.waiting.remove(&watch)
        });
    }

    /// Returns how far the server is.
    pub(crate) fn stage(&self) -> Stage {
        self.with_service(|service| service.stage())
    }

    /// Returns how far the server is; if that is still as `seen`, the waker is called once it is
    /// not.
    pub(crate) fn watch_stage(&self, onlooker: u64, seen: Stage, waker: &Waker) -> Stage {
        let (stage, _former) = self.with_service(|service| {
            let stage = service.stage();
            let former = if stage == seen {
                service.onlookers.insert(onlooker, stage, waker.clone())
            } else {
                None
            };
            (stage, former)
        });
        stage
    }

    /// Forgets the waker of an onlooker that is gone.
    pub(crate) fn forget_onlooker(&self, onlooker: u64) {
        let _former = self.with_service(|service| service.onlookers.remove(onlooker));
    }

    /// Returns whether the server stops.
    pub(crate) fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::SeqCst)
    }

    /// Has a connection woken when the server stops; who asks afterwards whether it does misses
    /// nothing.
    pub(crate) fn remember_connection(&self, connection: u64, waker: Waker) {
        let _former = self.connection_wakers().insert(connection, waker);
    }

    /// Forgets the waker of a connection that is over.
    pub(crate) fn forget_connection(&self, connection: u64) {
        let _former = self.connection_wakers().remove(&connection);
    }

    /// Runs `act` under the lock. A panic in it leaves the lock usable for the next caller.
    ///
    /// Wakers leave through the result, to be dropped outside: with the last one of a task, a
    /// runtime may drop the task, which takes the lock to cancel its watch.
    fn with_service<T>(&self, act: impl FnOnce(&mut Service) -> T) -> T {
        let mut wakers = Vec::new();
        let result = {
            let mut guard = self.service.lock().unwrap_or_else(PoisonError::into_inner);
            let began = self.holds.as_ref().map(|holds| (holds, self.runtime.now()));
            let service = &mut *guard;
            let result = act(service);
            while let Some(watch) = service.pods.poll_ready() {
                wakers.extend(service.waiting.remove(&watch));
            }
            if !service.onlookers.is_empty() {
                let stage = service.stage();
                wakers.extend(service.onlookers.take_if_changed(stage));
            }
            if let Some((holds, began)) = began {
                holds.count(self.runtime.now().nanos_since(began));
            }
            result
        };
        for waker in wakers {
            waker.wake();
        }
        result
    }

    fn connection_wakers(&self) -> std::sync::MutexGuard<'_, BTreeMap<u64, Waker>> {
        self.connection_wakers
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
