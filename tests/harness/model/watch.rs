//! A watch as the model sees it: what waits to be read, and what is worth reading.

use std::collections::{BTreeMap, VecDeque};

use podsapi_core::{Code, Dialect, Method, SlowWatch};

use crate::op::{Ask, Setup};

use super::{Gone, Seen, ServedPod, WALL_SECONDS};

/// A watch with all that it has not read.
#[derive(Debug)]
pub(crate) struct ModelWatch {
    /// What was asked for.
    pub(crate) ask: Ask,
    /// Pods of the first list and the marker.
    first: VecDeque<Seen>,
    /// Whether they were read.
    synced: bool,
    news: Unread,
    ended: Option<Code>,
    /// Events that it lost since it was cut off, and that are not counted yet.
    lost: u64,
    /// Whether it was cut off in this step.
    is_cut_now: bool,
    /// Whether nobody can read it any more.
    pub(crate) gone: bool,
}

/// The changes that a watch has not read.
#[derive(Debug)]
enum Unread {
    /// Every event that they are, of which it may leave so many when it is synced.
    Events {
        events: VecDeque<Seen>,
        buffer: usize,
        slack: usize,
    },
    /// What they are together: those of the round that it reads, then the changes after it.
    Rounds {
        round: VecDeque<Seen>,
        later: Vec<Change>,
    },
}

/// A change of one pod.
#[derive(Clone, Debug)]
struct Change {
    before: Option<ServedPod>,
    after: Option<ServedPod>,
}

impl ModelWatch {
    /// Returns a watch whose first list has these pods.
    pub(super) fn new(ask: Ask, pods: &[ServedPod], setup: &Setup) -> Self {
        let mut first: VecDeque<_> = pods.iter().map(|pod| Seen::Added(ask.of(pod))).collect();
        if ask.dialect == Dialect::V1alpha1 {
            first.push_back(Seen::Marker);
        }
        let news = match setup.slow_watch {
            SlowWatch::End => Unread::Events {
                events: VecDeque::new(),
                buffer: setup.watch_buffer as usize,
                slack: 0,
            },
            SlowWatch::Coalesce => Unread::Rounds {
                round: VecDeque::new(),
                later: Vec::new(),
            },
        };
        Self {
            ask,
            synced: first.is_empty(),
            first,
            news,
            ended: None,
            lost: 0,
            is_cut_now: false,
            gone: false,
        }
    }

    /// Takes a change of one pod and returns whether it is an event for this watch; `dropped` counts
    /// those that found no room.
    pub(super) fn tell(
        &mut self,
        before: Option<&ServedPod>,
        after: Option<&ServedPod>,
        dropped: &mut u64,
        requests: &mut BTreeMap<(Dialect, Method, Code), u64>,
    ) -> bool {
        let event = self.ask.event(before, before, after, true);
        let is_event = event.is_some();
        if self.ended == Some(Code::ResourceExhausted) && !self.gone {
            self.lost += u64::from(is_event);
            return is_event;
        }
        if !self.is_live() {
            return false;
        }
        match &mut self.news {
            Unread::Events {
                events,
                buffer,
                slack,
            } => {
                let Some(event) = event else {
                    return false;
                };
                if self.synced && events.len() >= *buffer + *slack {
                    *dropped += 1;
                    self.is_cut_now = true;
                    self.end(Code::ResourceExhausted, requests);
                } else {
                    events.push_back(event);
                }
            }
            Unread::Rounds { later, .. } => later.push(Change {
                before: before.cloned(),
                after: after.cloned(),
            }),
        }
        is_event
    }

    /// Returns the events that were lost in the step in which it was cut off.
    pub(super) const fn lose_at_once(&mut self) -> u64 {
        if std::mem::replace(&mut self.is_cut_now, false) {
            std::mem::replace(&mut self.lost, 0)
        } else {
            0
        }
    }

    /// Takes what is read next.
    pub(super) fn read(&mut self, dropped: &mut u64) -> Seen {
        if let Some(seen) = self.first.pop_front() {
            if self.first.is_empty() && seen == Seen::Marker {
                self.sync();
            }
            return seen;
        }
        if !self.synced {
            self.sync();
        }
        let ask = self.ask;
        let next = match &mut self.news {
            Unread::Events { events, slack, .. } => {
                if events.is_empty() {
                    *slack = 0;
                }
                events.pop_front()
            }
            Unread::Rounds { round, later } => {
                if round.is_empty() {
                    round.extend(together(ask, &std::mem::take(later)));
                }
                round.pop_front()
            }
        };
        match (next, self.ended) {
            (Some(seen), _) => seen,
            (None, Some(code)) => {
                self.gone = true;
                *dropped += std::mem::take(&mut self.lost);
                Seen::End(code)
            }
            (None, None) => Seen::Idle,
        }
    }

