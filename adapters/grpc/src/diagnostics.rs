//! What a server tells about itself when it is asked for its status.

use alloc::{
    string::{String, ToString},
    vec::Vec,
};
use core::cmp::Reverse;

use podsapi_core::{Moment, PeerKey, Pods, SourceState};
use podsapi_proto::{diagnostics, schema::SCHEMA_VERSION};

/// What the pods themselves do not know about their server.
#[derive(Clone, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "adapters fill in every field")]
pub struct Surroundings {
    /// Connections open now.
    pub connections: u64,
    /// When the server started.
    pub started: Moment,
    /// The node whose pods these are; empty when nobody said.
    pub node_name: String,
}

/// What the adapter noted about one source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "adapters fill in every field")]
pub struct SourceNotes {
    /// Events that were taken.
    pub events: u64,
    /// Problems that the source reported.
    pub problems: u64,
    /// Pods of it that are served in an older state, since the newer one was refused.
    pub outdated: u64,
    /// The trouble that it has now.
    pub last_error: Option<String>,
    /// Whether its pods are those of an earlier run.
    pub stale: bool,
}

/// Returns the answer to `GetStatus`; `notes` is asked for each source by its name.
pub fn status<'a>(
    pods: &'a Pods,
    surroundings: &Surroundings,
    notes: impl Fn(&str) -> Option<&'a SourceNotes>,
    now: Moment,
) -> diagnostics::GetStatusResponse {
    let readiness = pods.readiness();
    let mut views: Vec<_> = pods.sources().collect();
    views.sort_by_key(|view| view.kind);
    let sources = views.into_iter().map(|view| {
        let notes = notes(view.name).cloned().unwrap_or_default();
        diagnostics::Source {
            name: view.name.to_string(),
            kind: view.kind.as_str().to_string(),
            state: state(view.state).into(),
            seconds_since_news: view
                .last_news
                .map(|news| now.nanos_since(news) / NANOS_PER_SECOND),
            last_error: notes.last_error.unwrap_or_default(),
            pods: view.counts.pods,
            events: notes.events,
            refused: view.counts.refused,
            problems: notes.problems,
            shadowed: view.counts.shadowed,
            stale: notes.stale,
        }
    });
    diagnostics::GetStatusResponse {
        version: env!("CARGO_PKG_VERSION").to_string(),
        schema_version: SCHEMA_VERSION.to_string(),
        ready: readiness.is_ready(),
        waiting_for: readiness.waiting_for().to_vec(),
        sources: sources.collect(),
        pods: pods.pod_count() as u64,
        watches: pods.watch_count() as u64,
        connections: surroundings.connections,
        node_name: surroundings.node_name.clone(),
        uptime_seconds: now.nanos_since(surroundings.started) / NANOS_PER_SECOND,
        watches_behind: watches_behind(pods),
    }
}

/// Returns the watches that are furthest behind.
fn watches_behind(pods: &Pods) -> Vec<diagnostics::Watch> {
    let mut behind: Vec<_> = pods
        .watches()
        .filter(|watch| watch.is_listing || watch.behind > 0)
        .collect();
    behind.sort_unstable_by_key(|watch| {
        let peer = watch.peer.map(PeerKey::number);
        (Reverse(watch.behind), Reverse(watch.is_listing), peer)
    });
    let watches = behind.into_iter().take(MAX_WATCHES_TOLD);
    let watches = watches.map(|watch| diagnostics::Watch {
        peer: watch.peer.map(PeerKey::number),
        behind: watch.behind,
        listing: watch.is_listing,
    });
    watches.collect()
}

/// Watches that an answer names at most: what fits on a screen beside the rest.
const MAX_WATCHES_TOLD: usize = 10;

/// Returns the state of a source in the words of the diagnostics.
const fn state(state: SourceState) -> diagnostics::SourceState {
    match state {
        SourceState::Silent => diagnostics::SourceState::Waiting,
        SourceState::Listing => diagnostics::SourceState::Syncing,
        SourceState::Live => diagnostics::SourceState::Live,
        SourceState::Lost => diagnostics::SourceState::Lost,
    }
}

const NANOS_PER_SECOND: u64 = 1_000_000_000;

#[cfg(test)]
mod tests {
    use podsapi_core::{Config, SourceConfig, SourceEvent, SourceKind};

    use super::*;

    #[test]
    fn every_source_is_told_in_order_of_precedence_with_its_age() {
        let second = |seconds: u64| Moment::from_nanos(seconds * NANOS_PER_SECOND);
        let sources = [
            SourceConfig::new("made-up", SourceKind::Simulated),
            SourceConfig::new("files", SourceKind::Manifests),
        ];
        let config = Config {
            sources: sources.to_vec(),
            ..Config::default()
        };
        let mut pods = Pods::new(config, second(1));
        let files = pods.source("files").unwrap();
        pods.handle_source(files, SourceEvent::Begin, second(2))
            .unwrap();
        pods.handle_source(files, SourceEvent::Complete { at: 0 }, second(3))
            .unwrap();
        let noted = SourceNotes {
            events: 2,
            problems: 1,
            outdated: 0,
            last_error: Some("broken".into()),
            stale: true,
        };

        let surroundings = Surroundings {
            connections: 4,
            started: second(1),
            node_name: "n1".into(),
        };
        let notes = |name: &str| (name == "files").then_some(&noted);
        let status = status(&pods, &surroundings, notes, second(10));

        assert_eq!(
            (status.ready, status.connections, status.uptime_seconds),
            (false, 4, 9)
        );
        assert_eq!(status.waiting_for, ["made-up"]);
        assert_eq!(status.node_name, "n1");
        let [first, last] = &status.sources[..] else {
            panic!("{:?}", status.sources)
        };
        assert_eq!(
            (first.name.as_str(), first.kind.as_str()),
            ("files", "manifests")
        );
        assert_eq!(first.state(), diagnostics::SourceState::Live);
        assert_eq!((first.seconds_since_news, first.events), (Some(7), 2));
        assert_eq!((first.last_error.as_str(), first.problems), ("broken", 1));
        assert_eq!((first.stale, last.stale), (true, false));
        assert_eq!(last.state(), diagnostics::SourceState::Waiting);
        assert_eq!(last.seconds_since_news, None);
    }
}
