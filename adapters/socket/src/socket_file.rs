//! The file of a socket that this process made: put in place by a rename, removed only while it is still ours.

#[cfg(test)]
mod tests;

use std::ffi::OsStr;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::sync::Arc;

use nix::errno::Errno;
use nix::fcntl::{AtFlags, renameat};
use nix::sys::socket::{self, AddressFamily, Backlog, SockFlag, SockType, UnixAddr};
use nix::sys::stat::{FchmodatFlags, SFlag, fchmodat, fstatat};
use nix::unistd::{UnlinkatFlags, fchownat, unlinkat};
use podsapi_folder::{Folder, Identity, PrivateFolder};

use crate::listener::BindError;
use crate::place::{Place, Placed};
use crate::successor::Successor;

#[cfg(target_vendor = "apple")]
const SOCKET_FLAGS: SockFlag = SockFlag::empty();
#[cfg(not(target_vendor = "apple"))]
const SOCKET_FLAGS: SockFlag = SockFlag::SOCK_CLOEXEC;

#[cfg(any(target_os = "linux", target_os = "freebsd"))]
const BACKLOG: Backlog = Backlog::MAXALLOWABLE;
#[cfg(not(any(target_os = "linux", target_os = "freebsd")))]
const BACKLOG: Backlog = Backlog::MAXCONN;

/// The name of a socket in the private folder where it is made: short, for its address has a limit.
const UNFINISHED: &str = "s";

/// A step of making a socket that failed: what was being done, and what the system said.
pub(crate) type Failure = (&'static str, Errno);

/// A socket's file; dropping it removes the file if nobody has replaced it.
#[derive(Debug)]
pub(crate) struct SocketFile {
    place: Place,
    placed: Placed,
    successor: Arc<Successor>,
    /// Why the file is not in its place, as it was told.
    trouble: Option<String>,
}

impl SocketFile {
    /// Makes a listening socket with its file.
    pub(crate) fn make(place: Place) -> Result<(UnixListener, Self), BindError> {
        let (fd, placed) = place.make()?;
        let file = Self {
            place,
            placed,
            successor: Arc::default(),
            trouble: None,
        };
        Ok((UnixListener::from(fd), file))
    }

    /// Returns where listeners wait that are made anew.
    pub(crate) fn successor(&self) -> Arc<Successor> {
        Arc::clone(&self.successor)
    }

    /// Looks whether the file is in its place, and makes it anew if it is not.
    ///
    /// The place of another server that answers there is left to it as long as it does; it is asked
    /// at each look, since one that crashes leaves its file.
    pub(crate) fn keep(&mut self) {
        if self.place.found() == Some(self.placed.identity) {
            if self.trouble.take().is_some() {
                let socket = self.place.path.display();
                tracing::info!(%socket, "the socket's file is in its place again");
            }
            return;
        }
        match self.make_anew() {
            Ok(()) => {
                self.trouble = None;
                tracing::warn!(
                    socket = %self.place.path.display(),
                    "the socket's file was gone or its folder replaced; it is made anew"
                );
            }
            Err(error) => self.tell(&error),
        }
    }

    fn make_anew(&mut self) -> Result<(), BindError> {
        let (fd, placed) = self.place.make()?;
        let listener = UnixListener::from(fd);
        // Reactors take no other.
        let set_up = listener.set_nonblocking(true);
        // The former file may be somewhere yet, in a folder that was renamed.
        remove(&self.placed, &self.place.name);
        self.placed = placed;
        set_up.map_err(|cause| BindError::System {
            path: self.place.path.clone(),
            doing: "set up the socket for a reactor",
            cause,
        })?;
        self.successor.put(listener);
        Ok(())
    }

    /// Says why the file is not in its place, once for each reason.
    fn tell(&mut self, error: &BindError) {
        let told = error.to_string();
        if self.trouble.as_ref() != Some(&told) {
            tracing::warn!(
                %error,
                "the socket's file is not in its place and cannot be made anew"
            );
            self.trouble = Some(told);
        }
    }
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        remove(&self.placed, &self.place.name);
    }
}

