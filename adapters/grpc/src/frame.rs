//! The five-byte prefix of a message: written, and taken off again from partial input.

use core::fmt;

use bytes::{Buf, Bytes, BytesMut};
use podsapi_core::{Code, Status};

use crate::request::Encoding;

/// Bytes before each message: one flag, then the length as a big-endian number of 32 bits.
pub const PREFIX_BYTES: usize = 5;

/// Returns the prefix of an uncompressed message of `len` bytes.
///
/// # Errors
///
/// A message of 4 GiB or more has no prefix.
pub fn prefix(len: usize) -> Result<[u8; PREFIX_BYTES], FrameError> {
    let Ok(short) = u32::try_from(len) else {
        return Err(FrameError::TooLarge {
            bytes: len as u64,
            limit: u64::from(u32::MAX),
        });
    };
    let [a, b, c, d] = short.to_be_bytes();
    Ok([0, a, b, c, d])
}

/// A message as it came.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "a driver uses every field")]
pub struct Framed {
    /// Whether its sender has compressed it, in the encoding of the call.
    pub compressed: bool,
    /// The bytes as they were sent.
    pub bytes: Bytes,
}

/// Takes messages out of a stream of bytes that arrives in pieces of any size.
///
/// Nothing is inflated in here: that needs a library and a bound of its own, which are the driver's.
/// The length that a prefix claims is compared with the limit before anything is kept, and memory
/// grows with the bytes that arrive, never with the claim. After an error the stream is lost.
#[derive(Debug)]
pub struct Deframer {
    buffer: BytesMut,
    /// Length of the message under way, and whether it is compressed; none between messages and
    /// inside a prefix.
    begun: Option<(usize, bool)>,
    limit: usize,
}

impl Deframer {
    /// Returns a deframer for messages of at most `limit_bytes` each.
    pub fn new(limit_bytes: usize) -> Self {
        Self {
            buffer: BytesMut::new(),
            begun: None,
            limit: limit_bytes,
        }
    }

    /// Takes the next piece of the stream; call [`Deframer::next_message`] until it has none.
    pub fn push(&mut self, piece: &[u8]) {
        self.buffer.extend_from_slice(piece);
    }

    /// Returns the next whole message of a call without compression, or none when more bytes are
    /// needed.
    ///
    /// # Errors
    ///
    /// A flag byte that is not zero, or a length over the limit.
    pub fn next_message(&mut self) -> Result<Option<Bytes>, FrameError> {
        let framed = self.next_framed(Encoding::Identity)?;
        Ok(framed.map(|framed| framed.bytes))
    }

    /// Returns the next whole message of a call that names this encoding, or none when more bytes
    /// are needed. Each message says by itself whether it is compressed.
    ///
    /// # Errors
    ///
    /// A flag byte that the encoding has no meaning for, or a length over the limit.
    pub fn next_framed(&mut self, encoding: Encoding) -> Result<Option<Framed>, FrameError> {
        let (length, compressed) = match self.begun {
            Some(begun) => begun,
            None => {
                let Some(begun) = self.take_prefix(encoding)? else {
                    return Ok(None);
                };
                *self.begun.insert(begun)
            }
        };
        if self.buffer.len() < length {
            return Ok(None);
        }
        self.begun = None;
        Ok(Some(Framed {
            compressed,
            bytes: self.buffer.split_to(length).freeze(),
        }))
    }

    /// Returns whether the stream may end here: no prefix and no message has begun.
    pub fn is_between_messages(&self) -> bool {
        self.begun.is_none() && self.buffer.is_empty()
    }

    /// Returns the bytes held for a message that is not complete.
    pub fn held_bytes(&self) -> usize {
        self.buffer.len()
    }

    /// Checks the flag as soon as it is there, and the length once the prefix is whole.
    fn take_prefix(&mut self, encoding: Encoding) -> Result<Option<(usize, bool)>, FrameError> {
        let compressed = match (self.buffer.first(), encoding) {
            (None, _) => return Ok(None),
            (Some(0), _) => false,
            (Some(1), Encoding::Gzip) => true,
            (Some(1), Encoding::Identity) => return Err(FrameError::Compressed),
            (Some(&flag), _) => return Err(FrameError::Flag(flag)),
        };
        if self.buffer.len() < PREFIX_BYTES {
            return Ok(None);
        }
        self.buffer.advance(1);
        let claimed = self.buffer.get_u32();
        match usize::try_from(claimed) {
            Ok(length) if length <= self.limit => Ok(Some((length, compressed))),
            Ok(_) | Err(_) => Err(FrameError::TooLarge {
                bytes: u64::from(claimed),
                limit: self.limit as u64,
            }),
        }
    }
}

