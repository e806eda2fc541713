//! Reading JSON text into a [`Value`].
//!
//! The reader is our own because three things are needed that `serde_json` gives only through
//! features that change it for every other crate of a build: numbers as they were spelled (`1e3` is
//! another Quantity than `1000`), the place of a key that is there twice, and a depth of our own.
//! It keeps its open objects in a list, so no text can exhaust the stack.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::error::TextError;
use super::object::Object;
use super::value::{Number, Value};
use super::{MAX_DEPTH, MAX_TEXT_BYTES};
use crate::text::readable;

/// What a text says, and what it says twice.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "a result with three parts")]
pub struct Reading {
    /// What it says.
    pub value: Value,
    /// Where a key stands in an object that has it already; the first 100 of them.
    pub repeated: Vec<TextError>,
    /// Whether something follows behind the value, of which nothing is known.
    pub more: bool,
}

/// A key longer than this is cut where it is named.
const LONGEST_KEY_CHARACTERS: usize = 80;

/// How many keys that are there twice are named; a longer list helps nobody.
pub(crate) const MOST_REPEATED: usize = 100;

/// Reads one JSON value; a byte order mark in front of it is skipped.
///
/// As in Go, what is no text in a string is read as U+FFFD: each byte that is not UTF-8, and each
/// escape of half a surrogate pair. Of a key that is in one object twice the last value counts; see
/// [`read_json`] for who has to know of it.
///
/// # Errors
///
/// Returns where and why the text is no JSON, is nested deeper than [`MAX_DEPTH`] or is longer than
/// [`MAX_TEXT_BYTES`].
pub fn parse_json(text: &[u8]) -> Result<Value, TextError> {
    read(text, Repeats::TakeLast).map(|reading| reading.value)
}

/// Reads as [`parse_json`] does and names each key that is there twice; they stay in their objects,
/// in their order, for [`merge_repeated`](super::merge_repeated).
///
/// # Errors
///
/// As [`parse_json`].
pub fn read_json(text: &[u8]) -> Result<Reading, TextError> {
    read(text, Repeats::Keep)
}

fn read(text: &[u8], repeats: Repeats) -> Result<Reading, TextError> {
    check_length(text)?;
    let text = readable(without_mark(text));
    // Each byte that was replaced made three.
    check_length(text.as_bytes())?;
    let mut reader = Reader {
        text: &text,
        at: 0,
        repeats,
        repeated: Vec::new(),
    };
    let value = reader.value()?;
    reader.skip_blanks();
    if reader.at < text.len() {
        return Err(reader.unexpected("the end of the text"));
    }
    Ok(Reading {
        value,
        repeated: reader.repeated,
        more: false,
    })
}

/// What becomes of a value whose key was there before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Repeats {
    Keep,
    TakeLast,
}

/// Says that a key is in one object a second time.
pub(crate) fn twice(key: &str, line: usize, column: usize) -> TextError {
    let shown: String = key.chars().take(LONGEST_KEY_CHARACTERS).collect();
    let cut = if shown.len() < key.len() { "…" } else { "" };
    TextError::new(
        line,
        column,
        format!("the key {shown:?}{cut} is there twice"),
    )
}

fn check_length(text: &[u8]) -> Result<(), TextError> {
    if text.len() <= MAX_TEXT_BYTES {
        return Ok(());
    }
    let problem = format!(
        "the text has {} bytes, more than {MAX_TEXT_BYTES}",
        text.len()
    );
    Err(TextError::new(1, 1, problem))
}

fn without_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text)
}

/// Returns the line and the column of a byte, both counted from 1.
fn place(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
    let column = before
        .get(line_start..)
        .map_or(0, |line| line.chars().count())
        + 1;
    (line, column)
}

struct Reader<'a> {
    text: &'a str,
    /// The next byte; always the start of a character when a string or a blank was read.
    at: usize,
    repeats: Repeats,
    repeated: Vec<TextError>,
}

enum Open {
    List(Vec<Value>),
    Object { object: Object, key: String },
}

impl<'a> Reader<'a> {
    fn value(&mut self) -> Result<Value, TextError> {
        let mut open: Vec<Open> = Vec::new();
        loop {
            let mut value = match self.begin(open.len())? {
                Begin::Value(value) => value,
                Begin::Open(container) => {
                    open.push(container);
                    continue;
                }
            };
            loop {
                match open.pop() {
                    None => return Ok(value),
                    Some(Open::List(mut list)) => {
                        list.push(value);
                        if self.goes_on(b']', "',' or ']'")? {
                            open.push(Open::List(list));
                            break;
                        }
                        value = Value::List(list);
                    }
                    Some(Open::Object { mut object, key }) => {
                        match object.position(&key) {
                            Some(at) if self.repeats == Repeats::TakeLast => {
                                object.replace(at, value);
                            }
                            Some(_) | None => object.push(key, value),
                        }
                        if self.goes_on(b'}', "',' or '}'")? {
                            self.skip_blanks();
                            let key = self.key(&object)?;
                            open.push(Open::Object { object, key });
                            break;
                        }
                        value = Value::Map(object.finish());
                    }
                }
            }
        }
    }

