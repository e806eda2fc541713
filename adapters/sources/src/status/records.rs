//! Encoded messages as lists of records, so that what a release does not know survives.

use core::iter;
use core::ops::Range;

/// One field of an encoded message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Record<'a> {
    pub(crate) number: u32,
    /// Tag, length and payload.
    pub(crate) whole: &'a [u8],
    /// The payload of a length-delimited record, empty for every other.
    pub(crate) payload: &'a [u8],
}

/// Returns the records of a message that was checked; malformed bytes end the list.
pub(crate) fn records(message: &[u8]) -> impl Iterator<Item = Record<'_>> {
    let mut rest = message;
    iter::from_fn(move || {
        let (number, payload, whole) = record(rest)?;
        rest = rest.get(whole.len()..).unwrap_or_default();
        Some(Record {
            number,
            whole,
            payload,
        })
    })
}

/// Returns the payloads of all records of one field in a row, which merges singular messages.
pub(crate) fn merged(message: &[u8], number: u32) -> Vec<u8> {
    let mut payloads = Vec::new();
    for record in records(message).filter(|record| record.number == number) {
        payloads.extend_from_slice(record.payload);
    }
    payloads
}

/// A message under construction whose records come out by ascending number.
#[derive(Debug, Default)]
pub(crate) struct Fields {
    /// The records as they came.
    bytes: Vec<u8>,
    /// Their numbers and places.
    fields: Vec<(u32, Range<usize>)>,
}

impl Fields {
    /// Starts with the records of `message` but those that `replaced` names.
    pub(crate) fn keeping(message: &[u8], replaced: &[u32]) -> Self {
        let mut fields = Self::default();
        let kept = records(message).filter(|record| !replaced.contains(&record.number));
        kept.for_each(|record| fields.add_record(&record));
        fields
    }

    /// Adds all records of an encoded message.
    pub(crate) fn add_all(&mut self, message: &[u8]) {
        records(message).for_each(|record| self.add_record(&record));
    }

    /// Adds a message or a text.
    pub(crate) fn add(&mut self, number: u32, payload: &[u8]) {
        let start = self.bytes.len();
        put_varint(u64::from(number) << 3 | 2, &mut self.bytes);
        put_varint(payload.len() as u64, &mut self.bytes);
        self.bytes.extend_from_slice(payload);
        self.fields.push((number, start..self.bytes.len()));
    }

    fn add_record(&mut self, record: &Record<'_>) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(record.whole);
        self.fields.push((record.number, start..self.bytes.len()));
    }

    /// Returns the message; records of one field keep the order in which they came.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        self.fields.sort_by_key(|(number, _)| *number);
        let mut message = Vec::with_capacity(self.bytes.len());
        for (_, place) in self.fields {
            message.extend_from_slice(self.bytes.get(place).unwrap_or_default());
        }
        message
    }
}

/// Returns number, payload and all bytes of the first record.
fn record(message: &[u8]) -> Option<(u32, &[u8], &[u8])> {
    let (tag, behind_tag) = varint(message)?;
    let number = u32::try_from(tag >> 3).ok()?;
    let (payload, rest): (&[u8], &[u8]) = match tag & 7 {
        0 => (&[], varint(behind_tag)?.1),
        1 => (&[], behind_tag.get(8..)?),
        2 => {
            let (length, behind) = varint(behind_tag)?;
            behind.split_at_checked(usize::try_from(length).ok()?)?
        }
        3 => (&[], behind_group(behind_tag, number)?),
        5 => (&[], behind_tag.get(4..)?),
        _ => return None,
    };
    let whole = message.get(..message.len() - rest.len())?;
    Some((number, payload, whole))
}

/// Returns what follows the group `number` whose inside `message` begins with.
fn behind_group(message: &[u8], number: u32) -> Option<&[u8]> {
    let mut open = vec![number];
    let mut rest = message;
    while let Some(innermost) = open.last() {
        let (tag, behind_tag) = varint(rest)?;
        let of = u32::try_from(tag >> 3).ok()?;
        rest = match tag & 7 {
            3 => {
                open.push(of);
                behind_tag
            }
            4 if of == *innermost => {
                open.pop();
                behind_tag
            }
            4 => return None,
            _ => {
                let (_, _, whole) = record(rest)?;
                rest.get(whole.len()..)?
            }
        };
    }
    Some(rest)
}

fn varint(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let mut value = 0;
    for (index, byte) in bytes.iter().enumerate().take(10) {
        value |= u64::from(byte & 0x7f) << (7 * index);
        if byte & 0x80 == 0 {
            return Some((value, bytes.get(index + 1..).unwrap_or_default()));
        }
    }
    None
}

fn put_varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

#[cfg(test)]
mod tests {
    use super::{Fields, merged, records};

    /// Fields 1 (text), 20 (varint), 21 (a group with a nested group), 3 (fixed 32), 1 again.
    const MESSAGE: &[u8] =
        b"\x0a\x01a\xa0\x01\x96\x01\xab\x01\x13\x14\x08\x01\xac\x01\x1d\x00\x00\x00\x07\x0a\x01b";

    #[test]
    fn every_kind_of_record_is_found_whole() {
        let found: Vec<_> = records(MESSAGE).collect();
        let numbers: Vec<_> = found.iter().map(|record| record.number).collect();
        assert_eq!(numbers, [1, 20, 21, 3, 1]);
        let whole: Vec<u8> = found
            .iter()
            .flat_map(|record| record.whole.to_vec())
            .collect();
        assert_eq!(whole, MESSAGE);
        assert_eq!(merged(MESSAGE, 1), b"ab");
    }

    #[test]
    fn cut_bytes_end_the_list_and_nothing_else() {
        for end in 0..MESSAGE.len() {
            assert!(records(&MESSAGE[..end]).count() <= 4);
        }
        assert_eq!(records(b"\x0c\x00").next(), None);
    }

    #[test]
    fn replaced_fields_go_and_all_others_stay_in_order() {
        let mut fields = Fields::keeping(MESSAGE, &[1]);
        fields.add(1, b"new");
        fields.add_all(b"\x12\x00");
        let message = fields.finish();
        let numbers: Vec<_> = records(&message).map(|r| r.number).collect();
        assert_eq!(numbers, [1, 2, 3, 20, 21]);
        assert_eq!(merged(&message, 1), b"new");
    }
}
