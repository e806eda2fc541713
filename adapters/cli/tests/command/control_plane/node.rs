//! A podsapi of one node, with a watch on it that remembers what it was told.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use podsapi_client::{Client, ClientOptions, Event, EventKind, MirroredPod};
use tempfile::TempDir;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::process::{PATIENCE, Server};

pub(super) struct Node {
    pub(super) server: Server,
    told: watch::Receiver<Vec<Event>>,
    watching: JoinHandle<()>,
    _folder: TempDir,
}

impl Drop for Node {
    fn drop(&mut self) {
        self.watching.abort();
    }
}

impl Node {
    /// Starts a server with an API server as a source, and a watch once it is ready.
    pub(super) async fn start<S: AsRef<OsStr>>(
        name: &str,
        kubeconfig: &Path,
        more: impl IntoIterator<Item = S>,
    ) -> Self {
        let folder = tempfile::tempdir().unwrap();
        // All that changed during an outage comes at once.
        let bounds = ["--qps", "0", "--watch-buffer", "2000"];
        let own = bounds
            .into_iter()
            .chain(["--node-name", name, "--apiserver"]);
        let mut arguments: Vec<_> = own.map(|text| OsStr::new(text).to_owned()).collect();
        arguments.push(kubeconfig.as_os_str().to_owned());
        arguments.extend(more.into_iter().map(|text| text.as_ref().to_owned()));
        let server = Server::ready(folder.path(), arguments);
        let client = Client::connect(&server.socket, ClientOptions::default()).await;
        let mut events = client.unwrap().watch().await.unwrap();
        let (sender, told) = watch::channel(Vec::new());
        let watching = tokio::spawn(async move {
            while let Ok(Some(event)) = events.next().await {
                sender.send_modify(|told| told.push(event));
            }
        });
        let mut node = Self {
            server,
            told,
            watching,
            _folder: folder,
        };
        node.until("the watch is in sync", |told| {
            let mut kinds = told.iter().map(|event| event.kind);
            kinds.any(|kind| kind == EventKind::InitialSyncComplete)
        })
        .await;
        node
    }

    /// Returns all events so far.
    pub(super) fn told(&self) -> Vec<Event> {
        self.told.borrow().clone()
    }

    /// Waits until the events so far are what is wanted.
    pub(super) async fn until(&mut self, what: &str, wanted: impl Fn(&[Event]) -> bool) {
        // After a long outage the next try is half a minute away at most.
        let patience = PATIENCE + Duration::from_secs(30);
        let waiting = self.told.wait_for(|told| wanted(told));
        let met = tokio::time::timeout(patience, waiting)
            .await
            .is_ok_and(|met| met.is_ok());
        if !met {
            let report = self.server.ask(&["check"]).stdout;
            let report = String::from_utf8_lossy(&report);
            panic!("{what}:\n{report}\n{:#?}", lines(&self.told()));
        }
    }

    /// Waits until the watch has told exactly these pods.
    pub(super) async fn holds(&mut self, what: &str, pods: &[Bytes]) {
        let wanted: BTreeMap<_, _> = pods.iter().map(|pod| (uid(pod), pod.clone())).collect();
        self.until(what, |told| current(told) == wanted).await;
        let mut listed = self.list().await;
        listed.sort();
        let mut wanted: Vec<_> = wanted.into_values().collect();
        wanted.sort();
        assert_eq!(listed, wanted, "the list is what the watch tells");
    }

    /// Returns the encoded pods.
    pub(super) async fn list(&self) -> Vec<Bytes> {
        let client = Client::connect(&self.server.socket, ClientOptions::default()).await;
        client.unwrap().list().await.unwrap()
    }

    /// Waits until `check` says something, and returns all it says.
    pub(super) fn says(&self, wanted: &str) -> String {
        crate::process::until(&format!("check says {wanted:?}"), || {
            let report = self.server.ask(&["check"]);
            let text = String::from_utf8(report.stdout).unwrap() + &report.stderr;
            text.contains(wanted).then_some(text)
        })
    }
}

/// Returns the pods that are left by these events.
pub(super) fn current(told: &[Event]) -> BTreeMap<String, Bytes> {
    let mut pods = BTreeMap::new();
    for event in told {
        match event.kind {
            EventKind::Added | EventKind::Modified => {
                pods.insert(uid(&event.pod), event.pod.clone());
            }
            EventKind::Deleted => {
                pods.remove(&uid(&event.pod));
            }
            EventKind::InitialSyncComplete => {}
        }
    }
    pods
}

/// Returns what was told of each pod, in order: the kind, and the bytes where there is a whole pod.
pub(super) fn by_uid(told: &[Event]) -> BTreeMap<String, Vec<(&'static str, Bytes)>> {
    let mut pods: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for event in told {
        let (kind, pod) = match event.kind {
            EventKind::Added => ("ADDED", event.pod.clone()),
            EventKind::Modified => ("MODIFIED", event.pod.clone()),
            EventKind::Deleted => ("DELETED", Bytes::new()),
            EventKind::InitialSyncComplete => continue,
        };
        pods.entry(uid(&event.pod)).or_default().push((kind, pod));
    }
    pods
}

/// Returns the events as a person reads them.
pub(super) fn lines(told: &[Event]) -> Vec<String> {
    let line = |event: &Event| match MirroredPod::parse(&event.pod) {
        Ok(pod) => format!(
            "{:?} {}/{} {}",
            event.kind,
            pod.namespace(),
            pod.name(),
            pod.uid()
        ),
        Err(_) => format!("{:?}", event.kind),
    };
    told.iter().map(line).collect()
}

pub(super) fn uid(pod: &[u8]) -> String {
    MirroredPod::parse(pod).unwrap().uid().to_owned()
}
