//! A kubelet with an API server: mirrors of static pods, and ordinary pods that are deleted with grace.

use nix::sys::signal::Signal;
use podsapi_proto::json::parse_json;

use super::bed::Bed;
use super::pod::Pod;
use super::record::What;
use super::report::judge;
use super::statics::{edited, text};
use crate::control_plane::plane::Plane;
use crate::process::NODE;

const SPACE: &str = "default";

/// Returns the JSON of a pod that is bound to the node.
fn bound(name: &str, policy: &str, line: &str) -> String {
    let text = format!(
        r#"{{"metadata":{{"name":"{name}","labels":{{"app":"{name}"}}}},"spec":{{"nodeName":"{NODE}",
        "restartPolicy":"{policy}","terminationGracePeriodSeconds":3,"containers":[{{"name":"c",
        "image":"localhost/busybox:local","command":["sh","-c","{line}"],
        "resources":{{"requests":{{"cpu":"10m"}},"limits":{{"memory":"64Mi"}}}}}}]}}}}"#
    );
    parse_json(text.as_bytes()).unwrap();
    text
}

async fn create(bed: &Bed, plane: &Plane, name: &str, policy: &str, line: &str) {
    bed.recorder.note(What::Put(name.to_owned()));
    let pod = bound(name, policy, line);
    plane.api.create(SPACE, &pod).await;
}

async fn delete(bed: &Bed, plane: &Plane, name: &str) {
    bed.recorder.note(What::Removed(name.to_owned()));
    plane.api.delete(SPACE, name, 3).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn pods_of_an_api_server_are_served_as_the_kubelet_serves_them() {
    if !Bed::is_asked() {
        return;
    }
    let Some(mut plane) = Plane::start().await else {
        return;
    };
    let kubeconfig = plane.kubeconfig(NODE, plane.port);
    let flags = vec![format!("--kubeconfig={}", kubeconfig.display())];
    let Some(mut bed) = Bed::start("with-an-api-server", flags).await else {
        return;
    };
    let upstream = bed.kubelet.socket();
    let url = format!("http://127.0.0.1:{}", bed.kubelet.plain_port());
    let (folder, runtime) = (bed.kubelet.manifests(), bed.containerd.socket().to_owned());
    bed.serve("kc", &[&"--kubelet", &upstream]);
    bed.serve("hc", &[&"--kubelet-http", &url, &"--kubelet-period", &"1"]);
    bed.serve(
        "a",
        &[
            &"--apiserver",
            &kubeconfig,
            &"--api-backoff",
            &"1",
            &"--cri",
            &runtime,
        ],
    );
    bed.serve(
        "ma",
        &[
            &"--manifests",
            &folder,
            &"--apiserver",
            &kubeconfig,
            &"--api-backoff",
            &"1",
            &"--cri",
            &runtime,
        ],
    );

    bed.step("put web, a static pod");
    bed.put("web", &text("web"));
    bed.shows("web", "is ready", Pod::is_ready).await;
    bed.settle().await;
    bed.step("create run and away, bound to the node");
    for name in ["run", "away"] {
        create(&bed, &plane, name, "Always", "sleep 3600").await;
    }
    for name in ["run", "away"] {
        bed.shows(name, "is ready", Pod::is_ready).await;
    }
    bed.settle().await;
    bed.step("create job, which ends");
    create(&bed, &plane, "job", "Never", "sleep 1; exit 3").await;
    bed.shows("job", "has ended", Pod::has_ended).await;
    bed.settle().await;
    bed.step("change the labels of run");
    let labels = r#"{"metadata":{"labels":{"v":"2"}}}"#;
    plane.api.patch(SPACE, "run", labels).await;
    bed.shows("run", "has the labels", |pod| pod.has_label("v", "2"))
        .await;
    bed.settle().await;
    bed.step("kill a container of run");
    let killed = bed.kill("run", "c").await;
    bed.runs_again("run", "c", &killed).await;
    bed.settle().await;
    bed.step("the API server is gone, and away crashes");
    plane.kill_server();
    let killed = bed.kill("away", "c").await;
    bed.runs_again("away", "c", &killed).await;
    bed.settle().await;
    plane.start_server().await;
    bed.step("the kubelet restarts");
    bed.end_kubelet(Signal::SIGKILL);
    bed.start_kubelet().await;
    bed.shows("run", "is ready", Pod::is_ready).await;
    bed.settle().await;
    bed.step("edit web");
    let new = edited("web", "1");
    bed.put("web", &new);
    bed.shows("web", "is ready", |pod| pod.is_of(&new) && pod.is_ready())
        .await;
    bed.settle().await;
    bed.step("delete run with grace");
    delete(&bed, &plane, "run").await;
    bed.shows("run", "is marked", Pod::is_leaving).await;
    bed.gone("run").await;
    bed.settle().await;
    bed.step("delete job and away");
    for name in ["job", "away"] {
        delete(&bed, &plane, name).await;
    }
    for name in ["job", "away"] {
        bed.gone(name).await;
    }
    bed.settle().await;
    bed.step("remove web, the last one");
    bed.remove("web");
    bed.gone("web").await;
    bed.settle_empty().await;
    judge(&mut bed, &["a", "ma", "kc", "hc"]);
}
