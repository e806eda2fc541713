//! Who connects, and whether there is room for one more.

use std::os::fd::{AsFd, AsRawFd};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use nix::sys::socket::{MsgFlags, recv};
use podsapi_core::Moment;
use podsapi_h2::{Peer, Runtime, Server};

use crate::slots::{Slot, Slots};

/// How long the log stays silent about the limit of connections after it was told.
const TELL_AGAIN: Duration = Duration::from_secs(60);

/// Lets connections in as long as there are slots, and tells the operator when there are none.
#[derive(Debug)]
pub struct Admission {
    slots: Arc<Slots>,
    /// When the log was told last that the limit of connections is reached.
    told: Mutex<Option<Moment>>,
}

impl Admission {
    /// Makes room for `limit` connections to a server of this process's user.
    pub fn new(limit: usize) -> Self {
        Self {
            slots: Slots::new(limit, nix::unistd::geteuid().as_raw()),
            told: Mutex::default(),
        }
    }

    /// Takes a slot for an accepted connection, and returns it with who is at the other end.
    ///
    /// Without a free one the connection counts as refused, and the caller has only to close it; so
    /// it has if the client left before it was accepted and said nothing, which counts as served.
    pub fn admit<R: Runtime>(
        &self,
        stream: &impl AsFd,
        server: &Server<R>,
        runtime: &R,
    ) -> Option<(Peer, Slot)> {
        let peer = peer(stream);
        if has_left(stream) {
            server.count_departed_connection(peer);
            return None;
        }
        let slot = self.slots.take(peer.uid);
        if slot.is_none() {
            server.count_refused_connection(peer);
            tracing::debug!(?peer, "connection refused: no free slot");
            if self.may_tell(runtime.now()) {
                let limit = self.slots.limit();
                tracing::warn!(
                    limit,
                    uid = peer.uid,
                    "connections are closed on arrival: the limit is reached"
                );
            }
        }
        slot.map(|slot| (peer, slot))
    }

    /// Tells whether it is time to log that the limit is reached: a client that connects in a loop
    /// must not fill the log.
    fn may_tell(&self, now: Moment) -> bool {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let due =
            told.is_none_or(|told| u128::from(now.nanos_since(told)) >= TELL_AGAIN.as_nanos());
        if due {
            *told = Some(now);
        }
        due
    }
}

/// Tells whether nothing was sent and nothing will be, as far as that is known at once.
fn has_left(stream: &impl AsFd) -> bool {
    let flags = MsgFlags::MSG_PEEK | MsgFlags::MSG_DONTWAIT;
    recv(stream.as_fd().as_raw_fd(), &mut [0], flags) == Ok(0)
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn peer(stream: &impl AsFd) -> Peer {
    use nix::sys::socket::{getsockopt, sockopt::PeerCredentials};

    let credentials = getsockopt(stream, PeerCredentials).ok();
    Peer {
        uid: credentials.map(|credentials| credentials.uid()),
        pid: credentials.map(|credentials| credentials.pid()),
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn peer(stream: &impl AsFd) -> Peer {
    let user = nix::unistd::getpeereid(stream).ok();
    Peer {
        uid: user.map(|(uid, _)| uid.as_raw()),
        pid: None,
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::Shutdown;
    use std::os::unix::net::UnixStream;

    use super::*;

    #[test]
    fn a_peer_is_known_by_its_user_and_process() {
        let (near, _far) = UnixStream::pair().unwrap();
        let peer = peer(&near);
        assert_eq!(peer.uid, Some(nix::unistd::geteuid().as_raw()));
        assert_eq!(peer.pid, i32::try_from(std::process::id()).ok());
    }

    #[test]
    fn a_client_has_left_when_there_is_nothing_to_read_and_never_will_be() {
        let (near, mut far) = UnixStream::pair().unwrap();
        assert!(!has_left(&near), "it may yet speak");
        far.write_all(b"PRI").unwrap();
        assert!(!has_left(&near), "it has spoken");
        drop(far);
        assert!(!has_left(&near), "what it said last is to be read");
        (&near).read_exact(&mut [0; 3]).unwrap();
        assert!(has_left(&near));
        let (near, far) = UnixStream::pair().unwrap();
        far.shutdown(Shutdown::Write).unwrap();
        assert!(has_left(&near), "who cannot ask needs no answer");
    }

    #[test]
    fn the_log_hears_of_the_limit_once_a_minute() {
        let admission = Admission::new(0);
        let seconds = |seconds: u64| Moment::from_nanos(seconds * 1_000_000_000);
        let told = [5, 6, 64, 65, 66].map(|at| admission.may_tell(seconds(at)));
        assert_eq!(told, [true, false, false, true, false]);
    }
}
