//! Who may read the pods, and what is said to an operator whose node may not.

use super::credentials::{NODE_TOKEN, TOKEN_NODE};
use super::node::Node;
use super::plane::Plane;
use super::pods::{NOTHING, planned};
use crate::process::{Server, until};

#[tokio::test(flavor = "multi_thread")]
async fn a_node_with_a_token_sees_its_pods_and_no_others() {
    let Some(plane) = Plane::shared().await else {
        return;
    };
    let (api, space) = (&plane.api, "token");
    api.namespace(space).await;
    api.create(space, &planned("mine", TOKEN_NODE)).await;
    api.create(space, &planned("not-mine", "some-other-node"))
        .await;
    let kubeconfig = plane.kubeconfig_with_token("token", NODE_TOKEN);
    let mut node = Node::start(TOKEN_NODE, &kubeconfig, NOTHING).await;
    let (_, pods) = api.list(TOKEN_NODE).await;
    assert_eq!(pods.len(), 1);
    node.holds("its own pod", &pods).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_that_may_not_read_is_told_what_the_server_says() {
    let Some(plane) = Plane::shared().await else {
        return;
    };
    let unknown = plane.kubeconfig_with_token("unknown", "no-such-token");
    let report = trouble("node-of-the-unknown", &unknown, "401");
    println!("{report}");
    assert!(report.contains("apiserver"), "{report}");
    // A node's certificate is for that node's pods.
    let other = plane.kubeconfig("node-of-one-name", plane.port);
    let report = trouble("node-of-another-name", &other, "403");
    println!("{report}");
}

/// Starts a server that cannot get pods; returns what `check` says once it says this.
fn trouble(node: &str, kubeconfig: &std::path::Path, wanted: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = kubeconfig.to_str().unwrap();
    let arguments = ["--node-name", node, "--apiserver", path];
    let server = Server::start(folder.path(), arguments);
    until("the trouble is told", || {
        let report = server.ask(&["check"]);
        let text = String::from_utf8(report.stdout).unwrap();
        text.contains(wanted).then_some(text)
    })
}

#[test]
fn a_kubeconfig_without_its_context_is_an_error_that_names_both() {
    let folder = tempfile::tempdir().unwrap();
    let kubeconfig = folder.path().join("kubeconfig");
    let text = "apiVersion: v1\nkind: Config\ncurrent-context: lost\ncontexts: []\nclusters: []\nusers: []\n";
    std::fs::write(&kubeconfig, text).unwrap();
    let report = trouble("any", &kubeconfig, "lost");
    assert!(report.contains(kubeconfig.to_str().unwrap()), "{report}");
}
