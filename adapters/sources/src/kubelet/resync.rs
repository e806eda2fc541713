//! When an upstream is asked for its list: soon after it gave cause, and else on a slow beat.

use std::time::Duration;

use podsapi_client::{Backoff, BackoffOptions};
use podsapi_core::Moment;

/// The times of the questions; pure but for the generator it is given.
///
/// ```text
/// live: beat ──▶ due ──poll──▶ under way ──▶ answered: beat
///                 ▲                 └──────▶ refused: a growing wait
///                 ├── want: within a second of the question before
///                 └── want_at_once: now
/// ```
#[derive(Debug)]
pub(super) struct Resync {
    period: Duration,
    random: fastrand::Rng,
    refusals: Backoff,
    /// Whether there is a watch that told all its pods.
    live: bool,
    /// When to ask next; none while a question is under way and nothing more is wanted.
    due: Option<Moment>,
    /// No question is asked before.
    earliest: Moment,
    under_way: bool,
}

impl Resync {
    pub(super) fn new(period: Duration, seed: u64) -> Self {
        let refusals = BackoffOptions {
            initial: GAP,
            max: LONGEST_WAIT,
            ..BackoffOptions::default()
        };
        Self {
            period,
            random: fastrand::Rng::with_seed(seed),
            refusals: Backoff::new(refusals, seed),
            live: false,
            due: None,
            earliest: Moment::ORIGIN,
            under_way: false,
        }
    }

    /// Stops: there is no watch, or none that told all its pods.
    pub(super) fn stop(&mut self) {
        self.live = false;
        self.due = None;
        self.under_way = false;
    }

    /// Begins: what the upstream has was told just now.
    pub(super) fn start(&mut self, now: Moment) {
        self.live = true;
        self.beat(now);
    }

    /// Has the upstream asked soon; several wishes within a second become one question.
    pub(super) fn want(&mut self, now: Moment) {
        self.due_at(later(now, GATHER).max(self.earliest));
    }

    /// Has the upstream asked as soon as may be, for what cannot wait: at once, unless it has refused.
    pub(super) fn want_at_once(&mut self, now: Moment) {
        let earliest = match self.refusals.failures() {
            0 => now,
            _ => self.earliest,
        };
        self.due_at(earliest.max(now));
    }

    /// Returns whether to ask now; whoever is told so must tell what came of it.
    pub(super) fn poll(&mut self, now: Moment) -> bool {
        let ask = self.next().is_some_and(|due| due <= now);
        if ask {
            self.under_way = true;
            self.due = None;
            self.earliest = later(now, GAP);
        }
        ask
    }

    /// Returns when to poll again.
    pub(super) fn next(&self) -> Option<Moment> {
        self.due.filter(|_| self.live && !self.under_way)
    }

    pub(super) fn is_under_way(&self) -> bool {
        self.under_way
    }

    pub(super) fn answered(&mut self, now: Moment) {
        self.under_way = false;
        self.refusals.reset();
        self.beat(now);
    }

    /// Returns how often in a row there was no answer. The upstream may have `asked` for a wait.
    pub(super) fn refused(&mut self, asked: Duration, now: Moment) -> u32 {
        self.under_way = false;
        let wait = self.refusals.next_wait_of_at_least(asked);
        self.earliest = later(now, wait);
        self.due = Some(self.earliest);
        self.refusals.failures()
    }

    /// The beat is spread, so that the nodes that were started together do not ask in step.
    fn beat(&mut self, now: Moment) {
        let share = 1.0 - SPREAD + 2.0 * SPREAD * self.random.f64();
        self.due_at(later(now, self.period.mul_f64(share)).max(self.earliest));
    }

    fn due_at(&mut self, at: Moment) {
        self.due = Some(self.due.map_or(at, |due| due.min(at)));
    }
}

