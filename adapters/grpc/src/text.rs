//! What a client wrote, made safe and short enough to be shown again.

use alloc::string::String;
use core::fmt::Write;

/// Longest part of a client's text that an answer or a log line repeats, in bytes.
///
/// 256: enough to recognise it by, too little to be worth sending.
pub const MAX_ECHO_BYTES: usize = 256;

/// Returns the text with everything that is not printable ASCII escaped, cut after
/// [`MAX_ECHO_BYTES`] bytes and marked with dots when something was cut.
pub fn escape(text: &[u8]) -> String {
    let mut shown = String::new();
    for &byte in text {
        let before = shown.len();
        match byte {
            b'\\' => shown.push_str("\\\\"),
            b' '..=b'~' => shown.push(char::from(byte)),
            0..=0x1f | 0x7f..=0xff => {
                write!(shown, "\\x{byte:02x}").expect("writing to a string cannot fail");
            }
        }
        if shown.len() > MAX_ECHO_BYTES - 3 {
            shown.truncate(before);
            shown.push_str("...");
            break;
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::*;

    #[test]
    fn control_characters_and_other_bytes_are_escaped() {
        assert_eq!(escape(b"a\r\n\0\xff\\b~ "), "a\\x0d\\x0a\\x00\\xff\\\\b~ ");
    }

    #[test]
    fn a_long_text_is_cut_between_escapes_and_marked() {
        for text in [&[b'a'; 70_000][..], &[0xc3; 70_000]] {
            let shown = escape(text);
            assert!(shown.len() <= MAX_ECHO_BYTES, "{} bytes", shown.len());
            assert!(shown.ends_with("..."));
        }
        assert!(
            escape(&[0xc3; 70_000])
                .trim_end_matches('.')
                .ends_with("\\xc3")
        );
    }

    #[test]
    fn a_text_is_whole_up_to_the_limit_and_is_cut_from_there_on() {
        let most = "a".repeat(MAX_ECHO_BYTES - 3);
        assert_eq!(escape(most.as_bytes()), most);
        let one_more = format!("{most}a");
        assert_eq!(escape(one_more.as_bytes()), format!("{most}..."));
    }
}
