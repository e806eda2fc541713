//! Quantities as numbers, to compare and add them.

/// How many there are of something, in thousand millionths, the finest that a quantity keeps.
///
/// Whatever is beyond 10^29 counts as that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Amount(i128);

const NANOS: i128 = 1_000_000_000;
/// The power of ten of [`NANOS`].
const PLACES: i32 = 9;

impl Amount {
    /// Reads a quantity; `None` for a text that is none.
    pub(super) fn read(text: &str) -> Option<Self> {
        let negative = text.starts_with('-');
        let text = text.strip_prefix(['-', '+']).unwrap_or(text);
        let end = text
            .find(|letter: char| !letter.is_ascii_digit() && letter != '.')
            .unwrap_or(text.len());
        let (digits, suffix) = text.split_at_checked(end)?;
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        if text.is_empty() || fraction.contains('.') {
            return None;
        }
        let (mut ten, two) = meaning(suffix)?;
        let mut number: i128 = 0;
        for digit in whole.bytes().chain(fraction.bytes()) {
            let digit = i128::from(digit.wrapping_sub(b'0'));
            number = number.saturating_mul(10).saturating_add(digit);
        }
        ten = ten.saturating_add(PLACES);
        ten = ten.saturating_sub(i32::try_from(fraction.len()).ok()?);
        number = number.saturating_mul(1 << two);
        if ten >= 0 {
            number = number.saturating_mul(power_of_ten(ten));
        } else {
            // What is too little to be kept counts as the least that is.
            let divisor = power_of_ten(-ten);
            number = number / divisor + i128::from(number % divisor != 0);
        }
        Some(Self(if negative { -number } else { number }))
    }

    /// Adds another amount.
    pub(super) fn add(&mut self, other: Self) {
        self.0 = self.0.saturating_add(other.0);
    }

    pub(super) fn is_negative(self) -> bool {
        self.0 < 0
    }

    pub(super) fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// Whether it is a whole number when thousandths are counted and what is less is rounded up.
    pub(super) fn is_whole(self) -> bool {
        let thousandth = NANOS / 1_000;
        let thousandths = self.0 / thousandth + i128::from(self.0 % thousandth > 0);
        thousandths % 1_000 == 0
    }

    /// Whether it is a multiple of another amount, both rounded up to whole numbers.
    pub(super) fn is_multiple_of(self, other: Self) -> bool {
        let other = other.rounded_up();
        other > 0 && self.rounded_up() % other == 0
    }

    fn rounded_up(self) -> i128 {
        self.0 / NANOS + i128::from(self.0 % NANOS > 0)
    }
}

/// Returns the power of ten and the power of two that a suffix stands for.
fn meaning(suffix: &str) -> Option<(i32, u32)> {
    let meaning = match suffix {
        "n" => (-9, 0),
        "u" => (-6, 0),
        "m" => (-3, 0),
        "" => (0, 0),
        "k" => (3, 0),
        "M" => (6, 0),
        "G" => (9, 0),
        "T" => (12, 0),
        "P" => (15, 0),
        "E" => (18, 0),
        "Ki" => (0, 10),
        "Mi" => (0, 20),
        "Gi" => (0, 30),
        "Ti" => (0, 40),
        "Pi" => (0, 50),
        "Ei" => (0, 60),
        _ => {
            let exponent = suffix.strip_prefix(['e', 'E'])?;
            (exponent.parse().ok()?, 0)
        }
    };
    Some(meaning)
}

fn power_of_ten(exponent: i32) -> i128 {
    u32::try_from(exponent)
        .ok()
        .and_then(|exponent| 10_i128.checked_pow(exponent))
        .unwrap_or(i128::MAX)
}

#[cfg(test)]
mod tests {
    use super::Amount;

    fn amount(text: &str) -> Amount {
        Amount::read(text).unwrap()
    }

    #[test]
    fn amounts_compare_whatever_their_suffixes() {
        for (less, more) in [
            ("-1", "0"),
            ("0", "1n"),
            ("999m", "1"),
            ("1", "1.000000001"),
            ("1k", "1Ki"),
            ("1023Mi", "1Gi"),
            ("1E", "1Ei"),
            ("8Ei", "1e20"),
            ("1e28", "1e60"),
        ] {
            assert!(amount(less) < amount(more), "{less} {more}");
        }
        for (one, other) in [
            ("1", "1000m"),
            ("1024", "1Ki"),
            ("0.5", "500m"),
            ("+1", "1"),
            ("1e3", "1k"),
            ("1E3", "1k"),
            ("0.1n", "1n"),
            ("1e-20", "1n"),
            ("1.5Ki", "1536"),
            (".5", "500m"),
            ("5.", "5"),
        ] {
            assert_eq!(amount(one), amount(other), "{one} {other}");
        }
        for text in ["", "1x", "1.2.3", "1e", "1Zi", "--1", "1 "] {
            assert_eq!(Amount::read(text), None, "{text:?}");
        }
    }

    #[test]
    fn whole_numbers_and_multiples_are_found() {
        assert!(amount("3").is_whole() && amount("2k").is_whole());
        assert!(!amount("1500m").is_whole() && !amount("1.0001").is_whole());
        assert!(amount("6Mi").is_multiple_of(amount("2Mi")));
        assert!(!amount("3Mi").is_multiple_of(amount("2Mi")));
        assert!(!amount("3Mi").is_multiple_of(amount("0")));
    }
}
