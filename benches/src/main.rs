//! `compare`: measures servers beside each other, and prints what a request costs each.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program for a terminal"
)]

use std::error::Error;
use std::io;
use std::path::Path;
use std::time::Duration;

use podsapi_bench::corpus::{self, CorpusPod};
use podsapi_bench::growth::{self, Axis};
use podsapi_bench::latency;
use podsapi_bench::memory::{self, Burden};
use podsapi_bench::peer::Peer;
use podsapi_bench::quiet::{Rounds, Warmth};
use podsapi_bench::report::{self, Row};
use podsapi_bench::server::{self, Server};
use podsapi_bench::workload::{Measured, Workload};

const HELP: &str = "\
benches/compare [--quick] [--before COMMIT] [NAME]...

Measures servers beside each other. Without names: everything.
  workloads: get1 get16 list100 list500 list500_masked watch1000
  servers:   podsapi podsapi_before tonic tonic_encoded go raw
             (podsapi_before is that of COMMIT, which is built, too)
  others:    throughput memory latency growth (which only comes when it is named)";

fn main() -> Result<(), Box<dyn Error>> {
    let plan = match Plan::read(std::env::args().skip(1)) {
        Ok(plan) => plan,
        Err(word) => return Err(format!("not known: {word}\n{HELP}").into()),
    };
    let folder = tempfile::tempdir()?;
    let bench = Bench {
        pods: corpus::corpus(500),
        folder: folder.path(),
        plan,
    };
    bench.run()
}

/// What is to be measured.
#[derive(Debug)]
struct Plan {
    quick: bool,
    workloads: Vec<Workload>,
    peers: Vec<Peer>,
    others: Vec<Other>,
}

/// What is measured beside the workloads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Other {
    Growth,
    Latency,
    Memory,
    Throughput,
}

impl Other {
    const ALL: [Self; 4] = [Self::Throughput, Self::Memory, Self::Latency, Self::Growth];

    /// What comes when nothing is named.
    const USUAL: [Self; 3] = [Self::Throughput, Self::Memory, Self::Latency];

    const fn name(self) -> &'static str {
        match self {
            Self::Growth => "growth",
            Self::Latency => "latency",
            Self::Memory => "memory",
            Self::Throughput => "throughput",
        }
    }
}

impl Plan {
    /// Reads arguments, or returns the one that says nothing.
    fn read(words: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut plan = Self {
            quick: false,
            workloads: Vec::new(),
            peers: Vec::new(),
            others: Vec::new(),
        };
        for word in words {
            let workload = Workload::ALL.into_iter().find(|one| one.name() == word);
            let peer = Peer::ALL.into_iter().find(|one| one.name() == word);
            let other = Other::ALL.into_iter().find(|one| one.name() == word);
            plan.workloads.extend(workload);
            plan.peers.extend(peer);
            plan.others.extend(other);
            plan.quick |= word == "--quick";
            if workload.is_none() && peer.is_none() && other.is_none() && word != "--quick" {
                return Err(word);
            }
        }
        if plan.workloads.is_empty() && plan.others.is_empty() {
            plan.workloads = Workload::ALL.to_vec();
            plan.others = Other::USUAL.to_vec();
        }
        if plan.peers.is_empty() {
            plan.peers = Peer::ALL.to_vec();
        }
        Ok(plan)
    }
}

/// The pods, and where servers find them.
#[derive(Debug)]
struct Bench<'a> {
    pods: Vec<CorpusPod>,
    folder: &'a Path,
    plan: Plan,
}

