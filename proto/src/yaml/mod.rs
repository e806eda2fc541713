//! YAML as Kubernetes tools read and write it.
//!
//! The text is split into events by `saphyr-parser`: it is maintained (releases in 2025 and 2026),
//! free of unsafe code, `no_std`, a pull parser without recursion, passes the YAML test suite, says
//! the line of each event, and is licensed as this project can use it (MIT or Apache-2.0). The
//! crates that map YAML to serde are built for the types of YAML 1.2 and hide what is needed here:
//! whether a scalar was quoted, its tag, anchors before they are expanded, and keys that come twice.
//!
//! What scalars mean is decided here, by the rules of YAML 1.1 as `sigs.k8s.io/yaml` applies them.

mod load;
mod plain;
mod print;
mod resolve;

pub use load::parse_yaml;
pub use print::to_yaml;
