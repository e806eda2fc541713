//! The wall clock, which sources date by what they tell.

use std::time::SystemTime;

/// Returns the wall time in whole seconds since 1970.
pub fn wall_seconds() -> i64 {
    wall_nanos().div_euclid(1_000_000_000)
}

/// Returns the wall time in nanoseconds since 1970.
#[expect(
    clippy::disallowed_methods,
    reason = "the one place where servers on either runtime read the wall clock"
)]
pub fn wall_nanos() -> i64 {
    match SystemTime::now().duration_since(SystemTime::UNIX_EPOCH) {
        Ok(since) => i64::try_from(since.as_nanos()).unwrap_or(i64::MAX),
        Err(before) => i64::try_from(before.duration().as_nanos()).map_or(i64::MIN, |nanos| -nanos),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt;

    use super::*;

    #[test]
    fn it_is_the_time_at_which_a_file_is_made() {
        let before = wall_seconds();
        let made = tempfile::tempfile().unwrap().metadata().unwrap().mtime();
        let after = wall_seconds();
        // Files are dated by the last tick of the kernel's clock.
        assert!(
            (before - 1..=after).contains(&made),
            "{before} {made} {after}"
        );
    }
}
