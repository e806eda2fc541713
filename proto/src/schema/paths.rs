//! Numbers for all paths through v1.Pod: one for the pod, and one for each field of each message in each
//! place where it can stand, in the order of a walk that goes down before it goes on.
//!
//! The number of a field's path is that of its message's plus [`Message::path_of`], so that a walk over
//! encoded bytes knows where it is from numbers that it adds up.

use crate::schema::{Message, Slot};
use crate::schema_pod::{MESSAGES, SLOTS};

/// The paths through v1.Pod, the pod itself among them.
#[expect(
    clippy::indexing_slicing,
    reason = "runs in the compiler only, which refuses an index out of bounds"
)]
pub const POD_PATHS: usize = 1 + BELOW[Message::POD.0 as usize] as usize;

/// The paths below each message.
static BELOW: [u16; MESSAGES.len()] = below();

/// The number of each slot's path from its message's on; 0 where there is no field.
static STEPS: [u16; SLOTS.len()] = steps();

impl Message {
    /// Returns how much larger the number of a field's path is than that of this message's.
    pub fn path_of(self, number: u32) -> Option<usize> {
        let row = MESSAGES.get(usize::from(self.0))?;
        let place = usize::try_from(number).ok()?.checked_sub(1)?;
        if place >= usize::from(row.slots) {
            return None;
        }
        let step = *STEPS.get(usize::from(row.first) + place)?;
        (step > 0).then_some(usize::from(step))
    }
}

/// Returns whether a slot is a field, and the message whose fields are below it.
const fn inner(slot: Slot) -> (bool, Option<u8>) {
    let is_field = slot.name != Slot::NONE.name;
    let is_message = slot.kind < Slot::BOOL && slot.flags & Slot::MAP == 0;
    (is_field, if is_message { Some(slot.kind) } else { None })
}

#[expect(
    clippy::indexing_slicing,
    reason = "runs in the compiler only, which refuses an index out of bounds"
)]
const fn below() -> [u16; MESSAGES.len()] {
    let mut below = [0; MESSAGES.len()];
    // A message that holds itself would never end, which the compiler refuses.
    let mut changed = true;
    while changed {
        changed = false;
        let mut message = 0;
        while message < MESSAGES.len() {
            let mut sum = 0;
            let mut slot = MESSAGES[message].first as usize;
            let end = slot + MESSAGES[message].slots as usize;
            while slot < end {
                sum += match inner(SLOTS[slot]) {
                    (false, _) => 0,
                    (true, None) => 1,
                    (true, Some(inner)) => 1 + below[inner as usize],
                };
                slot += 1;
            }
            changed |= below[message] != sum;
            below[message] = sum;
            message += 1;
        }
    }
    below
}

#[expect(
    clippy::indexing_slicing,
    reason = "runs in the compiler only, which refuses an index out of bounds"
)]
const fn steps() -> [u16; SLOTS.len()] {
    let mut steps = [0; SLOTS.len()];
    let mut message = 0;
    while message < MESSAGES.len() {
        let mut next = 1;
        let mut slot = MESSAGES[message].first as usize;
        let end = slot + MESSAGES[message].slots as usize;
        while slot < end {
            if let (true, inner) = inner(SLOTS[slot]) {
                steps[slot] = next;
                next += match inner {
                    None => 1,
                    Some(inner) => 1 + BELOW[inner as usize],
                };
            }
            slot += 1;
        }
        message += 1;
    }
    steps
}

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeSet;

    use super::*;
    use crate::schema::Shape;

    /// Walks down from a message whose path has this number and notes those below it.
    fn walk(message: Message, own: usize, seen: &mut BTreeSet<usize>) {
        for field in message.fields() {
            let step = message.path_of(field.number()).expect("a field has a path");
            assert!(seen.insert(own + step), "{message:?} {field:?}");
            if let Some(inner) = field.message()
                && field.shape() != Shape::Map
            {
                walk(inner, own + step, seen);
            }
        }
    }

    #[test]
    fn every_path_has_a_number_of_its_own() {
        let mut seen = BTreeSet::from([0]);
        walk(Message::POD, 0, &mut seen);
        assert_eq!(seen, (0..POD_PATHS).collect());
    }

    #[test]
    fn what_is_no_field_has_no_path() {
        for number in [0, 6, 63, 64, u32::MAX] {
            assert_eq!(Message::POD.path_of(number), None);
        }
    }
}
