//! Messages that their client has compressed, as they were before.
//!
//! This is the driver's and not the vocabulary's: it takes a library with `std`, and a bound on what
//! comes out.

use std::{fmt, io::Read};

use bytes::Bytes;
use flate2::bufread::GzDecoder;
use podsapi_core::{Code, Status};
use podsapi_grpc::frame::Framed;

/// Members of one message (RFC 1952 section 2.2).
///
/// 64: a client writes one. Each costs the clearing of a window of 32 KiB, so that thousands of empty
/// ones, which fit into a message, would cost milliseconds.
const MAX_MEMBERS: usize = 64;

/// Returns a message as it was before it was compressed, of at most `limit` bytes.
pub(crate) fn message(framed: Framed, limit: usize) -> Result<Bytes, InflateError> {
    if !framed.compressed {
        return Ok(framed.bytes);
    }
    let mut inflated = Vec::new();
    let mut rest: &[u8] = &framed.bytes;
    for _ in 0..MAX_MEMBERS {
        let mut member = GzDecoder::new(rest);
        // One byte more than may be: whether there is one says whether it is too large, and without
        // it the checksum behind the last byte would not be looked at.
        let room = limit.saturating_sub(inflated.len()).saturating_add(1);
        let read = (&mut member).take(room as u64).read_to_end(&mut inflated);
        if read.is_err() {
            return Err(InflateError::Malformed);
        }
        if inflated.len() > limit {
            return Err(InflateError::TooLarge { limit });
        }
        rest = member.into_inner();
        if rest.is_empty() {
            return Ok(inflated.into());
        }
    }
    Err(InflateError::Members)
}

/// Why a message cannot be inflated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InflateError {
    /// It is no gzip, is cut short, is followed by something else, or its checksum is another one.
    Malformed,
    /// It has too many members.
    Members,
    /// It is too large.
    TooLarge {
        /// Bytes that are accepted.
        limit: usize,
    },
}

impl InflateError {
    /// Returns what the caller is told.
    pub(crate) fn status(self) -> Status {
        let code = match self {
            Self::Malformed => Code::Internal,
            Self::Members | Self::TooLarge { .. } => Code::ResourceExhausted,
        };
        Status::new(code, self.to_string())
    }
}

impl fmt::Display for InflateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed => f.write_str("the message is marked as compressed, but is no gzip"),
            Self::Members => write!(
                f,
                "the compressed message has more than {MAX_MEMBERS} members, send it as one"
            ),
            Self::TooLarge { limit } => write!(
                f,
                "received message larger than max after it was inflated (more than {limit})"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::{Compression, GzBuilder, write::GzEncoder};
    use proptest::prelude::*;

    use super::*;

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    fn inflated(bytes: impl Into<Bytes>, limit: usize) -> Result<Bytes, InflateError> {
        let bytes = bytes.into();
        message(
            Framed {
                compressed: true,
                bytes,
            },
            limit,
        )
    }

    #[test]
    fn what_is_not_compressed_stays_as_it_is() {
        let framed = Framed {
            compressed: false,
            bytes: gzip(b"a").into(),
        };
        assert_eq!(message(framed, 0).unwrap(), gzip(b"a"));
    }

    #[test]
    fn members_follow_each_other_and_are_bounded() {
        let two = [gzip(b"po"), gzip(b"ds")].concat();
        assert_eq!(inflated(two.clone(), 4).unwrap(), "pods");
        let larger = InflateError::TooLarge { limit: 3 };
        assert_eq!(inflated(two, 3), Err(larger));
        let empty = gzip(b"");
        assert_eq!(inflated(empty.repeat(MAX_MEMBERS), 0).unwrap(), "");
        let more = empty.repeat(MAX_MEMBERS + 1);
        assert_eq!(inflated(more, 9), Err(InflateError::Members));
    }

    #[test]
    fn the_bound_is_on_what_comes_out() {
        let zeros = gzip(&[0; 1 << 20]);
        assert!(zeros.len() < 2_000);
        for limit in [0, 1, 64 << 10, (1 << 20) - 1] {
            let larger = InflateError::TooLarge { limit };
            assert_eq!(inflated(zeros.clone(), limit), Err(larger));
        }
        assert_eq!(inflated(zeros, 1 << 20).unwrap().len(), 1 << 20);
        let status = InflateError::TooLarge { limit: 7 }.status();
        assert_eq!(status.code(), Code::ResourceExhausted);
    }

    #[test]
    fn headers_with_everything_in_them_are_stepped_over() {
        let mut encoder = GzBuilder::new()
            .filename("a")
            .comment("b")
            .extra("c")
            .mtime(7)
            .write(Vec::new(), Compression::none());
        encoder.write_all(b"pods").unwrap();
        assert_eq!(inflated(encoder.finish().unwrap(), 4).unwrap(), "pods");
    }

    #[test]
    fn nothing_broken_passes() {
        let whole = gzip(b"pods of a node, pods of a node");
        for end in 0..whole.len() {
            let cut = whole[..end].to_vec();
            assert_eq!(inflated(cut, 99), Err(InflateError::Malformed), "{end}");
        }
        // Checksum and length stand in the last eight bytes.
        for at in whole.len() - 8..whole.len() {
            let mut bad = whole.clone();
            bad[at] ^= 1;
            assert_eq!(inflated(bad, 99), Err(InflateError::Malformed), "{at}");
        }
        for tail in [&b"x"[..], &[0], &[0; 20], &[0x1f], &whole[..5]] {
            let bad = [&whole[..], tail].concat();
            assert_eq!(inflated(bad, 99), Err(InflateError::Malformed));
        }
        assert_eq!(InflateError::Malformed.status().code(), Code::Internal);
    }

    proptest! {
        #[test]
        fn any_text_comes_back_and_no_bytes_give_more_than_the_bound(
            text in prop::collection::vec(0..4_u8, 0..2_000),
            flips in prop::collection::vec((0..2_000_usize, 1..=255_u8), 0..4),
            limit in 0..2_500_usize,
        ) {
            let mut sent = gzip(&text);
            let size = sent.len();
            for (at, flip) in &flips {
                sent[at % size] ^= flip;
            }
            let found = inflated(sent, limit);
            if flips.is_empty() {
                prop_assert_eq!(found.is_ok(), text.len() <= limit);
            }
            prop_assert!(found.is_err() || found.is_ok_and(|found| found.len() <= limit));
        }
    }
}
