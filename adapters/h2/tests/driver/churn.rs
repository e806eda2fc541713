//! Answers while every pod changes, to clients of every temper: each is of one instant, to the byte.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use http::Request;
use podsapi_core::{Code, Config, EncodedPod, SlowWatch, SourceEvent};
use podsapi_h2::{Limits, Peer};
use podsapi_proto::{core_v1, meta_v1, v1alpha1};
use prost::Message;
use tokio::{net::UnixStream, time::timeout};

use crate::harness::{
    Answer, Client, Events, INITIAL_SYNC_COMPLETE, LIST, Node, WATCH, framed, request, unlimited,
    until,
};

const PODS: usize = 12;

/// The part of a pod that a mask leaves.
#[derive(Clone, Copy, Debug)]
enum Part {
    Whole,
    Metadata,
    Version,
}

impl Part {
    fn request(self, path: &str) -> Request<()> {
        let mut request = request(path);
        let mask = match self {
            Self::Whole => return request,
            Self::Metadata => "metadata",
            Self::Version => "metadata.uid,metadata.resourceVersion",
        };
        let headers = request.headers_mut();
        headers.insert("x-kubernetes-fieldmask", mask.parse().unwrap());
        request
    }
}

/// Returns what there is of one pod in one version; sizes are on both sides of all that matters.
fn pod(number: usize, version: usize, part: Part) -> core_v1::Pod {
    let size = [3, 900, 1_100, 5_000, 17_000, 40_000][(number + version) % 6] + version % 50;
    let mark = char::from(b'a' + u8::try_from((number * 7 + version) % 26).unwrap());
    let filler = |size: usize| Some(String::from(mark).repeat(size));
    let all = meta_v1::ObjectMeta {
        uid: Some(format!("uid-{number:02}")),
        resource_version: Some(version.to_string()),
        ..Default::default()
    };
    let metadata = match part {
        Part::Version => all,
        Part::Whole | Part::Metadata => meta_v1::ObjectMeta {
            name: Some(format!("pod-{number}")),
            generate_name: filler(size),
            ..all
        },
    };
    let status = core_v1::PodStatus {
        message: filler(size / 3),
        phase: Some("Running".into()),
        ..Default::default()
    };
    core_v1::Pod {
        metadata: Some(metadata),
        status: matches!(part, Part::Whole).then_some(status),
        ..Default::default()
    }
}

fn version_of(pod: &[u8]) -> usize {
    let pod = core_v1::Pod::decode(pod).unwrap();
    let version = pod.metadata.unwrap().resource_version.unwrap();
    version.parse().unwrap()
}

fn change_all(node: &Node, version: usize) {
    let events = (0..PODS).map(|number| {
        let bytes = pod(number, version, Part::Whole).encode_to_vec();
        let pod = EncodedPod::parse(bytes.into()).unwrap();
        (node.source, SourceEvent::Put { pod, at: 0 })
    });
    assert!(node.server.handle_sources(events).is_empty());
}

/// Checks that all pods of an answer are of one version, and returns that.
fn check(answer: &Answer, part: Part) -> usize {
    assert_eq!(answer.code(), Code::Ok);
    let [message] = &answer.messages[..] else {
        panic!("{} messages", answer.messages.len())
    };
    let list = v1alpha1::ListPodsResponse::decode(message.as_ref()).unwrap();
    assert_eq!(list.pods.len(), PODS);
    let version = version_of(&list.pods[0]);
    for (number, found) in list.pods.iter().enumerate() {
        let expected = pod(number, version, part).encode_to_vec();
        assert!(
            *found == expected,
            "pod {number} of version {version} through {part:?}: {} bytes, expected {}",
            found.len(),
            expected.len()
        );
    }
    version
}

async fn connect(node: &Node, window: u32, connection_window: u32) -> Client {
    let (ours, theirs) = UnixStream::pair().unwrap();
    let server = tokio::spawn(node.server.serve_connection(theirs, Peer::default()));
    let (requests, connection) = h2::client::Builder::new()
        .initial_window_size(window)
        .initial_connection_window_size(connection_window)
        .handshake(ours)
        .await
        .unwrap();
    let driver = tokio::spawn(async move { drop(connection.await) });
    Client {
        requests,
        driver,
        server,
    }
}

/// Lists until it is over, some at a time, giving up some of them half-way; returns how many.
async fn list_on(client: Client, stop: Arc<AtomicBool>, seed: usize) -> usize {
    let parts = [Part::Whole, Part::Metadata, Part::Version];
    let (mut count, mut newest) = (0, 0);
    while !stop.load(Ordering::SeqCst) {
        let mut responses = Vec::new();
        for number in 0..1 + seed % 5 {
            let part = parts[(count + number + seed) % 3];
            let response = client.start(part.request(LIST), &framed(b"")).await;
            responses.push((part, response));
        }
        let given_up = (count + seed).is_multiple_of(4);
        let reading = responses
            .into_iter()
            .enumerate()
            .map(|(place, (part, response))| {
                // All at one time: they share the window of the connection.
                tokio::spawn(async move {
                    if given_up && place == 0 {
                        drop(response.await.unwrap().into_body().data().await);
                        return 0;
                    }
                    check(&Answer::read(response).await, part)
                })
            });
        let begun = newest;
        for reading in reading.collect::<Vec<_>>() {
            let version = reading.await.unwrap();
            assert!(version == 0 || version >= begun, "{version} after {begun}");
            newest = newest.max(version);
            count += 1;
        }
    }
    count
}

