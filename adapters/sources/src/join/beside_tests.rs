//! Manifests, a kubelet and a runtime together, as a client of the core sees them while manifests change.

use podsapi_core::{EncodedPod, SourceKind, WatchId};
use podsapi_proto::core_v1::Pod;

use super::node::{Node, document, ended, file_sandbox, from_file, mirror, view};
use crate::status::scenes::pod;
use crate::view::RuntimeView;

const FILES: SourceKind = SourceKind::Manifests;
const KUBELET: SourceKind = SourceKind::Kubelet;
const ADDED: i32 = 1;
const MODIFIED: i32 = 2;
const DELETED: i32 = 3;

/// UID, document, and whether it is being deleted.
fn short(pod: &Pod) -> (String, String, bool) {
    let metadata = pod.metadata.clone().unwrap_or_default();
    let deleted = metadata.deletion_timestamp.is_some();
    (metadata.uid().to_owned(), document(pod), deleted)
}

fn pods(node: &mut Node) -> Vec<(String, String, bool)> {
    node.pods().iter().map(short).collect()
}

fn of(uid: &str, document: &str, deleted: bool) -> (String, String, bool) {
    (uid.to_owned(), document.to_owned(), deleted)
}

/// The kind of each event, UID, and whether it is being deleted.
fn events(node: &mut Node, watch: WatchId) -> Vec<(i32, String, bool)> {
    let events = node.events_whole(watch).into_iter();
    let events = events.map(|(kind, pod)| {
        let (uid, _, deleted) = short(&pod);
        (kind, uid, deleted)
    });
    events.collect()
}

/// A manifest and a kubelet that has its pod under the UID that was made here, running.
fn running() -> (Node, WatchId) {
    let mut node = Node::new(&[FILES, KUBELET]);
    node.list(0, &[from_file("p", "a")]);
    node.list(1, &[from_file("p", "a")]);
    node.view(&view(&[file_sandbox("p", "a")]));
    let watch = node.watch();
    (node, watch)
}

/// What a kubelet tells of a document under a UID of its own.
fn told_as(uid: &str, document: &str) -> EncodedPod {
    pod(&format!(
        "metadata: {{name: p, namespace: ns, uid: {uid}, labels: {{document: {document}}}, \
         annotations: {{kubernetes.io/config.source: file, kubernetes.io/config.seen: now, \
         kubernetes.io/config.hash: {uid}}}}}\n\
         spec: {{terminationGracePeriodSeconds: 600, containers: [{{name: a, image: image}}]}}\n\
         status: {{phase: Pending}}"
    ))
}

#[test]
fn a_kubelet_that_tells_of_an_edit_first_gives_its_uid_to_no_other_document() {
    // Whatever the runtime still shows of the pod before.
    for shown in [0, 1, 2] {
        let (mut node, _) = running();
        match shown {
            0 => drop(node.view(&RuntimeView::default())),
            1 => drop(node.view(&ended(view(&[file_sandbox("p", "a")])))),
            _ => {}
        }
        node.put(1, &from_file("p", "b"));
        node.remove(1, "a");
        let both = [of("a", "a", false), of("b", "b", false)];
        assert_eq!(pods(&mut node), both, "{shown}");
        node.list(0, &[from_file("p", "b")]);
        let new = pods(&mut node).pop();
        assert_eq!(new, Some(of("b", "b", false)), "{shown}");
    }
}

#[test]
fn where_no_uid_is_known_a_kubelets_own_pod_is_served() {
    let mut node = Node::new(&[FILES, KUBELET]);
    node.list(0, &[from_file("p", "f-a")]);
    node.list(1, &[from_file("p", "h-a")]);
    node.view(&RuntimeView::default());
    assert_eq!(pods(&mut node), [of("h-a", "h-a", false)]);
    node.put(1, &from_file("p", "h-b"));
    let both = [of("h-a", "h-a", false), of("h-b", "h-b", false)];
    assert_eq!(pods(&mut node), both);
    node.list(0, &[from_file("p", "f-b")]);
    assert_eq!(pods(&mut node), both);
}

