//! One thing that is wrong with a pod, at a place that is known.

use podsapi_proto::schema::{Kind, Message, Shape};

use super::Choices;
use super::pods::{Inner, Record};

/// Puts one flaw into a pod: into its records, or into a message or an entry somewhere inside.
pub fn add_flaw(choices: &mut Choices<'_>, pod: &mut Vec<Record>) {
    add(choices, Message::POD, pod);
}

fn add(choices: &mut Choices<'_>, message: Message, records: &mut Vec<Record>) {
    let mut deeper: Vec<&mut Record> = records
        .iter_mut()
        .filter(|record| !matches!(record.inner, Inner::Value))
        .collect();
    if deeper.is_empty() || choices.once_in(3) {
        let (bytes, last) = flaw(choices, message);
        let at = if last {
            records.len()
        } else {
            choices.below(records.len() + 1)
        };
        let mut record = Record::value(0, bytes);
        record.flawed = true;
        records.insert(at, record);
        return;
    }
    let index = choices.below(deeper.len());
    let record = deeper.swap_remove(index);
    let payload = match &mut record.inner {
        Inner::Message(inner) => {
            let below = message
                .field(record.number)
                .and_then(|field| field.message());
            add(choices, below.unwrap_or(Message::POD), inner);
            super::bytes_of(inner)
        }
        Inner::Entry { key, flawed } => {
            *flawed = true;
            let mut payload = head(1, 2);
            payload.push(u8::try_from(key.len()).expect("the keys are short"));
            payload.extend_from_slice(key);
            if choices.once_in(2) {
                let number = 1 + u32::from(choices.once_in(2));
                payload.extend(of_wire_type(number, *choices.pick(&[0, 1, 3, 5])));
            } else {
                payload.extend(malformed(choices).0);
            }
            payload
        }
        Inner::Value => unreachable!("values were left out"),
    };
    record.bytes = head(record.number, 2);
    varint(payload.len() as u64, &mut record.bytes);
    record.bytes.extend(payload);
}

/// Returns a record that a reader of `message` must refuse, and whether it must be the last.
fn flaw(choices: &mut Choices<'_>, message: Message) -> (Vec<u8>, bool) {
    let fields: Vec<_> = message.fields().collect();
    if fields.is_empty() || choices.once_in(2) {
        return malformed(choices);
    }
    let field = choices.pick(&fields);
    let number = matches!(field.kind(), Kind::Bool | Kind::Int32 | Kind::Int64);
    let wrong: &[u8] = match (number, field.shape()) {
        (true, Shape::Singular) => &[1, 2, 3, 5],
        (true, Shape::Repeated) => &[1, 3, 5],
        (true, Shape::Map) | (false, _) => &[0, 1, 3, 5],
    };
    (of_wire_type(field.number(), *choices.pick(wrong)), false)
}

/// Returns bytes that are no record, and whether they must be the last to be that.
fn malformed(choices: &mut Choices<'_>) -> (Vec<u8>, bool) {
    let number = *choices.pick(&[1, 2, 19, 63, 64, 1_000]);
    match choices.below(14) {
        0 => (vec![0], false),
        1 => (vec![2, 0], false),
        2 => (head(number, 4), false),
        3 => (head(number, 6), false),
        4 => (head(number, 7), false),
        // Another group ends than began.
        5 => ([head(number, 3), head(number + 1, 4)].concat(), false),
        6 => {
            let depth = 101 + choices.below(3);
            let (open, close) = (head(number, 3).repeat(depth), head(number, 4).repeat(depth));
            ([open, close].concat(), false)
        }
        // A varint that is too long, and a tag that is too large.
        7 => ([head(70, 0), vec![0x80; 10], vec![0]].concat(), false),
        8 => (vec![0x82, 0x80, 0x80, 0x80, 0x10, 0], false),
        // Cut short.
        9 => ([head(70, 0), vec![0x80]].concat(), true),
        10 => ([head(70, 2), vec![4, 1, 2, 3]].concat(), true),
        11 => {
            let wire_type = *choices.pick(&[1, 5]);
            ([head(70, wire_type), vec![1, 2, 3]].concat(), true)
        }
        12 => (vec![0x80], true),
        // A group that does not end.
        _ => ([head(70, 3), of_wire_type(1, 0)].concat(), true),
    }
}

/// Returns a whole record of a wire type.
fn of_wire_type(number: u32, wire_type: u8) -> Vec<u8> {
    let mut record = head(number, wire_type);
    match wire_type {
        1 => record.extend([0; 8]),
        3 => record.extend(head(number, 4)),
        5 => record.extend([0; 4]),
        _ => record.push(0),
    }
    record
}

fn head(number: u32, wire_type: u8) -> Vec<u8> {
    let mut out = Vec::new();
    varint(u64::from(number) << 3 | u64::from(wire_type), &mut out);
    out
}

fn varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value.to_le_bytes()[0] | 0x80);
        value >>= 7;
    }
    out.push(value.to_le_bytes()[0]);
}
