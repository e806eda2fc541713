//! Why a socket could not be made, in words that an operator can act on.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::PathBuf;

use podsapi_folder::{FolderError, Shared};

/// Why [`Listener::bind`](super::Listener::bind) made no socket.
#[derive(Debug)]
pub enum BindError {
    /// The path does not end in the name of a file.
    NoFileName {
        /// The path as it was given.
        path: PathBuf,
    },
    /// The path does not fit into a socket address.
    PathTooLong {
        /// The path as it was given.
        path: PathBuf,
        /// How many bytes it has.
        length: usize,
        /// How many bytes a socket address holds.
        limit: usize,
    },
    /// The mode has other bits than permissions.
    Mode {
        /// The path of the socket.
        path: PathBuf,
        /// The mode as it was given.
        mode: u32,
    },
    /// The group is neither a known name nor a number.
    UnknownGroup {
        /// The path of the socket.
        path: PathBuf,
        /// The group as it was given.
        group: String,
    },
    /// The directory of the socket could neither be opened nor made.
    Directory {
        /// The path of the socket.
        path: PathBuf,
        /// Which directory it is about, and why.
        cause: FolderError,
    },
    /// There is something at the path that is not a socket; it is left alone.
    NotASocket {
        /// The path of the socket.
        path: PathBuf,
        /// What is there instead.
        found: &'static str,
    },
    /// Another server answers at the path.
    LiveServer {
        /// The path of the socket.
        path: PathBuf,
    },
    /// Others may write a directory on the way, so that they could put a socket of their own in the
    /// place of this one.
    SharedFolder {
        /// The path of the socket.
        path: PathBuf,
        /// The directory, and who they are.
        shared: Shared,
    },
    /// A system call on the socket or its file failed.
    System {
        /// The path of the socket.
        path: PathBuf,
        /// What was being done.
        doing: &'static str,
        /// What the system said.
        cause: io::Error,
    },
}

impl fmt::Display for BindError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoFileName { path } => write!(
                f,
                "socket path `{}` does not end in a file name; expected something like `/run/podsapi/pods-api.sock`",
                path.display()
            ),
            Self::PathTooLong {
                path,
                length,
                limit,
            } => write!(
                f,
                "socket path `{}` has {length} bytes and a UNIX socket address holds {limit}; choose a shorter path, or give a path \
                 relative to the working directory",
                path.display()
            ),
            Self::Mode { path, mode } => write!(
                f,
                "mode {mode:#o} for socket `{}` has bits beyond permissions; expected 0 to 0o777, such as 0o660",
                path.display()
            ),
            Self::UnknownGroup { path, group } => write!(
                f,
                "group `{group}` for socket `{}` is neither in the system's group list nor a number; create the group or give its \
                 number",
                path.display()
            ),
            Self::Directory { path, cause } => {
                write!(f, "no directory for socket `{}`: {cause}", path.display())?;
                match cause {
                    FolderError::System { .. } => f.write_str(
                        "; create it so that this user can write to it, or choose another path",
                    ),
                    // These say it themselves.
                    FolderError::ForeignLink { .. } | FolderError::MissingInShared { .. } => Ok(()),
                }
            }
            Self::NotASocket { path, found } => write!(
                f,
                "`{}` is {found}, not a socket, and is left as it is; move it away or choose another path",
                path.display()
            ),
            Self::LiveServer { path } => write!(
                f,
                "another server answers at socket `{}`; stop it first or choose another path",
                path.display()
            ),
            Self::SharedFolder { path, shared } => write!(
                f,
                "socket `{}` is not made, because {shared}, so that others could put a socket of \
                 theirs in its place; {}, or choose another path",
                path.display(),
                shared.advice()
            ),
            Self::System { path, doing, cause } => {
                write!(f, "cannot {doing} for socket `{}`: {cause}", path.display())?;
                if cause.kind() == io::ErrorKind::PermissionDenied {
                    f.write_str("; run as a user who may, or choose another path")?;
                }
                Ok(())
            }
        }
    }
}

impl Error for BindError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Directory { cause, .. } => Some(cause),
            Self::System { cause, .. } => Some(cause),
            Self::NoFileName { .. }
            | Self::PathTooLong { .. }
            | Self::Mode { .. }
            | Self::UnknownGroup { .. }
            | Self::NotASocket { .. }
            | Self::LiveServer { .. }
            | Self::SharedFolder { .. } => None,
        }
    }
}

/// Why a listener handed over by a supervisor cannot be served.
#[derive(Debug)]
pub struct InheritError {
    /// Which of the handed-over descriptors it is, counted from 0.
    pub(super) index: usize,
    /// What is wrong with it.
    pub(super) cause: io::Error,
}

impl fmt::Display for InheritError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "socket {} handed over in LISTEN_FDS cannot be served: {}; expected a listening UNIX stream socket (ListenStream= with a \
             path)",
            self.index, self.cause
        )
    }
}

impl Error for InheritError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.cause)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn system(kind: io::ErrorKind) -> BindError {
        BindError::System {
            path: "/run/s".into(),
            doing: "listen",
            cause: kind.into(),
        }
    }

    fn folder() -> BindError {
        BindError::Directory {
            path: "/run/s".into(),
            cause: FolderError::ForeignLink {
                link: "/run".into(),
                owner: 1,
            },
        }
    }

    #[test]
    fn only_those_who_may_not_are_told_to_run_as_somebody_who_may() {
        let advice = "; run as a user who may, or choose another path";
        for (kind, advised) in [
            (io::ErrorKind::PermissionDenied, true),
            (io::ErrorKind::AddrInUse, false),
            (io::ErrorKind::NotFound, false),
        ] {
            let text = system(kind).to_string();
            assert_eq!(text.ends_with(advice), advised, "{text}");
            assert!(text.starts_with("cannot listen for socket `/run/s`: "));
        }
    }

    #[test]
    fn what_the_system_and_the_folder_said_is_the_source() {
        let source = |error: &dyn Error| error.source().map(ToString::to_string);
        let cause = io::Error::from(io::ErrorKind::AddrInUse);
        assert_eq!(source(&system(cause.kind())), Some(cause.to_string()));
        assert!(source(&folder()).is_some_and(|text| text.contains("user 1")));
        let path = PathBuf::from("/run/s");
        assert_eq!(source(&BindError::LiveServer { path }), None);
        let inherited = InheritError { index: 2, cause };
        assert_eq!(source(&inherited), Some(inherited.cause.to_string()));
        assert!(inherited.to_string().starts_with("socket 2 handed over"));
    }
}
