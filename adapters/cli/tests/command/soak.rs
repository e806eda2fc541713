//! A node with churn and a hundred watches, slow and stuck ones among them, for as long as is asked.
//!
//! `PODSAPI_SOAK_SECONDS` says how long (4; by hand 1,800).

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use podsapi_client::{Client, ClientOptions, EventKind, WatchStream};
use podsapi_core::{DEFAULT_LOG_BYTES, DEFAULT_LOG_ENTRIES};
use podsapi_tests::raw_client::RawClient;
use podsapi_tests::reply::Reply;
use tokio::sync::watch;

use crate::faults::{async_runtime, number};
use crate::process::{PATIENCE, Server, now, page};

const GOOD: usize = 85;
const SLOW: usize = 10;
const STUCK: usize = 5;

/// What a change takes at most that is remembered: a simulated pod, and a kibibyte for the change itself.
const CHANGE_KIB: u64 = 8;

/// One event in a number that another one hardly has.
type Mark = u64;

async fn connect(socket: &PathBuf) -> Client {
    Client::connect(socket, ClientOptions::default())
        .await
        .unwrap()
}

/// Reads the snapshot.
async fn synced(client: &Client) -> WatchStream {
    let mut watch = client.watch().await.unwrap();
    loop {
        let event = watch.next().await.unwrap().expect("the snapshot is whole");
        if event.kind == EventKind::InitialSyncComplete {
            return watch;
        }
    }
}

/// Reads every event until there were as many as the node has made since there were so many when it
/// began, up to the one that it is told.
async fn good(
    (mut watch, begun): (WatchStream, u64),
    mut due: watch::Receiver<Option<u64>>,
    told: Arc<AtomicUsize>,
) -> Vec<Mark> {
    let mut marks = Vec::new();
    loop {
        if due
            .borrow()
            .is_some_and(|due| begun + marks.len() as u64 >= due)
        {
            return marks;
        }
        let event = tokio::select! {
            event = watch.next() => event,
            told = due.changed() => {
                told.unwrap();
                continue;
            }
        };
        let event = event.unwrap().expect("a watch that reads goes on");
        let mut hasher = DefaultHasher::new();
        (event.kind as u8, &event.pod).hash(&mut hasher);
        marks.push(hasher.finish());
        told.fetch_max(marks.len(), Ordering::Relaxed);
    }
}

/// How many events the node says until a slow client takes the next frame, which is 16 KiB at most:
/// they are more than that.
const SLOW_FRAME: usize = 30;

/// Begins to watch with the windows that HTTP/2 has by itself: the server soon waits for the client.
async fn narrow(socket: &Path) -> RawClient {
    let mut client = RawClient::connect(socket).await;
    client.call(1, "/v1alpha1.Pods/WatchPods", &[]).await;
    client
}

