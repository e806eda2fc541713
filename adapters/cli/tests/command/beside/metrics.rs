//! The names, types and labels of the metrics about the Pods API.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::TcpStream;

use super::bed::Bed;
use super::fields::Difference;
use crate::process::{PATIENCE, page, until};

/// How the names of those begin that a kubelet has about its Pods API.
const FAMILIES: [&str; 2] = ["kubelet_pod_requests_", "kubelet_pod_watch_"];

/// Compares the pages after the same calls.
pub(super) fn compare(bed: &mut Bed) {
    // A watch that ends is counted a little later.
    let kubelet = until("the end of a watch is counted", || {
        let page = families(&kubelet_page(bed.kubelet.plain_port()));
        page.contains("kubelet_pod_requests_watch_total counter")
            .then_some(page)
    });
    for server in bed.names() {
        let ours = families(&page(&bed.metrics(server)));
        for line in kubelet.symmetric_difference(&ours) {
            let told = |told: &BTreeSet<String>| match told.contains(line) {
                true => "there".to_owned(),
                false => String::new(),
            };
            bed.found.push(Difference {
                server,
                pod: "-".to_owned(),
                path: format!("(metric) {line}"),
                kubelet: told(&kubelet),
                ours: told(&ours),
            });
        }
    }
}

/// Returns the types, and the samples without their values.
fn families(page: &str) -> BTreeSet<String> {
    let wanted = |name: &str| FAMILIES.iter().any(|family| name.starts_with(family));
    let lines = page.lines().filter_map(|line| {
        let sample = line.rsplit_once(' ').map_or(line, |(sample, _)| sample);
        match line.strip_prefix("# TYPE ") {
            Some(rest) => wanted(rest).then(|| rest.to_owned()),
            None => wanted(line).then(|| sample.to_owned()),
        }
    });
    // Which of the recorder's own calls come too early is chance.
    let lines = lines.filter(|line| !line.contains("FailedPrecondition"));
    lines.collect()
}

fn kubelet_page(port: u16) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let request = "GET /metrics HTTP/1.0\r\nhost: localhost\r\n\r\n";
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[cfg(test)]
mod tests {
    use super::families;

    #[test]
    fn of_a_page_the_types_and_labels_of_the_pods_api_are_left() {
        let page = "# HELP kubelet_pod_requests_total Text.\n\
            # TYPE kubelet_pod_requests_total counter\n\
            kubelet_pod_requests_total{status_code=\"OK\"} 7\n\
            kubelet_pod_requests_total{status_code=\"FailedPrecondition\"} 7\n\
            kubelet_pod_start_duration_seconds_count 1\n\
            kubelet_pod_watch_events_dropped_total 0\n";
        let found: Vec<_> = families(page).into_iter().collect();
        assert_eq!(
            found,
            [
                "kubelet_pod_requests_total counter",
                "kubelet_pod_requests_total{status_code=\"OK\"}",
                "kubelet_pod_watch_events_dropped_total",
            ]
        );
    }
}
