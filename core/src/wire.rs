//! The protobuf wire format: varints, tags and lengths, read with offsets and written.

use alloc::vec::Vec;
use core::fmt;

/// Where encoded bytes break the protobuf wire format, with what was found there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_structs,
    reason = "a plain pair that callers build and match"
)]
pub struct WireError {
    /// What is wrong.
    pub kind: WireErrorKind,
    /// The byte offset at which the offending tag, length or value starts.
    pub offset: usize,
}

/// The ways in which bytes can break the protobuf wire format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "callers match every kind")]
pub enum WireErrorKind {
    /// A field number of zero, or one above 2^29 - 1.
    FieldNumber,
    /// A group ends that was not open, or under another number than it began with.
    GroupEnd,
    /// A string of a request holds bytes that are not UTF-8.
    NotUtf8,
    /// Messages and groups are nested deeper than [`MAX_DEPTH`].
    TooDeep,
    /// A value reaches beyond the end of the message that holds it.
    Truncated,
    /// A varint has more than ten bytes or does not fit 64 bits.
    Varint,
    /// A wire type that does not exist (6 or 7), or not the one that the field has.
    WireType {
        /// The field's number.
        field: u32,
        /// The wire type found.
        found: u8,
    },
}

/// The deepest nesting of messages and groups that is accepted.
///
/// Decoders in wide use (prost among them) stop at 100 levels; deeper bytes would be refused by
/// some client.
pub const MAX_DEPTH: usize = 100;

/// The largest field number of the wire format, 2^29 - 1.
pub(crate) const MAX_FIELD_NUMBER: u32 = (1 << 29) - 1;

/// The longest encoding of a varint, in bytes.
pub(crate) const MAX_VARINT_BYTES: usize = 10;

/// How a value is laid out after its tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WireType {
    Varint,
    Fixed64,
    Length,
    StartGroup,
    EndGroup,
    Fixed32,
}

/// A field's number with the layout of the value that follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tag {
    pub(crate) field: u32,
    pub(crate) wire_type: WireType,
}

/// A position in encoded bytes that moves forward value by value.
#[derive(Clone, Debug)]
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    position: usize,
}

/// One field of a message: its tag, all its bytes, and what lies behind tag and length.
#[derive(Clone, Debug)]
pub(crate) struct Record<'a> {
    pub(crate) tag: Tag,
    /// Tag, length and payload.
    pub(crate) whole: &'a [u8],
    /// The payload of a length-delimited record, empty for every other wire type.
    pub(crate) payload: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, position: 0 }
    }

    /// Returns the offset of the next byte to be read.
    pub(crate) fn position(&self) -> usize {
        self.position
    }

    /// Reads a varint that ends before `end`.
    pub(crate) fn varint(&mut self, end: usize) -> Result<u64, WireError> {
        let start = self.position;
        let rest = self.bytes.get(start..end).unwrap_or_default();
        let mut value = 0_u64;
        for (index, &byte) in rest.iter().enumerate().take(MAX_VARINT_BYTES) {
            let last = index + 1 == MAX_VARINT_BYTES;
            if last && byte > 1 {
                return Err(WireErrorKind::Varint.at(start));
            }
            value |= u64::from(byte & 0x7f) << (7 * index);
            if byte < 0x80 {
                self.position = start + index + 1;
                return Ok(value);
            }
        }
        Err(WireErrorKind::Truncated.at(start))
    }

    /// Reads a tag that ends before `end`.
    pub(crate) fn tag(&mut self, end: usize) -> Result<Tag, WireError> {
        let start = self.position;
        let value = self.varint(end)?;
        let field = u32::try_from(value >> 3)
            .ok()
            .filter(|field| (1..=MAX_FIELD_NUMBER).contains(field))
            .ok_or_else(|| WireErrorKind::FieldNumber.at(start))?;
        let wire_type = match value & 7 {
            0 => WireType::Varint,
            1 => WireType::Fixed64,
            2 => WireType::Length,
            3 => WireType::StartGroup,
            4 => WireType::EndGroup,
            5 => WireType::Fixed32,
            other => {
                let found = u8::try_from(other).unwrap_or(u8::MAX);
                return Err(WireErrorKind::WireType { field, found }.at(start));
            }
        };
        Ok(Tag { field, wire_type })
    }

    /// Reads a length and returns the end of the value that follows, which is not after `end`.
    pub(crate) fn length(&mut self, end: usize) -> Result<usize, WireError> {
        let start = self.position;
        let length = self.varint(end)?;
        usize::try_from(length)
            .ok()
            .and_then(|length| self.position.checked_add(length))
            .filter(|&value_end| value_end <= end)
            .ok_or_else(|| WireErrorKind::Truncated.at(start))
    }

    /// Moves `count` bytes forward, not beyond `end`.
    pub(crate) fn advance(&mut self, count: usize, end: usize) -> Result<(), WireError> {
        let target = self
            .position
            .checked_add(count)
            .filter(|&target| target <= end);
        self.position = target.ok_or_else(|| WireErrorKind::Truncated.at(self.position))?;
        Ok(())
    }

    /// Moves to an offset that was read as the end of a value.
    pub(crate) fn move_to(&mut self, offset: usize) {
        self.position = offset;
    }

    /// Skips the value behind `tag`; groups are followed to their ends without recursion.
    ///
    /// `depth` is the nesting at which the value stands. `start` is the offset of the tag.
    pub(crate) fn skip(
        &mut self,
        tag: Tag,
        start: usize,
        depth: usize,
        end: usize,
    ) -> Result<(), WireError> {
        let mut open = smallvec::SmallVec::<[u32; 8]>::new();
        let (mut tag, mut start) = (tag, start);
        loop {
            // Other decoders count one level more for whatever is inside, nested or not.
            if tag.wire_type != WireType::EndGroup && depth + open.len() >= MAX_DEPTH {
                return Err(WireErrorKind::TooDeep.at(start));
            }
            match tag.wire_type {
                WireType::Varint => {
                    self.varint(end)?;
                }
                WireType::Fixed64 => self.advance(8, end)?,
                WireType::Fixed32 => self.advance(4, end)?,
                WireType::Length => self.position = self.length(end)?,
                WireType::StartGroup => open.push(tag.field),
                WireType::EndGroup => {
                    if open.pop() != Some(tag.field) {
                        return Err(WireErrorKind::GroupEnd.at(start));
                    }
                }
            }
            if open.is_empty() {
                return Ok(());
            }
            start = self.position;
            tag = self.tag(end)?;
        }
    }

    /// Reads the next record of a message, `None` at its end.
    pub(crate) fn record(&mut self) -> Result<Option<Record<'a>>, WireError> {
        let end = self.bytes.len();
        let start = self.position;
        if start == end {
            return Ok(None);
        }
        let tag = self.tag(end)?;
        let mut payload_start = end;
        if tag.wire_type == WireType::Length {
            let mut ahead = self.clone();
            ahead.length(end)?;
            payload_start = ahead.position;
        }
        self.skip(tag, start, 0, end)?;
        Ok(Some(Record {
            tag,
            whole: self.bytes.get(start..self.position).unwrap_or_default(),
            payload: self
                .bytes
                .get(payload_start..self.position)
                .unwrap_or_default(),
        }))
    }
}

