//! What the table's form and the language of field masks take for granted about the schema.

use std::collections::{BTreeMap, BTreeSet};

use prost_types::field_descriptor_proto::Type;

use crate::messages::{Field, Kind, Message, Shape, pod_closure};

/// Every embedded struct below v1.Pod: message, field, number.
const EMBEDDED: [(&str, &str, i32); 10] = [
    ("ConfigMapEnvSource", "localObjectReference", 1),
    ("ConfigMapKeySelector", "localObjectReference", 1),
    ("ConfigMapProjection", "localObjectReference", 1),
    ("ConfigMapVolumeSource", "localObjectReference", 1),
    ("EphemeralContainer", "ephemeralContainerCommon", 1),
    ("Probe", "handler", 1),
    ("SecretEnvSource", "localObjectReference", 1),
    ("SecretKeySelector", "localObjectReference", 1),
    ("SecretProjection", "localObjectReference", 1),
    ("Volume", "volumeSource", 2),
];

/// The fields that a later release removed: message, field, number.
const REMOVED: [(&str, &str, i32); 3] = [
    ("NodeAllocatableResourceClaimStatus", "resources", 3),
    ("PodResourceClaim", "source", 2),
    ("PodSpec", "workloadRef", 42),
];

/// Messages that are one JSON value.
pub(crate) const OPAQUE: [&str; 4] = ["FieldsV1", "IntOrString", "Quantity", "Time"];

#[test]
fn numbers_and_messages_fit_the_table() {
    let messages = pod_closure();
    assert!(
        messages.len() < 250,
        "{} messages, scalars have the codes from 251",
        messages.len()
    );
    for (message, field) in all(&messages) {
        assert!(
            (1..64).contains(&field.number),
            "{}.{}",
            message.name,
            field.name
        );
    }
    let names: BTreeSet<&str> = messages.iter().map(|m| m.name.as_str()).collect();
    assert_eq!(
        names.len(),
        messages.len(),
        "two packages share a message name"
    );
}

#[test]
fn the_schema_has_no_cycle_and_nothing_that_pod_does_not_reach() {
    let messages = pod_closure();
    let by_name = by_name(&messages);
    let mut depths = BTreeMap::new();
    let depth = depth("Pod", &by_name, &mut depths, &mut Vec::new());
    assert_eq!(depth, 9, "messages nest deeper than documented");
    assert_eq!(
        depths.len(),
        messages.len(),
        "some messages are not below Pod"
    );
}

#[test]
fn the_values_of_maps_are_leaves() {
    for (message, field) in all(&pod_closure()).filter(|(_, f)| f.shape == Shape::Map) {
        let leaf = field.message().is_none_or(|name| OPAQUE.contains(&name));
        assert!(leaf, "{}.{}", message.name, field.name);
    }
}

#[test]
fn only_strings_booleans_integers_bytes_and_messages_occur() {
    for (message, field) in all(&pod_closure()) {
        let known = match &field.kind {
            Kind::Message(_) => true,
            Kind::Scalar(scalar) => matches!(
                scalar,
                Type::Bool | Type::Bytes | Type::Int32 | Type::Int64 | Type::String
            ),
        };
        assert!(known, "{}.{}", message.name, field.name);
    }
}

#[test]
fn names_are_short_alphanumeric_and_distinct_when_case_is_folded() {
    let messages = pod_closure();
    let by_name = by_name(&messages);
    for message in &messages {
        let mut folded = BTreeSet::new();
        let promoted = message
            .fields
            .iter()
            .filter(|f| f.is("embedded"))
            .flat_map(|hop| {
                let inner = by_name[hop.message().expect("an embedded struct is a message")];
                inner.fields.iter()
            });
        for field in message.fields.iter().chain(promoted) {
            let name = &field.name;
            assert!(name.len() < 128, "{}.{name} has a long name", message.name);
            assert!(
                name.bytes().all(|b| b.is_ascii_alphanumeric()),
                "{}.{name}",
                message.name
            );
            let new = folded.insert(name.to_ascii_lowercase());
            assert!(new, "{}.{name} collides with a sibling", message.name);
        }
    }
}

#[test]
fn the_embedded_structs_are_the_documented_ones_and_one_hop_deep() {
    let messages = pod_closure();
    assert_eq!(marked(&messages, "embedded"), EMBEDDED);
    let by_name = by_name(&messages);
    for (message, field) in all(&messages).filter(|(_, f)| f.is("embedded")) {
        let inner = by_name[field.message().expect("an embedded struct is a message")];
        let path = format!("{}.{}", message.name, field.name);
        assert!(field.shape == Shape::Singular, "{path}");
        assert!(!inner.fields.iter().any(|f| f.is("embedded")), "{path}");
    }
}

