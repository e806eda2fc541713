//! Rounds of which any call fails, hangs or comes late, against the last true answers.
//!
//! A node whose pods live random lives is asked in rounds; each call of a round may be refused, end
//! the round, or be answered after the node changed, and statuses come in any order. The model is
//! the last status that was told of each; nothing else may ever be shown.

use super::*;
use crate::cri::fake::{container_status, sandbox_status};

const SEEDS: u64 = 1_000;
const STEPS: usize = 60;
const PODS: usize = 3;

/// A container that the node has.
#[derive(Clone, Debug)]
struct Run {
    sandbox: String,
    state: cri::ContainerState,
    exit_code: i32,
}

/// What is true, and what of it was told.
struct Node {
    random: fastrand::Rng,
    sandboxes: BTreeMap<String, (usize, bool)>,
    runs: BTreeMap<String, Run>,
    made: usize,
    told_sandboxes: BTreeMap<String, bool>,
    told_runs: BTreeMap<String, (cri::ContainerState, i32)>,
    now: Instant,
}

impl Node {
    fn new(seed: u64) -> Self {
        Self {
            random: fastrand::Rng::with_seed(seed),
            sandboxes: BTreeMap::new(),
            runs: BTreeMap::new(),
            made: 0,
            told_sandboxes: BTreeMap::new(),
            told_runs: BTreeMap::new(),
            now: Instant::now(),
        }
    }

    /// One thing happens in the life of a sandbox or a container.
    fn live(&mut self) {
        let pick = self.random.usize(..64);
        let nth = |ids: Vec<String>| ids.get(pick % ids.len().max(1)).cloned();
        let sandbox = nth(self.sandboxes.keys().cloned().collect());
        let run = nth(self.runs.keys().cloned().collect());
        match self.random.u8(..8) {
            0 => {
                self.made += 1;
                let pod = self.random.usize(..PODS);
                self.sandboxes
                    .insert(format!("s{}", self.made), (pod, true));
            }
            1 | 2 => {
                if let Some(sandbox) = sandbox {
                    self.made += 1;
                    let state = cri::ContainerState::ContainerCreated;
                    let run = Run {
                        sandbox,
                        state,
                        exit_code: 0,
                    };
                    self.runs.insert(format!("c{}", self.made), run);
                }
            }
            3 | 4 => {
                if let Some(run) = run.and_then(|id| self.runs.get_mut(&id)) {
                    match run.state {
                        cri::ContainerState::ContainerCreated => {
                            run.state = cri::ContainerState::ContainerRunning;
                        }
                        cri::ContainerState::ContainerRunning => {
                            run.state = cri::ContainerState::ContainerExited;
                            run.exit_code = [0, 1, 137][pick % 3];
                        }
                        cri::ContainerState::ContainerExited
                        | cri::ContainerState::ContainerUnknown => {}
                    }
                }
            }
            5 => drop(run.and_then(|id| self.runs.remove(&id))),
            6 => {
                if let Some(sandbox) = sandbox.and_then(|id| self.sandboxes.get_mut(&id)) {
                    sandbox.1 = false;
                }
            }
            _ => {
                if let Some(id) = sandbox {
                    self.sandboxes.remove(&id);
                    self.runs.retain(|_, run| run.sandbox != id);
                }
            }
        }
    }

    fn listed(&self) -> (Vec<listed::Sandbox>, Vec<listed::Container>) {
        let sandboxes = self
            .sandboxes
            .iter()
            .map(|(id, (pod, ready))| listed::Sandbox {
                id: id.clone().into(),
                pod: Some(listed::Pod {
                    uid: format!("uid-{pod}").into(),
                }),
                state: i32::from(!*ready),
            });
        let runs = self.runs.iter().map(|(id, run)| listed::Container {
            id: id.clone().into(),
            sandbox_id: run.sandbox.clone().into(),
            state: run.state.into(),
        });
        (sandboxes.collect(), runs.collect())
    }

    /// Answers truly.
    fn answer(&mut self, known: &mut Known, need: &Need) {
        match need {
            Need::Container(id) => match self.runs.get(id) {
                Some(run) => {
                    let status = cri::ContainerStatus {
                        exit_code: run.exit_code,
                        ..container_status(id, run.state)
                    };
                    self.told_runs
                        .insert(id.clone(), (run.state, run.exit_code));
                    known.handle_container(status, None, self.now);
                }
                None => known.handle_missing(need, self.now),
            },
            Need::Sandbox(id) => match self.sandboxes.get(id) {
                Some((_, ready)) => {
                    let address = if *ready { "10.0.0.1" } else { "" };
                    self.told_sandboxes.insert(id.clone(), *ready);
                    known.handle_sandbox(sandbox_status(id, *ready, address), self.now);
                }
                None => known.handle_missing(need, self.now),
            },
        }
    }

