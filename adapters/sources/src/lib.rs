//! Where pods come from: static manifests, captured nodes, simulated nodes.
//!
//! ```text
//! folder of manifests ──▶ manifests ─┐
//! file of pods ─────────▶ snapshot ──┼──▶ Sink ──▶ whoever serves the pods
//! a seed ───────────────▶ simulated ─┘
//! ```
//!
//! Each source is one `run(options, sink)` future, and dropping it ends the source. It knows
//! neither the server nor its lock: a [`Sink`] takes its words, which are the
//! [`SourceEvent`](podsapi_core::SourceEvent)s of the core. The first words are one complete list;
//! until it is complete the server tells its clients that it is not ready.
//!
//! # Time
//!
//! The sink tells the wall time, and tokio's timers the rest.
//!
//! # Bounds
//!
//! A manifest has at most 10 MiB, a snapshot 64 MiB; one source watches at most 64 folders.
//!
//! # Errors and panics
//!
//! A source goes on whatever it reads. What it cannot read or serve it tells its sink as one text
//! when that changes ([`Sink::problem`]), and the log line by line: names and reasons, not pods.
//! It ends only when the sink does not know it. No content can make it panic.

pub use sink::Sink;

pub mod manifests;
pub mod simulated;
pub mod snapshot;

mod folders;
mod identity;
mod problems;
#[cfg(test)]
mod recorder;
mod regular;
mod sink;
mod text;
mod tree;
mod wall;
