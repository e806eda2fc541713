//! How a request enters the core, and how an answer leaves it.

use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::sync::Arc;

use bytes::Bytes;
use podsapi_proto::schema::Message;

use crate::mask::{FieldMask, MaskError};
use crate::outgoing::Outgoing;
use crate::project::Projection;
use crate::status::Status;
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
    /// Who calls, where the adapter knows; counts with [`Config::fair_peers`](crate::Config) only.
    pub peer: Option<PeerKey>,
}

/// One of those who call, told from others by a number that the adapter gives, such as a user id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PeerKey(u64);

/// The fields of a pod that a caller asked for, as it spelled them; everything by default.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
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
    /// The whole response; [`Outgoing::applied_mask`] goes with its first headers.
    Answer(Outgoing),
    /// A watch has begun: read it with `Pods::poll_watch`, end it with `Pods::handle_cancel`.
    /// `Pods::applied_mask` goes with its first headers.
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

impl Call {
    /// Returns a call that asks for whole pods and may see all of them.
    pub fn new(dialect: Dialect, method: Method, body: Bytes) -> Self {
        Self {
            dialect,
            method,
            mask: MaskRequest::none(),
            body,
            scope: Scope::everything(),
            peer: None,
        }
    }
}

impl PeerKey {
    /// Returns the key of this number.
    pub const fn new(number: u64) -> Self {
        Self(number)
    }

    /// Returns the number.
    pub const fn number(self) -> u64 {
        self.0
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

    /// Tells whether whole pods were asked for without a mask.
    pub(crate) const fn is_none(&self) -> bool {
        self.mask.is_none()
    }

    /// Returns the selection that was asked for, and what the caller is told of it.
    pub(crate) fn compile(&self) -> Result<(Projection, Option<Arc<str>>), MaskError> {
        let Some(mask) = &self.mask else {
            return Ok((Projection::all(), None));
        };
        let projection = mask.compile(Message::POD)?;
        let applied = mask.applied(&projection);
        Ok((projection, applied))
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

/// Reads the `podUID` of a request for one pod, which is empty when it is not there. One that is not
/// UTF-8 is refused, as gRPC servers in Go do; pods whose own is not are asked for as it is read.
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
