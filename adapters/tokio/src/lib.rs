//! Serves the Kubelet Pods API on UNIX sockets with tokio.
//!
//! [`Listener::bind`] makes a socket (or [`Listener::inherited`] takes those that a supervisor made), [`TokioRuntime`] lends
//! tokio's tasks and clock to [`podsapi_h2::Server`], and [`serve()`] accepts connections until it is told to stop, then drains.
//!
//! ```text
//! SocketOptions ─▶ Listener ─┐
//!                            ├─▶ serve ─▶ a task a connection ─▶ podsapi_h2::Server ─▶ podsapi_core::Pods
//! LISTEN_FDS ────▶ Listener ─┘     └────▶ /metrics and /healthz
//! ```

#[cfg(not(unix))]
compile_error!("podsapi-tokio serves UNIX sockets, so it builds only for UNIX-like systems");

#[cfg(unix)]
mod http;
#[cfg(unix)]
mod runtime;
#[cfg(unix)]
mod serve;
#[cfg(unix)]
mod signal;
#[cfg(unix)]
mod systemd;
#[cfg(unix)]
mod transport;

#[cfg(unix)]
pub use self::http::{HttpBindError, MetricsAddress, MetricsAddressError, Routes};
#[cfg(unix)]
pub use podsapi_socket::{
    BindError, InheritError, Listener, OpenError, SocketOptions, SocketPathError, random_seed,
    socket_path,
};
#[cfg(unix)]
pub use runtime::TokioRuntime;
#[cfg(unix)]
pub use serve::{ServeError, ServeOptions, serve};
#[cfg(unix)]
pub use signal::{Hangups, shutdown_signal};
#[cfg(unix)]
pub use systemd::notify_reload;
