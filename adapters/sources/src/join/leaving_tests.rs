//! Manifests that change or go while their pods run, as a client of the core sees it.

use podsapi_core::{SourceKind, WatchId};
use podsapi_proto::core_v1::Pod;

use super::node::{Node, document, ended, file_sandbox, from_file, mirror, view};
use crate::status::scenes::pod;
use crate::view::Sandbox;

const FILES: SourceKind = SourceKind::Manifests;
const ADDED: i32 = 1;
const MODIFIED: i32 = 2;
const DELETED: i32 = 3;

/// A sandbox of `ns/p`, created in this second.
fn made(uid: &str, created: i64) -> Sandbox {
    Sandbox {
        created_at: created * 1_000_000_000,
        ..file_sandbox("p", uid)
    }
}

/// A node whose file `f-a` runs as `h-a`.
fn running() -> (Node, WatchId) {
    let mut node = Node::new(&[FILES]);
    node.list(0, &[from_file("p", "f-a")]);
    node.view(&view(&[made("h-a", 10)]));
    let watch = node.watch();
    (node, watch)
}

/// UID, document and phase, and whether it is being deleted.
fn short(pod: &Pod) -> (String, String, String, bool) {
    let metadata = pod.metadata.clone().unwrap_or_default();
    let status = pod.status.clone().unwrap_or_default();
    let deleted = metadata.deletion_timestamp.is_some();
    let uid = metadata.uid().to_owned();
    (uid, document(pod), status.phase().to_owned(), deleted)
}

fn pods(node: &mut Node) -> Vec<(String, String, String, bool)> {
    node.pods().iter().map(short).collect()
}

fn events(node: &mut Node, watch: WatchId) -> Vec<(i32, String)> {
    let events = node.events(watch).into_iter();
    events.map(|(kind, uid, _)| (kind, uid)).collect()
}

fn of(uid: &str, document: &str, phase: &str, deleted: bool) -> (String, String, String, bool) {
    let [uid, document, phase] = [uid, document, phase].map(str::to_owned);
    (uid, document, phase, deleted)
}

fn kinds<const N: usize>(events: [(i32, &str); N]) -> Vec<(i32, String)> {
    events.map(|(kind, uid)| (kind, uid.to_owned())).to_vec()
}

#[test]
fn a_pod_whose_manifest_goes_is_there_until_its_containers_have_ended() {
    let (mut node, watch) = running();
    node.list(0, &[]);
    assert_eq!(pods(&mut node), [of("h-a", "f-a", "Running", true)]);
    assert_eq!(events(&mut node, watch), kinds([(MODIFIED, "h-a")]));
    let metadata = node.pods()[0].metadata.clone().unwrap();
    assert_eq!(metadata.deletion_grace_period_seconds, Some(600));
    let at = metadata.deletion_timestamp.unwrap().seconds();
    assert!((1_800_000_600..1_800_000_700).contains(&at), "{at}");
    // The container has ended, its sandbox not yet.
    let mut part = ended(view(&[made("h-a", 10)]));
    part.sandboxes[0].ready = true;
    node.view(&part);
    assert_eq!(events(&mut node, watch), kinds([(MODIFIED, "h-a")]));
    node.view(&ended(view(&[made("h-a", 10)])));
    // How it ended is the last that is told of it.
    let told = kinds([(MODIFIED, "h-a"), (DELETED, "h-a")]);
    assert_eq!(events(&mut node, watch), told);
    assert_eq!(pods(&mut node), []);
    assert_eq!(node.view(&ended(view(&[made("h-a", 10)]))), []);
}

#[test]
fn a_pod_of_which_nothing_runs_or_no_runtime_tells_is_gone_with_its_manifest() {
    let mut node = Node::without_runtime(&[FILES]);
    node.list(0, &[from_file("p", "f-a")]);
    let watch = node.watch();
    node.list(0, &[]);
    assert_eq!(events(&mut node, watch), kinds([(DELETED, "f-a")]));

    // Of one that would have been started again a look a while later says so.
    let (mut node, watch) = running();
    node.view(&ended(view(&[made("h-a", 10)])));
    events(&mut node, watch);
    node.list(0, &[]);
    assert_eq!(events(&mut node, watch), kinds([(MODIFIED, "h-a")]));
    node.pass(3);
    assert_eq!(events(&mut node, watch), []);
    node.look();
    assert_eq!(events(&mut node, watch), kinds([(DELETED, "h-a")]));

    // It may have been started again when its manifest goes.
    let (mut node, watch) = running();
    node.view(&ended(view(&[made("h-a", 10)])));
    node.list(0, &[]);
    node.view(&view(&[made("h-a", 10)]));
    node.pass(3);
    node.look();
    assert!(!events(&mut node, watch).contains(&(DELETED, "h-a".to_owned())));
    assert_eq!(pods(&mut node), [of("h-a", "f-a", "Running", true)]);
}

