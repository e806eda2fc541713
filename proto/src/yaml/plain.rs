//! Which strings YAML may write without quotes.

use super::resolve;

/// Says whether every YAML reader, of version 1.1 or 1.2, reads this text without quotes as a string.
pub(super) fn is_safe(text: &str) -> bool {
    let first_is_safe = text.bytes().next().is_some_and(|first| {
        first.is_ascii_alphanumeric() || matches!(first, b'/' | b'.' | b'_' | b'$' | b'(')
    });
    first_is_safe
        && text.bytes().all(is_safe_byte)
        && !text.contains(": ")
        && !text.contains(" #")
        && !text.ends_with([':', ' '])
        // At the start of a line, three dots end a document.
        && !text.starts_with("...")
        && !is_other_type(text)
}

fn is_safe_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b" _./:@%+=,()-$~;^*&!<>?|'\"".contains(&byte)
}

fn is_other_type(text: &str) -> bool {
    if resolve::typed(text).is_some() {
        return true;
    }
    let number_like = text.bytes().all(|byte| {
        byte.is_ascii_digit() || matches!(byte, b':' | b'.' | b'_' | b'+' | b'-' | b',')
    });
    let begins_like_a_date = text.len() > 5
        && text.bytes().take(4).all(|byte| byte.is_ascii_digit())
        && text.as_bytes().get(4) == Some(&b'-')
        && text.as_bytes().get(5).is_some_and(u8::is_ascii_digit);
    let is_sexagesimal = number_like && text.contains([':', '_', ',']);
    // `1e999` is too large for a number here, and may be one elsewhere.
    let is_huge = text
        .bytes()
        .next()
        .is_some_and(|first| first.is_ascii_digit() || first == b'.')
        && text.bytes().all(|byte| {
            byte.is_ascii_digit() || matches!(byte, b'e' | b'E' | b'.' | b'+' | b'-' | b'_')
        })
        && text.contains(['e', 'E']);
    is_sexagesimal || begins_like_a_date || is_huge || has_number_prefix(text)
}

/// `0x` and its kin begin numbers of different sizes for different readers.
fn has_number_prefix(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next() == Some(b'0')
        && bytes
            .next()
            .is_some_and(|second| matches!(second, b'x' | b'X' | b'o' | b'O' | b'b' | b'B'))
        && bytes.all(|byte| byte.is_ascii_hexdigit() || byte == b'_')
}
