//! The node's pods as a watch tells them: events in, current pods and changes out.
//!
//! A mirror does no input or output and reads no clock. Give it each event of a watch with
//! [`Mirror::handle_event`] and tell it with [`Mirror::handle_disconnect`] when a watch ended: the
//! next watch replays the node, and what it did not replay is reported deleted once it is in sync.
//! A pod whose bytes did not change is not reported again.
//!
//! Pods are known by their UIDs, which are read from the encoded bytes. So an event whose pod cannot
//! be decoded is an error, and its pod stays as it was: it is there, and is not reported deleted at
//! the end of a replay. Strings that are not UTF-8 are no such case: they are read with U+FFFD.
//!
//! Pods of a watch that asked for some of their fields are as welcome, as long as the UID is among
//! them. A look-up by what was not asked for finds nothing, and of several pods with one name or
//! address the choice is by what is known: phase and creation time, if they are there.

mod cgroup;
mod facts;
mod index;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

use bytes::Bytes;
use podsapi_core::Uid;
use podsapi_proto::core_v1;
use podsapi_proto::text::decode;

use crate::watch::{Event, EventKind};
use facts::Facts;
use index::Index;

/// What an event did to the node's pods.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A pod that was not there before.
    Added(Arc<MirroredPod>),
    /// A pod that is gone, as it was last known.
    Deleted(Arc<MirroredPod>),
    /// A pod that differs from before.
    Modified {
        /// The pod before.
        old: Arc<MirroredPod>,
        /// The pod now.
        new: Arc<MirroredPod>,
    },
    /// The mirror has become equal to the node, after the first sync or a later one.
    Synced,
}

/// A pod with what is needed to find it; the rest stays encoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MirroredPod {
    bytes: Bytes,
    facts: Facts,
}

impl MirroredPod {
    /// Reads a pod.
    ///
    /// # Errors
    ///
    /// When `bytes` are not an encoded pod or the pod has no UID.
    pub fn parse(bytes: &[u8]) -> Result<Self, MirrorError> {
        let pod: core_v1::Pod = decode(bytes).map_err(MirrorError::Undecodable)?;
        let facts = Facts::read(&pod).ok_or(MirrorError::MissingUid)?;
        // A copy, so that one small pod cannot keep a whole received list in memory.
        Ok(Self {
            bytes: Bytes::copy_from_slice(bytes),
            facts,
        })
    }

    /// Returns the encoded pod, byte for byte as the server sent it.
    #[must_use]
    pub fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// Returns the pod, decoded; strings that are not UTF-8 have U+FFFD in them
    /// ([`podsapi_proto::text`]).
    ///
    /// # Errors
    ///
    /// Never in practice: the bytes were decoded once before.
    pub fn decode(&self) -> Result<core_v1::Pod, prost::DecodeError> {
        decode(self.bytes.clone())
    }

    /// Returns the UID.
    #[must_use]
    pub fn uid(&self) -> &str {
        &self.facts.uid
    }

    /// Returns the namespace.
    #[must_use]
    pub fn namespace(&self) -> &str {
        &self.facts.namespace
    }

    /// Returns the name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.facts.name
    }

    /// Returns when the pod was created, in seconds since 1970: its creation timestamp, else when
    /// the kubelet first saw it, else when it started.
    #[must_use]
    pub fn created(&self) -> Option<i64> {
        self.facts.created
    }

    /// Returns whether the pod has ended for good: phase `Succeeded` or `Failed`.
    #[must_use]
    pub fn is_terminal(&self) -> bool {
        self.facts.terminal
    }

    /// Returns whether the pod uses the node's network, so that its address is the node's.
    #[must_use]
    pub fn is_on_host_network(&self) -> bool {
        self.facts.host_network
    }

    /// Orders pods that share a name, an address or an alias: the best comes last.
    fn rank(&self) -> (bool, Option<i64>, &str) {
        (!self.facts.terminal, self.facts.created, &self.facts.uid)
    }
}

/// Why a pod cannot be read; an event with it changes nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MirrorError {
    /// The pod has no UID.
    MissingUid,
    /// The bytes are not an encoded pod.
    Undecodable(prost::DecodeError),
}

impl fmt::Display for MirrorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MissingUid => f.write_str("a pod has no metadata.uid"),
            Self::Undecodable(error) => write!(f, "a pod does not decode: {error}"),
        }
    }
}

impl std::error::Error for MirrorError {}

/// The current pods of a node.
///
/// # Examples
///
/// ```
/// use podsapi_client::{Change, Event, EventKind, Mirror};
///
/// let mut mirror = Mirror::new();
/// let end = Event { kind: EventKind::InitialSyncComplete, pod: Default::default() };
/// assert_eq!(mirror.handle_event(&end), Ok(vec![Change::Synced]));
/// assert!(mirror.is_synced() && mirror.by_uid("f7a0").is_none());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Mirror {
    pods: BTreeMap<Arc<str>, Arc<MirroredPod>>,
    index: Index,
    /// The UIDs that this watch has told so far; unused once it is in sync.
    replayed: BTreeSet<Arc<str>>,
    /// Whether this watch told a pod without anybody knowing which; unused once it is in sync.
    told_unknown: bool,
    synced: bool,
}

