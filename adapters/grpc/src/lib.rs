//! gRPC for the Kubelet Pods API as a vocabulary without I/O.
#![no_std]
#![warn(
    clippy::std_instead_of_core,
    clippy::std_instead_of_alloc,
    clippy::alloc_instead_of_core,
    clippy::exhaustive_enums,
    clippy::exhaustive_structs,
    clippy::cast_possible_truncation
)]
#![cfg_attr(not(test), warn(clippy::indexing_slicing))]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod diagnostics;
pub mod dialect;
pub mod frame;
pub mod request;
pub mod text;
pub mod trailers;