#[test]
fn a_document_has_the_uid_of_the_kubelets_pod_that_says_the_same() {
    let mut node = Node::new(&[FILES, KUBELET]);
    // Of another pod it is known that UIDs are made here as there.
    node.list(0, &[from_file("p", "f-a"), from_file("q", "q")]);
    node.list(1, &[told_as("h-a", "f-a"), from_file("q", "q")]);
    node.view(&RuntimeView::default());
    let q = of("q", "q", false);
    assert_eq!(pods(&mut node), [of("h-a", "f-a", false), q.clone()]);
    node.put(1, &told_as("h-b", "f-b"));
    node.remove(1, "h-a");
    let both = [of("h-a", "f-a", false), of("h-b", "f-b", false), q];
    assert_eq!(pods(&mut node), both);
    node.list(0, &[from_file("p", "f-b"), from_file("q", "q")]);
    assert!(pods(&mut node).contains(&of("h-b", "f-b", false)));
}

#[test]
fn an_edit_that_is_taken_back_while_the_pod_runs_is_no_deletion() {
    for seen in [true, false] {
        let (mut node, watch) = running();
        if !seen {
            // The pod is so new that no look at the runtime has it.
            node = Node::new(&[FILES, KUBELET]);
            node.list(0, &[]);
            node.list(1, &[]);
            node.view(&RuntimeView::default());
            node.put(0, &from_file("p", "a"));
            node.put(1, &from_file("p", "a"));
        }
        let watch = if seen { watch } else { node.watch() };
        node.list(0, &[from_file("p", "b")]);
        node.list(1, &[from_file("p", "b")]);
        assert_eq!(pods(&mut node), [of("a", "a", true), of("b", "b", false)]);
        node.list(0, &[from_file("p", "a")]);
        node.list(1, &[from_file("p", "a")]);
        node.view(&view(&[file_sandbox("p", "a")]));
        let told = events(&mut node, watch);
        let deleted = (DELETED, "a".to_owned(), false);
        assert!(!told.contains(&deleted), "{told:?}");
        assert_eq!(pods(&mut node)[0], of("a", "a", false));
    }
}

#[test]
fn a_pod_that_no_look_has_shown_stays_until_one_after_a_while_shows_nothing() {
    let mut node = Node::new(&[FILES]);
    node.list(0, &[]);
    node.view(&RuntimeView::default());
    node.put(0, &from_file("p", "a"));
    let watch = node.watch();
    node.pace = 0;
    node.list(0, &[]);
    assert_eq!(events(&mut node, watch), [(MODIFIED, "a".to_owned(), true)]);
    node.look();
    assert_eq!(pods(&mut node), [of("a", "a", true)], "it is too soon");
    node.pass(2);
    let gone = [(DELETED, "a".to_owned(), false)];
    assert_eq!(events(&mut node, watch), gone);

    node.put(0, &from_file("p", "b"));
    node.list(0, &[]);
    node.pass(3);
    assert_eq!(pods(&mut node), [of("b", "b", true)], "nobody has looked");
    node.view(&view(&[file_sandbox("p", "b")]));
    assert_eq!(pods(&mut node), [of("b", "b", true)], "it runs");
    node.view(&RuntimeView::default());
    assert_eq!(pods(&mut node), []);
}

#[test]
fn what_a_kubelet_lists_no_more_is_there_while_it_runs() {
    let mut node = Node::new(&[KUBELET]);
    node.list(0, &[from_file("p", "a")]);
    node.view(&view(&[file_sandbox("p", "a")]));
    let watch = node.watch();
    node.remove(0, "a");
    assert_eq!(events(&mut node, watch), [(MODIFIED, "a".to_owned(), true)]);
    node.view(&ended(view(&[file_sandbox("p", "a")])));
    let last = [
        (MODIFIED, "a".to_owned(), true),
        (DELETED, "a".to_owned(), false),
    ];
    assert_eq!(events(&mut node, watch), last);
}

