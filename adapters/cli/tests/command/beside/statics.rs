//! Static pods: put, edited, removed, crashed and ended, with restarts of the kubelet and of ours.

use std::collections::BTreeSet;
use std::fs;

use nix::sys::signal::Signal;

use super::answers;
use super::bed::Bed;
use super::kubelet::pods;
use super::metrics;
use super::pod::Pod;
use super::report::judge;

/// A kind of pod, and the state in which it comes to rest.
pub(super) type Kind = (&'static str, fn(&Pod) -> bool);

/// The pods of the shared folder; those of one name count as one.
pub(super) const KINDS: [Kind; 13] = [
    ("web", Pod::is_ready),
    ("init", Pod::is_ready),
    ("sidecar", Pod::is_ready),
    ("hostnet", Pod::is_ready),
    ("slowterm", Pod::is_ready),
    ("ready", Pod::is_ready),
    ("jobok", Pod::has_ended),
    ("jobfail", Pod::has_ended),
    ("initfail", Pod::has_ended),
    ("deadline", Pod::has_ended),
    ("crash", backs_off),
    ("nostart", backs_off),
    ("nopull", has_no_image),
];

fn backs_off(pod: &Pod) -> bool {
    pod.waits("c")
        .is_some_and(|reason| reason == "CrashLoopBackOff")
}

fn has_no_image(pod: &Pod) -> bool {
    pod.waits("c")
        .is_some_and(|reason| reason == "ImagePullBackOff")
}

/// Returns a manifest of the shared folder.
pub(super) fn text(file: &str) -> String {
    fs::read_to_string(pods().join(format!("{file}.yaml"))).unwrap()
}

/// Returns it with one more annotation, which makes it another pod.
pub(super) fn edited(file: &str, value: &str) -> String {
    let more = format!("metadata: {{annotations: {{edited: '{value}'}}, ");
    text(file).replacen("metadata: {", &more, 1)
}

/// Starts our servers beside the kubelet, without an API server.
pub(super) fn serve(bed: &mut Bed) {
    let upstream = bed.kubelet.socket();
    let url = format!("http://127.0.0.1:{}", bed.kubelet.plain_port());
    let (folder, runtime) = (bed.kubelet.manifests(), bed.containerd.socket().to_owned());
    bed.serve("k", &[&"--kubelet", &upstream]);
    bed.serve("h", &[&"--kubelet-http", &url, &"--kubelet-period", &"1"]);
    bed.serve("m", &[&"--manifests", &folder, &"--cri", &runtime]);
    let both: [&dyn AsRef<std::ffi::OsStr>; 2] = [&"--kubelet", &upstream];
    bed.serve(
        "m3",
        &[
            both[0],
            both[1],
            &"--manifests",
            &folder,
            &"--cri",
            &runtime,
        ],
    );
}

/// Puts several, and waits until each has come to rest.
async fn put(bed: &mut Bed, names: &[&str], text: impl Fn(&str) -> String) {
    for name in names {
        bed.put(name, &text(name));
    }
    for (name, rests) in KINDS.iter().filter(|(name, _)| names.contains(name)) {
        let text = text(name);
        bed.shows(name, "comes to rest", |pod| pod.is_of(&text) && rests(pod))
            .await;
    }
    bed.settle().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn static_pods_are_served_as_the_kubelet_serves_them() {
    let Some(mut bed) = Bed::start("statics", Vec::new()).await else {
        return;
    };
    every_kind_is_known();
    serve(&mut bed);

    bed.step("put web");
    put(&mut bed, &["web"], text).await;
    bed.step("ask what is wrong, and for metrics");
    answers::compare(&mut bed).await;
    metrics::compare(&mut bed);
    bed.step("put crash, nostart, nopull, ready");
    put(&mut bed, &["crash", "nostart", "nopull", "ready"], text).await;
    bed.step("put what ends: jobok, jobfail, initfail, deadline");
    put(
        &mut bed,
        &["jobok", "jobfail", "initfail", "deadline"],
        text,
    )
    .await;
    bed.step("put init, sidecar, hostnet, slowterm");
    put(&mut bed, &["init", "sidecar", "hostnet", "slowterm"], text).await;

    bed.step("kill a container of web");
    let killed = bed.kill("web", "c").await;
    bed.runs_again("web", "c", &killed).await;
    bed.settle().await;
    bed.step("kill the sidecar");
    let killed = bed.kill("sidecar", "side").await;
    bed.runs_again("sidecar", "side", &killed).await;
    bed.settle().await;
    bed.step("kill the sandbox of hostnet");
    let before = bed.container("hostnet", "c").await;
    bed.kill_sandbox("hostnet").await;
    bed.runs_again("hostnet", "c", &before).await;
    bed.settle().await;

    bed.step("edit the labels of web");
    put(&mut bed, &["web"], |_| text("web2")).await;
    bed.step("edit the command of web");
    put(&mut bed, &["web"], |_| text("web3")).await;
    bed.step("remove web, put it otherwise when it has ended");
    bed.remove("web");
    bed.gone("web").await;
    put(&mut bed, &["web"], text).await;
    bed.step("remove hostnet, put the same when it has ended");
    bed.remove("hostnet");
    bed.gone("hostnet").await;
    put(&mut bed, &["hostnet"], text).await;
    bed.step("edit all others");
    let others: Vec<_> = KINDS.iter().map(|(name, _)| *name).skip(1).collect();
    put(&mut bed, &others, |name| edited(name, "1")).await;

    for signal in [Signal::SIGTERM, Signal::SIGKILL] {
        bed.step(&format!("the kubelet restarts after {signal}"));
        bed.end_kubelet(signal);
        bed.start_kubelet().await;
        bed.shows("web", "is ready", Pod::is_ready).await;
        bed.settle().await;
    }
    bed.step("while the kubelet is away web crashes, jobok goes and init is edited");
    let before = bed.container("web", "c").await;
    bed.end_kubelet(Signal::SIGTERM);
    bed.kill_id("web", &before);
    bed.remove("jobok");
    bed.put("init", &edited("init", "2"));
    bed.start_kubelet().await;
    bed.runs_again("web", "c", &before).await;
    let new = edited("init", "2");
    bed.shows("init", "is ready", |pod| pod.is_of(&new) && pod.is_ready())
        .await;
    bed.settle().await;
    for signal in [Signal::SIGTERM, Signal::SIGKILL] {
        bed.step(&format!("ours restart after {signal}"));
        for name in bed.names() {
            bed.restart(name, signal);
        }
        bed.settle().await;
    }

    bed.step("remove slowterm, which ends slowly");
    bed.remove("slowterm");
    bed.gone("slowterm").await;
    bed.settle().await;
    bed.step("remove all others but web");
    let left = KINDS.iter().map(|(name, _)| *name);
    let gone = ["web", "slowterm", "jobok"];
    let left: Vec<_> = left.filter(|name| !gone.contains(name)).collect();
    for name in &left {
        bed.remove(name);
    }
    for name in &left {
        bed.gone(name).await;
    }
    bed.settle().await;
    bed.step("remove web, the last one");
    bed.remove("web");
    bed.gone("web").await;
    bed.settle_empty().await;
    judge(&mut bed, &["k", "h", "m", "m3"]);
}

/// Each manifest of the shared folder is part of the steps.
fn every_kind_is_known() {
    let files = fs::read_dir(pods())
        .unwrap()
        .map(|file| file.unwrap().file_name());
    let files: BTreeSet<_> = files.map(|name| name.into_string().unwrap()).collect();
    let known = KINDS.iter().map(|(name, _)| *name).chain(["web2", "web3"]);
    let known: BTreeSet<_> = known.map(|name| format!("{name}.yaml")).collect();
    assert_eq!(files, known);
}
