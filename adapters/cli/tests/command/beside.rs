//! Our servers beside a real kubelet, on the same folder and runtime, compared event by event.
//!
//! Needs Go, root, `../shared`, `PODSAPI_REAL_KUBELET=1` and `PODSAPI_CONTAINERD=1`; without these the
//! tests say so and pass. What may differ is in `tests/interop/kubelet/differences.txt`, with reasons.

mod allowed;
mod answers;
mod bed;
mod cluster;
mod delays;
mod events;
mod fields;
mod kubelet;
mod metrics;
mod pod;
mod record;
mod recorder;
mod report;
mod restarts;
mod rounds;
mod situations;
mod statics;