#[test]
fn a_pod_that_is_being_deleted_stays_so_as_long_as_anybody_has_it() {
    for as_list in [false, true] {
        let (mut node, watch) = running();
        node.list(0, &[]);
        node.view(&ended(view(&[file_sandbox("p", "a")])));
        node.view(&RuntimeView::default());
        assert_eq!(pods(&mut node), [of("a", "a", true)]);
        match as_list {
            true => node.list(1, &[]),
            false => node.remove(1, "a"),
        };
        let told = events(&mut node, watch);
        let (last, before) = told.split_last().unwrap();
        assert_eq!(*last, (DELETED, "a".to_owned(), false));
        assert!(before.iter().all(|event| event.2), "{told:?}");
    }

    // A kubelet that has it long after its grace period has it for good.
    let (mut node, _) = running();
    node.list(0, &[]);
    node.pass(661);
    assert_eq!(pods(&mut node), [of("a", "a", false)]);
}

#[test]
fn nothing_is_guessed_of_how_a_pod_ended_that_is_being_deleted() {
    let states = |node: &mut Node, watch| {
        let events = node.events_whole(watch).into_iter();
        let states = events.filter(|(kind, _)| *kind != DELETED).map(|(_, pod)| {
            let status = pod.status.unwrap_or_default();
            let state = status.container_statuses[0]
                .state
                .clone()
                .unwrap_or_default();
            (status.phase().to_owned(), state.running.is_some())
        });
        states.collect::<Vec<_>>()
    };
    // All of it is gone, or its sandbox is left.
    for left in [false, true] {
        let mut node = Node::new(&[FILES]);
        node.list(0, &[from_file("p", "a")]);
        node.view(&view(&[file_sandbox("p", "a")]));
        let watch = node.watch();
        node.list(0, &[]);
        let mut shown = ended(view(&[file_sandbox("p", "a")]));
        shown.containers.clear();
        if !left {
            shown.sandboxes.clear();
        }
        node.view(&shown);
        let told = states(&mut node, watch);
        assert!(
            told.iter()
                .all(|told| *told == ("Running".to_owned(), true)),
            "{told:?}"
        );
        assert_eq!(pods(&mut node), []);
    }
}

#[test]
fn nothing_is_guessed_of_containers_that_no_look_has_shown() {
    let mut node = Node::new(&[FILES]);
    node.list(0, &[from_file("p", "a")]);
    let mut shown = view(&[file_sandbox("p", "a")]);
    shown.containers.clear();
    node.view(&shown);
    let watch = node.watch();
    node.list(0, &[]);
    shown.sandboxes[0].ready = false;
    node.view(&shown);
    for (_, pod) in node.events_whole(watch) {
        let mut statuses = pod.status.into_iter().flat_map(|it| it.container_statuses);
        let ended = statuses.any(|one| one.state.unwrap_or_default().terminated.is_some());
        assert!(!ended, "nobody saw it run");
    }
    assert_eq!(pods(&mut node), []);
}

#[test]
fn the_mirror_of_an_edited_pod_has_the_uid_that_it_names() {
    let mut node = Node::new(&[SourceKind::Apiserver]);
    node.list(0, &[mirror("p", "m-1", "a")]);
    node.view(&view(&[file_sandbox("p", "a")]));
    let watch = node.watch();
    node.remove(0, "m-1");
    node.put(0, &mirror("p", "m-2", "b"));
    // The sandbox of the pod before is the only one yet.
    let told = events(&mut node, watch);
    assert_eq!(
        told,
        [
            (DELETED, "a".to_owned(), false),
            (ADDED, "b".to_owned(), false)
        ]
    );
    node.view(&view(&[file_sandbox("p", "b")]));
    assert_eq!(node.served().len(), 1);
    assert_eq!(node.served()[0].uid, "b");

    // So it is where a manifest is known to be that other pod, too.
    let mut node = Node::new(&[FILES, SourceKind::Apiserver]);
    node.list(0, &[from_file("p", "a")]);
    node.list(1, &[mirror("p", "m-1", "a")]);
    node.view(&RuntimeView::default());
    node.remove(1, "m-1");
    node.put(1, &mirror("p", "m-2", "b"));
    assert_eq!(pods(&mut node), [of("a", "a", false), of("b", "", false)]);
    node.list(0, &[from_file("p", "b")]);
    assert!(pods(&mut node).contains(&of("b", "b", false)));
}

