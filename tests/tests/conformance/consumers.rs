//! What consumers of the API rely on in their own tests.

use std::{num::NonZeroU32, time::Duration};

use podsapi_client::{
    BackoffOptions, Change, ClientOptions, EventKind, Follow, FollowEvent, Mirror,
};
use podsapi_core::{Config, SourceKind};
use podsapi_proto::{
    core_v1::{ContainerStatus, Pod, PodIp, PodStatus},
    v1alpha1::{EventType, WatchPodsEvent, WatchPodsRequest},
};
use podsapi_sources::simulated::{self, Node};
use podsapi_tests::live::{AT, Live, Socket, config, soon};
use prost::Message;
use tonic::transport::Endpoint;

use crate::sample::{decoded, encoded, encoded_status, labelled, pod, serving, status, text, uid};

/// Item 42. The marker alone produces nothing: a consumer of an empty node learns of no pod.
#[tokio::test]
async fn the_marker_of_an_empty_node_produces_no_pod() {
    let socket = Socket::new();
    let (live, feed) = serving(&socket, &[]);
    let mut watch = live.watch().await;
    let marker = watch.next().await;
    assert_eq!(marker.kind, EventKind::InitialSyncComplete);
    let mut mirror = Mirror::new();
    assert_eq!(mirror.handle_event(&marker), Ok(vec![Change::Synced]));
    assert_eq!(mirror.pods().len(), 0);
    feed.put(encoded(&pod("a")));
    let changes = mirror.handle_event(&watch.next().await).unwrap();
    let [Change::Added(added)] = &changes[..] else {
        panic!("{changes:?}");
    };
    assert_eq!(added.uid(), "a");
}

/// Item 43. Every pod of a simulated node is of that node: spec.nodeName is filled.
#[tokio::test]
async fn every_pod_of_a_simulated_node_names_it() {
    let socket = Socket::new();
    let mut live = socket.start(config([("node", SourceKind::Simulated)]));
    let options = simulated::Options {
        pods: 30,
        changes_per_second: 0.0,
        seed: 1,
        node_name: "node-7".to_owned(),
    };
    live.run("node", |sink| simulated::run(options, sink));
    live.ready().await;
    let listed = soon(live.client().await.list()).await.unwrap();
    assert_eq!(listed.len(), 30);
    for pod in listed.iter().map(decoded) {
        assert_eq!(pod.spec.unwrap().node_name(), "node-7");
    }
}

/// Item 44. A broken stream is followed by a full replay.
#[tokio::test]
async fn a_broken_stream_is_followed_by_a_full_replay() {
    let socket = Socket::new();
    let (first, _feed) = serving(&socket, &[pod("a"), pod("b"), pod("c")]);
    let backoff = BackoffOptions {
        initial: Duration::from_millis(5),
        ..BackoffOptions::default()
    };
    let mut follow = Follow::new(socket.path(), ClientOptions::default(), backoff);
    assert_eq!(until_synced(&mut follow).await, "+a +b +c");
    first.kill().await;
    let lost = soon(follow.next()).await;
    assert!(matches!(lost, FollowEvent::Disconnected { .. }), "{lost:?}");
    let changed = labelled("restarted", "yes", pod("c"));
    let (second, _feed) = serving(&socket, &[pod("a"), changed, pod("d")]);
    // The replay is whole, and the mirror makes of it what is new to its reader.
    let mut replay = second.watch().await;
    assert_eq!(replay.first_list().await.len(), 3);
    assert_eq!(until_synced(&mut follow).await, "~c +d -b");
}

/// Item 45. Empty container IDs are legal: they are served as they are, and name no pod.
#[tokio::test]
async fn a_container_without_an_id_is_served_and_found_by_nobody() {
    let socket = Socket::new();
    let mut waiting = pod("a");
    let status = waiting.status.get_or_insert_default();
    status.container_statuses = vec![ContainerStatus {
        name: text("main"),
        container_id: text(""),
        ..ContainerStatus::default()
    }];
    let (live, _feed) = serving(&socket, std::slice::from_ref(&waiting));
    let mut watch = live.watch().await;
    let added = watch.next().await;
    assert_eq!(decoded(&added.pod), waiting);
    let mut mirror = Mirror::new();
    mirror.handle_event(&added).unwrap();
    assert!(mirror.by_container_id("").is_none());
    assert!(mirror.by_uid("a").is_some());
}

