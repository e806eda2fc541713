//! What a client is told when a call fails or a watch ends: the one place with these texts.

use alloc::format;
use alloc::string::{String, ToString};
use core::fmt::Write;

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
    RateLimited,
    TooManyWatches { limit: u32 },
    WatchEnded { ending: Ending, buffer: u32 },
}

impl From<Refusal<'_>> for Status {
    fn from(refusal: Refusal<'_>) -> Self {
        match refusal {
            Refusal::Malformed(error) => Self::new(
                Code::Internal,
                format!("the request cannot be decoded: {error}"),
            ),
            Refusal::Mask(error) => error.status(),
            Refusal::NotFound(uid) => Self::new(
                Code::NotFound,
                format!("pod with UID {} not found", printable(uid)),
            ),
            Refusal::NotReady(readiness) => Self::new(
                Code::FailedPrecondition,
                format!("Kubelet is initializing: {readiness}"),
            ),
            Refusal::RateLimited => Self::new(Code::ResourceExhausted, "rejected by rate limit"),
            Refusal::TooManyWatches { limit } => Self::new(
                Code::ResourceExhausted,
                format!("{limit} watches are open, which is the limit; close one or try later"),
            ),
            Refusal::WatchEnded { ending, buffer } => {
                let text = match ending {
                    Ending::NotThere => "the watch is over".to_string(),
                    Ending::Shutdown => "the server is shutting down".to_string(),
                    Ending::TooSlow => format!(
                        "the watch left {buffer} events unread and lost the next; watch again \
                         for a new list"
                    ),
                };
                Self::new(ending.code(), text)
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
