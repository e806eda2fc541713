//! Which UID a pod is served under when it is known from its file, its kubelet or its mirror.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use podsapi_core::{EncodedPod, SourceKind, Uid};
use podsapi_proto::meta_v1::ObjectMeta;
use podsapi_proto::text::{decode, readable};

use super::claims::{Claim, Whose, by_precedence};
use super::documents::Documents;
use super::meaning::{says_as, says_the_same};
use super::owner::{Held, Owner};
use super::scope::{Scope, differing};
use crate::status::records::{Fields, merged, records};
use crate::status::{CONFIG_SOURCE, is_from_file};
use crate::view::{RuntimeView, Sandbox};

/// What a pod is to the source that tells it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Identity {
    /// It comes from an API server.
    #[default]
    Plain,
    /// It comes from elsewhere, as its file or a kubelet says.
    Static,
    /// It says that it stands for a static pod in an API server; nothing where it does not say for
    /// which, or says two things.
    Mirror(Option<Claim>),
}

/// Namespace and name.
pub(super) type Name = (String, String);

/// What was learned of the UIDs of pods from files.
#[derive(Debug, Default)]
pub(super) struct Adopted {
    /// From the runtime's sandboxes, the one that counts first.
    uids: BTreeMap<Name, Vec<Uid>>,
    /// From mirror pods, which come and go while a kubelet's pod stays.
    hashes: BTreeMap<Name, Uid>,
    /// Those of pods from files that are in the newest view.
    files: BTreeSet<Name>,
    /// Which document has which of these UIDs.
    documents: Documents,
    /// The documents in whose place a kubelet's own pod of their name is served, since it is not known
    /// which UID a kubelet gives them.
    stood_for: BTreeMap<Name, BTreeSet<Uid>>,
    /// Whether any document was known to have got here the UID that a kubelet gives it, when these were
    /// worked out.
    exact: bool,
    /// Whether a document says what a kubelet's pod of its name is.
    alike: BTreeMap<Name, BTreeMap<(Uid, Uid), bool>>,
    /// What sandboxes in the newest view say of each UID, the one that was created first at the front.
    said: BTreeMap<Uid, Vec<Said>>,
    /// The sandboxes in the newest view that say two things.
    torn: Vec<String>,
}

/// The static pods and mirror pods of one namespace and name.
#[derive(Debug, Default)]
pub(super) struct Group {
    /// The UIDs that owners give that do not guess, the one that counts first.
    given: Vec<Uid>,
    /// The pods that have them.
    given_pods: Vec<EncodedPod>,
    mirrored: Vec<Claim>,
    /// The UIDs that its manifests got here.
    guessed: Vec<Uid>,
    /// The pods that have them.
    guessed_pods: Vec<EncodedPod>,
    /// The statuses that owners reported, as encoded bytes, with the UID of the pod.
    reported: Vec<(Uid, Vec<u8>)>,
}

impl Identity {
    /// Reads what a pod says of itself, as far as one of this source can say it: a kubelet knows
    /// where it has a pod from, and of a pod in an API server anybody may have written anything.
    pub(super) fn of(kind: SourceKind, pod: &EncodedPod) -> Self {
        let mirror = annotation(pod, MIRROR);
        match kind {
            SourceKind::Manifests => return Self::Static,
            SourceKind::Apiserver if mirror.is_none() => return Self::Plain,
            SourceKind::Kubelet => {}
            SourceKind::Apiserver
            | SourceKind::Cri
            | SourceKind::Simulated
            | SourceKind::Snapshot => {
                if let Some(mirror) = mirror {
                    return Self::Mirror(claim(pod, &mirror));
                }
            }
        }
        match annotation(pod, CONFIG_SOURCE).as_deref() {
            None | Some("" | "api") => Self::Plain,
            Some(_) => Self::Static,
        }
    }
}

