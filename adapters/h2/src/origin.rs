//! What the calls of one connection have in common.

use std::sync::Arc;

use crate::{limits::Limits, meters::Slots, peer::Peer, unread::Unread};

/// Where calls come from.
#[derive(Debug)]
pub(crate) struct Origin {
    /// Who is at the other end.
    pub(crate) peer: Peer,
    /// Calls in progress.
    pub(crate) calls: Arc<Slots>,
    /// Those of them that last for as long as their client likes.
    pub(crate) held_streams: Arc<Slots>,
    /// Replies that wait to be read.
    pub(crate) unread: Arc<Unread>,
}

impl Origin {
    /// Returns the origin of a new connection.
    pub(crate) fn new(peer: Peer, limits: &Limits) -> Self {
        Self {
            peer,
            calls: Arc::default(),
            held_streams: Arc::default(),
            unread: Unread::new(limits.max_reply_bytes_per_connection),
        }
    }
}
