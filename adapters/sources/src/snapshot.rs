//! Pods from a file: a captured node, served again.
//!
//! The file holds what `kubectl get pods -o json` or `-o yaml` prints, what a kubelet answers on
//! `/pods` (whose items name no kind), one pod, or several of these one after another. It is read
//! again when it changes, and a new content replaces the old in one step. While it cannot be read
//! (it is half written, broken, gone, or holds something else, as an error page is) the pods read last stay; before the first reading there
//! are none, and the source is not complete. A pod without a UID is served under a hash
//! (`src/identity.rs`).

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use podsapi_core::{EncodedPod, SourceError};
use podsapi_proto::json::MAX_TEXT_BYTES;
use tokio::time::Instant;

use crate::folders::Folders;
use crate::problems::{Problem, Problems};
use crate::sink::Sink;
use crate::{regular, text};

pub(crate) mod list;

/// What to read.
#[derive(Clone, Debug)]
pub struct Options {
    /// The file of pods.
    pub file: PathBuf,
    /// How often it is read again, should a change have escaped.
    pub rescan: Duration,
}

impl Options {
    /// Reads `file`, again every 20 seconds.
    pub fn new(file: impl Into<PathBuf>) -> Self {
        Self {
            file: file.into(),
            rescan: RESCAN,
        }
    }
}

/// Serves the file's pods until the future is dropped.
///
/// # Errors
///
/// Ends only when the sink does not accept the source.
pub async fn run(options: Options, sink: Sink) -> Result<Infallible, SourceError> {
    let mut watch = Watch {
        folders: Folders::default(),
        problems: Problems::default(),
        standing: BTreeSet::new(),
        served: None,
        refused: BTreeSet::new(),
        last: None,
        due: Instant::now(),
        options,
    };
    let mut reloads = sink.reloads();
    loop {
        watch.read_if_changed(&sink).await?;
        tokio::select! {
            _changed = watch.folders.changed(Instant::now() + TICK) => {}
            () = reloads.next() => watch.due = Instant::now(),
        }
    }
}

/// The source between two readings.
#[derive(Debug)]
struct Watch {
    options: Options,
    folders: Folders,
    problems: Problems,
    /// What was wrong with the pods read last.
    standing: BTreeSet<Problem>,
    /// What was put last; `None` before the first complete list.
    served: Option<Vec<EncodedPod>>,
    /// What the sink refused of it.
    refused: BTreeSet<Problem>,
    /// What the file was when it was last tried.
    last: Option<Version>,
    /// When to read again although nothing seems to have changed.
    due: Instant,
}

/// What tells one content of a file from the next without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Version {
    device: u64,
    inode: u64,
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Version {
    fn of(metadata: &Metadata) -> Self {
        Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.size(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }
}

impl Watch {
    async fn read_if_changed(&mut self, sink: &Sink) -> Result<(), SourceError> {
        self.folders.arm(&folders_of(&self.options.file));
        let version = self.version();
        if version == self.last && Instant::now() < self.due {
            return Ok(());
        }
        let changed = version != self.last;
        self.last = version;
        self.due = Instant::now() + self.options.rescan;
        let mut found = self.read().await;
        if found.is_err() && changed && version.is_some() {
            // It may be half written: a shell empties a file before it writes it anew.
            self.folders.changed(Instant::now() + SETTLE).await;
            self.last = self.version();
            found = self.read().await;
        }
        let mut problems = BTreeSet::new();
        if let Some(reason) = self.folders.broken() {
            let text = format!("{reason} (changes are looked for every second)");
            problems.insert(Problem::remark(self.subject(), text));
        }
        match found {
            Ok(found) => {
                self.standing = found.problems;
                if self.served.as_ref() != Some(&found.pods) {
                    self.refused = sink.replace(&found.pods)?;
                    tracing::info!(source = SOURCE, pods = found.pods.len(), "list complete");
                    self.served = Some(found.pods);
                }
            }
            Err(error) => {
                let state = match self.served {
                    Some(_) => "the pods read last stay served",
                    None => "nothing is served before it can be read; it is tried again",
                };
                problems.insert(Problem::fault(self.subject(), format!("{error} ({state})")));
            }
        }
        problems.extend(self.standing.iter().cloned());
        problems.extend(self.refused.iter().cloned());
        self.problems.replace(problems, SOURCE, sink);
        Ok(())
    }

    fn version(&self) -> Option<Version> {
        let metadata = std::fs::metadata(&self.options.file);
        metadata.as_ref().map(Version::of).ok()
    }

    async fn read(&self) -> Result<list::Found, String> {
        let file = self.options.file.clone();
        let before = self.served.clone().unwrap_or_default();
        let read = tokio::task::spawn_blocking(move || {
            let content = regular::read(&file, SNAPSHOT_LIMIT_BYTES);
            let documents = text::documents(&content.map_err(|error| error.to_string())?)?;
            list::read(documents, &before)
        });
        read.await.unwrap_or_else(|error| Err(error.to_string()))
    }

    fn subject(&self) -> String {
        self.options.file.display().to_string()
    }
}

/// The folders whose changes can change the file: its own, and that of the file it is a link to.
fn folders_of(file: &Path) -> BTreeSet<PathBuf> {
    let parent = match file.parent() {
        Some(parent) if parent.as_os_str().is_empty() => PathBuf::from("."),
        Some(parent) => parent.to_path_buf(),
        None => PathBuf::from("/"),
    };
    let target = std::fs::canonicalize(file).ok();
    let target = target.and_then(|target| target.parent().map(Path::to_path_buf));
    BTreeSet::from_iter([Some(parent), target].into_iter().flatten())
}

const SOURCE: &str = "snapshot";

/// The longest text that is read as JSON or YAML at all.
const SNAPSHOT_LIMIT_BYTES: u64 = MAX_TEXT_BYTES as u64;

/// As often as manifests are read again.
const RESCAN: Duration = Duration::from_secs(20);

/// How long a file that cannot be read may take to be written, before that is reported.
const SETTLE: Duration = Duration::from_millis(500);

/// How often the file is looked at where no event tells of a change, as when it is in a folder
/// that does not exist yet.
const TICK: Duration = Duration::from_secs(1);

#[cfg(test)]
mod tests;
