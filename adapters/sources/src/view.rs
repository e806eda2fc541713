//! What a container runtime shows of the pods on its node at one moment.
//!
//! Plain data that a client of the runtime fills and the status of pods is computed from. All of it
//! is what the runtime said, in whatever order it said it: nothing is sorted, merged or believed
//! here.

use std::collections::BTreeMap;

/// All sandboxes and containers that a runtime has, of all pods, dead ones too.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuntimeView {
    /// The sandboxes, several of one pod where it was started again.
    pub sandboxes: Vec<Sandbox>,
    /// The containers, several of one name where it was started again.
    pub containers: Vec<Container>,
}

/// What holds the containers of one pod together: its network and its cgroup.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sandbox {
    /// The runtime's own identity of it.
    pub id: String,
    /// The identity of the pod, as the kubelet gave it.
    pub pod_uid: String,
    /// The namespace of the pod.
    pub namespace: String,
    /// The name of the pod.
    pub name: String,
    /// How many sandboxes the pod had before this one.
    pub attempt: u32,
    /// Whether the runtime calls it ready.
    pub ready: bool,
    /// When it was created, in nanoseconds since 1970; zero or less when the runtime does not know.
    pub created_at: i64,
    /// Its addresses, the first one first; none when it uses the node's network or has stopped.
    pub ips: Vec<String>,
    /// Whether it uses the node's network.
    pub host_network: bool,
    /// What the kubelet noted on it, `kubernetes.io/config.source` among it.
    pub annotations: BTreeMap<String, String>,
    /// The labels of the pod and those of the kubelet.
    pub labels: BTreeMap<String, String>,
}

impl Sandbox {
    /// Tells whether its labels name another pod than the runtime does; so it is no pod's.
    pub fn contradicts_itself(&self) -> bool {
        let said = [
            ("io.kubernetes.pod.uid", &self.pod_uid),
            ("io.kubernetes.pod.namespace", &self.namespace),
            ("io.kubernetes.pod.name", &self.name),
        ];
        said.into_iter()
            .any(|(label, said)| self.labels.get(label).is_some_and(|label| label != said))
    }
}

/// One run of one container of a pod.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Container {
    /// The runtime's own identity of it, without `containerd://` or the like.
    pub id: String,
    /// The sandbox that it belongs to.
    pub sandbox_id: String,
    /// The pod that the kubelet's labels name; a container that has none is nobody's.
    pub pod: Labelled,
    /// The name that the pod's spec gives it, from the kubelet's label; one without is nobody's.
    pub name: String,
    /// How many runs the runtime counts before this one.
    pub attempt: u32,
    /// How many runs the kubelet counted before this one
    /// (annotation `io.kubernetes.container.restartCount`).
    pub restart_count: u32,
    /// How far it has come.
    pub state: ContainerState,
    /// When it was created, in nanoseconds since 1970; zero or less when the runtime does not know.
    pub created_at: i64,
    /// When it started, in nanoseconds since 1970; zero or less when it did not.
    pub started_at: i64,
    /// When it ended, in nanoseconds since 1970; zero or less when it did not.
    pub finished_at: i64,
    /// What it ended with; says nothing before that.
    pub exit_code: i32,
    /// Why it is as it is, in one word: `Completed`, `Error`, `OOMKilled`, `Unknown`.
    pub reason: String,
    /// Why it is as it is, for people.
    pub message: String,
    /// The image as the pod's spec or the runtime spells it.
    pub image: String,
    /// The image as the runtime resolved it.
    pub image_ref: String,
    /// What the container wrote as its last words, where that can be read.
    pub termination_message: Option<String>,
    /// What the runtime says that it may use, where it says so.
    pub resources: Option<Resources>,
    /// As whom its first process was started; nothing where the runtime does not say.
    pub user: Option<User>,
}

/// What a container may use; nothing of what the runtime does not tell or limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Resources {
    /// The CPU time that it has for sure, in thousandths of a CPU.
    pub cpu_request: Option<i64>,
    /// The most CPU time, in thousandths of a CPU.
    pub cpu_limit: Option<i64>,
    /// The most memory, in bytes.
    pub memory_limit: Option<i64>,
}

/// As whom a process was started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct User {
    /// The user.
    pub uid: i64,
    /// The group.
    pub gid: i64,
    /// The other groups.
    pub supplemental_groups: Vec<i64>,
}

/// The pod that a kubelet's labels on a container name; empty where they do not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Labelled {
    /// `io.kubernetes.pod.uid`.
    pub uid: String,
    /// `io.kubernetes.pod.namespace`.
    pub namespace: String,
    /// `io.kubernetes.pod.name`.
    pub name: String,
}

/// How far a container has come, as the runtime says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ContainerState {
    /// It was created and has not started.
    Created,
    /// It runs.
    Running,
    /// It has ended.
    Exited,
    /// The runtime has lost track of it.
    #[default]
    Unknown,
}

/// What is true of the node whatever runs on it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeFacts {
    /// The name of the node.
    pub node_name: String,
    /// What the runtime calls itself, `containerd` for example: the scheme of container identities.
    pub runtime_name: String,
    /// The addresses of the node, the first one first.
    pub host_ips: Vec<String>,
}
