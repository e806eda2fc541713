//! Why there is no connection, and why a call failed.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use podsapi_core::{Code, Status};
use podsapi_proto::json::printable;

/// How a connection ended under a call.
#[derive(Clone, Debug)]
pub enum TransportError {
    /// The server closed the connection without an error.
    Closed,
    /// The HTTP/2 connection or stream failed.
    Http2(Arc<h2::Error>),
    /// The server did not answer a keepalive ping in time.
    PingTimeout,
}

impl TransportError {
    /// Returns what a person can try.
    #[must_use]
    pub fn advice(&self) -> &'static str {
        match self {
            Self::Closed | Self::Http2(_) => CLOSED_ADVICE,
            Self::PingTimeout => "the server hangs or is overloaded: check its log",
        }
    }
}

/// A server that has as many connections as it may closes further ones without a word.
const CLOSED_ADVICE: &str =
    "is it the socket of a pods server? its --max-connections may be reached; see its log";

impl fmt::Display for TransportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Closed => f.write_str("the server closed the connection"),
            Self::Http2(error) => write!(f, "the connection failed: {error}"),
            Self::PingTimeout => f.write_str("the server did not answer a ping in time"),
        }
    }
}

impl std::error::Error for TransportError {}

/// Why a call failed.
#[derive(Clone, Debug)]
pub enum ClientError {
    /// The server answered with a status other than OK, or the answer broke the rules of gRPC.
    ///
    /// The status has what the server's details say: the reason as a constant with its domain and
    /// metadata, the time to wait, and what is wrong with single fields.
    Refused(Status),
    /// There was no answer, because the connection ended.
    Transport(TransportError),
}

impl ClientError {
    /// Returns the code that a gRPC client would report.
    #[must_use]
    pub fn code(&self) -> Code {
        match self {
            Self::Refused(status) => status.code(),
            Self::Transport(_) => Code::Unavailable,
        }
    }

    /// Returns how long the server asks to wait before the next attempt, if it does.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Refused(status) => status.retry_after_nanos().map(Duration::from_nanos),
            Self::Transport(_) => None,
        }
    }
}

impl fmt::Display for ClientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(status) => status.fmt(f),
            Self::Transport(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ClientError {}

impl From<Status> for ClientError {
    fn from(status: Status) -> Self {
        Self::Refused(status)
    }
}

/// Why no connection was made, by what a person can do about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectErrorKind {
    /// The server closed the connection at once.
    Closed,
    /// There is a socket, but nobody answers on it.
    Dead,
    /// Nothing exists at the path.
    Missing,
    /// What exists at the path is not a socket.
    NotASocket,
    /// Another failure, told by the cause.
    Other,
    /// The path does not fit into the address of a UNIX socket.
    PathTooLong,
    /// This user may not open the socket.
    PermissionDenied,
    /// The server did not take the connection in time.
    Timeout,
}

/// Why no connection was made: where, what and the cause.
#[derive(Debug)]
pub struct ConnectError {
    path: PathBuf,
    kind: ConnectErrorKind,
    cause: io::Error,
}

impl ConnectError {
    pub(crate) fn new(path: &Path, cause: io::Error) -> Self {
        let is = |kind| cause.kind() == kind;
        let kind = if is(io::ErrorKind::NotFound) {
            ConnectErrorKind::Missing
        } else if is(io::ErrorKind::PermissionDenied) {
            ConnectErrorKind::PermissionDenied
        } else if is(io::ErrorKind::BrokenPipe) || is(io::ErrorKind::ConnectionReset) {
            ConnectErrorKind::Closed
        } else if is(io::ErrorKind::TimedOut) || is(io::ErrorKind::WouldBlock) {
            // A socket whose queue is full says at once that it would block.
            ConnectErrorKind::Timeout
        } else if is(io::ErrorKind::InvalidInput) && path.as_os_str().len() > PATH_LIMIT_BYTES {
            ConnectErrorKind::PathTooLong
        } else if is(io::ErrorKind::ConnectionRefused) && is_not_a_socket(path) {
            ConnectErrorKind::NotASocket
        } else if is(io::ErrorKind::ConnectionRefused) {
            ConnectErrorKind::Dead
        } else {
            ConnectErrorKind::Other
        };
        Self {
            path: path.to_owned(),
            kind,
            cause,
        }
    }

    /// Returns where the socket was expected.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the kind of failure.
    #[must_use]
    pub fn kind(&self) -> ConnectErrorKind {
        self.kind
    }

    /// Returns what a person can try.
    #[must_use]
    pub fn advice(&self) -> &'static str {
        match self.kind {
            ConnectErrorKind::Closed => CLOSED_ADVICE,
            ConnectErrorKind::Dead => "the server is not running any more: start it again",
            ConnectErrorKind::Missing => "is the server running, and does it use this path?",
            ConnectErrorKind::NotASocket => "this file is not a socket: name the server's socket",
            ConnectErrorKind::Other => "check the path and the server's log",
            ConnectErrorKind::PathTooLong => {
                "choose a shorter path, or give a path relative to the working directory"
            }
            ConnectErrorKind::PermissionDenied => {
                "run as a user or group that may open the socket, or serve with --socket-group"
            }
            ConnectErrorKind::Timeout => "the server hangs or is overloaded: check its log",
        }
    }
}

