//! Why nothing can be learned from a runtime at the moment.

use std::fmt;

use podsapi_client::{ClientError, ConnectError};

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

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Call { method, error } => {
                write!(f, "the container runtime fails {method}: {error}")?;
            }
            Self::Connect(error) => write!(f, "the container runtime: {error}")?,
            Self::StatusesOverdue => {
                f.write_str("the container runtime lists, but answers no status in time")?;
            }
        }
        f.write_str(" (statuses stay as they were seen last; it is tried again)")
    }
}