/// Returns for which pod a mirror pod stands: a kubelet writes the same into both annotations.
fn claim(pod: &EncodedPod, mirror: &str) -> Option<Claim> {
    let hash = annotation(pod, HASH);
    if mirror.is_empty() || hash.is_some_and(|hash| hash != mirror) {
        return None;
    }
    let metadata: ObjectMeta = decode(merged(pod.bytes(), METADATA).as_slice()).unwrap_or_default();
    let mut owners = metadata.owner_references.iter();
    Some(Claim {
        uid: Uid::new(mirror),
        by_node: owners.any(|owner| owner.kind() == "Node" && owner.controller()),
        created: metadata
            .creation_timestamp
            .and_then(|time| time.seconds)
            .unwrap_or(0),
    })
}

impl Adopted {
    /// Learns from what the runtime shows; of the sandboxes of a name a ready one counts, then the
    /// one that was created last. How often each was made anew says nothing: each UID counts for
    /// itself. Returns the names and UIDs of which anything is new.
    pub(super) fn learn(&mut self, view: &RuntimeView) -> Scope {
        let sandboxes = view.sandboxes.iter();
        let mut sandboxes: Vec<&Sandbox> = sandboxes
            .filter(|sandbox| !sandbox.pod_uid.is_empty() && !sandbox.contradicts_itself())
            .collect();
        sandboxes.sort_by_key(|sandbox| (sandbox.created_at.max(0), &sandbox.id));
        let torn = view.sandboxes.iter();
        let torn = torn.filter(|sandbox| sandbox.contradicts_itself());
        let mut torn: Vec<String> = torn.map(|sandbox| sandbox.id.clone()).collect();
        torn.sort_unstable();
        let mut changed = Scope {
            all: torn != self.torn,
            ..Scope::default()
        };
        self.torn = torn;
        let mut said: BTreeMap<Uid, Vec<Said>> = BTreeMap::new();
        let mut last = (i64::MIN, "", 0);
        for sandbox in &sandboxes {
            let created = sandbox.created_at.max(0);
            let same = (last.0, last.1) == (created, &sandbox.id);
            last = (created, &sandbox.id, if same { last.2 + 1 } else { 0 });
            said.entry(Uid::new(&sandbox.pod_uid))
                .or_default()
                .push(Said {
                    place: (created, sandbox.id.clone(), last.2),
                    name: of_sandbox(sandbox),
                });
        }
        for (uid, both) in differing(&self.said, &said) {
            changed.uids.insert(uid.clone());
            let all = both.into_iter().flatten().flatten();
            changed.names.extend(all.map(|said| said.name.clone()));
        }
        self.said = said;
        sandboxes.sort_by_key(|sandbox| {
            let created = sandbox.created_at.max(0);
            std::cmp::Reverse((sandbox.ready, created, &sandbox.id))
        });
        sandboxes.retain(|sandbox| is_from_file(&sandbox.annotations));
        let mut uids: BTreeMap<Name, Vec<Uid>> = BTreeMap::new();
        for sandbox in sandboxes {
            let uids = uids.entry(of_sandbox(sandbox)).or_default();
            uids.push(Uid::new(&sandbox.pod_uid));
        }
        let files = uids.keys().cloned().collect();
        let others = self.files.symmetric_difference(&files);
        changed.names.extend(others.cloned());
        self.files = files;
        for (name, mut uids) in uids {
            // What was learned before counts where all that is shown now turns out to be another's.
            let before = self.uids.remove(&name);
            uids.extend(before.iter().flatten().cloned());
            let mut seen = BTreeSet::new();
            uids.retain(|uid| seen.insert(uid.clone()));
            uids.truncate(UIDS_LIMIT);
            if before.as_ref() != Some(&uids) {
                changed.names.insert(name.clone());
            }
            self.uids.insert(name, uids);
        }
        changed
    }

