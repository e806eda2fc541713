//! A service of pods in this process that holds copies of its own, with many watches.

use std::error::Error;
use std::time::Duration;

use bytes::Bytes;
use podsapi_bench::clock;
use podsapi_bench::corpus::CorpusPod;
use podsapi_core::{
    Call, Config, Dialect, EncodedPod, FieldMask, MaskRequest, Method, Moment, PodError, Pods,
    Reply, SlowWatch, SourceConfig, SourceEvent, SourceId, SourceKind, WatchId, WatchOutput,
};
use podsapi_proto::core_v1::Pod;
use prost::Message;

/// What a change of a pod changes, beside its version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Touch {
    /// A label that every pod has.
    Label,
    /// The phase.
    Phase,
}

/// Pods in two states that they change between.
#[derive(Debug)]
pub(crate) struct States(Vec<[Bytes; 2]>);

/// A ready service.
#[derive(Debug)]
pub(crate) struct Node<'a> {
    pods: Pods,
    source: SourceId,
    states: &'a [[Bytes; 2]],
    /// Which state each pod has.
    now: Vec<bool>,
    changes: usize,
    /// Watches that were named, and not read since.
    ready: Vec<WatchId>,
    /// What asking the clock takes, which is no part of what is timed.
    clock: Duration,
}

/// What reading came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) events: u64,
    pub(crate) ends: u64,
}

impl States {
    pub(crate) fn of(pods: &[CorpusPod], touch: Touch) -> Result<Self, prost::DecodeError> {
        let states = pods.iter().map(|pod| {
            let before = Pod::decode(&*pod.pod)?;
            let mut after = Pod::decode(&*pod.changed)?;
            match touch {
                Touch::Label => {
                    let metadata = after.metadata.get_or_insert_default();
                    if let Some(hash) = metadata.labels.get_mut("pod-template-hash") {
                        *hash = "0".repeat(hash.len());
                    }
                }
                Touch::Phase => {
                    after.status.get_or_insert_default().phase = Some("Pending".to_owned());
                }
            }
            Ok([before, after].map(|pod| pod.encode_to_vec().into()))
        });
        states.collect::<Result<_, _>>().map(Self)
    }

    /// Returns the bytes of the pods in one state.
    pub(crate) fn bytes(&self) -> usize {
        self.0.iter().map(|[pod, _]| pod.len()).sum()
    }
}

impl<'a> Node<'a> {
    pub(crate) fn new(states: &'a States, slow_watch: SlowWatch) -> Result<Self, Box<dyn Error>> {
        // Where there are bounds for how many masks are watched, of one peer and in all, they are
        // lifted here: the groups show what it costs without.
        let config = Config {
            sources: vec![SourceConfig::new("corpus", SourceKind::Snapshot)],
            qps: 0,
            slow_watch,
            max_watches: MANY.try_into()?,
            max_watched_masks: MANY.try_into()?,
            max_watched_masks_per_peer: MANY.try_into()?,
            ..Config::default()
        };
        let pods = Pods::new(config, Moment::ORIGIN);
        let mut node = Self {
            source: pods.source("corpus").ok_or("it was just named")?,
            pods,
            states: &states.0,
            now: vec![false; states.0.len()],
            changes: 0,
            ready: Vec::new(),
            clock: Duration::ZERO,
        };
        let empty = (0..1_000).map(|_| node.timed(|_| ()).1);
        let empty: Vec<_> = empty.collect();
        node.clock = empty.into_iter().min().unwrap_or_default();
        for event in node.list(|_| false)? {
            node.say(event);
        }
        Ok(node)
    }

    /// Returns a whole list, in which the pods have changed that `changes` says.
    pub(crate) fn list(
        &mut self,
        mut changes: impl FnMut(usize) -> bool,
    ) -> Result<Vec<SourceEvent>, PodError> {
        let mut events = vec![SourceEvent::Begin];
        for number in 0..self.states.len() {
            if changes(number) {
                self.now[number] = !self.now[number];
            }
            events.push(self.put(number)?);
        }
        events.push(SourceEvent::Complete { at: 0 });
        Ok(events)
    }

    /// Returns the change of the next pod.
    pub(crate) fn change(&mut self) -> Result<SourceEvent, PodError> {
        let number = self.changes % self.states.len();
        self.changes += 1;
        self.now[number] = !self.now[number];
        self.put(number)
    }

