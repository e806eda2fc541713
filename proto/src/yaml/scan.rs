//! From the characters of a YAML text to its tokens, by the rules of YAML 1.1.

use alloc::collections::{BTreeMap, VecDeque};
use alloc::string::String;
use alloc::vec::Vec;

use super::characters::Characters;
use super::cursor::{Cursor, Mark};
use super::token::Token;
use super::{marks, scalars};
use crate::json::TextError;

/// How many characters a key may have before its colon.
const LONGEST_KEY: usize = 1_024;

/// How deep blocks and flows may be nested, as in Go's reader.
const DEEPEST: usize = 10_000;

/// Finds tokens one after the other.
///
/// Whether a scalar is a key shows at the colon behind it only: what may be one is remembered, and
/// the tokens of a key and of a mapping are put in front of it then.
#[derive(Debug)]
pub(super) struct Scanner {
    cursor: Cursor,
    tokens: VecDeque<(Token, Mark)>,
    /// How many tokens were taken out of the queue.
    taken: usize,
    flow_level: usize,
    /// The column of the innermost block, -1 outside of all.
    indent: isize,
    indents: Vec<isize>,
    /// Whether a key without `?` may begin here.
    key_allowed: bool,
    /// What may be a key, one for each level of flow.
    keys: Vec<Candidate>,
    /// Which level has a candidate that begins with a token.
    by_token: BTreeMap<usize, usize>,
    ended: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct Candidate {
    possible: bool,
    /// Whether nothing else than a key can stand there.
    required: bool,
    token: usize,
    mark: Mark,
}

impl Scanner {
    pub(super) fn new(characters: Characters) -> Self {
        Self {
            cursor: Cursor::new(characters),
            tokens: VecDeque::new(),
            taken: 0,
            flow_level: 0,
            indent: -1,
            indents: Vec::new(),
            key_allowed: true,
            keys: Vec::from([Candidate::default()]),
            by_token: BTreeMap::new(),
            ended: false,
        }
    }

    /// Returns the next token without taking it; behind the end it stays the end.
    pub(super) fn peek(&mut self) -> Result<(&Token, Mark), TextError> {
        while !self.is_head_settled()? {
            if self.ended {
                break;
            }
            self.fetch()?;
        }
        let (token, mark) = match self.tokens.front() {
            Some((token, mark)) => (token, *mark),
            None => (&Token::StreamEnd, self.cursor.mark),
        };
        Ok((token, mark))
    }

    /// Takes the token that [`Self::peek`] gave.
    pub(super) fn take(&mut self) -> Option<Token> {
        let token = self.tokens.pop_front();
        self.taken += usize::from(token.is_some());
        token.map(|(token, _)| token)
    }

    /// Says whether there is a token in front that no key can come before any more.
    fn is_head_settled(&mut self) -> Result<bool, TextError> {
        if self.tokens.is_empty() {
            return Ok(false);
        }
        match self.by_token.get(&self.taken).copied() {
            Some(level) => Ok(!self.is_still_possible(level)?),
            None => Ok(true),
        }
    }

    fn is_still_possible(&mut self, level: usize) -> Result<bool, TextError> {
        let now = self.cursor.mark;
        let Some(key) = self.keys.get_mut(level).filter(|key| key.possible) else {
            return Ok(false);
        };
        if key.mark.line < now.line || key.mark.index + LONGEST_KEY < now.index {
            if key.required {
                return Err(key.mark.error(NO_COLON));
            }
            key.possible = false;
            return Ok(false);
        }
        Ok(true)
    }

    fn fetch(&mut self) -> Result<(), TextError> {
        self.cursor.need(1)?;
        self.skip_to_token()?;
        let column = isize::try_from(self.cursor.mark.column).unwrap_or(isize::MAX);
        self.close_blocks(column);
        self.cursor.need(4)?;
        if self.cursor.is_end() {
            return self.end();
        }
        let (byte, next_is_free) = (self.cursor.byte(0), self.cursor.is_blank_or_end(1));
        let in_flow = self.flow_level > 0;
        match byte {
            b'%' if self.cursor.mark.column == 0 => self.directive(),
            b'-' if self.cursor.is_indicator(b'-') => self.document(Token::DocumentStart),
            b'.' if self.cursor.is_indicator(b'.') => self.document(Token::DocumentEnd),
            b'[' => self.open_flow(Token::FlowSequenceStart),
            b'{' => self.open_flow(Token::FlowMappingStart),
            b']' => self.close_flow(Token::FlowSequenceEnd),
            b'}' => self.close_flow(Token::FlowMappingEnd),
            b',' => {
                self.drop_candidate()?;
                self.key_allowed = true;
                self.indicator(Token::FlowEntry);
                Ok(())
            }
            b'-' if next_is_free => self.block_entry(),
            b'?' if in_flow || next_is_free => self.key(),
            b':' if in_flow || next_is_free => self.value(),
            b'*' | b'&' => self.anchor(byte == b'*'),
            b'!' => self.tag(),
            b'|' | b'>' if !in_flow => self.block_scalar(),
            b'\'' | b'"' => self.quoted_scalar(),
            _ if self.may_begin_plain(byte, next_is_free) => self.plain_scalar(),
            _ => Err(self.cursor.mark.error(format_start(byte))),
        }
    }

