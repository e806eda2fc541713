//! Events of an upstream's watch, turned into the words of a source.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use podsapi_client::{Event, EventKind};
use podsapi_core::{EncodedPod, SourceError, Uid};
use podsapi_proto::text::readable;
use prost::Message;

use crate::problems::{Problem, Problems};
use crate::sink::Sink;

use super::{Broken, SOURCE, Stop};

/// How far an event brought the watch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// The replay is over, and what the upstream has is what is served.
    Synced,
    /// A word was passed on, or passed over.
    Told,
}

/// Hands on what the upstream says, and remembers enough to stand in for what cannot be read.
#[derive(Debug)]
pub(super) struct Relay {
    sink: Sink,
    /// What to call the upstream.
    upstream: String,
    problems: Problems,
    /// What the upstream has, as of the last whole replay and since.
    told: Told,
    /// The replay under way.
    replay: Option<Told>,
    /// Why there is no watch, or none that came to its marker.
    outage: Option<Problem>,
    /// Whether a replay was ever whole.
    synced: bool,
    /// Whether the sink knows that there is no watch.
    lost: bool,
}

/// Pods as they were handed on, and what is wrong with others.
#[derive(Debug, Default)]
struct Told {
    pods: BTreeMap<Uid, EncodedPod>,
    /// By the UID where it is known.
    faults: BTreeMap<String, Problem>,
}

impl Relay {
    pub(super) fn new(sink: Sink, upstream: String) -> Self {
        Self {
            sink,
            upstream,
            problems: Problems::default(),
            told: Told::default(),
            replay: None,
            outage: None,
            synced: false,
            lost: false,
        }
    }

    /// Begins with a replay, since a watch was accepted.
    pub(super) fn begin(&mut self) -> Result<(), SourceError> {
        self.replay = Some(Told::default());
        self.lost = false;
        self.sink.begin()
    }

    /// Passes on an event of the watch.
    pub(super) fn handle_event(&mut self, event: &Event) -> Result<Step, Stop> {
        match event.kind {
            EventKind::Modified if event.pod.is_empty() => {
                let text = "an event of an unknown kind, without a pod, was passed over";
                let remark = Problem::remark(self.upstream.as_str(), text);
                self.fault(UNKNOWN_KIND, remark);
            }
            EventKind::Added | EventKind::Modified => self.put(&event.pod)?,
            EventKind::Deleted => self.delete(&event.pod)?,
            EventKind::InitialSyncComplete => {
                if let Some(replay) = self.replay.take() {
                    self.told = replay;
                    self.sink.complete()?;
                    self.synced = true;
                    self.outage = None;
                    self.tell();
                    let pods = self.told.pods.len();
                    tracing::info!(source = SOURCE, pods, "list complete");
                    return Ok(Step::Synced);
                }
            }
        }
        Ok(Step::Told)
    }

    /// Says that there is no watch, once until there is one.
    pub(super) fn lost(&mut self, broken: &Broken) -> Result<(), SourceError> {
        self.replay = None;
        let state = match self.synced {
            true => "its pods stay as they were last; it is asked again",
            false => "nothing of it is served before it told all its pods; it is asked again",
        };
        let text = format!("{broken} ({state})");
        self.outage = Some(Problem::fault(self.upstream.as_str(), text));
        self.tell();
        if self.lost {
            return Ok(());
        }
        self.lost = true;
        self.sink.lost()
    }

    fn put(&mut self, received: &[u8]) -> Result<(), SourceError> {
        // A copy, so that a pod that stays does not keep what arrived in one piece with it.
        let bytes = Bytes::copy_from_slice(received);
        match EncodedPod::parse(bytes) {
            Ok(pod) => self.keep(pod),
            Err(error) => self.stand_in(received, &error.to_string()),
        }
    }

    fn keep(&mut self, pod: EncodedPod) -> Result<(), SourceError> {
        let raw = RawUid::of(pod.uid().as_str(), pod.bytes());
        if let Some(raw) = raw.as_ref().filter(|raw| self.is_anothers(pod.uid(), raw)) {
            let subject = format!("{}/{}", pod.namespace(), pod.name());
            let text = format!(
                "the UID {} is another pod's already (not served)",
                pod.uid()
            );
            self.fault(&raw.key(), Problem::fault(subject, text));
            return Ok(());
        }
        match self.sink.put(pod.clone()) {
            Ok(()) => {
                self.no_fault(pod.uid().as_str());
                raw.iter().for_each(|raw| self.no_fault(&raw.key()));
                self.current().pods.insert(pod.uid().clone(), pod);
                Ok(())
            }
            Err(error @ (SourceError::TooManyPods { .. } | SourceError::PodTooLarge { .. })) => {
                let subject = format!("{}/{}", pod.namespace(), pod.name());
                let fault = Problem::fault(subject, format!("{error} (not served)"));
                self.fault(pod.uid().as_str(), fault);
                Ok(())
            }
            Err(
                error @ (SourceError::CompleteBeforeBegin
                | SourceError::PutBeforeBegin
                | SourceError::UnknownSource),
            ) => Err(error),
        }
    }

