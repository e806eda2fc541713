//! Generated from `protos` by the test `regenerate`; not edited by hand.

/// Asks for the state.
#[derive(Clone, Copy, PartialEq, Eq, Hash, ::prost::Message)]
pub struct GetStatusRequest {}
/// The state of a server.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct GetStatusResponse {
    /// The version of the server's program.
    #[prost(string, tag = "1")]
    pub version: ::prost::alloc::string::String,
    /// The Kubernetes release whose schema of v1.Pod the server knows, such as "v1.37.2".
    #[prost(string, tag = "2")]
    pub schema_version: ::prost::alloc::string::String,
    /// Whether every source finished its first sync; stays true from then on.
    #[prost(bool, tag = "3")]
    pub ready: bool,
    /// The names of the sources that are waited for while not ready.
    #[prost(string, repeated, tag = "4")]
    pub waiting_for: ::prost::alloc::vec::Vec<::prost::alloc::string::String>,
    /// Every configured source, in order of precedence.
    #[prost(message, repeated, tag = "5")]
    pub sources: ::prost::alloc::vec::Vec<Source>,
    /// The pods served now.
    #[prost(uint64, tag = "6")]
    pub pods: u64,
    /// The watches open now.
    #[prost(uint64, tag = "7")]
    pub watches: u64,
    /// The connections open now.
    #[prost(uint64, tag = "8")]
    pub connections: u64,
    /// Seconds since the server started.
    #[prost(uint64, tag = "9")]
    pub uptime_seconds: u64,
    /// The name of the node whose pods these are; empty when the server was told none.
    #[prost(string, tag = "10")]
    pub node_name: ::prost::alloc::string::String,
    /// The open watches that are furthest behind, that one first; ten at most, and none that has read
    /// everything.
    #[prost(message, repeated, tag = "11")]
    pub watches_behind: ::prost::alloc::vec::Vec<Watch>,
}
/// A watch that has not read everything.
#[derive(Clone, Copy, PartialEq, Eq, Hash, ::prost::Message)]
pub struct Watch {
    /// The user id of who opened it; absent where that is not known.
    #[prost(uint64, optional, tag = "1")]
    pub peer: ::core::option::Option<u64>,
    /// The changes that it has not read, those counted too of which it sees nothing.
    #[prost(uint64, tag = "2")]
    pub behind: u64,
    /// Whether it has not read its first list yet.
    #[prost(bool, tag = "3")]
    pub listing: bool,
}
/// The state of one source of pods.
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct Source {
    /// The name that logs and metrics use.
    #[prost(string, tag = "1")]
    pub name: ::prost::alloc::string::String,
    /// The kind of source, such as "manifests" or "snapshot".
    #[prost(string, tag = "2")]
    pub kind: ::prost::alloc::string::String,
    /// How far the source is.
    #[prost(enumeration = "SourceState", tag = "3")]
    pub state: i32,
    /// Seconds since the source last told the server anything; absent when it never did.
    #[prost(uint64, optional, tag = "4")]
    pub seconds_since_news: ::core::option::Option<u64>,
    /// The trouble that the source has now; empty when it has none.
    #[prost(string, tag = "5")]
    pub last_error: ::prost::alloc::string::String,
    /// The served pods that this source owns.
    #[prost(uint64, tag = "6")]
    pub pods: u64,
    /// The events taken from this source since the start.
    #[prost(uint64, tag = "7")]
    pub events: u64,
    /// The events of this source that were refused since the start.
    #[prost(uint64, tag = "8")]
    pub refused: u64,
    /// The troubles that this source reported since the start.
    #[prost(uint64, tag = "9")]
    pub problems: u64,
    /// The pods of this source that are hidden, since a source of higher precedence has them too.
    #[prost(uint64, tag = "10")]
    pub shadowed: u64,
    /// Whether the pods are those of an earlier run, from a file, and the source told none since.
    #[prost(bool, tag = "11")]
    pub stale: bool,
}
/// How far a source is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, ::prost::Enumeration)]
#[repr(i32)]
pub enum SourceState {
    /// Not said.
    Unspecified = 0,
    /// Nothing was heard of the source yet.
    Waiting = 1,
    /// The source is telling its pods.
    Syncing = 2,
    /// The source told all its pods and reports changes.
    Live = 3,
    /// The source was lost; its pods are served as they were.
    Lost = 4,
}
impl SourceState {
    /// String value of the enum field names used in the ProtoBuf definition.
    ///
    /// The values are not transformed in any way and thus are considered stable
    /// (if the ProtoBuf definition does not change) and safe for programmatic use.
    pub fn as_str_name(&self) -> &'static str {
        match self {
            Self::Unspecified => "SOURCE_STATE_UNSPECIFIED",
            Self::Waiting => "SOURCE_STATE_WAITING",
            Self::Syncing => "SOURCE_STATE_SYNCING",
            Self::Live => "SOURCE_STATE_LIVE",
            Self::Lost => "SOURCE_STATE_LOST",
        }
    }
    /// Creates an enum from field names used in the ProtoBuf definition.
    pub fn from_str_name(value: &str) -> ::core::option::Option<Self> {
        match value {
            "SOURCE_STATE_UNSPECIFIED" => Some(Self::Unspecified),
            "SOURCE_STATE_WAITING" => Some(Self::Waiting),
            "SOURCE_STATE_SYNCING" => Some(Self::Syncing),
            "SOURCE_STATE_LIVE" => Some(Self::Live),
            "SOURCE_STATE_LOST" => Some(Self::Lost),
            _ => None,
        }
    }
}
