//! The mirror against single stories, and against a naive model in any order of events.

mod model;

use podsapi_proto::core_v1::{ContainerStatus, Pod, PodIp, PodSpec, PodStatus};
use podsapi_proto::meta_v1::{ObjectMeta, Time};
use prost::Message;

use super::*;

fn pod(uid: &str, name: &str) -> Pod {
    Pod {
        metadata: Some(ObjectMeta {
            uid: Some(uid.to_owned()),
            name: Some(name.to_owned()),
            namespace: Some("ns".to_owned()),
            ..ObjectMeta::default()
        }),
        ..Pod::default()
    }
}

fn with_status(mut pod: Pod, status: PodStatus) -> Pod {
    pod.status = Some(status);
    pod
}

fn created(mut pod: Pod, seconds: i64) -> Pod {
    let metadata = pod.metadata.as_mut().unwrap();
    metadata.creation_timestamp = Some(Time {
        seconds: Some(seconds),
        ..Time::default()
    });
    pod
}

fn annotated(mut pod: Pod, name: &str, value: &str) -> Pod {
    let metadata = pod.metadata.as_mut().unwrap();
    metadata
        .annotations
        .insert(name.to_owned(), value.to_owned());
    pod
}

fn phase(phase: &str) -> PodStatus {
    PodStatus {
        phase: Some(phase.to_owned()),
        ..PodStatus::default()
    }
}

fn addresses(addresses: &[&str]) -> PodStatus {
    let ips = addresses.iter().map(|ip| PodIp {
        ip: Some((*ip).to_owned()),
    });
    PodStatus {
        pod_i_ps: ips.collect(),
        ..PodStatus::default()
    }
}

fn event(kind: EventKind, pod: &Pod) -> Event {
    Event {
        kind,
        pod: pod.encode_to_vec().into(),
    }
}

fn marker() -> Event {
    Event {
        kind: EventKind::InitialSyncComplete,
        pod: Bytes::new(),
    }
}

fn mirror(pods: &[Pod]) -> Mirror {
    let mut mirror = Mirror::new();
    for pod in pods {
        mirror.handle_event(&event(EventKind::Added, pod)).unwrap();
    }
    mirror.handle_event(&marker()).unwrap();
    mirror
}

fn uid(found: Option<&Arc<MirroredPod>>) -> Option<&str> {
    found.map(|pod| pod.uid())
}

/// Writes changes as `+a`, `~a`, `-a` and `=`.
fn told(changes: Vec<Change>) -> String {
    let words = changes.iter().map(|change| match change {
        Change::Added(pod) => format!("+{}", pod.uid()),
        Change::Deleted(pod) => format!("-{}", pod.uid()),
        Change::Modified { new, .. } => format!("~{}", new.uid()),
        Change::Synced => "=".to_owned(),
    });
    words.collect::<Vec<_>>().join(" ")
}

#[test]
fn a_resync_tells_only_what_changed_while_away() {
    let mut mirror = mirror(&[pod("a", "a"), pod("b", "b"), pod("c", "c")]);
    mirror.handle_disconnect();
    assert!(!mirror.is_synced());
    let mut tell = |event| told(mirror.handle_event(&event).unwrap());
    assert_eq!(tell(event(EventKind::Added, &pod("a", "a"))), "");
    assert_eq!(
        tell(event(EventKind::Added, &created(pod("c", "c"), 5))),
        "~c"
    );
    assert_eq!(tell(event(EventKind::Added, &pod("d", "d"))), "+d");
    assert_eq!(tell(marker()), "-b =");
    assert!(mirror.is_synced());
    assert_eq!(mirror.pods().len(), 3);
}

#[test]
fn a_resync_that_is_interrupted_deletes_nothing() {
    let mut mirror = mirror(&[pod("a", "a"), pod("b", "b")]);
    mirror.handle_disconnect();
    mirror
        .handle_event(&event(EventKind::Added, &pod("a", "a")))
        .unwrap();
    mirror.handle_disconnect();
    mirror
        .handle_event(&event(EventKind::Added, &pod("b", "b")))
        .unwrap();
    assert_eq!(mirror.pods().len(), 2);
    assert_eq!(told(mirror.handle_event(&marker()).unwrap()), "-a =");
}

