//! The checkpoint names the real cluster that its pods are of, as far as its reader may know it.

use podsapi_proto::json::parse_json;

use super::api::Question;
use super::credentials::{ADMIN, NODE_TOKEN, TOKEN_NODE};
use super::plane::Plane;
use crate::process::{Server, until};

#[tokio::test(flavor = "multi_thread")]
async fn a_checkpoint_is_of_the_cluster_whose_namespace_it_names() {
    let Some(plane) = Plane::shared().await else {
        return;
    };
    let api = &plane.api;
    let answer = api
        .done(Question::get("/api/v1/namespaces/kube-system"))
        .await;
    let namespace = parse_json(&answer).unwrap();
    let uid = namespace.get("metadata").and_then(|found| found.get("uid"));
    let uid = uid.unwrap().as_str().unwrap().to_owned();
    // A node may not read the namespace.
    for (who, token, named) in [("reader", ADMIN, true), ("node", NODE_TOKEN, false)] {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("checkpoint");
        let kubeconfig = plane.kubeconfig_with_token(who, token);
        let start = |kubeconfig: &std::path::Path| {
            let flags = [
                "--checkpoint-after=0",
                "--api-backoff=1",
                "--node-name",
                TOKEN_NODE,
            ];
            let paths = ["--checkpoint", file.to_str().unwrap(), "--apiserver"];
            let more = [kubeconfig.to_str().unwrap()];
            Server::start(folder.path(), flags.into_iter().chain(paths).chain(more))
        };
        let server = start(&kubeconfig);
        let content = until("the checkpoint is written", || std::fs::read(&file).ok());
        let names = |text: &str| {
            content
                .windows(text.len())
                .any(|part| part == text.as_bytes())
        };
        assert_eq!(names(&uid), named, "{who}");
        assert!(names(&format!("https://127.0.0.1:{}", plane.port)), "{who}");
        assert!(server.process.stop().code == Some(0));

        // The same authority at an address where nobody answers for itself.
        let elsewhere = plane.kubeconfig(TOKEN_NODE, 1);
        let server = start(&elsewhere);
        let report = until("the other cluster is told", || {
            let report = String::from_utf8(server.ask(&["check"]).stdout).unwrap();
            report.contains("is of another cluster").then_some(report)
        });
        println!("{report}");
        assert_eq!(report.contains(&uid), named, "{report}");
    }
}
