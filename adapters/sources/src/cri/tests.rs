//! The source against a runtime that does what a test says.

use std::sync::{Arc, Mutex};

use podsapi_proto::cri;
use prost::Message;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::task::JoinHandle;

use super::fake::{Answer, Fake, Script, container, container_status, message, sandbox};
use super::*;
use crate::view::ContainerState;

mod hostile;
mod last_words;
mod stress;

const RUNNING: cri::ContainerState = cri::ContainerState::ContainerRunning;
const EXITED: cri::ContainerState = cri::ContainerState::ContainerExited;

/// A fake runtime in a folder of its own.
struct Node {
    directory: tempfile::TempDir,
    script: Arc<Mutex<Script>>,
    deadline: Duration,
}

impl Node {
    /// One that answers, however long a busy machine takes.
    fn new() -> Self {
        Self::with_deadline(Duration::from_secs(60))
    }

    /// One that is to be waited for in vain: longer than an answer takes on a busy machine.
    fn hanging() -> Self {
        Self::with_deadline(Duration::from_secs(2))
    }

    /// One that gives this answer to something.
    fn giving(answer: &Answer) -> Self {
        if matches!(answer, Answer::Never | Answer::Trickle(_)) {
            Self::hanging()
        } else {
            Self::new()
        }
    }

    fn with_deadline(deadline: Duration) -> Self {
        let node = Self {
            directory: tempfile::tempdir().unwrap(),
            script: Arc::default(),
            deadline,
        };
        let version = cri::VersionResponse {
            runtime_name: "fake".to_owned(),
            runtime_version: "1".to_owned(),
            ..cri::VersionResponse::default()
        };
        let mut script = node.script.lock().unwrap();
        script
            .answers
            .insert("Version".to_owned(), message(&version));
        drop(script);
        node
    }

    fn start(&self, with_events: bool) -> Fake {
        Fake::start(&self.socket(), Arc::clone(&self.script), with_events)
    }

    fn socket(&self) -> PathBuf {
        self.directory.path().join("cri.sock")
    }

    fn listen(&self, period: Duration) -> Ear {
        self.listen_with(period, Events::On)
    }

    fn listen_with(&self, period: Duration, events: Events) -> Ear {
        let (tell, words) = unbounded_channel();
        let options = Options {
            period,
            deadline: self.deadline,
            events,
            ..Options::new(self.socket())
        };
        let tell = move |word| tell.send(word).unwrap_or_default();
        let running = tokio::spawn(async move {
            run(options, tell).await;
        });
        Ear { words, running }
    }
}

/// Hears what the source says; the source ends with it.
struct Ear {
    words: UnboundedReceiver<Word>,
    running: JoinHandle<()>,
}

impl Drop for Ear {
    fn drop(&mut self) {
        self.running.abort();
    }
}

impl Ear {
    async fn next(&mut self) -> Word {
        let waiting = tokio::time::timeout(Duration::from_secs(120), self.words.recv());
        waiting
            .await
            .expect("no word in time")
            .expect("the source ended")
    }

    async fn view(&mut self) -> RuntimeView {
        loop {
            if let Word::View(view) = self.next().await {
                return view;
            }
        }
    }

    async fn problem(&mut self) -> Option<String> {
        loop {
            if let Word::Problem(problem) = self.next().await {
                return problem;
            }
        }
    }
}

const OFTEN: Duration = Duration::from_millis(20);
const SELDOM: Duration = Duration::from_secs(3600);

#[tokio::test]
async fn a_view_has_what_only_statuses_tell() {
    let node = Node::new();
    let fake = node.start(false);
    fake.has(&["s"], &[("c", RUNNING)]);
    let mut ear = node.listen(OFTEN);
    let (name, version) = ("fake".to_owned(), "1".to_owned());
    assert_eq!(ear.next().await, Word::Runtime { name, version });
    let view = ear.view().await;
    assert_eq!(view.sandboxes[0].ips, ["10.0.0.1"]);
    assert_eq!(view.sandboxes[0].pod_uid, "uid-s");
    assert_eq!(view.containers[0].sandbox_id, "s");
    assert_eq!(view.containers[0].image_ref, "resolved");
}

#[tokio::test]
async fn unchanged_lists_cost_no_status_and_are_told_as_unchanged() {
    let node = Node::new();
    let fake = node.start(false);
    fake.has(&["s"], &[("c", RUNNING)]);
    let mut ear = node.listen(OFTEN);
    ear.view().await;
    let rounds = fake.count("ListPodSandbox");
    while fake.count("ListPodSandbox") < rounds + 5 {
        tokio::time::sleep(OFTEN).await;
    }
    assert_eq!(ear.next().await, Word::Unchanged);
    assert_eq!(fake.count("ContainerStatus"), 1);
    assert_eq!(fake.count("PodSandboxStatus"), 1);
    assert_eq!(
        fake.count("GetContainerEvents"),
        1,
        "UNIMPLEMENTED is final"
    );
    fake.has(&["s"], &[("c", EXITED)]);
    assert_eq!(ear.view().await.containers[0].state, ContainerState::Exited);
}

#[tokio::test]
async fn an_event_brings_a_round_long_before_the_period_ends() {
    let node = Node::new();
    let fake = node.start(true);
    fake.has(&["s"], &[("c", RUNNING)]);
    let mut ear = node.listen(SELDOM);
    ear.view().await;
    while fake.count("GetContainerEvents") == 0 {
        tokio::time::sleep(OFTEN).await;
    }
    fake.has(&["s"], &[("c", EXITED)]);
    fake.events.as_ref().unwrap().send(vec![0xff; 9]).unwrap();
    assert_eq!(ear.view().await.containers[0].state, ContainerState::Exited);
}

