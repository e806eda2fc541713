//! Sums of quantities, spelled as Kubernetes' Go type spells them.

use std::collections::BTreeMap;

use podsapi_proto::json::rounded_quantity;
use podsapi_proto::resource::Quantity;

/// Amounts of resources by name.
pub(super) type Amounts = BTreeMap<String, Quantity>;

/// Adds all of `more` to `amounts`; what is not there yet is taken as it is spelled.
pub(super) fn add(amounts: &mut Amounts, more: &Amounts) {
    for (name, more) in more {
        let sum = match amounts.get(name) {
            Some(amount) => sum(amount, more),
            None => more.clone(),
        };
        amounts.insert(name.clone(), sum);
    }
}

/// Puts what is more in `others`, or is not there yet.
pub(super) fn raise(amounts: &mut Amounts, others: &Amounts) {
    for (name, other) in others {
        let less = |amount: &Quantity| millis(amount.string()) < millis(other.string());
        if amounts.get(name).is_none_or(less) {
            amounts.insert(name.clone(), other.clone());
        }
    }
}

/// Tells whether the amount is nothing.
pub(super) fn is_zero(amount: &Quantity) -> bool {
    millis(amount.string()) == Some(0)
}

/// Returns an amount of thousandths, as CPU time is counted.
pub(super) fn of_millis(millis: i64) -> Quantity {
    quantity(spelled(millis.into(), false))
}

/// Returns an amount of bytes.
pub(super) fn of_bytes(bytes: i64) -> Quantity {
    quantity(spelled(i128::from(bytes) * 1_000, true))
}

/// Returns an amount in thousandths, what is less counted as a whole one; nothing for what is no
/// quantity.
pub(super) fn millis(text: &str) -> Option<i128> {
    let end = text
        .bytes()
        .position(|byte| !(byte.is_ascii_digit() || b"+-.".contains(&byte)));
    let (number, suffix) = text.split_at(end.unwrap_or(text.len()));
    let negative = number.starts_with('-');
    let number = number.trim_start_matches(['+', '-']);
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits: i128 = format!("{whole}{fraction}").parse().ok()?;
    let places = u32::try_from(fraction.len()).ok()?;
    let power = |base: i128, exponent: u32| base.checked_pow(exponent);
    let (times, over) = match suffix.strip_suffix('i') {
        Some(suffix) => {
            let thousands = ["", "K", "M", "G", "T", "P", "E"];
            let exponent = thousands.iter().position(|one| *one == suffix)?;
            (power(1_024, u32::try_from(exponent).ok()?)?, 0)
        }
        None => match suffix {
            "n" => (1, 9),
            "u" => (1, 6),
            "m" => (1, 3),
            "" | "k" | "M" | "G" | "T" | "P" | "E" => {
                let thousands = ["", "k", "M", "G", "T", "P", "E"];
                let exponent = thousands.iter().position(|one| *one == suffix)?;
                (power(1_000, u32::try_from(exponent).ok()?)?, 0)
            }
            exponent => {
                let exponent: i32 = exponent.strip_prefix(['e', 'E'])?.parse().ok()?;
                match u32::try_from(exponent) {
                    Ok(exponent) => (power(10, exponent)?, 0),
                    Err(_) => (1, exponent.unsigned_abs()),
                }
            }
        },
    };
    let over = power(10, over.checked_add(places)?)?;
    let amount = digits.checked_mul(times)?.checked_mul(1_000)?;
    let whole = amount.div_euclid(over) + i128::from(amount.rem_euclid(over) > 0);
    Some(if negative { -whole } else { whole })
}

/// Returns the sum; of two that cannot be added, the first.
fn sum(one: &Quantity, other: &Quantity) -> Quantity {
    let both = millis(one.string()).zip(millis(other.string()));
    let Some((a, b)) = both else {
        return one.clone();
    };
    // A sum is spelled as the first of its parts that is not nothing.
    let first = if a == 0 { other } else { one };
    a.checked_add(b).map_or_else(
        || one.clone(),
        |sum| quantity(spelled(sum, first.string().ends_with('i'))),
    )
}

/// Spells an amount of thousandths in powers of 1,024 or of 1,000.
fn spelled(millis: i128, binary: bool) -> String {
    let (units, rest) = (millis / 1_000, millis % 1_000);
    if binary && rest == 0 && units.abs() >= 1_024 {
        let whole = units % 1_024 == 0;
        let kibi = || rounded_quantity(&format!("{}Ki", units / 1_024));
        return whole
            .then(kibi)
            .flatten()
            .unwrap_or_else(|| units.to_string());
    }
    let text = format!("{millis}m");
    rounded_quantity(&text).unwrap_or(text)
}

fn quantity(text: String) -> Quantity {
    Quantity { string: Some(text) }
}

#[cfg(test)]
mod tests {
    use super::{Amounts, Quantity, add, millis, of_bytes, of_millis, raise};

    fn amounts(all: &[(&str, &str)]) -> Amounts {
        let all = all.iter().map(|(name, text)| {
            let string = Some((*text).to_owned());
            ((*name).to_owned(), Quantity { string })
        });
        all.collect()
    }

    #[test]
    fn amounts_are_read_in_thousandths() {
        for (text, expected) in [
            ("0", 0),
            ("100m", 100),
            ("1.5", 1_500),
            ("2", 2_000),
            ("1u", 1),
            ("2e3", 2_000_000),
            ("5e-1", 500),
            ("16Mi", 16_777_216_000),
            ("1G", 1_000_000_000_000),
            ("-1", -1_000),
        ] {
            assert_eq!(millis(text), Some(expected), "{text}");
        }
        assert_eq!(millis("?"), None);
    }

    #[test]
    fn sums_are_spelled_as_the_first_of_their_parts() {
        for (one, other, expected) in [
            ("100m", "900m", "1"),
            ("16Mi", "16Mi", "32Mi"),
            ("16Mi", "1k", "16778216"),
            ("1k", "1Ki", "2024"),
            ("0", "1Ki", "1Ki"),
            ("1Gi", "1Gi", "2Gi"),
            ("500Mi", "524Mi", "1Gi"),
        ] {
            let mut sum = amounts(&[("r", one)]);
            add(&mut sum, &amounts(&[("r", other)]));
            assert_eq!(sum, amounts(&[("r", expected)]), "{one} + {other}");
        }
    }

    #[test]
    fn the_larger_amount_counts_and_what_is_not_there_is_taken() {
        let mut most = amounts(&[("cpu", "100m"), ("memory", "1Gi")]);
        raise(
            &mut most,
            &amounts(&[("cpu", "1"), ("memory", "1Mi"), ("gpu", "1")]),
        );
        let expected = amounts(&[("cpu", "1"), ("memory", "1Gi"), ("gpu", "1")]);
        assert_eq!(most, expected);
    }

    #[test]
    fn what_a_runtime_tells_is_spelled_as_a_kubelet_does() {
        assert_eq!(of_millis(200).string(), "200m");
        assert_eq!(of_millis(2_000).string(), "2");
        assert_eq!(of_bytes(33_554_432).string(), "32Mi");
        assert_eq!(of_bytes(1_025).string(), "1025");
        assert_eq!(of_bytes(1_000).string(), "1k");
    }
}
