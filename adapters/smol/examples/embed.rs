//! Your own store, served: `cargo run -p podsapi-smol --example embed-smol -- /tmp/pods.sock`

use std::{error::Error, pin::pin, sync::Arc, time::Duration};

use async_executor::Executor;
use async_io::Timer;
use async_signal::{Signal, Signals};
use futures_util::{
    StreamExt,
    future::{Either, select},
};
use podsapi_core::{
    Config, EncodedPod, Pods, SourceConfig, SourceEvent, SourceId, SourceKind, Uid,
};
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
    let config = Config {
        sources: vec![SourceConfig::new("mine", SourceKind::Snapshot)],
        ..Config::default()
    };
    let pods = Pods::new(config, runtime.now());
    let mine = pods.source("mine").ok_or("the source is not configured")?;
    let server = Server::new(pods, Limits::default(), runtime.clone());

    // The first list is what comes between Begin and Complete.
    let at = SmolRuntime::wall_seconds();
    server.handle_source(mine, SourceEvent::Begin)?;
    let pod = pod("web", "uid-0")?;
    server.handle_source(mine, SourceEvent::Put { pod, at })?;
    server.handle_source(mine, SourceEvent::Complete { at })?;

    let listeners = vec![Listener::bind(&SocketOptions::new(path))?];
    let mut signals = Signals::new([Signal::Term, Signal::Int])?;
    let options = ServeOptions::default();
    let serving = serve(server.clone(), runtime, listeners, options, signals.next());
    let (serving, changing) = (pin!(serving), pin!(change(&server, mine)));
    match async_io::block_on(executor.run(select(serving, changing))) {
        Either::Left((served, _)) => served?,
        Either::Right((changed, _)) => changed?,
    }
    Ok(())
}

/// Stands for your store: while it is served, a pod comes and goes. Watches are told at once.
async fn change(server: &Server<SmolRuntime>, mine: SourceId) -> Result<(), Box<dyn Error>> {
    for number in 1_u64.. {
        let uid = format!("uid-{number}");
        let pod = pod("job", &uid)?;
        let at = SmolRuntime::wall_seconds();
        server.handle_source(mine, SourceEvent::Put { pod, at })?;
        Timer::after(Duration::from_secs(1)).await;
        let uid = Uid::new(&uid);
        let at = SmolRuntime::wall_seconds();
        server.handle_source(mine, SourceEvent::Remove { uid, at })?;
        Timer::after(Duration::from_secs(1)).await;
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
