//! `serve --apiserver` against a real kube-apiserver with etcd, compared with what they answer.
//!
//! Needs Go and `PODSAPI_REAL_APISERVER=1`, since it builds both; without these the tests say so and pass.

mod access;
pub(crate) mod api;
mod clusters;
mod containers;
mod credentials;
mod fallback;
mod link;
mod node;
mod outages;
pub(crate) mod plane;
mod pods;
mod quiet;
mod statics;
mod stress;
