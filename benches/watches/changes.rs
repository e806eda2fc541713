//! What one change costs, and what a caller waits for meanwhile.

use std::time::Duration;

use podsapi_bench::clock;
use podsapi_bench::corpus::CorpusPod;
use podsapi_bench::holds::Holds;
use podsapi_bench::masks::{Masks, PHASE};
use podsapi_core::SlowWatch;

use crate::node::{Node, States, Touch};
use crate::rows::Row;
use crate::{Outcome, WATCHES};

struct Case {
    what: &'static str,
    pods: usize,
    touch: Touch,
    watches: usize,
    mask: fn(usize) -> Option<String>,
    goal_millis: Option<f64>,
}

/// Who reads the first lists of so many masks projects each pod for each of them, so there are few pods;
/// what a change costs does not depend on the others.
const PODS_OF_MANY_MASKS: usize = 100;

/// One change, told to all watches and read by none of their readers before the next call.
pub(crate) fn changes(pods: &[CorpusPod]) -> Outcome {
    let all = pods.len();
    let few = PODS_OF_MANY_MASKS;
    let case = |what, pods, watches, mask, goal_millis| Case {
        what,
        pods,
        touch: Touch::Phase,
        watches,
        mask,
        goal_millis,
    };
    let cases = [
        case("no watch", all, 0, |_| None, None),
        case("4,000 watches, no mask", all, WATCHES, |_| None, None),
        case(
            "4,000 watches, one mask, told",
            all,
            WATCHES,
            |_| Some(PHASE.to_owned()),
            Some(0.1),
        ),
        case(
            "4,000 watches, 4,000 masks of fields, told",
            few,
            WATCHES,
            |number| Some(Masks::LeavesAndPhase.mask(number)),
            Some(1.0),
        ),
        case(
            "4,000 watches, 4,000 masks of nearly all, told",
            few,
            WATCHES,
            |number| Some(Masks::Wide.mask(number)),
            Some(1.0),
        ),
        case(
            "4,000 watches, 4,000 masks of fields, not told",
            few,
            WATCHES,
            |number| Some(Masks::Leaves.mask(number)),
            Some(1.0),
        ),
        case(
            "4,000 watches, 4,000 masks of labels, phase changes",
            few,
            WATCHES,
            |number| Some(Masks::Labels.mask(number)),
            Some(1.0),
        ),
        Case {
            touch: Touch::Label,
            ..case(
                "4,000 watches, 4,000 masks of labels, another changes",
                few,
                WATCHES,
                |number| Some(Masks::Labels.mask(number)),
                Some(1.0),
            )
        },
        Case {
            touch: Touch::Label,
            ..case(
                "4,000 watches, 4,000 masks of 128 labels, another changes",
                few,
                WATCHES,
                |number| Some(Masks::ManyLabels.mask(number)),
                Some(1.0),
            )
        },
    ];
    for case in cases {
        let states = States::of(&pods[..case.pods], case.touch)?;
        let mut node = Node::new(&states, SlowWatch::End)?;
        for number in 0..case.watches {
            node.watch((case.mask)(number).as_deref())?;
            // A first list is not kept while others are opened.
            node.read();
        }
        let mut holds = Holds::default();
        let mut events = 0;
        let began = clock::now();
        while holds.micros().len() < LEAST_CHANGES
            || (holds.micros().len() < MOST_CHANGES && began.elapsed() < TIME)
        {
            let change = node.change()?;
            holds.add(node.say(change));
            events += node.read().events;
        }
        let row = Row {
            group: "changes",
            what: case.what,
        };
        let median = holds.quantile(500) / 1e3;
        match case.goal_millis {
            Some(goal) => row.at_most("median", median, "ms", goal),
            None => row.figure("median", median, "ms"),
        }
        row.figure("longest", holds.longest() / 1e3, "ms");
        let changes = holds.micros().len();
        row.line("changes, events read", &format!("{changes}, {events}"));
    }
    Ok(())
}

const LEAST_CHANGES: usize = 5;
const MOST_CHANGES: usize = 200;
const TIME: Duration = Duration::from_millis(1_500);

/// `GetPod` beside watches of few and of many masks, whose readers read all.
pub(crate) fn getpod(pods: &[CorpusPod]) -> Outcome {
    let pods = &pods[..PODS_OF_MANY_MASKS];
    let states = States::of(pods, Touch::Phase)?;
    let mut with_one_mask = None;
    for (what, masks) in [
        ("beside 4,000 watches with 1 mask", 1),
        ("beside 4,000 watches with 1,024 masks", 1_024),
    ] {
        let mut node = Node::new(&states, SlowWatch::End)?;
        for number in 0..WATCHES {
            let mask = Masks::LeavesAndPhase.mask(number % masks);
            node.watch(Some(&mask))?;
            node.read();
        }
        let (mut changed, mut reads, mut gets) = Default::default();
        let (mut waits, mut busy) = (Holds::default(), Holds::default());
        let mut works = Holds::default();
        let began = clock::now();
        for change in 0..CHANGES_BESIDE {
            if change >= LEAST_CHANGES && began.elapsed() > TIME * 2 {
                break;
            }
            let event = node.change()?;
            // All that holds the lock because of this change, in order.
            let mut work = Holds::default();
            let took = node.say(event);
            Holds::add(&mut changed, took);
            work.add(took);
            let mut asked = pods.iter().cycle();
            let mut failed = None;
            node.read_timed(|node, took| {
                Holds::add(&mut reads, took);
                work.add(took);
                if work.micros().len().is_multiple_of(READS_PER_GET)
                    && let Some(pod) = asked.next()
                {
                    match node.get(pod) {
                        Ok(took) => Holds::add(&mut gets, took),
                        Err(error) => failed = Some(error),
                    }
                }
            });
            if let Some(error) = failed {
                return Err(error);
            }
            let over = |period| work.waits(period, MOMENTS);
            waits.extend(over(CHANGE_EVERY).micros().iter().copied());
            busy.extend(over(Duration::ZERO).micros().iter().copied());
            works.extend([work.in_all()]);
        }
        let row = Row {
            group: "getpod",
            what,
        };
        let own = gets.quantile(500);
        row.figure("GetPod alone, median", own, "us");
        // Of all that come, most find nothing under way.
        row.figure("with its wait, median", waits.quantile(500) + own, "us");
        row.figure("with its wait, 99 %", waits.quantile(990) + own, "us");
        let [half, most] = [500, 990].map(|thousandths| busy.quantile(thousandths) + own);
        row.figure("while it is told, median", half, "us");
        match with_one_mask {
            None => row.figure("while it is told, 99 %", most, "us"),
            Some(one) => row.at_most("while it is told, 99 %", most, "us", one * 1.5),
        }
        with_one_mask = with_one_mask.or(Some(most));
        row.at_most("longest wait", waits.longest() / 1e3, "ms", LONGEST_MILLIS);
        // Who has to wait for all that was ready before, as in a queue of tasks, waits so long.
        row.figure("a change and its reads", works.quantile(500) / 1e3, "ms");
        for (name, holds) in [("changes", &changed), ("reads", &reads), ("GetPods", &gets)] {
            row.line(name, &holds.to_string());
        }
    }
    Ok(())
}

/// No call holds the lock longer.
pub(crate) const LONGEST_MILLIS: f64 = 1.0;

const CHANGES_BESIDE: usize = 40;
const CHANGE_EVERY: Duration = Duration::from_millis(50);
const READS_PER_GET: usize = 128;

/// Moments of a period at which somebody might come.
const MOMENTS: u32 = 1_000;
