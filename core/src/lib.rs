//! The Kubelet Pods API as a `no_std` state machine without I/O.
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

mod bucket;
mod call;
mod config;
mod counters;
mod gate;
mod mask;
mod pod;
mod project;
#[cfg(test)]
mod sample;
mod service;
mod source;
mod splice;
mod status;
mod store;
mod time;
mod watch;
mod wire;

pub use bucket::{Empty, TokenBucket};
pub use call::{
    Call, Dialect, MaskRequest, Method, Namespaces, Outgoing, Reply, Scope, WatchId, WatchOutput,
};
pub use config::{
    Config, DEFAULT_BURST, DEFAULT_MAX_POD_BYTES, DEFAULT_MAX_PODS_PER_SOURCE, DEFAULT_MAX_WATCHES,
    DEFAULT_QPS, DEFAULT_WATCH_BUFFER, SlowWatch, SourceConfig, SourceKind,
};
pub use counters::Counters;
pub use gate::Readiness;
pub use mask::{
    FieldMask, MASK_BIN_HEADER, MASK_HEADER, MAX_KEYS, MAX_MASK_BYTES, MAX_PATHS,
    MAX_SEGMENT_BYTES, MAX_SEGMENTS, MaskError, MaskFault,
};
pub use pod::{EncodedPod, EncodedStatus, PodError, Uid};
pub use project::Projection;
pub use service::{Conflict, Pods};
pub use source::{SourceCounts, SourceError, SourceEvent, SourceId, SourceState, SourceView};
pub use status::{Code, Status, Violation};
pub use time::Moment;
pub use wire::{MAX_DEPTH, WireError, WireErrorKind};
