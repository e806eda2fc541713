//! Tests of the check that every pod passes on entry.

use alloc::string::ToString;
use alloc::vec;
use alloc::vec::Vec;

use proptest::prelude::*;

use super::*;
use crate::sample::pod_bytes;
use crate::wire::{WireErrorKind, put_bytes, put_varint};

fn parse(bytes: &[u8]) -> Result<EncodedPod, PodError> {
    EncodedPod::parse(Bytes::copy_from_slice(bytes))
}

fn wire_error(bytes: &[u8]) -> WireError {
    match parse(bytes) {
        Err(PodError::Wire(error)) => error,
        other => panic!("expected a wire error, found {other:?}"),
    }
}

/// Returns a pod with this record behind the others.
fn pod_with(number: u32, payload: &[u8]) -> Vec<u8> {
    let mut pod = pod_bytes("n", "a", "u", "Running");
    put_bytes(number, payload, &mut pod);
    pod
}

#[test]
fn identity_and_parts_are_found() {
    let bytes = pod_bytes("kube-system", "dns", "u-1", "Running");
    let pod = parse(&bytes).unwrap();
    assert_eq!(
        (pod.namespace(), pod.name(), pod.uid().as_str()),
        ("kube-system", "dns", "u-1")
    );
    assert_eq!(
        pod.status().map(|range| &bytes[range]),
        Some(&b"\x0a\x07Running"[..])
    );
    assert_eq!(pod.spec(), None);
    assert!(pod.fields_ascend());
    assert_eq!(pod.bytes(), &bytes);
}

#[test]
fn each_part_is_told_with_its_own_place() {
    let mut bytes = pod_bytes("n", "a", "u", "");
    let metadata = bytes[2..].to_vec();
    put_bytes(field::SPEC, b"\x52\x01n", &mut bytes);
    put_bytes(field::STATUS, b"\x0a\x07Running", &mut bytes);
    let pod = parse(&bytes).unwrap();
    let parts = [pod.metadata(), pod.spec(), pod.status()].map(|part| &bytes[part.unwrap()]);
    assert_eq!(parts, [&metadata[..], b"\x52\x01n", b"\x0a\x07Running"]);
}

#[test]
fn a_pod_without_a_uid_is_refused() {
    assert_eq!(parse(b""), Err(PodError::MissingUid));
    assert_eq!(parse(b"\x0a\x03\x0a\x01a"), Err(PodError::MissingUid));
    assert_eq!(parse(b"\x0a\x02\x2a\x00"), Err(PodError::MissingUid));
}

#[test]
fn a_pod_over_the_limit_is_refused_before_it_is_read() {
    let error = EncodedPod::parse_with_limit(Bytes::from_static(&[0xff; 11]), 10);
    assert_eq!(
        error,
        Err(PodError::TooLarge {
            bytes: 11,
            limit: 10
        })
    );
}

#[test]
fn a_pod_and_a_status_of_just_the_limit_are_taken_and_one_byte_more_is_not() {
    let bytes = Bytes::from(pod_bytes("n", "a", "u", "Running"));
    let length = bytes.len();
    assert!(EncodedPod::parse_with_limit(bytes.clone(), length).is_ok());
    let limit = length - 1;
    assert_eq!(
        EncodedPod::parse_with_limit(bytes, limit),
        Err(PodError::TooLarge {
            bytes: length,
            limit
        })
    );

    let limit = DEFAULT_MAX_POD_BYTES.get() as usize;
    let identity = b"\x0a\x03\x2a\x01u";
    let filled = |before: &[u8], bytes: usize| {
        // A tag of two bytes and a length of four stand before the filler.
        let mut out = before.to_vec();
        put_bytes(99, &vec![b'x'; bytes - before.len() - 6], &mut out);
        assert_eq!(out.len(), bytes);
        Bytes::from(out)
    };
    let beyond = PodError::TooLarge {
        bytes: limit + 1,
        limit,
    };
    assert!(EncodedPod::parse(filled(identity, limit)).is_ok());
    assert_eq!(EncodedPod::parse(filled(identity, limit + 1)), Err(beyond));
    let status = EncodedStatus::parse(filled(b"", limit)).unwrap();
    assert_eq!(status.bytes().len(), limit);
    assert_eq!(EncodedStatus::parse(filled(b"", limit + 1)), Err(beyond));
}

