//! Who waits where, who is woken, and who is named.

use crate::call::WatchId;

use super::waits::{Ready, Seat};
use super::{Slot, WatchSet};

impl WatchSet {
    /// Returns a watch that became readable, or ended, since it was named last.
    pub(crate) fn poll_ready(&mut self) -> Option<WatchId> {
        loop {
            match self.waits.next()? {
                Ready::Noted(id) => {
                    self.waits.done();
                    if let Some(watch) = self.watch(id)
                        && watch.noted
                    {
                        watch.noted = false;
                        return Some(id);
                    }
                }
                Ready::Woken(wait) => {
                    let first = self.waits.get(wait).and_then(|wait| wait.first);
                    match first.and_then(|slot| self.id_at(slot)) {
                        Some(id) => {
                            self.settle(id);
                            return Some(id);
                        }
                        None => {
                            self.waits.done();
                            self.waits.close(wait);
                        }
                    }
                }
            }
        }
    }

    /// Notes that a watch is to be named.
    pub(super) fn note(&mut self, id: WatchId) {
        if let Some(watch) = self.watch(id)
            && !watch.noted
        {
            watch.noted = true;
            self.waits.note(id);
        }
    }

    /// Lets a watch that has read everything wait for a change of what it sees.
    pub(super) fn sit(&mut self, id: WatchId) {
        let Some(Slot {
            watch: Some(watch), ..
        }) = self.slots.get_mut(id.slot as usize)
        else {
            return;
        };
        let Some(place) = self.groups.get_mut(watch.group as usize) else {
            return;
        };
        let Some(group) = &mut place.group else {
            return;
        };
        if !place.listed {
            place.listed = true;
            self.waiting.push(watch.group);
        }
        let place = *group.wait.get_or_insert_with(|| self.waits.open());
        let Some(wait) = self.waits.get_mut(place) else {
            return;
        };
        watch.noted = false;
        let before = wait.last.replace(id.slot);
        watch.seat = Some(Seat {
            wait: place,
            before,
            after: None,
        });
        match before {
            Some(before) => self.with_seat(before, |seat| seat.after = Some(id.slot)),
            None => wait.first = Some(id.slot),
        }
    }

    /// Takes a watch from where it waits if it was woken; `false` where it still waits.
    pub(super) fn settle(&mut self, id: WatchId) -> bool {
        let Some(seat) = self.get(id).and_then(|watch| watch.seat) else {
            return true;
        };
        let Some(woken) = self.waits.woken(seat) else {
            return false;
        };
        self.rise(id);
        if let Some(watch) = self.watch(id) {
            watch.cursor.jump(woken - 1);
        }
        true
    }

    /// Takes a watch from where it waits, woken or not.
    pub(super) fn rise(&mut self, id: WatchId) {
        let Some(seat) = self.watch(id).and_then(|watch| watch.seat.take()) else {
            return;
        };
        if let Some(before) = seat.before {
            self.with_seat(before, |other| other.after = seat.after);
        }
        if let Some(after) = seat.after {
            self.with_seat(after, |other| other.before = seat.before);
        }
        if let Some(wait) = self.waits.get_mut(seat.wait) {
            if seat.before.is_none() {
                wait.first = seat.after;
            }
            if seat.after.is_none() {
                wait.last = seat.before;
            }
        }
    }

    fn with_seat(&mut self, slot: u32, act: impl FnOnce(&mut Seat)) {
        let slot = self.slots.get_mut(slot as usize);
        let seat = slot.and_then(|slot| slot.watch.as_mut()?.seat.as_mut());
        if let Some(seat) = seat {
            act(seat);
        }
    }
}
