//! The join in front of a core against its model.

use std::collections::BTreeSet;

use podsapi_core::{SourceEvent, SourceKind};
use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any, prop_oneof, proptest};
use proptest::sample::select;

use super::model::{API, FILES, Held, KUBELET, Model, Op, Shown, sandboxes};
use super::node::{Node, view};

const NAMES: [&str; 2] = ["p", "q"];

fn held(owner: usize) -> impl Strategy<Value = Held> {
    (select(NAMES.to_vec()), 0..2_u8, any::<bool>(), 0..2_u8).prop_map(
        move |(name, number, plain, hash)| match (owner, plain) {
            (FILES, _) => Held::Static {
                uid: format!("f-{name}{number}"),
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
    };
    told.len()
}

/// What clients see: UID, name and whether the status is one that was worked out here.
fn seen(node: &mut Node) -> BTreeSet<(String, String, bool)> {
    let pods = node.pods().into_iter().map(|pod| {
        let metadata = pod.metadata.unwrap_or_default();
        let told = !pod.status.unwrap_or_default().conditions.is_empty();
        (metadata.uid().to_owned(), metadata.name().to_owned(), told)
    });
    pods.collect()
}

proptest! {
    #[test]
    fn clients_see_what_the_model_says(history in history()) {
        let kinds = [SourceKind::Manifests, SourceKind::Kubelet, SourceKind::Apiserver];
        let mut node = Node::new(&kinds);
        let mut model = Model::default();
        for (place, op) in history.iter().enumerate() {
            say(&mut node, op);
            model.apply(op);
            if place < 3 {
                assert!(!node.pods.readiness().is_ready());
                continue;
            }
            assert_eq!(seen(&mut node), model.expected(), "after {op:?}");
            if let Op::View(_) = op {
                // A second view confirms what is not in it of pods that were newer than the first.
                say(&mut node, op);
                model.apply(op);
                assert_eq!(seen(&mut node), model.expected(), "after a second {op:?}");
            }
            let changes = node.pods.counters().changes;
            let words = say(&mut node, op);
            assert_eq!(node.pods.counters().changes, changes, "said again: {op:?}");
            match op {
                Op::Put(..) | Op::Remove(..) | Op::View(_) => assert_eq!(words, 0, "{op:?}"),
                Op::List(..) | Op::OwnerLost(_) | Op::RuntimeLost => {}
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
}
