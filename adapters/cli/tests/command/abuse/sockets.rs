//! Attacks that are about sockets, not about what is sent over them.

use std::io::IoSlice;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use nix::sys::socket::{ControlMessage, MsgFlags, sendmsg};
use tokio::io::AsyncWriteExt;
use tokio::net::UnixStream;

use super::attacks::{beginning, connect};
use super::floods::{self, Streams};
use super::tally::Tally;

/// Descriptors in one message; the kernel takes 253.
const PASSED: usize = 100;

/// What is done to the socket.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    /// File descriptors are sent along, and bytes out of band.
    Descriptors,
    /// The client goes away while it is answered.
    Leave,
    /// Connections are opened and closed as fast as they can be.
    Storm,
}

pub(super) async fn attack(socket: PathBuf, kind: Kind, tally: Arc<Tally>) {
    match kind {
        Kind::Descriptors => descriptors(&socket, &tally).await,
        Kind::Leave => leave(&socket, &tally).await,
        Kind::Storm => storm(&socket, &tally).await,
    }
}

async fn descriptors(socket: &Path, tally: &Tally) {
    let null = std::fs::File::open("/dev/null").unwrap();
    let passed = [null.as_raw_fd(); PASSED];
    let control = [ControlMessage::ScmRights(&passed)];
    loop {
        let stream = connect(socket, tally).await;
        let send = |bytes: &[u8], control: &[ControlMessage<'_>], flags| {
            let slices = [IoSlice::new(bytes)];
            sendmsg::<()>(stream.as_raw_fd(), &slices, control, flags, None)
        };
        let mut next = beginning();
        for _ in 0..100 {
            // The first of the bytes takes them along.
            if send(&next, &control, MsgFlags::empty()).is_err() {
                break;
            }
            tally.wrote(&next);
            next = floods::pings(&mut Streams::default())[..17].to_vec();
        }
        let _unsupported = send(b"!", &[], MsgFlags::MSG_OOB);
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

async fn leave(socket: &Path, tally: &Tally) {
    loop {
        let mut stream = connect(socket, tally).await;
        let lists = floods::lists(&mut Streams::default());
        let bytes = [beginning(), lists].concat();
        if stream.write_all(&bytes).await.is_ok() {
            tally.wrote(&bytes);
        }
        let _readable = stream.readable().await;
    }
}

/// Whoever finds the socket's queue full goes on at once: that is the point.
async fn storm(socket: &Path, tally: &Tally) {
    loop {
        for _ in 0..200 {
            match UnixStream::connect(socket).await {
                Ok(_stream) => tally.connected(),
                Err(_full) => tally.found_full(),
            }
        }
        tokio::task::yield_now().await;
    }
}
