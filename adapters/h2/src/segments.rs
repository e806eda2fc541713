//! Bytes that belong together without lying together, as h2 writes them.

use std::{collections::VecDeque, io::IoSlice, sync::Arc};

use bytes::{Buf, Bytes};

use crate::ledger::Ledger;

/// A sequence of byte strings, consumed from the front.
#[derive(Debug, Default)]
pub(crate) struct Segments {
    /// None is empty.
    parts: VecDeque<Bytes>,
    len: usize,
    /// Where the transport finds the parts that it is shown slices of.
    ledger: Option<Arc<Ledger>>,
}

impl Segments {
    /// Adds bytes at the end.
    pub(crate) fn push(&mut self, part: Bytes) {
        if !part.is_empty() {
            self.len += part.len();
            self.parts.push_back(part);
        }
    }

    /// Takes the first `len` bytes, or all when there are fewer.
    pub(crate) fn split_to(&mut self, len: usize) -> Self {
        let mut taken = Self {
            ledger: self.ledger.clone(),
            ..Self::default()
        };
        while taken.len < len
            && let Some(mut part) = self.parts.pop_front()
        {
            let missing = len - taken.len;
            if part.len() > missing {
                let head = part.split_to(missing);
                self.parts.push_front(part);
                part = head;
            }
            self.len -= part.len();
            taken.push(part);
        }
        taken
    }

    /// Returns the number of bytes.
    pub(crate) fn len(&self) -> usize {
        self.len
    }
}

impl Buf for Segments {
    fn remaining(&self) -> usize {
        self.len
    }

    fn chunk(&self) -> &[u8] {
        self.parts.front().map(Bytes::as_ref).unwrap_or_default()
    }

    fn chunks_vectored<'a>(&'a self, slices: &mut [IoSlice<'a>]) -> usize {
        if let Some(ledger) = &self.ledger {
            ledger.note(self.parts.iter().take(slices.len()));
        }
        let mut filled = 0;
        for (slice, part) in slices.iter_mut().zip(&self.parts) {
            *slice = IoSlice::new(part);
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
        while let Some(first) = self.parts.front_mut() {
            if left < first.len() {
                first.advance(left);
                break;
            }
            left -= first.len();
            self.parts.pop_front();
        }
    }
}

/// Framed messages that wait to be sent, which knows where each message ends.
#[derive(Debug, Default)]
pub(crate) struct Outbox {
    segments: Segments,
    /// Bytes of each message that are not sent yet, the first one's without what was sent.
    unsent: VecDeque<usize>,
    /// A part of the first message was sent.
    begun: bool,
}

impl Outbox {
    /// Returns an empty outbox, whose bytes the transport may share with the help of `ledger`.
    pub(crate) fn new(ledger: Arc<Ledger>) -> Self {
        let segments = Segments {
            ledger: Some(ledger),
            ..Segments::default()
        };
        Self {
            segments,
            ..Self::default()
        }
    }

    /// Adds one message with its prefix in front.
    pub(crate) fn push(&mut self, prefix: Bytes, parts: impl IntoIterator<Item = Bytes>) {
        let before = self.segments.len();
        self.segments.push(prefix);
        for part in parts {
            self.segments.push(part);
        }
        self.unsent.push_back(self.segments.len() - before);
    }

    /// Takes the next `len` bytes for sending, or all when there are fewer.
    pub(crate) fn take(&mut self, len: usize) -> Segments {
        let taken = self.segments.split_to(len);
        let mut left = taken.len();
        while left > 0
            && let Some(first) = self.unsent.front_mut()
        {
            if *first > left {
                *first -= left;
                self.begun = true;
                break;
            }
            left -= *first;
            self.unsent.pop_front();
            self.begun = false;
        }
        taken
    }

    /// Returns the number of bytes that wait.
    pub(crate) fn len(&self) -> usize {
        self.segments.len()
    }

    /// Returns whether nothing waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.segments.len() == 0
    }

    /// Returns whether the stream would end inside a message if it ended now.
    pub(crate) fn is_inside_message(&self) -> bool {
        self.begun
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segments(parts: &[&'static str]) -> Segments {
        let mut segments = Segments::default();
        for part in parts {
            segments.push(Bytes::from_static(part.as_bytes()));
        }
        segments
    }

    fn text(mut segments: Segments) -> String {
        let bytes = segments.copy_to_bytes(segments.remaining());
        String::from_utf8(bytes.to_vec()).unwrap()
    }

    #[test]
    fn bytes_come_out_in_order_wherever_they_are_split() {
        for cut in 0..=9 {
            let mut rest = segments(&["ab", "", "cdef", "g"]);
            let head = rest.split_to(cut);
            assert_eq!(head.remaining() + rest.remaining(), 7);
            assert_eq!(text(head) + &text(rest), "abcdefg");
        }
    }

    #[test]
    fn splitting_shares_the_bytes() {
        let whole = Bytes::from(vec![7; 1000]);
        let mut rest = Segments::default();
        rest.push(whole.clone());
        let head = rest.split_to(600);
        assert_eq!(head.chunk().as_ptr(), whole.as_ptr());
        assert_eq!(rest.chunk().len(), 400);
    }

    #[test]
    fn all_parts_are_offered_to_a_vectored_write() {
        let parts = segments(&["ab", "cd", "ef"]);
        let mut slices = [IoSlice::new(&[]); 8];
        assert_eq!(parts.chunks_vectored(&mut slices), 3);
        assert_eq!(&*slices[2], b"ef");
    }

    #[test]
    fn the_outbox_knows_when_it_is_inside_a_message() {
        let mut outbox = Outbox::default();
        outbox.push(Bytes::from_static(b"12345"), [Bytes::from_static(b"abc")]);
        outbox.push(Bytes::from_static(b"12345"), []);
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
