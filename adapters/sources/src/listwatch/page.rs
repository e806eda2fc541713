//! One page of a list, read while it comes.

use bytes::Bytes;
use podsapi_proto::json::{MAX_TEXT_BYTES, Value, parse_json};

use super::envelope::{self, MAGIC};
use super::fields::{self, Head, Layout, NoHead};
use super::found::Found;
use crate::tree;

/// A page under way.
#[derive(Debug)]
pub(super) enum Page {
    /// The text so far: it means something only when it is whole.
    Json(Vec<u8>),
    Protobuf(Reader),
}

/// What a whole page says of the list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Meta {
    /// The `resourceVersion` of the list.
    pub(super) version: String,
    /// What to ask for the next page with; empty on the last one.
    pub(super) next: String,
}

impl Page {
    pub(super) fn in_json() -> Self {
        Self::Json(Vec::new())
    }

    /// Reads pods of at most `limit` bytes.
    pub(super) fn in_protobuf(limit: usize) -> Self {
        Self::Protobuf(Reader {
            limit,
            kind: String::new(),
            meta: Meta::default(),
            within: None,
            part: Part::Magic(Vec::new()),
        })
    }

    /// Takes the next bytes and adds the pods that are whole with them to `found`.
    ///
    /// # Errors
    ///
    /// This is no list.
    pub(super) fn push(&mut self, bytes: &[u8], found: &mut Vec<Found>) -> Result<(), String> {
        match self {
            Self::Json(text) => {
                if text.len() + bytes.len() > MAX_TEXT_BYTES {
                    return Err(format!(
                        "a page of more than {MAX_TEXT_BYTES} bytes of JSON"
                    ));
                }
                text.extend_from_slice(bytes);
                Ok(())
            }
            Self::Protobuf(reader) => reader.push(bytes, found),
        }
    }

    /// Takes that there is no more, and adds the pods that are only now known to `found`.
    ///
    /// # Errors
    ///
    /// This is no list, or not all of it.
    pub(super) fn finish(self, limit: usize, found: &mut Vec<Found>) -> Result<Meta, String> {
        let meta = match self {
            Self::Json(text) => list_in_json(&text, limit, found)?,
            Self::Protobuf(reader) => reader.finish()?,
        };
        if meta.version.is_empty() {
            return Err("a list without a resourceVersion".to_owned());
        }
        if meta.version.len() > VERSION_BYTES {
            return Err("a list whose resourceVersion is too long".to_owned());
        }
        if meta.next.len() > META_BYTES {
            return Err("a list whose token for the next page is too long".to_owned());
        }
        Ok(meta)
    }

    /// The bytes that are held.
    pub(super) fn held(&self) -> usize {
        match self {
            Self::Json(text) => text.len(),
            Self::Protobuf(reader) => match &reader.part {
                Part::Magic(read) | Part::Head(read) => read.len(),
                Part::Value { kept, .. } => kept.capacity(),
            },
        }
    }
}

fn list_in_json(text: &[u8], limit: usize, found: &mut Vec<Found>) -> Result<Meta, String> {
    let Value::Map(mut list) = parse_json(text).map_err(|error| error.to_string())? else {
        return Err(foreign("no object"));
    };
    let kind = tree::text(&list, "kind");
    if kind != LIST {
        return Err(foreign(kind));
    }
    let metadata = tree::inner(&list, "metadata");
    let text = |key| metadata.map_or("", |meta| tree::text(meta, key)).to_owned();
    let meta = Meta {
        version: text("resourceVersion"),
        next: text("continue"),
    };
    match list.remove("items") {
        None | Some(Value::Null) => {}
        Some(Value::List(items)) => {
            // One by one, so that the tree and the encoded pods are not there together for long.
            found.extend(items.into_iter().map(|pod| Found::in_json(&pod, limit)));
        }
        Some(_) => return Err("a list whose items are no list".to_owned()),
    }
    Ok(meta)
}

fn foreign(kind: &str) -> String {
    format!("expected a {LIST}, found {kind:?}")
}

/// Reads a `PodList` in its envelope, of which it keeps one value at a time.
#[derive(Debug)]
pub(super) struct Reader {
    limit: usize,
    kind: String,
    meta: Meta,
    /// How many bytes of the list follow; `None` in the envelope around it.
    within: Option<u64>,
    part: Part,
}

/// What is read at the moment.
#[derive(Debug)]
enum Part {
    /// What every envelope begins with, as far as it has come.
    Magic(Vec<u8>),
    /// Tag and length, as far as they have come.
    Head(Vec<u8>),
    Value {
        number: u32,
        /// How much of the value follows.
        rest: u64,
        /// How long it is.
        length: u64,
        kept: Vec<u8>,
        /// How much of it is kept.
        keep: usize,
    },
}

