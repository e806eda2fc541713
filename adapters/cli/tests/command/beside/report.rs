//! The tables of a run: events and delays by step, differences by path.

use super::allowed::List;
use super::bed::Bed;
use super::delays::{self, middle_and_last};
use super::events;
use super::record::KUBELET;
use crate::process::NODE;

/// Prints what a run showed, and fails on what is new.
///
/// A run that shows all that is known of some servers names them: what the list has about them and
/// nothing showed is printed, too.
pub(super) fn judge(bed: &mut Bed, settled: &[&str]) {
    let run = bed.run;
    let records = bed.recorder.records();
    let servers = bed.names();
    for server in &servers {
        bed.found.extend(events::faults(server, NODE, &records));
    }
    let own = events::own_faults(KUBELET, NODE, &records);

    let steps = delays::steps(&records);
    let head = servers.join(" | ");
    println!("| {run}: step | events of K: added modified deleted | {head} |");
    for step in &steps {
        let told = |server: &str| {
            let [added, modified, deleted] = step.events.get(server).copied().unwrap_or_default();
            let delays = step
                .delays
                .get(server)
                .and_then(|delays| middle_and_last(delays));
            let delays = match delays {
                Some((middle, last)) if server != KUBELET => format!(", {middle} ms ({last})"),
                Some(_) | None => String::new(),
            };
            format!("{added} {modified} {deleted}{delays}")
        };
        let ours: Vec<_> = servers.iter().map(|server| told(server)).collect();
        println!(
            "| {run}: {} | {} | {} |",
            step.name,
            told(KUBELET),
            ours.join(" | ")
        );
    }

    let sorted = bed.list.sort(&bed.found, settled);
    println!("| {run}: path | {head} | K has -> it has, first | pods | why |");
    for row in &sorted.rows {
        let count = |server: &&str| row.counts.get(*server).copied().unwrap_or_default();
        let counts: Vec<_> = servers
            .iter()
            .map(|server| count(server).to_string())
            .collect();
        let (theirs, ours) = &row.example;
        let pods: Vec<_> = row.pods.iter().map(String::as_str).collect();
        println!(
            "| {run}: {} | {} | `{}` -> `{}` | {} | {} |",
            row.path,
            counts.join(" | "),
            clipped(theirs),
            clipped(ours),
            pods.join(" "),
            row.reason.as_deref().unwrap_or("**new**")
        );
    }
    for line in &sorted.stale {
        println!("| {run}: no longer seen | {line} |");
    }
    // The kubelet is not judged: this is what an agent has to expect of it.
    let own = List::default().sort(&own, &[]);
    for row in &own.rows {
        let count: usize = row.counts.values().sum();
        println!("| {run}: of the kubelet itself | {} | {count} |", row.path);
    }
    let fresh = sorted.rows.iter().filter(|row| row.reason.is_none());
    let count = fresh
        .clone()
        .flat_map(|row| row.counts.values())
        .sum::<usize>();
    let fresh = (fresh.count(), count);
    println!(
        "kubelet {run}: {} steps, {} pods compared, {} differences in {} rows, {} of them new in {} rows",
        steps.len(),
        bed.compared,
        bed.found.len(),
        sorted.rows.len(),
        fresh.1,
        fresh.0
    );
    let is_survey =
        std::env::var_os("PODSAPI_BESIDE_SURVEY").is_some_and(|asked| !asked.is_empty());
    assert!(
        is_survey || fresh.0 == 0,
        "{} rows of differences are new: see the table",
        fresh.0
    );
}

fn clipped(text: &str) -> String {
    let text = text.replace('|', "/").replace('\n', " ");
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}
