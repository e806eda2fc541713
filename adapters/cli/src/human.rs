//! Lengths of time as people read them, with the steps that kubectl takes.

/// Returns `seconds` with two or three significant figures: `45s`, `3m20s`, `5h`, `6d2h`, `1y30d`.
///
/// A moment ahead of our clock by more than a second is `<invalid>`: clocks that differ a little
/// are usual, more is worth seeing.
pub(crate) fn duration(seconds: i64) -> String {
    let minutes = seconds / 60;
    let hours = minutes / 60;
    let days = hours / 24;
    match seconds {
        ..-1 => "<invalid>".to_owned(),
        -1 => "0s".to_owned(),
        0..120 => format!("{seconds}s"),
        _ if minutes < 10 => two(minutes, 'm', seconds % 60, 's'),
        _ if hours < 3 => format!("{minutes}m"),
        _ if hours < 8 => two(hours, 'h', minutes % 60, 'm'),
        _ if hours < 48 => format!("{hours}h"),
        _ if days < 8 => two(days, 'd', hours % 24, 'h'),
        _ if days < 2 * 365 => format!("{days}d"),
        _ if days < 8 * 365 => two(days / 365, 'y', days % 365, 'd'),
        _ => format!("{}y", days / 365),
    }
}

/// Writes two units, or the larger alone when the smaller is zero.
fn two(large: i64, large_unit: char, small: i64, small_unit: char) -> String {
    match small {
        0 => format!("{large}{large_unit}"),
        _ => format!("{large}{large_unit}{small}{small_unit}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_step_is_the_one_that_kubectl_takes() {
        const MINUTE: i64 = 60;
        const HOUR: i64 = 60 * MINUTE;
        const DAY: i64 = 24 * HOUR;
        const YEAR: i64 = 365 * DAY;
        let steps = [
            (-2, "<invalid>"),
            (-1, "0s"),
            (0, "0s"),
            (119, "119s"),
            (120, "2m"),
            (125, "2m5s"),
            (9 * MINUTE + 59, "9m59s"),
            (10 * MINUTE + 59, "10m"),
            (3 * HOUR - 1, "179m"),
            (3 * HOUR, "3h"),
            (7 * HOUR + 59 * MINUTE, "7h59m"),
            (8 * HOUR + 59 * MINUTE, "8h"),
            (2 * DAY - 1, "47h"),
            (2 * DAY, "2d"),
            (2 * DAY + 5 * HOUR, "2d5h"),
            (8 * DAY + 5 * HOUR, "8d"),
            (2 * YEAR - 1, "729d"),
            (2 * YEAR, "2y"),
            (2 * YEAR + DAY, "2y1d"),
            (8 * YEAR + 9 * DAY, "8y"),
        ];
        for (seconds, expected) in steps {
            assert_eq!(duration(seconds), expected, "{seconds} seconds");
        }
        assert_eq!(duration(i64::MIN), "<invalid>");
        assert!(duration(i64::MAX).ends_with('y'));
    }
}
