//! What containers leave behind, by file and by log.

use std::path::Path;

use super::*;

const PATH: &str = "/dev/termination-log";

/// A container that has ended, told by a fake runtime.
struct Ended {
    node: Node,
    status: cri::ContainerStatus,
}

impl Ended {
    fn new(exit_code: i32) -> Self {
        let mut status = container_status("c", EXITED);
        status.exit_code = exit_code;
        let annotation = "io.kubernetes.container.terminationMessagePath".to_owned();
        status.annotations.insert(annotation, PATH.to_owned());
        let node = Node::new();
        Self { node, status }
    }

    fn folder(&self) -> &Path {
        self.node.directory.path()
    }

    /// Writes its termination message file.
    fn leaves(self, words: &str) -> Self {
        let file = self.folder().join("words");
        std::fs::write(&file, words).unwrap();
        self.mounts(&file)
    }

    fn mounts(mut self, file: &Path) -> Self {
        self.status.mounts.push(cri::Mount {
            container_path: PATH.to_owned(),
            host_path: file.display().to_string(),
            readonly: false,
        });
        self
    }

    /// Writes its log, of one line, and sets its policy.
    fn logs(mut self, text: &str, policy: &str) -> Self {
        let file = self.folder().join("0.log");
        std::fs::write(&file, format!("2026-01-02T03:04:05Z stderr F {text}\n")).unwrap();
        self.status.log_path = file.display().to_string();
        let annotation = "io.kubernetes.container.terminationMessagePolicy".to_owned();
        self.status
            .annotations
            .insert(annotation, policy.to_owned());
        self
    }

    async fn last_words(self) -> Option<String> {
        let fake = self.node.start(false);
        fake.has(&["s"], &[("c", EXITED)]);
        let status = Some(self.status);
        let status = cri::ContainerStatusResponse { status };
        fake.answer("ContainerStatus c", message(&status));
        let mut ear = self.node.listen(OFTEN);
        ear.view().await.containers[0].termination_message.clone()
    }
}

const FALLBACK: &str = "FallbackToLogsOnError";

#[tokio::test]
async fn the_last_words_of_a_container_are_read_from_the_file_mounted_for_them() {
    let words = ["x".repeat(5000), "the end".to_owned()].concat();
    let words = Ended::new(0).leaves(&words).last_words().await.unwrap();
    assert_eq!(words.len(), 4096);
    assert!(words.ends_with("xthe end"));
}

#[tokio::test]
async fn links_are_followed_above_the_pods_of_a_kubelet_and_not_below() {
    for (linked, file, expected) in [
        (
            "kubelet",
            "kubelet/pods/uid/containers/c/words",
            Some("words"),
        ),
        ("kubelet", "kubelet/other/uid/containers/c/words", None),
        (
            "kubelet/pods/uid",
            "kubelet/pods/uid/containers/c/words",
            None,
        ),
        (
            "kubelet/pods/uid/containers",
            "kubelet/pods/uid/containers/c/words",
            None,
        ),
        (
            "kubelet/pods/uid/containers/c",
            "kubelet/pods/uid/containers/c/words",
            None,
        ),
        (
            "kubelet/pods/uid/containers/c/words",
            "kubelet/pods/uid/containers/c/words",
            None,
        ),
    ] {
        let ended = Ended::new(0);
        let (linked, file) = (ended.folder().join(linked), ended.folder().join(file));
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, "words").unwrap();
        let moved = ended.folder().join("elsewhere");
        std::fs::rename(&linked, &moved).unwrap();
        std::os::unix::fs::symlink(&moved, &linked).unwrap();
        let words = ended.mounts(&file).last_words().await;
        assert_eq!(words.as_deref(), expected, "{}", linked.display());
    }
}

#[tokio::test]
async fn a_container_that_failed_without_words_has_the_end_of_its_log_where_it_asks_for_that() {
    let ended = Ended::new(1).leaves("").logs("oh no", FALLBACK);
    assert_eq!(ended.last_words().await.as_deref(), Some("oh no\n"));
    // Without a mount, and with one whose file is gone.
    let ended = Ended::new(1).logs("oh no", FALLBACK);
    assert_eq!(ended.last_words().await.as_deref(), Some("oh no\n"));
    let ended = Ended::new(1).logs("oh no", FALLBACK);
    let gone = ended.folder().join("gone");
    let ended = ended.mounts(&gone);
    assert_eq!(ended.last_words().await.as_deref(), Some("oh no\n"));
}

#[tokio::test]
async fn a_log_is_no_message_of_who_ended_well_or_said_something_or_did_not_ask() {
    let well = Ended::new(0).logs("all is well", FALLBACK);
    assert_eq!(well.last_words().await, None);
    let said = Ended::new(1).leaves("words").logs("log", FALLBACK);
    assert_eq!(said.last_words().await.as_deref(), Some("words"));
    let other = Ended::new(1).leaves("").logs("log", "File");
    assert_eq!(other.last_words().await, None);
}

#[tokio::test]
async fn a_file_that_cannot_be_read_is_not_replaced_by_a_log() {
    let ended = Ended::new(1).logs("log", FALLBACK);
    let folder = ended.folder().to_owned();
    let ended = ended.mounts(&folder);
    assert_eq!(ended.last_words().await, None);
}

#[tokio::test]
async fn a_log_path_that_is_empty_or_not_absolute_is_no_file() {
    for path in ["", "0.log", "../0.log"] {
        let mut ended = Ended::new(1).logs("log", FALLBACK);
        ended.status.log_path = path.to_owned();
        assert_eq!(ended.last_words().await, None);
    }
}

#[test]
fn a_file_that_does_not_come_holds_nothing_up() {
    let ended = Ended::new(1).leaves("words");
    let runtime = tokio::runtime::Builder::new_current_thread()
        .max_blocking_threads(1)
        .enable_time()
        .build()
        .unwrap();
    // The one thread that could read waits for something else, as for a disk that is gone.
    let (release, waits) = std::sync::mpsc::channel::<()>();
    let busy = runtime.spawn_blocking(move || waits.recv());
    let words = runtime.block_on(async {
        let words = termination::last_words(&ended.status);
        tokio::time::timeout(Duration::from_secs(60), words).await
    });
    assert_eq!(words, Ok(None));
    drop(release);
    assert!(runtime.block_on(busy).unwrap().is_err());
}
