//! The metrics of a kubelet: their names, their labels and their exact numbers.

use std::{num::NonZeroU32, time::Duration};

use podsapi_client::{ClientOptions, Code, Dialect, EventKind};
use podsapi_core::{Config, SourceEvent, SourceKind};
use podsapi_h2::Runtime;
use podsapi_tests::live::{AT, Live, Metrics, Socket, becomes, config, soon};
use podsapi_tokio::TokioRuntime;

use crate::sample::{encoded, pod, read, serving};

/// Item 13. A queue of one and two events: the dropped counter is exactly 1, its type is counter
/// and its help text says what it counts.
#[tokio::test]
async fn a_queue_of_one_and_two_events_drop_exactly_one() {
    let socket = Socket::new();
    let live = socket.start(Config {
        watch_buffer: NonZeroU32::MIN,
        ..config([("node", SourceKind::Snapshot)])
    });
    let feed = live.feed("node");
    feed.list([]);
    let mut watch = live.watch().await;
    watch.first_list().await;
    assert_eq!(dropped(&live.metrics()), Some(0));
    // Both under one lock: nobody can read the first before the second comes.
    let now = TokioRuntime::new().now();
    live.server().with_pods(|pods| {
        for uid in ["a", "b"] {
            let put = SourceEvent::Put {
                pod: encoded(&pod(uid)),
                at: AT,
            };
            pods.handle_source(feed.id(), put, now).unwrap();
        }
    });
    let (events, end) = watch.until_the_end().await;
    assert_eq!(end.code(), Code::ResourceExhausted);
    assert_eq!(events.len(), 1, "{events:?}"); // It may still have the one that found room.
    let metrics = live.metrics();
    assert_eq!(dropped(&metrics), Some(1));
    let about: Vec<_> = metrics.lines(DROPPED).collect();
    let [help, kind, series] = about[..] else {
        panic!("{about:?}");
    };
    assert_eq!(kind, format!("# TYPE {DROPPED} counter"));
    assert_eq!(series, format!("{DROPPED} 1"));
    let text = help.strip_prefix(&format!("# HELP {DROPPED} ")).unwrap();
    assert!(text.contains("events") && text.contains("not delivered"));
}

/// Item 19. An OK list increments total and list with `v1alpha1, OK`.
#[tokio::test]
async fn a_list_that_succeeds_is_counted_in_total_and_as_a_list() {
    let socket = Socket::new();
    let (live, _feed) = serving(&socket, &[pod("a")]);
    soon(live.client().await.list()).await.unwrap();
    counted(&live, "", "OK", 1).await;
    counted(&live, "list_", "OK", 1).await;
    let metrics = live.metrics();
    assert_eq!(metrics.requests("get_", "OK"), 0);
    assert_eq!(metrics.requests("watch_", "OK"), 0);
}

/// Item 20. A list while not ready increments both with `FailedPrecondition`.
#[tokio::test]
async fn a_list_while_not_ready_is_counted_as_a_failed_precondition() {
    let socket = Socket::new();
    let live = socket.start(config([("node", SourceKind::Snapshot)]));
    soon(live.client().await.list()).await.unwrap_err();
    counted(&live, "", "FailedPrecondition", 1).await;
    counted(&live, "list_", "FailedPrecondition", 1).await;
}

/// Item 21. Get increments get with OK and `NotFound`.
#[tokio::test]
async fn a_get_is_counted_with_ok_and_with_not_found() {
    let socket = Socket::new();
    let (live, _feed) = serving(&socket, &[pod("a")]);
    let client = live.client().await;
    soon(client.get("a")).await.unwrap();
    counted(&live, "get_", "OK", 1).await;
    assert_eq!(live.metrics().requests("get_", "NotFound"), 0);
    soon(client.get("b")).await.unwrap_err();
    counted(&live, "get_", "NotFound", 1).await;
    assert_eq!(live.metrics().requests("get_", "OK"), 1);
}

/// Item 22. A cancelled watch increments watch and total with Canceled within two seconds, or what
/// these are on a busy machine: nothing waits for a time.
#[tokio::test]
async fn a_cancelled_watch_is_counted() {
    let socket = Socket::new();
    let (live, _feed) = serving(&socket, &[pod("a")]);
    let mut watch = live.watch().await;
    watch.first_list().await;
    assert_eq!(live.metrics().requests("watch_", "Canceled"), 0);
    drop(watch);
    counted(&live, "watch_", "Canceled", 1).await;
    counted(&live, "", "Canceled", 1).await;
}

