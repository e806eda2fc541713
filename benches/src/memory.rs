//! How much memory a server has at most, beside the pods that it serves.

use std::io;
use std::thread;
use std::time::Duration;

use crate::client::{Ask, Connection, Speech};
use crate::corpus::CorpusPod;
use crate::server::Server;
use crate::workload::list;
use crate::workload::unary::Unary;

/// What a server may have beside the bytes of the pods, in MB.
pub const GOAL_MB: f64 = 48.0;

/// What is done to a server's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Burden {
    /// Lists on 4 connections with 16 in flight, read as they come.
    Lists,
    /// The same, beside 4 connections that ask for 16 lists and read nothing.
    StuckLists,
    /// 1,000 watches on 10 connections that read nothing, of pods that change.
    UnreadWatches,
}

impl Burden {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Lists, Self::StuckLists, Self::UnreadWatches];

    /// Returns the name for readers.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Lists => "ListPods of 500, 4 connections with 16 in flight",
            Self::StuckLists => "the same beside 4 connections that read nothing",
            Self::UnreadWatches => "1,000 watches that read nothing",
        }
    }

    /// Burdens a server, and returns the most memory that it had beside the bytes of the pods, in MB.
    ///
    /// # Errors
    ///
    /// When an answer is wrong.
    pub fn peak_mb(self, mut server: Server, pods: &[CorpusPod]) -> io::Result<f64> {
        server.forget_peak()?;
        match self {
            Self::Lists => lists(&server, pods)?,
            Self::StuckLists => {
                let stuck: io::Result<Vec<_>> =
                    (0..4).map(|_| unread(&server, Ask::List, 16)).collect();
                let stuck = stuck?;
                lists(&server, pods)?;
                drop(stuck);
            }
            Self::UnreadWatches => {
                let unread: io::Result<Vec<_>> =
                    (0..10).map(|_| unread(&server, Ask::Watch, 100)).collect();
                let unread = unread?;
                for change in 0..CHANGES {
                    server.change(change % crate::control::CHANGING)?;
                    thread::sleep(BETWEEN);
                }
                drop(unread);
            }
        }
        let (_, peak) = server.memory_kib()?;
        let pods: usize = pods.iter().map(|pod| pod.pod.len()).sum();
        Ok(megabytes(peak * 1_024) - megabytes(u64::try_from(pods).unwrap_or(0)))
    }
}

fn unread(server: &Server, ask: Ask<'_>, calls: usize) -> io::Result<Connection> {
    let mut connection = Connection::open(server.socket(), Speech::Grpc)?;
    for _ in 0..calls {
        connection.call(ask);
    }
    connection.send()?;
    Ok(connection)
}

fn lists(server: &Server, pods: &[CorpusPod]) -> io::Result<()> {
    let answer = list(pods);
    thread::scope(|scope| {
        let readers: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    let mut lists = Unary::lists(server.socket(), Speech::Grpc, &answer, 16)?;
                    lists.run(LISTS)
                })
            })
            .collect();
        readers.into_iter().try_for_each(|reader| {
            let read = reader
                .join()
                .map_err(|_| io::Error::other("a reader failed"))?;
            read.map(|_| ())
        })
    })
}

#[expect(clippy::cast_precision_loss, reason = "exact for 2^53 bytes")]
fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

const LISTS: u64 = 64;

/// Fewer than the events that end a watch that reads nothing.
const CHANGES: usize = 50;

const BETWEEN: Duration = Duration::from_millis(20);
