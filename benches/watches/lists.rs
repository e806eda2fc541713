//! Lists of all pods from a source, while many watch.

use std::time::Duration;

use podsapi_bench::corpus::CorpusPod;
use podsapi_core::SlowWatch;

use crate::changes::LONGEST_MILLIS;
use crate::node::{Node, States, Touch};
use crate::readers::counted;
use crate::rows::Row;
use crate::{Outcome, WATCHES};

/// All pods change while readers that have read all before read nothing more.
pub(crate) fn coalesce(pods: &[CorpusPod]) -> Outcome {
    let states = States::of(pods, Touch::Phase)?;
    let mut node = Node::new(&states, SlowWatch::Coalesce)?;
    for _ in 0..WATCHES {
        node.watch(None)?;
        node.read();
    }
    let row = Row {
        group: "coalesce",
        what: "4,000 watches that read nothing, all of 5,000 pods change",
    };
    let mut longest = Duration::ZERO;
    let memory = counted(|| {
        longest = say_list(&mut node, |_| true)?;
        node.leave_unread();
        Ok(())
    })?;
    row.at_most("memory", megabytes(memory.bytes_current), "MB", 16.0);
    row.figure(
        "most memory meanwhile",
        megabytes(most(memory.bytes_max)),
        "MB",
    );
    row.at_most("longest call", longest.as_secs_f64() * 1e3, "ms", 20.0);
    let mut longest = Duration::ZERO;
    for _ in 0..CHANGES {
        let change = node.change()?;
        longest = longest.max(node.say(change));
        node.leave_unread();
    }
    let longest = longest.as_secs_f64() * 1e3;
    row.at_most("then one pod, longest", longest, "ms", LONGEST_MILLIS);
    Ok(())
}

const CHANGES: usize = 50;

/// A list replaces what a source said before.
pub(crate) fn complete(pods: &[CorpusPod]) -> Outcome {
    let states = States::of(pods, Touch::Phase)?;
    for (what, watches, changed) in [
        ("5,000 pods, none changed, no watch", 0, false),
        ("5,000 pods, none changed, 4,000 watches", WATCHES, false),
        ("5,000 pods, all changed, no watch", 0, true),
        ("5,000 pods, all changed, 4,000 watches", WATCHES, true),
    ] {
        let mut node = Node::new(&states, SlowWatch::End)?;
        for _ in 0..watches {
            node.watch(None)?;
            node.read();
        }
        // Where all changes, watches that do not read meanwhile may end, so it happens once.
        let lists = if watches > 0 && changed { 1 } else { 3 };
        let mut longest = Vec::new();
        for _ in 0..lists {
            let took = say_list(&mut node, |_| changed)?;
            longest.push(took.as_secs_f64() * 1e3);
        }
        let row = Row {
            group: "complete",
            what,
        };
        let least = longest.into_iter().fold(f64::INFINITY, f64::min);
        row.at_most("longest call", least, "ms", LONGEST_MILLIS);
        let seen = node.read();
        row.line(
            "events read, ended",
            &format!("{}, {}", seen.events, seen.ends),
        );
    }
    Ok(())
}

/// Says a whole list, and returns what the longest call took.
fn say_list(
    node: &mut Node<'_>,
    changes: impl FnMut(usize) -> bool,
) -> Result<Duration, podsapi_core::PodError> {
    let mut longest = Duration::ZERO;
    for event in node.list(changes)? {
        let took = node.say(event);
        longest = longest.max(took);
    }
    Ok(longest)
}

fn most(bytes: u64) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}

#[expect(clippy::cast_precision_loss, reason = "exact for 2^53 bytes")]
pub(crate) fn megabytes(bytes: i64) -> f64 {
    bytes as f64 / 1e6
}
