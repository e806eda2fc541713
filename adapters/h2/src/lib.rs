//! Serves the Kubelet Pods API over any byte stream with the h2 crate.
