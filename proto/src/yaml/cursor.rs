//! A place in a YAML text that moves forwards.

use alloc::borrow::Cow;
use alloc::string::String;

use super::characters::Characters;
use crate::json::TextError;

/// A place, all counted from zero.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Mark {
    /// In characters from the start of the text.
    pub(super) index: usize,
    pub(super) line: usize,
    pub(super) column: usize,
}

impl Mark {
    pub(super) fn error(self, problem: impl Into<Cow<'static, str>>) -> TextError {
        TextError::new(self.line + 1, self.column + 1, problem)
    }
}

/// The text with the place that was reached.
///
/// A byte behind the end is zero, which the text itself does not contain.
#[derive(Debug)]
pub(super) struct Cursor {
    characters: Characters,
    at: usize,
    pub(super) mark: Mark,
}

impl Cursor {
    pub(super) fn new(characters: Characters) -> Self {
        Self {
            characters,
            at: 0,
            mark: Mark::default(),
        }
    }

    /// Returns the byte so many bytes ahead.
    pub(super) fn byte(&self, ahead: usize) -> u8 {
        let bytes = self.characters.text.as_bytes();
        bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    /// Makes sure that so many characters can be looked at: fails when the text cannot be read
    /// that far.
    pub(super) fn need(&self, count: usize) -> Result<(), TextError> {
        let Some(fault) = self.characters.fault else {
            return Ok(());
        };
        let rest = self.rest();
        // No character has more than four bytes.
        if rest.len() >= 4 * count || rest.chars().nth(count - 1).is_some() {
            return Ok(());
        }
        Err(self.mark.error(fault))
    }

    pub(super) fn is_end(&self) -> bool {
        self.at >= self.characters.text.len()
    }

    /// Says whether the text begins with a second byte order mark, and this is its start.
    pub(super) fn is_mark(&self) -> bool {
        self.at == 0 && self.characters.text.starts_with('\u{feff}')
    }

    pub(super) fn is_blank(&self, ahead: usize) -> bool {
        matches!(self.byte(ahead), b' ' | b'\t')
    }

    /// Says whether a line ends here: LF, CR, NEL, LS or PS.
    pub(super) fn is_break(&self, ahead: usize) -> bool {
        self.break_width(ahead) > 0
    }

    pub(super) fn is_break_or_end(&self, ahead: usize) -> bool {
        self.byte(ahead) == 0 || self.is_break(ahead)
    }

    pub(super) fn is_blank_or_end(&self, ahead: usize) -> bool {
        self.is_blank(ahead) || self.is_break_or_end(ahead)
    }

    /// Says whether a line begins here with three such bytes that stand alone.
    pub(super) fn is_indicator(&self, byte: u8) -> bool {
        self.mark.column == 0
            && (0..3).all(|ahead| self.byte(ahead) == byte)
            && self.is_blank_or_end(3)
    }

    fn break_width(&self, ahead: usize) -> usize {
        match (self.byte(ahead), self.byte(ahead + 1), self.byte(ahead + 2)) {
            (b'\r' | b'\n', _, _) => 1,
            (0xc2, 0x85, _) => 2,
            (0xe2, 0x80, 0xa8 | 0xa9) => 3,
            _ => 0,
        }
    }

    /// Passes one character over.
    pub(super) fn skip(&mut self) {
        let width = self.rest().chars().next().map_or(0, char::len_utf8);
        self.at += width;
        self.mark.index += 1;
        self.mark.column += 1;
    }

    /// Takes one character.
    pub(super) fn take(&mut self, into: &mut String) {
        if let Some(character) = self.rest().chars().next() {
            into.push(character);
        }
        self.skip();
    }

    /// Passes the end of a line over.
    pub(super) fn skip_break(&mut self) {
        let crlf = self.byte(0) == b'\r' && self.byte(1) == b'\n';
        let width = if crlf { 2 } else { self.break_width(0) };
        if width > 0 {
            self.at += width;
            self.mark.index += if crlf { 2 } else { 1 };
            self.mark.column = 0;
            self.mark.line += 1;
        }
    }

    /// Takes the end of a line: the separators of Unicode as they are, all others as LF.
    pub(super) fn take_break(&mut self, into: &mut String) {
        match (self.break_width(0), self.byte(2)) {
            (0, _) => {}
            (3, 0xa8) => into.push('\u{2028}'),
            (3, _) => into.push('\u{2029}'),
            _ => into.push('\n'),
        }
        self.skip_break();
    }

    /// Passes over the rest of a line that may hold blanks and a comment only; says whether it did.
    pub(super) fn skip_rest_of_line(&mut self) -> Result<bool, TextError> {
        self.need(1)?;
        while self.is_blank(0) {
            self.skip();
            self.need(1)?;
        }
        self.skip_comment()?;
        if !self.is_break_or_end(0) {
            return Ok(false);
        }
        if self.is_break(0) {
            self.need(2)?;
            self.skip_break();
        }
        Ok(true)
    }

    pub(super) fn skip_comment(&mut self) -> Result<(), TextError> {
        if self.byte(0) == b'#' {
            if self.characters.fault.is_none() {
                self.skip_to_possible_break();
            }
            while !self.is_break_or_end(0) {
                self.skip();
                self.need(1)?;
            }
        }
        Ok(())
    }

    /// Passes over what surely belongs to the line, all at once.
    fn skip_to_possible_break(&mut self) {
        let rest = self.rest().as_bytes();
        let ends = |byte: &u8| matches!(byte, b'\r' | b'\n' | 0xc2 | 0xe2);
        let length = rest.iter().position(ends).unwrap_or(rest.len());
        let skipped = rest.get(..length).unwrap_or_default();
        let characters = skipped.iter().filter(|byte| **byte & 0xc0 != 0x80).count();
        self.at += length;
        self.mark.index += characters;
        self.mark.column += characters;
    }

    fn rest(&self) -> &str {
        self.characters.text.get(self.at..).unwrap_or_default()
    }
}
