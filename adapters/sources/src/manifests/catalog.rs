//! Which static pods there are: the last good pod of each file, one for each name.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use podsapi_core::{EncodedPod, Uid};
use sha2::{Digest, Sha256};

use super::manifest::Manifest;
use super::reading;
use super::scan::{Content, Scan};
use super::shown::Document;
use super::uid::KubeletRelease;
use crate::problems::Problem;
use crate::text;

/// The state of a folder of manifests, advanced by one scan at a time.
#[derive(Debug)]
pub(crate) struct Catalog {
    kubelet: Kubelet,
    files: BTreeMap<PathBuf, Known>,
    /// When each served pod was first seen; kept while it is served.
    seen: BTreeMap<Uid, i64>,
}

/// Whose static pods they are.
#[derive(Clone, Debug)]
pub(crate) struct Kubelet {
    pub(crate) node_name: String,
    /// The folder as this process is told it.
    pub(crate) own_directory: PathBuf,
    /// The folder as the kubelet is told it.
    pub(crate) directory: PathBuf,
    pub(crate) release: KubeletRelease,
}

impl Kubelet {
    fn read(&self, content: &[u8], path: &Path) -> Result<Manifest, String> {
        let path = match path.file_name() {
            // One file in place of the folder may have another name where the kubelet is.
            _ if path == self.own_directory => self.directory.clone(),
            Some(name) => self.directory.join(name),
            None => self.directory.clone(),
        };
        Manifest::read(content, path, &self.node_name, self.release)
    }
}

/// What is known of one file.
#[derive(Debug, Default)]
struct Known {
    /// Of the content read last, so that the same content is not read twice.
    digest: Option<[u8; 32]>,
    /// What the last content that made a pod made.
    good: Option<Manifest>,
    /// When the file was changed, in nanoseconds since 1970, as far as that is known.
    changed_at: i64,
    /// The UID that its pod has in a kubelet of each release; none where the file names it.
    uids: Vec<(KubeletRelease, Uid)>,
    problems: Vec<Problem>,
}

impl Catalog {
    /// Returns the catalog of a folder that nobody has read yet.
    pub(crate) fn new(kubelet: Kubelet) -> Self {
        Self {
            kubelet,
            files: BTreeMap::new(),
            seen: BTreeMap::new(),
        }
    }

    /// Tells whether a scan found content that may be half written: it is new, and makes no pod.
    pub(crate) fn doubts(&self, scan: &Scan) -> bool {
        scan.files.iter().any(|(path, content)| match content {
            Content::Bytes(bytes) => {
                let known = self.files.get(path).and_then(|known| known.digest);
                let digest: [u8; 32] = Sha256::digest(bytes).into();
                known != Some(digest) && self.kubelet.read(bytes, path).is_err()
            }
            Content::Unreadable(_) => false,
        })
    }

    /// Takes what a scan found at `now`; returns the pods in the order of their files, and what is
    /// wrong.
    pub(crate) fn update(&mut self, scan: &Scan, now: i64) -> (Vec<EncodedPod>, BTreeSet<Problem>) {
        let present: BTreeSet<&Path> = scan.files.iter().map(|(path, _)| path.as_path()).collect();
        self.files
            .retain(|path, _| present.contains(path.as_path()));
        for (path, content) in &scan.files {
            let known = self.files.entry(path.clone()).or_default();
            known.take(path, content, &self.kubelet);
        }
        let mut problems = BTreeSet::new();
        let mut pods = Vec::new();
        let mut names: BTreeMap<(&str, &str), &Path> = BTreeMap::new();
        let mut seen = BTreeMap::new();
        // In the order of the paths, which within one folder is that of the names.
        for (path, known) in &self.files {
            problems.extend(known.problems.iter().cloned());
            let Some(manifest) = &known.good else {
                continue;
            };
            let (namespace, name) = (manifest.namespace(), manifest.name());
            if let Some(first) = names.get(&(namespace, name)) {
                let text = format!("{namespace}/{name} is from {} already", first.display());
                problems.insert(not_served(path, &text));
                continue;
            }
            let uid = manifest.uid();
            if seen.contains_key(&uid) {
                let text = format!("a pod with the UID {uid} is from another file already");
                problems.insert(not_served(path, &text));
                continue;
            }
            let first_seen = self.seen.get(&uid).copied().unwrap_or(now);
            match manifest.encode(first_seen) {
                Ok(pod) => {
                    names.insert((namespace, name), path);
                    seen.insert(uid, first_seen);
                    pods.push(pod);
                }
                Err(error) => {
                    problems.insert(not_served(path, &error));
                }
            }
        }
        self.seen = seen;
        (pods, problems)
    }