    /// Keeps what is served of a pod that cannot be read now.
    fn stand_in(&mut self, received: &[u8], error: &str) -> Result<(), SourceError> {
        let names = Names::read(received);
        let last = self.told.pods.get(names.uid.as_str()).cloned();
        let again = match &self.replay {
            Some(replay) => !replay.pods.contains_key(names.uid.as_str()),
            None => false,
        };
        let fault = match last {
            Some(_) => Problem::outdated(names.subject(), error),
            None => Problem::fault(names.subject(), format!("{error} (not served)")),
        };
        if let Some(last) = last.filter(|_| again) {
            self.keep(last)?;
        }
        self.fault(&names.uid, fault);
        Ok(())
    }

    fn delete(&mut self, received: &[u8]) -> Result<(), Stop> {
        let names = Names::read(received);
        if names.uid.is_empty() {
            return Err(Broken::UnknownDeletion.into());
        }
        let uid = Uid::new(&names.uid);
        if let Some(raw) = RawUid::of(&names.uid, received) {
            self.no_fault(&raw.key());
            if self.is_anothers(&uid, &raw) {
                return Ok(());
            }
        }
        self.current().pods.remove(&uid);
        self.no_fault(&names.uid);
        self.sink.remove(uid)?;
        Ok(())
    }

    /// Whether the pod held under this UID has other bytes for it, which only read alike.
    fn is_anothers(&mut self, uid: &Uid, raw: &RawUid) -> bool {
        let held = self.current().pods.get(uid);
        held.and_then(|held| RawUid::of(uid.as_str(), held.bytes()))
            .is_some_and(|held| held != *raw)
    }

    fn current(&mut self) -> &mut Told {
        self.replay.as_mut().unwrap_or(&mut self.told)
    }

    fn fault(&mut self, uid: &str, fault: Problem) {
        let faults = &mut self.current().faults;
        let (uid, fault) = if faults.len() < FAULTS_LIMIT || faults.contains_key(uid) {
            (uid, fault)
        } else {
            let text = format!("more than {FAULTS_LIMIT} pods cannot be served");
            (MORE, Problem::fault(MORE, text))
        };
        if faults.insert(uid.to_owned(), fault.clone()) != Some(fault) {
            self.tell_live();
        }
    }

    fn no_fault(&mut self, uid: &str) {
        if self.current().faults.remove(uid).is_some() {
            self.tell_live();
        }
    }

    /// Tells what is wrong, unless a replay is under way: its marker ends the old problems.
    fn tell_live(&mut self) {
        if self.replay.is_none() {
            self.tell();
        }
    }

    fn tell(&mut self) {
        let faults = self.told.faults.values().cloned();
        let now: BTreeSet<_> = faults.chain(self.outage.clone()).collect();
        self.problems.replace(now, SOURCE, &self.sink);
    }
}

/// The bytes of a UID that may not be UTF-8, so that others read as it does.
#[derive(Debug, PartialEq, Eq)]
struct RawUid(Vec<u8>);

impl RawUid {
    /// Returns those of a pod whose UID reads as `uid`; none where no other bytes read so.
    fn of(uid: &str, pod: &[u8]) -> Option<Self> {
        if !uid.contains(char::REPLACEMENT_CHARACTER) {
            return None;
        }
        let metadata = named(pod).metadata?;
        Some(Self(metadata.uid))
    }

    /// What its fault goes by; no UID of another pod, since its bytes are escaped.
    fn key(&self) -> String {
        format!("bytes {}", self.0.escape_ascii())
    }
}

/// Reads as far as the bytes can be read.
fn named(pod: &[u8]) -> Named {
    let mut named = Named::default();
    // What went in before the first fault counts; there is nothing more to learn from it.
    let _fault = named.merge(pod);
    named
}

/// As much of a pod as tells which one it is.
struct Names {
    name: String,
    namespace: String,
    uid: String,
}

#[derive(Clone, PartialEq, Message)]
struct Named {
    #[prost(message, optional, tag = "1")]
    metadata: Option<Metadata>,
}

/// The names in a pod's metadata, by their numbers there; of bytes no decoder asks that they are
/// UTF-8.
#[derive(Clone, PartialEq, Message)]
struct Metadata {
    #[prost(bytes = "vec", tag = "1")]
    name: Vec<u8>,
    #[prost(bytes = "vec", tag = "3")]
    namespace: Vec<u8>,
    #[prost(bytes = "vec", tag = "5")]
    uid: Vec<u8>,
}

impl Names {
    /// Reads as far as the bytes can be read; names that do not come until there are empty.
    fn read(pod: &[u8]) -> Self {
        let metadata = named(pod).metadata.unwrap_or_default();
        let text = |bytes: &[u8]| readable(bytes).into_owned();
        Self {
            name: text(&metadata.name),
            namespace: text(&metadata.namespace),
            uid: text(&metadata.uid),
        }
    }

    fn subject(&self) -> String {
        match self.uid.as_str() {
            "" => "a pod without a UID".to_owned(),
            uid => format!("{}/{} ({uid})", self.namespace, self.name),
        }
    }
}

/// Pods that are told as faulty one by one, so that an upstream cannot fill the memory with them.
const FAULTS_LIMIT: usize = 100;

/// In place of a UID, which has no spaces: the events of kinds that nobody knows.
const UNKNOWN_KIND: &str = "unknown kind";

/// In place of a UID: what the limit keeps out.
const MORE: &str = "and others";
