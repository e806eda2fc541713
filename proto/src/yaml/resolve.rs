//! What a YAML scalar means, by the rules of YAML 1.1 as Go's YAML library has them.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::events::CORE_TAGS;
use crate::json::{Number, Value};
use crate::text::readable;

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

/// The tag of a key that merges.
pub(super) const MERGE_TAG: &str = "tag:yaml.org,2002:merge";

/// Resolves a scalar with a tag; only the tags of YAML's own scalar types mean something.
pub(super) fn tagged(tag: &str, text: String) -> Result<Scalar, String> {
    // Go's library knows these tags in both spellings.
    let Some(tag) = tag.strip_prefix(CORE_TAGS) else {
        return Ok(Scalar::String(text));
    };
    if tag == "timestamp" {
        if is_timestamp(&text) {
            return Ok(Scalar::String(text));
        }
        return Err(unfit(tag));
    }
    if tag == "binary" {
        return binary(&text).map(Scalar::String);
    }
    if !matches!(tag, "bool" | "int" | "float" | "null") {
        return Ok(Scalar::String(text));
    }
    match (tag, plain(text)) {
        ("bool", scalar @ Scalar::Bool(_))
        | ("int", scalar @ Scalar::Int(_))
        | ("float", scalar @ Scalar::Float(_))
        | ("null", scalar @ Scalar::Null) => Ok(scalar),
        // What needs the 64th bit stays a whole number in Go, and so does not fit.
        ("float", Scalar::Int(value)) if i64::try_from(value).is_ok() => {
            Ok(Scalar::Float(as_float(&value.to_string())))
        }
        ("float", Scalar::Long(digits)) => Ok(Scalar::Float(as_float(&digits))),
        _ => Err(unfit(tag)),
    }
}

fn unfit(tag: &str) -> String {
    format!("the tag !!{tag} does not fit its text")
}

/// Resolves a scalar without quotes and without a tag.
pub(super) fn plain(text: String) -> Scalar {
    typed(&text).unwrap_or(Scalar::String(text))
}

/// Returns what a plain scalar is, `None` for a string.
pub(super) fn typed(text: &str) -> Option<Scalar> {
    match text {
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
            return Some(Scalar::Bool(true));
        }
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            return Some(Scalar::Bool(false));
        }
        "" | "~" | "null" | "Null" | "NULL" => return Some(Scalar::Null),
        ".nan" | ".NaN" | ".NAN" => return Some(Scalar::Float(f64::NAN)),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => {
            return Some(Scalar::Float(f64::INFINITY));
        }
        "-.inf" | "-.Inf" | "-.INF" => return Some(Scalar::Float(f64::NEG_INFINITY)),
        _ => {}
    }
    match text.as_bytes().first() {
        Some(b'.') if underscores_separate_digits(text) => float(&text.replace('_', "")),
        Some(b'+' | b'-' | b'0'..=b'9') => {
            let digits = text.replace('_', "");
            int(&digits)
                .or_else(|| long(text))
                .or_else(|| float(&digits))
        }
        Some(_) | None => None,
    }
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
    // What is no text becomes U+FFFD on its way through JSON.
    Ok(readable(&bytes).into_owned())
}

/// Says whether Go's library takes a text for a time: a date, or a date and a time of day, with
/// their numbers of one or two digits.
fn is_timestamp(text: &str) -> bool {
    fn number(rest: &mut &str, most_digits: usize) -> Option<u32> {
        let count = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (digits, after) = rest.split_at_checked(count.min(most_digits))?;
        *rest = after;
        digits.parse().ok()
    }
    fn whole(mut rest: &str) -> Option<()> {
        let year = number(&mut rest, 4).filter(|_| rest.starts_with('-'))?;
        rest = rest.get(1..)?;
        let month = number(&mut rest, 2).filter(|month| (1..=12).contains(month))?;
        rest = rest.strip_prefix('-')?;
        let day = number(&mut rest, 2)?;
        let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let days = match month {
            2 if leap => 29,
            2 => 28,
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        };
        if !(1..=days).contains(&day) {
            return None;
        }
        if rest.is_empty() {
            return Some(());
        }
        let zoned = rest.starts_with(['T', 't']);
        rest = rest.strip_prefix(['T', 't', ' '])?;
        for (at, limit) in [24, 60, 60].into_iter().enumerate() {
            if at > 0 {
                rest = rest.strip_prefix(':')?;
            }
            number(&mut rest, 2).filter(|number| *number < limit)?;
        }
        if let Some(fraction) = rest.strip_prefix(['.', ','])
            && fraction.starts_with(|first: char| first.is_ascii_digit())
        {
            rest = fraction.trim_start_matches(|digit: char| digit.is_ascii_digit());
        }
        if !zoned {
            return rest.is_empty().then_some(());
        }
        if rest == "Z" {
            return Some(());
        }
        let (hours, minutes) = rest.strip_prefix(['+', '-'])?.split_once(':')?;
        let two = |text: &str, most: u32| {
            let digits = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
            text.parse()
                .ok()
                .filter(|number: &u32| digits && *number <= most)
        };
        two(hours, 24)?;
        two(minutes, 60).map(|_| ())
    }
    let four = text.bytes().take_while(u8::is_ascii_digit).count() == 4;
    four && whole(text).is_some()
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

/// Returns the key that a scalar becomes; `null` cannot be one, nor can what needs the 64th bit.
pub(super) fn key(scalar: Scalar) -> Result<Option<String>, String> {
    Ok(match scalar {
        Scalar::Null => None,
        Scalar::Bool(value) => Some(value.to_string()),
        Scalar::Int(value) if i64::try_from(value).is_ok() => Some(value.to_string()),
        Scalar::Int(value) => return Err(format!("{value} cannot be a key; quote it")),
        Scalar::Long(digits) => Some(key_float(as_float(&digits))),
        Scalar::Float(value) => Some(key_float(value)),
        Scalar::String(text) => Some(text),
    })
}

/// Spells a double as Go's JSON encoder does: an exponent below 10^-6 and from 10^21 on.
pub(crate) fn json_float(value: f64) -> String {
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
