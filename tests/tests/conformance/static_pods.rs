//! Static pods from a real folder of manifests.

use std::path::Path;

use podsapi_client::EventKind;
use podsapi_core::SourceKind;
use podsapi_sources::manifests;
use podsapi_tests::live::{Live, Socket, Watching, config, soon};
use tempfile::TempDir;

use crate::sample::{decoded, identity, read, uid};

/// Item 12. A static pod is found by its UID and keeps `kubernetes.io/config.source: file`.
#[tokio::test]
async fn a_static_pod_is_found_by_its_uid_and_says_where_it_comes_from() {
    let (socket, directory) = (Socket::new(), TempDir::new().unwrap());
    write(&directory, "web.yaml", &manifest("web", ""));
    let (live, mut watch) = serving(&socket, directory.path()).await;
    let listed = watch.first_list().await;
    let listed = decoded(&listed[0]);
    let got = soon(live.client().await.get(uid(&listed))).await.unwrap();
    let got = decoded(&got);
    assert_eq!(got, listed);
    let annotations = got.metadata.unwrap().annotations;
    assert_eq!(annotations["kubernetes.io/config.source"], "file");
}

/// Item 33. A static manifest that is written gives ADDED named `<name>-<node>` in its namespace.
#[tokio::test]
async fn a_manifest_that_is_written_adds_a_pod_named_after_the_node() {
    let (socket, directory) = (Socket::new(), TempDir::new().unwrap());
    let (_live, mut watch) = serving(&socket, directory.path()).await;
    assert!(watch.first_list().await.is_empty());
    write(
        &directory,
        "web.yaml",
        &manifest("web", "  namespace: kube-system\n"),
    );
    let (kind, pod) = read(&watch.next().await);
    assert_eq!(kind, EventKind::Added);
    let metadata = pod.metadata.unwrap();
    assert_eq!(metadata.name(), "web-node-1");
    assert_eq!(metadata.namespace(), "kube-system");
}

/// Item 34. The file that is removed gives DELETED with the same name and namespace.
#[tokio::test]
async fn a_manifest_that_is_removed_deletes_its_pod() {
    let (socket, directory) = (Socket::new(), TempDir::new().unwrap());
    let (_live, mut watch) = serving(&socket, directory.path()).await;
    assert!(watch.first_list().await.is_empty());
    write(
        &directory,
        "web.yaml",
        &manifest("web", "  namespace: kube-system\n"),
    );
    let (_, added) = read(&watch.next().await);
    std::fs::remove_file(directory.path().join("web.yaml")).unwrap();
    let deleted = read(&watch.next().await);
    assert_eq!(deleted, (EventKind::Deleted, identity(&added)));
}

/// Item 43. Pods of another node are not delivered; spec.nodeName is filled.
#[tokio::test]
async fn a_static_pod_is_of_this_node_whatever_its_manifest_says() {
    let (socket, directory) = (Socket::new(), TempDir::new().unwrap());
    let elsewhere = manifest("web", "").replace("spec:\n", "spec:\n  nodeName: elsewhere\n");
    write(&directory, "elsewhere.yaml", &elsewhere);
    write(&directory, "nowhere.yaml", &manifest("db", ""));
    let (_live, mut watch) = serving(&socket, directory.path()).await;
    let listed = watch.first_list().await;
    assert_eq!(listed.len(), 2);
    for pod in listed.iter().map(decoded) {
        assert_eq!(pod.spec.unwrap().node_name(), "Node-1");
    }
}

/// Starts a server of a folder of manifests, and watches it once it is ready.
async fn serving(socket: &Socket, directory: &Path) -> (Live, Watching) {
    let mut live = socket.start(config([("manifests", SourceKind::Manifests)]));
    let options = manifests::Options::new(directory, "Node-1");
    live.run("manifests", |sink| manifests::run(options, sink));
    live.ready().await;
    let watch = live.watch().await;
    (live, watch)
}

/// Writes a file in one step, as a careful author does.
fn write(directory: &TempDir, name: &str, content: &str) {
    let hidden = directory.path().join(format!(".{name}"));
    std::fs::write(&hidden, content).unwrap();
    std::fs::rename(hidden, directory.path().join(name)).unwrap();
}

fn manifest(name: &str, metadata: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Pod\nmetadata:\n  name: {name}\n{metadata}spec:\n  containers:\n  \
         - name: main\n    image: registry.example/main:1\n"
    )
}
