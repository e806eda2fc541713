//! gRPC for the Kubelet Pods API as a vocabulary without I/O.
//!
//! ```text
//!  headers in  ─▶ request   every check in its fixed order: content-type, method, path, the rest
//!                 dialect   which service and method a path names
//!  bytes in    ─▶ frame     messages out of partial input; exactly one where one is due; whether each
//!                           is compressed, which a driver undoes: that takes a library with std
//!  messages out ◀ frame     the prefix of a message
//!  status out  ◀─ trailers  a status as header fields of at most 7 KiB, and back for clients
//!                 diagnostics  the answer to how the server is
//!                 health       the same in the words that gRPC has for it
//!                 reflection   the answers to what is served, with its definitions
//! ```
//!
//! It knows no socket, runtime, HTTP type or clock, so that a driver of any HTTP/2 engine can use
//! it; header names and values are byte strings. Nothing here panics, whatever a client sends, and
//! memory grows only with the bytes that arrive.
#![no_std]
#![warn(
    clippy::std_instead_of_core,
    clippy::std_instead_of_alloc,
    clippy::alloc_instead_of_core,
    clippy::exhaustive_enums,
    clippy::exhaustive_structs,
    clippy::cast_possible_truncation
)]
#![cfg_attr(not(test), warn(clippy::indexing_slicing))]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod diagnostics;
pub mod dialect;
mod fieldmask;
pub mod frame;
pub mod health;
pub mod reflection;
pub mod request;
pub mod text;
pub mod trailers;
