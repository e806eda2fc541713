//! How a request enters the core, and how an answer leaves it.

use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use bytes::Bytes;
use podsapi_proto::schema::Message;
use smallvec::SmallVec;

use crate::mask::{FieldMask, MaskError};
use crate::project::Projection;
use crate::status::Status;
use crate::store::Served;
use crate::wire::{Reader, WireError, WireErrorKind, WireType};

/// Which of the two published definitions of the service a caller speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(clippy::exhaustive_enums, reason = "the two definitions that exist")]
pub enum Dialect {
    /// The definition of the public documentation, in no package.
    Documented,
    /// The released definition, in the package `v1alpha1`.
    V1alpha1,
}

/// A method of the service.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(clippy::exhaustive_enums, reason = "the three methods that exist")]
pub enum Method {
    /// One pod by its UID.
    GetPod,
    /// Every known pod.
    ListPods,
    /// Every known pod and what changes from then on.
    WatchPods,
}

/// A request with what the adapter knows about it.
#[derive(Clone, Debug)]
#[expect(clippy::exhaustive_structs, reason = "adapters fill in every field")]
pub struct Call {
    /// The definition whose path was called.
    pub dialect: Dialect,
    /// The method that was called.
    pub method: Method,
    /// The fields that the caller asked for.
    pub mask: MaskRequest,
    /// The encoded request message, without gRPC's prefix.
    pub body: Bytes,
    /// What this peer may see.
    pub scope: Scope,
}

/// The fields of a pod that a caller asked for, as it spelled them; everything by default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MaskRequest {
    mask: Option<FieldMask>,
}

/// What a peer may see; everything by default.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(clippy::exhaustive_structs, reason = "a policy fills in every field")]
pub struct Scope {
    /// The fields that may be seen of a pod.
    pub mask: Projection,
    /// The namespaces whose pods may be seen.
    pub namespaces: Namespaces,
}

/// A set of namespaces.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(clippy::exhaustive_enums, reason = "a set is bounded or it is not")]
pub enum Namespaces {
    /// Every namespace.
    #[default]
    All,
    /// These namespaces.
    Only(BTreeSet<String>),
}

/// What becomes of a call.
#[derive(Clone, Debug)]
#[expect(clippy::exhaustive_enums, reason = "adapters match every reply")]
pub enum Reply {
    /// The whole response.
    Answer(Outgoing),
    /// A watch has begun: read it with `Pods::poll_watch`, end it with `Pods::handle_cancel`.
    Watch(WatchId),
    /// The call fails.
    Refuse(Status),
}

/// The name of a watch; it never names another one later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WatchId {
    pub(crate) slot: u32,
    pub(crate) generation: u32,
}

/// What reading a watch gives.
#[derive(Clone, Debug)]
#[expect(clippy::exhaustive_enums, reason = "adapters match every output")]
pub enum WatchOutput {
    /// The next message of the stream.
    Event(Outgoing),
    /// Nothing for now: `Pods::poll_ready` names the watch when there is more.
    Idle,
    /// The stream is over, and the id with it.
    End(Status),
}

/// An encoded message, without gRPC's prefix, as a list of shared byte strings.
///
/// Whole pods are shared with the store; nothing is copied until a caller asks for it.
#[derive(Clone, Debug, Default)]
pub struct Outgoing {
    segments: SmallVec<[Bytes; 3]>,
    len: usize,
}

/// What an event of a watch says about its pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EventKind {
    Added,
    Modified,
    Deleted,
}

impl Call {
    /// Returns a call that asks for whole pods and may see all of them.
    pub fn new(dialect: Dialect, method: Method, body: Bytes) -> Self {
        Self {
            dialect,
            method,
            mask: MaskRequest::none(),
            body,
            scope: Scope::everything(),
        }
    }
}

impl MaskRequest {
    /// Returns the request for whole pods.
    pub const fn none() -> Self {
        Self { mask: None }
    }

