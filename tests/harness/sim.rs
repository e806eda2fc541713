//! A whole server with its sources and clients in one thread, where a seed decides everything.
//!
//! ```text
//!  seed ──▶ World: draws which task runs next, moves the clock, notes every byte and event
//!             │
//!  sources ───┼──▶ Join (at times) ──▶ podsapi_h2::Server ◀── pipes ──▶ clients with mirrors
//!             │             └────────▶ a twin that nobody is connected to: what is true
//! ```
//!
//! A run is chaos, then calm in which every mirror must become equal to what is served, then a stop
//! in which every connection must end. Nothing in it reads a clock or draws by chance of its own:
//! the h2 crate reads one to forget streams that were reset, and is told to remember them for
//! longer than any run. Its map of streams has a seed of its own, but is walked by place, never
//! by hash; so are the maps of header fields. The rest of what is served uses ordered maps or fixed
//! seeds. So two runs of one seed pass the same bytes in the same order.

mod calling;
mod client;
mod heads;
mod history;
mod ledger;
mod masks;
mod node;
mod owners;
mod pipe;
mod reach;
mod sources;
mod sticking;
mod trail;
mod verdict;
mod watching;
mod world;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use podsapi_core::{Config, SlowWatch};
use podsapi_h2::Limits;

pub use reach::{Reach, Reached};
pub use trail::Trail;

use client::FOR_EVER;
use node::{Node, OWNERS};
use sources::Habits;
use sticking::Held;
use watching::{Learned, Temper};
use world::{World, lock};

/// Runs a seed twice.
///
/// # Errors
///
/// Returns what failed, with the line that repeats it and the last events before.
pub fn check(seed: u64) -> Result<Trail, String> {
    let repeat = format!(
        "repeat with: PODSAPI_SEED={seed} cargo test -p podsapi-tests --test simulation -- --nocapture"
    );
    let first = run(seed).map_err(|failure| format!("{failure}\n{repeat}"))?;
    let second =
        run(seed).map_err(|failure| format!("only the second time: {failure}\n{repeat}"))?;
    match first.parts_from(&second) {
        None => Ok(first),
        Some(turn) => Err(format!(
            "seed {seed}: two runs part at turn {turn} of {}\n{repeat}",
            first.turn_count()
        )),
    }
}

/// Runs a seed once.
///
/// # Errors
///
/// Returns what failed, with the last events before.
pub fn run(seed: u64) -> Result<Trail, String> {
    let world = World::new(seed);
    let ran = catch_unwind(AssertUnwindSafe(|| play(&world)));
    // The end takes the events with it.
    let last = ran.is_err().then(|| world.last_events());
    // What is left of a run that failed may be in any state.
    let ended = catch_unwind(AssertUnwindSafe(|| world.end()));
    let (panic, last) = match (ran, ended) {
        (Ok(()), Ok(trail)) => return Ok(trail),
        (Err(panic), _) | (Ok(()), Err(panic)) => {
            (panic, last.unwrap_or_else(|| world.last_events()))
        }
    };
    let text = panic.downcast_ref::<String>().cloned();
    let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).into()));
    let text = text.unwrap_or_else(|| "a panic without words".into());
    Err(format!("seed {seed} fails:\n{}\n{text}", last.join("\n")))
}

/// Where clients find the server of the moment.
#[derive(Clone, Debug)]
struct Site {
    world: World,
    current: Arc<Mutex<Arc<Node>>>,
    held: Arc<Held>,
    over: Arc<AtomicBool>,
}

impl Site {
    fn node(&self) -> Arc<Node> {
        Arc::clone(&lock(&self.current))
    }

    /// Returns whether clients must leave.
    fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }
}

