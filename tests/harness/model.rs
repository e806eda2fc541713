//! What the service must do, said as plainly as possible: structs and scans, no bytes.

use std::collections::{BTreeMap, BTreeSet};

use podsapi_core::{Code, Dialect, Method, SourceError, SourceKind};

use crate::op::{PodChoice, Setup, StatusChoice};

use calls::Tokens;

pub(crate) use watch::ModelWatch;

mod calls;
mod masks;
mod watch;

/// The whole service as the model sees it.
#[derive(Debug)]
pub(crate) struct Model {
    setup: Setup,
    /// The sources in the order of the configuration.
    pub(crate) sources: Vec<ModelSource>,
    /// Every watch that was ever opened.
    pub(crate) watches: Vec<ModelWatch>,
    /// Ended calls by dialect, method and code.
    pub(crate) requests: BTreeMap<(Dialect, Method, Code), u64>,
    /// Live events that watches were told or lost, or will be.
    pub(crate) produced: u64,
    /// Live events that found no room.
    pub(crate) dropped: u64,
    opened_gate: bool,
    shut_down: bool,
    tokens: Tokens,
}

/// A source and all that it said.
#[derive(Debug)]
pub(crate) struct ModelSource {
    /// The configured name.
    pub(crate) name: &'static str,
    /// What it is.
    pub(crate) kind: SourceKind,
    said: BTreeMap<u8, Said>,
    staged: Option<BTreeMap<u8, Said>>,
    began: bool,
    synced: bool,
}

#[derive(Clone, Debug, Default)]
struct Said {
    pod: Option<PodChoice>,
    status: Option<StatusChoice>,
}

/// What a client reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    /// A pod that is new.
    Added(ServedPod),
    /// A pod that changed.
    Modified(ServedPod),
    /// A pod that is gone; the time of its deletion where the dialect tells it.
    Deleted(Gone),
    /// The end of the first list.
    Marker,
    /// Nothing for now.
    Idle,
    /// The end of the stream.
    End(Code),
}

/// A pod as a client decodes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ServedPod {
    /// Whether there is a `metadata`.
    pub(crate) metadata: bool,
    /// `metadata.uid`
    pub(crate) uid: String,
    /// `metadata.namespace`
    pub(crate) namespace: String,
    /// `metadata.name`
    pub(crate) name: String,
    /// `metadata.resourceVersion`
    pub(crate) version: String,
    /// Whether there is a `spec`.
    pub(crate) spec: bool,
    /// Whether there is a `status`.
    pub(crate) status: bool,
    /// `status.phase`
    pub(crate) phase: String,
    /// Status and reason of the condition Ready.
    pub(crate) ready: Option<(String, String)>,
}

/// What is left of a pod that is gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Gone {
    /// `metadata.uid`
    pub(crate) uid: String,
    /// `metadata.namespace`
    pub(crate) namespace: String,
    /// `metadata.name`
    pub(crate) name: String,
    /// `metadata.deletionTimestamp` in seconds.
    pub(crate) at: Option<i64>,
}

/// What a unary call gives, or why it does not.
pub(crate) type Answer = Result<Vec<ServedPod>, Code>;

/// The identities that one source may speak of in a run.
pub(crate) const MAX_PODS_PER_SOURCE: u32 = 3;

/// The watches that may be open in a run.
pub(crate) const MAX_WATCHES: u32 = 3;

/// The wall time of every change in a run, in seconds since 1970.
pub(crate) const WALL_SECONDS: i64 = 1_700_000_000;

/// Returns the UID of a pod in a run.
pub(crate) fn uid(pod: u8) -> String {
    format!("uid-{pod}")
}

impl Model {
    /// Returns the model of a fresh service.
    pub(crate) fn new(setup: Setup) -> Self {
        let mut sources = vec![
            ModelSource::new("api", SourceKind::Apiserver),
            ModelSource::new("static", SourceKind::Manifests),
        ];
        if setup.runtime {
            sources.push(ModelSource::new("runtime", SourceKind::Cri));
        }
        let tokens = Tokens::new(&setup);
        Self {
            setup,
            sources,
            watches: Vec::new(),
            requests: BTreeMap::new(),
            produced: 0,
            dropped: 0,
            opened_gate: false,
            shut_down: false,
            tokens,
        }
    }

    /// The source begins a list.
    pub(crate) fn begin(&mut self, source: usize) {
        self.sources[source].staged = Some(BTreeMap::new());
        self.sources[source].began = true;
    }

    /// The source is lost.
    pub(crate) fn lost(&mut self, source: usize) {
        let source = &mut self.sources[source];
        source.staged = None;
        source.began = source.synced;
    }