impl<'a> Reader<'a> {
    /// Returns the records of a message that was checked before; it ends where one is malformed.
    pub(crate) fn records(mut self) -> impl Iterator<Item = Record<'a>> {
        core::iter::from_fn(move || self.record().ok().flatten())
    }
}

impl WireType {
    /// Returns the three bits that stand for this layout.
    pub(crate) const fn bits(self) -> u8 {
        match self {
            Self::Varint => 0,
            Self::Fixed64 => 1,
            Self::Length => 2,
            Self::StartGroup => 3,
            Self::EndGroup => 4,
            Self::Fixed32 => 5,
        }
    }
}

impl WireErrorKind {
    /// Returns the error of this kind at `offset`.
    pub(crate) const fn at(self, offset: usize) -> WireError {
        WireError { kind: self, offset }
    }
}

/// Appends `value` as a varint.
pub(crate) fn put_varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(low_bits(value) | 0x80);
        value >>= 7;
    }
    out.push(low_bits(value));
}

/// Appends the tag and the length of a length-delimited field.
pub(crate) fn put_head(field: u32, length: usize, out: &mut Vec<u8>) {
    put_varint(u64::from(field) << 3 | 2, out);
    put_varint(length as u64, out);
}

/// Appends a whole length-delimited field.
pub(crate) fn put_bytes(field: u32, payload: &[u8], out: &mut Vec<u8>) {
    put_head(field, payload.len(), out);
    out.extend_from_slice(payload);
}

/// Returns the seven lowest bits of `value`.
fn low_bits(value: u64) -> u8 {
    let [low, ..] = value.to_le_bytes();
    low & 0x7f
}

impl fmt::Display for WireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            WireErrorKind::FieldNumber => {
                write!(f, "expected a field number from 1 to {MAX_FIELD_NUMBER}")?;
            }
            WireErrorKind::GroupEnd => write!(f, "found the end of a group that is not open")?,
            WireErrorKind::NotUtf8 => write!(f, "expected a string of UTF-8, found other bytes")?,
            WireErrorKind::TooDeep => write!(f, "expected at most {MAX_DEPTH} levels of nesting")?,
            WireErrorKind::Truncated => write!(f, "found the end inside a value")?,
            WireErrorKind::Varint => write!(f, "expected a varint of 64 bits, found a longer one")?,
            WireErrorKind::WireType { field, found } => {
                write!(
                    f,
                    "found wire type {found}, which field {field} does not have"
                )?;
            }
        }
        write!(f, " at byte {}", self.offset)
    }
}

impl core::error::Error for WireError {}

impl WireError {
    /// Returns the same error in the coordinates of a message that holds these bytes at `base`.
    pub(crate) const fn moved_by(self, base: usize) -> Self {
        Self {
            kind: self.kind,
            offset: self.offset + base,
        }
    }
}

/// Gives a nested message at the end of `out` its true length: tag and length lie in `head..body`,
/// with room for the true one, and the message reaches from `body` to the end.
pub(crate) fn replace_head(field: u32, head: usize, body: usize, out: &mut Vec<u8>) {
    let mut written = smallvec::SmallVec::<[u8; 2 * MAX_VARINT_BYTES]>::new();
    for mut value in [u64::from(field) << 3 | 2, (out.len() - body) as u64] {
        while value >= 0x80 {
            written.push(low_bits(value) | 0x80);
            value >>= 7;
        }
        written.push(low_bits(value));
    }
    let end = head + written.len();
    if let Some(place) = out.get_mut(head..end) {
        place.copy_from_slice(&written);
    }
    out.drain(end.min(body)..body);
}

#[cfg(test)]
mod tests;
