//! Attacks that are about sockets, not about what is sent over them.

use std::io::IoSlice;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream as Socket;
use std::path::Path;
use std::time::Duration;

use nix::sys::socket::{ControlMessage, MsgFlags, sendmsg};
use podsapi_tests::frames::{PREFACE, settings};
use tokio::io::AsyncWriteExt;
use tokio::net::UnixStream;

use super::floods;

/// What is done to the socket.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    /// More connections than are allowed, all kept.
    Crowd,
    /// File descriptors are sent along.
    Descriptors,
    /// The client goes away while it is answered.
    Leave,
    /// Connections are opened and closed as fast as they can be.
    Storm,
}

pub(super) async fn attack(socket: &Path, kind: Kind) {
    match kind {
        Kind::Crowd => crowd(socket).await,
        Kind::Descriptors => descriptors(socket).await,
        Kind::Leave => leave(socket).await,
        Kind::Storm => storm(socket).await,
    }
}

/// Root and the server's own user have seven eighths of all connections at most together with
/// others; this process is both, so some room is left for the good client, which is in already.
async fn crowd(socket: &Path) {
    let mut held = Vec::new();
    for _ in 0..900 {
        if let Ok(stream) = UnixStream::connect(socket).await {
            held.push(stream);
        }
    }
    std::future::pending().await
}

async fn descriptors(socket: &Path) {
    let null = std::fs::File::open("/dev/null").unwrap();
    let passed = [null.as_raw_fd(); 100];
    let control = [ControlMessage::ScmRights(&passed)];
    loop {
        let Ok(stream) = Socket::connect(socket) else {
            tokio::time::sleep(Duration::from_millis(1)).await;
            continue;
        };
        stream.set_nonblocking(true).unwrap();
        let bytes = [PREFACE, &settings(&[])].concat();
        let sent = |bytes: &[u8]| {
            let bytes = [IoSlice::new(bytes)];
            sendmsg::<()>(
                stream.as_raw_fd(),
                &bytes,
                &control,
                MsgFlags::empty(),
                None,
            )
        };
        let _refused = sent(&bytes);
        for _ in 0..100 {
            if sent(&floods::pings(&mut floods::Streams::default())[..17]).is_err() {
                break;
            }
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

async fn leave(socket: &Path) {
    loop {
        let Ok(mut stream) = UnixStream::connect(socket).await else {
            tokio::time::sleep(Duration::from_millis(1)).await;
            continue;
        };
        let lists = floods::lists(&mut floods::Streams::default());
        let bytes = [PREFACE, &settings(&[]), &lists].concat();
        let _refused = stream.write_all(&bytes).await;
        let _readable = stream.readable().await;
    }
}

async fn storm(socket: &Path) {
    loop {
        for _ in 0..200 {
            drop(Socket::connect(socket));
        }
        tokio::task::yield_now().await;
    }
}