fn play(world: &World) {
    let config = draw_config(world);
    let impatient = world.one_in(2);
    let limits = Limits {
        reset_stream_memory: FOR_EVER,
        stuck_stream_timeout: match impatient {
            true => world.some_time(LEAST_PATIENCE) + LEAST_PATIENCE,
            false => Limits::default().stuck_stream_timeout,
        },
        ..Limits::default()
    };
    let joined = world.one_in(3);
    let habits = Habits {
        pods: world.draw(|random| random.u32(1..12)),
        pause: Duration::from_millis(world.draw(|random| random.u64(10..200))),
        heavy: world.one_in(4),
        shared: world.one_in(3),
    };
    let patience = limits.stuck_stream_timeout;
    world.tell(format_args!(
        "{config:?}, patience: {patience:?}, joined: {joined}, {habits:?}"
    ));
    let start = || {
        let node = Node::new(world, &config, &limits, joined);
        for owner in 0..OWNERS.len() {
            world.spawn(sources::speak(Arc::clone(&node), owner, habits));
        }
        if joined {
            world.spawn(sources::show(Arc::clone(&node), habits));
        }
        node
    };
    let site = Site {
        world: world.clone(),
        current: Arc::new(Mutex::new(start())),
        held: Arc::default(),
        over: Arc::default(),
    };
    let watchers = bring_clients(&site);

    let rounds = world.draw(|random| random.u32(1..4));
    for round in 1..=rounds {
        world.run_for(world.some_time(CHAOS));
        if round == rounds {
            break;
        }
        let former = site.node();
        former.stop();
        let overlap = world.some_time(CHAOS / 4);
        world.run_for(overlap);
        *lock(&site.current) = start();
        world.reached(Reach::ServersReplaced, 1);
        finish(world, &former);
    }

    world.calm_down();
    world.run_for(CALM);
    let node = site.node();
    for watcher in &watchers {
        lock(watcher).check(&node);
    }
    let watches = node.server.with_pods(|pods| pods.watch_count());
    let stuck = site.held.count(&node, !impatient);
    assert!(
        watches <= watchers.len() + stuck,
        "{watches} watches of {} watchers and {stuck} that may be stuck",
        watchers.len()
    );
    site.over.store(true, Ordering::Relaxed);
    node.stop();
    finish(world, &node);
}

/// Waits until a server that was told to stop must have ended, and holds its numbers against those
/// of its clients.
fn finish(world: &World, node: &Node) {
    world.run_for(SOON);
    node.check_farewell();
    world.run_for(node.limits.drain_timeout + FAREWELL - SOON);
    node.ledger.check(world, &node.config, &node.server);
    let statuses = node.ledger.statuses();
    world.tell(format_args!(
        "the server has ended, {statuses} statuses were read"
    ));
}

fn draw_config(world: &World) -> Config {
    let limited = world.one_in(3);
    Config {
        qps: if limited {
            world.draw(|random| random.u32(1..50))
        } else {
            0
        },
        slow_watch: match world.one_in(2) {
            true => SlowWatch::Coalesce,
            false => SlowWatch::End,
        },
        watch_buffer: world
            .draw(|random| random.u32(1..40))
            .try_into()
            .expect("the range begins with one"),
        max_projection_bytes: world.draw(|random| random.u32(..20_000)),
        ..Config::default()
    }
}

/// Spawns the clients of a run; returns those whose mirrors must be right in the end.
fn bring_clients(site: &Site) -> Vec<Arc<Mutex<Learned>>> {
    let world = &site.world;
    let mut watchers = Vec::new();
    for number in 0..world.draw(|random| random.u32(1..5)) {
        let temper = world.draw(|random| random.choice(TEMPERS));
        let temper = temper.unwrap_or(Temper::Prompt);
        let name = format!("client {number}, {temper:?}");
        let learned = Arc::new(Mutex::new(Learned::nothing(world, name)));
        world.spawn(watching::watch(site.clone(), temper, Arc::clone(&learned)));
        watchers.push(learned);
    }
    for _ in 0..world.draw(|random| random.u32(..3)) {
        world.spawn(calling::call(site.clone()));
    }
    for _ in 0..world.draw(|random| random.u32(..3)) {
        world.spawn(sticking::stay_stuck(site.clone()));
    }
    for _ in 0..world.draw(|random| random.u32(..3)) {
        world.spawn(calling::be_rude(site.clone()));
    }
    watchers
}

const TEMPERS: [Temper; 3] = [Temper::Prompt, Temper::Slow, Temper::Fickle];

/// The longest time between a start and a stop.
const CHAOS: Duration = Duration::from_secs(3);

/// Enough to connect again, to read what waits and to tell a last list, and for a server that is
/// not patient to give up on who does not read; less than a patient one waits, which would hide
/// that a stream was forgotten.
const CALM: Duration = Duration::from_secs(20);

/// The shortest time after which a server gives up on a watch, and half of the longest where it is
/// not patient: more than a client pauses that reads, and less than watches last before the calm.
const LEAST_PATIENCE: Duration = Duration::from_millis(700);

/// When the connections of clients that read have ended after a stop: sooner than any timeout of
/// the server.
const SOON: Duration = Duration::from_secs(4);

/// What the end of a connection takes beyond the time to drain.
const FAREWELL: Duration = Duration::from_secs(2);
