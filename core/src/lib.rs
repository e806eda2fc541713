//! The Kubelet Pods API as a `no_std` state machine without I/O.
//!
//! ```text
//!   sources                          Pods                              adapters
//!
//!  SourceEvent --handle_source--> source --> store --> log ---> watch --poll_watch--> WatchOutput
//!                                   |          |                  ^
//!                                  gate     snapshot -------------+
//!                                   |          |
//!  Call ----------handle_call-----> gate --> bucket --> mask --> request ----> Reply
//! ```
//!
//! One type, [`Pods`], is the whole service. Inputs are called `handle_*`, outputs `poll_*`, and
//! getters are plain nouns. Data flows one way: what sources say is joined in the store, what
//! changes there goes to one log, and watches read that at their own pace. There are no callbacks,
//! channels, locks, clocks or random numbers in here, so the same inputs give the same outputs.
//!
//! Bytes stay bytes. A pod is walked once, when [`EncodedPod::parse`] takes it; after that it is
//! shared, spliced and selected from in its encoded form, and fields that no schema knows stay.
//!
//! # The run loop
//!
//! 1. Make [`Pods`] of a [`Config`] and resolve each source's name with [`Pods::source`].
//! 2. Call one `handle_*`: a source spoke, a call came in, a reader went away, the server ends. Where
//!    others wait for the service meanwhile, [`Pods::begin_call`] in place of `handle_call` gives back
//!    what takes long, and [`Pods::begin_source`] takes a whole list a part at a time.
//! 3. Call [`Pods::poll_ready`] until it returns `None`, and wake the readers of those watches.
//! 4. A reader calls [`Pods::poll_watch`] while it has room, until [`WatchOutput::Idle`] or
//!    [`WatchOutput::End`]. After `Idle` it waits to be woken; after `End` the id is over. One that
//!    stopped for want of room goes on when it has some: it is woken for the end only.
//!
//! ```
//! use bytes::Bytes;
//! use podsapi_core::{
//!     Call, Config, Dialect, EncodedPod, Method, Moment, Pods, Reply, SourceConfig, SourceEvent,
//!     SourceKind, WatchOutput,
//! };
//!
//! let now = Moment::ORIGIN;
//! let sources = vec![SourceConfig::new("snapshot", SourceKind::Snapshot)];
//! let mut pods = Pods::new(Config { sources, ..Config::default() }, now);
//!
//! let source = pods.source("snapshot").ok_or("not configured")?;
//! let pod = EncodedPod::parse(Bytes::from_static(b"\x0a\x06\x0a\x01a\x2a\x01u"))?;
//! pods.handle_source(source, SourceEvent::Begin, now)?;
//! pods.handle_source(source, SourceEvent::Put { pod, at: 1_700_000_000 }, now)?;
//! pods.handle_source(source, SourceEvent::Complete { at: 1_700_000_000 }, now)?;
//!
//! let call = Call::new(Dialect::V1alpha1, Method::WatchPods, Bytes::new());
//! let Reply::Watch(watch) = pods.handle_call(call, now) else { panic!("refused") };
//! assert_eq!(pods.poll_ready(), Some(watch));
//! let mut events = 0;
//! while let WatchOutput::Event(message) = pods.poll_watch(watch) {
//!     events += usize::from(!message.is_empty());
//! }
//! assert_eq!(events, 2, "the pod, and the sync marker");
//! # Ok::<(), Box<dyn core::error::Error>>(())
//! ```
//!
//! # Time
//!
//! `now` is the last argument of whatever needs it: a [`Moment`], nanoseconds since an origin of
//! the adapter's choice. It paces the [`TokenBucket`] and dates a source's last news; a clock that
//! stands or goes back does no harm. Nothing in here waits, so there is no timeout to poll. Wall
//! time comes from the sources, as seconds since 1970 in `at`, and goes into deletions only.
//!
//! # Bounds
//!
//! | what | default | at the limit |
//! | --- | --- | --- |
//! | [`Config::qps`], [`Config::burst`] | 100 a second, 10 at once | the call is refused |
//! | [`Config::fair_peers`] | none: all callers share the rate | further peers share one bucket |
//! | [`Config::watch_buffer`] | 100 unread events a watch | [`Config::slow_watch`]: that watch ends, or is told the newest states |
//! | [`Config::log_entries`], [`Config::log_bytes`] | 4,096 changes, 16 MiB of pods before them | the oldest is forgotten; who has not read it as above |
//! | [`Config::max_watched_masks`], [`Config::max_watched_masks_per_peer`] | 1,024, and 64 of one peer | the call is refused |
//! | [`Config::max_watches`] | 4,096 | the call is refused |
//! | [`Config::max_pods_per_source`] | 65,536 | the source's word is refused |
//! | [`Config::max_pod_bytes`] | 10 MiB, and twice that with a local status | the source's word is refused |
//! | [`Config::max_projection_masks`] | 64 | the mask that was not used for longest is forgotten, those that are watched last |
//! | [`Config::max_projection_bytes`] | 32 MiB | the same; what does not fit then is made anew each time |
//! | [`MAX_DEPTH`] | 100 levels of nesting | the bytes are refused |
//!
//! Each default has its reason beside it, and each refusal is told to whoever caused it and counted
//! in [`Counters`].
//!
//! # Watches
//!
//! A watch is a place in its first list, then a place in the log of changes. The list is that of one
//! moment, and shares with those of other moments whatever did not change between them. The log says of
//! each change what was served before and after it, once for all watches; what is unread costs nothing
//! for one watch more. A change costs what its pod costs, and a look for each distinct view through
//! which somebody waits for it. The list and the marker are always told to whoever reads; what a reader
//! is behind when it has read them, it may be until it has caught up.
//!
//! With [`SlowWatch::Coalesce`] a watch is read in rounds. A round ends at the newest change of the
//! moment in which it begins, and tells of each pod that changed since the last one what it is at its
//! end. What changed last is told last, and a pod that went away and came again is told as two. Where
//! the log does not reach back to the begin of a round, pods that changed before it are told as they
//! are; the log remembers of as many deletions as of changes, and a watch that needs one that is
//! forgotten ends as if it were too slow. Where a round takes longer than the log remembers, a pod that
//! began in it may be told as new twice, and one may be told as gone that never was told.
//!
//! # Masks
//!
//! What a mask leaves of a pod is made once and kept by mask and revision of the pod, for lists,
//! single pods and watches in both dialects alike. Which fields a change is about is worked out once,
//! for all masks. A masked watch is not told of a change that leaves
//! the selected bytes as they were: with [`SlowWatch::End`] each event is compared with the one
//! before, with [`SlowWatch::Coalesce`] with what its reader was sent last, as long as that is
//! remembered ([`Counters::watch_events_uncompared`]). New pods, deletions and
//! the sync marker are always told. [`Outgoing::applied_mask`] and [`Pods::applied_mask`] give what
//! an adapter sends as [`MASK_APPLIED_HEADER`].
//!
//! # Errors and panics
//!
//! The type says whose fault it is: [`Status`] is for clients and the only error that crosses the
//! socket, [`PodError`] and [`WireError`] are about a source's bytes, [`SourceError`] about the
//! order and the limits that an adapter must keep, [`MaskError`] about a client's mask. None
//! allocates but those for clients. A panic means a bug in here: no bytes, call, source or stale id
//! may reach one.
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
mod compiled;
mod config;
mod counters;
mod gate;
mod hash;
mod index;
mod lists;
mod log;
mod mask;
mod outgoing;
mod pod;
mod project;
mod projections;
mod rate;
#[cfg(test)]
mod sample;
mod served;
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
    Call, Dialect, MaskRequest, Method, Namespaces, PeerKey, Reply, Scope, WatchId, WatchOutput,
};
pub use config::{
    Config, DEFAULT_BURST, DEFAULT_FAIR_PEERS, DEFAULT_LOG_BYTES, DEFAULT_LOG_ENTRIES,
    DEFAULT_MAX_POD_BYTES, DEFAULT_MAX_PODS_PER_SOURCE, DEFAULT_MAX_PROJECTION_BYTES,
    DEFAULT_MAX_PROJECTION_MASKS, DEFAULT_MAX_WATCHED_MASKS, DEFAULT_MAX_WATCHED_MASKS_PER_PEER,
    DEFAULT_MAX_WATCHES, DEFAULT_QPS, DEFAULT_WATCH_BUFFER, SlowWatch, SourceConfig, SourceKind,
};
pub use counters::Counters;
pub use gate::Readiness;
pub use mask::{
    FieldMask, MASK_APPLIED_HEADER, MASK_BIN_HEADER, MASK_HEADER, MASK_SCHEMA_HEADER, MAX_KEYS,
    MAX_MASK_BYTES, MAX_PATHS, MAX_SEGMENT_BYTES, MAX_SEGMENTS, MaskError, MaskFault, mask_schema,
};
pub use outgoing::Outgoing;
pub use pod::{EncodedPod, EncodedStatus, PodError, Uid};
pub use project::Projection;
pub use service::{Begun, Conflict, Pods, Work};
pub use source::{SourceCounts, SourceError, SourceEvent, SourceId, SourceState, SourceView};
pub use status::{Code, Status, Violation};
pub use time::Moment;
pub use watch::WatchView;
pub use wire::{MAX_DEPTH, WireError, WireErrorKind};
