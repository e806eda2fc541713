//! One path of a mask against the schema: segment by segment, each by the type it stands at.

use alloc::collections::btree_set::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use podsapi_proto::schema::{Field, JsonField, Kind, Message, Opaque, SCHEMA_VERSION, Shape};

use super::{MAX_SEGMENT_BYTES, MAX_SEGMENTS, MaskFault, Path, nearest};
use crate::project::Selection;

/// What the next segment may be.
#[derive(Clone, Copy)]
enum Place {
    /// A key, or `*` as the last.
    Map(Field),
    /// A field of the message, or `*` as the last.
    Message(Message),
    /// `*`, or what may follow it in the message.
    Messages(Message),
    /// `*` as the last.
    Scalars(Field),
    /// Nothing.
    Value(Field),
}

/// What a segment leads to.
enum Step {
    /// The whole path selects this.
    Done(Selection),
    /// A field, through an embedded struct where one is named.
    Into(Option<Field>, Field),
    /// What the path had selected before it.
    Stay(Place),
}

/// A segment of a path, without its quotes.
struct Segment {
    start: usize,
    text: String,
    quoted: bool,
}

/// A position in a path that moves forward segment by segment.
struct Cursor<'a> {
    path: &'a Path,
    /// Where the next segment begins, if there is one.
    next: Option<usize>,
    /// How many segments were read.
    count: usize,
    /// Whether a name that is not known is compared with those that are.
    suggest: bool,
}

/// Names that the fault about parentheses spells out: the path before them is in each.
const MAX_ALTERNATIVES: usize = 4;

/// Returns what a path selects of `message`; `suggest` says whether a wrong name is worth the
/// search for the right one.
pub(super) fn path(path: &Path, message: Message, suggest: bool) -> Result<Selection, MaskFault> {
    let mut cursor = Cursor {
        path,
        next: Some(0),
        count: 0,
        suggest,
    };
    let mut fields = Vec::new();
    let mut place = Place::Message(message);
    while let Some(start) = cursor.next {
        place = match cursor.step(start, place, &fields)? {
            Step::Done(selection) => return Ok(selection),
            Step::Into(hop, field) => {
                fields.extend(hop);
                fields.push(field);
                Place::below(field)
            }
            Step::Stay(place) => place,
        };
    }
    Ok(Selection::at(&fields, Selection::All))
}

impl Place {
    fn below(field: Field) -> Self {
        match (field.shape(), field.kind()) {
            (Shape::Map, _) => Self::Map(field),
            (_, Kind::Message(message)) if message.opaque().is_some() => Self::Value(field),
            (Shape::Singular, Kind::Message(message)) => Self::Message(message),
            (Shape::Repeated, Kind::Message(message)) => Self::Messages(message),
            (Shape::Repeated, _) => Self::Scalars(field),
            (Shape::Singular, _) => Self::Value(field),
        }
    }
}

impl Segment {
    fn is_wildcard(&self) -> bool {
        !self.quoted && self.text == "*"
    }

    fn is_index(&self) -> bool {
        !self.quoted && self.text.bytes().all(|byte| byte.is_ascii_digit())
    }
}

