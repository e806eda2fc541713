//! What the Kubelet Pods API costs, measured beside what would be run instead and beside the least
//! that it could cost.
//!
//! * [`corpus`] makes the pods that every server serves.
//! * [`control`] is how a measured server is told what to do, and asked what it used.
//! * [`server`] is that from outside, and [`client`] the one client that measures every server.
//! * [`quiet`] tells which rounds count, by what the kernel did beside them ([`strain`]).
//! * [`workload`] is what is asked of them, [`memory`], [`latency`] and [`growth`] are what else they are
//!   judged by, and [`report`] is what is said in the end.
//! * [`holds`] and [`masks`] are for what happens in one process.

pub mod client;
pub mod clock;
pub mod control;
pub mod corpus;
pub mod figures;
pub mod goal;
pub mod growth;
pub mod holds;
pub mod latency;
pub mod masks;
pub mod memory;
pub mod message;
pub mod peer;
pub mod quiet;
pub mod report;
pub mod server;
pub mod strain;
pub mod workload;
