//! Serves the Kubelet Pods API over any byte stream with the h2 crate.

mod authority;

pub use authority::{AuthorityFilter, AuthorityScanner};
