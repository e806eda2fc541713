//! A sink for tests, which can be waited on.

use std::collections::BTreeMap;
use std::time::Duration;

use podsapi_core::{EncodedPod, SourceEvent};
use podsapi_proto::json::{Value, decode};
use podsapi_proto::schema::Message;
use tokio::sync::watch;

use crate::sink::Sink;

/// What a source has said so far, as a server would have understood it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Heard {
    /// The pods by namespace and name.
    pub(crate) pods: BTreeMap<String, EncodedPod>,
    /// How many lists were complete.
    pub(crate) lists: usize,
    /// Everything ever told as a problem.
    pub(crate) problems: Vec<Option<String>>,
    /// Lower-case words in the order of the events: `begin`, `put`, `remove`, `complete`, `lost`.
    pub(crate) words: Vec<&'static str>,
    /// Everything ever told of whether the pods are those of an earlier run.
    pub(crate) stale: Vec<bool>,
    staged: Option<BTreeMap<String, EncodedPod>>,
}

impl Heard {
    /// The names of the pods, with their namespaces.
    pub(crate) fn names(&self) -> Vec<&str> {
        self.pods.keys().map(String::as_str).collect()
    }

    /// What is wrong now.
    pub(crate) fn problem(&self) -> &str {
        let last = self.problems.last();
        last.and_then(|text| text.as_deref()).unwrap_or_default()
    }

    fn take(&mut self, event: SourceEvent) {
        match event {
            SourceEvent::Begin => {
                self.words.push("begin");
                self.staged = Some(BTreeMap::new());
            }
            SourceEvent::Put { pod, at } => {
                self.words.push("put");
                assert_eq!(at, NOW);
                let name = format!("{}/{}", pod.namespace(), pod.name());
                self.staged
                    .as_mut()
                    .unwrap_or(&mut self.pods)
                    .insert(name, pod);
            }
            SourceEvent::Remove { uid, .. } => {
                self.words.push("remove");
                self.pods.retain(|_, pod| *pod.uid() != uid);
            }
            SourceEvent::Complete { .. } => {
                self.words.push("complete");
                self.pods = self.staged.take().expect("a list began");
                self.lists += 1;
            }
            SourceEvent::Lost => self.words.push("lost"),
            SourceEvent::Status { .. } => panic!("no source here knows more than its pods"),
        }
    }
}

/// Hears one source.
#[derive(Debug)]
pub(crate) struct Recorder {
    heard: watch::Receiver<Heard>,
    pub(crate) sink: Sink,
}

impl Recorder {
    pub(crate) fn new() -> Self {
        let (sender, heard) = watch::channel(Heard::default());
        let (problems, stale) = (sender.clone(), sender.clone());
        let sink = Sink::new(
            move |event| {
                sender.send_modify(|heard| heard.take(event));
                Ok(())
            },
            move |text| problems.send_modify(|heard| heard.problems.push(text)),
            || NOW,
        );
        let sink =
            sink.with_stale(move |is_stale| stale.send_modify(|heard| heard.stale.push(is_stale)));
        Self { heard, sink }
    }

    /// Waits, not for ever, until what was heard is as `wanted`.
    pub(crate) async fn until(&mut self, wanted: impl FnMut(&Heard) -> bool) -> Heard {
        let heard = tokio::time::timeout(PATIENCE, self.heard.wait_for(wanted)).await;
        let heard = heard.map(|heard| heard.expect("the sink is kept").clone());
        heard.unwrap_or_else(|_| {
            let so_far = self.heard();
            panic!("not heard within {PATIENCE:?}; so far: {so_far:?}")
        })
    }

    pub(crate) fn heard(&self) -> Heard {
        self.heard.borrow().clone()
    }
}

/// Decodes a pod to its JSON form.
pub(crate) fn decoded(pod: &EncodedPod) -> Value {
    decode(Message::POD, pod.bytes()).expect("a pod that was parsed can be decoded")
}

/// Follows a path such as `spec/containers/0/image`; fails where it ends.
pub(crate) fn at<'v>(value: &'v Value, path: &str) -> &'v Value {
    path.split('/').fold(value, |value, part| {
        let inner = match value.as_list() {
            Some(list) => part.parse().ok().and_then(|index: usize| list.get(index)),
            None => value.get(part),
        };
        inner.unwrap_or_else(|| panic!("{path}: no {part} in {value:?}"))
    })
}

/// The time at which all tests happen.
pub(crate) const NOW: i64 = 1_762_283_628;

/// Long enough for a busy machine, and for the second in which a new folder is found.
const PATIENCE: Duration = Duration::from_secs(120);
