//! Runs operations on the service and on the model, and compares them after each.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;

use bytes::Bytes;
use podsapi_core::{
    Call, Code, Config, Counters, Dialect, Method, Moment, Namespaces, Pods, Reply, Scope,
    SlowWatch, SourceConfig, SourceError, SourceEvent, SourceId, Uid, WatchId, WatchOutput,
};

use crate::model::{
    Answer, Gone, MAX_PODS_PER_SOURCE, MAX_WATCHES, Model, Seen, ServedPod, WALL_SECONDS, uid,
};
use crate::op::{Op, PodChoice, ScopeChoice, Setup, StatusChoice};
use crate::pods::{Record, SamplePod, SampleStatus, message, records};

/// The service beside its model.
#[derive(Debug)]
pub struct Run {
    pods: Pods,
    model: Model,
    setup: Setup,
    sources: Vec<SourceId>,
    /// The ids of the model's watches, in its order.
    ids: Vec<WatchId>,
    /// Watches that were named ready and not read until Idle since.
    named: BTreeSet<WatchId>,
    seen: BTreeMap<WatchId, History>,
    now: u64,
}

/// What a watch has read, as far as later messages depend on it.
#[derive(Debug, Default)]
struct History {
    synced: bool,
    alive: BTreeSet<String>,
    first: Vec<String>,
}

impl Run {
    /// Returns a fresh service with its model.
    pub fn new(setup: Setup) -> Self {
        let model = Model::new(setup.clone());
        let sources = model
            .sources
            .iter()
            .map(|s| SourceConfig::new(s.name, s.kind))
            .collect();
        let config = Config {
            sources,
            qps: setup.qps,
            burst: number(setup.burst),
            watch_buffer: number(setup.watch_buffer),
            slow_watch: setup.slow_watch,
            max_watches: number(MAX_WATCHES),
            max_pods_per_source: number(MAX_PODS_PER_SOURCE),
            ..Config::default()
        };
        let pods = Pods::new(config, Moment::ORIGIN);
        let sources = model
            .sources
            .iter()
            .filter_map(|source| pods.source(source.name))
            .collect();
        Self {
            pods,
            model,
            setup,
            sources,
            ids: Vec::new(),
            named: BTreeSet::new(),
            seen: BTreeMap::new(),
            now: 0,
        }
    }

    /// Does one thing to both and compares what can be seen.
    pub fn step(&mut self, op: &Op) {
        let at = WALL_SECONDS;
        match op {
            Op::Begin(source) => {
                let source = self.pick_source(*source);
                self.model.begin(source);
                self.say(source, SourceEvent::Begin, Ok(()));
            }
            Op::Put(source, pod) => self.put(*source, pod),
            Op::Status(source, pod, status) => {
                let source = self.pick_source(*source);
                let expected = self.model.say(source, *pod, None, Some(status.clone()));
                let (uid, status) = (Uid::new(&uid(*pod)), sample_status(status).parse());
                self.say(source, SourceEvent::Status { uid, status, at }, expected);
            }
            Op::Remove(source, pod) => {
                let source = self.pick_source(*source);
                let expected = self.model.remove(source, *pod);
                let uid = Uid::new(&uid(*pod));
                self.say(source, SourceEvent::Remove { uid, at }, expected);
            }
            Op::Complete(source) => {
                let source = self.pick_source(*source);
                let expected = self.model.complete(source);
                self.say(source, SourceEvent::Complete { at }, expected);
            }
            Op::Lost(source) => {
                let source = self.pick_source(*source);
                self.model.lost(source);
                self.say(source, SourceEvent::Lost, Ok(()));
            }
            Op::Replace(source, pods) => {
                self.step(&Op::Begin(*source));
                pods.iter().for_each(|pod| self.put(*source, pod));
                self.step(&Op::Complete(*source));
            }
            Op::List(dialect, scope) => {
                let expected = self.model.list(*dialect, *scope, self.now);
                self.answer(*dialect, Method::ListPods, *scope, Bytes::new(), &expected);
            }
            Op::Get(dialect, scope, pod) => {
                let expected = self.model.get(*dialect, *scope, *pod, self.now);
                let mut body = Vec::new();
                message(1, uid(*pod).as_bytes(), &mut body);
                self.answer(*dialect, Method::GetPod, *scope, body.into(), &expected);
            }
            Op::Garbage(dialect) => {
                let expected = Err(self.model.garbage(*dialect, self.now));
                let body = Bytes::from_static(&[0x0a]);
                self.answer(
                    *dialect,
                    Method::ListPods,
                    ScopeChoice::All,
                    body,
                    &expected,
                );
            }
            Op::Watch(dialect, scope) => self.watch(*dialect, *scope),
            Op::Read(watch, count) => self.read(*watch, *count),
            Op::Cancel(watch) => {
                if let Some(watch) = self.pick_watch(*watch) {
                    self.model.cancel(watch);
                    self.pods.handle_cancel(self.ids[watch]);
                }
            }
            Op::Wait(milliseconds) => self.now += u64::from(*milliseconds) * 1_000_000,
            Op::Shutdown => {
                self.model.shutdown();
                self.pods.handle_shutdown();
            }
        }
        self.check();
    }

