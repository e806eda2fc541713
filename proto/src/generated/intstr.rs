//! Generated from `protos` by the test `regenerate`; not edited by hand.

#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct IntOrString {
    #[prost(int64, optional, tag = "1")]
    pub r#type: ::core::option::Option<i64>,
    #[prost(int32, optional, tag = "2")]
    pub int_val: ::core::option::Option<i32>,
    #[prost(string, optional, tag = "3")]
    pub str_val: ::core::option::Option<::prost::alloc::string::String>,
}
