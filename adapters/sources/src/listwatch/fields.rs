//! The fields of an encoded message, read as far as its bytes go.

use bytes::Bytes;
use podsapi_proto::text::readable;

/// The fields of a message one by one, up to its end or to the first byte that breaks the wire
/// format. A value that reaches beyond the end is given as far as it is there, and is the last one.
#[derive(Clone, Debug)]
pub(super) struct Fields<'a> {
    rest: &'a [u8],
    broken: bool,
}

/// One field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Field<'a> {
    pub(super) number: u32,
    pub(super) value: Value<'a>,
}

/// The value of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value<'a> {
    /// Text, bytes or a message.
    Bytes(&'a [u8]),
    /// A value of fixed length, which nothing here reads.
    Fixed,
    /// A number.
    Varint(u64),
}

/// What stands in front of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) number: u32,
    pub(super) layout: Layout,
    /// The bytes of the head.
    pub(super) length: usize,
}

/// How long the value behind a head is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// This many bytes that nothing here reads.
    Fixed(u64),
    /// This many bytes of text or of a message.
    Length(u64),
    /// None: the number is part of the head.
    Varint(u64),
}

/// Why there is no head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoHead {
    /// These bytes are none.
    Broken,
    /// It goes on behind these bytes.
    Cut,
}

impl<'a> Fields<'a> {
    pub(super) fn of(message: &'a [u8]) -> Self {
        Self {
            rest: message,
            broken: false,
        }
    }

    /// Tells whether the fields given so far are followed by something that is none.
    pub(super) fn is_broken(&self) -> bool {
        self.broken
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Field<'a>;

    fn next(&mut self) -> Option<Field<'a>> {
        if self.broken || self.rest.is_empty() {
            return None;
        }
        let Ok(head) = Head::read(self.rest) else {
            self.broken = true;
            return None;
        };
        let behind = self.rest.get(head.length..).unwrap_or_default();
        let (value, length) = match head.layout {
            Layout::Varint(number) => (Value::Varint(number), 0),
            Layout::Fixed(length) => (Value::Fixed, length),
            Layout::Length(length) => {
                let there = usize::try_from(length).ok();
                let there = there.and_then(|length| behind.get(..length));
                (Value::Bytes(there.unwrap_or(behind)), length)
            }
        };
        let after = usize::try_from(length).ok();
        let after = after.and_then(|length| behind.get(length..));
        self.broken = after.is_none();
        self.rest = after.unwrap_or_default();
        Some(Field {
            number: head.number,
            value,
        })
    }
}

impl Head {
    /// Reads the head at the beginning of `bytes`.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, NoHead> {
        let (tag, tag_length) = varint(bytes)?;
        let number = u32::try_from(tag >> 3).map_err(|_| NoHead::Broken)?;
        if !(1..=MAX_NUMBER).contains(&number) {
            return Err(NoHead::Broken);
        }
        let (layout, length) = match tag & 7 {
            wire_type @ (0 | 2) => {
                let behind = bytes.get(tag_length..).unwrap_or_default();
                let (value, length) = varint(behind)?;
                let layout = match wire_type {
                    0 => Layout::Varint(value),
                    _ => Layout::Length(value),
                };
                (layout, tag_length + length)
            }
            1 => (Layout::Fixed(8), tag_length),
            5 => (Layout::Fixed(4), tag_length),
            // Groups, which Kubernetes does not have, and what does not exist.
            _ => return Err(NoHead::Broken),
        };
        Ok(Self {
            number,
            layout,
            length,
        })
    }
}

/// Reads a varint and how many bytes it has.
fn varint(bytes: &[u8]) -> Result<(u64, usize), NoHead> {
    let mut value = 0_u64;
    for (index, &byte) in bytes.iter().enumerate().take(MAX_VARINT_BYTES) {
        if index + 1 == MAX_VARINT_BYTES && byte > 1 {
            return Err(NoHead::Broken);
        }
        value |= u64::from(byte & 0x7f) << (7 * index);
        if byte < 0x80 {
            return Ok((value, index + 1));
        }
    }
    Err(NoHead::Cut)
}

/// Returns the last value of a field that holds text or a message, and whether all of `message`
/// could be read.
pub(super) fn last(message: &[u8], number: u32) -> (Option<&[u8]>, bool) {
    let mut fields = Fields::of(message);
    let mut found = None;
    for field in fields.by_ref() {
        if let Value::Bytes(value) = field.value
            && field.number == number
        {
            found = Some(value);
        }
    }
    (found, !fields.is_broken())
}

/// Returns the text of a field, replacing what is not UTF-8; empty when there is none.
pub(super) fn text(message: &[u8], number: u32) -> String {
    let (found, _) = last(message, number);
    readable(found.unwrap_or_default()).into_owned()
}

/// Returns `part` of `whole` without a copy.
pub(super) fn share(whole: &Bytes, part: &[u8]) -> Bytes {
    let start = (part.as_ptr() as usize).wrapping_sub(whole.as_ptr() as usize);
    match start.checked_add(part.len()) {
        Some(end) if start <= end && end <= whole.len() => whole.slice(start..end),
        Some(_) | None => Bytes::copy_from_slice(part),
    }
}

/// The largest field number of the wire format.
const MAX_NUMBER: u32 = (1 << 29) - 1;

/// The longest encoding of a varint, in bytes.
const MAX_VARINT_BYTES: usize = 10;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_up_to_what_is_none() {
        let message = b"\x08\x96\x01\x12\x02hi\x1d1234\x21abcdefgh\x0b";
        let mut fields = Fields::of(message);
        let read: Vec<_> = fields
            .by_ref()
            .map(|field| (field.number, field.value))
            .collect();
        let expected = [
            (1, Value::Varint(150)),
            (2, Value::Bytes(b"hi")),
            (3, Value::Fixed),
            (4, Value::Fixed),
        ];
        assert_eq!(read, expected);
        assert!(fields.is_broken(), "a group");
    }

    #[test]
    fn a_value_that_is_cut_is_given_as_far_as_it_goes() {
        let mut fields = Fields::of(b"\x12\x05abc");
        let field = fields.next().unwrap();
        assert_eq!(field.value, Value::Bytes(b"abc"));
        assert_eq!(fields.next(), None);
        assert!(fields.is_broken());
        assert_eq!(last(b"\x12\x01a\x12\x01b", 2), (Some(&b"b"[..]), true));
        assert_eq!(last(b"\x12\x01a\x12\x02b", 2), (Some(&b"b"[..]), false));
    }

    #[test]
    fn every_head_that_is_cut_says_so() {
        let head = b"\xfa\xff\xff\xff\x0f\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01";
        for length in 0..head.len() {
            assert_eq!(Head::read(&head[..length]), Err(NoHead::Cut), "{length}");
        }
        let read = Head::read(head).unwrap();
        assert_eq!((read.number, read.length), (MAX_NUMBER, head.len()));
        assert_eq!(read.layout, Layout::Length(u64::MAX));
        for broken in [
            &b"\x02\x00"[..],
            b"\x0e",
            b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02",
        ] {
            assert_eq!(Head::read(broken), Err(NoHead::Broken), "{broken:?}");
        }
    }

    #[test]
    fn a_shared_part_is_not_copied() {
        let whole = Bytes::from(b"one two".to_vec());
        let part = share(&whole, &whole[4..]);
        assert_eq!(part, "two");
        assert_eq!(part.as_ptr(), whole[4..].as_ptr());
        assert_eq!(share(&whole, b"three"), "three");
        assert_eq!(share(&whole, &[]), "");
    }
}