    /// Reads every watch to its end and compares that nothing is left.
    pub fn finish(&mut self) {
        for watch in 0..self.ids.len() {
            while !matches!(self.read_one(watch), Seen::Idle | Seen::End(_)) {}
        }
        self.check();
    }

    fn put(&mut self, source: u8, pod: &PodChoice) {
        let source = self.pick_source(source);
        let expected = self.model.say(source, pod.pod, Some(pod.clone()), None);
        let event = SourceEvent::Put {
            pod: sample_pod(pod).parse(),
            at: WALL_SECONDS,
        };
        self.say(source, event, expected);
    }

    fn say(&mut self, source: usize, event: SourceEvent, expected: Result<(), SourceError>) {
        let now = Moment::from_nanos(self.now);
        assert_eq!(
            self.pods.handle_source(self.sources[source], event, now),
            expected
        );
    }

    fn call(&mut self, dialect: Dialect, method: Method, scope: ScopeChoice, body: Bytes) -> Reply {
        let namespaces = match scope {
            ScopeChoice::All => Namespaces::All,
            ScopeChoice::OneNamespace => Namespaces::Only(["namespace-0".into()].into()),
        };
        let scope = Scope {
            namespaces,
            ..Scope::everything()
        };
        let call = Call {
            scope,
            ..Call::new(dialect, method, body)
        };
        self.pods.handle_call(call, Moment::from_nanos(self.now))
    }

    fn answer(
        &mut self,
        dialect: Dialect,
        method: Method,
        scope: ScopeChoice,
        body: Bytes,
        expected: &Answer,
    ) {
        let ready = self.pods.readiness().is_ready();
        let found: Answer = match self.call(dialect, method, scope, body) {
            Reply::Answer(message) => {
                assert_eq!(message.len(), message.to_vec().len());
                Ok(payloads(&message.to_vec(), 1)
                    .iter()
                    .map(|pod| served_pod(pod))
                    .collect())
            }
            Reply::Refuse(status) => Err(status.code()),
            Reply::Watch(_) => panic!("{method:?} opened a watch"),
        };
        assert!(
            ready || found.is_err(),
            "a call succeeded before the first sync"
        );
        assert_eq!(&found, expected);
    }

    fn watch(&mut self, dialect: Dialect, scope: ScopeChoice) {
        let expected = self.model.watch(dialect, scope, self.now);
        let found = match self.call(dialect, Method::WatchPods, scope, Bytes::new()) {
            Reply::Watch(id) => {
                assert!(!self.ids.contains(&id), "an id came twice");
                self.ids.push(id);
                Ok(())
            }
            Reply::Refuse(status) => Err(status.code()),
            Reply::Answer(_) => panic!("a watch was answered at once"),
        };
        assert_eq!(found, expected);
    }

    fn read(&mut self, watch: u8, count: u8) {
        if let Some(watch) = self.pick_watch(watch) {
            for _ in 0..count {
                if let Seen::End(_) = self.read_one(watch) {
                    break;
                }
            }
        }
    }

