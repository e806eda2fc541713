//! Tests across the crates of the Kubelet Pods API.
