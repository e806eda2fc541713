//! Looks out for a kubeconfig that comes to name another server or user while a watch is under way.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Mutex, Notify};
use tokio::task::JoinHandle;
use tokio::time::sleep;

use super::access::Access;

/// Looks now and then; ends when it is dropped.
#[derive(Debug)]
pub(super) struct Lookout {
    found: Arc<Notify>,
    looking: JoinHandle<()>,
}

impl Lookout {
    /// Begins to look at the file that the access is made of.
    pub(super) fn begin(access: Arc<Mutex<Access>>, period: Duration) -> Self {
        let found = Arc::new(Notify::new());
        // By itself, since it may wait for a plugin while it has the access.
        let looking = tokio::spawn(look(access, period, Arc::clone(&found)));
        Self { found, looking }
    }

    /// Waits until another server or user is named than that which was asked last.
    pub(super) async fn replaced(&self) {
        self.found.notified().await;
    }
}

impl Drop for Lookout {
    fn drop(&mut self) {
        self.looking.abort();
    }
}

async fn look(access: Arc<Mutex<Access>>, period: Duration, found: Arc<Notify>) {
    let file = access.lock().await.file().map(PathBuf::from);
    let Some(file) = file else {
        return;
    };
    // It may have changed since it was read first.
    let mut seen = None;
    loop {
        sleep(period).await;
        let now = stamp(&file).await;
        if Some(now) == seen {
            continue;
        }
        // While something is asked, that sees to it.
        if let Ok(mut access) = access.try_lock() {
            seen = Some(now);
            if access.look().await {
                found.notify_one();
            }
        }
    }
}

/// What changes with the file's content, links to it included; `None` while it is not there.
async fn stamp(file: &Path) -> Option<(u64, u64, u64, i64, i64)> {
    let metadata = tokio::task::spawn_blocking({
        let file = file.to_owned();
        move || std::fs::metadata(file).ok()
    });
    let found = metadata.await.ok().flatten()?;
    let (seconds, nanos) = (found.mtime(), found.mtime_nsec());
    Some((found.dev(), found.ino(), found.size(), seconds, nanos))
}
