//! How many connections may be open at once, in all and for users other than ours.

use std::sync::{Arc, Mutex, PoisonError};

/// One eighth of all slots is out of reach of the users that share the socket by its group, so that they cannot lock out the
/// administrator and the server's own user.
const KEPT_BACK: usize = 8;

/// A fixed number of slots for connections.
#[derive(Debug)]
pub struct Slots {
    limit: usize,
    own_user: u32,
    held: Mutex<Held>,
}

#[derive(Debug, Default)]
struct Held {
    all: usize,
    others: usize,
}

/// The right to keep one connection open; given back when dropped.
#[derive(Debug)]
pub struct Slot {
    slots: Arc<Slots>,
    other: bool,
}

impl Slots {
    /// Makes `limit` slots for a server that runs as `own_user`.
    pub fn new(limit: usize, own_user: u32) -> Arc<Self> {
        Arc::new(Self {
            limit,
            own_user,
            held: Mutex::default(),
        })
    }

    /// Takes a slot for a peer with the given user, if one is free.
    pub fn take(self: &Arc<Self>, user: Option<u32>) -> Option<Slot> {
        let other = user.is_none_or(|user| user != 0 && user != self.own_user);
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let full =
            held.all >= self.limit || (other && held.others >= self.limit - self.limit / KEPT_BACK);
        if full {
            return None;
        }
        held.all += 1;
        held.others += usize::from(other);
        Some(Slot {
            slots: Arc::clone(self),
            other,
        })
    }

    /// Returns how many slots there are.
    pub fn limit(&self) -> usize {
        self.limit
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut held = self
            .slots
            .held
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        held.all -= 1;
        held.others -= usize::from(self.other);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: u32 = 1000;
    const OTHER: u32 = 1001;

    #[test]
    fn a_slot_is_free_again_once_its_connection_is_over() {
        let slots = Slots::new(1, OWN);
        let slot = slots.take(Some(OWN)).unwrap();
        assert!(slots.take(Some(OWN)).is_none());
        assert!(slots.take(Some(0)).is_none());
        drop(slot);
        assert!(slots.take(Some(OWN)).is_some());
    }

    #[test]
    fn other_users_cannot_take_the_last_eighth() {
        let slots = Slots::new(16, OWN);
        let others: Vec<_> = (0..20).filter_map(|_| slots.take(Some(OTHER))).collect();
        assert_eq!(others.len(), 14);
        assert!(slots.take(None).is_none());
        let _own = slots.take(Some(OWN)).unwrap();
        let _root = slots.take(Some(0)).unwrap();
        assert!(slots.take(Some(0)).is_none());
    }

    #[test]
    fn what_other_users_give_back_others_may_take() {
        let slots = Slots::new(16, OWN);
        let take = |user| slots.take(Some(user));
        for _ in 0..3 {
            let _own = take(OWN).unwrap();
            let mut others: Vec<_> = (0..14).map(|_| take(OTHER).unwrap()).collect();
            assert!(take(OTHER).is_none(), "the last eighth is not theirs");
            others.truncate(11);
            let again: Vec<_> = (0..20).filter_map(|_| take(OTHER)).collect();
            assert_eq!(again.len(), 3);
        }
        let held = slots.held.lock().unwrap();
        assert_eq!((held.all, held.others), (0, 0));
    }

    #[test]
    fn what_the_own_user_gives_back_frees_nothing_for_others() {
        let slots = Slots::new(16, OWN);
        let own = slots.take(Some(OWN)).unwrap();
        let _others: Vec<_> = (0..14).map(|_| slots.take(Some(OTHER)).unwrap()).collect();
        drop(own);
        assert!(slots.take(Some(OTHER)).is_none());
        assert!(slots.take(Some(OWN)).is_some());
    }

    #[test]
    fn the_limit_is_as_it_was_given() {
        assert_eq!(
            [0, 1, 512].map(|limit| Slots::new(limit, OWN).limit()),
            [0, 1, 512]
        );
    }

    #[test]
    fn a_handful_of_slots_is_open_to_all() {
        let slots = Slots::new(4, OWN);
        let others: Vec<_> = (0..4).filter_map(|_| slots.take(Some(OTHER))).collect();
        assert_eq!(others.len(), 4);
    }

    #[test]
    fn no_slots_means_no_connections() {
        assert!(Slots::new(0, OWN).take(Some(OWN)).is_none());
    }
}
