//! Static pods from a folder of manifests, read as a kubelet reads its own.
//!
//! Like a kubelet, this source takes the regular files of the folder whose names do not begin with
//! a dot, in the order of their names, follows links (so a `ConfigMap` volume works, and the flip
//! of its `..data` link is one change), reads the first YAML or JSON document of each, and serves
//! the pod that a kubelet on the node would make of it: with its defaults, the node's name at the
//! end of the pod's name, the toleration and the annotations of static pods. A folder that does
//! not exist is an empty one.
//!
//! As with a kubelet's `staticPodPath`, one file may stand in place of the folder: its pod is the only
//! one, whatever the file is called.
//!
//! A pod that names no UID has the one that its kubelet gives it, the one in its cgroup and in the paths
//! of its logs. It depends on the node's name, the path of the file and the kubelet's release
//! (`manifests/uid.rs`).
//!
//! The kubelet's own code is asked about thousands of manifests in the gate (`manifests/oracle.rs`).
//! It differs in three things, each on purpose:
//!
//! * A file that is empty, half written or broken keeps its last good pod for twenty seconds, and is
//!   reported; a kubelet drops the pod when it reads all its files again, up to twenty seconds later.
//! * Of two files with one namespace and name the last in order counts, and the other is reported. So it
//!   is in a kubelet whenever it reads all its files, every twenty seconds; until then the one that
//!   changed last counts there, and when either goes, the pod is ended until all are read again.
//! * Refused here are a decimal quantity of 10^21 and more without an exponent, of which a kubelet
//!   loses the magnitude, what is nested deeper than 100 levels, and aliases that make more than
//!   10 MiB of a file. A quantity in JSON whose text has escapes is taken, and so are a limit of
//!   more than 9·10^15 of an extended resource, where a kubelet's arithmetic overflows, and a node's
//!   name with capitals, which a kubelet lowers before it reads manifests.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use podsapi_core::{EncodedPod, SourceError};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::folders::{FOLDERS_LIMIT, Folders};
use crate::problems::{Problem, Problems};
use crate::sink::Sink;
use catalog::{Catalog, Kubelet};
use shown::{Shown, Verdict};
use spelled::{absolute, plain};

mod catalog;
mod converted;
mod defaults;
mod image;
mod manifest;
#[cfg(test)]
mod oracle;
mod reading;
mod scan;
mod settle;
mod shown;
mod spelled;
mod uid;
mod validate;

pub use shown::ShownUids;
pub use uid::KubeletRelease;

/// What to read, and for whom.
#[derive(Clone, Debug)]
pub struct Options {
    /// The folder of manifests, or one manifest; it need not exist yet.
    pub directory: PathBuf,
    /// The same folder as the kubelet is told it (`staticPodPath`), which is part of UIDs: another
    /// path where this process sees the folder in another place.
    pub kubelet_directory: PathBuf,
    /// The name of the node, as the kubelet has it.
    pub node_name: String,
    /// The kubelet's release; where it is not given, the newest that is known, or what is found out by
    /// `shown`.
    pub release: Option<KubeletRelease>,
    /// Where others tell which UIDs the kubelet gave its pods.
    pub shown: ShownUids,
    /// How often everything is read again, should a change have escaped.
    pub rescan: Duration,
}

impl Options {
    /// Reads `directory` as the kubelet of `node_name` would, again every 20 seconds: the period
    /// at which a kubelet does by default (`fileCheckFrequency`).
    ///
    /// However the folder is spelled, it becomes one absolute path, since that is in the UIDs of pods.
    pub fn new(directory: impl Into<PathBuf>, node_name: impl Into<String>) -> Self {
        let directory = absolute(directory.into());
        Self {
            kubelet_directory: directory.clone(),
            directory,
            node_name: node_name.into(),
            release: None,
            shown: ShownUids::default(),
            rescan: RESCAN,
        }
    }
}

/// Serves the folder's pods until the future is dropped.
///
/// A change is served within a fraction of a second where inotify sees it, and with the next
/// rescan where not. Each change is one complete list, so that files that change together change
/// together for clients.
///
/// # Errors
///
/// Ends only when the sink does not accept the source.
pub async fn run(options: Options, sink: Sink) -> Result<Infallible, SourceError> {
    let mut watch = Watch::new(options);
    let mut changed = true;
    let mut reloads = sink.reloads();
    loop {
        watch.arm_and_read(&sink, changed).await?;
        changed = tokio::select! {
            changed = watch.folders.changed(Instant::now() + TICK) => changed,
            () = reloads.next() => true,
            Ok(()) = watch.shown.changed() => true,
        };
    }
}