#[test]
fn of_several_metadata_records_the_last_of_each_field_counts() {
    let mut bytes = pod_bytes("n", "a", "u", "");
    put_bytes(field::METADATA, b"\x2a\x01v", &mut bytes);
    put_bytes(field::METADATA, b"\x0a\x01b\x0a\x01c", &mut bytes);
    let pod = parse(&bytes).unwrap();
    assert_eq!(
        (pod.namespace(), pod.name(), pod.uid().as_str()),
        ("n", "c", "v")
    );
    assert_eq!(pod.metadata(), None, "three records are not one place");
}

#[test]
fn a_known_field_with_another_wire_type_is_refused_where_it_stands() {
    let metadata_as_varint = b"\x08\x01";
    let kind = WireErrorKind::WireType { field: 1, found: 0 };
    assert_eq!(wire_error(metadata_as_varint), kind.at(0));
    let host_network_as_bytes = pod_with(field::SPEC, b"\x5a\x01\x01");
    let offset = host_network_as_bytes.len() - 3;
    let kind = WireErrorKind::WireType {
        field: 11,
        found: 2,
    };
    assert_eq!(wire_error(&host_network_as_bytes), kind.at(offset));
}

#[test]
fn repeated_integers_may_be_packed_or_not() {
    // spec.securityContext is field 14, its supplementalGroups field 4.
    let packed = pod_with(field::SPEC, b"\x72\x05\x22\x03\x01\x80\x01");
    let unpacked = pod_with(field::SPEC, b"\x72\x04\x20\x01\x20\x02");
    assert!(parse(&packed).is_ok());
    assert!(parse(&unpacked).is_ok());
    let broken = pod_with(field::SPEC, b"\x72\x04\x22\x02\x01\x80");
    assert_eq!(
        wire_error(&broken),
        WireErrorKind::Truncated.at(broken.len() - 1)
    );
}

#[test]
fn map_entries_are_walked_too() {
    let metadata = |entry: &[u8]| {
        let mut metadata = Vec::new();
        put_bytes(11, entry, &mut metadata);
        metadata
    };
    assert!(
        parse(&pod_with(
            field::METADATA,
            &metadata(b"\x0a\x01k\x12\x01v\x18\x05")
        ))
        .is_ok()
    );
    let number_as_key = pod_with(field::METADATA, &metadata(b"\x08\x01"));
    let kind = WireErrorKind::WireType { field: 1, found: 0 };
    assert_eq!(wire_error(&number_as_key), kind.at(number_as_key.len() - 2));
}

#[test]
fn unknown_fields_of_every_wire_type_stay_where_they_are() {
    let mut bytes = pod_bytes("n", "a", "u", "Running");
    for (wire_type, value) in [
        (0, vec![1]),
        (1, vec![0; 8]),
        (2, vec![1, 0xff]),
        (3, vec![0x08, 0x01, 0xa4, 0x06]),
        (5, vec![0; 4]),
    ] {
        put_varint(100 << 3 | wire_type, &mut bytes);
        bytes.extend(value);
    }
    assert_eq!(parse(&bytes).unwrap().bytes(), &bytes);
}

