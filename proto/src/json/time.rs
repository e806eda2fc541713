//! Points in time as RFC 3339 spells them.

use alloc::format;
use alloc::string::String;

const SECONDS_PER_DAY: i64 = 86_400;

/// `0001-01-01T00:00:00Z`, Go's zero time.
pub(crate) const ZERO_SECONDS: i64 = -62_135_596_800;

/// Days from the first of March of the year 0 to the first of January 1970.
const DAYS_BEFORE_1970: i64 = 719_468;

/// Days in four hundred years of the Gregorian calendar, after which it repeats.
const DAYS_PER_ERA: i64 = 146_097;

/// Reads a time with an offset or `Z` and any fraction; returns seconds since 1970, the fraction dropped.
///
/// `None` is a text that Go's RFC 3339 layout does not take: lower-case letters, a leap second, a day
/// that the month does not have, an offset beyond 24 hours.
#[must_use]
pub(crate) fn parse(text: &str) -> Option<i64> {
    let mut rest = text.as_bytes();
    let year = digits(&mut rest, 4)?;
    byte(&mut rest, b'-')?;
    let month = digits(&mut rest, 2)?;
    byte(&mut rest, b'-')?;
    let day = digits(&mut rest, 2)?;
    byte(&mut rest, b'T')?;
    // Of the hour alone Go takes one digit, too.
    let two = rest.get(1).is_some_and(u8::is_ascii_digit);
    let hour = digits(&mut rest, if two { 2 } else { 1 })?;
    byte(&mut rest, b':')?;
    let minute = digits(&mut rest, 2)?;
    byte(&mut rest, b':')?;
    let second = digits(&mut rest, 2)?;
    if let Some((b'.' | b',', fraction)) = rest.split_first() {
        let length = fraction
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        if length == 0 {
            return None;
        }
        rest = fraction.get(length..)?;
    }
    let in_range = (1..=12).contains(&month)
        && (1..=days_in(year, month)).contains(&day)
        && hour < 24
        && minute < 60
        && second < 60;
    if !in_range {
        return None;
    }
    let local =
        days_since_1970(year, month, day) * SECONDS_PER_DAY + hour * 3_600 + minute * 60 + second;
    Some(local - offset(rest)?)
}

/// Says whether a text is the time at which Go's clock begins, which stands for no time.
#[must_use]
pub(crate) fn is_zero(text: &str) -> bool {
    let fraction = text
        .split_once(['.', ','])
        .map_or("", |(_, fraction)| fraction);
    let nanos = fraction.bytes().take(9).take_while(u8::is_ascii_digit);
    parse(text) == Some(ZERO_SECONDS) && nanos.into_iter().all(|digit| digit == b'0')
}

/// Reads what stands behind the seconds: how far the clock is ahead of UTC.
fn offset(mut rest: &[u8]) -> Option<i64> {
    if rest == b"Z" {
        return Some(0);
    }
    let (sign, after) = rest.split_first()?;
    rest = after;
    let hours = digits(&mut rest, 2)?;
    byte(&mut rest, b':')?;
    let minutes = digits(&mut rest, 2)?;
    if !rest.is_empty() || hours > 24 || minutes > 60 {
        return None;
    }
    let seconds = hours * 3_600 + minutes * 60;
    match sign {
        b'+' => Some(seconds),
        b'-' => Some(-seconds),
        _ => None,
    }
}

/// Spells seconds since 1970 in UTC without a fraction; `None` outside the years 0 to 9999.
#[must_use]
pub(crate) fn print(seconds: i64) -> Option<String> {
    let days = seconds.div_euclid(SECONDS_PER_DAY);
    let of_day = seconds.rem_euclid(SECONDS_PER_DAY);
    let (year, month, day) = date(days)?;
    if !(0..=9_999).contains(&year) {
        return None;
    }
    let (hour, minute, second) = (of_day / 3_600, of_day / 60 % 60, of_day % 60);
    Some(format!(
        "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z"
    ))
}

