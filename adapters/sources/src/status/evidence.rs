//! What a runtime shows of one pod, put in order: the newest first, impossible times taken out.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use podsapi_proto::meta_v1::Time;

use crate::view::{Container, ContainerState, RuntimeView, Sandbox};

/// All that a runtime shows of one pod.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PodView {
    /// Namespace and name, empty where only containers are left that do not tell them.
    of: (String, String),
    sandboxes: Vec<Sandbox>,
    containers: Vec<Container>,
    /// Which of the containers are shown no more.
    gone: BTreeSet<String>,
}

/// What a runtime shows, taken apart into pods.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PodViews {
    /// By UID; several where it names several pods with one, which all but one are not, in the order of
    /// their names.
    pods: BTreeMap<String, Vec<Arc<PodView>>>,
}

impl PodViews {
    /// Takes a view apart into what it shows of each pod.
    ///
    /// A container is the pod's that the kubelet's labels on it name, wherever it runs. One without
    /// them is nobody's, nor is a sandbox that calls itself two pods.
    pub fn new(view: RuntimeView) -> Self {
        let mut views = Self::default();
        for sandbox in view.sandboxes {
            if !sandbox.contradicts_itself() {
                let of = (&*sandbox.namespace, &*sandbox.name);
                let pod = views.entry(&sandbox.pod_uid, of);
                pod.sandboxes.push(sandbox);
            }
        }
        let (whole, part): (Vec<_>, Vec<_>) = view
            .containers
            .into_iter()
            .filter(|container| !container.pod.uid.is_empty() && !container.name.is_empty())
            .partition(|it| !it.pod.namespace.is_empty() && !it.pod.name.is_empty());
        for container in whole {
            let labels = &container.pod;
            let of = (&*labels.namespace, &*labels.name);
            views.entry(&labels.uid, of).containers.push(container);
        }
        for container in part {
            let of = views.only_name(&container);
            let pod = views.entry(&container.pod.uid, (&of.0, &of.1));
            pod.containers.push(container);
        }
        for pod in views.pods.values_mut().flatten() {
            // Nobody else has it yet, so that nothing is copied.
            Arc::make_mut(pod).sort();
        }
        views
    }

    fn entry(&mut self, uid: &str, of: (&str, &str)) -> &mut PodView {
        let pods = self.pods.entry(uid.to_owned()).or_default();
        let place = pods.binary_search_by(|pod| pod.name().cmp(&of));
        let place = place.unwrap_or_else(|place| {
            let pod = PodView {
                of: (of.0.to_owned(), of.1.to_owned()),
                ..PodView::default()
            };
            pods.insert(place, Arc::new(pod));
            place
        });
        Arc::make_mut(&mut pods[place])
    }

    /// Returns the namespace and name of the pod of a container whose labels tell its UID alone:
    /// those of its sandbox, or else the only ones that are there.
    fn only_name(&self, container: &Container) -> (String, String) {
        let pods = self.pods.get(&container.pod.uid);
        let mut here = pods.into_iter().flatten();
        let mut of_sandbox = here.clone().filter(|pod| {
            let mut sandboxes = pod.sandboxes.iter();
            sandboxes.any(|sandbox| sandbox.id == container.sandbox_id)
        });
        match (of_sandbox.next(), here.next(), here.next()) {
            (Some(pod), ..) | (None, Some(pod), None) => pod.of.clone(),
            _ => Default::default(),
        }
    }

    /// Returns what the runtime shows of the pod with this UID, namespace and name.
    pub fn of(&self, uid: &str, namespace: &str, name: &str) -> Option<&PodView> {
        self.shared(uid, namespace, name).map(|pod| &**pod)
    }

    /// Returns the UIDs of which another view before showed something else; what it showed of a pod that
    /// is the same now is shared from then on.
    pub(crate) fn differing<'v>(&'v mut self, before: &'v Self) -> Vec<&'v str> {
        let gone = before.pods.keys();
        let gone = gone.filter(|uid| !self.pods.contains_key(*uid));
        let mut differing: Vec<&str> = gone.map(String::as_str).collect();
        for (uid, pods) in &mut self.pods {
            let Some(before) = before.pods.get(uid) else {
                differing.push(uid);
                continue;
            };
            let mut same = pods.len() == before.len();
            for pod in pods.iter_mut() {
                let place = before.binary_search_by(|before| before.name().cmp(&pod.name()));
                match place.ok().and_then(|place| before.get(place)) {
                    Some(before) if *before == *pod => *pod = Arc::clone(before),
                    Some(_) | None => same = false,
                }
            }
            if !same {
                differing.push(uid);
            }
        }
        differing
    }

    /// Returns it as it is held here.
    pub(crate) fn shared(&self, uid: &str, namespace: &str, name: &str) -> Option<&Arc<PodView>> {
        let pods = self.pods.get(uid)?;
        let named = pods.iter().find(|pod| pod.name() == (namespace, name));
        // Containers whose labels tell no name may be all that is left of a pod.
        let unnamed = || pods.iter().find(|pod| pod.name() == ("", ""));
        named.or_else(|| unnamed().filter(|pod| pod.sandboxes.is_empty()))
    }
}

impl PodView {
    /// Returns namespace and name.
    fn name(&self) -> (&str, &str) {
        (&self.of.0, &self.of.1)
    }

