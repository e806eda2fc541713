//! What is known of the node's pods, told to the sink word by word.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use podsapi_core::{EncodedPod, SourceError, Uid};

use super::checkpoint::Earlier;
use super::identity::Way;
use super::keeper::Keeper;
use super::{Options, SOURCE};
use crate::listwatch::Word;
use crate::problems::{Problem, Problems};
use crate::sink::Sink;
use crate::wall::rfc3339;

/// The pods of the API server as the sink has them.
#[derive(Debug)]
pub(super) struct Pods {
    sink: Sink,
    node: String,
    pub(super) held: BTreeMap<Uid, EncodedPod>,
    /// The list under way.
    staged: Option<BTreeMap<Uid, EncodedPod>>,
    /// What the sink refused, by pod.
    refused: BTreeMap<Uid, Problem>,
    problems: Problems,
    /// Whether the API server was lost since the last list.
    lost: bool,
    listed: bool,
    /// The server or the file that was spoken to last.
    pub(super) place: String,
    /// The way to the server that answered last.
    pub(super) way: Arc<Way>,
    /// That the first list had no pod at all, until there is one.
    nobody: Option<Problem>,
    /// What the machine says, each with the place that it was of.
    troubles: BTreeMap<String, Problem>,
}

impl Pods {
    pub(super) fn new(sink: Sink, options: Options) -> Self {
        Self {
            sink,
            held: BTreeMap::new(),
            staged: None,
            refused: BTreeMap::new(),
            problems: Problems::default(),
            lost: false,
            listed: false,
            place: options.cluster.to_string(),
            way: Arc::default(),
            nobody: None,
            node: options.node_name,
            troubles: BTreeMap::new(),
        }
    }

    pub(super) fn now(&self) -> i64 {
        self.sink.now()
    }

    /// Takes the machine's next word.
    ///
    /// # Errors
    ///
    /// When the sink does not accept the source.
    pub(super) fn take(
        &mut self,
        word: Word,
        keeper: Option<&mut Keeper>,
    ) -> Result<(), SourceError> {
        match word {
            Word::Begin => self.staged = Some(BTreeMap::new()),
            Word::Put(pod) => {
                let uid = pod.uid().clone();
                match &mut self.staged {
                    Some(staged) => drop(staged.insert(uid, pod)),
                    None => {
                        self.put(&pod)?;
                        self.nobody = None;
                        self.held.insert(uid, pod);
                        self.changed(keeper);
                    }
                }
            }
            Word::Remove(uid) => match &mut self.staged {
                Some(staged) => drop(staged.remove(&uid)),
                None => {
                    self.held.remove(&uid);
                    self.refused.remove(&uid);
                    self.sink.remove(uid)?;
                    self.changed(keeper);
                }
            },
            Word::Complete => {
                let list = self.staged.take().unwrap_or_default();
                self.listed(list, keeper)?;
            }
            Word::Lost => {
                self.lost = true;
                self.sink.lost()?;
            }
        }
        Ok(())
    }

    /// Serves the pods of an earlier run, marked as such, as those of a source that is away.
    ///
    /// # Errors
    ///
    /// When the sink does not accept the source.
    pub(super) fn open(&self, earlier: &Earlier) -> Result<(), SourceError> {
        tracing::warn!(
            source = SOURCE,
            pods = earlier.pods.len(),
            written = rfc3339(earlier.written),
            age_seconds = earlier.age(self.now()),
            "the API server has not told its pods in time; those of an earlier run are served"
        );
        self.sink.stale(true);
        // What of it is refused is told again with the first list.
        let _refused = self.sink.replace(&earlier.pods)?;
        self.sink.lost()
    }

    /// Tells what is wrong now.
    pub(super) fn tell<'a>(
        &mut self,
        troubles: impl Iterator<Item = (&'a str, bool)>,
        keeper: Option<&Keeper>,
    ) {
        let mut before = std::mem::take(&mut self.troubles);
        for (text, outdated) in troubles {
            let problem = before.remove(text).unwrap_or_else(|| match outdated {
                true => Problem::outdated_as(self.place.as_str(), text),
                false => Problem::fault(self.place.as_str(), text),
            });
            self.troubles.insert(text.to_owned(), problem);
        }
        let troubles = self.troubles.values().cloned();
        let kept = keeper.and_then(Keeper::problem).cloned();
        let refused = self.refused.values().cloned();
        let nobody = self.nobody.clone();
        let now: BTreeSet<_> = refused.chain(troubles).chain(kept).chain(nobody).collect();
        self.problems.replace(now, SOURCE, &self.sink);
    }

    fn put(&mut self, pod: &EncodedPod) -> Result<(), SourceError> {
        match self.sink.put(pod.clone()) {
            Ok(()) => drop(self.refused.remove(pod.uid())),
            Err(error @ (SourceError::TooManyPods { .. } | SourceError::PodTooLarge { .. })) => {
                let name = format!("{}/{}", pod.namespace(), pod.name());
                let problem = Problem::fault(name, format!("{error} (not served as it is now)"));
                self.refused.insert(pod.uid().clone(), problem);
            }
            Err(
                error @ (SourceError::CompleteBeforeBegin
                | SourceError::PutBeforeBegin
                | SourceError::UnknownSource),
            ) => return Err(error),
        }
        Ok(())
    }

    fn listed(
        &mut self,
        list: BTreeMap<Uid, EncodedPod>,
        keeper: Option<&mut Keeper>,
    ) -> Result<(), SourceError> {
        self.sink.begin()?;
        self.refused.clear();
        for pod in list.values() {
            self.put(pod)?;
        }
        self.sink.complete()?;
        if !self.listed {
            self.sink.stale(false);
        }
        if self.lost || !self.listed {
            let (pods, node) = (list.len(), self.node.as_str());
            tracing::info!(
                source = SOURCE,
                server = self.place,
                node,
                pods,
                "list complete"
            );
        }
        self.lost = false;
        let first = !std::mem::replace(&mut self.listed, true);
        if !list.is_empty() {
            self.nobody = None;
        } else if first {
            // Most nodes have a pod of a DaemonSet at least, and a wrong name looks like this.
            let text = format!(
                "no pod is bound to a node of the name {:?}: is that the name of this node as \
                 kubectl get nodes prints it? --node-name gives another",
                self.node
            );
            self.nobody = Some(Problem::remark(self.place.as_str(), text));
        }
        let news = first || list != self.held;
        self.held = list;
        match keeper {
            Some(keeper) if first => keeper.listed(),
            Some(keeper) if news => keeper.changed(),
            Some(_) | None => {}
        }
        Ok(())
    }

    fn changed(&self, keeper: Option<&mut Keeper>) {
        if let Some(keeper) = keeper {
            keeper.changed();
        }
    }
}
