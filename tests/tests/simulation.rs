//! Whatever a seed decides, mirrors become equal to what is served, and a server that stops ends.
//!
//! `PODSAPI_SEED=7` runs one seed; `PODSAPI_SEEDS=5000` as many from 0 on; `PODSAPI_SEEDS=100..200`
//! those.

use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use podsapi_tests::sim::{self, Reach, Reached};

/// Seeds where nobody says how many; the gate runs 200.
const SEEDS: Range<u64> = 0..30;

#[test]
fn every_mirror_becomes_equal_and_every_seed_repeats() {
    let seeds = chosen();
    let next = AtomicU64::new(seeds.start);
    let work = || {
        let (mut bytes, mut turns, mut reached) = (0, 0, Reached::new());
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= seeds.end {
                return (bytes, turns, reached);
            }
            let trail = sim::check(seed).unwrap_or_else(|failure| {
                // Nobody begins another one.
                next.store(seeds.end, Ordering::Relaxed);
                panic!("{failure}")
            });
            bytes += trail.byte_count();
            turns += trail.turn_count();
            add(&mut reached, trail.reach());
        }
    };
    let threads = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let (bytes, turns, reached) = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let ended = workers
            .into_iter()
            .map(|worker| worker.join().expect("a seed fails"));
        ended.fold((0, 0, Reached::new()), |mut sum, one| {
            add(&mut sum.2, &one.2);
            (sum.0 + one.0, sum.1 + one.1, sum.2)
        })
    });
    println!("seeds {seeds:?}: {bytes} bytes, {turns} turns of tasks");
    assert!(
        bytes > 0 && turns > 0,
        "a run without clients shows nothing"
    );
    println!("reached: {reached:?}");
    // A single seed need not come to everything.
    if seeds.end - seeds.start >= SEEDS.end {
        let missed = Reach::ALL.map(|reach| (reach, reached.get(&reach).copied()));
        let missed: Vec<_> = missed
            .iter()
            .filter(|(_, count)| count.unwrap_or_default() == 0)
            .collect();
        assert!(
            missed.is_empty(),
            "no seed of {seeds:?} came to: {missed:?}"
        );
    }
}

fn add(sum: &mut Reached, more: &Reached) {
    for (reach, count) in more {
        *sum.entry(*reach).or_default() += count;
    }
}

#[test]
fn two_seeds_are_two_runs() {
    let hash = |seed| sim::run(seed).expect("this seed passes").hash();
    assert_ne!(hash(1), hash(2));
}

fn chosen() -> Range<u64> {
    let number = |text: &str| text.parse().expect("a seed is a number");
    if let Ok(seed) = std::env::var("PODSAPI_SEED") {
        let seed = number(&seed);
        return seed..seed + 1;
    }
    match std::env::var("PODSAPI_SEEDS") {
        Ok(seeds) => match seeds.split_once("..") {
            Some((from, to)) => number(from)..number(to),
            None => 0..number(&seeds),
        },
        Err(_) => SEEDS,
    }
}
