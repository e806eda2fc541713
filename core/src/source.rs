//! The only words that a source may say, and what they mean in their order.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::mem;

use crate::config::{SourceConfig, SourceKind};
use crate::pod::{Claim, EncodedPod, EncodedStatus, Uid};
use crate::time::Moment;

/// The name of a source that was configured, resolved once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceId(pub(crate) u16);

/// What a source says.
///
/// A source says `Begin`, then `Put` for all that it knows, then `Complete`: what it said before
/// is replaced in one step. From then on `Put`, `Status` and `Remove` tell single changes.
/// `at` is wall time in seconds since 1970, which the core has no clock to know.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "the whole vocabulary of a source")]
pub enum SourceEvent {
    /// A full list follows; one that was under way is forgotten.
    Begin,
    /// The pod exists with these bytes.
    Put {
        /// The pod.
        pod: EncodedPod,
        /// When the source learned of it.
        at: i64,
    },
    /// The status of a pod as it is known here; it is served in place of the owner's.
    Status {
        /// The pod.
        uid: Uid,
        /// The status.
        status: EncodedStatus,
        /// When the source learned of it.
        at: i64,
    },
    /// The source knows nothing of this pod any more.
    Remove {
        /// The pod.
        uid: Uid,
        /// When the source learned of it.
        at: i64,
    },
    /// The list is whole: what was not put since `Begin` is removed.
    Complete {
        /// When the list became whole.
        at: i64,
    },
    /// The source cannot see for now; what it said last stays true, and a list under way is
    /// forgotten. A change told later shows that it is back.
    Lost,
}

/// Why a source's word is not accepted: its order or a limit, never its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "adapters match every kind")]
pub enum SourceError {
    /// A list ends that did not begin.
    CompleteBeforeBegin,
    /// A pod or a status is larger than the limit.
    PodTooLarge {
        /// The bytes that it has.
        bytes: usize,
        /// The bytes that are accepted.
        limit: u32,
    },
    /// A change is told before a first list was complete or at least begun.
    PutBeforeBegin,
    /// The source speaks of too many pods.
    TooManyPods {
        /// The pods that are accepted of one source.
        limit: u32,
    },
    /// No such source is configured.
    UnknownSource,
}

/// How far a source has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "adapters print every state")]
pub enum SourceState {
    /// Nothing was said yet.
    Silent,
    /// A list is under way.
    Listing,
    /// The last list is complete and changes follow.
    Live,
    /// The source cannot see for now.
    Lost,
}

/// A source as diagnostics show it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "adapters print every field")]
pub struct SourceView<'a> {
    /// The configured name.
    pub name: &'a str,
    /// What it is.
    pub kind: SourceKind,
    /// How far it has come.
    pub state: SourceState,
    /// Whether its first list was complete at some time.
    pub synced: bool,
    /// When it said anything but `Lost` for the last time.
    pub last_news: Option<Moment>,
    /// Its numbers.
    pub counts: SourceCounts,
}

/// The numbers of one source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "adapters print every number")]
pub struct SourceCounts {
    /// Identities that it speaks of now.
    pub pods: u64,
    /// Lists that it completed.
    pub lists: u64,
    /// Times that it was lost.
    pub losses: u64,
    /// Words that were refused because of their order or a limit.
    pub refused: u64,
    /// Pods that it owns too, but that a source of higher precedence has served now.
    pub shadowed: u64,
}

/// One source's side of the conversation.
#[derive(Debug)]
pub(crate) struct Feed {
    name: String,
    kind: SourceKind,
    state: SourceState,
    synced: bool,
    /// What the source spoke of when the last list was complete, and since.
    known: BTreeSet<Uid>,
    /// The list under way, empty unless listing.
    staged: BTreeMap<Uid, Claim>,
    last_news: Option<Moment>,
    pub(crate) counts: SourceCounts,
}

/// How much one source may say.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FeedLimits {
    pub(crate) pods: u32,
    pub(crate) pod_bytes: u32,
}

/// What a source's word changes in the store.
#[derive(Debug)]
pub(crate) enum Step {
    Nothing,
    Put {
        pod: EncodedPod,
        at: i64,
    },
    Status {
        uid: Uid,
        status: EncodedStatus,
        at: i64,
    },
    Remove {
        uid: Uid,
        at: i64,
    },
    Replace {
        /// In their order, as the claims.
        gone: Vec<Uid>,
        claims: BTreeMap<Uid, Claim>,
        at: i64,
    },
}

impl Feed {
    pub(crate) fn new(config: SourceConfig) -> Self {
        Self {
            name: config.name,
            kind: config.kind,
            state: SourceState::Silent,
            synced: false,
            known: BTreeSet::new(),
            staged: BTreeMap::new(),
            last_news: None,
            counts: SourceCounts::default(),
        }
    }

