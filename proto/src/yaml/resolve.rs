//! What a YAML scalar means, by the rules of YAML 1.1 as Go's YAML library has them.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::json::{Number, Value};

/// A scalar with its type.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Scalar {
    Bool(bool),
    Float(f64),
    Int(i128),
    /// A whole number beyond 64 bits, in its digits: Go reads a double, and a double has lost some.
    Long(String),
    Null,
    String(String),
}

/// The part behind `tag:yaml.org,2002:` of a tag that names one of YAML's own scalar types.
pub(super) fn tagged(tag: &str, text: &str) -> Result<Scalar, String> {
    let scalar = match (tag, plain(text)) {
        ("str" | "timestamp", _) => Scalar::String(String::from(text)),
        ("binary", _) => Scalar::String(binary(text)?),
        ("bool", scalar @ Scalar::Bool(_))
        | ("int", scalar @ Scalar::Int(_))
        | ("float", scalar @ Scalar::Float(_))
        | ("null", scalar @ Scalar::Null) => scalar,
        ("float", Scalar::Int(value)) => Scalar::Float(as_float(&value.to_string())),
        ("float", Scalar::Long(digits)) => Scalar::Float(as_float(&digits)),
        ("bool" | "int" | "float" | "null", _) => {
            return Err(format!("the tag !!{tag} does not fit its text"));
        }
        // Go leaves a scalar with a tag that it does not know a string.
        _ => Scalar::String(String::from(text)),
    };
    Ok(scalar)
}

/// Resolves a scalar without quotes and without a tag.
pub(super) fn plain(text: &str) -> Scalar {
    match text {
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
            return Scalar::Bool(true);
        }
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            return Scalar::Bool(false);
        }
        "" | "~" | "null" | "Null" | "NULL" => return Scalar::Null,
        ".nan" | ".NaN" | ".NAN" => return Scalar::Float(f64::NAN),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => {
            return Scalar::Float(f64::INFINITY);
        }
        "-.inf" | "-.Inf" | "-.INF" => return Scalar::Float(f64::NEG_INFINITY),
        _ => {}
    }
    let number = match text.as_bytes().first() {
        Some(b'.') if underscores_separate_digits(text) => float(&text.replace('_', "")),
        Some(b'+' | b'-' | b'0'..=b'9') => {
            let digits = text.replace('_', "");
            int(&digits)
                .or_else(|| long(text))
                .or_else(|| float(&digits))
        }
        Some(_) | None => None,
    };
    number.unwrap_or_else(|| Scalar::String(String::from(text)))
}

/// Reads a whole number of 64 bits, signed or not, with the prefixes `0x`, `0o`, `0b` and `0`.
fn int(text: &str) -> Option<Scalar> {
    let signed = text.starts_with(['+', '-']);
    let negative = text.starts_with('-');
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (digits, radix) = match unsigned.as_bytes() {
        [b'0', b'x' | b'X', ..] => (unsigned.get(2..)?, 16),
        [b'0', b'o' | b'O', ..] => (unsigned.get(2..)?, 8),
        [b'0', b'b' | b'B', ..] => (unsigned.get(2..)?, 2),
        [b'0', _, ..] => (unsigned.get(1..)?, 8),
        _ => (unsigned, 10),
    };
    if digits.starts_with(['+', '-']) {
        // Go takes a sign behind `0b`, and behind no other prefix.
        let value = i64::from_str_radix(digits, radix).ok()?;
        return text.starts_with("0b").then(|| Scalar::Int(value.into()));
    }
    let magnitude = i128::from(u64::from_str_radix(digits, radix).ok()?);
    let value = if negative { -magnitude } else { magnitude };
    let most = if signed {
        i128::from(i64::MAX)
    } else {
        i128::from(u64::MAX)
    };
    (i128::from(i64::MIN)..=most)
        .contains(&value)
        .then_some(Scalar::Int(value))
}

/// Takes decimal digits as JSON has them, when they are not too many for a double.
fn long(text: &str) -> Option<Scalar> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let decimal = digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.starts_with('0');
    (decimal && as_float(text).is_finite()).then(|| Scalar::Long(String::from(text)))
}

