//! Runs operations on the service and on the model, and compares them after each.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;

use bytes::Bytes;
use podsapi_core::{
    Call, Code, Config, FieldMask, MaskRequest, Method, Moment, Namespaces, PeerKey, Pods,
    Projection, Reply, Scope, SourceConfig, SourceError, SourceEvent, SourceId, Uid, WatchId,
    WatchOutput,
};
use podsapi_proto::schema::Message;

use crate::model::{Answer, MAX_PODS_PER_SOURCE, MAX_WATCHES, Model, Seen, WALL_SECONDS, uid};
use crate::op::{Ask, MaskChoice, Op, PodChoice, ScopeChoice, Setup, StatusChoice};
use crate::pods::{SamplePod, SampleStatus, message};

use checks::History;
use decode::{payloads, seen_event, served_pod};

mod checks;
mod decode;

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
            fair_peers: NonZeroU32::new(setup.fair_peers),
            watch_buffer: number(setup.watch_buffer),
            slow_watch: setup.slow_watch,
            max_watches: number(MAX_WATCHES),
            max_projection_masks: number(setup.projection_masks),
            max_projection_bytes: setup.projection_bytes,
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
            Op::List(ask) => {
                let expected = self.model.list(*ask, self.now);
                self.answer(*ask, Method::ListPods, Bytes::new(), &expected);
            }
            Op::Get(ask, pod) => {
                let expected = self.model.get(*ask, *pod, self.now);
                let mut body = Vec::new();
                message(1, uid(*pod).as_bytes(), &mut body);
                self.answer(*ask, Method::GetPod, body.into(), &expected);
            }
            Op::Garbage(dialect) => {
                let expected = Err(self.model.garbage(*dialect, self.now));
                let body = Bytes::from_static(&[0x0a]);
                self.answer(Ask::plain(*dialect), Method::ListPods, body, &expected);
            }
            Op::Watch(ask) => self.watch(*ask),
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
        self.check_events();
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

    fn call(&mut self, ask: Ask, method: Method, body: Bytes) -> Reply {
        let namespaces = match ask.scope {
            ScopeChoice::All => Namespaces::All,
            ScopeChoice::OneNamespace => Namespaces::Only(["namespace-0".into()].into()),
        };
        let mask = if ask.mask == MaskChoice::None {
            MaskRequest::none()
        } else {
            MaskRequest::new(field_mask(ask.mask))
        };
        let call = Call {
            scope: Scope {
                mask: projection(ask.limit),
                namespaces,
            },
            mask,
            peer: (ask.peer > 0).then(|| PeerKey::new(ask.peer.into())),
            ..Call::new(ask.dialect, method, body)
        };
        self.pods.handle_call(call, Moment::from_nanos(self.now))
    }

    fn answer(&mut self, ask: Ask, method: Method, body: Bytes, expected: &Answer) {
        let ready = self.pods.readiness().is_ready();
        let found: Answer = match self.call(ask, method, body) {
            Reply::Answer(message) => {
                assert_eq!(message.len(), message.to_vec().len());
                assert_eq!(message.applied_mask(), ask.mask.applied());
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

    fn watch(&mut self, ask: Ask) {
        let expected = self.model.watch(ask, self.now);
        let found = match self.call(ask, Method::WatchPods, Bytes::new()) {
            Reply::Watch(id) => {
                assert_eq!(self.pods.applied_mask(id).as_deref(), ask.mask.applied());
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
        let ask = self.model.watches[watch].ask;
        let gone = self.model.watches[watch].gone;
        let expected = if gone {
            Seen::End(Code::Cancelled)
        } else {
            self.model.read(watch)
        };
        let found = match self.pods.poll_watch(id) {
            WatchOutput::Event(event) => seen_event(ask.dialect, &event.to_vec(), &expected),
            WatchOutput::Idle => Seen::Idle,
            WatchOutput::End(status) => Seen::End(status.code()),
        };
        assert_eq!(found, expected);
        if matches!(found, Seen::Idle | Seen::End(_)) {
            self.named.remove(&id);
        }
        if ask.shows_uids() {
            self.remember(id, ask.dialect, &found);
        }
        found
    }

    fn pick_source(&self, number: u8) -> usize {
        usize::from(number) % self.sources.len()
    }

    /// Picks any watch that was ever opened, gone ones too.
    fn pick_watch(&self, number: u8) -> Option<usize> {
        usize::from(number).checked_rem(self.ids.len())
    }
}

fn field_mask(mask: MaskChoice) -> FieldMask {
    FieldMask::parse(mask.text()).expect("no mask here is too long")
}

fn projection(limit: MaskChoice) -> Projection {
    let compiled = field_mask(limit).compile(Message::POD);
    compiled.expect("a limit is never a wrong mask")
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
