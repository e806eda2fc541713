//! What is served, worked out anew from all that was said: the plainest form of the join.

use std::collections::{BTreeMap, BTreeSet};

use podsapi_core::EncodedPod;

use super::node::{from_file, mirror};
use crate::status::scenes::pod;
use crate::view::Sandbox;

/// The owners, in their order of precedence.
pub(super) const FILES: usize = 0;
pub(super) const KUBELET: usize = 1;
pub(super) const API: usize = 2;

/// A pod as an owner holds it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Held {
    Plain {
        uid: &'static str,
    },
    Static {
        uid: String,
        name: &'static str,
    },
    Mirror {
        uid: String,
        name: &'static str,
        hash: String,
    },
}

/// A sandbox that a runtime shows; of a static pod but where name and UID are one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shown {
    pub(super) name: &'static str,
    pub(super) uid: String,
    pub(super) attempt: u32,
    pub(super) ready: bool,
    /// In seconds; no two sandboxes have the same.
    pub(super) created: i64,
}

/// One word of anybody.
#[derive(Clone, Debug)]
pub(super) enum Op {
    List(usize, Vec<Held>),
    Put(usize, Held),
    Remove(usize, Held),
    OwnerLost(usize),
    View(Vec<Shown>),
    RuntimeLost,
    /// So many seconds pass.
    Wait(i64),
}

/// The documents of one name.
#[derive(Clone, Debug, Default)]
struct Documents {
    /// The UIDs that each has had, the one that it has at the end.
    pairs: BTreeMap<String, Vec<String>>,
    held: BTreeSet<String>,
    /// Those whose own UID was seen to be a kubelet's.
    proven: BTreeSet<String>,
    until: i64,
}

/// A pod that nobody has any more and that runs, or may.
#[derive(Clone, Debug)]
struct Left {
    of: (String, String),
    /// Until when it may, and after which view.
    unsure: (i64, usize),
}

/// All that was said, as plain sets.
#[derive(Clone, Debug, Default)]
pub(super) struct Model {
    held: [BTreeMap<String, Held>; 3],
    /// The UIDs of sandboxes that were seen for each name, the one that counts first.
    adopted: BTreeMap<&'static str, Vec<String>>,
    /// The documents that files had, with the UIDs that they have.
    documents: BTreeMap<String, Documents>,
    /// The documents in whose place a kubelet's pod is served.
    stood_for: BTreeSet<String>,
    /// The pods of files and of a kubelet that are gone while they run, by owner and UID.
    leaving: BTreeMap<(usize, String), Left>,
    /// Those that have left and whose mirrors are not served.
    mirrored: BTreeSet<String>,
    /// What was served of static pods of files and of a kubelet, with name and document.
    of_both: [BTreeMap<String, (String, String)>; 2],
    clock: i64,
    /// The hash of the mirror pod that was seen last for each name.
    hashes: BTreeMap<String, String>,
    shown: Vec<Shown>,
    live: bool,
    views: usize,
    since: BTreeMap<String, usize>,
    /// The UIDs that a status is told for.
    told: BTreeSet<String>,
}

impl Documents {
    fn uid(&self, document: &str) -> &str {
        self.pairs[document].last().expect("each has at least one")
    }

    /// Whether another document has or had the UID; of one that is gone the last counts.
    fn is_void(&self, document: &str, uid: &str) -> bool {
        if self.proven.contains(uid) || self.held.contains(uid) {
            return uid != document;
        }
        let mut others = self.pairs.iter().filter(|(other, _)| *other != document);
        others.any(|(other, had)| match self.held.contains(other) {
            true => had.iter().any(|had| had == uid),
            false => had.last().is_some_and(|had| had == uid),
        })
    }
}

impl Held {
    pub(super) fn uid(&self) -> &str {
        match self {
            Self::Plain { uid } => uid,
            Self::Static { uid, .. } | Self::Mirror { uid, .. } => uid,
        }
    }

    pub(super) fn name(&self) -> &str {
        match self {
            Self::Plain { uid } => uid,
            Self::Static { name, .. } | Self::Mirror { name, .. } => name,
        }
    }

    fn hash(&self) -> Option<String> {
        match self {
            Self::Mirror { hash, .. } => Some(hash.clone()),
            Self::Plain { .. } | Self::Static { .. } => None,
        }
    }

