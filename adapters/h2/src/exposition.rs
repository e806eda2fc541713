//! The metrics in the text format that Prometheus reads (version 0.0.4).

use podsapi_core::{Code, Counters, Dialect, Method, SourceCounts, SourceKind, SourceState};

use crate::{
    meters::{BUCKETS_NANOS, PeerCounts, Requests},
    reasons::{Counted, Tally},
    runtime::Runtime,
    server::{Server, Shared},
};

mod page;
mod projections;

use page::{Page, Seconds};
use projections::projection_metrics;

impl<R: Runtime> Server<R> {
    /// Returns every metric in the text format of Prometheus, to be served as
    /// `text/plain; version=0.0.4`.
    pub fn metrics_text(&self) -> String {
        let shared = self.shared();
        let now = shared.runtime.now();
        let seen = shared.with_notes(|pods, notes| Seen {
            counters: pods.counters(),
            ready: pods.readiness().is_ready(),
            pods: pods.pod_count(),
            watches: pods.watch_count(),
            queued_events: pods.queued_events(),
            sources: pods
                .sources()
                .map(|view| {
                    let notes = pods.source(view.name).and_then(|id| notes.get(&id));
                    Source {
                        name: view.name.to_owned(),
                        kind: view.kind,
                        state: view.state,
                        counts: view.counts,
                        age_nanos: view.last_news.map(|news| now.nanos_since(news)),
                        problems: notes.map_or(0, |notes| notes.problems),
                        outdated: notes.map_or(0, |notes| notes.outdated),
                        stale: notes.is_some_and(|notes| notes.stale),
                    }
                })
                .collect(),
        });
        let requests = shared.meters.requests();
        let mut page = Page::default();
        if !shared.node_name.is_empty() {
            page.begin(
                "podsapi_node_info",
                GAUGE,
                "1, with the name of the node whose pods are served.",
            );
            page.sample("podsapi_node_info", &[("node", &shared.node_name)], 1);
        }
        kubelet_metrics(&mut page, &requests, &seen.counters);
        service_metrics(&mut page, &seen);
        projection_metrics(&mut page, &seen.counters);
        source_metrics(&mut page, &seen.sources);
        shared.driver_metrics(&mut page, &requests);
        page.into_text()
    }
}

/// What is read under the lock, to be printed outside of it.
struct Seen {
    counters: Counters,
    ready: bool,
    pods: usize,
    watches: usize,
    queued_events: usize,
    sources: Vec<Source>,
}

struct Source {
    name: String,
    kind: SourceKind,
    state: SourceState,
    counts: SourceCounts,
    age_nanos: Option<u64>,
    problems: u64,
    outdated: u64,
    stale: bool,
}

fn service_metrics(page: &mut Page, seen: &Seen) {
    let counters = &seen.counters;
    let rows: [(&str, &str, &str, u64); 15] = [
        (
            "podsapi_ready",
            GAUGE,
            "1 once every source has told all its pods.",
            seen.ready.into(),
        ),
        (
            "podsapi_pods",
            GAUGE,
            "Pods that are served.",
            seen.pods as u64,
        ),
        (
            "podsapi_watches",
            GAUGE,
            "Watches that are open.",
            seen.watches as u64,
        ),
        (
            "podsapi_watch_queued_events",
            GAUGE,
            "Changes that watches have not read yet, over all watches.",
            seen.queued_events as u64,
        ),
        (
            "podsapi_watch_events_delivered_total",
            COUNTER,
            "Live events that watches have read.",
            counters.watch_events_delivered,
        ),
        (
            "podsapi_watch_events_coalesced_total",
            COUNTER,
            "Live events that were folded into a later state of the same pod.",
            counters.watch_events_coalesced,
        ),
        (
            "podsapi_watch_events_uncompared_total",
            COUNTER,
            "Live events that were sent through a mask although nothing that it selects may differ.",
            counters.watch_events_uncompared,
        ),
        (
            "podsapi_watch_events_discarded_total",
            COUNTER,
            "Live events that could still have been read when their watch ended.",
            counters.watch_events_discarded,
        ),
        (
            "podsapi_watch_initial_pods_total",
            COUNTER,
            "Pods sent to watches before their sync marker.",
            counters.watch_snapshot_pods,
        ),
        (
            "podsapi_watches_refused_total",
            COUNTER,
            "Watches refused because too many were open, in all or of one user.",
            counters.watches_refused,
        ),
        (
            "podsapi_rate_limited_total",
            COUNTER,
            "Calls refused by the rate limit.",
            counters.rate_limited,
        ),
        (
            "podsapi_rate_peers",
            GAUGE,
            "Peers that have a rate of their own now.",
            counters.rate_peers,
        ),
        (
            "podsapi_rate_crowded_total",
            COUNTER,
            "Calls of peers that shared a rate because too many others had their own.",
            counters.rate_crowded,
        ),
        (
            "podsapi_pod_changes_total",
            COUNTER,
            "Served pods that appeared, changed or went away.",
            counters.changes,
        ),
        (
            "podsapi_pod_conflicts_total",
            COUNTER,
            "Times that a source came to own a pod that another source owned too.",
            counters.conflicts,
        ),
    ];
    for (name, kind, help, value) in rows {
        page.single(name, kind, help, value);
    }
}

