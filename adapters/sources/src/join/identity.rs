//! Which UID a pod is served under when it is known from its file, its kubelet or its mirror.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use podsapi_core::{EncodedPod, SourceKind, Uid};
use podsapi_proto::text::readable;

use super::owner::{Held, Owner};
use crate::status::CONFIG_SOURCE;
use crate::status::records::{Fields, merged, records};
use crate::view::{RuntimeView, Sandbox};

/// What a pod says of where it comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Identity {
    /// It comes from an API server.
    #[default]
    Plain,
    /// A kubelet has it from elsewhere.
    Static,
    /// It stands for a static pod in an API server; the hash UID of that one.
    Mirror(Uid),
}

/// Namespace and name.
type Name = (String, String);

/// What was learned of the UIDs of pods from files.
#[derive(Debug, Default)]
pub(super) struct Adopted {
    /// From the runtime's sandboxes.
    uids: BTreeMap<Name, Uid>,
    /// From mirror pods, which come and go while a kubelet's pod stays.
    hashes: BTreeMap<Name, Uid>,
    /// Those that are in the newest view.
    shown: BTreeSet<Name>,
}

/// The static pods and mirror pods of one namespace and name.
#[derive(Debug, Default)]
struct Group {
    /// The UID that an owner gives that does not guess.
    given: Option<Uid>,
    mirrored: Option<Uid>,
    /// Whether a manifest of it is known, and the UID that it got here.
    guessed: Option<Uid>,
    /// The status that an owner reported, as encoded bytes.
    reported: Option<Vec<u8>>,
}

impl Identity {
    pub(super) fn of(pod: &EncodedPod) -> Self {
        let annotation = |name| annotation(pod, name).filter(|value| !value.is_empty());
        if let Some(mirror) = annotation(MIRROR) {
            let hash = annotation(HASH).unwrap_or(mirror);
            return Self::Mirror(Uid::new(&hash));
        }
        match annotation(CONFIG_SOURCE).as_deref() {
            None | Some("api") => Self::Plain,
            Some(_) => Self::Static,
        }
    }
}

impl Adopted {
    /// Learns from what the runtime shows; of the sandboxes of a name a ready one counts, then the
    /// one that was created last. How often each was made anew says nothing: each UID counts for
    /// itself.
    pub(super) fn learn(&mut self, view: &RuntimeView) {
        let mut newest: BTreeMap<Name, &Sandbox> = BTreeMap::new();
        let age = |sandbox: &Sandbox| {
            let created = sandbox.created_at.max(0);
            (sandbox.ready, created, sandbox.id.clone())
        };
        for sandbox in &view.sandboxes {
            let source = sandbox.annotations.get(CONFIG_SOURCE);
            if source.is_none_or(|source| source != "file") || sandbox.pod_uid.is_empty() {
                continue;
            }
            let name = (sandbox.namespace.clone(), sandbox.name.clone());
            let other = newest.entry(name).or_insert(sandbox);
            if age(sandbox) > age(other) {
                *other = sandbox;
            }
        }
        self.shown = newest.keys().cloned().collect();
        for (name, sandbox) in newest {
            self.uids.insert(name, Uid::new(&sandbox.pod_uid));
        }
    }

    /// Learns from the mirror pods of what a manifest names, and forgets what neither the runtime
    /// shows nor a manifest names any more.
    pub(super) fn keep_up(&mut self, owners: &[Owner]) {
        let files = owners.iter().filter(|owner| guesses(owner.kind));
        let pods = files.flat_map(|owner| owner.held.values());
        let named: BTreeSet<Name> = pods
            .filter_map(|held| held.pod.as_ref())
            .map(name)
            .collect();
        let mut order: Vec<&Owner> = owners.iter().collect();
        order.sort_by_key(|owner| owner.kind);
        let mut hashes = BTreeMap::new();
        for held in order.into_iter().flat_map(|owner| owner.held.values()) {
            if let (Identity::Mirror(hash), Some(pod)) = (&held.identity, &held.pod) {
                hashes.entry(name(pod)).or_insert_with(|| hash.clone());
            }
        }
        self.hashes.extend(hashes);
        self.hashes.retain(|name, _| named.contains(name));
        let shown = &self.shown;
        self.uids
            .retain(|name, _| shown.contains(name) || named.contains(name));
    }
}

/// Returns what is served of each owner, under the UIDs that it is served under.
pub(super) fn served(owners: &[Owner], adopted: &Adopted) -> Vec<BTreeMap<Uid, Held>> {
    let groups = groups(owners);
    owners
        .iter()
        .map(|owner| served_of(owner, &groups, adopted))
        .collect()
}

fn groups(owners: &[Owner]) -> BTreeMap<Name, Group> {
    let mut groups: BTreeMap<Name, Group> = BTreeMap::new();
    let mut order: Vec<&Owner> = owners.iter().collect();
    order.sort_by_key(|owner| owner.kind);
    for owner in order {
        for (uid, held) in &owner.held {
            let Some(pod) = &held.pod else { continue };
            if held.identity == Identity::Plain {
                continue;
            }
            let group = groups.entry(name(pod)).or_default();
            let place = match &held.identity {
                Identity::Mirror(hash) => {
                    group.mirrored.get_or_insert_with(|| hash.clone());
                    &mut group.reported
                }
                Identity::Static if guesses(owner.kind) => {
                    group.guessed.get_or_insert_with(|| uid.clone());
                    continue;
                }
                Identity::Plain | Identity::Static => {
                    group.given.get_or_insert_with(|| uid.clone());
                    &mut group.reported
                }
            };
            if place.is_none() {
                let status = merged(pod.bytes(), STATUS);
                *place = Some(status).filter(|status| !status.is_empty());
            }
        }
    }
    groups
}