/// Reads slower than the node changes, and watches again whenever it is ended for that.
async fn slow(socket: PathBuf, ended: Arc<AtomicUsize>, told: Arc<AtomicUsize>) {
    loop {
        let mut client = narrow(&socket).await;
        let mut frames = 0;
        loop {
            let is_next = |reply: &Reply| reply.data_frames > frames || reply.is_over();
            let more = |client: &RawClient| client.replies.get(&1).is_some_and(is_next);
            client.until_or_closed("the next frame", more).await;
            match client.replies.get(&1).filter(|reply| is_next(reply)) {
                Some(reply) if reply.is_over() => {
                    ended.fetch_add(1, Ordering::Relaxed);
                    break;
                }
                Some(reply) => frames = reply.data_frames,
                // On a busy machine it may not say in time that it speaks HTTP/2, or that it lives.
                None => break,
            }
            let next = told.load(Ordering::Relaxed) + SLOW_FRAME;
            while told.load(Ordering::Relaxed) < next {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
}

/// How long a watch is stuck until another one is: longer than it takes until the queue is full that
/// the server has for it.
const STUCK_FOR: Duration = Duration::from_secs(15);

/// How many events a watch may leave unread: some seconds of them, so that one that reads goes on when a
/// busy machine lets nobody read for a while.
const UNREAD: &str = "300";

/// Watches and does not read, again and again.
async fn stuck(socket: PathBuf) {
    loop {
        let _client = narrow(&socket).await;
        tokio::time::sleep(STUCK_FOR).await;
    }
}

/// Returns the value of a metric, of all its labels together.
pub(crate) fn metric(page: &str, name: &str) -> u64 {
    let values: Vec<u64> = page
        .lines()
        .filter_map(|line| line.strip_prefix(name)?.rsplit_once(' '))
        .filter(|(labels, _)| labels.is_empty() || labels.starts_with('{'))
        .map(|(_, value)| value.parse().unwrap())
        .collect();
    assert!(!values.is_empty(), "no {name} in {page}");
    values.into_iter().sum()
}

/// Returns the memory that a process has, in KiB, and how many descriptors.
pub(crate) fn resources(process: u32) -> (u64, usize) {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let memory = line
        .unwrap()
        .trim()
        .trim_end_matches(" kB")
        .parse()
        .unwrap();
    let descriptors = std::fs::read_dir(format!("/proc/{process}/fd")).unwrap();
    (memory, descriptors.count())
}

#[test]
fn a_node_in_motion_costs_no_more_later_and_every_event_arrives() {
    let seconds = number("PODSAPI_SOAK_SECONDS", 4);
    let folder = tempfile::tempdir().unwrap();
    let metrics = folder.path().join("metrics.sock");
    let path = metrics.to_str().unwrap();
    let node = ["--simulate", "110:50", "--watch-buffer", UNREAD];
    let server = Server::ready(folder.path(), node.into_iter().chain(["--metrics", path]));
    let changes = || metric(&page(&metrics), "podsapi_pod_changes_total");
    let runtime = async_runtime();
    runtime.block_on(async {
        let (tell, told) = watch::channel(None);
        let before = changes();
        let mut watches = Vec::new();
        let mut clients = Vec::new();
        for place in 0..GOOD {
            if place % 17 == 0 {
                clients.push(connect(&server.socket).await);
            }
            let begun = changes();
            watches.push((synced(&clients[place / 17]).await, begun));
        }
        let begun = changes();
        // The most that any of them was told so far.
        let events = Arc::new(AtomicUsize::new(0));
        let readers: Vec<_> = watches
            .into_iter()
            .map(|watch| tokio::spawn(good(watch, told.clone(), events.clone())))
            .collect();
        let ended = Arc::new(AtomicUsize::new(0));
        let slow: Vec<_> = (0..SLOW)
            .map(|_| tokio::spawn(slow(server.socket.clone(), ended.clone(), events.clone())))
            .collect();
        let stuck: Vec<_> = (0..STUCK)
            .map(|_| tokio::spawn(stuck(server.socket.clone())))
            .collect();
        let mut samples = Vec::new();
        for tenth in 1..=10 {
            tokio::time::sleep(Duration::from_millis(seconds * 100)).await;
            let (memory, descriptors) = resources(server.process.id());
            println!(
                "{:>5} s: RSS {memory} KiB, {descriptors} descriptors",
                seconds * tenth / 10
            );
            samples.push((memory, descriptors, changes() - before));
        }
        // On a busy machine the node says less in that time than a queue has room for.
        let unread = || {
            let discarded = metric(&page(&metrics), "podsapi_watch_events_discarded_total");
            seconds < 30 || ended.load(Ordering::Relaxed) > 0 && discarded > 0
        };
        let waited = now();
        while !unread() {
            assert!(waited.elapsed() < 5 * PATIENCE, "no slow watch was ended");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        let last = changes().max(begun + 1);
        let due = last - begun;
        tell.send(Some(last)).unwrap();
        let mut sequences = Vec::new();
        for reader in readers {
            let all = tokio::time::timeout(PATIENCE, reader).await;
            let all = all.unwrap_or_else(|_| panic!("{due} events for each watch in time"));
            sequences.push(all.unwrap());
        }
        let most = changes() - before;
        for task in slow.into_iter().chain(stuck) {
            assert!(!task.is_finished(), "{:?}", task.await);
            task.abort();
        }

        // The last watch to begin has the shortest past: from its first event on all are the same.
        let first = sequences[GOOD - 1][0];
        let common: Vec<&[Mark]> = sequences
            .iter()
            .map(|marks| {
                let place = marks.iter().position(|mark| *mark == first);
                &marks[place.expect("every watch has the event")..]
            })
            .collect();
        let shortest = common.iter().map(|marks| marks.len()).min().unwrap();
        assert!(
            common
                .iter()
                .all(|marks| marks[..shortest] == common[0][..shortest])
        );
        for marks in &sequences {
            let count = marks.len() as u64;
            assert!(count <= most, "{count} of {due} to {most}");
        }
        let ended = ended.load(Ordering::Relaxed);
        println!(
            "{due} events due for each of {GOOD} watches, {shortest} compared; slow watches were \
             ended {ended} times; {STUCK} stuck"
        );
        assert!(shortest > 0);
        // The first three tenths warm up. Stuck watches have the node remember changes, up to a bound.
        let (early, late) = (samples[3], samples[9]);
        let is_full = early.2 >= u64::from(DEFAULT_LOG_ENTRIES.get());
        let more = (late.2 - early.2) * CHANGE_KIB;
        let more = more.min(u64::from(DEFAULT_LOG_BYTES >> 10)) * u64::from(!is_full);
        assert!(late.0 <= early.0 + early.0 / 10 + more, "{samples:?}");
        // A client that connects anew may have its last connection for a moment.
        assert!(late.1 <= early.1 + SLOW + STUCK, "{samples:?}");
    });
}
