//! Who may change the entries of a folder.

use std::fmt;
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::fcntl::{AT_FDCWD, AtFlags};
use nix::sys::stat::{FileStat, Mode, fstatat};
use nix::unistd::geteuid;

/// A folder on the way whose entries others may change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shared {
    /// Which one it is.
    pub folder: PathBuf,
    /// Who they are.
    pub writer: Writer,
}

/// Who may change the entries of a folder beside root and the user of this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writer {
    /// Everybody may write it, and it has no sticky bit.
    Everybody,
    /// The members of this group may, and it has no sticky bit.
    Group(u32),
    /// It belongs to this user, who may do anything with it.
    Owner(u32),
}

impl Shared {
    /// Returns what takes the folder out of the others' hands.
    #[must_use]
    pub fn advice(&self) -> &'static str {
        match self.writer {
            Writer::Everybody | Writer::Group(_) => {
                "take that right away (`chmod go-w`, or `chmod +t`)"
            }
            Writer::Owner(_) => "give it to root or to the user of this process (`chown`)",
        }
    }
}

impl fmt::Display for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Everybody => f.write_str("may be written by everybody and has no sticky bit"),
            Self::Group(group) => {
                write!(f, "may be written by group {group} and has no sticky bit")
            }
            Self::Owner(user) => write!(f, "belongs to user {user}"),
        }
    }
}

impl fmt::Display for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "folder `{}` {}", self.folder.display(), self.writer)
    }
}

/// The users that are trusted with the way to a folder.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Trust {
    own: u32,
    machine: u32,
}

impl Trust {
    /// Returns those of this process.
    pub(crate) fn of_this_process() -> Result<Self, Errno> {
        let root = fstatat(AT_FDCWD, Path::new("/"), AtFlags::empty())?;
        Ok(Self {
            own: geteuid().as_raw(),
            machine: root.st_uid,
        })
    }

    /// Returns the user of this process.
    pub(crate) fn own(self) -> u32 {
        self.own
    }

    pub(crate) fn includes(self, user: u32) -> bool {
        user == 0 || user == self.own || user == self.machine
    }

    /// Returns who else may change the entries of such a folder.
    ///
    /// A group with the number of this process's user is that user's own, as most systems make
    /// them, and group 0 is root's.
    pub(crate) fn writer(self, folder: &FileStat) -> Option<Writer> {
        let mode = Mode::from_bits_truncate(folder.st_mode);
        if !self.includes(folder.st_uid) {
            return Some(Writer::Owner(folder.st_uid));
        }
        if mode.contains(Mode::S_ISVTX) {
            return None;
        }
        self.writer_of_file(folder)
    }

    /// Returns who else may write such a file, for which a sticky bit says nothing.
    pub(crate) fn writer_of_file(self, file: &FileStat) -> Option<Writer> {
        let mode = Mode::from_bits_truncate(file.st_mode);
        if !self.includes(file.st_uid) {
            return Some(Writer::Owner(file.st_uid));
        }
        if mode.contains(Mode::S_IWOTH) {
            return Some(Writer::Everybody);
        }
        let is_private = file.st_gid == 0 || file.st_gid == self.own;
        (mode.contains(Mode::S_IWGRP) && !is_private).then_some(Writer::Group(file.st_gid))
    }
}

#[cfg(test)]
mod tests {
    use nix::sys::stat::stat;

    use super::*;

    #[test]
    fn the_advice_is_one_that_helps() {
        let advice = |writer| {
            let folder = PathBuf::from("/f");
            Shared { folder, writer }.advice()
        };
        assert!(advice(Writer::Everybody).contains("chmod"));
        assert!(advice(Writer::Group(7)).contains("chmod"));
        let owned = advice(Writer::Owner(7));
        assert!(owned.contains("chown") && !owned.contains("chmod"));
    }

    #[test]
    fn a_folder_is_shared_by_owner_group_and_mode() {
        const OWN: u32 = 1000;
        let trust = Trust {
            own: OWN,
            machine: 65_534,
        };
        let mut folder = stat(Path::new("/")).unwrap();
        let mut writer = |owner, group, mode| {
            (folder.st_uid, folder.st_gid, folder.st_mode) = (owner, group, mode);
            trust.writer(&folder)
        };
        for (owner, group, mode, expected) in [
            (0, 0, 0o755, None),
            (OWN, 7, 0o755, None),
            (65_534, 7, 0o755, None),
            (0, 0, 0o1777, None),
            (0, 0, 0o777, Some(Writer::Everybody)),
            (OWN, 7, 0o775, Some(Writer::Group(7))),
            (OWN, 7, 0o1775, None),
            (OWN, OWN, 0o775, None),
            (OWN, 0, 0o775, None),
            (1001, 0, 0o755, Some(Writer::Owner(1001))),
            (1001, 0, 0o1777, Some(Writer::Owner(1001))),
        ] {
            assert_eq!(writer(owner, group, mode), expected, "{owner} {mode:o}");
        }
    }

    #[test]
    fn a_sticky_bit_saves_no_file() {
        let trust = Trust {
            own: 1000,
            machine: 65_534,
        };
        let mut file = stat(Path::new("/")).unwrap();
        for (owner, group, mode, expected) in [
            (1000, 7, 0o644, None),
            (1000, 7, 0o1646, Some(Writer::Everybody)),
            (0, 7, 0o660, Some(Writer::Group(7))),
            (1000, 1000, 0o660, None),
            (1001, 0, 0o600, Some(Writer::Owner(1001))),
        ] {
            (file.st_uid, file.st_gid, file.st_mode) = (owner, group, mode);
            assert_eq!(trust.writer_of_file(&file), expected, "{owner} {mode:o}");
        }
    }
}
