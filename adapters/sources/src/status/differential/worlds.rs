//! A pod, its runtime and its owner, that go on by chance: what one seed makes is always the same.

use podsapi_core::{EncodedPod, EncodedStatus};
use podsapi_proto::core_v1::{PodCondition, PodStatus};
use podsapi_proto::cri;
use prost::Message;

use super::case::Case;
use super::{specs, words};
use crate::status::records::Fields;
use crate::status::scenes::pod;

/// One run of a container.
#[derive(Clone)]
struct Run {
    name: &'static str,
    sandbox: String,
    status: cri::ContainerStatus,
}

pub(super) struct World {
    chance: fastrand::Rng,
    metadata: String,
    spec: String,
    names: Vec<(&'static str, bool)>,
    deleted: bool,
    owner: PodStatus,
    last: Option<PodStatus>,
    answers: Vec<PodStatus>,
    sandboxes: Vec<cri::PodSandboxStatus>,
    runs: Vec<Run>,
    clock: i64,
    made: u32,
}

impl World {
    pub(super) fn new(seed: u64) -> Self {
        let mut chance = fastrand::Rng::with_seed(seed);
        let mut names = Vec::new();
        let spec = specs::spec(&mut chance, &mut names);
        let metadata = match chance.u8(0..10) {
            0 => ", annotations: {kubernetes.io/config.source: file}",
            1 | 2 => "",
            _ => ", generation: 3",
        };
        let mut world = Self {
            metadata: metadata.to_owned(),
            spec,
            names,
            deleted: false,
            owner: PodStatus::default(),
            last: None,
            answers: Vec::new(),
            sandboxes: Vec::new(),
            runs: Vec::new(),
            clock: 1_700_000_000,
            made: 0,
            chance,
        };
        if world.chance.u8(0..3) > 0 {
            world.new_sandbox();
        }
        world
    }

    /// Lets some things happen.
    pub(super) fn go_on(&mut self) {
        for _ in 0..self.chance.u8(1..6) {
            self.clock += self.chance.i64(1..20);
            match self.chance.u8(0..20) {
                0 => self.new_sandbox(),
                1 => self.stop_sandbox(),
                2 => self.lose(),
                3 => self.forget(),
                4..8 => self.start(),
                8..14 => self.advance(),
                14 if self.chance.bool() => self.deleted = true,
                _ => self.owner_speaks(),
            }
        }
    }

    pub(super) fn answered(&mut self, status: PodStatus) {
        self.answers.push(status.clone());
        // Now and then the server starts anew.
        self.last = Some(status).filter(|_| self.chance.u8(0..8) > 0);
    }

    pub(super) fn case(&mut self) -> Case {
        let deleted = if self.deleted {
            ", deletionTimestamp: '2026-01-01T00:00:00Z'"
        } else {
            ""
        };
        let (metadata, spec) = (&self.metadata, &self.spec);
        let pod = pod(&format!(
            "metadata: {{name: p, namespace: ns, uid: u{metadata}{deleted}}}\nspec: {{{spec}}}"
        ));
        let mut whole = Fields::keeping(pod.bytes(), &[3]);
        whole.add(3, &self.owner.encode_to_vec());
        let mut sandboxes = self.sandboxes.clone();
        let mut runs = self.runs.clone();
        self.chance.shuffle(&mut sandboxes);
        self.chance.shuffle(&mut runs);
        let last = self.last.as_ref().map(Message::encode_to_vec);
        Case {
            pod: EncodedPod::parse(whole.finish().into()).unwrap(),
            owner: self.owner.clone(),
            last: last.map(|last| EncodedStatus::parse(last.into()).unwrap()),
            now: self.clock,
            deleted: self.deleted,
            sandboxes,
            containers: runs
                .into_iter()
                .map(|run| (run.sandbox, run.status))
                .collect(),
        }
    }

