//! Planted faults, each of which is found, and what is right, of which none is.

use podsapi_proto::json::parse_json;

use super::*;

fn pod(uid: &str, phase: &str, restarts: u32) -> Arc<Pod> {
    let text = format!(
        r#"{{"metadata":{{"name":"web-n","uid":"{uid}"}},"status":{{"phase":"{phase}",
        "containerStatuses":[{{"name":"c","restartCount":{restarts}}}]}}}}"#
    );
    Arc::new(Pod::of(parse_json(text.as_bytes()).unwrap()))
}

fn told(kind: EventKind, uid: &str, phase: &str) -> What {
    What::Told("k", kind, Some(pod(uid, phase, 0)))
}

fn list(server: &'static str, uids: &[&str]) -> What {
    What::Listed(
        server,
        uids.iter().map(|uid| pod(uid, "Running", 0)).collect(),
    )
}

/// Returns the rules that are broken when these things are seen, one each second, after the kubelet
/// has listed all pods that there are.
fn broken(whats: Vec<What>) -> Vec<String> {
    let first = list(KUBELET, &["a", "b"]);
    let whats = [first].into_iter().chain(whats).enumerate();
    let records: Vec<_> = whats
        .map(|(second, what)| Record {
            at: Duration::from_secs(second as u64),
            what,
        })
        .collect();
    faults("k", "n", &records)
        .into_iter()
        .map(|fault| fault.path)
        .collect()
}

use EventKind::{Added, Deleted, InitialSyncComplete, Modified};

const SYNCED: What = What::Told("k", InitialSyncComplete, None);

fn put() -> What {
    What::Put("web-n".to_owned())
}

fn removed() -> What {
    What::Removed("web-n".to_owned())
}

#[test]
fn a_pod_that_comes_and_goes_and_comes_again_breaks_no_rule() {
    let found = broken(vec![
        What::Opened("k"),
        SYNCED,
        put(),
        list(KUBELET, &["a"]),
        told(Added, "a", "Pending"),
        told(Modified, "a", "Running"),
        list(KUBELET, &["a"]),
        list("k", &["a"]),
        removed(),
        list(KUBELET, &[]),
        told(Deleted, "a", ""),
        list("k", &[]),
        put(),
        told(Added, "a", "Pending"),
        list(KUBELET, &["a"]),
        What::Lost("k", "closed".to_owned()),
        What::Opened("k"),
        told(Added, "a", "Pending"),
        SYNCED,
    ]);
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn a_false_deletion_is_found() {
    let seen = |after: Vec<What>| {
        let begin = vec![
            put(),
            What::Opened("k"),
            told(Added, "a", "Running"),
            SYNCED,
        ];
        let quiet = (0..60).map(|_| list(KUBELET, &["a"]));
        broken(begin.into_iter().chain(quiet).chain(after).collect())
    };
    let deleted = || told(Deleted, "a", "");
    let later = || list(KUBELET, &["a"]);
    let later = (0..7).map(|_| later());
    let found = seen([deleted()].into_iter().chain(later).collect());
    assert_eq!(found, ["(a false DELETED)"]);
    let found = seen(vec![removed(), deleted(), list(KUBELET, &[])]);
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn a_doubled_state_and_what_comes_after_the_end_are_found() {
    let begin = || {
        // So long after it was put that an end is not that of one before.
        let quiet = (0..4).map(|_| list(KUBELET, &["a", "b"]));
        let begin = [put(), What::Opened("k")].into_iter().chain(quiet);
        begin.chain([told(Added, "a", "Running"), SYNCED])
    };
    let with = |more: Vec<What>| broken(begin().chain(more).collect());
    assert_eq!(
        with(vec![told(Modified, "a", "Running")]),
        ["(a doubled state)"]
    );
    assert_eq!(with(vec![told(Added, "a", "Failed")]), ["(ADDED twice)"]);
    assert_eq!(
        with(vec![told(Modified, "b", "Running")]),
        ["(MODIFIED before ADDED)"]
    );
    assert_eq!(
        with(vec![told(Deleted, "b", "")]),
        ["(DELETED of what is not there)"]
    );
    for kind in [Added, Modified] {
        let found = with(vec![told(Deleted, "a", ""), told(kind, "a", "Failed")]);
        assert_eq!(found, ["(an event after DELETED)"]);
    }
    let found = with(vec![told(Modified, "a", "Pending")]);
    assert_eq!(found, ["(a phase that goes back)"]);
    let fewer =
        [1, 0].map(|restarts| What::Told("k", Modified, Some(pod("a", "Running", restarts))));
    assert_eq!(with(fewer.into()), ["(a count of restarts that goes back)"]);
    let disorder = vec![
        What::Opened("k"),
        told(Added, "b", ""),
        told(Added, "a", ""),
        SYNCED,
    ];
    assert_eq!(broken(disorder), ["(the first listing is not in order)"]);
}

#[test]
fn a_uid_that_the_kubelet_never_has_is_found() {
    let told = [told(Added, "c", "Pending"), told(Deleted, "c", "")];
    let found = broken([vec![What::Opened("k"), SYNCED], told.into()].concat());
    assert_eq!(found, ["(a UID that the kubelet never has)"]);
}

#[test]
fn a_list_with_a_ghost_and_one_with_a_gap_are_found_once() {
    let lists = |kubelet: &[&str], ours: &[&str]| [list(KUBELET, kubelet), list("k", ours)];
    let mut seen = vec![put()];
    for (kubelet, ours) in [(["a", "b"], ["a", "b"]); 3]
        .iter()
        .chain(&[(["a", "b"], ["b", "b"]); 4])
    {
        seen.extend(lists(kubelet, ours));
    }
    assert_eq!(broken(seen), ["(a list lacks what the kubelet lists)"]);

    let mut seen = vec![put(), list(KUBELET, &["a"]), list("k", &["a"]), removed()];
    for _ in 0..5 {
        seen.extend(lists(&[], &["a"]));
    }
    assert_eq!(
        broken(seen),
        ["(a list has what the kubelet has forgotten)"]
    );
}

#[test]
fn what_a_kubelet_would_have_told_before_it_ended_is_no_ghost() {
    let seen = |after: Vec<What>| {
        let added = What::Told(KUBELET, Added, Some(pod("a", "Running", 0)));
        let begin = [added, list(KUBELET, &["a"])].into_iter();
        let ends = (0..10).flat_map(|_| [list(KUBELET, &[]), list("k", &["a"])]);
        broken(begin.chain(ends).chain(after).collect())
    };
    let lost = What::Lost(KUBELET, "closed".to_owned());
    assert_eq!(seen(vec![lost]), Vec::<String>::new());
    let ghost = "(a list has what the kubelet has forgotten)";
    assert_eq!(seen(Vec::new()), [ghost]);
}
