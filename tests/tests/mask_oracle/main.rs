//! Compares projection with an independent filter over decoded messages, pair by pair.
//!
//! `PODSAPI_ORACLE_PAIRS` says how many random pairs of mask and pod are compared, and
//! `PODSAPI_ORACLE_SEED` with which seed the first is drawn; the following ones count up from it.

#![cfg(test)]

mod filter;
mod populated;

use podsapi_tests::mask::{self, Choices, Oddities};
use prost::Message as _;

use filter::Oracle;

/// How many pairs are compared when nothing is said.
const PAIRS: u64 = 3_000;

#[test]
fn projecting_and_decoding_is_decoding_and_filtering() {
    let (pairs, first) = (
        setting("PODSAPI_ORACLE_PAIRS", PAIRS),
        setting("PODSAPI_ORACLE_SEED", 1),
    );
    let threads = std::thread::available_parallelism().map_or(1, |count| count.get() as u64);
    let selected: u64 = std::thread::scope(|scope| {
        let compared: Vec<_> = (0..threads)
            .map(|thread| {
                let seeds = (thread..pairs).step_by(usize::try_from(threads).unwrap());
                scope.spawn(move || {
                    let oracle = Oracle::new();
                    let seeds = seeds.map(|pair| first.wrapping_add(pair));
                    seeds
                        .map(|seed| u64::from(compare(&oracle, seed)))
                        .sum::<u64>()
                })
            })
            .collect();
        compared
            .into_iter()
            .map(|thread| thread.join().expect("the pairs of a thread agree"))
            .sum()
    });
    println!("{pairs} pairs from seed {first} agree, {selected} of them not empty");
    assert!(
        selected > pairs / 2,
        "{selected} of {pairs} masks select something"
    );
}

/// Compares one pair and tells whether something was selected.
fn compare(oracle: &Oracle, seed: u64) -> bool {
    let mut choices = Choices::of_seed(seed);
    let oddities = Oddities {
        unknown_in_entries: true,
    };
    let records = mask::pod(&mut choices, oddities);
    let targets = mask::targets(&mut choices, &records);
    let text = mask::mask(&mut choices, &targets);
    let pod = mask::bytes_of(&records);
    let mut left = Vec::new();
    mask::projection(&text)
        .project(&pod, &mut left)
        .unwrap_or_else(|error| panic!("seed {seed}: {error} of {text} on {pod:02x?}"));
    let expected = oracle.filter(&text, &oracle.decode(&pod));
    assert!(
        oracle.decode(&left) == expected,
        "PODSAPI_ORACLE_SEED={seed}: {text:?} on\n{pod:02x?} left\n{left:02x?}, the filter left\n{:02x?}",
        expected.encode_to_vec()
    );
    !left.is_empty()
}

/// Returns a number from the environment.
fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| {
        text.parse()
            .unwrap_or_else(|_| panic!("{name} is no number: {text}"))
    })
}
