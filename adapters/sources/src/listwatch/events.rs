//! The events of a watch, cut out of its stream.

use bytes::Bytes;
use podsapi_proto::json::{MAX_TEXT_BYTES, Value, parse_json};

use super::answer::Refusal;
use super::envelope::Envelope;
use super::fields::{self, share};
use super::found::Found;
use super::page::BEGINNING_BYTES;
use crate::tree;

/// What a watch says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// `ADDED` or `MODIFIED`.
    Put(Found),
    /// `DELETED`.
    Deleted(Found),
    /// `BOOKMARK`: all before this `resourceVersion` was told.
    Bookmark(String),
    /// `ERROR`: the watch is over.
    Error(Refusal),
    /// A type that is not known.
    Foreign(String),
}

/// The stream of a watch, as far as it has come.
#[derive(Debug)]
pub(super) enum Stream {
    /// One object a line.
    Json { line: Vec<u8> },
    /// Four bytes of length, then an event; what it is about is in an envelope, the event is not.
    Protobuf(Frame),
}

/// A frame under way.
#[derive(Debug, Default)]
pub(super) struct Frame {
    length: Vec<u8>,
    body: Option<Body>,
}

#[derive(Debug)]
struct Body {
    length: usize,
    rest: usize,
    kept: Vec<u8>,
    keep: usize,
}

impl Stream {
    pub(super) fn in_json() -> Self {
        Self::Json { line: Vec::new() }
    }

    pub(super) fn in_protobuf() -> Self {
        Self::Protobuf(Frame::default())
    }

    /// Takes the next bytes and adds the events that are whole with them to `events`.
    ///
    /// # Errors
    ///
    /// These are no events, or one of which nobody can say what it is about.
    pub(super) fn push(
        &mut self,
        bytes: &[u8],
        limit: usize,
        events: &mut Vec<Event>,
    ) -> Result<(), String> {
        match self {
            Self::Json { line } => {
                for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
                    if line.len() + piece.len() > MAX_TEXT_BYTES {
                        return Err(format!("an event of more than {MAX_TEXT_BYTES} bytes"));
                    }
                    line.extend_from_slice(piece);
                    if piece.ends_with(b"\n") {
                        let whole = std::mem::take(line);
                        events.extend(event_in_json(&whole, limit)?);
                    }
                }
                Ok(())
            }
            Self::Protobuf(frame) => frame.push(bytes, limit, events),
        }
    }

    /// Takes that there is no more.
    ///
    /// # Errors
    ///
    /// The stream was cut within an event.
    pub(super) fn finish(self, limit: usize, events: &mut Vec<Event>) -> Result<(), String> {
        let whole = match self {
            Self::Json { line } => match event_in_json(&line, limit) {
                Ok(event) => {
                    events.extend(event);
                    true
                }
                Err(_) => false,
            },
            Self::Protobuf(frame) => frame.length.is_empty() && frame.body.is_none(),
        };
        match whole {
            true => Ok(()),
            false => Err("the watch was cut within an event".to_owned()),
        }
    }

    /// The bytes that are held.
    pub(super) fn held(&self) -> usize {
        match self {
            Self::Json { line } => line.len(),
            Self::Protobuf(frame) => {
                let body = frame.body.as_ref();
                frame.length.len() + body.map_or(0, |body| body.kept.capacity())
            }
        }
    }
}

