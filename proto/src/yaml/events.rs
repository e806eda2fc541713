//! From the tokens of a YAML text to its nodes, in their order.

use alloc::string::String;
use alloc::vec::Vec;

use super::characters::Characters;
use super::cursor::Mark;
use super::scan::Scanner;
use super::token::Token;
use crate::json::TextError;

/// One step through the documents of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Event {
    Alias(String),
    DocumentEnd,
    DocumentStart,
    MappingEnd,
    MappingStart {
        anchor: Option<String>,
    },
    Scalar {
        text: String,
        anchor: Option<String>,
        /// As it was written out, `!` included.
        tag: Option<String>,
        /// Whether its type may follow from its text.
        plain: bool,
    },
    SequenceEnd,
    SequenceStart {
        anchor: Option<String>,
    },
    StreamEnd,
}

/// Walks through a text; what has no place in the grammar is an error.
///
/// The states are those of a stack machine: what comes next, and what comes when a node is
/// complete.
#[derive(Debug)]
pub(super) struct Events {
    scanner: Scanner,
    state: State,
    states: Vec<State>,
    tags: Vec<(String, String)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    BlockKey { first: bool },
    BlockSequence { first: bool },
    BlockValue,
    DocumentContent,
    DocumentEnd,
    DocumentStart { first: bool },
    FlowKey { first: bool },
    FlowPairEnd,
    FlowPairKey,
    FlowPairValue,
    FlowSequence { first: bool },
    FlowValue { empty: bool },
    IndentlessSequence,
    Node,
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "a grammar names the tokens that may come, and refuses all others"
)]
impl Events {
    pub(super) fn new(characters: Characters) -> Self {
        Self {
            scanner: Scanner::new(characters),
            state: State::DocumentStart { first: true },
            states: Vec::new(),
            tags: Vec::new(),
        }
    }

    /// Returns the next event; behind the end it stays the end.
    pub(super) fn next(&mut self) -> Result<(Event, Mark), TextError> {
        match self.state {
            State::BlockKey { first } => self.block_key(first),
            State::BlockSequence { first } => self.block_sequence(first),
            State::BlockValue => self.block_value(),
            State::DocumentContent => self.document_content(),
            State::DocumentEnd => self.document_end(),
            State::DocumentStart { first } => self.document_start(first),
            State::FlowKey { first } => self.flow_key(first),
            State::FlowPairEnd => {
                self.state = State::FlowSequence { first: false };
                Ok((Event::MappingEnd, self.mark()?))
            }
            State::FlowPairKey => self.flow_pair_key(),
            State::FlowPairValue => self.flow_pair_value(),
            State::FlowSequence { first } => self.flow_sequence(first),
            State::FlowValue { empty } => self.flow_value(empty),
            State::IndentlessSequence => self.indentless_sequence(),
            State::Node => self.node(true, false),
        }
    }

    fn mark(&mut self) -> Result<Mark, TextError> {
        self.scanner.peek().map(|(_, mark)| mark)
    }

    fn peek(&mut self) -> Result<&Token, TextError> {
        self.scanner.peek().map(|(token, _)| token)
    }

    fn skip(&mut self) {
        self.scanner.take();
    }

    /// Goes back to what waits for the node that is complete.
    fn pop(&mut self) {
        self.state = self.states.pop().unwrap_or(State::DocumentEnd);
    }

    fn error(&mut self, problem: &'static str) -> TextError {
        match self.mark() {
            Ok(mark) => mark.error(problem),
            Err(error) => error,
        }
    }

    fn document_start(&mut self, first: bool) -> Result<(Event, Mark), TextError> {
        while !first && *self.peek()? == Token::DocumentEnd {
            self.skip();
        }
        let mark = self.mark()?;
        let explicit = matches!(
            self.peek()?,
            Token::Version { .. } | Token::TagDirective { .. } | Token::DocumentStart
        );
        if *self.peek()? == Token::StreamEnd {
            return Ok((Event::StreamEnd, mark));
        }
        self.tags.clear();
        self.states.push(State::DocumentEnd);
        if first && !explicit {
            self.default_tags();
            self.state = State::Node;
            return Ok((Event::DocumentStart, mark));
        }
        self.directives()?;
        if *self.peek()? != Token::DocumentStart {
            return Err(self.error("expected the start of a document (---)"));
        }
        self.skip();
        self.state = State::DocumentContent;
        Ok((Event::DocumentStart, mark))
    }

    fn directives(&mut self) -> Result<(), TextError> {
        let mut versioned = false;
        while matches!(
            self.peek()?,
            Token::Version { .. } | Token::TagDirective { .. }
        ) {
            let token = self.peek()?.clone();
            match token {
                Token::Version { major: 1, minor: 1 } if !versioned => versioned = true,
                Token::Version { major: 1, minor: 1 } => {
                    return Err(self.error("a second %YAML directive"));
                }
                Token::Version { .. } => {
                    return Err(self.error("a kubelet reads YAML 1.1 only; remove %YAML"));
                }
                Token::TagDirective { handle, prefix } => {
                    if self.tags.iter().any(|(known, _)| *known == handle) {
                        return Err(self.error("a second %TAG directive for one handle"));
                    }
                    self.tags.push((handle, prefix));
                }
                _ => {}
            }
            self.skip();
        }
        self.default_tags();
        Ok(())
    }

