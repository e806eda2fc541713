//! Your own store, served: `cargo run -p podsapi-smol --example embed-smol -- /tmp/pods.sock`

use std::{error::Error, sync::Arc};

use async_executor::Executor;
use async_signal::{Signal, Signals};
use futures_util::StreamExt;
use podsapi_core::{Config, EncodedPod, Pods, SourceConfig, SourceEvent, SourceKind};
use podsapi_h2::{Limits, Runtime, Server};
use podsapi_proto::{core_v1::Pod, meta_v1::ObjectMeta};
use podsapi_smol::{Listener, ServeOptions, SmolRuntime, SocketOptions, serve};
use prost::Message;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os()
        .nth(1)
        .ok_or("usage: embed-smol SOCKET")?;

    // A source is a name; nothing is served before its first list is complete.
    let executor = Arc::new(Executor::new());
    let runtime = SmolRuntime::new(executor.clone());
    let sources = vec![SourceConfig::new("mine", SourceKind::Snapshot)];
    let pods = Pods::new(
        Config {
            sources,
            ..Config::default()
        },
        runtime.now(),
    );
    let mine = pods.source("mine").ok_or("the source is not configured")?;
    let server = Server::new(pods, Limits::default(), runtime.clone());

    // The first list. Later changes are single words: Put, Remove. Deletions carry their time.
    let at = 0;
    server.handle_source(mine, SourceEvent::Begin)?;
    server.handle_source(
        mine,
        SourceEvent::Put {
            pod: pod("web", "uid-1")?,
            at,
        },
    )?;
    server.handle_source(mine, SourceEvent::Complete { at })?;

    let listener = Listener::bind(&SocketOptions::new(path))?;
    let mut signals = Signals::new([Signal::Term, Signal::Int])?;
    let serving = serve(
        server,
        runtime,
        vec![listener],
        ServeOptions::default(),
        signals.next(),
    );
    async_io::block_on(executor.run(serving))?;
    Ok(())
}

/// Pods are handed over encoded, as an API server or a kubelet has them.
fn pod(name: &str, uid: &str) -> Result<EncodedPod, Box<dyn Error>> {
    let metadata = ObjectMeta {
        name: Some(name.into()),
        namespace: Some("default".into()),
        uid: Some(uid.into()),
        ..ObjectMeta::default()
    };
    let pod = Pod {
        metadata: Some(metadata),
        ..Pod::default()
    };
    Ok(EncodedPod::parse(pod.encode_to_vec().into())?)
}
