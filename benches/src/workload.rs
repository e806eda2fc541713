//! What is asked of the servers, and what one round of it costs.

pub(crate) mod unary;
pub(crate) mod watch;

use std::io;
use std::time::Duration;

use podsapi_proto::core_v1::{Pod, PodStatus};
use prost::Message;

use crate::client::Speech;
use crate::clock;
use crate::corpus::CorpusPod;
use crate::message;
use crate::quiet::Warmth;
use crate::server::Server;

use unary::Unary;
use watch::Watches;

/// The mask of [`Workload::List500Masked`].
pub const MASK: &str = "status.phase,status.podIPs";

/// One thing that is asked again and again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Workload {
    /// `GetPod`, one after the other.
    Get1,
    /// `GetPod`, 16 at a time on one connection.
    Get16,
    /// `ListPods` of 100 pods.
    List100,
    /// `ListPods` of 500 pods.
    List500,
    /// `ListPods` of 500 pods with the mask [`MASK`].
    List500Masked,
    /// Changes delivered to 1,000 watches on 10 connections; an operation is one event of one watch.
    Watch1000,
}

impl Workload {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Get1,
        Self::Get16,
        Self::List100,
        Self::List500,
        Self::List500Masked,
        Self::Watch1000,
    ];

    /// Returns the name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Get1 => "get1",
            Self::Get16 => "get16",
            Self::List100 => "list100",
            Self::List500 => "list500",
            Self::List500Masked => "list500_masked",
            Self::Watch1000 => "watch1000",
        }
    }

    /// Returns the name for readers.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Get1 => "GetPod, 1 in flight",
            Self::Get16 => "GetPod, 16 in flight",
            Self::List100 => "ListPods of 100",
            Self::List500 => "ListPods of 500",
            Self::List500Masked => "ListPods of 500, `status.phase,status.podIPs`",
            Self::Watch1000 => "an event of one of 1,000 watches",
        }
    }

    /// Returns how many pods the servers hold.
    pub const fn pods(self) -> usize {
        match self {
            Self::Get1 | Self::Get16 | Self::List500 | Self::List500Masked => 500,
            Self::List100 => 100,
            // What a change costs does not depend on the others; what they cost is the first list.
            Self::Watch1000 => 50,
        }
    }
}

/// What one operation cost, in one round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// CPU of the server, in microseconds.
    pub cpu_micros: f64,
    /// Time from the first call to the last answer over the number of operations, in microseconds.
    pub wall_micros: f64,
    /// Time in which neither the server nor this client ran, in microseconds: on one core others had it.
    pub others_micros: f64,
    /// Page faults of the server.
    pub faults: f64,
    /// Times that a thread of the server left its core, by itself or not.
    pub switches: f64,
}

/// A server that is being measured by one workload.
#[derive(Debug)]
pub struct Measured {
    server: Server,
    load: Load,
}

#[derive(Debug)]
enum Load {
    Unary(Unary),
    Watch(Watches),
}

impl Measured {
    /// Connects to a server that serves `pods`, and checks its first answer, every byte of it.
    ///
    /// # Errors
    ///
    /// When it does not serve what it should.
    pub fn prepare(
        workload: Workload,
        server: Server,
        speech: Speech,
        pods: &[CorpusPod],
    ) -> io::Result<Self> {
        let socket = server.socket();
        let load = match workload {
            Workload::Get1 => Load::Unary(Unary::gets(socket, speech, pods, 1)?),
            Workload::Get16 => Load::Unary(Unary::gets(socket, speech, pods, 16)?),
            Workload::List100 | Workload::List500 => {
                Load::Unary(Unary::lists(socket, speech, &list(pods), 1)?)
            }
            Workload::List500Masked => {
                let answer = list(&masked(pods)?);
                Load::Unary(Unary::masked_lists(socket, speech, MASK, &answer)?)
            }
            Workload::Watch1000 => Load::Watch(Watches::begin(socket, speech, pods, 10, 100)?),
        };
        Ok(Self { server, load })
    }

    /// Does so many operations, and returns what one cost.
    ///
    /// # Errors
    ///
    /// When an answer is wrong.
    pub fn round(&mut self, operations: u64) -> io::Result<Cost> {
        let (strain, own) = (self.server.strain()?, clock::used_by_process()?);
        let used = self.server.used_micros()?;
        let began = clock::now();
        let done = match &mut self.load {
            Load::Unary(unary) => unary.run(operations)?,
            Load::Watch(watches) => watches.run(&mut self.server, operations)?,
        };
        let wall = began.elapsed();
        let own = clock::used_by_process()?.saturating_sub(own);
        let used = self.server.used_micros()? - used;
        let others = wall.saturating_sub(own + Duration::from_micros(used));
        let strain = self.server.strain()?.since(strain);
        Ok(Cost {
            cpu_micros: float(used) / float(done),
            wall_micros: wall.as_secs_f64() * 1e6 / float(done),
            others_micros: others.as_secs_f64() * 1e6 / float(done),
            faults: float(strain.faults) / float(done),
            switches: float(strain.switches) / float(done),
        })
    }

    /// Asks until the server has its pages back that it lost while it waited.
    ///
    /// # Errors
    ///
    /// When an answer is wrong.
    pub fn warm(&mut self, mut warmth: Warmth, operations: u64) -> io::Result<()> {
        while !warmth.is_warm_after(&self.round(operations.div_ceil(WARMING))?) {}
        Ok(())
    }

    /// Returns how many operations take about as long as a round is to take.
    ///
    /// # Errors
    ///
    /// When an answer is wrong.
    pub fn operations_in(&mut self, round: Duration) -> io::Result<u64> {
        let mut operations = 1;
        loop {
            let began = clock::now();
            self.round(operations)?;
            let took = began.elapsed();
            if took * 8 > round {
                let more = round.as_nanos() / took.as_nanos().max(1);
                return Ok(operations.saturating_mul(u64::try_from(more.max(1)).unwrap_or(1)));
            }
            operations *= 4;
        }
    }
}

/// A server is asked for this part of a round to see whether it is warm: for long enough that all of
/// its memory is used, and short beside the round.
const WARMING: u64 = 8;

#[expect(clippy::cast_precision_loss, reason = "exact for 2^53")]
fn float(number: u64) -> f64 {
    number as f64
}

/// Returns the whole answer to `ListPods`.
pub fn list(pods: &[CorpusPod]) -> Vec<u8> {
    let mut answer = message::list_head(pods.iter().map(|pod| pod.pod.len()));
    for pod in pods {
        answer.extend(message::list_tag(pod.pod.len()));
        answer.extend_from_slice(&pod.pod);
    }
    answer
}

/// Returns the pods with the fields of [`MASK`] only, selected from what prost decodes.
///
/// # Errors
///
/// When a pod cannot be decoded.
pub fn masked(pods: &[CorpusPod]) -> io::Result<Vec<CorpusPod>> {
    let masked = |pod: &CorpusPod| {
        let whole = Pod::decode(pod.pod.clone()).map_err(io::Error::other)?;
        Ok(CorpusPod {
            pod: select(&whole).encode_to_vec().into(),
            ..pod.clone()
        })
    };
    pods.iter().map(masked).collect()
}

/// Returns a pod with the fields of [`MASK`] only.
pub fn select(pod: &Pod) -> Pod {
    let status = pod.status.as_ref().map(|status| PodStatus {
        phase: status.phase.clone(),
        pod_i_ps: status.pod_i_ps.clone(),
        ..PodStatus::default()
    });
    Pod {
        status,
        ..Pod::default()
    }
}
