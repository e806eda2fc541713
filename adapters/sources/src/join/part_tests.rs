//! A step of the pods that it can matter to against one of all pods, and how many those are.

use std::collections::BTreeSet;

use podsapi_core::{EncodedPod, EncodedStatus, SourceEvent, SourceKind, Uid};
use podsapi_proto::core_v1::PodStatus;
use proptest::collection::{btree_set, vec};
use proptest::prelude::{Just, Strategy, any, prop_oneof, proptest};
use proptest::sample::{select, subsequence};
use prost::Message;

use super::hostile::claimer;
use super::node::{file_sandbox, from_file, mirror, plain, plain_sandbox, view};
use super::{Join, SourceRef};
use crate::status::scenes::{node, pod};
use crate::view::{ContainerState, RuntimeView, Sandbox};

/// One word of anybody, and how many seconds after the last one it comes.
#[derive(Clone, Debug)]
enum Word {
    List(usize, Vec<EncodedPod>),
    Put(usize, EncodedPod),
    Remove(usize, String),
    Status(usize, String, i32),
    Lost(usize),
    View(Vec<Shown>),
    Unchanged,
    Untold(BTreeSet<String>),
    RuntimeLost,
    RuntimeName(&'static str),
    Outdated(&'static str, i64),
    Time,
    Due,
}

/// A sandbox with a container.
#[derive(Clone, Debug)]
struct Shown {
    name: &'static str,
    uid: String,
    created: i64,
    ready: bool,
    state: ContainerState,
    torn: bool,
}

/// A join that works on what a word can matter to, and one that always works on all.
struct Twins {
    parts: Join,
    all: Join,
    clock: i64,
}

impl Twins {
    fn new(owners: &[SourceKind]) -> Self {
        let mut all = Join::new(owners.iter().copied(), node());
        all.recomputes_all = true;
        Self {
            parts: Join::new(owners.iter().copied(), node()),
            all,
            clock: 1_800_000_000,
        }
    }

    fn hear(&mut self, word: &Word, later: i64) {
        self.clock += later;
        if let (Word::Due, Some(due)) = (word, self.parts.due()) {
            self.clock = due;
        }
        for join in [&mut self.parts, &mut self.all] {
            say(join, word, self.clock);
        }
        let told = |join: &mut Join| std::iter::from_fn(|| join.poll()).collect::<Vec<_>>();
        let [one, other] = [told(&mut self.parts), told(&mut self.all)];
        assert_eq!(one, other, "after {word:?}");
        assert_eq!(self.parts.foreign(), self.all.foreign(), "after {word:?}");
        assert_eq!(self.parts.due(), self.all.due(), "after {word:?}");
        let problems = self.parts.problems();
        assert!(problems.eq(self.all.problems()), "after {word:?}");
        assert_eq!(held(&self.parts), held(&self.all), "after {word:?}");
    }
}

/// All that a join holds.
fn held(join: &Join) -> String {
    let (owners, adopted) = (&join.owners, &join.adopted);
    let (registry, known, leaving) = (&join.registry, &join.known, &join.leaving);
    format!("{owners:?} {adopted:?} {registry:?} {known:?} {leaving:?}")
}

fn say(join: &mut Join, word: &Word, at: i64) {
    match word {
        Word::List(owner, pods) => {
            join.handle_owner(*owner, SourceEvent::Begin, at);
            for pod in pods.iter().cloned() {
                join.handle_owner(*owner, SourceEvent::Put { pod, at }, at);
            }
            join.handle_owner(*owner, SourceEvent::Complete { at }, at);
        }
        Word::Put(owner, pod) => {
            let pod = pod.clone();
            join.handle_owner(*owner, SourceEvent::Put { pod, at }, at);
        }
        Word::Remove(owner, uid) => {
            let uid = Uid::new(uid);
            join.handle_owner(*owner, SourceEvent::Remove { uid, at }, at);
        }
        Word::Status(owner, uid, code) => {
            let status = PodStatus {
                phase: Some("Running".to_owned()),
                message: Some(code.to_string()),
                ..PodStatus::default()
            };
            let status = EncodedStatus::parse(status.encode_to_vec().into()).unwrap();
            let uid = Uid::new(uid);
            join.handle_owner(*owner, SourceEvent::Status { uid, status, at }, at);
        }
        Word::Lost(owner) => join.handle_owner(*owner, SourceEvent::Lost, at),
        Word::View(shown) => join.handle_runtime(shows(shown), at),
        Word::Unchanged => join.handle_runtime_unchanged(at),
        Word::Untold(uids) => join.handle_runtime_untold(uids.clone(), at),
        Word::RuntimeLost => join.handle_runtime_lost(at),
        Word::RuntimeName(name) => join.handle_runtime_name(name),
        Word::Outdated(name, until) => {
            let until = until * 1_000_000_000;
            join.handle_outdated(vec![("ns".to_owned(), (*name).to_owned(), until)]);
        }
        Word::Time | Word::Due => join.handle_time(at),
    }
}

fn shows(shown: &[Shown]) -> RuntimeView {
    let sandboxes = shown.iter().map(|shown| {
        let mut sandbox = file_sandbox(shown.name, &shown.uid);
        if shown.uid.starts_with('u') {
            sandbox.annotations.clear();
        }
        if shown.name == "evil" {
            sandbox.namespace = "evil".to_owned();
        }
        if shown.torn {
            let label = "io.kubernetes.pod.name".to_owned();
            sandbox.labels.insert(label, "another".to_owned());
        }
        sandbox.id = format!("s-{}-{}", shown.uid, shown.created);
        sandbox.ready = shown.ready;
        sandbox.created_at = shown.created * 1_000_000_000;
        sandbox
    });
    let mut view = view(&sandboxes.collect::<Vec<Sandbox>>());
    for (container, shown) in view.containers.iter_mut().zip(shown) {
        container.state = shown.state;
        if shown.state == ContainerState::Exited {
            container.finished_at = 1_700_000_100_000_000_000;
        }
    }
    view
}

fn uid() -> impl Strategy<Value = String> {
    let of_name = (select(vec!["f", "h", "g"]), name(), 0..2_u8)
        .prop_map(|(kind, name, number)| format!("{kind}-{name}{number}"));
    let others = select(vec!["u0", "u1", "u2", "m-p", "m-q", "e-0"]);
    prop_oneof![6 => of_name, 2 => others.prop_map(str::to_owned)]
}

fn name() -> impl Strategy<Value = &'static str> {
    select(vec!["p", "q", "r"])
}

/// A pod that runs for so long at most.
fn hasty(uid: &str, seconds: i64) -> EncodedPod {
    pod(&format!(
        "metadata: {{name: {uid}, namespace: ns, uid: {uid}}}\n\
         spec: {{activeDeadlineSeconds: {seconds}, containers: [{{name: a, image: image}}]}}"
    ))
}

fn any_pod() -> impl Strategy<Value = EncodedPod> {
    let of_file = (name(), select(vec!["f", "h", "g"]), 0..2_u8);
    let of_file =
        of_file.prop_map(|(name, kind, number)| from_file(name, &format!("{kind}-{name}{number}")));
    let mirror = (name(), uid(), any::<bool>()).prop_map(|(name, hash, other)| {
        let uid = if other {
            "m-x".to_owned()
        } else {
            format!("m-{name}")
        };
        mirror(name, &uid, &hash)
    });
    let number = || select(vec!["u0", "u1", "u2"]);
    prop_oneof![
        5 => of_file,
        3 => mirror,
        2 => number().prop_map(plain),
        1 => (number(), 5..40_i64).prop_map(|(uid, seconds)| hasty(uid, 100_000_000 + seconds)),
        1 => uid().prop_map(|uid| claimer("evil", "e-0", &uid)),
        1 => (name(), uid()).prop_map(|(name, uid)| from_file(name, &uid)),
    ]
}

fn shown() -> impl Strategy<Value = Vec<Shown>> {
    let states = select(vec![
        ContainerState::Running,
        ContainerState::Running,
        ContainerState::Exited,
        ContainerState::Unknown,
    ]);
    let whose = prop_oneof![
        5 => (name(), select(vec!["f", "h", "g"]), 0..2_u8)
            .prop_map(|(name, kind, number)| (name, format!("{kind}-{name}{number}"))),
        2 => select(vec!["u0", "u1", "u2"]).prop_map(|uid| (uid, uid.to_owned())),
        1 => (name(), uid()),
        1 => uid().prop_map(|uid| ("evil", uid)),
    ];
    let one = (whose, 1..9_i64, any::<bool>(), states, 0..20_u8);
    let one = one.prop_map(|((name, uid), created, ready, state, torn)| Shown {
        name,
        uid,
        created: 1_800_000_000 - 100_000_000 + created,
        ready,
        state,
        torn: torn == 0,
    });
    vec(one, 0..7)
}

fn word() -> impl Strategy<Value = Word> {
    let owner = || 0..3_usize;
    prop_oneof![
        8 => (owner(), any_pod()).prop_map(|(owner, pod)| Word::Put(owner, pod)),
        6 => (owner(), uid()).prop_map(|(owner, uid)| Word::Remove(owner, uid)),
        1 => (owner(), uid(), 0..3_i32).prop_map(|(owner, uid, code)| Word::Status(owner, uid, code)),
        1 => (owner(), vec(any_pod(), 0..6)).prop_map(|(owner, pods)| Word::List(owner, pods)),
        1 => owner().prop_map(Word::Lost),
        7 => shown().prop_map(Word::View),
        3 => Just(Word::Unchanged),
        1 => btree_set(uid(), 0..3).prop_map(Word::Untold),
        1 => Just(Word::RuntimeLost),
        1 => select(vec!["containerd", "cri-o"]).prop_map(Word::RuntimeName),
        1 => (name(), 1_700_000_000..1_700_000_009_i64)
            .prop_map(|(name, until)| Word::Outdated(name, until)),
        2 => Just(Word::Time),
        2 => Just(Word::Due),
    ]
}

/// Seconds: most often none or few; now and then the wall clock is set.
fn later() -> impl Strategy<Value = i64> {
    prop_oneof![6 => Just(0), 4 => 1..4_i64, 1 => 4..800_i64, 1 => -90..0_i64]
}

proptest! {
    #[test]
    fn a_step_of_a_part_tells_and_leaves_what_one_of_all_does(
        owners in subsequence(
            vec![SourceKind::Manifests, SourceKind::Kubelet, SourceKind::Apiserver],
            1..=3,
        ),
        synced in any::<bool>(),
        looks in any::<bool>(),
        words in vec((word(), later()), 0..60),
    ) {
        let mut twins = Twins::new(&owners);
        if synced {
            for owner in 0..owners.len() {
                twins.hear(&Word::List(owner, vec![]), 0);
            }
        }
        for (word, later) in words {
            let of_runtime = matches!(
                word,
                Word::View(_) | Word::Unchanged | Word::Untold(_) | Word::RuntimeLost
            );
            if looks || !of_runtime {
                twins.hear(&word, later);
            }
        }
    }
}

/// Whether any UID is known to be made here as a kubelet does decides what is served of other names.
#[test]
fn where_the_last_proof_of_a_uid_goes_other_names_are_worked_on_again() {
    let kinds = [
        SourceKind::Manifests,
        SourceKind::Kubelet,
        SourceKind::Apiserver,
    ];
    let mut twins = Twins::new(&kinds);
    for owner in 0..kinds.len() {
        twins.hear(&Word::List(owner, vec![]), 0);
    }
    let proven = from_file("p", "h-p");
    let words = [
        (Word::Put(1, proven.clone()), 0),
        (Word::View(vec![]), 0),
        (Word::Put(0, proven), 0),
        (Word::List(0, vec![from_file("q", "f-q")]), 0),
        (Word::Unchanged, 2),
        (Word::Put(1, from_file("q", "h-q")), 0),
        (Word::Due, 0),
        (Word::Remove(0, "nothing".to_owned()), 0),
    ];
    for (word, later) in words {
        twins.hear(&word, later);
    }
    let served: Vec<_> = twins.parts.known.keys().map(Uid::as_str).collect();
    assert_eq!(served, ["h-p", "h-q"]);
}

/// A node of so many pods of each kind, which runs, and of which everything was told.
fn quiet(pods: usize) -> Join {
    let kinds = [
        SourceKind::Manifests,
        SourceKind::Kubelet,
        SourceKind::Apiserver,
    ];
    let mut join = Join::new(kinds, node());
    let names = || (0..pods).map(|number| format!("p{number}"));
    let uids = || (0..pods).map(|number| format!("u{number}"));
    let of_file: Vec<_> = names()
        .map(|name| from_file(&name, &format!("h-{name}")))
        .collect();
    let of_api = uids().map(|uid| plain(&uid));
    let mirrors = names().map(|name| mirror(&name, &format!("m-{name}"), &format!("h-{name}")));
    let lists = [of_file.clone(), of_file, of_api.chain(mirrors).collect()];
    for (owner, list) in lists.into_iter().enumerate() {
        say(&mut join, &Word::List(owner, list), NOW);
    }
    join.handle_runtime(shown_of(pods), NOW);
    join.handle_runtime_unchanged(NOW);
    // What a list has changed is looked at once more.
    say(&mut join, &Word::Put(2, plain("u0")), NOW);
    say(&mut join, &Word::Put(2, plain("u0")), NOW);
    while join.poll().is_some() {}
    join.worked = 0;
    join
}

fn shown_of(pods: usize) -> RuntimeView {
    let names = (0..pods).map(|number| format!("p{number}"));
    let sandboxes = names.map(|name| file_sandbox(&name, &format!("h-{name}")));
    let uids = (0..pods).map(|number| format!("u{number}"));
    let sandboxes = sandboxes.chain(uids.map(|uid| plain_sandbox(&uid)));
    view(&sandboxes.collect::<Vec<_>>())
}

/// Returns how many pods are worked on for each of some events.
fn worked(pods: usize) -> Vec<(&'static str, usize)> {
    let mut join = quiet(pods);
    let mut worked = Vec::new();
    let mut count = |what: &'static str, join: &mut Join| {
        let told = std::iter::from_fn(|| join.poll()).count();
        assert_eq!(told > 0, !what.starts_with("nothing"), "{what}");
        worked.push((what, std::mem::take(&mut join.worked)));
    };
    let late = NOW + 1;
    join.handle_time(late);
    join.handle_runtime_unchanged(late);
    count("nothing is due", &mut join);
    join.handle_runtime(shown_of(pods), late);
    count("nothing new is shown", &mut join);
    say(&mut join, &Word::Put(2, hasty("u1", 200_000_000)), late);
    count("a pod of the API server changes", &mut join);
    say(&mut join, &Word::Remove(2, "u2".to_owned()), late);
    count("a pod of the API server goes", &mut join);
    let mut view = shown_of(pods);
    view.containers[3].restart_count += 1;
    join.handle_runtime(view.clone(), late);
    count("a container starts again", &mut join);
    view.sandboxes.pop();
    view.containers.pop();
    join.handle_runtime(view, late);
    count("a sandbox goes", &mut join);
    let due = join.due().unwrap();
    join.handle_time(due);
    count("a deadline is over", &mut join);
    say(&mut join, &Word::Remove(0, "h-p3".to_owned()), due);
    say(&mut join, &Word::Remove(1, "h-p3".to_owned()), due);
    count("a manifest goes", &mut join);
    say(&mut join, &Word::Put(0, from_file("new", "h-new")), due);
    count("a manifest comes", &mut join);
    say(&mut join, &Word::Status(2, "u4".to_owned(), 7), due);
    count("an owner tells a status", &mut join);
    worked
}

#[test]
fn an_event_is_worked_on_with_few_pods_whatever_their_number() {
    let (few, many) = (worked(10), worked(60));
    assert_eq!(few, many);
    for (what, worked) in many {
        match what.starts_with("nothing") {
            // What changed last may still be looked at once more.
            true => assert_eq!(worked, 0, "{what}"),
            false => assert!(worked <= 12, "{what}: {worked}"),
        }
    }
}

#[test]
fn what_is_told_of_a_part_is_told_of_its_sources_in_order() {
    let mut join = quiet(5);
    say(&mut join, &Word::Put(2, plain("u9")), NOW);
    let told: Vec<_> = std::iter::from_fn(|| join.poll()).collect();
    let sources: Vec<_> = told.iter().map(|(source, _)| *source).collect();
    assert_eq!(sources, [SourceRef::Owner(2)], "{told:?}");
}

/// In seconds since 1970: a hundred million after the sandboxes were made.
const NOW: i64 = 1_800_000_000;
