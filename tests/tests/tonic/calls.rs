//! Calls with one answer: lists, single pods, refusals with their details, and many at once.

use std::num::NonZeroU32;

use podsapi_core::{Config, SourceKind};
use podsapi_proto::{
    documented::{PodGetRequest, PodListRequest},
    google_rpc,
    v1alpha1::{GetPodRequest, GetPodResponse, ListPodsRequest, ListPodsResponse},
};
use podsapi_tests::live::{Socket, becomes, config, soon};
use prost::Message;
use tokio::task::JoinSet;
use tonic::Code;

use crate::dial::{DocumentedList, DocumentedPod, Tonic, decoded, pod, serving};

#[tokio::test]
async fn a_list_is_whole_in_both_dialects() {
    let socket = Socket::new();
    let pods = [pod("a", 1), pod("b", 1)];
    let (live, _feed) = serving(&socket, &pods);
    let client = Tonic::dial(&live).await;
    let listed: ListPodsResponse = client.unary(LIST, ListPodsRequest {}).await.unwrap();
    assert_eq!(listed.pods, [pods[0].encode(), pods[1].encode()]);
    let documented: DocumentedList = client
        .unary(DOCUMENTED_LIST, PodListRequest {})
        .await
        .unwrap();
    assert_eq!(documented.pods, [decoded(&pods[0]), decoded(&pods[1])]);
}

#[tokio::test]
async fn a_pod_is_found_by_its_uid_in_both_dialects() {
    let socket = Socket::new();
    let (live, _feed) = serving(&socket, &[pod("a", 1), pod("b", 1)]);
    let client = Tonic::dial(&live).await;
    let got: GetPodResponse = client.unary(GET, asked("b")).await.unwrap();
    assert_eq!(got.pod, pod("b", 1).encode());
    let request = PodGetRequest {
        pod_uid: "b".to_owned(),
    };
    let documented: DocumentedPod = client.unary(DOCUMENTED_GET, request).await.unwrap();
    assert_eq!(documented.pod, Some(decoded(&pod("b", 1))));
}

#[tokio::test]
async fn a_pod_that_is_not_there_is_not_found_with_its_text_and_reason() {
    let socket = Socket::new();
    let (live, _feed) = serving(&socket, &[pod("a", 1)]);
    let client = Tonic::dial(&live).await;
    for (uid, told) in [
        ("b", "b"),
        ("", ""),
        ("100 %", "100 %"),
        ("\u{fc}", "\\u{fc}"),
    ] {
        let called = client.unary::<_, GetPodResponse>(GET, asked(uid)).await;
        let refused = called.unwrap_err();
        assert_eq!(refused.code(), Code::NotFound);
        assert_eq!(refused.message(), format!("pod with UID {told} not found"));
        assert_eq!(cause(&refused).reason, "POD_NOT_FOUND");
    }
}

#[tokio::test]
async fn a_server_that_is_not_ready_says_what_it_waits_for() {
    let socket = Socket::new();
    let live = socket.start(config([("node", SourceKind::Snapshot)]));
    let client = Tonic::dial(&live).await;
    let called = client.unary::<_, ListPodsResponse>(LIST, ListPodsRequest {});
    let refused = called.await.unwrap_err();
    assert_eq!(refused.code(), Code::FailedPrecondition);
    let text = "Kubelet is initializing: waiting for node";
    assert_eq!(refused.message(), text);
    assert_eq!(cause(&refused).reason, "NOT_READY");
}

#[tokio::test]
async fn an_unknown_method_is_unimplemented() {
    let socket = Socket::new();
    let (live, _feed) = serving(&socket, &[]);
    let client = Tonic::dial(&live).await;
    for path in [
        "/v1alpha1.Pods/DeletePod",
        "/v1beta1.Pods/ListPods",
        "/Pods/listpods",
    ] {
        let called = client.unary::<_, ListPodsResponse>(path, ListPodsRequest {});
        assert_eq!(called.await.unwrap_err().code(), Code::Unimplemented);
    }
}

