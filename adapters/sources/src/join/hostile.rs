//! Pods and sandboxes that claim to be others: one scene for each attack.

use podsapi_core::{EncodedPod, SourceEvent, SourceKind};

use super::SourceRef;
use super::node::{Node, file_sandbox, from_file, mirror, plain, plain_sandbox, view};
use crate::status::scenes::pod;
use crate::view::{RuntimeView, Sandbox};

const API: SourceKind = SourceKind::Apiserver;
const FILES: SourceKind = SourceKind::Manifests;
const KUBELET: SourceKind = SourceKind::Kubelet;

/// The pod `evil/NAME` in an API server that says it is the mirror of the pod with the UID `hash`.
pub(super) fn claimer(name: &str, uid: &str, hash: &str) -> EncodedPod {
    pod(&format!(
        "metadata: {{name: '{name}', namespace: evil, uid: {uid}, annotations: \
         {{kubernetes.io/config.source: file, kubernetes.io/config.hash: {hash}, \
         kubernetes.io/config.mirror: {hash}}}}}\n\
         spec: {{containers: [{{name: a, image: image}}]}}"
    ))
}

/// A sandbox of the pod `evil/NAME`.
pub(super) fn evil_sandbox(name: &str, uid: &str, created: i64) -> Sandbox {
    Sandbox {
        id: format!("evil-{uid}"),
        namespace: "evil".to_owned(),
        created_at: created,
        ..file_sandbox(name, uid)
    }
}

/// UIDs with the names that are served under them.
fn names(node: &mut Node) -> Vec<(String, String)> {
    let served = node.served().into_iter();
    served.map(|one| (one.uid, one.name)).collect()
}

fn pairs<const N: usize>(pairs: [(&str, &str); N]) -> Vec<(String, String)> {
    pairs
        .map(|(uid, name)| (uid.to_owned(), name.to_owned()))
        .to_vec()
}

fn told(node: &Node) -> Vec<(SourceRef, &str)> {
    let foreign = node.join.foreign().iter();
    foreign.map(|one| (one.source, one.text.as_str())).collect()
}

const CLAIM: &str = "evil/x (0-evil): claims as a mirror pod the UID hash of ns/p (not believed)";

#[test]
fn a_mirror_in_another_namespace_takes_nothing_from_a_mirror_and_is_told() {
    // Its own UID is the lower one, and it is told first in each list.
    let evil = claimer("x", "0-evil", "hash");
    let mut node = Node::without_runtime(&[API]);
    node.list(0, &[mirror("p", "api", "hash")]);
    let watch = node.watch();
    node.put(0, &evil);
    let both = pairs([("0-evil", "x"), ("hash", "p")]);
    assert_eq!(names(&mut node), both);
    assert_eq!(told(&node), [(SourceRef::Owner(0), CLAIM)]);
    let events = node.events(watch);
    assert!(events.iter().all(|event| event.1 == "0-evil"), "{events:?}");
    // A list anew, and even the mirror's deletion, hand nothing on.
    node.list(0, &[evil.clone(), mirror("p", "api", "hash")]);
    assert_eq!(names(&mut node), both);
    node.remove(0, "api");
    assert_eq!(names(&mut node), pairs([("0-evil", "x")]));
    node.put(0, &mirror("p", "api-2", "hash"));
    assert_eq!(names(&mut node), both);
    node.remove(0, "0-evil");
    assert_eq!(told(&node), []);
}

#[test]
fn the_uid_of_an_ordinary_pod_is_never_handed_on_not_even_by_its_deletion() {
    for runtime in [false, true] {
        let mut node = match runtime {
            true => Node::new(&[API]),
            false => Node::without_runtime(&[API]),
        };
        if runtime {
            node.view(&view(&[plain_sandbox("u")]));
        }
        node.list(0, &[plain("u"), claimer("x", "0-evil", "u")]);
        let both = pairs([("0-evil", "x"), ("u", "u")]);
        assert_eq!(names(&mut node), both);
        let watch = node.watch();
        node.remove(0, "u");
        assert_eq!(names(&mut node), pairs([("0-evil", "x")]));
        let events = node.events(watch);
        assert!(
            events.iter().all(|event| event.0 == 3 && event.1 == "u"),
            "{events:?}"
        );
        if runtime {
            node.view(&RuntimeView::default());
        }
        // One that comes only now gets it as little.
        node.put(0, &claimer("y", "1-evil", "u"));
        let evil = pairs([("0-evil", "x"), ("1-evil", "y")]);
        assert_eq!(names(&mut node), evil);
        assert_eq!(told(&node).len(), 2);
    }
}

