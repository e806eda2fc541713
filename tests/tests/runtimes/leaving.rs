//! A peer that leaves in the middle of a reply costs its connection; the process hears of no SIGPIPE.
//!
//! Rust's start-up ignores that signal, but a host in another language may not, and would end by it.
//! Each test is a process of its own: the disposition of a signal belongs to all of it, and others
//! write to closed sockets too.

use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use nix::sys::signal::{Signal, raise};
use podsapi_core::SourceEvent;
use podsapi_test_process as child_process;
use podsapi_tests::frames::{PREFACE, flag, frame, kind, message, setting, settings};
use podsapi_tests::frames::{block, window_update};
use podsapi_tests::pods::SamplePod;
use podsapi_tests::raw_client::request;
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::{sleep, timeout};

use crate::hosts::{Host, Running, Setup, Smol, Tokio};

/// Longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(30);

/// The list is several times as long as what a socket holds, so the server waits in the middle of it.
const PODS: usize = 64;
const LABEL_BYTES: usize = 64 << 10;
const WINDOW_BYTES: u32 = 16 << 20;

#[test]
fn on_smol_a_peer_that_leaves_raises_no_signal() {
    alone::<Smol>("leaving::on_smol_a_peer_that_leaves_raises_no_signal");
}

#[test]
fn on_tokio_a_peer_that_leaves_raises_no_signal() {
    alone::<Tokio>("leaving::on_tokio_a_peer_that_leaves_raises_no_signal");
}

fn alone<H: Host>(name: &str) {
    if !child_process::is_child() {
        return child_process::run(name, "", Stdio::null(), &[]);
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let all = async { timeout(PATIENCE, peers_leave::<H>()).await.unwrap() };
    runtime.block_on(all);
}

async fn peers_leave<H: Host>() {
    // A handler in the place of the ignored signal: from here on a signal that is raised is told.
    let mut broken_pipe = signal(SignalKind::pipe()).unwrap();
    let mut marker = signal(SignalKind::user_defined1()).unwrap();
    let running = Running::<H>::start(Setup::default());
    for number in 1..=PODS {
        let (name, uid) = (format!("pod-{number}"), format!("uid-{number}"));
        let pod = SamplePod::new("default", &name, &uid).label("long", &"x".repeat(LABEL_BYTES));
        let pod = pod.parse();
        running.say(SourceEvent::Put { pod, at: 0 });
    }
    let ended = async || {
        while running.connections() > 0 {
            sleep(Duration::from_millis(1)).await;
        }
    };
    drop(in_the_middle_of_a_reply(&running.path()));
    ended().await;
    // Who only stops reading is not seen to leave before something is written to it; what it reads
    // here was written before, and makes room.
    let mut deaf = in_the_middle_of_a_reply(&running.path());
    deaf.shutdown(Shutdown::Read).unwrap();
    io::copy(&mut deaf, &mut io::sink()).unwrap();
    ended().await;
    running.stop().await;
    // Signals are told in one go, so this one comes no earlier than what was raised before it.
    raise(Signal::SIGUSR1).unwrap();
    tokio::select! {
        biased;
        _ = broken_pipe.recv() => panic!("SIGPIPE was raised"),
        _ = marker.recv() => {}
    }
    raise(Signal::SIGPIPE).unwrap();
    broken_pipe.recv().await.unwrap();
}

/// Asks for the list and reads its beginning.
fn in_the_middle_of_a_reply(path: &Path) -> UnixStream {
    let mut socket = UnixStream::connect(path).unwrap();
    socket.set_read_timeout(Some(PATIENCE)).unwrap();
    let window = settings(&[(setting::INITIAL_WINDOW_SIZE, WINDOW_BYTES)]);
    let fields = block(&request("/v1alpha1.Pods/ListPods"));
    let call = [
        PREFACE,
        &window,
        &window_update(0, WINDOW_BYTES),
        &frame(kind::HEADERS, flag::END_HEADERS, 1, &fields),
        &frame(kind::DATA, flag::END_STREAM, 1, &message(&[])),
    ];
    socket.write_all(&call.concat()).unwrap();
    socket.read_exact(&mut [0; LABEL_BYTES]).unwrap();
    socket
}
