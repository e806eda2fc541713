//! Messages on their way out, as lists of shared byte strings.

use alloc::sync::Arc;
use alloc::vec::Vec;

use bytes::Bytes;
use smallvec::SmallVec;

use crate::call::Dialect;
use crate::served::Served;

/// An encoded message, without gRPC's prefix, as a list of shared byte strings.
///
/// Whole pods are shared with the store; nothing is copied until a caller asks for it.
#[derive(Clone, Debug, Default)]
pub struct Outgoing {
    segments: SmallVec<[Bytes; 3]>,
    len: usize,
    applied: Option<Arc<str>>,
}

/// What an event of a watch says about its pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EventKind {
    Added,
    Modified,
    Deleted,
}

impl Outgoing {
    /// Returns the message that is empty.
    fn new() -> Self {
        Self::default()
    }

    /// Returns the response of a list, whose pods went through the mask before.
    pub(crate) fn list(pods: &[Arc<Served>]) -> Self {
        let mut response = Self::new();
        pods.iter().for_each(|pod| response.push_first_field(pod));
        response
    }

    /// Returns the response with one pod, which went through the mask before.
    pub(crate) fn get(pod: &Served) -> Self {
        let mut response = Self::new();
        response.push_first_field(pod);
        response
    }

    /// Returns one event of a watch, whose pod went through the mask before.
    pub(crate) fn event(dialect: Dialect, kind: EventKind, pod: &Served) -> Self {
        let mut event = Self::new();
        match dialect {
            Dialect::Documented => event.push_first_field(pod),
            Dialect::V1alpha1 => {
                event.push(Bytes::from_static(match kind {
                    EventKind::Added => &[EVENT_TYPE_TAG, 1],
                    EventKind::Modified => &[EVENT_TYPE_TAG, 2],
                    EventKind::Deleted => &[EVENT_TYPE_TAG, 3],
                }));
                event.push(pod.head_as_second_field());
                event.push(pod.bytes().clone());
            }
        }
        event
    }

    /// Returns the event that says that the first list is complete, in the dialects that have it.
    pub(crate) fn initial_sync_complete(dialect: Dialect) -> Option<Self> {
        match dialect {
            Dialect::Documented => None,
            Dialect::V1alpha1 => {
                let mut event = Self::new();
                event.push(Bytes::from_static(&[EVENT_TYPE_TAG, 4]));
                Some(event)
            }
        }
    }

    /// Appends a pod as field 1, where lists, answers and documented events have theirs.
    fn push_first_field(&mut self, pod: &Served) {
        self.push(pod.head_as_first_field());
        self.push(pod.bytes().clone());
    }

    /// Appends bytes that are shared, not copied.
    fn push(&mut self, segment: Bytes) {
        if !segment.is_empty() {
            self.len += segment.len();
            self.segments.push(segment);
        }
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
        self.segments.iter()
    }

    /// Gives the parts of the message away in their order; none is empty.
    pub fn into_segments(self) -> impl ExactSizeIterator<Item = Bytes> + Send {
        self.segments.into_iter()
    }

    /// Appends the message to `out`.
    pub fn encode_into(&self, out: &mut Vec<u8>) {
        out.reserve(self.len);
        for segment in &self.segments {
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

/// The tag of an event's type, field 1 of `WatchPodsEvent`, a varint.
const EVENT_TYPE_TAG: u8 = 1 << 3;