    /// Forgets what neither the runtime shows nor a manifest or a pod that is leaving names any more;
    /// of the documents those of the names in `told` are kept, which may begin to leave.
    pub(super) fn keep_up(
        &mut self,
        owners: &[Owner],
        leaving: &BTreeSet<Name>,
        told: &BTreeSet<Name>,
    ) {
        let files = owners.iter().filter(|owner| guesses(owner.kind));
        let mut named: BTreeMap<Name, BTreeSet<Uid>> = BTreeMap::new();
        for (uid, held) in files.flat_map(|owner| &owner.held) {
            if let Some(pod) = &held.pod {
                named.entry(name(pod)).or_default().insert(uid.clone());
            }
        }
        self.hashes.retain(|name, _| named.contains_key(name));
        let files = &self.files;
        let known = |name: &Name| {
            files.contains(name) || named.contains_key(name) || leaving.contains(name)
        };
        self.uids.retain(|name, _| known(name));
        self.alike.retain(|name, alike| {
            let of = named.get(name);
            alike.retain(|(document, _), _| of.is_some_and(|of| of.contains(document)));
            !alike.is_empty()
        });
        let said = &self.said;
        let created = |name: &Name, uid: &Uid| created(said, name, uid);
        let of_documents = |name: &Name| known(name) || told.contains(name);
        self.documents.keep_up(&named, of_documents, created);
    }

    /// Decides which UID each document of a manifest has: its own, where a kubelet or the runtime has
    /// shown that; that of a kubelet's pod that says the same; that of a sandbox; that which a mirror
    /// pod claims or claimed; that which it had; and else its own. Those of other documents are void
    /// for it.
    ///
    /// A kubelet's pod that says otherwise is of another document, which will be read here soon. Only
    /// where UIDs are known not to be made here as the kubelet does, or not known to be, it stands for
    /// the document.
    pub(super) fn learn_documents(&mut self, groups: &BTreeMap<Name, Group>, whose: &Whose) {
        for (name, group) in groups {
            for document in &group.guessed {
                self.documents.hold(name, document);
                if self.proves(name, group, document) {
                    self.documents.prove(name, document);
                }
            }
        }
        self.stood_for.clear();
        let exact = self.documents.any_is_proven();
        self.exact = exact;
        for (name, group) in groups {
            for (document, pod) in group.guessed.iter().zip(&group.guessed_pods) {
                if self.documents.is_proven(name, document) && whose.allows(document, name) {
                    self.documents.learn(name, document, document);
                    continue;
                }
                let void =
                    |documents: &Documents, uid: &Uid| documents.is_void(name, document, uid);
                let given = group.given.iter().zip(&group.given_pods);
                let given: Vec<_> = given
                    .filter(|(uid, _)| !void(&self.documents, uid))
                    .collect();
                let alike = given.iter().find(|(uid, given)| {
                    let alike = self.alike.entry(name.clone()).or_default();
                    let key = (document.clone(), (*uid).clone());
                    *alike.entry(key).or_insert_with(|| says_as(pod, given))
                });
                if alike.is_none() && !given.is_empty() && !exact {
                    let stood_for = self.stood_for.entry(name.clone()).or_default();
                    stood_for.insert(document.clone());
                    continue;
                }
                let alike = alike.map(|(uid, _)| *uid);
                let documents = &self.documents;
                let had = documents.of(name, document);
                let fits = |uid: &Uid| whose.allows(uid, name) && !void(documents, uid);
                let shown = self.uids.get(name).into_iter().flatten().filter(|uid| {
                    let created = created(&self.said, name, uid);
                    had == Some(*uid) || !documents.is_too_old(name, created)
                });
                let claimed = group.mirrored.iter().map(|claim| &claim.uid);
                let mut claimed = shown
                    .chain(claimed)
                    .chain(self.hashes.get(name))
                    .chain(had)
                    .filter(|uid| fits(uid));
                let uid = alike.or_else(|| claimed.next()).unwrap_or(document);
                let uid = uid.clone();
                self.documents.learn(name, document, &uid);
            }
        }
    }

    /// Tells whether a kubelet has the pod of a document under the UID that it got here, as it says
    /// itself, or its mirror pod or sandbox.
    fn proves(&self, name: &Name, group: &Group, document: &Uid) -> bool {
        group.given.contains(document)
            || group.mirrored.iter().any(|claim| claim.uid == *document)
            || created(&self.said, name, document).is_some()
    }

