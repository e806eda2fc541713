//! Texts of messages that are not UTF-8, read as Go reads them instead of refused.
//!
//! proto3 asks for UTF-8 in strings, but neither the code that Kubernetes generates nor the runtimes
//! of containers look: a kubelet cuts messages after so many bytes, whatever character is there. What
//! `prost` decodes must be UTF-8, and one such string hides the whole message. So every message
//! that holds texts of others is decoded with [`decode`]: where only texts are in the way, they are
//! read with U+FFFD in place of each byte that belongs to no character, as Go's `encoding/json` and
//! its `range` do. Bytes that are handed on to others are never changed.
//!
//! ```
//! use podsapi_proto::core_v1::PodStatus;
//! use podsapi_proto::text::decode;
//!
//! let status: PodStatus = decode(&b"\x1a\x03ab\xc3"[..])?;
//! assert_eq!(status.message(), "ab\u{fffd}");
//! # Ok::<(), prost::DecodeError>(())
//! ```

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::str;

use prost::bytes::{Buf, Bytes};
use prost::{DecodeError, Message};

use crate::json::{Payload, Records, put_bytes_field};

/// A message that says which of its fields hold texts, itself or further in.
pub trait Texts: Message + Default {
    /// Those fields, by ascending number.
    const TEXTS: &'static [Field];
}

/// A field that holds texts.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::exhaustive_structs, reason = "generated tables build them")]
pub struct Field {
    /// Its number.
    pub number: u32,
    /// Its name, as the definition spells it; empty in the entries of a map.
    pub name: &'static str,
    /// What is in it.
    pub holds: Holds,
}

/// What a field that holds texts has in it; a map is a list of messages with two fields.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::exhaustive_enums, reason = "there is nothing else")]
pub enum Holds {
    /// A message, with its own fields that hold texts.
    Message(&'static [Field]),
    /// A text.
    Text,
}

/// Reads bytes as text: each byte that belongs to no UTF-8 character becomes a U+FFFD of its own.
///
/// # Examples
///
/// ```
/// use podsapi_proto::text::readable;
///
/// assert_eq!(readable(b"a\xe2\x82z"), "a\u{fffd}\u{fffd}z");
/// ```
#[must_use]
pub fn readable(bytes: &[u8]) -> Cow<'_, str> {
    let mut chunks = bytes.utf8_chunks();
    let first = chunks.next().map_or("", |chunk| chunk.valid());
    if first.len() == bytes.len() {
        return Cow::Borrowed(first);
    }
    let mut text = String::with_capacity(bytes.len() + REPLACEMENT.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_byte| REPLACEMENT));
    }
    Cow::Owned(text)
}

/// Decodes a message, reading texts that are not UTF-8 with [`readable`].
///
/// # Errors
///
/// When something else than texts is wrong with the bytes.
pub fn decode<M: Texts>(message: impl Buf + AsRef<[u8]> + Clone) -> Result<M, DecodeError> {
    M::decode(message.clone()).or_else(|error| match mended(M::TEXTS, message.as_ref()) {
        Some(mended) => M::decode(Bytes::from(mended)),
        None => Err(error),
    })
}

/// Returns where the first text of a message is that is not UTF-8, as a path of names of fields.
///
/// # Examples
///
/// ```
/// use podsapi_proto::core_v1::Pod;
/// use podsapi_proto::text::first_not_utf8;
///
/// let place = first_not_utf8::<Pod>(b"\x1a\x04\x1a\x02a\xff");
/// assert_eq!(place.as_deref(), Some("status.message"));
/// ```
#[must_use]
pub fn first_not_utf8<M: Texts>(message: &[u8]) -> Option<String> {
    first(M::TEXTS, message)
}

fn first(fields: &[Field], message: &[u8]) -> Option<String> {
    let mut records = Records::new(message);
    while let Ok(Some((number, payload))) = records.next() {
        let (Some(field), Payload::Bytes(bytes)) = (with_number(fields, number), payload) else {
            continue;
        };
        match field.holds {
            Holds::Text if str::from_utf8(bytes).is_err() => return Some(field.name.into()),
            Holds::Text => {}
            Holds::Message(inner) => {
                if let Some(place) = first(inner, bytes) {
                    // The entries of a map have no names.
                    let parts = [field.name, place.as_str()];
                    let parts = parts.into_iter().filter(|part| !part.is_empty());
                    return Some(parts.collect::<Vec<_>>().join("."));
                }
            }
        }
    }
    None
}

/// Returns the message with readable texts; none when they all are, or the bytes are no message.
///
/// Recursion is as deep as the definitions nest, which have no cycle.
fn mended(fields: &[Field], message: &[u8]) -> Option<Vec<u8>> {
    let mut records = Records::new(message);
    let mut out: Option<Vec<u8>> = None;
    while !records.is_empty() {
        let record = records.rest();
        let next = records.next();
        let changed = match next {
            Ok(Some((number, Payload::Bytes(bytes)))) => with_number(fields, number)
                .and_then(|field| changed(field, bytes))
                .map(|changed| (number, changed)),
            Ok(_) | Err(_) => None,
        };
        if let Some((number, changed)) = changed {
            let before = message.len() - record.len();
            let before = message.get(..before).unwrap_or_default();
            put_bytes_field(out.get_or_insert_with(|| before.into()), number, &changed);
            continue;
        }
        // What broke off stays as it is, for the decoder to say what is wrong with it.
        let length = match next {
            Ok(_) => record.len() - records.rest().len(),
            Err(_) => record.len(),
        };
        if let Some(out) = &mut out {
            out.extend_from_slice(record.get(..length).unwrap_or_default());
        }
        if next.is_err() {
            break;
        }
    }
    out
}

/// Returns the payload that is to stand in place of `bytes`, if it differs.
fn changed(field: &Field, bytes: &[u8]) -> Option<Vec<u8>> {
    match field.holds {
        Holds::Message(inner) => mended(inner, bytes),
        Holds::Text => match readable(bytes) {
            Cow::Borrowed(_) => None,
            Cow::Owned(text) => Some(text.into_bytes()),
        },
    }
}

fn with_number(fields: &[Field], number: u32) -> Option<&Field> {
    let at = fields.binary_search_by_key(&number, |field| field.number);
    fields.get(at.ok()?)
}

const REPLACEMENT: &str = "\u{fffd}";

#[cfg(test)]
mod tests;
