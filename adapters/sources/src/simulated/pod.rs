//! One simulated pod: its identity, the state of its containers, and the steps between states.

use super::random::Random;
use super::workloads::{Owner, Workload};

/// A pod of a simulated node.
#[derive(Clone, Debug)]
pub(crate) struct Pod {
    pub(crate) workload: &'static Workload,
    pub(crate) uid: String,
    pub(crate) name: String,
    pub(crate) owner_name: String,
    pub(crate) owner_uid: String,
    /// Counts the pods of the node from 0; the pod's addresses follow from it.
    pub(crate) serial: u32,
    pub(crate) created: i64,
    pub(crate) init: Option<Container>,
    pub(crate) containers: Vec<Container>,
    /// When readiness last changed.
    pub(crate) ready_changed: i64,
    /// When the last init container was done.
    pub(crate) initialized: Option<i64>,
    /// When somebody asked for the pod's deletion.
    pub(crate) deletion: Option<i64>,
    pub(crate) resource_version: u64,
    /// When it was last changed.
    pub(crate) changed: i64,
}

/// A container of a simulated pod.
#[derive(Clone, Debug)]
pub(crate) struct Container {
    pub(crate) id: String,
    pub(crate) image_digest: String,
    pub(crate) state: State,
    /// The run before this one.
    pub(crate) last: Option<Ended>,
    pub(crate) restarts: i64,
    pub(crate) ready: bool,
}

/// What a container does.
#[derive(Clone, Debug)]
pub(crate) enum State {
    Running { since: i64 },
    Terminated(Ended),
    Waiting { reason: &'static str },
}

/// A run of a container that is over.
#[derive(Clone, Debug)]
pub(crate) struct Ended {
    pub(crate) id: String,
    pub(crate) exit_code: i64,
    pub(crate) reason: &'static str,
    pub(crate) since: i64,
    pub(crate) until: i64,
}

/// What became of a pod in one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Changed,
    Gone,
}

impl Pod {
    /// Creates a pod that waits for its containers.
    pub(crate) fn new(
        workload: &'static Workload,
        serial: u32,
        created: i64,
        random: &mut Random,
    ) -> Self {
        let (owner_name, name) = names(workload, serial, random);
        let uid = random.uuid();
        let owner_uid = random.uuid();
        let reason = if workload.init.is_some() {
            "PodInitializing"
        } else {
            "ContainerCreating"
        };
        let init = workload
            .init
            .as_ref()
            .map(|_| Container::waiting("PodInitializing", random));
        let containers = workload
            .containers
            .iter()
            .map(|_| Container::waiting(reason, random))
            .collect();
        Self {
            workload,
            uid,
            name,
            owner_name,
            owner_uid,
            serial,
            created,
            initialized: init.is_none().then_some(created),
            init,
            containers,
            ready_changed: created,
            deletion: None,
            resource_version: 1_000 + u64::from(serial) * 7,
            changed: created,
        }
    }