/// Follows all changes, and checks each.
async fn follow(mut events: Events, part: Part, last: Arc<AtomicUsize>) {
    let mut versions = [0; PODS];
    let mut marked = false;
    while versions
        .iter()
        .any(|&version| version != last.load(Ordering::SeqCst))
    {
        let event = events.next().await.unwrap();
        if event.r#type == INITIAL_SYNC_COMPLETE {
            assert!(!std::mem::replace(&mut marked, true));
            continue;
        }
        let version = version_of(&event.pod);
        let found = core_v1::Pod::decode(&event.pod[..]).unwrap();
        let uid = found.metadata.unwrap().uid.unwrap();
        let number: usize = uid["uid-".len()..].parse().unwrap();
        assert!(event.pod == pod(number, version, part).encode_to_vec());
        assert!(version > versions[number] || !marked);
        versions[number] = version;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn every_answer_is_of_one_instant_while_all_pods_change() {
    let config = Config {
        slow_watch: SlowWatch::Coalesce,
        max_projection_bytes: 200_000,
        ..unlimited()
    };
    let node = Arc::new(Node::waiting(Limits::default(), config));
    node.say(SourceEvent::Begin);
    change_all(&node, 1);
    node.say(SourceEvent::Complete { at: 0 });

    let stop = Arc::new(AtomicBool::new(false));
    let last = Arc::new(AtomicUsize::new(usize::MAX));
    let mut listing = Vec::new();
    let mut watching = Vec::new();
    let windows = [
        (65_535, 65_535),
        (1 << 24, 1 << 24),
        (700, 65_535),
        (1 << 20, 70_000),
    ];
    for seed in 0..12 {
        let (window, connection_window) = windows[seed % 4];
        let client = connect(&node, window, connection_window).await;
        listing.push(tokio::spawn(list_on(client, Arc::clone(&stop), seed)));
    }
    let mut watchers = Vec::new();
    for seed in 0..4 {
        let (window, connection_window) = windows[seed % 4];
        let client = connect(&node, window, connection_window).await;
        for part in [Part::Whole, Part::Metadata, Part::Version] {
            let events = client.watch(part.request(WATCH)).await;
            watching.push(tokio::spawn(follow(events, part, Arc::clone(&last))));
        }
        watchers.push(client);
    }
    let writer = {
        let node = Arc::clone(&node);
        let stop = Arc::clone(&stop);
        tokio::spawn(async move {
            let mut version = 1;
            while !stop.load(Ordering::SeqCst) {
                version += 1;
                change_all(&node, version);
                if version % 8 == 0 {
                    tokio::time::sleep(Duration::from_millis(1)).await;
                } else {
                    tokio::task::yield_now().await;
                }
            }
            version
        })
    };
    tokio::time::sleep(Duration::from_secs(1)).await;
    stop.store(true, Ordering::SeqCst);
    let version = timeout(Duration::from_secs(30), writer)
        .await
        .unwrap()
        .unwrap();
    last.store(version + 1, Ordering::SeqCst);
    change_all(&node, version + 1);
    for task in listing {
        let count = timeout(Duration::from_secs(30), task).await;
        assert!(count.expect("every list ends").unwrap() > 0);
    }
    for task in watching {
        let done = timeout(Duration::from_secs(30), task).await;
        done.expect("every watch hears of the last change").unwrap();
    }
    drop(watchers);
    until(|| node.server.metrics_text().contains("podsapi_calls 0\n")).await;
    let metrics = node.server.metrics_text();
    assert!(metrics.contains("podsapi_reply_bytes 0\n"), "{metrics}");
    until(|| node.server.connection_count() == 0).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn connections_lost_in_the_middle_of_answers_leave_nothing_behind() {
    let node = Arc::new(Node::waiting(Limits::default(), unlimited()));
    node.say(SourceEvent::Begin);
    change_all(&node, 1);
    node.say(SourceEvent::Complete { at: 0 });
    let parts = [Part::Whole, Part::Metadata, Part::Version];
    for round in 0..60 {
        change_all(&node, round + 2);
        let client = connect(&node, [65_535, 1 << 24, 100][round % 3], 1 << 24).await;
        let mut responses = Vec::new();
        for number in 0..20 {
            let path = if number % 5 == 0 { WATCH } else { LIST };
            let part = parts[number % 3];
            responses.push(client.start(part.request(path), &framed(b"")).await);
        }
        let mut bodies = Vec::new();
        for response in responses.drain(..round % 20) {
            bodies.push(response.await.unwrap().into_body());
        }
        match round % 4 {
            // The client is gone at once, or reads no more and then is.
            0 => client.driver.abort(),
            1 => {
                client.driver.abort();
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
            // All that is not read is reset first.
            2 => drop((responses, bodies)),
            _ => {}
        }
    }
    until(|| node.server.connection_count() == 0).await;
    let metrics = node.server.metrics_text();
    for gauge in [
        "podsapi_calls",
        "podsapi_reply_bytes",
        "podsapi_request_bytes",
    ] {
        let line = format!("\n{gauge} ");
        let value = metrics
            .split(&line)
            .nth(1)
            .and_then(|rest| rest.lines().next());
        assert_eq!(value, Some("0"), "{gauge}");
    }
    assert_eq!(node.server.with_pods(|pods| pods.watch_count()), 0);
}
