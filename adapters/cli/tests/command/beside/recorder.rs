//! Watches and lists of every server, written down as they come.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use podsapi_client::{Client, ClientOptions};
use tokio::task::JoinHandle;

use super::pod::Pod;
use super::record::{Record, What};
use crate::process::now;

/// How often each server is asked for its list.
const PERIOD: Duration = Duration::from_millis(500);

/// How soon a watch is tried again.
const AGAIN: Duration = Duration::from_millis(50);

/// What is seen of all servers; the watches end with the value.
pub(super) struct Recorder {
    record: Arc<Kept>,
    tasks: Vec<JoinHandle<()>>,
}

struct Kept {
    began: Instant,
    lines: Mutex<Vec<Record>>,
}

impl Kept {
    fn push(&self, what: What) {
        let mut lines = self.lines.lock().unwrap();
        // Taken under the lock, so that the record is in the order of time.
        let at = self.began.elapsed();
        lines.push(Record { at, what });
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        for task in &self.tasks {
            task.abort();
        }
    }
}

impl Recorder {
    pub(super) fn new() -> Self {
        let record = Arc::new(Kept {
            began: now(),
            lines: Mutex::default(),
        });
        Self {
            record,
            tasks: Vec::new(),
        }
    }

    /// Returns when the recorder began, from which its times count.
    pub(super) fn clock(&self) -> Instant {
        self.record.began
    }

    /// Writes down what the harness does.
    pub(super) fn note(&self, what: What) {
        self.record.push(what);
    }

    /// Writes down what a server tells from now on, whenever it is there.
    pub(super) fn follow(&mut self, server: &'static str, socket: &Path) {
        let (record, path) = (Arc::clone(&self.record), socket.to_owned());
        self.tasks.push(tokio::spawn(watch(record, server, path)));
        let (record, path) = (Arc::clone(&self.record), socket.to_owned());
        self.tasks.push(tokio::spawn(ask(record, server, path)));
    }

    /// Returns all that was seen until now.
    pub(super) fn records(&self) -> Vec<Record> {
        self.record.lines.lock().unwrap().clone()
    }

    /// Writes the record into a file.
    pub(super) fn save(&self, path: &Path) {
        let mut file = std::io::BufWriter::new(std::fs::File::create(path).unwrap());
        for record in self.records() {
            writeln!(file, "{}", record.line()).unwrap();
        }
        file.flush().unwrap();
    }
}

async fn watch(record: Arc<Kept>, server: &'static str, socket: PathBuf) {
    loop {
        if let Ok(client) = Client::connect(&socket, ClientOptions::default()).await
            && let Ok(mut events) = client.watch().await
        {
            record.push(What::Opened(server));
            let why = loop {
                match events.next().await {
                    Ok(Some(event)) => {
                        let pod = (!event.pod.is_empty()).then(|| Pod::decode(&event.pod));
                        record.push(What::Told(server, event.kind, pod.map(Arc::new)));
                    }
                    Ok(None) => break "OK".to_owned(),
                    Err(error) => break error.to_string(),
                }
            };
            record.push(What::Lost(server, why));
        }
        tokio::time::sleep(AGAIN).await;
    }
}

async fn ask(record: Arc<Kept>, server: &'static str, socket: PathBuf) {
    loop {
        if let Ok(client) = Client::connect(&socket, ClientOptions::default()).await {
            while let Ok(pods) = client.list().await {
                let pods = pods.iter().map(|pod| Arc::new(Pod::decode(pod)));
                record.push(What::Listed(server, pods.collect()));
                tokio::time::sleep(PERIOD).await;
            }
        }
        tokio::time::sleep(PERIOD).await;
    }
}