#[test]
fn a_deletion_hands_out_the_pod_as_last_known() {
    let mut mirror = mirror(&[created(pod("a", "a"), 7)]);
    let changes = mirror
        .handle_event(&event(EventKind::Deleted, &pod("a", "a")))
        .unwrap();
    let [Change::Deleted(gone)] = changes.as_slice() else {
        panic!("{changes:?}")
    };
    assert_eq!(gone.created(), Some(7));
    assert_eq!(
        told(
            mirror
                .handle_event(&event(EventKind::Deleted, &pod("a", "a")))
                .unwrap()
        ),
        ""
    );
}

#[test]
fn a_second_marker_on_one_watch_says_nothing() {
    let mut mirror = mirror(&[pod("a", "a")]);
    assert_eq!(told(mirror.handle_event(&marker()).unwrap()), "");
}

#[test]
fn a_broken_pod_is_an_error_and_changes_nothing() {
    let mut mirror = mirror(&[pod("a", "a")]);
    let broken = Event {
        kind: EventKind::Added,
        pod: Bytes::from_static(b"\x0a\xff"),
    };
    assert!(matches!(
        mirror.handle_event(&broken),
        Err(MirrorError::Undecodable(_))
    ));
    let nameless = event(EventKind::Modified, &Pod::default());
    assert_eq!(mirror.handle_event(&nameless), Err(MirrorError::MissingUid));
    assert_eq!(mirror.pods().len(), 1);
}

/// Puts a byte that is in no UTF-8 text in place of each `?`.
fn not_utf8(kind: EventKind, pod: &Pod) -> Event {
    let bytes = pod.encode_to_vec().into_iter();
    let bytes = bytes.map(|byte| if byte == b'?' { 0xff } else { byte });
    Event {
        kind,
        pod: bytes.collect(),
    }
}

#[test]
fn a_pod_with_text_that_is_not_utf_8_is_one_like_any_other() {
    let cut = with_status(annotated(pod("b", "b"), "k?", "?"), phase("Running?"));
    let mut mirror = mirror(&[pod("a", "a")]);
    let tell = |mirror: &mut Mirror, event| told(mirror.handle_event(&event).unwrap());
    assert_eq!(tell(&mut mirror, not_utf8(EventKind::Added, &cut)), "+b");
    let found = mirror.by_name("ns", "b").unwrap();
    assert_eq!(found.bytes(), &not_utf8(EventKind::Added, &cut).pod);
    let status = found.decode().unwrap().status.unwrap();
    assert_eq!(status.phase(), "Running\u{fffd}");

    mirror.handle_disconnect();
    assert_eq!(
        tell(&mut mirror, event(EventKind::Added, &pod("a", "a"))),
        ""
    );
    assert_eq!(tell(&mut mirror, not_utf8(EventKind::Added, &cut)), "");
    assert_eq!(tell(&mut mirror, marker()), "=", "nothing is gone");
    assert_eq!(tell(&mut mirror, not_utf8(EventKind::Deleted, &cut)), "-b");

    let unnamed = not_utf8(EventKind::Added, &pod("u?", "?"));
    assert_eq!(tell(&mut mirror, unnamed), "+u\u{fffd}");
    let gone = not_utf8(EventKind::Deleted, &pod("u?", "?"));
    assert_eq!(tell(&mut mirror, gone), "-u\u{fffd}");
}

