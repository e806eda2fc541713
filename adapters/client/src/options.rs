//! What a caller may choose about a connection and its calls.

use std::time::Duration;

use podsapi_core::Dialect;

use crate::channel::ChannelOptions;
use crate::fields::Fields;

/// Where a kubelet serves its pods, and podsapi by default.
pub const DEFAULT_SOCKET: &str = "/var/lib/kubelet/pods-api/pods-api.sock";

/// Choices for a connection and all calls made on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientOptions {
    /// Which of the two published definitions to speak; the released one by default.
    pub dialect: Dialect,
    /// How long connecting may take.
    pub connect_timeout: Duration,
    /// Which fields of each pod to ask for; all by default. One connection can serve calls with
    /// different fields: [`crate::Client::with_fields`].
    pub fields: Fields,
    /// How long list, get and status may take, told to the server as `grpc-timeout` and kept here
    /// too; `None` waits for ever. A watch has no deadline.
    pub deadline: Option<Duration>,
    /// The longest answer or event accepted, in bytes.
    pub max_message_bytes: usize,
    /// How often an otherwise silent connection is pinged; an unanswered ping closes it. `None`
    /// never pings.
    ///
    /// Not below five minutes by default: the gRPC library of the kubelet closes connections that
    /// ping more often than that.
    pub keepalive: Option<Duration>,
}

impl ClientOptions {
    /// Returns those that are about the connection.
    pub(crate) fn channel(&self) -> ChannelOptions {
        ChannelOptions {
            connect_timeout: self.connect_timeout,
            keepalive: self.keepalive,
            max_message_bytes: self.max_message_bytes,
        }
    }
}

impl Default for ClientOptions {
    fn default() -> Self {
        Self {
            dialect: Dialect::V1alpha1,
            connect_timeout: CONNECT_TIMEOUT,
            fields: Fields::all(),
            deadline: None,
            max_message_bytes: MAX_MESSAGE_BYTES,
            keepalive: Some(KEEPALIVE),
        }
    }
}

/// A UNIX socket connects at once or not at all; five seconds cover a machine that is swapping.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// 250 pods of 40 KB are 10 MB; 64 MiB leave room for nodes with far more.
const MAX_MESSAGE_BYTES: usize = 64 << 20;

/// Above the five minutes under which grpc-go counts a ping as abuse.
const KEEPALIVE: Duration = Duration::from_secs(330);

/// How long the answer to a ping may take before the server counts as dead.
pub(crate) const PING_TIMEOUT: Duration = Duration::from_secs(20);
