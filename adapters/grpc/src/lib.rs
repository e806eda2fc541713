//! gRPC for the Kubelet Pods API as a vocabulary without I/O.