#[test]
fn what_cannot_be_decoded_in_a_replay_is_not_gone() {
    let with_tail = |pod: &Pod, tail: &[u8]| Event {
        kind: EventKind::Added,
        pod: [&pod.encode_to_vec()[..], tail].concat().into(),
    };
    let mut mirror = mirror(&[pod("a", "a"), pod("b", "b")]);
    mirror.handle_disconnect();
    // The UID can be read, and the spec after it cannot.
    let broken = with_tail(&pod("b", "b"), b"\x12\x02\x0a\x7f");
    let error = mirror.handle_event(&broken).unwrap_err();
    assert!(matches!(error, MirrorError::Undecodable(_)));
    assert_eq!(told(mirror.handle_event(&marker()).unwrap()), "-a =");
    assert_eq!(mirror.pods().len(), 1);

    mirror.handle_disconnect();
    let nameless = Event {
        kind: EventKind::Added,
        pod: Bytes::from_static(b"\x0a\xff"),
    };
    mirror.handle_event(&nameless).unwrap_err();
    let marked = mirror.handle_event(&marker()).unwrap();
    assert_eq!(told(marked), "=", "any of them may be that one");
    mirror.handle_disconnect();
    assert_eq!(told(mirror.handle_event(&marker()).unwrap()), "-b =");
}

#[test]
fn a_uid_is_found_as_cgroups_spell_it() {
    let mirror = mirror(&[pod("1a-2b-3c", "a")]);
    assert_eq!(uid(mirror.by_uid("1a-2b-3c")), Some("1a-2b-3c"));
    assert_eq!(uid(mirror.by_uid("1a_2b_3c")), Some("1a-2b-3c"));
    assert_eq!(uid(mirror.by_uid("1a-2b")), None);
    let path = "0::/kubepods.slice/kubepods-pod1a_2b_3c.slice/cri-containerd-ff.scope";
    assert_eq!(uid(mirror.by_cgroup_path(path)), Some("1a-2b-3c"));
    assert_eq!(
        uid(mirror.by_cgroup_path("/kubepods/burstable/pod1a-2b-3c/ff")),
        Some("1a-2b-3c")
    );
}

#[test]
fn a_static_pod_is_found_by_the_hash_of_the_kubelet() {
    let hashed = annotated(pod("f00d-1", "a"), "kubernetes.io/config.hash", "abc123");
    let mirrored = annotated(pod("f00d-2", "b"), "kubernetes.io/config.mirror", "def456");
    let mirror = mirror(&[hashed, mirrored]);
    assert_eq!(uid(mirror.by_uid("abc123")), Some("f00d-1"));
    assert_eq!(uid(mirror.by_uid("def456")), Some("f00d-2"));
    assert_eq!(
        uid(mirror.by_cgroup_path("/kubepods/poddef456")),
        Some("f00d-2")
    );
}

#[test]
fn of_two_pods_under_one_name_the_newest_that_has_not_ended_is_found() {
    let old = created(pod("z-old", "web"), 1);
    let new = created(pod("a-new", "web"), 2);
    let ended = with_status(created(pod("m-ended", "web"), 3), phase("Failed"));
    let mut mirror = mirror(&[old.clone(), new.clone(), ended]);
    assert_eq!(uid(mirror.by_name("ns", "web")), Some("a-new"));
    mirror
        .handle_event(&event(EventKind::Deleted, &new))
        .unwrap();
    assert_eq!(uid(mirror.by_name("ns", "web")), Some("z-old"));
    mirror
        .handle_event(&event(EventKind::Deleted, &old))
        .unwrap();
    assert_eq!(uid(mirror.by_name("ns", "web")), Some("m-ended"));
    assert_eq!(uid(mirror.by_name("other", "web")), None);
}

#[test]
fn a_container_is_found_with_and_without_its_runtime() {
    let container = |id: &str| ContainerStatus {
        container_id: Some(id.to_owned()),
        ..ContainerStatus::default()
    };
    let status = PodStatus {
        container_statuses: vec![container("containerd://c1")],
        init_container_statuses: vec![container("cri-o://c2")],
        ephemeral_container_statuses: vec![container("c3"), container("")],
        ..PodStatus::default()
    };
    let mut mirror = mirror(&[with_status(pod("a", "a"), status)]);
    for id in ["c1", "containerd://c1", "c2", "cri-o://c2", "c3"] {
        assert_eq!(uid(mirror.by_container_id(id)), Some("a"), "{id}");
    }
    assert_eq!(
        uid(mirror.by_cgroup_path("/x/cri-containerd-c1.scope")),
        Some("a")
    );
    assert_eq!(uid(mirror.by_container_id("")), None);
    mirror
        .handle_event(&event(EventKind::Modified, &pod("a", "a")))
        .unwrap();
    assert_eq!(uid(mirror.by_container_id("c1")), None);
}

