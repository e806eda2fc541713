//! A containerd with a source that looks at it.

use std::time::Duration;

use podsapi_proto::cri;
use podsapi_sources::cri::{Options, Word, run};
use podsapi_sources::view::{
    Container, ContainerState, Labelled, Resources, RuntimeView, Sandbox, User,
};
use podsapi_tests::containerd::{Containerd, Runtime, Version};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// What the source said last of each thing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Said {
    pub(crate) view: Option<RuntimeView>,
    pub(crate) lost: bool,
    pub(crate) problem: Option<String>,
}

pub(crate) struct Node {
    pub(crate) runtime: Runtime,
    pub(crate) containerd: Containerd,
    said: watch::Receiver<Said>,
    running: JoinHandle<()>,
}

impl Drop for Node {
    fn drop(&mut self) {
        self.running.abort();
    }
}

impl Node {
    /// Starts a containerd and a source; prints why where that cannot be done.
    pub(crate) async fn start(version: Version) -> Option<Self> {
        let containerd = match Containerd::start(version) {
            Ok(containerd) => containerd,
            Err(reason) => {
                println!("skipped with {version:?}: {reason}");
                return None;
            }
        };
        let (said, heard) = watch::channel(Said::default());
        let options = Options::new(containerd.socket());
        let running = tokio::spawn(async move {
            run(options, move |word| {
                said.send_modify(|said| hear(said, word))
            })
            .await;
        });
        let runtime = containerd.connect().await;
        let found = runtime.version().await.unwrap();
        println!("{} {}", found.runtime_name, found.runtime_version);
        Some(Self {
            runtime,
            containerd,
            said: heard,
            running,
        })
    }

    /// Waits until the source has said what is wanted.
    pub(crate) async fn until(&mut self, what: &str, wanted: impl Fn(&Said) -> bool) -> Said {
        let waiting = tokio::time::timeout(PATIENCE, self.said.wait_for(wanted));
        let heard = waiting.await.map(|said| said.unwrap().clone());
        heard.unwrap_or_else(|_| panic!("{what}: {:#?}", self.said.borrow()))
    }

    /// Waits until the source has seen that something came to pass, and agrees with CRI.
    pub(crate) async fn settles(
        &mut self,
        what: &str,
        wanted: impl Fn(&RuntimeView) -> bool,
    ) -> RuntimeView {
        let seen = |said: &Said| said.view.as_ref().is_some_and(&wanted);
        self.until(what, seen).await;
        self.agrees().await
    }

    /// Waits until the source's view is what CRI itself answers; returns it.
    pub(crate) async fn agrees(&mut self) -> RuntimeView {
        let started = tokio::time::Instant::now();
        loop {
            let own = own_answer(&self.runtime).await;
            let said = self.said.borrow_and_update().clone();
            if let (Some(view), Ok(own)) = (said.view, &own)
                && view == *own
            {
                assert_eq!((said.lost, said.problem), (false, None));
                return view;
            }
            if started.elapsed() > PATIENCE {
                let view = self.said.borrow().view.clone();
                panic!("the source says {view:#?}, the runtime {own:#?}");
            }
            // The next view, or time for the runtime to come to rest.
            let _either = tokio::time::timeout(PAUSE, self.said.changed()).await;
        }
    }
}

const PATIENCE: Duration = Duration::from_secs(30);

const PAUSE: Duration = Duration::from_millis(100);

fn hear(said: &mut Said, word: Word) {
    match word {
        Word::Lost => said.lost = true,
        Word::Problem(problem) => said.problem = problem,
        Word::Runtime { name, .. } => assert_eq!(name, "containerd"),
        Word::Unchanged | Word::Untold(_) => {}
        Word::View(view) => {
            said.view = Some(view);
            said.lost = false;
        }
    }
}

