//! Real files under a running source.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::TempDir;
use tokio::task::JoinHandle;

use super::{Options, run};
use crate::recorder::Recorder;

struct Running {
    folder: TempDir,
    recorder: Recorder,
    task: JoinHandle<()>,
}

impl Running {
    fn start(name: &str, text: Option<&str>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(name);
        if let Some(text) = text {
            fs::write(&file, text).unwrap();
        }
        Self::start_on(folder, &file)
    }

    fn start_on(folder: TempDir, file: &Path) -> Self {
        let recorder = Recorder::new();
        let mut options = Options::new(file);
        options.rescan = Duration::from_secs(3600);
        let sink = recorder.sink.clone();
        let task = tokio::spawn(async move {
            let Err(error) = run(options, sink).await;
            panic!("the source ended: {error}");
        });
        Self {
            folder,
            recorder,
            task,
        }
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.folder.path().join(name), text).unwrap();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.task.abort();
    }
}

fn list(names: &[&str]) -> String {
    let items: Vec<String> = names
        .iter()
        .map(|name| {
            format!(r#"{{"metadata":{{"name":"{name}","namespace":"ns","uid":"u-{name}"}}}}"#)
        })
        .collect();
    format!(
        r#"{{"kind":"PodList","apiVersion":"v1","items":[{}]}}"#,
        items.join(",")
    )
}

#[tokio::test]
async fn a_file_is_one_complete_list_and_so_is_each_of_its_versions() {
    let mut running = Running::start("pods.json", Some(&list(&["a", "b"])));
    let heard = running.recorder.until(|heard| heard.lists == 1).await;
    assert_eq!(heard.words, ["begin", "put", "put", "complete"]);
    running.write("pods.json", &list(&["b", "c"]));
    let heard = running.recorder.until(|heard| heard.lists == 2).await;
    assert_eq!(heard.names(), ["ns/b", "ns/c"]);
    running.write("new", &list(&[]));
    let folder = running.folder.path();
    fs::rename(folder.join("new"), folder.join("pods.json")).unwrap();
    let heard = running.recorder.until(|heard| heard.lists == 3).await;
    assert_eq!(heard.names(), Vec::<&str>::new());
    assert_eq!(heard.problem(), "");
}

#[tokio::test]
async fn a_pod_whose_text_is_not_utf8_is_served_and_named_once() {
    let mut text = list(&["a", "b?"]).into_bytes();
    let at = text.iter().position(|byte| *byte == b'?').unwrap();
    text[at] = 0xff;
    let mut running = Running::start("pods.json", None);
    fs::write(running.folder.path().join("pods.json"), text).unwrap();
    let heard = running
        .recorder
        .until(|heard| heard.lists == 1 && heard.problem().contains("U+FFFD"))
        .await;
    assert_eq!(heard.names(), ["ns/a", "ns/b\u{fffd}"]);
    let named = heard
        .problem()
        .matches("not all of its text is UTF-8")
        .count();
    assert_eq!(named, 1, "{}", heard.problem());
    assert!(heard.problem().contains("ns/b"), "{}", heard.problem());
    running.write("pods.json", &list(&["a", "b"]));
    let mended = |heard: &crate::recorder::Heard| heard.lists == 2 && heard.problem().is_empty();
    running.recorder.until(mended).await;
}

#[tokio::test]
async fn a_file_that_is_half_written_or_gone_leaves_the_pods_and_is_reported_until_it_is_whole() {
    let mut running = Running::start("pods.json", Some(&list(&["a"])));
    running.recorder.until(|heard| heard.lists == 1).await;
    let whole = list(&["a", "b"]);
    for broken in [
        &whole[..whole.len() / 2],
        "",
        "kind: [",
        "null",
        "Unauthorized",
        r#"{"kind":"Status","apiVersion":"v1","code":401}"#,
        "apiVersion: v1\nitems:\n- metadata: {name: b, namespace: ns, uid: u}\n",
    ] {
        let before = running.recorder.heard().problem().to_owned();
        running.write("pods.json", broken);
        let heard = running
            .recorder
            .until(|heard| heard.problem() != before)
            .await;
        assert!(
            heard.problem().contains("stay served"),
            "{}",
            heard.problem()
        );
        assert_eq!((heard.names(), heard.lists), (vec!["ns/a"], 1));
    }
    fs::remove_file(running.folder.path().join("pods.json")).unwrap();
    running
        .recorder
        .until(|heard| heard.problem().contains("cannot be read"))
        .await;
    running.write("pods.json", &whole);
    let heard = running
        .recorder
        .until(|heard| heard.problems.last() == Some(&None))
        .await;
    assert_eq!((heard.names(), heard.lists), (vec!["ns/a", "ns/b"], 2));
}

#[tokio::test]
async fn nothing_is_complete_before_there_is_a_file_that_can_be_read() {
    let mut running = Running::start("pods.yaml", None);
    let heard = running
        .recorder
        .until(|heard| !heard.problem().is_empty())
        .await;
    assert_eq!(heard.words, Vec::<&str>::new());
    assert!(heard.problem().contains("pods.yaml"), "{}", heard.problem());
    running.write(
        "pods.yaml",
        "items:\n- metadata: {name: a, namespace: ns, uid: u}\n",
    );
    let heard = running
        .recorder
        .until(|heard| heard.problems.last() == Some(&None))
        .await;
    assert_eq!(heard.names(), ["ns/a"]);
}

#[tokio::test]
async fn the_captured_node_has_all_its_pods_in_both_files() {
    let captured =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/testdata/nodes/v1.31");
    for (name, count, static_uid) in [
        (
            "kubelet-pods.json",
            23,
            Some("e3dfb56be52fd5d4edac79e70e0430f8"),
        ),
        ("pods.yaml", 24, None),
    ] {
        let file = captured.join(name);
        if !file.exists() {
            println!("skipped: there is no {}", file.display());
            continue;
        }
        let mut running = Running::start_on(tempfile::tempdir().unwrap(), &file);
        let heard = running.recorder.until(|heard| heard.lists == 1).await;
        assert_eq!((heard.pods.len(), heard.problem()), (count, ""), "{name}");
        let server = &heard.pods["kube-system/kube-apiserver-datagen-1-31"];
        match static_uid {
            Some(uid) => assert_eq!(server.uid().as_str(), uid),
            None => assert_eq!(server.uid().as_str().len(), 36),
        }
    }
}