#[test]
fn an_address_is_found_in_both_families_but_not_on_the_host_network() {
    let own = with_status(pod("a", "a"), addresses(&["10.0.0.1", "fd00::1"]));
    let mut hosted = with_status(pod("h", "h"), addresses(&["192.0.2.1"]));
    hosted.spec = Some(PodSpec {
        host_network: Some(true),
        ..PodSpec::default()
    });
    let mut ended = addresses(&["10.0.0.1"]);
    ended.phase = Some("Succeeded".to_owned());
    let ended = created(with_status(pod("e", "e"), ended), 99);
    let mirror = mirror(&[own, hosted, ended]);
    let find = |text: &str| uid(mirror.by_ip(text.parse().unwrap()));
    assert_eq!(find("10.0.0.1"), Some("a"));
    assert_eq!(find("::ffff:10.0.0.1"), Some("a"));
    assert_eq!(find("fd00::1"), Some("a"));
    assert_eq!(find("192.0.2.1"), None);
    assert!(mirror.by_uid("h").unwrap().is_on_host_network());
}

#[test]
fn a_pod_is_as_old_as_its_best_known_beginning() {
    let seen = |pod| annotated(pod, "kubernetes.io/config.seen", "1970-01-01T00:01:00.5Z");
    let started = PodStatus {
        start_time: Some(Time {
            seconds: Some(90),
            ..Time::default()
        }),
        ..PodStatus::default()
    };
    let age = |pod: Pod| MirroredPod::parse(&pod.encode_to_vec()).unwrap().created();
    assert_eq!(age(seen(created(pod("a", "a"), 30))), Some(30));
    assert_eq!(
        age(with_status(seen(pod("a", "a")), started.clone())),
        Some(60)
    );
    assert_eq!(age(with_status(pod("a", "a"), started)), Some(90));
    assert_eq!(age(pod("a", "a")), None);
}

#[test]
fn what_is_read_of_a_pod_is_its_own() {
    let read = |pod: Pod| MirroredPod::parse(&pod.encode_to_vec()).unwrap();
    let ended = |word: &str| read(with_status(pod("a-1", "web"), phase(word))).is_terminal();
    let plain = read(pod("a-1", "web"));
    assert_eq!(
        (plain.uid(), plain.namespace(), plain.name()),
        ("a-1", "ns", "web")
    );
    assert_eq!(
        ["", "Pending", "Running", "Succeeded", "Failed"].map(ended),
        [false, false, false, true, true]
    );
    assert!(!plain.is_on_host_network());
    assert_eq!(plain.decode().unwrap(), pod("a-1", "web"));
    let texts = [
        MirrorError::MissingUid,
        MirroredPod::parse(b"\x0a\xff").unwrap_err(),
    ];
    let [missing, broken] = texts.map(|error| error.to_string());
    assert_eq!(missing, "a pod has no metadata.uid");
    assert!(broken.starts_with("a pod does not decode: "), "{broken}");
}

/// Two pods that share all by which they are found, and a third that shares nothing.
fn alike() -> [Pod; 3] {
    let one = |uid: &str, name: &str, ip: &str, id: &str, hash: &str| {
        let container = ContainerStatus {
            container_id: Some(format!("containerd://{id}")),
            ..ContainerStatus::default()
        };
        let status = PodStatus {
            container_statuses: vec![container],
            ..addresses(&[ip])
        };
        let pod = with_status(pod(uid, name), status);
        annotated(pod, "kubernetes.io/config.hash", hash)
    };
    [
        created(one("a", "web", "10.0.0.1", "c1", "h1"), 1),
        created(one("b", "web", "10.0.0.1", "c1", "h1"), 2),
        one("c", "db", "10.0.0.2", "c2", "h2"),
    ]
}

