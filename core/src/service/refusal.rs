//! What a client is told when a call fails or a watch ends: every text and every reason.

use alloc::format;
use alloc::string::{String, ToString};
use core::fmt::Write;

use crate::bucket::Empty;
use crate::gate::Readiness;
use crate::mask::MaskError;
use crate::status::{Code, Status};
use crate::watch::Ending;
use crate::wire::WireError;

/// Why a call fails or a watch ends, before it is put into words.
#[derive(Debug)]
pub(super) enum Refusal<'a> {
    Malformed(WireError),
    Mask(MaskError),
    NotFound(&'a str),
    NotReady(Readiness),
    RateLimited(Empty),
    TooManyWatches { limit: u32 },
    TooManyWatchesOfPeer { limit: u32 },
    TooManyMasks { limit: u32 },
    TooManyMasksOfPeer { limit: u32 },
    WatchEnded { ending: Ending, buffer: u32 },
}

impl From<Refusal<'_>> for Status {
    fn from(refusal: Refusal<'_>) -> Self {
        match refusal {
            Refusal::Malformed(error) => Self::new(
                Code::Internal,
                format!("the request cannot be decoded: {error}"),
            )
            .with_reason("MALFORMED_REQUEST"),
            Refusal::Mask(error) => error.status(),
            Refusal::NotFound(uid) => Self::new(
                Code::NotFound,
                format!("pod with UID {} not found", printable(uid)),
            )
            .with_reason("POD_NOT_FOUND"),
            Refusal::NotReady(readiness) => Self::new(
                Code::FailedPrecondition,
                format!("Kubelet is initializing: {readiness}"),
            )
            .with_reason("NOT_READY"),
            Refusal::RateLimited(Empty { wait_nanos }) => {
                Self::new(Code::ResourceExhausted, "rejected by rate limit")
                    .with_reason("RATE_LIMITED")
                    .with_retry_after(wait_nanos)
            }
            Refusal::TooManyWatches { limit } => Self::new(
                Code::ResourceExhausted,
                format!("{limit} watches are open, which is the limit; close one or try later"),
            )
            .with_reason("TOO_MANY_WATCHES"),
            Refusal::TooManyWatchesOfPeer { limit } => Self::new(
                Code::ResourceExhausted,
                format!(
                    "{limit} watches of this peer are open, which is the limit for one; close one \
                     or try later"
                ),
            )
            .with_reason("TOO_MANY_WATCHES"),
            Refusal::TooManyMasks { limit } => Self::new(
                Code::ResourceExhausted,
                format!(
                    "{limit} distinct field masks are watched, which is the limit; watch with one \
                     that is watched already or with none, or try later"
                ),
            )
            .with_reason("TOO_MANY_MASKS"),
            Refusal::TooManyMasksOfPeer { limit } => Self::new(
                Code::ResourceExhausted,
                format!(
                    "this peer watches with {limit} distinct field masks, which is the limit for \
                     one; use one of them or none, or close a watch"
                ),
            )
            .with_reason("TOO_MANY_MASKS"),
            Refusal::WatchEnded { ending, buffer } => {
                let (text, reason) = match ending {
                    Ending::NotThere => ("the watch is over".to_string(), "WATCH_OVER"),
                    Ending::Shutdown => ("the server is shutting down".to_string(), "SHUTDOWN"),
                    Ending::Outdated => {
                        let text = "more pods were deleted than are remembered before the watch was \
                                    read; watch again for a new list";
                        (text.to_string(), "WATCH_TOO_SLOW")
                    }
                    Ending::TooSlow => {
                        let text = format!(
                            "the watch left {buffer} events unread and lost the next; watch again \
                             for a new list"
                        );
                        (text, "WATCH_TOO_SLOW")
                    }
                };
                Self::new(ending.code(), text).with_reason(reason)
            }
        }
    }
}

/// Returns a UID that a client sent so that it is safe to print: short, and printable ASCII.
fn printable(uid: &str) -> String {
    let mut text = String::new();
    for (count, character) in uid.chars().enumerate() {
        if count == MAX_PRINTED_CHARACTERS {
            text.push_str("...");
            break;
        }
        match character {
            '\\' => text.push_str("\\\\"),
            ' '..='~' => text.push(character),
            _ => {
                let escaped = write!(text, "\\u{{{:x}}}", u32::from(character));
                debug_assert!(escaped.is_ok(), "writing to a string does not fail");
            }
        }
    }
    text
}

/// Characters of a UID that an answer repeats: a UID of Kubernetes has 36, and a hash of 64 still
/// shows whole.
const MAX_PRINTED_CHARACTERS: usize = 64;
