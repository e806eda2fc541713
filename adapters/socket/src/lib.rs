//! UNIX sockets of a server: made, handed over, accepted from and removed, whatever the runtime.
//!
//! ```text
//! SocketOptions ─▶ Listener::bind ───────┐
//!                                        ├─▶ open ─▶ a runtime's listener ─▶ accept_loop ─▶ Admission ─▶ send
//! LISTEN_FDS ────▶ Listener::inherited ──┘     │              ▲
//!                                              └─▶ FileWatch ─┘ keeps their files in place
//! ```
//!
//! Nothing here waits on a socket: [`accept_loop`] is told how, and sleeps by the same
//! [`Runtime`](podsapi_h2::Runtime) as the driver; [`send()`] takes what there is room for.

#[cfg(not(unix))]
compile_error!("podsapi-socket is about UNIX sockets, so it builds only for UNIX-like systems");

#[cfg(unix)]
mod accept;
#[cfg(unix)]
mod admission;
#[cfg(unix)]
mod file_watch;
#[cfg(unix)]
mod listener;
#[cfg(unix)]
mod open;
#[cfg(unix)]
mod place;
#[cfg(unix)]
mod seed;
#[cfg(unix)]
mod send;
#[cfg(unix)]
mod slots;
#[cfg(unix)]
mod socket_file;
#[cfg(unix)]
mod socket_path;
#[cfg(unix)]
mod successor;
#[cfg(unix)]
mod wall;

#[cfg(unix)]
pub use accept::{AcceptCounts, accept_loop};
#[cfg(unix)]
pub use admission::Admission;
#[cfg(unix)]
pub use file_watch::FileWatch;
#[cfg(unix)]
pub use listener::{BindError, InheritError, Listener, SocketOptions};
#[cfg(unix)]
pub use open::{OpenError, Opened, OpenedSocket, open, open_one};
#[cfg(unix)]
pub use seed::random_seed;
#[cfg(unix)]
pub use send::send;
#[cfg(unix)]
pub use slots::{Slot, Slots};
#[cfg(unix)]
pub use socket_path::{SocketPathError, socket_path};
#[cfg(unix)]
pub use successor::{Replaceable, Successor};
#[cfg(unix)]
pub use wall::{wall_nanos, wall_seconds};