fn digits(rest: &mut &[u8], count: usize) -> Option<i64> {
    let (digits, after) = rest.split_at_checked(count)?;
    *rest = after;
    let mut number = 0;
    for digit in digits {
        if !digit.is_ascii_digit() {
            return None;
        }
        number = number * 10 + i64::from(digit - b'0');
    }
    Some(number)
}

fn byte(rest: &mut &[u8], expected: u8) -> Option<()> {
    *rest = rest.strip_prefix(&[expected])?;
    Some(())
}

fn days_in(year: i64, month: i64) -> i64 {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Counts days with years that begin in March, so that the leap day is the last of its year.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let month = (month + 9) % 12;
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let day_of_year = (153 * month + 2) / 5 + day - 1;
    let day_of_era = of_era * 365 + of_era / 4 - of_era / 100 + day_of_year;
    era * DAYS_PER_ERA + day_of_era - DAYS_BEFORE_1970
}

fn date(days_since_1970: i64) -> Option<(i64, i64, i64)> {
    let days = days_since_1970.checked_add(DAYS_BEFORE_1970)?;
    let era = days.div_euclid(DAYS_PER_ERA);
    let day_of_era = days.rem_euclid(DAYS_PER_ERA);
    let of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * of_era + of_era / 4 - of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + of_era + i64::from(month <= 2);
    Some((year, month, day))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn times_with_offsets_and_fractions_become_seconds() {
        for (text, seconds) in [
            ("1970-01-01T00:00:00Z", 0),
            ("2000-02-29T23:59:59Z", 951_868_799),
            ("2024-05-06T07:08:09.987654321Z", 1_714_979_289),
            ("2024-05-06T09:08:09+02:00", 1_714_979_289),
            ("2024-05-06T7:08:09Z", 1_714_979_289),
            ("2024-05-05T22:38:09-08:30", 1_714_979_289),
            ("1969-12-31T23:59:59.5Z", -1),
            ("0001-01-01T00:00:00Z", -62_135_596_800),
            ("9999-12-31T23:59:59Z", 253_402_300_799),
        ] {
            assert_eq!(parse(text), Some(seconds), "{text}");
        }
    }

    #[test]
    fn the_first_moment_of_go_is_no_time() {
        for text in [
            "0001-01-01T00:00:00Z",
            "0001-01-01T01:00:00+01:00",
            "0001-01-01T00:00:00.000Z",
            "0001-01-01T00:00:00.0000000001Z",
        ] {
            assert!(is_zero(text), "{text}");
        }
        for text in [
            "0001-01-01T00:00:00.5Z",
            "0001-01-01T00:00:01Z",
            "",
            "1970-01-01T00:00:00Z",
        ] {
            assert!(!is_zero(text), "{text}");
        }
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for text in [
            "",
            "2024-05-06",
            "2024-05-06 07:08:09Z",
            "2024-05-06T07:08:09",
            "2024-05-06t07:08:09z",
            "2024-02-30T00:00:00Z",
            "2023-02-29T00:00:00Z",
            "2024-13-01T00:00:00Z",
            "2024-05-06T24:00:00Z",
            "2024-05-06T07:08:60Z",
            "2024-05-06T07:08:09.Z",
            "2024-05-06T07:08:09+0200",
            "2024-05-06T07:08:09Z ",
            "+024-05-06T07:08:09Z",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_printed_time_reads_back(seconds in -62_167_219_200_i64..253_402_300_800) {
            let text = print(seconds).unwrap();
            prop_assert_eq!(parse(&text), Some(seconds));
        }

        #[test]
        fn any_seconds_print_or_are_refused(seconds: i64) {
            let printed = print(seconds);
            prop_assert_eq!(printed.is_some(), (-62_167_219_200..253_402_300_800).contains(&seconds));
        }

        #[test]
        fn any_text_is_read_without_a_panic(text in "\\PC{0,40}") {
            let _ = parse(&text);
        }
    }
}
