//! The scalars of YAML, read where they begin.

use alloc::string::String;

use super::cursor::{Cursor, Mark};
use crate::json::TextError;

/// Reads a block scalar whose `|` or `>` is next, inside a block of some indent.
pub(super) fn block(cursor: &mut Cursor, indent_outside: isize) -> Result<String, TextError> {
    let start = cursor.mark;
    let literal = cursor.byte(0) == b'|';
    cursor.skip();
    let (keep, chomp, explicit) = block_header(cursor, start)?;
    let outside = usize::try_from(indent_outside).ok();
    let mut indent = if explicit > 0 {
        outside.unwrap_or(0) + explicit
    } else {
        0
    };
    let least = outside.map_or(1, |outside| (outside + 1).max(1));
    let mut text = String::new();
    let mut leading_break = String::new();
    let mut breaks = String::new();
    let mut after_blank = false;
    block_breaks(cursor, &mut indent, least, &mut breaks, start)?;
    cursor.need(1)?;
    while cursor.mark.column == indent && !cursor.is_end() {
        let begins_blank = cursor.is_blank(0);
        if !literal && !after_blank && !begins_blank && leading_break.starts_with('\n') {
            if breaks.is_empty() {
                text.push(' ');
            }
        } else {
            text.push_str(&leading_break);
        }
        leading_break.clear();
        text.push_str(&breaks);
        breaks.clear();
        after_blank = begins_blank;
        while !cursor.is_break_or_end(0) {
            cursor.take(&mut text);
            cursor.need(1)?;
        }
        cursor.need(2)?;
        cursor.take_break(&mut leading_break);
        block_breaks(cursor, &mut indent, least, &mut breaks, start)?;
    }
    if !chomp {
        text.push_str(&leading_break);
    }
    if keep {
        text.push_str(&breaks);
    }
    Ok(text)
}

/// Reads what stands behind the indicator on its line: whether trailing line breaks are kept or the
/// last one is cut, too, and the indent, zero when none is given.
fn block_header(cursor: &mut Cursor, start: Mark) -> Result<(bool, bool, usize), TextError> {
    cursor.need(1)?;
    let (mut keep, mut chomp, mut explicit) = (false, false, 0);
    for _ in 0..2 {
        match cursor.byte(0) {
            sign @ (b'+' | b'-') if !keep && !chomp => {
                keep = sign == b'+';
                chomp = sign == b'-';
            }
            b'0' if explicit == 0 => {
                return Err(start.error("a block of text cannot be indented by 0"));
            }
            digit @ b'1'..=b'9' if explicit == 0 => explicit = usize::from(digit - b'0'),
            _ => break,
        }
        cursor.skip();
        cursor.need(1)?;
    }
    if !cursor.skip_rest_of_line()? {
        return Err(start.error("a block of text begins on the line behind its indicator"));
    }
    Ok((keep, chomp, explicit))
}

/// Passes over indents and empty lines; finds the indent when it is not known yet (zero).
fn block_breaks(
    cursor: &mut Cursor,
    indent: &mut usize,
    least: usize,
    breaks: &mut String,
    start: Mark,
) -> Result<(), TextError> {
    let mut deepest = 0;
    loop {
        cursor.need(1)?;
        while (*indent == 0 || cursor.mark.column < *indent) && cursor.byte(0) == b' ' {
            cursor.skip();
            cursor.need(1)?;
        }
        deepest = deepest.max(cursor.mark.column);
        if (*indent == 0 || cursor.mark.column < *indent) && cursor.byte(0) == b'\t' {
            return Err(start.error("a tab in the indent of a block of text, use spaces"));
        }
        if !cursor.is_break(0) {
            break;
        }
        cursor.need(2)?;
        cursor.take_break(breaks);
    }
    if *indent == 0 {
        *indent = deepest.max(least);
    }
    Ok(())
}

/// The blanks and line breaks between two words, which fold.
#[derive(Default)]
struct Between {
    blanks: String,
    leading_break: String,
    more_breaks: String,
    /// Whether a line ended, so that blanks are an indent.
    broken: bool,
}

impl Between {
    /// Passes over one blank or line break.
    fn take(&mut self, cursor: &mut Cursor) -> Result<(), TextError> {
        if cursor.is_blank(0) {
            if self.broken {
                cursor.skip();
            } else {
                cursor.take(&mut self.blanks);
            }
        } else {
            cursor.need(2)?;
            if self.broken {
                cursor.take_break(&mut self.more_breaks);
            } else {
                self.blanks.clear();
                cursor.take_break(&mut self.leading_break);
                self.broken = true;
            }
        }
        cursor.need(1)
    }

    /// Appends what the blanks and breaks mean, and begins anew.
    fn fold(&mut self, text: &mut String) {
        if !self.broken {
            text.push_str(&self.blanks);
        } else if self.leading_break.starts_with('\n') {
            text.push_str(if self.more_breaks.is_empty() {
                " "
            } else {
                &self.more_breaks
            });
        } else {
            text.push_str(&self.leading_break);
            text.push_str(&self.more_breaks);
        }
        *self = Self::default();
    }
}

