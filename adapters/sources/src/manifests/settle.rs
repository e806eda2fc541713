//! What a manifest says, reduced to what a kubelet's types keep of it.
//!
//! A `null` is nothing as a field, and the zero of its type as an element of a list or of a map;
//! fields that no type has are gone. What follows needs to look for neither.

use podsapi_proto::json::{Map, Value};
use podsapi_proto::schema::{Field, Kind, Message, Opaque, Shape};

/// Reduces a pod whose types the schema has approved; of YAML, where a number beyond 64 bits is a
/// double, or of JSON.
pub(super) fn settle(pod: Map, is_yaml: bool) -> Map {
    Settler { is_yaml }.object(Message::POD, pod)
}

/// Leaves out the fields that the release has no more, whatever they hold.
pub(super) fn without_removed(message: Message, object: Map) -> Map {
    let entries = object.into_iter().filter_map(|(key, value)| {
        let Some(target) = message.resolve_json(&key) else {
            return Some((key, value));
        };
        if target.field.is_tombstone() {
            return None;
        }
        let inner = target
            .field
            .message()
            .filter(|inner| inner.opaque().is_none());
        let value = match inner {
            Some(inner) => without(inner, value),
            None => value,
        };
        Some((key, value))
    });
    entries.collect()
}

fn without(message: Message, value: Value) -> Value {
    match value {
        Value::Map(object) => Value::Map(without_removed(message, object)),
        Value::List(list) => {
            let elements = list.into_iter();
            Value::List(elements.map(|value| without(message, value)).collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value,
    }
}

struct Settler {
    is_yaml: bool,
}

impl Settler {
    fn object(&self, message: Message, object: Map) -> Map {
        let entries = object.into_iter().filter_map(|(key, value)| {
            let field = message.resolve_json(&key)?.field;
            if value == Value::Null || field.is_tombstone() {
                return None;
            }
            Some((key, self.shaped(field, value)))
        });
        entries.collect()
    }

    fn shaped(&self, field: Field, value: Value) -> Value {
        match (field.shape(), value) {
            (Shape::Repeated, Value::List(list)) => {
                let elements = list.into_iter();
                Value::List(elements.map(|value| self.single(field, value)).collect())
            }
            (Shape::Map, Value::Map(map)) => {
                let entries = map.into_iter();
                let entries = entries.map(|(key, value)| (key, self.single(field, value)));
                Value::Map(entries.collect())
            }
            (_, value) => self.single(field, value),
        }
    }

    fn single(&self, field: Field, value: Value) -> Value {
        match (field.kind(), value) {
            (Kind::Bool, Value::Null) => Value::from(false),
            (Kind::Int32 | Kind::Int64, Value::Null) => Value::from(0),
            (Kind::String | Kind::Bytes, Value::Null) => Value::from(""),
            (Kind::Message(inner), value) => match (inner.opaque(), value) {
                (None, Value::Map(object)) => Value::Map(self.object(inner, object)),
                (None, _) => Value::Map(Map::new()),
                (Some(Opaque::Quantity), Value::Null) => Value::from("0"),
                (Some(Opaque::IntOrString), Value::Null) => Value::from(0),
                (Some(_), value) if self.is_yaml => through_doubles(value),
                (Some(_), value) => value,
            },
            (_, value) => value,
        }
    }
}

fn through_doubles(value: Value) -> Value {
    match value {
        Value::Number(number) if is_long(number.as_str()) => Value::Number(number.through_double()),
        Value::List(list) => Value::List(list.into_iter().map(through_doubles).collect()),
        Value::Map(map) => {
            let entries = map.into_iter();
            Value::Map(
                entries
                    .map(|(key, value)| (key, through_doubles(value)))
                    .collect(),
            )
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