    pub(super) fn encoded(&self) -> EncodedPod {
        match self {
            Self::Plain { uid } => pod(&format!(
                "metadata: {{name: {uid}, namespace: ns, uid: {uid}}}\n\
                 spec: {{containers: [{{name: a, image: image}}]}}"
            )),
            Self::Static { uid, name } => from_file(name, uid),
            Self::Mirror { uid, name, hash } => mirror(name, uid, hash),
        }
    }
}

pub(super) fn sandboxes(shown: &[Shown]) -> Vec<Sandbox> {
    let sandboxes = shown.iter().map(|shown| {
        let mut sandbox = super::node::file_sandbox(shown.name, &shown.uid);
        sandbox.id = format!("s-{}-{}", shown.uid, shown.created);
        sandbox.attempt = shown.attempt;
        sandbox.ready = shown.ready;
        sandbox.created_at = shown.created * 1_000_000_000;
        if shown.name == shown.uid {
            sandbox.annotations.clear();
        }
        sandbox
    });
    sandboxes.collect()
}

impl Model {
    pub(super) fn apply(&mut self, op: &Op) {
        let mut whole = false;
        match op {
            Op::List(owner, pods) => {
                let pods = pods.iter();
                self.held[*owner] = pods
                    .map(|held| (held.uid().to_owned(), held.clone()))
                    .collect();
            }
            Op::Put(owner, held) => {
                self.held[*owner].insert(held.uid().to_owned(), held.clone());
            }
            Op::Remove(owner, held) => {
                self.held[*owner].remove(held.uid());
            }
            Op::OwnerLost(_) => {}
            Op::View(shown) => {
                self.shown.clone_from(shown);
                let mut files: Vec<_> = shown.iter().filter(|one| one.name != one.uid).collect();
                // A ready one comes first if there is one, then the newest.
                files.sort_by_key(|one| std::cmp::Reverse((one.ready, one.created)));
                let mut adopted: BTreeMap<_, Vec<String>> = BTreeMap::new();
                for one in files {
                    adopted.entry(one.name).or_default().push(one.uid.clone());
                }
                for (name, mut uids) in adopted {
                    uids.extend(self.adopted.remove(name).unwrap_or_default());
                    let mut seen = BTreeSet::new();
                    uids.retain(|uid| seen.insert(uid.clone()));
                    self.adopted.insert(name, uids);
                }
                whole = !self.live;
                self.live = true;
                self.views += 1;
            }
            Op::RuntimeLost => self.live = false,
            Op::Wait(seconds) => self.clock += seconds,
        }
        let told: BTreeSet<String> = match self.views {
            0 => BTreeSet::new(),
            _ => self.of_both[FILES]
                .values()
                .map(|of| of.0.clone())
                .collect(),
        };
        self.forget(&told);
        let mut mirrors = BTreeMap::new();
        for held in self.held[API].values() {
            if let Held::Mirror { name, hash, .. } = held {
                let name = (*name).to_owned();
                mirrors.entry(name).or_insert_with(|| hash.clone());
            }
        }
        let files = &self.held[FILES];
        let named = |name: &str| files.values().any(|held| held.name() == name);
        mirrors.retain(|name, _| named(name));
        self.hashes.retain(|name, _| named(name));
        self.pair();
        self.hashes.extend(mirrors);
        self.see_off();
        self.forget(&BTreeSet::new());
        self.settle(whole);
    }

    /// Forgets what is neither shown nor a file's nor that of a pod that is leaving; of the documents
    /// those stay whose pods were told and may begin to leave.
    fn forget(&mut self, told: &BTreeSet<String>) {
        let (shown, files, left) = (&self.shown, &self.held[FILES], &self.leaving);
        let known = |name: &str| {
            let of_file = |one: &Shown| one.name == name && one.name != one.uid;
            shown.iter().any(of_file)
                || files.values().any(|held| held.name() == name)
                || left.values().any(|left| left.of.0 == name)
        };
        self.adopted.retain(|name, _| known(name));
        for (name, of) in &mut self.documents {
            let held = files.values().filter(|held| held.name() == name);
            let held: BTreeSet<String> = held.map(|held| held.uid().to_owned()).collect();
            for document in of.held.difference(&held) {
                let had = shown.iter().filter(|one| {
                    of.pairs
                        .get(document)
                        .is_some_and(|had| had.contains(&one.uid))
                });
                of.until = had.map(|one| one.created).max().unwrap_or(0).max(of.until);
            }
            of.held = held;
        }
        self.documents
            .retain(|name, _| known(name) || told.contains(name));
    }

