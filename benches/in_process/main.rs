//! What happens in one process, each beside another way to do the same: `cargo bench -p podsapi-bench`.
//!
//! Times are shown, not judged; the ratios are of rounds that took turns in this run. Words on the command
//! line choose the groups whose names have one of them.
#![allow(clippy::print_stdout, reason = "a program for a terminal")]

mod groups;
mod join;
mod node;
mod rounds;

use std::error::Error;

use podsapi_bench::corpus;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<_> = std::env::args()
        .skip(1)
        .filter(|word| !word.starts_with("--"))
        .collect();
    let chosen = |name: &str| words.is_empty() || words.iter().any(|word| name.contains(word));
    if !GROUPS.into_iter().any(chosen) {
        return Ok(());
    }
    let pods = corpus::corpus(PODS);
    println!("{}", rounds::head());
    if chosen("check") {
        groups::check(&pods)?;
    }
    if chosen("mask") {
        groups::mask(&pods)?;
    }
    if chosen("store") {
        groups::store(&pods)?;
    }
    if chosen("watch") {
        groups::watch(&pods)?;
    }
    if chosen("json") {
        groups::json(&pods)?;
    }
    if chosen("join") {
        join::join()?;
    }
    Ok(())
}

const PODS: usize = 100;

const GROUPS: [&str; 5] = ["check", "mask", "store", "watch", "json"];
