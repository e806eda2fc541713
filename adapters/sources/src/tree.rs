//! Reading and changing the tree that a pod is between its text and its encoding.

use podsapi_proto::json::{Map, Value};

/// Builds an object from its entries.
pub(crate) fn object<const N: usize>(entries: [(&str, Value); N]) -> Value {
    let entries = entries.into_iter();
    Value::Map(
        entries
            .map(|(key, value)| (key.to_owned(), value))
            .collect::<Map>(),
    )
}

/// Returns what `key` names in `map`, unless that is `null`, which stands for nothing.
pub(crate) fn given<'v>(map: &'v Map, key: &str) -> Option<&'v Value> {
    map.get(key).filter(|value| **value != Value::Null)
}

/// Returns the text under `key`; no text is the empty one, as in Go.
pub(crate) fn text<'v>(map: &'v Map, key: &str) -> &'v str {
    given(map, key).and_then(Value::as_str).unwrap_or_default()
}

/// Returns the whole number under `key`, `None` when there is none.
pub(crate) fn integer(map: &Map, key: &str) -> Option<i64> {
    match given(map, key)? {
        Value::Number(number) => number.as_i64(),
        Value::Null | Value::Bool(_) | Value::String(_) | Value::List(_) | Value::Map(_) => None,
    }
}

/// Returns whether `key` is `true`.
pub(crate) fn flag(map: &Map, key: &str) -> bool {
    given(map, key) == Some(&Value::Bool(true))
}

/// Returns the object under `key`.
pub(crate) fn inner<'v>(map: &'v Map, key: &str) -> Option<&'v Map> {
    given(map, key).and_then(Value::as_map)
}

/// Returns the objects in the list under `key`, with their places in it.
pub(crate) fn objects<'v>(map: &'v Map, key: &str) -> impl Iterator<Item = (usize, &'v Map)> {
    let list = given(map, key).and_then(Value::as_list).unwrap_or_default();
    let numbered = list.iter().enumerate();
    numbered.filter_map(|(index, item)| item.as_map().map(|map| (index, map)))
}

/// Sets `key` unless something is there.
pub(crate) fn set_if_absent(map: &mut Map, key: &str, value: impl Into<Value>) {
    if given(map, key).is_none() {
        map.set(key, value.into());
    }
}

/// Sets `key` unless something is there that is not Go's zero value: no text, or the number zero.
pub(crate) fn set_if_zero(map: &mut Map, key: &str, value: impl Into<Value>) {
    let zero = match given(map, key) {
        None => true,
        Some(Value::String(text)) => text.is_empty(),
        Some(Value::Number(number)) => number.as_i64() == Some(0),
        Some(Value::Null | Value::Bool(_) | Value::List(_) | Value::Map(_)) => false,
    };
    if zero {
        map.set(key, value.into());
    }
}

/// Changes the object under `key`, if there is one.
pub(crate) fn edit(map: &mut Map, key: &str, change: impl FnOnce(&mut Map)) {
    if let Some(mut value) = map.remove(key) {
        if let Value::Map(inner) = &mut value {
            change(inner);
        }
        map.set(key, value);
    }
}

/// Changes the object under `key`, which is there afterwards.
pub(crate) fn edit_or_insert(map: &mut Map, key: &str, change: impl FnOnce(&mut Map)) {
    set_if_absent(map, key, Map::new());
    edit(map, key, change);
}

/// Changes each object in the list under `key`.
pub(crate) fn edit_each(map: &mut Map, key: &str, mut change: impl FnMut(&mut Map)) {
    if let Some(mut value) = map.remove(key) {
        if let Value::List(items) = &mut value {
            for item in items {
                if let Value::Map(inner) = item {
                    change(inner);
                }
            }
        }
        map.set(key, value);
    }
}