/// The names, labels and meanings of a kubelet's own metrics of this API.
fn kubelet_metrics(page: &mut Page, requests: &Requests, counters: &Counters) {
    let by_method = [
        (
            "kubelet_pod_requests_total",
            "Calls of the pods API that ended.",
            &Method::ALL[..],
        ),
        (
            "kubelet_pod_requests_list_total",
            "Calls of ListPods that ended.",
            &[Method::ListPods],
        ),
        (
            "kubelet_pod_requests_get_total",
            "Calls of GetPod that ended.",
            &[Method::GetPod],
        ),
        (
            "kubelet_pod_requests_watch_total",
            "Calls of WatchPods that ended.",
            &[Method::WatchPods],
        ),
    ];
    for (name, help, methods) in by_method {
        page.begin(name, COUNTER, help);
        for dialect in Dialect::ALL {
            for code in Code::ALL {
                let count: u64 = methods
                    .iter()
                    .map(|&method| requests.ended(dialect, method, code))
                    .sum();
                if count > 0 {
                    let labels = [
                        ("server_api_version", dialect.metric_name()),
                        ("status_code", code.metric_name()),
                    ];
                    page.sample(name, &labels, count);
                }
            }
        }
    }
    page.single(
        "kubelet_pod_watch_events_dropped_total",
        COUNTER,
        "Watch events that were not delivered because the queue of their watch was full.",
        counters.watch_events_dropped,
    );
}

fn source_metrics(page: &mut Page, sources: &[Source]) {
    page.begin(
        "podsapi_source_state",
        GAUGE,
        "1 for the state that the source is in, 0 for others.",
    );
    for source in sources {
        for (state, name) in STATES {
            let labels = [
                ("source", &*source.name),
                ("kind", source.kind.as_str()),
                ("state", name),
            ];
            page.sample(
                "podsapi_source_state",
                &labels,
                u8::from(source.state == state),
            );
        }
    }
    page.begin(
        "podsapi_source_age_seconds",
        GAUGE,
        "Seconds since the source last told anything; absent when it never did.",
    );
    for source in sources {
        if let Some(nanos) = source.age_nanos {
            page.sample(
                "podsapi_source_age_seconds",
                &source.labels(),
                Seconds(nanos),
            );
        }
    }
    let rows: [SourceRow; 8] = [
        (
            "podsapi_source_pods",
            GAUGE,
            "Pods that the source speaks of.",
            |one| one.counts.pods,
        ),
        (
            "podsapi_source_shadowed_pods",
            GAUGE,
            "Pods of the source that are served from a source of higher precedence.",
            |one| one.counts.shadowed,
        ),
        (
            "podsapi_source_outdated_pods",
            GAUGE,
            "Pods of the source that are served in an older state, since the newer one was refused.",
            |one| one.outdated,
        ),
        (
            "podsapi_source_stale",
            GAUGE,
            "1 while the pods of the source are those of an earlier run.",
            |one| one.stale.into(),
        ),
        (
            "podsapi_source_lists_total",
            COUNTER,
            "Full lists that the source completed.",
            |one| one.counts.lists,
        ),
        (
            "podsapi_source_losses_total",
            COUNTER,
            "Times that the source was lost.",
            |one| one.counts.losses,
        ),
        (
            "podsapi_source_refused_total",
            COUNTER,
            "Events of the source that were refused for their order, size or number.",
            |one| one.counts.refused,
        ),
        (
            "podsapi_source_problems_total",
            COUNTER,
            "Problems that the source reported.",
            |one| one.problems,
        ),
    ];
    for (name, kind, help, value) in rows {
        page.begin(name, kind, help);
        for source in sources {
            page.sample(name, &source.labels(), value(source));
        }
    }
}

