//! The nesting of encoded messages that a decoder has accepted, read as plainly as possible.

use std::ops::Range;

use podsapi_proto::schema::{Kind, Message, Shape};

/// One field of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) number: u64,
    /// Where the value of a string or a message lies.
    pub(super) payload: Option<Range<usize>>,
}

/// The fields of a message; one that is malformed is the last.
pub(super) fn records(bytes: &[u8]) -> Vec<Record> {
    let (mut at, mut records) = (0, Vec::new());
    while at < bytes.len()
        && let Some(record) = record(bytes, &mut at)
    {
        records.push(record);
    }
    records
}

/// Whether the fields of every message are in the order of their numbers.
pub(super) fn ascends(message: Message, bytes: &[u8]) -> bool {
    let records = records(bytes);
    let below = |record: &Record| match (&record.payload, message.field(number(record.number))) {
        (Some(payload), Some(field)) => {
            let bytes = bytes.get(payload.clone()).unwrap_or_default();
            match (field.shape(), field.kind()) {
                (Shape::Map, kind) => entry_ascends(kind, bytes),
                (Shape::Singular | Shape::Repeated, Kind::Message(inner)) => ascends(inner, bytes),
                (Shape::Singular | Shape::Repeated, _) => true,
            }
        }
        (Some(_) | None, Some(_) | None) => true,
    };
    records.is_sorted_by_key(|record| record.number) && records.iter().all(below)
}

fn entry_ascends(value: Kind, bytes: &[u8]) -> bool {
    let records = records(bytes);
    let below = |record: &Record| match (record.number, &record.payload, value) {
        (VALUE, Some(payload), Kind::Message(inner)) => {
            ascends(inner, bytes.get(payload.clone()).unwrap_or_default())
        }
        _ => true,
    };
    records.is_sorted_by_key(|record| record.number) && records.iter().all(below)
}

fn record(bytes: &[u8], at: &mut usize) -> Option<Record> {
    let tag = varint(bytes, at)?;
    let mut payload = None;
    match tag & 7 {
        0 => {
            varint(bytes, at)?;
        }
        1 => *at += 8,
        2 => {
            let length = usize::try_from(varint(bytes, at)?).ok()?;
            let end = at.checked_add(length)?;
            payload = Some(*at..end);
            *at = end;
        }
        3 => {
            let mut open = 1;
            while open > 0 {
                match varint(bytes, at)? & 7 {
                    0 => {
                        varint(bytes, at)?;
                    }
                    1 => *at += 8,
                    2 => {
                        let length = usize::try_from(varint(bytes, at)?).ok()?;
                        *at = at.checked_add(length)?;
                    }
                    3 => open += 1,
                    4 => open -= 1,
                    _ => *at += 4,
                }
            }
        }
        _ => *at += 4,
    }
    Some(Record {
        number: tag >> 3,
        payload,
    })
}

fn varint(bytes: &[u8], at: &mut usize) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let byte = *bytes.get(*at)?;
        *at += 1;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

/// The schema knows no number that is too long for it.
fn number(number: u64) -> u32 {
    u32::try_from(number).unwrap_or_default()
}

/// The number of the value in an entry of a map.
const VALUE: u64 = 2;
