//! Whether a mask sees the difference of two pods, of which one was made of the other.

use crate::pods::message;

use super::{Choices, Inner, Oddities, Record, bytes_of, mask, pod, projection, targets};

/// The promise of `Projection::differs`, on a pod that is drawn, on what edits that are drawn make of it,
/// and on masks: it says what projecting both and comparing says.
///
/// # Panics
///
/// When it is broken.
pub fn differs(choices: &mut Choices<'_>) {
    let oddities = Oddities {
        unknown_in_entries: true,
    };
    let mut before = pod(choices, oddities);
    let others = pod(choices, oddities);
    // Most pods that are drawn have fields in another order than encoders write them.
    if choices.once_in(2) {
        sort(&mut before);
    }
    let mut after = before.clone();
    for _ in 0..choices.below(4) {
        edit(choices, &mut after, &others);
    }
    if choices.once_in(4) {
        sort(&mut after);
    }
    let (old, new) = (bytes_of(&before), bytes_of(&after));
    for records in [&before, &after, &others] {
        let targets = targets(choices, records);
        let mask = mask(choices, &targets);
        let projection = projection(&mask);
        let project = |bytes: &[u8]| {
            let mut out = Vec::new();
            projection.project(bytes, &mut out).map(|()| out)
        };
        let (left, right) = (project(&old), project(&new));
        let expected = left.and_then(|left| Ok(left != right?));
        let shown = || format!("{mask} of {old:02x?} and {new:02x?}");
        assert_eq!(projection.differs(&old, &new), expected, "{}", shown());
        assert_eq!(projection.differs(&new, &old), expected, "{}", shown());
        assert_eq!(projection.differs(&new, &new), Ok(false), "{}", shown());
    }
}

/// Puts the fields of a message and of all below it in the order of their numbers.
fn sort(records: &mut [Record]) {
    for record in records.iter_mut() {
        if let Inner::Message(inner) = &mut record.inner {
            sort(inner);
            encode(record);
        }
    }
    records.sort_by_key(|record| record.number);
}

/// Changes one thing of a message, or of one below it; `others` are records that fit there.
fn edit(choices: &mut Choices<'_>, records: &mut Vec<Record>, others: &[Record]) {
    if records.is_empty() {
        records.extend(others.first().cloned());
        return;
    }
    let place = choices.below(records.len());
    let number = records[place].number;
    let mut other = others.iter().filter(|other| other.number == number);
    match choices.below(10) {
        0 => {
            records.remove(place);
        }
        1 => {
            let again = records[place].clone();
            records.insert(place, again);
        }
        2 => {
            let second = choices.below(records.len());
            records.swap(place, second);
        }
        3 => {
            if let Some(other) = other.next() {
                records[place] = other.clone();
            }
        }
        4 => {
            if !others.is_empty() {
                records.insert(place, choices.pick(others).clone());
            }
        }
        5 | 6 => {
            // The last byte is a value's, of a text or of a number, or one that cannot be told from it.
            let record = &mut records[place];
            let is_group = record.bytes.first().is_some_and(|tag| tag & 7 == 3);
            let last = record.bytes.last_mut().filter(|_| !is_group);
            if let (Inner::Value, Some(last @ 2..0x7f)) = (&record.inner, last) {
                *last ^= 1;
            }
        }
        _ => {
            if let Inner::Message(inner) = &mut records[place].inner {
                let others = match other.next().map(|other| &other.inner) {
                    Some(Inner::Message(others)) => others.as_slice(),
                    Some(Inner::Value | Inner::Entry { .. }) | None => &[],
                };
                edit(choices, inner, others);
                encode(&mut records[place]);
            }
        }
    }
}

/// Writes the bytes of a message anew.
fn encode(record: &mut Record) {
    if let Inner::Message(inner) = &record.inner {
        record.bytes.clear();
        message(record.number, &bytes_of(inner), &mut record.bytes);
    }
}
