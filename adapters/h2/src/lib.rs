//! Serves the Kubelet Pods API over any byte stream with the h2 crate.
//!
//! ```text
//!  sources ──▶ Server::handle_source ─┐        ┌─ Server::metrics_text, Server::diagnostics
//!                                     ▼        ▼
//!                              one lock around Pods ──▶ wakes the watches that became readable
//!                                     ▲
//!  socket ─▶ Server::serve_connection │
//!     │        guarded     counts bytes, gives up stalled writes
//!     │        authority   makes odd :authority values acceptable to h2, ends what sends endless headers
//!     │        connection  accepts streams, keepalive, idle time, GOAWAY; never waits for a call
//!     └─ calls ──▶ exchange ──────────┘ checks headers, reads the request, has it decided, answers
//!                           unary       one message out
//!                           streaming   events out, at the pace of the reader
//!                           health      a state out, and again with each change
//!                           reflection  questions in, an answer out for each
//! ```
//!
//! # Running it
//!
//! 1. Implement [`Runtime`]: spawn, sleep, now.
//! 2. Make a [`Server`] of `podsapi_core::Pods`, [`Limits`] and the runtime.
//! 3. Hand it what sources say with [`Server::handle_source`].
//! 4. Accept connections and run [`Server::serve_connection`] for each in a task of its own.
//! 5. At the end call [`Server::shutdown`] and wait for those tasks.
//!
//! # Time
//!
//! All moments come from the one [`Runtime`]; this crate reads no clock. (The h2 crate reads one,
//! only to forget streams that were reset.)
//!
//! # Bounds
//!
//! Each is a field of [`Limits`] with its reason. h2 keeps whatever it is given to send, so nothing
//! is given to it that the windows of the client and the bound of its buffer have no room for; what
//! a slow watch does not take stays in the queue of the service. Request bytes are given back to
//! the windows as they are read, and are bounded for one call and for all calls together; what is
//! compressed is inflated up to the same bound. Replies that wait to be read are bounded by what they
//! keep, of which each byte counts once.
//!
//! # Errors and panics
//!
//! A client is told a status in trailers, or in a single block of headers when nothing was sent
//! before. Only a stream that must end inside a message is reset. A panic while a call is served is
//! `INTERNAL` for that call, and nothing else notices; that needs `panic = "unwind"`.

mod alarm;
mod attention;
mod authority;
mod calls;
mod connection;
mod diagnostics;
mod exchange;
mod exposition;
mod gathered;
mod guarded;
mod health;
mod holds;
mod inflate;
mod ledger;
mod limits;
mod meters;
mod onlookers;
mod origin;
mod peer;
mod queue;
mod reasons;
mod reflection;
mod refusals;
mod responder;
mod runtime;
mod segments;
mod server;
mod streaming;
mod unary;
mod unread;

pub use authority::{AuthorityFilter, AuthorityScanner, MAX_HEADER_BYTES};
pub use limits::Limits;
pub use peer::Peer;
pub use runtime::Runtime;
pub use server::Server;
