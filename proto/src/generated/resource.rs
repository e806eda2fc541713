//! Generated from `protos` by the test `regenerate`; not edited by hand.

#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct Quantity {
    #[prost(string, optional, tag = "1")]
    pub string: ::core::option::Option<::prost::alloc::string::String>,
}
