//! What no watch and no list may tell, found in the record.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use podsapi_client::EventKind;

use super::fields::{Difference, short};
use super::pod::Pod;
use super::record::{KUBELET, Record, What};

/// How long a server may take to tell what the kubelet tells.
const GRACE: Duration = Duration::from_secs(5);

/// Returns what a server of ours told that breaks a rule of the events or of the lists.
///
/// A pod that becomes younger in the kubelet does so in what stands in front of it, too.
pub(super) fn faults(server: &'static str, node: &str, records: &[Record]) -> Vec<Difference> {
    let own = own_faults(KUBELET, node, records);
    let mut found = own_faults(server, node, records);
    found.retain(|found| {
        let same = |own: &Difference| own.pod == found.pod && own.path == found.path;
        !(YOUNGER.contains(&found.path.as_str()) && own.iter().any(same))
    });
    found
}

/// Returns what a server told that breaks a rule by itself.
pub(super) fn own_faults(server: &'static str, node: &str, records: &[Record]) -> Vec<Difference> {
    let mut reader = Reader {
        server,
        node,
        found: Vec::new(),
        present: BTreeMap::new(),
        last: BTreeMap::new(),
        deleted: BTreeMap::new(),
        renewed: BTreeMap::new(),
        synced: false,
        last_listed: String::new(),
    };
    let timeline = Timeline::of(records);
    for record in records {
        match &record.what {
            What::Put(name) => reader.renew(name, record.at),
            What::Opened(from) if *from == server => reader.open(),
            What::Told(from, kind, pod) if *from == server => {
                reader.told(record.at, *kind, pod.as_ref(), &timeline);
            }
            What::Listed(from, pods) if *from == server && server != KUBELET => {
                reader.listed(record.at, pods, &timeline);
            }
            What::Step(_)
            | What::Removed(_)
            | What::Did(_)
            | What::Opened(_)
            | What::Lost(..)
            | What::Told(..)
            | What::Listed(..) => {}
        }
    }
    reader.found
}

/// The rules that a pod grows older.
const YOUNGER: [&str; 2] = [
    "(a phase that goes back)",
    "(a count of restarts that goes back)",
];

struct Reader<'a> {
    server: &'static str,
    node: &'a str,
    found: Vec<Difference>,
    /// The last state that this watch told of each pod.
    present: BTreeMap<String, Arc<Pod>>,
    /// The last state that any watch told of each pod, until it is put again.
    last: BTreeMap<String, Arc<Pod>>,
    /// The names of the pods that were told to be gone, and were not put again.
    deleted: BTreeMap<String, String>,
    /// When a pod of this name was put last.
    renewed: BTreeMap<String, Duration>,
    synced: bool,
    last_listed: String,
}

