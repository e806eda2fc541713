//! Following a server through restarts.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use crate::server::{Answer, details, framed, pod, serve, socket, soon};
use bytes::Bytes;
use podsapi_client::{BackoffOptions, Change, ClientOptions, Dialect, Follow, FollowEvent};
use podsapi_proto::{core_v1::Pod, documented, v1alpha1};
use prost::Message;

fn backoff() -> BackoffOptions {
    BackoffOptions {
        initial: Duration::from_millis(5),
        ..BackoffOptions::default()
    }
}

/// Returns a watch that tells these pods, its marker, and then nothing.
fn snapshot(pods: &[Pod]) -> Answer {
    let event = |kind: v1alpha1::EventType, pod: Vec<u8>| {
        framed(&v1alpha1::WatchPodsEvent {
            r#type: kind.into(),
            pod: pod.into(),
        })
    };
    let added = pods
        .iter()
        .map(|pod| event(v1alpha1::EventType::Added, pod.encode_to_vec()));
    let marker = event(v1alpha1::EventType::InitialSyncComplete, Vec::new());
    Answer::Hang(added.chain([marker]).collect())
}

/// Returns what is told up to the next sync, without the attempts between.
async fn until_synced(follow: &mut Follow) -> String {
    let mut told = Vec::new();
    loop {
        match soon(follow.next()).await {
            FollowEvent::Change(Change::Added(pod)) => told.push(format!("+{}", pod.uid())),
            FollowEvent::Change(Change::Deleted(pod)) => told.push(format!("-{}", pod.uid())),
            FollowEvent::Change(Change::Modified { new, .. }) => {
                told.push(format!("~{}", new.uid()))
            }
            FollowEvent::Change(Change::Synced) => return told.join(" "),
            FollowEvent::Connected | FollowEvent::Disconnected { .. } => {}
            FollowEvent::Unreadable(error) => panic!("{error}"),
        }
    }
}

#[tokio::test]
async fn a_restart_of_the_server_shows_as_what_changed_meanwhile() {
    let (_directory, path) = socket();
    let first = serve(&path, |_| {
        snapshot(&[pod("a", "a"), pod("b", "b"), pod("c", "c")])
    });
    let mut follow = Follow::new(&path, ClientOptions::default(), backoff());
    assert_eq!(until_synced(&mut follow).await, "+a +b +c");
    drop(first);
    let lost = soon(follow.next()).await;
    assert!(matches!(lost, FollowEvent::Disconnected { .. }), "{lost:?}");
    assert!(!follow.mirror().is_synced());
    assert_eq!(follow.mirror().pods().len(), 3);
    let _second = serve(&path, |_| {
        snapshot(&[pod("a", "a"), pod("c", "renamed"), pod("d", "d")])
    });
    assert_eq!(until_synced(&mut follow).await, "~c +d -b");
}

#[tokio::test]
async fn a_server_that_asks_for_a_wait_gets_it() {
    let (_directory, path) = socket();
    let _server = serve(&path, |_| {
        let details = details(&[("RetryInfo", b"\x0a\x04\x08\x02\x10\x05")]);
        Answer::Refuse(8, "slowly", Some(details))
    });
    let mut follow = Follow::new(&path, ClientOptions::default(), backoff());
    let FollowEvent::Disconnected { wait, .. } = soon(follow.next()).await else {
        panic!("it refuses");
    };
    assert_eq!(wait, Duration::new(2, 5));
}

#[tokio::test]
async fn a_server_that_refuses_is_asked_again_with_growing_waits() {
    let (_directory, path) = socket();
    let calls = AtomicU32::new(0);
    let _server = serve(&path, move |_| {
        match calls.fetch_add(1, Ordering::Relaxed) {
            0..4 => Answer::Refuse(9, "Kubelet is initializing", None),
            _ => snapshot(&[pod("a", "a")]),
        }
    });
    let options = BackoffOptions {
        jitter: 0.0,
        ..backoff()
    };
    let mut follow = Follow::new(&path, ClientOptions::default(), options);
    let mut waits = Vec::new();
    loop {
        match soon(follow.next()).await {
            FollowEvent::Disconnected { cause, wait } => {
                assert!(!cause.is_final(), "{cause}");
                waits.push(wait);
            }
            FollowEvent::Connected => break,
            other @ (FollowEvent::Change(_) | FollowEvent::Unreadable(_)) => panic!("{other:?}"),
        }
    }
    assert_eq!(waits.len(), 4);
    assert!(waits.windows(2).all(|pair| pair[0] < pair[1]), "{waits:?}");
    assert_eq!(until_synced(&mut follow).await, "+a");
}

#[tokio::test]
async fn a_server_that_knows_no_watch_is_final() {
    let (_directory, path) = socket();
    let _server = serve(&path, |_| Answer::Refuse(12, "unknown service", None));
    let mut follow = Follow::new(&path, ClientOptions::default(), backoff());
    let FollowEvent::Disconnected { cause, .. } = soon(follow.next()).await else {
        panic!("expected a refusal");
    };
    assert!(cause.is_final());
}

#[tokio::test]
async fn a_documented_watch_is_in_sync_once_every_listed_pod_was_told() {
    let (_directory, path) = socket();
    let script = |pods: Vec<Pod>| {
        let pods: Vec<Bytes> = pods.iter().map(|pod| pod.encode_to_vec().into()).collect();
        move |asked: &crate::server::Asked| match asked.uri().path() {
            "/Pods/ListPods" => Answer::Messages(vec![framed(&documented::PodListResponse {
                pods: pods.clone(),
            })]),
            _ => {
                let told = pods
                    .iter()
                    .map(|pod| documented::PodWatchResponse { pod: pod.clone() });
                Answer::Hang(told.map(|event| framed(&event)).collect::<Vec<Bytes>>())
            }
        }
    };
    let first = serve(&path, script(vec![pod("a", "a"), pod("b", "b")]));
    let options = ClientOptions {
        dialect: Dialect::Documented,
        ..ClientOptions::default()
    };
    let mut follow = Follow::new(&path, options, backoff());
    assert_eq!(until_synced(&mut follow).await, "+a +b");
    drop(first);
    let second = serve(&path, script(vec![pod("b", "b")]));
    assert_eq!(until_synced(&mut follow).await, "-a");
    drop(second);
    let _third = serve(&path, script(vec![]));
    assert_eq!(until_synced(&mut follow).await, "-b");
}
