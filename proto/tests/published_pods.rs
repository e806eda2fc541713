//! Holds the schema against the pods that Kubernetes publishes with every field set.
//!
//! The files are not part of the repository; where they are missing the tests say so and pass.

#![cfg(test)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use podsapi_proto::core_v1;
use podsapi_proto::schema::{Field, Kind, Message, Shape};
use prost::Message as _;
use prost::bytes::Bytes;
use serde_json::Value;

#[test]
fn every_record_of_a_published_pod_is_a_field_of_the_table() {
    for file in published("pb") {
        let mut seen = BTreeSet::new();
        walk(Message::POD, &pod(&file), &mut seen);
        assert!(
            seen.len() > 500,
            "{} has {} fields",
            file.display(),
            seen.len()
        );
    }
}

#[test]
fn the_newest_published_pod_has_every_field_of_the_table_that_was_not_removed() {
    for file in published("pb")
        .iter()
        .filter(|file| file.to_string_lossy().contains("HEAD"))
    {
        let mut seen = BTreeSet::new();
        walk(Message::POD, &pod(file), &mut seen);
        let mut all = BTreeSet::new();
        collect(Message::POD, &mut all);
        let unseen: Vec<&String> = all.difference(&seen).collect();
        assert_eq!(unseen, Vec::<&String>::new());
    }
}

#[test]
fn a_published_pod_is_the_same_after_the_prost_types() {
    for file in published("pb") {
        let encoded = pod(&file);
        let decoded = core_v1::Pod::decode(encoded.clone()).unwrap();
        assert_eq!(decoded.encode_to_vec(), encoded, "{}", file.display());
    }
}

#[test]
fn every_name_in_the_json_of_a_published_pod_is_resolved() {
    for file in published("json") {
        let json: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
        let mut object = json.as_object().unwrap().clone();
        assert_eq!(
            object
                .remove("kind")
                .and_then(|v| Some(v.as_str()? == "Pod")),
            Some(true)
        );
        assert_eq!(
            object
                .remove("apiVersion")
                .and_then(|v| Some(v.as_str()? == "v1")),
            Some(true)
        );
        let names = resolve(Message::POD, &Value::Object(object), "");
        assert!(names > 500, "{} has {names} names", file.display());
    }
}

/// Returns the published files with an extension.
fn published(extension: &str) -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/testdata/k8s");
    let Ok(versions) = fs::read_dir(&directory) else {
        println!("skipped: ../shared/testdata/k8s is missing");
        return Vec::new();
    };
    let files = versions.flat_map(|version| fs::read_dir(version.unwrap().path()).unwrap());
    let mut files: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|found| found == extension));
    files.sort();
    assert!(
        files.len() > 3,
        "{} has {} files",
        directory.display(),
        files.len()
    );
    files
}

/// Takes the pod out of its storage envelope.
fn pod(file: &Path) -> Bytes {
    #[derive(Clone, PartialEq, prost::Message)]
    struct Unknown {
        #[prost(bytes = "bytes", tag = "2")]
        raw: Bytes,
    }
    let bytes = Bytes::from(fs::read(file).unwrap());
    assert_eq!(bytes[..4], *b"k8s\0");
    Unknown::decode(bytes.slice(4..)).unwrap().raw
}

/// Reads every record of a message and notes its field as `Message.field`.
fn walk(message: Message, mut bytes: &[u8], seen: &mut BTreeSet<String>) {
    while !bytes.is_empty() {
        let tag = varint(&mut bytes);
        let field = message.field(u32::try_from(tag >> 3).unwrap());
        let field = field.unwrap_or_else(|| panic!("{message:?} has no field {}", tag >> 3));
        seen.insert(format!("{message:?}.{}", field.name()));
        value(field, tag & 7, &mut bytes, seen);
    }
}

fn value(field: Field, wire: u64, bytes: &mut &[u8], seen: &mut BTreeSet<String>) {
    let varints = matches!(field.kind(), Kind::Bool | Kind::Int32 | Kind::Int64);
    if varints && field.shape() != Shape::Map {
        assert_eq!(wire, 0, "{field:?}");
        varint(bytes);
        return;
    }
    assert_eq!(wire, 2, "{field:?}");
    let mut content = delimited(bytes);
    if field.shape() == Shape::Map {
        assert_eq!(
            varint(&mut content),
            0x0a,
            "{field:?} has an entry without a key first"
        );
        delimited(&mut content);
        assert_eq!(
            varint(&mut content),
            0x12,
            "{field:?} has an entry without a value second"
        );
        content = delimited(&mut content);
    }
    if let Some(inner) = field.message() {
        walk(inner, content, seen);
    }
}

fn varint(bytes: &mut &[u8]) -> u64 {
    prost::decode_length_delimiter(&mut *bytes).unwrap() as u64
}

fn delimited<'a>(bytes: &mut &'a [u8]) -> &'a [u8] {
    let length = usize::try_from(varint(bytes)).unwrap();
    let (content, rest) = bytes.split_at(length);
    *bytes = rest;
    content
}

/// Notes every field below a message that was not removed.
fn collect(message: Message, all: &mut BTreeSet<String>) {
    for field in message.fields().filter(|field| !field.is_tombstone()) {
        all.insert(format!("{message:?}.{}", field.name()));
        if let Some(inner) = field.message() {
            collect(inner, all);
        }
    }
}

/// Resolves the names of a JSON value and of all below it, and returns how many there are.
fn resolve(message: Message, value: &Value, path: &str) -> usize {
    let mut names = 0;
    for (name, inner) in value
        .as_object()
        .unwrap_or_else(|| panic!("{path} is no object"))
    {
        names += 1;
        let path = format!("{path}.{name}");
        let found = message.resolve_json(name);
        let field = found
            .unwrap_or_else(|| panic!("{message:?} has no {path}"))
            .field;
        if let Some(below) = field.message().filter(|below| below.opaque().is_none()) {
            match field.shape() {
                Shape::Singular => names += resolve(below, inner, &path),
                Shape::Repeated => {
                    for element in inner.as_array().unwrap_or_else(|| panic!("{path}")) {
                        names += resolve(below, element, &path);
                    }
                }
                Shape::Map => panic!("{path} is a map of messages with names"),
            }
        }
        match field.shape() {
            Shape::Singular => assert!(!inner.is_array(), "{path}"),
            Shape::Repeated => assert!(inner.is_array(), "{path}"),
            Shape::Map => assert!(inner.is_object(), "{path}"),
        }
    }
    names
}
