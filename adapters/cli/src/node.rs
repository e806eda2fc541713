//! A server of pods with its sources running, as `serve` and `demo` need it.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Mutex;

use podsapi_core::{
    Config, Moment, Pods, SourceConfig, SourceError, SourceEvent, SourceId, SourceKind,
};
use podsapi_h2::{Limits, Runtime, Server};
use podsapi_sources::{Sink, kubelet, kubelet_http, manifests, simulated, snapshot};
use podsapi_tokio::TokioRuntime;

use crate::args::Simulation;

/// Where pods come from.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    Kubelet(PathBuf),
    KubeletHttp(kubelet_http::Options),
    Manifests(PathBuf),
    Simulated(Simulation),
    Snapshot(PathBuf),
}

impl Source {
    /// Returns the source's name, for logs, metrics and diagnostics, and its rank among others.
    fn config(&self) -> SourceConfig {
        match self {
            Self::Kubelet(_) => SourceConfig::new("kubelet", SourceKind::Kubelet),
            Self::KubeletHttp(_) => SourceConfig::new("kubelet-http", SourceKind::Kubelet),
            Self::Manifests(_) => SourceConfig::new("manifests", SourceKind::Manifests),
            Self::Simulated(_) => SourceConfig::new("simulated", SourceKind::Simulated),
            Self::Snapshot(_) => SourceConfig::new("snapshot", SourceKind::Snapshot),
        }
    }

    /// Runs until the source cannot go on.
    async fn run(self, node_name: String, sink: Sink) -> SourceError {
        let ended = match self {
            Self::Kubelet(socket) => kubelet::run(kubelet::Options::new(socket), sink).await,
            Self::KubeletHttp(options) => kubelet_http::run(options, sink).await,
            Self::Manifests(directory) => {
                manifests::run(manifests::Options::new(directory, node_name), sink).await
            }
            Self::Simulated(simulation) => {
                let options = simulated::Options {
                    pods: usize::try_from(simulation.pods).unwrap_or(usize::MAX),
                    changes_per_second: simulation.changes_per_second,
                    seed: simulation.seed,
                    node_name,
                };
                simulated::run(options, sink).await
            }
            Self::Snapshot(file) => snapshot::run(snapshot::Options::new(file), sink).await,
        };
        match ended {
            Ok(never) => match never {},
            Err(error) => error,
        }
    }
}

/// Returns a server of what `sources` tell, and starts them.
///
/// A source that ends, even by a panic, is reported and leaves its pods behind; the server goes on.
pub(crate) fn start(
    config: Config,
    limits: Limits,
    sources: Vec<Source>,
    node_name: &str,
) -> Server<TokioRuntime> {
    let runtime = TokioRuntime::new();
    let configured = sources.iter().map(Source::config).collect();
    let config = Config {
        sources: configured,
        ..config
    };
    let now: Moment = runtime.now();
    let server = Server::new(Pods::new(config, now), limits, runtime);
    for source in sources {
        let name = source.config().name;
        let Some(id) = server.with_pods(|pods| pods.source(&name)) else {
            // Each kind of source comes once, under its own name.
            tracing::error!(source = name, "the source is not known and does not run");
            continue;
        };
        let running = source.run(node_name.to_owned(), sink(&server, id));
        tokio::spawn(supervise(server.clone(), id, name, running));
    }
    server
}

fn sink(server: &Server<TokioRuntime>, id: SourceId) -> Sink {
    let (events, problems) = (server.clone(), server.clone());
    let conflicts = Conflicts::default();
    Sink::new(
        move |event| {
            let complete = matches!(event, SourceEvent::Complete { .. });
            events.handle_source(id, event)?;
            if complete {
                conflicts.report(&events);
            }
            Ok(())
        },
        move |problem| problems.source_problem(id, problem),
        TokioRuntime::wall_seconds,
    )
}

/// Runs a source on a task of its own, and says so when it ended.
async fn supervise(
    server: Server<TokioRuntime>,
    id: SourceId,
    name: String,
    source: impl Future<Output = SourceError> + Send + 'static,
) {
    let cause = match tokio::spawn(source).await {
        Ok(error) => error.to_string(),
        Err(panic) => panic.to_string(),
    };
    tracing::error!(
        source = name,
        cause,
        "the source ended; its pods stay as they are"
    );
    server.source_problem(id, Some(format!("the source ended: {cause}")));
    if let Err(error) = server.handle_source(id, SourceEvent::Lost) {
        tracing::error!(source = name, %error, "the loss of the source was refused");
    }
}

/// The pods that two sources own, as far as the log has said so.
#[derive(Debug, Default)]
struct Conflicts {
    reported: Mutex<BTreeSet<String>>,
}

impl Conflicts {
    fn report(&self, server: &Server<TokioRuntime>) {
        let found: BTreeSet<String> = server.with_pods(|pods| {
            let conflicts = pods.conflicts();
            let texts = conflicts.map(|conflict| {
                format!(
                    "{}: {} wins over {}",
                    conflict.uid.as_str(),
                    conflict.served,
                    conflict.shadowed
                )
            });
            texts.collect()
        });
        // A log line in doubt is no reason to stop: the set stays usable after a panic elsewhere.
        let mut reported = self
            .reported
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        for conflict in found.difference(&reported) {
            tracing::warn!(conflict, "two sources own one pod");
        }
        *reported = found;
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use podsapi_core::EncodedPod;
    use podsapi_proto::core_v1::Pod;
    use podsapi_proto::diagnostics::SourceState;
    use podsapi_proto::meta_v1::ObjectMeta;
    use prost::Message;

    use super::*;

    fn server() -> (Server<TokioRuntime>, SourceId) {
        let source = SourceConfig::new("snapshot", SourceKind::Snapshot);
        let config = Config {
            sources: vec![source],
            ..Config::default()
        };
        let runtime = TokioRuntime::new();
        let pods = Pods::new(config, runtime.now());
        let server = Server::new(pods, Limits::default(), runtime);
        let id = server.with_pods(|pods| pods.source("snapshot")).unwrap();
        (server, id)
    }

    fn pod() -> EncodedPod {
        let metadata = ObjectMeta {
            uid: Some("u".to_owned()),
            ..ObjectMeta::default()
        };
        let pod = Pod {
            metadata: Some(metadata),
            ..Pod::default()
        };
        EncodedPod::parse(Bytes::from(pod.encode_to_vec())).unwrap()
    }

    #[tokio::test]
    async fn a_source_that_panics_is_reported_and_its_pods_stay() {
        let (server, id) = server();
        let sink = sink(&server, id);
        let source = async move {
            sink.begin()
                .and_then(|()| sink.put(pod()))
                .and_then(|()| sink.complete())
                .unwrap();
            panic!("out of luck");
        };
        supervise(server.clone(), id, "snapshot".to_owned(), source).await;
        let status = server.diagnostics();
        let [source] = status.sources.as_slice() else {
            panic!("{status:?}")
        };
        assert!(
            source.last_error.contains("out of luck"),
            "{}",
            source.last_error
        );
        assert_eq!(source.state(), SourceState::Lost);
        assert_eq!((status.ready, status.pods), (true, 1));
    }

    #[tokio::test]
    async fn a_source_that_ends_is_reported_with_its_error() {
        let (server, id) = server();
        let source = async { SourceError::UnknownSource };
        supervise(server.clone(), id, "snapshot".to_owned(), source).await;
        let expected = format!("the source ended: {}", SourceError::UnknownSource);
        assert_eq!(server.diagnostics().sources[0].last_error, expected);
        assert!(!server.diagnostics().ready);
    }
}