    fn default_tags(&mut self) {
        for (handle, prefix) in [("!", "!"), ("!!", CORE_TAGS)] {
            if !self.tags.iter().any(|(known, _)| known == handle) {
                self.tags.push((String::from(handle), String::from(prefix)));
            }
        }
    }

    fn document_content(&mut self) -> Result<(Event, Mark), TextError> {
        let empty = matches!(
            self.peek()?,
            Token::Version { .. }
                | Token::TagDirective { .. }
                | Token::DocumentStart
                | Token::DocumentEnd
                | Token::StreamEnd
        );
        if empty {
            self.pop();
            return self.empty();
        }
        self.node(true, false)
    }

    fn document_end(&mut self) -> Result<(Event, Mark), TextError> {
        let mark = self.mark()?;
        if *self.peek()? == Token::DocumentEnd {
            self.skip();
        }
        self.state = State::DocumentStart { first: false };
        Ok((Event::DocumentEnd, mark))
    }

    /// Returns the scalar that stands where nothing does.
    fn empty(&mut self) -> Result<(Event, Mark), TextError> {
        let event = Event::Scalar {
            text: String::new(),
            anchor: None,
            tag: None,
            plain: true,
        };
        Ok((event, self.mark()?))
    }

    /// Reads a node: an alias, or a scalar or collection with its properties.
    fn node(&mut self, block: bool, indentless: bool) -> Result<(Event, Mark), TextError> {
        let mark = self.mark()?;
        if let Token::Alias(name) = self.peek()? {
            let name = name.clone();
            self.skip();
            self.pop();
            return Ok((Event::Alias(name), mark));
        }
        let (anchor, tag) = self.properties()?;
        let event = match self.peek()? {
            Token::BlockEntry if indentless => {
                self.state = State::IndentlessSequence;
                Event::SequenceStart { anchor }
            }
            Token::Scalar { .. } => {
                let Some(Token::Scalar { text, plain }) = self.scanner.take() else {
                    return Err(self.error(NO_NODE));
                };
                self.pop();
                let plain = (tag.is_none() && plain) || tag.as_deref() == Some("!");
                Event::Scalar {
                    text,
                    anchor,
                    tag,
                    plain,
                }
            }
            Token::FlowSequenceStart => {
                self.state = State::FlowSequence { first: true };
                Event::SequenceStart { anchor }
            }
            Token::FlowMappingStart => {
                self.state = State::FlowKey { first: true };
                Event::MappingStart { anchor }
            }
            Token::BlockSequenceStart if block => {
                self.state = State::BlockSequence { first: true };
                Event::SequenceStart { anchor }
            }
            Token::BlockMappingStart if block => {
                self.state = State::BlockKey { first: true };
                Event::MappingStart { anchor }
            }
            _ if anchor.is_some() || tag.is_some() => {
                self.pop();
                Event::Scalar {
                    text: String::new(),
                    anchor,
                    plain: tag.is_none(),
                    tag,
                }
            }
            _ => return Err(self.error(NO_NODE)),
        };
        Ok((event, mark))
    }

    /// Reads an anchor and a tag, in either order.
    fn properties(&mut self) -> Result<(Option<String>, Option<String>), TextError> {
        let (mut anchor, mut tag) = (None, None);
        for _ in 0..2 {
            let token = match self.peek()? {
                Token::Anchor(_) if anchor.is_some() => break,
                Token::Tag { .. } if tag.is_some() => break,
                token @ (Token::Anchor(_) | Token::Tag { .. }) => token.clone(),
                _ => break,
            };
            match token {
                Token::Anchor(name) => anchor = Some(name),
                Token::Tag { handle, suffix } => tag = Some(self.whole_tag(&handle, suffix)?),
                _ => {}
            }
            self.skip();
        }
        Ok((anchor, tag.filter(|tag| !tag.is_empty())))
    }

    fn whole_tag(&mut self, handle: &str, suffix: String) -> Result<String, TextError> {
        if handle.is_empty() {
            return Ok(suffix);
        }
        let known = self.tags.iter().find(|(known, _)| known == handle);
        let Some((_, prefix)) = known else {
            return Err(self.error("a tag whose handle no %TAG directive names"));
        };
        Ok(prefix.clone() + &suffix)
    }

    fn block_sequence(&mut self, first: bool) -> Result<(Event, Mark), TextError> {
        if first {
            self.skip();
        }
        match self.peek()? {
            Token::BlockEntry => {
                self.skip();
                self.state = State::BlockSequence { first: false };
                if matches!(self.peek()?, Token::BlockEntry | Token::BlockEnd) {
                    return self.empty();
                }
                self.states.push(self.state);
                self.node(true, false)
            }
            Token::BlockEnd => self.close(Event::SequenceEnd),
            _ => Err(self.error("expected another '-' of the list or its end")),
        }
    }

