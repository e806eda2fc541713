//! Generated from `protos` by the test `regenerate`; not edited by hand.

/// An error.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct Status {
    /// The gRPC status code.
    #[prost(int32, tag = "1")]
    pub code: i32,
    /// The text for developers.
    #[prost(string, tag = "2")]
    pub message: ::prost::alloc::string::String,
    /// Messages that say more.
    #[prost(message, repeated, tag = "3")]
    pub details: ::prost::alloc::vec::Vec<crate::well_known::Any>,
}
/// The cause of an error.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct ErrorInfo {
    /// The cause, a constant of the domain.
    #[prost(string, tag = "1")]
    pub reason: ::prost::alloc::string::String,
    /// Who defines the cause.
    #[prost(string, tag = "2")]
    pub domain: ::prost::alloc::string::String,
    /// More about this occurrence.
    #[prost(btree_map = "string, string", tag = "3")]
    pub metadata: ::prost::alloc::collections::BTreeMap<
        ::prost::alloc::string::String,
        ::prost::alloc::string::String,
    >,
}
/// When to try again.
#[derive(Clone, Copy, PartialEq, Eq, Hash, ::prost::Message)]
pub struct RetryInfo {
    /// The least time to wait.
    #[prost(message, optional, tag = "1")]
    pub retry_delay: ::core::option::Option<crate::well_known::Duration>,
}
/// What is wrong with a request.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct BadRequest {
    /// Every wrong part.
    #[prost(message, repeated, tag = "1")]
    pub field_violations: ::prost::alloc::vec::Vec<bad_request::FieldViolation>,
}
/// Nested message and enum types in `BadRequest`.
pub mod bad_request {
    /// One wrong part of the request.
    #[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
    pub struct FieldViolation {
        /// The path of the part.
        #[prost(string, tag = "1")]
        pub field: ::prost::alloc::string::String,
        /// What is wrong with it.
        #[prost(string, tag = "2")]
        pub description: ::prost::alloc::string::String,
        /// The cause, a constant.
        #[prost(string, tag = "3")]
        pub reason: ::prost::alloc::string::String,
    }
}
