//! The corpus as a file, so that servers in any language hold the same bytes.
//!
//! For each pod its UID, the pod and the changed pod; each with its length before it, four bytes
//! with the highest first.

use std::fs;
use std::io;
use std::path::Path;

use bytes::{Buf, Bytes};

use super::CorpusPod;

/// Writes pods to a file.
///
/// # Errors
///
/// When there is no room for it.
pub fn write(path: &Path, pods: &[CorpusPod]) -> io::Result<()> {
    let mut file = Vec::new();
    for pod in pods {
        for part in [pod.uid.as_bytes(), &pod.pod, &pod.changed] {
            let length = u32::try_from(part.len()).map_err(io::Error::other)?;
            file.extend_from_slice(&length.to_be_bytes());
            file.extend_from_slice(part);
        }
    }
    fs::write(path, file)
}

/// Reads the pods of a file, each into memory of its own.
///
/// # Errors
///
/// When it cannot be read or was not written by [`write()`].
pub fn read(path: &Path) -> io::Result<Vec<CorpusPod>> {
    let file = fs::read(path)?;
    let mut rest = file.as_slice();
    let mut pods = Vec::new();
    while !rest.is_empty() {
        let uid = take(&mut rest)?;
        pods.push(CorpusPod {
            uid: String::from_utf8(uid.into()).map_err(io::Error::other)?,
            pod: take(&mut rest)?,
            changed: take(&mut rest)?,
        });
    }
    Ok(pods)
}

fn take(rest: &mut &[u8]) -> io::Result<Bytes> {
    let length = rest.try_get_u32().map_err(io::Error::other)?;
    let length = usize::try_from(length).map_err(io::Error::other)?;
    let (part, after) = rest
        .split_at_checked(length)
        .ok_or(io::ErrorKind::UnexpectedEof)?;
    *rest = after;
    Ok(Bytes::copy_from_slice(part))
}
