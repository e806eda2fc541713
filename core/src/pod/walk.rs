//! The walk that checks all nesting of an encoded pod against the schema without recursion.

use core::ops::Range;

use podsapi_proto::schema::{Kind, Message, Shape};
use smallvec::SmallVec;

use super::{Layout, field};
use crate::wire::{MAX_DEPTH, Reader, Tag, WireError, WireErrorKind, WireType};

/// What the walk of a pod found.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Whether every string that the schema knows is UTF-8.
    pub(super) utf8: bool,
    pub(super) uid: Range<usize>,
    pub(super) namespace: Range<usize>,
    pub(super) name: Range<usize>,
    pub(super) layout: Layout,
}

/// Walks the bytes of a `Pod`.
pub(super) fn pod(bytes: &[u8]) -> Result<Found, WireError> {
    walk(bytes, Message::POD, 0)
}

/// Walks the bytes of a `PodStatus`, which is served inside a pod.
pub(super) fn status(bytes: &[u8]) -> Result<(), WireError> {
    walk(bytes, Message::POD_STATUS, 1).map(|_| ())
}

/// A message that is being walked, and how far.
#[derive(Debug)]
struct Frame {
    level: Level,
    end: usize,
    previous_field: u32,
}

/// What the fields of a message are looked up in.
#[derive(Clone, Copy, Debug)]
enum Level {
    Message(Message),
    /// An entry of a map: a string as field 1, a value of this kind as field 2.
    Entry(Kind),
}

/// What the schema expects behind a field number.
#[derive(Clone, Copy, Debug)]
enum Expected {
    Bytes,
    Integer {
        repeated: bool,
    },
    Nested(Level),
    Text,
    /// The schema does not know the number.
    Unknown,
}

/// Walks the bytes of a message that stands this many levels below the outermost one.
fn walk(bytes: &[u8], root: Message, above: usize) -> Result<Found, WireError> {
    let mut found = Found {
        utf8: true,
        ..Found::default()
    };
    found.layout.fields_ascend = true;
    let mut reader = Reader::new(bytes);
    let mut stack = SmallVec::<[Frame; 12]>::new();
    stack.push(Frame::new(Level::Message(root), bytes.len()));
    loop {
        let depth = above + stack.len();
        let Some(frame) = stack.last_mut() else {
            return Ok(found);
        };
        let start = reader.position();
        if start == frame.end {
            stack.pop();
            continue;
        }
        let end = frame.end;
        let tag = reader.tag(end)?;
        found.layout.fields_ascend &= frame.previous_field <= tag.field;
        frame.previous_field = tag.field;
        let in_metadata = matches!(frame.level, Level::Message(Message::OBJECT_META)) && depth == 2;
        match frame.level.expected(tag.field) {
            Expected::Unknown => reader.skip(tag, start, depth, end)?,
            Expected::Integer { repeated } => integers(&mut reader, tag, start, repeated, end)?,
            Expected::Bytes => {
                let range = length_delimited(&mut reader, tag, start, end)?;
                reader.move_to(range.end);
            }
            Expected::Text => {
                let range = length_delimited(&mut reader, tag, start, end)?;
                reader.move_to(range.end);
                let text = bytes.get(range.clone()).unwrap_or_default();
                found.utf8 = found.utf8 && core::str::from_utf8(text).is_ok();
                if in_metadata {
                    found.identity(tag.field, range);
                }
            }
            Expected::Nested(level) => {
                let range = length_delimited(&mut reader, tag, start, end)?;
                if depth >= MAX_DEPTH {
                    return Err(WireErrorKind::TooDeep.at(start));
                }
                if depth == 1 {
                    found.part(tag.field, range.clone());
                }
                stack.push(Frame::new(level, range.end));
            }
        }
    }
}

/// Reads one integer, or several in a row where the field is repeated.
fn integers(
    reader: &mut Reader<'_>,
    tag: Tag,
    start: usize,
    repeated: bool,
    end: usize,
) -> Result<(), WireError> {
    match tag.wire_type {
        WireType::Varint => reader.varint(end).map(|_| ()),
        WireType::Length if repeated => {
            let packed_end = reader.length(end)?;
            while reader.position() < packed_end {
                reader.varint(packed_end)?;
            }
            Ok(())
        }
        WireType::Length
        | WireType::Fixed32
        | WireType::Fixed64
        | WireType::StartGroup
        | WireType::EndGroup => Err(wrong_wire_type(tag, start)),
    }
}

/// Reads a length and returns where the payload lies; the reader stands at its beginning.
fn length_delimited(
    reader: &mut Reader<'_>,
    tag: Tag,
    start: usize,
    end: usize,
) -> Result<Range<usize>, WireError> {
    if tag.wire_type != WireType::Length {
        return Err(wrong_wire_type(tag, start));
    }
    let payload_end = reader.length(end)?;
    Ok(reader.position()..payload_end)
}

fn wrong_wire_type(tag: Tag, start: usize) -> WireError {
    let found = tag.wire_type.bits();
    WireErrorKind::WireType {
        field: tag.field,
        found,
    }
    .at(start)
}

impl Frame {
    fn new(level: Level, end: usize) -> Self {
        Self {
            level,
            end,
            previous_field: 0,
        }
    }
}

impl Level {
    fn expected(self, number: u32) -> Expected {
        match self {
            Self::Message(message) => match message.field(number) {
                None => Expected::Unknown,
                Some(field) => match field.shape() {
                    Shape::Map => Expected::Nested(Self::Entry(field.kind())),
                    Shape::Repeated => Expected::value(field.kind(), true),
                    Shape::Singular => Expected::value(field.kind(), false),
                },
            },
            Self::Entry(value) => match number {
                ENTRY_KEY => Expected::Text,
                ENTRY_VALUE => Expected::value(value, false),
                _ => Expected::Unknown,
            },
        }
    }
}

impl Expected {
    fn value(kind: Kind, repeated: bool) -> Self {
        match kind {
            Kind::Bool | Kind::Int32 | Kind::Int64 => Self::Integer { repeated },
            Kind::Bytes => Self::Bytes,
            Kind::String => Self::Text,
            Kind::Message(message) => Self::Nested(Level::Message(message)),
        }
    }
}

impl Found {
    /// Notes a string of the pod's metadata; of several, the last one counts.
    fn identity(&mut self, number: u32, range: Range<usize>) {
        match number {
            field::NAME => self.name = range,
            field::NAMESPACE => self.namespace = range,
            field::UID => self.uid = range,
            _ => {}
        }
    }

    /// Notes where a part of the pod lies.
    fn part(&mut self, number: u32, range: Range<usize>) {
        match number {
            field::METADATA => self.layout.metadata.add(range),
            field::SPEC => self.layout.spec.add(range),
            field::STATUS => self.layout.status.add(range),
            _ => {}
        }
    }
}

/// The number of the key in an entry of a map, fixed by protobuf.
const ENTRY_KEY: u32 = 1;

/// The number of the value in an entry of a map, fixed by protobuf.
const ENTRY_VALUE: u32 = 2;