/// Returns the moment that much later.
pub(super) fn later(now: Moment, wait: Duration) -> Moment {
    now.plus_nanos(u64::try_from(wait.as_nanos()).unwrap_or(u64::MAX))
}

/// At most one question in this time, but for what cannot wait: one of the hundred tokens that a kubelet gives all its
/// callers in a second.
const GAP: Duration = Duration::from_secs(1);

/// What ends together is asked about together.
const GATHER: Duration = Duration::from_millis(100);

/// The longest wait after refusals.
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// The share by which a beat comes sooner or later.
const SPREAD: f64 = 0.2;

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: u64) -> Moment {
        later(Moment::ORIGIN, Duration::from_millis(millis))
    }

    #[test]
    fn a_quiet_upstream_is_asked_on_the_beat_and_each_at_its_own_time() {
        let mut firsts = Vec::new();
        for seed in 0..50 {
            let mut resync = Resync::new(Duration::from_secs(30), seed);
            assert_eq!(
                resync.next(),
                None,
                "nothing is known before the first replay"
            );
            resync.start(at(0));
            for round in 0..5 {
                let due = resync.next().unwrap();
                assert!(!resync.poll(at(due.as_nanos() / 1_000_000 - 1)));
                assert!(resync.poll(due));
                assert_eq!((resync.next(), resync.poll(due)), (None, false));
                resync.answered(due);
                if round == 0 {
                    firsts.push(due);
                }
                let wait = resync.next().unwrap().nanos_since(due) / 1_000_000;
                assert!((24_000..=36_000).contains(&wait), "{wait}");
            }
        }
        firsts.sort();
        firsts.dedup();
        assert!(firsts.len() > 45, "{firsts:?}");
    }

    #[test]
    fn a_burst_of_wishes_is_one_question_a_second() {
        let mut resync = Resync::new(Duration::from_secs(30), 1);
        resync.start(at(0));
        let mut asked = Vec::new();
        for millis in 0..5_000 {
            if millis < 3_000 {
                resync.want(at(millis));
            }
            if resync.poll(at(millis)) {
                asked.push(millis);
                resync.answered(at(millis));
            }
        }
        assert_eq!(asked, [100, 1_100, 2_100, 3_100]);
    }

    #[test]
    fn what_cannot_wait_is_asked_at_once_unless_the_upstream_refuses() {
        let mut resync = Resync::new(Duration::from_secs(30), 1);
        resync.start(at(0));
        resync.want_at_once(at(0));
        assert!(resync.poll(at(0)));
        resync.want_at_once(at(5));
        assert!(!resync.poll(at(5)), "one at a time");
        resync.answered(at(10));
        assert!(resync.poll(at(10)));
        resync.refused(Duration::from_secs(7), at(20));
        resync.want_at_once(at(30));
        assert!(!resync.poll(at(7_019)));
        assert!(resync.poll(at(9_000)));
    }

    #[test]
    fn refusals_are_waited_for_longer_and_longer_and_wishes_do_not_shorten_that() {
        let mut resync = Resync::new(Duration::from_secs(30), 1);
        resync.start(at(0));
        resync.want(at(0));
        let (mut now, mut waits) = (at(100), Vec::new());
        for count in 1..12 {
            assert!(resync.poll(now));
            assert_eq!(resync.refused(Duration::ZERO, now), count);
            resync.want(now);
            let due = resync.next().unwrap();
            waits.push(due.nanos_since(now) / 1_000_000);
            now = due;
        }
        assert!((800..=1_200).contains(&waits[0]), "{waits:?}");
        assert!((8_000..=10_000).contains(&waits[10]), "{waits:?}");
        assert!(resync.poll(now));
        resync.refused(Duration::from_secs(7), now);
        assert!(resync.next().unwrap().nanos_since(now) >= 7_000_000_000);
        // Without a watch nothing is asked, and after it the beat begins anew.
        resync.stop();
        resync.want(now);
        assert!(!resync.poll(later(now, Duration::from_secs(100))));
    }
}