impl Reader<'_> {
    fn fault(&mut self, pod: &Pod, rule: &str, ours: String) {
        self.found.push(Difference {
            server: self.server,
            pod: short(&pod.name, self.node),
            path: format!("({rule})"),
            kubelet: String::new(),
            ours,
        });
    }

    fn open(&mut self) {
        self.present.clear();
        self.synced = false;
        self.last_listed.clear();
    }

    /// A pod that is put again may be told again.
    fn renew(&mut self, name: &str, at: Duration) {
        self.deleted.retain(|_, deleted| deleted != name);
        self.last.retain(|_, pod| pod.name != name);
        self.renewed.insert(name.to_owned(), at);
    }

    fn told(&mut self, at: Duration, kind: EventKind, pod: Option<&Arc<Pod>>, timeline: &Timeline) {
        let Some(pod) = pod else {
            self.synced |= kind == EventKind::InitialSyncComplete;
            return;
        };
        let before = self.present.get(&pod.uid).cloned();
        match (kind, &before) {
            (EventKind::Added, None) => {
                if !timeline.known.contains(&pod.uid) {
                    self.once(pod, "a UID that the kubelet never has");
                }
                if self.deleted.contains_key(&pod.uid) {
                    self.fault(pod, "an event after DELETED", "ADDED".to_owned());
                }
                if !self.synced && self.last_listed >= pod.uid {
                    self.fault(pod, "the first listing is not in order", pod.uid.clone());
                }
                self.last_listed.clone_from(&pod.uid);
            }
            (EventKind::Added, Some(_)) => self.fault(pod, "ADDED twice", String::new()),
            (EventKind::Modified, None) if self.deleted.contains_key(&pod.uid) => {
                self.fault(pod, "an event after DELETED", "MODIFIED".to_owned());
            }
            (EventKind::Modified, None) => {
                self.fault(pod, "MODIFIED before ADDED", String::new());
            }
            (EventKind::Modified, Some(before)) if before.value == pod.value => {
                self.fault(pod, "a doubled state", pod.phase().to_owned());
            }
            (EventKind::Modified, Some(_)) | (EventKind::InitialSyncComplete, _) => {}
            (EventKind::Deleted, None) => {
                self.fault(pod, "DELETED of what is not there", String::new());
            }
            (EventKind::Deleted, Some(_)) => {
                if let Some(held) = timeline.held_after(&pod.uid, at) {
                    let told = format!("the kubelet lists it {:.1} s later", held.as_secs_f64());
                    self.fault(pod, "a false DELETED", told);
                }
            }
        }
        if kind == EventKind::Deleted {
            self.present.remove(&pod.uid);
            // The end of what was there before may be told after the beginning of what comes again.
            let renewed = self.renewed.get(&pod.name);
            if renewed.is_none_or(|renewed| *renewed + GRACE < at) {
                self.deleted.insert(pod.uid.clone(), pod.name.clone());
            }
            return;
        }
        if let Some(before) = self.last.insert(pod.uid.clone(), Arc::clone(pod)) {
            self.goes_on(&before, pod);
        }
        self.present.insert(pod.uid.clone(), Arc::clone(pod));
    }

    /// A pod does not become younger under its UID.
    fn goes_on(&mut self, before: &Pod, pod: &Pod) {
        let rank = |pod: &Pod| match pod.phase() {
            "Pending" | "" => 0,
            "Running" => 1,
            _ => 2,
        };
        if rank(before) > rank(pod) {
            let told = format!("{} after {}", pod.phase(), before.phase());
            self.fault(pod, "a phase that goes back", told);
        }
        let containers = before.containers();
        let fewer = containers
            .keys()
            .find(|name| before.restarts(name) > pod.restarts(name));
        if let Some(name) = fewer {
            let told = format!("{} after {}", pod.restarts(name), before.restarts(name));
            self.fault(pod, "a count of restarts that goes back", told);
        }
    }

    fn listed(&mut self, at: Duration, pods: &[Arc<Pod>], timeline: &Timeline) {
        let uids: BTreeSet<_> = pods.iter().map(|pod| pod.uid.as_str()).collect();
        for pod in pods {
            if timeline.forgotten_before(&pod.uid, at) {
                let rule = match pod.is_leaving() {
                    true => "a list has what is leaving, and what the kubelet has forgotten",
                    false => "a list has what the kubelet has forgotten",
                };
                self.once(pod, rule);
            }
        }
        for pod in timeline.held_around(at) {
            if !uids.contains(pod.uid.as_str()) {
                self.once(&pod, "a list lacks what the kubelet lists");
            }
        }
    }

    /// A list that is wrong is wrong for a while: it counts once for each pod.
    fn once(&mut self, pod: &Pod, rule: &str) {
        let path = format!("({rule})");
        if !self
            .found
            .iter()
            .any(|found| found.path == path && found.ours == pod.uid)
        {
            self.fault(pod, rule, pod.uid.clone());
        }
    }
}

/// What the kubelet listed, and when what was done to which pods.
struct Timeline {
    lists: Vec<(Duration, BTreeMap<String, Arc<Pod>>)>,
    /// The UIDs of which the kubelet ever told.
    known: BTreeSet<String>,
    /// When a watch on the kubelet told last of a pod.
    told: BTreeMap<String, Duration>,
    /// When a pod of this name was put or removed.
    touched: BTreeMap<String, Vec<Duration>>,
}

