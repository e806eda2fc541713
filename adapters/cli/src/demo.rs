//! `demo`: a simulated node on a temporary socket, seen by the real client.

use std::io::Write;

use podsapi_client::{BackoffOptions, Change, ClientOptions, Follow, FollowEvent};
use podsapi_core::Config;
use podsapi_h2::Limits;
use podsapi_sources::Reload;
use podsapi_tokio::{Listener, ServeOptions, SocketOptions, shutdown_signal};
use tokio::sync::oneshot;

use crate::args::{DemoArgs, Format, ReadArgs, Simulation, SocketArgs};
use crate::failure::Failure;
use crate::node::{self, Source};
use crate::watch::{Start, watch};
use crate::{read, say};

/// Serves and shows pods, once or until interrupted; leaves nothing behind.
pub(crate) async fn demo(args: &DemoArgs, out: &mut impl Write) -> Result<(), Failure> {
    let started = |error: &dyn std::fmt::Display| Failure::Start(error.to_string());
    let directory = tempfile::Builder::new().prefix("podsapi-demo-").tempdir();
    let directory = directory.map_err(|error| started(&error))?;
    let path = directory.path().join("pods.sock");
    let listener = Listener::bind(&SocketOptions::new(&path)).map_err(|error| started(&error))?;
    let source = Source::Simulated(SIMULATION);
    let server = node::start(
        Config::default(),
        Limits::default(),
        vec![source],
        None,
        "demo",
        &Reload::new(),
    );
    let (stop, stopped) = oneshot::channel::<()>();
    let options = ServeOptions::default();
    let serving = tokio::spawn(podsapi_tokio::serve(
        server,
        vec![listener],
        options,
        stopped,
    ));

    let reading = ReadArgs {
        socket: SocketArgs::of(path.clone()),
        namespace: None,
        output: Format::Table,
        fields: Vec::new(),
        fields_unchecked: false,
    };
    let showing = async {
        if args.once {
            synced(&path).await;
            return read::list(&reading, out).await;
        }
        say(format_args!(
            "a simulated node at {}; Ctrl-C ends",
            path.display()
        ));
        watch(&path, &reading, Start::Patient, out).await
    };
    let shown = tokio::select! {
        shown = showing => shown,
        () = shutdown_signal() => Ok(()),
    };
    // It may have ended by itself, which the result below tells.
    let _gone = stop.send(());
    match serving.await {
        Ok(Ok(())) => shown,
        Ok(Err(error)) => Err(started(&error)),
        Err(panic) => Err(started(&panic)),
    }
}

/// A node small enough to read, that changes often enough to see.
const SIMULATION: Simulation = Simulation {
    pods: 12,
    changes_per_second: 1.0,
    seed: 1,
};

/// Waits until the server has told all its pods.
async fn synced(path: &std::path::Path) {
    let mut follow = Follow::new(path, ClientOptions::default(), BackoffOptions::default());
    while !matches!(follow.next().await, FollowEvent::Change(Change::Synced)) {}
}
