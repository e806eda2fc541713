//! The file that keeps the pods of one node from run to run: its form, and reading and writing it whole.
//!
//! ```text
//! "podsapi checkpoint\n" | format u32 | node: length u32, bytes
//!   | cluster's UID: length u32, bytes | server's address: length u32, bytes
//!   | SHA-256 of the server's authorities | written u64, seconds since 1970
//!   | number of pods u32 | each pod: length u32, bytes | SHA-256 of all before
//! ```
//!
//! Numbers are big-endian. The file is written beside itself and then takes its own place, so that
//! there is a whole one at any time; the sum shows one that was torn all the same. It holds what the
//! pods' specs hold, and is for its owner alone.
//!
//! Format 1 did not name the cluster. A file of it is not used, since nobody can tell of which cluster
//! its pods are, and the next list takes its place.

use std::fmt;
use std::io::{self, ErrorKind};
use std::path::Path;

use bytes::{Buf, Bytes};
use podsapi_core::EncodedPod;
use podsapi_proto::text::readable;
use sha2::{Digest, Sha256};

use super::identity::{Identity, SUM_BYTES, Way};
use super::kept_file::KeptFile;
use crate::regular::ReadError;

/// The pods of an earlier run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Earlier {
    pub(super) pods: Vec<EncodedPod>,
    /// Of which cluster they are.
    pub(super) of: Identity,
    /// When they were written, in seconds since 1970.
    pub(super) written: i64,
}

impl Earlier {
    /// How old they are at `now`, in seconds; a clock that went back makes them new.
    pub(super) fn age(&self, now: i64) -> i64 {
        now.saturating_sub(self.written).max(0)
    }
}

/// Reads the file; `None` when there is none.
///
/// # Errors
///
/// When it cannot be read, or is not whole, or not a checkpoint of this node.
pub(super) fn read(file: &Path, node: &str) -> Result<Option<Earlier>, Refused> {
    match KeptFile::find(file)
        .map_err(ReadError::Io)
        .and_then(|file| file.read(LIMIT_BYTES))
    {
        Ok(content) => decode(&Bytes::from(content), node).map(Some),
        Err(error) if error.is_not_found() => Ok(None),
        Err(error) => Err(Refused::Read(error)),
    }
}

/// Writes the pods to the file, whole or not at all.
///
/// # Errors
///
/// What the system says, or that there is something else in its place, which is somebody's; what was
/// there before stays.
pub(super) fn write(
    file: &Path,
    node: &str,
    of: &Identity,
    pods: &[EncodedPod],
    at: i64,
) -> io::Result<()> {
    let file = KeptFile::find(file)?;
    if is_foreign(&file) {
        return Err(io::Error::new(ErrorKind::AlreadyExists, FOREIGN));
    }
    let content = encode(node, of, pods, at);
    if u64::try_from(content.len()).unwrap_or(u64::MAX) > LIMIT_BYTES {
        let text = format!(
            "expected at most {LIMIT_BYTES} bytes of pods, found {}",
            content.len()
        );
        return Err(io::Error::new(ErrorKind::FileTooLarge, text));
    }
    file.replace(&content)
}

/// Tells whether there is something that this program has not written, not even half of it.
fn is_foreign(file: &KeptFile) -> bool {
    match file.read_start(MAGIC.len() as u64) {
        Ok(start) => !MAGIC.starts_with(&start),
        Err(ReadError::Foreign { .. } | ReadError::NotRegular) => true,
        // Whether it can be replaced is for the system to say.
        Err(ReadError::Io(_) | ReadError::Shared { .. } | ReadError::TooLarge { .. }) => false,
    }
}

fn encode(node: &str, of: &Identity, pods: &[EncodedPod], at: i64) -> Vec<u8> {
    let mut content = MAGIC.to_vec();
    content.extend(FORMAT.to_be_bytes());
    put(&mut content, node.as_bytes());
    put(&mut content, of.uid.as_bytes());
    put(&mut content, of.way.server.as_bytes());
    content.extend(of.way.authorities);
    content.extend(u64::try_from(at).unwrap_or(0).to_be_bytes());
    content.extend(length(pods.len()));
    for pod in pods {
        put(&mut content, pod.bytes());
    }
    let sum = Sha256::digest(&content);
    content.extend(sum);
    content
}

fn put(content: &mut Vec<u8>, bytes: &[u8]) {
    content.extend(length(bytes.len()));
    content.extend(bytes);
}

/// A length that does not fit makes a file that is far over the limit, and is not written.
fn length(length: usize) -> [u8; 4] {
    u32::try_from(length).unwrap_or(u32::MAX).to_be_bytes()
}

