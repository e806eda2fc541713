//! When to ask again after a failure, so that thousands of nodes do not ask together.

use std::time::Duration;

use fastrand::Rng;

/// The waits after failures in a row: the first one anywhere from nothing to the backoff, the
/// following ones twice as long each, up to a limit, and at random in their second half.
#[derive(Clone, Debug)]
pub(super) struct Schedule {
    backoff: Duration,
    random: Rng,
    /// Failures since something went well.
    failures: u32,
}

impl Schedule {
    pub(super) fn new(backoff: Duration, seed: u64) -> Self {
        Self {
            backoff,
            random: Rng::with_seed(seed),
            failures: 0,
        }
    }

    /// Returns the wait after one more failure, not shorter than the seconds that a server asked
    /// for, as far as those are sensible.
    pub(super) fn next_wait(&mut self, asked: Option<u64>) -> Duration {
        let doublings = self.failures.min(MAX_DOUBLINGS);
        self.failures = self.failures.saturating_add(1);
        let longest = self.backoff.saturating_mul(1 << doublings);
        let longest = longest.min(self.backoff.max(LONGEST_WAIT));
        let least = match doublings {
            0 => Duration::ZERO,
            _ => longest / 2,
        };
        let wait = least + (longest - least).mul_f64(self.random.f64());
        match asked {
            None => wait,
            // All who were told the same come back spread too.
            Some(seconds) => Duration::from_secs(seconds).min(LONGEST_ASKED) + wait,
        }
    }

    /// Returns for how many seconds a watch is asked for: not the same for all nodes, so that their
    /// watches do not end together.
    pub(super) fn watch_seconds(&mut self) -> u64 {
        self.random.u64(WATCH_SECONDS..2 * WATCH_SECONDS)
    }

    /// Takes that something went well: the next failure is the first one again.
    pub(super) fn reset(&mut self) {
        self.failures = 0;
    }
}

/// The longest wait: as late as a server that is back after a long time is noticed.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// The longest wait that a server can ask for; one that asks for more is asked after these.
const LONGEST_ASKED: Duration = Duration::from_secs(120);

/// Enough to reach any limit from a wait of a millisecond.
const MAX_DOUBLINGS: u32 = 20;

/// The shortest time of a watch; a kubelet's are as long, from 5 to 10 minutes.
const WATCH_SECONDS: u64 = 300;

#[cfg(test)]
mod tests {
    use super::*;

    const BACKOFF: Duration = Duration::from_secs(10);

    fn first(seed: u64) -> Duration {
        Schedule::new(BACKOFF, seed).next_wait(None)
    }

    #[test]
    fn the_first_waits_of_many_nodes_are_spread_evenly_over_the_backoff() {
        let mut tenths = [0; 10];
        for seed in 0..5_000 {
            let wait = first(seed);
            assert!(wait < BACKOFF);
            tenths[usize::try_from(wait.as_millis() / 1_000).unwrap()] += 1;
        }
        assert!(
            tenths.iter().all(|nodes| (400..600).contains(nodes)),
            "{tenths:?}"
        );
    }

    #[test]
    fn later_waits_grow_to_the_limit_with_jitter() {
        let mut schedule = Schedule::new(BACKOFF, 1);
        schedule.next_wait(None);
        for limit in [20, 30, 30, 30] {
            let wait = schedule.next_wait(None);
            let limit = Duration::from_secs(limit);
            assert!((limit / 2..=limit).contains(&wait), "{wait:?}");
        }
        for _ in 0..100 {
            assert!(schedule.next_wait(None) <= LONGEST_WAIT);
        }
        schedule.reset();
        assert!(schedule.next_wait(None) < BACKOFF);
    }

    #[test]
    fn a_backoff_beyond_the_limit_is_the_limit() {
        let mut schedule = Schedule::new(Duration::from_secs(300), 1);
        schedule.next_wait(None);
        let wait = schedule.next_wait(None);
        assert!((150..=300).contains(&wait.as_secs()), "{wait:?}");
        let mut schedule = Schedule::new(Duration::MAX, 1);
        assert!(schedule.next_wait(Some(u64::MAX)) > Duration::ZERO);
    }

    #[test]
    fn a_server_that_asks_for_a_wait_gets_it_but_not_for_ever() {
        let seconds = |asked| Schedule::new(BACKOFF, 3).next_wait(asked).as_secs();
        assert!((60..70).contains(&seconds(Some(60))));
        assert!((120..130).contains(&seconds(Some(86_400))));
    }

    #[test]
    fn watches_last_from_five_to_ten_minutes() {
        let mut schedule = Schedule::new(BACKOFF, 1);
        let mut all: Vec<_> = (0..100).map(|_| schedule.watch_seconds()).collect();
        assert!(all.iter().all(|seconds| (300..600).contains(seconds)));
        all.sort_unstable();
        assert!(all[99] - all[0] > 200, "{all:?}");
    }
}
