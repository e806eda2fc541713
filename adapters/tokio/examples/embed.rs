//! Your own store, served: `cargo run -p podsapi-tokio --example embed-tokio -- /tmp/pods.sock`

use std::{error::Error, time::Duration};

use podsapi_core::{
    Config, EncodedPod, Pods, SourceConfig, SourceEvent, SourceId, SourceKind, Uid,
};
use podsapi_h2::{Limits, Runtime, Server};
use podsapi_proto::{core_v1::Pod, meta_v1::ObjectMeta};
use podsapi_tokio::{Listener, ServeOptions, SocketOptions, TokioRuntime, serve, shutdown_signal};
use prost::Message;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os()
        .nth(1)
        .ok_or("usage: embed-tokio SOCKET")?;

    // A source is a name; nothing is served before its first list is complete.
    let runtime = TokioRuntime::new();
    let config = Config {
        sources: vec![SourceConfig::new("mine", SourceKind::Snapshot)],
        ..Config::default()
    };
    let pods = Pods::new(config, runtime.now());
    let mine = pods.source("mine").ok_or("the source is not configured")?;
    let server = Server::new(pods, Limits::default(), runtime);

    // The first list is what comes between Begin and Complete.
    let at = TokioRuntime::wall_seconds();
    server.handle_source(mine, SourceEvent::Begin)?;
    let pod = pod("web", "uid-0")?;
    server.handle_source(mine, SourceEvent::Put { pod, at })?;
    server.handle_source(mine, SourceEvent::Complete { at })?;

    let listener = Listener::bind(&SocketOptions::new(path))?;
    let options = ServeOptions::default();
    tokio::select! {
        served = serve(server.clone(), vec![listener], options, shutdown_signal()) => served?,
        changed = change(&server, mine) => changed?,
    }
    Ok(())
}

/// Stands for your store: while it is served, a pod comes and goes. Watches are told at once.
async fn change(server: &Server<TokioRuntime>, mine: SourceId) -> Result<(), Box<dyn Error>> {
    for number in 1_u64.. {
        let uid = format!("uid-{number}");
        let pod = pod("job", &uid)?;
        let at = TokioRuntime::wall_seconds();
        server.handle_source(mine, SourceEvent::Put { pod, at })?;
        tokio::time::sleep(Duration::from_secs(1)).await;
        let uid = Uid::new(&uid);
        let at = TokioRuntime::wall_seconds();
        server.handle_source(mine, SourceEvent::Remove { uid, at })?;
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
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