fn decode(content: &Bytes, node: &str) -> Result<Earlier, Refused> {
    let Some(mut rest) = content.strip_prefix(MAGIC) else {
        return Err(match MAGIC.starts_with(content) {
            true => Refused::Torn,
            false => Refused::Foreign,
        });
    };
    let format = rest.try_get_u32().map_err(|_short| Refused::Torn)?;
    if format != FORMAT {
        return Err(Refused::Format(format));
    }
    let end = content.len().checked_sub(SUM_BYTES).ok_or(Refused::Torn)?;
    let (body, sum) = content.split_at_checked(end).ok_or(Refused::Torn)?;
    if Sha256::digest(body).as_slice() != sum {
        return Err(Refused::Torn);
    }
    let mut rest = rest
        .get(..rest.len().saturating_sub(SUM_BYTES))
        .unwrap_or_default();
    let of = text(&mut rest)?;
    if of != node {
        return Err(Refused::Node(of));
    }
    let (uid, server) = (text(&mut rest)?, text(&mut rest)?);
    let (authorities, left) = rest.split_first_chunk().ok_or(Refused::Torn)?;
    rest = left;
    let authorities = *authorities;
    let way = Way {
        server,
        authorities,
    };
    let written = rest.try_get_u64().map_err(|_short| Refused::Torn)?;
    let count = rest.try_get_u32().map_err(|_short| Refused::Torn)?;
    let mut pods = Vec::new();
    for _ in 0..count {
        let bytes = Bytes::copy_from_slice(take(&mut rest)?);
        pods.push(EncodedPod::parse(bytes).map_err(|error| Refused::Pod(error.to_string()))?);
    }
    match rest.is_empty() {
        true => Ok(Earlier {
            pods,
            of: Identity { uid, way },
            written: i64::try_from(written).unwrap_or(i64::MAX),
        }),
        false => Err(Refused::Torn),
    }
}

fn take<'a>(rest: &mut &'a [u8]) -> Result<&'a [u8], Refused> {
    let length = rest.try_get_u32().map_err(|_short| Refused::Torn)?;
    let length = usize::try_from(length).map_err(|_large| Refused::Torn)?;
    let (taken, left) = rest.split_at_checked(length).ok_or(Refused::Torn)?;
    *rest = left;
    Ok(taken)
}

fn text(rest: &mut &[u8]) -> Result<String, Refused> {
    Ok(readable(take(rest)?).into_owned())
}

/// Why the file is not used.
#[derive(Debug)]
pub(super) enum Refused {
    /// It is something else.
    Foreign,
    /// Another version of this program wrote it.
    Format(u32),
    /// It is of this other node.
    Node(String),
    /// A pod in it cannot be read.
    Pod(String),
    Read(ReadError),
    /// Not all of it is there, or not as it was written.
    Torn,
}

impl Refused {
    /// Whether it is the folder that is refused, which says what to do about it.
    pub(super) fn is_of_the_folder(&self) -> bool {
        // What the system refuses has a number.
        matches!(self, Self::Read(ReadError::Io(error))
            if error.kind() == ErrorKind::PermissionDenied && error.raw_os_error().is_none())
    }

    /// Whether the next checkpoint takes the file's place; it may, unless the folder is refused.
    pub(super) fn is_replaced(&self) -> bool {
        match self {
            Self::Foreign
            | Self::Read(
                ReadError::Foreign { .. } | ReadError::NotRegular | ReadError::TooLarge { .. },
            ) => false,
            Self::Format(_)
            | Self::Node(_)
            | Self::Pod(_)
            | Self::Read(ReadError::Io(_) | ReadError::Shared { .. })
            | Self::Torn => true,
        }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Foreign => f.write_str("is not a checkpoint of podsapi"),
            Self::Format(1) => f.write_str(
                "is of an earlier version of podsapi (format 1), which did not note the cluster",
            ),
            Self::Format(format) => write!(
                f,
                "is of another version of podsapi: expected format {FORMAT}, found {format}"
            ),
            Self::Node(node) => write!(f, "is of the node {node:?}"),
            Self::Pod(error) => write!(f, "has a pod that cannot be read: {error}"),
            Self::Read(error) => error.fmt(f),
            Self::Torn => f.write_str("is torn: its content is not what was written"),
        }
    }
}

const FOREIGN: &str = "there is something else in its place, which is left alone";

const MAGIC: &[u8] = b"podsapi checkpoint\n";
const FORMAT: u32 = 2;

