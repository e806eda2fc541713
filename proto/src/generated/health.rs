//! Generated from `protos` by the test `regenerate`; not edited by hand.

/// Names one service.
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct HealthCheckRequest {
    /// Its full name, or nothing for the server as a whole.
    #[prost(string, tag = "1")]
    pub service: ::prost::alloc::string::String,
}
/// The state of one service.
#[derive(Clone, Copy, PartialEq, Eq, Hash, ::prost::Message)]
pub struct HealthCheckResponse {
    /// The state.
    #[prost(enumeration = "health_check_response::ServingStatus", tag = "1")]
    pub status: i32,
}
/// Nested message and enum types in `HealthCheckResponse`.
pub mod health_check_response {
    /// What can be said of a service.
    #[derive(
        Clone,
        Copy,
        Debug,
        PartialEq,
        Eq,
        Hash,
        PartialOrd,
        Ord,
        ::prost::Enumeration
    )]
    #[repr(i32)]
    pub enum ServingStatus {
        /// Not said.
        Unknown = 0,
        /// Calls are answered.
        Serving = 1,
        /// Calls are refused for now.
        NotServing = 2,
        /// There is no service of this name; only Watch says so.
        ServiceUnknown = 3,
    }
    impl ServingStatus {
        /// String value of the enum field names used in the ProtoBuf definition.
        ///
        /// The values are not transformed in any way and thus are considered stable
        /// (if the ProtoBuf definition does not change) and safe for programmatic use.
        pub fn as_str_name(&self) -> &'static str {
            match self {
                Self::Unknown => "UNKNOWN",
                Self::Serving => "SERVING",
                Self::NotServing => "NOT_SERVING",
                Self::ServiceUnknown => "SERVICE_UNKNOWN",
            }
        }
        /// Creates an enum from field names used in the ProtoBuf definition.
        pub fn from_str_name(value: &str) -> ::core::option::Option<Self> {
            match value {
                "UNKNOWN" => Some(Self::Unknown),
                "SERVING" => Some(Self::Serving),
                "NOT_SERVING" => Some(Self::NotServing),
                "SERVICE_UNKNOWN" => Some(Self::ServiceUnknown),
                _ => None,
            }
        }
    }
}
/// Asks for all services.
#[derive(Clone, Copy, PartialEq, Eq, Hash, ::prost::Message)]
pub struct HealthListRequest {}
/// The state of all services.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct HealthListResponse {
    /// By full name; the empty name is the server as a whole.
    #[prost(btree_map = "string, message", tag = "1")]
    pub statuses: ::prost::alloc::collections::BTreeMap<
        ::prost::alloc::string::String,
        HealthCheckResponse,
    >,
}