    fn indentless_sequence(&mut self) -> Result<(Event, Mark), TextError> {
        if *self.peek()? != Token::BlockEntry {
            self.pop();
            return Ok((Event::SequenceEnd, self.mark()?));
        }
        self.skip();
        self.state = State::IndentlessSequence;
        if matches!(
            self.peek()?,
            Token::BlockEntry | Token::Key | Token::Value | Token::BlockEnd
        ) {
            return self.empty();
        }
        self.states.push(self.state);
        self.node(true, false)
    }

    fn block_key(&mut self, first: bool) -> Result<(Event, Mark), TextError> {
        if first {
            self.skip();
        }
        match self.peek()? {
            Token::Key => {
                self.skip();
                self.state = State::BlockValue;
                self.block_node_or_nothing()
            }
            Token::BlockEnd => self.close(Event::MappingEnd),
            _ => Err(self.error("expected another key of the mapping or its end")),
        }
    }

    fn block_value(&mut self) -> Result<(Event, Mark), TextError> {
        self.state = State::BlockKey { first: false };
        if *self.peek()? != Token::Value {
            return self.empty();
        }
        self.skip();
        self.block_node_or_nothing()
    }

    fn block_node_or_nothing(&mut self) -> Result<(Event, Mark), TextError> {
        if matches!(self.peek()?, Token::Key | Token::Value | Token::BlockEnd) {
            return self.empty();
        }
        self.states.push(self.state);
        self.node(true, true)
    }

    fn flow_sequence(&mut self, first: bool) -> Result<(Event, Mark), TextError> {
        self.begin_flow_entry(first, &Token::FlowSequenceEnd, "expected ',' or ']'")?;
        match self.peek()? {
            Token::FlowSequenceEnd => self.close(Event::SequenceEnd),
            Token::Key => {
                let mark = self.mark()?;
                self.skip();
                self.state = State::FlowPairKey;
                Ok((Event::MappingStart { anchor: None }, mark))
            }
            _ => {
                self.states.push(State::FlowSequence { first: false });
                self.node(false, false)
            }
        }
    }

    fn flow_pair_key(&mut self) -> Result<(Event, Mark), TextError> {
        self.state = State::FlowPairValue;
        if matches!(
            self.peek()?,
            Token::Value | Token::FlowEntry | Token::FlowSequenceEnd
        ) {
            let empty = self.empty();
            // As in Go's reader, this token is passed over with the key that is not there.
            self.skip();
            return empty;
        }
        self.states.push(self.state);
        self.node(false, false)
    }

    fn flow_pair_value(&mut self) -> Result<(Event, Mark), TextError> {
        self.state = State::FlowPairEnd;
        if *self.peek()? == Token::Value {
            self.skip();
            if !matches!(self.peek()?, Token::FlowEntry | Token::FlowSequenceEnd) {
                self.states.push(self.state);
                return self.node(false, false);
            }
        }
        self.empty()
    }

    fn flow_key(&mut self, first: bool) -> Result<(Event, Mark), TextError> {
        self.begin_flow_entry(first, &Token::FlowMappingEnd, "expected ',' or '}'")?;
        match self.peek()? {
            Token::FlowMappingEnd => self.close(Event::MappingEnd),
            Token::Key => {
                self.skip();
                self.state = State::FlowValue { empty: false };
                if matches!(
                    self.peek()?,
                    Token::Value | Token::FlowEntry | Token::FlowMappingEnd
                ) {
                    return self.empty();
                }
                self.states.push(self.state);
                self.node(false, false)
            }
            _ => {
                self.states.push(State::FlowValue { empty: true });
                self.node(false, false)
            }
        }
    }

    fn flow_value(&mut self, empty: bool) -> Result<(Event, Mark), TextError> {
        self.state = State::FlowKey { first: false };
        if !empty && *self.peek()? == Token::Value {
            self.skip();
            if !matches!(self.peek()?, Token::FlowEntry | Token::FlowMappingEnd) {
                self.states.push(self.state);
                return self.node(false, false);
            }
        }
        self.empty()
    }

    /// Passes over what opens a flow, or over the comma between two entries.
    fn begin_flow_entry(
        &mut self,
        first: bool,
        end: &Token,
        expected: &'static str,
    ) -> Result<(), TextError> {
        if first {
            self.skip();
        } else if self.peek()? != end {
            if *self.peek()? != Token::FlowEntry {
                return Err(self.error(expected));
            }
            self.skip();
        }
        Ok(())
    }

    /// Passes over the end of a collection.
    fn close(&mut self, event: Event) -> Result<(Event, Mark), TextError> {
        let mark = self.mark()?;
        self.skip();
        self.pop();
        Ok((event, mark))
    }
}

/// What `!!` stands for.
pub(super) const CORE_TAGS: &str = "tag:yaml.org,2002:";

const NO_NODE: &str = "expected a value";
