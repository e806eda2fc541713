//! Resource quantities, made canonical exactly as Kubernetes' Go type does it.
//!
//! The Go type keeps a text that it takes for canonical already, and what it takes for canonical is
//! wider than its documentation says: `1e3`, `1.500` and `0005` stay as they are, `0.1` becomes
//! `100m`, `1024Mi` becomes `1Gi`. Servers compare these texts, so this file follows the behaviour.
//! In two places it refuses instead: a decimal number of 10^21 and more that needs another suffix
//! loses its magnitude in Go, and an exponent beyond 32 bits wraps around there.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;

use super::decimal::Decimal;

/// A quantity longer than this is refused; the longest sensible one has about 40 bytes.
const LONGEST_BYTES: usize = 256;

/// The most digits that take Go's short way through 64-bit integers.
const SHORT_WAY_DIGITS: i64 = 18;

/// The finest unit that a quantity keeps, as a power of ten.
const NANO: i64 = -9;

/// The largest suffix of a binary quantity without digits (`Ti`), as a power of two.
const TEBI: i64 = 40;

/// The finest unit that a kubelet leaves in a list of resources, as a power of ten.
const MILLI: i64 = -3;

/// The largest suffix of a decimal quantity (`E`), as a power of ten.
const EXA: i64 = 18;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    Binary,
    Decimal,
    Exponent,
}

/// What the text of a quantity says, before any arithmetic.
struct Parts<'a> {
    negative: bool,
    /// Digits in front of the point without leading zeros, `0` when there are none.
    whole: &'a str,
    fraction: &'a str,
    /// The power of two for [`Format::Binary`], else of ten.
    exponent: i64,
    format: Format,
}

/// Returns the canonical text of a quantity, or what is wrong with it.
pub(crate) fn canonical(text: &str) -> Result<String, &'static str> {
    canonical_to(text, NANO)
}

/// Returns the canonical text of a quantity rounded up to whole thousandths, or what is wrong with
/// it.
pub(crate) fn rounded_up_to_milli(text: &str) -> Result<String, &'static str> {
    canonical_to(text, MILLI)
}

fn canonical_to(text: &str, finest: i64) -> Result<String, &'static str> {
    // Go finds blanks before it reads escapes, which stand for control characters.
    let text = text.trim_matches(|character: char| {
        character.is_whitespace() && !matches!(character, '\0'..'\u{20}' | '\u{2028}' | '\u{2029}')
    });
    if text.len() > LONGEST_BYTES {
        return Err("a quantity of at most 256 bytes");
    }
    let parts = split(text)?;
    if let Some(kept) = stays(text, &parts, finest) {
        return Ok(kept);
    }
    let digits = parts
        .whole
        .as_bytes()
        .iter()
        .chain(parts.fraction.as_bytes());
    let mut number = Decimal::from_digits(digits);
    let fraction_digits = i64::try_from(parts.fraction.len()).unwrap_or(i64::MAX);
    let mut scale = -fraction_digits;
    let mut format = parts.format;
    if format == Format::Binary {
        number.multiply(1 << parts.exponent);
    } else {
        scale += parts.exponent;
    }
    if scale < finest {
        number.drop_digits_rounding_up(finest - scale);
        scale = finest;
    }
    if number.is_zero() {
        return Ok("0".to_owned());
    }
    scale += number.drop_trailing_zeros();
    if format == Format::Binary {
        let whole = whole_number(&number, scale);
        match whole {
            Some(whole) if whole >= Decimal::from_digits(b"1024".iter()) => {
                return Ok(spell_binary(parts.negative, whole));
            }
            Some(_) => {}
            None if beyond_64_bits(&number, scale) => {
                return Ok(spell_binary(parts.negative, largest()));
            }
            None => {}
        }
        format = Format::Decimal;
    }
    let excess = scale.rem_euclid(3);
    number.append_zeros(usize::try_from(excess).unwrap_or(0));
    spell_decimal(parts.negative, &number, scale - excess, format)
}

fn split(text: &str) -> Result<Parts<'_>, &'static str> {
    const WRONG: &str = "a quantity such as 500m, 2, 1.5 or 64Mi";
    if text.is_empty() {
        return Err(WRONG);
    }
    let negative = text.starts_with('-');
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let unpadded = unsigned.trim_start_matches('0');
    let (whole, rest) = split_digits(unpadded);
    let (fraction, suffix) = match rest.strip_prefix('.') {
        Some(rest) => split_digits(rest),
        None => ("", rest),
    };
    let (exponent, format) = suffix_meaning(suffix).ok_or(WRONG)?;
    // Without any digit Go reads zero on its way through 64 bits, and nothing on the other.
    let long_way = match format {
        Format::Binary => exponent > TEBI,
        Format::Decimal | Format::Exponent => exponent < NANO,
    };
    let has_digits = unsigned.starts_with('0') || !whole.is_empty() || !fraction.is_empty();
    if long_way && !has_digits {
        return Err(WRONG);
    }
    Ok(Parts {
        negative,
        whole: if whole.is_empty() { "0" } else { whole },
        fraction,
        exponent,
        format,
    })
}

