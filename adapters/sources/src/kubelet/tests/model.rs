//! A relay beside a made kubelet, whose list and watch relate as a real one's do, in virtual time.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use podsapi_client::{Event, EventKind, Status};
use podsapi_core::{Code, Moment, SourceEvent};
use proptest::prelude::*;

use super::super::Broken;
use super::super::relay::Relay;
use super::super::resync::later;
use super::upstream::pod;
use crate::sink::Sink;

/// What a kubelet has, and what it has yet to do and to tell.
struct Kubelet {
    now: u64,
    random: fastrand::Rng,
    list: BTreeMap<String, Pod>,
    /// What it does by itself, by time and order.
    plans: BTreeMap<(u64, u64), Plan>,
    /// What its watch has under way, by time of arrival and order.
    events: BTreeMap<(u64, u64), (EventKind, String, u64)>,
    count: u64,
}

#[derive(Clone, Debug)]
struct Pod {
    name: String,
    revision: u64,
    /// Its revision when it came into the list.
    first: u64,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Its event is to come.
    Awaited,
    Running,
    Finished,
}

#[derive(Clone, Debug)]
enum Plan {
    Start(String),
    /// It says DELETED of a pod that has ended, and lists it on, with a last change or none.
    End(String, bool),
    /// It tells the end of the containers of a pod that it lists no more.
    Containers(String, bool),
    /// That pod has ended; one that took its name, which comes second, starts.
    Over(String, String),
}

/// What a source said, as a server would have taken it.
#[derive(Default)]
struct Heard {
    pods: BTreeMap<String, Bytes>,
    staged: Option<BTreeMap<String, Bytes>>,
    /// What came or went since it was looked at, with the bytes of what came.
    changes: Vec<(String, Option<Bytes>)>,
}

impl Heard {
    fn take(&mut self, event: SourceEvent) {
        match event {
            SourceEvent::Begin => self.staged = Some(BTreeMap::new()),
            SourceEvent::Put { pod, .. } => {
                let (uid, bytes) = (pod.uid().to_string(), pod.bytes().clone());
                match &mut self.staged {
                    Some(staged) => drop(staged.insert(uid, bytes)),
                    None => {
                        self.changes.push((uid.clone(), Some(bytes.clone())));
                        self.pods.insert(uid, bytes);
                    }
                }
            }
            SourceEvent::Remove { uid, .. } => {
                let uid = uid.to_string();
                match &mut self.staged {
                    Some(staged) => drop(staged.remove(&uid)),
                    None if self.pods.remove(&uid).is_some() => self.changes.push((uid, None)),
                    None => {}
                }
            }
            SourceEvent::Complete { .. } => {
                let staged = self.staged.take().expect("a list began");
                let before = std::mem::replace(&mut self.pods, staged);
                let gone = before
                    .into_keys()
                    .filter(|uid| !self.pods.contains_key(uid));
                self.changes.extend(gone.map(|uid| (uid, None)));
            }
            SourceEvent::Lost => self.staged = None,
            SourceEvent::Status { .. } => panic!("a relay knows pods"),
        }
    }
}

/// Returns a pod's bytes at a revision, and the revision of a pod's bytes.
fn bytes(uid: &str, name: &str, revision: u64) -> Bytes {
    let mut bytes = [pod(uid, name), b"\x82\x7d\x08".to_vec()].concat();
    bytes.extend(revision.to_be_bytes());
    Bytes::from(bytes)
}

fn revision(bytes: &[u8]) -> u64 {
    u64::from_be_bytes(bytes[bytes.len() - 8..].try_into().unwrap())
}

impl Kubelet {
    fn next(&mut self) -> u64 {
        self.count += 1;
        self.count
    }

    fn plan(&mut self, after: u64, plan: Plan) {
        let order = self.next();
        self.plans.insert((self.now + after, order), plan);
    }

    /// Tells the watch, which takes a while and keeps the order.
    fn tell(&mut self, kind: EventKind, uid: &str, revision: u64) {
        let last = self.events.keys().next_back().map_or(0, |(at, _)| *at);
        let at = last.max(self.now + self.random.u64(0..200));
        let order = self.next();
        self.events
            .insert((at, order), (kind, uid.to_owned(), revision));
    }

    fn insert(&mut self, uid: &str, name: &str, state: State) -> u64 {
        let revision = self.next();
        let pod = Pod {
            name: name.to_owned(),
            revision,
            first: revision,
            state,
        };
        self.list.insert(uid.to_owned(), pod);
        revision
    }

    /// Changes a listed pod; returns its new revision.
    fn change(&mut self, uid: &str) -> Option<u64> {
        let revision = self.next();
        let pod = self.list.get_mut(uid)?;
        pod.revision = revision;
        Some(revision)
    }