#[tokio::test]
async fn a_call_that_the_rate_limit_refuses_says_why_and_when_to_come_back() {
    let socket = Socket::new();
    let live = socket.start(Config {
        qps: 1,
        burst: NonZeroU32::MIN,
        ..config([("node", SourceKind::Snapshot)])
    });
    live.feed("node").list([pod("a", 1).parse()]);
    let client = Tonic::dial(&live).await;
    let refused = loop {
        // The first takes the only token, the next comes long before a second has gone by.
        let called = client.unary::<_, ListPodsResponse>(LIST, ListPodsRequest {});
        if let Err(refused) = called.await {
            break refused;
        }
    };
    assert_eq!(refused.code(), Code::ResourceExhausted);
    assert_eq!(refused.message(), "rejected by rate limit");
    let cause = cause(&refused);
    assert_eq!(cause.reason, "RATE_LIMITED");
    assert_eq!(cause.domain, "podsapi");
    let retry: google_rpc::RetryInfo = detail(&refused, "google.rpc.RetryInfo");
    let delay = retry.retry_delay.unwrap();
    let nanos = delay.seconds * 1_000_000_000 + i64::from(delay.nanos);
    assert!((1..=1_000_000_000).contains(&nanos), "{delay:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn six_hundred_calls_at_once_are_all_answered() {
    const CALLS: u64 = 600;
    let socket = Socket::new();
    let pods: Vec<_> = (0..50)
        .map(|number| pod(&format!("{number:02}"), 1))
        .collect();
    let (live, _feed) = serving(&socket, &pods);
    let client = Tonic::dial(&live).await;
    let mut calls = JoinSet::new();
    for number in 0..CALLS {
        let client = client.clone();
        calls.spawn(async move {
            match number % 4 {
                0 => {
                    let listed: ListPodsResponse =
                        client.unary(LIST, ListPodsRequest {}).await.unwrap();
                    assert_eq!(listed.pods.len(), 50);
                }
                1 => {
                    let listed: DocumentedList = client
                        .unary(DOCUMENTED_LIST, PodListRequest {})
                        .await
                        .unwrap();
                    assert_eq!(listed.pods.len(), 50);
                }
                _ => {
                    let uid = format!("{:02}", number % 50);
                    let got: GetPodResponse = client.unary(GET, asked(&uid)).await.unwrap();
                    assert_eq!(got.pod, pod(&uid, 1).encode());
                }
            }
        });
    }
    while let Some(call) = soon(calls.join_next()).await {
        call.unwrap();
    }
    let ok = |metric: &str, version: &str| {
        let labels = format!("server_api_version=\"{version}\",status_code=\"OK\"");
        let series = format!("kubelet_pod_requests_{metric}total{{{labels}}}");
        live.metrics().series(&series).unwrap_or(0)
    };
    becomes(
        std::time::Duration::from_secs(60),
        "all are counted",
        || ok("", "v1alpha1") + ok("", "documented") == CALLS,
    )
    .await;
    assert_eq!(ok("list_", "v1alpha1"), CALLS / 4);
    assert_eq!(ok("list_", "documented"), CALLS / 4);
    assert_eq!(ok("get_", "v1alpha1"), CALLS / 2);
}

pub(crate) fn asked(uid: &str) -> GetPodRequest {
    GetPodRequest {
        pod_uid: uid.to_owned(),
    }
}

/// Returns the cause in the details of a status.
fn cause(status: &tonic::Status) -> google_rpc::ErrorInfo {
    detail(status, "google.rpc.ErrorInfo")
}

/// Returns the one detail of a type, from details that repeat code and text of the status.
pub(crate) fn detail<M: Message + Default>(status: &tonic::Status, name: &str) -> M {
    let details = google_rpc::Status::decode(status.details()).unwrap();
    assert_eq!(details.code, i32::from(status.code()));
    assert_eq!(details.message, status.message());
    let url = format!("type.googleapis.com/{name}");
    let mut found = details.details.iter().filter(|any| any.type_url == url);
    let first = found.next().unwrap();
    assert!(found.next().is_none(), "one {name}");
    M::decode(first.value.clone()).unwrap()
}

pub(crate) const LIST: &str = "/v1alpha1.Pods/ListPods";
pub(crate) const GET: &str = "/v1alpha1.Pods/GetPod";
const DOCUMENTED_LIST: &str = "/Pods/ListPods";
const DOCUMENTED_GET: &str = "/Pods/GetPod";
