//! From a JSON value to an encoded message.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::error::JsonError;
use super::opaque;
use super::path::Path;
use super::value::{Map, Value};
use super::wire::{put_bytes_field, put_varint_field};
use crate::schema::{Field, JsonField, Kind, Message, Shape};

/// How many paths of unknown fields are kept; a longer list helps nobody.
const MOST_UNKNOWN: usize = 100;

/// An encoded message, and what of the value it does not hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "a result with two parts")]
pub struct Encoded {
    /// The message: fields by ascending number, map entries by key.
    pub bytes: Vec<u8>,
    /// The paths of the first 100 fields that the schema does not know.
    pub unknown: Vec<String>,
}

/// Encodes a value that is a message in Kubernetes' own JSON form.
///
/// Writes what the value names, zeros and empty objects included, and nothing else; `null`, an empty
/// list and an empty map are as good as not named. Inside a list or as the value of a map `null` is
/// the zero of its type, as for Go. Names are compared with their letter case, as the API server does.
/// For a Pod, `apiVersion` and `kind` are checked where they are given, and are not encoded.
///
/// # Errors
///
/// Returns the path of the first value that does not fit its field, with what was expected there.
pub fn encode(message: Message, value: &Value) -> Result<Encoded, JsonError> {
    let mut encoder = Encoder {
        unknown: Vec::new(),
    };
    let bytes = encoder.one(message, value, Path::ROOT)?;
    Ok(Encoded {
        bytes,
        unknown: encoder.unknown,
    })
}

struct Encoder {
    unknown: Vec<String>,
}

/// An entry of an object, with the field it is for.
struct Entry<'a> {
    target: JsonField,
    name: &'a str,
    value: &'a Value,
}

impl Entry<'_> {
    fn order(&self) -> (u32, u32) {
        let own = self.target.field.number();
        match self.target.hop {
            Some(hop) => (hop.number(), own),
            None => (own, 0),
        }
    }
}

impl Encoder {
    /// Returns the payload of one message, opaque or not.
    fn one(
        &mut self,
        message: Message,
        value: &Value,
        path: Path<'_>,
    ) -> Result<Vec<u8>, JsonError> {
        if let Some(form) = message.opaque() {
            return opaque::encode(form, value)
                .map_err(|expected| wrong(&path, value, expected, ""));
        }
        match value {
            Value::Map(map) => self.object(message, map, path),
            Value::Null if !path.is_root() => Ok(Vec::new()),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::List(_) => {
                Err(misshapen(&path, value, "an object", ""))
            }
        }
    }

    fn object(
        &mut self,
        message: Message,
        map: &Map,
        path: Path<'_>,
    ) -> Result<Vec<u8>, JsonError> {
        let whole_pod = message == Message::POD && path.is_root();
        let mut entries = Vec::new();
        for (name, value) in map.iter() {
            if whole_pod && check_type(name, value)? {
                continue;
            }
            match message.resolve_json(name) {
                Some(_) if *value == Value::Null => {}
                Some(target) => entries.push(Entry {
                    target,
                    name,
                    value,
                }),
                None if self.unknown.len() < MOST_UNKNOWN => {
                    self.unknown.push(path.field(name).spell());
                }
                None => {}
            }
        }
        entries.sort_by_key(Entry::order);
        let mut bytes = Vec::new();
        let mut embedded: Option<(Field, Vec<u8>)> = None;
        for entry in entries {
            let Entry {
                target: JsonField { hop, field },
                name,
                value,
            } = entry;
            if embedded.as_ref().map(|(open, _)| *open) != hop {
                close(&mut bytes, embedded.take());
                embedded = hop.map(|hop| (hop, Vec::new()));
            }
            let out = match &mut embedded {
                Some((_, inner)) => inner,
                None => &mut bytes,
            };
            self.field(field, value, path.field(name), out)?;
        }
        close(&mut bytes, embedded);
        Ok(bytes)
    }

    fn field(
        &mut self,
        field: Field,
        value: &Value,
        path: Path<'_>,
        out: &mut Vec<u8>,
    ) -> Result<(), JsonError> {
        match field.shape() {
            Shape::Singular => self.record(field, field.number(), value, path, out),
            Shape::Repeated => {
                let Value::List(list) = value else {
                    return Err(misshapen(&path, value, "a list", ""));
                };
                for (at, element) in list.iter().enumerate() {
                    self.record(field, field.number(), element, path.index(at), out)?;
                }
                Ok(())
            }
            Shape::Map => {
                let Value::Map(map) = value else {
                    return Err(misshapen(&path, value, "an object", ""));
                };
                let mut entries: Vec<_> = map.iter().collect();
                entries.sort_by_key(|(key, _)| *key);
                for (key, element) in entries {
                    let mut entry = Vec::new();
                    put_bytes_field(&mut entry, 1, key.as_bytes());
                    self.record(field, 2, element, path.key(key), &mut entry)?;
                    put_bytes_field(out, field.number(), &entry);
                }
                Ok(())
            }
        }
    }