/// A metric of each source: name, type, help, value.
type SourceRow = (&'static str, &'static str, &'static str, fn(&Source) -> u64);

impl Source {
    fn labels(&self) -> [(&'static str, &str); 2] {
        [("source", &self.name), ("kind", self.kind.as_str())]
    }
}

impl<R: Runtime> Shared<R> {
    /// Adds what the driver itself counts.
    fn driver_metrics(&self, page: &mut Page, requests: &Requests) {
        let meters = &self.meters;
        let rows: [(&str, &str, &str, u64); 11] = [
            (
                "podsapi_connections",
                GAUGE,
                "Connections that are open.",
                self.connections.taken() as u64,
            ),
            (
                "podsapi_connections_total",
                COUNTER,
                "Connections that were served.",
                meters.connections_accepted.value(),
            ),
            (
                "podsapi_connections_refused_total",
                COUNTER,
                "Connections that were closed because too many were open.",
                meters.connections_refused.value(),
            ),
            (
                "podsapi_streams_refused_total",
                COUNTER,
                "Streams refused because too many were open on their connection.",
                meters.streams_refused.value(),
            ),
            (
                "podsapi_calls",
                GAUGE,
                "Calls in progress.",
                self.calls.taken() as u64,
            ),
            (
                "podsapi_request_bytes",
                GAUGE,
                "Bytes of requests that have not ended, beyond those that every call may have.",
                self.request_bytes.taken() as u64,
            ),
            (
                "podsapi_reply_bytes",
                GAUGE,
                "Bytes that replies keep which wait to be read; those of one list count once.",
                self.unread.bytes() as u64,
            ),
            (
                "podsapi_calls_unknown_total",
                COUNTER,
                "Calls that named no method of this server or were no gRPC.",
                meters.calls_unknown.value(),
            ),
            (
                "podsapi_calls_panicked_total",
                COUNTER,
                "Calls ended by a bug in the server.",
                meters.panics.value(),
            ),
            (
                "podsapi_received_bytes_total",
                COUNTER,
                "Bytes read from connections.",
                meters.received.value(),
            ),
            (
                "podsapi_sent_bytes_total",
                COUNTER,
                "Bytes written to connections.",
                meters.sent.value(),
            ),
        ];
        for (name, kind, help, value) in rows {
            page.single(name, kind, help, value);
        }
        tally(
            page,
            "podsapi_connections_ended_total",
            "Connections that the server ended by itself, by the reason.",
            "reason",
            &meters.connections_ended,
        );
        tally(
            page,
            "podsapi_calls_refused_total",
            "Calls refused for a bound on calls, request bytes or reflection, by what met it.",
            "reason",
            &meters.calls_refused,
        );
        tally(
            page,
            "podsapi_replies_refused_total",
            "Calls refused because too many bytes of replies waited to be read, by whose.",
            "limit",
            &meters.replies_refused,
        );
        peers(
            page,
            "podsapi_connections_by_user_total",
            "Connections that were served, by the user id of the peer.",
            &meters.served_peers.counts(),
        );
        peers(
            page,
            "podsapi_connections_refused_by_user_total",
            "Connections that were closed because too many were open, by the user id of the peer.",
            &meters.refused_peers.counts(),
        );
        durations(page, requests);
    }
}

/// A number for each reason, those that are 0 too.
fn tally<T: Counted>(page: &mut Page, name: &str, help: &str, label: &str, tally: &Tally<T>) {
    page.begin(name, COUNTER, help);
    for (reason, count) in tally.values() {
        page.sample(name, &[(label, reason)], count);
    }
}

/// Connections by the user who made them.
fn peers(page: &mut Page, name: &str, help: &str, counts: &PeerCounts) {
    page.begin(name, COUNTER, help);
    for (user, count) in &counts.by_user {
        page.sample(name, &[("uid", &user.to_string())], count);
    }
    page.sample(name, &[("uid", "other")], counts.others);
}

/// How long unary calls took; a watch takes as long as its reader likes.
fn durations(page: &mut Page, requests: &Requests) {
    const NAME: &str = "podsapi_request_seconds";
    page.begin(
        NAME,
        "histogram",
        "Seconds from the headers of a unary call to its end.",
    );
    for method in [Method::GetPod, Method::ListPods] {
        let durations = requests.durations(method);
        let bounds = BUCKETS_NANOS
            .iter()
            .map(|&(_, bound)| bound)
            .chain(["+Inf"]);
        let mut total = 0;
        for (bound, count) in bounds.zip(durations.counts) {
            total += count;
            let labels = [("method", method.name()), ("le", bound)];
            page.sample("podsapi_request_seconds_bucket", &labels, total);
        }
        let labels = [("method", method.name())];
        page.sample(
            "podsapi_request_seconds_sum",
            &labels,
            Seconds(durations.sum_nanos),
        );
        page.sample("podsapi_request_seconds_count", &labels, total);
    }
}

const COUNTER: &str = "counter";
const GAUGE: &str = "gauge";

/// The states of a source with their names, the same as in diagnostics.
const STATES: [(SourceState, &str); 4] = [
    (SourceState::Silent, "waiting"),
    (SourceState::Listing, "syncing"),
    (SourceState::Live, "live"),
    (SourceState::Lost, "lost"),
];

#[cfg(test)]
mod tests;
