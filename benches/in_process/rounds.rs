//! Ways to do the same thing, timed in turn.

use std::time::Duration;

use nix::sys::resource::{UsageWho, getrusage};
use podsapi_bench::figures::Figure;

/// Ways to do the same thing; the first is ours.
pub(crate) struct Comparison<'a> {
    what: &'static str,
    /// How many things each way does in one go.
    things: u32,
    ways: Vec<(&'static str, Way<'a>)>,
}

type Way<'a> = Box<dyn FnMut() + 'a>;

impl<'a> Comparison<'a> {
    /// Compares what `ours` does to so many things at once.
    pub(crate) fn new(what: &'static str, things: usize, ours: impl FnMut() + 'a) -> Self {
        Self {
            what,
            things: u32::try_from(things).unwrap_or(u32::MAX),
            ways: vec![("podsapi", Box::new(ours))],
        }
    }

    /// Adds another way.
    pub(crate) fn beside(mut self, name: &'static str, way: impl FnMut() + 'a) -> Self {
        self.ways.push((name, Box::new(way)));
        self
    }

    /// Times all ways in turn, and prints the CPU time of one thing.
    pub(crate) fn run(mut self) {
        let goes: Vec<_> = self.ways.iter_mut().map(|(_, way)| goes(way)).collect();
        let mut times = vec![Vec::new(); goes.len()];
        for _ in 0..ROUNDS {
            for (((_, way), goes), times) in self.ways.iter_mut().zip(&goes).zip(&mut times) {
                let took = cpu_of(|| (0..*goes).for_each(|_| way()));
                let things = f64::from(*goes) * f64::from(self.things);
                times.push(took.as_secs_f64() * 1e9 / things);
            }
        }
        let mut ours = None;
        for ((name, _), times) in self.ways.iter().zip(times) {
            let figure = Figure::of(times);
            let ours = *ours.get_or_insert(figure.median);
            println!(
                "{:<28} {name:<34} {:>12.1} {:>12.1} {:>12.1} {:>8.2}",
                self.what,
                figure.median,
                figure.least,
                figure.most,
                figure.median / ours
            );
        }
    }
}

/// Returns the head of the table.
pub(crate) fn head() -> String {
    format!(
        "{:<28} {:<34} {:>12} {:>12} {:>12} {:>8}",
        "what", "how", "CPU ns", "least", "most", "ratio"
    )
}

/// Returns how often something can be done in a round.
fn goes(way: &mut impl FnMut()) -> u32 {
    let mut goes = 1_u32;
    loop {
        let took = cpu_of(|| (0..goes).for_each(|_| way()));
        if took * 4 > ROUND {
            let more = ROUND.as_nanos() / took.as_nanos().max(1);
            return goes.saturating_mul(u32::try_from(more.max(1)).unwrap_or(1));
        }
        goes = goes.saturating_mul(2);
    }
}

/// Returns the CPU time that this thread needs for something, which others on the machine do not prolong
/// as they prolong the time that passes.
fn cpu_of(act: impl FnOnce()) -> Duration {
    let used = || {
        let used = getrusage(UsageWho::RUSAGE_THREAD).expect("a thread may ask what it used");
        let times = [used.user_time(), used.system_time()];
        let micros = times.map(|time| time.tv_sec() * 1_000_000 + time.tv_usec());
        Duration::from_micros(micros.iter().sum::<i64>().unsigned_abs())
    };
    let before = used();
    act();
    used().saturating_sub(before)
}

const ROUNDS: usize = 9;

/// Long beside the clock's tick, by which the kernel counts CPU time.
const ROUND: Duration = Duration::from_millis(100);
