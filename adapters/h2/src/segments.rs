//! Bytes that belong together without lying together, as h2 writes them.

use std::{collections::VecDeque, io::IoSlice, mem, sync::Arc};

use bytes::{Buf, Bytes};
use podsapi_core::Outgoing;
use podsapi_grpc::frame::PREFIX_BYTES;
use smallvec::SmallVec;

use crate::ledger::Ledger;

/// A sequence of byte strings, consumed from the front.
#[derive(Debug, Default)]
pub(crate) struct Segments {
    /// Those from `next` on are left, and none of them is empty.
    parts: SmallVec<[Part; 2]>,
    next: usize,
    len: usize,
    /// Where the transport finds the parts that it is shown slices of.
    ledger: Option<Arc<Ledger>>,
}

/// One byte string.
#[derive(Debug)]
enum Part {
    /// Few bytes, which need no memory of their own.
    Copied(Few),
    Shared(Bytes),
}

/// Up to [`FEW`] bytes.
#[derive(Clone, Copy, Debug)]
struct Few {
    bytes: [u8; FEW],
    /// Those before are consumed.
    from: u8,
    /// Those from here on are not there.
    to: u8,
}

/// Enough for the prefix of a message and for what stands in front of its first pod; no more than a
/// shared byte string takes anyway.
const FEW: usize = 32;

impl Segments {
    /// Adds bytes at the end.
    fn push(&mut self, part: Part) {
        let len = part.len();
        if len > 0 {
            self.len += len;
            self.parts.push(part);
        }
    }

    /// Returns the number of bytes.
    fn len(&self) -> usize {
        self.len
    }

    fn left(&self) -> &[Part] {
        self.parts.get(self.next..).unwrap_or_default()
    }
}

impl Buf for Segments {
    fn remaining(&self) -> usize {
        self.len
    }

    fn chunk(&self) -> &[u8] {
        self.left().first().map(Part::bytes).unwrap_or_default()
    }

    fn chunks_vectored<'a>(&'a self, slices: &mut [IoSlice<'a>]) -> usize {
        if let Some(ledger) = &self.ledger {
            let parts = self.left().iter().take(slices.len());
            ledger.note(parts.filter_map(|part| match part {
                Part::Copied(_) => None,
                Part::Shared(bytes) => Some(bytes),
            }));
        }
        let mut filled = 0;
        for (slice, part) in slices.iter_mut().zip(self.left()) {
            *slice = IoSlice::new(part.bytes());
            filled += 1;
        }
        filled
    }

    fn advance(&mut self, count: usize) {
        assert!(
            count <= self.len,
            "advanced by {count} bytes, only {} are left",
            self.len
        );
        self.len -= count;
        let mut left = count;
        while let Some(first) = self.parts.get_mut(self.next) {
            if left < first.len() {
                first.split_to(left);
                break;
            }
            left -= first.len();
            *first = Part::default();
            self.next += 1;
        }
    }
}

impl Part {
    fn bytes(&self) -> &[u8] {
        match self {
            Self::Copied(few) => few.as_slice(),
            Self::Shared(bytes) => bytes,
        }
    }

    fn len(&self) -> usize {
        self.bytes().len()
    }

    /// Takes the first `count` bytes, of which there must be as many, out of the part.
    fn split_to(&mut self, count: usize) -> Self {
        match self {
            Self::Copied(few) => Self::Copied(few.split_to(count)),
            Self::Shared(bytes) => Self::Shared(bytes.split_to(count)),
        }
    }
}

impl Default for Part {
    fn default() -> Self {
        Self::Shared(Bytes::new())
    }
}

impl Few {
    /// Returns no bytes yet.
    fn new() -> Self {
        Self {
            bytes: [0; FEW],
            from: 0,
            to: 0,
        }
    }

    /// Adds bytes at the end; false when there is no room for them.
    fn push(&mut self, more: &[u8]) -> bool {
        let from = usize::from(self.to);
        let Some(room) = self.bytes.get_mut(from..from + more.len()) else {
            return false;
        };
        room.copy_from_slice(more);
        self.to += more.len() as u8;
        true
    }

    fn as_slice(&self) -> &[u8] {
        let range = usize::from(self.from)..usize::from(self.to);
        self.bytes.get(range).unwrap_or_default()
    }

    /// Takes the first `count` bytes, or all when there are fewer.
    fn split_to(&mut self, count: usize) -> Self {
        let count = count.min(self.as_slice().len()) as u8;
        let taken = Self {
            to: self.from + count,
            ..*self
        };
        self.from += count;
        taken
    }
}

/// Framed messages that wait to be sent, which knows where each message ends.
#[derive(Debug)]
pub(crate) struct Outbox {
    messages: VecDeque<Unsent>,
    /// The bytes of all messages that are not sent.
    len: usize,
    /// A part of the first message was sent.
    begun: bool,
    ledger: Arc<Ledger>,
}

/// What is not sent of a message.
#[derive(Debug)]
struct Unsent {
    /// The part that is next.
    part: Part,
    /// The message without it.
    rest: Outgoing,
}

impl Outbox {
    /// Returns an empty outbox, whose bytes the transport may share with the help of `ledger`.
    pub(crate) fn new(ledger: Arc<Ledger>) -> Self {
        Self {
            messages: VecDeque::new(),
            len: 0,
            begun: false,
            ledger,
        }
    }

