//! podsapi, with the runtime, configuration, bounds, log and metrics of the command.
//!
//! The command itself reads JSON, manifests or another server, none of which would leave the bytes
//! of the corpus alone or let a change come when it is asked for; its only source here is the
//! standard input.

use std::error::Error;

use podsapi_bench::{control, corpus};
use podsapi_core::{Config, EncodedPod, Pods, SourceConfig, SourceEvent, SourceId, SourceKind};
use podsapi_h2::{Limits, Runtime, Server};
use podsapi_tokio::{
    Listener, MetricsAddress, ServeOptions, SocketOptions, TokioRuntime, serve, shutdown_signal,
};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = control::Arguments::read()?;
    log();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let _inside = runtime.enter();
    let now = TokioRuntime::new();
    let config = Config {
        sources: vec![SourceConfig::new(SOURCE, SourceKind::Snapshot)],
        qps: 0,
        max_watches: MANY.try_into()?,
        ..Config::default()
    };
    let pods = Pods::new(config, now.now());
    let source = pods.source(SOURCE).ok_or("the source was just named")?;
    let limits = Limits {
        max_calls: usize::try_from(MANY)?,
        ..Limits::default()
    };
    let server = Server::new(pods, limits, now);
    let pods = corpus::read(&arguments.corpus)?;
    server.handle_source(source, SourceEvent::Begin)?;
    for pod in &pods {
        put(&server, source, pod.pod.clone())?;
    }
    let at = TokioRuntime::wall_seconds();
    server.handle_source(source, SourceEvent::Complete { at })?;
    // What changes is kept for the pods that the workloads change, and the file is not.
    let mut states: Vec<_> = pods
        .into_iter()
        .take(control::CHANGING)
        .map(|pod| [pod.pod, pod.changed])
        .collect();

    let listener = Listener::bind(&SocketOptions::new(arguments.socket.clone()))?;
    let options = ServeOptions {
        metrics: Some(MetricsAddress::Unix(
            arguments.socket.with_extension("metrics"),
        )),
        ..ServeOptions::default()
    };
    let serving = serve(server.clone(), vec![listener], options, shutdown_signal());
    runtime.spawn(serving);
    control::answer(|number| {
        if let Some(state) = states.get_mut(number) {
            state.reverse();
            let [pod, _] = state;
            if let Err(error) = put(&server, source, pod.clone()) {
                tracing::error!(%error, "a change was refused");
            }
        }
    })?;
    Ok(())
}

/// More watches than the command allows, for who measures how cost grows.
const MANY: u32 = 16_384;

const SOURCE: &str = "snapshot";

fn put(
    server: &Server<TokioRuntime>,
    source: SourceId,
    pod: bytes::Bytes,
) -> Result<(), Box<dyn Error>> {
    let pod = EncodedPod::parse(pod)?;
    let at = TokioRuntime::wall_seconds();
    Ok(server.handle_source(source, SourceEvent::Put { pod, at })?)
}

/// Writes messages as the command does, but not that it serves.
fn log() {
    let ours = Targets::new()
        .with_target("podsapi", LevelFilter::WARN)
        .with_target("h2", LevelFilter::ERROR)
        .with_default(LevelFilter::WARN);
    let lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr);
    tracing_subscriber::registry().with(lines).with(ours).init();
}