/// Reads a plain scalar; returns it, and whether it ended behind the end of a line.
pub(super) fn plain(
    cursor: &mut Cursor,
    in_flow: bool,
    indent_outside: isize,
) -> Result<(String, bool), TextError> {
    let start = cursor.mark;
    let indent = usize::try_from(indent_outside + 1).unwrap_or(0);
    let mut text = String::new();
    let mut between = Between::default();
    loop {
        cursor.need(4)?;
        if cursor.is_indicator(b'-') || cursor.is_indicator(b'.') || cursor.byte(0) == b'#' {
            break;
        }
        while !cursor.is_blank_or_end(0) && !ends_plain(cursor, in_flow) {
            if between.broken || !between.blanks.is_empty() {
                between.fold(&mut text);
            }
            cursor.take(&mut text);
            cursor.need(2)?;
        }
        if !cursor.is_blank(0) && !cursor.is_break(0) {
            break;
        }
        cursor.need(1)?;
        while cursor.is_blank(0) || cursor.is_break(0) {
            if between.broken && cursor.mark.column < indent && cursor.byte(0) == b'\t' {
                return Err(start.error("a tab in the indent of a text, use spaces"));
            }
            between.take(cursor)?;
        }
        if !in_flow && cursor.mark.column < indent {
            break;
        }
    }
    Ok((text, between.broken))
}

fn ends_plain(cursor: &Cursor, in_flow: bool) -> bool {
    match cursor.byte(0) {
        b':' => cursor.is_blank_or_end(1),
        b',' | b'?' | b'[' | b']' | b'{' | b'}' => in_flow,
        _ => false,
    }
}

/// Reads a scalar whose opening quote is next.
pub(super) fn quoted(cursor: &mut Cursor) -> Result<String, TextError> {
    let start = cursor.mark;
    let single = cursor.byte(0) == b'\'';
    let quote = cursor.byte(0);
    cursor.skip();
    let mut text = String::new();
    let mut between = Between::default();
    loop {
        cursor.need(4)?;
        if cursor.is_indicator(b'-') || cursor.is_indicator(b'.') {
            return Err(start.error("a quoted text that the end of a document cuts"));
        }
        if cursor.is_end() {
            return Err(start.error("a quoted text without its closing quote"));
        }
        while !cursor.is_blank_or_end(0) {
            if single && cursor.byte(0) == quote && cursor.byte(1) == quote {
                text.push('\'');
                cursor.skip();
                cursor.skip();
            } else if cursor.byte(0) == quote {
                break;
            } else if !single && cursor.byte(0) == b'\\' {
                if cursor.is_break(1) {
                    cursor.need(3)?;
                    cursor.skip();
                    cursor.skip_break();
                    between.broken = true;
                    break;
                }
                text.push(escape(cursor, start)?);
            } else {
                cursor.take(&mut text);
            }
            cursor.need(2)?;
        }
        cursor.need(1)?;
        if cursor.byte(0) == quote {
            break;
        }
        while cursor.is_blank(0) || cursor.is_break(0) {
            between.take(cursor)?;
        }
        fold_quoted(&mut between, &mut text);
    }
    cursor.skip();
    Ok(text)
}

/// Behind an escaped line break there is no first break that could fold.
fn fold_quoted(between: &mut Between, text: &mut String) {
    if between.broken && between.leading_break.is_empty() {
        text.push_str(&between.more_breaks);
        *between = Between::default();
    } else {
        between.fold(text);
    }
}

fn escape(cursor: &mut Cursor, start: Mark) -> Result<char, TextError> {
    let digits = match cursor.byte(1) {
        b'x' => 2,
        b'u' => 4,
        b'U' => 8,
        other => {
            let character = match other {
                b'0' => '\0',
                b'a' => '\u{7}',
                b'b' => '\u{8}',
                b't' | b'\t' => '\t',
                b'n' => '\n',
                b'v' => '\u{b}',
                b'f' => '\u{c}',
                b'r' => '\r',
                b'e' => '\u{1b}',
                b' ' => ' ',
                b'"' => '"',
                b'\'' => '\'',
                b'\\' => '\\',
                b'N' => '\u{85}',
                b'_' => '\u{a0}',
                b'L' => '\u{2028}',
                b'P' => '\u{2029}',
                _ => return Err(start.error("an escape that YAML 1.1 does not know")),
            };
            cursor.skip();
            cursor.skip();
            return Ok(character);
        }
    };
    cursor.skip();
    cursor.skip();
    cursor.need(digits)?;
    let mut code = 0_u32;
    for _ in 0..digits {
        let digit = char::from(cursor.byte(0)).to_digit(16);
        let digit = digit.ok_or_else(|| start.error("an escape with too few digits"))?;
        code = code.wrapping_shl(4) | digit;
        cursor.skip();
    }
    char::from_u32(code).ok_or_else(|| start.error("an escape that is no Unicode character"))
}
