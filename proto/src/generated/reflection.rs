//! Generated from `protos` by the test `regenerate`; not edited by hand.

/// One question.
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ServerReflectionRequest {
    /// The host that is asked; repeated in the answer.
    #[prost(string, tag = "1")]
    pub host: ::prost::alloc::string::String,
    /// What is asked.
    #[prost(oneof = "server_reflection_request::MessageRequest", tags = "3, 4, 5, 6, 7")]
    pub message_request: ::core::option::Option<
        server_reflection_request::MessageRequest,
    >,
}
/// Nested message and enum types in `ServerReflectionRequest`.
pub mod server_reflection_request {
    /// What is asked.
    #[derive(Clone, PartialEq, Eq, Hash, ::prost::Oneof)]
    pub enum MessageRequest {
        /// The file of this name.
        #[prost(string, tag = "3")]
        FileByFilename(::prost::alloc::string::String),
        /// The file that defines this full name: a service, method, message, field, enum or value.
        #[prost(string, tag = "4")]
        FileContainingSymbol(::prost::alloc::string::String),
        /// The file that defines an extension.
        #[prost(message, tag = "5")]
        FileContainingExtension(super::ExtensionRequest),
        /// The numbers of all extensions of this message.
        #[prost(string, tag = "6")]
        AllExtensionNumbersOfType(::prost::alloc::string::String),
        /// The names of all services; the text means nothing.
        #[prost(string, tag = "7")]
        ListServices(::prost::alloc::string::String),
    }
}
/// Names an extension.
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ExtensionRequest {
    /// The full name of the message that is extended.
    #[prost(string, tag = "1")]
    pub containing_type: ::prost::alloc::string::String,
    /// The number of the extension.
    #[prost(int32, tag = "2")]
    pub extension_number: i32,
}
/// One answer.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct ServerReflectionResponse {
    /// The host of the question.
    #[prost(string, tag = "1")]
    pub valid_host: ::prost::alloc::string::String,
    /// The question.
    #[prost(message, optional, tag = "2")]
    pub original_request: ::core::option::Option<ServerReflectionRequest>,
    /// What is answered.
    #[prost(oneof = "server_reflection_response::MessageResponse", tags = "4, 5, 6, 7")]
    pub message_response: ::core::option::Option<
        server_reflection_response::MessageResponse,
    >,
}
/// Nested message and enum types in `ServerReflectionResponse`.
pub mod server_reflection_response {
    /// What is answered.
    #[derive(Clone, PartialEq, ::prost::Oneof)]
    pub enum MessageResponse {
        /// Definitions.
        #[prost(message, tag = "4")]
        FileDescriptorResponse(super::FileDescriptorResponse),
        /// Numbers of extensions.
        #[prost(message, tag = "5")]
        AllExtensionNumbersResponse(super::ExtensionNumberResponse),
        /// Names of services.
        #[prost(message, tag = "6")]
        ListServicesResponse(super::ListServiceResponse),
        /// Why there is no answer.
        #[prost(message, tag = "7")]
        ErrorResponse(super::ErrorResponse),
    }
}
/// Definitions.
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct FileDescriptorResponse {
    /// Encoded google.protobuf.FileDescriptorProto: what was asked for, and what it imports.
    #[prost(bytes = "bytes", repeated, tag = "1")]
    pub file_descriptor_proto: ::prost::alloc::vec::Vec<::prost::bytes::Bytes>,
}
/// Numbers of extensions.
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ExtensionNumberResponse {
    /// The full name of the message that is extended.
    #[prost(string, tag = "1")]
    pub base_type_name: ::prost::alloc::string::String,
    /// The numbers.
    #[prost(int32, repeated, tag = "2")]
    pub extension_number: ::prost::alloc::vec::Vec<i32>,
}
/// Names of services.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct ListServiceResponse {
    /// All services.
    #[prost(message, repeated, tag = "1")]
    pub service: ::prost::alloc::vec::Vec<ServiceResponse>,
}
/// A service.
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ServiceResponse {
    /// Its full name.
    #[prost(string, tag = "1")]
    pub name: ::prost::alloc::string::String,
}
/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ErrorResponse {
    /// The number of a gRPC status.
    #[prost(int32, tag = "1")]
    pub error_code: i32,
    /// In words.
    #[prost(string, tag = "2")]
    pub error_message: ::prost::alloc::string::String,
}
