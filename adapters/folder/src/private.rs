//! A folder that only this user may enter, where things get owner and mode before others see them.

use std::ffi::{OsStr, OsString};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::path::PathBuf;
use std::process;

use nix::errno::Errno;
use nix::fcntl::{AT_FDCWD, OFlag, openat};
use nix::sys::stat::{FchmodatFlags, Mode, fchmodat, fstat, mkdirat};
use nix::unistd::{UnlinkatFlags, unlinkat};

use crate::folder::{Folder, PASS};
use crate::identity::Identity;

/// How many names are tried: each one that fails is somebody who stands in the way.
const NAME_ATTEMPTS: u32 = 64;

/// A folder of mode 0700 within another; dropping it removes it when it is empty.
#[derive(Debug)]
pub struct PrivateFolder<'a> {
    within: &'a Folder,
    name: String,
    fd: OwnedFd,
    identity: Identity,
}

impl Folder {
    /// Makes a private folder in this one.
    ///
    /// Where others may write this folder, they can rename the private one, and put something else
    /// in its place, but neither enter it nor lead us elsewhere: it is known by its descriptor.
    ///
    /// # Errors
    ///
    /// What the system says; `EEXIST` when all names are taken, or what was made was replaced each
    /// time.
    pub fn private(&self) -> Result<PrivateFolder<'_>, Errno> {
        for _ in 0..NAME_ATTEMPTS {
            let name = format!(".podsapi-{}-{:016x}", process::id(), random());
            match mkdirat(self, name.as_str(), Mode::S_IRWXU) {
                Ok(()) => {}
                Err(Errno::EEXIST) => continue,
                Err(error) => return Err(error),
            }
            let opened = open_made(self.as_fd(), OsStr::new(&name), self.own_user());
            let opened = opened.and_then(|fd| Ok((Identity::of(&fstat(&fd)?), fd)));
            match opened {
                Ok((identity, fd)) => {
                    return Ok(PrivateFolder {
                        within: self,
                        name,
                        fd,
                        identity,
                    });
                }
                Err(error) if self.shared().is_some() => {
                    tracing::debug!(%error, name, "a folder was replaced while it was made");
                }
                Err(error) => {
                    let _kept = unlinkat(self, name.as_str(), UnlinkatFlags::RemoveDir);
                    return Err(error);
                }
            }
        }
        Err(Errno::EEXIST)
    }
}

impl PrivateFolder<'_> {
    /// Returns its name in the folder that it is in.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns a path to an entry by way of the descriptor, which is short, too.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    pub fn path_of(&self, entry: &str) -> Option<PathBuf> {
        let fd = self.fd.as_raw_fd();
        Some(PathBuf::from(format!("/proc/self/fd/{fd}/{entry}")))
    }

    /// Returns no path: only Linux reaches a folder's entries by way of its descriptor.
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    pub fn path_of(&self, _entry: &str) -> Option<PathBuf> {
        None
    }
}

impl AsFd for PrivateFolder<'_> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

impl Drop for PrivateFolder<'_> {
    fn drop(&mut self) {
        let name = OsString::from(&self.name);
        let found = self.within.stat(&name);
        let removed = match found {
            Ok(found) if Identity::of(&found) == self.identity => {
                unlinkat(self.within, name.as_os_str(), UnlinkatFlags::RemoveDir)
            }
            Ok(_) => Err(Errno::ESTALE),
            Err(error) => Err(error),
        };
        if let Err(error) = removed {
            tracing::warn!(%error, name = self.name, "a temporary folder could not be removed");
        }
    }
}

/// Returns a number that nobody can foresee, so that nobody can have taken all names beforehand.
fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// Opens a folder that was made with mode 0700 just now, and sees to it that this user may use it.
///
/// What belongs to somebody else, or lets anybody else in, is not what was made.
pub(crate) fn open_made(within: BorrowedFd<'_>, name: &OsStr, own: u32) -> Result<OwnedFd, Errno> {
    let flags = OFlag::O_DIRECTORY | OFlag::O_CLOEXEC;
    let passed = openat(
        within,
        name,
        PASS | OFlag::O_NOFOLLOW | flags,
        Mode::empty(),
    )?;
    let stat = fstat(&passed)?;
    let mode = Mode::from_bits_truncate(stat.st_mode);
    if stat.st_uid != own || mode.intersects(Mode::S_IRWXG | Mode::S_IRWXO) {
        return Err(Errno::EEXIST);
    }
    if !mode.contains(Mode::S_IRWXU) {
        // A umask may take even the owner's rights; a descriptor's own path follows nothing else.
        let path = PathBuf::from(format!("/proc/self/fd/{}", passed.as_raw_fd()));
        fchmodat(AT_FDCWD, &path, Mode::S_IRWXU, FchmodatFlags::FollowSymlink)?;
    }
    openat(&passed, ".", OFlag::O_RDONLY | flags, Mode::empty())
}