/// The source between two readings.
#[derive(Debug)]
struct Watch {
    options: Options,
    folders: Folders,
    /// Where the links in the folder lead.
    link_targets: BTreeSet<PathBuf>,
    /// Shared with the threads that read, one at a time.
    catalog: Arc<Mutex<Catalog>>,
    problems: Problems,
    /// What was wrong when the folder was last read, and still is as far as anybody knows.
    standing: BTreeSet<Problem>,
    /// What was put last; `None` before the first complete list.
    served: Option<Vec<EncodedPod>>,
    /// What the sink refused of it.
    refused: BTreeSet<Problem>,
    /// When to read again although nothing seems to have changed.
    due: Instant,
    /// The UIDs that the kubelet gave.
    shown: watch::Receiver<Shown>,
}

impl Watch {
    fn new(options: Options) -> Self {
        let kubelet = Kubelet {
            node_name: options.node_name.clone(),
            own_directory: options.directory.clone(),
            directory: plain(&options.kubelet_directory),
            release: options.release.unwrap_or(KubeletRelease::NEWEST),
        };
        let shown = options.shown.subscribe();
        Self {
            folders: Folders::default(),
            link_targets: BTreeSet::new(),
            catalog: Arc::new(Mutex::new(Catalog::new(kubelet))),
            problems: Problems::default(),
            standing: BTreeSet::new(),
            served: None,
            refused: BTreeSet::new(),
            due: Instant::now(),
            shown,
            options,
        }
    }

