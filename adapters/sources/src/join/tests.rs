//! Identities and statuses as a client of the core sees them.

use podsapi_core::{EncodedPod, SourceEvent, SourceKind};
use podsapi_proto::core_v1::Pod;
use prost::Message;

use super::SourceRef;
use super::node::{Node, Served, file_sandbox, from_file, mirror, plain, plain_sandbox, view};
use crate::status::scenes::pod;
use crate::view::{RuntimeView, Sandbox};

const ADDED: i32 = 1;
const MODIFIED: i32 = 2;
const DELETED: i32 = 3;

fn uids(served: &[Served]) -> Vec<(&str, &str)> {
    let served = served.iter();
    served
        .map(|one| (one.uid.as_str(), one.phase.as_str()))
        .collect()
}

const FILES: SourceKind = SourceKind::Manifests;
const API: SourceKind = SourceKind::Apiserver;

#[test]
fn a_static_pod_has_the_uid_of_its_sandbox_before_the_gate_opens() {
    for files_first in [true, false] {
        let mut node = Node::new(&[FILES]);
        let runtime = view(&[file_sandbox("p", "hash")]);
        if files_first {
            node.list(0, &[from_file("p", "made-up")]);
            node.view(&runtime);
        } else {
            node.view(&runtime);
            node.list(0, &[from_file("p", "made-up")]);
            node.view(&runtime);
        }
        let served = node.served();
        assert_eq!(uids(&served), [("hash", "Running")]);
        assert_eq!(served[0].hash, "hash");
    }
}

#[test]
fn a_sandbox_that_comes_later_replaces_the_pod_by_one_with_its_uid() {
    let mut node = Node::new(&[FILES]);
    node.list(0, &[from_file("p", "made-up")]);
    node.view(&RuntimeView::default());
    assert_eq!(uids(&node.served()), [("made-up", "Pending")]);
    let watch = node.watch();
    node.view(&view(&[file_sandbox("p", "hash")]));
    let events = node.events(watch);
    let gone = (DELETED, "made-up".to_owned(), String::new());
    let come = (ADDED, "hash".to_owned(), "Running".to_owned());
    assert_eq!(events, [gone, come]);
    node.view(&RuntimeView::default());
    assert_eq!(
        node.served()[0].uid,
        "hash",
        "the UID stays when the sandbox goes"
    );
}

#[test]
fn of_sandboxes_of_several_uids_a_ready_one_counts_then_the_newest_whatever_its_attempt() {
    let of = |uid: &str, attempt, ready, created: i64| Sandbox {
        attempt,
        ready,
        created_at: created,
        ..file_sandbox("p", uid)
    };
    let served = |sandboxes: &[Sandbox]| {
        let mut node = Node::new(&[FILES]);
        node.list(0, &[from_file("p", "made-up")]);
        node.view(&view(sandboxes));
        node.served()[0].uid.clone()
    };
    let (old, new) = (of("old", 2, false, 5), of("new", 0, true, 9));
    assert_eq!(served(&[old.clone(), new.clone()]), "new");
    assert_eq!(served(&[new.clone(), old.clone()]), "new");
    let dead = of("new", 0, false, 9);
    assert_eq!(served(&[old.clone(), dead.clone()]), "new", "both are dead");
    assert_eq!(
        served(&[of("old", 2, true, 5), dead]),
        "old",
        "one is ready"
    );
    assert_eq!(
        served(&[of("old", 2, true, 5), new.clone()]),
        "new",
        "both are ready"
    );

    let mut node = Node::new(&[FILES]);
    node.list(0, &[from_file("p", "made-up")]);
    node.view(&view(&[old, new.clone()]));
    let watch = node.watch();
    node.view(&view(&[new]));
    let events = node.events(watch);
    assert!(
        events.is_empty(),
        "the dead one goes, and nobody sees it: {events:?}"
    );
}

#[test]
fn a_mirror_pod_is_served_under_its_hash() {
    let mut node = Node::new(&[API]);
    node.list(0, &[mirror("p", "api", "hash"), plain("u")]);
    node.view(&view(&[file_sandbox("p", "hash")]));
    assert_eq!(
        uids(&node.served()),
        [("hash", "Running"), ("u", "Pending")]
    );
    node.remove(0, "api");
    assert_eq!(uids(&node.served()), [("u", "Pending")]);
}