impl Bench<'_> {
    fn run(&self) -> Result<(), Box<dyn Error>> {
        let mut rows = Vec::new();
        if !self.plan.workloads.is_empty() {
            println!("server and client on core {CPU_CORE}; microseconds for each request");
            println!("{}", report::text_head());
        }
        for workload in &self.plan.workloads {
            let row = self.row(*workload, &[CPU_CORE])?;
            print!("{}", row.text());
            rows.push(row);
        }
        for other in &self.plan.others {
            server::keep_to_cores(&BOTH_CORES)?;
            println!();
            match other {
                Other::Growth => self.growth()?,
                Other::Latency => self.latency()?,
                Other::Memory => self.memory()?,
                Other::Throughput => self.throughput()?,
            }
        }
        if !rows.is_empty() {
            let of = |name| std::env::var(name).unwrap_or_else(|_| "unknown".to_owned());
            let (date, machine) = (of("BENCH_DATE"), of("BENCH_MACHINE"));
            println!("\n{}", report::markdown(&rows, &date, &machine));
        }
        for row in &rows {
            println!("{}", row.json());
        }
        if let Some(said) = report::beside_before(&rows) {
            println!("{said}");
        }
        Ok(())
    }

    /// Measures the servers in turn, so that what else the machine does falls on all of them; each is
    /// warmed first, for it waited.
    fn row(&self, workload: Workload, cores: &[usize]) -> Result<Row, Box<dyn Error>> {
        server::keep_to_cores(cores)?;
        let one_core = cores.len() == 1;
        let (rounds, round) = if self.plan.quick {
            (7, Duration::from_millis(120))
        } else {
            (11, Duration::from_millis(500))
        };
        let pods = self.pods(workload.pods());
        let mut measured = Vec::new();
        for peer in &self.plan.peers {
            if !peer.does(workload) {
                continue;
            }
            let Some(server) = self.server(*peer, pods)? else {
                // Which commit it is of only who asks for it can say.
                if *peer != Peer::Before {
                    eprintln!("{} was not built, and is left out", peer.title());
                }
                continue;
            };
            let prepared = Measured::prepare(workload, server, peer.speech(), pods);
            let prepared = prepared.and_then(|mut one| Ok((one.operations_in(round)?, one)));
            let (operations, one) = prepared
                .map_err(|error| format!("{}, {}: {error}", workload.title(), peer.title()))?;
            measured.push((*peer, one, operations, Rounds::of(*peer, one_core)));
        }
        for _ in 0..rounds {
            for (peer, one, operations, costs) in &mut measured {
                one.warm(Warmth::of(*peer), *operations)?;
                costs.add(one.round(*operations)?);
            }
        }
        for (peer, one, operations, costs) in &mut measured {
            costs.settle(|| {
                one.warm(Warmth::of(*peer), *operations)?;
                one.round(*operations)
            })?;
        }
        let costs = measured.into_iter();
        let costs = costs.map(|(peer, _, _, costs)| (peer, costs)).collect();
        Ok(Row { workload, costs })
    }

    fn throughput(&self) -> Result<(), Box<dyn Error>> {
        println!("server and client on both cores: requests a second");
        for workload in [Workload::Get16, Workload::List500] {
            let row = self.row(workload, &BOTH_CORES)?;
            for (peer, rate) in row.rates() {
                println!("{:<24} {:<20} {rate:>10.0}", workload.title(), peer.title());
            }
        }
        Ok(())
    }

    fn memory(&self) -> Result<(), Box<dyn Error>> {
        println!(
            "most memory beside the bytes of the pods, MB (goal {})",
            memory::GOAL_MB
        );
        for burden in Burden::ALL {
            for peer in &self.plan.peers {
                let server = self.server(*peer, &self.pods)?;
                let (Some(server), true) = (server, *peer != Peer::Raw) else {
                    continue;
                };
                let peak = burden.peak_mb(server, &self.pods)?;
                let missed = *peer == Peer::Podsapi && peak > memory::GOAL_MB;
                let mark = if missed { "  MISSED" } else { "" };
                println!(
                    "{:<50} {:<20} {peak:>8.1}{mark}",
                    burden.title(),
                    peer.title()
                );
            }
        }
        Ok(())
    }

    /// Prints what one more pod, watch or mask costs; by the side of each the bare socket, which shows
    /// what the machine's memory makes of it.
    fn growth(&self) -> Result<(), Box<dyn Error>> {
        let pods = corpus::corpus(growth::MOST_PODS);
        let ready =
            growth::time_to_ready(|| self.must_serve(Peer::Podsapi, &self.pods), &self.pods)?;
        println!(
            "start to the first answer with {} pods: {:.1} ms",
            self.pods.len(),
            ready * 1e3
        );
        server::keep_to_cores(&[CPU_CORE])?;
        for axis in Axis::ALL {
            println!(
                "\n{:<40} {:>12} {:>6} {:>12} {:>6}",
                axis.title(),
                "podsapi us",
                "rise",
                "bare us",
                "rise"
            );
            let mut lines = Vec::new();
            for count in axis.counts() {
                let pods = pods.get(..axis.pods(*count)).unwrap_or(&pods);
                let cost = |peer: Peer| {
                    if !axis.suits(peer) {
                        return io::Result::Ok(None);
                    }
                    let server = self.must_serve(peer, pods)?;
                    axis.micros(*count, server, peer.speech(), pods).map(Some)
                };
                lines.push((*count, cost(Peer::Podsapi)?, cost(Peer::Raw)?));
            }
            let ours = growth::rises(lines.iter().map(|(_, ours, _)| *ours));
            let bare = growth::rises(lines.iter().map(|(_, _, bare)| *bare));
            for (((count, ..), ours), bare) in lines.iter().zip(ours).zip(bare) {
                println!("{count:<40} {ours} {bare}");
            }
        }
        Ok(())
    }

    fn latency(&self) -> Result<(), Box<dyn Error>> {
        let pods = self.pods(latency::PODS);
        let time = Duration::from_secs(if self.plan.quick { 5 } else { 20 });
        println!(
            "{} pods, 100 watches, 50 changes a second: how long a call takes, us (goal: 99 % within {})",
            latency::PODS,
            latency::GOAL_MICROS
        );
        for peer in &self.plan.peers {
            let server = self.server(*peer, pods)?;
            let (Some(server), true) = (server, *peer != Peer::Raw) else {
                continue;
            };
            let waits = latency::measure(server, pods, time)?;
            for (name, waits) in ["GetPod", "ListPods"].iter().zip(waits) {
                let missed = *peer == Peer::Podsapi && waits.most_99 > latency::GOAL_MICROS;
                let mark = if missed { "  MISSED" } else { "" };
                println!(
                    "{name:<10} {:<20} median {:>9.1}   99 % within {:>9.1}{mark}",
                    peer.title(),
                    waits.median,
                    waits.most_99
                );
            }
        }
        Ok(())
    }

    fn pods(&self, count: usize) -> &[CorpusPod] {
        self.pods.get(..count).unwrap_or(&self.pods)
    }

    /// Starts a server that is always built.
    fn must_serve(&self, peer: Peer, pods: &[CorpusPod]) -> io::Result<Server> {
        let server = self.server(peer, pods)?;
        server.ok_or_else(|| io::Error::other(format!("{} was not built", peer.title())))
    }

    /// Starts a server, or returns `None` when its program was not built.
    fn server(&self, peer: Peer, pods: &[CorpusPod]) -> io::Result<Option<Server>> {
        let Some(program) = peer.program()? else {
            return Ok(None);
        };
        let corpus = self.folder.join(format!("corpus-{}", pods.len()));
        if !corpus.exists() {
            corpus::write(&corpus, pods)?;
        }
        let folder = tempfile::tempdir_in(self.folder)?;
        let socket = folder.keep().join("pods.sock");
        Server::start(&program, &socket, &corpus).map(Some)
    }
}

/// Away from the first core, which takes most interrupts.
const CPU_CORE: usize = 1;

const BOTH_CORES: [usize; 2] = [0, 1];
