//! Generated from `protos` by the test `regenerate`; not edited by hand.

/// An encoded message and the name of its type.
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct Any {
    /// "type.googleapis.com/" and the full name of the type.
    #[prost(string, tag = "1")]
    pub type_url: ::prost::alloc::string::String,
    /// The encoded message.
    #[prost(bytes = "bytes", tag = "2")]
    pub value: ::prost::bytes::Bytes,
}
/// A span of time; both parts have the same sign.
#[derive(Clone, Copy, PartialEq, Eq, Hash, ::prost::Message)]
pub struct Duration {
    /// Whole seconds.
    #[prost(int64, tag = "1")]
    pub seconds: i64,
    /// Nanoseconds beyond them.
    #[prost(int32, tag = "2")]
    pub nanos: i32,
}
