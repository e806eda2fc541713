//! The source of a container runtime against a real containerd, compared with CRI's own answer.
//!
//! Needs root and `../shared/cri`, and `PODSAPI_CONTAINERD=1`, since it installs packages; without
//! these the tests say so and pass.

#![cfg(test)]

mod churn;
mod node;
mod outage;
mod situations;
