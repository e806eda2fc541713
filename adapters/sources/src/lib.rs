//! Where pods come from: static manifests, kubelets, an API server, captured nodes, simulated nodes.
//!
//! ```text
//! folder of manifests ──▶ manifests ────┐
//! a Pods API's watch ───▶ kubelet ──────┤
//! a kubelet's /pods ────▶ kubelet_http ─┤
//! an API server's watch ▶ apiserver ────┼──▶ Sink ──▶ whoever serves the pods
//! file of pods ─────────▶ snapshot ─────┤
//! a seed ───────────────▶ simulated ────┘
//! ```
//!
//! A container runtime owns no pods: `cri` shows what runs, `status` makes the status of a pod of it,
//! and [`join`] stands between all these and the core, so that each pod is there once and is as it
//! is on this node.
//!
//! What an API server has for a node is learned by [`listwatch`], which does no I/O: whoever has a
//! connection drives it, as `apiserver` does.
//!
//! `kubelet_http` needs the feature of that name, `kubelet-http`, which brings HTTP and TLS;
//! `apiserver` the feature `apiserver`, which brings a client library's way with credentials.
//!
//! Each source is one `run(options, sink)` future, and dropping it ends the source. It knows
//! neither the server nor its lock: a [`Sink`] takes its words, which are the
//! [`SourceEvent`](podsapi_core::SourceEvent)s of the core. The first words are one complete list;
//! until it is complete the server tells its clients that it is not ready.
//!
//! ```
//! use std::sync::{Arc, Mutex};
//!
//! use podsapi_core::{Config, Moment, Pods, SourceConfig, SourceKind};
//! use podsapi_sources::{Sink, snapshot};
//!
//! let config = Config {
//!     sources: vec![SourceConfig::new("captured", SourceKind::Snapshot)],
//!     ..Config::default()
//! };
//! let pods = Pods::new(config, Moment::ORIGIN);
//! let source = pods.source("captured").expect("it is configured above");
//! let pods = Arc::new(Mutex::new(pods));
//! let sink = Sink::new(
//!     move |event| {
//!         let mut pods = pods.lock().expect("nobody panics with the lock");
//!         pods.handle_source(source, event, Moment::ORIGIN)
//!     },
//!     |problem| println!("captured: {}", problem.as_deref().unwrap_or("all is well")),
//!     || 1_762_283_628,
//! );
//! let serving = snapshot::run(snapshot::Options::new("pods.json"), sink);
//! # drop(serving); // It would go on for ever.
//! ```
//!
//! [`cri`] owns no pods: it tells what a container runtime shows of them, as a
//! [`RuntimeView`](view::RuntimeView).
//!
//! # What is read anew
//!
//! Credentials and files are looked at again and again by themselves. Whoever cannot wait for that
//! gives the sink a [`Reload`] and wishes.
//!
//! # Time
//!
//! The sink tells the wall time, and tokio's timers the rest.
//!
//! # Bounds
//!
//! A manifest has at most 10 MiB, a snapshot or the answer of a kubelet 64 MiB; one source watches
//! at most 64 folders.
//!
//! # Errors and panics
//!
//! A source goes on whatever it reads. What it cannot read or serve it tells its sink as one text
//! when that changes ([`Sink::problem`]), and the log line by line: names and reasons, not pods.
//! It ends only when the sink does not know it. No content can make it panic.

pub use reload::Reload;
pub use sink::Sink;

#[cfg(feature = "apiserver")]
pub mod apiserver;
pub mod cri;
pub mod join;
pub mod kubelet;
#[cfg(feature = "kubelet-http")]
pub mod kubelet_http;
pub mod listwatch;
pub mod manifests;
pub mod simulated;
pub mod snapshot;
pub mod status;
pub mod view;

mod folders;
mod identity;
#[cfg(test)]
mod mangled;
mod problems;
#[cfg(test)]
mod recorder;
mod regular;
mod reload;
mod sink;
mod text;
mod tree;
mod wall;
