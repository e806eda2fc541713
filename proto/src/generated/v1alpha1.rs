//! Generated from `protos` by the test `regenerate`; not edited by hand.

/// One message of a watch.
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct WatchPodsEvent {
    /// What happened.
    #[prost(enumeration = "EventType", tag = "1")]
    pub r#type: i32,
    /// The encoded pod; empty in the marker, only an identity when it is deleted.
    #[prost(bytes = "bytes", tag = "2")]
    pub pod: ::prost::bytes::Bytes,
}
/// The answer to ListPods.
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ListPodsResponse {
    /// The encoded pods.
    #[prost(bytes = "bytes", repeated, tag = "1")]
    pub pods: ::prost::alloc::vec::Vec<::prost::bytes::Bytes>,
}
/// The answer to GetPod.
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct GetPodResponse {
    /// The encoded pod.
    #[prost(bytes = "bytes", tag = "1")]
    pub pod: ::prost::bytes::Bytes,
}
/// Asks for a watch.
#[derive(Clone, Copy, PartialEq, Eq, Hash, ::prost::Message)]
pub struct WatchPodsRequest {}
/// Asks for all pods.
#[derive(Clone, Copy, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ListPodsRequest {}
/// Asks for one pod.
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct GetPodRequest {
    /// The UID of the pod.
    #[prost(string, tag = "1")]
    pub pod_uid: ::prost::alloc::string::String,
}
/// What a watch reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, ::prost::Enumeration)]
#[repr(i32)]
pub enum EventType {
    /// Never sent.
    Unspecified = 0,
    /// The pod is new to this watch.
    Added = 1,
    /// The pod changed.
    Modified = 2,
    /// The pod is gone.
    Deleted = 3,
    /// Every pod that there was at the start of the watch has been sent.
    InitialSyncComplete = 4,
}
impl EventType {
    /// String value of the enum field names used in the ProtoBuf definition.
    ///
    /// The values are not transformed in any way and thus are considered stable
    /// (if the ProtoBuf definition does not change) and safe for programmatic use.
    pub fn as_str_name(&self) -> &'static str {
        match self {
            Self::Unspecified => "UNSPECIFIED",
            Self::Added => "ADDED",
            Self::Modified => "MODIFIED",
            Self::Deleted => "DELETED",
            Self::InitialSyncComplete => "INITIAL_SYNC_COMPLETE",
        }
    }
    /// Creates an enum from field names used in the ProtoBuf definition.
    pub fn from_str_name(value: &str) -> ::core::option::Option<Self> {
        match value {
            "UNSPECIFIED" => Some(Self::Unspecified),
            "ADDED" => Some(Self::Added),
            "MODIFIED" => Some(Self::Modified),
            "DELETED" => Some(Self::Deleted),
            "INITIAL_SYNC_COMPLETE" => Some(Self::InitialSyncComplete),
            _ => None,
        }
    }
}
