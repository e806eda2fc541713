//! Serves the Kubelet Pods API on UNIX sockets with tokio.
//!
//! [`Listener::bind`] makes a socket (or [`Listener::inherited`] takes those that a supervisor made), [`TokioRuntime`] lends
//! tokio's tasks and clock to [`podsapi_h2::Server`], and [`serve`] accepts connections until it is told to stop, then drains.
//!
//! ```text
//! SocketOptions ─▶ Listener ─┐
//!                            ├─▶ serve ─▶ a task a connection ─▶ podsapi_h2::Server ─▶ podsapi_core::Pods
//! LISTEN_FDS ────▶ Listener ─┘     └────▶ /metrics and /healthz
//! ```

#[cfg(not(unix))]
compile_error!("podsapi-tokio serves UNIX sockets, so it builds only for UNIX-like systems");

mod accept;
#[cfg(test)]
mod child_process;
mod directory;
mod http;
mod listener;
mod runtime;
mod serve;
mod signal;
mod slots;
mod socket_file;
mod systemd;

pub use self::http::{HttpBindError, MetricsAddress, MetricsAddressError, Routes};
pub use listener::{BindError, InheritError, Listener, SocketOptions};
pub use runtime::TokioRuntime;
pub use serve::{ServeError, ServeOptions, serve};
pub use signal::shutdown_signal;
