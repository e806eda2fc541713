//! Calls without HTTP/2: numbers out, messages in, in order.

use super::{Ask, Part, RAW_LIST, RAW_WATCH};

/// The client's side of one bare connection.
#[derive(Debug, Default)]
pub(super) struct Bare {
    answered: usize,
    /// What is still to come of the message that has begun.
    rest: usize,
    watches: bool,
}

impl Bare {
    pub(super) fn call(&mut self, ask: Ask<'_>, output: &mut Vec<u8>) {
        let number = match ask {
            Ask::Get(number, _) => number,
            Ask::List | Ask::Masked(_) => RAW_LIST,
            Ask::Watch => {
                self.watches = true;
                RAW_WATCH
            }
        };
        output.extend_from_slice(&number.to_be_bytes());
    }

    /// Returns how much of `input` it understood.
    pub(super) fn take(
        &mut self,
        input: &[u8],
        seen: &mut Option<Vec<u8>>,
        parts: &mut Vec<Part>,
    ) -> usize {
        let mut unread = input;
        loop {
            let begins = self.rest == 0;
            if begins {
                let Some([_, length @ ..]) = unread.first_chunk::<5>() else {
                    return input.len() - unread.len();
                };
                self.rest = 5 + usize::try_from(u32::from_be_bytes(*length)).unwrap_or(usize::MAX);
            }
            let (now, after) = unread.split_at(unread.len().min(self.rest));
            unread = after;
            self.rest -= now.len();
            if let Some(seen) = seen {
                seen.extend_from_slice(now);
            }
            let ended = self.rest == 0 && !self.watches;
            parts.push(Part {
                call: self.answered,
                bytes: now.len(),
                ended,
            });
            self.answered += usize::from(ended);
            if unread.is_empty() {
                return input.len();
            }
        }
    }
}
