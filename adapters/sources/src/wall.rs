//! Wall time as Kubernetes writes it: RFC 3339, in UTC.

/// Returns `seconds` since 1970 as `2025-11-04T19:13:48Z`.
///
/// Years outside 0 to 9999 have no RFC 3339 form; they are cut to the nearest second that has one.
pub(crate) fn rfc3339(seconds: i64) -> String {
    let seconds = seconds.clamp(FIRST_SECOND, LAST_SECOND);
    let day = seconds.div_euclid(SECONDS_A_DAY);
    let second = seconds.rem_euclid(SECONDS_A_DAY);
    let (year, month, day) = civil(day);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// Returns `nanos` since 1970 with all nine digits, as `2025-11-04T19:13:48.000000007Z`.
pub(crate) fn rfc3339_nanos(nanos: i64) -> String {
    let mut text = rfc3339(nanos.div_euclid(NANOS_A_SECOND));
    text.truncate(text.len().saturating_sub(1));
    format!("{text}.{:09}Z", nanos.rem_euclid(NANOS_A_SECOND))
}

/// Returns the date in the Gregorian calendar, `day` days after 1970-01-01.
///
/// Counts in years that begin in March, so that the leap day is the last day of its year.
fn civil(day: i64) -> (i64, i64, i64) {
    let day = day + DAYS_FROM_MARCH_OF_YEAR_0;
    let era = day.div_euclid(DAYS_AN_ERA);
    let of_era = day.rem_euclid(DAYS_AN_ERA);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let of_month = of_year - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 {
        (month + 3, 0)
    } else {
        (month - 9, 1)
    };
    (era * 400 + year + next, month, of_month)
}

const NANOS_A_SECOND: i64 = 1_000_000_000;
const SECONDS_A_DAY: i64 = 86_400;
/// Days in the 400 years after which the Gregorian calendar repeats.
const DAYS_AN_ERA: i64 = 146_097;
/// Days from 0000-03-01 to 1970-01-01.
const DAYS_FROM_MARCH_OF_YEAR_0: i64 = 719_468;
/// 0000-01-01T00:00:00Z.
const FIRST_SECOND: i64 = -62_167_219_200;
/// 9999-12-31T23:59:59Z.
const LAST_SECOND: i64 = 253_402_300_799;

#[cfg(test)]
mod tests {
    use super::{rfc3339, rfc3339_nanos};

    #[test]
    fn times_are_written_as_a_kubelet_writes_them() {
        assert_eq!(rfc3339(0), "1970-01-01T00:00:00Z");
        assert_eq!(rfc3339(1_762_283_628), "2025-11-04T19:13:48Z");
        assert_eq!(rfc3339(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(rfc3339(4_107_542_399), "2100-02-28T23:59:59Z");
        assert_eq!(rfc3339(4_107_542_400), "2100-03-01T00:00:00Z");
        assert_eq!(rfc3339(-1), "1969-12-31T23:59:59Z");
    }

    #[test]
    fn nanoseconds_are_written_with_all_their_digits() {
        let nanos = 1_762_283_628_000_000_070;
        assert_eq!(rfc3339_nanos(nanos), "2025-11-04T19:13:48.000000070Z");
        assert_eq!(rfc3339_nanos(-1), "1969-12-31T23:59:59.999999999Z");
    }

    #[test]
    fn times_without_a_form_are_cut_to_the_nearest_that_has_one() {
        assert_eq!(rfc3339(i64::MIN), "0000-01-01T00:00:00Z");
        assert_eq!(rfc3339(i64::MAX), "9999-12-31T23:59:59Z");
    }
}
