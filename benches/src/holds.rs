//! How long calls into the service take, each of which holds the one lock of a server, and how long
//! others would wait for it.

use std::fmt;
use std::time::Duration;

use crate::figures::quantile;

/// What some calls took, in microseconds, in their order.
#[derive(Clone, Debug, Default)]
pub struct Holds {
    micros: Vec<f64>,
}

impl Holds {
    /// Adds a call.
    pub fn add(&mut self, took: Duration) {
        self.micros.push(took.as_secs_f64() * 1e6);
    }

    /// Returns the microseconds of each call, in order.
    pub fn micros(&self) -> &[f64] {
        &self.micros
    }

    /// Returns the time that so many of a thousand do not exceed.
    pub fn quantile(&self, thousandths: usize) -> f64 {
        quantile(&mut self.micros.clone(), thousandths)
    }

    /// Returns the longest.
    pub fn longest(&self) -> f64 {
        self.micros.iter().copied().fold(0.0, f64::max)
    }

    /// Returns what all took together.
    pub fn in_all(&self) -> f64 {
        self.micros.iter().sum()
    }

    /// Returns how long somebody waits who comes at so many moments, evenly spread over `period`, at
    /// whose beginning these calls begin, one right after the other. Who comes is next: the wait is for
    /// the call that is under way. Calls that take longer than the period leave no moment without one.
    pub fn waits(&self, period: Duration, moments: u32) -> Self {
        let period = (period.as_secs_f64() * 1e6).max(self.in_all());
        let mut ends = self.micros.iter().scan(0.0, |end, took| {
            *end += took;
            Some(*end)
        });
        let mut end = ends.next();
        let waits = (0..moments).map(|moment| {
            let at = period * f64::from(moment) / f64::from(moments);
            while end.is_some_and(|end| end <= at) {
                end = ends.next();
            }
            end.map_or(0.0, |end| end - at)
        });
        Self {
            micros: waits.collect(),
        }
    }
}

impl Extend<f64> for Holds {
    fn extend<I: IntoIterator<Item = f64>>(&mut self, micros: I) {
        self.micros.extend(micros);
    }
}

/// How many calls took up to 1 µs, 10 µs and so on.
impl fmt::Display for Holds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bounds = [1.0, 10.0, 100.0, 1e3, 1e4, 1e5, f64::INFINITY];
        let names = ["1 us", "10 us", "100 us", "1 ms", "10 ms", "100 ms", "more"];
        let mut former = 0.0;
        for (bound, name) in bounds.into_iter().zip(names) {
            let within = |micros: &&f64| former < **micros && **micros <= bound;
            let none = |micros: &&f64| former == 0.0 && **micros <= 0.0;
            let count = self.micros.iter().filter(|m| within(m) || none(m)).count();
            let separator = if former == 0.0 { "" } else { "  " };
            write!(f, "{separator}{name} {count}")?;
            former = bound;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(micros: impl IntoIterator<Item = u64>) -> Holds {
        let mut holds = Holds::default();
        for micros in micros {
            holds.add(Duration::from_micros(micros));
        }
        holds
    }

    #[test]
    fn who_comes_waits_for_the_call_that_is_under_way() {
        let waits = holds([30, 20]).waits(Duration::from_micros(100), 10);
        let expected = [30.0, 20.0, 10.0, 20.0, 10.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        let close = |(one, other): (&f64, f64)| (one - other).abs() < 1e-6;
        assert!(waits.micros().iter().zip(expected).all(close), "{waits:?}");
    }

    #[test]
    fn calls_that_fill_the_period_leave_no_gap() {
        let waits = holds([400]).waits(Duration::from_micros(100), 4);
        let expected = [400.0, 300.0, 200.0, 100.0];
        let close = |(one, other): (&f64, f64)| (one - other).abs() < 1e-6;
        assert!(waits.micros().iter().zip(expected).all(close), "{waits:?}");
    }

    #[test]
    fn the_histogram_has_every_call_once() {
        let holds = holds([0, 1, 2, 10, 11, 2_000_000]);
        assert_eq!(
            holds.to_string(),
            "1 us 2  10 us 2  100 us 1  1 ms 0  10 ms 0  100 ms 0  more 1"
        );
        assert_eq!((holds.longest(), holds.quantile(500)), (2e6, 2.0));
    }
}