fn split_digits(text: &str) -> (&str, &str) {
    let end = text
        .bytes()
        .position(|byte| !byte.is_ascii_digit())
        .unwrap_or(text.len());
    text.split_at(end)
}

fn suffix_meaning(suffix: &str) -> Option<(i64, Format)> {
    let meaning = match suffix {
        "n" => (-9, Format::Decimal),
        "u" => (-6, Format::Decimal),
        "m" => (-3, Format::Decimal),
        "" => (0, Format::Decimal),
        "k" => (3, Format::Decimal),
        "M" => (6, Format::Decimal),
        "G" => (9, Format::Decimal),
        "T" => (12, Format::Decimal),
        "P" => (15, Format::Decimal),
        "E" => (18, Format::Decimal),
        "Ki" => (10, Format::Binary),
        "Mi" => (20, Format::Binary),
        "Gi" => (30, Format::Binary),
        "Ti" => (40, Format::Binary),
        "Pi" => (50, Format::Binary),
        "Ei" => (60, Format::Binary),
        _ => {
            let exponent = suffix.strip_prefix(['e', 'E'])?;
            (exponent.parse::<i32>().ok()?.into(), Format::Exponent)
        }
    };
    Some(meaning)
}

/// Returns the text itself where Go keeps it.
fn stays(text: &str, parts: &Parts<'_>, finest: i64) -> Option<String> {
    let Parts {
        whole,
        fraction,
        exponent,
        format,
        ..
    } = *parts;
    if text == "0" {
        return Some(text.to_owned());
    }
    let whole_digits = i64::try_from(whole.len()).ok()?;
    let fraction_digits = i64::try_from(fraction.len()).ok()?;
    if format == Format::Binary {
        // A power of two takes about three tenths of its exponent in decimal digits.
        let room = 15 - whole_digits - exponent * 3 / 10 - 1;
        let odd_enough = whole.parse::<i64>().is_ok_and(|number| number % 8 != 0);
        return (fraction.is_empty() && room >= 0 && odd_enough).then(|| text.to_owned());
    }
    if whole_digits + fraction_digits > SHORT_WAY_DIGITS {
        return None;
    }
    let scale = exponent - fraction_digits;
    let digits = format!("{whole}{fraction}");
    let kept =
        scale >= finest && scale % 3 == 0 && !digits.ends_with("000") && !digits.starts_with('0');
    kept.then(|| text.to_owned())
}

/// Returns `number * 10^scale` when that is whole and fits 64 bits.
fn whole_number(number: &Decimal, scale: i64) -> Option<Decimal> {
    let zeros = usize::try_from(scale).ok()?;
    if beyond_64_bits(number, scale) {
        return None;
    }
    let mut whole = number.clone();
    whole.append_zeros(zeros);
    Some(whole)
}

fn beyond_64_bits(number: &Decimal, scale: i64) -> bool {
    let largest = largest();
    let digits = i64::try_from(number.digit_count()).unwrap_or(i64::MAX);
    let places = i64::try_from(largest.digit_count()).unwrap_or(i64::MAX);
    match (digits.saturating_add(scale)).cmp(&places) {
        core::cmp::Ordering::Less => false,
        core::cmp::Ordering::Greater => true,
        core::cmp::Ordering::Equal => {
            // The same number of places: compare with as many digits behind the point.
            let (mut number, mut largest) = (number.clone(), largest);
            number.append_zeros(usize::try_from(scale).unwrap_or(0));
            largest.append_zeros(usize::try_from(-scale).unwrap_or(0));
            number > largest
        }
    }
}

fn largest() -> Decimal {
    Decimal::from_digits(b"9223372036854775807".iter())
}

fn spell_binary(negative: bool, mut whole: Decimal) -> String {
    const SUFFIXES: [&str; 6] = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
    let mut suffix = "";
    for next in SUFFIXES {
        if !whole.divide_by_1024() {
            break;
        }
        suffix = next;
    }
    format!("{}{}{suffix}", sign(negative), whole.spell())
}

fn spell_decimal(
    negative: bool,
    number: &Decimal,
    exponent: i64,
    format: Format,
) -> Result<String, &'static str> {
    let digits = number.spell();
    let sign = sign(negative);
    if format == Format::Exponent {
        return Ok(if exponent == 0 {
            format!("{sign}{digits}")
        } else {
            format!("{sign}{digits}e{exponent}")
        });
    }
    let suffix = match exponent {
        -9 => "n",
        -6 => "u",
        -3 => "m",
        0 => "",
        3 => "k",
        6 => "M",
        9 => "G",
        12 => "T",
        15 => "P",
        EXA => "E",
        _ => return Err("a quantity below 10^21, or one with an exponent (1e21)"),
    };
    Ok(format!("{sign}{digits}{suffix}"))
}

fn sign(negative: bool) -> &'static str {
    if negative { "-" } else { "" }
}
#[cfg(test)]
mod tests;
