//! What many watches cost the service in this process: `cargo bench -p podsapi-bench --bench watches`.
//!
//! Whatever is said to the service holds the one lock of a server, so the longest call is what every
//! caller may have to wait for. Calls are timed by the CPU of this thread, which others on the machine do
//! not prolong; memory is what the allocator has given out and not got back. Words on the command line
//! choose the groups whose names have one of them.
#![allow(clippy::print_stdout, reason = "a program for a terminal")]

mod changes;
mod lists;
mod node;
mod readers;
mod rows;

use std::error::Error;

use podsapi_bench::corpus;

type Outcome = Result<(), Box<dyn Error>>;

type Group = fn(&[corpus::CorpusPod]) -> Outcome;

fn main() -> Outcome {
    let words: Vec<_> = std::env::args()
        .skip(1)
        .filter(|word| !word.starts_with("--"))
        .collect();
    let groups: [(&str, Group); 7] = [
        ("changes", changes::changes),
        ("getpod", changes::getpod),
        ("coalesce", lists::coalesce),
        ("held", readers::held),
        ("slow", readers::slow),
        ("complete", lists::complete),
        ("cancel", readers::cancel),
    ];
    let chosen = |name: &str| words.is_empty() || words.iter().any(|word| name.contains(word));
    let mut pods = Vec::new();
    for (name, group) in groups {
        if !chosen(name) {
            continue;
        }
        if pods.is_empty() {
            pods = corpus::corpus(PODS);
            println!("{}", rows::head());
        }
        group(&pods)?;
    }
    Ok(())
}

const PODS: usize = 5_000;

/// Nearly as many as the service allows by default.
const WATCHES: usize = 4_000;