    fn pick(&self, state: State, which: u8) -> Option<String> {
        let mut found = self.list.iter().filter(|(_, pod)| pod.state == state);
        let count = found.clone().count();
        let uid = found.nth(usize::from(which) % count.max(1))?.0;
        Some(uid.clone())
    }

    /// Takes a running pod from the list, while its containers go on for a while.
    fn remove(&mut self, uid: &str) -> Option<Pod> {
        let pod = self.list.remove(uid)?;
        let grace = self.random.u64(0..6_000);
        let ghost = self.random.bool();
        self.plan(grace, Plan::Containers(uid.to_owned(), ghost));
        self.plan(grace + 1_000, Plan::Over(uid.to_owned(), pod.name.clone()));
        Some(pod)
    }

    fn act(&mut self, op: Op, which: u8) {
        let number = self.count;
        match op {
            Op::Add => {
                let uid = format!("u{number}");
                self.insert(&uid, &format!("n{number}"), State::Awaited);
                self.plan(50, Plan::Start(uid));
            }
            Op::Change => {
                // Twice at once, so that the watch has an older state under way than is listed.
                for uid in self.pick(State::Running, which).iter().cycle().take(2) {
                    let revision = self.change(uid).expect("it is listed");
                    self.tell(EventKind::Modified, uid, revision);
                }
            }
            Op::Finish => {
                if let Some(uid) = self.pick(State::Running, which) {
                    let revision = self.change(&uid).expect("it is listed");
                    self.list.get_mut(&uid).expect("it is listed").state = State::Finished;
                    if which.is_multiple_of(2) {
                        self.tell(EventKind::Modified, &uid, revision);
                    }
                    self.plan(
                        u64::from(which) * 10,
                        Plan::End(uid, which.is_multiple_of(3)),
                    );
                }
            }
            Op::Reject => {
                let uid = format!("u{number}");
                let revision = self.insert(&uid, &format!("n{number}"), State::Finished);
                self.tell(EventKind::Added, &uid, revision);
                if which.is_multiple_of(2) {
                    self.tell(EventKind::Deleted, &uid, revision);
                }
            }
            Op::Remove => {
                if let Some(uid) = self.pick(State::Running, which) {
                    self.remove(&uid);
                }
            }
            Op::Replace => {
                if let Some(uid) = self.pick(State::Running, which)
                    && let Some(pod) = self.remove(&uid)
                {
                    self.insert(&format!("u{number}"), &pod.name, State::Awaited);
                }
            }
            Op::Return => {
                // Removed, and put back before its containers have ended.
                if let Some(uid) = self.pick(State::Running, which)
                    && let Some(pod) = self.remove(&uid)
                {
                    self.plans.retain(
                        |_, plan| !matches!(plan, Plan::Containers(other, _) if *other == uid),
                    );
                    self.insert(&uid, &pod.name, State::Awaited);
                }
            }
            Op::Relabel => {
                if let Some(uid) = self.pick(State::Running, which) {
                    self.change(&uid);
                }
            }
            Op::Forget => {
                if let Some(uid) = self.pick(State::Finished, which) {
                    self.list.remove(&uid);
                    self.plans
                        .retain(|_, plan| !matches!(plan, Plan::End(other, _) if *other == uid));
                }
            }
            Op::Break | Op::Wait => {}
        }
    }

    fn carry_out(&mut self, plan: Plan) {
        match plan {
            Plan::Start(uid) => {
                let Some(pod) = self.list.get_mut(&uid) else {
                    return;
                };
                pod.state = State::Running;
                let revision = self.change(&uid).expect("it is listed");
                self.tell(EventKind::Added, &uid, revision);
            }
            Plan::End(uid, changed) => {
                let revision = self.list.get(&uid).map(|pod| pod.revision);
                let revision = if changed { self.change(&uid) } else { revision };
                self.tell(EventKind::Deleted, &uid, revision.unwrap_or_default());
            }
            Plan::Containers(uid, ghost) => {
                let revision = self.next();
                self.tell(EventKind::Modified, &uid, revision);
                if ghost {
                    self.tell(EventKind::Added, &uid, revision);
                }
            }
            Plan::Over(uid, name) => {
                let revision = self.next();
                self.tell(EventKind::Deleted, &uid, revision);
                let awaited = self
                    .list
                    .iter()
                    .filter(|(_, pod)| pod.state == State::Awaited && pod.name == name);
                let awaited: Vec<_> = awaited.map(|(uid, _)| uid.clone()).collect();
                for uid in awaited {
                    self.plan(700, Plan::Start(uid));
                }
            }
        }
    }
}