    fn may_begin_plain(&self, byte: u8, next_is_free: bool) -> bool {
        match byte {
            b'-' => !self.cursor.is_blank(1),
            b'?' | b':' => self.flow_level == 0 && !next_is_free,
            b',' | b'[' | b']' | b'{' | b'}' | b'#' | b'&' | b'*' | b'!' | b'|' | b'>' | b'\''
            | b'"' | b'%' | b'@' | b'`' => false,
            _ => !self.cursor.is_blank_or_end(0),
        }
    }

    /// Passes over blanks, line breaks and comments.
    ///
    /// A tab is a blank, but where a key may begin: there it would be an indent.
    fn skip_to_token(&mut self) -> Result<(), TextError> {
        loop {
            self.cursor.need(1)?;
            if self.cursor.is_mark() {
                self.cursor.skip();
            }
            self.cursor.need(1)?;
            let tabs = self.flow_level > 0 || !self.key_allowed;
            while self.cursor.byte(0) == b' ' || (tabs && self.cursor.byte(0) == b'\t') {
                self.cursor.skip();
                self.cursor.need(1)?;
            }
            self.cursor.skip_comment()?;
            if !self.cursor.is_break(0) {
                return Ok(());
            }
            self.cursor.need(2)?;
            self.cursor.skip_break();
            self.key_allowed |= self.flow_level == 0;
        }
    }

    fn push(&mut self, token: Token, mark: Mark) {
        self.tokens.push_back((token, mark));
    }

    /// Passes over an indicator of one byte and pushes its token.
    fn indicator(&mut self, token: Token) {
        let mark = self.cursor.mark;
        self.cursor.skip();
        self.push(token, mark);
    }

    /// Puts a token in front of one that is still in the queue, else at the end.
    fn insert(&mut self, number: usize, token: Token, mark: Mark) {
        match number.checked_sub(self.taken) {
            Some(at) if at <= self.tokens.len() => self.tokens.insert(at, (token, mark)),
            Some(_) | None => self.push(token, mark),
        }
    }

    /// Remembers that a key may begin with the next token.
    fn save_candidate(&mut self) -> Result<(), TextError> {
        if !self.key_allowed {
            return Ok(());
        }
        let mark = self.cursor.mark;
        self.drop_candidate()?;
        let key = Candidate {
            possible: true,
            required: self.flow_level == 0 && usize::try_from(self.indent) == Ok(mark.column),
            token: self.taken + self.tokens.len(),
            mark,
        };
        let level = self.keys.len().saturating_sub(1);
        if let Some(last) = self.keys.last_mut() {
            *last = key;
            self.by_token.insert(key.token, level);
        }
        Ok(())
    }

    /// Forgets what might have been a key on this level.
    fn drop_candidate(&mut self) -> Result<(), TextError> {
        if let Some(key) = self.keys.last_mut().filter(|key| key.possible) {
            if key.required {
                return Err(key.mark.error(NO_COLON));
            }
            key.possible = false;
            self.by_token.remove(&key.token);
        }
        Ok(())
    }

    /// Begins a block at a column that is deeper than the innermost.
    fn open_block(
        &mut self,
        column: usize,
        number: Option<usize>,
        token: Token,
        mark: Mark,
    ) -> Result<(), TextError> {
        let column = isize::try_from(column).unwrap_or(isize::MAX);
        if self.flow_level > 0 || self.indent >= column {
            return Ok(());
        }
        self.indents.push(self.indent);
        self.indent = column;
        if self.indents.len() > DEEPEST {
            return Err(mark.error(TOO_DEEP));
        }
        match number {
            Some(number) => self.insert(number, token, mark),
            None => self.push(token, mark),
        }
        Ok(())
    }

    /// Ends the blocks that are deeper than a column.
    fn close_blocks(&mut self, column: isize) {
        if self.flow_level > 0 {
            return;
        }
        while self.indent > column {
            self.push(Token::BlockEnd, self.cursor.mark);
            self.indent = self.indents.pop().unwrap_or(-1);
        }
    }

    fn end(&mut self) -> Result<(), TextError> {
        if self.cursor.mark.column != 0 {
            self.cursor.mark.column = 0;
            self.cursor.mark.line += 1;
        }
        self.close_all()?;
        self.ended = true;
        self.push(Token::StreamEnd, self.cursor.mark);
        Ok(())
    }

    /// Ends all blocks, at a line that belongs to none.
    fn close_all(&mut self) -> Result<(), TextError> {
        self.close_blocks(-1);
        self.drop_candidate()?;
        self.key_allowed = false;
        Ok(())
    }

    fn directive(&mut self) -> Result<(), TextError> {
        self.close_all()?;
        let mark = self.cursor.mark;
        let token = marks::directive(&mut self.cursor)?;
        self.push(token, mark);
        Ok(())
    }