    /// Tells whether a kubelet's own pod is served in the place of a document.
    fn is_stood_for(&self, name: &Name, document: &Uid) -> bool {
        let of = self.stood_for.get(name);
        of.is_some_and(|of| of.contains(document))
    }

    /// Which document has which UID.
    pub(super) fn documents(&self) -> &Documents {
        &self.documents
    }

    /// Takes note of when a manifest was changed whose name has older sandboxes of other content.
    pub(super) fn void_until(&mut self, name: Name, until: i64) {
        self.documents.void_until(name, until);
    }

    /// Takes back that a UID is void whose pod a kubelet keeps.
    pub(super) fn forgive(&mut self, name: &Name, uid: &Uid) {
        self.documents.forgive(name, uid);
    }

    /// Learns from the mirror pods of what a manifest names.
    pub(super) fn learn_hashes(&mut self, groups: &BTreeMap<Name, Group>, whose: &Whose) {
        for (name, group) in groups.iter().filter(|(_, group)| !group.guessed.is_empty()) {
            let mut claims = group.mirrored.iter();
            if let Some(claim) = claims.find(|claim| whose.allows(&claim.uid, name)) {
                self.hashes.insert(name.clone(), claim.uid.clone());
            }
        }
    }
}

/// Returns what is served of each owner, under the UIDs that it is served under.
pub(super) fn served(
    owners: &[Owner],
    groups: &BTreeMap<Name, Group>,
    adopted: &Adopted,
    whose: &Whose,
) -> Vec<BTreeMap<Uid, Held>> {
    owners
        .iter()
        .map(|owner| served_of(owner, groups, adopted, whose))
        .collect()
}

/// Returns the names of the pods that were told last of an owner whose pods are documents of files, but
/// for those that it still has under that UID.
pub(super) fn told_by_file(owner: &Owner) -> impl Iterator<Item = Name> {
    let told = owner.told.iter();
    let told = told.filter(|(uid, _)| guesses(owner.kind) && !owner.held.contains_key(*uid));
    told.filter_map(|(_, held)| held.pod.as_ref().map(name))
}

/// Returns the static pods and mirror pods by namespace and name.
pub(super) fn groups(owners: &[Owner]) -> BTreeMap<Name, Group> {
    let mut groups: BTreeMap<Name, Group> = BTreeMap::new();
    for owner in by_precedence(owners) {
        for (uid, held) in &owner.held {
            let Some(pod) = &held.pod else { continue };
            if held.identity == Identity::Plain {
                continue;
            }
            let group = groups.entry(name(pod)).or_default();
            match &held.identity {
                Identity::Mirror(claim) => group.mirrored.extend(claim.clone()),
                Identity::Static if guesses(owner.kind) => {
                    group.guessed.push(uid.clone());
                    group.guessed_pods.push(pod.clone());
                    continue;
                }
                Identity::Plain | Identity::Static => {
                    group.given.push(uid.clone());
                    group.given_pods.push(pod.clone());
                }
            }
            let uid = match &held.identity {
                Identity::Mirror(Some(claim)) => &claim.uid,
                Identity::Mirror(None) | Identity::Plain | Identity::Static => uid,
            };
            let status = merged(pod.bytes(), STATUS);
            if !status.is_empty() {
                group.reported.push((uid.clone(), status));
            }
        }
    }
    groups
}