#[test]
fn strings_that_are_not_utf_8_are_read_with_a_replacement_and_stay_as_they_are() {
    let bytes = pod_with(field::STATUS, b"\x1a\x04cut\xc3");
    let pod = parse(&bytes).unwrap();
    assert_eq!(pod.bytes(), &bytes);
    assert_eq!(pod.first_not_utf8().as_deref(), Some("status.message"));
    let plain = parse(&pod_bytes("n", "a", "u", "Running")).unwrap();
    assert_eq!(plain.first_not_utf8(), None);
    assert_eq!(
        (pod.uid(), pod.namespace(), pod.name()),
        (plain.uid(), plain.namespace(), plain.name())
    );

    let names = parse(b"\x0a\x0b\x0a\x01\xff\x1a\x02\xe2\x82\x2a\x02u\xc3").unwrap();
    assert_eq!(names.name(), "\u{fffd}");
    assert_eq!(names.namespace(), "\u{fffd}\u{fffd}");
    assert_eq!(names.uid().as_str(), "u\u{fffd}");
    assert_eq!(names.first_not_utf8().as_deref(), Some("metadata.name"));
    // Bytes are no text: data of a kind that no schema knows, and of an unknown field.
    let unknown = pod_with(100, b"\xff");
    assert_eq!(parse(&unknown).unwrap().first_not_utf8(), None);
}

#[test]
fn fields_out_of_order_are_noticed_at_any_depth() {
    let mut bytes = b"\x0a\x06\x2a\x01u\x0a\x01a".to_vec();
    assert!(!parse(&bytes).unwrap().fields_ascend());
    bytes = pod_bytes("n", "a", "u", "Running");
    put_bytes(field::SPEC, b"", &mut bytes);
    assert!(!parse(&bytes).unwrap().fields_ascend());
}

#[test]
fn a_status_is_never_nested_too_deep_for_the_pod_that_it_is_served_in() {
    let owner = parse(&pod_bytes("n", "a", "u", "")).unwrap();
    let mut deepest = 0;
    for levels in 90..110 {
        // Groups of the field 1,007, which no schema knows.
        let groups = [[0xfb, 0x3e].repeat(levels), [0xfc, 0x3e].repeat(levels)].concat();
        if let Ok(status) = EncodedStatus::parse(groups.into()) {
            let served = crate::splice::served(&owner, Some(&status), true);
            assert!(parse(&served).is_ok(), "{levels} levels");
            deepest = levels;
        }
    }
    assert!(deepest > 90, "{deepest}");
}

#[test]
fn errors_say_what_and_where() {
    let error = parse(b"\x0a\x05\x0a").unwrap_err();
    assert_eq!(error.to_string(), "found the end inside a value at byte 1");
    assert_eq!(
        PodError::MissingUid.to_string(),
        "expected a pod with metadata.uid, found none"
    );
}

#[test]
fn a_status_is_walked_with_its_own_schema() {
    let status = |bytes: &'static [u8]| EncodedStatus::parse(Bytes::from_static(bytes));
    assert!(status(b"\x0a\x07Running\x12\x07\x0a\x05Ready").is_ok());
    assert!(status(b"\x08\x01").is_err());
}

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(bytes: Vec<u8>) {
        if let Err(PodError::Wire(error)) = parse(&bytes) {
            prop_assert!(error.offset <= bytes.len());
        }
    }

    #[test]
    fn a_damaged_pod_never_panics(index: prop::sample::Index, byte: u8) {
        let mut bytes = pod_with(field::SPEC, b"\x72\x04\x20\x01\x20\x02\x12\x05\x0a\x03abc");
        let index = index.index(bytes.len());
        bytes[index] = byte;
        if let Ok(pod) = parse(&bytes) {
            prop_assert!(!pod.uid().as_str().is_empty());
            prop_assert_eq!(pod.bytes(), &bytes);
        }
    }

    #[test]
    fn a_truncated_pod_is_an_error_or_ends_between_two_records(index: prop::sample::Index) {
        let bytes = pod_with(field::SPEC, b"\x72\x04\x20\x01\x20\x02\x12\x05\x0a\x03abc");
        let mut boundaries = vec![0];
        let mut at = 0;
        for record in Reader::new(&bytes).records() {
            at += record.whole.len();
            boundaries.push(at);
        }
        let end = index.index(bytes.len());
        let malformed = matches!(parse(&bytes[..end]), Err(PodError::Wire(_)));
        prop_assert_eq!(malformed, !boundaries.contains(&end));
    }
}