/// What there is, asked for one by one and read once more by hand.
async fn own_answer(runtime: &Runtime) -> Result<RuntimeView, podsapi_client::ClientError> {
    let mut view = RuntimeView::default();
    for (_, status) in runtime.sandboxes().await? {
        view.sandboxes.push(sandbox(status));
    }
    for (listed, status) in runtime.containers().await? {
        view.containers
            .push(container(listed.pod_sandbox_id, status));
    }
    view.sandboxes.sort_by(|a, b| a.id.cmp(&b.id));
    view.containers.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(view)
}

fn sandbox(status: cri::PodSandboxStatus) -> Sandbox {
    let metadata = status.metadata.unwrap();
    let network = status.network.unwrap_or_default();
    let mut ips = vec![network.ip];
    ips.extend(network.additional_ips.into_iter().map(|ip| ip.ip));
    ips.retain(|ip| !ip.is_empty());
    let options = status.linux.unwrap().namespaces.unwrap().options.unwrap();
    Sandbox {
        id: status.id,
        pod_uid: metadata.uid,
        namespace: metadata.namespace,
        name: metadata.name,
        attempt: metadata.attempt,
        ready: status.state == 0,
        created_at: status.created_at,
        ips,
        host_network: options.network == 2,
        annotations: status.annotations,
        labels: status.labels,
    }
}

fn container(sandbox_id: String, status: cri::ContainerStatus) -> Container {
    let metadata = status.metadata.unwrap();
    let restarts = &status.annotations["io.kubernetes.container.restartCount"];
    let states = [
        ContainerState::Created,
        ContainerState::Running,
        ContainerState::Exited,
        ContainerState::Unknown,
    ];
    let file = status.mounts.iter();
    let file = file.filter(|mount| mount.container_path == "/dev/termination-log");
    let mut words = file.map(|mount| std::fs::read_to_string(&mount.host_path).unwrap());
    let exited = status.state == 2;
    let mut words = words.next().filter(|words| exited && !words.is_empty());
    let policy = &status.annotations["io.kubernetes.container.terminationMessagePolicy"];
    if words.is_none() && policy == "FallbackToLogsOnError" && status.exit_code != 0 && exited {
        let log = std::fs::read_to_string(&status.log_path).unwrap();
        let texts = log.lines().map(|line| {
            let words: Vec<&str> = line.splitn(4, ' ').collect();
            let end = if words[2] == "P" { "" } else { "\n" };
            [words[3], end].concat()
        });
        words = Some(texts.collect());
    }
    Container {
        id: status.id,
        sandbox_id,
        pod: Labelled {
            uid: status.labels["io.kubernetes.pod.uid"].clone(),
            namespace: status.labels["io.kubernetes.pod.namespace"].clone(),
            name: status.labels["io.kubernetes.pod.name"].clone(),
        },
        name: metadata.name,
        attempt: metadata.attempt,
        restart_count: restarts.parse().unwrap(),
        state: states[usize::try_from(status.state).unwrap()],
        created_at: status.created_at,
        started_at: status.started_at,
        finished_at: status.finished_at,
        exit_code: status.exit_code,
        reason: status.reason,
        message: status.message,
        image: status.image.unwrap().image,
        image_ref: status.image_ref,
        termination_message: words,
        resources: status.resources.and_then(|all| all.linux).map(|linux| {
            let (shares, quota) = (linux.cpu_shares, linux.cpu_quota);
            Resources {
                cpu_request: (shares >= 2).then_some((shares * 1_000 + 1_023) / 1_024),
                cpu_limit: (linux.cpu_period > 0 && quota > 0)
                    .then(|| quota * 1_000 / linux.cpu_period),
                memory_limit: Some(linux.memory_limit_in_bytes).filter(|bytes| *bytes > 0),
            }
        }),
        user: status.user.and_then(|user| user.linux).map(|user| User {
            uid: user.uid,
            gid: user.gid,
            supplemental_groups: user.supplemental_groups,
        }),
    }
}
