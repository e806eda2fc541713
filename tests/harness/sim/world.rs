//! A runtime without threads, without a clock and without chance but the seed's.

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::mem;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use podsapi_core::Moment;
use podsapi_h2::Runtime;

use super::reach::Reach;
use super::trail::Trail;

/// All that a run shares: tasks, timers, the clock, chance, and the trail of what happened.
///
/// One task runs at a time, and which one is drawn. The clock stands still while any task can run
/// and then moves to the next timer, so what a run does follows from its seed alone.
#[derive(Clone)]
pub(super) struct World {
    shared: Arc<Shared>,
}

struct Shared {
    now: AtomicU64,
    /// Set once nothing may break any more.
    calm: AtomicBool,
    connections: AtomicU64,
    tasks: Mutex<Tasks>,
    ready: Arc<Mutex<Vec<usize>>>,
    timers: Mutex<Timers>,
    random: Mutex<fastrand::Rng>,
    trail: Mutex<Trail>,
}

type Task = Pin<Box<dyn Future<Output = ()> + Send>>;

#[derive(Default)]
struct Tasks {
    /// By number, which counts them; empty where a task has ended or has its turn.
    waiting: Vec<Option<(Task, Arc<Alert>)>>,
}

#[derive(Default)]
struct Timers {
    next: u64,
    due: BTreeMap<(Moment, u64), Waker>,
}

/// Wakes one task; woken twice it runs once.
struct Alert {
    task: usize,
    woken: AtomicBool,
    ready: Arc<Mutex<Vec<usize>>>,
}

impl Wake for Alert {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if !self.woken.swap(true, Ordering::Relaxed) {
            lock(&self.ready).push(self.task);
        }
    }
}

impl World {
    /// Returns a world in which nothing has happened.
    pub(super) fn new(seed: u64) -> Self {
        let shared = Shared {
            now: AtomicU64::new(0),
            calm: AtomicBool::new(false),
            connections: AtomicU64::new(0),
            tasks: Mutex::default(),
            ready: Arc::default(),
            timers: Mutex::default(),
            random: Mutex::new(fastrand::Rng::with_seed(seed)),
            trail: Mutex::default(),
        };
        Self {
            shared: Arc::new(shared),
        }
    }

    /// Lets everything happen that happens until `end`, and moves the clock there.
    ///
    /// # Panics
    ///
    /// When tasks wake each other without end while the clock stands still.
    pub(super) fn run_until(&self, end: Moment) {
        loop {
            let mut turns = 0;
            while self.run_one() {
                turns += 1;
                assert!(turns < MOST_TURNS, "tasks run without end at one moment");
            }
            let mut timers = lock(&self.shared.timers);
            let Some(at) = timers.due.keys().next().map(|(at, _)| *at) else {
                break;
            };
            if at > end {
                break;
            }
            self.shared.now.store(at.as_nanos(), Ordering::Relaxed);
            let later = timers.due.split_off(&(at.plus_nanos(1), 0));
            let due = mem::replace(&mut timers.due, later);
            drop(timers);
            due.into_values().for_each(Waker::wake);
        }
        self.shared.now.store(end.as_nanos(), Ordering::Relaxed);
    }

    /// Lets everything happen that happens in this time.
    pub(super) fn run_for(&self, time: Duration) {
        self.run_until(self.after(time));
    }

    fn run_one(&self) -> bool {
        let mut ready = lock(&self.shared.ready);
        if ready.is_empty() {
            return false;
        }
        let task = match ready.len() {
            1 => ready.swap_remove(0),
            several => ready.swap_remove(self.draw(|random| random.usize(..several))),
        };
        drop(ready);
        let taken = lock(&self.shared.tasks).waiting[task].take();
        let Some((mut future, alert)) = taken else {
            return true;
        };
        lock(&self.shared.trail).turn(task as u64, self.now());
        alert.woken.store(false, Ordering::Relaxed);
        let waker = Waker::from(Arc::clone(&alert));
        if future
            .as_mut()
            .poll(&mut Context::from_waker(&waker))
            .is_pending()
        {
            let mut tasks = lock(&self.shared.tasks);
            tasks.waiting[task] = Some((future, alert));
        }
        true
    }

