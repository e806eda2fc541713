//! From an encoded message to a JSON value.

use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::error::DecodeError;
use super::opaque;
use super::path::Path;
use super::value::{Map, Value};
use super::wire::{Malformed, Payload, Records};
use crate::schema::{Field, Kind, Message, Shape, ZeroInJson};
use crate::text::readable;

/// A decoded message, and how much of it the schema does not know.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "a result with two parts")]
pub struct Decoded {
    /// The message as Kubernetes' own JSON spells it.
    pub value: Value,
    /// How many fields, at all levels, the value leaves out because the schema does not know them.
    pub unknown_fields: usize,
}

/// Decodes a part of a message into its value, without `apiVersion` and `kind`.
///
/// Fields come by ascending number, map entries by key. What the bytes do not name is not in the
/// value, so this is for what a field mask left; for a whole message see [`decode_whole`]. A zero
/// that the bytes name is in the value where Go would print it: when the field is a pointer, a plain
/// struct, or has no `omitempty`. Of a field that is there twice the last value counts, messages are
/// merged.
///
/// # Errors
///
/// Returns the path and the reason when the bytes are no such message.
///
/// # Examples
///
/// ```
/// use podsapi_proto::json::{decode, to_json};
/// use podsapi_proto::schema::Message;
///
/// let pod = decode(Message::POD, b"\x0a\x03\x0a\x01a")?;
/// assert_eq!(to_json(&pod), r#"{"metadata":{"name":"a"}}"#);
/// # Ok::<(), podsapi_proto::json::DecodeError>(())
/// ```
pub fn decode(message: Message, bytes: &[u8]) -> Result<Value, DecodeError> {
    decode_counting(message, bytes).map(|decoded| decoded.value)
}

/// Decodes a whole message into the value that Go's types print, without `apiVersion` and `kind`.
///
/// Differs from [`decode`] in what the bytes do not name, in this message and in all that are in it:
/// Go has a zero there, and prints it where the field is a plain value without `omitempty`
/// (`ready: false`) or a plain struct (`lastState: {}`). A list, a map, a time and a pointer without
/// `omitempty` are `null` then (`containers: null`).
///
/// # Errors
///
/// As [`decode`].
///
/// # Examples
///
/// ```
/// use podsapi_proto::json::{decode_whole, to_json};
/// use podsapi_proto::schema::Message;
///
/// let pod = decode_whole(Message::POD, b"\x0a\x03\x0a\x01a")?;
/// assert_eq!(
///     to_json(&pod),
///     r#"{"metadata":{"name":"a"},"spec":{"containers":null},"status":{}}"#
/// );
/// # Ok::<(), podsapi_proto::json::DecodeError>(())
/// ```
pub fn decode_whole(message: Message, bytes: &[u8]) -> Result<Value, DecodeError> {
    Decoder::new(Unnamed::AsGo).one(message, bytes, Path::ROOT)
}

/// Decodes as [`decode`] does and counts the fields that the schema does not know.
///
/// # Errors
///
/// As [`decode`].
pub fn decode_counting(message: Message, bytes: &[u8]) -> Result<Decoded, DecodeError> {
    let mut decoder = Decoder::new(Unnamed::LeftOut);
    let value = decoder.one(message, bytes, Path::ROOT)?;
    Ok(Decoded {
        value,
        unknown_fields: decoder.unknown_fields,
    })
}

/// What becomes of the fields that the bytes do not name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unnamed {
    /// They are zero, and printed where Go prints a zero.
    AsGo,
    /// They are not printed, since nobody asked for them.
    LeftOut,
}

struct Decoder {
    unnamed: Unnamed,
    unknown_fields: usize,
}

impl Decoder {
    fn new(unnamed: Unnamed) -> Self {
        Self {
            unnamed,
            unknown_fields: 0,
        }
    }

