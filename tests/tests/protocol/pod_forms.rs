//! What is made of every odd form that protobuf allows in a pod, for what no request has.
//!
//! The numbers are those of the list of attacks. A pod is served as the bytes that it came as; what is
//! checked here is that they are taken, kept, and read in the same way by a mask and by a decoder.

use std::time::{Duration, Instant};

use allocation_counter::measure;
use bytes::Bytes;
use podsapi_core::{EncodedPod, FieldMask, Projection};
use podsapi_proto::core_v1::{Pod, PodSpec};
use podsapi_proto::meta_v1::ObjectMeta;
use podsapi_proto::schema::Message as Schema;
use prost::Message;
use prost::encoding::encode_varint;

/// Field numbers, with the wire type of what has a length.
const METADATA: u8 = 0x0a;
const SPEC: u8 = 0x12;
const LABELS: u8 = 0x5a;
/// `metadata.uid`, "u".
const UID: &[u8] = b"\x2a\x01u";
/// -1 in 64 bits.
const TEN_BYTES: [u8; 10] = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01];

/// A record of one field.
fn record(tag: u8, payload: &[u8]) -> Vec<u8> {
    let mut record = vec![tag];
    encode_varint(payload.len() as u64, &mut record);
    record.extend_from_slice(payload);
    record
}

/// A pod with a UID, more in its metadata, and a specification of these bytes.
fn pod(metadata: &[u8], spec: &[u8]) -> Vec<u8> {
    let metadata = record(METADATA, &[UID, metadata].concat());
    [metadata, record(SPEC, spec)].concat()
}

fn mask(text: &str) -> Projection {
    let mask = FieldMask::parse(text).and_then(|mask| mask.compile(Schema::POD));
    mask.expect("the mask is right")
}

/// Returns what a client reads of a pod that is served, after the same was read through a mask.
fn served(bytes: &[u8], fields: &str) -> Pod {
    let pod = EncodedPod::parse(Bytes::copy_from_slice(bytes)).expect("the pod is taken");
    assert_eq!(pod.bytes(), bytes, "the bytes are kept");
    let whole = Pod::decode(bytes).expect("a client can decode the pod");
    let mut selected = Vec::new();
    let projected = mask(fields).project(bytes, &mut selected);
    projected.expect("the pod is right");
    let selected = Pod::decode(selected.as_slice()).expect("a client can decode the selection");
    assert_eq!(selected, whole, "nothing but {fields} was sent");
    whole
}

/// Line A40.
#[test]
fn any_number_but_zero_is_true_and_a_negative_one_has_ten_bytes() {
    let host_network = |number: &[u8]| {
        let bytes = pod(&[], &[&[0x58], number].concat());
        let spec = served(&bytes, "metadata.uid,spec.hostNetwork").spec;
        spec.and_then(|spec| spec.host_network)
    };
    for number in [&[1][..], &[2], &[0x80, 0x01], &[0x81, 0x00], &TEN_BYTES] {
        assert_eq!(host_network(number), Some(true), "{number:02x?}");
    }
    for number in [&[0][..], &[0x80, 0x80, 0x00]] {
        assert_eq!(host_network(number), Some(false), "{number:02x?}");
    }
    for (number, expected) in [
        (&TEN_BYTES[..], -1),
        (&[0xff, 0xff, 0xff, 0xff, 0x0f], -1),
        (&[0x80, 0x80, 0x80, 0x80, 0x08], i32::MIN),
        (&[0x87, 0x00], 7),
    ] {
        let bytes = pod(&[], &[&[0xc8, 0x01], number].concat());
        let spec = served(&bytes, "metadata.uid,spec.priority").spec;
        let priority = spec.and_then(|spec| spec.priority);
        assert_eq!(priority, Some(expected), "{number:02x?}");
    }
    let eleven = [&[0x58][..], &[0xff; 10], &[0x01]].concat();
    assert!(EncodedPod::parse(pod(&[], &eleven).into()).is_err());
}