    /// Gives each document of a file the first UID that is for it and no other document has or had: its
    /// own, once anybody else has shown that.
    fn pair(&mut self) {
        let mut documents = std::mem::take(&mut self.documents);
        for (document, held) in &self.held[FILES] {
            let name = held.name();
            let of = documents.entry(name.to_owned()).or_default();
            of.held.insert(document.clone());
            let given = self.of(KUBELET, name).any(|held| held.uid() == document);
            let claimed = self.of(API, name).filter_map(Held::hash);
            let mut shown = self.shown.iter().filter(|one| one.name == name);
            if given
                || claimed.into_iter().any(|hash| hash == *document)
                || shown.any(|one| one.uid == *document)
            {
                of.proven.insert(document.clone());
            }
        }
        let exact = documents.values().any(|of| !of.proven.is_empty());
        let mut stood_for = BTreeSet::new();
        for (document, held) in &self.held[FILES] {
            let name = held.name();
            let of = documents.get_mut(name).expect("each name has some");
            let had = of.pairs.get(document).and_then(|uids| uids.last().cloned());
            let newest = |uid: &String| {
                let shown = self.shown.iter().filter(|one| one.uid == *uid);
                shown.map(|one| one.created).max().unwrap_or(0)
            };
            let mut given = self.of(KUBELET, name).map(|held| held.uid().to_owned());
            let given = given.any(|uid| !of.is_void(document, &uid));
            let uid = if of.proven.contains(document) {
                document.clone()
            } else if !exact && given {
                stood_for.insert(document.clone());
                continue;
            } else {
                let shown = self.adopted.get(name).into_iter().flatten();
                let shown = shown.filter(|uid| {
                    had.as_ref() == Some(*uid) || of.until == 0 || newest(uid) > of.until
                });
                let claimed = self.of(API, name).filter_map(Held::hash);
                let mut all = shown
                    .cloned()
                    .chain(claimed)
                    .chain(self.hashes.get(name).cloned())
                    .chain(had.clone());
                let uid = all.find(|uid| !of.is_void(document, uid));
                uid.unwrap_or_else(|| document.clone())
            };
            let uids = of.pairs.entry(document.clone()).or_default();
            uids.retain(|had| *had != uid);
            uids.push(uid);
        }
        (self.documents, self.stood_for) = (documents, stood_for);
    }

    /// Keeps what the runtime shows, or may show soon, of pods that nobody has any more.
    fn see_off(&mut self) {
        let now = [FILES, KUBELET, API].map(|owner| self.of_owner(owner));
        let plain = |uid: &String| {
            let held = self.held[API].get(uid);
            matches!(held, Some(Held::Plain { .. }))
        };
        // The mirror of a pod says nothing of whether it is there.
        let has = |uid: &String| {
            let of_both = [FILES, KUBELET]
                .iter()
                .any(|owner| now[*owner].contains_key(uid));
            of_both || plain(uid)
        };
        let is_mirrored = |uid: &String| now[API].contains_key(uid) && !plain(uid);
        let runs = |uid: &String, name: &String| {
            let mut shown = self.shown.iter();
            shown.any(|one| one.uid == *uid && one.name == *name)
        };
        for owner in [FILES, KUBELET] {
            for (uid, (name, document)) in &self.of_both[owner] {
                let gone = owner == FILES
                    && self.documents.get(name).is_none_or(|of| {
                        let had = |(_, had): &(&String, &Vec<String>)| had.last() == Some(uid);
                        let mut pairs = of.pairs.iter().filter(had).peekable();
                        pairs.peek().is_some()
                            && pairs.all(|(document, _)| !of.held.contains(document))
                    });
                let runs = runs(uid, name);
                // A manifest that is there has another UID now.
                let may = runs || gone || owner == KUBELET;
                let leaves = self.leaving.keys().any(|(_, leaving)| leaving == uid);
                let begins = !now[owner].contains_key(uid) && (gone || !has(uid)) && may && !leaves;
                if begins && self.views > 0 {
                    let wait = if runs { 0 } else { 2 };
                    let left = Left {
                        of: (name.clone(), document.clone()),
                        unsure: (self.clock + wait, self.views),
                    };
                    self.leaving.entry((owner, uid.clone())).or_insert(left);
                }
            }
        }
        let (clock, views) = (self.clock, self.views);
        let mut leaving = std::mem::take(&mut self.leaving);
        let mut mirrored = std::mem::take(&mut self.mirrored);
        mirrored.retain(|uid| {
            let name = now[API].get(uid).map(|(name, _)| name);
            is_mirrored(uid) && !has(uid) && name.is_some_and(|name| !runs(uid, name))
        });
        leaving.retain(|(owner, uid), left| {
            let unsure = clock < left.unsure.0 || views <= left.unsure.1;
            let stays = has(uid) || runs(uid, &left.of.0) || unsure;
            if !stays && is_mirrored(uid) {
                mirrored.insert(uid.clone());
            }
            !now[*owner].contains_key(uid) && stays
        });
        self.mirrored = mirrored;
        self.leaving = leaving;
        for owner in [FILES, KUBELET] {
            let mut pods = now[owner].clone();
            pods.retain(|uid, (name, _)| uid != name);
            let left = self.leaving.iter().filter(|((of, _), _)| *of == owner);
            pods.extend(left.map(|((_, uid), left)| (uid.clone(), left.of.clone())));
            self.of_both[owner] = pods;
        }
    }

