//! From the bytes of a YAML text to its characters.

use alloc::string::String;

use crate::json::{MAX_TEXT_BYTES, TextError};

/// The bytes that Go's reader takes at once. What is wrong in a piece is found when any of the
/// piece is needed, so this decides whether a fault behind the first document matters.
const PIECE_BYTES: usize = 512;

/// The characters of a text as far as they can be read.
#[derive(Debug)]
pub(super) struct Characters {
    /// Without the byte order mark.
    pub(super) text: String,
    /// What is wrong behind the text, if something is.
    pub(super) fault: Option<&'static str>,
}

#[derive(Clone, Copy)]
enum Encoding {
    Utf8,
    Utf16 { big_endian: bool },
}

/// Decodes UTF-8, or UTF-16 of either order behind its byte order mark.
pub(super) fn decode(bytes: &[u8]) -> Result<Characters, TextError> {
    if bytes.len() > MAX_TEXT_BYTES {
        let problem = alloc::format!(
            "the text has {} bytes, more than {MAX_TEXT_BYTES}",
            bytes.len()
        );
        return Err(TextError::new(1, 1, problem));
    }
    let (encoding, mark) = match bytes {
        [0xff, 0xfe, ..] => (Encoding::Utf16 { big_endian: false }, 2),
        [0xfe, 0xff, ..] => (Encoding::Utf16 { big_endian: true }, 2),
        [0xef, 0xbb, 0xbf, ..] => (Encoding::Utf8, 3),
        _ => (Encoding::Utf8, 0),
    };
    let mut rest = bytes.get(mark..).unwrap_or_default();
    if matches!(encoding, Encoding::Utf8)
        && let Ok(text) = core::str::from_utf8(rest)
        && text.chars().all(is_allowed)
    {
        return Ok(Characters {
            text: String::from(text),
            fault: None,
        });
    }
    let mut room = PIECE_BYTES - mark;
    let mut text = String::with_capacity(rest.len());
    let fault = loop {
        let piece = rest.get(..room).unwrap_or(rest);
        let at_end = piece.len() == rest.len();
        let sound = text.len();
        match decode_piece(piece, encoding, at_end, &mut text) {
            Ok(read) => {
                rest = rest.get(read..).unwrap_or_default();
                room = PIECE_BYTES;
            }
            Err(fault) => {
                text.truncate(sound);
                break Some(fault);
            }
        }
        if at_end {
            break None;
        }
    };
    Ok(Characters { text, fault })
}

/// Appends the whole characters of a piece; returns how many bytes they had.
fn decode_piece(
    piece: &[u8],
    encoding: Encoding,
    at_end: bool,
    text: &mut String,
) -> Result<usize, &'static str> {
    let mut read = 0;
    while let Some(rest) = piece.get(read..).filter(|rest| !rest.is_empty()) {
        let next = match encoding {
            Encoding::Utf8 => utf8(rest)?,
            Encoding::Utf16 { big_endian } => utf16(rest, big_endian)?,
        };
        let Some((character, width)) = next else {
            if at_end {
                return Err("the text ends inside a character");
            }
            break;
        };
        if !is_allowed(character) {
            return Err("a control character, which YAML does not allow");
        }
        text.push(character);
        read += width;
    }
    Ok(read)
}

/// Returns the first character with its width, `None` when it is not there as a whole.
fn utf8(bytes: &[u8]) -> Result<Option<(char, usize)>, &'static str> {
    const WRONG: &str = "the text is not UTF-8";
    let Some(first) = bytes.first() else {
        return Ok(None);
    };
    let width = match first {
        0..=0x7f => 1,
        0xc0..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf7 => 4,
        _ => return Err(WRONG),
    };
    let Some(whole) = bytes.get(..width) else {
        return Ok(None);
    };
    let text = core::str::from_utf8(whole).map_err(|_| WRONG)?;
    Ok(text.chars().next().map(|character| (character, width)))
}

fn utf16(bytes: &[u8], big_endian: bool) -> Result<Option<(char, usize)>, &'static str> {
    let unit = |at: usize| {
        let pair = bytes.get(at..at + 2)?;
        let pair = <[u8; 2]>::try_from(pair).ok()?;
        Some(if big_endian {
            u16::from_be_bytes(pair)
        } else {
            u16::from_le_bytes(pair)
        })
    };
    let Some(first) = unit(0) else {
        return Ok(None);
    };
    if let Some(character) = char::from_u32(u32::from(first)) {
        return Ok(Some((character, 2)));
    }
    let Some(second) = unit(2) else {
        // Half a pair that cannot begin one is wrong in itself.
        return if first < 0xdc00 { Ok(None) } else { Err(HALF) };
    };
    let mut pair = char::decode_utf16([first, second]);
    match pair.next() {
        Some(Ok(character)) => Ok(Some((character, 4))),
        Some(Err(_)) | None => Err(HALF),
    }
}

fn is_allowed(character: char) -> bool {
    matches!(
        character,
        '\t' | '\n' | '\r' | ' '..='~' | '\u{85}' | '\u{a0}'..='\u{d7ff}'
            | '\u{e000}'..='\u{fffd}' | '\u{10000}'..
    )
}

const HALF: &str = "half of a pair of UTF-16";