fn underscores_separate_digits(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_digit = |at: Option<usize>| {
        at.and_then(|at| bytes.get(at))
            .is_some_and(u8::is_ascii_digit)
    };
    bytes.iter().enumerate().all(|(at, byte)| {
        *byte != b'_' || (is_digit(at.checked_sub(1)) && is_digit(at.checked_add(1)))
    })
}

/// Reads digits with a point or an exponent; what is too large for a double is no number.
fn float(text: &str) -> Option<Scalar> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let mantissa_end = unsigned.find(['e', 'E']).unwrap_or(unsigned.len());
    let (mantissa, exponent) = unsigned.split_at_checked(mantissa_end)?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !all_digits(whole) || !all_digits(fraction) || (whole.is_empty() && fraction.is_empty()) {
        return None;
    }
    if !exponent.is_empty() {
        let digits = exponent.get(1..)?;
        let digits = digits.strip_prefix(['+', '-']).unwrap_or(digits);
        if digits.is_empty() || !all_digits(digits) {
            return None;
        }
    }
    let value: f64 = text.parse().ok()?;
    value.is_finite().then_some(Scalar::Float(value))
}

/// Returns the double nearest to a whole number.
fn as_float(digits: &str) -> f64 {
    digits.parse().unwrap_or(f64::NAN)
}

fn binary(text: &str) -> Result<String, String> {
    let packed: Vec<u8> = text
        .bytes()
        .filter(|byte| !matches!(byte, b'\n' | b'\r'))
        .collect();
    let bytes = STANDARD
        .decode(packed)
        .map_err(|_| String::from("the tag !!binary needs base64"))?;
    String::from_utf8(bytes)
        .map_err(|_| String::from("the tag !!binary holds bytes that are no text"))
}

/// Returns the JSON value of a scalar; infinite numbers have none.
pub(super) fn value(scalar: Scalar) -> Result<Value, String> {
    let number = match scalar {
        Scalar::Null => return Ok(Value::Null),
        Scalar::Bool(value) => return Ok(Value::Bool(value)),
        Scalar::String(text) => return Ok(Value::String(text)),
        Scalar::Int(value) => value.to_string(),
        Scalar::Long(digits) => digits,
        Scalar::Float(value) => json_float(value),
    };
    Number::new(&number)
        .map(Value::Number)
        .ok_or_else(|| format!("{number} is a number that JSON does not have"))
}

/// Returns the key that a scalar becomes; `null` cannot be one.
pub(super) fn key(scalar: Scalar) -> Option<String> {
    match scalar {
        Scalar::Null => None,
        Scalar::Bool(value) => Some(value.to_string()),
        Scalar::Int(value) => Some(value.to_string()),
        Scalar::Long(digits) => Some(key_float(as_float(&digits))),
        Scalar::Float(value) => Some(key_float(value)),
        Scalar::String(text) => Some(text),
    }
}

/// Spells a double as Go's JSON encoder does: an exponent below 10^-6 and from 10^21 on.
fn json_float(value: f64) -> String {
    let magnitude = value.abs();
    if magnitude == 0.0 || (1e-6..1e21).contains(&magnitude) {
        return format!("{value}");
    }
    with_signed_exponent(&format!("{value:e}"), 1)
}

/// Spells a number that is a key as Go's YAML library does: with the digits of a 32-bit float.
fn key_float(value: f64) -> String {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "keys are spelled with the precision of a 32-bit float"
    )]
    let value = value as f32;
    if value.is_nan() {
        return String::from(".nan");
    }
    if value.is_infinite() {
        return String::from(if value < 0.0 { "-.inf" } else { ".inf" });
    }
    let scientific = format!("{value:e}");
    let exponent: i32 = scientific
        .split_once('e')
        .and_then(|(_, exponent)| exponent.parse().ok())
        .unwrap_or(0);
    if (-4..6).contains(&exponent) {
        format!("{value}")
    } else {
        with_signed_exponent(&scientific, 2)
    }
}

/// Gives an exponent a sign and at least so many digits: `1e7` becomes `1e+07`.
fn with_signed_exponent(scientific: &str, digits: usize) -> String {
    let Some((mantissa, exponent)) = scientific.split_once('e') else {
        return String::from(scientific);
    };
    let (sign, magnitude) = match exponent.strip_prefix('-') {
        Some(magnitude) => ('-', magnitude),
        None => ('+', exponent),
    };
    format!("{mantissa}e{sign}{magnitude:0>digits$}")
}
