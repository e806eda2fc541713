//! HTTP/2 frames as bytes, for tests that say exactly what goes over the wire.

use std::io::Write as _;

use flate2::{Compression, write::GzEncoder};

/// What every HTTP/2 client sends first.
pub const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// Bytes of a message's prefix in gRPC.
pub const MESSAGE_PREFIX_BYTES: usize = 5;

/// Types of frames (RFC 9113 section 6).
pub mod kind {
    #![expect(missing_docs, reason = "the names of the RFC")]
    pub const DATA: u8 = 0;
    pub const HEADERS: u8 = 1;
    pub const PRIORITY: u8 = 2;
    pub const RST_STREAM: u8 = 3;
    pub const SETTINGS: u8 = 4;
    pub const PUSH_PROMISE: u8 = 5;
    pub const PING: u8 = 6;
    pub const GO_AWAY: u8 = 7;
    pub const WINDOW_UPDATE: u8 = 8;
    pub const CONTINUATION: u8 = 9;
}

/// Flags of frames.
pub mod flag {
    #![expect(missing_docs, reason = "the names of the RFC")]
    pub const ACK: u8 = 1;
    pub const END_STREAM: u8 = 1;
    pub const END_HEADERS: u8 = 4;
    pub const PADDED: u8 = 8;
    pub const PRIORITY: u8 = 0x20;
}

/// Identifiers of settings.
pub mod setting {
    #![expect(missing_docs, reason = "the names of the RFC")]
    pub const MAX_CONCURRENT_STREAMS: u16 = 3;
    pub const INITIAL_WINDOW_SIZE: u16 = 4;
    pub const MAX_FRAME_SIZE: u16 = 5;
    pub const MAX_HEADER_LIST_SIZE: u16 = 6;
}

/// Codes of `RST_STREAM` and GOAWAY.
pub mod code {
    #![expect(missing_docs, reason = "the names of the RFC")]
    pub const NO_ERROR: u32 = 0;
    pub const PROTOCOL_ERROR: u32 = 1;
    pub const INTERNAL_ERROR: u32 = 2;
    pub const FLOW_CONTROL_ERROR: u32 = 3;
    pub const STREAM_CLOSED: u32 = 5;
    pub const FRAME_SIZE_ERROR: u32 = 6;
    pub const REFUSED_STREAM: u32 = 7;
    pub const CANCEL: u32 = 8;
    pub const COMPRESSION_ERROR: u32 = 9;
    pub const ENHANCE_YOUR_CALM: u32 = 11;
}

/// A frame as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// One of [`kind`].
    pub kind: u8,
    /// Some of [`flag`].
    pub flags: u8,
    /// The stream, 0 for the connection.
    pub stream: u32,
    /// The payload, with padding if there is any.
    pub payload: Vec<u8>,
}

impl Frame {
    /// Takes the first frame off `bytes` when it is whole.
    pub fn take(bytes: &mut Vec<u8>) -> Option<Self> {
        let [a, b, c, kind, flags, stream @ ..] = *bytes.first_chunk::<9>()?;
        let length = usize::try_from(u32::from_be_bytes([0, a, b, c])).ok()?;
        let payload = bytes.get(9..9 + length)?.to_vec();
        bytes.drain(..9 + length);
        Some(Self {
            kind,
            flags,
            stream: u32::from_be_bytes(stream) & 0x7fff_ffff,
            payload,
        })
    }

    /// Returns whether a flag is set.
    pub const fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    /// Reads the 32 bits at `at` of the payload; 0 where it is shorter.
    pub fn number(&self, at: usize) -> u32 {
        let bytes = self
            .payload
            .get(at..)
            .and_then(|rest| rest.first_chunk::<4>());
        u32::from_be_bytes(*bytes.unwrap_or(&[0; 4]))
    }
}

/// Returns a frame as bytes.
pub fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let [.., a, b, c] = payload.len().to_be_bytes();
    [&[a, b, c, kind, flags][..], &stream.to_be_bytes(), payload].concat()
}

/// Returns a SETTINGS frame.
pub fn settings(pairs: &[(u16, u32)]) -> Vec<u8> {
    let payload: Vec<u8> = pairs
        .iter()
        .flat_map(|(id, value)| [&id.to_be_bytes()[..], &value.to_be_bytes()].concat())
        .collect();
    frame(kind::SETTINGS, 0, 0, &payload)
}

/// Returns a `WINDOW_UPDATE` frame.
pub fn window_update(stream: u32, increment: u32) -> Vec<u8> {
    frame(kind::WINDOW_UPDATE, 0, stream, &increment.to_be_bytes())
}

/// Returns a `RST_STREAM` frame.
pub fn reset(stream: u32, code: u32) -> Vec<u8> {
    frame(kind::RST_STREAM, 0, stream, &code.to_be_bytes())
}

/// Returns an encoded header block: plain literals, nothing indexed.
pub fn block(fields: &[(&str, &[u8])]) -> Vec<u8> {
    let mut block = Vec::new();
    for (name, value) in fields {
        block.push(0);
        for text in [name.as_bytes(), value] {
            string_length(text.len(), &mut block);
            block.extend_from_slice(text);
        }
    }
    block
}

/// Returns a gRPC message with its prefix.
pub fn message(body: &[u8]) -> Vec<u8> {
    let [.., a, b, c, d] = body.len().to_be_bytes();
    [&[0, a, b, c, d][..], body].concat()
}

/// Appends the length of a plain string: an integer with a prefix of 7 bits.
fn string_length(length: usize, block: &mut Vec<u8>) {
    let Some(mut rest) = length.checked_sub(0x7f) else {
        let [.., low] = length.to_be_bytes();
        block.push(low);
        return;
    };
    block.push(0x7f);
    loop {
        let [.., low] = rest.to_be_bytes();
        rest >>= 7;
        block.push(if rest == 0 { low & 0x7f } else { low | 0x80 });
        if rest == 0 {
            return;
        }
    }
}

/// Returns what follows in gzip.
///
/// # Panics
///
/// Never: memory takes all that is written.
pub fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text).expect("memory takes it");
    encoder.finish().expect("memory takes it")
}

/// Returns a message that says it is compressed, and has these bytes.
pub fn compressed(bytes: &[u8]) -> Vec<u8> {
    let mut framed = message(bytes);
    if let Some(flag) = framed.first_mut() {
        *flag = 1;
    }
    framed
}
