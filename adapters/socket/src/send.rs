//! Writing to a stream whose peer may have left, without a signal to the process.

use std::io::{self, IoSlice};
use std::os::fd::{AsFd, AsRawFd};

use nix::sys::socket::{self, MsgFlags};

/// Where this flag is missing, a socket's own option (`SO_NOSIGPIPE`) has to say it.
#[cfg(target_vendor = "apple")]
const FLAGS: MsgFlags = MsgFlags::empty();
#[cfg(not(target_vendor = "apple"))]
const FLAGS: MsgFlags = MsgFlags::MSG_NOSIGNAL;

/// How many parts every system takes in one call.
const PARTS: usize = 1024;

/// Writes as much of `parts` as the socket takes now, and returns how many bytes that were.
///
/// The vectored writes of the standard library raise SIGPIPE once the peer has left. A Rust program
/// ignores that signal from its start on, but a host in another language may not, and ends by it.
///
/// # Errors
///
/// When the peer has left, the socket takes nothing now, or the system refuses.
pub fn send(socket: &impl AsFd, parts: &[IoSlice<'_>]) -> io::Result<usize> {
    let parts = parts.get(..PARTS).unwrap_or(parts);
    let socket = socket.as_fd().as_raw_fd();
    Ok(socket::sendmsg::<()>(socket, parts, &[], FLAGS, None)?)
}

#[cfg(test)]
mod tests {
    use std::io::{ErrorKind, Read};
    use std::os::unix::net::UnixStream;

    use super::*;

    #[test]
    fn parts_are_sent_in_their_order_as_far_as_there_is_room() {
        let (near, mut far) = UnixStream::pair().unwrap();
        near.set_nonblocking(true).unwrap();
        let many = vec![IoSlice::new(b"ab"); PARTS + 1];
        assert_eq!(send(&near, &many).unwrap(), 2 * PARTS);
        let mut read = [0; 2 * PARTS];
        far.read_exact(&mut read).unwrap();
        assert_eq!(read.as_slice(), b"ab".repeat(PARTS));
        let large = vec![0; 64 << 20];
        let sent = send(&near, &[IoSlice::new(&large)]).unwrap();
        assert!((1..large.len()).contains(&sent), "{sent}");
        let full = send(&near, &[IoSlice::new(&large)]).unwrap_err();
        assert_eq!(full.kind(), ErrorKind::WouldBlock);
    }

    #[test]
    fn a_peer_that_left_is_an_error() {
        let (near, _) = UnixStream::pair().unwrap();
        let left = send(&near, &[IoSlice::new(b"a")]).unwrap_err();
        assert_eq!(left.kind(), ErrorKind::BrokenPipe);
    }
}
