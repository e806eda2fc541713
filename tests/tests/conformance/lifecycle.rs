//! The life of pods as a client of the node sees it.

use std::{
    collections::{BTreeMap, BTreeSet},
    num::NonZeroU32,
};

use podsapi_client::EventKind;
use podsapi_core::{Config, SourceKind};
use podsapi_proto::{core_v1::Pod, meta_v1::Time};
use podsapi_sources::simulated::{self, Change, Node};
use podsapi_tests::live::{AT, Socket, config, soon};

use crate::sample::{
    decoded, encoded, identity, in_phase, label, labelled, phase, pod, read, serving, uid,
};

/// Items 29 and 30. A new pod appears in the list, and is found by its UID.
#[tokio::test]
async fn a_new_pod_appears_in_the_list_and_is_found_by_its_uid() {
    let socket = Socket::new();
    let (live, feed) = serving(&socket, &[pod("a")]);
    let client = live.client().await;
    assert_eq!(soon(client.list()).await.unwrap().len(), 1);
    feed.put(encoded(&pod("b")));
    let listed = soon(client.list()).await.unwrap();
    let listed: Vec<_> = listed.iter().map(decoded).collect();
    assert_eq!(listed, [pod("a"), pod("b")]);
    let got = soon(client.get("b")).await.unwrap();
    assert_eq!(decoded(&got), pod("b"));
}

/// Item 31. A new watch delivers it as ADDED.
#[tokio::test]
async fn a_watch_that_is_opened_later_delivers_a_new_pod_as_added() {
    let socket = Socket::new();
    let (live, feed) = serving(&socket, &[pod("a")]);
    let mut older = live.watch().await;
    older.first_list().await;
    feed.put(encoded(&pod("b")));
    let mut newer = live.watch().await;
    let listed: Vec<_> = newer.first_list().await.iter().map(decoded).collect();
    assert_eq!(listed, [pod("a"), pod("b")]);
}

/// Item 32. Deleting it without grace delivers DELETED with that UID.
#[tokio::test]
async fn a_deletion_without_grace_delivers_deleted_with_that_uid() {
    let socket = Socket::new();
    let (live, feed) = serving(&socket, &[pod("a"), pod("b")]);
    let mut watch = live.watch().await;
    watch.first_list().await;
    feed.remove("b");
    let deleted = read(&watch.next().await);
    assert_eq!(deleted, (EventKind::Deleted, identity(&pod("b"))));
    let left = soon(live.client().await.list()).await.unwrap();
    assert_eq!(left.len(), 1);
}

/// Item 35. The sync marker comes soon after a watch opens, however many pods there are.
#[tokio::test]
async fn the_sync_marker_comes_soon_after_a_watch_opens() {
    let socket = Socket::new();
    let pods: Vec<_> = (0..500)
        .map(|number| pod(&format!("{number:03}")))
        .collect();
    let (live, _feed) = serving(&socket, &pods);
    let mut watch = live.watch().await;
    // Nothing waits for a time; how long it takes is a matter of the machine.
    assert_eq!(soon(watch.first_list()).await.len(), 500);
}

/// Item 36. A pod made after it starts with ADDED, and ADDED never repeats.
#[tokio::test]
async fn a_pod_starts_with_added_which_never_repeats() {
    let socket = Socket::new();
    let (live, feed) = serving(&socket, &[]);
    let mut watch = live.watch().await;
    watch.first_list().await;
    for number in 0..5 {
        feed.put(encoded(&labelled("number", number, pod("a"))));
    }
    // A list that names the pod again is no new pod.
    feed.list([encoded(&labelled("number", 5, pod("a")))]);
    let mut kinds = Vec::new();
    for _ in 0..6 {
        kinds.push(watch.next().await.kind);
    }
    assert_eq!(kinds[0], EventKind::Added);
    assert_eq!(kinds[1..], [EventKind::Modified; 5]);
}