/// Removes the file if it is still the one that this process put there.
fn remove(placed: &Placed, name: &OsStr) {
    let (folder, shown) = (&placed.folder, name.display());
    let is_there = || folder.stat(name).map(|found| Identity::of(&found));
    if is_there() == Err(Errno::ENOENT) {
        return;
    }
    let _lock = folder.lock();
    match is_there() {
        Ok(found) if found == placed.identity => {
            if let Err(error) = unlinkat(folder, name, UnlinkatFlags::NoRemoveDir) {
                tracing::warn!(%error, name = %shown, "the socket's file could not be removed");
            }
        }
        Ok(_) => {
            tracing::debug!(name = %shown, "another server's socket is at the path; left as it is");
        }
        Err(Errno::ENOENT) => {}
        Err(error) => {
            tracing::warn!(%error, name = %shown, "the socket's file could not be looked at");
        }
    }
}

/// Makes a stream socket that children do not inherit.
pub(crate) fn stream_socket() -> Result<OwnedFd, Errno> {
    socket::socket(AddressFamily::Unix, SockType::Stream, SOCKET_FLAGS, None)
}

/// Makes a listening socket in a private folder, then renames it to its place.
///
/// Nobody can connect before owner and mode are right, because nobody can reach it until then; and
/// there is no moment in which the name leads nowhere if it led somewhere before.
pub(crate) fn make(folder: &Folder, place: &Place) -> Result<(OwnedFd, Identity), Failure> {
    let fd = stream_socket().map_err(|error| ("make a socket", error))?;
    let private = folder
        .private()
        .map_err(|error| ("make a temporary folder in its directory", error))?;
    bind(&fd, &private, &place.path).map_err(|error| ("bind a temporary name", error))?;
    let placed = finish(&fd, &private, folder, place);
    if placed.is_err() {
        // The first failure is the one to report; nobody else can have anything in there.
        let _kept = unlinkat(&private, UNFINISHED, UnlinkatFlags::NoRemoveDir);
    }
    placed.map(|identity| (fd, identity))
}

fn bind(fd: &OwnedFd, private: &PrivateFolder<'_>, path: &Path) -> Result<(), Errno> {
    let bind = |path: &Path| socket::bind(fd.as_raw_fd(), &UnixAddr::new(path)?);
    // Without /proc the direct path is tried; it may be too long, and then the system says so.
    let direct = path.with_file_name(private.name()).join(UNFINISHED);
    match private.path_of(UNFINISHED).map(|short| bind(&short)) {
        Some(Err(Errno::ENOENT | Errno::ENOTDIR)) | None => bind(&direct),
        Some(bound) => bound,
    }
}

fn finish(
    fd: &OwnedFd,
    private: &PrivateFolder<'_>,
    folder: &Folder,
    place: &Place,
) -> Result<Identity, Failure> {
    let found = fstatat(private, UNFINISHED, AtFlags::AT_SYMLINK_NOFOLLOW)
        .map_err(|error| ("look at the new file", error))?;
    if SFlag::from_bits_truncate(found.st_mode & SFlag::S_IFMT.bits()) != SFlag::S_IFSOCK {
        return Err(("look at the new file", Errno::ENOTSOCK));
    }
    if place.group.is_some() {
        let flags = AtFlags::AT_SYMLINK_NOFOLLOW;
        fchownat(private, UNFINISHED, None, place.group, flags)
            .map_err(|error| ("set the group", error))?;
    }
    // By name, which in the private folder is this file's alone.
    fchmodat(
        private,
        UNFINISHED,
        place.mode,
        FchmodatFlags::FollowSymlink,
    )
    .map_err(|error| ("set the mode", error))?;
    socket::listen(fd, BACKLOG).map_err(|error| ("listen", error))?;
    renameat(private, UNFINISHED, folder, place.name.as_os_str())
        .map_err(|error| ("rename the new file into place", error))?;
    Ok(Identity::of(&found))
}
