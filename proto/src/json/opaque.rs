//! The four messages that are one JSON value: times, quantities, ports and owned field sets.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use super::print::to_json;
use super::read::parse_json;
use super::value::{Number, Value};
use super::wire::{Payload, Records, put_bytes_field, put_varint_field};
use super::{quantity, time};
use crate::schema::Opaque;
use crate::text::readable;

/// Returns the payload of an opaque message, or what should stand there instead of the value.
pub(crate) fn encode(form: Opaque, value: &Value) -> Result<Vec<u8>, &'static str> {
    let mut out = Vec::new();
    match form {
        Opaque::Time => {
            const EXPECTED: &str = "a time such as \"2006-01-02T15:04:05Z\"";
            let seconds = match value {
                Value::Null => return Ok(out),
                Value::String(text) if time::is_zero(text) => return Ok(out),
                Value::String(text) => time::parse(text)
                    .filter(|seconds| time::print(*seconds).is_some())
                    .ok_or(EXPECTED)?,
                Value::Bool(_) | Value::Number(_) | Value::List(_) | Value::Map(_) => {
                    return Err(EXPECTED);
                }
            };
            put_varint_field(&mut out, 1, seconds.cast_unsigned());
            put_varint_field(&mut out, 2, 0);
        }
        Opaque::Quantity => {
            let text = match value {
                Value::Null => "0",
                Value::String(text) => text,
                Value::Number(number) => number.as_str(),
                Value::Bool(_) | Value::List(_) | Value::Map(_) => {
                    return Err("a quantity such as 500m, 2, 1.5 or 64Mi");
                }
            };
            put_bytes_field(&mut out, 1, quantity::canonical(text)?.as_bytes());
        }
        Opaque::IntOrString => {
            const EXPECTED: &str = "a string or a whole number of 32 bits";
            let (number, text) = match value {
                Value::Null => (Some(0), ""),
                Value::String(text) => (None, text.as_str()),
                Value::Number(number) => (
                    Some(number.as_str().parse::<i32>().map_err(|_| EXPECTED)?),
                    "",
                ),
                Value::Bool(_) | Value::List(_) | Value::Map(_) => return Err(EXPECTED),
            };
            put_varint_field(&mut out, 1, u64::from(number.is_none()));
            let number = i64::from(number.unwrap_or_default());
            put_varint_field(&mut out, 2, number.cast_unsigned());
            put_bytes_field(&mut out, 3, text.as_bytes());
        }
        Opaque::FieldsV1 => match value {
            Value::Null => {}
            Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::List(_)
            | Value::Map(_) => put_bytes_field(&mut out, 1, to_json(value).as_bytes()),
        },
    }
    Ok(out)
}

/// Returns the value of an opaque message and how many fields of it are unknown.
///
/// `null` is what Go prints for a time and a field set that hold nothing.
pub(crate) fn decode(form: Opaque, payload: &[u8]) -> Result<(Value, usize), Cow<'static, str>> {
    let mut fields = Fields::read(payload)?;
    let value = match form {
        Opaque::Time => match fields.take_number(1)? {
            None if payload.is_empty() => Value::Null,
            Some(seconds) if seconds.cast_signed() == time::ZERO_SECONDS => {
                fields.take_number(2)?;
                Value::Null
            }
            seconds => {
                fields.take_number(2)?;
                time::print(seconds.unwrap_or_default().cast_signed())
                    .ok_or("a time outside the years 0 to 9999")?
                    .into()
            }
        },
        Opaque::Quantity => match fields.take_text(1)? {
            text if text.is_empty() => Value::from("0"),
            // What a writer got wrong is shown as it wrote it.
            text => quantity::canonical(&text).unwrap_or(text).into(),
        },
        Opaque::IntOrString => {
            let is_text = fields.take_number(1)?.unwrap_or_default() != 0;
            let number = low_32_bits(fields.take_number(2)?.unwrap_or_default());
            let text = fields.take_text(3)?;
            if is_text {
                text.into()
            } else {
                Value::Number(Number::from(i64::from(number)))
            }
        }
        Opaque::FieldsV1 => match fields.take_bytes(1)? {
            b"" => Value::Null,
            raw => parse_json(raw).map_err(|error| {
                Cow::Owned(alloc::format!("a field set that is no JSON: {error}"))
            })?,
        },
    };
    Ok((value, fields.unread))
}

/// Returns the number that a 32-bit field holds, as Go reads a longer one.
pub(crate) fn low_32_bits(number: u64) -> i32 {
    let [a, b, c, d, ..] = number.to_le_bytes();
    i32::from_le_bytes([a, b, c, d])
}

/// The last payload of each of the fields 1 to 3.
struct Fields<'a> {
    payloads: [Option<Payload<'a>>; 3],
    unread: usize,
}

impl<'a> Fields<'a> {
    fn read(payload: &'a [u8]) -> Result<Self, Cow<'static, str>> {
        let mut fields = Self {
            payloads: [None; 3],
            unread: 0,
        };
        let mut records = Records::new(payload);
        while let Some((number, payload)) = records.next()? {
            let slot = usize::try_from(number - 1)
                .ok()
                .and_then(|at| fields.payloads.get_mut(at));
            match slot {
                Some(slot) => {
                    fields.unread += usize::from(slot.is_none());
                    *slot = Some(payload);
                }
                None => fields.unread += 1,
            }
        }
        Ok(fields)
    }

    fn take(&mut self, number: usize) -> Option<Payload<'a>> {
        let payload = self.payloads.get_mut(number - 1)?.take();
        self.unread -= usize::from(payload.is_some());
        payload
    }

    fn take_number(&mut self, number: usize) -> Result<Option<u64>, &'static str> {
        match self.take(number) {
            Some(Payload::Varint(value)) => Ok(Some(value)),
            Some(Payload::Bytes(_) | Payload::Other) => Err("expected a number on the wire"),
            None => Ok(None),
        }
    }

    fn take_bytes(&mut self, number: usize) -> Result<&'a [u8], &'static str> {
        match self.take(number) {
            Some(Payload::Bytes(bytes)) => Ok(bytes),
            Some(Payload::Varint(_) | Payload::Other) => Err("expected bytes on the wire"),
            None => Ok(b""),
        }
    }

    fn take_text(&mut self, number: usize) -> Result<String, &'static str> {
        Ok(readable(self.take_bytes(number)?).into_owned())
    }
}
