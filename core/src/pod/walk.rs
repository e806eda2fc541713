//! The walk that checks all nesting of an encoded pod against the schema without recursion.

use core::ops::Range;

use super::{Layout, field};
use crate::wire::{Reader, WireError, WireErrorKind, WireType};

/// What the walk of a pod found.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) uid: Range<usize>,
    pub(super) namespace: Range<usize>,
    pub(super) name: Range<usize>,
    pub(super) layout: Layout,
}

/// Walks the bytes of a `Pod`.
pub(super) fn pod(bytes: &[u8]) -> Result<Found, WireError> {
    let mut found = Found::default();
    found.layout.fields_ascend = true;
    let mut reader = Reader::new(bytes);
    while reader.position() < bytes.len() {
        let start = reader.position();
        let tag = reader.tag(bytes.len())?;
        if tag.wire_type == WireType::Length {
            let mut ahead = reader.clone();
            let end = ahead.length(bytes.len())?;
            let range = ahead.position()..end;
            if tag.field == field::METADATA {
                found.layout.metadata.add(range.clone());
                metadata(bytes, ahead, end, &mut found)?;
            } else if tag.field == field::SPEC {
                found.layout.spec.add(range);
            } else if tag.field == field::STATUS {
                found.layout.status.add(range);
            }
        }
        reader.skip(tag, start, 1, bytes.len())?;
    }
    Ok(found)
}

fn metadata(
    bytes: &[u8],
    mut reader: Reader<'_>,
    end: usize,
    found: &mut Found,
) -> Result<(), WireError> {
    while reader.position() < end {
        let start = reader.position();
        let tag = reader.tag(end)?;
        if tag.wire_type == WireType::Length {
            let mut ahead = reader.clone();
            let value_end = ahead.length(end)?;
            let range = ahead.position()..value_end;
            let text = bytes.get(range.clone()).unwrap_or_default();
            if matches!(tag.field, field::NAME | field::NAMESPACE | field::UID)
                && core::str::from_utf8(text).is_err()
            {
                return Err(WireErrorKind::NotUtf8.at(range.start));
            }
            match tag.field {
                field::NAME => found.name = range,
                field::NAMESPACE => found.namespace = range,
                field::UID => found.uid = range,
                _ => {}
            }
        }
        reader.skip(tag, start, 2, end)?;
    }
    Ok(())
}

/// Walks the bytes of a `PodStatus`.
pub(super) fn status(bytes: &[u8]) -> Result<(), WireError> {
    let mut reader = Reader::new(bytes);
    while reader.record()?.is_some() {}
    Ok(())
}