    fn read_one(&mut self, watch: usize) -> Seen {
        let id = self.ids[watch];
        let dialect = self.model.watches[watch].dialect;
        let gone = self.model.watches[watch].gone;
        let expected = if gone {
            Seen::End(Code::Cancelled)
        } else {
            self.model.read(watch)
        };
        let found = match self.pods.poll_watch(id) {
            WatchOutput::Event(event) => seen_event(dialect, &event.to_vec(), &expected),
            WatchOutput::Idle => Seen::Idle,
            WatchOutput::End(status) => Seen::End(status.code()),
        };
        assert_eq!(found, expected);
        if matches!(found, Seen::Idle | Seen::End(_)) {
            self.named.remove(&id);
        }
        self.remember(id, dialect, &found);
        found
    }

    /// Checks what must hold for the messages of any one watch in their order.
    fn remember(&mut self, id: WatchId, dialect: Dialect, seen: &Seen) {
        let history = self.seen.entry(id).or_default();
        match seen {
            Seen::Added(pod) => {
                assert!(
                    history.alive.insert(pod.uid.clone()),
                    "ADDED again: {pod:?}"
                );
                if !history.synced && dialect == Dialect::V1alpha1 {
                    assert!(history.first.last().is_none_or(|last| *last < pod.uid));
                    history.first.push(pod.uid.clone());
                }
            }
            Seen::Modified(pod) => {
                assert!(
                    history.synced || dialect == Dialect::Documented,
                    "early: {pod:?}"
                );
                assert!(
                    history.alive.contains(&pod.uid),
                    "MODIFIED before ADDED: {pod:?}"
                );
            }
            Seen::Deleted(gone) => {
                assert!(
                    history.synced || dialect == Dialect::Documented,
                    "early: {gone:?}"
                );
                assert!(
                    history.alive.remove(&gone.uid),
                    "DELETED before ADDED: {gone:?}"
                );
            }
            Seen::Marker => {
                assert!(!history.synced, "the marker came twice");
                history.synced = true;
            }
            Seen::Idle | Seen::End(_) => {}
        }
    }

    fn check(&mut self) {
        let mut drained = BTreeSet::new();
        while let Some(id) = self.pods.poll_ready() {
            assert!(drained.insert(id), "{id:?} was named twice");
            let watch = self.ids.iter().position(|other| *other == id);
            let watch = &self.model.watches[watch.expect("only open watches are named")];
            // What a deletion takes out of a queue that coalesces may have been named before.
            let may_be_empty = self.setup.slow_watch == SlowWatch::Coalesce && watch.is_live();
            assert!(
                watch.is_readable() || may_be_empty,
                "{id:?} has nothing to read"
            );
        }
        self.named.extend(drained);
        for (watch, id) in self.model.watches.iter().zip(&self.ids) {
            assert!(
                !watch.is_readable() || self.named.contains(id),
                "{id:?} was never named"
            );
        }
        let live = self.model.watches.iter().filter(|watch| watch.is_live());
        assert_eq!(self.pods.watch_count(), live.clone().count());
        assert_eq!(
            self.pods.queued_events(),
            live.clone().map(|watch| watch.queued()).sum()
        );
        if self.setup.slow_watch == SlowWatch::End {
            let buffer = self.setup.watch_buffer as usize;
            assert!(live.clone().all(|watch| watch.queued() <= buffer));
        }
        assert_eq!(self.pods.readiness().is_ready(), self.model.is_ready());
        assert_eq!(self.pods.pod_count(), self.model.served().len());
        self.check_counters(&self.pods.counters());
    }

    fn check_counters(&self, counters: &Counters) {
        let requests: BTreeMap<_, _> = counters
            .all_requests()
            .map(|(dialect, method, code, count)| ((dialect, method, code), count))
            .collect();
        assert_eq!(requests, self.model.requests);
        assert_eq!(counters.watch_events_dropped, self.model.dropped);
        assert_eq!(
            counters.watch_events_produced,
            counters.watch_events_delivered
                + counters.watch_events_dropped
                + counters.watch_events_coalesced
                + counters.watch_events_discarded
                + self.pods.queued_events() as u64,
        );
    }

    fn pick_source(&self, number: u8) -> usize {
        usize::from(number) % self.sources.len()
    }

    /// Picks any watch that was ever opened, gone ones too.
    fn pick_watch(&self, number: u8) -> Option<usize> {
        usize::from(number).checked_rem(self.ids.len())
    }
}