/// A kubelet, a relay of it, and what came of it.
struct Simulation {
    kubelet: Kubelet,
    relay: Relay,
    heard: Arc<Mutex<Heard>>,
    /// When a list is made and when it arrives, or that it is refused.
    asked: Option<(u64, u64, bool)>,
    made: Option<BTreeMap<String, Pod>>,
    /// The pods of the last list that arrived.
    arrived: BTreeSet<String>,
    lists: Vec<u64>,
    refuses: bool,
    /// By UID the newest revision that is served, and whether it ever went.
    newest: BTreeMap<String, u64>,
    went: BTreeSet<String>,
    names: BTreeMap<String, String>,
    /// The pods of which the watch said last that they are deleted.
    over: BTreeSet<String>,
    /// How often it said that a pod is added.
    added: usize,
}

impl Simulation {
    fn new(seed: u64, period: Duration, refuses: bool) -> Self {
        let heard = Arc::new(Mutex::new(Heard::default()));
        let ear = Arc::clone(&heard);
        let sink = Sink::new(
            move |event| {
                ear.lock().unwrap().take(event);
                Ok(())
            },
            |_| {},
            || 0,
        );
        let kubelet = Kubelet {
            now: 0,
            random: fastrand::Rng::with_seed(seed),
            list: BTreeMap::new(),
            plans: BTreeMap::new(),
            events: BTreeMap::new(),
            count: 0,
        };
        let mut simulation = Self {
            kubelet,
            relay: Relay::new(sink, "upstream".to_owned(), period, seed),
            heard,
            asked: None,
            made: None,
            arrived: BTreeSet::new(),
            lists: Vec::new(),
            refuses,
            newest: BTreeMap::new(),
            went: BTreeSet::new(),
            names: BTreeMap::new(),
            over: BTreeSet::new(),
            added: 0,
        };
        simulation.connect();
        simulation
    }

    fn now(&self) -> Moment {
        later(Moment::ORIGIN, Duration::from_millis(self.kubelet.now))
    }

    fn event(&mut self, kind: EventKind, pod: Bytes) {
        let now = self.now();
        let event = Event { kind, pod };
        self.relay.handle_event(&event, now).map(drop).unwrap();
    }

    /// Begins a watch, which tells first all that is listed.
    fn connect(&mut self) {
        self.kubelet.events.clear();
        self.over.clear();
        (self.asked, self.made) = (None, None);
        self.relay.begin().unwrap();
        for (uid, pod) in self.kubelet.list.clone() {
            self.event(EventKind::Added, bytes(&uid, &pod.name, pod.revision));
        }
        self.event(EventKind::InitialSyncComplete, Bytes::new());
        self.arrived = self.kubelet.list.keys().cloned().collect();
        self.check();
    }

    fn run(&mut self, millis: u64) {
        let end = self.kubelet.now + millis;
        while self.kubelet.now < end {
            self.kubelet.now += 10;
            self.step();
        }
    }

    fn step(&mut self) {
        let now = self.kubelet.now;
        while let Some(plan) = self
            .kubelet
            .plans
            .first_entry()
            .filter(|plan| plan.key().0 <= now)
        {
            let plan = plan.remove();
            self.kubelet.carry_out(plan);
        }
        for (uid, pod) in &self.kubelet.list {
            self.names.insert(uid.clone(), pod.name.clone());
        }
        while let Some(event) = self
            .kubelet
            .events
            .first_entry()
            .filter(|event| event.key().0 <= now)
        {
            let (kind, uid, revision) = event.remove();
            let name = self.names.get(&uid).cloned().unwrap_or_default();
            self.event(kind, bytes(&uid, &name, revision));
            self.added += usize::from(kind == EventKind::Added);
            if kind == EventKind::Deleted {
                self.over.insert(uid);
            } else if self.over.remove(&uid) && kind == EventKind::Added {
                let heard = self.heard.lock().unwrap();
                assert!(heard.pods.contains_key(&uid), "{uid} waits for a list");
            }
            self.check();
        }
        let moment = self.now();
        self.relay.handle_timeout(moment).unwrap();
        if self.relay.poll_list(moment) {
            assert!(self.asked.is_none(), "one list at a time");
            self.lists.push(now);
            let made = now + self.kubelet.random.u64(0..200);
            let refused = self.refuses && self.kubelet.random.u8(0..4) == 0;
            self.asked = Some((made, made + self.kubelet.random.u64(0..200), refused));
        }
        if let Some((made, arrives, refused)) = self.asked {
            if made <= now && self.made.is_none() {
                self.made = Some(self.kubelet.list.clone());
            }
            if arrives <= now
                && let Some(list) = self.made.take()
            {
                self.asked = None;
                let answer = if refused {
                    Err(Status::new(Code::ResourceExhausted, "rejected by rate limit").into())
                } else {
                    self.arrived = list.keys().cloned().collect();
                    let pods = list.iter();
                    Ok(pods
                        .map(|(uid, pod)| bytes(uid, &pod.name, pod.revision))
                        .collect())
                };
                self.relay.handle_list(answer, moment).unwrap();
            }
        }
        self.check();
    }