impl Mirror {
    /// Returns a mirror that knows no pod and is not in sync.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next event of the watch and returns what changed, in the order to act on it.
    ///
    /// # Errors
    ///
    /// When the event's pod cannot be read; the mirror has the pod as it was before.
    pub fn handle_event(&mut self, event: &Event) -> Result<Vec<Change>, MirrorError> {
        match event.kind {
            EventKind::Added | EventKind::Modified => {
                Ok(self.upsert(&event.pod)?.into_iter().collect())
            }
            EventKind::Deleted => {
                let uid = Uid::in_pod(&event.pod).ok_or(MirrorError::MissingUid)?;
                Ok(self.remove(uid.as_str()).into_iter().collect())
            }
            EventKind::InitialSyncComplete if self.synced => Ok(Vec::new()),
            EventKind::InitialSyncComplete => Ok(self.finish_sync()),
        }
    }

    /// Tells that the watch ended. All pods stay, until the next watch has replayed the node.
    pub fn handle_disconnect(&mut self) {
        self.synced = false;
        self.replayed.clear();
        self.told_unknown = false;
    }

    /// Returns whether the mirror equals the node, as far as the current watch has told.
    #[must_use]
    pub fn is_synced(&self) -> bool {
        self.synced
    }

    /// Returns all pods in ascending order of UID.
    pub fn pods(&self) -> impl ExactSizeIterator<Item = &Arc<MirroredPod>> {
        self.pods.values()
    }

    /// Returns the pod with this UID.
    ///
    /// The UID may be spelled as cgroup names spell it, with `_` for `-`. It may also be the hash
    /// by which the kubelet knows a static pod, when the pod carries that in the annotation
    /// `kubernetes.io/config.hash` or `kubernetes.io/config.mirror`; a pod's own UID goes first.
    #[must_use]
    pub fn by_uid(&self, uid: &str) -> Option<&Arc<MirroredPod>> {
        if let Some(pod) = self.pods.get(uid) {
            return Some(pod);
        }
        let dashed = uid.replace('_', "-");
        self.pods
            .get(dashed.as_str())
            .or_else(|| self.best(self.index.by_alias(&dashed)))
    }

    /// Returns the pod with this namespace and name: of several, the newest that has not ended,
    /// else the newest.
    #[must_use]
    pub fn by_name(&self, namespace: &str, name: &str) -> Option<&Arc<MirroredPod>> {
        self.best(self.index.by_name(namespace, name))
    }

    /// Returns the pod that runs, or ran last, the container with this ID, with or without
    /// `runtime://` in front.
    #[must_use]
    pub fn by_container_id(&self, id: &str) -> Option<&Arc<MirroredPod>> {
        self.best(self.index.by_container(facts::bare_container_id(id)?))
    }

    /// Returns the pod that owns this address, IPv4 or IPv6, primary or not.
    ///
    /// Pods on the host network are left out: they all share the node's address, so none of them
    /// owns it. An ended pod's address may be given to another, so the newest that has not ended
    /// is preferred.
    #[must_use]
    pub fn by_ip(&self, address: IpAddr) -> Option<&Arc<MirroredPod>> {
        self.best(self.index.by_ip(address.to_canonical()))
    }

    /// Returns the pod to which a cgroup belongs, by its path as `/proc/<pid>/cgroup` or the
    /// kubelet's cgroup drivers (`systemd`, `cgroupfs`) spell it; also a path below the pod's.
    #[must_use]
    pub fn by_cgroup_path(&self, path: &str) -> Option<&Arc<MirroredPod>> {
        cgroup::candidates(path).find_map(|candidate| match candidate {
            cgroup::Candidate::Container(id) => self.by_container_id(id),
            cgroup::Candidate::Pod(uid) => self.by_uid(uid),
        })
    }

    fn best(&self, uids: Option<&BTreeSet<Arc<str>>>) -> Option<&Arc<MirroredPod>> {
        uids?
            .iter()
            .filter_map(|uid| self.pods.get(uid))
            .max_by(|a, b| a.rank().cmp(&b.rank()))
    }

    fn upsert(&mut self, bytes: &[u8]) -> Result<Option<Change>, MirrorError> {
        let new = match MirroredPod::parse(bytes) {
            Ok(new) => Arc::new(new),
            Err(error) => {
                self.told_unreadable(bytes);
                return Err(error);
            }
        };
        let uid = Arc::clone(&new.facts.uid);
        if !self.synced {
            self.replayed.insert(Arc::clone(&uid));
        }
        let old = self.pods.get(&uid).cloned();
        if old.as_ref().is_some_and(|old| old.bytes == new.bytes) {
            return Ok(None);
        }
        if let Some(old) = &old {
            self.index.remove(&old.facts);
        }
        self.index.insert(&new.facts);
        self.pods.insert(uid, Arc::clone(&new));
        Ok(Some(match old {
            Some(old) => Change::Modified { old, new },
            None => Change::Added(new),
        }))
    }

    /// Notes that a pod is there although it cannot be decoded.
    fn told_unreadable(&mut self, bytes: &[u8]) {
        match Uid::in_pod(bytes) {
            _ if self.synced => {}
            Some(uid) => {
                self.replayed.insert(uid.as_str().into());
            }
            None => self.told_unknown = true,
        }
    }

    fn remove(&mut self, uid: &str) -> Option<Change> {
        self.replayed.remove(uid);
        let old = self.pods.remove(uid)?;
        self.index.remove(&old.facts);
        Some(Change::Deleted(old))
    }

    fn finish_sync(&mut self) -> Vec<Change> {
        // Any of them may be the one of which nothing could be read.
        let gone: Vec<_> = match self.told_unknown {
            true => Vec::new(),
            false => self
                .pods
                .keys()
                .filter(|uid| !self.replayed.contains(*uid))
                .cloned()
                .collect(),
        };
        let mut changes: Vec<_> = gone.iter().filter_map(|uid| self.remove(uid)).collect();
        self.replayed.clear();
        self.told_unknown = false;
        self.synced = true;
        changes.push(Change::Synced);
        changes
    }
}
