//! The prost types of the definitions in `protos`.

#[rustfmt::skip]
pub mod core_v1;
#[rustfmt::skip]
pub mod cri;
#[rustfmt::skip]
pub mod diagnostics;
#[rustfmt::skip]
pub mod documented;
#[rustfmt::skip]
pub mod field_mask;
#[rustfmt::skip]
pub mod google_rpc;
#[rustfmt::skip]
pub mod health;
#[rustfmt::skip]
pub mod intstr;
#[rustfmt::skip]
pub mod meta_v1;
#[rustfmt::skip]
pub mod reflection;
#[rustfmt::skip]
pub mod resource;
#[rustfmt::skip]
mod texts;
#[rustfmt::skip]
pub mod v1alpha1;
#[rustfmt::skip]
pub mod well_known;