    fn new_sandbox(&mut self) {
        if self.chance.u8(0..4) > 0 {
            self.stop_sandbox();
        }
        self.made += 1;
        let attempt = match self.chance.u8(0..10) {
            0 => self.chance.u32(0..3),
            _ => self.made - 1,
        };
        let address = |last: u32| format!("10.0.0.{last}");
        let ip = match self.chance.u8(0..8) {
            0 => String::new(),
            _ if self.spec.contains("hostNetwork") => String::new(),
            1 => format!("fd00::{}", self.made),
            _ => address(self.made),
        };
        let mut more = Vec::new();
        if !ip.is_empty() && self.chance.bool() {
            for ip in [format!("fd00::a{}", self.made), address(self.made + 100)] {
                more.push(cri::PodIp { ip });
            }
        }
        let on_node = self.spec.contains("hostNetwork") != (self.chance.u8(0..20) == 0);
        self.sandboxes.push(cri::PodSandboxStatus {
            id: format!("s{}", self.made),
            metadata: Some(cri::PodSandboxMetadata {
                name: "p".to_owned(),
                uid: "u".to_owned(),
                namespace: "ns".to_owned(),
                attempt,
            }),
            state: cri::PodSandboxState::SandboxReady.into(),
            created_at: self.clock * 1_000_000_000,
            network: Some(cri::PodSandboxNetworkStatus {
                ip,
                additional_ips: more,
            }),
            linux: Some(cri::LinuxPodSandboxStatus {
                namespaces: Some(cri::Namespace {
                    options: Some(cri::NamespaceOption {
                        network: if on_node { 2 } else { 0 },
                        ..cri::NamespaceOption::default()
                    }),
                }),
            }),
            ..cri::PodSandboxStatus::default()
        });
    }

    fn stop_sandbox(&mut self) {
        if self.sandboxes.is_empty() {
            return;
        }
        let which = self.chance.usize(0..self.sandboxes.len());
        self.sandboxes[which].state = cri::PodSandboxState::SandboxNotready.into();
        let id = self.sandboxes[which].id.clone();
        let clock = self.clock;
        for run in self.runs.iter_mut().filter(|run| run.sandbox == id) {
            if run.status.state == i32::from(cri::ContainerState::ContainerRunning) {
                end(run, 137, clock);
            }
        }
    }

    /// The runtime has nothing of the pod any more.
    fn lose(&mut self) {
        self.runs.clear();
        if self.chance.bool() {
            self.sandboxes.clear();
        }
    }

    /// The runtime has one run less.
    fn forget(&mut self) {
        if !self.runs.is_empty() {
            let which = self.chance.usize(0..self.runs.len());
            self.runs.remove(which);
        }
    }

    fn start(&mut self) {
        let Some(sandbox) = self.sandboxes.last().map(|sandbox| sandbox.id.clone()) else {
            return self.new_sandbox();
        };
        let (name, _) = self.names[self.chance.usize(0..self.names.len())];
        let runs = self.runs.iter().filter(|run| run.name == name);
        let count = runs.count();
        let alive = self.runs.iter().any(|run| {
            run.name == name && run.status.state != i32::from(cri::ContainerState::ContainerExited)
        });
        if alive && self.chance.u8(0..10) > 0 {
            return;
        }
        self.made += 1;
        let labels = [
            ("io.kubernetes.container.name", name),
            ("io.kubernetes.pod.uid", "u"),
            ("io.kubernetes.pod.name", "p"),
            ("io.kubernetes.pod.namespace", "ns"),
        ];
        let text = |(key, value): (&str, &str)| (key.to_owned(), value.to_owned());
        let restarts = (
            "io.kubernetes.container.restartCount".to_owned(),
            count.to_string(),
        );
        let (resources, told) = (self.resources(), self.chance.bool());
        self.runs.push(Run {
            name,
            sandbox,
            status: cri::ContainerStatus {
                id: format!("{name}-{}", self.made),
                metadata: Some(cri::ContainerMetadata {
                    name: name.to_owned(),
                    attempt: u32::try_from(count).unwrap(),
                }),
                state: cri::ContainerState::ContainerCreated.into(),
                created_at: self.clock * 1_000_000_000,
                image: Some(cri::ImageSpec {
                    image: "image:1".to_owned(),
                    ..cri::ImageSpec::default()
                }),
                image_ref: format!("sha256:{name}"),
                labels: labels.map(text).into(),
                annotations: [restarts].into(),
                resources,
                user: told.then(|| cri::ContainerUser {
                    linux: Some(cri::LinuxContainerUser {
                        uid: 1_000,
                        gid: 7,
                        supplemental_groups: vec![7, 8],
                    }),
                }),
                ..cri::ContainerStatus::default()
            },
        });
        if self.chance.u8(0..4) > 0 {
            let last = self.runs.len() - 1;
            self.push(last);
        }
    }