#[test]
fn file_kubelet_and_mirror_of_one_static_pod_are_one_pod() {
    let mut node = Node::new(&[FILES, SourceKind::Kubelet, API]);
    node.view(&RuntimeView::default());
    node.list(0, &[from_file("p", "made-up")]);
    node.list(1, &[]);
    node.list(2, &[mirror("p", "api", "hash")]);
    assert_eq!(node.served()[0].uid, "hash");
    let class = node.pods()[0].status.clone().unwrap();
    assert_eq!(
        class.qos_class(),
        "Guaranteed",
        "the mirror's status is the owner's word"
    );
    node.put(1, &from_file("p", "kubelet"));
    let served = node.served();
    assert_eq!(served.len(), 1);
    assert_eq!((&*served[0].uid, &*served[0].hash), ("kubelet", "kubelet"));
    node.remove(1, "kubelet");
    node.remove(2, "api");
    node.pass(3);
    node.look();
    assert_eq!(node.served()[0].uid, "hash");
    node.list(0, &[]);
    node.pass(3);
    node.look();
    node.list(0, &[from_file("p", "made-up")]);
    assert_eq!(node.served()[0].uid, "made-up", "a new file, a new pod");
}

#[test]
fn a_static_pod_keeps_its_uid_when_its_mirror_pod_is_deleted_and_made_anew() {
    let mut node = Node::new(&[FILES, API]);
    node.view(&RuntimeView::default());
    node.list(0, &[from_file("p", "made-up")]);
    node.list(1, &[mirror("p", "api", "hash")]);
    let watch = node.watch();
    node.events(watch);
    node.remove(1, "api");
    node.put(1, &mirror("p", "api-2", "hash"));
    let events = node.events(watch);
    let modified = |event: &(i32, String, String)| (event.0, &*event.1) == (2, "hash");
    assert!(events.iter().all(modified), "{events:?}");
    assert_eq!(node.served()[0].uid, "hash");
}

#[test]
fn pods_of_other_names_or_without_a_source_are_not_joined() {
    let mut node = Node::new(&[FILES, API]);
    node.list(0, &[from_file("p", "made-up")]);
    node.list(1, &[mirror("q", "api", "hash"), plain("u")]);
    node.view(&view(&[plain_sandbox("p")]));
    let served = node.served();
    let uids: Vec<_> = served.iter().map(|one| one.uid.as_str()).collect();
    assert_eq!(uids, ["hash", "made-up", "u"]);
}

#[test]
fn a_status_comes_with_the_pod_and_changes_with_the_view() {
    let mut node = Node::new(&[API]);
    node.list(0, &[]);
    let runtime = view(&[plain_sandbox("u")]);
    node.view(&runtime);
    let watch = node.watch();
    assert_eq!(node.served(), [], "what no owner has is not invented");
    node.put(0, &plain("u"));
    let added = (ADDED, "u".to_owned(), "Running".to_owned());
    assert_eq!(node.events(watch), [added]);
    assert_eq!(node.view(&runtime), [], "the same view is no news");
    let mut ended = runtime.clone();
    ended.containers[0].state = crate::view::ContainerState::Exited;
    ended.containers[0].finished_at = 1_700_000_009_000_000_000;
    node.view(&ended);
    let modified = (MODIFIED, "u".to_owned(), "Running".to_owned());
    assert_eq!(node.events(watch), [modified]);
    node.remove(0, "u");
    assert_eq!(
        node.events(watch),
        [(DELETED, "u".to_owned(), String::new())]
    );
}

#[test]
fn a_pod_that_is_newer_than_the_view_has_no_status_until_the_next() {
    let mut node = Node::new(&[API]);
    node.list(0, &[]);
    node.view(&RuntimeView::default());
    let reported = pod("metadata: {name: u, namespace: ns, uid: u}\n\
         spec: {containers: [{name: a}]}\n\
         status: {phase: Running, containerStatuses: [{name: a, containerID: 'containerd://x',
           state: {running: {}}}]}");
    node.put(0, &reported);
    let restarts = |node: &mut Node| {
        let status = node.pods()[0].status.clone().unwrap();
        status.container_statuses[0].restart_count()
    };
    assert_eq!(restarts(&mut node), 0);
    node.untold(&["u"]);
    node.view(&RuntimeView::default());
    assert_eq!(restarts(&mut node), 0, "nothing that was told says so");
    node.untold(&[]);
    assert_eq!(
        restarts(&mut node),
        1,
        "now the runtime is known not to have it"
    );
}

