//! A lock on a folder's entries that only this user can hold.

use std::ffi::OsString;
use std::fs::{File, TryLockError};
use std::os::fd::{AsFd, OwnedFd};
use std::thread;
use std::time::Duration;

use nix::errno::Errno;
use nix::fcntl::{AtFlags, OFlag, openat};
use nix::sys::stat::{FileStat, Mode, SFlag, fstat, fstatat};
use nix::unistd::{UnlinkatFlags, unlinkat};

use crate::folder::Folder;
use crate::identity::Identity;

/// How long one attempt at the lock waits before the next.
const LOCK_PAUSE: Duration = Duration::from_millis(10);

/// How many attempts at the lock are made: one second in all, and nobody holds it longer than a few
/// system calls.
const LOCK_ATTEMPTS: u32 = 100;

/// Keeps other processes of this user from changing the entries of a folder; ends when dropped.
#[derive(Debug)]
pub struct FolderLock {
    folder: OwnedFd,
    name: OsString,
    identity: Identity,
    /// Closed last: then others go on.
    _file: File,
}

impl Folder {
    /// Waits up to a second to be alone among the processes of this user that change this folder.
    ///
    /// The lock is on a file of mode 0600 that is there only meanwhile, so that nobody else can
    /// hold it and so delay us. `None` says that there are no locks here, that somebody else's file
    /// has its name, or that one of us does not let go: then checks hold only one by one.
    pub fn lock(&self) -> Option<FolderLock> {
        let name = OsString::from(format!(".podsapi-{}.lock", self.own_user()));
        for _ in 0..LOCK_ATTEMPTS {
            match self.try_lock(&name) {
                Ok(lock) => return Some(lock),
                Err(NoLock::Busy) => thread::sleep(LOCK_PAUSE),
                Err(NoLock::Foreign) => {
                    tracing::warn!(
                        folder = %self.path().display(), name = %name.display(),
                        "something else has the name of the lock; going on without it"
                    );
                    return None;
                }
                Err(NoLock::System(error)) => {
                    tracing::debug!(%error, folder = %self.path().display(), "no lock");
                    return None;
                }
            }
        }
        tracing::warn!(
            folder = %self.path().display(),
            "another server of this user holds the lock; going on without it"
        );
        None
    }

    fn try_lock(&self, name: &OsString) -> Result<FolderLock, NoLock> {
        let flags = OFlag::O_RDWR
            | OFlag::O_CREAT
            | OFlag::O_NOFOLLOW
            | OFlag::O_NONBLOCK
            | OFlag::O_NOCTTY
            | OFlag::O_CLOEXEC;
        let is_own = |stat: &FileStat| stat.st_uid == self.own_user();
        let opened = openat(self, name.as_os_str(), flags, Mode::S_IRUSR | Mode::S_IWUSR);
        let file = File::from(opened.map_err(|error| match self.stat(name) {
            // One of us made it under a umask that leaves nobody a right, and it will go.
            Ok(stat) if error == Errno::EACCES && is_own(&stat) => NoLock::Busy,
            Ok(_) => NoLock::Foreign,
            Err(_) => NoLock::System(error),
        })?);
        let stat = fstat(&file)?;
        let kind = SFlag::from_bits_truncate(stat.st_mode & SFlag::S_IFMT.bits());
        let mode = Mode::from_bits_truncate(stat.st_mode);
        let is_open = mode.intersects(Mode::S_IRWXG | Mode::S_IRWXO);
        if kind != SFlag::S_IFREG || is_open || !is_own(&stat) {
            return Err(NoLock::Foreign);
        }
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(NoLock::Busy),
            Err(TryLockError::Error(error)) => {
                let error = Errno::from_raw(error.raw_os_error().unwrap_or_default());
                return Err(NoLock::System(error));
            }
        }
        let identity = Identity::of(&stat);
        // Whoever had it removes it at the end: a lock on what has no name any more keeps nobody
        // out.
        match self.stat(name) {
            Ok(named) if Identity::of(&named) == identity => {}
            Ok(_) | Err(Errno::ENOENT) => return Err(NoLock::Busy),
            Err(error) => return Err(error.into()),
        }
        Ok(FolderLock {
            folder: self.as_fd().try_clone_to_owned().map_err(|error| {
                NoLock::System(Errno::from_raw(error.raw_os_error().unwrap_or_default()))
            })?,
            name: name.clone(),
            identity,
            _file: file,
        })
    }
}

/// Why there is no lock.
enum NoLock {
    /// Another process of this user has it.
    Busy,
    /// What has its name is not this user's alone.
    Foreign,
    System(Errno),
}

impl From<Errno> for NoLock {
    fn from(error: Errno) -> Self {
        Self::System(error)
    }
}

impl Drop for FolderLock {
    fn drop(&mut self) {
        let name = self.name.as_os_str();
        let found = fstatat(&self.folder, name, AtFlags::AT_SYMLINK_NOFOLLOW);
        if found.is_ok_and(|found| Identity::of(&found) == self.identity) {
            // Left behind it is locked again by the next one.
            let _kept = unlinkat(&self.folder, name, UnlinkatFlags::NoRemoveDir);
        }
    }
}
