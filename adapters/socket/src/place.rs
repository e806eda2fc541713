//! Where a socket belongs: the folder, the name, and what may be replaced there.

use std::ffi::{OsStr, OsString};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::sys::socket::{self, UnixAddr};
use nix::sys::stat::{FileStat, Mode, SFlag, lstat};
use nix::unistd::Gid;
use podsapi_folder::{Folder, Identity};

use crate::listener::BindError;
use crate::socket_file;

/// A socket as it was asked for.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) path: PathBuf,
    pub(crate) name: OsString,
    pub(crate) mode: Mode,
    pub(crate) group: Option<Gid>,
    pub(crate) allow_shared_folder: bool,
}

/// A socket's file that is in its place, in the folder in which it was made.
#[derive(Debug)]
pub(crate) struct Placed {
    pub(crate) folder: Folder,
    pub(crate) identity: Identity,
}

impl Place {
    /// Makes a listening socket here, in one step that replaces what a crashed server left.
    pub(crate) fn make(&self) -> Result<(OwnedFd, Placed), BindError> {
        let parent = match self.path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            Some(_) | None => Path::new("."),
        };
        let folder =
            Folder::open_or_make(parent, self.group).map_err(|cause| BindError::Directory {
                path: self.path.clone(),
                cause,
            })?;
        if let Some(shared) = folder.shared().filter(|_| !self.allow_shared_folder) {
            return Err(BindError::SharedFolder {
                path: self.path.clone(),
                shared: shared.clone(),
            });
        }
        let _lock = folder.lock();
        self.check_vacant(&folder)?;
        let made = socket_file::make(&folder, self);
        let (fd, identity) = made.map_err(|(doing, error)| self.failed(doing, error))?;
        Ok((fd, Placed { folder, identity }))
    }

    /// Returns what the path leads to now.
    pub(crate) fn found(&self) -> Option<Identity> {
        lstat(&self.path).ok().as_ref().map(Identity::of)
    }

    /// Checks that a rename over the name destroys nothing: nothing is there, or a socket at which
    /// nobody answers.
    fn check_vacant(&self, folder: &Folder) -> Result<(), BindError> {
        let found = match Found::open(folder, &self.name) {
            Ok(found) => found,
            Err(Errno::ENOENT) => return Ok(()),
            Err(error) => return Err(self.failed("look at what is there", error)),
        };
        let kind = SFlag::from_bits_truncate(found.stat.st_mode & SFlag::S_IFMT.bits());
        if kind != SFlag::S_IFSOCK {
            return Err(BindError::NotASocket {
                path: self.path.clone(),
                found: describe(kind),
            });
        }
        match found.connect(&self.path) {
            // A full queue and a socket of another kind: somebody is there all the same.
            Ok(()) | Err(Errno::EAGAIN | Errno::EINPROGRESS | Errno::EPROTOTYPE) => {
                Err(BindError::LiveServer {
                    path: self.path.clone(),
                })
            }
            Err(Errno::ECONNREFUSED | Errno::ENOENT) => Ok(()),
            Err(error) => Err(self.failed("find out whether another server answers", error)),
        }
    }

    fn failed(&self, doing: &'static str, error: Errno) -> BindError {
        BindError::System {
            path: self.path.clone(),
            doing,
            cause: error.into(),
        }
    }
}

/// What is at the name, held so that it stays the same.
struct Found {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    fd: OwnedFd,
    stat: FileStat,
}

#[cfg(any(target_os = "linux", target_os = "android"))]
impl Found {
    fn open(folder: &Folder, name: &OsStr) -> Result<Self, Errno> {
        use nix::fcntl::{OFlag, openat};

        let flags = OFlag::O_PATH | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
        let fd = openat(folder, name, flags, Mode::empty())?;
        let stat = nix::sys::stat::fstat(&fd)?;
        Ok(Self { fd, stat })
    }

    /// Connects to just this socket, whatever has its name by now.
    fn connect(&self, path: &Path) -> Result<(), Errno> {
        let own = PathBuf::from(format!("/proc/self/fd/{}", self.fd.as_raw_fd()));
        match connect(&own) {
            // Where there is no /proc, the path is what there is.
            Err(Errno::ENOENT) => connect(path),
            other => other,
        }
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
impl Found {
    fn open(folder: &Folder, name: &OsStr) -> Result<Self, Errno> {
        let stat = folder.stat(name)?;
        Ok(Self { stat })
    }

    fn connect(&self, path: &Path) -> Result<(), Errno> {
        connect(path)
    }
}

/// Connects without waiting, so that a server whose queue is full cannot hold us up.
fn connect(path: &Path) -> Result<(), Errno> {
    let stream = UnixStream::from(socket_file::stream_socket()?);
    stream
        .set_nonblocking(true)
        .map_err(|error| Errno::from_raw(error.raw_os_error().unwrap_or_default()))?;
    socket::connect(stream.as_raw_fd(), &UnixAddr::new(path)?)
}

fn describe(kind: SFlag) -> &'static str {
    match kind {
        SFlag::S_IFREG => "a regular file",
        SFlag::S_IFDIR => "a directory",
        SFlag::S_IFLNK => "a symbolic link",
        SFlag::S_IFIFO => "a named pipe",
        SFlag::S_IFBLK | SFlag::S_IFCHR => "a device",
        _ => "something else",
    }
}
