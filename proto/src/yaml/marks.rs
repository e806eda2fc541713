//! Directives, tags, anchors and aliases, read where they begin.

use alloc::string::String;
use alloc::vec::Vec;

use super::cursor::{Cursor, Mark};
use super::token::Token;
use crate::json::TextError;

/// Reads a directive whose `%` is next, to the end of its line.
pub(super) fn directive(cursor: &mut Cursor) -> Result<Token, TextError> {
    let start = cursor.mark;
    cursor.skip();
    let name = word(cursor)?;
    if name.is_empty() || !cursor.is_blank_or_end(0) {
        return Err(start.error("a directive without a name"));
    }
    let token = match name.as_str() {
        "YAML" => {
            blanks(cursor)?;
            let major = version_number(cursor, start)?;
            if cursor.byte(0) != b'.' {
                return Err(start.error("expected a version such as 1.1 behind %YAML"));
            }
            cursor.skip();
            let minor = version_number(cursor, start)?;
            Token::Version { major, minor }
        }
        "TAG" => {
            const WRONG: &str = "expected a handle such as !a! and a prefix behind %TAG";
            blanks(cursor)?;
            let handle = handle(cursor, start)?;
            if handle != "!" && (handle.len() == 1 || !handle.ends_with('!')) {
                return Err(start.error(WRONG));
            }
            cursor.need(1)?;
            if !cursor.is_blank(0) {
                return Err(start.error(WRONG));
            }
            blanks(cursor)?;
            let prefix = uri(cursor, "", start)?;
            cursor.need(1)?;
            if !cursor.is_blank_or_end(0) {
                return Err(start.error(WRONG));
            }
            Token::TagDirective { handle, prefix }
        }
        _ => return Err(start.error("a directive that is neither %YAML nor %TAG")),
    };
    if !cursor.skip_rest_of_line()? {
        return Err(start.error("a directive with more than its value on its line"));
    }
    Ok(token)
}

fn version_number(cursor: &mut Cursor, start: Mark) -> Result<u8, TextError> {
    cursor.need(1)?;
    let mut digits = String::new();
    while cursor.byte(0).is_ascii_digit() {
        cursor.take(&mut digits);
        cursor.need(1)?;
    }
    let number = digits.parse().ok().filter(|_| digits.len() <= 2);
    number.ok_or_else(|| start.error("expected a version such as 1.1 behind %YAML"))
}

/// Reads the name of an anchor or alias whose `&` or `*` is next.
pub(super) fn anchor(cursor: &mut Cursor) -> Result<String, TextError> {
    let start = cursor.mark;
    cursor.skip();
    let name = word(cursor)?;
    let ends = cursor.is_blank_or_end(0)
        || matches!(
            cursor.byte(0),
            b'?' | b':' | b',' | b']' | b'}' | b'%' | b'@' | b'`'
        );
    if name.is_empty() || !ends {
        return Err(start.error("the name of an anchor has letters, digits, '-' and '_' only"));
    }
    Ok(name)
}

/// Reads a tag whose `!` is next.
pub(super) fn tag(cursor: &mut Cursor) -> Result<Token, TextError> {
    let start = cursor.mark;
    cursor.need(2)?;
    let token = if cursor.byte(1) == b'<' {
        cursor.skip();
        cursor.skip();
        let suffix = uri(cursor, "", start)?;
        if cursor.byte(0) != b'>' {
            return Err(start.error("a tag without its '>'"));
        }
        cursor.skip();
        Token::Tag {
            handle: String::new(),
            suffix,
        }
    } else {
        let handle = handle(cursor, start)?;
        if handle.len() > 1 && handle.ends_with('!') {
            let suffix = uri(cursor, "", start)?;
            Token::Tag { handle, suffix }
        } else {
            let suffix = uri(cursor, &handle, start)?;
            let (handle, suffix) = if suffix.is_empty() {
                (suffix, String::from("!"))
            } else {
                (String::from("!"), suffix)
            };
            Token::Tag { handle, suffix }
        }
    };
    cursor.need(1)?;
    if !cursor.is_blank_or_end(0) {
        return Err(start.error("a tag with a character that it cannot have"));
    }
    Ok(token)
}

/// Reads `!`, letters and digits, and `!` again if it is there.
fn handle(cursor: &mut Cursor, start: Mark) -> Result<String, TextError> {
    cursor.need(1)?;
    if cursor.byte(0) != b'!' {
        return Err(start.error("the handle of a tag begins with '!'"));
    }
    cursor.skip();
    let mut handle = String::from("!");
    handle.push_str(&word(cursor)?);
    if cursor.byte(0) == b'!' {
        cursor.take(&mut handle);
    }
    Ok(handle)
}

/// Reads the characters of a URI behind those of a handle that was none.
fn uri(cursor: &mut Cursor, head: &str, start: Mark) -> Result<String, TextError> {
    let mut uri: Vec<u8> = head.bytes().skip(1).collect();
    let mut found = !head.is_empty();
    cursor.need(1)?;
    loop {
        let byte = cursor.byte(0);
        if byte == b'%' {
            escaped(cursor, &mut uri, start)?;
        } else if is_word(byte) || b";/?:@&=+$,.!~*'()[]".contains(&byte) {
            uri.push(byte);
            cursor.skip();
        } else {
            break;
        }
        cursor.need(1)?;
        found = true;
    }
    if !found {
        return Err(start.error("a tag without a name"));
    }
    Ok(String::from_utf8_lossy(&uri).into_owned())
}

/// Reads one character that is spelled as bytes: `%C3%A9`.
fn escaped(cursor: &mut Cursor, uri: &mut Vec<u8>, start: Mark) -> Result<(), TextError> {
    const WRONG: &str = "an escape in a tag that is no character";
    let mut left = None;
    while left != Some(0) {
        cursor.need(3)?;
        let digit = |ahead: usize| char::from(cursor.byte(ahead)).to_digit(16);
        let (Some(high), Some(low)) = (digit(1), digit(2)) else {
            return Err(start.error(WRONG));
        };
        let octet = u8::try_from(high << 4 | low).unwrap_or_default();
        let width = match (left, octet) {
            _ if cursor.byte(0) != b'%' => None,
            (Some(left), 0x80..=0xbf) => Some(left),
            (Some(_), _) => None,
            (None, 0..=0x7f) => Some(1),
            (None, 0xc0..=0xdf) => Some(2),
            (None, 0xe0..=0xef) => Some(3),
            (None, 0xf0..=0xf7) => Some(4),
            (None, _) => None,
        };
        let width = width.ok_or_else(|| start.error(WRONG))?;
        left = Some(width - 1);
        uri.push(octet);
        for _ in 0..3 {
            cursor.skip();
        }
    }
    Ok(())
}

fn word(cursor: &mut Cursor) -> Result<String, TextError> {
    cursor.need(1)?;
    let mut word = String::new();
    while is_word(cursor.byte(0)) {
        cursor.take(&mut word);
        cursor.need(1)?;
    }
    Ok(word)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

fn blanks(cursor: &mut Cursor) -> Result<(), TextError> {
    cursor.need(1)?;
    while cursor.is_blank(0) {
        cursor.skip();
        cursor.need(1)?;
    }
    Ok(())
}
