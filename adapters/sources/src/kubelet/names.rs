//! Which pod bytes are about, as far as they can be read.

use podsapi_proto::text::readable;
use prost::Message;

/// The bytes of a UID that may not be UTF-8, so that others read as it does.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RawUid(Vec<u8>);

impl RawUid {
    /// Returns those of a pod whose UID reads as `uid`; none where no other bytes read so.
    pub(super) fn of(uid: &str, pod: &[u8]) -> Option<Self> {
        if !uid.contains(char::REPLACEMENT_CHARACTER) {
            return None;
        }
        let metadata = named(pod).metadata?;
        Some(Self(metadata.uid))
    }

    /// What its fault goes by; no UID of another pod, since its bytes are escaped.
    pub(super) fn key(&self) -> String {
        format!("bytes {}", self.0.escape_ascii())
    }
}

/// Reads as far as the bytes can be read.
fn named(pod: &[u8]) -> Named {
    let mut named = Named::default();
    // What went in before the first fault counts; there is nothing more to learn from it.
    let _fault = named.merge(pod);
    named
}

/// As much of a pod as tells which one it is.
pub(super) struct Names {
    name: String,
    namespace: String,
    pub(super) uid: String,
}

#[derive(Clone, PartialEq, Message)]
struct Named {
    #[prost(message, optional, tag = "1")]
    metadata: Option<Metadata>,
}

/// The names in a pod's metadata, by their numbers there; of bytes no decoder asks that they are
/// UTF-8.
#[derive(Clone, PartialEq, Message)]
struct Metadata {
    #[prost(bytes = "vec", tag = "1")]
    name: Vec<u8>,
    #[prost(bytes = "vec", tag = "3")]
    namespace: Vec<u8>,
    #[prost(bytes = "vec", tag = "5")]
    uid: Vec<u8>,
}

impl Names {
    /// Reads as far as the bytes can be read; names that do not come until there are empty.
    pub(super) fn read(pod: &[u8]) -> Self {
        let metadata = named(pod).metadata.unwrap_or_default();
        let text = |bytes: &[u8]| readable(bytes).into_owned();
        Self {
            name: text(&metadata.name),
            namespace: text(&metadata.namespace),
            uid: text(&metadata.uid),
        }
    }

    pub(super) fn is_name_of(&self, namespace: &str, name: &str) -> bool {
        self.namespace == namespace && self.name == name
    }

    pub(super) fn subject(&self) -> String {
        match self.uid.as_str() {
            "" => "a pod without a UID".to_owned(),
            uid => format!("{}/{} ({uid})", self.namespace, self.name),
        }
    }
}
