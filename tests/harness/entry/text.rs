//! JSON and YAML texts, and what they mean for a pod.

use podsapi_proto::json::{self, Value};
use podsapi_proto::schema::Message;

/// A JSON text that is read is written and read as the same value; a pod among them is encoded,
/// decoded and encoded as the same bytes.
///
/// # Panics
///
/// When one of these promises is broken.
pub fn json(data: &[u8]) {
    if let Ok(value) = json::parse_json(data) {
        written_and_read(&value);
        encoded_and_decoded(&value);
    }
    // Any bytes, taken as an encoded pod.
    if let Ok(value) = json::decode(Message::POD, data) {
        encoded_and_decoded(&value);
    }
}

/// The same for the documents of a YAML text.
///
/// # Panics
///
/// When one of these promises is broken.
pub fn yaml(data: &[u8]) {
    for value in json::parse_yaml(data).into_iter().flatten() {
        written_and_read(&value);
        encoded_and_decoded(&value);
    }
}

fn has_fraction_or_exponent(value: &Value) -> bool {
    match value {
        Value::Number(number) => number.as_str().contains(['.', 'e', 'E']),
        Value::List(items) => items.iter().any(has_fraction_or_exponent),
        Value::Map(map) => map.iter().any(|(_, item)| has_fraction_or_exponent(item)),
        Value::Null | Value::Bool(_) | Value::String(_) => false,
    }
}

fn written_and_read(value: &Value) {
    for text in [json::to_json(value), json::to_json_pretty(value)] {
        assert_eq!(
            json::parse_json(text.as_bytes()).as_ref(),
            Ok(value),
            "{text}"
        );
    }
    // YAML has one spelling of a number where JSON has many, so only the meaning stays; as for Go,
    // a zero that was negative as a fraction has no sign any more once it is read as a whole number.
    let read = through_yaml(value);
    let settled = through_yaml(&read);
    assert_eq!(through_yaml(&settled), settled, "{}", json::to_yaml(value));
    // JSON refuses 1e2 as a whole number, but as YAML it is 100; and a quantity keeps the exponent
    // that a number of JSON has, which YAML spells without.
    if let Ok(encoded) = json::encode(Message::POD, value)
        && !has_fraction_or_exponent(value)
    {
        assert_eq!(
            json::encode(Message::POD, &read),
            Ok(encoded),
            "{}",
            json::to_yaml(value)
        );
    }
}

fn through_yaml(value: &Value) -> Value {
    let text = json::to_yaml(value);
    let mut documents =
        json::parse_yaml(text.as_bytes()).unwrap_or_else(|error| panic!("{error}: {text}"));
    assert_eq!(documents.len(), 1, "{text}");
    documents.remove(0)
}

fn encoded_and_decoded(value: &Value) {
    let Ok(first) = json::encode(Message::POD, value) else {
        return;
    };
    let decoded = json::decode(Message::POD, &first.bytes).expect("what was encoded is decoded");
    let second = json::encode(Message::POD, &decoded).expect("what was decoded is encoded");
    assert!(second.unknown.is_empty(), "{:?}", second.unknown);
    let again = json::decode(Message::POD, &second.bytes);
    assert_eq!(again.as_ref(), Ok(&decoded), "decoded again");
}
