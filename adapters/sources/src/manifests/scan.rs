//! A folder of manifests, or one manifest, read once: which files a kubelet would take, with what is in them.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::regular::{self, ReadError};

/// What one reading of the folder found.
#[derive(Debug, Default)]
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

/// Reads every manifest in `folder`, or the one that it is; what does not exist is an empty folder.
///
/// As in a kubelet, names that begin with a dot are passed over, links are followed, folders
/// inside are not entered; pipes, sockets and devices are not touched. Unlike a kubelet, which
/// leaves it out, a file that exists and cannot be read is named.
///
/// Links that come to lead elsewhere while they are read have everything read again, so that the
/// files of one `..data` are never mixed with those of another.
///
/// # Errors
///
/// When the folder exists and cannot be listed, or is neither a folder nor a file.
pub(crate) fn scan(folder: &Path) -> io::Result<Scan> {
    scan_by(folder, content)
}

fn scan_by(folder: &Path, mut content: impl FnMut(&Path) -> Option<Content>) -> io::Result<Scan> {
    let mut attempts = 0;
    loop {
        attempts += 1;
        let Some(paths) = list(folder)? else {
            return Ok(Scan {
                missing: true,
                ..Scan::default()
            });
        };
        let before = targets(folder, &paths);
        let contents: Vec<Option<Content>> = paths.iter().map(|path| content(path)).collect();
        let after = targets(folder, &paths);
        if before != after && attempts < ATTEMPTS_LIMIT {
            continue;
        }
        let mut scan = Scan::default();
        for ((path, content), target) in paths.into_iter().zip(contents).zip(after.files) {
            if let Some(content) = content {
                let target = target.as_deref().and_then(Path::parent);
                scan.link_targets.extend(target.map(Path::to_path_buf));
                scan.files.push((path, content));
            }
        }
        return Ok(scan);
    }
}

/// Returns the paths of what may be a manifest, in order; `None` for a folder that does not exist.
fn list(folder: &Path) -> io::Result<Option<Vec<PathBuf>>> {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
            return match std::fs::metadata(folder) {
                Ok(metadata) if metadata.is_file() => Ok(Some(vec![folder.to_path_buf()])),
                Ok(_) => Err(io::Error::other("neither a folder nor a regular file")),
                Err(gone) if gone.kind() == io::ErrorKind::NotFound => Ok(None),
                Err(_) => Err(error),
            };
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
    Ok(Some(names.iter().map(|name| folder.join(name)).collect()))
}

/// Where links lead.
#[derive(Debug, PartialEq, Eq)]
struct Targets {
    folder: Option<PathBuf>,
    /// For each path, when it is a link that leads somewhere.
    files: Vec<Option<PathBuf>>,
}

fn targets(folder: &Path, paths: &[PathBuf]) -> Targets {
    Targets {
        folder: std::fs::canonicalize(folder).ok(),
        files: paths.iter().map(|path| link_target(path)).collect(),
    }
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

/// Where the file really is, when `path` is a link.
fn link_target(path: &Path) -> Option<PathBuf> {
    std::fs::symlink_metadata(path)
        .ok()
        .filter(std::fs::Metadata::is_symlink)?;
    std::fs::canonicalize(path).ok()
}

/// The most bytes a manifest may have, as in a kubelet (`maxConfigLength` in its configuration
/// package).
const MANIFEST_LIMIT_BYTES: u64 = 10 << 20;

/// How often a folder is read in a row whose links change each time; what is read then is taken,
/// and the change is an event that has it read again.
const ATTEMPTS_LIMIT: usize = 10;

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    /// Reads a volume of two files whose version changes after the first file of each of the first
    /// `flips` readings; returns what the files hold.
    fn read_under_flips(flips: usize) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let make = |version: usize| {
            let data = format!("..{version}");
            fs::create_dir(path(&data)).unwrap();
            for name in ["a", "b"] {
                fs::write(path(&data).join(name), version.to_string()).unwrap();
            }
            symlink(&data, path("..new")).unwrap();
            fs::rename(path("..new"), path("..data")).unwrap();
        };
        make(0);
        for name in ["a", "b"] {
            symlink(format!("..data/{name}"), path(name)).unwrap();
        }
        let mut version = 0;
        let scan = scan_by(folder.path(), |path| {
            let content = content(path);
            if path.ends_with("a") && version < flips {
                version += 1;
                make(version);
                fs::remove_dir_all(folder.path().join(format!("..{}", version - 1))).unwrap();
            }
            content
        })
        .unwrap();
        let texts = scan.files.into_iter().map(|(_, content)| match content {
            Content::Bytes(bytes) => String::from_utf8(bytes).unwrap(),
            Content::Unreadable(error) => panic!("{error}"),
        });
        texts.collect()
    }

    #[test]
    fn versions_of_a_volume_that_changes_while_it_is_read_are_not_mixed() {
        assert_eq!(read_under_flips(0), ["0", "0"]);
        assert_eq!(read_under_flips(1), ["1", "1"]);
        assert_eq!(read_under_flips(ATTEMPTS_LIMIT - 1), ["9", "9"]);
    }

    #[test]
    fn a_volume_that_always_changes_does_not_keep_a_reading_from_its_end() {
        assert_eq!(read_under_flips(usize::MAX), ["9", "10"]);
    }

    #[test]
    fn a_folder_that_is_itself_a_changing_link_is_not_mixed() {
        let base = tempfile::tempdir().unwrap();
        for version in ["0", "1"] {
            fs::create_dir(base.path().join(version)).unwrap();
            for name in ["a", "b"] {
                fs::write(base.path().join(version).join(name), version).unwrap();
            }
        }
        let link = base.path().join("current");
        symlink("0", &link).unwrap();
        let scan = scan_by(&link, |path| {
            let content = content(path);
            symlink("1", base.path().join("new")).unwrap();
            fs::rename(base.path().join("new"), &link).unwrap();
            content
        })
        .unwrap();
        let texts: Vec<_> = scan
            .files
            .iter()
            .map(|(_, content)| format!("{content:?}"))
            .collect();
        assert_eq!(texts, ["Bytes([49])", "Bytes([49])"]);
    }
}
