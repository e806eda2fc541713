//! Length-prefixed gRPC messages: written for requests, put together again from answers.

use bytes::{Buf, BufMut, Bytes, BytesMut};

use podsapi_core::{Code, Status};

/// Returns `message` behind its five-byte prefix.
pub(crate) fn frame(message: &[u8]) -> Bytes {
    let mut framed = BytesMut::with_capacity(PREFIX_BYTES + message.len());
    framed.put_u8(0);
    framed.put_u32(u32::try_from(message.len()).unwrap_or(u32::MAX));
    framed.put_slice(message);
    framed.freeze()
}

/// Puts messages together from chunks as they arrive.
#[derive(Debug)]
pub(crate) struct Deframer {
    buffer: BytesMut,
    max_message_bytes: usize,
}

impl Deframer {
    pub(crate) fn new(max_message_bytes: usize) -> Self {
        Self {
            buffer: BytesMut::new(),
            max_message_bytes,
        }
    }

    /// Records a chunk.
    pub(crate) fn push(&mut self, chunk: &[u8]) {
        self.buffer.extend_from_slice(chunk);
    }

    /// Returns the next whole message, or `None` until more has arrived.
    pub(crate) fn next(&mut self) -> Result<Option<Bytes>, Status> {
        let Some((&[flag, a, b, c, d], _)) = self.buffer.split_first_chunk::<PREFIX_BYTES>() else {
            return Ok(None);
        };
        if flag != 0 {
            let text = format!("a message came with flag {flag}, though nothing was compressed");
            return Err(Status::new(Code::Internal, text));
        }
        let length = usize::try_from(u32::from_be_bytes([a, b, c, d])).unwrap_or(usize::MAX);
        if length > self.max_message_bytes {
            let limit = self.max_message_bytes;
            let text = format!("received message larger than max ({length} vs. {limit})");
            return Err(Status::new(Code::ResourceExhausted, text));
        }
        if self.buffer.len() - PREFIX_BYTES < length {
            return Ok(None);
        }
        self.buffer.advance(PREFIX_BYTES);
        Ok(Some(self.buffer.split_to(length).freeze()))
    }

    /// Returns whether part of a message is waiting for the rest.
    pub(crate) fn is_partial(&self) -> bool {
        !self.buffer.is_empty()
    }
}

/// One flag byte, four bytes of length.
const PREFIX_BYTES: usize = 5;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_come_out_whole_at_every_split() {
        let stream = [frame(b"one"), frame(b""), frame(b"three")].concat();
        for split in 0..=stream.len() {
            let mut deframer = Deframer::new(100);
            let mut messages = Vec::new();
            for part in [&stream[..split], &stream[split..]] {
                deframer.push(part);
                while let Some(message) = deframer.next().unwrap() {
                    messages.push(message);
                }
            }
            assert_eq!(messages, [&b"one"[..], b"", b"three"]);
            assert!(!deframer.is_partial());
        }
    }

    #[test]
    fn what_has_begun_and_not_ended_is_partial() {
        let stream = [frame(b"one"), frame(b"two")].concat();
        for end in 0..=stream.len() {
            let mut deframer = Deframer::new(100);
            deframer.push(&stream[..end]);
            let mut whole = 0;
            while deframer.next().unwrap().is_some() {
                whole += 1;
            }
            assert_eq!(whole, end / 8, "{end}");
            assert_eq!(deframer.is_partial(), end % 8 != 0, "{end}");
        }
    }

    #[test]
    fn a_message_of_just_the_limit_is_taken() {
        let mut deframer = Deframer::new(10);
        deframer.push(&frame(&[7; 10]));
        deframer.push(&frame(&[8; 10]));
        assert_eq!(deframer.next().unwrap().unwrap(), [7; 10].as_slice());
        assert_eq!(deframer.next().unwrap().unwrap(), [8; 10].as_slice());
        assert_eq!(deframer.next(), Ok(None));
    }

    #[test]
    fn a_message_over_the_limit_is_refused_from_its_prefix_alone() {
        let mut deframer = Deframer::new(10);
        deframer.push(&[0, 0, 0, 0, 11]);
        let refusal = deframer.next().unwrap_err();
        assert_eq!(refusal.code(), Code::ResourceExhausted);
        assert_eq!(
            refusal.message(),
            "received message larger than max (11 vs. 10)"
        );
    }

    #[test]
    fn a_compressed_message_is_refused() {
        let mut deframer = Deframer::new(10);
        deframer.push(&[1, 0, 0, 0, 0]);
        assert_eq!(deframer.next().unwrap_err().code(), Code::Internal);
    }
}