#[test]
fn of_two_that_claim_one_uid_at_most_one_has_it_and_keeps_it() {
    let mut node = Node::without_runtime(&[API]);
    let (x, y) = (
        claimer("x", "1-evil", "hash"),
        claimer("y", "0-evil", "hash"),
    );
    node.list(0, std::slice::from_ref(&x));
    node.put(0, &y);
    let one = pairs([("0-evil", "y"), ("hash", "x")]);
    assert_eq!(names(&mut node), one);
    node.list(0, &[y, x]);
    assert_eq!(names(&mut node), one);
    node.remove(0, "1-evil");
    assert_eq!(names(&mut node), pairs([("0-evil", "y")]));
}

#[test]
fn of_mirrors_in_one_first_list_that_which_a_node_controls_counts_then_the_older() {
    let made = |name: &str, uid: &str, second: u8, owner: &str| {
        pod(&format!(
            "metadata: {{name: {name}, namespace: ns, uid: {uid}, creationTimestamp: \
             '2026-01-01T00:00:0{second}Z'{owner}, annotations: {{kubernetes.io/config.hash: h, \
             kubernetes.io/config.mirror: h}}}}\nspec: {{containers: [{{name: a, image: image}}]}}"
        ))
    };
    let node_owns = ", ownerReferences: [{apiVersion: v1, kind: Node, name: node-a, uid: of-node, \
                     controller: true}]";
    let first = |pods: &[EncodedPod]| {
        let mut node = Node::without_runtime(&[API]);
        node.list(0, pods);
        let served = names(&mut node);
        served.into_iter().find(|(uid, _)| uid == "h").unwrap().1
    };
    let (old, new) = (made("old", "b", 1, ""), made("new", "a", 2, ""));
    assert_eq!(first(&[new.clone(), old.clone()]), "old");
    let of_node = made("of-node", "c", 3, node_owns);
    assert_eq!(first(&[new, old, of_node]), "of-node");
}

#[test]
fn a_claim_that_came_first_gives_way_to_the_file_the_kubelet_and_the_runtime() {
    let evil = claimer("x", "0-evil", "hash");
    let right = pairs([("0-evil", "x"), ("hash", "p")]);

    let mut node = Node::new(&[FILES, API]);
    node.list(1, std::slice::from_ref(&evil));
    node.list(0, &[from_file("p", "made-up")]);
    node.view(&RuntimeView::default());
    node.view(&view(&[file_sandbox("p", "hash")]));
    assert_eq!(names(&mut node), right, "the runtime's word");
    assert_eq!(told(&node), [(SourceRef::Owner(1), CLAIM)]);

    let mut node = Node::without_runtime(&[FILES, API]);
    node.list(0, &[from_file("p", "made-up")]);
    node.list(1, std::slice::from_ref(&evil));
    node.put(1, &mirror("p", "api", "hash"));
    assert_eq!(names(&mut node), right, "the mirror of a file");
    node.remove(1, "api");
    assert_eq!(names(&mut node), right, "the file keeps it");

    let mut node = Node::without_runtime(&[KUBELET, API]);
    node.list(0, &[]);
    node.list(1, std::slice::from_ref(&evil));
    node.put(0, &from_file("p", "hash"));
    assert_eq!(names(&mut node), right, "a kubelet's word");
    node.remove(0, "hash");
    assert_eq!(names(&mut node), pairs([("0-evil", "x")]));

    let mut node = Node::new(&[API]);
    node.list(0, &[evil, mirror("p", "api", "hash")]);
    node.view(&view(&[file_sandbox("p", "hash")]));
    assert_eq!(names(&mut node), right, "the runtime's over the API's");
    node.view(&RuntimeView::default());
    assert_eq!(names(&mut node), right, "also when the sandbox is gone");
}

