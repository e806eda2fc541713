//! A folder by its descriptor, reached one name after the other.

#[cfg(test)]
mod tests;

use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Component, Path, PathBuf};

use nix::errno::Errno;
use nix::fcntl::{AT_FDCWD, AtFlags, OFlag, openat, readlinkat};
use nix::sys::stat::{FileStat, Mode, SFlag, fchmod, fstat, fstatat, mkdirat};
use nix::unistd::{Gid, UnlinkatFlags, fchown, unlinkat};

use crate::error::FolderError;
use crate::private;
use crate::trust::{Shared, Trust, Writer};

/// The mode of a folder that is made: its user does all, its group may pass.
const MADE_MODE: Mode = Mode::S_IRWXU.union(Mode::S_IRGRP).union(Mode::S_IXGRP);

/// How many symbolic links are followed on one way: as many as Linux does.
const LINK_LIMIT: u32 = 40;

/// How often a folder is looked for that others make and remove meanwhile.
const MAKE_ATTEMPTS: u32 = 8;

/// To pass through a folder needs no right to read it.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(crate) const PASS: OFlag = OFlag::O_PATH;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(crate) const PASS: OFlag = OFlag::O_RDONLY;

/// A folder by its descriptor, so that it stays the same one whatever is renamed above it.
#[derive(Debug)]
pub struct Folder {
    fd: OwnedFd,
    path: PathBuf,
    shared: Option<Shared>,
    trust: Trust,
}

impl Folder {
    /// Opens the folder at `path`.
    ///
    /// # Errors
    ///
    /// When it is missing or no folder, or a symbolic link on the way is not to be trusted.
    pub fn open(path: &Path) -> Result<Self, FolderError> {
        walk(path, None)
    }

    /// Opens the folder at `path`; what is missing of it is made, with mode 0750 whatever the
    /// umask.
    ///
    /// What is made belongs to `group` when there is one; what is there stays as it is.
    ///
    /// # Errors
    ///
    /// As [`Folder::open`], and when a folder cannot be made, or only where others could replace
    /// it.
    pub fn open_or_make(path: &Path, group: Option<Gid>) -> Result<Self, FolderError> {
        walk(path, Some(Making { group }))
    }

    /// Returns a folder on the way here, or this one, whose entries others may change.
    pub fn shared(&self) -> Option<&Shared> {
        self.shared.as_ref()
    }

    /// Returns how it was reached.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Looks at an entry, which may be a symbolic link.
    ///
    /// # Errors
    ///
    /// What the system says.
    pub fn stat(&self, name: &OsStr) -> Result<FileStat, Errno> {
        fstatat(&self.fd, name, AtFlags::AT_SYMLINK_NOFOLLOW)
    }

    /// Returns whether a file of this user can only have been written by those who are trusted.
    pub fn trusts(&self, user: u32) -> bool {
        self.trust.includes(user)
    }

    /// Returns who else may write a file like this, beside those who are trusted.
    pub fn writer_of_file(&self, file: &FileStat) -> Option<Writer> {
        self.trust.writer_of_file(file)
    }

    pub(crate) fn own_user(&self) -> u32 {
        self.trust.own()
    }
}