#[test]
fn identities_of_containers_have_the_name_of_the_runtime() {
    let mut node = Node::new(&[API]);
    node.list(0, &[plain("u")]);
    let runtime = view(&[plain_sandbox("u")]);
    let id = |node: &mut Node| {
        let status = node.pods()[0].status.clone().unwrap();
        status.container_statuses[0].container_id().to_owned()
    };
    node.view(&runtime);
    assert_eq!(id(&mut node), "containerd://a-s-u");
    node.join.handle_runtime_name("cri-o");
    node.view(&runtime);
    assert_eq!(id(&mut node), "cri-o://a-s-u");
}

#[test]
fn statuses_stay_while_the_runtime_is_lost_and_are_told_whole_when_it_is_back() {
    let mut node = Node::new(&[API]);
    let runtime = view(&[plain_sandbox("u")]);
    node.list(0, &[plain("u"), plain("v")]);
    node.view(&runtime);
    let watch = node.watch();
    assert_eq!(node.lose(), [(SourceRef::Runtime, SourceEvent::Lost)]);
    node.remove(0, "v");
    node.put(0, &plain("v"));
    assert_eq!(node.events(watch).len(), 2);
    assert_eq!(uids(&node.served()), [("u", "Running"), ("v", "Pending")]);
    let told = node.view(&runtime);
    assert_eq!(
        told.first().map(|(_, event)| event),
        Some(&SourceEvent::Begin)
    );
    assert_eq!(uids(&node.served()), [("u", "Running"), ("v", "Pending")]);
    assert_eq!(node.join.problems().count(), 0);
}

#[test]
fn an_owner_that_is_lost_stays_lost_when_its_pod_gets_another_uid() {
    let mut node = Node::new(&[FILES, API]);
    node.list(0, &[from_file("p", "made-up")]);
    node.list(1, &[mirror("p", "api", "hash")]);
    node.view(&RuntimeView::default());
    node.owner(1, SourceEvent::Lost);
    node.view(&view(&[file_sandbox("p", "newer")]));
    assert_eq!(node.served().len(), 1);
    assert_eq!(node.served()[0].uid, "newer");
    let state = node.pods.sources().nth(1).unwrap().state;
    assert_eq!(state, podsapi_core::SourceState::Lost);
    node.put(1, &mirror("p", "api", "hash"));
    let state = node.pods.sources().nth(1).unwrap().state;
    assert_eq!(state, podsapi_core::SourceState::Live);
}

#[test]
fn words_out_of_order_are_for_the_core_to_refuse() {
    let mut node = Node::new(&[API]);
    let event = SourceEvent::Complete { at: 7 };
    node.join.handle_owner(0, event.clone(), 8);
    assert_eq!(node.join.poll(), Some((SourceRef::Owner(0), event)));
    let pod = plain("u");
    node.join
        .handle_owner(0, SourceEvent::Put { pod, at: 7 }, 8);
    assert!(matches!(
        node.join.poll(),
        Some((_, SourceEvent::Put { .. }))
    ));
    node.join.handle_owner(9, SourceEvent::Begin, 8);
    assert_eq!(node.join.poll(), None);
}

