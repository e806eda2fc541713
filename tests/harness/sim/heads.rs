//! Which pod encoded bytes are of, read without the server's own reader.

use bytes::Bytes;
use prost::Message;

/// The part of a pod that says which it is and whether it is gone.
#[derive(Clone, PartialEq, Message)]
struct Head {
    #[prost(message, optional, tag = "1")]
    metadata: Option<Metadata>,
}

/// The parts of a pod that are its owner's alone, where a runtime decides the status.
#[derive(Clone, PartialEq, Message)]
pub(super) struct OwnersPart {
    #[prost(bytes = "bytes", tag = "1")]
    metadata: Bytes,
    #[prost(bytes = "bytes", tag = "2")]
    spec: Bytes,
}

#[derive(Clone, PartialEq, Message)]
struct Metadata {
    #[prost(string, tag = "5")]
    uid: String,
    #[prost(int64, optional, tag = "10")]
    deletion_grace_period_seconds: Option<i64>,
}

/// Returns the UID of a pod, and whether it is told as gone where events have no kind.
///
/// # Panics
///
/// When the bytes are no pod, or it has no UID.
pub(super) fn read(pod: &Bytes) -> (String, bool) {
    let head = Head::decode(&**pod).expect("a pod decodes");
    let metadata = head.metadata.unwrap_or_default();
    assert!(!metadata.uid.is_empty(), "a pod has a UID");
    (
        metadata.uid,
        metadata.deletion_grace_period_seconds == Some(0),
    )
}

/// Returns the parts of a pod that are its owner's alone.
///
/// # Panics
///
/// When the bytes are no pod.
pub(super) fn owners_part(pod: &Bytes) -> OwnersPart {
    OwnersPart::decode(pod.clone()).expect("a pod decodes")
}

/// Tells whether a pod is what another was, and is being ended.
///
/// # Panics
///
/// When the bytes are no pods.
pub(super) fn ends_as(pod: &Bytes, was: &Bytes) -> bool {
    let head = Head::decode(&**pod).expect("a pod decodes");
    let metadata = head.metadata.unwrap_or_default();
    metadata.deletion_grace_period_seconds.is_some()
        && owners_part(pod).spec == owners_part(was).spec
}
