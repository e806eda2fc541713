//! What all clients of one server count together, to be held against the server's own numbers.

use std::collections::BTreeMap;
use std::sync::Mutex;

use podsapi_core::{Code, Config, Dialect, Method, SlowWatch};
use podsapi_h2::Server;

use super::reach::Reach;
use super::world::{World, lock};

/// Calls that clients made and how they saw them end.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    sent: Mutex<BTreeMap<(Dialect, Method), u64>>,
    ended: Mutex<BTreeMap<(Dialect, Method, Code), u64>>,
}

impl Ledger {
    /// Counts a call that a client made.
    pub(super) fn sent(&self, dialect: Dialect, method: Method) {
        *lock(&self.sent).entry((dialect, method)).or_default() += 1;
    }

    /// Counts a call whose status a client read.
    pub(super) fn ended(&self, dialect: Dialect, method: Method, code: Code) {
        *lock(&self.ended)
            .entry((dialect, method, code))
            .or_default() += 1;
    }

    /// Returns how many statuses clients read.
    pub(super) fn statuses(&self) -> u64 {
        lock(&self.ended).values().sum()
    }

    /// Holds the numbers of a server that has ended against these, and against each other.
    ///
    /// # Panics
    ///
    /// When they do not add up.
    pub(super) fn check(&self, world: &World, config: &Config, server: &Server<World>) {
        let text = server.metrics_text();
        let number = |series: &str| -> Option<u64> {
            let line = |line: &str| line.strip_prefix(series)?.strip_prefix(' ')?.parse().ok();
            text.lines().find_map(line)
        };
        for nothing in [
            "podsapi_calls",
            "podsapi_calls_panicked_total",
            "podsapi_connections",
            "podsapi_watches",
        ] {
            assert_eq!(number(nothing), Some(0), "{nothing} after the end");
        }
        let (sent, ended) = (lock(&self.sent), lock(&self.ended));
        for (dialect, method) in pairs() {
            let mut counted = 0;
            for code in Code::ALL {
                let name = match method {
                    Method::GetPod => "get",
                    Method::ListPods => "list",
                    Method::WatchPods => "watch",
                };
                let labels = format!(
                    "server_api_version=\"{}\",status_code=\"{}\"",
                    dialect.metric_name(),
                    code.metric_name()
                );
                let at_server = number(&format!("kubelet_pod_requests_{name}_total{{{labels}}}"));
                let at_server = at_server.unwrap_or_default();
                let seen = ended.get(&(dialect, method, code)).copied();
                assert!(
                    at_server >= seen.unwrap_or_default(),
                    "{dialect:?} {method:?} {code:?}: {at_server} counted, {seen:?} seen"
                );
                counted += at_server;
                // A queue that overflows ends with the same status.
                let queues_overflow = config.slow_watch == SlowWatch::End;
                if (method, code) == (Method::WatchPods, Code::ResourceExhausted)
                    && !queues_overflow
                {
                    world.reached(Reach::WatchesGivenUp, at_server);
                }
            }
            let sent = sent.get(&(dialect, method)).copied().unwrap_or_default();
            assert!(
                counted <= sent,
                "{dialect:?} {method:?}: {counted} counted, {sent} sent"
            );
        }
        let events = server.with_pods(|pods| pods.counters());
        world.reached(Reach::EventsCoalesced, events.watch_events_coalesced);
        world.reached(Reach::EventsDiscarded, events.watch_events_discarded);
        world.reached(Reach::EventsDropped, events.watch_events_dropped);
        world.reached(Reach::RateLimited, events.rate_limited);
        let unread = server.with_pods(|pods| pods.queued_events());
        assert_eq!(unread, 0, "events of watches: {events:?}");
    }
}

fn pairs() -> impl Iterator<Item = (Dialect, Method)> {
    let methods = |dialect| Method::ALL.into_iter().map(move |method| (dialect, method));
    Dialect::ALL.into_iter().flat_map(methods)
}
