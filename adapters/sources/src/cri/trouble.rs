//! Why nothing can be learned from a runtime at the moment, and what to do about it.

use std::path::Path;

use podsapi_client::{ClientError, Code, ConnectError, ConnectErrorKind};

/// A failure that ends a connection.
#[derive(Debug)]
pub(super) enum Trouble {
    /// A call that everything depends on failed.
    Call {
        /// Which.
        method: &'static str,
        /// How.
        error: ClientError,
    },
    /// There is no connection.
    Connect(ConnectError),
    /// Lists are answered, statuses are not.
    StatusesOverdue,
}

impl Trouble {
    /// Says what is wrong with the runtime at `socket`, what to try, and what happens meanwhile.
    pub(super) fn told(&self, socket: &Path) -> String {
        let socket = socket.display();
        let what = match self {
            Self::Call { method, error } => {
                let error = shortened(error.to_string());
                format!("the container runtime at {socket} fails {method}: {error}")
            }
            Self::Connect(error) => format!("the container runtime: {error}"),
            Self::StatusesOverdue => {
                format!("the container runtime at {socket} lists, but answers no status in time")
            }
        };
        let advice = self.advice();
        format!("{what}: {advice} (statuses stay as they were seen last; it is tried again)")
    }

    fn advice(&self) -> &'static str {
        match self {
            Self::Call { error, .. } => call_advice(error),
            Self::Connect(error) => connect_advice(error),
            Self::StatusesOverdue => HANGS,
        }
    }
}

fn call_advice(error: &ClientError) -> &'static str {
    match error {
        ClientError::Refused(status) if status.code() == Code::Unimplemented => {
            "is it a runtime with CRI v1? containerd has it since 1.6, unless its disabled_plugins \
             name cri"
        }
        ClientError::Refused(status) if status.code() == Code::DeadlineExceeded => HANGS,
        ClientError::Refused(status) if status.code() == Code::ResourceExhausted => {
            "it has more than a kubelet could take: remove containers that have ended"
        }
        ClientError::Refused(_) => "check the runtime's log",
        ClientError::Transport(_) => "is it a container runtime that listens there? check its log",
    }
}

fn connect_advice(error: &ConnectError) -> &'static str {
    match error.kind() {
        ConnectErrorKind::Closed => "is it a container runtime that listens there? check its log",
        ConnectErrorKind::Dead => "the runtime is not running any more: start it again",
        ConnectErrorKind::Missing => "is the runtime running, and is this its socket?",
        ConnectErrorKind::NotASocket => "this file is not a socket: name the runtime's socket",
        ConnectErrorKind::Other => "check the path and the runtime's log",
        ConnectErrorKind::PathTooLong => error.advice(),
        ConnectErrorKind::PermissionDenied => {
            "run as root or as another user who may open the runtime's socket"
        }
        ConnectErrorKind::Timeout => HANGS,
    }
}

const HANGS: &str = "the runtime hangs or is overloaded: check its log";

/// Cuts what a runtime says of a failure, which may be the whole output of another program.
pub(super) fn shortened(mut text: String) -> String {
    if text.len() > TEXT_LIMIT_BYTES {
        text.truncate(text.floor_char_boundary(TEXT_LIMIT_BYTES));
        text.push_str("...");
    }
    text
}

/// Says what is wrong in a line of a log.
const TEXT_LIMIT_BYTES: usize = 1 << 10;
