//! Tests of the bucket's exactness, over many calls and any clock.

use alloc::vec::Vec;

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

fn bucket(qps: u32, burst: u32) -> TokenBucket {
    TokenBucket::new(qps, NonZeroU32::new(burst).unwrap(), Moment::ORIGIN)
}

fn taken(bucket: &mut TokenBucket, calls: usize, now: Moment) -> usize {
    (0..calls).filter(|_| bucket.take(now).is_ok()).count()
}

#[test]
fn a_full_bucket_admits_its_burst_and_no_more() {
    assert_eq!(taken(&mut bucket(100, 10), 50, Moment::ORIGIN), 10);
}

#[test]
fn a_second_brings_qps_tokens_but_the_burst_is_the_most() {
    let mut bucket = bucket(3, 10);
    taken(&mut bucket, 10, Moment::ORIGIN);
    let second = Moment::from_nanos(1_000_000_000);
    assert_eq!(taken(&mut bucket, 50, second), 3);
    assert_eq!(taken(&mut bucket, 50, second.plus_nanos(u64::MAX / 2)), 10);
}

#[test]
fn a_rate_of_zero_admits_everything() {
    assert_eq!(taken(&mut bucket(0, 1), 1_000, Moment::ORIGIN), 1_000);
}

#[test]
fn a_refused_call_costs_nothing() {
    let mut bucket = bucket(1, 1);
    taken(&mut bucket, 1, Moment::ORIGIN);
    for nanos in (0..1_000_000_000).step_by(10_000_000) {
        let wait_nanos = 1_000_000_000 - nanos;
        assert_eq!(
            bucket.take(Moment::from_nanos(nanos)),
            Err(Empty { wait_nanos })
        );
    }
    assert_eq!(bucket.take(Moment::from_nanos(1_000_000_000)), Ok(()));
}

#[test]
fn a_million_calls_admit_exactly_what_the_time_brought() {
    // Seven tokens a second do not divide the nanoseconds of one, so any rounding would add up.
    let mut bucket = bucket(7, 5);
    let mut admitted = taken(&mut bucket, 5, Moment::ORIGIN) as u64 - 5;
    let mut now = Moment::ORIGIN;
    for call in 0..1_000_000_u64 {
        now = now.plus_nanos(100_000_000 + call % 41_234_567);
        admitted += u64::from(bucket.take(now).is_ok());
    }
    assert_eq!(admitted, now.as_nanos() * 7 / PARTS_PER_TOKEN);
}

#[test]
fn a_clock_that_goes_back_brings_nothing_twice() {
    let mut bucket = bucket(1, 5);
    taken(&mut bucket, 5, Moment::ORIGIN);
    let later = Moment::from_nanos(2_000_000_000);
    assert_eq!(taken(&mut bucket, 9, later), 2);
    for _ in 0..10 {
        assert_eq!(taken(&mut bucket, 9, Moment::ORIGIN), 0);
        assert_eq!(taken(&mut bucket, 9, later), 0);
    }
}

proptest! {
    /// By induction over the calls: whatever their number, nothing drifts.
    #[test]
    fn one_call_in_any_state_changes_the_level_exactly(
        qps in 1_u32..,
        burst in 1_u32..,
        level: u64,
        nanos in 0_u64..1 << 31,
    ) {
        let mut bucket = bucket(qps, burst);
        bucket.level = level % (bucket.capacity + 1);
        let full = u128::from(bucket.level) + u128::from(qps) * u128::from(nanos);
        let full = full.min(u128::from(bucket.capacity));
        let token = u128::from(PARTS_PER_TOKEN);
        let expected = if full >= token { (true, full - token) } else { (false, full) };
        let now = Moment::from_nanos(nanos);
        let taken = bucket.take(now);
        prop_assert_eq!((taken.is_ok(), u128::from(bucket.level)), expected);
        if let Err(Empty { wait_nanos }) = taken {
            let early = now.plus_nanos(wait_nanos - 1);
            prop_assert!(bucket.clone().take(early).is_err());
            prop_assert!(bucket.take(now.plus_nanos(wait_nanos)).is_ok());
        }
    }

    #[test]
    fn no_window_admits_more_than_burst_and_rate(
        qps in 1_u32..2_000,
        burst in 1_u32..20,
        steps in vec(0_u64..30_000_000, 1..200),
    ) {
        let mut bucket = bucket(qps, burst);
        let mut now = Moment::ORIGIN;
        let mut admitted = Vec::new();
        for step in steps {
            now = now.plus_nanos(step);
            for _ in 0..3 {
                if bucket.take(now).is_ok() {
                    admitted.push(now);
                }
            }
        }
        for (from, first) in admitted.iter().enumerate() {
            for (to, last) in admitted.iter().enumerate().skip(from) {
                let window = u128::from(last.nanos_since(*first));
                let most = u128::from(burst) * 1_000_000_000 + u128::from(qps) * window;
                prop_assert!((to - from + 1) as u128 * 1_000_000_000 <= most);
            }
        }
    }

    #[test]
    fn any_clock_admits_at_most_what_its_latest_moment_allows(
        qps in 1_u32..2_000,
        burst in 1_u32..20,
        moments in vec(0_u64..5_000_000_000, 1..200),
    ) {
        let mut bucket = bucket(qps, burst);
        let admitted =
            moments.iter().filter(|&&nanos| bucket.take(Moment::from_nanos(nanos)).is_ok()).count();
        let latest = moments.iter().max().copied().unwrap_or_default();
        let most = u128::from(burst) * 1_000_000_000 + u128::from(qps) * u128::from(latest);
        prop_assert!(admitted as u128 * 1_000_000_000 <= most);
    }

    #[test]
    fn the_largest_numbers_do_not_overflow(moments: Vec<u64>) {
        let mut bucket = TokenBucket::new(u32::MAX, NonZeroU32::MAX, Moment::ORIGIN);
        for nanos in moments {
            prop_assert!(bucket.take(Moment::from_nanos(nanos)).is_ok());
        }
    }
}
