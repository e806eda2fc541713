//! The operator's HTTP endpoint: paths that answer GET and HEAD, on a TCP address or a UNIX socket.

mod address;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::error::Error;
use std::fmt;
use std::io;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::header::{ALLOW, CONTENT_TYPE, HeaderValue};
use http::request::Parts;
use http::{Method, Request, Response, StatusCode};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use podsapi_socket::{
    AcceptCounts, BindError, FileWatch, Listener, OpenError, Replaceable, Slots, SocketOptions,
    accept_loop, open_one,
};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, UnixListener, UnixStream};
use tokio_util::sync::CancellationToken;

use crate::runtime::TokioRuntime;
use crate::transport::{Stream, Transport};

pub use address::{MetricsAddress, MetricsAddressError};

/// How many operators' connections are open at once: a few scrapers, health probes, and room for a person.
const MAX_CONNECTIONS: usize = 32;

/// How long a client may take to send its request.
const REQUEST_TIME: Duration = Duration::from_secs(5);

/// How long a connection may last in all; each one carries one request, so this bounds a client that does not read.
const CONNECTION_TIME: Duration = Duration::from_secs(30);

/// How much of a request is held: far more than a scraper's headers, and the least that the HTTP library takes is half of it.
const REQUEST_BYTES: usize = 16 * 1024;

type Handler = dyn Fn(&Parts) -> Response<Bytes> + Send + Sync;

/// The paths of the endpoint and what answers each.
#[derive(Clone, Default)]
pub struct Routes {
    paths: BTreeMap<String, Arc<Handler>>,
}

impl Routes {
    /// Returns no paths.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a path, which is matched whole and without its query; the same path again replaces the former answer.
    ///
    /// The handler is asked for GET and HEAD only, and must not block.
    #[must_use]
    pub fn with(
        mut self,
        path: impl Into<String>,
        handler: impl Fn(&Parts) -> Response<Bytes> + Send + Sync + 'static,
    ) -> Self {
        self.paths.insert(path.into(), Arc::new(handler));
        self
    }

    fn answer(&self, request: &Parts) -> Response<Bytes> {
        let Some(handler) = self.paths.get(request.uri.path()) else {
            let known: Vec<_> = self.paths.keys().map(String::as_str).collect();
            return text(
                StatusCode::NOT_FOUND,
                format!("not found; there is {}\n", known.join(" ")),
            );
        };
        if request.method != Method::GET && request.method != Method::HEAD {
            let mut refused = text(StatusCode::METHOD_NOT_ALLOWED, "use GET or HEAD\n");
            refused
                .headers_mut()
                .insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
            return refused;
        }
        handler(request)
    }
}

impl fmt::Debug for Routes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.paths.keys()).finish()
    }
}

/// Returns a plain text answer.
pub(crate) fn text(status: StatusCode, body: impl Into<Bytes>) -> Response<Bytes> {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    response.headers_mut().insert(
        CONTENT_TYPE,
        HeaderValue::from_static("text/plain; charset=utf-8"),
    );
    response
}

/// The endpoint's socket, bound and not served yet.
#[derive(Debug)]
pub(crate) enum HttpListener {
    Tcp(TcpListener),
    Unix(Replaceable<UnixListener>, FileWatch),
}

/// Why the HTTP endpoint could not be bound.
#[derive(Debug)]
pub enum HttpBindError {
    /// The system refused the address.
    System(io::Error),
    /// The UNIX socket could not be made.
    Socket(BindError),
    /// The UNIX socket could not be opened.
    Open(OpenError),
}

impl fmt::Display for HttpBindError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::System(cause) => {
                cause.fmt(f)?;
                if cause.kind() == io::ErrorKind::AddrInUse {
                    f.write_str("; choose another port, or 0 for a free one")?;
                }
                if cause.kind() == io::ErrorKind::AddrNotAvailable {
                    f.write_str("; use an address of this machine, such as 127.0.0.1")?;
                }
                Ok(())
            }
            Self::Socket(cause) => cause.fmt(f),
            Self::Open(cause) => cause.fmt(f),
        }
    }
}

