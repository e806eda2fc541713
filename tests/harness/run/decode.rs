//! Reads what the service sent, with a reader of the tests' own.

use podsapi_core::Dialect;

use crate::model::{Gone, Seen, ServedPod};
use crate::pods::{Record, records};

/// Reads an event; the documented dialect does not tell ADDED from MODIFIED, so there the model's
/// word is taken.
pub(super) fn seen_event(dialect: Dialect, event: &[u8], expected: &Seen) -> Seen {
    let pods = payloads(event, if dialect == Dialect::V1alpha1 { 2 } else { 1 });
    let kind = match dialect {
        Dialect::V1alpha1 => varint_of(event, 1),
        Dialect::Documented => match expected {
            Seen::Added(_) => Some(1),
            Seen::Modified(_) => Some(2),
            Seen::Deleted(_) => Some(3),
            Seen::Marker | Seen::Idle | Seen::End(_) => None,
        },
    };
    match (kind, pods.as_slice()) {
        (Some(1), [pod]) => Seen::Added(served_pod(pod)),
        (Some(2), [pod]) => Seen::Modified(served_pod(pod)),
        (Some(3), [pod]) => Seen::Deleted(gone(pod)),
        (Some(4), []) => Seen::Marker,
        (kind, pods) => panic!("unexpected event of type {kind:?} with {} pods", pods.len()),
    }
}

pub(super) fn served_pod(pod: &[u8]) -> ServedPod {
    let [metadata, spec, status] = [1, 2, 3].map(|number| {
        let mut found = payloads(pod, number);
        assert!(found.len() <= 1, "a served pod has its parts once");
        found.pop()
    });
    let there = [metadata.is_some(), spec.is_some(), status.is_some()];
    let [metadata, status] = [metadata, status].map(Option::unwrap_or_default);
    let conditions = payloads(&status, 2);
    ServedPod {
        metadata: there[0],
        spec: there[1],
        status: there[2],
        uid: text_of(&metadata, 5),
        namespace: text_of(&metadata, 3),
        name: text_of(&metadata, 1),
        version: text_of(&metadata, 6),
        phase: text_of(&status, 1),
        ready: conditions
            .first()
            .map(|ready| (text_of(ready, 2), text_of(ready, 5))),
    }
}

fn gone(pod: &[u8]) -> Gone {
    let metadata = payloads(pod, 1).concat();
    let fields: Vec<_> = records(&metadata)
        .into_iter()
        .map(|(number, _)| number)
        .collect();
    assert_eq!(records(pod).len(), 1, "a deleted pod has its metadata only");
    let at = payloads(&metadata, 9)
        .first()
        .and_then(|time| varint_of(time, 1));
    match at {
        None => assert_eq!(fields, [1, 3, 5]),
        Some(_) => {
            assert_eq!(fields, [1, 3, 5, 9, 10]);
            assert_eq!(varint_of(&metadata, 10), Some(0));
        }
    }
    Gone {
        uid: text_of(&metadata, 5),
        namespace: text_of(&metadata, 3),
        name: text_of(&metadata, 1),
        at: at.map(u64::cast_signed),
    }
}

pub(super) fn payloads(bytes: &[u8], number: u32) -> Vec<Vec<u8>> {
    let found = records(bytes)
        .into_iter()
        .filter(|(other, _)| *other == number);
    found
        .filter_map(|(_, record)| match record {
            Record::Payload(payload) => Some(payload),
            Record::Varint(_) => None,
        })
        .collect()
}

fn text_of(bytes: &[u8], number: u32) -> String {
    String::from_utf8(payloads(bytes, number).pop().unwrap_or_default()).expect("text is UTF-8")
}

fn varint_of(bytes: &[u8], number: u32) -> Option<u64> {
    let found = records(bytes)
        .into_iter()
        .rfind(|(other, _)| *other == number)?;
    match found.1 {
        Record::Varint(value) => Some(value),
        Record::Payload(_) => None,
    }
}