impl Timeline {
    fn of(records: &[Record]) -> Self {
        let mut timeline = Self {
            lists: Vec::new(),
            known: BTreeSet::new(),
            told: BTreeMap::new(),
            touched: BTreeMap::new(),
        };
        let mut open = BTreeSet::new();
        for record in records {
            match &record.what {
                What::Told(KUBELET, kind, Some(pod)) => {
                    timeline.known.insert(pod.uid.clone());
                    timeline.told.insert(pod.uid.clone(), record.at);
                    match kind {
                        EventKind::Deleted => open.remove(&pod.uid),
                        EventKind::Added | EventKind::Modified | EventKind::InitialSyncComplete => {
                            open.insert(pod.uid.clone())
                        }
                    };
                }
                // What it would have told of them nobody hears: it is done with them by now.
                What::Lost(KUBELET, _) => {
                    let ends = std::mem::take(&mut open).into_iter();
                    timeline.told.extend(ends.map(|uid| (uid, record.at)));
                }
                What::Listed(KUBELET, pods) => {
                    let uids = pods.iter().map(|pod| pod.uid.clone());
                    timeline.known.extend(uids);
                    let pods = pods.iter().map(|pod| (pod.uid.clone(), Arc::clone(pod)));
                    timeline.lists.push((record.at, pods.collect()));
                }
                What::Put(name) | What::Removed(name) => {
                    timeline
                        .touched
                        .entry(name.clone())
                        .or_default()
                        .push(record.at);
                }
                What::Step(_)
                | What::Did(_)
                | What::Opened(_)
                | What::Lost(..)
                | What::Told(..)
                | What::Listed(..) => {}
            }
        }
        timeline
    }

    fn is_touched(&self, name: &str, from: Duration, to: Duration) -> bool {
        let touched = self.touched.get(name);
        touched.is_some_and(|touched| touched.iter().any(|at| (from..=to).contains(at)))
    }

    /// Returns how long after `at` the kubelet lists a pod that nobody put or removed about then.
    fn held_after(&self, uid: &str, at: Duration) -> Option<Duration> {
        let mut lists = self.lists.iter().filter(|(listed, _)| *listed > at + GRACE);
        let (listed, pods) = lists.find(|(_, pods)| pods.contains_key(uid))?;
        let pod = pods.get(uid)?;
        let touched = self.is_touched(&pod.name, at.saturating_sub(LONG), *listed);
        (!touched).then(|| *listed - at)
    }

    /// Says whether the kubelet has long ceased to tell of a pod.
    fn forgotten_before(&self, uid: &str, at: Duration) -> bool {
        let before = self.lists.iter().filter(|(listed, _)| *listed <= at);
        let since = before
            .clone()
            .filter(|(_, pods)| pods.contains_key(uid))
            .map(|(at, _)| *at);
        let Some(listed) = since.max() else {
            return false;
        };
        // Without lists that lack it the kubelet is away.
        let mut missing = before
            .filter(|(absent, _)| *absent > listed)
            .map(|(at, _)| *at);
        let Some(missing) = missing.next() else {
            return false;
        };
        let told = self.told.get(uid).copied().unwrap_or_default();
        // The kubelet's watch tells the end of what its list no longer has.
        at > missing.max(told) + GRACE && self.told.get(uid).is_none_or(|told| *told < at)
    }

    /// Returns the pods that the kubelet lists for a while before and after.
    fn held_around(&self, at: Duration) -> Vec<Arc<Pod>> {
        let after = self.lists.partition_point(|(listed, _)| *listed < at);
        let early = self
            .lists
            .partition_point(|(listed, _)| *listed + GRACE < at);
        let Some(span) = early
            .checked_sub(1)
            .and_then(|first| self.lists.get(first..=after))
        else {
            return Vec::new();
        };
        let [(from, first), rest @ ..] = span else {
            return Vec::new();
        };
        let until = rest.last().map_or(*from, |(until, _)| *until);
        let held = first
            .values()
            .filter(|pod| rest.iter().all(|(_, pods)| pods.contains_key(&pod.uid)));
        held.filter(|pod| !self.is_touched(&pod.name, *from, until))
            .cloned()
            .collect()
    }
}

/// Longer than a pod takes to end.
const LONG: Duration = Duration::from_secs(45);

#[cfg(test)]
mod tests;
