//! Folders watched for changes: inotify where it works, the caller's rescans where it does not.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use futures_util::StreamExt;
use inotify::{EventStream, Inotify, WatchDescriptor, WatchMask};
use tokio::time::{Instant, timeout_at};

/// The folders that one source watches.
///
/// Watches folders and never files: a rename over a file, an editor's swap file and the flip of a
/// `..data` link are all events of the folder, while a watch on the file would stay with the old
/// inode. Call [`Folders::arm`] often: it costs one system call a folder, finds a folder that was
/// replaced under its name, and says when a scan is due because of it.
#[derive(Debug, Default)]
pub(crate) struct Folders {
    stream: Option<EventStream<[u8; EVENT_BUFFER_BYTES]>>,
    /// The descriptor by path; a path whose folder was replaced gets another descriptor.
    armed: BTreeMap<PathBuf, WatchDescriptor>,
    /// Why inotify is not in use, when it is not.
    broken: Option<String>,
}

impl Folders {
    /// Watches exactly `wanted` from now on; returns whether a folder began or ceased to be
    /// watched, in which case what was read before may be old.
    pub(crate) fn arm(&mut self, wanted: &BTreeSet<PathBuf>) -> bool {
        if self.stream.is_none() {
            match Inotify::init().and_then(|new| new.into_event_stream([0; EVENT_BUFFER_BYTES])) {
                Ok(stream) => {
                    self.stream = Some(stream);
                    self.armed.clear();
                    self.broken = None;
                }
                Err(error) => {
                    self.broken = Some(format!("inotify cannot start: {error}"));
                    return false;
                }
            }
        }
        let Some(stream) = &self.stream else {
            return false;
        };
        let mut watches = stream.watches();
        let mut armed = BTreeMap::new();
        let mut changed = false;
        self.broken = None;
        for path in wanted.iter().take(FOLDERS_LIMIT) {
            match watches.add(path, mask()) {
                Ok(descriptor) => {
                    changed |= self.armed.get(path) != Some(&descriptor);
                    armed.insert(path.clone(), descriptor);
                }
                Err(error) => {
                    changed |= self.armed.contains_key(path);
                    if error.kind() != io::ErrorKind::NotFound {
                        self.broken = Some(format!("inotify on {}: {error}", path.display()));
                    }
                }
            }
        }
        for (path, descriptor) in &self.armed {
            let still_used = armed.values().any(|used| used == descriptor);
            if !still_used {
                // Fails when the folder is gone, and the kernel has then removed the watch itself.
                let _ = watches.remove(descriptor.clone());
                changed |= !armed.contains_key(path) && wanted.contains(path);
            }
        }
        self.armed = armed;
        changed
    }

    /// Why changes are seen by rescans only, or `None` while inotify works.
    pub(crate) fn broken(&self) -> Option<&str> {
        self.broken.as_deref()
    }

    /// Waits until something changes and the folders are quiet again, at most until `deadline`;
    /// returns whether something changed.
    pub(crate) async fn changed(&mut self, deadline: Instant) -> bool {
        if !self.event(deadline).await {
            return false;
        }
        let latest = Instant::now() + SETTLE_AT_MOST;
        while self.event(latest.min(Instant::now() + QUIET)).await && Instant::now() < latest {}
        true
    }

    /// Waits for one event; returns false at `deadline`.
    pub(crate) async fn event(&mut self, deadline: Instant) -> bool {
        let Some(stream) = &mut self.stream else {
            tokio::time::sleep_until(deadline).await;
            return false;
        };
        match timeout_at(deadline, stream.next()).await {
            Ok(Some(Ok(_))) => true,
            Ok(Some(Err(_)) | None) => {
                self.stream = None;
                self.armed.clear();
                true
            }
            Err(_) => false,
        }
    }
}

/// What counts as a change: reading a folder or a file must not, or each scan would cause the next.
fn mask() -> WatchMask {
    WatchMask::ATTRIB
        | WatchMask::CLOSE_WRITE
        | WatchMask::CREATE
        | WatchMask::DELETE
        | WatchMask::DELETE_SELF
        | WatchMask::MODIFY
        | WatchMask::MOVED_FROM
        | WatchMask::MOVED_TO
        | WatchMask::MOVE_SELF
        | WatchMask::ONLYDIR
}

/// Room for dozens of events; one event takes at most 16 bytes and a name of 256.
const EVENT_BUFFER_BYTES: usize = 4096;

/// Folders one source may watch: the kernel grants a user some thousands of watches for everything.
pub(crate) const FOLDERS_LIMIT: usize = 64;

/// How long a folder must be quiet before it is read: editors and `kubectl` save in several steps.
const QUIET: Duration = Duration::from_millis(50);

/// How long a folder that is never quiet may keep a change from being read.
const SETTLE_AT_MOST: Duration = Duration::from_millis(500);
