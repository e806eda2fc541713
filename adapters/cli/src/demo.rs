//! `demo`: a simulated node on a temporary socket, seen by the real client.

use std::fs::{self, Permissions};
use std::future::{Future, pending, poll_fn};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::pin::pin;
use std::task::Poll;

use podsapi_client::{BackoffOptions, Change, ClientOptions, Follow, FollowEvent};
use podsapi_core::Config;
use podsapi_h2::Limits;
use podsapi_sources::Reload;
use podsapi_tokio::{Listener, ServeOptions, SocketOptions, shutdown_signal};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::oneshot;

use crate::args::{DemoArgs, Format, ReadArgs, Simulation, SocketArgs};
use crate::failure::Failure;
use crate::node::{self, Source};
use crate::watch::{Start, watch};
use crate::{read, say};

/// Serves and shows pods, once or until interrupted; leaves nothing behind.
pub(crate) async fn demo(args: &DemoArgs, out: &mut impl Write) -> Result<(), Failure> {
    let started = |error: &dyn std::fmt::Display| Failure::Start(error.to_string());
    // From here on no signal of these ends the process before the folder is gone.
    let mut told_to_end = pin!(told_to_end());
    if poll_fn(|cx| Poll::Ready(told_to_end.as_mut().poll(cx).is_ready())).await {
        return Ok(());
    }
    let folder = Folder::make().map_err(|error| {
        let place = std::env::temp_dir();
        let text = format!(
            "no folder can be made in {}: {error}; set TMPDIR to a folder that this user may write",
            place.display()
        );
        Failure::Start(text)
    })?;
    let path = folder.path.join("pods.sock");
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
        () = told_to_end => Ok(()),
    };
    // It may have ended by itself, which the result below tells.
    let _gone = stop.send(());
    match serving.await {
        Ok(Ok(())) => shown,
        Ok(Err(error)) => Err(started(&error)),
        Err(panic) => Err(started(&panic)),
    }
}

/// Completes when the process is asked to stop, or its terminal goes away.
async fn told_to_end() {
    let lost = async |kind| match signal(kind) {
        Ok(mut signal) => {
            signal.recv().await;
        }
        Err(_cannot_be_caught) => pending().await,
    };
    tokio::select! {
        () = shutdown_signal() => {}
        () = lost(SignalKind::hangup()) => {}
        () = lost(SignalKind::quit()) => {}
    }
}

/// A temporary folder that only this user may enter.
struct Folder {
    path: PathBuf,
}

impl Folder {
    fn make() -> io::Result<Self> {
        let folder = tempfile::Builder::new()
            .prefix("podsapi-demo-")
            .permissions(Permissions::from_mode(0o700))
            .tempdir()?;
        Ok(Self {
            path: folder.keep(),
        })
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // The socket removes itself. Only an empty folder goes, so that nothing is lost whatever
        // has its name by now.
        if let Err(error) = fs::remove_dir(&self.path) {
            say(format_args!("{}: {error}", self.path.display()));
        }
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