#[test]
fn a_new_document_never_has_the_uid_of_the_one_before() {
    let (mut node, watch) = running();
    node.list(0, &[from_file("p", "f-b")]);
    let both = [
        of("f-b", "f-b", "Pending", false),
        of("h-a", "f-a", "Running", true),
    ];
    assert_eq!(pods(&mut node), both);
    assert_eq!(
        events(&mut node, watch),
        kinds([(ADDED, "f-b"), (MODIFIED, "h-a")])
    );
    // The old one ends, and older ones that are dead change nothing.
    node.view(&ended(view(&[made("h-a", 10), made("h-z", 5)])));
    assert_eq!(pods(&mut node), [of("f-b", "f-b", "Pending", false)]);
    let mut told = events(&mut node, watch);
    told.retain(|one| *one != (MODIFIED, "f-b".to_owned()));
    assert_eq!(told, kinds([(MODIFIED, "h-a"), (DELETED, "h-a")]));
    let mut both = view(&[made("h-b", 20)]);
    both.sandboxes
        .extend(ended(view(&[made("h-a", 10)])).sandboxes);
    node.view(&both);
    assert_eq!(pods(&mut node), [of("h-b", "f-b", "Running", false)]);
    assert_eq!(
        events(&mut node, watch),
        kinds([(DELETED, "f-b"), (ADDED, "h-b")])
    );
}

#[test]
fn a_manifest_that_comes_after_a_dead_pod_of_its_name_is_another_pod() {
    let (mut node, watch) = running();
    node.list(0, &[]);
    node.view(&ended(view(&[made("h-a", 10)])));
    events(&mut node, watch);
    node.list(0, &[from_file("p", "f-b")]);
    assert_eq!(events(&mut node, watch), kinds([(ADDED, "f-b")]));
    assert_eq!(pods(&mut node), [of("f-b", "f-b", "Pending", false)]);
    node.view(&view(&[made("h-b", 20)]));
    assert_eq!(
        events(&mut node, watch),
        kinds([(DELETED, "f-b"), (ADDED, "h-b")])
    );
    // What was there before has its own UID again.
    node.list(0, &[from_file("p", "f-a")]);
    let both = [
        of("h-a", "f-a", "Pending", false),
        of("h-b", "f-b", "Running", true),
    ];
    assert_eq!(pods(&mut node), both);
}

#[test]
fn a_manifest_that_comes_back_while_its_pod_ends_is_that_pod_which_starts_anew() {
    let (mut node, watch) = running();
    node.list(0, &[]);
    node.list(0, &[from_file("p", "f-a")]);
    assert_eq!(pods(&mut node), [of("h-a", "f-a", "Running", false)]);
    node.view(&ended(view(&[made("h-a", 10)])));
    let mut anew = view(&[made("h-a", 20)]);
    anew.sandboxes[0].id = "s-anew".to_owned();
    anew.containers[0].id = "a-anew".to_owned();
    anew.containers[0].created_at = 1_700_000_020_000_000_000;
    node.view(&anew);
    let told = events(&mut node, watch);
    assert!(told.iter().all(|one| *one == (MODIFIED, "h-a".to_owned())));
    let status = node.pods()[0].status.clone().unwrap();
    assert_eq!(status.container_statuses[0].restart_count(), 1);
}

