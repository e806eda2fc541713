//! What a caller of a model run speaks, asks for, and may see.

use podsapi_core::Dialect;
use proptest::prelude::*;

/// What stands around a call.
#[derive(Clone, Copy, Debug)]
pub struct Ask {
    /// The definition that the caller speaks.
    pub dialect: Dialect,
    /// The fields that it asks for.
    pub mask: MaskChoice,
    /// The fields that it may see.
    pub limit: MaskChoice,
    /// The namespaces that it may see.
    pub scope: ScopeChoice,
    /// Who calls; 0 is somebody unknown.
    pub peer: u8,
}

/// The callers that are known.
pub const PEERS: u8 = 4;

/// Whose pods a peer may see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScopeChoice {
    /// Everybody's.
    All,
    /// Those of one of the two namespaces.
    OneNamespace,
}

/// One of a few masks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MaskChoice {
    /// No mask at all.
    None,
    /// A mask of everything.
    Everything,
    /// A mask that is right, and selects nothing.
    Nothing,
    /// Name, namespace and UID.
    Identity,
    /// The version.
    Version,
    /// The phase.
    Phase,
    /// The status of the condition.
    Ready,
    /// The whole status.
    Status,
    /// The version, the phase, and a field that no pod of a run has, in an odd spelling.
    Mixed,
    /// A mask that is wrong.
    Wrong,
}

impl Ask {
    /// Returns what stands around a call for whole pods that may see all of them.
    pub const fn plain(dialect: Dialect) -> Self {
        Self {
            dialect,
            mask: MaskChoice::None,
            limit: MaskChoice::None,
            scope: ScopeChoice::All,
            peer: 0,
        }
    }
}

impl MaskChoice {
    /// The masks that are right.
    pub const RIGHT: [Self; 9] = [
        Self::None,
        Self::Everything,
        Self::Nothing,
        Self::Identity,
        Self::Version,
        Self::Phase,
        Self::Ready,
        Self::Status,
        Self::Mixed,
    ];

    /// Returns the text that a client sends; empty where it sends none.
    pub const fn text(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Everything => "*",
            Self::Nothing => "kind",
            Self::Identity => "metadata.uid,metadata.namespace,metadata.name",
            Self::Version => "metadata.resourceVersion",
            Self::Phase => "status.phase",
            Self::Ready => "status.conditions.status",
            Self::Status => "status",
            Self::Mixed => "status.pod_ips, metadata.resourceVersion,,status.phase,status.phase",
            Self::Wrong => "status.phase,status.fase",
        }
    }

    /// Returns what a client is told of a mask that is right.
    pub const fn applied(self) -> Option<&'static str> {
        match self {
            Self::None | Self::Wrong => None,
            Self::Nothing => Some("applied"),
            Self::Identity => Some("metadata.name,metadata.namespace,metadata.uid"),
            Self::Mixed => Some("metadata.resourceVersion,status.phase,status.podIPs"),
            Self::Everything | Self::Version | Self::Phase | Self::Ready | Self::Status => {
                Some(self.text())
            }
        }
    }
}

/// Generates what stands around a call; most calls have a mask, and most may see all.
pub(super) fn ask() -> impl Strategy<Value = Ask> {
    let right = || proptest::sample::select(&MaskChoice::RIGHT[..]);
    let mask = prop_oneof![
        3 => Just(MaskChoice::None),
        16 => right(),
        1 => Just(MaskChoice::Wrong)
    ];
    let limit = prop_oneof![3 => Just(MaskChoice::None), 1 => right()];
    let peer = 0..=PEERS;
    (dialect(), mask, limit, scope(), peer).prop_map(|(dialect, mask, limit, scope, peer)| Ask {
        dialect,
        mask,
        limit,
        scope,
        peer,
    })
}

pub(super) fn dialect() -> impl Strategy<Value = Dialect> {
    prop_oneof![Just(Dialect::Documented), Just(Dialect::V1alpha1)]
}

fn scope() -> impl Strategy<Value = ScopeChoice> {
    prop_oneof![3 => Just(ScopeChoice::All), 1 => Just(ScopeChoice::OneNamespace)]
}
