//! HTTP/2 and gRPC frame by frame over a real UNIX socket; each test names the rule it holds.
//!
//! The numbers are those of the lines of the protocol checklist in the design notes; `index` has them
//! all.

mod authority;
mod body;
mod compression;
mod connection;
mod decoder;
mod headers;
mod health;
mod index;
mod pod_forms;
mod reflection;
mod resets;
mod response;
mod stopping;
mod violations;
mod windows;

/// Paths of the released dialect.
const LIST: &str = "/v1alpha1.Pods/ListPods";
const GET: &str = "/v1alpha1.Pods/GetPod";
const WATCH: &str = "/v1alpha1.Pods/WatchPods";
