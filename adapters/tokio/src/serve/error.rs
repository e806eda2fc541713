//! Why serving could not begin.

use std::error::Error;
use std::fmt;
use std::io;

use crate::http::{HttpBindError, MetricsAddress};

/// Why [`serve`](super::serve()) did not begin.
#[derive(Debug)]
pub enum ServeError {
    /// There was nothing to listen on.
    NoListener,
    /// A listener could not be given to the runtime.
    Socket {
        /// Which one.
        label: String,
        /// What the system said.
        cause: io::Error,
    },
    /// The address of the HTTP endpoint could not be used.
    Metrics {
        /// The address.
        address: MetricsAddress,
        /// Why.
        cause: HttpBindError,
    },
}

impl fmt::Display for ServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoListener => {
                f.write_str("there is no socket to serve; name a path or hand a listener over")
            }
            Self::Socket { label, cause } => write!(f, "cannot serve socket `{label}`: {cause}"),
            Self::Metrics { address, cause } => {
                write!(f, "cannot serve metrics on `{address}`: {cause}")
            }
        }
    }
}

impl Error for ServeError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::NoListener => None,
            Self::Socket { cause, .. } => Some(cause),
            Self::Metrics { cause, .. } => Some(cause),
        }
    }
}