impl AsFd for Folder {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

/// What is done about a folder that is missing.
#[derive(Clone, Copy)]
struct Making {
    group: Option<Gid>,
}

fn walk(path: &Path, making: Option<Making>) -> Result<Folder, FolderError> {
    let start = match path.is_absolute() {
        true => Path::new("/"),
        false => Path::new("."),
    };
    let mut at = begin(start)?;
    let mut links = 0;
    // The next name is the last.
    let mut names = names(path);
    while let Some(name) = names.pop() {
        let link = at.enter(&name, making)?;
        let Some(target) = link else { continue };
        links += 1;
        if links > LINK_LIMIT {
            return Err(at.failed(&name, Errno::ELOOP));
        }
        let target = PathBuf::from(target);
        if target.is_absolute() {
            at = begin(Path::new("/"))?;
        }
        names.extend(self::names(&target));
    }
    Ok(at)
}

/// Returns what is passed through, backwards.
fn names(path: &Path) -> Vec<OsString> {
    let names = path.components().filter_map(|component| match component {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some(OsString::from("..")),
        Component::CurDir | Component::Prefix(_) | Component::RootDir => None,
    });
    let mut names: Vec<_> = names.collect();
    names.reverse();
    names
}

fn begin(path: &Path) -> Result<Folder, FolderError> {
    let failed = |error: Errno| FolderError::System {
        folder: path.to_owned(),
        cause: error.into(),
    };
    let flags = PASS | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC;
    let fd = openat(AT_FDCWD, path, flags, Mode::empty()).map_err(failed)?;
    let trust = Trust::of_this_process().map_err(failed)?;
    let stat = fstat(&fd).map_err(failed)?;
    let shared = trust.writer(&stat).map(|writer| Shared {
        folder: path.to_owned(),
        writer,
    });
    Ok(Folder {
        fd,
        path: path.to_owned(),
        shared,
        trust,
    })
}

impl Folder {
    /// Goes on to the folder `name`; where that is a link to be followed, returns its target
    /// instead.
    fn enter(
        &mut self,
        name: &OsStr,
        making: Option<Making>,
    ) -> Result<Option<OsString>, FolderError> {
        let flags = PASS | OFlag::O_DIRECTORY | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
        for _ in 0..MAKE_ATTEMPTS {
            let entered = match openat(&self.fd, name, flags, Mode::empty()) {
                Ok(fd) => fd,
                Err(Errno::ENOTDIR | Errno::ELOOP | Errno::EMLINK) => {
                    return self.link(name).map(Some);
                }
                Err(Errno::ENOENT) => match making {
                    None => return Err(self.failed(name, Errno::ENOENT)),
                    Some(making) => match self.make(name, making)? {
                        Some(fd) => fd,
                        None => continue,
                    },
                },
                Err(error) => return Err(self.failed(name, error)),
            };
            let stat = fstat(&entered).map_err(|error| self.failed(name, error))?;
            self.fd = entered;
            self.path.push(name);
            if self.shared.is_none() {
                self.shared = self.trust.writer(&stat).map(|writer| Shared {
                    folder: self.path.clone(),
                    writer,
                });
            }
            return Ok(None);
        }
        Err(self.failed(name, Errno::ENOENT))
    }

    /// Returns where the link `name` leads, unless another user can have put it there.
    fn link(&self, name: &OsStr) -> Result<OsString, FolderError> {
        let stat = self.stat(name).map_err(|error| self.failed(name, error))?;
        let kind = SFlag::from_bits_truncate(stat.st_mode & SFlag::S_IFMT.bits());
        if kind != SFlag::S_IFLNK {
            return Err(self.failed(name, Errno::ENOTDIR));
        }
        if self.shared.is_some() || !self.trust.includes(stat.st_uid) {
            return Err(FolderError::ForeignLink {
                link: self.path.join(name),
                owner: stat.st_uid,
            });
        }
        readlinkat(&self.fd, name).map_err(|error| self.failed(name, error))
    }

    /// Makes the folder `name`; `None` when there is one by now.
    fn make(&self, name: &OsStr, making: Making) -> Result<Option<OwnedFd>, FolderError> {
        if let Some(shared) = &self.shared {
            return Err(FolderError::MissingInShared {
                folder: self.path.join(name),
                shared: shared.clone(),
            });
        }
        let failed = |error| self.failed(name, error);
        match mkdirat(&self.fd, name, Mode::S_IRWXU) {
            Ok(()) => {}
            Err(Errno::EEXIST) => return Ok(None),
            Err(error) => return Err(failed(error)),
        }
        let made = private::open_made(self.as_fd(), name, self.trust.own()).and_then(|made| {
            if making.group.is_some() {
                fchown(&made, None, making.group)?;
            }
            fchmod(&made, MADE_MODE)?;
            Ok(made)
        });
        made.map(Some).map_err(|error| {
            // The first failure is the one to report; only an empty folder goes.
            let _kept = unlinkat(&self.fd, name, UnlinkatFlags::RemoveDir);
            failed(error)
        })
    }

    fn failed(&self, name: &OsStr, error: Errno) -> FolderError {
        FolderError::System {
            folder: self.path.join(name),
            cause: error.into(),
        }
    }
}
