//! Encoded pods, checked once: identity and the places of metadata, spec and status.

use alloc::string::String;
use alloc::sync::Arc;
use core::borrow::Borrow;
use core::fmt;
use core::ops::Range;

use bytes::Bytes;
use podsapi_proto::core_v1;
use podsapi_proto::text::{first_not_utf8, readable};

use crate::config::DEFAULT_MAX_POD_BYTES;
use crate::wire::{Reader, WireError};

mod walk;

/// The identity of a pod, ordered by its bytes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Uid(Arc<str>);

/// The bytes of a `k8s.io.api.core.v1.Pod` that were checked whole; clones share them.
///
/// [`EncodedPod::parse`] is the only way in for pod bytes: after it, nothing can find them
/// malformed. Unknown fields stay where they are, and so do strings that are not UTF-8: Kubernetes
/// checks none, and what can be served of a pod must not depend on what somebody wrote into it. Its
/// UID, namespace and name are then read with U+FFFD ([`readable`]), as clients read them.
#[derive(Clone, PartialEq, Eq)]
pub struct EncodedPod {
    bytes: Bytes,
    uid: Uid,
    namespace: Range<usize>,
    name: Range<usize>,
    layout: Layout,
    /// Nothing where every string of the pod is UTF-8.
    replaced: Option<Arc<Replaced>>,
}

/// The names of a pod that has a string which is not UTF-8.
#[derive(Debug, PartialEq, Eq)]
struct Replaced {
    namespace: String,
    name: String,
    /// Where name, namespace and UID lie.
    places: [Range<usize>; 3],
}

/// The bytes of a `k8s.io.api.core.v1.PodStatus` that were checked whole.
#[derive(Clone, PartialEq, Eq)]
pub struct EncodedStatus {
    bytes: Bytes,
}

/// Why bytes are not accepted as a pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "sources report every kind")]
pub enum PodError {
    /// The pod names no UID, so that no client could tell it from others.
    MissingUid,
    /// The pod is larger than the limit.
    TooLarge {
        /// The bytes that it has.
        bytes: usize,
        /// The bytes that are accepted.
        limit: usize,
    },
    /// The bytes are not a protobuf message of the schema.
    Wire(WireError),
}

/// What one source says of one identity: that it owns the pod, that it knows the status, or both.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Claim {
    pub(crate) pod: Option<EncodedPod>,
    pub(crate) status: Option<EncodedStatus>,
}

/// What the walk learned about the top level of a pod.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Layout {
    metadata: Place,
    spec: Place,
    status: Place,
    fields_ascend: bool,
}

/// Where the payload of a singular field of the top level lies.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum Place {
    #[default]
    Absent,
    Once(Range<usize>),
    /// More than one record, which a reader merges.
    Scattered,
}

/// The numbers of the fields of `Pod` and of `ObjectMeta` that carry the identity and the parts.
pub(crate) mod field {
    pub(crate) const METADATA: u32 = 1;
    pub(crate) const SPEC: u32 = 2;
    pub(crate) const STATUS: u32 = 3;
    pub(crate) const NAME: u32 = 1;
    pub(crate) const NAMESPACE: u32 = 3;
    pub(crate) const UID: u32 = 5;
    pub(crate) const DELETION_TIMESTAMP: u32 = 9;
    pub(crate) const DELETION_GRACE_PERIOD_SECONDS: u32 = 10;
}

impl Uid {
    /// Returns the identity that is spelled `uid`.
    pub fn new(uid: &str) -> Self {
        Self(Arc::from(uid))
    }

    /// Returns the UID of an encoded pod as far as its bytes go, for a pod that is otherwise no
    /// message of the schema: what cannot be read is not gone.
    ///
    /// # Examples
    ///
    /// ```
    /// use podsapi_core::{EncodedPod, Uid};
    ///
    /// let broken = b"\x0a\x03\x2a\x01u\x12\x05cut";
    /// assert!(EncodedPod::parse(broken[..].to_vec().into()).is_err());
    /// assert_eq!(Uid::in_pod(broken), Some(Uid::new("u")));
    /// ```
    pub fn in_pod(pod: &[u8]) -> Option<Self> {
        let metadata = Reader::new(pod).records();
        let metadata = metadata.filter(|record| record.tag.field == field::METADATA);
        let fields = metadata.flat_map(|metadata| Reader::new(metadata.payload).records());
        let uids = fields.filter(|record| record.tag.field == field::UID);
        let uid = uids.last()?.payload;
        (!uid.is_empty()).then(|| Self::new(&readable(uid)))
    }

    /// Returns the spelling.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the bytes by which identities are ordered.
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

impl EncodedPod {
    /// Checks `bytes` against the schema of a pod of at most [`DEFAULT_MAX_POD_BYTES`].
    ///
    /// # Errors
    ///
    /// Returns what is wrong, with its offset when the bytes are malformed.
    ///
    /// # Examples
    ///
    /// ```
    /// use podsapi_core::{EncodedPod, PodError};
    ///
    /// let pod = EncodedPod::parse((&b"\x0a\x06\x0a\x01a\x2a\x01u"[..]).into())?;
    /// assert_eq!((pod.name(), pod.uid().as_str()), ("a", "u"));
    /// # Ok::<(), PodError>(())
    /// ```
    pub fn parse(bytes: Bytes) -> Result<Self, PodError> {
        Self::parse_with_limit(bytes, DEFAULT_MAX_POD_BYTES.get() as usize)
    }