impl Group {
    fn uid<'a>(&'a self, name: &Name, adopted: &'a Adopted) -> Option<&'a Uid> {
        let guessed = self.guessed.as_ref();
        let shown = adopted.uids.get(name).filter(|_| guessed.is_some());
        let given = self.given.as_ref().or(shown);
        let hash = self.mirrored.as_ref().or_else(|| {
            let hash = adopted.hashes.get(name);
            hash.filter(|_| guessed.is_some())
        });
        given.or(hash).or(guessed)
    }
}

/// Gives each pod of one owner its UID, that of its group. Of several pods that want one UID, the
/// one that has it already or else the first has it, and the others are served under their own.
fn served_of(
    owner: &Owner,
    groups: &BTreeMap<Name, Group>,
    adopted: &Adopted,
) -> BTreeMap<Uid, Held> {
    let mut served = BTreeMap::new();
    let mut moved = Vec::new();
    for (uid, held) in &owner.held {
        let pod = held
            .pod
            .as_ref()
            .filter(|_| held.identity != Identity::Plain);
        let Some(pod) = pod else {
            served.insert(uid.clone(), held.clone());
            continue;
        };
        let name = name(pod);
        let group = groups.get(&name);
        let own = match &held.identity {
            Identity::Mirror(hash) => hash,
            Identity::Plain | Identity::Static => uid,
        };
        let target = group.and_then(|group| group.uid(&name, adopted));
        let target = target.unwrap_or(own).clone();
        let report = group.and_then(|group| group.reported.as_deref());
        let report = report.filter(|_| guesses(owner.kind));
        let new = Held {
            pod: Some(rewritten(pod, &target, guesses(owner.kind), report)),
            ..held.clone()
        };
        if target == *uid {
            served.insert(target, new);
        } else {
            moved.push((target, uid, held, new));
        }
    }
    for (target, uid, held, new) in moved {
        match served.entry(target) {
            Entry::Vacant(place) => {
                place.insert(new);
            }
            Entry::Occupied(_) => {
                served.entry(uid.clone()).or_insert_with(|| held.clone());
            }
        }
    }
    served
}

/// Returns the pod with another UID, and with the reported status if its own says nothing.
fn rewritten(pod: &EncodedPod, uid: &Uid, hash: bool, report: Option<&[u8]>) -> EncodedPod {
    let status = merged(pod.bytes(), STATUS);
    let silent = records(&status).all(|record| record.number == PHASE);
    let report = report.filter(|_| silent);
    if pod.uid() == uid && report.is_none() {
        return pod.clone();
    }
    let metadata = merged(pod.bytes(), METADATA);
    let mut fields = Fields::default();
    for record in records(&metadata) {
        match record.number {
            UID => {}
            ANNOTATIONS if hash && merged(record.payload, KEY) == HASH.as_bytes() => {
                let mut entry = Fields::keeping(record.payload, &[VALUE]);
                entry.add(VALUE, uid.as_bytes());
                fields.add(ANNOTATIONS, &entry.finish());
            }
            _ => fields.add_all(record.whole),
        }
    }
    fields.add(UID, uid.as_bytes());
    let replaced: &[u32] = if report.is_some() {
        &[METADATA, STATUS]
    } else {
        &[METADATA]
    };
    let mut whole = Fields::keeping(pod.bytes(), replaced);
    whole.add(METADATA, &fields.finish());
    if let Some(report) = report {
        whole.add(STATUS, report);
    }
    // Only the bound on the size of a pod can be in the way.
    EncodedPod::parse(whole.finish().into()).unwrap_or_else(|_| pod.clone())
}

/// Tells whether such an owner makes up the UIDs of static pods.
fn guesses(kind: SourceKind) -> bool {
    kind == SourceKind::Manifests
}

fn name(pod: &EncodedPod) -> Name {
    (pod.namespace().to_owned(), pod.name().to_owned())
}

fn annotation(pod: &EncodedPod, name: &str) -> Option<String> {
    let metadata = merged(pod.bytes(), METADATA);
    let entries = records(&metadata).filter(|record| record.number == ANNOTATIONS);
    let named = entries.filter(|record| merged(record.payload, KEY) == name.as_bytes());
    let entry = named.last()?;
    Some(readable(&merged(entry.payload, VALUE)).into_owned())
}

/// The annotation that a kubelet gives static pods: the hash that is their UID.
const HASH: &str = "kubernetes.io/config.hash";

/// The annotation of mirror pods.
const MIRROR: &str = "kubernetes.io/config.mirror";

/// `metadata` and `status` of `Pod`.
const METADATA: u32 = 1;
const STATUS: u32 = 3;
/// `uid` and `annotations` of `ObjectMeta`, and the two fields of an annotation.
const UID: u32 = 5;
const ANNOTATIONS: u32 = 12;
const KEY: u32 = 1;
const VALUE: u32 = 2;
/// `phase` of `PodStatus`.
const PHASE: u32 = 1;
