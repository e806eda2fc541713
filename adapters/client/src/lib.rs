//! Client of the Kubelet Pods API: list, get, watch and a mirror of the node.
