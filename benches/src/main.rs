//! `compare`: measures servers beside each other, and prints what a request costs each.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program for a terminal"
)]

use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Duration;

use podsapi_bench::client::Speech;
use podsapi_bench::corpus::{self, CorpusPod};
use podsapi_bench::server::{self, Server};
use podsapi_bench::workload::{Cost, Measured, Workload};

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Peer {
    Podsapi,
    Raw,
}

impl Peer {
    const ALL: [Self; 2] = [Self::Podsapi, Self::Raw];

    fn name(self) -> &'static str {
        match self {
            Self::Podsapi => "podsapi",
            Self::Raw => "raw",
        }
    }

    fn speech(self) -> Speech {
        match self {
            Self::Podsapi => Speech::Grpc,
            Self::Raw => Speech::Bare,
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<_> = std::env::args().skip(1).collect();
    let named = |name: &str| words.iter().any(|word| word == name);
    let quick = named("--quick");
    let (rounds, millis) = if quick { (7, 150) } else { (11, 400) };
    let any_peer = Peer::ALL.iter().any(|peer| named(peer.name()));
    let any_workload = Workload::ALL.iter().any(|one| named(one.name()));
    let peers: Vec<_> = Peer::ALL
        .into_iter()
        .filter(|peer| !any_peer || named(peer.name()))
        .collect();
    let folder = tempfile::tempdir()?;
    let pods = corpus::corpus(500);
    server::keep_to_cores(&[1])?;
    for workload in Workload::ALL {
        if any_workload && !named(workload.name()) {
            continue;
        }
        let peers: Vec<_> = peers
            .iter()
            .copied()
            .filter(|peer| peer.speech() == Speech::Grpc || workload != Workload::List500Masked)
            .collect();
        let pods = pods.get(..workload.pods()).unwrap_or_default();
        let costs = run(
            workload,
            &peers,
            pods,
            folder.path(),
            rounds,
            Duration::from_millis(millis),
        )?;
        for (peer, costs) in peers.iter().zip(costs) {
            let mut cpu: Vec<_> = costs.iter().map(|cost| cost.cpu_micros).collect();
            cpu.sort_by(f64::total_cmp);
            let mut wall: Vec<_> = costs.iter().map(|cost| cost.wall_micros).collect();
            wall.sort_by(f64::total_cmp);
            println!(
                "{:<15} {:<8} cpu {:>9.2} us ({:.2} to {:.2})  wall {:>9.2} us",
                workload.name(),
                peer.name(),
                cpu[cpu.len() / 2],
                cpu[0],
                cpu[cpu.len() - 1],
                wall[wall.len() / 2],
            );
        }
    }
    Ok(())
}

fn run(
    workload: Workload,
    peers: &[Peer],
    pods: &[CorpusPod],
    folder: &Path,
    rounds: usize,
    round: Duration,
) -> Result<Vec<Vec<Cost>>, Box<dyn Error>> {
    let file = folder.join("corpus");
    corpus::write(&file, pods)?;
    let mut measured = Vec::new();
    for peer in peers {
        let program = beside(&format!("serve-{}", peer.name()))?;
        let socket = folder.join(format!("{}-{}.sock", workload.name(), peer.name()));
        let server = Server::start(&program, &socket, &file)?;
        let mut one = Measured::prepare(workload, server, peer.speech(), pods)
            .map_err(|error| format!("{} {}: {error}", workload.name(), peer.name()))?;
        let operations = one.operations_in(round)?;
        measured.push((one, operations, Vec::new()));
    }
    for _ in 0..rounds {
        for (one, operations, costs) in &mut measured {
            costs.push(one.round(*operations)?);
        }
    }
    Ok(measured.into_iter().map(|(_, _, costs)| costs).collect())
}

fn beside(name: &str) -> std::io::Result<PathBuf> {
    Ok(std::env::current_exe()?.with_file_name(name))
}
