//! Bytes that wait for a transport: small ones copied together, large ones shared.

use std::{collections::VecDeque, io::IoSlice};

use bytes::{Buf, Bytes};

/// Bytes in their order, consumed from the front.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    parts: VecDeque<Part>,
    /// The bytes of the copied parts, from `taken` on.
    copied: Vec<u8>,
    taken: usize,
    /// Bytes of all parts.
    len: usize,
}

/// Bytes that lie together; no part is empty.
#[derive(Debug)]
enum Part {
    /// So many of the copied bytes, which follow those of the copied part before.
    Copied(usize),
    Shared(Bytes),
}

/// Bytes of buffer, and parts, that are kept while nothing waits.
const RETAINED_BYTES: usize = 4 << 10;
const RETAINED_PARTS: usize = 32;

impl Queue {
    /// Returns the number of bytes that wait.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Adds a copy of these bytes.
    pub(crate) fn copy(&mut self, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        if self.taken >= RETAINED_BYTES && self.taken > self.copied.len() / 2 {
            self.copied.drain(..self.taken);
            self.taken = 0;
        }
        self.copied.extend_from_slice(bytes);
        self.len += bytes.len();
        match self.parts.back_mut() {
            Some(Part::Copied(len)) => *len += bytes.len(),
            Some(Part::Shared(_)) | None => self.parts.push_back(Part::Copied(bytes.len())),
        }
    }

    /// Adds these bytes without a copy.
    pub(crate) fn share(&mut self, bytes: Bytes) {
        if !bytes.is_empty() {
            self.len += bytes.len();
            self.parts.push_back(Part::Shared(bytes));
        }
    }

    /// Borrows the first parts, as many as there are slices, and returns how many those are.
    pub(crate) fn fill<'a>(&'a self, slices: &mut [IoSlice<'a>]) -> usize {
        let mut copied = self.copied.get(self.taken..).unwrap_or_default();
        let mut filled = 0;
        for (slice, part) in slices.iter_mut().zip(&self.parts) {
            *slice = IoSlice::new(match part {
                Part::Copied(len) => {
                    let (here, rest) = copied.split_at_checked(*len).unwrap_or((copied, &[]));
                    copied = rest;
                    here
                }
                Part::Shared(bytes) => bytes,
            });
            filled += 1;
        }
        filled
    }

    /// Forgets the first `count` bytes, which were written; when that is all, most of the buffer too.
    pub(crate) fn advance(&mut self, count: usize) {
        let mut left = count.min(self.len);
        self.len -= left;
        while left > 0
            && let Some(part) = self.parts.front_mut()
        {
            let here = left.min(part.len());
            left -= here;
            match part {
                Part::Copied(len) => {
                    *len -= here;
                    self.taken += here;
                }
                Part::Shared(bytes) => bytes.advance(here),
            }
            if part.len() == 0 {
                self.parts.pop_front();
            }
        }
        if self.len == 0 {
            self.taken = 0;
            self.copied.clear();
            self.copied.shrink_to(RETAINED_BYTES);
            self.parts.shrink_to(RETAINED_PARTS);
        }
    }
}

impl Part {
    fn len(&self) -> usize {
        match self {
            Self::Copied(len) => *len,
            Self::Shared(bytes) => bytes.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes out all that waits, `step` bytes at a time.
    fn emptied(queue: &mut Queue, step: usize) -> Vec<u8> {
        let mut out = Vec::new();
        while queue.len() > 0 {
            let mut slices = [IoSlice::new(&[]); 2];
            let filled = queue.fill(&mut slices);
            let shown: Vec<u8> = slices[..filled].iter().flat_map(|s| s.to_vec()).collect();
            let count = step.min(shown.len());
            out.extend_from_slice(&shown[..count]);
            queue.advance(count);
        }
        out
    }

    #[test]
    fn bytes_come_out_in_order_however_they_are_taken() {
        for step in 1..=12 {
            let mut queue = Queue::default();
            queue.copy(b"ab");
            queue.copy(b"");
            queue.copy(b"cd");
            queue.share(Bytes::from_static(b"efg"));
            queue.share(Bytes::new());
            queue.copy(b"h");
            queue.share(Bytes::from_static(b"ij"));
            assert_eq!(queue.len(), 10);
            assert_eq!(emptied(&mut queue, step), b"abcdefghij");
        }
    }

    #[test]
    fn shared_bytes_are_not_copied_and_are_let_go_once_they_are_written() {
        let pod = Bytes::from(vec![7; 5_000]);
        let mut queue = Queue::default();
        queue.share(pod.clone());
        let mut slices = [IoSlice::new(&[])];
        assert_eq!(queue.fill(&mut slices), 1);
        assert_eq!(slices[0].as_ptr(), pod.as_ptr());
        queue.advance(4_999);
        assert!(!pod.is_unique());
        queue.advance(1);
        assert!(pod.is_unique());
    }

    #[test]
    fn copied_bytes_that_were_written_do_not_stay_however_long_it_never_is_empty() {
        let mut queue = Queue::default();
        queue.copy(&[1; 3_000]);
        for _ in 0..1_000 {
            queue.copy(&[2; 3_000]);
            queue.advance(3_000);
        }
        assert_eq!(queue.len(), 3_000);
        assert!(
            queue.copied.capacity() < 50_000,
            "{}",
            queue.copied.capacity()
        );
    }

    #[test]
    fn an_empty_queue_keeps_little_memory() {
        let mut queue = Queue::default();
        for _ in 0..100 {
            queue.copy(&[1; 1_000]);
            queue.share(Bytes::from_static(&[2; 1_000]));
        }
        queue.advance(queue.len());
        assert!(queue.copied.capacity() <= RETAINED_BYTES);
        assert!(queue.parts.capacity() <= 2 * RETAINED_PARTS);
    }
}