/// What is told of the container of a pod: its state, restarts and last state.
fn container(node: &mut Node, uid: &str) -> (String, i32, String) {
    let mut pods = node.pods().into_iter();
    let pod = pods.find(|pod| short(pod).0 == uid).unwrap();
    let status = pod.status.unwrap_or_default();
    let Some(one) = status.container_statuses.first().cloned() else {
        return ("none".to_owned(), 0, String::new());
    };
    let line = |state: podsapi_proto::core_v1::ContainerState| {
        let ended = state.terminated.map(|ended| ended.reason().to_owned());
        let runs = state
            .running
            .map(|_| format!("running, ready: {}", one.ready()));
        let waits = state.waiting.map(|waits| waits.reason().to_owned());
        ended.or(runs).or(waits).unwrap_or_default()
    };
    let now = line(one.state.clone().unwrap_or_default());
    let last = line(one.last_state.clone().unwrap_or_default());
    (now, one.restart_count(), last)
}

fn is(state: &str, restarts: i32, last: &str) -> (String, i32, String) {
    (state.to_owned(), restarts, last.to_owned())
}

/// A kubelet's word of the pod `a` whose container has ended.
fn told_as_ended(uid: &str) -> EncodedPod {
    pod(&format!(
        "metadata: {{name: p, namespace: ns, uid: {uid}, labels: {{document: {uid}}}, \
         annotations: {{kubernetes.io/config.source: file, kubernetes.io/config.hash: {uid}}}}}\n\
         spec: {{terminationGracePeriodSeconds: 600, containers: [{{name: a, image: image}}]}}\n\
         status: {{phase: Running, containerStatuses: [{{name: a, image: image, imageID: i, \
         containerID: 'containerd://a-s-{uid}', state: {{terminated: {{exitCode: 137, reason: Error, \
         containerID: 'containerd://a-s-{uid}'}}}}}}]}}"
    ))
}

#[test]
fn what_a_kubelet_tells_of_the_pod_before_is_not_told_of_the_next_one() {
    // Started anew while a kubelet ends the pod of the document before, and lists it no more.
    let mut node = Node::new(&[FILES, KUBELET]);
    node.list(0, &[from_file("p", "b")]);
    node.list(1, &[from_file("p", "b")]);
    node.view(&view(&[file_sandbox("p", "a")]));
    // It tells of that once more when it has ended.
    node.view(&ended(view(&[file_sandbox("p", "a")])));
    node.put(1, &told_as_ended("a"));
    assert_eq!(container(&mut node, "b"), is("ContainerCreating", 0, ""));
    node.remove(1, "a");
    node.pass(3);
    node.look();
    assert_eq!(pods(&mut node), [of("b", "b", false)]);
    let mut shown = view(&[file_sandbox("p", "b")]);
    shown
        .sandboxes
        .extend(ended(view(&[file_sandbox("p", "a")])).sandboxes);
    node.view(&shown);
    assert_eq!(container(&mut node, "b"), is("running, ready: true", 0, ""));
}

/// An edit that was taken back before the pod had ended, and what ran is shown no more.
fn taken_back(owners: &[SourceKind]) -> Node {
    let mut node = Node::new(owners);
    for owner in 0..owners.len() {
        node.list(owner, &[from_file("p", "a")]);
    }
    node.view(&view(&[file_sandbox("p", "a")]));
    for document in ["b", "a"] {
        for owner in 0..owners.len() {
            node.list(owner, &[from_file("p", document)]);
        }
    }
    assert_eq!(container(&mut node, "a"), is("running, ready: true", 0, ""));
    node.view(&RuntimeView::default());
    node
}

