//! The events of a watch: their order, their kinds and what is in them.

use std::num::NonZeroU32;

use podsapi_client::{Code, EventKind};
use podsapi_core::{Config, SourceKind};
use podsapi_tests::live::{Socket, Watching, config, soon};

use crate::sample::{
    decoded, encoded, identity, in_phase, label, labelled, phase, pod, read, serving, uid,
};

/// Item 1. The first update of a pod is ADDED with the status that it came with.
#[tokio::test]
async fn a_new_pod_is_added_with_the_status_that_it_came_with() {
    let socket = Socket::new();
    let (live, feed) = serving(&socket, &[]);
    let mut watch = live.watch().await;
    assert!(watch.first_list().await.is_empty());
    let new = in_phase("Pending", pod("a"));
    feed.put(encoded(&new));
    assert_eq!(read(&watch.next().await), (EventKind::Added, new));
}

/// Item 2. The second update is MODIFIED with the new status.
#[tokio::test]
async fn the_second_update_of_a_pod_is_modified_with_the_new_status() {
    let socket = Socket::new();
    let (live, feed) = serving(&socket, &[]);
    let mut watch = live.watch().await;
    watch.first_list().await;
    feed.put(encoded(&in_phase("Pending", pod("a"))));
    let running = in_phase("Running", pod("a"));
    feed.put(encoded(&running));
    assert_eq!(watch.next().await.kind, EventKind::Added);
    assert_eq!(read(&watch.next().await), (EventKind::Modified, running));
}

/// Item 3. A removal is DELETED with name, namespace, UID and no containers.
#[tokio::test]
async fn a_removed_pod_is_deleted_with_its_identity_and_no_containers() {
    let socket = Socket::new();
    let (live, feed) = serving(&socket, &[]);
    let mut watch = live.watch().await;
    watch.first_list().await;
    feed.put(encoded(&pod("a")));
    feed.remove("a");
    assert_eq!(watch.next().await.kind, EventKind::Added);
    let (kind, deleted) = read(&watch.next().await);
    assert_eq!(kind, EventKind::Deleted);
    let metadata = deleted.metadata.unwrap();
    assert_eq!(metadata.name(), "name-of-a");
    assert_eq!(metadata.namespace(), "default");
    assert_eq!(metadata.uid(), "a");
    assert!(deleted.spec.is_none_or(|spec| spec.containers.is_empty()));
}

/// Item 4. Nothing follows those three: what comes next is of the pod that changes next.
#[tokio::test]
async fn nothing_follows_the_three_events_of_a_pod() {
    let socket = Socket::new();
    let (live, feed) = serving(&socket, &[]);
    let mut watch = live.watch().await;
    watch.first_list().await;
    feed.put(encoded(&in_phase("Pending", pod("a"))));
    feed.put(encoded(&in_phase("Running", pod("a"))));
    feed.put(encoded(&in_phase("Running", pod("a"))));
    feed.remove("a");
    feed.remove("a");
    feed.put(encoded(&pod("b")));
    let mut told = Vec::new();
    for _ in 0..4 {
        let (kind, pod) = read(&watch.next().await);
        told.push((kind, uid(&pod).to_owned()));
    }
    let expected = [
        (EventKind::Added, "a"),
        (EventKind::Modified, "a"),
        (EventKind::Deleted, "a"),
        (EventKind::Added, "b"),
    ];
    assert_eq!(told, expected.map(|(kind, uid)| (kind, uid.to_owned())));
}

/// Item 5. A watch first delivers a pod that exists as ADDED, and it can be decoded.
#[tokio::test]
async fn a_watch_first_delivers_the_pods_that_exist() {
    let socket = Socket::new();
    let (live, _feed) = serving(&socket, &[pod("b"), pod("a")]);
    let mut watch = live.watch().await;
    assert_eq!(read(&watch.next().await), (EventKind::Added, pod("a")));
    assert_eq!(read(&watch.next().await), (EventKind::Added, pod("b")));
}

