//! Serves the Kubelet Pods API on UNIX sockets with the smol family of crates.
//!
//! [`Listener::bind`] makes a socket, [`SmolRuntime`] lends an executor's tasks and the clock of
//! async-io to [`podsapi_h2::Server`], and [`serve()`] accepts connections until it is told to stop,
//! then drains. Tokio's runtime is nowhere in it.
//!
//! ```text
//! SocketOptions ─▶ Listener ─▶ serve ─▶ a task a connection ─▶ podsapi_h2::Server ─▶ podsapi_core::Pods
//! ```

#[cfg(not(unix))]
compile_error!("podsapi-smol serves UNIX sockets, so it builds only for UNIX-like systems");

#[cfg(unix)]
mod runtime;
#[cfg(unix)]
mod serve;
#[cfg(unix)]
mod stream;

#[cfg(unix)]
pub use podsapi_socket::{
    BindError, InheritError, Listener, OpenError, SocketOptions, SocketPathError, random_seed,
    socket_path,
};
#[cfg(unix)]
pub use runtime::{SmolRuntime, SmolSleep};
#[cfg(unix)]
pub use serve::{ServeOptions, serve};
