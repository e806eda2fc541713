//! The pods that were told, and the words for what changes.

use std::collections::{BTreeMap, VecDeque};
use std::mem;

use podsapi_core::{EncodedPod, Uid};
use podsapi_proto::json::printable;

use super::found::{Found, Names};
use super::{Counts, Word};

/// What is known of the node's pods.
#[derive(Debug)]
pub(super) struct Pods {
    node: String,
    told: Told,
    /// The list under way.
    listing: Option<Told>,
    /// Whether a list was ever whole.
    synced: bool,
    /// Whether `Lost` was the last that was told.
    lost: bool,
    words: VecDeque<Word>,
    bounds: Bounds,
}

/// Pods, and what is wrong with others.
#[derive(Debug, Default)]
struct Told {
    pods: BTreeMap<Uid, EncodedPod>,
    bytes: usize,
    /// By [`Names::key`].
    faults: BTreeMap<String, Trouble>,
}

/// What is wrong with one pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Trouble {
    pub(super) text: String,
    /// Whether it is served as it was before.
    pub(super) outdated: bool,
}

/// How much is kept.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    pub(super) pods: usize,
    pub(super) bytes: usize,
}

/// Nobody can say which pod was deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct UnknownDeletion;

impl Pods {
    pub(super) fn new(node: String, bounds: Bounds) -> Self {
        Self {
            node,
            told: Told::default(),
            listing: None,
            synced: false,
            lost: false,
            words: VecDeque::new(),
            bounds,
        }
    }

    pub(super) fn is_synced(&self) -> bool {
        self.synced
    }

    pub(super) fn next_word(&mut self) -> Option<Word> {
        self.words.pop_front()
    }

    /// Begins a list; one under way is forgotten.
    pub(super) fn begin(&mut self) {
        self.listing = Some(Told::default());
    }

    /// Takes a pod of the list under way.
    pub(super) fn list(&mut self, found: Found, counts: &mut Counts) {
        let Some(mut listing) = self.listing.take() else {
            return;
        };
        match self.judge(&found, counts) {
            Ok(pod) => self.keep(&mut listing, &found.names, pod),
            Err(Fault::Foreign(text)) => listing.fault(&found.names, &text, false),
            Err(Fault::Unreadable(text)) => {
                let last = self.told.find(&found.names).cloned();
                let outdated = last.is_some();
                let text = format!("{text} ({})", stays(outdated));
                if let Some(last) = last
                    && !listing.pods.contains_key(last.uid())
                {
                    listing.insert(last);
                }
                listing.fault(&found.names, &text, outdated);
            }
        }
        self.listing = Some(listing);
    }

    /// Tells the list, which is whole.
    pub(super) fn complete(&mut self) {
        if let Some(listing) = self.listing.take() {
            self.told = listing;
            self.synced = true;
            self.tell_all();
        }
    }

    /// Takes that changes are told from where they were cut off: what was told last is true again.
    pub(super) fn resume(&mut self) {
        if self.lost && self.synced {
            self.tell_all();
        }
    }

    /// Takes that what is known comes of a server that is not asked any more: it stays only until
    /// the next list, which nothing of it gets into.
    pub(super) fn disown(&mut self) {
        self.listing = None;
        self.told = Told::default();
        self.synced = false;
    }

    /// Takes that the server cannot be asked for now.
    pub(super) fn lose(&mut self) {
        self.listing = None;
        if !self.lost {
            self.lost = true;
            self.words.push_back(Word::Lost);
        }
    }

    /// Takes a pod that was added or has changed.
    pub(super) fn put(&mut self, found: &Found, counts: &mut Counts) {
        match self.judge(found, counts) {
            Ok(pod) if self.told.pods.get(pod.uid()) == Some(&pod) => {
                counts.unchanged += 1;
                self.told.no_fault(&found.names);
            }
            Ok(pod) => {
                let mut told = mem::take(&mut self.told);
                self.keep(&mut told, &found.names, pod.clone());
                if told.pods.get(pod.uid()) == Some(&pod) {
                    self.words.push_back(Word::Put(pod));
                }
                self.told = told;
            }
            Err(Fault::Foreign(text)) => {
                // It left the selection, which servers tell as a deletion.
                self.forget(&found.names);
                self.told.fault(&found.names, &text, false);
            }
            Err(Fault::Unreadable(text)) => {
                let outdated = self.told.find(&found.names).is_some();
                let text = format!("{text} ({})", stays(outdated));
                self.told.fault(&found.names, &text, outdated);
            }
        }
    }

    /// Takes that a pod is gone.
    pub(super) fn delete(&mut self, names: &Names) -> Result<(), UnknownDeletion> {
        if names.uid.is_empty() && self.told.find(names).is_none() {
            return Err(UnknownDeletion);
        }
        self.forget(names);
        self.told.no_fault(names);
        Ok(())
    }

    /// Notes something that is about no pod.
    pub(super) fn remark(&mut self, subject: &str, text: &str) {
        self.told
            .note(subject.to_owned(), format!("{subject}: {text}"), false);
    }

