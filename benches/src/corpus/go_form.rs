//! Encoded messages as Go's generated code writes them.
//!
//! A Go field that is no pointer, list or map has a value always, and is written always: an absent
//! name as an empty text, an absent struct as an empty message. Fields come in ascending order.

use podsapi_proto::schema::{Field, Kind, Message, Opaque, Shape};

/// Returns `encoded` with the fields that Go writes although they are empty.
///
/// # Panics
///
/// When the bytes are no message of this type; they come from the encoder beside us.
pub(super) fn go_form(message: Message, encoded: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(encoded.len() * 2);
    if message.opaque() == Some(Opaque::Time) && encoded.is_empty() {
        return out;
    }
    let present = fields_of(encoded);
    for field in message.fields() {
        let mut values = present.iter().filter(|(tag, _)| tag >> 3 == field.number());
        match (values.next(), field.shape()) {
            (None, Shape::Singular) if is_always_written(field) => write_zero(field, &mut out),
            (None, _) => {}
            (Some(first), _) => {
                for (tag, value) in std::iter::once(first).chain(values) {
                    write(field, *tag, value, &mut out);
                }
            }
        }
    }
    out
}

fn is_always_written(field: Field) -> bool {
    let is_slice = matches!(field.kind(), Kind::Bytes);
    !field.go_pointer() && !field.is_tombstone() && !is_slice
}

fn write_zero(field: Field, out: &mut Vec<u8>) {
    match field.kind() {
        Kind::Bool | Kind::Int32 | Kind::Int64 => {
            varint(u64::from(field.number() << 3), out);
            out.push(0);
        }
        Kind::String | Kind::Bytes => delimited(field.number(), &[], out),
        Kind::Message(inner) => delimited(field.number(), &go_form(inner, &[]), out),
    }
}

fn write(field: Field, tag: u32, value: &[u8], out: &mut Vec<u8>) {
    match (field.kind(), field.shape()) {
        (Kind::Message(inner), Shape::Singular | Shape::Repeated) => {
            delimited(field.number(), &go_form(inner, value), out);
        }
        (kind, Shape::Map) => {
            let mut entry = Vec::new();
            for (tag, part) in fields_of(value) {
                match kind {
                    Kind::Message(inner) if tag >> 3 == 2 => {
                        delimited(2, &go_form(inner, part), &mut entry);
                    }
                    Kind::Bool
                    | Kind::Bytes
                    | Kind::Int32
                    | Kind::Int64
                    | Kind::Message(_)
                    | Kind::String => raw(tag, part, &mut entry),
                }
            }
            delimited(field.number(), &entry, out);
        }
        (
            Kind::Bool | Kind::Bytes | Kind::Int32 | Kind::Int64 | Kind::String,
            Shape::Singular | Shape::Repeated,
        ) => raw(tag, value, out),
    }
}

/// Writes a field whose value is as it was read.
fn raw(tag: u32, value: &[u8], out: &mut Vec<u8>) {
    if tag & 7 == 2 {
        delimited(tag >> 3, value, out);
    } else {
        varint(u64::from(tag), out);
        out.extend_from_slice(value);
    }
}

fn delimited(number: u32, value: &[u8], out: &mut Vec<u8>) {
    varint(u64::from(number << 3 | 2), out);
    varint(value.len() as u64, out);
    out.extend_from_slice(value);
}

/// Appends a varint.
pub(crate) fn varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value.to_le_bytes()[0] | 0x80);
        value >>= 7;
    }
    out.push(value.to_le_bytes()[0]);
}

/// Returns each field's tag and value: the bytes of the varint, or what the length counts.
fn fields_of(mut encoded: &[u8]) -> Vec<(u32, &[u8])> {
    let mut fields = Vec::new();
    while !encoded.is_empty() {
        let (tag, _) = take_varint(&mut encoded);
        let tag = u32::try_from(tag).expect("a field's number is small");
        let value = match tag & 7 {
            0 => take_varint(&mut encoded).1,
            2 => {
                let (length, _) = take_varint(&mut encoded);
                let length = usize::try_from(length).expect("a length fits the memory");
                let (value, rest) = encoded.split_at(length);
                encoded = rest;
                value
            }
            other => panic!("a pod has no wire type {other}"),
        };
        fields.push((tag, value));
    }
    fields
}

fn take_varint<'a>(encoded: &mut &'a [u8]) -> (u64, &'a [u8]) {
    let whole = *encoded;
    let mut value = 0;
    for (index, byte) in whole.iter().enumerate() {
        value |= u64::from(byte & 0x7f) << (7 * index);
        if byte & 0x80 == 0 {
            let (bytes, rest) = whole.split_at(index + 1);
            *encoded = rest;
            return (value, bytes);
        }
    }
    panic!("a varint ends within the message");
}
