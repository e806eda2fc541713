//! A key for hashes that nobody can guess.

use std::hash::{BuildHasher as _, RandomState};

/// Returns 128 bits that nobody can guess, to be a server's `Config::seed`.
///
/// # Examples
///
/// ```
/// assert_ne!(podsapi_socket::random_seed(), podsapi_socket::random_seed());
/// ```
pub fn random_seed() -> [u64; 2] {
    // The standard library draws the key of each of its maps at random.
    let keyed = RandomState::new();
    [keyed.hash_one(0), keyed.hash_one(1)]
}
