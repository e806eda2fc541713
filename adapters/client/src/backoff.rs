//! Exponential, jittered waiting times between attempts to connect.

use std::time::Duration;

/// Bounds of the waiting times between attempts.
#[derive(Clone, Debug, PartialEq)]
pub struct BackoffOptions {
    /// The wait after the first failure.
    pub initial: Duration,
    /// The longest wait.
    pub max: Duration,
    /// By what the wait grows with each failure; below 1 counts as 1.
    pub factor: f64,
    /// The share of a wait, from 0 to 1, by which it is moved at random in either direction, so
    /// that the clients of a restarted server do not return in step.
    pub jitter: f64,
}

impl Default for BackoffOptions {
    /// Starts at 100 ms and ends at 10 s: a socket on the same machine comes back soon, and asking
    /// it costs little.
    fn default() -> Self {
        Self {
            initial: Duration::from_millis(100),
            max: Duration::from_secs(10),
            factor: 1.6,
            jitter: 0.2,
        }
    }
}

/// The waiting times of one connection, in order; pure but for the generator it is given.
#[derive(Clone, Debug)]
pub struct Backoff {
    options: BackoffOptions,
    random: fastrand::Rng,
    /// Failures since the last success.
    failures: u32,
}

impl Backoff {
    /// Returns the waiting times that `seed` decides.
    #[must_use]
    pub fn new(options: BackoffOptions, seed: u64) -> Self {
        Self {
            options,
            random: fastrand::Rng::with_seed(seed),
            failures: 0,
        }
    }

    /// Returns how long to wait after one more failure.
    pub fn next_wait(&mut self) -> Duration {
        let max = self.options.max.as_secs_f64();
        let growth = self
            .options
            .factor
            .max(1.0)
            .powi(i32::try_from(self.failures).unwrap_or(i32::MAX));
        self.failures = self.failures.saturating_add(1);
        let wait = (self.options.initial.as_secs_f64() * growth).min(max);
        let jitter = self.options.jitter.clamp(0.0, 1.0);
        let moved = wait * (1.0 + jitter * (2.0 * self.random.f64() - 1.0));
        Duration::try_from_secs_f64(moved.min(max)).unwrap_or(self.options.max)
    }

    /// Returns how long to wait after one more failure, at which the server asked for a wait; no
    /// server can ask for more than [`BackoffOptions::max`].
    pub fn next_wait_of_at_least(&mut self, asked: Duration) -> Duration {
        self.next_wait().max(asked.min(self.options.max))
    }

    /// Forgets the failures so far: the next wait is the initial one again.
    pub fn reset(&mut self) {
        self.failures = 0;
    }

    /// Returns how many failures there were since the last [`Backoff::reset`].
    #[must_use]
    pub fn failures(&self) -> u32 {
        self.failures
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_to_the_limit_and_never_beyond() {
        let options = BackoffOptions {
            jitter: 0.0,
            ..BackoffOptions::default()
        };
        let mut backoff = Backoff::new(options.clone(), 1);
        let waits: Vec<_> = (0..5000).map(|_| backoff.next_wait()).collect();
        assert_eq!(waits[0], Duration::from_millis(100));
        assert_eq!(waits[1], Duration::from_millis(160));
        assert!(waits.windows(2).all(|pair| pair[0] <= pair[1]));
        assert_eq!(waits[4999], options.max);
    }

    #[test]
    fn jitter_stays_within_its_share_and_differs_between_seeds() {
        let first = |seed| Backoff::new(BackoffOptions::default(), seed).next_wait();
        for seed in 0..200 {
            let wait = first(seed);
            assert!(wait >= Duration::from_millis(80) && wait <= Duration::from_millis(120));
        }
        assert_ne!(first(1), first(2));
        assert_eq!(first(3), first(3));
    }

    #[test]
    fn a_success_starts_again_at_the_initial_wait() {
        let mut backoff = Backoff::new(
            BackoffOptions {
                jitter: 0.0,
                ..BackoffOptions::default()
            },
            7,
        );
        for failures in 1..=9 {
            backoff.next_wait();
            assert_eq!(backoff.failures(), failures);
        }
        backoff.reset();
        assert_eq!(backoff.failures(), 0);
        assert_eq!(backoff.next_wait(), Duration::from_millis(100));
    }

    #[test]
    fn a_server_may_ask_for_a_longer_wait_but_for_none_over_the_limit() {
        let options = BackoffOptions::default();
        let mut backoff = Backoff::new(options.clone(), 1);
        let asked = Duration::from_secs(3);
        assert_eq!(backoff.next_wait_of_at_least(asked), asked);
        assert_eq!(backoff.next_wait_of_at_least(Duration::MAX), options.max);
        assert!(backoff.next_wait_of_at_least(Duration::ZERO) > Duration::from_millis(200));
    }

    #[test]
    fn absurd_options_do_not_panic() {
        let options = BackoffOptions {
            initial: Duration::MAX,
            max: Duration::from_secs(1),
            factor: f64::NAN,
            jitter: f64::INFINITY,
        };
        let mut backoff = Backoff::new(options, 1);
        assert!((0..100).all(|_| backoff.next_wait() <= Duration::from_secs(1)));
    }
}