impl Group {
    /// Returns the UIDs that are claimed for the pod and not its own, the one that counts first.
    pub(super) fn claims<'a>(
        &'a self,
        name: &Name,
        adopted: &'a Adopted,
    ) -> impl Iterator<Item = (&'a Uid, Option<&'a Claim>)> {
        let of_file = !self.guessed.is_empty();
        let mirrored = !self.mirrored.is_empty() && adopted.files.contains(name);
        let uids = adopted.uids.get(name).filter(|_| of_file || mirrored);
        let hash = adopted.hashes.get(name).filter(|_| of_file);
        let mirrored = self.mirrored.iter();
        let had = adopted.documents.uids(name);
        let had = had.filter(|uid| !self.guessed.contains(uid));
        let uids = uids.into_iter().flatten().map(|uid| (uid, None));
        uids.chain(mirrored.map(|claim| (&claim.uid, Some(claim))))
            .chain(hash.map(|hash| (hash, None)))
            .chain(had.map(|uid| (uid, None)))
    }

    /// Tells whether it is known as a static pod, and not from a mirror alone.
    pub(super) fn is_static(&self) -> bool {
        !(self.guessed.is_empty() && self.given.is_empty())
    }

    /// Returns the UID that a pod of the group is served under, if not under its own.
    fn uid<'a>(
        &'a self,
        name: &Name,
        (own, held): (&Uid, &'a Held),
        adopted: &'a Adopted,
        whose: &Whose,
    ) -> Option<&'a Uid> {
        let documents = &adopted.documents;
        if self.guessed.contains(own) {
            return documents.of(name, own);
        }
        let claim = match &held.identity {
            Identity::Mirror(claim) => claim.as_ref().map(|claim| &claim.uid),
            // One that does not guess knows the UID of each of its pods.
            Identity::Plain | Identity::Static => return None,
        };
        let allowed = |uid: &&Uid| whose.allows(uid, name);
        if let Some(first) = self.given.first() {
            let same = claim.filter(|claim| self.given.contains(claim));
            return same.or(Some(first));
        }
        if let Some(first) = self.guessed.first() {
            // The mirror of a pod before is that pod's.
            let proven = documents.is_proven(name, first);
            let before = claim
                .filter(|claim| documents.is_void(name, first, claim) || proven && *claim != first);
            return match before {
                Some(before) => Some(before).filter(allowed),
                None => documents.of(name, first),
            };
        }
        // What the mirror says itself: a sandbox may still be that of the pod before.
        let claims = self.claims(name, adopted).map(|(uid, _)| uid);
        claim.into_iter().chain(claims).find(allowed)
    }
}

/// Gives each pod of one owner its UID, that of its group. Of several pods that want one UID, the
/// one that has it already or else the first has it, and the others are served under their own.
fn served_of(
    owner: &Owner,
    groups: &BTreeMap<Name, Group>,
    adopted: &Adopted,
    whose: &Whose,
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
        if guesses(owner.kind) && adopted.is_stood_for(&name, uid) {
            continue;
        }
        let group = groups.get(&name);
        let target = group.and_then(|group| group.uid(&name, (uid, held), adopted, whose));
        let target = target.unwrap_or(uid).clone();
        // What is told of the pod of another document says nothing of this one.
        let reports = group.into_iter().flat_map(|group| &group.reported);
        let mut reports = reports.filter(|(of, _)| *of == target);
        let report = reports.next().filter(|_| guesses(owner.kind));
        let report = report.map(|(_, status)| status.as_slice());
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
    let report = report.filter(|report| silent && !says_the_same(report, &status));
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

/// Tells whether such an owner works out the UIDs of static pods by itself.
pub(super) fn guesses(kind: SourceKind) -> bool {
    kind == SourceKind::Manifests
}

pub(super) fn name(pod: &EncodedPod) -> Name {
    (pod.namespace().to_owned(), pod.name().to_owned())
}

fn of_sandbox(sandbox: &Sandbox) -> Name {
    (sandbox.namespace.clone(), sandbox.name.clone())
}

/// Returns what a pod says under the name of an annotation, without reading the others.
pub(crate) fn annotation(pod: &EncodedPod, name: &str) -> Option<String> {
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

/// How many UIDs of one name are remembered; a pod has one, and for a while that before it.
const UIDS_LIMIT: usize = 8;

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

mod part;
mod said;
pub(super) use part::{link, of_both};
use said::{Said, created};

#[cfg(test)]
mod tests;
