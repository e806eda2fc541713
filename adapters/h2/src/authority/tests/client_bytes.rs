//! Builds the bytes of clients: frames, header blocks, strings.

use super::super::{hpack, huffman};

pub(in crate::authority) const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

pub(in crate::authority) const HEADERS: u8 = 1;
pub(in crate::authority) const CONTINUATION: u8 = 9;
pub(in crate::authority) const END_STREAM: u8 = 1;
pub(in crate::authority) const END_HEADERS: u8 = 4;
pub(in crate::authority) const PADDED: u8 = 8;
pub(in crate::authority) const PRIORITY: u8 = 0x20;

/// The preface and one request of this block.
pub(in crate::authority) fn request(block: &[u8]) -> Vec<u8> {
    [PREFACE, &frame(HEADERS, END_HEADERS | END_STREAM, 1, block)].concat()
}

/// One block over a HEADERS and as many CONTINUATION frames as there are further parts.
pub(in crate::authority) fn split(parts: &[&[u8]]) -> Vec<u8> {
    let mut frames = Vec::new();
    for (number, part) in parts.iter().enumerate() {
        let kind = if number == 0 { HEADERS } else { CONTINUATION };
        let start = if number == 0 { END_STREAM } else { 0 };
        let end = if number + 1 == parts.len() {
            END_HEADERS
        } else {
            0
        };
        frames.extend(frame(kind, start | end, 1, part));
    }
    frames
}

pub(in crate::authority) fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len())
        .expect("tests send small frames")
        .to_be_bytes();
    [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

/// Kind, flags and payload of each frame.
pub(in crate::authority) fn frames(mut bytes: &[u8]) -> Vec<(u8, u8, Vec<u8>)> {
    let mut frames = Vec::new();
    while !bytes.is_empty() {
        let length = u32::from_be_bytes([0, bytes[0], bytes[1], bytes[2]]) as usize;
        frames.push((bytes[3], bytes[4], bytes[9..9 + length].to_vec()));
        bytes = &bytes[9 + length..];
    }
    frames
}

/// A field with the name of the first byte's index and this value.
pub(in crate::authority) fn literal(first: u8, value: &[u8], huffman: bool) -> Vec<u8> {
    [&[first][..], &string(value, huffman)].concat()
}

pub(in crate::authority) fn string(text: &[u8], huffman: bool) -> Vec<u8> {
    let mut bytes = Vec::new();
    if huffman {
        huffman::encode(text, &mut bytes);
    } else {
        bytes.extend_from_slice(text);
    }
    let flag = if huffman { 0x80 } else { 0 };
    let mut string = Vec::new();
    hpack::write_length(flag, bytes.len(), &mut string);
    string.extend(bytes);
    string
}
