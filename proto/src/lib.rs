//! Protobuf schemas, tables and JSON forms of the Kubelet Pods API.
//!
//! * [`schema`] is the table of v1.Pod that walks, masks and JSON are driven by.
//! * [`json`] reads and writes JSON and YAML, and encodes and decodes the messages of the table in
//!   Kubernetes' own JSON form.
//! * [`text`] reads messages whose strings are not UTF-8, which `prost` alone refuses.
//! * The other modules are plain prost types, generated from the definitions in `protos`:
//!   [`v1alpha1`] and [`documented`] are the two dialects of the API, in both of which a pod is
//!   carried as its encoded bytes; [`core_v1`] with [`meta_v1`], [`resource`] and [`intstr`] is all
//!   that v1.Pod reaches, with the fields that older releases had; [`diagnostics`] is what a server
//!   tells about itself; [`cri`] is the part of the container runtime interface that tells what runs
//!   on a node; [`health`] and [`reflection`] are what gRPC servers tell of their services;
//!   [`google_rpc`] and [`well_known`] are the details of gRPC errors, and
//!   [`field_mask`] the encoded form of a field mask.

#![no_std]
#![warn(
    clippy::alloc_instead_of_core,
    clippy::cast_possible_truncation,
    clippy::exhaustive_enums,
    clippy::exhaustive_structs,
    clippy::indexing_slicing,
    clippy::std_instead_of_alloc,
    clippy::std_instead_of_core
)]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod descriptors;
#[expect(
    missing_docs,
    clippy::doc_markdown,
    clippy::exhaustive_enums,
    clippy::exhaustive_structs,
    reason = "generated: plain data whose fields Kubernetes documents"
)]
mod generated;
pub mod json;
pub mod schema;
#[rustfmt::skip]
mod schema_pod;
pub mod text;
mod yaml;

pub use generated::{
    core_v1, cri, diagnostics, documented, field_mask, google_rpc, health, intstr, meta_v1,
    reflection, resource, v1alpha1, well_known,
};
