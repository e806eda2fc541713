//! Quantities as Go's type holds them: how a text is kept depends on how it is spelled.

use std::cmp::Ordering;
use std::fmt::Write;

use super::natural::Natural;

/// A quantity as `resource.Quantity` has it in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Quantity {
    amount: Amount,
    /// The text, where it is taken for canonical.
    text: String,
    format: &'static str,
}

/// The number of a quantity.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Amount {
    /// `value` times ten to the power of `scale`.
    Small { value: i64, scale: i32 },
    /// The number divided by ten to the power of `scale`.
    Large {
        negative: bool,
        number: Natural,
        scale: i32,
    },
}

impl Quantity {
    /// What Go has where nothing, or `null`, is written.
    const ABSENT: Self = Self {
        amount: Amount::Small { value: 0, scale: 0 },
        text: String::new(),
        format: "",
    };

    /// Reads a text that the schema has approved, or one that [`Quantity::spell`] wrote; any other,
    /// such as the empty one, is nothing.
    pub(super) fn read(text: &str) -> Self {
        match text.strip_prefix(COMPUTED) {
            Some(fields) => from_fields(fields),
            None => parse(text),
        }
        .unwrap_or(Self::ABSENT)
    }

    /// Writes all that is in memory, for [`Quantity::read`]; no manifest can say it so.
    pub(super) fn spell(&self) -> String {
        let Self {
            amount,
            text,
            format,
        } = self;
        match amount {
            Amount::Small { value, scale } => {
                format!("{COMPUTED}{value} {scale} {format} - {text}")
            }
            Amount::Large {
                negative,
                number,
                scale,
            } => {
                let words = number.words().iter().map(u64::to_string);
                let words = words.collect::<Vec<_>>().join(",");
                let sign = i8::from(*negative);
                format!("{COMPUTED}{sign} {scale} {format} {words}, {text}")
            }
        }
    }

    /// Rounds up to whole thousandths.
    pub(super) fn round_up(&mut self) {
        match &mut self.amount {
            Amount::Small { scale, .. } if *scale >= MILLI => {}
            Amount::Small { value, scale } => {
                self.text.clear();
                let places = u32::try_from(MILLI - *scale).unwrap_or(u32::MAX);
                let unit = 10_i64.checked_pow(places);
                let (whole, rest) = unit.map_or((0, *value), |unit| (*value / unit, *value % unit));
                *value = whole + rest.signum();
                *scale = MILLI;
            }
            Amount::Large { number, scale, .. } => {
                self.text.clear();
                rescale(number, scale, -MILLI);
            }
        }
    }

    /// Adds another as `Quantity.Add` does.
    pub(super) fn add(&mut self, other: &Self) {
        self.text.clear();
        let small = match (&self.amount, &other.amount) {
            (
                Amount::Small { value, scale },
                Amount::Small {
                    value: more,
                    scale: more_scale,
                },
            ) => {
                if *value == 0 {
                    self.format = other.format;
                }
                sum((*value, *scale), (*more, *more_scale))
            }
            _ => {
                if self.is_zero() {
                    self.format = other.format;
                }
                None
            }
        };
        if let Some((value, scale)) = small {
            self.amount = Amount::Small { value, scale };
            return;
        }
        let (mut negative, mut number, mut scale) = self.large();
        let (other_negative, mut other, mut other_scale) = other.large();
        let finest = scale.max(other_scale);
        rescale(&mut number, &mut scale, finest);
        rescale(&mut other, &mut other_scale, finest);
        if negative == other_negative {
            number.add(&other);
        } else {
            // Limits and requests below zero run in no pod.
            (negative, number) = match number.cmp(&other) {
                Ordering::Less => (other_negative, other),
                Ordering::Equal | Ordering::Greater => (negative, number),
            };
        }
        self.amount = Amount::Large {
            negative,
            number,
            scale,
        };
    }

    /// Compares as `Quantity.Cmp` does, which changes how the first of them is held where only one
    /// of them is small.
    pub(super) fn compare(&mut self, other: &Self) -> Ordering {
        let both_small = matches!(
            (&self.amount, &other.amount),
            (Amount::Small { .. }, Amount::Small { .. })
        );
        let (negative, mut number, mut scale) = self.large();
        if !both_small {
            self.amount = Amount::Large {
                negative,
                number: number.clone(),
                scale,
            };
        }
        let (other_negative, mut other, mut other_scale) = other.large();
        let finest = scale.max(other_scale);
        rescale(&mut number, &mut scale, finest);
        rescale(&mut other, &mut other_scale, finest);
        let above_zero = |negative: bool, number: &Natural| !negative || number.is_zero();
        let signs = above_zero(negative, &number).cmp(&above_zero(other_negative, &other));
        signs.then_with(|| match negative {
            true => other.cmp(&number),
            false => number.cmp(&other),
        })
    }

    fn is_zero(&self) -> bool {
        match &self.amount {
            Amount::Small { value, .. } => *value == 0,
            Amount::Large { number, .. } => number.is_zero(),
        }
    }