    fn one(
        &mut self,
        message: Message,
        bytes: &[u8],
        path: Path<'_>,
    ) -> Result<Value, DecodeError> {
        let Some(form) = message.opaque() else {
            let mut object = Map::new();
            self.object(message, bytes, path, &mut object)?;
            return Ok(Value::Map(object));
        };
        let (value, unknown) = opaque::decode(form, bytes)
            .map_err(|problem| DecodeError::new(path.spell(), problem))?;
        self.unknown_fields += unknown;
        Ok(value)
    }

    fn object(
        &mut self,
        message: Message,
        bytes: &[u8],
        path: Path<'_>,
        object: &mut Map,
    ) -> Result<(), DecodeError> {
        let mut by_number: BTreeMap<u32, Vec<Payload<'_>>> = BTreeMap::new();
        let mut records = Records::new(bytes);
        while let Some((number, payload)) = records.next().map_err(|why| at(&path, why))? {
            by_number.entry(number).or_default().push(payload);
        }
        for field in message.fields() {
            let payloads = match by_number.remove(&field.number()) {
                Some(payloads) => payloads,
                None if self.prints_unnamed(field) => Vec::new(),
                None => continue,
            };
            if let Some(embedded) = field.message().filter(|_| field.is_hop()) {
                let bytes = joined(&payloads).map_err(|why| at(&path.field(field.name()), why))?;
                self.object(embedded, &bytes, path, object)?;
                continue;
            }
            if let Some(value) = self.field(field, &payloads, path.field(field.name()))? {
                object.push(String::from(field.name()), value);
            }
        }
        self.unknown_fields += by_number.values().map(Vec::len).sum::<usize>();
        Ok(())
    }

    /// Says whether a field may have something to print although the bytes do not name it.
    fn prints_unnamed(&self, field: Field) -> bool {
        let zero = match field.zero_in_json() {
            ZeroInJson::Always | ZeroInJson::NullWhenAbsent => true,
            ZeroInJson::Never | ZeroInJson::WhenSet => false,
        };
        // Of an embedded struct only the fields have a say.
        self.unnamed == Unnamed::AsGo && (zero || field.is_hop())
    }

    /// Returns the value of a field, `None` when Go prints none.
    fn field(
        &mut self,
        field: Field,
        payloads: &[Payload<'_>],
        path: Path<'_>,
    ) -> Result<Option<Value>, DecodeError> {
        let zero = field.zero_in_json();
        match field.shape() {
            Shape::Singular if payloads.is_empty() && zero == ZeroInJson::NullWhenAbsent => {
                Ok(Some(Value::Null))
            }
            Shape::Singular => {
                let value = self.singular(field, payloads, path)?;
                let hidden = is_zero(&value) && zero == ZeroInJson::Never;
                Ok((!hidden).then_some(value))
            }
            Shape::Repeated => {
                let list = self.list(field, payloads, path)?;
                if list.is_empty() {
                    return Ok(self.prints_unnamed(field).then_some(Value::Null));
                }
                Ok(Some(Value::List(list)))
            }
            Shape::Map if payloads.is_empty() => Ok(Some(Value::Null)),
            Shape::Map => {
                let mut entries = BTreeMap::new();
                for payload in payloads {
                    let (key, value) = self.entry(field, *payload, path)?;
                    entries.insert(key, value);
                }
                Ok(Some(Value::Map(entries.into_iter().collect())))
            }
        }
    }

    fn singular(
        &mut self,
        field: Field,
        payloads: &[Payload<'_>],
        path: Path<'_>,
    ) -> Result<Value, DecodeError> {
        if let Some(message) = field.message() {
            let bytes = joined(payloads).map_err(|why| at(&path, why))?;
            return self.one(message, &bytes, path);
        }
        let mut value = zero(field.kind());
        for payload in payloads {
            value = scalar(field.kind(), *payload).map_err(|why| at(&path, why))?;
        }
        Ok(value)
    }

    fn list(
        &mut self,
        field: Field,
        payloads: &[Payload<'_>],
        path: Path<'_>,
    ) -> Result<Vec<Value>, DecodeError> {
        let mut list = Vec::with_capacity(payloads.len());
        for payload in payloads {
            let place = path.index(list.len());
            match (field.kind(), *payload) {
                (Kind::Message(message), Payload::Bytes(bytes)) => {
                    let value = self.one(message, bytes, place)?;
                    list.push(value);
                }
                (Kind::Bool | Kind::Int32 | Kind::Int64, Payload::Bytes(packed)) => {
                    let mut records = Records::new(packed);
                    while !records.is_empty() {
                        let value = records
                            .varint()
                            .and_then(|value| scalar(field.kind(), Payload::Varint(value)))
                            .map_err(|why| at(&path, why))?;
                        list.push(value);
                    }
                }
                (kind, payload) => {
                    let value = scalar(kind, payload).map_err(|why| at(&place, why))?;
                    list.push(value);
                }
            }
        }
        Ok(list)
    }

    fn entry(
        &mut self,
        field: Field,
        payload: Payload<'_>,
        path: Path<'_>,
    ) -> Result<(String, Value), DecodeError> {
        let mut key = String::new();
        let mut values = Vec::new();
        let bytes = bytes(payload).map_err(|why| at(&path, why))?;
        let mut records = Records::new(bytes);
        while let Some((number, payload)) = records.next().map_err(|why| at(&path, why))? {
            match number {
                1 => key = text(payload).map_err(|why| at(&path, why))?,
                2 => values.push(payload),
                _ => self.unknown_fields += 1,
            }
        }
        let value = self.singular(field, &values, path.key(&key))?;
        Ok((key, value))
    }
}

/// Returns the payload of a message that came in pieces: decoding their concatenation merges them.
fn joined<'a>(payloads: &[Payload<'a>]) -> Result<Cow<'a, [u8]>, Malformed> {
    let mut whole = Cow::Borrowed(&b""[..]);
    for payload in payloads {
        let piece = bytes(*payload)?;
        if whole.is_empty() {
            whole = Cow::Borrowed(piece);
        } else {
            whole.to_mut().extend_from_slice(piece);
        }
    }
    Ok(whole)
}

