//! What of a connection has something to do, and how its task learns of that.

use std::{
    mem,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    task::{Wake, Waker},
};

use futures_util::task::AtomicWaker;

/// Notes what was woken while the task of a connection waits or runs.
///
/// As a waker it stands for the connection itself; calls have wakers of their own, which note their
/// places here. The task is woken once for all of that, and not at all while it runs: it looks
/// again before it waits.
#[derive(Debug, Default)]
pub(crate) struct Attention {
    /// The connection itself was woken since its turn began.
    own: AtomicBool,
    /// The places of the calls that were woken.
    places: Mutex<Vec<usize>>,
    /// The task of the connection, while it waits.
    task: AtomicWaker,
}

/// Notes that one call was woken.
#[derive(Debug)]
pub(crate) struct Caller {
    place: usize,
    /// Its place is noted already.
    named: AtomicBool,
    attention: Arc<Attention>,
}

impl Attention {
    /// Begins to look at the connection: what wakes it from now on is not overlooked.
    pub(crate) fn begin_turn(&self) {
        self.own.store(false, Ordering::SeqCst);
    }

    /// Takes the places of the calls that were woken, in exchange for an empty list.
    pub(crate) fn take_places(&self, places: &mut Vec<usize>) {
        mem::swap(places, &mut *self.lock());
    }

    /// Begins a time in which the task runs and need not be woken.
    pub(crate) fn hush(&self) {
        drop(self.task.take());
    }

    /// Has `task` woken once a call or the connection was woken, or has been since it was looked at.
    pub(crate) fn wake_when_called(&self, task: &Waker) {
        self.task.register(task);
        if self.own.load(Ordering::SeqCst) || !self.lock().is_empty() {
            self.task.wake();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<usize>> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Caller {
    /// Returns what wakes the call at a place.
    pub(crate) fn new(place: usize, attention: &Arc<Attention>) -> Self {
        Self {
            place,
            named: AtomicBool::new(false),
            attention: Arc::clone(attention),
        }
    }

    /// Begins to look at the call: what wakes it from now on is not overlooked.
    pub(crate) fn begin_look(&self) {
        self.named.store(false, Ordering::SeqCst);
    }
}

impl Wake for Attention {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if !self.own.swap(true, Ordering::SeqCst) {
            self.task.wake();
        }
    }
}

impl Wake for Caller {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if !self.named.swap(true, Ordering::SeqCst) {
            self.attention.lock().push(self.place);
            self.attention.task.wake();
        }
    }
}
