//! Field masks and encoded pods drawn from choices, and the promises that hold for all of them.
//!
//! What is drawn is known down to the record, so that what a mask must leave of it can be written
//! down naively ([`Target::expected`]) and compared byte by byte.

mod choices;
mod differs;
mod flaws;
mod pods;
mod promises;
mod spelling;
mod targets;

pub use choices::Choices;
pub use differs::differs;
pub use flaws::add_flaw;
pub use pods::{Inner, Oddities, Record, bytes_of, pod};
pub use promises::{compile, encoded, language, project, projection};
pub use spelling::{mask, spell};
pub use targets::{Target, targets};