/// The pod `a` when its kubelet has started it anew.
fn anew() -> RuntimeView {
    let mut shown = view(&[file_sandbox("p", "a")]);
    shown.sandboxes[0].id = "s-anew".to_owned();
    for container in &mut shown.containers {
        container.id = "a-anew".to_owned();
        container.created_at += 20_000_000_000;
        container.started_at += 20_000_000_000;
    }
    shown
}

#[test]
fn nothing_is_guessed_of_how_a_pod_ended_that_comes_back() {
    for owners in [&[FILES][..], &[FILES, KUBELET]] {
        let mut node = taken_back(owners);
        assert_eq!(
            container(&mut node, "a"),
            is("running, ready: false", 0, "")
        );
        node.view(&anew());
        assert_eq!(container(&mut node, "a"), is("running, ready: true", 1, ""));
        // From now on it is a pod as any other.
        node.view(&RuntimeView::default());
        let lost = is("ContainerCreating", 2, "ContainerStatusUnknown");
        assert_eq!(container(&mut node, "a"), lost);
    }
}

#[test]
fn a_kubelet_that_saw_the_end_of_a_pod_that_comes_back_tells_it() {
    let mut node = taken_back(&[FILES, KUBELET]);
    node.put(1, &told_as_ended("a"));
    assert_eq!(container(&mut node, "a"), is("Error", 0, ""));
    node.view(&anew());
    assert_eq!(
        container(&mut node, "a"),
        is("running, ready: true", 1, "Error")
    );
}

#[test]
fn a_pod_that_comes_back_and_that_nobody_starts_again_has_lost_its_containers() {
    let mut node = taken_back(&[FILES]);
    node.pass(700);
    let lost = is("ContainerCreating", 1, "ContainerStatusUnknown");
    assert_eq!(container(&mut node, "a"), lost);
    assert_eq!(node.join.due(), None);
}

#[test]
fn the_mirror_of_a_pod_that_has_ended_keeps_it_nowhere() {
    for edited in [true, false] {
        let mut node = Node::new(&[FILES, SourceKind::Apiserver]);
        node.list(0, &[from_file("p", "a")]);
        node.list(1, &[mirror("p", "m-1", "a")]);
        node.view(&view(&[file_sandbox("p", "a")]));
        let watch = node.watch();
        let next = edited.then(|| from_file("p", "b"));
        node.list(0, next.as_slice());
        assert_eq!(pods(&mut node)[0], of("a", "a", true));
        node.put(1, &mirror("p", "m-1", "a"));
        assert_eq!(pods(&mut node)[0], of("a", "a", true), "it runs");
        node.view(&ended(view(&[file_sandbox("p", "a")])));
        let told = events(&mut node, watch);
        let left: Vec<_> = told.iter().filter(|(_, uid, _)| uid == "a").collect();
        assert_eq!(*left[left.len() - 1], (DELETED, "a".to_owned(), false));
        let next = match edited {
            true => vec![of("b", "b", false)],
            false => Vec::new(),
        };
        assert_eq!(pods(&mut node), next);
        // Nor does a new list of the API server bring it back.
        node.list(1, &[mirror("p", "m-1", "a")]);
        node.view(&RuntimeView::default());
        assert_eq!(pods(&mut node), next);
        // As the pod of its own manifest it is there again.
        node.list(0, &[from_file("p", "a")]);
        assert!(pods(&mut node).contains(&of("a", "a", false)));
        node.list(
            0,
            next.iter()
                .map(|_| from_file("p", "b"))
                .collect::<Vec<_>>()
                .as_slice(),
        );
        node.remove(1, "m-1");
        node.pass(3);
        node.look();
        assert_eq!(pods(&mut node), next);
    }
}

#[test]
fn the_mirror_of_a_pod_that_had_ended_before_its_manifest_went_is_not_served() {
    let mut node = Node::new(&[FILES, SourceKind::Apiserver]);
    node.list(0, &[from_file("p", "a")]);
    node.list(1, &[mirror("p", "m-1", "a")]);
    node.view(&ended(view(&[file_sandbox("p", "a")])));
    node.list(0, &[]);
    node.pass(3);
    node.look();
    assert_eq!(pods(&mut node), []);
}