    fn sync(&mut self) {
        self.synced = true;
        if let Unread::Events { events, slack, .. } = &mut self.news {
            *slack = events.len();
        }
    }

    /// Ends the watch, unless it is ended, and counts it. What is unread of one that was too slow stays
    /// to be read.
    pub(super) fn end(
        &mut self,
        code: Code,
        requests: &mut BTreeMap<(Dialect, Method, Code), u64>,
    ) {
        if !self.is_live() {
            return;
        }
        self.ended = Some(code);
        if code != Code::ResourceExhausted {
            self.forget();
        }
        let dialect = self.ask.dialect;
        *requests
            .entry((dialect, Method::WatchPods, code))
            .or_default() += 1;
    }

    /// A client goes away.
    pub(super) fn cancel(
        &mut self,
        dropped: &mut u64,
        requests: &mut BTreeMap<(Dialect, Method, Code), u64>,
    ) {
        self.end(Code::Cancelled, requests);
        self.forget();
        self.gone = true;
        *dropped += std::mem::take(&mut self.lost);
    }

    fn forget(&mut self) {
        self.first.clear();
        match &mut self.news {
            Unread::Events { events, .. } => events.clear(),
            Unread::Rounds { round, later } => {
                round.clear();
                later.clear();
            }
        }
    }

    /// Tells whether reading gives anything but Idle.
    pub(crate) fn is_readable(&self) -> bool {
        !self.gone && (self.ended.is_some() || !self.first.is_empty() || self.unread() > 0)
    }

    /// Tells whether the watch is open and not ended.
    pub(crate) fn is_live(&self) -> bool {
        !self.gone && self.ended.is_none()
    }

    /// Returns the number of live events that wait.
    pub(crate) fn unread(&self) -> usize {
        match &self.news {
            Unread::Events { events, .. } => events.len(),
            Unread::Rounds { round, later } => round.len() + together(self.ask, later).len(),
        }
    }

    /// Returns the number of live events that may wait at most, where there is a bound.
    pub(crate) fn bound(&self) -> usize {
        match &self.news {
            Unread::Events { buffer, slack, .. } if self.synced => *buffer + *slack,
            Unread::Events { .. } | Unread::Rounds { .. } => usize::MAX,
        }
    }
}

/// Returns what changes are together, in the order of the last one of each pod. A pod that went away and
/// came again is two.
fn together(ask: Ask, changes: &[Change]) -> Vec<Seen> {
    let mut pods: Vec<(&ServedPod, Vec<&Change>)> = Vec::new();
    for change in changes {
        let Some(pod) = change.before.as_ref().or(change.after.as_ref()) else {
            continue;
        };
        let same = |(other, its): &(&ServedPod, Vec<&Change>)| {
            other.uid == pod.uid && its.last().is_some_and(|last| last.after.is_some())
        };
        let its = match pods.iter().position(same) {
            Some(place) => pods.remove(place).1,
            None => Vec::new(),
        };
        pods.push((pod, its.into_iter().chain([change]).collect()));
    }
    let seen = pods.iter().filter_map(|(_, its)| {
        let (first, last) = (its.first()?, its.last()?);
        let masked = !ask.is_unmasked();
        ask.event(
            first.before.as_ref(),
            last.before.as_ref(),
            last.after.as_ref(),
            masked,
        )
    });
    seen.collect()
}

impl Ask {
    /// Returns what it is for one who asks so that a pod was `known`, was then `latest`, and is `after`;
    /// where `compared`, nothing if it looks the same.
    fn event(
        self,
        known: Option<&ServedPod>,
        latest: Option<&ServedPod>,
        after: Option<&ServedPod>,
        compared: bool,
    ) -> Option<Seen> {
        let visible = |pod: Option<&'_ ServedPod>| pod.is_some_and(|pod| self.sees(pod));
        match (
            known.filter(|pod| self.sees(pod)),
            after.filter(|pod| self.sees(pod)),
        ) {
            (None, None) => None,
            (Some(before), Some(after)) if compared && self.of(before) == self.of(after) => None,
            (Some(_), Some(after)) => Some(Seen::Modified(self.of(after))),
            (None, Some(after)) => Some(Seen::Added(self.of(after))),
            (Some(before), None) => {
                let is_last = after.is_none() && visible(latest);
                let gone = latest.filter(|_| is_last).unwrap_or(before);
                Some(Seen::Deleted(Gone {
                    uid: gone.uid.clone(),
                    namespace: gone.namespace.clone(),
                    name: gone.name.clone(),
                    at: (self.dialect == Dialect::Documented).then_some(WALL_SECONDS),
                }))
            }
        }
    }
}
