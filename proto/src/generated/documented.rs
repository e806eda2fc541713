//! Generated from `protos` by the test `regenerate`; not edited by hand.

/// Asks for all pods.
#[derive(Clone, Copy, PartialEq, Eq, Hash, ::prost::Message)]
pub struct PodListRequest {}
/// The answer to ListPods.
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct PodListResponse {
    /// The pods.
    #[prost(bytes = "bytes", repeated, tag = "1")]
    pub pods: ::prost::alloc::vec::Vec<::prost::bytes::Bytes>,
}
/// Asks for one pod.
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct PodGetRequest {
    /// The UID of the pod.
    #[prost(string, tag = "1")]
    pub pod_uid: ::prost::alloc::string::String,
}
/// The answer to GetPod.
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct PodGetResponse {
    /// The pod.
    #[prost(bytes = "bytes", tag = "1")]
    pub pod: ::prost::bytes::Bytes,
}
/// Asks for a watch.
#[derive(Clone, Copy, PartialEq, Eq, Hash, ::prost::Message)]
pub struct PodWatchRequest {}
/// One message of a watch.
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct PodWatchResponse {
    /// The pod; an identity with a deletion timestamp and a grace period of 0 when it is gone.
    #[prost(bytes = "bytes", tag = "1")]
    pub pod: ::prost::bytes::Bytes,
}