/// Item 46. A consumer that skips what it cannot decode and event types that it does not know never
/// sees either from us.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_event_is_of_a_known_type_and_can_be_decoded() {
    const CHANGES: u32 = 300;
    let socket = Socket::new();
    let live = socket.start(Config {
        watch_buffer: NonZeroU32::new(CHANGES + 1).unwrap(),
        ..config([("node", SourceKind::Simulated)])
    });
    let feed = live.feed("node");
    let mut node = Node::new(11, 25, "node-1", AT);
    feed.list(node.pods().map(Result::unwrap));
    let mut events = raw_watch(&live).await;
    let mut markers = 0;
    for number in 0..CHANGES {
        match node.next_change(AT + i64::from(number)).unwrap().unwrap() {
            simulated::Change::Put(pod) => feed.put(pod),
            simulated::Change::Remove(uid) => feed.remove(uid.as_str()),
        }
    }
    feed.put(encoded(&pod("the-last-one")));
    loop {
        let event = soon(events.message()).await.unwrap().unwrap();
        match EventType::try_from(event.r#type).unwrap() {
            EventType::Added | EventType::Modified | EventType::Deleted => {
                let pod = Pod::decode(event.pod).unwrap();
                assert_ne!(uid(&pod), "");
                if uid(&pod) == "the-last-one" {
                    break;
                }
            }
            EventType::InitialSyncComplete => {
                assert!(event.pod.is_empty());
                markers += 1;
            }
            EventType::Unspecified => panic!("an event without a type"),
        }
    }
    assert_eq!(markers, 1);
}

/// Item 47. podIPs are complete, dual-stack in order, whether the owner tells them or the node.
#[tokio::test]
async fn the_addresses_of_a_pod_are_complete_and_in_order() {
    let socket = Socket::new();
    let live = socket.start(config([
        ("cluster", SourceKind::Apiserver),
        ("runtime", SourceKind::Cri),
    ]));
    let mut told = pod("a");
    told.status = Some(addresses(&["10.0.0.9", "fd00::9"]));
    live.feed("cluster")
        .list([encoded(&told), encoded(&pod("b"))]);
    live.feed("runtime").list([]);
    let local = addresses(&["fd00::8", "10.0.0.8"]);
    live.feed("runtime").status("b", encoded_status(&local));
    let client = live.client().await;
    let expected = [
        ("a", ["10.0.0.9", "fd00::9"]),
        ("b", ["fd00::8", "10.0.0.8"]),
    ];
    let watched = live.watch().await.first_list().await;
    let listed = soon(client.list()).await.unwrap();
    for (place, (uid, addresses)) in expected.into_iter().enumerate() {
        let got = soon(client.get(uid)).await.unwrap();
        for pod in [&got, &listed[place], &watched[place]] {
            let status = decoded(pod).status.unwrap();
            let found: Vec<_> = status.pod_i_ps.iter().map(PodIp::ip).collect();
            assert_eq!(found, addresses);
            assert_eq!(status.pod_ip(), addresses[0]);
        }
    }
}

/// Returns what a follower tells up to the next sync.
async fn until_synced(follow: &mut Follow) -> String {
    let mut told = Vec::new();
    loop {
        match soon(follow.next()).await {
            FollowEvent::Change(Change::Added(pod)) => told.push(format!("+{}", pod.uid())),
            FollowEvent::Change(Change::Deleted(pod)) => told.push(format!("-{}", pod.uid())),
            FollowEvent::Change(Change::Modified { new, .. }) => {
                told.push(format!("~{}", new.uid()));
            }
            FollowEvent::Change(Change::Synced) => return told.join(" "),
            FollowEvent::Connected | FollowEvent::Disconnected { .. } => {}
            FollowEvent::Unreadable(error) => panic!("{error}"),
        }
    }
}

/// Watches with a client that does not interpret events.
async fn raw_watch(live: &Live) -> tonic::Streaming<WatchPodsEvent> {
    let target = format!("unix://{}", live.path().display());
    let channel = soon(Endpoint::from_shared(target).unwrap().connect()).await;
    let mut client = tonic::client::Grpc::new(channel.unwrap());
    client.ready().await.unwrap();
    let codec = tonic_prost::ProstCodec::<WatchPodsRequest, WatchPodsEvent>::default();
    let path = "/v1alpha1.Pods/WatchPods".parse().unwrap();
    let request = tonic::Request::new(WatchPodsRequest {});
    let answer = client.server_streaming(request, path, codec);
    soon(answer).await.unwrap().into_inner()
}

fn addresses(addresses: &[&str]) -> PodStatus {
    let address = |address: &&str| PodIp { ip: text(address) };
    PodStatus {
        pod_ip: addresses.first().and_then(|first| text(first)),
        pod_i_ps: addresses.iter().map(address).collect(),
        ..status("Running")
    }
}