/// Item 23. That sequence gives exactly OK 2, `FailedPrecondition` 1, `NotFound` 1, Canceled 1 in total.
#[tokio::test]
async fn the_whole_sequence_adds_up_exactly() {
    let socket = Socket::new();
    let live = socket.start(config([("node", SourceKind::Snapshot)]));
    let client = live.client().await;
    soon(client.list()).await.unwrap_err();
    live.feed("node").list([encoded(&pod("a"))]);
    soon(client.list()).await.unwrap();
    soon(client.get("a")).await.unwrap();
    soon(client.get("b")).await.unwrap_err();
    let mut watch = live.watch().await;
    watch.first_list().await;
    drop(watch);
    for (code, count) in [("OK", 2), ("NotFound", 1), ("Canceled", 1)] {
        counted(&live, "", code, count).await;
    }
    let metrics = live.metrics();
    let total: Vec<_> = metrics.lines("kubelet_pod_requests_total").collect();
    let series = |code: &str, count: u64| {
        format!(
            "kubelet_pod_requests_total{{server_api_version=\"v1alpha1\",status_code=\"{code}\"}} {count}"
        )
    };
    let expected = [
        series("OK", 2),
        series("Canceled", 1),
        series("NotFound", 1),
        series("FailedPrecondition", 1),
    ];
    assert_eq!(total[1], "# TYPE kubelet_pod_requests_total counter");
    assert_eq!(total[2..], expected);
}

/// Calls of the documented dialect are counted apart from those of the released one.
#[tokio::test]
async fn each_dialect_is_counted_under_its_own_version() {
    let socket = Socket::new();
    let (live, _feed) = serving(&socket, &[pod("a")]);
    let documented = ClientOptions {
        dialect: Dialect::Documented,
        ..ClientOptions::default()
    };
    soon(live.client_with(documented).await.list())
        .await
        .unwrap();
    let series =
        "kubelet_pod_requests_list_total{server_api_version=\"documented\",status_code=\"OK\"}";
    becomes(COUNTED, series, || live.metrics().series(series) == Some(1)).await;
    assert_eq!(live.metrics().requests("list_", "OK"), 0);
}

/// A call that the rate limit refuses is counted, and costs the watches nothing.
#[tokio::test]
async fn a_call_that_the_rate_limit_refuses_is_counted() {
    let socket = Socket::new();
    let live = socket.start(Config {
        qps: 1,
        burst: NonZeroU32::MIN,
        // A token takes a second to come back; the second call comes at once.
        ..config([("node", SourceKind::Snapshot)])
    });
    let feed = live.feed("node");
    feed.list([encoded(&pod("a"))]);
    let client = live.client().await;
    let (mut refusals, mut calls) = (Vec::new(), 0);
    // One token, and one more a second: of calls that come fast enough most are refused.
    while refusals.len() < 2 {
        calls += 1;
        if let Err(refused) = soon(client.get("a")).await {
            refusals.push(refused);
        }
        assert!(calls < 10_000, "{calls} calls, {refusals:?}");
    }
    for refused in &refusals {
        let text = "ResourceExhausted: rejected by rate limit";
        assert_eq!(refused.to_string(), text);
    }
    let refused = refusals.len() as u64;
    counted(&live, "get_", "ResourceExhausted", refused).await;
    counted(&live, "", "ResourceExhausted", refused).await;
    counted(&live, "get_", "OK", calls - refused).await;
    let mut watch = live.watch().await;
    assert_eq!(read(&watch.next().await), (EventKind::Added, pod("a")));
}

/// Waits for calls to be counted: a call is counted when it is over, which its client may know
/// before the server does.
async fn counted(live: &Live, method: &str, code: &str, count: u64) {
    let what = format!("{count} calls of `{method}` with {code}");
    let is_counted = || live.metrics().requests(method, code) >= count;
    becomes(COUNTED, &what, is_counted).await;
    assert_eq!(live.metrics().requests(method, code), count, "{what}");
}

fn dropped(metrics: &Metrics) -> Option<u64> {
    metrics.series(DROPPED)
}

const DROPPED: &str = "kubelet_pod_watch_events_dropped_total";

const COUNTED: Duration = Duration::from_secs(60);