/// Line A45.
#[test]
fn messages_again_are_merged_and_elements_appended() {
    // spec.hostNetwork and spec.containers, twice; then spec.hostNetwork once more.
    let first = record(SPEC, b"\x58\x00\x12\x03\x0a\x01a");
    let second = record(SPEC, b"\x58\x01\x12\x03\x0a\x01b\xc8\x01\x07");
    let bytes = [pod(&[], &[]), first, second].concat();
    let all = "metadata.uid,spec.hostNetwork,spec.containers.name,spec.priority";
    let spec = served(&bytes, all).spec.expect("a specification");
    assert_eq!((spec.host_network, spec.priority), (Some(true), Some(7)));
    let names: Vec<_> = spec
        .containers
        .iter()
        .filter_map(|one| one.name.as_deref())
        .collect();
    assert_eq!(names, ["a", "b"]);
}

/// Line A50.
#[test]
fn entries_without_key_or_value_are_entries() {
    let entries: [(&[u8], &str, &str); 5] = [
        (b"", "", ""),
        (b"\x0a\x01k", "k", ""),
        (b"\x12\x01v", "", "v"),
        (b"\x12\x01v\x0a\x01k", "k", "v"),
        (b"\x0a\x01x\x0a\x01k\x12\x01w\x12\x01v\x18\x05", "k", "v"),
    ];
    for (entry, key, value) in entries {
        let bytes = pod(&record(LABELS, entry), &[]);
        let fields = "metadata.uid,metadata.labels,spec";
        let metadata = served(&bytes, fields).metadata.expect("metadata");
        let labels: Vec<_> = metadata.labels.into_iter().collect();
        assert_eq!(labels, [(key.to_owned(), value.to_owned())], "{entry:02x?}");
    }
}

/// Line A51: a pod that is a million elements of nothing is read once from its beginning to its end,
/// and costs no memory for them.
#[test]
fn a_million_elements_of_nothing_cost_neither_memory_nor_time() {
    const EACH: usize = 250_000;
    let finalizers = [0x72, 0].repeat(EACH);
    let labels = [LABELS, 0].repeat(EACH);
    let containers = [0x12, 0].repeat(EACH);
    let unknown = [0xfa, 0x3e, 0].repeat(EACH);
    let specs = [SPEC, 0].repeat(EACH);
    let whole = pod(
        &[finalizers, labels].concat(),
        &[containers, unknown].concat(),
    );
    let bytes = Bytes::from([whole, specs].concat());
    let size = bytes.len();
    assert!((2 << 20..=4 << 20).contains(&size), "{size} bytes");
    let mask = mask("metadata.finalizers,metadata.labels,spec.containers.name");
    let mut selected = Vec::with_capacity(size);
    #[expect(
        clippy::disallowed_methods,
        reason = "whether it takes seconds or an hour is a matter of real time"
    )]
    let before = Instant::now();
    let cost = measure(|| {
        let pod = EncodedPod::parse_with_limit(bytes, size).expect("the pod is taken");
        let projected = mask.project(pod.bytes(), &mut selected);
        projected.expect("the pod is right");
    });
    let taken = before.elapsed();
    assert!(cost.bytes_max < 64 << 10, "{cost:?}");
    // A look at each element for each other one would take an hour.
    assert!(taken < Duration::from_secs(60), "{taken:?}");
}

/// The field numbers above are those of the schema.
#[test]
fn the_pods_of_these_tests_are_what_they_are_said_to_be() {
    let metadata = ObjectMeta {
        uid: Some("u".to_owned()),
        finalizers: vec![String::new()],
        labels: [(String::new(), String::new())].into(),
        ..ObjectMeta::default()
    };
    let spec = PodSpec {
        containers: vec![Default::default()],
        host_network: Some(true),
        ..PodSpec::default()
    };
    let expected = Pod {
        metadata: Some(metadata),
        spec: Some(spec),
        ..Pod::default()
    };
    let bytes = pod(&[LABELS, 0, 0x72, 0], &[0x12, 0, 0x58, 1]);
    assert_eq!(Pod::decode(bytes.as_slice()), Ok(expected));
}