impl fmt::Display for ConnectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.to_string_lossy();
        write!(f, "cannot connect to {}: ", printable(&path))?;
        match self.kind {
            ConnectErrorKind::PathTooLong => write!(
                f,
                "the path has {} bytes and a UNIX socket address holds {PATH_LIMIT_BYTES}",
                self.path.as_os_str().len()
            ),
            ConnectErrorKind::Closed => {
                write!(
                    f,
                    "the server closed the connection at once ({})",
                    self.cause
                )
            }
            ConnectErrorKind::Dead
            | ConnectErrorKind::Missing
            | ConnectErrorKind::NotASocket
            | ConnectErrorKind::Other
            | ConnectErrorKind::PermissionDenied
            | ConnectErrorKind::Timeout => self.cause.fmt(f),
        }
    }
}

impl std::error::Error for ConnectError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.cause)
    }
}

/// How many bytes of path a UNIX socket address holds beside its closing zero.
#[cfg(any(target_os = "linux", target_os = "android"))]
const PATH_LIMIT_BYTES: usize = 107;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const PATH_LIMIT_BYTES: usize = 103;

fn is_not_a_socket(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt;
    std::fs::metadata(path).is_ok_and(|found| !found.file_type().is_socket())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_to_connect_is_told_by_what_can_be_done() {
        let kind = |cause: io::ErrorKind| ConnectError::new(Path::new("/"), cause.into()).kind();
        let denied = kind(io::ErrorKind::PermissionDenied);
        assert_eq!(denied, ConnectErrorKind::PermissionDenied);
        assert_eq!(kind(io::ErrorKind::TimedOut), ConnectErrorKind::Timeout);
        assert_eq!(kind(io::ErrorKind::WouldBlock), ConnectErrorKind::Timeout);
        // A directory is no socket either.
        let refused = kind(io::ErrorKind::ConnectionRefused);
        assert_eq!(refused, ConnectErrorKind::NotASocket);
        assert_eq!(kind(io::ErrorKind::BrokenPipe), ConnectErrorKind::Closed);
        assert_eq!(kind(io::ErrorKind::OutOfMemory), ConnectErrorKind::Other);
        assert_eq!(kind(io::ErrorKind::InvalidInput), ConnectErrorKind::Other);
    }

    #[test]
    fn every_failure_has_a_text_and_an_advice_of_its_own() {
        let failed = |cause: io::ErrorKind| ConnectError::new(Path::new("/"), cause.into());
        let error = failed(io::ErrorKind::BrokenPipe);
        let text = error.to_string();
        assert!(
            text.starts_with("cannot connect to /: the server closed the connection at once (")
        );
        assert_eq!(error.path(), Path::new("/"));
        let source = std::error::Error::source(&error).unwrap();
        assert_eq!(source.to_string(), error.cause.to_string());
        let advice = [
            error.advice(),
            failed(io::ErrorKind::NotFound).advice(),
            failed(io::ErrorKind::ConnectionRefused).advice(),
            failed(io::ErrorKind::OutOfMemory).advice(),
            failed(io::ErrorKind::PermissionDenied).advice(),
            failed(io::ErrorKind::TimedOut).advice(),
        ];
        let different: std::collections::BTreeSet<_> = advice.into_iter().collect();
        assert!(different.len() == advice.len() && !different.contains(""));

        let ping = TransportError::PingTimeout;
        let closed = TransportError::Closed;
        assert_eq!(closed.advice(), CLOSED_ADVICE);
        assert!(ping.advice().contains("overloaded"));
        let texts = [&ping, &closed].map(|error| ClientError::Transport(error.clone()).to_string());
        let expected = [
            "the server did not answer a ping in time",
            "the server closed the connection",
        ];
        assert_eq!(texts, expected);
        let refused = ClientError::from(Status::new(Code::NotFound, "no such pod"));
        assert_eq!(refused.code(), Code::NotFound);
        assert!(refused.to_string().contains("no such pod"), "{refused}");
    }

    #[test]
    fn a_path_that_is_too_long_is_told_with_its_length_and_the_limit() {
        let error = |length: usize| {
            let path = "x".repeat(length);
            let cause = std::os::unix::net::UnixStream::connect(&path).unwrap_err();
            ConnectError::new(Path::new(&path), cause)
        };
        let long = error(PATH_LIMIT_BYTES + 1);
        assert_eq!(long.kind(), ConnectErrorKind::PathTooLong);
        let expected = format!(": the path has {} bytes and a", PATH_LIMIT_BYTES + 1);
        assert!(long.to_string().contains(&expected), "{long}");
        assert_eq!(error(PATH_LIMIT_BYTES).kind(), ConnectErrorKind::Missing);
    }
}
