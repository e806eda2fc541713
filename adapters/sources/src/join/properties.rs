//! The join in front of a core against its model.

use std::collections::{BTreeMap, BTreeSet};

use podsapi_core::{SourceEvent, SourceKind, WatchId};
use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any, prop_oneof, proptest};
use proptest::sample::select;

use super::hostile::{claimer, evil_sandbox};
use super::model::{API, FILES, Held, KUBELET, Model, Op, Shown, sandboxes};
use super::node::{Node, document, view};

const NAMES: [&str; 2] = ["p", "q"];

fn held(owner: usize) -> impl Strategy<Value = Held> {
    (select(NAMES.to_vec()), 0..2_u8, any::<bool>(), 0..2_u8).prop_map(
        move |(name, number, plain, hash)| match (owner, plain) {
            (FILES, _) => Held::Static {
                // One that is made here as the kubelet makes it, or one that is not.
                uid: format!("{}-{name}{number}", if plain { "f" } else { "h" }),
                name,
            },
            (_, true) => Held::Plain {
                uid: ["u0", "u1"][usize::from(number)],
            },
            (KUBELET, false) => Held::Static {
                uid: format!("h-{name}{number}"),
                name,
            },
            (_, false) => Held::Mirror {
                uid: format!("m-{name}"),
                name,
                hash: format!("h-{name}{hash}"),
            },
        },
    )
}

fn list(owner: usize) -> impl Strategy<Value = Op> {
    vec(held(owner), 0..4).prop_map(move |pods| Op::List(owner, pods))
}

/// Sandboxes of pods that were there before and of those that are, in any order.
fn shown() -> impl Strategy<Value = Op> {
    let whose = prop_oneof![
        3 => (select(NAMES.to_vec()), 0..3_u8)
            .prop_map(|(name, hash)| (name, format!("h-{name}{hash}"))),
        1 => select(vec!["u0", "u1"]).prop_map(|uid| (uid, uid.to_owned())),
    ];
    let one = (whose, 0..3_u32, any::<bool>(), 1..9_i64);
    vec(one, 0..6).prop_map(|shown| {
        let shown = shown.into_iter().zip(0..);
        let shown = shown.map(|(((name, uid), attempt, ready, created), place)| Shown {
            name,
            uid,
            attempt,
            ready,
            created: created * 10 + place,
        });
        Op::View(shown.collect())
    })
}

fn op() -> impl Strategy<Value = Op> {
    let owner = || prop_oneof![Just(FILES), Just(KUBELET), Just(API)];
    prop_oneof![
        4 => owner().prop_flat_map(|owner| held(owner).prop_map(move |held| Op::Put(owner, held))),
        3 => owner().prop_flat_map(|owner| held(owner).prop_map(move |held| Op::Remove(owner, held))),
        1 => owner().prop_flat_map(list),
        1 => owner().prop_map(Op::OwnerLost),
        3 => shown(),
        1 => Just(Op::RuntimeLost),
        1 => (1..4_i64).prop_map(Op::Wait),
    ]
}

/// What opens the gate, in any order, and what follows.
fn history() -> impl Strategy<Value = Vec<Op>> {
    let first = (list(FILES), list(KUBELET), list(API), shown());
    let first = first.prop_map(|(files, kubelet, api, view)| vec![files, kubelet, api, view]);
    (first.prop_shuffle(), vec(op(), 0..20)).prop_map(|(first, rest)| [first, rest].concat())
}

/// What owners say where nobody looks at a runtime, the three first lists in any order.
fn history_of_owners() -> impl Strategy<Value = Vec<Op>> {
    let first = (list(FILES), list(KUBELET), list(API));
    let first = first.prop_map(|(files, kubelet, api)| vec![files, kubelet, api]);
    let of_owners = |ops: Vec<Op>| {
        let ops = ops.into_iter();
        let ops = ops.filter(|op| !matches!(op, Op::View(_) | Op::RuntimeLost));
        ops.collect::<Vec<_>>()
    };
    let rest = vec(op(), 0..30).prop_map(of_owners);
    (first.prop_shuffle(), rest).prop_map(|(first, rest)| [first, rest].concat())
}

/// Says it to the node and returns how many words the core heard.
fn say(node: &mut Node, op: &Op) -> usize {
    let told = match op {
        Op::List(owner, pods) => {
            let pods: Vec<_> = pods.iter().map(Held::encoded).collect();
            node.list(*owner, &pods)
        }
        Op::Put(owner, held) => node.put(*owner, &held.encoded()),
        Op::Remove(owner, held) => node.remove(*owner, held.uid()),
        Op::OwnerLost(owner) => node.owner(*owner, SourceEvent::Lost),
        Op::View(shown) => node.view(&view(&sandboxes(shown))),
        Op::RuntimeLost => node.lose(),
        Op::Wait(seconds) => node.pass(*seconds),
    };
    told.len()
}

