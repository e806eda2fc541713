//! The file of a socket that this process made: put in place by a rename, removed only while it is still ours.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::Path;
use std::process;

use nix::errno::Errno;
use nix::fcntl::{AtFlags, renameat};
use nix::sys::socket::{self, AddressFamily, Backlog, SockFlag, SockType, UnixAddr};
use nix::sys::stat::{FchmodatFlags, FileStat, Mode, fchmodat, fstatat};
use nix::unistd::{Gid, UnlinkatFlags, fchownat, unlinkat};

use crate::directory::Directory;

/// How many temporary names are tried before giving up: each collision is a file that a crash left.
const NAME_ATTEMPTS: u32 = 64;

#[cfg(target_vendor = "apple")]
const SOCKET_FLAGS: SockFlag = SockFlag::empty();
#[cfg(not(target_vendor = "apple"))]
const SOCKET_FLAGS: SockFlag = SockFlag::SOCK_CLOEXEC;

#[cfg(any(target_os = "linux", target_os = "freebsd"))]
const BACKLOG: Backlog = Backlog::MAXALLOWABLE;
#[cfg(not(any(target_os = "linux", target_os = "freebsd")))]
const BACKLOG: Backlog = Backlog::MAXCONN;

/// A step of making a socket that failed: what was being done, and what the system said.
pub(crate) type Failure = (&'static str, io::Error);

/// A socket's file; dropping it removes the file if nobody has replaced it.
#[derive(Debug)]
pub struct SocketFile {
    directory: Directory,
    name: OsString,
    identity: Option<Identity>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Identity {
    device: u128,
    inode: u128,
}

impl SocketFile {
    /// Makes a listening socket under a temporary name beside `name`, then renames it over `name`.
    ///
    /// Nobody can connect before owner and mode are right, because the socket listens only then; and there is no moment in which
    /// `name` leads nowhere if it led somewhere before.
    pub(crate) fn make(
        directory: Directory,
        name: &OsStr,
        path: &Path,
        mode: Mode,
        group: Option<Gid>,
    ) -> Result<(OwnedFd, Self), Failure> {
        let fd = stream_socket().map_err(|error| ("make a socket", error.into()))?;
        let temporary = bind_beside(&fd, &directory, path)?;
        let placed = place(&fd, &directory, &temporary, name, mode, group);
        match placed {
            Ok(identity) => {
                let file = Self {
                    directory,
                    name: name.to_owned(),
                    identity: Some(identity),
                };
                Ok((fd, file))
            }
            Err(failure) => {
                // The first failure is the one to report; this name is ours alone, so nothing else is lost with it.
                let _ = unlinkat(
                    directory.file(),
                    temporary.as_str(),
                    UnlinkatFlags::NoRemoveDir,
                );
                Err(failure)
            }
        }
    }

    /// Removes the file if it is still the one that this process put there.
    pub(crate) fn remove(&mut self) {
        let Some(identity) = self.identity.take() else {
            return;
        };
        let _lock = self.directory.lock();
        match stat(&self.directory, &self.name) {
            Ok(found) if Identity::of(&found) == identity => {
                if let Err(error) = unlinkat(
                    self.directory.file(),
                    self.name.as_os_str(),
                    UnlinkatFlags::NoRemoveDir,
                ) {
                    tracing::warn!(%error, name = %self.name.display(), "the socket's file could not be removed");
                }
            }
            Ok(_) => {
                tracing::debug!(name = %self.name.display(), "another server's socket is at the path; left as it is")
            }
            Err(Errno::ENOENT) => {}
            Err(error) => {
                tracing::warn!(%error, name = %self.name.display(), "the socket's file could not be looked at")
            }
        }
    }
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        self.remove();
    }
}

impl Identity {
    fn of(stat: &FileStat) -> Self {
        // Widths and signs of these two differ from system to system; only equality counts.
        Self {
            device: stat.st_dev as u128,
            inode: stat.st_ino as u128,
        }
    }
}

/// Looks at `name` in `directory` without following a symbolic link.
pub(crate) fn stat(directory: &Directory, name: &OsStr) -> Result<FileStat, Errno> {
    fstatat(directory.file(), name, AtFlags::AT_SYMLINK_NOFOLLOW)
}

/// Makes a stream socket that children do not inherit.
pub(crate) fn stream_socket() -> Result<OwnedFd, Errno> {
    socket::socket(AddressFamily::Unix, SockType::Stream, SOCKET_FLAGS, None)
}

/// Binds `fd` to a free temporary name in `directory` and returns that name.
fn bind_beside(fd: &OwnedFd, directory: &Directory, path: &Path) -> Result<String, Failure> {
    const DOING: &str = "bind a temporary name in the directory";
    for attempt in 0..NAME_ATTEMPTS {
        let temporary = format!(".podsapi-{}-{attempt}", process::id());
        let direct = path.with_file_name(&temporary);
        let bound = match directory.short_path(&temporary) {
            // Without /proc the direct path is tried; it may be too long, and then the system says so.
            Some(short) => match bind(fd, &short) {
                Err(Errno::ENOENT | Errno::ENOTDIR) => bind(fd, &direct),
                other => other,
            },
            None => bind(fd, &direct),
        };
        match bound {
            Ok(()) => return Ok(temporary),
            Err(Errno::EADDRINUSE) => {}
            Err(error) => return Err((DOING, error.into())),
        }
    }
    Err((DOING, Errno::EADDRINUSE.into()))
}

fn bind(fd: &OwnedFd, path: &Path) -> Result<(), Errno> {
    socket::bind(fd.as_raw_fd(), &UnixAddr::new(path)?)
}

fn place(
    fd: &OwnedFd,
    directory: &Directory,
    temporary: &str,
    name: &OsStr,
    mode: Mode,
    group: Option<Gid>,
) -> Result<Identity, Failure> {
    if let Some(group) = group {
        fchownat(
            directory.file(),
            temporary,
            None,
            Some(group),
            AtFlags::AT_SYMLINK_NOFOLLOW,
        )
        .map_err(|error| ("set the group", error.into()))?;
    }
    fchmodat(
        directory.file(),
        temporary,
        mode,
        FchmodatFlags::FollowSymlink,
    )
    .map_err(|error| ("set the mode", error.into()))?;
    let found = stat(directory, OsStr::new(temporary))
        .map_err(|error| ("look at the new file", error.into()))?;
    socket::listen(fd, BACKLOG).map_err(|error| ("listen", error.into()))?;
    renameat(directory.file(), temporary, directory.file(), name)
        .map_err(|error| ("rename the new file into place", error.into()))?;
    Ok(Identity::of(&found))
}