fn found<'a>(
    mirror: &'a Mirror,
    name: &str,
    ip: &str,
    id: &str,
    hash: &str,
) -> [Option<&'a str>; 4] {
    [
        uid(mirror.by_name("ns", name)),
        uid(mirror.by_ip(ip.parse().unwrap())),
        uid(mirror.by_container_id(id)),
        uid(mirror.by_uid(hash)),
    ]
}

#[test]
fn a_pod_that_goes_takes_no_other_out_of_any_index() {
    let [a, b, c] = alike();
    let mut mirror = mirror(&[a.clone(), b.clone(), c.clone()]);
    assert_eq!(
        found(&mirror, "web", "10.0.0.1", "c1", "h1"),
        [Some("b"); 4]
    );
    mirror.handle_event(&event(EventKind::Deleted, &b)).unwrap();
    assert_eq!(
        found(&mirror, "web", "10.0.0.1", "c1", "h1"),
        [Some("a"); 4]
    );
    assert_eq!(found(&mirror, "db", "10.0.0.2", "c2", "h2"), [Some("c"); 4]);
    assert_eq!(mirror.index.len(), 8);
    mirror.handle_event(&event(EventKind::Deleted, &a)).unwrap();
    assert_eq!(found(&mirror, "web", "10.0.0.1", "c1", "h1"), [None; 4]);
    assert_eq!(found(&mirror, "db", "10.0.0.2", "c2", "h2"), [Some("c"); 4]);
    assert_eq!(mirror.index.len(), 4);
    mirror.handle_event(&event(EventKind::Deleted, &c)).unwrap();
    assert_eq!((mirror.pods().len(), mirror.index.len()), (0, 0));
}

#[test]
fn a_pod_that_changes_leaves_nothing_of_what_it_was() {
    let [a, _, c] = alike();
    let mut mirror = mirror(&[a, c]);
    let mut moved = pod("a", "api");
    moved.metadata.as_mut().unwrap().namespace = Some("other".to_owned());
    mirror
        .handle_event(&event(EventKind::Modified, &moved))
        .unwrap();
    assert_eq!(found(&mirror, "web", "10.0.0.1", "c1", "h1"), [None; 4]);
    assert_eq!(uid(mirror.by_name("other", "api")), Some("a"));
    assert_eq!(found(&mirror, "db", "10.0.0.2", "c2", "h2"), [Some("c"); 4]);
    assert_eq!(mirror.index.len(), 5);
}

#[test]
fn nothing_is_kept_of_a_replay_that_is_over() {
    let mut mirror = mirror(&[pod("a", "a"), pod("b", "b")]);
    let broken = [&pod("c", "c").encode_to_vec()[..], b"\x12\x02\x0a\x7f"].concat();
    for bytes in [broken, b"\x0a\xff".to_vec()] {
        let broken = Event {
            kind: EventKind::Modified,
            pod: bytes.into(),
        };
        mirror.handle_event(&broken).unwrap_err();
    }
    mirror
        .handle_event(&event(EventKind::Added, &pod("d", "d")))
        .unwrap();
    assert!(mirror.replayed.is_empty() && !mirror.told_unknown);
    mirror.handle_disconnect();
    mirror
        .handle_event(&event(EventKind::Added, &pod("a", "a")))
        .unwrap();
    mirror
        .handle_event(&event(EventKind::Added, &pod("d", "d")))
        .unwrap();
    mirror
        .handle_event(&event(EventKind::Deleted, &pod("d", "d")))
        .unwrap();
    assert_eq!(mirror.replayed.len(), 1);
    assert_eq!(told(mirror.handle_event(&marker()).unwrap()), "-b =");
    assert!(mirror.replayed.is_empty());
}

#[test]
fn a_hash_that_is_the_own_uid_or_empty_names_nothing_more() {
    let own = annotated(pod("a", "a"), "kubernetes.io/config.hash", "a");
    let own = annotated(own, "kubernetes.io/config.mirror", "");
    let mirror = mirror(&[own]);
    assert_eq!(uid(mirror.by_uid("a")), Some("a"));
    assert_eq!(uid(mirror.by_uid("")), None);
    assert_eq!(mirror.index.len(), 1);
}