/// Item 6. `INITIAL_SYNC_COMPLETE` follows, with empty pod bytes.
#[tokio::test]
async fn the_sync_marker_follows_the_first_list_without_a_pod() {
    let socket = Socket::new();
    let (live, _feed) = serving(&socket, &[pod("a")]);
    let mut watch = live.watch().await;
    assert_eq!(watch.next().await.kind, EventKind::Added);
    let marker = watch.next().await;
    assert_eq!(marker.kind, EventKind::InitialSyncComplete);
    assert!(marker.pod.is_empty());
}

/// Item 7. A later update of a pod of the first list is MODIFIED.
#[tokio::test]
async fn a_later_update_of_a_listed_pod_is_modified() {
    let socket = Socket::new();
    let (live, feed) = serving(&socket, &[pod("a")]);
    let mut watch = live.watch().await;
    assert_eq!(watch.first_list().await.len(), 1);
    let updated = in_phase("Succeeded", pod("a"));
    feed.put(encoded(&updated));
    assert_eq!(read(&watch.next().await), (EventKind::Modified, updated));
}

/// Item 8. A later removal is DELETED with exactly the identity.
#[tokio::test]
async fn a_later_removal_of_a_listed_pod_tells_exactly_its_identity() {
    let socket = Socket::new();
    let full = labelled("app", "web", pod("a"));
    let (live, feed) = serving(&socket, std::slice::from_ref(&full));
    let mut watch = live.watch().await;
    assert_eq!(watch.first_list().await.len(), 1);
    feed.remove("a");
    let deleted = read(&watch.next().await);
    assert_eq!(deleted, (EventKind::Deleted, identity(&full)));
}

/// Item 15. One stuck client among four: three get all ten events in order, the stuck one is ended.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_four_watches_only_the_one_that_does_not_read_is_ended() {
    const EVENTS: usize = 10;
    let socket = Socket::new();
    let buffer = NonZeroU32::new(2).unwrap();
    let live = socket.start(Config {
        watch_buffer: buffer,
        ..config([("node", SourceKind::Snapshot)])
    });
    let feed = live.feed("node");
    feed.list([]);
    // Each event is larger than a quarter of what a client takes ahead of being read.
    let large = labelled("weight", "x".repeat(2_000_000), pod("a"));
    let mut readers = Vec::new();
    for _ in 0..3 {
        let mut reader = live.watch().await;
        assert!(reader.first_list().await.is_empty());
        readers.push(reader);
    }
    let client = live.client().await;
    let stuck = soon(client.watch()).await.unwrap();
    for number in 0..EVENTS {
        feed.put(encoded(&labelled("number", number, large.clone())));
        for reader in &mut readers {
            let (kind, pod) = read(&reader.next().await);
            let first = if number == 0 {
                EventKind::Added
            } else {
                EventKind::Modified
            };
            assert_eq!(kind, first);
            assert_eq!(label("number", &pod), number.to_string());
            assert_eq!(phase(&pod), "Running");
        }
    }
    assert_eq!(
        live.metrics()
            .series("kubelet_pod_watch_events_dropped_total"),
        Some(1)
    );
    let (events, end) = Watching::new(stuck).until_the_end().await;
    assert_eq!(end.code(), Code::ResourceExhausted);
    assert!(end.to_string().contains("watch again"), "{end}");
    let received = events.iter().filter(|event| !event.pod.is_empty());
    let numbers = received.map(|event| label("number", &decoded(&event.pod)).to_owned());
    let numbers: Vec<_> = numbers.collect();
    let expected: Vec<_> = (0..numbers.len())
        .map(|number| number.to_string())
        .collect();
    assert_eq!(numbers, expected, "a prefix of the events, in order");
    assert!(numbers.len() < EVENTS);
    assert_eq!(
        live.server().with_pods(|pods| pods.watch_count()),
        readers.len()
    );
}