fn number(number: u32) -> NonZeroU32 {
    NonZeroU32::new(number).expect("a setup has no zero here")
}

fn sample_pod(choice: &PodChoice) -> SamplePod {
    let namespace = format!("namespace-{}", choice.namespace);
    SamplePod::new(&namespace, &format!("pod-{}", choice.pod), &uid(choice.pod))
        .version(choice.version)
        .status(choice.status.as_ref().map(sample_status))
}

fn sample_status(choice: &StatusChoice) -> SampleStatus {
    let status = SampleStatus::phase(if choice.running { "Running" } else { "" });
    match choice.ready {
        Some(true) => status.ready("True", ""),
        Some(false) => status.ready("False", "Other"),
        None => status,
    }
}

/// Reads an event; the documented dialect does not tell ADDED from MODIFIED, so there the model's
/// word is taken.
fn seen_event(dialect: Dialect, event: &[u8], expected: &Seen) -> Seen {
    let pods = payloads(event, if dialect == Dialect::V1alpha1 { 2 } else { 1 });
    let kind = match dialect {
        Dialect::V1alpha1 => varint_of(event, 1),
        Dialect::Documented => match expected {
            Seen::Added(_) => Some(1),
            Seen::Modified(_) => Some(2),
            Seen::Deleted(_) => Some(3),
            Seen::Marker | Seen::Idle | Seen::End(_) => None,
        },
    };
    match (kind, pods.as_slice()) {
        (Some(1), [pod]) => Seen::Added(served_pod(pod)),
        (Some(2), [pod]) => Seen::Modified(served_pod(pod)),
        (Some(3), [pod]) => Seen::Deleted(gone(pod)),
        (Some(4), []) => Seen::Marker,
        (kind, pods) => panic!("unexpected event of type {kind:?} with {} pods", pods.len()),
    }
}

fn served_pod(pod: &[u8]) -> ServedPod {
    let metadata = payloads(pod, 1).concat();
    assert_eq!(payloads(pod, 3).len(), 1, "a served pod has one status");
    let status = payloads(pod, 3).concat();
    let conditions = payloads(&status, 2);
    ServedPod {
        uid: text_of(&metadata, 5),
        namespace: text_of(&metadata, 3),
        name: text_of(&metadata, 1),
        version: text_of(&metadata, 6),
        phase: text_of(&status, 1),
        ready: conditions
            .first()
            .map(|ready| (text_of(ready, 2), text_of(ready, 5))),
    }
}

fn gone(pod: &[u8]) -> Gone {
    let metadata = payloads(pod, 1).concat();
    let fields: Vec<_> = records(&metadata)
        .into_iter()
        .map(|(number, _)| number)
        .collect();
    assert_eq!(records(pod).len(), 1, "a deleted pod has its metadata only");
    let at = payloads(&metadata, 9)
        .first()
        .and_then(|time| varint_of(time, 1));
    match at {
        None => assert_eq!(fields, [1, 3, 5]),
        Some(_) => {
            assert_eq!(fields, [1, 3, 5, 9, 10]);
            assert_eq!(varint_of(&metadata, 10), Some(0));
        }
    }
    Gone {
        uid: text_of(&metadata, 5),
        namespace: text_of(&metadata, 3),
        name: text_of(&metadata, 1),
        at: at.map(u64::cast_signed),
    }
}

fn payloads(bytes: &[u8], number: u32) -> Vec<Vec<u8>> {
    let found = records(bytes)
        .into_iter()
        .filter(|(other, _)| *other == number);
    found
        .filter_map(|(_, record)| match record {
            Record::Payload(payload) => Some(payload),
            Record::Varint(_) => None,
        })
        .collect()
}

fn text_of(bytes: &[u8], number: u32) -> String {
    String::from_utf8(payloads(bytes, number).pop().unwrap_or_default()).expect("text is UTF-8")
}

fn varint_of(bytes: &[u8], number: u32) -> Option<u64> {
    let found = records(bytes)
        .into_iter()
        .rfind(|(other, _)| *other == number)?;
    match found.1 {
        Record::Varint(value) => Some(value),
        Record::Payload(_) => None,
    }
}