    /// Reads a scalar, an empty container, or the start of one with content.
    fn begin(&mut self, depth: usize) -> Result<Begin, TextError> {
        self.skip_blanks();
        let Some(first) = self.peek() else {
            return Err(self.unexpected("a value"));
        };
        if matches!(first, b'[' | b'{') && depth >= MAX_DEPTH {
            return Err(self.problem(format!("nested deeper than {MAX_DEPTH} levels")));
        }
        let value = match first {
            b'[' => {
                self.at += 1;
                self.skip_blanks();
                if self.peek() != Some(b']') {
                    return Ok(Begin::Open(Open::List(Vec::new())));
                }
                self.at += 1;
                Value::List(Vec::new())
            }
            b'{' => {
                self.at += 1;
                self.skip_blanks();
                let object = Object::default();
                if self.peek() != Some(b'}') {
                    let key = self.key(&object)?;
                    return Ok(Begin::Open(Open::Object { object, key }));
                }
                self.at += 1;
                Value::Map(object.finish())
            }
            b'"' => Value::String(self.string()?),
            b'-' | b'0'..=b'9' => Value::Number(self.number()?),
            _ => self.word()?,
        };
        Ok(Begin::Value(value))
    }

    /// Returns whether another element follows, `false` behind the closing byte.
    fn goes_on(&mut self, close: u8, expected: &'static str) -> Result<bool, TextError> {
        self.skip_blanks();
        let next = self.peek();
        if next == Some(b',') || next == Some(close) {
            self.at += 1;
            return Ok(next == Some(b','));
        }
        Err(self.unexpected(expected))
    }

    fn key(&mut self, object: &Object) -> Result<String, TextError> {
        let start = self.at;
        if self.peek() != Some(b'"') {
            return Err(self.unexpected("a key in double quotes"));
        }
        let key = self.string()?;
        if object.position(&key).is_some() && self.repeated.len() < MOST_REPEATED {
            let (line, column) = place(self.text, start);
            self.repeated.push(twice(&key, line, column));
        }
        self.skip_blanks();
        if self.peek() != Some(b':') {
            return Err(self.unexpected("':'"));
        }
        self.at += 1;
        Ok(key)
    }

    fn word(&mut self) -> Result<Value, TextError> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let length = rest
            .bytes()
            .take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
            .count();
        let value = match rest.get(..length) {
            Some("null") => Value::Null,
            Some("true") => Value::Bool(true),
            Some("false") => Value::Bool(false),
            Some(_) | None => return Err(self.unexpected("a value")),
        };
        self.at += length;
        Ok(value)
    }

    fn number(&mut self) -> Result<Number, TextError> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let length = rest
            .bytes()
            .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
            .count();
        let spelled = rest.get(..length).unwrap_or_default();
        let Some(number) = Number::new(spelled) else {
            return Err(self.problem(format!("{spelled:?} is not a number in JSON")));
        };
        self.at += length;
        Ok(number)
    }

    /// Reads a string whose opening quote is the next byte.
    fn string(&mut self) -> Result<String, TextError> {
        self.at += 1;
        let mut read = Cow::Borrowed("");
        loop {
            let rest = self.text.get(self.at..).unwrap_or_default();
            let plain = rest
                .bytes()
                .take_while(|byte| !matches!(byte, b'"' | b'\\' | 0..=0x1f))
                .count();
            let piece = rest.get(..plain).unwrap_or_default();
            if read.is_empty() {
                read = Cow::Borrowed(piece);
            } else {
                read.to_mut().push_str(piece);
            }
            self.at += plain;
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(read.into_owned());
                }
                Some(b'\\') => {
                    let character = self.escape()?;
                    read.to_mut().push(character);
                }
                Some(_) => {
                    return Err(self.problem("a control character in a string, escape it"));
                }
                None => return Err(self.unexpected("'\"'")),
            }
        }
    }

    fn escape(&mut self) -> Result<char, TextError> {
        let start = self.at;
        self.at += 2;
        let character = match self.byte(start + 1) {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode_escape(start),
            Some(_) | None => {
                self.at = start;
                return Err(self.problem("an escape that JSON does not know"));
            }
        };
        Ok(character)
    }

    fn unicode_escape(&mut self, start: usize) -> Result<char, TextError> {
        let Some(first) = self.four_digits() else {
            self.at = start;
            return Err(self.problem("an escape that is no Unicode character"));
        };
        if let high @ 0xd800..=0xdbff = first
            && self.byte(self.at) == Some(b'\\')
            && self.byte(self.at + 1) == Some(b'u')
        {
            let second = self.at;
            self.at += 2;
            if let Some(low @ 0xdc00..=0xdfff) = self.four_digits() {
                let code = 0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00);
                return Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            // It stands for itself.
            self.at = second;
        }
        Ok(char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn four_digits(&mut self) -> Option<u32> {
        let digits = self.text.as_bytes().get(self.at..self.at + 4)?;
        let mut code = 0;
        for digit in digits {
            code = code * 16 + char::from(*digit).to_digit(16)?;
        }
        self.at += 4;
        Some(code)
    }

    fn skip_blanks(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.byte(self.at)
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    fn unexpected(&self, expected: &'static str) -> TextError {
        let rest: &'a str = self.text.get(self.at..).unwrap_or_default();
        match rest.chars().next() {
            Some(found) => self.problem(format!("expected {expected}, found {found:?}")),
            None => self.problem(format!("expected {expected}, found the end of the text")),
        }
    }

    fn problem(&self, problem: impl Into<Cow<'static, str>>) -> TextError {
        let (line, column) = place(self.text, self.at);
        TextError::new(line, column, problem)
    }
}

enum Begin {
    Open(Open),
    Value(Value),
}
