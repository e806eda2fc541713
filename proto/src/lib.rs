//! Protobuf schemas, tables and JSON forms of the Kubelet Pods API.
