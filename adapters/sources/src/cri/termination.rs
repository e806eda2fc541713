//! The last words of a container: what it wrote to its termination message file.
//!
//! A kubelet mounts a file of the node where the container expects it and reads that file when the
//! container has ended; the mount and the path are in what the runtime tells of the container.

use std::path::PathBuf;

use podsapi_proto::cri;

use crate::regular;

/// Returns what a container that has ended left, if it is readable here and not empty.
pub(super) async fn last_words(status: &cri::ContainerStatus) -> Option<String> {
    if status.state != i32::from(cri::ContainerState::ContainerExited) {
        return None;
    }
    let path = status.annotations.get(PATH_ANNOTATION)?;
    let mount = status
        .mounts
        .iter()
        .find(|mount| mount.container_path == *path)?;
    let file = PathBuf::from(&mount.host_path);
    let reading = tokio::task::spawn_blocking(move || regular::read_end(&file, LIMIT_BYTES));
    let read = reading.await.ok()?.ok()?;
    let text = String::from_utf8_lossy(&read).into_owned();
    Some(text).filter(|text| !text.is_empty())
}

const PATH_ANNOTATION: &str = "io.kubernetes.container.terminationMessagePath";

/// As much as a kubelet takes, from the end.
const LIMIT_BYTES: u64 = 4096;
