//! What a runtime shows of one pod, put in order: the newest first, impossible times taken out.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use podsapi_proto::meta_v1::Time;

use crate::view::{Container, ContainerState, RuntimeView, Sandbox};

/// All that a runtime shows of one pod.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PodView {
    sandboxes: Vec<Sandbox>,
    containers: Vec<Container>,
}

impl PodView {
    /// Takes a view apart into what it shows of each pod, by UID.
    ///
    /// Containers without their sandbox are left out: nothing says whose they are.
    pub fn by_pod(view: RuntimeView) -> BTreeMap<String, Self> {
        let mut pods: BTreeMap<String, Self> = BTreeMap::new();
        let mut owners = BTreeMap::new();
        for sandbox in view.sandboxes {
            owners.insert(sandbox.id.clone(), sandbox.pod_uid.clone());
            let pod = pods.entry(sandbox.pod_uid.clone()).or_default();
            pod.sandboxes.push(sandbox);
        }
        for container in view.containers {
            let owner = owners.get(&container.sandbox_id);
            if let Some(pod) = owner.and_then(|uid| pods.get_mut(uid)) {
                pod.containers.push(container);
            }
        }
        for pod in pods.values_mut() {
            pod.sort();
        }
        pods
    }

    /// Puts the newest first, whatever order the runtime had, and everything there only once.
    fn sort(&mut self) {
        self.sandboxes
            .sort_by(|one, other| age(other).cmp(&age(one)));
        self.containers
            .sort_by(|one, other| run(other).cmp(&run(one)));
        let mut seen = BTreeSet::new();
        self.sandboxes
            .retain(|sandbox| seen.insert(sandbox.id.clone()));
        let mut seen = BTreeSet::new();
        self.containers
            .retain(|container| seen.insert(container.id.clone()));
    }

    /// Returns the sandboxes by attempt and creation, newest first, whether ready or not.
    pub fn sandboxes(&self) -> &[Sandbox] {
        &self.sandboxes
    }

    /// Returns the newest sandbox if it is ready.
    pub(crate) fn active(&self) -> Option<&Sandbox> {
        self.sandboxes.first().filter(|sandbox| sandbox.ready)
    }

    /// Returns how many sandboxes are ready.
    pub(crate) fn ready_sandboxes(&self) -> usize {
        let sandboxes = self.sandboxes.iter();
        sandboxes.filter(|sandbox| sandbox.ready).count()
    }

    /// Tells whether anything of the pod is left that a kubelet would have to stop.
    pub(crate) fn stopped(&self) -> bool {
        self.ready_sandboxes() == 0 && !self.any_running()
    }

    /// Returns the runs of one container, newest first.
    pub(crate) fn runs<'v>(&'v self, name: &'v str) -> impl Iterator<Item = &'v Container> {
        let containers = self.containers.iter();
        containers.filter(move |container| container.name == name)
    }

    /// Tells whether the sandbox that is in use has any run of this container.
    pub(crate) fn active_has(&self, name: &str) -> bool {
        self.active().is_some_and(|sandbox| {
            let mut runs = self.runs(name);
            runs.any(|container| container.sandbox_id == sandbox.id)
        })
    }

    /// Tells whether any container runs now.
    pub(crate) fn any_running(&self) -> bool {
        let mut containers = self.containers.iter();
        containers.any(|container| container.state == ContainerState::Running)
    }

    /// Returns when the first sandbox that is left was created.
    pub(crate) fn begun(&self) -> Option<i64> {
        let created = self.sandboxes.iter().map(|sandbox| sandbox.created_at);
        created.filter(|nanos| *nanos > 0).min().map(seconds)
    }
}

/// What orders the sandboxes of one pod (`podSandboxByCreatedThenID`); a time that the runtime does
/// not know is the oldest.
fn age(sandbox: &Sandbox) -> (u32, i64, Reverse<&str>) {
    let created = sandbox.created_at.max(0);
    (sandbox.attempt, created, Reverse(&sandbox.id))
}

/// What orders the runs of a container (`containerStatusByCreated`), and what decides between those
/// of one moment, which a kubelet leaves open.
fn run(container: &Container) -> (i64, u32, Reverse<&str>) {
    let created = container.created_at.max(0);
    (created, container.restart_count, Reverse(&container.id))
}

/// Returns the time as Kubernetes writes it, in whole seconds; none when the runtime has none.
pub(crate) fn time(nanos: i64) -> Time {
    if nanos > 0 {
        at(seconds(nanos))
    } else {
        Time::default()
    }
}

/// Returns the time of a wall clock.
pub(crate) fn at(seconds: i64) -> Time {
    Time {
        seconds: Some(seconds),
        nanos: Some(0),
    }
}

fn seconds(nanos: i64) -> i64 {
    nanos.div_euclid(1_000_000_000)
}

/// Returns when a run that ended did so: not before it started.
pub(crate) fn ended(container: &Container) -> i64 {
    container.finished_at.max(container.started_at)
}

#[cfg(test)]
mod tests {
    use super::{PodView, ended, time};
    use crate::view::{Container, RuntimeView, Sandbox};

    fn sandbox(id: &str, attempt: u32, created_at: i64, ready: bool) -> Sandbox {
        Sandbox {
            id: id.to_owned(),
            pod_uid: "u".to_owned(),
            attempt,
            created_at,
            ready,
            ..Sandbox::default()
        }
    }

    fn order(sandboxes: Vec<Sandbox>) -> Vec<String> {
        let containers = Vec::new();
        let pods = PodView::by_pod(RuntimeView {
            sandboxes,
            containers,
        });
        let sandboxes = pods["u"].sandboxes().iter();
        sandboxes.map(|sandbox| sandbox.id.clone()).collect()
    }

    #[test]
    fn the_attempt_comes_first_then_the_creation_and_readiness_decides_nothing() {
        let sandboxes = [
            sandbox("dead", 9, 9, false),
            sandbox("old", 1, 50, true),
            sandbox("newer", 2, 10, true),
            sandbox("newest", 2, 11, true),
            sandbox("its-twin", 2, 11, true),
        ];
        let expected = ["dead", "its-twin", "newest", "newer", "old"];
        assert_eq!(order(sandboxes.to_vec()), expected);
        assert_eq!(order(sandboxes.into_iter().rev().collect()), expected);
    }

    #[test]
    fn a_creation_at_the_zero_time_of_go_is_the_oldest() {
        let unknown = sandbox("unknown", 0, -6_795_364_578_871_345_152, false);
        let known = sandbox("known", 0, 5_000_000_000, false);
        assert_eq!(
            order(vec![unknown.clone(), known.clone()]),
            ["known", "unknown"]
        );
        let pods = PodView::by_pod(RuntimeView {
            sandboxes: vec![unknown, known],
            containers: Vec::new(),
        });
        assert_eq!(pods["u"].begun(), Some(5));
    }

    #[test]
    fn a_run_does_not_end_before_it_starts() {
        let container = Container {
            started_at: 7_000_000_001,
            finished_at: 6_000_000_000,
            ..Container::default()
        };
        assert_eq!(time(ended(&container)).seconds, Some(7));
        assert_eq!(time(-6_795_364_578_871_345_152).seconds, None);
    }

    #[test]
    fn a_container_without_its_sandbox_belongs_to_nobody() {
        let stray = Container {
            sandbox_id: "gone".to_owned(),
            ..Container::default()
        };
        let pods = PodView::by_pod(RuntimeView {
            sandboxes: vec![sandbox("s", 0, 1, true)],
            containers: vec![stray],
        });
        assert_eq!(pods["u"].runs("").count(), 0);
    }
}
