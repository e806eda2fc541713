//! How cost grows: what a pod costs among few and among many, and so for watches and masks.

use std::io;
use std::time::Duration;

use crate::client::Speech;
use crate::clock;
use crate::corpus::CorpusPod;
use crate::figures::Figure;
use crate::peer::Peer;
use crate::server::Server;
use crate::workload::unary::Unary;
use crate::workload::watch::Watches;
use crate::workload::{MASK, list, masked};

/// The most pods that an axis has.
pub const MOST_PODS: usize = 5_000;

/// What there is more and more of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// Pods in a list; the cost is that of one pod.
    Pods,
    /// Watches of one change; the cost is that of one event of one watch.
    Watches,
    /// Masks by which lists of 500 pods are asked for in turn; the cost is that of one pod.
    Masks,
}

impl Axis {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Pods, Self::Watches, Self::Masks];

    /// Returns what a table of it shows.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Masks => "masks; CPU for each pod of a list of 500",
            Self::Pods => "pods in a list; CPU for each",
            Self::Watches => "watches; CPU for each event of one",
        }
    }

    /// Returns how many there are in each line of the table.
    pub const fn counts(self) -> &'static [usize] {
        match self {
            Self::Masks => &[1, 2, 4, 8, 16, 32, 64],
            Self::Pods => &[50, 110, 500, 1_000, MOST_PODS],
            Self::Watches => &[1, 10, 100, 1_000, 10_000],
        }
    }

    /// Returns how many pods the server holds.
    pub const fn pods(self, count: usize) -> usize {
        match self {
            Self::Masks => 500,
            Self::Pods => count,
            Self::Watches => 20,
        }
    }

    /// Tells whether a server can do it.
    pub fn suits(self, peer: Peer) -> bool {
        self != Self::Masks || peer.speech() == Speech::Grpc
    }

    /// Returns the microseconds of CPU that one costs among `count`.
    ///
    /// # Errors
    ///
    /// When an answer is wrong.
    pub fn micros(
        self,
        count: usize,
        server: Server,
        speech: Speech,
        pods: &[CorpusPod],
    ) -> io::Result<f64> {
        let socket = server.socket().to_owned();
        match self {
            Self::Masks => {
                let answer = list(&with_metadata(masked(pods)?));
                let lists: io::Result<Vec<_>> = (0..count)
                    .map(|number| {
                        // No pod has the annotation, so all answers are the same.
                        let mask = format!("{MASK},metadata.annotations.x{number}");
                        Unary::masked_lists(&socket, speech, &mask, &answer)
                    })
                    .collect();
                let mut lists = lists?;
                let cost = rounds(server, |_| {
                    let lists = lists.iter_mut();
                    lists.map(|one| one.run(1)).sum::<io::Result<u64>>()
                })?;
                Ok(cost / float(pods.len()))
            }
            Self::Pods => {
                let mut lists = Unary::lists(&socket, speech, &list(pods), 1)?;
                let cost = rounds(server, |_| lists.run(1))?;
                Ok(cost / float(pods.len()))
            }
            Self::Watches => {
                let each = count.min(100);
                let mut watches = Watches::begin(&socket, speech, pods, count / each, each)?;
                rounds(server, |server| watches.run(server, 1))
            }
        }
    }
}

/// Returns the pods with metadata that is there and empty, before all else.
fn with_metadata(pods: Vec<CorpusPod>) -> Vec<CorpusPod> {
    let pods = pods.into_iter().map(|pod| CorpusPod {
        pod: [&[10, 0], &*pod.pod].concat().into(),
        ..pod
    });
    pods.collect()
}

/// Returns the median of what one operation costs in some rounds; `act` returns how many it did.
fn rounds(
    mut server: Server,
    mut act: impl FnMut(&mut Server) -> io::Result<u64>,
) -> io::Result<f64> {
    let mut costs = Vec::new();
    for round in 0..=ROUNDS {
        let (began, used) = (clock::now(), server.used_micros()?);
        let mut done = 0;
        while began.elapsed() < ROUND {
            done += act(&mut server)?;
        }
        let used = server.used_micros()? - used;
        // The first is for getting warm.
        if round > 0 {
            costs.push(
                float(usize::try_from(used).unwrap_or(0))
                    / float(usize::try_from(done).unwrap_or(1)),
            );
        }
    }
    Ok(Figure::of(costs).median)
}

/// Returns the seconds from the start of a server to its first answer, median of some.
///
/// # Errors
///
/// When it does not start.
pub fn time_to_ready(
    mut start: impl FnMut() -> io::Result<Server>,
    pods: &[CorpusPod],
) -> io::Result<f64> {
    let times: io::Result<Vec<_>> = (0..ROUNDS)
        .map(|_| {
            let began = clock::now();
            let server = start()?;
            Unary::gets(server.socket(), Speech::Grpc, pods, 1)?;
            Ok(began.elapsed().as_secs_f64())
        })
        .collect();
    Ok(Figure::of(times?).median)
}

/// Returns the costs of an axis as columns, each with how many times the least of those above it is: a
/// fall is welcome, and no rise.
pub fn rises(costs: impl Iterator<Item = Option<f64>>) -> Vec<String> {
    let mut least = f64::INFINITY;
    let columns = costs.map(|cost| {
        let Some(cost) = cost else {
            return format!("{:>12} {:>6}", "–", "");
        };
        least = least.min(cost);
        format!("{cost:>12.3} {:>6.2}", cost / least)
    });
    columns.collect()
}

#[expect(clippy::cast_precision_loss, reason = "exact for 2^53")]
fn float(number: usize) -> f64 {
    number as f64
}

const ROUNDS: usize = 7;

const ROUND: Duration = Duration::from_millis(300);