/// What clients see: UID, name, document, and whether the status is one that was worked out here.
fn seen(node: &mut Node) -> BTreeSet<(String, String, String, bool)> {
    let pods = node.pods().into_iter().map(|pod| {
        let document = document(&pod);
        let metadata = pod.metadata.unwrap_or_default();
        let told = !pod.status.unwrap_or_default().conditions.is_empty();
        let uid = metadata.uid().to_owned();
        (uid, metadata.name().to_owned(), document, told)
    });
    pods.collect()
}

/// What a reader of a watch knows: the document of each pod that is there, by UID.
#[derive(Debug)]
struct Reader {
    watch: WatchId,
    pods: BTreeMap<String, String>,
}

impl Reader {
    fn new(node: &mut Node) -> Self {
        let watch = node.watch();
        let pods = node.pods().into_iter().map(|pod| {
            let metadata = pod.metadata.clone().unwrap_or_default();
            (metadata.uid().to_owned(), document(&pod))
        });
        let pods = pods.collect();
        Self { watch, pods }
    }

    /// Reads all that is there: each pod is added once before it changes and goes, and as long as it
    /// is there it is of the same document of a file.
    fn read(&mut self, node: &mut Node) {
        for (kind, pod) in node.events_whole(self.watch) {
            let uid = pod.metadata.clone().unwrap_or_default().uid().to_owned();
            let document = document(&pod);
            let is_file = |document: &String| document.starts_with("f-");
            match kind {
                ADDED => {
                    let before = self.pods.insert(uid.clone(), document);
                    assert_eq!(before, None, "{uid} is added twice");
                }
                MODIFIED => {
                    let before = self.pods.insert(uid.clone(), document.clone());
                    let before = before.expect("a pod changes that is there");
                    if is_file(&before) && is_file(&document) {
                        assert_eq!(before, document, "{uid}");
                    }
                }
                DELETED => {
                    let before = self.pods.remove(&uid);
                    assert!(before.is_some(), "{uid} goes that was not there");
                }
                other => panic!("an event of the type {other}"),
            }
        }
    }
}

const ADDED: i32 = 1;
const MODIFIED: i32 = 2;
const DELETED: i32 = 3;

proptest! {
    #[test]
    fn clients_see_what_the_model_says(history in history()) {
        let kinds = [SourceKind::Manifests, SourceKind::Kubelet, SourceKind::Apiserver];
        let mut node = Node::new(&kinds);
        node.pace = 0;
        let mut model = Model::default();
        let mut reader = None;
        for (place, op) in history.iter().enumerate() {
            say(&mut node, op);
            model.apply(op);
            if place < 3 {
                assert!(!node.pods.readiness().is_ready());
                continue;
            }
            reader.get_or_insert_with(|| Reader::new(&mut node)).read(&mut node);
            assert_eq!(seen(&mut node), model.expected(), "after {op:?}");
            if let Op::View(_) = op {
                // A second view confirms what is not in it of pods that were newer than the first.
                say(&mut node, op);
                model.apply(op);
                assert_eq!(seen(&mut node), model.expected(), "after a second {op:?}");
            }
            if let Op::Wait(_) = op {
                continue;
            }
            let changes = node.pods.counters().changes;
            let words = say(&mut node, op);
            assert_eq!(node.pods.counters().changes, changes, "said again: {op:?}");
            match op {
                Op::Put(..) | Op::Remove(..) | Op::View(_) => assert_eq!(words, 0, "{op:?}"),
                Op::List(..) | Op::OwnerLost(_) | Op::RuntimeLost | Op::Wait(_) => {}
            }
        }
    }

    #[test]
    fn without_a_runtime_identities_are_as_the_model_says_and_statuses_the_owners_own(
        history in history_of_owners()
    ) {
        let kinds = [SourceKind::Manifests, SourceKind::Kubelet, SourceKind::Apiserver];
        let mut node = Node::without_runtime(&kinds);
        let mut model = Model::default();
        for (place, op) in history.iter().enumerate() {
            say(&mut node, op);
            model.apply(op);
            if place < 2 {
                assert!(!node.pods.readiness().is_ready());
                continue;
            }
            assert_eq!(seen(&mut node), model.expected(), "after {op:?}");
            let changes = node.pods.counters().changes;
            say(&mut node, op);
            assert_eq!(node.pods.counters().changes, changes, "said again: {op:?}");
        }
    }

    #[test]
    fn whoever_claims_what_costs_no_other_pod_an_event_or_its_uid(
        history in hostile_history(),
        without_runtime in any::<bool>(),
    ) {
        costs_nobody(&history, without_runtime);
    }
}

