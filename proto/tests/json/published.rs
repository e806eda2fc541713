//! Published pods with every field set, in their three encodings.

use std::path::Path;

use podsapi_proto::core_v1::Pod;
use podsapi_proto::json::{
    Value, decode_counting, decode_whole, encode, parse_json, parse_yaml, to_json, to_json_pretty,
    to_yaml, whole_object,
};
use podsapi_proto::schema::Message;
use prost::Message as _;

use crate::files;

#[test]
fn published_json_becomes_the_published_message() {
    for folder in files::versions() {
        becomes(&files::json(&folder.join("core.v1.Pod.json")), &folder);
    }
}

#[test]
fn published_yaml_becomes_the_published_message() {
    for folder in files::versions() {
        becomes(&files::yaml(&folder.join("core.v1.Pod.yaml")), &folder);
    }
}

#[test]
fn the_published_message_becomes_the_published_json() {
    for folder in files::versions() {
        let bytes = files::pod(&folder.join("core.v1.Pod.pb"));
        let json = files::json(&folder.join("core.v1.Pod.json"));
        prints(&bytes, &json);
        let after = folder.join("core.v1.Pod.after_roundtrip.pb");
        if after.exists() {
            let json = files::json(&folder.join("core.v1.Pod.after_roundtrip.json"));
            prints(&files::pod(&after), &json);
        }
    }
}

#[test]
fn a_published_pod_is_the_same_after_each_kind_of_text() {
    for folder in files::versions() {
        let json = files::json(&folder.join("core.v1.Pod.json"));
        assert_eq!(parse_json(to_json(&json).as_bytes()).unwrap(), json);
        assert_eq!(parse_json(to_json_pretty(&json).as_bytes()).unwrap(), json);
        assert_eq!(parse_yaml(to_yaml(&json).as_bytes()).unwrap(), [json]);
    }
}

#[test]
fn published_json_is_printed_as_it_is() {
    for folder in files::versions() {
        let text = std::fs::read_to_string(folder.join("core.v1.Pod.json")).unwrap();
        let json = parse_json(text.as_bytes()).unwrap();
        let two_blanks = to_json_pretty(&json).replace("    ", "  ");
        assert_eq!(two_blanks, text.trim_end());
    }
}

fn becomes(value: &Value, folder: &Path) {
    let encoded = encode(Message::POD, value).unwrap();
    assert_eq!(
        encoded.unknown,
        Vec::<String>::new(),
        "{}",
        folder.display()
    );
    let published = files::pod(&folder.join("core.v1.Pod.pb"));
    let expected = Pod::decode(published.as_slice()).unwrap();
    let found = Pod::decode(encoded.bytes.as_slice()).unwrap();
    assert_eq!(found, expected, "{}", folder.display());
}

fn prints(bytes: &[u8], expected: &Value) {
    let decoded = decode_counting(Message::POD, bytes).unwrap();
    assert_eq!(decoded.unknown_fields, 0);
    let expected = to_json_pretty(&sorted(expected.clone()));
    // All that the release of the file prints is set in it, so both forms are the same.
    for value in [decoded.value, decode_whole(Message::POD, bytes).unwrap()] {
        let found = whole_object("v1", "Pod", value);
        assert_eq!(to_json_pretty(&sorted(found)), expected);
    }
}

/// Sorts all objects, so that a difference is one line of the texts.
fn sorted(value: Value) -> Value {
    match value {
        Value::Map(map) => {
            let mut map: podsapi_proto::json::Map = map
                .into_iter()
                .map(|(key, value)| (key, sorted(value)))
                .collect();
            map.sort();
            Value::Map(map)
        }
        Value::List(list) => Value::List(list.into_iter().map(sorted).collect()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value,
    }
}