    /// What an owner holds under a name.
    fn of<'m>(&'m self, owner: usize, name: &str) -> impl Iterator<Item = &'m Held> {
        let held = self.held[owner].values();
        held.filter(move |held| held.name() == name && !matches!(held, Held::Plain { .. }))
    }

    fn settle(&mut self, whole: bool) {
        let served: BTreeSet<String> = self.served().into_keys().collect();
        self.since.retain(|uid, _| served.contains(uid));
        for uid in &served {
            self.since.entry(uid.clone()).or_insert(self.views);
        }
        if !self.live {
            return;
        }
        let leaves = |uid: &String| self.leaving.keys().any(|(_, leaving)| leaving == uid);
        if whole {
            self.told.retain(leaves);
        }
        self.told.retain(|uid| served.contains(uid));
        for uid in &served {
            let shown = self.shown.iter().any(|shown| shown.uid == *uid);
            if shown || self.since[uid] < self.views && !leaves(uid) {
                self.told.insert(uid.clone());
            }
        }
    }

    /// What clients see: UID, name, document and whether a status is told of it.
    pub(super) fn expected(&self) -> BTreeSet<(String, String, String, bool)> {
        let served = self.served().into_iter();
        served
            .map(|(uid, (name, document))| {
                let told = self.told.contains(&uid);
                (uid, name, document, told)
            })
            .collect()
    }

    /// The served UIDs with their names and documents.
    fn served(&self) -> BTreeMap<String, (String, String)> {
        let mut served = self.of_both[FILES].clone();
        let mut of_api = self.of_owner(API);
        of_api.retain(|uid, _| {
            let plain = matches!(self.held[API].get(uid), Some(Held::Plain { .. }));
            plain || !self.mirrored.contains(uid)
        });
        let others = [
            self.of_both[KUBELET].clone(),
            self.of_owner(KUBELET),
            of_api,
        ];
        for (uid, of) in others.into_iter().flatten() {
            served.entry(uid).or_insert(of);
        }
        served
    }

    /// What is served of one owner.
    fn of_owner(&self, owner: usize) -> BTreeMap<String, (String, String)> {
        let mut served = BTreeMap::new();
        for one in self.held[owner].values() {
            let name = one.name();
            if owner == FILES && self.stood_for.contains(one.uid()) {
                continue;
            }
            let uid = match one {
                Held::Plain { uid } => (*uid).to_owned(),
                Held::Static { uid, .. } if owner == FILES => {
                    self.documents[name].uid(uid).to_owned()
                }
                Held::Static { uid, .. } => uid.clone(),
                Held::Mirror { hash, .. } => self.of_mirror(name, hash),
            };
            let document = match one {
                Held::Static { uid, .. } => uid.clone(),
                Held::Mirror { .. } | Held::Plain { .. } => String::new(),
            };
            served.insert(uid, (name.to_owned(), document));
        }
        served
    }

    /// The UID of the mirror pod of a name.
    fn of_mirror(&self, name: &str, hash: &str) -> String {
        let given: Vec<_> = self.of(KUBELET, name).map(Held::uid).collect();
        if let Some(first) = given.first() {
            let same = given.iter().find(|given| **given == hash);
            return (*same.unwrap_or(first)).to_owned();
        }
        if let Some(first) = self.of(FILES, name).next() {
            let of = &self.documents[name];
            // The mirror of a pod before is that pod's.
            let other = of.proven.contains(first.uid()) && hash != first.uid();
            return match of.is_void(first.uid(), hash) || other {
                true => hash.to_owned(),
                false => of.uid(first.uid()).to_owned(),
            };
        }
        hash.to_owned()
    }
}