#[test]
fn a_pod_in_an_api_server_that_calls_itself_static_decides_nothing() {
    let mut node = Node::without_runtime(&[FILES, API]);
    node.list(0, &[from_file("p", "made-up")]);
    node.list(1, &[]);
    let watch = node.watch();
    node.put(1, &from_file("p", "0-evil"));
    let events = node.events(watch);
    assert!(events.iter().all(|event| event.1 == "0-evil"), "{events:?}");
    assert_eq!(names(&mut node), pairs([("0-evil", "p"), ("made-up", "p")]));
}

#[test]
fn annotations_that_disagree_are_not_believed_and_told() {
    let torn = pod(
        "metadata: {name: x, namespace: evil, uid: 0-evil, annotations: \
         {kubernetes.io/config.hash: hash, kubernetes.io/config.mirror: other}}\n\
         spec: {containers: [{name: a, image: image}]}",
    );
    let mut node = Node::without_runtime(&[API]);
    node.list(0, &[torn]);
    assert_eq!(names(&mut node), pairs([("0-evil", "x")]));
    assert_eq!(told(&node).len(), 1);
    assert!(told(&node)[0].1.starts_with("evil/x (0-evil): is marked"));
}

#[test]
fn a_sandbox_that_claims_changes_no_pods_status_or_uid() {
    let mut node = Node::new(&[FILES, API]);
    node.list(0, &[from_file("p", "made-up")]);
    node.list(1, &[plain("u")]);
    let honest = [file_sandbox("p", "hash"), plain_sandbox("u")];
    node.view(&view(&honest));
    let right = pairs([("hash", "p"), ("u", "u")]);
    assert_eq!(names(&mut node), right);
    let before = node.pods();
    let watch = node.watch();
    // Newer and ready: the UID of each under a foreign name, and the static pod's name with the UID
    // of the ordinary pod, once in the metadata and once in the labels alone.
    let mut labels = evil_sandbox("y", "v", 1_900_000_000_000_000_000);
    for (label, value) in [("uid", "hash"), ("namespace", "ns"), ("name", "p")] {
        let label = format!("io.kubernetes.pod.{label}");
        labels.labels.insert(label, value.to_owned());
    }
    let late = 1_900_000_000_000_000_000;
    let foreign = [
        evil_sandbox("x", "hash", late),
        evil_sandbox("x", "u", late),
        Sandbox {
            id: "evil-name".to_owned(),
            created_at: late,
            attempt: 7,
            ..file_sandbox("p", "u")
        },
        labels,
    ];
    for one in &foreign {
        let mut shown = view(&honest);
        shown.sandboxes.push(one.clone());
        node.view(&shown);
        assert_eq!(names(&mut node), right, "{one:?}");
        assert_eq!(node.pods(), before, "{one:?}");
        let told = told(&node);
        assert_eq!(told.len(), 1, "{told:?}");
        assert_eq!(told[0].0, SourceRef::Runtime);
        assert!(told[0].1.contains(&one.id), "{told:?}");
    }
    assert_eq!(node.events(watch), []);
    // Alone they get nothing either, and the file keeps its pod's UID.
    node.view(&view(&foreign));
    assert_eq!(names(&mut node), right);
}

#[test]
fn the_memory_of_uids_that_are_gone_is_bounded() {
    let mut node = Node::without_runtime(&[API]);
    node.list(0, &[]);
    for number in 0..super::claims::GONE_LIMIT + 9 {
        let uid = format!("u{number}");
        node.join.handle_owner(
            0,
            SourceEvent::Put {
                pod: plain(&uid),
                at: 0,
            },
            0,
        );
        let uid = podsapi_core::Uid::new(&uid);
        node.join
            .handle_owner(0, SourceEvent::Remove { uid, at: 0 }, 0);
        while node.join.poll().is_some() {}
    }
    assert_eq!(node.join.remembered(), super::claims::GONE_LIMIT);
}
