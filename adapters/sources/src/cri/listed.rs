//! What lists tell of sandboxes and containers, as far as it is needed to follow them.
//!
//! Everything else is in their statuses, and stays unread in the bytes of the answer: a node may
//! have thousands of containers that have ended, and they are listed every second.

use bytes::Bytes;
use prost::Message;

/// The answer of `ListContainers`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Containers {
    #[prost(message, repeated, tag = "1")]
    pub(super) items: Vec<Container>,
}

/// A container of a list.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Container {
    #[prost(bytes = "bytes", tag = "1")]
    pub(super) id: Bytes,
    #[prost(bytes = "bytes", tag = "2")]
    pub(super) sandbox_id: Bytes,
    #[prost(int32, tag = "6")]
    pub(super) state: i32,
}

/// The answer of `ListPodSandbox`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Sandboxes {
    #[prost(message, repeated, tag = "1")]
    pub(super) items: Vec<Sandbox>,
}

/// A sandbox of a list.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Sandbox {
    #[prost(bytes = "bytes", tag = "1")]
    pub(super) id: Bytes,
    #[prost(message, optional, tag = "2")]
    pub(super) pod: Option<Pod>,
    #[prost(int32, tag = "3")]
    pub(super) state: i32,
}

/// Whose sandbox it is.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Pod {
    #[prost(bytes = "bytes", tag = "2")]
    pub(super) uid: Bytes,
}