    /// Writes one value of a field under a number: the field's own, or that of a map's values.
    fn record(
        &mut self,
        field: Field,
        number: u32,
        value: &Value,
        path: Path<'_>,
        out: &mut Vec<u8>,
    ) -> Result<(), JsonError> {
        match field.kind() {
            Kind::Bool => {
                let value = boolean(value, &path)?;
                put_varint_field(out, number, u64::from(value));
            }
            Kind::Int32 => {
                let range = i64::from(i32::MIN)..=i64::from(i32::MAX);
                let value = whole_number(value, &path, "32 bits")?;
                if !range.contains(&value) {
                    let expected = "a whole number of 32 bits";
                    return Err(wrong(&path, &Value::from(value), expected, ""));
                }
                put_varint_field(out, number, value.cast_unsigned());
            }
            Kind::Int64 => {
                let value = whole_number(value, &path, "64 bits")?;
                put_varint_field(out, number, value.cast_unsigned());
            }
            Kind::String => put_bytes_field(out, number, string(value, &path)?.as_bytes()),
            Kind::Bytes => {
                let bytes = STANDARD
                    .decode(string(value, &path)?)
                    .map_err(|_| misshapen(&path, value, "bytes in base64", ""))?;
                put_bytes_field(out, number, &bytes);
            }
            Kind::Message(message) => {
                let payload = self.one(message, value, path)?;
                put_bytes_field(out, number, &payload);
            }
        }
        Ok(())
    }
}

fn close(out: &mut Vec<u8>, embedded: Option<(Field, Vec<u8>)>) {
    if let Some((hop, inner)) = embedded
        && !inner.is_empty()
    {
        put_bytes_field(out, hop.number(), &inner);
    }
}

/// Says whether an entry of a whole pod is one of the two that only name its type.
fn check_type(name: &str, value: &Value) -> Result<bool, JsonError> {
    let expected = match name {
        "apiVersion" => "v1",
        "kind" => "Pod",
        _ => return Ok(false),
    };
    if *value == Value::Null || value.as_str() == Some(expected) {
        return Ok(true);
    }
    Err(JsonError::new(
        name.to_owned(),
        format!("expected {expected:?}, found {}", describe(value)),
    ))
}

fn boolean(value: &Value, path: &Path<'_>) -> Result<bool, JsonError> {
    match value {
        Value::Bool(value) => Ok(*value),
        Value::Null => Ok(false),
        Value::String(text) if text == "true" || text == "false" => {
            Err(wrong(path, value, "true or false", "; remove the quotes"))
        }
        Value::Number(_) | Value::String(_) | Value::List(_) | Value::Map(_) => {
            Err(wrong(path, value, "true or false", ""))
        }
    }
}

fn whole_number(value: &Value, path: &Path<'_>, bits: &str) -> Result<i64, JsonError> {
    let advice = match value {
        Value::Null => return Ok(0),
        Value::Number(number) => {
            if let Some(number) = number.as_i64() {
                return Ok(number);
            }
            ""
        }
        Value::String(text) if text.parse::<i64>().is_ok() => "; remove the quotes",
        Value::Bool(_) | Value::String(_) | Value::List(_) | Value::Map(_) => "",
    };
    let expected = format!("a whole number of {bits}");
    Err(wrong(path, value, &expected, advice))
}

fn string<'a>(value: &'a Value, path: &Path<'_>) -> Result<&'a str, JsonError> {
    match value {
        Value::String(text) => Ok(text),
        Value::Null => Ok(""),
        Value::Number(_) | Value::Bool(_) => Err(misshapen(path, value, "a string", "; quote it")),
        Value::List(_) | Value::Map(_) => Err(misshapen(path, value, "a string", "")),
    }
}

/// A value that does not fit a field of which no secret is made: numbers, times, quantities.
fn wrong(path: &Path<'_>, found: &Value, expected: &str, advice: &str) -> JsonError {
    JsonError::new(
        path.spell(),
        format!("expected {expected}, found {}{advice}", describe(found)),
    )
}

/// A value of another shape than its field, which may be a variable or an argument: it is not
/// repeated, since errors go to logs.
fn misshapen(path: &Path<'_>, found: &Value, expected: &str, advice: &str) -> JsonError {
    let found = match found {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::List(_) => "a list",
        Value::Map(_) => "an object",
    };
    JsonError::new(
        path.spell(),
        format!("expected {expected}, found {found}{advice}"),
    )
}

/// A string longer than this is cut in an error.
const LONGEST_SHOWN_CHARACTERS: usize = 40;

fn describe(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => format!("the boolean {value}"),
        Value::Number(number) => format!("the number {}", cut(number.as_str())),
        Value::String(text) => format!("the string {:?}", cut(text)),
        Value::List(_) => "a list".to_owned(),
        Value::Map(_) => "an object".to_owned(),
    }
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(LONGEST_SHOWN_CHARACTERS) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