    /// The pod's phase, which follows from its containers.
    pub(crate) fn phase(&self) -> &'static str {
        if self.ended() {
            let failed = self
                .containers
                .iter()
                .any(|container| match &container.state {
                    State::Terminated(ended) => ended.exit_code != 0,
                    State::Running { .. } | State::Waiting { .. } => false,
                });
            if failed { "Failed" } else { "Succeeded" }
        } else if !self
            .containers
            .iter()
            .all(Container::waits_for_its_first_run)
        {
            "Running"
        } else {
            "Pending"
        }
    }

    /// Whether all its containers are ready.
    pub(crate) fn ready(&self) -> bool {
        self.containers.iter().all(|container| container.ready)
    }

    /// Whether it has reached a state that it stays in until something happens to it.
    pub(crate) fn settled(&self) -> bool {
        self.deletion.is_none() && (self.ended() || self.ready())
    }

    /// Whether it has run to its end, or has been stopped for its deletion.
    pub(crate) fn ended(&self) -> bool {
        let may_end = self.workload.owner.runs_to_an_end() || self.deletion.is_some();
        may_end && self.containers.iter().all(Container::is_terminated)
    }

    /// Takes the next step on the way to where it is going; call it only while it is not settled.
    pub(crate) fn advance(&mut self, now: i64, random: &mut Random) -> Step {
        self.touch(now);
        if self.deletion.is_some() {
            if self.ended() {
                return Step::Gone;
            }
            for container in &mut self.containers {
                container.end(0, now, random);
            }
            if let Some(init) = &mut self.init {
                init.end(0, now, random);
            }
            self.ready_changed = now;
            return Step::Changed;
        }
        if self.initialized.is_none() {
            self.advance_init(now, random);
        } else if self
            .containers
            .iter()
            .all(Container::waits_for_its_first_run)
        {
            for container in &mut self.containers {
                container.start(now);
            }
        } else if let Some(container) = self.containers.iter_mut().find(|one| !one.is_running()) {
            container.advance_restart(now, random);
        } else {
            for container in &mut self.containers {
                container.ready = true;
            }
            self.ready_changed = now;
        }
        Step::Changed
    }

    fn advance_init(&mut self, now: i64, random: &mut Random) {
        match &mut self.init {
            Some(init) if init.is_running() => {
                init.end(0, now, random);
                init.ready = true;
                self.initialized = Some(now);
            }
            Some(init) => init.start(now),
            None => self.initialized = Some(now),
        }
    }

    /// Lets something happen to a settled pod.
    pub(crate) fn disturb(&mut self, now: i64, random: &mut Random) {
        self.touch(now);
        if self.ended() {
            self.delete(now);
        } else if self.workload.owner.runs_to_an_end() {
            if random.chance(85) {
                let exit_code = if random.chance(75) { 0 } else { 1 };
                self.finish(exit_code, now, random);
            } else {
                self.delete(now);
            }
        } else if random.chance(50) {
            self.lose_readiness(now, random);
        } else if random.chance(65) {
            self.crash(now, random);
        } else {
            self.delete(now);
        }
    }

    /// Asks for the pod's deletion, which it then goes through step by step.
    pub(crate) fn delete(&mut self, now: i64) {
        self.deletion = Some(now);
    }

    /// Ends all containers, the first with `exit_code`.
    pub(crate) fn finish(&mut self, exit_code: i64, now: i64, random: &mut Random) {
        for (index, container) in self.containers.iter_mut().enumerate() {
            container.end(if index == 0 { exit_code } else { 0 }, now, random);
        }
        self.ready_changed = now;
    }

    fn lose_readiness(&mut self, now: i64, random: &mut Random) {
        let index = random.below(self.containers.len());
        if let Some(container) = self.containers.get_mut(index) {
            container.ready = false;
        }
        self.ready_changed = now;
    }

    fn crash(&mut self, now: i64, random: &mut Random) {
        let exit_code = if random.chance(30) { 137 } else { 1 };
        let index = random.below(self.containers.len());
        if let Some(container) = self.containers.get_mut(index) {
            container.end(exit_code, now, random);
        }
        self.ready_changed = now;
    }

    fn touch(&mut self, now: i64) {
        self.resource_version += 1;
        self.changed = now;
    }
}

impl Container {
    fn waiting(reason: &'static str, random: &mut Random) -> Self {
        Self {
            id: random.hex(64),
            image_digest: random.hex(64),
            state: State::Waiting { reason },
            last: None,
            restarts: 0,
            ready: false,
        }
    }

    /// Whether it has not run yet.
    pub(crate) fn waits_for_its_first_run(&self) -> bool {
        self.last.is_none() && !self.is_running() && !self.is_terminated()
    }

    pub(crate) fn is_running(&self) -> bool {
        match self.state {
            State::Running { .. } => true,
            State::Terminated(_) | State::Waiting { .. } => false,
        }
    }

    fn is_terminated(&self) -> bool {
        match self.state {
            State::Terminated(_) => true,
            State::Running { .. } | State::Waiting { .. } => false,
        }
    }

    fn start(&mut self, now: i64) {
        self.state = State::Running { since: now };
    }

    /// Ends the run; a container that never ran is counted as one that ended at once.
    fn end(&mut self, exit_code: i64, now: i64, random: &mut Random) {
        let since = match &self.state {
            State::Running { since } => *since,
            State::Waiting { .. } => now,
            State::Terminated(_) => return,
        };
        let reason = match exit_code {
            0 => "Completed",
            137 => "OOMKilled",
            _ => "Error",
        };
        self.state = State::Terminated(Ended {
            id: self.id.clone(),
            exit_code,
            reason,
            since,
            until: now,
        });
        self.ready = false;
        // The next run, if there is one, is another container.
        self.id = random.hex(64);
    }

    /// From the end of a run over the pause before the next one to that run.
    fn advance_restart(&mut self, now: i64, random: &mut Random) {
        match &self.state {
            State::Terminated(ended) => {
                self.last = Some(ended.clone());
                if random.chance(70) {
                    self.state = State::Waiting {
                        reason: "CrashLoopBackOff",
                    };
                } else {
                    self.restarts += 1;
                    self.start(now);
                }
            }
            State::Waiting { .. } => {
                self.restarts += 1;
                self.start(now);
            }
            State::Running { .. } => {}
        }
    }
}

/// The names of a pod's owner and of the pod, formed as the owner's controller forms them.
fn names(workload: &Workload, serial: u32, random: &mut Random) -> (String, String) {
    let name = workload.name;
    match workload.owner {
        Owner::DaemonSet => (name.to_owned(), format!("{name}-{}", random.suffix(5))),
        Owner::Job => {
            let job = format!("{name}-{}", 29_371_200 + u64::from(serial));
            let pod = format!("{job}-{}", random.suffix(5));
            (job, pod)
        }
        Owner::ReplicaSet => {
            let set = format!("{name}-{}", random.suffix(10));
            let pod = format!("{set}-{}", random.suffix(5));
            (set, pod)
        }
        Owner::StatefulSet => (name.to_owned(), format!("{name}-{serial}")),
    }
}