    /// Takes the source's next word and returns what follows from it.
    pub(crate) fn handle(
        &mut self,
        event: SourceEvent,
        limits: FeedLimits,
        now: Moment,
    ) -> Result<Step, SourceError> {
        let before = self.state;
        let step = self.step(event, limits);
        match &step {
            Ok(_) if self.state == SourceState::Lost => {}
            Ok(_) => self.last_news = Some(now),
            Err(_) => {
                self.state = before;
                self.counts.refused += 1;
            }
        }
        step
    }

    fn step(&mut self, event: SourceEvent, limits: FeedLimits) -> Result<Step, SourceError> {
        match event {
            SourceEvent::Begin => {
                self.staged.clear();
                self.state = SourceState::Listing;
                Ok(Step::Nothing)
            }
            SourceEvent::Put { pod, at } => {
                if self.admit(pod.uid(), pod.bytes().len(), limits)? {
                    let uid = pod.uid().clone();
                    self.staged.entry(uid).or_default().pod = Some(pod);
                    return Ok(Step::Nothing);
                }
                Ok(Step::Put { pod, at })
            }
            SourceEvent::Status { uid, status, at } => {
                if self.admit(&uid, status.bytes().len(), limits)? {
                    self.staged.entry(uid).or_default().status = Some(status);
                    return Ok(Step::Nothing);
                }
                Ok(Step::Status { uid, status, at })
            }
            SourceEvent::Remove { uid, at } => {
                if self.listing()? {
                    self.staged.remove(&uid);
                    return Ok(Step::Nothing);
                }
                Ok(if self.known.remove(&uid) {
                    Step::Remove { uid, at }
                } else {
                    Step::Nothing
                })
            }
            SourceEvent::Complete { at } => {
                if self.state != SourceState::Listing {
                    return Err(SourceError::CompleteBeforeBegin);
                }
                let claims = mem::take(&mut self.staged);
                let known = mem::replace(&mut self.known, claims.keys().cloned().collect());
                let gone = without(known, &claims);
                self.state = SourceState::Live;
                self.synced = true;
                self.counts.lists += 1;
                Ok(Step::Replace { gone, claims, at })
            }
            SourceEvent::Lost => {
                self.staged.clear();
                self.state = SourceState::Lost;
                self.counts.losses += 1;
                Ok(Step::Nothing)
            }
        }
    }

    /// Makes room for what is said of `uid` and tells whether it belongs to a list under way.
    fn admit(&mut self, uid: &Uid, bytes: usize, limits: FeedLimits) -> Result<bool, SourceError> {
        if bytes > limits.pod_bytes as usize {
            return Err(SourceError::PodTooLarge {
                bytes,
                limit: limits.pod_bytes,
            });
        }
        let listing = self.listing()?;
        let (room, new) = if listing {
            (self.staged.len(), !self.staged.contains_key(uid))
        } else {
            (self.known.len(), !self.known.contains(uid))
        };
        if new && room >= limits.pods as usize {
            return Err(SourceError::TooManyPods { limit: limits.pods });
        }
        if !listing {
            self.known.insert(uid.clone());
        }
        Ok(listing)
    }

    /// Tells whether a list is under way; a change outside of lists shows that the source is back.
    fn listing(&mut self) -> Result<bool, SourceError> {
        match self.state {
            SourceState::Listing => Ok(true),
            SourceState::Live => Ok(false),
            SourceState::Lost if self.synced => {
                self.state = SourceState::Live;
                Ok(false)
            }
            SourceState::Lost | SourceState::Silent => Err(SourceError::PutBeforeBegin),
        }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn view(&self) -> SourceView<'_> {
        SourceView {
            name: &self.name,
            kind: self.kind,
            state: self.state,
            synced: self.synced,
            last_news: self.last_news,
            counts: SourceCounts {
                pods: self.known.len() as u64,
                ..self.counts
            },
        }
    }
}

/// Returns the identities that no claim is about. Both are in order, so that they are gone through once.
fn without(known: BTreeSet<Uid>, claims: &BTreeMap<Uid, Claim>) -> Vec<Uid> {
    let mut claimed = claims.keys().peekable();
    let mut is_gone = |uid: &Uid| {
        while claimed.next_if(|other| *other < uid).is_some() {}
        claimed.peek() != Some(&uid)
    };
    known.into_iter().filter(|uid| is_gone(uid)).collect()
}

impl SourceState {
    /// Returns the state in one lower-case word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Silent => "silent",
            Self::Listing => "listing",
            Self::Live => "live",
            Self::Lost => "lost",
        }
    }
}

impl fmt::Display for SourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CompleteBeforeBegin => f.write_str("expected a begin before the complete"),
            Self::PodTooLarge { bytes, limit } => {
                write!(f, "expected a pod of at most {limit} bytes, found {bytes}")
            }
            Self::PutBeforeBegin => f.write_str("expected a begin before the first change"),
            Self::TooManyPods { limit } => {
                write!(
                    f,
                    "expected at most {limit} pods of one source, found one more"
                )
            }
            Self::UnknownSource => f.write_str("expected the id of a configured source"),
        }
    }
}

impl core::error::Error for SourceError {}

#[cfg(test)]
mod tests;