    fn large(&self) -> (bool, Natural, i32) {
        match &self.amount {
            Amount::Small { value, scale } => {
                let number = Natural::from_u64(value.unsigned_abs());
                (*value < 0, number, -*scale)
            }
            Amount::Large {
                negative,
                number,
                scale,
            } => (*negative, number.clone(), *scale),
        }
    }

    /// Prints it as the struct that it is.
    pub(super) fn print(&self, out: &mut String) {
        let (value, scale) = match &self.amount {
            Amount::Small { value, scale } => (*value, *scale),
            Amount::Large { .. } => (0, 0),
        };
        // Writing to a text cannot fail.
        let _written = write!(
            out,
            "{{i:(resource.int64Amount){{value:(int64){value} scale:(resource.Scale){scale}}} \
             d:(resource.infDecAmount){{Dec:(*inf.Dec)"
        );
        match &self.amount {
            Amount::Small { .. } => out.push_str("<nil>"),
            Amount::Large {
                negative,
                number,
                scale,
            } => {
                let _written = write!(
                    out,
                    "{{unscaled:(big.Int){{neg:(bool){negative} abs:(big.nat)"
                );
                if number.is_zero() {
                    out.push_str("<nil>");
                } else {
                    let words = number.words().iter().map(u64::to_string);
                    let _written = write!(out, "[{}]", words.collect::<Vec<_>>().join(" "));
                }
                let _written = write!(out, "}} scale:(inf.Scale){scale}}}");
            }
        }
        let (text, format) = (&self.text, self.format);
        let _written = write!(
            out,
            "}} s:(string){text} Format:(resource.Format){format}}}"
        );
    }
}

/// Adds two small amounts as `int64Amount.Add` does; `None` when that goes beyond 64 bits.
fn sum((value, scale): (i64, i32), (more, more_scale): (i64, i32)) -> Option<(i64, i32)> {
    if more == 0 {
        return Some((value, scale));
    }
    if value == 0 {
        return Some((more, more_scale));
    }
    let finest = scale.min(more_scale);
    let to_finest = |value: i64, scale: i32| {
        let factor = 10_i64.checked_pow(u32::try_from(scale - finest).ok()?)?;
        value.checked_mul(factor)
    };
    let all = to_finest(value, scale)?.checked_add(to_finest(more, more_scale)?)?;
    Some((all, finest))
}

/// Changes the power of ten that a number is divided by, rounding up.
fn rescale(number: &mut Natural, scale: &mut i32, wanted: i32) {
    if number.is_zero() {
        *scale = wanted;
        return;
    }
    let mut rest = false;
    for _ in 0..(*scale).saturating_sub(wanted).clamp(0, PLACES_LIMIT) {
        rest |= number.divide_by_ten();
    }
    if rest {
        number.add(&Natural::from_u64(1));
    }
    for _ in 0..wanted.saturating_sub(*scale).clamp(0, PLACES_LIMIT) {
        number.multiply_and_add(10, 0);
    }
    *scale = wanted;
}

fn parse(text: &str) -> Option<Quantity> {
    // A text in JSON is looked at as it is spelled, so that blanks in it are no control characters.
    let text = text.trim_matches(|character: char| {
        character.is_whitespace() && !matches!(character, '\0'..'\u{20}' | '\u{2028}' | '\u{2029}')
    });
    if text.is_empty() {
        return None;
    }
    let kept = |amount, format| Quantity {
        amount,
        text: text.to_owned(),
        format,
    };
    let anew = |amount, format| Quantity {
        amount,
        text: String::new(),
        format,
    };
    if text == "0" {
        return Some(kept(Amount::Small { value: 0, scale: 0 }, DECIMAL));
    }
    let negative = text.starts_with('-');
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (whole, rest) = digits(unsigned.trim_start_matches('0'));
    let (fraction, suffix) = match rest.strip_prefix('.') {
        Some(rest) => digits(rest),
        None => ("", rest),
    };
    let whole = if whole.is_empty() { "0" } else { whole };
    let (exponent, format) = meaning(suffix)?;
    let fraction_digits = i32::try_from(fraction.len()).ok()?;
    let digits = i32::try_from(whole.len()).ok()?;
    let (room, factor, scale) = match format {
        BINARY if fraction.is_empty() => {
            // A power of two takes about three tenths of its exponent in decimal digits.
            let room = 15 - digits - exponent * 3 / 10 - 1;
            (room, 1_i64.checked_shl(u32::try_from(exponent).ok()?), 0)
        }
        BINARY => (-1, None, 0),
        _ => {
            let room = 18 - digits - fraction_digits;
            (room, Some(1), exponent.wrapping_sub(fraction_digits))
        }
    };
    if room >= 0 && scale >= NANO {
        let shifted = format!("{whole}{fraction}");
        let value: i64 = shifted.parse().ok()?;
        if let Some(result) = factor.and_then(|factor| value.checked_mul(factor)) {
            let canonical = match format {
                BINARY => value % 8 != 0,
                _ => scale % 3 == 0 && !shifted.ends_with("000") && !shifted.starts_with('0'),
            };
            let value = if negative { -result } else { result };
            let amount = Amount::Small { value, scale };
            return Some(match canonical {
                true => kept(amount, format),
                false => anew(amount, format),
            });
        }
    }
    let mut number = Natural::from_digits(&format!("{whole}{fraction}"));
    let mut scale = fraction_digits;
    let mut format = format;
    if format == BINARY {
        number.multiply_and_add(1_u64.checked_shl(u32::try_from(exponent).ok()?)?, 0);
    } else {
        scale = scale.wrapping_sub(exponent);
    }
    if !number.is_zero() {
        rescale(&mut number, &mut scale, -NANO);
    }
    if format == BINARY {
        let whole = |number: u64| {
            let (mut number, mut from) = (Natural::from_u64(number), 0);
            rescale(&mut number, &mut from, scale);
            number
        };
        if number > whole(LARGEST) {
            (number, scale) = (Natural::from_u64(LARGEST), 0);
        } else if number < whole(1) && !number.is_zero() {
            format = DECIMAL;
        }
    }
    let negative = negative && !number.is_zero();
    let amount = Amount::Large {
        negative,
        number,
        scale,
    };
    Some(anew(amount, format))
}