    /// Asks for everything that is needed, in any order, with failures of `percent` of the calls;
    /// returns whether each was answered, or nothing when the round came to an end by one.
    fn statuses(&mut self, known: &mut Known, mut needs: Vec<Need>, percent: u8) -> Option<bool> {
        self.random.shuffle(&mut needs);
        let mut whole = true;
        for need in needs {
            if percent > 0 && self.random.bool() {
                self.live();
            }
            if self.random.u8(..100) >= percent {
                let is_there = match &need {
                    Need::Container(id) => self.runs.contains_key(id),
                    Need::Sandbox(id) => self.sandboxes.contains_key(id),
                };
                whole &= is_there;
                self.answer(known, &need);
            } else if self.random.u8(..8) == 0 {
                return None;
            } else {
                whole = false;
                known.handle_refused(&need, "fails", self.now);
            }
        }
        known.settle();
        Some(whole)
    }

    /// Nothing is shown but what was told last, and nothing told of what is listed is hidden.
    fn check(&self, known: &Known, listed: &[BTreeSet<String>; 2], whole: bool) {
        let view = known.view();
        for sandbox in &view.sandboxes {
            assert_eq!(self.told_sandboxes.get(&sandbox.id), Some(&sandbox.ready));
        }
        for run in &view.containers {
            let (state, exit_code) = self.told_runs[&run.id];
            assert_eq!(run.state, reading::state(state.into()), "{run:?}");
            assert_eq!(run.exit_code, exit_code, "{run:?}");
        }
        let shown = [
            view.sandboxes.iter().map(|one| one.id.clone()).collect(),
            view.containers.iter().map(|one| one.id.clone()).collect(),
        ];
        let [sandboxes, runs]: [BTreeSet<String>; 2] = shown;
        for id in &listed[0] {
            let is_told = self.told_sandboxes.contains_key(id);
            assert_eq!(sandboxes.contains(id), is_told, "{id}");
        }
        for id in &listed[1] {
            let sandbox = known.sandboxes.get(&known.containers[id].of);
            let is_hidden = sandbox.is_some_and(|sandbox| sandbox.status.is_none());
            let is_told = self.told_runs.contains_key(id);
            assert_eq!(runs.contains(id), is_told && !is_hidden, "{id}");
        }
        if whole && known.retry_at().is_none() {
            assert!(sandboxes.is_subset(&listed[0]), "{sandboxes:?}");
            assert!(runs.is_subset(&listed[1]), "{runs:?}");
        }
    }
}

fn run(seed: u64) {
    let (mut node, mut known) = (Node::new(seed), Known::default());
    let mut listed = [BTreeSet::new(), BTreeSet::new()];
    let mut last = known.view();
    for _ in 0..STEPS {
        for _ in 0..node.random.u8(..4) {
            node.live();
        }
        node.now += Duration::from_millis(node.random.u64(..2_000));
        let percent = node
            .random
            .choice([0, 20, 60, 100])
            .expect("there are some");
        let needs = match node.random.u8(..8) {
            // A call for all that fails ends a connection.
            0 => {
                known.distrust();
                continue;
            }
            1 => {
                let (runs, sandboxes) = (node.runs.keys(), node.sandboxes.keys());
                for id in runs.chain(sandboxes) {
                    known.handle_event(id);
                }
                known.needs(node.now)
            }
            _ => {
                let (_, runs) = node.listed();
                if node.random.bool() {
                    node.live();
                }
                let (sandboxes, _) = node.listed();
                let id = |id: &bytes::Bytes| readable(id).into_owned();
                listed = [
                    sandboxes.iter().map(|one| id(&one.id)).collect(),
                    runs.iter().map(|one| id(&one.id)).collect(),
                ];
                known.handle_lists(&sandboxes, &runs, node.now)
            }
        };
        match node.statuses(&mut known, needs, percent) {
            Some(whole) => {
                node.check(&known, &listed, whole);
                let view = known.view();
                if view != last {
                    assert!(known.take_changed(), "seed {seed}: a change is not told");
                }
                last = view;
            }
            None => known.distrust(),
        }
    }
    // A runtime that answers well again is shown as it is, within the longest wait.
    for _ in 0..2 {
        node.now += RETRY_MAX;
        let (sandboxes, runs) = node.listed();
        let needs = known.handle_lists(&sandboxes, &runs, node.now);
        assert_eq!(node.statuses(&mut known, needs, 0), Some(true));
    }
    let view = known.view();
    let sandboxes = view.sandboxes.iter().map(|one| (&one.id, one.ready));
    assert!(sandboxes.eq(node.sandboxes.iter().map(|(id, (_, ready))| (id, *ready))));
    let shown = view
        .containers
        .iter()
        .map(|one| (&one.id, one.state, one.exit_code));
    let runs = node.runs.iter();
    let runs = runs.map(|(id, run)| (id, reading::state(run.state.into()), run.exit_code));
    assert!(shown.eq(runs), "{view:?}");
    assert_eq!((known.refused(), known.retry_at()), (BTreeSet::new(), None));
}

#[test]
fn nothing_is_ever_shown_but_the_last_true_answers() {
    for seed in 0..SEEDS {
        run(seed);
    }
}