    /// Puts the newest first, whatever order the runtime had, and everything there only once.
    fn sort(&mut self) {
        self.sandboxes
            .sort_by(|one, other| age(other).cmp(&age(one)));
        self.containers
            .sort_by(|one, other| run(other).cmp(&run(one)));
        if has_twice(self.sandboxes.iter().map(|sandbox| &*sandbox.id)) {
            let mut seen = BTreeSet::new();
            self.sandboxes
                .retain(|sandbox| seen.insert(sandbox.id.clone()));
        }
        if has_twice(self.containers.iter().map(|container| &*container.id)) {
            let mut seen = BTreeSet::new();
            self.containers
                .retain(|container| seen.insert(container.id.clone()));
        }
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

    /// Returns it with those containers of a view before that are wanted and shown no more, as they were
    /// last.
    ///
    /// A kubelet that ends a pod sees how its containers end before it removes them; who looks now and
    /// then may miss that, and does not know how they ended.
    pub(crate) fn keeping(&self, before: &Self, wanted: impl Fn(&str) -> bool) -> Self {
        let mut kept = self.clone();
        let shown = |lost: &&Container| self.containers.iter().any(|here| here.id == lost.id);
        let lost = before.containers.iter().filter(|lost| !shown(lost));
        for lost in lost.filter(|lost| wanted(&lost.id)) {
            kept.gone.insert(lost.id.clone());
            kept.containers.push(lost.clone());
        }
        kept.sort();
        kept
    }

    /// Tells whether this container is shown no more.
    pub(crate) fn has_lost(&self, id: &str) -> bool {
        self.gone.contains(id)
    }

    /// Returns all runs of all containers.
    pub(crate) fn containers(&self) -> &[Container] {
        &self.containers
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

    /// Returns when the last of the containers ended; nothing while one has not.
    pub(crate) fn last_end(&self) -> Option<i64> {
        let ends = self.containers.iter().map(|container| {
            let over = container.state == ContainerState::Exited;
            over.then(|| seconds(ended(container)))
        });
        ends.collect::<Option<Vec<_>>>()?.into_iter().max()
    }

    /// Returns when the first sandbox that is left was created. One that is dead and of which no container
    /// is left may be of a pod that was there before under the same UID.
    pub(crate) fn begun(&self) -> Option<i64> {
        let sandboxes = self.sandboxes.iter().filter(|sandbox| {
            let mut containers = self.containers.iter();
            sandbox.ready || containers.any(|one| one.sandbox_id == sandbox.id)
        });
        let created = sandboxes.map(|sandbox| sandbox.created_at);
        created.filter(|nanos| *nanos > 0).min().map(seconds)
    }
}

/// Tells whether an identity is there twice; most often none is.
fn has_twice<'v>(mut ids: impl Iterator<Item = &'v str>) -> bool {
    let mut seen = BTreeSet::new();
    !ids.all(|id| seen.insert(id))
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
    use super::{PodViews, ended, time};
    use crate::view::{Container, Labelled, RuntimeView, Sandbox};

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
        let pods = PodViews::new(RuntimeView {
            sandboxes,
            containers,
        });
        let sandboxes = pods.of("u", "", "").unwrap().sandboxes().iter();
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
        let known = sandbox("known", 0, 5_000_000_000, true);
        assert_eq!(
            order(vec![unknown.clone(), known.clone()]),
            ["known", "unknown"]
        );
        let pods = PodViews::new(RuntimeView {
            sandboxes: vec![unknown, known],
            containers: Vec::new(),
        });
        assert_eq!(pods.of("u", "", "").unwrap().begun(), Some(5));
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
    fn a_container_is_the_pods_that_its_labels_name_wherever_it_runs() {
        let labelled = |uid: &str, name: &str, sandbox: &str| Container {
            id: format!("{uid}{name}{sandbox}"),
            sandbox_id: sandbox.to_owned(),
            name: name.to_owned(),
            pod: Labelled {
                uid: uid.to_owned(),
                ..Labelled::default()
            },
            ..Container::default()
        };
        let pods = PodViews::new(RuntimeView {
            sandboxes: vec![sandbox("s", 0, 1, true)],
            containers: vec![
                labelled("u", "here", "s"),
                labelled("u", "elsewhere", "gone"),
                labelled("", "without-pod", "s"),
                labelled("u", "", "s"),
                labelled("v", "of-another", "s"),
            ],
        });
        let of = |uid: &str, name: &str| pods.of(uid, "", "").unwrap().runs(name).count();
        assert_eq!((of("u", "here"), of("u", "elsewhere")), (1, 1));
        assert_eq!((of("u", "without-pod"), of("u", "")), (0, 0));
        assert_eq!((of("u", "of-another"), of("v", "of-another")), (0, 1));
    }

    #[test]
    fn a_sandbox_with_a_foreign_uid_or_labels_of_another_pod_is_not_that_pods() {
        let mut named = sandbox("s", 0, 1, true);
        (named.namespace, named.name) = ("ns".to_owned(), "p".to_owned());
        let mut foreign = sandbox("t", 9, 9, true);
        (foreign.namespace, foreign.name) = ("evil".to_owned(), "x".to_owned());
        let mut torn = named.clone();
        torn.id = "torn".to_owned();
        let label = ("io.kubernetes.pod.name".to_owned(), "x".to_owned());
        torn.labels.extend([label]);
        let pods = PodViews::new(RuntimeView {
            sandboxes: vec![foreign, torn, named],
            containers: Vec::new(),
        });
        let ids = pods.of("u", "ns", "p").unwrap().sandboxes().iter();
        assert_eq!(ids.map(|one| &*one.id).collect::<Vec<_>>(), ["s"]);
        assert!(pods.of("u", "ns", "q").is_none());
    }
}