fn digits(text: &str) -> (&str, &str) {
    let end = text.bytes().position(|byte| !byte.is_ascii_digit());
    text.split_at(end.unwrap_or(text.len()))
}

fn meaning(suffix: &str) -> Option<(i32, &'static str)> {
    const BINARY_SUFFIXES: [&str; 6] = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
    const DECIMAL_SUFFIXES: [&str; 10] = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
    let place = |all: &[&str]| {
        let place = all.iter().position(|one| *one == suffix)?;
        i32::try_from(place).ok()
    };
    if let Some(place) = place(&BINARY_SUFFIXES) {
        return Some((10 * (place + 1), BINARY));
    }
    if let Some(place) = place(&DECIMAL_SUFFIXES) {
        return Some((3 * place + NANO, DECIMAL));
    }
    let exponent = suffix.strip_prefix(['e', 'E'])?;
    Some((exponent.parse().ok()?, EXPONENT))
}

fn from_fields(fields: &str) -> Option<Quantity> {
    let mut fields = fields.splitn(5, ' ');
    let value: i64 = fields.next()?.parse().ok()?;
    let scale = fields.next()?.parse().ok()?;
    let format = fields.next()?;
    let format = [BINARY, DECIMAL, EXPONENT]
        .into_iter()
        .find(|known| *known == format);
    let amount = match fields.next()? {
        "-" => Amount::Small { value, scale },
        words => {
            let mut number = Natural::default();
            for word in words.rsplit(',').filter(|word| !word.is_empty()) {
                // Shifts by a word, in two steps that a factor can hold.
                number.multiply_and_add(1 << 32, 0);
                number.multiply_and_add(1 << 32, word.parse().ok()?);
            }
            Amount::Large {
                negative: value != 0,
                number,
                scale,
            }
        }
    };
    Some(Quantity {
        amount,
        text: fields.next()?.to_owned(),
        format: format.unwrap_or_default(),
    })
}

const BINARY: &str = "BinarySI";
const DECIMAL: &str = "DecimalSI";
const EXPONENT: &str = "DecimalExponent";

/// The finest unit that a quantity keeps, as a power of ten.
const NANO: i32 = -9;

/// The finest unit that a list of resources keeps, as a power of ten.
const MILLI: i32 = -3;

/// The largest binary quantity.
const LARGEST: u64 = i64::MAX.unsigned_abs();

/// The places by which a number is shifted at most: a kubelet that shifts it further is busy for good.
const PLACES_LIMIT: i32 = 10_000;

/// Begins what [`Quantity::spell`] writes.
const COMPUTED: &str = "\0";

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(quantity: &Quantity) -> String {
        let mut out = String::new();
        quantity.print(&mut out);
        out
    }

    #[test]
    fn what_was_computed_is_read_as_it_was() {
        for text in [
            "",
            "0",
            "16Mi",
            "1.5",
            "100m",
            "0.0000000001Gi",
            "99999999999999999999e3",
        ] {
            let quantity = Quantity::read(text);
            assert_eq!(Quantity::read(&quantity.spell()), quantity, "{text:?}");
        }
    }

    #[test]
    fn a_sum_has_the_finer_scale_and_no_text() {
        let mut sum = Quantity::read("1");
        sum.add(&Quantity::read("250m"));
        let expected = "{i:(resource.int64Amount){value:(int64)1250 scale:(resource.Scale)-3} \
                        d:(resource.infDecAmount){Dec:(*inf.Dec)<nil>} s:(string) \
                        Format:(resource.Format)DecimalSI}";
        assert_eq!(printed(&sum), expected);
    }

    #[test]
    fn the_exponent_of_a_quantity_costs_no_more_than_it_must() {
        let quantity = Quantity::read("12345678901234567890e2000000000");
        assert!(printed(&quantity).len() < 50_000);
    }
}