    /// The release whose UIDs pods get.
    pub(crate) fn release(&self) -> KubeletRelease {
        self.kubelet.release
    }

    /// Gives all pods the UIDs that they have in a kubelet of another release.
    pub(crate) fn turn_to(&mut self, release: KubeletRelease) {
        self.kubelet.release = release;
        for known in self.files.values_mut() {
            if let Some(manifest) = &mut known.good {
                manifest.turn_to(release);
            }
        }
    }

    /// Returns the manifests whose pods get their UIDs here.
    pub(crate) fn documents(&self) -> Vec<Document> {
        let files = self.files.values().filter(|known| !known.uids.is_empty());
        let documents = files.filter_map(|known| {
            let manifest = known.good.as_ref()?;
            Some(Document {
                namespace: manifest.namespace().to_owned(),
                name: manifest.name().to_owned(),
                changed_at: known.changed_at,
                uids: known.uids.clone(),
            })
        });
        documents.collect()
    }
}

impl Known {
    fn take(&mut self, path: &Path, content: &Content, kubelet: &Kubelet) {
        let read = match content {
            Content::Bytes(bytes) => {
                let digest: [u8; 32] = Sha256::digest(bytes).into();
                if self.digest == Some(digest) {
                    return;
                }
                self.digest = Some(digest);
                self.changed_at = changed_at(path);
                let read = kubelet.read(bytes, path);
                // What no pod may be is not served either, and hides not what was served before.
                read.and_then(|manifest| manifest.encode(0).map(|_pod| manifest))
            }
            Content::Unreadable(error) => {
                self.digest = None;
                Err(error.to_string())
            }
        };
        self.problems.clear();
        match read {
            Ok(manifest) => {
                if let Content::Bytes(bytes) = content
                    && reading::begins_as_json(bytes)
                    && text::is_replaced(bytes)
                {
                    self.problems
                        .push(Problem::remark(subject(path), text::REPLACED));
                }
                if manifest.more {
                    let text = "only its first document is read, as in a kubelet; what follows \
                                is not served";
                    self.problems.push(Problem::remark(subject(path), text));
                }
                if !manifest.repeated.is_empty() {
                    let places = manifest.repeated.join("; ");
                    let text = format!("the last value of a key counts, as in a kubelet: {places}");
                    self.problems.push(Problem::remark(subject(path), text));
                }
                if !manifest.unknown.is_empty() {
                    let fields = manifest.unknown.join(", ");
                    let text = format!("fields that are not known and not served: {fields}");
                    self.problems.push(Problem::remark(subject(path), text));
                }
                let releases = KubeletRelease::ALL.into_iter();
                let uids = releases.map(|release| Some((release, manifest.uid_in(release)?)));
                self.uids = uids.collect::<Option<_>>().unwrap_or_default();
                self.good = Some(manifest);
            }
            Err(error) => self.problems.push(match &self.good {
                Some(_) => Problem::outdated_as(
                    subject(path),
                    format!("{error} (its last good pod stays served)"),
                ),
                None => not_served(path, &error),
            }),
        }
    }
}

/// When a file was changed; what cannot tell is taken for new.
fn changed_at(path: &Path) -> i64 {
    let modified = std::fs::metadata(path).and_then(|metadata| metadata.modified());
    let since = modified
        .ok()
        .and_then(|at| at.duration_since(SystemTime::UNIX_EPOCH).ok());
    let nanos = since.and_then(|since| i64::try_from(since.as_nanos()).ok());
    nanos.unwrap_or(i64::MAX)
}

fn subject(path: &Path) -> String {
    path.display().to_string()
}

fn not_served(path: &Path, reason: &str) -> Problem {
    Problem::fault(subject(path), format!("{reason} (not served)"))
}
