//! A server of pods with its sources running, as `serve` and `demo` need it.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::path::PathBuf;
use std::sync::Mutex;

use podsapi_core::{
    Config, Moment, Pods, SourceConfig, SourceError, SourceEvent, SourceId, SourceKind,
};
use podsapi_h2::{Limits, Runtime, Server};
use podsapi_sources::{Sink, manifests, simulated, snapshot};
use podsapi_tokio::TokioRuntime;

use crate::args::Simulation;

/// Where pods come from.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    Manifests(PathBuf),
    Simulated(Simulation),
    Snapshot(PathBuf),
}

impl Source {
    /// Returns the source's name, for logs, metrics and diagnostics, and its rank among others.
    fn config(&self) -> SourceConfig {
        match self {
            Self::Manifests(_) => SourceConfig::new("manifests", SourceKind::Manifests),
            Self::Simulated(_) => SourceConfig::new("simulated", SourceKind::Simulated),
            Self::Snapshot(_) => SourceConfig::new("snapshot", SourceKind::Snapshot),
        }
    }

    /// Runs until the source cannot go on.
    async fn run(self, node_name: String, sink: Sink) -> SourceError {
        let ended = match self {
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
        let running = tokio::spawn(source.run(node_name.to_owned(), sink(&server, id)));
        let server = server.clone();
        tokio::spawn(async move {
            match running.await {
                Ok(error) => report_end(&server, id, &name, &error),
                Err(panic) => report_end(&server, id, &name, &panic),
            }
        });
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

fn report_end(server: &Server<TokioRuntime>, id: SourceId, name: &str, cause: &dyn Display) {
    tracing::error!(source = name, %cause, "the source ended; its pods stay as they are");
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