#[test]
fn nothing_that_a_guess_made_outlives_a_later_true_answer() {
    let of = |policy: &str, status: &str| {
        pod(&format!(
            "metadata: {{name: u, namespace: ns, uid: u}}\nspec: {{restartPolicy: {policy}, \
             containers: [{{name: a, image: image}}]}}\nstatus: {{{status}}}"
        ))
    };
    let runs = view(&[plain_sandbox("u")]);
    let gone = RuntimeView {
        containers: Vec::new(),
        ..runs.clone()
    };
    let mut ended = runs.clone();
    ended.containers[0].state = crate::view::ContainerState::Exited;
    ended.containers[0].finished_at = 1_700_000_009_000_000_000;
    ended.containers[0].reason = "Completed".to_owned();
    let told = |node: &mut Node| {
        let status = node.pods()[0].status.clone().unwrap();
        let one = status.container_statuses[0].clone();
        let state = one.state.clone().unwrap_or_default();
        let (code, last) = (state.terminated, one.last_state.clone().unwrap_or_default());
        let code = code.map(|ended| ended.exit_code());
        let facts = (status.phase().to_owned(), one.restart_count(), code);
        (facts, last.terminated.is_some())
    };
    let fact = |phase: &str, count, code| ((phase.to_owned(), count, code), false);
    let end = "phase: Running, containerStatuses: [{name: a, containerID: 'containerd://a-s-u',
      state: {terminated: {exitCode: 0, containerID: 'containerd://a-s-u'}}}]";
    for policy in ["Always", "OnFailure", "Never"] {
        let over = if policy == "Always" {
            fact("Running", 0, Some(0))
        } else {
            fact("Succeeded", 0, Some(0))
        };
        let guessed = || {
            let mut node = Node::new(&[API]);
            node.list(0, &[of(policy, "")]);
            node.view(&runs);
            assert_eq!(told(&mut node), fact("Running", 0, None));
            node.view(&gone);
            assert_ne!(told(&mut node), fact("Running", 0, None), "a guess");
            node
        };
        let mut node = guessed();
        node.view(&runs);
        assert_eq!(told(&mut node), fact("Running", 0, None), "{policy}");
        let mut node = guessed();
        node.view(&ended);
        assert_eq!(told(&mut node), over, "{policy}");
        let mut node = guessed();
        node.put(0, &of(policy, end));
        assert_eq!(told(&mut node), over, "{policy}, the owner's word");
        // Twice wrong, and right at last.
        let mut node = guessed();
        node.view(&runs);
        node.view(&gone);
        node.view(&gone);
        node.view(&ended);
        assert_eq!(told(&mut node), over, "{policy}");
    }
}

#[test]
fn a_state_that_another_source_encodes_otherwise_is_no_event() {
    let mut node = Node::new(&[SourceKind::Kubelet]);
    node.list(0, &[plain("u")]);
    node.view(&view(&[plain_sandbox("u")]));
    let watch = node.watch();
    let mut pod = node.pods().remove(0);
    for (zero, expected) in [(None, 0), (Some(0), 0), (Some(7), 1)] {
        let status = pod.status.get_or_insert_default();
        status.observed_generation = zero;
        let encoded = EncodedPod::parse(pod.encode_to_vec().into()).unwrap();
        node.put(0, &encoded);
        let events = node.events_whole(watch);
        assert_eq!(events.len(), expected, "{zero:?}: {events:?}");
    }
}

#[test]
fn an_edit_that_the_kubelet_tells_first_gives_no_document_the_uid_of_another() {
    for dropped_first in [false, true] {
        let mut node = Node::new(&[FILES, SourceKind::Kubelet]);
        node.list(0, &[from_file("p", "b")]);
        node.list(1, &[from_file("p", "b")]);
        let over = Sandbox {
            ready: false,
            ..file_sandbox("p", "b")
        };
        node.view(&view(&[over]));
        assert_eq!(node.served()[0].uid, "b");
        // The new document's UID comes first in the order of UIDs.
        node.put(1, &from_file("p", "a"));
        if dropped_first {
            node.remove(1, "b");
        }
        node.remove(0, "b");
        node.put(0, &from_file("p", "a"));
        if !dropped_first {
            node.remove(1, "b");
        }
        let served = node.served();
        let uids: Vec<_> = served.iter().map(|one| one.uid.as_str()).collect();
        assert!(
            uids.contains(&"a"),
            "dropped first: {dropped_first}: {uids:?}"
        );
    }
}

#[test]
fn a_report_that_says_what_the_manifest_says_is_no_event() {
    let mut node = Node::new(&[FILES, SourceKind::Kubelet]);
    node.list(0, &[]);
    node.list(1, &[]);
    node.view(&RuntimeView::default());
    let watch = node.watch();
    node.put(0, &from_file("p", "a"));
    assert_eq!(node.events(watch).len(), 1);
    let mut pod = Pod::decode(from_file("p", "a").bytes().clone()).unwrap();
    let status = pod.status.get_or_insert_default();
    (status.phase, status.message) = (Some("Pending".to_owned()), Some(String::new()));
    let pod = EncodedPod::parse(pod.encode_to_vec().into()).unwrap();
    node.put(1, &pod);
    assert_eq!(node.events(watch), []);
}