    /// What is wrong with single pods, one text each.
    pub(super) fn faults(&self) -> impl ExactSizeIterator<Item = &Trouble> {
        self.told.faults.values()
    }

    /// The bytes that are kept of what is wrong.
    #[cfg(test)]
    pub(super) fn kept_of_faults(&self) -> usize {
        let faults = self.told.faults.iter();
        faults
            .map(|(key, fault)| key.capacity() + fault.text.capacity())
            .sum()
    }

    fn forget(&mut self, names: &Names) {
        let uid = self.told.find(names).map(|pod| pod.uid().clone());
        if let Some(uid) = uid {
            self.told.remove(&uid);
            self.words.push_back(Word::Remove(uid));
        }
    }

    fn tell_all(&mut self) {
        let pods = self.told.pods.values().cloned();
        self.words.push_back(Word::Begin);
        self.words.extend(pods.map(Word::Put));
        self.words.push_back(Word::Complete);
        self.lost = false;
    }

    /// Returns the pod, if it can be served as one of this node.
    fn judge(&self, found: &Found, counts: &mut Counts) -> Result<EncodedPod, Fault> {
        let fault = match &found.pod {
            _ if !found.names.node.is_empty() && found.names.node != self.node => {
                counts.foreign += 1;
                return Err(Fault::Foreign(format!(
                    "is on node {:?}, which was not asked for (not served)",
                    found.names.node
                )));
            }
            Err(error) => error.clone(),
            Ok(_) if found.names.node.is_empty() => "expected spec.nodeName, found none".to_owned(),
            Ok(pod) if pod.name().is_empty() => "expected metadata.name, found none".to_owned(),
            Ok(pod) => return Ok(pod.clone()),
        };
        counts.unreadable += 1;
        Err(Fault::Unreadable(fault))
    }

    /// Adds a pod, if there is room for it.
    fn keep(&self, told: &mut Told, names: &Names, pod: EncodedPod) {
        let before = told.pods.get(pod.uid()).map(|pod| pod.bytes().len());
        let bytes = told.bytes - before.unwrap_or_default() + pod.bytes().len();
        if (before.is_none() && told.pods.len() >= self.bounds.pods) || bytes > self.bounds.bytes {
            let stays = stays(before.is_some());
            let Bounds { pods, bytes } = self.bounds;
            let text =
                format!("expected at most {pods} pods and {bytes} bytes of a node ({stays})");
            told.fault(names, &text, before.is_some());
            return;
        }
        told.no_fault(names);
        told.insert(pod);
    }
}

/// Why a pod is not served as it came.
enum Fault {
    /// It is another node's.
    Foreign(String),
    Unreadable(String),
}

fn stays(served: bool) -> &'static str {
    match served {
        true => "as last read it stays served",
        false => "not served",
    }
}

impl Told {
    /// Returns the pod that is meant, by its name where its UID is not known.
    fn find(&self, names: &Names) -> Option<&EncodedPod> {
        match names.uid() {
            Some(uid) => self.pods.get(&uid),
            None if names.name.is_empty() => None,
            None => self.pods.values().find(|pod| {
                (pod.namespace(), pod.name()) == (names.namespace.as_str(), names.name.as_str())
            }),
        }
    }

    fn insert(&mut self, pod: EncodedPod) {
        self.bytes += pod.bytes().len();
        if let Some(before) = self.pods.insert(pod.uid().clone(), pod) {
            self.bytes -= before.bytes().len();
        }
    }

    fn remove(&mut self, uid: &Uid) {
        if let Some(before) = self.pods.remove(uid) {
            self.bytes -= before.bytes().len();
        }
    }

    fn fault(&mut self, names: &Names, text: &str, outdated: bool) {
        let text = format!("{}: {text}", names.subject());
        self.note(names.key(), text, outdated);
    }

    fn note(&mut self, mut key: String, text: String, outdated: bool) {
        shorten(&mut key);
        if self.faults.len() < FAULTS_LIMIT || self.faults.contains_key(&key) {
            let mut text = printable(&text).into_owned();
            if shorten(&mut text) {
                text.push('…');
            }
            self.faults.insert(key, Trouble { text, outdated });
        } else {
            let text = format!("more than {FAULTS_LIMIT} pods cannot be served");
            let outdated = false;
            self.faults
                .insert(MORE.to_owned(), Trouble { text, outdated });
        }
    }

    fn no_fault(&mut self, names: &Names) {
        let mut key = names.key();
        shorten(&mut key);
        self.faults.remove(&key);
    }
}

/// Cuts a text that is too long; tells whether it was.
fn shorten(text: &mut String) -> bool {
    let end = text.char_indices().nth(TEXT_LIMIT).map(|(end, _)| end);
    if let Some(end) = end {
        text.truncate(end);
        text.shrink_to_fit();
    }
    end.is_some()
}

/// Pods that are told as faulty one by one, so that a server cannot fill the memory with them.
const FAULTS_LIMIT: usize = 100;

/// In place of a UID, which has no spaces: what the limit keeps out.
const MORE: &str = "and others";

/// Characters of one fault that are kept, and of what it is filed under.
const TEXT_LIMIT: usize = 1_000;
