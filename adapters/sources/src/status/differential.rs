//! Statuses beside those that a kubelet's own code works out from the same pods and runtimes.
//!
//! Needs the program of `tests/interop/status` as `PODSAPI_KUBELET_STATUS`; without it the tests
//! say so and pass. `PODSAPI_STATUS_HISTORIES` and `PODSAPI_STATUS_SEED` say how many histories
//! there are and with which seed they begin.

use std::collections::BTreeMap;

use podsapi_proto::core_v1::PodStatus;

use super::deadline;
use super::scenes::{one, told};
use allowed::explained;
use case::Case;
use compare::differences;
use program::Program;
use worlds::World;

mod allowed;
mod case;
mod compare;
mod program;
mod specs;
mod words;
mod worlds;

/// What was counted.
#[derive(Debug, Default)]
struct Tally {
    cases: u64,
    equal: u64,
    named: u64,
    allowed: BTreeMap<&'static str, u64>,
    faults: Vec<String>,
}

#[test]
fn statuses_are_those_of_a_kubelet() {
    let mut program = match Program::start() {
        Ok(program) => program,
        Err(reason) => return println!("skipped: {reason}"),
    };
    let first = number("PODSAPI_STATUS_SEED", 1);
    let count = number("PODSAPI_STATUS_HISTORIES", 1_500);
    let mut tally = Tally::default();
    for seed in first..first + count {
        let mut world = World::new(seed);
        for step in 0..STEPS {
            world.go_on();
            let place = format!("seed {seed}, step {step}");
            let status = tally.compare(&world.case(), &mut program, &place);
            world.answered(status);
        }
    }
    let Tally {
        cases,
        equal,
        named,
        allowed,
        faults,
    } = tally;
    println!("\nkubelet status: {cases} cases, {equal} equal, {named} with named differences");
    for (why, count) in &allowed {
        println!("| {count} {why}");
    }
    let shown = usize::try_from(number("PODSAPI_STATUS_FAULTS", 3)).unwrap();
    faults
        .iter()
        .take(shown)
        .for_each(|fault| println!("{fault}"));
    assert_eq!(faults.len(), 0, "statuses that differ without a reason");
}

/// A container that waits counts by how it ended before, as a kubelet of this release has it.
#[test]
fn the_phase_of_a_pod_whose_container_waits_is_that_of_a_kubelet() {
    let mut program = match Program::start() {
        Ok(program) => program,
        Err(reason) => return println!("skipped: {reason}"),
    };
    println!("\nkubelet phase of a pod whose container waits, by policy and last end:");
    for policy in ["Always", "OnFailure", "Never"] {
        for last in [
            "",
            "{terminated: {exitCode: 0}}",
            "{terminated: {exitCode: 1}}",
        ] {
            let spec = format!(", restartPolicy: {policy}");
            let status = format!(
                "phase: Pending, containerStatuses: [{{name: a, lastState: {last}, state: \
                 {{waiting: {{reason: ImagePullBackOff}}}}}}]"
            );
            let case = Case::of_the_owner(one("", &spec, &status));
            let ours = told(&case.pod, None, &case.seen(), case.now);
            let (kubelet, _) = program.ask(&case);
            println!("| {policy} {last}: {}", kubelet.phase());
            assert_eq!(ours.status.phase(), kubelet.phase(), "{policy} {last}");
        }
    }
}

impl Tally {
    /// Compares both answers; returns ours.
    fn compare(&mut self, case: &Case, program: &mut Program, place: &str) -> PodStatus {
        let (kubelet, refused) = program.ask(case);
        let ours = told(&case.pod, case.last.as_ref(), &case.seen(), case.now);
        let mut found = differences(&ours.status, &kubelet);
        let why = explained(case, refused, &ours.status, &kubelet, &mut found);
        self.cases += 1;
        if found.is_empty() {
            self.equal += u64::from(why.is_empty());
            self.named += u64::from(!why.is_empty());
        } else {
            let case = case.printed();
            self.faults.push(format!("{place}: {found:#?}\n{case}"));
        }
        for why in why {
            *self.allowed.entry(why).or_default() += 1;
        }
        // As long as no deadline passes, time changes nothing.
        let until = deadline(&case.pod, &ours.encoded).unwrap_or(i64::MAX);
        let later = (case.now + 99).min(until - 1).max(case.now);
        let again = told(&case.pod, Some(&ours.encoded), &case.seen(), later);
        for one in differences(&again.status, &ours.status) {
            let case = case.printed();
            self.faults
                .push(format!("{place}: asked again {one:#?}\n{case}"));
        }
        ours.status
    }
}

fn number(name: &str, or: u64) -> u64 {
    let said = std::env::var(name);
    said.map_or(or, |said| {
        said.parse().expect("a number in the environment")
    })
}

/// How many statuses of one pod are worked out, each from the one before.
const STEPS: u32 = 6;
