//! What tells one file from another, whatever its name.

use nix::sys::stat::FileStat;

/// The device and the number of a file: two are equal only while both are the same file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity {
    device: u128,
    inode: u128,
}

impl Identity {
    /// Returns the identity of what was looked at.
    pub fn of(stat: &FileStat) -> Self {
        // Widths and signs of these two differ from system to system; only equality counts.
        Self {
            device: stat.st_dev as u128,
            inode: stat.st_ino as u128,
        }
    }
}