#[test]
fn while_the_runtime_is_lost_what_runs_stays_until_a_minute_after_its_grace_period() {
    let (mut node, watch) = running();
    node.list(0, &[]);
    node.lose();
    events(&mut node, watch);
    assert_eq!(pods(&mut node), [of("h-a", "f-a", "Running", true)]);
    let due = node.join.due().unwrap();
    assert!((1_800_000_660..1_800_000_700).contains(&due), "{due}");
    node.wait();
    assert_eq!(events(&mut node, watch), kinds([(DELETED, "h-a")]));
    assert_eq!(node.join.due(), None);
    // What comes to light later is nobody's pod.
    node.view(&view(&[made("h-a", 10)]));
    assert_eq!(pods(&mut node), []);
}

#[test]
fn a_pod_that_no_kubelet_ends_stays_and_a_new_document_is_taken_for_it() {
    let (mut node, watch) = running();
    node.list(0, &[]);
    node.wait();
    assert_eq!(pods(&mut node), [of("h-a", "f-a", "Running", true)]);
    assert_eq!(node.join.due(), None);
    events(&mut node, watch);

    // A default that is written out is another document here, and to a kubelet the same pod.
    let (mut node, watch) = running();
    node.list(0, &[from_file("p", "f-a2")]);
    events(&mut node, watch);
    node.wait();
    assert_eq!(pods(&mut node), [of("h-a", "f-a2", "Running", false)]);
    assert_eq!(
        events(&mut node, watch),
        kinds([(DELETED, "f-a2"), (MODIFIED, "h-a")])
    );

    // Where the UID was right from the start, there is no doubt.
    let mut node = Node::new(&[FILES]);
    node.list(0, &[from_file("p", "h-a")]);
    node.view(&view(&[made("h-a", 10)]));
    node.list(0, &[from_file("p", "h-b")]);
    node.wait();
    let both = [
        of("h-a", "h-a", "Running", true),
        of("h-b", "h-b", "Pending", false),
    ];
    assert_eq!(pods(&mut node), both);
}

#[test]
fn the_mirror_of_a_pod_before_is_that_pod() {
    let mut node = Node::without_runtime(&[FILES, SourceKind::Apiserver]);
    node.list(0, &[from_file("p", "f-a")]);
    node.list(1, &[mirror("p", "m-1", "h-a")]);
    assert_eq!(pods(&mut node), [of("h-a", "f-a", "Running", false)]);
    node.list(0, &[from_file("p", "f-b")]);
    let both = [
        of("f-b", "f-b", "Pending", false),
        of("h-a", "", "Running", false),
    ];
    assert_eq!(pods(&mut node), both);
    node.list(1, &[mirror("p", "m-2", "h-b")]);
    assert_eq!(pods(&mut node), [of("h-b", "f-b", "Running", false)]);
}

#[test]
fn a_deadline_passes_without_any_word_of_anybody() {
    let mut node = Node::new(&[SourceKind::Apiserver]);
    let bounded = pod("metadata: {name: p, namespace: ns, uid: u}\n\
         spec: {activeDeadlineSeconds: 200000000, containers: [{name: a, image: image}]}");
    node.list(0, &[bounded]);
    let mut shown = view(&[file_sandbox("p", "u")]);
    shown.sandboxes[0].annotations.clear();
    node.view(&shown);
    let watch = node.watch();
    assert_eq!(node.join.due(), Some(1_900_000_000));
    node.wait();
    let modified = (MODIFIED, "u".to_owned(), "Failed".to_owned());
    assert_eq!(node.events(watch), [modified]);
    let status = node.pods()[0].status.clone().unwrap();
    assert_eq!(status.reason(), "DeadlineExceeded");
    assert_eq!(node.join.due(), None);
}

/// A server that starts anew knows nothing of the document before.
#[test]
fn a_sandbox_that_is_older_than_its_manifest_gives_it_no_uid_where_that_is_known() {
    let mut node = Node::new(&[FILES]);
    let outdated = ("ns".to_owned(), "p".to_owned(), 20_000_000_000);
    node.join.handle_outdated(vec![outdated]);
    node.list(0, &[from_file("p", "f-b")]);
    node.view(&view(&[made("h-a", 10)]));
    let uids = |node: &mut Node| pods(node).into_iter().map(|pod| pod.0).collect::<Vec<_>>();
    assert_eq!(uids(&mut node), ["f-b"]);
    node.view(&view(&[made("h-a", 10), made("h-b", 30)]));
    assert_eq!(uids(&mut node), ["h-b"]);
}