    /// Returns the request for what a mask names; it is checked when the call is.
    pub const fn new(mask: FieldMask) -> Self {
        Self { mask: Some(mask) }
    }

    /// Returns the selection that was asked for.
    pub(crate) fn compile(&self) -> Result<Projection, MaskError> {
        let everything = || Ok(Projection::all());
        self.mask
            .as_ref()
            .map_or_else(everything, |mask| mask.compile(Message::POD))
    }
}

impl Scope {
    /// Returns the scope that hides nothing.
    pub const fn everything() -> Self {
        Self {
            mask: Projection::all(),
            namespaces: Namespaces::All,
        }
    }
}

impl Namespaces {
    /// Tells whether `namespace` is in the set.
    pub fn contains(&self, namespace: &str) -> bool {
        match self {
            Self::All => true,
            Self::Only(names) => names.contains(namespace),
        }
    }
}

impl Outgoing {
    /// Returns the message that is empty.
    fn new() -> Self {
        Self::default()
    }

    /// Returns the response of a list.
    pub(crate) fn list<'a>(pods: impl Iterator<Item = &'a Arc<Served>>, mask: &Projection) -> Self {
        let mut response = Self::new();
        pods.for_each(|pod| response.push_first_field(&seen(pod, mask)));
        response
    }

    /// Returns the response with one pod.
    pub(crate) fn get(pod: &Arc<Served>, mask: &Projection) -> Self {
        let mut response = Self::new();
        response.push_first_field(&seen(pod, mask));
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

impl Dialect {
    /// Both dialects.
    pub const ALL: [Self; 2] = [Self::Documented, Self::V1alpha1];

    /// Returns the word that metrics use for the version of the API.
    pub const fn metric_name(self) -> &'static str {
        match self {
            Self::Documented => "documented",
            Self::V1alpha1 => "v1alpha1",
        }
    }
}

impl Method {
    /// All methods.
    pub const ALL: [Self; 3] = [Self::GetPod, Self::ListPods, Self::WatchPods];

    /// Returns the last part of the method's path.
    pub const fn name(self) -> &'static str {
        match self {
            Self::GetPod => "GetPod",
            Self::ListPods => "ListPods",
            Self::WatchPods => "WatchPods",
        }
    }
}

/// Returns what of a pod is seen through a mask; through everything, the pod itself.
pub(crate) fn seen(pod: &Arc<Served>, mask: &Projection) -> Arc<Served> {
    if mask.is_all() {
        return pod.clone();
    }
    Arc::new(pod.with_bytes(mask.apply(pod.bytes())))
}

/// Reads the `podUID` of a request for one pod, which is empty when it is not there.
pub(crate) fn requested_uid(body: &[u8]) -> Result<&str, WireError> {
    let mut reader = Reader::new(body);
    let mut uid = "";
    loop {
        let offset = reader.position();
        let Some(record) = reader.record()? else {
            return Ok(uid);
        };
        if record.tag.field == POD_UID {
            if record.tag.wire_type != WireType::Length {
                let found = record.tag.wire_type.bits();
                return Err(WireErrorKind::WireType {
                    field: POD_UID,
                    found,
                }
                .at(offset));
            }
            uid = core::str::from_utf8(record.payload)
                .map_err(|_| WireErrorKind::NotUtf8.at(offset))?;
        }
    }
}

/// Checks a request that has no fields; fields of later versions are passed over.
pub(crate) fn check_empty_request(body: &[u8]) -> Result<(), WireError> {
    let mut reader = Reader::new(body);
    while reader.record()?.is_some() {}
    Ok(())
}

/// The number of `podUID` in the request for one pod, in both dialects.
const POD_UID: u32 = 1;

/// The tag of an event's type, field 1 of `WatchPodsEvent`, a varint.
const EVENT_TYPE_TAG: u8 = 1 << 3;
