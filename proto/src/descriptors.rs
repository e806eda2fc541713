//! The compiled definitions of every service that is served and of the details of its errors, with all
//! that they import.

/// A `google.protobuf.FileDescriptorSet` without comments: each file stands behind those that it
/// imports.
pub const FILES: &[u8] = include_bytes!("generated/descriptors.bin");
