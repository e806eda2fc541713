//! Serves the Kubelet Pods API on UNIX sockets with tokio.