    /// Draws from the chance of the run.
    pub(super) fn draw<T>(&self, draw: impl FnOnce(&mut fastrand::Rng) -> T) -> T {
        draw(&mut lock(&self.shared.random))
    }

    /// Returns true once in `count` times.
    pub(super) fn one_in(&self, count: u32) -> bool {
        self.draw(|random| random.u32(..count) == 0)
    }

    /// Returns a time up to `longest`.
    pub(super) fn some_time(&self, longest: Duration) -> Duration {
        let nanos = u64::try_from(longest.as_nanos()).unwrap_or(u64::MAX);
        Duration::from_nanos(self.draw(|random| random.u64(..=nanos)))
    }

    /// Waits.
    pub(super) fn sleep(&self, time: Duration) -> Sleep {
        self.sleep_until(self.after(time))
    }

    /// Returns the moment that is so far away.
    pub(super) fn after(&self, time: Duration) -> Moment {
        let nanos = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        self.now().plus_nanos(nanos)
    }

    /// Breaks nothing from now on.
    pub(super) fn calm_down(&self) {
        self.shared.calm.store(true, Ordering::Relaxed);
        self.tell(format_args!("calm"));
    }

    /// Returns whether nothing may break any more.
    pub(super) fn is_calm(&self) -> bool {
        self.shared.calm.load(Ordering::Relaxed)
    }

    /// Returns a number that no other connection has.
    pub(super) fn next_connection(&self) -> u64 {
        self.shared.connections.fetch_add(1, Ordering::Relaxed)
    }

    /// Notes bytes that pass a pipe.
    pub(super) fn pass(&self, pipe: u64, bytes: &[u8]) {
        lock(&self.shared.trail).bytes(pipe, bytes);
    }

    /// Runs a task until it ends or the world does.
    pub(super) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        let mut tasks = lock(&self.shared.tasks);
        let number = tasks.waiting.len();
        let alert = Arc::new(Alert {
            task: number,
            woken: AtomicBool::new(false),
            ready: Arc::clone(&self.shared.ready),
        });
        alert.wake_by_ref();
        tasks.waiting.push(Some((Box::pin(task), alert)));
    }

    /// Notes an event in words.
    pub(super) fn tell(&self, event: fmt::Arguments<'_>) {
        lock(&self.shared.trail).event(self.now(), event);
    }

    /// Notes that something is reached that runs must come to.
    pub(super) fn reached(&self, reach: Reach, count: u64) {
        lock(&self.shared.trail).reached(reach, count);
    }

    /// Returns the trail and drops all tasks, which hold this world and each other.
    pub(super) fn end(&self) -> Trail {
        let tasks = mem::take(&mut lock(&self.shared.tasks).waiting);
        drop(tasks);
        mem::take(&mut lock(&self.shared.trail))
    }

    /// Returns the last events in words.
    pub(super) fn last_events(&self) -> Vec<String> {
        lock(&self.shared.trail).last_events()
    }
}

impl Runtime for World {
    type Sleep = Sleep;

    fn sleep_until(&self, at: Moment) -> Sleep {
        Sleep {
            world: self.clone(),
            at,
            timer: None,
        }
    }

    fn now(&self) -> Moment {
        Moment::from_nanos(self.shared.now.load(Ordering::Relaxed))
    }
}

impl fmt::Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("World").field("now", &self.now()).finish()
    }
}

/// Completes once its moment has come.
#[derive(Debug)]
pub(super) struct Sleep {
    world: World,
    at: Moment,
    timer: Option<u64>,
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if self.world.now() >= self.at {
            return Poll::Ready(());
        }
        let world = self.world.clone();
        let mut timers = lock(&world.shared.timers);
        let next = timers.next;
        let number = *self.timer.get_or_insert(next);
        timers.next += u64::from(number == next);
        timers.due.insert((self.at, number), cx.waker().clone());
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        if let Some(number) = self.timer {
            let waker = lock(&self.world.shared.timers)
                .due
                .remove(&(self.at, number));
            drop(waker);
        }
    }
}

/// Locks, also after a panic: the run is over then, and only its trail is still read.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Turns at one moment after which tasks are taken to wake each other for ever: a thousand times
/// what a busy moment has.
const MOST_TURNS: u32 = 1_000_000;
