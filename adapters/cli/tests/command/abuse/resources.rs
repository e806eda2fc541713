//! What a process holds: memory and descriptors.

use std::path::{Path, PathBuf};
use std::time::Duration;

use podsapi_client::{
    Channel, ChannelOptions, Client, ClientOptions, Fields, MessageStream, WatchStream,
};
use tokio::runtime::Runtime;
use tokio::task::JoinSet;

use crate::process::PATIENCE;
use crate::soak::resources;

/// Readings, of which the one in the middle counts.
const READINGS: usize = 9;

/// What a process holds over some moments: of either number the median.
pub(super) struct Resources {
    /// In KiB.
    pub(super) memory: u64,
    descriptors: usize,
}

impl Resources {
    pub(super) fn of(process: u32) -> Self {
        let mut readings: Vec<_> = (0..READINGS)
            .map(|_| {
                std::thread::sleep(Duration::from_millis(2));
                resources(process)
            })
            .collect();
        readings.sort_unstable();
        let memory = readings[READINGS / 2].0;
        readings.sort_unstable_by_key(|(_, descriptors)| *descriptors);
        Self {
            memory,
            descriptors: readings[READINGS / 2].1,
        }
    }

    /// Returns whether this is at most a tenth more.
    pub(super) fn is_near(&self, other: &Self) -> bool {
        self.memory <= other.memory + other.memory / 10
            && self.descriptors <= other.descriptors + other.descriptors / 10
    }
}

impl std::fmt::Display for Resources {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} KiB, {} descriptors", self.memory, self.descriptors)
    }
}

/// Connections at one time that warm the server up, of each of two kinds: in all half of what it
/// allows.
const CLIENTS: usize = 128;

/// Watches on each of them: of pods half of what the server allows, and with those of its health
/// half of the calls.
const WATCHES: usize = 16;

/// Whole lists by each client of pods.
const LISTS: usize = 3;

/// Brings a server to the size that it has after ordinary clients used half of what it allows.
///
/// The allocator of the C library gives back to the machine only what lies at the end of its memory,
/// and a few bytes that a thread keeps at hand hold on to all before them: a process stays about as
/// large as it once was, whatever it frees. One that was never busy would look as if it had grown.
pub(super) fn warm_up(runtime: &Runtime, socket: &Path) {
    runtime.block_on(async {
        let mut pods = JoinSet::new();
        let mut health = JoinSet::new();
        for _ in 0..CLIENTS {
            pods.spawn(watch_pods(socket.to_owned()));
            health.spawn(watch_health(socket.to_owned()));
        }
        let watches = (pods.join_all().await, health.join_all().await);
        drop(watches);
    });
}

async fn watch_pods(socket: PathBuf) -> Vec<WatchStream> {
    let client = Client::connect(socket, ClientOptions::default()).await;
    let client = client.unwrap();
    for _ in 0..LISTS {
        client.list().await.unwrap();
    }
    let client = client.with_fields(Fields::parse("metadata.uid").unwrap());
    let mut watches = Vec::new();
    for _ in 0..WATCHES {
        let mut watch = client.watch().await.unwrap();
        watch.next().await.unwrap().unwrap();
        watches.push(watch);
    }
    watches
}

async fn watch_health(socket: PathBuf) -> Vec<MessageStream> {
    let channel = Channel::connect(socket, CHANNEL).await.unwrap();
    let mut watches = Vec::new();
    for _ in 0..WATCHES {
        let watch = channel.stream("/grpc.health.v1.Health/Watch", &[]);
        let mut watch = watch.await.unwrap();
        watch.next().await.unwrap().unwrap();
        watches.push(watch);
    }
    watches
}

const CHANNEL: ChannelOptions = ChannelOptions {
    connect_timeout: PATIENCE,
    keepalive: None,
    max_message_bytes: 1 << 20,
};