impl Cursor<'_> {
    fn step(&mut self, start: usize, place: Place, fields: &[Field]) -> Result<Step, MaskFault> {
        if let Place::Map(map) = place {
            return self.key(start, map, fields).map(Step::Done);
        }
        let segment = self.segment(start)?;
        match place {
            Place::Message(message) if segment.is_wildcard() => {
                if self.next.is_some() {
                    return Err(self.wildcard_not_last(start, message.name()));
                }
                Ok(Step::Stay(place))
            }
            Place::Messages(message) if segment.is_wildcard() => {
                Ok(Step::Stay(Place::Message(message)))
            }
            Place::Messages(_) | Place::Scalars(_) if segment.is_index() => {
                let after = start + segment.text.len();
                Err(self.index(start, start.saturating_sub(1), after))
            }
            Place::Message(message) | Place::Messages(message) => {
                self.field(message, &segment, fields.is_empty())
            }
            Place::Scalars(field) if segment.is_wildcard() => {
                if self.next.is_some() {
                    return Err(self.wildcard_not_last(start, field.name()));
                }
                Ok(Step::Stay(place))
            }
            Place::Map(field) | Place::Scalars(field) | Place::Value(field) => {
                Err(self.below(field, start))
            }
        }
    }

    /// Resolves a name in a message: exactly; or, if it is bare and has underscores, without them
    /// and whatever its case, as libraries that convert the case of paths need it.
    fn field(&self, message: Message, segment: &Segment, at_root: bool) -> Result<Step, MaskFault> {
        let name = &*segment.text;
        if let Some(field) = message.field_named(name) {
            return Ok(Step::Into(None, field));
        }
        if let Some(JsonField { hop, field }) = message.resolve_json(name) {
            return Ok(Step::Into(hop, field));
        }
        if at_root && self.next.is_none() && matches!(name, "apiVersion" | "kind") {
            // JSON names that every object has and no encoded pod: they select nothing.
            return Ok(Step::Done(Selection::nothing()));
        }
        if !segment.quoted && name.contains('_') {
            let folded: String = name.chars().filter(|&c| c != '_').collect();
            let own = message
                .fields()
                .find(|field| field.name().eq_ignore_ascii_case(&folded));
            if let Some(field) = own {
                return Ok(Step::Into(None, field));
            }
            let promoted = nearest::names(message).find(|name| name.eq_ignore_ascii_case(&folded));
            if let Some(found) = promoted.and_then(|name| message.resolve_json(name)) {
                return Ok(Step::Into(found.hop, found.field));
            }
        }
        let (start, owner) = (segment.start, message.name());
        let reason = if let Some(right) =
            nearest::names(message).find(|right| right.eq_ignore_ascii_case(name))
        {
            format!(
                "\"{name}\" (byte {start}) is not a field of {owner}; names are case-sensitive: \
                 did you mean \"{right}\"?"
            )
        } else if let Some(right) = self.nearest(message, name) {
            format!(
                "\"{name}\" (byte {start}) is not a field of {owner}; did you mean \"{right}\"?"
            )
        } else {
            format!(
                "\"{name}\" is not a field of {owner} in this server's schema \
                 (Kubernetes {SCHEMA_VERSION}); a newer field cannot be selected here"
            )
        };
        Err(self.fault(start, reason))
    }

    /// Returns the name that was most likely meant, if it is to be looked for.
    fn nearest(&self, message: Message, wrong: &str) -> Option<&'static str> {
        self.suggest
            .then(|| nearest::name(message, wrong))
            .flatten()
    }

    /// Reads the rest of a path behind a map: one key or `*`.
    fn key(&mut self, start: usize, map: Field, fields: &[Field]) -> Result<Selection, MaskFault> {
        let rest = self.rest(start);
        let bare = rest.bytes().all(is_bare);
        if rest == "*" {
            self.next = None;
            return Ok(Selection::at(fields, Selection::All));
        }
        if !rest.starts_with('`') && !rest.is_empty() && !bare {
            let key = rest
                .find(|c| !u8::try_from(c).is_ok_and(is_bare))
                .and_then(|i| rest.get(..i));
            let key = key.filter(|key| !key.is_empty()).unwrap_or(rest);
            let before = self.path.text.get(..start).unwrap_or_default();
            return Err(self.fault(
                start,
                format!(
                    "\"{key}\" is a key of the map {} and its values have no fields; quote keys \
                     with dots or slashes: {before}`{}`",
                    map.name(),
                    rest.replace('`', "``"),
                ),
            ));
        }
        let segment = self.segment(start)?;
        if let Some(next) = self.next {
            return Err(self.fault(
                next,
                format!(
                    "\"{}\" (byte {next}) stands below a key of the map {}, whose values have no \
                     fields; select {}",
                    self.rest(next),
                    map.name(),
                    self.path
                        .text
                        .get(..next.saturating_sub(1))
                        .unwrap_or_default(),
                ),
            ));
        }
        let keys = BTreeSet::from([segment.text.as_bytes().into()]);
        Ok(Selection::at(fields, Selection::Entries(keys)))
    }

    /// Reads the segment at `start` and moves behind it.
    fn segment(&mut self, start: usize) -> Result<Segment, MaskFault> {
        self.count += 1;
        if self.count > MAX_SEGMENTS {
            let reason = format!("expected at most {MAX_SEGMENTS} segments, found more");
            return Err(self.fault(start, reason));
        }
        let rest = self.rest(start);
        let (text, end, quoted) = if rest.starts_with('`') {
            let (text, end) = self.quoted(start)?;
            (text, end, true)
        } else {
            let length = rest.bytes().take_while(|&byte| byte != b'.').count();
            let bare = rest.get(..length).unwrap_or_default();
            if bare.is_empty() {
                return Err(self.fault(start, format!("empty segment at byte {start}")));
            }
            if bare != "*" {
                self.refuse_reserved(start, rest)?;
            }
            (bare.to_string(), start + length, false)
        };
        if text.len() > MAX_SEGMENT_BYTES {
            let found = text.len();
            let reason =
                format!("expected a segment of at most {MAX_SEGMENT_BYTES} bytes, found {found}");
            return Err(self.fault(start, reason));
        }
        self.next = (end < self.path.text.len()).then_some(end + 1);
        Ok(Segment {
            start,
            text,
            quoted,
        })
    }

    /// Reads a quoted segment; returns its text and where it ends.
    fn quoted(&self, start: usize) -> Result<(String, usize), MaskFault> {
        let mut text = String::new();
        let mut chars = self.rest(start).char_indices().skip(1).peekable();
        while let Some((at, c)) = chars.next() {
            let at = start + at;
            match c {
                '`' if chars.next_if(|&(_, next)| next == '`').is_some() => text.push('`'),
                '`' => {
                    return match chars.peek() {
                        None | Some((_, '.')) => Ok((text, at + 1)),
                        Some(_) => Err(self.fault(
                            at + 1,
                            format!(
                                "expected \".\" or the end behind a quoted key (byte {})",
                                at + 1
                            ),
                        )),
                    };
                }
                ' '..='~' => text.push(c),
                c if self.path.encoded && !c.is_control() => text.push(c),
                _ => {
                    let reason = format!(
                        "byte {at} is not printable ASCII; keys with other characters can be sent \
                         as {}",
                        super::MASK_BIN_HEADER
                    );
                    return Err(self.fault(at, reason));
                }
            }
        }
        Err(self.fault(
            start,
            format!("the quote that begins at byte {start} does not end"),
        ))
    }

    /// Refuses characters that no bare segment has, each with what to write instead.
    fn refuse_reserved(&self, start: usize, rest: &str) -> Result<(), MaskFault> {
        let end = rest.find('.').unwrap_or(rest.len());
        let Some((at, c)) = rest
            .char_indices()
            .take_while(|&(at, _)| at < end)
            .find(|&(_, c)| !u8::try_from(c).is_ok_and(is_bare))
        else {
            return Ok(());
        };
        let at = start + at;
        Err(match c {
            '[' => {
                let close = self
                    .rest(at)
                    .find(']')
                    .map_or(self.path.text.len(), |i| at + i + 1);
                self.index(at, at, close)
            }
            '(' => self.parentheses(at),
            '`' => self.fault(at, format!("a quote (byte {at}) may only begin a segment")),
            '*' => self.fault(
                at,
                format!("\"*\" (byte {at}) must be a segment of its own"),
            ),
            ' ' | '\t' => self.fault(at, format!("a blank (byte {at}) inside a path")),
            ' '..='~' => self.fault(
                at,
                format!("\"{c}\" (byte {at}) is not supported outside backquotes"),
            ),
            _ => self.fault(at, format!("byte {at} is not printable ASCII")),
        })
    }

    fn parentheses(&self, at: usize) -> MaskFault {
        let before = self.path.text.get(..at).unwrap_or_default();
        let inside = self.rest(at + 1).split(')').next().unwrap_or_default();
        let mut instead: Vec<String> = inside
            .split(',')
            .take(MAX_ALTERNATIVES)
            .map(|name| [before.trim_end_matches('.'), name.trim()].join("."))
            .collect();
        if inside.split(',').nth(MAX_ALTERNATIVES).is_some() {
            instead.push("...".to_string());
        }
        self.fault(
            at,
            format!("\"(\" is not supported; write {}", instead.join(",")),
        )
    }

    /// Says that elements cannot be selected by the index between two bytes of the path.
    fn index(&self, at: usize, from: usize, to: usize) -> MaskFault {
        let text = &self.path.text;
        let (before, after) = (text.get(..from), text.get(to..));
        let instead = [before.unwrap_or_default(), after.unwrap_or_default()].concat();
        self.fault(
            at,
            format!("list elements cannot be selected by index; use {instead}"),
        )
    }

    /// Says that nothing can be selected below a value.
    fn below(&self, field: Field, start: usize) -> MaskFault {
        let name = field.name();
        let what = match field.kind() {
            Kind::Message(message) => match message.opaque() {
                Some(Opaque::FieldsV1) => "FieldsV1, a single value",
                Some(Opaque::IntOrString) => "IntOrString, a single value",
                Some(Opaque::Quantity) => "Quantity, a single value",
                Some(Opaque::Time) => "Time, a single value",
                None => message.name(),
            },
            Kind::Bool => "bool without fields",
            Kind::Int32 | Kind::Int64 => "number without fields",
            Kind::String => "string without fields",
            Kind::Bytes => "value of bytes without fields",
        };
        let article = match (field.shape(), what.starts_with("IntOr")) {
            (Shape::Repeated, _) => "a list, each element a",
            (Shape::Map | Shape::Singular, true) => "an",
            (Shape::Map | Shape::Singular, false) => "a",
        };
        let whole = self
            .path
            .text
            .get(..start.saturating_sub(1))
            .unwrap_or_default();
        self.fault(start, format!("{name} is {article} {what}; select {whole}"))
    }

    fn wildcard_not_last(&self, at: usize, whole: &str) -> MaskFault {
        self.fault(
            at,
            format!("\"*\" (byte {at}) must come last: it selects all of {whole}"),
        )
    }

    fn rest(&self, start: usize) -> &str {
        self.path.text.get(start..).unwrap_or_default()
    }

    fn fault(&self, offset: usize, reason: String) -> MaskFault {
        MaskFault::of_path(self.path, offset, reason)
    }
}

/// Tells whether a byte may stand in a bare segment.
const fn is_bare(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}
