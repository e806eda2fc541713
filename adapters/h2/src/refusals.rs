//! Finds the streams that the HTTP/2 library refuses in what it writes: it tells nobody else.

use std::io::IoSlice;

/// Follows the frames of one connection as they are written.
#[derive(Debug, Default)]
pub(crate) struct Refusals {
    /// What is known of the frame that is being written: its head, and the code of a reset.
    start: [u8; HEAD + CODE],
    /// How much of that has come.
    known: usize,
    /// Bytes of the frame that come behind it.
    rest: usize,
}

/// Bytes in front of the payload of every frame (RFC 9113 section 4.1).
const HEAD: usize = 9;

/// Bytes of an error code.
const CODE: usize = 4;

/// The type of a frame that resets a stream (RFC 9113 section 6.4).
const RST_STREAM: u8 = 3;

/// The code of a stream that was not begun (RFC 9113 section 7).
const REFUSED_STREAM: [u8; CODE] = [0, 0, 0, 7];

impl Refusals {
    /// Follows the first `count` bytes of these slices; returns how many streams they refuse.
    pub(crate) fn follow_all(&mut self, slices: &[IoSlice<'_>], count: usize) -> usize {
        let mut refused = 0;
        let mut left = count;
        for slice in slices {
            let sent = slice.get(..left).unwrap_or(slice);
            left -= sent.len();
            if sent.len() <= self.rest {
                self.rest -= sent.len();
            } else {
                refused += self.follow(sent);
            }
        }
        refused
    }

    /// Follows the next bytes; returns how many streams they refuse.
    fn follow(&mut self, mut bytes: &[u8]) -> usize {
        let mut refused = 0;
        while !bytes.is_empty() {
            if self.rest > 0 {
                let passed = self.rest.min(bytes.len());
                self.rest -= passed;
                bytes = bytes.get(passed..).unwrap_or_default();
                continue;
            }
            // Most frames come with their heads in one piece, and are no resets.
            if self.known == 0
                && let Some(([high, middle, low, kind, ..], others)) =
                    bytes.split_first_chunk::<HEAD>()
                && *kind != RST_STREAM
            {
                self.rest = u32::from_be_bytes([0, *high, *middle, *low]) as usize;
                bytes = others;
                continue;
            }
            let Some((first, others)) = bytes.split_first() else {
                break;
            };
            if let Some(place) = self.start.get_mut(self.known) {
                *place = *first;
            }
            self.known += 1;
            bytes = others;
            refused += usize::from(self.is_refusal());
        }
        refused
    }

    /// Looks at the frame as far as it is known, and begins the next one when that is enough.
    fn is_refusal(&mut self) -> bool {
        let [high, middle, low, kind, _, _, _, _, _, code @ ..] = self.start;
        let len = u32::from_be_bytes([0, high, middle, low]) as usize;
        let reset = kind == RST_STREAM && len == CODE;
        match self.known {
            HEAD if !reset => {
                self.rest = len;
                self.known = 0;
                false
            }
            known if known < HEAD + CODE => false,
            _ => {
                self.known = 0;
                code == REFUSED_STREAM
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A frame of this type on stream 1.
    fn frame(kind: u8, payload: &[u8]) -> Vec<u8> {
        let mut frame = (payload.len() as u32).to_be_bytes()[1..].to_vec();
        frame.extend([kind, 0, 0, 0, 0, 1]);
        frame.extend(payload);
        frame
    }

    #[test]
    fn refusals_are_found_however_the_bytes_are_cut() {
        let refusal = frame(RST_STREAM, &REFUSED_STREAM);
        let cancel = frame(RST_STREAM, &[0, 0, 0, 8]);
        let bytes = [
            frame(4, &[]),
            refusal.clone(),
            // A payload that looks like a refusal.
            frame(0, &refusal),
            cancel,
            refusal,
            // The code of a refusal in another frame of its length.
            frame(8, &REFUSED_STREAM),
            frame(1, &[3; 200]),
        ]
        .concat();
        for size in 1..=bytes.len() {
            let mut refusals = Refusals::default();
            let found: usize = bytes.chunks(size).map(|part| refusals.follow(part)).sum();
            assert_eq!(found, 2, "in parts of {size} bytes");
            let slices: Vec<_> = bytes.chunks(size).map(IoSlice::new).collect();
            for cut in 0..=bytes.len() {
                let mut refusals = Refusals::default();
                let first = refusals.follow_all(&slices, cut);
                let rest = [IoSlice::new(&bytes[cut..])];
                let second = refusals.follow_all(&rest, usize::MAX);
                assert_eq!(first + second, 2, "{cut} bytes, then the others");
            }
        }
    }
}
