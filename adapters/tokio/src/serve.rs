//! From listeners to a server that accepts, serves, and drains when asked to stop.

mod acceptor;
mod error;
#[cfg(test)]
mod tests;

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderValue, Response, StatusCode, header};
use podsapi_h2::Server;
use podsapi_socket::{AcceptCounts, Admission, FileWatch, Listener, Opened, open};
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::http::{HttpListener, MetricsAddress, Routes, text};
use crate::runtime::TokioRuntime;
use crate::signal::second_signal;
use crate::systemd;
use acceptor::accept_all;

pub use error::ServeError;

/// The longest part of the drain time that is kept for cutting off what is left.
const CUT_OFF_TIME: Duration = Duration::from_millis(200);

/// Longer than anybody waits, and short enough for every clock.
const DRAIN_LONGEST: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// What [`serve()`] is told beside the listeners.
#[derive(Clone, Debug)]
pub struct ServeOptions {
    /// How many connections may be open at once; one more is accepted and closed. Users other than root and the server's own
    /// get seven eighths of them. Connections cost memory (some 15 KiB each when idle), so there is a limit.
    pub max_connections: usize,
    /// How long clients get to finish what they do once the server is asked to stop; then they are cut off.
    pub drain: Duration,
    /// Where `/metrics` and `/healthz` are served; nowhere when absent.
    pub metrics: Option<MetricsAddress>,
    /// Whether the socket of [`ServeOptions::metrics`] may be made where others may replace it.
    pub allow_shared_folder: bool,
    /// Further paths of that endpoint.
    pub routes: Routes,
    /// Whether SIGTERM or SIGINT during the drain ends it at once. One that comes within 200 ms is the wish of just now once more.
    pub second_signal: bool,
}

impl Default for ServeOptions {
    fn default() -> Self {
        Self {
            max_connections: 1024,
            drain: Duration::from_secs(10),
            metrics: None,
            allow_shared_folder: false,
            routes: Routes::new(),
            second_signal: true,
        }
    }
}

/// Serves all `listeners` until `stop` completes, then drains.
///
/// Connections are accepted on a thread of its own, so that a storm of them takes no turn from those that are open, and
/// served by the runtime that this is called in.
///
/// A socket's file that is lost meanwhile is made anew within a second, unless another server
/// answers in its place by then.
///
/// At the end, in order: health tells that the end is near, the socket files that are still ours go (a new server may already have put its own there), the listeners close,
/// the server refuses new watches, ends its watches and says GOAWAY, and connections get [`ServeOptions::drain`] to end by
/// themselves. What is left then is cut off. Systemd is told when serving and when draining begins.
///
/// # Errors
///
/// When there is no listener, a listener or the metrics address cannot be used, or there is no thread left to accept
/// connections. Once it serves it fails only if that thread ends by itself, which it has no reason to.
pub async fn serve(
    server: Server<TokioRuntime>,
    listeners: Vec<Listener>,
    options: ServeOptions,
    stop: impl Future,
) -> Result<(), ServeError> {
    let shared = Arc::new(Shared {
        counts: AcceptCounts::default(),
        admission: Admission::new(options.max_connections),
        accepting: CancellationToken::new(),
        connected: CancellationToken::new(),
        connections: TaskTracker::new(),
        stopping: AtomicBool::new(false),
        runtime: TokioRuntime::new(),
        server,
    });
    // Dropped with this future when the caller gives up on it: then all tasks end too.
    let _accepting = shared.accepting.clone().drop_guard();
    let _connected = shared.connected.clone().drop_guard();
    let http_stop = CancellationToken::new();
    let _http = http_stop.clone().drop_guard();

    let Opened { sockets, files } = open(listeners, Ok)?;
    let http = match &options.metrics {
        Some(address) => {
            let bound = HttpListener::bind(address, options.allow_shared_folder).await;
            Some(bound.map_err(|cause| ServeError::Metrics {
                address: address.clone(),
                cause,
            })?)
        }
        None => None,
    };
    let endpoint = TaskTracker::new();
    if let Some(http) = http {
        endpoint.spawn(http.run(operator_routes(&shared, options.routes), http_stop.clone()));
    }
    // The first poll may install signal handlers: whoever is served or hears that we are ready may send a signal at once.
    let mut stop = pin!(stop);
    let stopped = poll_fn(|cx| Poll::Ready(stop.as_mut().poll(cx).is_ready())).await;
    let accepting = accept_all(Arc::clone(&shared), sockets).await?;
    systemd::notify_ready();
    if !stopped {
        tokio::select! {
            biased;
            _ = stop => {}
            () = accepting.wait() => return Err(ServeError::accepting_ended()),
        }
    }
    let drain_time = options.drain.min(DRAIN_LONGEST);
    let deadline = Instant::now() + drain_time;
    systemd::notify_stopping();
    shared.stopping.store(true, Ordering::Relaxed);
    shared.server.announce_shutdown();
    // It listens at once: a second signal counts from the next line of the log on.
    let second = options.second_signal.then(second_signal);
    tracing::info!(connections = shared.connections.len(), "draining");
    let again = async {
        match second {
            Some(second) => second.await,
            None => std::future::pending().await,
        }
    };
    let drained = drain(&shared, files, &accepting);
    let cut_off = deadline - CUT_OFF_TIME.min(drain_time / 10);
    tokio::select! {
        () = drained => tracing::info!("drained"),
        () = again => tracing::warn!(connections = shared.connections.len(), "asked again to stop; cutting off what is left"),
        () = sleep_until(cut_off) => {
            tracing::warn!(connections = shared.connections.len(), "the drain time is over; cutting off what is left");
        }
    }
    shared.accepting.cancel();
    shared.connected.cancel();
    http_stop.cancel();
    endpoint.close();
    // A drain that was cut short may not have come to this, and what is open is never waited out.
    shared.connections.close();
    // A task ends at its next turn once it is told to; only one that blocks its thread could take longer.
    let ended = async {
        shared.connections.wait().await;
        endpoint.wait().await;
        accepting.wait().await;
    };
    if timeout(CUT_OFF_TIME, ended).await.is_err() {
        match shared.connections.len() {
            0 => tracing::warn!("accepting or the metrics do not end; leaving them"),
            connections => {
                tracing::warn!(connections, "some connections do not end; leaving them");
            }
        }
    }
    Ok(())
}