impl Reader {
    fn push(&mut self, mut bytes: &[u8], found: &mut Vec<Found>) -> Result<(), String> {
        while !bytes.is_empty() {
            match &mut self.part {
                Part::Magic(read) => {
                    let (taken, behind) = bytes.split_at(bytes.len().min(MAGIC.len() - read.len()));
                    read.extend_from_slice(taken);
                    bytes = behind;
                    if !MAGIC.starts_with(read) {
                        return Err("expected Kubernetes protobuf, found other bytes".to_owned());
                    }
                    if read.len() == MAGIC.len() {
                        self.part = Part::Head(Vec::new());
                    }
                }
                Part::Head(read) => {
                    let [byte, behind @ ..] = bytes else {
                        return Ok(());
                    };
                    read.push(*byte);
                    bytes = behind;
                    match Head::read(read) {
                        Ok(head) => self.begin(head, found)?,
                        Err(NoHead::Cut) => {}
                        Err(NoHead::Broken) => return Err(BROKEN.to_owned()),
                    }
                }
                Part::Value {
                    rest, kept, keep, ..
                } => {
                    let length = usize::try_from(*rest).unwrap_or(usize::MAX);
                    let (taken, behind) = bytes.split_at(bytes.len().min(length));
                    let room = keep.saturating_sub(kept.len());
                    kept.extend_from_slice(taken.get(..room).unwrap_or(taken));
                    *rest -= taken.len() as u64;
                    bytes = behind;
                    if *rest == 0 {
                        self.end(found);
                    }
                }
            }
        }
        Ok(())
    }

    fn begin(&mut self, head: Head, found: &mut Vec<Found>) -> Result<(), String> {
        let length = match head.layout {
            Layout::Fixed(length) | Layout::Length(length) => length,
            Layout::Varint(_) => 0,
        };
        if let Some(within) = &mut self.within {
            let taken = length.checked_add(head.length as u64);
            let left = taken.and_then(|taken| within.checked_sub(taken));
            *within = left.ok_or("a list with a pod that reaches beyond its end")?;
        } else if head.number == envelope::number::RAW
            && let Layout::Length(length) = head.layout
        {
            self.within = Some(length);
            self.part = Part::Head(Vec::new());
            self.leave();
            return Ok(());
        }
        let keep = match (self.within, head.layout, head.number) {
            (Some(_), Layout::Length(_), number::ITEMS) => match usize::try_from(length) {
                Ok(length) if length <= self.limit => length,
                Ok(_) | Err(_) => BEGINNING_BYTES,
            },
            (Some(_), Layout::Length(_), number::METADATA) | (None, Layout::Length(_), _) => {
                usize::try_from(length)
                    .ok()
                    .filter(|length| *length <= META_BYTES)
                    .ok_or("a list whose metadata is too long")?
            }
            (_, Layout::Fixed(_) | Layout::Length(_) | Layout::Varint(_), _) => 0,
        };
        self.part = Part::Value {
            number: head.number,
            rest: length,
            length,
            kept: Vec::with_capacity(keep),
            keep,
        };
        if length == 0 {
            let is_item = matches!(head.layout, Layout::Length(_));
            if is_item {
                self.end(found);
            } else {
                self.part = Part::Head(Vec::new());
                self.leave();
            }
        }
        Ok(())
    }

    /// Takes the value that is whole.
    fn end(&mut self, found: &mut Vec<Found>) {
        let part = std::mem::replace(&mut self.part, Part::Head(Vec::new()));
        let Part::Value {
            number,
            length,
            kept,
            ..
        } = part
        else {
            return;
        };
        match (self.within.is_some(), number) {
            (true, number::ITEMS) if kept.len() as u64 == length => {
                found.push(Found::in_protobuf(Bytes::from(kept), self.limit));
            }
            (true, number::ITEMS) => {
                let why = format!("expected at most {} bytes, found {length}", self.limit);
                found.push(Found::cut(&kept, why));
            }
            (true, number::METADATA) => {
                self.meta = Meta {
                    version: fields::text(&kept, number::VERSION),
                    next: fields::text(&kept, number::CONTINUE),
                };
            }
            (false, envelope::number::TYPE_META) => self.kind = envelope::kind(&kept),
            (false, envelope::number::CONTENT_ENCODING) if length > 0 => {
                self.kind = "compressed list".to_owned();
            }
            (true | false, _) => {}
        }
        self.leave();
    }

    /// Goes back to the envelope at the end of the list.
    fn leave(&mut self) {
        if self.within == Some(0) {
            self.within = None;
        }
    }

    fn finish(self) -> Result<Meta, String> {
        match &self.part {
            Part::Head(read) if read.is_empty() && self.within.is_none() => {}
            Part::Head(_) | Part::Magic(_) | Part::Value { .. } => {
                return Err("the answer ended before the list did".to_owned());
            }
        }
        if self.kind != LIST {
            return Err(foreign(&self.kind));
        }
        Ok(self.meta)
    }
}

/// What a list of pods calls itself.
const LIST: &str = "PodList";

const BROKEN: &str = "expected a list of pods, found bytes that are no protobuf";

/// As much as is kept of a pod that is too large: its names, which come first.
pub(super) const BEGINNING_BYTES: usize = 64 << 10;

/// As much as the metadata of a list may have: a version and a token are some hundred bytes.
const META_BYTES: usize = 64 << 10;

/// As much as a `resourceVersion` may have, which is part of the next URL: a number, of twenty digits
/// at most.
pub(super) const VERSION_BYTES: usize = 1 << 10;

/// The numbers of the fields of `PodList` and `ListMeta`.
mod number {
    pub(super) const METADATA: u32 = 1;
    pub(super) const ITEMS: u32 = 2;
    pub(super) const VERSION: u32 = 2;
    pub(super) const CONTINUE: u32 = 3;
}
