//! The last words of a container: what it wrote to its termination message file, or to its log.
//!
//! A kubelet mounts a file of the node where the container expects it and reads that file when the
//! container has ended; the mount and the path are in what the runtime tells of the container. Where
//! that leaves nothing of a container that failed, and its policy is `FallbackToLogsOnError`, the end
//! of its log is read instead. Both are what `getTerminationMessage` and `ReadLogs` do
//! (`kuberuntime_container.go`, `cri-client/pkg/logs`): 4096 bytes from the file's end, or 80 lines
//! and 2048 bytes from the log's. What of that fits a pod's 12 KiB is decided with its status.
//!
//! Different from a kubelet, which then says why, a file that cannot be read, or not soon, leaves no
//! words; and links are not followed in what a pod can be given to write to, where a kubelet follows
//! them: below the kubelet's `pods` folder, and below the folder that has the pods' folders of logs.
//! Above these they are an administrator's. In a path of another form no part may be a link.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use podsapi_proto::cri;
use podsapi_proto::text::readable;
use tokio::time::timeout;

use crate::regular;

mod log;

/// Returns what a container that has ended left, if it is readable here and not empty.
pub(super) async fn last_words(status: &cri::ContainerStatus) -> Option<String> {
    if status.state != i32::from(cri::ContainerState::ContainerExited) {
        return None;
    }
    let file = message_file(status);
    let log = log_file(status);
    if file.is_none() && log.is_none() {
        return None;
    }
    let reading = tokio::task::spawn_blocking(move || read(file.as_deref(), log.as_deref()));
    // A file system that does not answer, such as one over a network, holds up these words alone.
    let read = timeout(PATIENCE, reading).await.ok()?;
    read.ok().flatten()
}

fn read(file: Option<&Path>, log: Option<&Path>) -> Option<String> {
    let words = match file.map(|file| {
        let (folder, beneath) = split(file, message_names(file));
        regular::read_end(folder, beneath, LIMIT_BYTES)
    }) {
        Some(Ok(words)) => words,
        None => Vec::new(),
        Some(Err(error)) if error.is_not_found() => Vec::new(),
        Some(Err(_)) => return None,
    };
    let text = if words.is_empty() {
        log::last_lines(log?)?
    } else {
        readable(&words).into_owned()
    };
    Some(text).filter(|text| !text.is_empty())
}

/// The node's file behind the path at which the container leaves its message.
fn message_file(status: &cri::ContainerStatus) -> Option<PathBuf> {
    let path = status.annotations.get(PATH_ANNOTATION)?;
    let mut mounts = status.mounts.iter();
    let mount = mounts.find(|mount| mount.container_path == *path)?;
    Some(PathBuf::from(&mount.host_path)).filter(|path| path.is_absolute())
}

/// How many names at a message file's end follow the kubelet's folder of pods; all where it is not in
/// one: `<root>/pods/<uid>/containers/<name>/<file>`.
fn message_names(path: &Path) -> usize {
    let above = |steps| path.ancestors().nth(steps).and_then(Path::file_name);
    let is_kubelets = above(MESSAGE_NAMES) == Some(OsStr::new("pods"))
        && above(MESSAGE_NAMES - 2).is_some_and(|name| name == "containers");
    match is_kubelets {
        true => MESSAGE_NAMES,
        false => path.components().count(),
    }
}

/// Splits a path before its last `names`, at the latest behind its root.
fn split(path: &Path, names: usize) -> (&Path, &Path) {
    let root = path.ancestors().last().unwrap_or(path);
    let folder = path.ancestors().nth(names).unwrap_or(root);
    (folder, path.strip_prefix(folder).unwrap_or(path))
}

/// The container's log, if what is in it counts as a message.
fn log_file(status: &cri::ContainerStatus) -> Option<PathBuf> {
    let policy = status.annotations.get(POLICY_ANNOTATION)?;
    let path = PathBuf::from(&status.log_path);
    (policy == FALLBACK && status.exit_code != 0 && path.is_absolute()).then_some(path)
}

const PATH_ANNOTATION: &str = "io.kubernetes.container.terminationMessagePath";

const POLICY_ANNOTATION: &str = "io.kubernetes.container.terminationMessagePolicy";

const FALLBACK: &str = "FallbackToLogsOnError";

/// `<uid>/containers/<name>/<file>`, in a folder `pods`.
const MESSAGE_NAMES: usize = 4;

/// `<namespace>_<name>_<uid>/<container>/<run>.log`.
const LOG_NAMES: usize = 3;

/// A few kilobytes of a disk come at once, even when it is busy.
const PATIENCE: Duration = Duration::from_secs(2);

/// As much as a kubelet takes, from the end.
const LIMIT_BYTES: u64 = 4096;