/// Collects the one message of a request that must have exactly one.
#[derive(Debug)]
pub struct OneMessage {
    deframer: Deframer,
    encoding: Encoding,
    message: Option<Framed>,
}

impl OneMessage {
    /// Returns a collector for one message of at most `limit_bytes`, as they are sent, of a call that
    /// names this encoding.
    pub fn new(limit_bytes: usize, encoding: Encoding) -> Self {
        Self {
            deframer: Deframer::new(limit_bytes),
            encoding,
            message: None,
        }
    }

    /// Takes the next piece of the request.
    ///
    /// # Errors
    ///
    /// As [`Deframer::next_framed`], and for any byte after the first message.
    pub fn push(&mut self, piece: &[u8]) -> Result<(), FrameError> {
        self.deframer.push(piece);
        if self.message.is_none() {
            self.message = self.deframer.next_framed(self.encoding)?;
        }
        if self.message.is_some() && !self.deframer.is_between_messages() {
            return Err(FrameError::SecondMessage);
        }
        Ok(())
    }

    /// Returns the message; call this at the end of the request.
    ///
    /// # Errors
    ///
    /// The request ended inside a prefix or a message, or had no message at all.
    pub fn finish(self) -> Result<Framed, FrameError> {
        match self.message {
            Some(message) => Ok(message),
            None if self.deframer.is_between_messages() => Err(FrameError::NoMessage),
            None => Err(FrameError::Truncated),
        }
    }
}

/// What is wrong with the framing of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "both ends of a call match every fault"
)]
pub enum FrameError {
    /// The message is marked as compressed, but no compression was agreed.
    Compressed,
    /// The flag byte has a value that means nothing.
    Flag(u8),
    /// The request ended without a message.
    NoMessage,
    /// Something follows the one message that the call takes.
    SecondMessage,
    /// The message is larger than may be received.
    TooLarge {
        /// Bytes that the prefix claims.
        bytes: u64,
        /// Bytes that are accepted.
        limit: u64,
    },
    /// The stream ended inside a prefix or a message.
    Truncated,
}

impl FrameError {
    /// Returns what the caller is told.
    pub fn status(self) -> Status {
        let code = match self {
            Self::Compressed | Self::Flag(_) | Self::Truncated => Code::Internal,
            Self::NoMessage | Self::SecondMessage => Code::Unimplemented,
            Self::TooLarge { .. } => Code::ResourceExhausted,
        };
        Status::new(code, alloc::format!("{self}"))
    }
}

impl fmt::Display for FrameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Compressed => {
                f.write_str("compressed flag set, but the call names no grpc-encoding")
            }
            Self::Flag(flag) => write!(f, "message flag is {flag}, expected 0"),
            Self::NoMessage => f.write_str("the call carries no message, expected exactly one"),
            Self::SecondMessage => {
                f.write_str("the call carries more than one message, expected exactly one")
            }
            Self::TooLarge { bytes, limit } => {
                write!(f, "received message larger than max ({bytes} vs. {limit})")
            }
            Self::Truncated => f.write_str("the stream ended inside a message"),
        }
    }
}

