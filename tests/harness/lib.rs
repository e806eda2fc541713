//! What the tests across the crates, the fuzz targets and the benches have in common.

pub mod containerd;
pub mod entry;
pub mod frames;
pub mod live;
pub mod mask;
mod model;
pub mod op;
pub mod pods;
pub mod raw_client;
pub mod reply;
pub mod run;
mod scripted;
pub mod served;
pub mod sim;
