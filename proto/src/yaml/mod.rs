//! YAML as Kubernetes tools read and write it.
//!
//! The text is read by the rules of YAML 1.1, as Go's `yaml.v2` reads it behind `sigs.k8s.io/yaml`,
//! since what a kubelet takes and refuses follows from them: a tab behind a colon, `%YAML` lines,
//! the line breaks of Unicode, where a key may end. Crates for Rust read YAML 1.2 (`saphyr-parser`)
//! or need `std` and follow `libyaml`, from which Go's reader differs (`libyaml-safer`); those that
//! map YAML to serde hide what is needed here: whether a scalar was quoted, its tag, anchors before
//! they are expanded, and keys that come twice. `tests/interop/manifests` compares the two.
//!
//! ```text
//!  bytes -> characters -> scan (tokens) -> events (nodes) -> load (values)
//!                          |   |                              |
//!                      scalars marks                       resolve
//! ```

mod characters;
mod cursor;
mod events;
mod load;
mod marks;
mod plain;
mod print;
mod resolve;
mod scalars;
mod scan;
mod token;

pub use load::{parse_yaml, read_yaml};
pub use print::to_yaml;
pub(crate) use resolve::json_float;