/// Item 37. During a graceful deletion some event has deletionTimestamp and later ones keep it.
#[tokio::test]
async fn a_graceful_deletion_shows_its_timestamp_until_the_end() {
    let socket = Socket::new();
    let (live, feed) = serving(&socket, &[pod("a")]);
    let mut watch = live.watch().await;
    watch.first_list().await;
    let mut ending = pod("a");
    let metadata = ending.metadata.get_or_insert_default();
    metadata.deletion_grace_period_seconds = Some(30);
    metadata.deletion_timestamp = Some(Time {
        seconds: Some(AT + 30),
        nanos: None,
    });
    feed.put(encoded(&ending));
    feed.put(encoded(&in_phase("Succeeded", ending.clone())));
    feed.remove("a");
    for phase in ["Running", "Succeeded"] {
        let told = read(&watch.next().await);
        let expected = in_phase(phase, ending.clone());
        assert_eq!(told, (EventKind::Modified, expected));
    }
    assert_eq!(watch.next().await.kind, EventKind::Deleted);
}

/// Item 38. Nothing follows DELETED for that UID; a pod that takes over its name has another.
#[tokio::test]
async fn a_pod_that_takes_over_a_name_has_events_of_its_own() {
    let socket = Socket::new();
    let (live, feed) = serving(&socket, &[pod("a")]);
    let mut watch = live.watch().await;
    watch.first_list().await;
    let mut successor = pod("a");
    successor.metadata.get_or_insert_default().uid = Some("0-after-a".to_owned());
    // The source tells both with one list, in which the successor comes first.
    feed.list([encoded(&successor)]);
    feed.put(encoded(&labelled("late", "yes", successor.clone())));
    let deleted = read(&watch.next().await);
    assert_eq!(deleted, (EventKind::Deleted, identity(&pod("a"))));
    let added = read(&watch.next().await);
    assert_eq!(added, (EventKind::Added, successor));
    let (kind, later) = read(&watch.next().await);
    assert_eq!((kind, uid(&later)), (EventKind::Modified, "0-after-a"));
}

/// Item 39. Label patches arrive as MODIFIED, never backwards, the last one is seen.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn label_patches_arrive_in_their_order_and_the_last_one_is_seen() {
    const PATCHES: usize = 1_000;
    for slow_watch in [
        podsapi_core::SlowWatch::End,
        podsapi_core::SlowWatch::Coalesce,
    ] {
        let socket = Socket::new();
        let live = socket.start(Config {
            slow_watch,
            watch_buffer: NonZeroU32::new(2 * PATCHES as u32).unwrap(),
            ..config([("node", SourceKind::Snapshot)])
        });
        let feed = live.feed("node");
        feed.list([encoded(&labelled("patch", 0, pod("a")))]);
        let mut watch = live.watch().await;
        watch.first_list().await;
        let patching = tokio::task::spawn_blocking(move || {
            for patch in 1..=PATCHES {
                feed.put(encoded(&labelled("patch", patch, pod("a"))));
            }
        });
        let mut seen = 0;
        while seen < PATCHES {
            let (kind, pod) = read(&watch.next().await);
            assert_eq!(kind, EventKind::Modified);
            let patch = label("patch", &pod).parse().unwrap();
            assert!(patch > seen, "{patch} after {seen}");
            if slow_watch == podsapi_core::SlowWatch::End {
                assert_eq!(patch, seen + 1, "no patch is left out");
            }
            seen = patch;
        }
        patching.await.unwrap();
    }
}

