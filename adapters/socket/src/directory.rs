//! The directory of a socket: made when missing, held open, locked while its entries change.

use std::fs::{self, DirBuilder, File, TryLockError};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use nix::unistd::{Gid, chown};

/// The mode of a directory that we make: its user does all, its group may pass.
const DIRECTORY_MODE: u32 = 0o750;

/// How long one attempt at the lock waits before the next.
const LOCK_PAUSE: Duration = Duration::from_millis(10);

/// How many attempts at the lock are made: one second in all, and nobody holds it longer than a few system calls.
const LOCK_ATTEMPTS: u32 = 100;

/// A directory by its descriptor, so that it stays the same one whatever is renamed above it.
#[derive(Debug)]
pub(crate) struct Directory {
    file: File,
}

/// Keeps other servers from changing the entries of a directory; ends when dropped.
#[derive(Debug)]
pub(crate) struct DirectoryLock {
    file: File,
}

impl Directory {
    /// Opens the directory at `path`, and makes it and its missing parents first, with mode 0750 whatever the umask.
    ///
    /// What is made belongs to `group` when there is one: a group that may use the socket must be able to reach it.
    pub(crate) fn open_or_make(
        path: &Path,
        group: Option<Gid>,
    ) -> Result<Self, (PathBuf, io::Error)> {
        let mut missing = Vec::new();
        for ancestor in path.ancestors() {
            if ancestor.as_os_str().is_empty() {
                break;
            }
            match fs::metadata(ancestor) {
                Ok(_) => break,
                Err(error) if error.kind() == io::ErrorKind::NotFound => missing.push(ancestor),
                Err(error) => return Err((ancestor.to_owned(), error)),
            }
        }
        for directory in missing.into_iter().rev() {
            make(directory, group).map_err(|error| (directory.to_owned(), error))?;
        }
        let opened = File::open(path).and_then(|file| match file.metadata()?.is_dir() {
            true => Ok(Self { file }),
            false => Err(io::ErrorKind::NotADirectory.into()),
        });
        opened.map_err(|error| (path.to_owned(), error))
    }

    /// Returns the open directory, for system calls that take a descriptor and a name.
    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    /// Returns a path to `name` in this directory that is short however long the directory's own path is.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    pub(crate) fn short_path(&self, name: &str) -> Option<PathBuf> {
        Some(PathBuf::from(format!(
            "/proc/self/fd/{}/{name}",
            self.file.as_raw_fd()
        )))
    }

    /// Returns no path: only Linux reaches a directory's entries through a descriptor's path.
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    pub(crate) fn short_path(&self, _name: &str) -> Option<PathBuf> {
        None
    }

    /// Waits up to a second to be alone among the servers that change this directory.
    ///
    /// Without it two servers that start at once could both find nobody at a path, and one could remove what another just put there.
    /// `None` says that the file system has no locks or that somebody does not let go: then the checks hold only one by one.
    pub(crate) fn lock(&self) -> Option<DirectoryLock> {
        let file = self.file.try_clone().ok()?;
        for _ in 0..LOCK_ATTEMPTS {
            match file.try_lock() {
                Ok(()) => return Some(DirectoryLock { file }),
                Err(TryLockError::WouldBlock) => thread::sleep(LOCK_PAUSE),
                Err(TryLockError::Error(error)) => {
                    tracing::debug!(%error, "the socket's directory cannot be locked");
                    return None;
                }
            }
        }
        tracing::warn!("somebody holds a lock on the socket's directory; going on without it");
        None
    }
}

impl Drop for DirectoryLock {
    fn drop(&mut self) {
        if let Err(error) = self.file.unlock() {
            tracing::debug!(%error, "the lock of the socket's directory is kept until the listener closes");
        }
    }
}

fn make(path: &Path, group: Option<Gid>) -> io::Result<()> {
    match DirBuilder::new().mode(DIRECTORY_MODE).create(path) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(()),
        Err(error) => return Err(error),
    }
    if let Some(group) = group {
        chown(path, None, Some(group))?;
    }
    fs::set_permissions(path, fs::Permissions::from_mode(DIRECTORY_MODE))
}
