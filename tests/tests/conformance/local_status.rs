//! The status that is known here, and what is served while it is not.

use podsapi_client::{Code, EventKind};
use podsapi_core::SourceKind;
use podsapi_proto::core_v1::{Pod, PodCondition, PodStatus};
use podsapi_tests::live::{Live, Socket, config, soon};

use crate::sample::{
    decoded, encoded, encoded_status, in_phase, phase, pod, read, ready, status, text,
};

/// Items 16, 17 and 18. Where a local status exists, Get, List and the first burst of a watch all
/// show it.
#[tokio::test]
async fn a_local_status_is_shown_by_get_list_and_the_first_burst_of_a_watch() {
    let socket = Socket::new();
    let live = with_runtime(&socket);
    live.feed("cluster")
        .list([encoded(&in_phase("Pending", pod("a")))]);
    let mut local = status("Running");
    local.pod_ip = text("10.0.0.7");
    live.feed("runtime").list([]);
    live.feed("runtime").status("a", encoded_status(&local));
    let client = live.client().await;
    let got = decoded(&soon(client.get("a")).await.unwrap());
    let listed = decoded(&soon(client.list()).await.unwrap()[0]);
    let watched = decoded(&live.watch().await.first_list().await[0]);
    for shown in [got, listed, watched] {
        let expected = Pod {
            status: Some(local.clone()),
            ..pod("a")
        };
        assert_eq!(shown, expected);
    }
}

/// A status that becomes known here is told to watches, and so is the owner's when it is lost.
#[tokio::test]
async fn a_local_status_that_comes_or_goes_is_a_modification() {
    let socket = Socket::new();
    let live = with_runtime(&socket);
    let (cluster, runtime) = (live.feed("cluster"), live.feed("runtime"));
    cluster.list([encoded(&in_phase("Pending", pod("a")))]);
    runtime.list([]);
    let mut watch = live.watch().await;
    watch.first_list().await;
    runtime.status("a", encoded_status(&status("Running")));
    let (kind, shown) = read(&watch.next().await);
    assert_eq!((kind, phase(&shown)), (EventKind::Modified, "Running"));
    runtime.remove("a");
    let (kind, shown) = read(&watch.next().await);
    assert_eq!((kind, phase(&shown)), (EventKind::Modified, "Pending"));
}

/// Item 27. A pod that claims Ready without a local status is served Ready=False, reason
/// `ContainersNotReady`, the condition still there, when a source of local status is configured.
#[tokio::test]
async fn a_claim_to_be_ready_that_nobody_here_confirms_is_not_served() {
    let socket = Socket::new();
    let live = with_runtime(&socket);
    live.feed("cluster").list([encoded(&claiming_ready())]);
    live.feed("runtime").list([]);
    let shown = soon(live.client().await.get("a")).await.unwrap();
    let shown = decoded(&shown);
    let condition = ready_condition(&shown);
    assert_eq!(condition.status(), "False");
    assert_eq!(condition.reason(), "ContainersNotReady");
    let conditions = |pod: &Pod| pod.status.as_ref().map(|status| status.conditions.len());
    assert_eq!(conditions(&shown), conditions(&claiming_ready()));
}

/// Item 27. Without a source of local status the owner's word is all there is, and is served.
#[tokio::test]
async fn a_claim_to_be_ready_is_served_when_nobody_here_could_confirm_it() {
    let socket = Socket::new();
    let live = socket.start(config([("cluster", SourceKind::Apiserver)]));
    live.feed("cluster").list([encoded(&claiming_ready())]);
    let shown = soon(live.client().await.get("a")).await.unwrap();
    assert_eq!(decoded(&shown), claiming_ready());
}

/// Item 41. After a restart of the server: not ready first, then true data; a pod that was not
/// ready stays so until somebody confirms it.
#[tokio::test]
async fn after_a_restart_a_pod_is_not_ready_until_somebody_confirms_it() {
    let socket = Socket::new();
    let first = with_runtime(&socket);
    first.feed("cluster").list([encoded(&claiming_ready())]);
    first.feed("runtime").list([]);
    let mut local = status("Running");
    local.conditions = vec![ready("False")];
    let runtime = first.feed("runtime");
    runtime.status("a", encoded_status(&local));
    assert_eq!(served_ready(&first).await, "False");
    first.stop().await;

    let second = with_runtime(&socket);
    let client = second.client().await;
    let refused = soon(client.get("a")).await.unwrap_err();
    assert_eq!(refused.code(), Code::FailedPrecondition);
    second.feed("cluster").list([encoded(&claiming_ready())]);
    let refused = soon(client.get("a")).await.unwrap_err();
    assert_eq!(refused.code(), Code::FailedPrecondition);
    second.feed("runtime").list([]);
    assert_eq!(served_ready(&second).await, "False");
    let runtime = second.feed("runtime");
    runtime.status("a", encoded_status(&local));
    assert_eq!(served_ready(&second).await, "False");
    local.conditions = vec![ready("True")];
    runtime.status("a", encoded_status(&local));
    assert_eq!(served_ready(&second).await, "True");
}

/// Starts a server that waits for a cluster, which owns pods, and a runtime, which sees what runs.
fn with_runtime(socket: &Socket) -> Live {
    socket.start(config([
        ("cluster", SourceKind::Apiserver),
        ("runtime", SourceKind::Cri),
    ]))
}

fn claiming_ready() -> Pod {
    let scheduled = PodCondition {
        r#type: text("PodScheduled"),
        status: text("True"),
        ..PodCondition::default()
    };
    Pod {
        status: Some(PodStatus {
            conditions: vec![scheduled, ready("True")],
            ..status("Running")
        }),
        ..pod("a")
    }
}

async fn served_ready(live: &Live) -> String {
    let shown = soon(live.client().await.get("a")).await.unwrap();
    ready_condition(&decoded(&shown)).status().to_owned()
}

fn ready_condition(pod: &Pod) -> &PodCondition {
    let conditions = &pod.status.as_ref().unwrap().conditions;
    let mut found = conditions
        .iter()
        .filter(|condition| condition.r#type() == "Ready");
    let first = found.next().unwrap();
    assert!(found.next().is_none(), "one condition `Ready`");
    first
}
