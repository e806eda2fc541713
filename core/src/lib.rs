//! The Kubelet Pods API as a no_std state machine without I/O.