impl core::error::Error for FrameError {}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    fn framed(message: &[u8]) -> Vec<u8> {
        let mut bytes = prefix(message.len()).unwrap().to_vec();
        bytes.extend_from_slice(message);
        bytes
    }

    fn one(bytes: &[u8], limit: usize) -> Result<Bytes, FrameError> {
        one_of(Encoding::Identity, bytes, limit).map(|framed| framed.bytes)
    }

    fn one_of(encoding: Encoding, bytes: &[u8], limit: usize) -> Result<Framed, FrameError> {
        let mut message = OneMessage::new(limit, encoding);
        message.push(bytes)?;
        message.finish()
    }

    #[test]
    fn a_message_is_found_however_the_bytes_are_split() {
        let bytes = framed(b"pods");
        for cut in 0..=bytes.len() {
            let (head, tail) = bytes.split_at(cut);
            let mut message = OneMessage::new(4, Encoding::Gzip);
            message.push(head).unwrap();
            message.push(tail).unwrap();
            let message = message.finish().unwrap();
            assert_eq!(message.bytes, "pods", "cut at {cut}");
            assert!(!message.compressed, "the flag says so, not the call");
        }
    }

    #[test]
    fn several_messages_in_one_piece_come_out_in_order() {
        let mut deframer = Deframer::new(8);
        let mut bytes = framed(b"a");
        bytes.extend(framed(b""));
        bytes.extend(framed(b"ccc"));
        deframer.push(&bytes);
        let mut seen = Vec::new();
        while let Some(message) = deframer.next_message().unwrap() {
            seen.push(message);
        }
        assert_eq!(seen, ["a", "", "ccc"]);
        assert!(deframer.is_between_messages());
    }

    #[test]
    fn a_message_of_no_bytes_is_a_message() {
        assert_eq!(one(&[0; 5], 0).unwrap(), "");
    }

    #[test]
    fn no_message_and_two_messages_are_unimplemented() {
        assert_eq!(one(&[], 9), Err(FrameError::NoMessage));
        assert_eq!(one(&[0; 10], 9), Err(FrameError::SecondMessage));
        assert_eq!(FrameError::NoMessage.status().code(), Code::Unimplemented);
        assert_eq!(
            FrameError::SecondMessage.status().code(),
            Code::Unimplemented
        );
    }

    #[test]
    fn a_stream_that_ends_inside_a_message_is_internal() {
        assert_eq!(one(&[0, 0], 9), Err(FrameError::Truncated));
        assert_eq!(one(&[0, 0, 0, 0, 2, 7], 9), Err(FrameError::Truncated));
        assert_eq!(FrameError::Truncated.status().code(), Code::Internal);
    }

    #[test]
    fn flags_are_refused_with_the_first_byte() {
        assert_eq!(one(&[1], 9), Err(FrameError::Compressed));
        assert!(
            FrameError::Compressed
                .status()
                .message()
                .starts_with("compressed flag set")
        );
        for flag in 2..=255 {
            assert_eq!(one(&[flag], 9), Err(FrameError::Flag(flag)));
        }
    }

    #[test]
    fn a_compressed_message_is_told_apart_where_the_call_names_an_encoding() {
        let mut stream = framed(b"ab");
        stream[0] = 1;
        let framed = |compressed, bytes| Framed { compressed, bytes };
        let taken = one_of(Encoding::Gzip, &stream, 2);
        assert_eq!(taken, Ok(framed(true, Bytes::from_static(b"ab"))));
        assert_eq!(one_of(Encoding::Gzip, &[2], 9), Err(FrameError::Flag(2)));
        assert!(matches!(
            one_of(Encoding::Gzip, &stream, 1),
            Err(FrameError::TooLarge { bytes: 2, limit: 1 })
        ));

        let mut deframer = Deframer::new(8);
        stream.extend(prefix(1).unwrap());
        stream.push(b'c');
        for byte in &stream[..stream.len() - 1] {
            deframer.push(&[*byte]);
        }
        let mut next = || deframer.next_framed(Encoding::Gzip).unwrap();
        assert_eq!(next(), Some(framed(true, Bytes::from_static(b"ab"))));
        assert_eq!(next(), None);
        deframer.push(b"c");
        let last = deframer.next_framed(Encoding::Gzip).unwrap();
        assert_eq!(last, Some(framed(false, Bytes::from_static(b"c"))));
    }

    #[test]
    fn a_length_over_the_limit_is_refused_from_the_prefix() {
        assert_eq!(one(&[0, 0, 0, 0, 4, 1, 2, 3, 4], 4).unwrap().len(), 4);
        let error = one(&[0, 0xff, 0xff, 0xff, 0xff], 4).unwrap_err();
        let status = error.status();
        assert_eq!(status.code(), Code::ResourceExhausted);
        assert_eq!(
            status.message(),
            "received message larger than max (4294967295 vs. 4)"
        );
    }

    #[test]
    fn a_claimed_length_reserves_no_memory() {
        let mut deframer = Deframer::new(usize::MAX);
        deframer.push(&[0, 0x7f, 0xff, 0xff, 0xff, 1]);
        assert_eq!(deframer.next_message().unwrap(), None);
        assert_eq!(deframer.held_bytes(), 1);
        assert!(deframer.buffer.capacity() < 1024);
    }

    #[test]
    fn what_is_held_is_what_came_of_messages_that_are_not_whole() {
        let mut deframer = Deframer::new(100);
        assert_eq!(deframer.held_bytes(), 0);
        deframer.push(&[0, 0, 0, 0, 9, 1, 2, 3]);
        assert_eq!(deframer.next_message().unwrap(), None);
        assert_eq!(deframer.held_bytes(), 3);
        deframer.push(&[4; 6]);
        assert!(deframer.next_message().unwrap().is_some());
        assert_eq!(deframer.held_bytes(), 0);
    }
}
