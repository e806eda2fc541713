//! A folder of manifests read once: which files a kubelet would take, with what is in them.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::regular::{self, ReadError};

/// What one reading of the folder found.
#[derive(Debug)]
pub(crate) struct Scan {
    /// Files by path, in the order in which a kubelet takes them: by bytes of the name.
    pub(crate) files: Vec<(PathBuf, Content)>,
    /// Folders outside that the files' links lead to; their changes are changes of the files.
    pub(crate) link_targets: BTreeSet<PathBuf>,
    /// Whether the folder does not exist.
    pub(crate) missing: bool,
}

/// What one name in the folder stands for.
#[derive(Debug)]
pub(crate) enum Content {
    /// A regular file's bytes.
    Bytes(Vec<u8>),
    /// It exists, and it cannot be read now.
    Unreadable(ReadError),
}

/// Reads every manifest in `folder`; a folder that does not exist is an empty one.
///
/// As in a kubelet, names that begin with a dot are passed over, links are followed, folders
/// inside are not entered; pipes, sockets and devices are not touched. Unlike a kubelet, which
/// leaves it out, a file that exists and cannot be read is named.
///
/// # Errors
///
/// When the folder exists and cannot be listed.
pub(crate) fn scan(folder: &Path) -> io::Result<Scan> {
    let mut scan = Scan {
        files: Vec::new(),
        link_targets: BTreeSet::new(),
        missing: false,
    };
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            scan.missing = true;
            return Ok(scan);
        }
        Err(error) => return Err(error),
    };
    let mut names = Vec::new();
    for entry in entries {
        let name = entry?.file_name();
        if !is_hidden(&name) {
            names.push(name);
        }
    }
    names.sort();
    for name in names {
        let path = folder.join(&name);
        if let Some(content) = content(&path) {
            if let Some(target) = link_target_folder(&path) {
                scan.link_targets.insert(target);
            }
            scan.files.push((path, content));
        }
    }
    Ok(scan)
}

fn is_hidden(name: &OsStr) -> bool {
    name.as_bytes().starts_with(b".")
}

/// Reads one name; `None` for what is no manifest: a folder, a pipe, or a name that has gone.
fn content(path: &Path) -> Option<Content> {
    match regular::read(path, MANIFEST_LIMIT_BYTES) {
        Ok(bytes) => Some(Content::Bytes(bytes)),
        Err(ReadError::NotRegular) => None,
        Err(error) if error.is_not_found() => {
            // A link that leads nowhere still has its name; a file deleted since the listing has
            // not.
            std::fs::symlink_metadata(path)
                .is_ok()
                .then_some(Content::Unreadable(error))
        }
        Err(error) => Some(Content::Unreadable(error)),
    }
}

/// The folder in which the file really is, when `path` is a link.
fn link_target_folder(path: &Path) -> Option<PathBuf> {
    std::fs::symlink_metadata(path)
        .ok()
        .filter(std::fs::Metadata::is_symlink)?;
    let target = std::fs::canonicalize(path).ok()?;
    target.parent().map(Path::to_path_buf)
}

/// The most bytes a manifest may have, as in a kubelet (`maxConfigLength` in its configuration
/// package).
const MANIFEST_LIMIT_BYTES: u64 = 10 << 20;
