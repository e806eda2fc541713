//! A server of pods with its sources running, as `serve` and `demo` need it.

use std::collections::BTreeSet;
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Mutex;

use podsapi_core::{
    Config, Moment, Pods, SourceConfig, SourceError, SourceEvent, SourceId, SourceKind,
};
use podsapi_h2::{Limits, Runtime, Server};
use podsapi_proto::json::printable;
use podsapi_sources::cri::{self, Word};
use podsapi_sources::manifests::ShownUids;
use podsapi_sources::view::NodeFacts;
use podsapi_sources::{
    Reload, Sink, apiserver, kubelet, kubelet_http, manifests, simulated, snapshot,
};
use podsapi_tokio::TokioRuntime;

use crate::args::Simulation;
use crate::joined::Joined;

/// Where pods come from.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    Apiserver(apiserver::Options),
    Kubelet(kubelet::Options),
    KubeletHttp(kubelet_http::Options),
    Manifests(manifests::Options),
    Simulated(Simulation),
    Snapshot(PathBuf),
}

impl Source {
    /// Returns the source's name, for logs, metrics and diagnostics, and its rank among others.
    fn config(&self) -> SourceConfig {
        match self {
            Self::Apiserver(_) => SourceConfig::new("apiserver", SourceKind::Apiserver),
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
            Self::Apiserver(options) => apiserver::run(options, sink).await,
            Self::Kubelet(options) => kubelet::run(options, sink).await,
            Self::KubeletHttp(options) => kubelet_http::run(options, sink).await,
            Self::Manifests(options) => manifests::run(options, sink).await,
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

/// What shows the state of the pods, beside those who own them.
#[derive(Clone, Debug)]
pub(crate) struct RuntimeSource {
    pub(crate) options: cri::Options,
    /// The addresses of pods on the node's own network.
    pub(crate) host_ips: Vec<IpAddr>,
}

impl RuntimeSource {
    fn config() -> SourceConfig {
        SourceConfig::new("cri", SourceKind::Cri)
    }
}

/// Returns a server of what `sources` tell, and starts them.
///
/// At a wish of `reload` they read anew what they have read. A source that ends, even by a panic, is
/// reported and leaves its pods behind; the server goes on.
pub(crate) fn start(
    config: Config,
    limits: Limits,
    sources: Vec<Source>,
    witness: Option<RuntimeSource>,
    node_name: &str,
    reload: &Reload,
) -> Server<TokioRuntime> {
    let runtime = TokioRuntime::new();
    let owners: Vec<_> = sources.iter().map(Source::config).collect();
    let mut configured = owners.clone();
    configured.extend(witness.iter().map(|_| RuntimeSource::config()));
    let config = Config {
        sources: configured,
        ..config
    };
    let now: Moment = runtime.now();
    let server = Server::of_node(node_name, Pods::new(config, now), limits, runtime);
    let joined = match needs_join(&owners, witness.is_some()) {
        true => join(&server, &owners, witness, node_name, shown(&sources)),
        false => None,
    };
    for (place, (source, owner)) in sources.into_iter().zip(owners).enumerate() {
        let sink = match &joined {
            Some(joined) => {
                let (conflicts, server) = (Conflicts::default(), server.clone());
                let name = owner.name.as_str();
                joined.sink(place, name, move || conflicts.report(&server))
            }
            None => match server.with_pods(|pods| pods.source(&owner.name)) {
                Some(id) => sink(&server, id, &owner.name),
                None => {
                    // Each kind of source comes once, under its own name.
                    tracing::error!(source = owner.name, "the source is not known");
                    continue;
                }
            },
        };
        let sink = sink.with_reload(reload);
        let running = source.run(node_name.to_owned(), sink.clone());
        tokio::spawn(supervise(owner.name, running, end(sink)));
    }
    server
}

/// Tells whether one pod may be known in more than one way: from several owners, as an API server's
/// mirror, or from a runtime. A join costs time for each change, which a single owner can save.
fn needs_join(owners: &[SourceConfig], witness: bool) -> bool {
    let mirrors = |owner: &SourceConfig| owner.kind == SourceKind::Apiserver;
    witness || owners.len() > 1 || owners.iter().any(mirrors)
}

/// Returns where the manifests' source is told which UIDs a kubelet gave its pods.
fn shown(sources: &[Source]) -> ShownUids {
    let mut of_manifests = sources.iter().filter_map(|source| match source {
        Source::Manifests(options) => Some(options.shown.clone()),
        Source::Apiserver(_)
        | Source::Kubelet(_)
        | Source::KubeletHttp(_)
        | Source::Simulated(_)
        | Source::Snapshot(_) => None,
    });
    of_manifests.next().unwrap_or_default()
}

/// Puts a join in front of the server and starts what shows the state of the pods, if anything does.
fn join(
    server: &Server<TokioRuntime>,
    owners: &[SourceConfig],
    witness: Option<RuntimeSource>,
    node_name: &str,
    shown: ShownUids,
) -> Option<Joined> {
    let host_ips = witness.iter().flat_map(|witness| &witness.host_ips);
    let node = NodeFacts {
        node_name: node_name.to_owned(),
        // The runtime tells it.
        runtime_name: String::new(),
        host_ips: host_ips.map(IpAddr::to_string).collect(),
    };
    let source = witness.is_some().then(RuntimeSource::config);
    let Some(joined) = Joined::new(server, owners, source.as_ref(), node, shown) else {
        tracing::error!("a source is not known");
        return None;
    };
    let (Some(witness), Some(source)) = (witness, source) else {
        return Some(joined);
    };
    let (ears, end) = (joined.clone(), joined.clone());
    let watching =
        async move { match cri::run(witness.options, move |word| ears.hear(word)).await {} };
    let end = move |cause| {
        end.hear(Word::Problem(Some(cause)));
        end.hear(Word::Lost);
        Ok(())
    };
    tokio::spawn(supervise(source.name, watching, end));
    tokio::spawn(joined.clone().keep_time());
    Some(joined)
}

fn sink(server: &Server<TokioRuntime>, id: SourceId, name: &str) -> Sink {
    let (events, problems) = (server.clone(), server.clone());
    let troubles = server.clone();
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
    .with_name(name)
    .with_wall_nanos(TokioRuntime::wall_nanos)
    .with_troubles(move |now| troubles.source_troubles(id, now.text, now.new, now.outdated))
}

/// Runs a source on a task of its own, and tells `end` why it ended.
async fn supervise(
    name: String,
    source: impl Future<Output = SourceError> + Send + 'static,
    end: impl FnOnce(String) -> Result<(), SourceError> + Send,
) {
    let cause = match tokio::spawn(source).await {
        Ok(error) => error.to_string(),
        Err(panic) => panic.to_string(),
    };
    let cause = printable(&cause).into_owned();
    tracing::error!(
        source = name,
        cause,
        "the source ended; its pods stay as they are"
    );
    if let Err(error) = end(format!("the source ended: {cause}")) {
        tracing::error!(source = name, %error, "the loss of the source was refused");
    }
}

/// Tells a sink that its source ended.
fn end(sink: Sink) -> impl FnOnce(String) -> Result<(), SourceError> + Send {
    move |cause| {
        sink.problem(Some(cause));
        sink.lost()
    }
}

/// The pods that two sources own, as far as the log has said so.
#[derive(Debug, Default)]
struct Conflicts {
    reported: Mutex<BTreeSet<String>>,
}

impl Conflicts {
    fn report(&self, server: &Server<TokioRuntime>) {
        let (known, found): (BTreeSet<_>, BTreeSet<_>) = server.with_pods(|pods| {
            let kind = |name: &str| Some(pods.sources().find(|view| view.name == name)?.kind);
            let conflicts = pods.conflicts();
            let texts = conflicts.map(|conflict| {
                let text = format!(
                    "{}: {} wins over {}",
                    printable(conflict.uid.as_str()),
                    conflict.served,
                    conflict.shadowed
                );
                let kinds = [conflict.served, conflict.shadowed].map(kind);
                let of_node = kinds.into_iter().all(|kind| kind.is_some_and(is_of_node));
                (conflict.same_name && of_node, text)
            });
            let (known, found): (Vec<_>, Vec<_>) = texts.partition(|(is_known, _)| *is_known);
            let texts = |all: Vec<(bool, String)>| all.into_iter().map(|(_, text)| text).collect();
            (texts(known), texts(found))
        });
        // A log line in doubt is no reason to stop: the set stays usable after a panic elsewhere.
        let mut reported = self
            .reported
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        for conflict in known.difference(&reported) {
            tracing::debug!(conflict, "two sources know one pod");
        }
        for conflict in found.difference(&reported) {
            tracing::warn!(conflict, "two sources own one pod");
        }
        *reported = &known | &found;
    }
}

/// Tells whether such a source tells what is on the node, so that several of them know one pod under
/// one UID: its manifest, its kubelet and its API server.
fn is_of_node(kind: SourceKind) -> bool {
    match kind {
        SourceKind::Manifests | SourceKind::Kubelet | SourceKind::Apiserver => true,
        SourceKind::Cri | SourceKind::Simulated | SourceKind::Snapshot => false,
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
        let sink = sink(&server, id, "snapshot");
        let end = end(sink.clone());
        let source = async move {
            sink.begin()
                .and_then(|()| sink.put(pod()))
                .and_then(|()| sink.complete())
                .unwrap();
            panic!("out of luck");
        };
        supervise("snapshot".to_owned(), source, end).await;
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
        let end = end(sink(&server, id, "snapshot"));
        supervise("snapshot".to_owned(), source, end).await;
        let expected = format!("the source ended: {}", SourceError::UnknownSource);
        assert_eq!(server.diagnostics().sources[0].last_error, expected);
        assert!(!server.diagnostics().ready);
    }
}