impl Frame {
    fn push(
        &mut self,
        mut bytes: &[u8],
        limit: usize,
        events: &mut Vec<Event>,
    ) -> Result<(), String> {
        while !bytes.is_empty() {
            let Some(body) = &mut self.body else {
                let room = LENGTH_BYTES - self.length.len();
                let (taken, behind) = bytes.split_at(bytes.len().min(room));
                self.length.extend_from_slice(taken);
                bytes = behind;
                if let Ok(length) = <[u8; LENGTH_BYTES]>::try_from(self.length.as_slice()) {
                    let length = u32::from_be_bytes(length) as usize;
                    self.length.clear();
                    if length == 0 {
                        return Err(format!("an event of {length} bytes"));
                    }
                    let keep = match length <= limit + BEGINNING_BYTES {
                        true => length,
                        false => BEGINNING_BYTES,
                    };
                    self.body = Some(Body {
                        length,
                        rest: length,
                        kept: Vec::with_capacity(keep),
                        keep,
                    });
                }
                continue;
            };
            let (taken, behind) = bytes.split_at(bytes.len().min(body.rest));
            let room = body.keep - body.kept.len();
            body.kept
                .extend_from_slice(taken.get(..room).unwrap_or(taken));
            body.rest -= taken.len();
            bytes = behind;
            // Looked at before the rest of what may be the length of something else.
            if body.kept.first() != Some(&number::TYPE_TAG) {
                return Err("expected an event in protobuf, found other bytes".to_owned());
            }
            if body.rest == 0 {
                let length = body.length;
                let kept = std::mem::take(&mut body.kept);
                self.body = None;
                events.push(event_in_protobuf(&Bytes::from(kept), length, limit)?);
            }
        }
        Ok(())
    }
}

/// Reads an event of `length` bytes, of which `frame` may be only the beginning.
fn event_in_protobuf(frame: &Bytes, length: usize, limit: usize) -> Result<Event, String> {
    let (object, whole) = fields::last(frame, number::OBJECT);
    let (raw, _) = fields::last(object.unwrap_or_default(), number::RAW);
    let envelope = Envelope::open(raw.unwrap_or_default());
    let object = envelope
        .as_ref()
        .map_or(&[][..], |envelope| envelope.object);
    let complete =
        frame.len() == length && whole && envelope.as_ref().is_some_and(|envelope| envelope.whole);
    let found = || match complete {
        true => Found::in_protobuf(share(frame, object), limit),
        false if frame.len() < length => {
            let why = format!("expected at most {limit} bytes, found {length} with its event");
            Found::cut(object, why)
        }
        false => Found::cut(object, "an event that cannot be read whole".to_owned()),
    };
    Ok(match fields::text(frame, number::TYPE).as_str() {
        "ADDED" | "MODIFIED" => Event::Put(found()),
        "DELETED" => Event::Deleted(found()),
        "BOOKMARK" => Event::Bookmark(found().names.version),
        "ERROR" => Event::Error(Refusal::in_protobuf(object)),
        "" => return Err(NO_EVENT.to_owned()),
        other => Event::Foreign(other.to_owned()),
    })
}

/// Reads a line, which may be empty.
fn event_in_json(line: &[u8], limit: usize) -> Result<Option<Event>, String> {
    if line.trim_ascii().is_empty() {
        return Ok(None);
    }
    let event = parse_json(line).map_err(|error| error.to_string())?;
    let event = event.as_map().ok_or(NO_EVENT)?;
    let nothing = Value::Null;
    let object = event.get("object").unwrap_or(&nothing);
    Ok(Some(match tree::text(event, "type") {
        "ADDED" | "MODIFIED" => Event::Put(Found::in_json(object, limit)),
        "DELETED" => Event::Deleted(Found::in_json(object, limit)),
        "BOOKMARK" => Event::Bookmark(Found::in_json(object, limit).names.version),
        "ERROR" => Event::Error(Refusal::in_json(object)),
        "" => return Err(NO_EVENT.to_owned()),
        other => Event::Foreign(other.to_owned()),
    }))
}

const NO_EVENT: &str = "expected an event of a watch, found something else";

/// The bytes of a frame's length.
const LENGTH_BYTES: usize = 4;

/// The numbers of the fields of `WatchEvent` and `RawExtension`.
mod number {
    pub(super) const TYPE: u32 = 1;
    /// How the type is announced; API servers write it first.
    pub(super) const TYPE_TAG: u8 = 0x0a;
    pub(super) const OBJECT: u32 = 2;
    pub(super) const RAW: u32 = 1;
}
