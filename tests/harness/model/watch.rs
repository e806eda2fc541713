//! A watch as the model sees it: what waits to be read, and what is worth reading.

use std::collections::{BTreeMap, VecDeque};

use podsapi_core::{Code, Dialect, Method};

use crate::op::Ask;

use super::{Gone, Seen, ServedPod, WALL_SECONDS};

/// A watch with all that it has not read.
#[derive(Debug)]
pub(crate) struct ModelWatch {
    /// What was asked for.
    pub(crate) ask: Ask,
    /// Pods of the first list and the marker.
    first: VecDeque<Seen>,
    live: VecDeque<News>,
    ended: Option<Code>,
    /// Whether nobody can read it any more.
    pub(crate) gone: bool,
}

/// A live event about one pod, whose UID the event may not show.
#[derive(Debug)]
pub(super) struct News {
    uid: String,
    seen: Seen,
    /// What a reader knows of a modified pod.
    known: Option<ServedPod>,
}

impl ModelWatch {
    /// Returns a watch whose first list has these pods.
    pub(super) fn new(ask: Ask, pods: &[ServedPod]) -> Self {
        let mut first: VecDeque<_> = pods.iter().map(|pod| Seen::Added(ask.of(pod))).collect();
        if ask.dialect == Dialect::V1alpha1 {
            first.push_back(Seen::Marker);
        }
        Self {
            ask,
            first,
            live: VecDeque::new(),
            ended: None,
            gone: false,
        }
    }

    /// Returns what a change is for this watch: what differs through its mask.
    pub(super) fn news(
        &self,
        before: Option<&ServedPod>,
        after: Option<&ServedPod>,
    ) -> Option<News> {
        let ask = self.ask;
        let before = before.filter(|pod| ask.sees(pod));
        let after = after.filter(|pod| ask.sees(pod));
        let uid = before.or(after)?.uid.clone();
        let mut known = None;
        let seen = match (before, after) {
            (None, None) => return None,
            (Some(before), Some(after)) if ask.of(before) == ask.of(after) => return None,
            (Some(before), Some(after)) => {
                known = Some(ask.of(before));
                Seen::Modified(ask.of(after))
            }
            (None, Some(after)) => Seen::Added(ask.of(after)),
            (Some(before), None) => Seen::Deleted(Gone {
                uid: before.uid.clone(),
                namespace: before.namespace.clone(),
                name: before.name.clone(),
                at: (ask.dialect == Dialect::Documented).then_some(WALL_SECONDS),
            }),
        };
        Some(News { uid, seen, known })
    }

    /// Adds an event behind all others.
    pub(super) fn push(&mut self, news: News) {
        self.live.push_back(news);
    }

    /// Adds an event to those of its pod that are not read.
    pub(super) fn fold(&mut self, news: News) {
        let unread = self.live.iter();
        let place = unread.clone().rposition(|unread| unread.uid == news.uid);
        let Some(place) = place else {
            self.push(news);
            return;
        };
        let unread = &mut self.live[place];
        match (&mut unread.seen, news.seen) {
            (Seen::Modified(_), Seen::Modified(newest))
                if unread.known.as_ref() == Some(&newest) && !self.ask.is_unmasked() =>
            {
                self.live.remove(place);
            }
            (Seen::Added(unread) | Seen::Modified(unread), Seen::Modified(newest)) => {
                *unread = newest;
            }
            (Seen::Added(_), Seen::Deleted(_)) => {
                self.live.remove(place);
            }
            (unread @ Seen::Modified(_), deleted @ Seen::Deleted(_)) => *unread = deleted,
            (Seen::Deleted(_), added @ Seen::Added(_)) => self.push(News {
                seen: added,
                ..news
            }),
            (unread, event) => panic!("{event:?} cannot follow {unread:?}"),
        }
    }

    /// Takes what is read next.
    pub(super) fn read(&mut self) -> Seen {
        if let Some(code) = self.ended {
            self.gone = true;
            return Seen::End(code);
        }
        let live = &mut self.live;
        self.first
            .pop_front()
            .or_else(|| live.pop_front().map(|news| news.seen))
            .unwrap_or(Seen::Idle)
    }

    /// Ends the watch, unless it is ended, and counts it.
    pub(super) fn end(
        &mut self,
        code: Code,
        requests: &mut BTreeMap<(Dialect, Method, Code), u64>,
    ) {
        if self.is_live() {
            self.ended = Some(code);
            self.live.clear();
            let dialect = self.ask.dialect;
            *requests
                .entry((dialect, Method::WatchPods, code))
                .or_default() += 1;
        }
    }

    /// Tells whether reading gives anything but Idle.
    pub(crate) fn is_readable(&self) -> bool {
        !self.gone && (self.ended.is_some() || !self.first.is_empty() || !self.live.is_empty())
    }

    /// Tells whether the watch is open and not ended.
    pub(crate) fn is_live(&self) -> bool {
        !self.gone && self.ended.is_none()
    }

    /// Returns the number of live events that wait.
    pub(crate) fn queued(&self) -> usize {
        self.live.len()
    }
}