    /// The source says something of one pod.
    pub(crate) fn say(
        &mut self,
        source: usize,
        pod: u8,
        put: Option<PodChoice>,
        status: Option<StatusChoice>,
    ) -> Result<(), SourceError> {
        self.change(|model| {
            let source = &mut model.sources[source];
            let said = source.open_map()?;
            if !said.contains_key(&pod) && said.len() >= MAX_PODS_PER_SOURCE as usize {
                return Err(SourceError::TooManyPods {
                    limit: MAX_PODS_PER_SOURCE,
                });
            }
            let said = said.entry(pod).or_default();
            said.pod = put.or_else(|| said.pod.take());
            said.status = status.or_else(|| said.status.take());
            Ok(())
        })
    }

    /// The source says that it knows nothing of a pod.
    pub(crate) fn remove(&mut self, source: usize, pod: u8) -> Result<(), SourceError> {
        self.change(|model| {
            model.sources[source].open_map()?.remove(&pod);
            Ok(())
        })
    }

    /// The source completes its list.
    pub(crate) fn complete(&mut self, source: usize) -> Result<(), SourceError> {
        self.change(|model| {
            let source = &mut model.sources[source];
            source.said = source
                .staged
                .take()
                .ok_or(SourceError::CompleteBeforeBegin)?;
            source.synced = true;
            Ok(())
        })?;
        self.opened_gate |= self.sources.iter().all(|source| source.synced);
        Ok(())
    }

    /// Makes a change and tells every watch what differs in what is served.
    fn change<T>(&mut self, change: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.served();
        let result = change(self);
        let after = self.served();
        let uids: BTreeSet<_> = before.keys().chain(after.keys()).cloned().collect();
        let (gone, there): (Vec<_>, Vec<_>) =
            uids.into_iter().partition(|uid| !after.contains_key(uid));
        for uid in gone.iter().chain(&there) {
            self.tell(before.get(uid), after.get(uid));
        }
        // What comes in one step is there when a watch is found to be too slow.
        for watch in &mut self.watches {
            self.dropped += watch.lose_at_once();
        }
        result
    }

    fn tell(&mut self, before: Option<&ServedPod>, after: Option<&ServedPod>) {
        if before == after {
            return;
        }
        for watch in &mut self.watches {
            let is_event = watch.tell(before, after, &mut self.dropped, &mut self.requests);
            self.produced += u64::from(is_event);
        }
    }

    /// Returns what is served, in the order of the UIDs.
    pub(crate) fn served(&self) -> BTreeMap<String, ServedPod> {
        let mut sources: Vec<_> = self.sources.iter().collect();
        sources.sort_by_key(|source| (source.kind, source.name));
        let pods: BTreeSet<u8> = sources
            .iter()
            .flat_map(|s| s.said.keys())
            .copied()
            .collect();
        let said = |pod| {
            sources
                .iter()
                .filter_map(move |source| source.said.get(&pod))
        };
        let served = pods.into_iter().filter_map(|pod| {
            let owner = said(pod).find_map(|said| said.pod.as_ref())?;
            let local = said(pod).find_map(|said| said.status.as_ref());
            Some((uid(pod), self.serve(owner, local)))
        });
        served.collect()
    }

    fn serve(&self, owner: &PodChoice, local: Option<&StatusChoice>) -> ServedPod {
        let status = local.or(owner.status.as_ref());
        let running = status.is_some_and(|status| status.running);
        let confirmed = local.is_some() || !self.setup.runtime;
        let ready = status
            .and_then(|status| status.ready)
            .map(|ready| match ready {
                true if confirmed => ("True".into(), String::new()),
                true => ("False".into(), "ContainersNotReady".into()),
                false => ("False".into(), "Other".into()),
            });
        ServedPod {
            metadata: true,
            spec: true,
            status: true,
            uid: uid(owner.pod),
            namespace: format!("namespace-{}", owner.namespace),
            name: format!("pod-{}", owner.pod),
            version: owner.version.to_string(),
            phase: if running {
                "Running".into()
            } else {
                "Pending".into()
            },
            ready,
        }
    }

    /// A client reads one message.
    pub(crate) fn read(&mut self, watch: usize) -> Seen {
        self.watches[watch].read(&mut self.dropped)
    }

    /// A client goes away.
    pub(crate) fn cancel(&mut self, watch: usize) {
        let watch = &mut self.watches[watch];
        watch.cancel(&mut self.dropped, &mut self.requests);
    }

    /// The server is told to end.
    pub(crate) fn shutdown(&mut self) {
        self.shut_down = true;
        for watch in &mut self.watches {
            watch.end(Code::Unavailable, &mut self.requests);
        }
    }

    /// Tells whether every source completed its first list at some time.
    pub(crate) fn is_ready(&self) -> bool {
        self.opened_gate
    }
}

impl ModelSource {
    fn new(name: &'static str, kind: SourceKind) -> Self {
        let said = BTreeMap::new();
        Self {
            name,
            kind,
            said,
            staged: None,
            began: false,
            synced: false,
        }
    }

    fn open_map(&mut self) -> Result<&mut BTreeMap<u8, Said>, SourceError> {
        if !self.began {
            return Err(SourceError::PutBeforeBegin);
        }
        Ok(self.staged.as_mut().unwrap_or(&mut self.said))
    }
}