    /// Checks `bytes` as [`EncodedPod::parse`] does, with a limit of the caller's.
    ///
    /// # Errors
    ///
    /// Returns what is wrong, with its offset when the bytes are malformed.
    pub fn parse_with_limit(bytes: Bytes, limit: usize) -> Result<Self, PodError> {
        if bytes.len() > limit {
            return Err(PodError::TooLarge {
                bytes: bytes.len(),
                limit,
            });
        }
        let found = walk::pod(&bytes)?;
        let text = |range: &Range<usize>| readable(bytes.get(range.clone()).unwrap_or_default());
        let uid = text(&found.uid);
        if uid.is_empty() {
            return Err(PodError::MissingUid);
        }
        let replaced = (!found.utf8).then(|| {
            Arc::new(Replaced {
                namespace: text(&found.namespace).into_owned(),
                name: text(&found.name).into_owned(),
                places: [&found.name, &found.namespace, &found.uid].map(Range::clone),
            })
        });
        Ok(Self {
            uid: Uid::new(&uid),
            replaced,
            namespace: found.namespace,
            name: found.name,
            layout: found.layout,
            bytes,
        })
    }

    /// Returns the whole message as it came.
    pub fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// Returns the identity, which is not empty.
    pub fn uid(&self) -> &Uid {
        &self.uid
    }

    /// Returns the namespace, empty when the pod names none.
    pub fn namespace(&self) -> &str {
        match &self.replaced {
            Some(replaced) => &replaced.namespace,
            None => self.text(&self.namespace),
        }
    }

    /// Returns the name, empty when the pod has none.
    pub fn name(&self) -> &str {
        match &self.replaced {
            Some(replaced) => &replaced.name,
            None => self.text(&self.name),
        }
    }

    /// Returns name, namespace and UID as they are in the pod, where they may differ from what is
    /// read of them.
    pub(crate) fn raw_names(&self) -> Option<[&[u8]; 3]> {
        let replaced = self.replaced.as_ref()?;
        let places = replaced.places.each_ref();
        Some(places.map(|place| self.bytes.get(place.clone()).unwrap_or_default()))
    }

    /// Returns where the first string is that is not UTF-8, as a path of fields, if there is one.
    pub fn first_not_utf8(&self) -> Option<String> {
        self.replaced.as_ref()?;
        first_not_utf8::<core_v1::Pod>(&self.bytes)
    }

    /// Returns where the payload of `metadata` lies, if it is one record.
    pub fn metadata(&self) -> Option<Range<usize>> {
        self.layout.metadata.once()
    }

    /// Returns where the payload of `spec` lies, if it is one record.
    pub fn spec(&self) -> Option<Range<usize>> {
        self.layout.spec.once()
    }

    /// Returns where the payload of `status` lies, if it is one record.
    pub fn status(&self) -> Option<Range<usize>> {
        self.layout.status.once()
    }

    /// Tells whether the records of every message in the pod stand in the order of their numbers.
    pub fn fields_ascend(&self) -> bool {
        self.layout.fields_ascend
    }

    /// Returns a string of a pod whose strings are all UTF-8.
    fn text(&self, range: &Range<usize>) -> &str {
        let bytes = self.bytes.get(range.clone()).unwrap_or_default();
        core::str::from_utf8(bytes).unwrap_or_default()
    }
}

impl EncodedStatus {
    /// Checks `bytes` against the schema of a pod's status.
    ///
    /// # Errors
    ///
    /// Returns what is wrong, with its offset when the bytes are malformed.
    pub fn parse(bytes: Bytes) -> Result<Self, PodError> {
        let limit = DEFAULT_MAX_POD_BYTES.get() as usize;
        if bytes.len() > limit {
            return Err(PodError::TooLarge {
                bytes: bytes.len(),
                limit,
            });
        }
        walk::status(&bytes)?;
        Ok(Self { bytes })
    }

    /// Returns the whole message as it came.
    pub fn bytes(&self) -> &Bytes {
        &self.bytes
    }
}

impl Place {
    fn add(&mut self, range: Range<usize>) {
        *self = match self {
            Self::Absent => Self::Once(range),
            Self::Once(_) | Self::Scattered => Self::Scattered,
        };
    }

    fn once(&self) -> Option<Range<usize>> {
        match self {
            Self::Once(range) => Some(range.clone()),
            Self::Absent | Self::Scattered => None,
        }
    }
}

impl Borrow<str> for Uid {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl From<String> for Uid {
    fn from(uid: String) -> Self {
        Self(Arc::from(uid))
    }
}

impl From<WireError> for PodError {
    fn from(error: WireError) -> Self {
        Self::Wire(error)
    }
}

impl fmt::Debug for Uid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl fmt::Display for Uid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for EncodedPod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EncodedPod")
            .field("uid", &self.uid)
            .field("namespace", &self.namespace())
            .field("name", &self.name())
            .field("bytes", &self.bytes.len())
            .finish()
    }
}

impl fmt::Debug for EncodedStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EncodedStatus")
            .field("bytes", &self.bytes.len())
            .finish()
    }
}

impl fmt::Display for PodError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MissingUid => f.write_str("expected a pod with metadata.uid, found none"),
            Self::TooLarge { bytes, limit } => {
                write!(f, "expected at most {limit} bytes, found {bytes}")
            }
            Self::Wire(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for PodError {}

#[cfg(test)]
mod tests;