    /// Checks what was served since the last time.
    fn check(&mut self) {
        let changes = std::mem::take(&mut self.heard.lock().unwrap().changes);
        for (uid, bytes) in changes {
            let listed = self.kubelet.list.get(&uid);
            match bytes {
                None => {
                    // One that was removed and is back may go as what it was before.
                    let was = self.newest.remove(&uid).unwrap_or_default();
                    let is_back = listed.is_some_and(|pod| was < pod.first);
                    assert!(
                        listed.is_none() || is_back,
                        "{uid} is deleted, and is listed"
                    );
                    self.went.insert(uid);
                }
                Some(bytes) => {
                    if self.went.contains(&uid) {
                        let back = listed.is_some() || self.arrived.contains(&uid);
                        assert!(back, "{uid} is told after its deletion");
                    }
                    let newest = self.newest.entry(uid.clone()).or_default();
                    assert!(revision(&bytes) >= *newest, "{uid} takes a step back");
                    *newest = revision(&bytes);
                }
            }
        }
    }

    fn same(&self) -> bool {
        let list = self.kubelet.list.iter();
        let list = list.map(|(uid, pod)| (uid.clone(), bytes(uid, &pod.name, pod.revision)));
        self.heard.lock().unwrap().pods == list.collect::<BTreeMap<_, _>>()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Op {
    Add,
    Break,
    Change,
    Finish,
    Forget,
    Reject,
    Relabel,
    Remove,
    Replace,
    Return,
    Wait,
}

fn any_wait() -> impl Strategy<Value = u64> {
    prop_oneof![0_u64..150, 0_u64..1_500]
}

fn any_op() -> impl Strategy<Value = Op> {
    prop_oneof![
        4 => Just(Op::Add), 1 => Just(Op::Break), 4 => Just(Op::Change), 3 => Just(Op::Finish),
        2 => Just(Op::Forget), 1 => Just(Op::Reject), 1 => Just(Op::Relabel), 2 => Just(Op::Remove),
        2 => Just(Op::Replace), 1 => Just(Op::Return), 2 => Just(Op::Wait),
    ]
}

fn told_op() -> impl Strategy<Value = Op> {
    prop_oneof![
        4 => Just(Op::Add), 1 => Just(Op::Break), 4 => Just(Op::Change), 3 => Just(Op::Finish),
        1 => Just(Op::Reject), 2 => Just(Op::Wait),
    ]
}

proptest! {
    #[test]
    fn what_a_kubelet_lists_is_what_is_served_in_the_end(
        seed: u64,
        ops in prop::collection::vec((any_op(), any::<u8>(), any_wait()), 1..40),
    ) {
        let mut simulation = Simulation::new(seed, Duration::from_secs(5), true);
        for (op, which, wait) in ops {
            if op == Op::Break {
                simulation.relay.lost(&Broken::Ended).unwrap();
                simulation.run(wait);
                simulation.connect();
            }
            simulation.kubelet.act(op, which);
            simulation.run(wait);
        }
        // Longer than any grace, and than the beat with the longest wait after refusals.
        simulation.refuses = false;
        simulation.run(30_000);
        prop_assert!(simulation.same());
        let gaps = simulation.lists.windows(2).map(|pair| pair[1] - pair[0]);
        // Only a pod that may be back is asked about sooner.
        let soon = gaps.filter(|gap| *gap < 800).count();
        prop_assert!(soon <= simulation.added, "{:?}", simulation.lists);
    }

    #[test]
    fn what_a_kubelet_gives_a_sign_of_is_served_within_two_seconds(
        seed: u64,
        ops in prop::collection::vec((told_op(), any::<u8>(), any_wait()), 1..20),
    ) {
        let mut simulation = Simulation::new(seed, Duration::from_secs(3_600), false);
        for (op, which, wait) in ops {
            if op == Op::Break {
                simulation.connect();
            }
            simulation.kubelet.act(op, which);
            simulation.run(wait);
        }
        while !simulation.kubelet.plans.is_empty() || !simulation.kubelet.events.is_empty() {
            simulation.run(10);
        }
        simulation.run(2_000);
        prop_assert!(simulation.same());
    }
}
