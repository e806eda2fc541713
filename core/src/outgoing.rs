//! Messages on their way out, as lists of shared byte strings.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::mem;

use bytes::Bytes;
use smallvec::SmallVec;

use crate::call::Dialect;
use crate::served::Served;

/// An encoded message, without gRPC's prefix, as a list of shared byte strings.
///
/// Whole pods are shared with the store; nothing is copied until a caller asks for it.
#[derive(Clone, Debug, Default)]
pub struct Outgoing {
    parts: Parts,
    len: usize,
    applied: Option<Arc<str>>,
}

/// The parts of a message, none of which is empty.
#[derive(Clone, Debug)]
enum Parts {
    /// Its own, of which those from this one on are not given away.
    Own(SmallVec<[Bytes; 3]>, usize),
    /// Those of a message that many are sent, from this one on.
    Shared(Arc<[Bytes]>, usize),
}

/// What an event of a watch says about its pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EventKind {
    Added,
    Modified,
    Deleted,
}

impl Outgoing {
    /// Returns the message of these parts; those that are empty are left out.
    fn own(parts: impl IntoIterator<Item = Bytes>) -> Self {
        let parts = parts.into_iter().filter(|part| !part.is_empty());
        let parts: SmallVec<[Bytes; 3]> = parts.collect();
        Self {
            len: parts.iter().map(Bytes::len).sum(),
            parts: Parts::Own(parts, 0),
            applied: None,
        }
    }

    /// Returns the message of these parts, none of which is empty, for many who are sent the same.
    pub(crate) fn shared(parts: Arc<[Bytes]>) -> Self {
        Self {
            len: parts.iter().map(Bytes::len).sum(),
            parts: Parts::Shared(parts, 0),
            applied: None,
        }
    }

    /// Returns the response of a list, whose pods went through the mask before.
    pub(crate) fn list(pods: &[Arc<Served>]) -> Self {
        Self::own(pods.iter().flat_map(|pod| Self::first_field(pod)))
    }

    /// Returns the response with one pod, which went through the mask before.
    pub(crate) fn get(pod: &Served) -> Self {
        Self::own(Self::first_field(pod))
    }

    /// Returns one event of a watch, whose pod went through the mask before.
    pub(crate) fn event(dialect: Dialect, kind: EventKind, pod: &Served) -> Self {
        match dialect {
            Dialect::Documented => Self::get(pod),
            Dialect::V1alpha1 => {
                let kind = Bytes::from_static(match kind {
                    EventKind::Added => &[EVENT_TYPE_TAG, 1],
                    EventKind::Modified => &[EVENT_TYPE_TAG, 2],
                    EventKind::Deleted => &[EVENT_TYPE_TAG, 3],
                });
                Self::own([kind, pod.head_as_second_field(), pod.bytes().clone()])
            }
        }
    }

    /// Returns the event that says that the first list is complete, in the dialects that have it.
    pub(crate) fn initial_sync_complete(dialect: Dialect) -> Option<Self> {
        match dialect {
            Dialect::Documented => None,
            Dialect::V1alpha1 => Some(Self::own([Bytes::from_static(&[EVENT_TYPE_TAG, 4])])),
        }
    }

    /// Returns a pod as field 1, where lists, answers and documented events have theirs.
    fn first_field(pod: &Served) -> [Bytes; 2] {
        [pod.head_as_first_field(), pod.bytes().clone()]
    }

    /// Notes what the caller is told of its mask.
    pub(crate) fn with_applied_mask(self, applied: Option<Arc<str>>) -> Self {
        Self { applied, ..self }
    }

    /// Returns the value of [`MASK_APPLIED_HEADER`](crate::MASK_APPLIED_HEADER) that goes with the
    /// first response headers of a unary call: the canonical mask that the caller's own was read
    /// as, or the word `applied` where that is long or not ASCII. `None` where no field was named;
    /// the header is not sent then. Always printable ASCII of 1 to 2,048 bytes.
    ///
    /// Events of a watch have none: ask `Pods::applied_mask` once, when the watch begins.
    ///
    /// # Examples
    ///
    /// ```
    /// use podsapi_core::{
    ///     Call, Config, Dialect, FieldMask, MaskRequest, Method, Moment, Pods, Reply,
    /// };
    ///
    /// let mut pods = Pods::new(Config::default(), Moment::ORIGIN);
    /// let call = Call {
    ///     mask: MaskRequest::new(FieldMask::parse("status.pod_ips, status.phase")?),
    ///     ..Call::new(Dialect::V1alpha1, Method::ListPods, Default::default())
    /// };
    /// let Reply::Answer(answer) = pods.handle_call(call, Moment::ORIGIN) else { panic!("refused") };
    /// assert_eq!(answer.applied_mask(), Some("status.phase,status.podIPs"));
    /// # Ok::<(), podsapi_core::MaskError>(())
    /// ```
    pub fn applied_mask(&self) -> Option<&str> {
        self.applied.as_deref()
    }

    /// Returns what all messages have in common that are clones of one which many are sent: the
    /// address of their list of parts, of which no other message has the same while one of them lives.
    /// `None` where the list is the message's own.
    ///
    /// A driver that counts what unread messages keep counts such a list once.
    pub fn shared_list(&self) -> Option<usize> {
        match &self.parts {
            Parts::Own(..) => None,
            Parts::Shared(parts, _) => Some(parts.as_ptr().addr()),
        }
    }

    /// Returns the length of the message in bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Tells whether the message has no bytes, as the empty list has none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the parts of the message in their order; none is empty.
    pub fn segments(&self) -> impl ExactSizeIterator<Item = &Bytes> {
        match &self.parts {
            Parts::Own(own, next) => own.get(*next..),
            Parts::Shared(shared, next) => shared.get(*next..),
        }
        .unwrap_or_default()
        .iter()
    }

    /// Gives the next part of the message away; what is left is the message without it.
    pub fn take_segment(&mut self) -> Option<Bytes> {
        let part = self.parts.next()?;
        self.len -= part.len();
        Some(part)
    }

    /// Gives the parts of the message away in their order; none is empty.
    pub fn into_segments(self) -> impl ExactSizeIterator<Item = Bytes> + Send + Sync {
        self.parts
    }

    /// Appends the message to `out`.
    pub fn encode_into(&self, out: &mut Vec<u8>) {
        out.reserve(self.len);
        for segment in self.segments() {
            out.extend_from_slice(segment);
        }
    }

    /// Returns the message in one piece.
    pub fn to_vec(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.encode_into(&mut out);
        out
    }
}

impl From<Bytes> for Outgoing {
    /// Returns the message that is encoded already.
    fn from(message: Bytes) -> Self {
        Self::own([message])
    }
}

impl Default for Parts {
    fn default() -> Self {
        Self::Own(SmallVec::new(), 0)
    }
}

impl Iterator for Parts {
    type Item = Bytes;

    fn next(&mut self) -> Option<Bytes> {
        let (part, next) = match self {
            Self::Own(own, next) => (own.get_mut(*next).map(mem::take)?, next),
            Self::Shared(shared, next) => (shared.get(*next).cloned()?, next),
        };
        *next += 1;
        Some(part)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = match self {
            Self::Own(own, next) => own.len() - next,
            Self::Shared(shared, next) => shared.len() - next,
        };
        (left, Some(left))
    }
}

impl ExactSizeIterator for Parts {}

/// The tag of an event's type, field 1 of `WatchPodsEvent`, a varint.
const EVENT_TYPE_TAG: u8 = 1 << 3;
