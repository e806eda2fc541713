//! Which static pods there are: the last good pod of each file, one for each name.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use podsapi_core::{EncodedPod, Uid};
use sha2::{Digest, Sha256};
use tokio::time::Instant;

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
    /// Since when the content makes none, and what is wrong with it.
    broken: Option<(Instant, String)>,
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

    /// Takes what a scan found at `now`, in nanoseconds since 1970, which is `at`; returns the pods in
    /// the order of their files, and what is wrong.
    pub(crate) fn update(
        &mut self,
        scan: &Scan,
        now: i64,
        at: Instant,
    ) -> (Vec<EncodedPod>, BTreeSet<Problem>) {
        let present: BTreeSet<&Path> = scan.files.iter().map(|(path, _)| path.as_path()).collect();
        self.files
            .retain(|path, _| present.contains(path.as_path()));
        for (path, content) in &scan.files {
            let known = self.files.entry(path.clone()).or_default();
            known.take(path, content, &self.kubelet, at);
            known.forget(path, at);
        }
        let mut problems = BTreeSet::new();
        let mut pods = Vec::new();
        let mut names: BTreeMap<(&str, &str), &Path> = BTreeMap::new();
        let mut seen = BTreeMap::new();
        // In the order of the paths, which within one folder is that of the names: the last one counts,
        // as in a kubelet that reads all.
        for (path, known) in self.files.iter().rev() {
            problems.extend(known.problems.iter().cloned());
            let Some(manifest) = &known.good else {
                continue;
            };
            let (namespace, name) = (manifest.namespace(), manifest.name());
            if let Some(last) = names.get(&(namespace, name)) {
                let last = last.display();
                let text = format!("{namespace}/{name} is from {last}, which is later in order");
                problems.insert(not_served(path, &text));
                continue;
            }
            let uid = manifest.uid();
            if seen.contains_key(&uid) {
                let text = format!("a pod with the UID {uid} is from a file later in order");
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
        pods.reverse();
        (pods, problems)
    }

    /// Returns when the next pod of a broken file is forgotten.
    pub(crate) fn forgets_at(&self) -> Option<Instant> {
        let files = self.files.values().filter(|known| known.good.is_some());
        let broken = files.filter_map(|known| known.broken.as_ref());
        broken.map(|(since, _)| *since + KEPT).min()
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
    fn take(&mut self, path: &Path, content: &Content, kubelet: &Kubelet, at: Instant) {
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
                self.broken = None;
            }
            Err(error) => {
                self.problems.push(match &self.good {
                    Some(_) => Problem::outdated_as(
                        subject(path),
                        format!("{error} (its last good pod stays served for {KEPT:?})"),
                    ),
                    None => not_served(path, &error),
                });
                let since = self.broken.as_ref().map_or(at, |broken| broken.0);
                self.broken = Some((since, error));
            }
        }
    }

    /// Forgets the last good pod of a file that has been broken for long.
    fn forget(&mut self, path: &Path, at: Instant) {
        if let Some((since, error)) = &self.broken
            && at.duration_since(*since) >= KEPT
            && self.good.take().is_some()
        {
            self.uids.clear();
            self.problems = vec![not_served(path, error)];
        }
    }
}

/// How long the pod of a file that was broken stays: by then a kubelet has read all files again, and has
/// dropped it.
const KEPT: Duration = super::RESCAN;

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

#[cfg(test)]
mod tests {
    use super::*;

    fn updated(catalog: &mut Catalog, text: &str, at: Instant) -> (Vec<String>, bool) {
        let file = (
            PathBuf::from("/m/a.yaml"),
            Content::Bytes(text.as_bytes().to_vec()),
        );
        let scan = Scan {
            files: vec![file],
            ..Scan::default()
        };
        let (pods, problems) = catalog.update(&scan, 0, at);
        let names = pods.iter().map(|pod| pod.name().to_owned());
        (names.collect(), problems.is_empty())
    }

    #[test]
    fn the_pod_of_a_file_that_stays_broken_is_kept_until_a_kubelet_has_dropped_it() {
        let mut catalog = Catalog::new(Kubelet {
            node_name: "n".to_owned(),
            own_directory: PathBuf::from("/m"),
            directory: PathBuf::from("/m"),
            release: KubeletRelease::NEWEST,
        });
        let good = "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\"},\
                    \"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}";
        let began = Instant::now();
        let at = |seconds| began + Duration::from_secs(seconds);
        let served = |broken: bool| (vec!["a-n".to_owned()], !broken);
        assert_eq!(updated(&mut catalog, good, at(0)), served(false));
        assert_eq!(catalog.forgets_at(), None);
        assert_eq!(updated(&mut catalog, "{", at(10)), served(true));
        // Other content that is broken, too, begins no new time.
        assert_eq!(updated(&mut catalog, "", at(15)), served(true));
        assert_eq!(catalog.forgets_at(), Some(at(30)));
        assert_eq!(updated(&mut catalog, good, at(29)), served(false));
        assert_eq!(updated(&mut catalog, "{", at(30)), served(true));
        assert_eq!(updated(&mut catalog, "{", at(49)), served(true));
        assert_eq!(updated(&mut catalog, "{", at(50)), (Vec::new(), false));
        assert_eq!(catalog.forgets_at(), None);
        assert_eq!(updated(&mut catalog, good, at(51)), served(false));
    }
}
