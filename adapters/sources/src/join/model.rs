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
}

/// All that was said, as plain sets.
#[derive(Clone, Debug, Default)]
pub(super) struct Model {
    held: [BTreeMap<String, Held>; 3],
    /// The UID of the sandbox that was seen last for each name.
    adopted: BTreeMap<&'static str, String>,
    /// The hash of the mirror pod that was seen last for each name.
    hashes: BTreeMap<String, String>,
    shown: Vec<Shown>,
    live: bool,
    views: usize,
    since: BTreeMap<String, usize>,
    /// The UIDs that a status is told for.
    told: BTreeSet<String>,
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
                // The last of a name stays: a ready one if there is one, then the newest.
                files.sort_by_key(|one| (one.ready, one.created));
                let files = files.into_iter().map(|one| (one.name, one.uid.clone()));
                self.adopted.extend(files);
                whole = !self.live;
                self.live = true;
                self.views += 1;
            }
            Op::RuntimeLost => self.live = false,
        }
        let (shown, files) = (&self.shown, &self.held[FILES]);
        self.adopted.retain(|name, _| {
            shown.iter().any(|shown| shown.name == *name)
                || files.values().any(|held| held.name() == *name)
        });
        let mut mirrors = BTreeMap::new();
        for held in self.held[API].values() {
            if let Held::Mirror { name, hash, .. } = held {
                let name = (*name).to_owned();
                mirrors.entry(name).or_insert_with(|| hash.clone());
            }
        }
        self.hashes.extend(mirrors);
        self.hashes
            .retain(|name, _| files.values().any(|held| held.name() == name));
        self.settle(whole);
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
        if whole {
            self.told.clear();
        }
        self.told.retain(|uid| served.contains(uid));
        for uid in &served {
            let shown = self.shown.iter().any(|shown| shown.uid == *uid);
            if shown || self.since[uid] < self.views {
                self.told.insert(uid.clone());
            }
        }
    }

    /// What clients see: UID, name and whether a status is told of it.
    pub(super) fn expected(&self) -> BTreeSet<(String, String, bool)> {
        let served = self.served().into_iter();
        served
            .map(|(uid, name)| {
                let told = self.told.contains(&uid);
                (uid, name, told)
            })
            .collect()
    }

    /// The served UIDs with their names.
    fn served(&self) -> BTreeMap<String, String> {
        let mut served = BTreeMap::new();
        for held in &self.held {
            let mut names = BTreeSet::new();
            for one in held.values() {
                let first = names.insert(one.name());
                let uid = match one {
                    Held::Plain { uid } => (*uid).to_owned(),
                    Held::Static { .. } | Held::Mirror { .. } if first => self.of_name(one.name()),
                    Held::Static { uid, .. } => uid.clone(),
                    Held::Mirror { hash, .. } => hash.clone(),
                };
                served.insert(uid, one.name().to_owned());
            }
        }
        served
    }

    /// The one UID of the static pods of a name.
    fn of_name(&self, name: &str) -> String {
        let first = |owner: usize| self.held[owner].values().find(|one| one.name() == name);
        if let Some(given) = first(KUBELET) {
            return given.uid().to_owned();
        }
        let file = first(FILES);
        // The runtime's word counts over a mirror's, while the runtime says it.
        let shown = |one: &Shown| one.name == name && one.name != one.uid;
        let counts = file.is_some() || self.shown.iter().any(shown);
        if let Some(adopted) = self.adopted.get(name).filter(|_| counts) {
            return adopted.clone();
        }
        match (first(API), file) {
            (Some(Held::Mirror { hash, .. }), _) => hash.clone(),
            (_, Some(file)) => match self.hashes.get(name) {
                Some(hash) => hash.clone(),
                None => file.uid().to_owned(),
            },
            (_, None) => panic!("a name is asked for because somebody holds it"),
        }
    }
}
