//! The `podsapi` command.
fn main() {}
