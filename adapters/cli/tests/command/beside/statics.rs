//! Static pods: put, edited, removed, crashed and ended, with restarts of the kubelet and of ours.

use std::fs;

use nix::sys::signal::Signal;

use super::bed::Bed;
use super::kubelet::pods;
use super::report::judge;

/// Returns the manifest of a pod of the shared folder.
fn text(name: &str) -> String {
    fs::read_to_string(pods().join(format!("{name}.yaml"))).unwrap()
}

/// Returns it with one more annotation, which makes it another pod.
fn edited(name: &str) -> String {
    text(name).replacen("metadata: {", "metadata: {annotations: {edited: '1'}, ", 1)
}

#[tokio::test(flavor = "multi_thread")]
async fn static_pods_are_served_as_the_kubelet_serves_them() {
    let Some(mut bed) = Bed::start(Vec::new()).await else {
        return;
    };
    let upstream = bed.kubelet.socket();
    let url = format!("http://127.0.0.1:{}", bed.kubelet.plain_port());
    let (folder, runtime) = (bed.kubelet.manifests(), bed.containerd.socket().to_owned());
    bed.serve("k", &[&"--kubelet", &upstream]);
    bed.serve("h", &[&"--kubelet-http", &url, &"--kubelet-period", &"1"]);
    bed.serve("m", &[&"--manifests", &folder, &"--cri", &runtime]);

    bed.step("put web");
    bed.put("web", &text("web"));
    bed.shows("web", "is ready", |pod| pod.is_ready()).await;
    bed.settle().await;

    bed.step("put jobok");
    bed.put("jobok", &text("jobok"));
    bed.shows("jobok", "has ended", |pod| pod.has_ended()).await;
    bed.settle().await;

    bed.step("web's container is killed");
    bed.kill("web", "c").await;
    bed.shows("web", "runs again", |pod| {
        pod.restarts("c") == 1 && pod.is_ready()
    })
    .await;
    bed.settle().await;

    bed.step("edit web");
    bed.put("web", &text("web2"));
    bed.shows("web", "is ready", |pod| pod.is_ready()).await;
    bed.settle().await;

    bed.step("the kubelet restarts");
    bed.end_kubelet(Signal::SIGTERM);
    bed.start_kubelet().await;
    bed.shows("web", "is ready", |pod| pod.is_ready()).await;
    bed.settle().await;

    bed.step("remove all");
    bed.remove("web");
    bed.remove("jobok");
    bed.gone("web").await;
    bed.gone("jobok").await;
    bed.settle().await;

    judge(&mut bed, "statics");
}