/// Five hundred pods of half a megabyte each; a usual node has a hundredth of it.
const LIMIT_BYTES: u64 = 256 << 20;

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::status::scenes::pod;

    fn pods() -> Vec<EncodedPod> {
        let pod = |uid| pod(&format!("metadata: {{name: p, namespace: ns, uid: {uid}}}"));
        vec![pod("a"), pod("b")]
    }

    fn refused(content: &[u8]) -> String {
        let content = Bytes::copy_from_slice(content);
        decode(&content, "node").unwrap_err().to_string()
    }

    fn identity() -> Identity {
        Identity {
            uid: "u".to_owned(),
            way: Way::new("https://a".to_owned(), Some(&[b"x".to_vec()])),
        }
    }

    fn save(file: &Path, pods: &[EncodedPod], at: i64) -> io::Result<()> {
        write(file, "node", &identity(), pods, at)
    }

    #[test]
    fn what_was_written_is_read_and_is_for_its_owner_alone() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pods");
        assert_eq!(read(&file, "node").unwrap(), None);
        // What an earlier run left half-written does not matter.
        fs::write(folder.path().join("pods.new"), "half").unwrap();
        for pods in [pods(), Vec::new()] {
            save(&file, &pods, 7).unwrap();
            let of = identity();
            let earlier = Earlier {
                pods,
                of,
                written: 7,
            };
            assert_eq!((earlier.age(10), earlier.age(6)), (3, 0));
            assert_eq!(read(&file, "node").unwrap(), Some(earlier));
        }
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_file_that_is_cut_or_changed_anywhere_is_refused() {
        let whole = encode("node", &identity(), &pods(), 7);
        for end in 0..whole.len() {
            let text = refused(&whole[..end]);
            assert!(text.contains("is torn"), "{end}: {text}");
        }
        for place in 0..whole.len() {
            let mut changed = whole.clone();
            changed[place] ^= 1;
            refused(&changed);
        }
        refused(&[&whole[..], b"x"].concat());
    }

    #[test]
    fn a_foreign_file_is_refused_and_says_whose_it_is() {
        assert_eq!(refused(b"{}"), "is not a checkpoint of podsapi");
        let whole = encode("other", &identity(), &pods(), 7);
        assert_eq!(refused(&whole), "is of the node \"other\"");
        let mut newer = encode("node", &identity(), &pods(), 7);
        newer[MAGIC.len() + 3] = 3;
        let text = "is of another version of podsapi: expected format 2, found 3";
        assert_eq!(refused(&newer), text);
        // As it was written: the node, the time, no pods.
        let mut older = [MAGIC, b"\0\0\0\x01\0\0\0\x04node\0\0\0\0\0\0\0\x07\0\0\0\0"].concat();
        older.extend(Sha256::digest(&older));
        let text = "is of an earlier version of podsapi (format 1), which did not note the cluster";
        assert_eq!(refused(&older), text);
        assert!(Refused::Format(1).is_replaced());
    }

    #[test]
    fn a_folder_that_is_refused_is_told_from_a_file_that_is() {
        let room = tempfile::tempdir().unwrap();
        let folder = room.path().join("folder");
        fs::create_dir(&folder).unwrap();
        let file = folder.join("pods");
        fs::write(&file, b"{}").unwrap();
        assert!(!read(&file, "node").unwrap_err().is_of_the_folder());
        let open = fs::Permissions::from_mode(0o777);
        fs::set_permissions(&folder, open).unwrap();
        assert!(read(&file, "node").unwrap_err().is_of_the_folder());
    }

    #[test]
    fn what_is_no_checkpoint_is_not_replaced_by_one() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("kubeconfig");
        fs::write(&file, "apiVersion: v1").unwrap();
        assert!(!read(&file, "node").unwrap_err().is_replaced());
        assert!(save(&file, &pods(), 7).is_err());
        assert_eq!(fs::read_to_string(&file).unwrap(), "apiVersion: v1");
        // Half of one, or nothing yet, is.
        for start in [&MAGIC[..5], b""] {
            fs::write(&file, start).unwrap();
            assert!(read(&file, "node").unwrap_err().is_replaced());
            save(&file, &pods(), 7).unwrap();
        }
        let pipe = folder.path().join("pipe");
        nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
        assert!(save(&pipe, &pods(), 7).is_err());
    }

    #[test]
    fn what_cannot_be_written_leaves_what_was_there() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pods");
        save(&file, &pods(), 7).unwrap();
        // No room beside it: a folder is in the way.
        fs::create_dir(folder.path().join("pods.new")).unwrap();
        assert!(save(&file, &[], 8).is_err());
        assert_eq!(read(&file, "node").unwrap().unwrap().pods, pods());
        for no_file in ["absent/pods", "..", "/"] {
            assert!(save(&folder.path().join(no_file), &[], 8).is_err());
        }
    }
}
