//! The spellings of a folder: the one under which it is read, and the one that a kubelet hashes.

use std::path::{Component, Path, PathBuf};

/// Returns a path without what it goes round about, as far as its spelling shows it: a kubelet reads
/// the files of its folder under such a path.
pub(super) fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if plain.file_name().is_some() => drop(plain.pop()),
            Component::ParentDir if plain.has_root() => {}
            Component::Normal(_)
            | Component::ParentDir
            | Component::Prefix(_)
            | Component::RootDir => plain.push(part),
        }
    }
    plain
}

/// Returns the one spelling of a folder, as far as links leave no doubt: they are followed only where
/// the path climbs out of a folder again.
pub(super) fn absolute(folder: PathBuf) -> PathBuf {
    let whole = std::path::absolute(&folder).unwrap_or(folder);
    let parts: Vec<_> = whole.components().collect();
    let last = parts.iter().rposition(|part| *part == Component::ParentDir);
    let climbs = last.map_or(0, |last| last + 1);
    let (climb, rest) = parts.split_at(climbs);
    let climb: PathBuf = climb.iter().collect();
    let climb = climb.canonicalize().unwrap_or(climb);
    climb
        .iter()
        .chain(rest.iter().map(|part| part.as_os_str()))
        .collect()
}
