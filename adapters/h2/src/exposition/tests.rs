//! Tests of the metrics that a kubelet has too.

use super::*;

#[test]
fn the_kubelets_metrics_have_its_names_and_labels() {
    let meters = crate::meters::Meters::default();
    let count = |method, code| meters.count_end(Dialect::V1alpha1, method, code, 1);
    count(Method::ListPods, Code::Ok);
    count(Method::ListPods, Code::Ok);
    count(Method::GetPod, Code::NotFound);
    count(Method::WatchPods, Code::Cancelled);
    let mut counters = Counters::default();
    counters.watch_events_dropped = 7;

    let mut page = Page::default();
    kubelet_metrics(&mut page, &meters.requests(), &counters);

    let text = page.into_text();
    for line in [
        "# TYPE kubelet_pod_requests_total counter",
        r#"kubelet_pod_requests_total{server_api_version="v1alpha1",status_code="OK"} 2"#,
        r#"kubelet_pod_requests_total{server_api_version="v1alpha1",status_code="Canceled"} 1"#,
        r#"kubelet_pod_requests_list_total{server_api_version="v1alpha1",status_code="OK"} 2"#,
        r#"kubelet_pod_requests_get_total{server_api_version="v1alpha1",status_code="NotFound"} 1"#,
        r#"kubelet_pod_requests_watch_total{server_api_version="v1alpha1",status_code="Canceled"} 1"#,
        "# TYPE kubelet_pod_watch_events_dropped_total counter",
        "kubelet_pod_watch_events_dropped_total 7",
    ] {
        assert!(text.lines().any(|found| found == line), "{line}\n{}", text);
    }
}

/// The samples of one metric, each as its labels and its value.
fn samples<'t>(text: &'t str, name: &str) -> Vec<&'t str> {
    let samples = text.lines().filter_map(|line| line.strip_prefix(name));
    samples
        .filter(|rest| rest.starts_with(['{', ' ']))
        .collect()
}

#[test]
fn a_histogram_adds_up_what_is_in_all_buckets_so_far() {
    let meters = crate::meters::Meters::default();
    for nanos in [1, 2, 200_000, 200_001, 200_002, 5_000_000, 20_000_000_000] {
        meters.count_end(Dialect::V1alpha1, Method::ListPods, Code::Ok, nanos);
    }
    meters.count_end(Dialect::V1alpha1, Method::GetPod, Code::Ok, 3);
    meters.count_end(Dialect::V1alpha1, Method::WatchPods, Code::Ok, 3);
    let mut page = Page::default();
    durations(&mut page, &meters.requests());
    let text = page.into_text();
    let buckets = samples(&text, "podsapi_request_seconds_bucket");
    let counts = buckets.iter().map(|line| line.rsplit(' ').next().unwrap());
    let counts: Vec<_> = counts.collect();
    let of_list = ["2", "5", "5", "5", "6", "6", "6", "6", "6", "7"];
    assert_eq!(counts, [["1"; 10], of_list].concat());
    assert_eq!(
        samples(&text, "podsapi_request_seconds_count"),
        [
            format!("{{method=\"{}\"}} 1", Method::GetPod.name()),
            format!("{{method=\"{}\"}} 7", Method::ListPods.name()),
        ]
    );
    assert_eq!(
        samples(&text, "podsapi_request_seconds_sum"),
        [
            format!("{{method=\"{}\"}} 0.000000003", Method::GetPod.name()),
            format!("{{method=\"{}\"}} 20.005600006", Method::ListPods.name()),
        ]
    );
}

#[test]
fn users_are_told_each_with_its_own_count_and_the_others_together() {
    let counts = PeerCounts {
        by_user: [(0, 2), (1000, 7)].into(),
        others: 5,
    };
    let mut page = Page::default();
    peers(&mut page, "by_user_total", "Help.", &counts);
    let text = page.into_text();
    let expected = ["{uid=\"0\"} 2", "{uid=\"1000\"} 7", "{uid=\"other\"} 5"];
    assert_eq!(samples(&text, "by_user_total"), expected);
}

#[test]
fn each_source_is_told_with_its_own_numbers() {
    let source = |name: &str, at: u64| Source {
        name: name.to_owned(),
        kind: SourceKind::Manifests,
        state: SourceState::Live,
        counts: SourceCounts {
            lists: at + 1,
            losses: at + 2,
            refused: at + 3,
            ..SourceCounts::default()
        },
        age_nanos: Some((at + 4) * 1_000_000_000),
        problems: at + 5,
        outdated: at + 6,
        stale: at > 20,
    };
    let mut page = Page::default();
    source_metrics(&mut page, &[source("a", 10), source("b", 30)]);
    let text = page.into_text();
    for (name, values) in [
        ("podsapi_source_lists_total", ["11", "31"]),
        ("podsapi_source_losses_total", ["12", "32"]),
        ("podsapi_source_refused_total", ["13", "33"]),
        ("podsapi_source_problems_total", ["15", "35"]),
        ("podsapi_source_stale", ["0", "1"]),
    ] {
        let found = samples(&text, name);
        let found = found.iter().map(|line| line.rsplit(' ').next().unwrap());
        assert_eq!(found.collect::<Vec<_>>(), values, "{name}");
    }
}
