//! Why there is no folder to work in.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::PathBuf;

use crate::trust::Shared;

/// Why a folder was neither opened nor made.
#[derive(Debug)]
pub enum FolderError {
    /// A symbolic link on the way is one that another user can have put there.
    ForeignLink {
        /// The link.
        link: PathBuf,
        /// Whose it is.
        owner: u32,
    },
    /// It is missing, and whatever is made in the folder above it can be replaced by others.
    MissingInShared {
        /// The folder that is missing.
        folder: PathBuf,
        /// The folder in which it would be made, or one above it.
        shared: Shared,
    },
    /// The system refused a step.
    System {
        /// The folder in question.
        folder: PathBuf,
        /// What the system said.
        cause: io::Error,
    },
}

impl fmt::Display for FolderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ForeignLink { link, owner } => write!(
                f,
                "`{}` is a symbolic link of user {owner} or in a folder that others may write, and \
                 is not followed; name the folder that it leads to",
                link.display()
            ),
            Self::MissingInShared { folder, shared } => write!(
                f,
                "folder `{}` is missing and is not made, because {shared}; make it, or choose \
                 another path",
                folder.display()
            ),
            Self::System { folder, cause } => {
                write!(f, "folder `{}`: {cause}", folder.display())
            }
        }
    }
}

impl Error for FolderError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::System { cause, .. } => Some(cause),
            Self::ForeignLink { .. } | Self::MissingInShared { .. } => None,
        }
    }
}

impl From<FolderError> for io::Error {
    fn from(error: FolderError) -> Self {
        let kind = match &error {
            FolderError::System { cause, .. } => cause.kind(),
            FolderError::ForeignLink { .. } | FolderError::MissingInShared { .. } => {
                io::ErrorKind::PermissionDenied
            }
        };
        Self::new(kind, error)
    }
}