    /// Adds one message with its prefix in front.
    pub(crate) fn push(&mut self, prefix: [u8; PREFIX_BYTES], mut message: Outgoing) {
        self.len += prefix.len() + message.len();
        // The tags and lengths in front of a pod are short, and so are an answer's own fields.
        let mut head = Few::new();
        head.push(&prefix);
        while message
            .segments()
            .next()
            .is_some_and(|part| head.push(part))
        {
            message.take_segment();
        }
        self.messages.push_back(Unsent {
            part: Part::Copied(head),
            rest: message,
        });
    }

    /// Takes the next `len` bytes for sending, or all when there are fewer.
    pub(crate) fn take(&mut self, len: usize) -> Segments {
        let mut taken = Segments {
            parts: SmallVec::with_capacity(self.parts_of(len)),
            ledger: Some(Arc::clone(&self.ledger)),
            ..Segments::default()
        };
        while taken.len() < len
            && let Some(first) = self.messages.front_mut()
        {
            let missing = len - taken.len();
            self.begun = true;
            if first.part.len() > missing {
                taken.push(first.part.split_to(missing));
                break;
            }
            taken.push(mem::take(&mut first.part));
            match first.rest.take_segment() {
                Some(part) => first.part = Part::Shared(part),
                None => {
                    self.messages.pop_front();
                    self.begun = false;
                }
            }
        }
        self.len -= taken.len();
        taken
    }

    /// Returns about how many parts the next `len` bytes are.
    fn parts_of(&self, len: usize) -> usize {
        let Some(first) = self.messages.front() else {
            return 0;
        };
        let parts = first.rest.segments().len();
        let share = parts.saturating_mul(len) / first.rest.len().max(1);
        // And what is next, and a piece of what follows.
        share.min(parts) + self.messages.len().min(2)
    }

    /// Returns the number of bytes that wait.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Returns whether nothing waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns whether the stream would end inside a message if it ended now.
    pub(crate) fn is_inside_message(&self) -> bool {
        self.begun
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PREFIX: [u8; 5] = *b"12345";

    /// An outbox with messages, each of which is one part.
    fn outbox(messages: &[&'static [u8]]) -> Outbox {
        let mut outbox = Outbox::new(Arc::default());
        for message in messages {
            outbox.push(PREFIX, Outgoing::from(Bytes::from_static(message)));
        }
        outbox
    }

    fn text(mut segments: Segments) -> String {
        let bytes = segments.copy_to_bytes(segments.remaining());
        String::from_utf8(bytes.to_vec()).unwrap()
    }

    #[test]
    fn bytes_come_out_in_order_wherever_they_are_split() {
        let messages: [&[u8]; 3] = [b"ab", b"", b"a message that is not copied"];
        let whole = text(outbox(&messages).take(usize::MAX));
        assert_eq!(whole, "12345ab1234512345a message that is not copied");
        for cut in 0..=whole.len() {
            let mut rest = outbox(&messages);
            let head = rest.take(cut);
            assert_eq!((head.remaining(), rest.len()), (cut, whole.len() - cut));
            assert_eq!(text(head) + &text(rest.take(usize::MAX)), whole);
            assert!(rest.is_empty());
        }
    }

    #[test]
    fn a_part_is_consumed_in_steps_of_any_size() {
        for step in 1..20 {
            let mut left = outbox(&[b"a message that is not copied", b"ab"]).take(usize::MAX);
            let mut out = Vec::new();
            while left.has_remaining() {
                let count = step.min(left.chunk().len());
                out.extend_from_slice(&left.chunk()[..count]);
                left.advance(count);
            }
            assert_eq!(out, b"12345a message that is not copied12345ab");
        }
    }

    #[test]
    fn splitting_shares_the_bytes() {
        let whole = Bytes::from(vec![7; 1000]);
        let mut outbox = outbox(&[]);
        outbox.push(PREFIX, Outgoing::from(whole.clone()));
        let mut head = outbox.take(605);
        head.advance(5);
        assert_eq!(head.chunk().as_ptr(), whole.as_ptr());
        let rest = outbox.take(usize::MAX);
        assert_eq!(rest.chunk().as_ptr(), whole[600..].as_ptr());
        assert_eq!(rest.remaining(), 400);
    }

    #[test]
    fn all_parts_are_offered_to_a_vectored_write() {
        let parts = outbox(&[b"a message that is not copied", b"ef"]).take(usize::MAX);
        let mut slices = [IoSlice::new(&[]); 8];
        assert_eq!(parts.chunks_vectored(&mut slices), 3);
        assert_eq!(&*slices[2], b"12345ef");
    }

    #[test]
    fn the_outbox_knows_when_it_is_inside_a_message() {
        let mut outbox = outbox(&[b"abc", b""]);
        assert!(!outbox.is_inside_message());
        assert_eq!(outbox.take(7).len(), 7);
        assert!(outbox.is_inside_message());
        outbox.take(1);
        assert!(!outbox.is_inside_message());
        outbox.take(4);
        assert!(outbox.is_inside_message());
        outbox.take(100);
        assert!(outbox.is_empty() && !outbox.is_inside_message());
    }
}
