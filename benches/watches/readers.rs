//! Many readers that read, one that is slow, and readers that go.

use std::error::Error;
use std::time::Duration;

use allocation_counter::{AllocationInfo, measure};
use podsapi_bench::corpus::CorpusPod;
use podsapi_bench::holds::Holds;
use podsapi_bench::masks::PHASE;
use podsapi_core::{SlowWatch, WatchOutput};

use crate::changes::LONGEST_MILLIS;
use crate::lists::megabytes;
use crate::node::{Node, States, Touch};
use crate::rows::Row;
use crate::{Outcome, WATCHES};

/// Returns the bytes that one watch and so many more take for events that all have read, and for more that
/// none has.
fn after_events(
    states: &States,
    mask: Option<&str>,
    more: usize,
) -> Result<[i64; 2], Box<dyn Error>> {
    let mut node = Node::new(states, SlowWatch::End)?;
    watch_and_read(&mut node, 1 + more, mask)?;
    let told = counted(|| {
        for _ in 0..EVENTS {
            let change = node.change()?;
            node.say(change);
            node.read();
        }
        node.leave_unread();
        Ok(())
    })?;
    let left = counted(|| {
        for _ in 0..LEFT {
            let change = node.change()?;
            node.say(change);
        }
        node.leave_unread();
        Ok(())
    })?;
    Ok([told.bytes_current, left.bytes_current])
}

/// What one more watch takes, and what many do that read all.
pub(crate) fn held(pods: &[CorpusPod]) -> Outcome {
    let states = States::of(pods, Touch::Phase)?;
    let row = |what| Row {
        group: "held",
        what,
    };
    for (what, mask) in [
        ("one more watch, no mask", None),
        ("one more watch, one mask for all", Some(PHASE)),
    ] {
        let mut node = Node::new(&states, SlowWatch::End)?;
        // The first has what all share made.
        node.watch(mask)?;
        node.read();
        let opened = counted(|| {
            for _ in 0..MORE {
                node.watch(mask)?;
            }
            node.leave_unread();
            Ok(())
        })?;
        let opened = each(opened.bytes_current);
        row(what).at_most("memory, nothing read", opened, "bytes", ONE_WATCH_BYTES);

        let mut node = Node::new(&states, SlowWatch::End)?;
        node.watch(mask)?;
        node.read();
        let read = counted(|| watch_and_read(&mut node, MORE, mask))?.bytes_current;
        row(what).at_most("memory, list read", each(read), "bytes", ONE_WATCH_BYTES);
        // What is kept for all of them, whoever watches, is that of one.
        let [told, left] = after_events(&states, mask, MORE)?;
        let [told_one, left_one] = after_events(&states, mask, 0)?;
        let told = each(read + told - told_one);
        row(what).at_most("memory, events read", told, "bytes", ONE_WATCH_BYTES);
        let left = told + each(left - left_one);
        row(what).at_most("memory, 100 events left", left, "bytes", ONE_WATCH_BYTES);
    }

    let mut single = Node::new(&states, SlowWatch::End)?;
    watch_and_read(&mut single, 1, None)?;
    let single = cost_of_changes(&mut single, 500)?;
    let mut node = Node::new(&states, SlowWatch::End)?;
    let memory = counted(|| watch_and_read(&mut node, MANY, None))?.bytes_current;
    let row = row("10,000 watches, 5,000 pods, a second with 50 changes");
    let mut cost = 0.0;
    let second = counted(|| {
        cost = cost_of_changes(&mut node, 50)?;
        node.leave_unread();
        Ok(())
    })?;
    let held = memory + second.bytes_current;
    let most = memory + i64::try_from(second.bytes_max)?;
    row.at_most("memory beside the pods", megabytes(held), "MB", 32.0);
    row.at_most("most meanwhile", megabytes(most), "MB", 32.0);
    row.figure(
        "the pods themselves",
        megabytes(i64::try_from(states.bytes())?),
        "MB",
    );
    let watches = float(MANY);
    row.figure("CPU", cost * 50.0 / 1e3, "ms");
    row.figure("CPU, a change, one watch", single, "us");
    row.at_most("times that, each", cost / (single * watches), "", 1.2);
    Ok(())
}

/// Beside its view, of which many watches have one.
const ONE_WATCH_BYTES: f64 = 256.0;

