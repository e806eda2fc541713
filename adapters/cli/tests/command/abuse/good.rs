//! The good client, on a thread and a runtime of its own, so that it shares nothing with the bad one.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use podsapi_client::{Client, ClientOptions};
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};

use crate::process::{PATIENCE, now};

/// How often the good client calls, when it is measured.
pub(super) const PERIOD: Duration = Duration::from_millis(50);

/// Pods of the server, give or take the simulated changes.
const PODS: usize = 50;

/// A client that calls with this period until its end.
pub(super) struct Good {
    thread: JoinHandle<Served>,
    state: Arc<State>,
}

#[derive(Default)]
struct State {
    begun: AtomicBool,
    stop: AtomicBool,
    calls: AtomicUsize,
    connects: AtomicUsize,
}

/// How long things took.
#[derive(Default)]
pub(super) struct Served {
    /// Each call, in the order of time.
    pub(super) calls: Vec<Duration>,
    /// Each connection: until it is there, however often that is tried, and its first call answered.
    pub(super) connects: Vec<Duration>,
}

impl Good {
    /// Begins to call, and was answered when this returns, which does not count: what the last attack
    /// left is over then. With `every` it connects anew with every so manieth call, to see that it is
    /// still let in.
    pub(super) fn begin(name: &str, socket: &Path, period: Duration, every: Option<usize>) -> Self {
        let state = Arc::<State>::default();
        let (own, socket) = (Arc::clone(&state), socket.to_owned());
        let thread = std::thread::Builder::new().name(format!("the good client under {name}"));
        let run = move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build();
            runtime.unwrap().block_on(call(socket, period, every, &own))
        };
        let good = Self {
            thread: thread.spawn(run).unwrap(),
            state,
        };
        good.wait(|good| good.state.begun.load(Ordering::Relaxed));
        good
    }

    /// Returns how many calls were answered.
    pub(super) fn calls(&self) -> usize {
        self.state.calls.load(Ordering::Relaxed)
    }

    /// Returns how many connections were made.
    pub(super) fn connects(&self) -> usize {
        self.state.connects.load(Ordering::Relaxed)
    }

    /// Waits for something that the client does; its own failure is found at the end.
    pub(super) fn wait(&self, mut done: impl FnMut(&Self) -> bool) {
        while !self.has_failed() && !done(self) {
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Returns whether there is nothing more to wait for.
    pub(super) fn has_failed(&self) -> bool {
        self.thread.is_finished()
    }

    /// Ends it, and fails when it failed.
    pub(super) fn end(self) -> Served {
        self.state.stop.store(true, Ordering::Relaxed);
        let served = self.thread.join();
        served.expect("the good client is served")
    }
}

async fn call(socket: PathBuf, period: Duration, every: Option<usize>, state: &State) -> Served {
    let mut served = Served::default();
    let mut client = connect(&socket, &mut served, state).await;
    served.connects.clear();
    state.connects.store(0, Ordering::Relaxed);
    state.begun.store(true, Ordering::Relaxed);
    let mut ticks = interval(period);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    while !state.stop.load(Ordering::Relaxed) {
        ticks.tick().await;
        let place = served.calls.len();
        if every.is_some_and(|every| place % every == every - 1) {
            client = connect(&socket, &mut served, state).await;
        }
        let began = now();
        // By turns the largest and the smallest answer.
        if place.is_multiple_of(2) {
            let pods = timeout(PATIENCE, client.list()).await;
            let pods = pods.expect("a list ends").expect("a list is answered");
            assert!(pods.len().abs_diff(PODS) < 20, "{}", pods.len());
        } else {
            let status = timeout(PATIENCE, client.status()).await;
            status.expect("a call ends").expect("a call is answered");
        }
        served.calls.push(began.elapsed());
        state.calls.store(served.calls.len(), Ordering::Relaxed);
    }
    served
}

/// Connects and calls, which waits for the server to accept what came before; a socket whose queue is
/// full at the moment is tried again, as every client does.
async fn connect(socket: &Path, served: &mut Served, state: &State) -> Client {
    let began = now();
    let connecting = async {
        loop {
            match Client::connect(socket, ClientOptions::default()).await {
                Ok(client) => return client,
                Err(_full) => sleep(Duration::from_millis(1)).await,
            }
        }
    };
    let client = timeout(PATIENCE, connecting).await;
    let client = client.expect("the good client is let in");
    let first = timeout(PATIENCE, client.status()).await;
    first.expect("a call ends").expect("a call is answered");
    served.connects.push(began.elapsed());
    state
        .connects
        .store(served.connects.len(), Ordering::Relaxed);
    client
}
