//! Regular files read whole, with a bound and without ever waiting for a writer.

use std::fmt;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Component, Path};

use nix::fcntl::{AT_FDCWD, AtFlags, OFlag, openat};
use nix::sys::stat::{Mode, SFlag, fstatat};

/// Reads the regular file at `path`, links followed, if it has at most `limit_bytes`.
///
/// A pipe, a socket or a device is refused before it is opened, and opening does not block should
/// one take the file's place in between.
///
/// # Errors
///
/// When there is no such file, it is not a regular one, it is larger, or it cannot be read.
pub(crate) fn read(path: &Path, limit_bytes: u64) -> Result<Vec<u8>, ReadError> {
    read_all(open(path)?, limit_bytes)
}

/// Checks the mode of something that should be a regular file.
///
/// # Errors
///
/// When it is anything else.
pub(crate) fn regular_mode(mode: nix::libc::mode_t) -> Result<(), ReadError> {
    match SFlag::from_bits_truncate(mode & SFlag::S_IFMT.bits()) == SFlag::S_IFREG {
        true => Ok(()),
        false => Err(ReadError::NotRegular),
    }
}

/// Reads the last `limit_bytes` of the regular file `beneath` a folder, or all when it has fewer.
///
/// Links are followed on the way to the folder and nowhere below it: what is there can be written by
/// others than those who say where the folder is. The way is gone one name after the other, each
/// from the descriptor of the last, so that nothing can be exchanged in between.
///
/// # Errors
///
/// When there is no such file, it or a folder on the way to it is a link, it is not a regular file,
/// or it cannot be read.
pub(crate) fn read_end(
    folder: &Path,
    beneath: &Path,
    limit_bytes: u64,
) -> Result<Vec<u8>, ReadError> {
    let pass = OFlag::O_PATH | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC;
    let mut at = openat(AT_FDCWD, folder, pass, Mode::empty()).map_err(io::Error::from)?;
    let mut names = beneath.components().peekable();
    while let Some(name) = names.next() {
        // A path that leads up leads out of the folder.
        let Component::Normal(name) = name else {
            return Err(ReadError::NotRegular);
        };
        if names.peek().is_some() {
            let flags = pass | OFlag::O_NOFOLLOW;
            at = openat(&at, name, flags, Mode::empty()).map_err(io::Error::from)?;
            continue;
        }
        let found = fstatat(&at, name, AtFlags::AT_SYMLINK_NOFOLLOW).map_err(io::Error::from)?;
        regular_mode(found.st_mode)?;
        let flags = OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK | OFlag::O_NOCTTY | OFlag::O_CLOEXEC;
        let file = openat(&at, name, flags, Mode::empty()).map_err(io::Error::from)?;
        let file = File::from(file);
        regular(&file.metadata()?)?;
        return end(file, limit_bytes);
    }
    Err(ReadError::NotRegular)
}

fn end(mut file: File, limit_bytes: u64) -> Result<Vec<u8>, ReadError> {
    let start = file.metadata()?.len().saturating_sub(limit_bytes);
    file.seek(SeekFrom::Start(start))?;
    let mut content = Vec::new();
    file.take(limit_bytes).read_to_end(&mut content)?;
    Ok(content)
}

fn open(path: &Path) -> Result<File, ReadError> {
    regular(&std::fs::metadata(path)?)?;
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(OFlag::O_NONBLOCK.bits())
        .open(path)?;
    regular(&file.metadata()?)?;
    Ok(file)
}

fn regular(metadata: &Metadata) -> Result<(), ReadError> {
    if metadata.is_file() {
        Ok(())
    } else {
        Err(ReadError::NotRegular)
    }
}

/// Reads a regular file that is open, if it has at most `limit_bytes`.
///
/// # Errors
///
/// When it is larger, or cannot be read.
pub(crate) fn read_all(file: File, limit_bytes: u64) -> Result<Vec<u8>, ReadError> {
    let mut content = Vec::new();
    file.take(limit_bytes.saturating_add(1))
        .read_to_end(&mut content)?;
    if u64::try_from(content.len()).unwrap_or(u64::MAX) > limit_bytes {
        return Err(ReadError::TooLarge { limit_bytes });
    }
    Ok(content)
}

/// Why a file was not read.
#[derive(Debug)]
pub(crate) enum ReadError {
    /// It belongs to a user who is not to be believed.
    #[cfg(feature = "apiserver")]
    Foreign {
        /// Who that is.
        user: u32,
    },
    /// Others may write it: everybody, or this group.
    #[cfg(feature = "apiserver")]
    Shared {
        /// The group; none where it is everybody.
        group: Option<u32>,
    },
    /// The system's answer.
    Io(io::Error),
    /// A folder, a pipe, a socket or a device.
    NotRegular,
    /// More bytes than allowed.
    TooLarge {
        /// The most bytes that would have been read.
        limit_bytes: u64,
    },
}

impl ReadError {
    /// Whether the path leads to nothing.
    pub(crate) fn is_not_found(&self) -> bool {
        match self {
            Self::Io(error) => error.kind() == io::ErrorKind::NotFound,
            #[cfg(feature = "apiserver")]
            Self::Foreign { .. } | Self::Shared { .. } => false,
            Self::NotRegular | Self::TooLarge { .. } => false,
        }
    }
}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            #[cfg(feature = "apiserver")]
            Self::Foreign { user } => write!(f, "belongs to user {user}, who is not this server's"),
            #[cfg(feature = "apiserver")]
            Self::Shared { group } => {
                match group {
                    Some(group) => write!(f, "may be written by group {group}")?,
                    None => f.write_str("may be written by everybody")?,
                }
                f.write_str(
                    ", so that others could have pods of theirs served; take that right away \
                     (chmod go-w)",
                )
            }
            Self::Io(error) => write!(f, "cannot be read: {error}"),
            Self::NotRegular => f.write_str("is not a regular file"),
            Self::TooLarge { limit_bytes } => {
                write!(f, "is larger than the limit of {limit_bytes} bytes")
            }
        }
    }
}
