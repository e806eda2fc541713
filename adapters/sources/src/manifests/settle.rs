//! What a manifest says, reduced to what a kubelet's types keep of it.

use podsapi_proto::json::{Map, Value};
use podsapi_proto::schema::{Field, Kind, Message, Opaque, Shape};

/// Reads a document as the present release does: leaves out the fields that it has no more,
/// whatever they hold. Of YAML, a number beyond 64 bits is a double, but where a whole number is
/// expected: there its digits say what is wrong.
pub(super) fn present(message: Message, object: Map, is_yaml: bool) -> Map {
    let entries = object.into_iter().filter_map(|(key, value)| {
        let Some(target) = message.resolve_json(&key) else {
            return Some((key, value));
        };
        if target.field.is_tombstone() {
            return None;
        }
        let value = match target.field.message() {
            Some(inner) if inner.opaque().is_none() => present_value(inner, value, is_yaml),
            Some(_) if is_yaml => through_doubles(value),
            Some(_) | None => value,
        };
        Some((key, value))
    });
    entries.collect()
}

fn present_value(message: Message, value: Value, is_yaml: bool) -> Value {
    match value {
        Value::Map(object) => Value::Map(present(message, object, is_yaml)),
        Value::List(list) => {
            let elements = list.into_iter();
            let elements = elements.map(|value| present_value(message, value, is_yaml));
            Value::List(elements.collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value,
    }
}

fn through_doubles(value: Value) -> Value {
    match value {
        Value::Number(number) if is_long(number.as_str()) => Value::Number(number.through_double()),
        Value::List(list) => Value::List(list.into_iter().map(through_doubles).collect()),
        Value::Map(map) => {
            let entries = map.into_iter();
            let entries = entries.map(|(key, value)| (key, through_doubles(value)));
            Value::Map(entries.collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value,
    }
}

fn is_long(number: &str) -> bool {
    let digits = number.strip_prefix('-').unwrap_or(number);
    digits.bytes().all(|byte| byte.is_ascii_digit())
        && number.parse::<i64>().is_err()
        && number.parse::<u64>().is_err()
}

/// Reduces an object whose types the schema has approved to what its type has.
///
/// A `null` is nothing as a field, and the zero of its type as an element of a list or of a map, of
/// which that of a quantity is given; fields that no type has are gone. What follows needs to look for
/// neither.
pub(super) fn settle(message: Message, object: Map, no_quantity: &str) -> Map {
    let entries = object.into_iter().filter_map(|(key, value)| {
        let field = message.resolve_json(&key)?.field;
        (value != Value::Null).then(|| (key, shaped(field, value, no_quantity)))
    });
    entries.collect()
}

fn shaped(field: Field, value: Value, no_quantity: &str) -> Value {
    let single = |value| single(field, value, no_quantity);
    match (field.shape(), value) {
        (Shape::Repeated, Value::List(list)) => {
            let elements = list.into_iter();
            Value::List(elements.map(single).collect())
        }
        (Shape::Map, Value::Map(map)) => {
            let entries = map.into_iter();
            let entries = entries.map(|(key, value)| (key, single(value)));
            Value::Map(entries.collect())
        }
        (_, value) => single(value),
    }
}

fn single(field: Field, value: Value, no_quantity: &str) -> Value {
    match (field.kind(), value) {
        (Kind::Bool, Value::Null) => Value::from(false),
        (Kind::Int32 | Kind::Int64, Value::Null) => Value::from(0),
        (Kind::String | Kind::Bytes, Value::Null) => Value::from(""),
        (Kind::Message(inner), value) => match (inner.opaque(), value) {
            (None, Value::Map(object)) => Value::Map(settle(inner, object, no_quantity)),
            (None, _) => Value::Map(Map::new()),
            (Some(Opaque::Quantity), Value::Null) => Value::from(no_quantity),
            (Some(Opaque::IntOrString), Value::Null) => Value::from(0),
            (Some(_), value) => value,
        },
        (_, value) => value,
    }
}
