//! Which release the UIDs are of: the one that is given, or the one that a runtime or a kubelet shows.

use podsapi_core::EncodedPod;

use super::*;
use crate::manifests::manifest::Manifest;
use crate::manifests::{KubeletRelease, Options};
use crate::recorder::Heard;
use crate::status::CONFIG_SOURCE;
use crate::view::{RuntimeView, Sandbox};

/// A folder with one manifest, as it is on the node `node-a`.
struct Node {
    folder: TempDir,
    options: Options,
}

impl Node {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("web.yaml"), manifest("web", "web:1")).unwrap();
        let options = Options::new(folder.path(), "node-a");
        Self { folder, options }
    }

    fn read(&self, name: &str, release: KubeletRelease) -> Manifest {
        let path = self.folder.path().join(format!("{name}.yaml"));
        Manifest::read(manifest(name, "web:1").as_bytes(), path, "node-a", release).unwrap()
    }

    fn uid(&self, name: &str, release: KubeletRelease) -> String {
        self.read(name, release).uid().to_string()
    }
}

fn sandbox(uid: &str, created_at: i64) -> RuntimeView {
    let sandbox = Sandbox {
        id: "s".to_owned(),
        pod_uid: uid.to_owned(),
        namespace: "default".to_owned(),
        name: "web-node-a".to_owned(),
        ready: true,
        created_at,
        annotations: [(CONFIG_SOURCE.to_owned(), "file".to_owned())].into(),
        ..Sandbox::default()
    };
    RuntimeView {
        sandboxes: vec![sandbox],
        ..RuntimeView::default()
    }
}

async fn heard(options: Options) -> Heard {
    let recorder = Recorder::new();
    let mut watch = Watch::new(options);
    watch.arm_and_read(&recorder.sink, true).await.unwrap();
    recorder.heard()
}

fn uid(heard: &Heard) -> String {
    heard.pods["default/web-node-a"].uid().to_string()
}

const OLDER: KubeletRelease = KubeletRelease::ALL[2];

#[tokio::test]
async fn the_release_is_the_newest_unless_another_is_given() {
    let node = Node::new();
    let found = heard(node.options.clone()).await;
    assert_eq!(uid(&found), node.uid("web", KubeletRelease::NEWEST));
    assert_eq!(found.problems, []);
    for release in KubeletRelease::ALL {
        let mut options = node.options.clone();
        options.release = Some(release);
        let found = heard(options).await;
        assert_eq!(uid(&found), node.uid("web", release));
        assert_eq!(found.problems, []);
    }
}

#[tokio::test]
async fn a_release_that_the_runtime_shows_is_taken_and_told() {
    let node = Node::new();
    let mut running = Running::of(node.folder, node.options);
    running.until_names(&["default/web-node-a"]).await;
    let folder = running.folder.path().to_path_buf();
    let in_older = |name: &str| {
        let path = folder.join(format!("{name}.yaml"));
        let read = Manifest::read(manifest(name, "web:1").as_bytes(), path, "node-a", OLDER);
        read.unwrap().uid()
    };
    running.shown.learn(&sandbox(in_older("web").as_str(), 1));
    let web = in_older("web");
    let found = running
        .recorder
        .until(|heard| {
            let pod = heard.pods.get("default/web-node-a");
            pod.is_some_and(|pod| *pod.uid() == web) && !heard.problems.is_empty()
        })
        .await;
    let told = "those of a kubelet 1.35, and so they are here now: set --kubelet-version 1.35";
    assert!(found.problem().contains(told), "{}", found.problem());

    // It stays so for what comes next, and when the runtime shows nothing any more.
    running.shown.learn(&RuntimeView::default());
    running.write("next.yaml", &manifest("next", "web:1"));
    let names = ["default/next-node-a", "default/web-node-a"];
    let found = running.until_names(&names).await;
    assert_eq!(*found.pods[names[0]].uid(), in_older("next"));
    assert!(found.problem().contains(told), "{}", found.problem());
}

#[tokio::test]
async fn a_release_that_was_given_stays_and_the_other_is_told() {
    let mut node = Node::new();
    node.options.release = Some(KubeletRelease::ALL[3]);
    let older = node.uid("web", OLDER);
    node.options.shown.learn(&sandbox(&older, 1));
    let found = heard(node.options.clone()).await;
    assert_eq!(uid(&found), node.uid("web", KubeletRelease::ALL[3]));
    let told = "those of a kubelet 1.35, not 1.36: set --kubelet-version 1.35";
    assert!(found.problem().contains(told), "{}", found.problem());
}

#[tokio::test]
async fn a_uid_of_no_release_is_told_with_what_it_may_be() {
    let node = Node::new();
    let uid = "0123456789abcdef0123456789abcdef";
    node.options.shown.learn(&sandbox(uid, i64::MAX));
    let found = heard(node.options.clone()).await;
    for part in [
        "default/web-node-a",
        "no kubelet from 1.33 to 1.37",
        "--node-name",
        "--kubelet-manifests-path",
    ] {
        assert!(found.problem().contains(part), "{}", found.problem());
    }
    // Before the manifest had this content, the pod may have had any UID.
    node.options.shown.learn(&sandbox(uid, 1));
    assert_eq!(heard(node.options.clone()).await.problems, []);
}

#[tokio::test]
async fn a_kubelet_shows_its_release_as_well() {
    let node = Node::new();
    let pod: EncodedPod = node.read("web", OLDER).encode(0).unwrap();
    node.options.shown.learn_pod(&pod);
    let found = heard(node.options.clone()).await;
    assert_eq!(uid(&found), node.uid("web", OLDER));
}

#[tokio::test]
async fn the_path_is_the_kubelets_however_it_is_spelled() {
    let mut node = Node::new();
    let expected = {
        let content = manifest("web", "web:1");
        let path = "/etc/kubernetes/manifests/web.yaml";
        let newest = KubeletRelease::NEWEST;
        let read = Manifest::read(content.as_bytes(), path, "node-a", newest);
        read.unwrap().uid().to_string()
    };
    for told in [
        "/etc/kubernetes/manifests",
        "/etc/kubernetes/manifests/",
        "/etc//kubernetes/./x/../manifests",
        "/../etc/kubernetes/manifests",
    ] {
        node.options.kubelet_directory = told.into();
        assert_eq!(uid(&heard(node.options.clone()).await), expected, "{told}");
    }
}

#[tokio::test]
async fn one_file_in_place_of_the_folder_has_the_uid_of_its_own_path_where_the_kubelet_is() {
    let mut node = Node::new();
    let path = "/etc/kubernetes/web.yaml";
    let content = fs::read(node.options.directory.join("web.yaml")).unwrap();
    let read = Manifest::read(&content, path, "node-a", KubeletRelease::NEWEST);
    let expected = read.unwrap().uid().to_string();
    let file = node.options.directory.join("web.yaml");
    node.options.directory = file.clone();
    node.options.kubelet_directory = path.into();
    assert_eq!(uid(&heard(node.options.clone()).await), expected);
    // Another name here changes nothing there.
    let other = file.with_file_name("other");
    fs::rename(&file, &other).unwrap();
    node.options.directory = other;
    assert_eq!(uid(&heard(node.options.clone()).await), expected);
}
