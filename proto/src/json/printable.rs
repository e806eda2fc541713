//! Text from elsewhere made fit for a line of a terminal or of a log.

use alloc::borrow::Cow;
use alloc::string::String;

/// Spells control characters in a text as escapes: `\n`, `\t`, `\u{1b}`.
///
/// What a pod or a file says can then neither steer the terminal that shows it nor begin a line of
/// its own. Escaped as well is what turns the direction of text round, or ends a line only for some
/// readers. All else stays as it is, backslashes too, so doing it twice changes nothing.
///
/// # Examples
///
/// ```
/// use podsapi_proto::json::printable;
///
/// assert_eq!(printable("web-1"), "web-1");
/// assert_eq!(printable("red\u{1b}[31m\nINFO"), r"red\u{1b}[31m\nINFO");
/// ```
#[must_use]
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(steers) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        if steers(character) {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    Cow::Owned(shown)
}

fn steers(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{61c}'
                | '\u{200e}'
                | '\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2066}'..='\u{2069}'
        )
}

#[cfg(test)]
mod tests {
    use alloc::borrow::Cow;

    use super::printable;

    #[test]
    fn every_control_character_is_spelled_and_nothing_else() {
        for code in (0..0x20).chain(0x7f..0xa0) {
            let control = char::from_u32(code).expect("it is below the surrogates");
            let shown = alloc::format!("{control}");
            let shown = printable(&shown);
            assert!(!shown.contains(char::is_control), "{code:#x}: {shown:?}");
        }
        assert_eq!(printable("a\u{202e}b\u{2028}"), "a\\u{202e}b\\u{2028}");
        let usual = "é 漢字 \\n \u{a0} 😀 `x`";
        assert!(matches!(printable(usual), Cow::Borrowed(text) if text == usual));
    }

    #[test]
    fn a_second_time_changes_nothing() {
        let once = printable("\r\n\u{9b}31m\\");
        assert_eq!(once, "\\r\\n\\u{9b}31m\\");
        assert_eq!(printable(&once), once);
    }
}