#[tokio::test]
async fn what_is_gone_before_its_status_is_asked_for_is_no_problem() {
    let node = Node::new();
    let fake = node.start(false);
    fake.has(&["s"], &[("c", RUNNING), ("gone", RUNNING)]);
    fake.answer("ContainerStatus gone", Answer::Refuse(5));
    let mut ear = node.listen(OFTEN);
    ear.next().await;
    let Word::View(view) = ear.next().await else {
        panic!("expected a view and no problem");
    };
    assert_eq!(view.containers.len(), 1);
}

#[tokio::test]
async fn one_status_that_fails_or_hangs_is_a_problem_of_that_container_alone() {
    for answer in [
        Answer::Refuse(2),
        Answer::Never,
        Answer::Bytes(vec![0xff; 9]),
        message(&cri::ContainerStatusResponse {
            status: Some(container_status("other", RUNNING)),
        }),
    ] {
        let node = Node::giving(&answer);
        let fake = node.start(false);
        fake.has(&["s"], &[("bad", EXITED), ("c", RUNNING)]);
        fake.answer("ContainerStatus bad", answer);
        let mut ear = node.listen(OFTEN);
        let problem = ear.problem().await.unwrap();
        assert!(problem.starts_with("container bad: "), "{problem}");
        let view = ear.view().await;
        let seen = view
            .containers
            .iter()
            .map(|one| (one.id.as_str(), one.state));
        assert!(seen.eq([("c", ContainerState::Running)]), "{view:?}");
    }
}

#[tokio::test]
async fn a_list_of_garbage_or_none_at_all_is_a_loss_until_the_runtime_recovers() {
    for answer in [
        Answer::Bytes(vec![0xff; 9]),
        Answer::Never,
        Answer::Refuse(14),
    ] {
        let node = Node::giving(&answer);
        let fake = node.start(false);
        fake.has(&["s"], &[("c", RUNNING)]);
        let mut ear = node.listen(OFTEN);
        let view = ear.view().await;
        fake.answer("ListContainers", answer);
        let problem = ear.problem().await.unwrap();
        assert!(problem.contains("ListContainers"), "{problem}");
        assert_eq!(ear.next().await, Word::Lost);
        fake.has(&["s"], &[("c", RUNNING)]);
        assert_eq!(ear.problem().await, None);
        assert_eq!(
            ear.view().await,
            view,
            "told again, so that the loss is over"
        );
    }
}

#[tokio::test]
async fn statuses_that_all_hang_are_a_loss() {
    let node = Node::hanging();
    let fake = node.start(false);
    let ids: Vec<String> = (0..20).map(|k| format!("c{k}")).collect();
    let containers: Vec<_> = ids.iter().map(|id| (id.as_str(), RUNNING)).collect();
    fake.has(&["s"], &containers);
    for id in &ids {
        fake.answer(&format!("ContainerStatus {id}"), Answer::Never);
    }
    let mut ear = node.listen(OFTEN);
    let problem = ear.problem().await.unwrap();
    assert!(problem.contains("answers no status in time"), "{problem}");
    assert_eq!(ear.next().await, Word::Lost);
}

#[tokio::test]
async fn a_runtime_that_goes_and_comes_back_is_followed() {
    let node = Node::new();
    let mut ear = node.listen(OFTEN);
    let problem = ear.problem().await.unwrap();
    assert!(problem.contains("cannot connect to"), "{problem}");
    for (state, expected) in [
        (RUNNING, ContainerState::Running),
        (EXITED, ContainerState::Exited),
    ] {
        let fake = node.start(false);
        fake.has(&["s"], &[("c", state)]);
        assert_eq!(ear.problem().await, None);
        assert_eq!(ear.view().await.containers[0].state, expected);
        drop(fake);
        assert!(ear.problem().await.is_some());
        assert_eq!(ear.next().await, Word::Lost);
    }
}

#[tokio::test]
async fn odd_values_pass_as_the_runtime_said_them() {
    let node = Node::new();
    let fake = node.start(false);
    fake.has(&["s"], &[("c", EXITED)]);
    let odd = cri::ContainerStatus {
        created_at: -6_795_364_578_871_345_152,
        started_at: 20,
        finished_at: 10,
        exit_code: 255,
        reason: "Unknown".to_owned(),
        ..container_status("c", EXITED)
    };
    let status = cri::ContainerStatusResponse { status: Some(odd) };
    fake.answer("ContainerStatus c", message(&status));
    // A state, a field and a repetition that this program does not know.
    let mut list = cri::ListContainersResponse {
        containers: vec![container("c", "s", EXITED), container("c", "s", EXITED)],
    };
    list.containers[0].state = 77;
    let list = [list.encode_to_vec(), b"\xf8\x7f\x01".to_vec()].concat();
    fake.answer("ListContainers", Answer::Bytes(list));
    let items = vec![sandbox("s", true), sandbox("s", true)];
    fake.answer(
        "ListPodSandbox",
        message(&cri::ListPodSandboxResponse { items }),
    );
    let mut ear = node.listen(OFTEN);
    let view = ear.view().await;
    assert_eq!((view.sandboxes.len(), view.containers.len()), (1, 1));
    let found = &view.containers[0];
    assert_eq!(found.created_at, -6_795_364_578_871_345_152);
    assert_eq!((found.started_at, found.finished_at), (20, 10));
    assert_eq!((found.exit_code, found.reason.as_str()), (255, "Unknown"));
}
