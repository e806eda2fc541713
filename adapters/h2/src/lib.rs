//! Serves the Kubelet Pods API over any byte stream with the h2 crate.

mod alarm;
mod authority;
mod connection;
mod diagnostics;
mod exchange;
mod exposition;
mod guarded;
mod limits;
mod meters;
mod peer;
mod responder;
mod runtime;
mod segments;
mod server;
mod streaming;
mod unary;

pub use authority::{AuthorityFilter, AuthorityScanner};
pub use limits::Limits;
pub use peer::Peer;
pub use runtime::Runtime;
pub use server::Server;