/// Enough that what all share hardly counts for one of them.
const MORE: usize = 2_000;
const EVENTS: usize = 20;
/// As many as a watch may leave unread.
const LEFT: usize = 100;
const MANY: usize = 10_000;

/// Begins so many watches, each of which reads its list.
fn watch_and_read(node: &mut Node<'_>, watches: usize, mask: Option<&str>) -> Outcome {
    for _ in 0..watches {
        node.watch(mask)?;
        node.read();
    }
    node.leave_unread();
    Ok(())
}

/// Counts what is allocated meanwhile.
pub(crate) fn counted(act: impl FnOnce() -> Outcome) -> Result<AllocationInfo, Box<dyn Error>> {
    let mut outcome = Ok(());
    let counted = measure(|| outcome = act());
    outcome.map(|()| counted)
}

/// Returns the microseconds of CPU of one change until all have read it.
fn cost_of_changes(node: &mut Node<'_>, changes: u32) -> Result<f64, podsapi_core::PodError> {
    let mut took = Holds::default();
    for _ in 0..changes {
        let change = node.change()?;
        took.add(node.say(change));
        took.add(node.read_all_timed());
    }
    Ok(took.in_all() / f64::from(changes))
}

/// A reader that takes 50 ms for an event of a node with 250 pods and 10 changes a second.
pub(crate) fn slow(pods: &[CorpusPod]) -> Outcome {
    let states = States::of(&pods[..250], Touch::Phase)?;
    for (what, slow_watch) in [
        ("a reader of 50 ms an event, end", SlowWatch::End),
        ("a reader of 50 ms an event, coalesce", SlowWatch::Coalesce),
    ] {
        let row = Row {
            group: "slow",
            what,
        };
        let mut node = Node::new(&states, slow_watch)?;
        let mut watch = node.watch(None)?;
        let (mut synced, mut ends, mut events) = (None, Vec::new(), 0_u32);
        for step in 0..STEPS {
            let now = STEP * step;
            if step.is_multiple_of(STEPS_PER_CHANGE) {
                let change = node.change()?;
                node.say(change);
            }
            match node.poll(watch) {
                WatchOutput::Event(event) => {
                    events += 1;
                    if synced.is_none() && event.to_vec() == SYNC_COMPLETE {
                        synced = Some(now + STEP);
                    }
                }
                WatchOutput::Idle => {}
                // Who is ended begins again.
                WatchOutput::End(_) => {
                    ends.push(now);
                    watch = node.watch(None)?;
                }
            }
        }
        match synced {
            None => row.line("synced", "never                 goal 12.6  MISSED"),
            Some(at) => row.at_most("synced", at.as_secs_f64(), "s", SYNCED_SECONDS),
        }
        row.at_most("ended", float(ends.len()), "times", 0.0);
        if let Some(first) = ends.first() {
            row.figure("first ended", first.as_secs_f64(), "s");
        }
        row.line("events in a minute", &events.to_string());
    }
    Ok(())
}

/// The list and its marker, 50 ms each.
const SYNCED_SECONDS: f64 = 12.6;

/// The sync marker.
const SYNC_COMPLETE: [u8; 2] = [8, 4];

const STEP: Duration = Duration::from_millis(50);
const STEPS_PER_CHANGE: u32 = 2;
/// A minute.
const STEPS: u32 = 1_200;

/// Watches that have something to read are given up.
pub(crate) fn cancel(pods: &[CorpusPod]) -> Outcome {
    let states = States::of(&pods[..250], Touch::Phase)?;
    let mut node = Node::new(&states, SlowWatch::End)?;
    let watches: Result<Vec<_>, _> = (0..WATCHES).map(|_| node.watch(None)).collect();
    let mut holds = Holds::default();
    for watch in watches? {
        holds.add(node.cancel(watch));
    }
    let row = Row {
        group: "cancel",
        what: "4,000 watches that were named and not read",
    };
    row.at_most("longest call", holds.longest() / 1e3, "ms", LONGEST_MILLIS);
    row.figure("all of them", holds.in_all() / 1e3, "ms");
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "counts are small")]
fn each(bytes: i64) -> f64 {
    bytes as f64 / MORE as f64
}

#[expect(clippy::cast_precision_loss, reason = "counts are small")]
fn float(count: usize) -> f64 {
    count as f64
}