    /// What the runtime says that a container may use, where it says so.
    fn resources(&mut self) -> Option<cri::ContainerResources> {
        let chance = &mut self.chance;
        chance.bool().then(|| cri::ContainerResources {
            linux: Some(cri::LinuxContainerResources {
                cpu_period: [0, 100_000][chance.usize(0..2)],
                cpu_quota: [-1, 0, 500, 150_000][chance.usize(0..4)],
                cpu_shares: [0, 1, 2, 103, 1_024][chance.usize(0..5)],
                memory_limit_in_bytes: [0, 33_554_432, 1_500][chance.usize(0..3)],
            }),
        })
    }

    fn advance(&mut self) {
        if !self.runs.is_empty() {
            let which = self.chance.usize(0..self.runs.len());
            self.push(which);
        }
    }

    fn push(&mut self, which: usize) {
        let clock = self.clock;
        let code = [0, 0, 1, 3, 42][self.chance.usize(0..5)];
        let lost = self.chance.u8(0..12) == 0;
        let Some(run) = self.runs.get_mut(which) else {
            return;
        };
        let status = &mut run.status;
        match cri::ContainerState::try_from(status.state) {
            Ok(cri::ContainerState::ContainerCreated) => {
                status.state = cri::ContainerState::ContainerRunning.into();
                status.started_at = clock * 1_000_000_000 + 500;
            }
            Ok(cri::ContainerState::ContainerRunning) if lost => {
                status.state = cri::ContainerState::ContainerUnknown.into();
            }
            Ok(cri::ContainerState::ContainerRunning) => end(run, code, clock),
            _ => {}
        }
    }

    /// The owner's word is what a kubelet said some time ago, and knows of probes and start
    /// failures; or it has seen an end that is not seen here yet.
    fn owner_speaks(&mut self) {
        if self.answers.is_empty() {
            return;
        }
        let back = self.chance.usize(0..2).min(self.answers.len() - 1);
        let mut said = self.answers[self.answers.len() - 1 - back].clone();
        let lists = [
            &mut said.container_statuses,
            &mut said.init_container_statuses,
        ];
        for status in lists.into_iter().flatten() {
            words::word(&mut self.chance, &self.spec, status, self.clock);
        }
        if self.chance.u8(0..25) == 0 {
            let phase = if self.chance.bool() {
                "Failed"
            } else {
                "Succeeded"
            };
            said.phase = Some(phase.to_owned());
            said.reason = Some("Evicted".to_owned());
        }
        if self.chance.u8(0..4) == 0 {
            said.conditions.push(PodCondition {
                r#type: Some("example.com/gate".to_owned()),
                status: Some(["True", "False"][self.chance.usize(0..2)].to_owned()),
                ..PodCondition::default()
            });
        }
        self.owner = said;
    }
}

fn end(run: &mut Run, code: i32, clock: i64) {
    let status = &mut run.status;
    status.state = cri::ContainerState::ContainerExited.into();
    status.exit_code = code;
    status.reason = if code == 0 { "Completed" } else { "Error" }.to_owned();
    status.finished_at = clock * 1_000_000_000 + 900;
    if code == 3 {
        status.message = "x".repeat(5_000);
    }
}
