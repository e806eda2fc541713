//! What the tests across the crates, the fuzz targets and the benches have in common.

pub mod entry;
mod model;
pub mod op;
pub mod pods;
pub mod run;
mod scripted;
