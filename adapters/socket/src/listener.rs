//! Where the server listens: a socket of its own, or one that a supervisor handed over.

mod error;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod tests;

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};

use nix::libc::mode_t;
use nix::sys::socket::{getsockopt, sockopt};
use nix::sys::stat::Mode;
use nix::unistd::{Gid, Group};

use crate::place::Place;
use crate::socket_file::SocketFile;

pub use error::{BindError, InheritError};

/// How many bytes of path a UNIX socket address holds beside its closing zero.
#[cfg(any(target_os = "linux", target_os = "android"))]
const PATH_LIMIT: usize = 107;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const PATH_LIMIT: usize = 103;

/// The mode of a socket that only its own user may use.
const MODE_OWNER: u32 = 0o600;

/// The mode of a socket that a group was named for.
const MODE_GROUP: u32 = 0o660;

/// Where to make a socket, and who may use it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SocketOptions {
    /// The path; at most 107 bytes on Linux. Its directory is made when missing, with mode 0750 and the group below.
    pub path: PathBuf,
    /// The mode, whatever the umask; 0600 when absent, 0660 when a group is given.
    pub mode: Option<u32>,
    /// The group, by name or number; the process's own when absent.
    pub group: Option<String>,
    /// Whether the socket may be made where others may replace it: in a folder of another user, or
    /// one that a group or everybody may write without the sticky bit. Even there nothing that they
    /// put in the way is followed.
    pub allow_shared_folder: bool,
}

impl SocketOptions {
    /// Returns options for a socket at `path` that only this user may use.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            mode: None,
            group: None,
            allow_shared_folder: false,
        }
    }
}

/// A listening UNIX socket; dropping one that [`Listener::bind`] made removes its file, if the file is still the same.
#[derive(Debug)]
pub struct Listener {
    /// Removed before the socket closes: while that is open, no other file can be taken for it.
    file: Option<SocketFile>,
    socket: UnixListener,
    label: String,
}

impl Listener {
    /// Makes a socket at `options.path`, in one step that replaces what a crashed server left there.
    ///
    /// A symbolic link in the directory part is followed unless another user can have put it there;
    /// one at the path itself counts as something that is not a socket, because the rename would
    /// replace the link and not what it names.
    ///
    /// # Errors
    ///
    /// When another server answers at the path, when something that is not a socket is there, when
    /// the path is too long, when others may write a folder on the way and that is not allowed, and
    /// when the system refuses a step. Nothing at the path is changed then.
    pub fn bind(options: &SocketOptions) -> Result<Self, BindError> {
        let path = options.path.as_path();
        let name = check_path(path)?;
        let group = options
            .group
            .as_deref()
            .map(|group| find_group(path, group))
            .transpose()?;
        let mode = check_mode(options)?;
        let (socket, file) = SocketFile::make(Place {
            path: path.to_owned(),
            name: name.to_owned(),
            mode,
            group,
            allow_shared_folder: options.allow_shared_folder,
        })?;
        Ok(Self {
            file: Some(file),
            socket,
            label: path.display().to_string(),
        })
    }

    /// Takes the listeners that a supervisor handed over (`LISTEN_FDS`), which are served as they are and whose files stay at exit.
    ///
    /// Call it once, before the runtime and other threads start: it also takes the variables out of the environment so that no
    /// child mistakes them for its own. Without the variables there are none.
    ///
    /// # Errors
    ///
    /// When one of them is not a listening UNIX stream socket.
    pub fn inherited() -> Result<Vec<Self>, InheritError> {
        let mut handed_over = listenfd::ListenFd::from_env();
        let mut listeners = Vec::with_capacity(handed_over.len());
        for index in 0..handed_over.len() {
            let taken = handed_over.take_unix_listener(index);
            let Some(socket) = taken.map_err(|cause| InheritError { index, cause })? else {
                continue;
            };
            let listening = getsockopt(&socket, sockopt::AcceptConn);
            match listening {
                Ok(true) => {}
                Ok(false) => {
                    let cause = io::Error::new(io::ErrorKind::InvalidInput, "it does not listen");
                    return Err(InheritError { index, cause });
                }
                Err(error) => {
                    return Err(InheritError {
                        index,
                        cause: error.into(),
                    });
                }
            }
            let label = match socket
                .local_addr()
                .ok()
                .as_ref()
                .and_then(|address| address.as_pathname())
            {
                Some(path) => path.display().to_string(),
                None => format!("handed-over socket {index}"),
            };
            listeners.push(Self {
                socket,
                file: None,
                label,
            });
        }
        Ok(listeners)
    }

    /// Returns the path, or another name to show when the socket has none.
    pub fn label(&self) -> &str {
        &self.label
    }

    /// Splits into the socket, set up for a reactor, and the file to remove when done.
    ///
    /// # Errors
    ///
    /// When the system refuses to make the socket non-blocking.
    pub(crate) fn into_parts(self) -> io::Result<(UnixListener, Option<SocketFile>)> {
        self.socket.set_nonblocking(true)?;
        Ok((self.socket, self.file))
    }
}

fn check_path(path: &Path) -> Result<&OsStr, BindError> {
    let bytes = path.as_os_str().as_bytes();
    if bytes.len() > PATH_LIMIT {
        return Err(BindError::PathTooLong {
            path: path.to_owned(),
            length: bytes.len(),
            limit: PATH_LIMIT,
        });
    }
    match path.file_name() {
        Some(name) if bytes.ends_with(name.as_bytes()) => Ok(name),
        Some(_) | None => Err(BindError::NoFileName {
            path: path.to_owned(),
        }),
    }
}

fn check_mode(options: &SocketOptions) -> Result<Mode, BindError> {
    let usual = if options.group.is_some() {
        MODE_GROUP
    } else {
        MODE_OWNER
    };
    let mode = options.mode.unwrap_or(usual);
    let refused = || BindError::Mode {
        path: options.path.clone(),
        mode,
    };
    if mode > 0o777 {
        return Err(refused());
    }
    Mode::from_bits(mode as mode_t).ok_or_else(refused)
}

/// Finds a group by name first and by number second, as `chown` does.
fn find_group(path: &Path, group: &str) -> Result<Gid, BindError> {
    let named = Group::from_name(group).map_err(|error| BindError::System {
        path: path.to_owned(),
        doing: "look up the group",
        cause: error.into(),
    })?;
    match (named, group.parse()) {
        (Some(found), _) => Ok(found.gid),
        (None, Ok(number)) => Ok(Gid::from_raw(number)),
        (None, Err(_)) => Err(BindError::UnknownGroup {
            path: path.to_owned(),
            group: group.to_owned(),
        }),
    }
}