impl Error for HttpBindError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::System(cause) => Some(cause),
            Self::Socket(cause) => Some(cause),
            Self::Open(cause) => Some(cause),
        }
    }
}

impl HttpListener {
    /// Binds the address; a path also where others may write its folder, if that is allowed.
    pub(crate) async fn bind(
        address: &MetricsAddress,
        allow_shared_folder: bool,
    ) -> Result<Self, HttpBindError> {
        match address {
            MetricsAddress::Tcp(address) => {
                let listener = TcpListener::bind(address)
                    .await
                    .map_err(HttpBindError::System)?;
                let bound = listener.local_addr().map_err(HttpBindError::System)?;
                if !bound.ip().is_loopback() {
                    tracing::warn!(%bound, "metrics are readable by everyone who reaches this address");
                }
                tracing::info!(%bound, "serving metrics");
                Ok(Self::Tcp(listener))
            }
            MetricsAddress::Unix(path) => {
                let options = SocketOptions {
                    allow_shared_folder,
                    ..SocketOptions::new(path)
                };
                let listener = Listener::bind(&options).map_err(HttpBindError::Socket)?;
                let (socket, file) =
                    open_one(listener, UnixListener::from_std).map_err(HttpBindError::Open)?;
                tracing::info!(socket = socket.label, "serving metrics");
                let listener =
                    Replaceable::new(socket.listener, socket.successor, UnixListener::from_std);
                Ok(Self::Unix(listener, file))
            }
        }
    }

    /// Answers requests until `stop`; the socket's file is gone then.
    pub(crate) async fn run(self, routes: Routes, stop: CancellationToken) {
        match self {
            Self::Tcp(listener) => {
                let accept =
                    |cx: &mut Context<'_>| listener.poll_accept(cx).map_ok(|(stream, _)| stream);
                run(accept, routes, stop).await;
            }
            Self::Unix(listener, file) => {
                run(|cx| listener.poll_accept(cx, accept), routes, stop).await;
                // Removing waits for a lock and a thread, so it must not hold up one of the
                // runtime.
                if let Err(error) = tokio::task::spawn_blocking(move || drop(file)).await {
                    tracing::warn!(%error, "removing the socket's file failed");
                }
            }
        }
    }
}

/// Accepts what waits at a UNIX socket.
pub(crate) fn accept(
    listener: &UnixListener,
    cx: &mut Context<'_>,
) -> Poll<io::Result<UnixStream>> {
    listener.poll_accept(cx).map_ok(|(stream, _)| stream)
}

async fn run<S: Stream>(
    poll_accept: impl Fn(&mut Context<'_>) -> Poll<io::Result<S>>,
    routes: Routes,
    stop: CancellationToken,
) {
    let routes = Arc::new(routes);
    let counts = AcceptCounts::default();
    let slots = Slots::new(MAX_CONNECTIONS, 0);
    let each = |stream| {
        // All callers are alike here: the address is the only thing that grants access.
        let Some(slot) = slots.take(Some(0)) else {
            return;
        };
        let routes = Arc::clone(&routes);
        let stop = stop.clone();
        tokio::spawn(async move {
            let _slot = slot;
            tokio::select! {
                () = stop.cancelled() => {}
                () = answer(Transport(stream), routes) => {}
            }
        });
    };
    let runtime = TokioRuntime::new();
    let stopped = stop.cancelled();
    accept_loop(poll_accept, "metrics", &runtime, stopped, &counts, each).await;
}

async fn answer<Io: AsyncRead + AsyncWrite + Send + Unpin + 'static>(io: Io, routes: Arc<Routes>) {
    let service = service_fn(move |request: Request<Incoming>| {
        let (parts, _body) = request.into_parts();
        let response = routes.answer(&parts).map(Full::new);
        async move { Ok::<_, Infallible>(response) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(REQUEST_TIME)
        .max_buf_size(REQUEST_BYTES)
        .keep_alive(false)
        .serve_connection(TokioIo::new(io), service);
    match tokio::time::timeout(CONNECTION_TIME, connection).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::debug!(%error, "a metrics connection failed"),
        Err(_) => tracing::debug!("a metrics connection took too long and was closed"),
    }
}
