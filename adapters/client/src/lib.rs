//! Client of the Kubelet Pods API: list, get, watch and a mirror of the node.
//!
//! ```text
//!  Client ── list, get, watch, status ──▶ one HTTP/2 connection over a UNIX socket
//!  Follow ── connects, watches, waits, connects again ──▶ Mirror ──▶ changes and look-ups
//! ```
//!
//! [`Client`] makes typed calls on one connection. [`Follow`] is a watch that survives restarts of
//! the server. [`Mirror`] is pure (no input or output, no clock): events go in, the node's current
//! pods and what changed come out, and pods are found by UID, by namespace and name, by container
//! ID, by pod IP and by cgroup path. [`Channel`] makes calls of any other service, whose messages the
//! caller encodes.
//!
//! # Examples
//!
//! ```no_run
//! use podsapi_client::{Client, ClientOptions, DEFAULT_SOCKET};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let client = Client::connect(DEFAULT_SOCKET, ClientOptions::default()).await?;
//! println!("{} pods", client.list().await?.len());
//! # Ok(())
//! # }
//! ```
//!
//! # Fields
//!
//! [`Fields`] says which fields of each pod to ask for: of a connection in
//! [`ClientOptions::fields`], of single calls by [`Client::with_fields`]. A mask is checked when it
//! is made, so a wrong one never reaches a call. Where a server does not say that it applied it, the
//! client selects the same fields by itself, and keeps changes of others from the watch.
//!
//! # Time
//!
//! A call has no deadline unless [`ClientOptions::deadline`] sets one; a watch never has one. A
//! dead server is noticed by [`ClientOptions::keepalive`].
//!
//! # Bounds
//!
//! An answer or event is at most [`ClientOptions::max_message_bytes`] long, 64 MiB by default: a
//! full list of a large node passes the 4 MiB that gRPC libraries allow. A watch of a server that
//! does not apply masks keeps the wanted fields of each pod of the node, as a [`Mirror`] does.
//!
//! # Errors and panics
//!
//! [`ConnectError`] says why there is no connection, [`ClientError`] why a call failed: the
//! server's [`Status`] or the transport. Nothing a server sends makes the client panic.
//!
//! A [`Status`] has the server's details, too, as `google.rpc` defines them: [`Status::reason`] with
//! [`Status::domain`] and [`Status::metadata`] of `ErrorInfo`, [`Status::retry_after_nanos`] of
//! `RetryInfo` and [`Status::violations`] of `BadRequest`. Details that are broken or longer than
//! 14 KiB say nothing; code and text stay as they came. [`Follow`] waits as long as it is asked to,
//! within [`BackoffOptions::max`].

mod backoff;
mod call;
mod channel;
mod client;
mod error;
mod fields;
mod follow;
mod message;
pub mod mirror;
mod narrowing;
mod options;
mod response;
mod watch;

pub use backoff::{Backoff, BackoffOptions};
pub use channel::{Channel, ChannelOptions, MessageStream};
pub use client::Client;
pub use error::{ClientError, ConnectError, ConnectErrorKind, TransportError};
pub use fields::Fields;
pub use follow::{Follow, FollowError, FollowEvent};
pub use mirror::{Change, Mirror, MirrorError, MirroredPod};
pub use options::{ClientOptions, DEFAULT_SOCKET};
pub use podsapi_core::{Code, Dialect, FieldMask, MaskError, MaskFault, Status, Violation};
pub use watch::{Event, EventKind, WatchStream};