#[test]
fn the_removed_fields_are_the_documented_ones() {
    let messages = pod_closure();
    let whole = ["ClaimSource", "WorkloadReference"];
    let found: Vec<_> = marked(&messages, "removed")
        .into_iter()
        .filter(|(message, _, _)| !whole.contains(message))
        .collect();
    assert_eq!(found, REMOVED);
}

#[test]
fn the_schema_of_kubernetes_1_37_2_has_the_documented_size() {
    let messages = pod_closure();
    let whole = |m: &Message| m.fields.iter().all(|f| f.is("removed")) && !m.fields.is_empty();
    assert_eq!(
        messages.iter().filter(|m| whole(m)).count(),
        2,
        "messages of older releases"
    );
    assert_eq!(
        messages.iter().filter(|m| !whole(m)).count(),
        142,
        "messages"
    );
    assert_eq!(
        all(&messages).filter(|(_, f)| f.is("removed")).count(),
        8,
        "removed fields"
    );

    let fields: Vec<&Field> = all(&messages)
        .map(|(_, f)| f)
        .filter(|f| !f.is("removed"))
        .collect();
    assert_eq!(fields.len(), 640, "fields");
    assert_eq!(
        fields.iter().map(|f| f.number).max(),
        Some(44),
        "highest number"
    );
    let count = |shape, scalar: Option<Type>| {
        let of_kind = |f: &&&Field| match (&f.kind, scalar) {
            (Kind::Scalar(found), Some(wanted)) => *found == wanted,
            (Kind::Message(_), None) => true,
            (Kind::Scalar(_), None) | (Kind::Message(_), Some(_)) => false,
        };
        fields
            .iter()
            .filter(|f| f.shape == shape)
            .filter(of_kind)
            .count()
    };
    assert_eq!(count(Shape::Singular, Some(Type::String)), 265);
    assert_eq!(count(Shape::Singular, None), 152);
    assert_eq!(count(Shape::Repeated, None), 64);
    assert_eq!(count(Shape::Singular, Some(Type::Bool)), 57);
    assert_eq!(count(Shape::Singular, Some(Type::Int32)), 31);
    assert_eq!(count(Shape::Singular, Some(Type::Int64)), 28);
    assert_eq!(count(Shape::Repeated, Some(Type::String)), 25);
    assert_eq!(fields.iter().filter(|f| f.shape == Shape::Map).count(), 14);
    assert_eq!(count(Shape::Repeated, Some(Type::Int64)), 2);
    assert_eq!(count(Shape::Repeated, Some(Type::Int32)), 1);
    assert_eq!(count(Shape::Singular, Some(Type::Bytes)), 1);

    let names: BTreeSet<&str> = fields.iter().map(|f| f.name.as_str()).collect();
    let bytes: usize = names.iter().map(|name| name.len()).sum();
    assert_eq!(
        (names.len(), bytes),
        (381, 4257),
        "distinct names and their bytes"
    );
}

fn marked<'a>(messages: &'a [Message], flag: &str) -> Vec<(&'a str, &'a str, i32)> {
    all(messages)
        .filter(|(_, field)| field.is(flag))
        .map(|(message, field)| (message.name.as_str(), field.name.as_str(), field.number))
        .collect()
}

fn all(messages: &[Message]) -> impl Iterator<Item = (&Message, &Field)> {
    messages
        .iter()
        .flat_map(|message| message.fields.iter().map(move |field| (message, field)))
}

fn by_name(messages: &[Message]) -> BTreeMap<&str, &Message> {
    messages
        .iter()
        .map(|message| (message.name.as_str(), message))
        .collect()
}

/// Returns how many messages nest below one, and refuses to meet a message inside itself.
fn depth<'a>(
    name: &'a str,
    messages: &BTreeMap<&str, &'a Message>,
    known: &mut BTreeMap<&'a str, usize>,
    path: &mut Vec<&'a str>,
) -> usize {
    assert!(!path.contains(&name), "{path:?} leads back to {name}");
    if let Some(&depth) = known.get(name) {
        return depth;
    }
    path.push(name);
    let below = messages[name].fields.iter().filter_map(|field| {
        let inner = field.message()?;
        let entry = usize::from(field.shape == Shape::Map);
        Some(1 + entry + depth(inner, messages, known, path))
    });
    let deepest = below.max().unwrap_or(0);
    path.pop();
    known.insert(name, deepest);
    deepest
}
