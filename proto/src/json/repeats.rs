//! What Go's JSON decoder makes of an object that has a key twice.
//!
//! It decodes each value into the field that the one before it left: of numbers and texts the last
//! counts, structs and maps are merged, and the elements of a list are decoded into those of the
//! list before, at their places. A `null` empties a list, a map and a pointer, and leaves all else
//! as it is.

use alloc::string::String;
use alloc::vec::Vec;

use super::encode::encode;
use super::error::JsonError;
use super::value::{Map, Value};
use crate::schema::{Field, Message, Shape};

/// Merges the keys that [`read_json`](super::read_json) left in their objects twice, as Go decodes
/// the text into the types of a message.
///
/// # Errors
///
/// As [`encode`](super::encode()), for a value that is given up for a later one.
pub fn merge_repeated(message: Message, value: Value) -> Result<Value, JsonError> {
    let mut merger = Merger { given_up: None };
    let merged = merger.message(None, message, value).into_value();
    match merger.given_up {
        Some(error) => Err(error),
        None => Ok(merged),
    }
}

/// A value that more may be decoded into.
enum State {
    Leaf(Value),
    /// The elements that were ever there, and how many of them are.
    List {
        elements: Vec<Self>,
        length: usize,
    },
    Object(Vec<(String, Self)>),
}

impl State {
    fn into_value(self) -> Value {
        match self {
            Self::Leaf(value) => value,
            Self::List { elements, length } => {
                let present = elements.into_iter().take(length);
                Value::List(present.map(Self::into_value).collect())
            }
            Self::Object(entries) => {
                let entries = entries.into_iter();
                Value::Map(
                    entries
                        .map(|(key, state)| (key, state.into_value()))
                        .collect(),
                )
            }
        }
    }
}

struct Merger {
    /// What is wrong with the first value that does not count.
    given_up: Option<JsonError>,
}

impl Merger {
    /// Decodes a value of a message into what was there.
    fn message(&mut self, before: Option<State>, message: Message, value: Value) -> State {
        if message.opaque().is_some() {
            return State::Leaf(value);
        }
        if value == Value::Null {
            return before.unwrap_or(State::Leaf(Value::Null));
        }
        let Value::Map(map) = value else {
            return State::Leaf(value);
        };
        let mut entries = match before {
            Some(State::Object(entries)) => entries,
            Some(State::Leaf(_) | State::List { .. }) | None => Vec::new(),
        };
        for (key, value) in map {
            let target = message.resolve_json(&key).map(|target| target.field);
            let at = entries.iter().position(|(known, _)| *known == key);
            let before = at.map(|at| {
                let (_, state) = entries.remove(at);
                (at, state)
            });
            let (at, before) = match before {
                Some((at, state)) => (at, Some(state)),
                None => (entries.len(), None),
            };
            let state = match target {
                Some(field) => self.field(before, message, field, value),
                None => State::Leaf(value),
            };
            entries.insert(at, (key, state));
        }
        State::Object(entries)
    }

    fn field(
        &mut self,
        before: Option<State>,
        message: Message,
        field: Field,
        value: Value,
    ) -> State {
        let is_empty = value == Value::Null;
        match field.shape() {
            Shape::Singular if is_empty && !field.go_pointer() => match before {
                Some(before) if field.message().is_none_or(|inner| inner.opaque().is_none()) => {
                    before
                }
                before => self.last(before, message, field, value),
            },
            Shape::Singular => match field.message() {
                Some(inner) if inner.opaque().is_none() && !is_empty => {
                    self.message(before, inner, value)
                }
                Some(_) | None => self.last(before, message, field, value),
            },
            Shape::Repeated => {
                let Value::List(list) = value else {
                    return self.last(before, message, field, value);
                };
                if list.is_empty() {
                    return self.last(before, message, field, Value::List(list));
                }
                self.list(before, field, list)
            }
            Shape::Map => match (before, value) {
                (Some(State::Leaf(Value::Map(mut map))), Value::Map(more)) => {
                    for (key, value) in more {
                        map.set(&key, value);
                    }
                    State::Leaf(Value::Map(map))
                }
                (before, Value::Map(map)) => {
                    let mut unique = Map::new();
                    for (key, value) in map {
                        unique.set(&key, value);
                    }
                    self.last(before, message, field, Value::Map(unique))
                }
                (before, value) => self.last(before, message, field, value),
            },
        }
    }

    fn list(&mut self, before: Option<State>, field: Field, list: Vec<Value>) -> State {
        let mut elements = match before {
            Some(State::List { elements, .. }) => elements,
            Some(State::Leaf(_) | State::Object(_)) | None => Vec::new(),
        };
        let length = list.len();
        let room = elements.len();
        let mut old = core::mem::take(&mut elements).into_iter();
        for value in list {
            let before = old.next();
            elements.push(match field.message() {
                Some(inner) => self.message(before, inner, value),
                None => match before {
                    Some(before) if value == Value::Null => before,
                    Some(_) | None => State::Leaf(value),
                },
            });
        }
        if length < room {
            elements.extend(old);
        }
        State::List { elements, length }
    }

    /// Takes a value in the place of another, which had to fit all the same.
    fn last(
        &mut self,
        before: Option<State>,
        message: Message,
        field: Field,
        value: Value,
    ) -> State {
        if let Some(before) = before
            && self.given_up.is_none()
        {
            let alone = Map::from_iter([(String::from(field.name()), before.into_value())]);
            self.given_up = encode(message, &Value::Map(alone)).err();
        }
        State::Leaf(value)
    }
}
