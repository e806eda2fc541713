//! Your own store, served: `cargo run -p podsapi-tokio --example embed-tokio -- /tmp/pods.sock`

use std::collections::BTreeMap;
use std::error::Error;

use podsapi_core::{Config, EncodedPod, Pods, SourceConfig, SourceEvent, SourceKind};
use podsapi_h2::{Limits, Runtime, Server};
use podsapi_proto::{core_v1, meta_v1};
use podsapi_tokio::{Listener, ServeOptions, SocketOptions, TokioRuntime, serve, shutdown_signal};
use prost::Message;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("name the socket's path")?;
    let store = BTreeMap::from([("0001", "web"), ("0002", "db")]);

    let runtime = TokioRuntime::new();
    let sources = vec![SourceConfig::new("store", SourceKind::Simulated)];
    let pods = Pods::new(
        Config {
            sources,
            ..Config::default()
        },
        runtime.now(),
    );
    let source = pods.source("store").ok_or("the source was just named")?;
    let server = Server::new(pods, Limits::default(), runtime);

    // Whenever the store changes: Put and Remove. At the start: everything between Begin and Complete.
    server.handle_source(source, SourceEvent::Begin)?;
    for (uid, name) in store {
        let metadata = meta_v1::ObjectMeta {
            uid: Some(uid.to_owned()),
            name: Some(name.to_owned()),
            namespace: Some("default".to_owned()),
            ..Default::default()
        };
        let pod = core_v1::Pod {
            metadata: Some(metadata),
            ..Default::default()
        };
        let pod = EncodedPod::parse(pod.encode_to_vec().into())?;
        server.handle_source(
            source,
            SourceEvent::Put {
                pod,
                at: TokioRuntime::wall_seconds(),
            },
        )?;
    }
    server.handle_source(
        source,
        SourceEvent::Complete {
            at: TokioRuntime::wall_seconds(),
        },
    )?;

    let listener = Listener::bind(&SocketOptions::new(path))?;
    serve(
        server,
        vec![listener],
        ServeOptions::default(),
        shutdown_signal(),
    )
    .await?;
    Ok(())
}