    fn document(&mut self, token: Token) -> Result<(), TextError> {
        self.close_all()?;
        let mark = self.cursor.mark;
        for _ in 0..3 {
            self.cursor.skip();
        }
        self.push(token, mark);
        Ok(())
    }

    fn open_flow(&mut self, token: Token) -> Result<(), TextError> {
        self.save_candidate()?;
        self.keys.push(Candidate {
            token: self.taken + self.tokens.len(),
            mark: self.cursor.mark,
            ..Candidate::default()
        });
        self.flow_level += 1;
        if self.flow_level > DEEPEST {
            return Err(self.cursor.mark.error(TOO_DEEP));
        }
        self.key_allowed = true;
        self.indicator(token);
        Ok(())
    }

    fn close_flow(&mut self, token: Token) -> Result<(), TextError> {
        self.drop_candidate()?;
        if self.flow_level > 0 {
            self.flow_level -= 1;
            if let Some(key) = self.keys.pop() {
                self.by_token.remove(&key.token);
            }
        }
        self.key_allowed = false;
        self.indicator(token);
        Ok(())
    }

    fn block_entry(&mut self) -> Result<(), TextError> {
        if self.flow_level == 0 {
            let mark = self.cursor.mark;
            if !self.key_allowed {
                return Err(mark.error("a list cannot begin here"));
            }
            self.open_block(mark.column, None, Token::BlockSequenceStart, mark)?;
        }
        self.drop_candidate()?;
        self.key_allowed = true;
        self.indicator(Token::BlockEntry);
        Ok(())
    }

    fn key(&mut self) -> Result<(), TextError> {
        if self.flow_level == 0 {
            let mark = self.cursor.mark;
            if !self.key_allowed {
                return Err(mark.error("a key cannot begin here"));
            }
            self.open_block(mark.column, None, Token::BlockMappingStart, mark)?;
        }
        self.drop_candidate()?;
        self.key_allowed = self.flow_level == 0;
        self.indicator(Token::Key);
        Ok(())
    }

    fn value(&mut self) -> Result<(), TextError> {
        let level = self.keys.len().saturating_sub(1);
        let found = self.is_still_possible(level)?;
        let key = self.keys.get(level).copied().filter(|_| found);
        if let Some(Candidate { token, mark, .. }) = key {
            self.insert(token, Token::Key, mark);
            self.open_block(mark.column, Some(token), Token::BlockMappingStart, mark)?;
            if let Some(key) = self.keys.last_mut() {
                key.possible = false;
            }
            self.by_token.remove(&token);
            self.key_allowed = false;
        } else {
            if self.flow_level == 0 {
                let mark = self.cursor.mark;
                if !self.key_allowed {
                    return Err(mark.error("a ':' without a key in front of it; quote the text"));
                }
                self.open_block(mark.column, None, Token::BlockMappingStart, mark)?;
            }
            self.key_allowed = self.flow_level == 0;
        }
        self.indicator(Token::Value);
        Ok(())
    }

    fn anchor(&mut self, is_alias: bool) -> Result<(), TextError> {
        let (mark, name) = self.begin_in_line(marks::anchor)?;
        let token = if is_alias {
            Token::Alias(name)
        } else {
            Token::Anchor(name)
        };
        self.push(token, mark);
        Ok(())
    }

    fn tag(&mut self) -> Result<(), TextError> {
        let (mark, token) = self.begin_in_line(marks::tag)?;
        self.push(token, mark);
        Ok(())
    }

    fn quoted_scalar(&mut self) -> Result<(), TextError> {
        let (mark, text) = self.begin_in_line(scalars::quoted)?;
        self.push(Token::Scalar { text, plain: false }, mark);
        Ok(())
    }

    /// Reads what may be a key or begin one, and is followed by none.
    fn begin_in_line<T>(
        &mut self,
        read: impl FnOnce(&mut Cursor) -> Result<T, TextError>,
    ) -> Result<(Mark, T), TextError> {
        self.save_candidate()?;
        self.key_allowed = false;
        let mark = self.cursor.mark;
        Ok((mark, read(&mut self.cursor)?))
    }

    fn plain_scalar(&mut self) -> Result<(), TextError> {
        let (in_flow, indent) = (self.flow_level > 0, self.indent);
        let read = |cursor: &mut Cursor| scalars::plain(cursor, in_flow, indent);
        let (mark, (text, broken)) = self.begin_in_line(read)?;
        self.key_allowed |= broken;
        self.push(Token::Scalar { text, plain: true }, mark);
        Ok(())
    }

    fn block_scalar(&mut self) -> Result<(), TextError> {
        self.drop_candidate()?;
        self.key_allowed = true;
        let mark = self.cursor.mark;
        let text: String = scalars::block(&mut self.cursor, self.indent)?;
        self.push(Token::Scalar { text, plain: false }, mark);
        Ok(())
    }
}

fn format_start(byte: u8) -> &'static str {
    match byte {
        b'\t' => "a tab in an indent, use spaces",
        _ => "a character that cannot begin a value; quote the text",
    }
}

const NO_COLON: &str = "a text where a key is expected: there is no ':' behind it on its line";
const TOO_DEEP: &str = "nested deeper than 10,000 levels";