/// Lives through it twice, with what is claimed and without, and compares what clients see.
fn costs_nobody(history: &[Step], without_runtime: bool) {
    let kinds = [
        SourceKind::Manifests,
        SourceKind::Kubelet,
        SourceKind::Apiserver,
    ];
    let [mut beset, mut alone] = [(), ()].map(|()| match without_runtime {
        true => Node::without_runtime(&kinds),
        false => Node::new(&kinds),
    });
    // What time changes is to be the same in both.
    (beset.pace, alone.pace) = (0, 0);
    let (mut evil, mut last_view) = (BTreeMap::new(), Vec::new());
    let mut watches = None;
    for op in history {
        match op {
            Step::Honest(Op::View(_) | Op::RuntimeLost) if without_runtime => continue,
            Step::Honest(op) => {
                say(&mut alone, op);
                match op {
                    // An owner's list has the pods of everybody.
                    Op::List(API, pods) => {
                        let mut pods: Vec<_> = pods.iter().map(Held::encoded).collect();
                        pods.extend(evil.values().cloned());
                        beset.list(API, &pods);
                    }
                    Op::View(shown) => {
                        last_view.clone_from(shown);
                        say(&mut beset, op);
                    }
                    Op::List(..)
                    | Op::OwnerLost(_)
                    | Op::Put(..)
                    | Op::Remove(..)
                    | Op::RuntimeLost
                    | Op::Wait(_) => drop(say(&mut beset, op)),
                }
            }
            // Of a UID that nobody has or had, nobody can tell whose it will be.
            Step::Claim(_, uid) if !beset.join.knows(uid) => continue,
            Step::Claim(name, uid) => {
                let pod = claimer(name, &format!("0-{name}"), uid);
                evil.insert(*name, pod.clone());
                if watches.is_some() {
                    beset.put(API, &pod);
                }
            }
            Step::Unclaim(name) => {
                if evil.remove(name).is_some() && watches.is_some() {
                    beset.remove(API, &format!("0-{name}"));
                }
            }
            Step::Sandbox(..) if without_runtime || watches.is_none() => continue,
            // What the runtime shows counts over what was claimed alone.
            Step::Sandbox(_, uid) if !beset.join.has_proof(uid) => continue,
            Step::Sandbox(name, uid) => {
                // The runtime is looked at in both worlds.
                let mut sandboxes = sandboxes(&last_view);
                say(&mut alone, &Op::View(last_view.clone()));
                sandboxes.insert(0, evil_sandbox(name, uid, 1_900_000_000_000_000_000));
                beset.view(&view(&sandboxes));
            }
        }
        if !alone.pods.readiness().is_ready() {
            continue;
        }
        let (of_beset, of_alone) = *watches.get_or_insert_with(|| (beset.watch(), alone.watch()));
        let is_evil = |uid: &str| uid.starts_with("0-");
        let mut events = beset.events(of_beset);
        events.retain(|event| !is_evil(&event.1));
        let mut of_one_world = alone.events(of_alone);
        // Of each pod in their order: which of two pods is told first is promised to nobody.
        for events in [&mut events, &mut of_one_world] {
            events.sort_by(|a, b| a.1.cmp(&b.1));
        }
        assert_eq!(events, of_one_world, "after {op:?} of {history:?}");
        let mut served = seen(&mut beset);
        served.retain(|(uid, ..)| !is_evil(uid));
        assert_eq!(served, seen(&mut alone), "after {op:?}");
    }
}

/// A mirror whose API server was lost comes back as that of another static pod, after a claim.
#[test]
fn a_claim_before_a_loss_costs_nobody_an_event_after_it() {
    let mirror = |hash: &str| Held::Mirror {
        uid: "m-p".to_owned(),
        name: "p",
        hash: hash.to_owned(),
    };
    let of_a_file = Held::Static {
        uid: "f-p0".to_owned(),
        name: "p",
    };
    let history = [
        Step::Honest(Op::List(0, vec![])),
        Step::Honest(Op::List(1, vec![])),
        Step::Honest(Op::List(API, vec![mirror("h-p0")])),
        Step::Honest(Op::View(vec![])),
        Step::Honest(Op::Put(0, of_a_file)),
        Step::Claim("x", "h-p0"),
        Step::Honest(Op::OwnerLost(API)),
        Step::Claim("x", "0-x"),
        Step::Honest(Op::Put(API, mirror("h-p1"))),
    ];
    costs_nobody(&history, false);
}

/// A step of a world in which somebody claims what is not his.
#[derive(Clone, Debug)]
enum Step {
    Honest(Op),
    /// The pod `evil/NAME` says that it is the mirror of the pod with this UID.
    Claim(&'static str, &'static str),
    Unclaim(&'static str),
    /// So does its sandbox.
    Sandbox(&'static str, &'static str),
}

fn hostile_history() -> impl Strategy<Value = Vec<Step>> {
    let uids = vec![
        "h-p0", "h-p1", "h-p2", "h-q0", "h-q1", "u0", "u1", "f-p0", "f-q1", "m-p", "m-q", "0-x",
    ];
    let evil = move || (select(vec!["x", "z"]), select(uids.clone()));
    let step = prop_oneof![
        3 => op().prop_map(Step::Honest),
        3 => evil().prop_map(|(name, uid)| Step::Claim(name, uid)),
        1 => evil().prop_map(|(name, _)| Step::Unclaim(name)),
        1 => evil().prop_map(|(name, uid)| Step::Sandbox(name, uid)),
    ];
    (history(), vec(step, 0..25)).prop_map(|(honest, hostile)| {
        let mut steps: Vec<_> = honest.into_iter().take(4).map(Step::Honest).collect();
        steps.extend(hostile);
        steps
    })
}