    /// Reads the folder if it changed or it is time, after watching it, so that no change falls
    /// between reading and watching.
    async fn arm_and_read(&mut self, sink: &Sink, changed: bool) -> Result<(), SourceError> {
        let mut changed = changed;
        for _ in 0..REARMS_LIMIT {
            // The folder itself is watched whatever its links ask for.
            let targets = self.link_targets.iter().take(FOLDERS_LIMIT - 1);
            let mut wanted: BTreeSet<PathBuf> = targets.cloned().collect();
            wanted.insert(self.watched());
            changed |= self.folders.arm(&wanted);
            if !changed && Instant::now() < self.due {
                return Ok(());
            }
            self.due = Instant::now() + self.options.rescan;
            changed = false;
            match self.read(sink.now_nanos()).await {
                Ok(reading) => self.take(reading, sink)?,
                Err(problem) => {
                    self.due = Instant::now() + TICK.min(self.options.rescan);
                    let mut problems = self.standing.clone();
                    problems.insert(problem);
                    self.problems.replace(problems, SOURCE, sink);
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Returns the folder in which changes are seen: of one file, the one that it is in.
    fn watched(&self) -> PathBuf {
        let directory = &self.options.directory;
        let parent = directory.parent().filter(|_| directory.is_file());
        parent.unwrap_or(directory).to_path_buf()
    }

    /// Reads the folder, and once more in a moment if a file may be half written: a shell empties a
    /// file before it writes it anew.
    async fn read(&mut self, now: i64) -> Result<Reading, Problem> {
        let scanned = self.blocking(|directory, catalog| {
            let scan = scan::scan(directory)?;
            let doubts = catalog.doubts(&scan);
            Ok((scan, doubts))
        });
        let (mut scan, doubts) = scanned.await?;
        if doubts {
            self.folders.changed(Instant::now() + SETTLE).await;
            scan = self
                .blocking(|directory, _catalog| scan::scan(directory))
                .await?;
        }
        let at = Instant::now();
        let shown = self.shown.borrow_and_update().clone();
        let (given, uids) = (self.options.release, self.options.shown.clone());
        let node = self.options.node_name.clone();
        self.blocking(move |_directory, catalog| {
            let (mut pods, mut problems) = catalog.update(&scan, now, at);
            let documents = catalog.documents();
            let verdict = shown.judge(&documents, catalog.release());
            if let (Verdict::Of(release), None) = (&verdict, given)
                && *release != catalog.release()
            {
                catalog.turn_to(*release);
                (pods, problems) = catalog.update(&scan, now, at);
            }
            let other_node = shown.other_node(&documents, &node);
            // Before the pods are told: what is shown of them may be of content before.
            uids.know(documents, given);
            Ok(Reading {
                pods,
                problems,
                release: catalog.release(),
                forgets_at: catalog.forgets_at(),
                verdict,
                other_node,
                link_targets: scan.link_targets,
                missing: scan.missing,
            })
        })
        .await
    }

    /// Does on a thread of its own what waits for files or takes as long as they are.
    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Path, &mut Catalog) -> io::Result<T> + Send + 'static,
    ) -> Result<T, Problem> {
        let (directory, catalog) = (self.options.directory.clone(), Arc::clone(&self.catalog));
        let done = tokio::task::spawn_blocking(move || {
            // What a panic left behind is read anew as far as it changes.
            let mut catalog = catalog
                .lock()
                .unwrap_or_else(|poisoned| poisoned.into_inner());
            work(&directory, &mut catalog)
        });
        let done = match done.await {
            Ok(done) => done.map_err(|error| error.to_string()),
            Err(error) => Err(error.to_string()),
        };
        done.map_err(|error| {
            let state = match self.served {
                Some(_) => "the pods known last stay served",
                None => "nothing is served before it can be",
            };
            let text = format!("cannot be listed: {error} ({state}; tried again every second)");
            Problem::fault(self.options.directory.display().to_string(), text)
        })
    }

    fn take(&mut self, reading: Reading, sink: &Sink) -> Result<(), SourceError> {
        let Reading {
            pods,
            mut problems,
            release,
            forgets_at,
            verdict,
            other_node,
            link_targets,
            missing,
        } = reading;
        self.due = forgets_at.map_or(self.due, |at| self.due.min(at));
        let subject = || self.options.directory.display().to_string();
        if let Some(other) = other_node {
            let own = &self.options.node_name;
            let text = format!(
                "the static pods that run here are those of the node {other}, and --node-name is {own}: \
                 no state is shown of these, and their names and UIDs are others: set --node-name {other}"
            );
            problems.insert(Problem::remark(subject(), text));
        }
        if let Some(text) = verdict.remark(self.options.release, release) {
            problems.insert(Problem::remark(subject(), text));
        }
        if missing {
            let text = "does not exist: no static pods until it does";
            problems.insert(Problem::remark(subject(), text));
        }
        if let Some(reason) = self.folders.broken() {
            let period = self.options.rescan;
            let text = format!("{reason} (changes are seen every {period:?} only)");
            problems.insert(Problem::remark(subject(), text));
        }
        if link_targets.len() >= FOLDERS_LIMIT {
            let (most, period) = (FOLDERS_LIMIT - 1, self.options.rescan);
            let text = format!(
                "its links lead into more than {most} folders (changes in the others are seen every \
                 {period:?} only)"
            );
            problems.insert(Problem::remark(subject(), text));
        }
        self.link_targets = link_targets;
        if self.served.as_ref() != Some(&pods) {
            self.refused = sink.replace(&pods)?;
            tracing::info!(source = SOURCE, pods = pods.len(), "list complete");
            self.served = Some(pods);
        }
        problems.extend(self.refused.iter().cloned());
        self.standing.clone_from(&problems);
        self.problems.replace(problems, SOURCE, sink);
        Ok(())
    }
}

/// What one reading of the folder came to.
#[derive(Debug)]
struct Reading {
    /// In the order of their files.
    pods: Vec<EncodedPod>,
    /// What is wrong with the files.
    problems: BTreeSet<Problem>,
    /// The release whose UIDs the pods have.
    release: KubeletRelease,
    /// When the next pod of a broken file is forgotten.
    forgets_at: Option<Instant>,
    /// What the UIDs say that the kubelet gave.
    verdict: Verdict,
    /// The node whose static pods a runtime or a kubelet shows, if it is another one.
    other_node: Option<String>,
    /// Where the links lead.
    link_targets: BTreeSet<PathBuf>,
    /// Whether the folder does not exist.
    missing: bool,
}

const SOURCE: &str = "manifests";

/// A kubelet's default `fileCheckFrequency`.
const RESCAN: Duration = Duration::from_secs(20);

/// How often the folder is looked for under its name: when it appears or is replaced, nothing in
/// it has an event to tell.
const TICK: Duration = Duration::from_secs(1);

/// How long a file that makes no pod may take to be written, before that is reported.
const SETTLE: Duration = Duration::from_millis(500);

/// Readings in a row before waiting again, should links change at each of them.
const REARMS_LIMIT: usize = 4;

#[cfg(test)]
mod tests;
