use std::{
    future::poll_fn,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    task::Wake,
};

use super::*;

/// How often something was woken.
#[derive(Default)]
struct Wakes(AtomicUsize);

impl Wakes {
    fn count(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

impl Wake for Wakes {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

/// How often a call was looked at, and its waker.
type Seen = Arc<Mutex<(usize, Option<Waker>)>>;

/// Returns a call that counts how often it was looked at, and ends at the given look; and where its
/// waker is.
fn counted(last: usize) -> (impl Future<Output = ()>, Seen) {
    let seen = Arc::new(Mutex::new((0, None)));
    let kept = Arc::clone(&seen);
    let call = poll_fn(move |cx| {
        let mut seen = kept.lock().unwrap();
        seen.0 += 1;
        seen.1 = Some(cx.waker().clone());
        if seen.0 >= last {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    });
    (call, seen)
}

fn looks(seen: &Mutex<(usize, Option<Waker>)>) -> usize {
    seen.lock().unwrap().0
}

fn wake(seen: &Mutex<(usize, Option<Waker>)>) {
    let waker = seen.lock().unwrap().1.clone();
    waker.unwrap().wake();
}

#[test]
fn a_call_that_ends_at_once_is_not_kept() {
    let attention = Arc::<Attention>::default();
    let mut calls = Calls::new(&attention);
    let (call, seen) = counted(1);
    calls.begin(call);
    assert_eq!((looks(&seen), calls.len()), (1, 0));
    assert!(!calls.poll_woken());
}

#[test]
fn a_call_that_is_over_is_not_woken_any_more() {
    let attention = Arc::<Attention>::default();
    let mut calls = Calls::new(&attention);
    let (call, seen) = counted(1);
    calls.begin(call);
    wake(&seen);
    assert!(!calls.poll_woken());
    // Its place is another's by then, which looks once more than it has to.
    let (next, next_seen) = counted(2);
    calls.begin(next);
    wake(&seen);
    assert!(calls.poll_woken());
    assert_eq!((looks(&seen), looks(&next_seen)), (1, 2));
}

#[test]
fn only_the_call_that_was_woken_is_looked_at() {
    let attention = Arc::<Attention>::default();
    let mut calls = Calls::new(&attention);
    let all: Vec<_> = (0..3).map(|_| counted(2)).collect();
    let seen: Vec<_> = all.iter().map(|(_, seen)| Arc::clone(seen)).collect();
    for (call, _) in all {
        calls.begin(call);
    }
    wake(&seen[1]);
    wake(&seen[1]);
    assert!(calls.poll_woken());
    assert_eq!(
        seen.iter().map(|one| looks(one)).collect::<Vec<_>>(),
        [1, 2, 1]
    );
    assert_eq!(calls.len(), 2);
    assert!(!calls.poll_woken());
}

#[test]
fn a_place_is_used_again_and_a_stale_waker_does_no_harm() {
    let attention = Arc::<Attention>::default();
    let mut calls = Calls::new(&attention);
    let (first, first_seen) = counted(2);
    calls.begin(first);
    wake(&first_seen);
    calls.poll_woken();
    let (second, second_seen) = counted(3);
    calls.begin(second);
    wake(&first_seen);
    calls.poll_woken();
    assert_eq!((looks(&first_seen), looks(&second_seen)), (2, 2));
    assert_eq!((calls.len(), calls.places.len()), (1, 1));
}

#[test]
fn the_task_is_woken_once_for_many_calls_and_not_while_it_runs() {
    let task = Arc::new(Wakes::default());
    let attention = Arc::<Attention>::default();
    let mut calls = Calls::new(&attention);
    let all: Vec<_> = (0..3).map(|_| counted(9)).collect();
    let seen: Vec<_> = all.iter().map(|(_, seen)| Arc::clone(seen)).collect();
    for (call, _) in all {
        calls.begin(call);
    }
    attention.wake_when_called(&Waker::from(Arc::clone(&task)));
    assert_eq!(task.count(), 0);
    seen.iter().for_each(|one| wake(one));
    assert_eq!(task.count(), 1);
    attention.hush();
    calls.poll_woken();
    wake(&seen[0]);
    assert_eq!(task.count(), 1);
    attention.wake_when_called(&Waker::from(Arc::clone(&task)));
    assert_eq!(task.count(), 2);
}

#[test]
fn what_wakes_the_connection_in_its_turn_wakes_the_task_after_it() {
    let task = Arc::new(Wakes::default());
    let attention = Arc::<Attention>::default();
    let own = Waker::from(Arc::clone(&attention));
    own.wake_by_ref();
    attention.begin_turn();
    attention.wake_when_called(&Waker::from(Arc::clone(&task)));
    assert_eq!(task.count(), 0);
    attention.hush();
    own.wake_by_ref();
    attention.wake_when_called(&Waker::from(Arc::clone(&task)));
    assert_eq!(task.count(), 1);
}

#[test]
fn places_of_a_burst_are_not_kept_once_no_call_is_left() {
    let attention = Arc::<Attention>::default();
    let mut calls = Calls::new(&attention);
    for _ in 0..2 {
        let all: Vec<_> = (0..200).map(|_| counted(2)).collect();
        let seen: Vec<_> = all.iter().map(|(_, seen)| Arc::clone(seen)).collect();
        for (call, _) in all {
            calls.begin(call);
        }
        seen.iter().for_each(|one| wake(one));
        assert_eq!(calls.len(), 200);
        assert!(calls.poll_woken());
        assert_eq!((calls.len(), calls.places.capacity()), (0, 0));
        // Wakers of places that are gone do no harm.
        seen.iter().for_each(|one| wake(one));
        calls.poll_woken();
    }
}
