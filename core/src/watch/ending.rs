//! Watches that fall too far behind, and how watches end.

use crate::call::{Method, WatchId};
use crate::counters::Counters;
use crate::log::{Log, Revision};

use super::cursor::{Follow, Lag};
use super::reader::{Cursor, State};
use super::view::Sight;
use super::{Ending, WatchSet};

impl WatchSet {
    /// Lets a watch whose first list is read follow the log.
    pub(super) fn go_live(&mut self, id: WatchId, log: &Log) {
        let buffer = u64::from(self.limits.buffer);
        let Some(watch) = self.watch(id) else {
            return;
        };
        watch.state = State::Live;
        if let Cursor::Follow(follow) = &mut watch.cursor {
            follow.synced(log.last());
            self.look_at_revision(id, log.last() + buffer + 1);
        }
    }

    /// Notes when to look again whether a watch is too far behind.
    pub(super) fn look_at_revision(&mut self, id: WatchId, revision: Revision) {
        let Some(watch) = self.watch(id) else {
            return;
        };
        if let Some(former) = watch.due.replace(revision) {
            self.due.remove(&(former, id.slot));
        }
        self.due.insert((revision, id.slot));
    }

    /// Ends a watch that is too slow; what it may still have stays to be read.
    fn cut_off(
        &mut self,
        id: WatchId,
        log: &mut Log,
        sight: &mut Sight<'_>,
        counters: &mut Counters,
    ) {
        if let Some((watch, group)) = self.watch_and_group(id) {
            counters.count(
                group.view.dialect,
                Method::WatchPods,
                Ending::TooSlow.code(),
            );
            counters.watch_events_dropped += watch.lost(log, group, sight);
            self.live -= 1;
        }
        self.rise(id);
        self.note(id);
    }

    /// Leaves only the end of a watch to be read.
    pub(super) fn end(
        &mut self,
        id: WatchId,
        ending: Ending,
        log: &mut Log,
        sight: &mut Sight<'_>,
        counters: &mut Counters,
    ) {
        if !self.settle(id) {
            self.rise(id);
            if let Some(watch) = self.watch(id) {
                watch.cursor.jump(log.last());
            }
        }
        let Some((watch, group)) = self.watch_and_group(id) else {
            return;
        };
        if let State::Ended(_) = watch.state {
            return;
        }
        let unread = watch.unread(log, group, sight);
        let was_live = watch.is_live();
        match ending {
            Ending::TooSlow | Ending::Outdated if was_live => {
                counters.watch_events_dropped += unread
            }
            Ending::NotThere | Ending::Shutdown | Ending::TooSlow | Ending::Outdated => {
                counters.watch_events_discarded += unread;
            }
        }
        counters.watch_events_dropped += watch.lost(log, group, sight);
        if was_live {
            counters.count(group.view.dialect, Method::WatchPods, ending.code());
        }
        let due = watch.due.take();
        watch.state = State::Ended(ending);
        self.live -= usize::from(was_live);
        if let Some(due) = due {
            self.due.remove(&(due, id.slot));
        }
        self.note(id);
    }

    /// Looks whether a watch is too far behind, and notes when to look again.
    pub(super) fn look_at(
        &mut self,
        slot: u32,
        log: &mut Log,
        sight: &mut Sight<'_>,
        counters: &mut Counters,
    ) {
        let Some(id) = self.id_at(slot) else {
            return;
        };
        let buffer = self.limits.buffer;
        let seat = self.get(id).and_then(|watch| watch.seat);
        let woken = seat.map(|seat| self.waits.woken(seat));
        let Some((watch, group)) = self.watch_and_group(id) else {
            return;
        };
        watch.due = None;
        let Cursor::Follow(follow) = &mut watch.cursor else {
            return;
        };
        let lag = match woken {
            Some(None) => Lag::NotBefore(log.last() + u64::from(buffer) + 1),
            Some(Some(woken)) => {
                *follow = Follow::new(woken - 1);
                follow.measure(buffer, log, group, sight)
            }
            None => follow.measure(buffer, log, group, sight),
        };
        match lag {
            Lag::NotBefore(revision) => self.look_at_revision(id, revision),
            Lag::Unknown => self.look_at_revision(id, log.last()),
            Lag::TooFar => self.cut_off(id, log, sight, counters),
        }
    }
}
