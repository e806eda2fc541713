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