struct Shared {
    server: Server<TokioRuntime>,
    runtime: TokioRuntime,
    counts: AcceptCounts,
    admission: Admission,
    accepting: CancellationToken,
    connected: CancellationToken,
    connections: TaskTracker,
    stopping: AtomicBool,
}

async fn drain(shared: &Shared, files: FileWatch, accepting: &TaskTracker) {
    // Removing waits for a lock and a thread, so it must not hold up one of the runtime.
    if let Err(error) = tokio::task::spawn_blocking(move || drop(files)).await {
        tracing::warn!(%error, "removing the socket files failed");
    }
    shared.accepting.cancel();
    accepting.wait().await;
    shared.server.shutdown();
    shared.connections.close();
    shared.connections.wait().await;
}

fn operator_routes(shared: &Arc<Shared>, routes: Routes) -> Routes {
    let metrics = Arc::clone(shared);
    let health = Arc::clone(shared);
    routes
        .with("/metrics", move |_| metrics_answer(&metrics))
        .with("/healthz", move |_| health_answer(&health))
}

fn metrics_answer(shared: &Shared) -> Response<Bytes> {
    let mut body = shared.server.metrics_text();
    for (name, help, value) in [
        (
            "podsapi_accept_shed_total",
            "Connections closed on arrival because the process had no file descriptor left.",
            shared.counts.shed.load(Ordering::Relaxed),
        ),
        (
            "podsapi_accept_errors_total",
            "Failed attempts to accept a connection.",
            shared.counts.errors.load(Ordering::Relaxed),
        ),
    ] {
        body.push_str(&format!(
            "# HELP {name} {help}\n# TYPE {name} counter\n{name} {value}\n"
        ));
    }
    let mut response = Response::new(Bytes::from(body));
    response.headers_mut().insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8"),
    );
    response
}

fn health_answer(shared: &Shared) -> Response<Bytes> {
    if shared.stopping.load(Ordering::Relaxed) {
        return text(StatusCode::SERVICE_UNAVAILABLE, "stopping\n");
    }
    let readiness = shared.server.with_pods(|pods| pods.readiness());
    if readiness.is_ready() {
        text(StatusCode::OK, "ok\n")
    } else {
        text(StatusCode::SERVICE_UNAVAILABLE, format!("{readiness}\n"))
    }
}
