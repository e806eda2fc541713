//! Why serving could not begin.

use std::error::Error;
use std::fmt;
use std::io;

use podsapi_socket::OpenError;

use crate::http::{HttpBindError, MetricsAddress};

/// Why [`serve`](super::serve()) did not begin.
#[derive(Debug)]
pub enum ServeError {
    /// The listeners could not be opened.
    Open(OpenError),
    /// The address of the HTTP endpoint could not be used.
    Metrics {
        /// The address.
        address: MetricsAddress,
        /// Why.
        cause: HttpBindError,
    },
    /// There is no thread to accept connections on.
    Accept {
        /// Why.
        cause: io::Error,
    },
}

impl fmt::Display for ServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Open(cause) => cause.fmt(f),
            Self::Metrics { address, cause } => {
                write!(f, "cannot serve metrics on `{address}`: {cause}")
            }
            Self::Accept { cause } => {
                write!(
                    f,
                    "no thread or descriptor to accept connections with: {cause}"
                )
            }
        }
    }
}

impl Error for ServeError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            // Its text is this one's already.
            Self::Open(cause) => cause.source(),
            Self::Metrics { cause, .. } => Some(cause),
            Self::Accept { cause } => Some(cause),
        }
    }
}

impl From<OpenError> for ServeError {
    fn from(cause: OpenError) -> Self {
        Self::Open(cause)
    }
}