/// Items 36, 37, 38 and 40. Over two thousand changes of a simulated node: ADDED comes first and
/// once, what is being deleted stays so, nothing follows DELETED, the phase is never empty and never
/// goes from Running back to Pending, and at the end the watch has told the node as it is.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_long_history_is_told_without_a_contradiction() {
    const CHANGES: u32 = 2_000;
    let socket = Socket::new();
    let live = socket.start(Config {
        watch_buffer: NonZeroU32::new(CHANGES + 1).unwrap(),
        ..config([("node", SourceKind::Simulated)])
    });
    let feed = live.feed("node");
    let mut node = Node::new(7, 40, "node-1", AT);
    feed.list(node.pods().map(Result::unwrap));
    let mut watch = live.watch().await;
    let mut history = History::default();
    for pod in watch.first_list().await {
        history.take(EventKind::Added, decoded(&pod));
    }
    for number in 0..CHANGES {
        match node.next_change(AT + i64::from(number)).unwrap().unwrap() {
            Change::Put(pod) => feed.put(pod),
            Change::Remove(uid) => feed.remove(uid.as_str()),
        }
    }
    feed.put(encoded(&pod("the-last-one")));
    while !history.living.contains_key("the-last-one") {
        let (kind, pod) = read(&watch.next().await);
        history.take(kind, pod);
    }
    assert!(history.gone.len() > 20, "{}", history.gone.len());
    assert!(history.deletions_announced > 20);
    let listed = soon(live.client().await.list()).await.unwrap();
    let listed: Vec<_> = listed.iter().map(decoded).collect();
    let told: Vec<_> = history.living.into_values().collect();
    assert_eq!(told, listed);
}

/// Items 29, 31 and 35. The simulated source as it runs in a server: the node is listed, and its
/// changes come by themselves.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_running_simulation_is_listed_and_watched() {
    let socket = Socket::new();
    // Whether a busy machine reads in time is not the question here.
    let config = Config {
        watch_buffer: NonZeroU32::new(1 << 20).unwrap(),
        ..config([("node", SourceKind::Simulated)])
    };
    let mut live = socket.start(config);
    let options = simulated::Options {
        pods: 12,
        changes_per_second: 200.0,
        seed: 3,
        node_name: "node-1".to_owned(),
    };
    live.run("node", |sink| simulated::run(options, sink));
    live.ready().await;
    let mut watch = live.watch().await;
    let mut history = History::default();
    for pod in watch.first_list().await {
        history.take(EventKind::Added, decoded(&pod));
    }
    assert!(!history.living.is_empty());
    for _ in 0..200 {
        let (kind, pod) = read(&watch.next().await);
        history.take(kind, pod);
    }
}

/// What a watch has told, checked with every event.
#[derive(Debug, Default)]
struct History {
    living: BTreeMap<String, Pod>,
    gone: BTreeSet<String>,
    deletions_announced: usize,
}

impl History {
    fn take(&mut self, kind: EventKind, pod: Pod) {
        let uid = uid(&pod).to_owned();
        assert!(!self.gone.contains(&uid), "{kind:?} after DELETED: {uid}");
        let before = self.living.remove(&uid);
        match kind {
            EventKind::Added => assert_eq!(before, None, "a pod is added once"),
            EventKind::Modified => self.compare(&before.expect("ADDED comes first"), &pod),
            EventKind::Deleted => {
                let before = before.expect("ADDED comes first");
                assert_eq!(pod, identity(&before));
                self.gone.insert(uid);
                return;
            }
            EventKind::InitialSyncComplete => panic!("the marker comes once"),
        }
        assert_ne!(phase(&pod), "", "{uid}");
        self.living.insert(uid, pod);
    }

    fn compare(&mut self, before: &Pod, after: &Pod) {
        assert_ne!(before, after, "a modification changes something");
        assert_eq!(identity(before), identity(after));
        let phases = (phase(before), phase(after));
        assert_ne!(phases, ("Running", "Pending"));
        let is_ending = |pod: &Pod| pod.metadata.as_ref().unwrap().deletion_timestamp;
        match (is_ending(before), is_ending(after)) {
            (None, Some(_)) => self.deletions_announced += 1,
            (before, after) => assert_eq!(before, after),
        }
    }
}