fn bytes(payload: Payload<'_>) -> Result<&[u8], Malformed> {
    match payload {
        Payload::Bytes(bytes) => Ok(bytes),
        Payload::Varint(_) | Payload::Other => Err("expected bytes on the wire"),
    }
}

fn text(payload: Payload<'_>) -> Result<String, Malformed> {
    bytes(payload).map(|bytes| readable(bytes).into_owned())
}

fn scalar(kind: Kind, payload: Payload<'_>) -> Result<Value, Malformed> {
    match (kind, payload) {
        (Kind::Bool, Payload::Varint(value)) => Ok(Value::Bool(value != 0)),
        (Kind::Int32, Payload::Varint(value)) => {
            Ok(Value::from(i64::from(opaque::low_32_bits(value))))
        }
        (Kind::Int64, Payload::Varint(value)) => Ok(Value::from(value.cast_signed())),
        (Kind::Bool | Kind::Int32 | Kind::Int64, Payload::Bytes(_) | Payload::Other) => {
            Err("expected a number on the wire")
        }
        (Kind::String, payload) => text(payload).map(Value::String),
        (Kind::Bytes, payload) => Ok(Value::String(STANDARD.encode(bytes(payload)?))),
        (Kind::Message(_), _) => Err("expected bytes on the wire"),
    }
}

fn zero(kind: Kind) -> Value {
    match kind {
        Kind::Bool => Value::Bool(false),
        Kind::Int32 | Kind::Int64 => Value::from(0),
        Kind::String | Kind::Bytes => Value::from(""),
        Kind::Message(_) => Value::Map(Map::new()),
    }
}

/// Says whether Go takes a value for empty: the number 0, nothing, or an object or text without content.
fn is_zero(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(value) => !value,
        Value::Number(number) => number.as_str() == "0",
        Value::String(text) => text.is_empty(),
        Value::List(list) => list.is_empty(),
        Value::Map(map) => map.is_empty(),
    }
}

fn at(path: &Path<'_>, why: Malformed) -> DecodeError {
    DecodeError::new(path.spell(), why)
}