    fn put(&self, number: usize) -> Result<SourceEvent, PodError> {
        let bytes = &self.states[number][usize::from(self.now[number])];
        let pod = EncodedPod::parse(Bytes::copy_from_slice(bytes))?;
        Ok(SourceEvent::Put { pod, at: 0 })
    }

    /// Says what a source says, as a server does that holds its lock for each part of it, and returns how
    /// long for the longest.
    pub(crate) fn say(&mut self, event: SourceEvent) -> Duration {
        let (said, mut longest) = self.timed(|node| {
            let said = node.pods.begin_source(node.source, event, Moment::ORIGIN);
            node.drain();
            said
        });
        let mut more = said.expect("the order of a source is kept");
        while more {
            let (left, took) = self.timed(|node| {
                let more = node.pods.resume_source();
                node.drain();
                more
            });
            more = left;
            longest = longest.max(took);
        }
        longest
    }

    /// Begins a watch.
    pub(crate) fn watch(&mut self, mask: Option<&str>) -> Result<WatchId, Box<dyn Error>> {
        let mask = match mask {
            None => MaskRequest::none(),
            Some(mask) => MaskRequest::new(FieldMask::parse(mask)?),
        };
        let call = Call {
            mask,
            ..Call::new(Dialect::V1alpha1, Method::WatchPods, Bytes::new())
        };
        match self.pods.handle_call(call, Moment::ORIGIN) {
            Reply::Watch(watch) => Ok(watch),
            Reply::Answer(_) => Err("a watch was answered".into()),
            Reply::Refuse(status) => Err(status.message().into()),
        }
    }

    /// Asks for one pod, and returns how long the lock was held.
    pub(crate) fn get(&mut self, pod: &CorpusPod) -> Result<Duration, Box<dyn Error>> {
        let body = [&[10, 36], pod.uid.as_bytes()].concat();
        let call = Call::new(Dialect::V1alpha1, Method::GetPod, body.into());
        let (reply, took) = self.timed(|node| {
            let reply = node.pods.handle_call(call, Moment::ORIGIN);
            node.drain();
            reply
        });
        match reply {
            Reply::Answer(_) => Ok(took),
            Reply::Refuse(_) | Reply::Watch(_) => Err("a pod was not found".into()),
        }
    }

    /// Gives up a watch, and returns how long the lock was held.
    pub(crate) fn cancel(&mut self, watch: WatchId) -> Duration {
        self.timed(|node| node.pods.handle_cancel(watch)).1
    }

    /// Has the readers of all watches that were named read all that there is.
    pub(crate) fn read(&mut self) -> Seen {
        self.drain();
        let mut seen = Seen::default();
        for watch in std::mem::take(&mut self.ready) {
            loop {
                match self.pods.poll_watch(watch) {
                    WatchOutput::Event(_) => seen.events += 1,
                    WatchOutput::Idle => break,
                    WatchOutput::End(_) => {
                        seen.ends += 1;
                        break;
                    }
                }
            }
        }
        seen
    }

    /// The same, with how long each read held the lock told to `held`.
    pub(crate) fn read_timed(&mut self, mut held: impl FnMut(&mut Self, Duration)) {
        for watch in std::mem::take(&mut self.ready) {
            loop {
                let (output, took) = self.timed(|node| {
                    let output = node.pods.poll_watch(watch);
                    node.drain();
                    output
                });
                held(self, took);
                match output {
                    WatchOutput::Event(_) => {}
                    WatchOutput::Idle | WatchOutput::End(_) => break,
                }
            }
        }
    }

    /// Has all readers read, and returns how long it took together.
    pub(crate) fn read_all_timed(&mut self) -> Duration {
        self.timed(Self::read).1
    }

    /// Reads one message.
    pub(crate) fn poll(&mut self, watch: WatchId) -> WatchOutput {
        self.pods.poll_watch(watch)
    }

    /// Forgets which watches were named: nobody reads them.
    pub(crate) fn leave_unread(&mut self) {
        self.drain();
        self.ready = Vec::new();
    }

    fn drain(&mut self) {
        while let Some(watch) = self.pods.poll_ready() {
            self.ready.push(watch);
        }
    }

    fn timed<T>(&mut self, act: impl FnOnce(&mut Self) -> T) -> (T, Duration) {
        let used = || clock::used_by_thread().expect("a thread may ask what it used");
        let before = used();
        let done = act(self);
        (
            done,
            used().saturating_sub(before).saturating_sub(self.clock),
        )
    }
}

/// More watches than any group has.
const MANY: u32 = 16_384;
