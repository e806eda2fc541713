//! The calls in progress on one connection, all driven by the task of the connection.
//!
//! A call is looked at as soon as it is there; most end at that, without a task, a wake-up or a
//! timer. One that waits gets a waker of its own, which notes the place of the call and wakes the
//! task of the connection: a hundred quiet watches beside the one that has something cost nothing.

use std::{
    fmt,
    future::Future,
    mem,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, Waker},
};

use crate::attention::{Attention, Caller};

/// The calls of one connection.
pub(crate) struct Calls {
    places: Vec<Place>,
    vacant: Vec<usize>,
    attention: Arc<Attention>,
    /// An empty list, kept for its memory.
    woken: Vec<usize>,
}

/// Places that are kept while no call is in progress: more than a client uses that does not call all
/// at once.
const RETAINED_PLACES: usize = 32;

struct Place {
    call: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
    caller: Arc<Caller>,
    waker: Waker,
}

impl Calls {
    /// Returns no calls; those that come are noted in `attention` when they are woken.
    pub(crate) fn new(attention: &Arc<Attention>) -> Self {
        Self {
            places: Vec::new(),
            vacant: Vec::new(),
            attention: Arc::clone(attention),
            woken: Vec::new(),
        }
    }

    /// Returns the number of calls in progress.
    pub(crate) fn len(&self) -> usize {
        self.places.len() - self.vacant.len()
    }

    /// Begins a call, and keeps it when it does not end at once.
    pub(crate) fn begin(&mut self, call: impl Future<Output = ()> + Send + 'static) {
        let place = self.vacant.pop().unwrap_or_else(|| {
            let place = self.places.len();
            self.places.push(Place::new(place, &self.attention));
            place
        });
        if let Some(slot) = self.places.get_mut(place) {
            slot.call = Some(Box::pin(call));
        }
        self.look_at(place);
    }

    /// Looks at every call that was woken; false when there was none, or those that were are over.
    pub(crate) fn poll_woken(&mut self) -> bool {
        let mut places = mem::take(&mut self.woken);
        self.attention.take_places(&mut places);
        let mut any = false;
        for place in places.drain(..) {
            any |= self.look_at(place);
        }
        self.woken = places;
        if self.len() == 0 && self.places.len() > RETAINED_PLACES {
            self.places = Vec::new();
            self.vacant = Vec::new();
            self.woken = Vec::new();
        }
        any
    }

    /// Looks at the call at a place; false when there is none any more.
    fn look_at(&mut self, place: usize) -> bool {
        let Some(slot) = self.places.get_mut(place) else {
            return false;
        };
        slot.caller.begin_look();
        let Some(call) = &mut slot.call else {
            return false;
        };
        if call.as_mut().poll(&mut Context::from_waker(&slot.waker)) == Poll::Ready(()) {
            slot.call = None;
            self.vacant.push(place);
        }
        true
    }
}

impl fmt::Debug for Calls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Calls").field("len", &self.len()).finish()
    }
}

impl Place {
    fn new(place: usize, attention: &Arc<Attention>) -> Self {
        let caller = Arc::new(Caller::new(place, attention));
        Self {
            call: None,
            waker: Waker::from(Arc::clone(&caller)),
            caller,
        }
    }
}

#[cfg(test)]
mod tests;
