//! A service of pods in this process.

use std::error::Error;

use bytes::Bytes;
use podsapi_bench::corpus::CorpusPod;
use podsapi_core::{
    Call, Config, EncodedPod, Moment, Pods, Reply, SourceConfig, SourceEvent, SourceId, SourceKind,
    WatchId, WatchOutput,
};

/// A ready service, with the pods' two states to change between.
#[derive(Debug)]
pub(crate) struct Node {
    pods: Pods,
    source: SourceId,
    states: Vec<[EncodedPod; 2]>,
    changes: usize,
}

impl Node {
    pub(crate) fn new(pods: &[CorpusPod]) -> Result<Self, Box<dyn Error>> {
        let config = Config {
            sources: vec![SourceConfig::new("corpus", SourceKind::Snapshot)],
            qps: 0,
            ..Config::default()
        };
        let service = Pods::new(config, Moment::ORIGIN);
        let source = service.source("corpus").ok_or("it was just named")?;
        let states: Result<Vec<_>, _> = pods
            .iter()
            .map(|pod| {
                let changed = EncodedPod::parse(pod.changed.clone())?;
                Ok([EncodedPod::parse(pod.pod.clone())?, changed])
            })
            .collect();
        let mut node = Self {
            pods: service,
            source,
            states: states.map_err(|error: podsapi_core::PodError| error)?,
            changes: 0,
        };
        node.say(SourceEvent::Begin);
        for pod in node.states.clone() {
            let [pod, _] = pod;
            node.say(SourceEvent::Put { pod, at: 0 });
        }
        node.say(SourceEvent::Complete { at: 0 });
        Ok(node)
    }

    /// Puts the next pod in its other state.
    pub(crate) fn change(&mut self) {
        let number = self.changes % self.states.len();
        let state = usize::from((self.changes / self.states.len()).is_multiple_of(2));
        self.changes += 1;
        let [pod, changed] = &self.states[number];
        let pod = if state == 1 { changed } else { pod };
        let pod = pod.clone();
        self.say(SourceEvent::Put { pod, at: 0 });
    }

    /// Makes a call, and returns the bytes of its answer.
    pub(crate) fn call(&mut self, call: Call) -> usize {
        match self.pods.handle_call(call, Moment::ORIGIN) {
            Reply::Answer(answer) => answer.len(),
            Reply::Refuse(status) => panic!("{status:?}"),
            Reply::Watch(_) => 0,
        }
    }

    /// Begins a watch.
    pub(crate) fn watch(&mut self, call: Call) -> Option<WatchId> {
        match self.pods.handle_call(call, Moment::ORIGIN) {
            Reply::Answer(_) | Reply::Refuse(_) => None,
            Reply::Watch(watch) => Some(watch),
        }
    }

    /// Reads what is ready, and returns the bytes of it.
    pub(crate) fn read(&mut self) -> usize {
        let mut bytes = 0;
        while let Some(watch) = self.pods.poll_ready() {
            while let WatchOutput::Event(event) = self.pods.poll_watch(watch) {
                bytes += event.segments().map(Bytes::len).sum::<usize>();
            }
        }
        bytes
    }

    fn say(&mut self, event: SourceEvent) {
        let said = self.pods.handle_source(self.source, event, Moment::ORIGIN);
        said.expect("the order of a source is kept");
    }
}
