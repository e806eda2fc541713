//! What the calls of one connection have in common.

use std::sync::Arc;

use crate::{meters::Slots, peer::Peer};

/// Where calls come from.
#[derive(Debug)]
pub(crate) struct Origin {
    /// Who is at the other end.
    pub(crate) peer: Peer,
    /// Calls in progress.
    pub(crate) calls: Arc<Slots>,
    /// Bytes of replies that wait to be read.
    pub(crate) reply_bytes: Arc<Slots>,
}

impl Origin {
    /// Returns the origin of a new connection.
    pub(crate) fn new(peer: Peer) -> Self {
        Self {
            peer,
            calls: Arc::default(),
            reply_bytes: Arc::default(),
        }
    }
}
