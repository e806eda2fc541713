//! Selects fields of an encoded message in one pass over its bytes.
//!
//! A [`Projection`] is a compiled field mask: a tree whose nodes hold two sets of field numbers,
//! those that are kept whole and those of which a part is kept, with the children of the latter in
//! the order of their numbers. Records are copied as they are or dropped, one by one and in their
//! order, so that projecting two messages laid end to end gives the two results laid end to end:
//! that property carries protobuf's merging of repeated records through without a decode.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;

use bytes::Bytes;
use podsapi_proto::schema::{Kind, Message, Shape};

use crate::wire::{self, Reader, Record, WireError, WireErrorKind, WireType};

mod differs;
mod paths;
mod selection;
#[cfg(test)]
mod tests;

pub(crate) use differs::{Difference, Seen, Selected};
pub(crate) use selection::Selection;

/// Which fields of a pod are passed on: all of them, or those that a mask selects.
///
/// Two projections are equal when they select the same fields, however their masks were spelled,
/// so a projection is a key for caches. One that selects nothing is not the one that selects all.
///
/// # Examples
///
/// ```
/// use podsapi_core::{FieldMask, Projection};
/// use podsapi_proto::schema::Message;
///
/// let name = FieldMask::parse("metadata.name").and_then(|mask| mask.compile(Message::POD))?;
/// let mut out = Vec::new();
/// name.project(b"\x0a\x06\x0a\x01a\x12\x01u", &mut out)?;
/// assert_eq!(out, b"\x0a\x03\x0a\x01a");
/// assert_ne!(name, Projection::all());
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Projection {
    /// `None` selects everything.
    root: Option<Arc<Node>>,
}

/// What is kept of one message.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Node {
    message: Message,
    /// The fields that are copied whole.
    whole: Numbers,
    /// The fields of which a part is kept.
    partial: Numbers,
    /// What is kept of them, in the order of their numbers.
    children: Box<[Child]>,
    /// The fields of the message that are varints.
    varints: Numbers,
    /// The fields of the message that have a length; lists of numbers are in both sets.
    lengths: Numbers,
}

/// What is kept of a field of which a part is kept.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Child {
    /// The entries of a map that have one of these keys, in ascending order.
    Entries(Box<[Box<[u8]>]>),
    /// A part of the message.
    Part(Node),
}

/// A set of field numbers below 64.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Numbers(u64);

impl Projection {
    /// Returns the projection that selects everything.
    pub const fn all() -> Self {
        Self { root: None }
    }

    /// Tells whether everything is selected.
    pub const fn is_all(&self) -> bool {
        self.root.is_none()
    }

    /// Returns the projection that selects what both select.
    ///
    /// What only one of them selects a part of stays as an empty message where it was, so that
    /// projecting with one and then with the other gives the same bytes as the intersection.
    ///
    /// # Examples
    ///
    /// ```
    /// use podsapi_core::Projection;
    ///
    /// assert!(Projection::all().intersection(&Projection::all()).is_all());
    /// ```
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        match (&self.root, &other.root) {
            (None, _) => other.clone(),
            (_, None) => self.clone(),
            (Some(one), Some(two)) => Selection::of(one)
                .intersection(&Selection::of(two))
                .compile(one.message),
        }
    }

    /// Returns the projection that selects what either selects.
    ///
    /// # Examples
    ///
    /// ```
    /// use podsapi_core::Projection;
    ///
    /// assert!(Projection::all().union(&Projection::all()).is_all());
    /// ```
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        match (&self.root, &other.root) {
            (Some(one), Some(two)) => {
                let mut both = Selection::of(one);
                both.add(Selection::of(two));
                both.compile(one.message)
            }
            (None, _) | (_, None) => Self::all(),
        }
    }

    /// Appends what is selected of an encoded message to `out`, which grows by at most the
    /// message's size.
    ///
    /// # Errors
    ///
    /// The bytes are malformed, or a known field has another wire type than its own at a level of
    /// which a part is selected. `out` is left as it was.
    ///
    /// # Examples
    ///
    /// ```
    /// use podsapi_core::Projection;
    ///
    /// let mut out = Vec::new();
    /// Projection::all().project(b"\x12\x00", &mut out)?;
    /// assert_eq!(out, b"\x12\x00");
    /// # Ok::<(), podsapi_core::WireError>(())
    /// ```
    pub fn project(&self, message: &[u8], out: &mut Vec<u8>) -> Result<(), WireError> {
        let Some(root) = &self.root else {
            out.extend_from_slice(message);
            return Ok(());
        };
        let before = out.len();
        out.reserve(message.len());
        root.project(message, 0, out)
            .inspect_err(|_| out.truncate(before))
    }

    /// Tells whether the selected part differs between two encoded messages: as if both were projected and
    /// the bytes compared; between two pods, at the price of one walk over what differs where their fields stand in the order of
    /// their numbers and no keys of a map are selected that differs.
    ///
    /// # Errors
    ///
    /// As [`Projection::project`], where projecting was needed.
    ///
    /// # Examples
    ///
    /// ```
    /// use podsapi_core::FieldMask;
    /// use podsapi_proto::schema::Message;
    ///
    /// let (before, after) = (b"\x1a\x03\x0a\x01a", b"\x1a\x03\x0a\x01b");
    /// let phase = FieldMask::parse("status.phase")?.compile(Message::POD)?;
    /// assert_eq!(phase.differs(before, after), Ok(true));
    /// let name = FieldMask::parse("metadata.name,status.hostIP")?.compile(Message::POD)?;
    /// assert_eq!(name.differs(before, after), Ok(false));
    /// # Ok::<(), podsapi_core::MaskError>(())
    /// ```
    pub fn differs(&self, before: &[u8], after: &[u8]) -> Result<bool, WireError> {
        let Some(root) = &self.root else {
            return Ok(before != after);
        };
        let seen = match root.message {
            Message::POD => Difference::between(before, after).through(&Selected::of(self)),
            _ => Seen::Compare,
        };
        match seen {
            Seen::Same => Ok(false),
            Seen::Differs => Ok(true),
            Seen::Compare => {
                let (mut one, mut other) = (Vec::new(), Vec::new());
                self.project(before, &mut one)?;
                self.project(after, &mut other)?;
                Ok(one != other)
            }
        }
    }

    /// Returns the selected part of an encoded pod; everything shares the bytes.
    ///
    /// A pod was checked when it entered, so it is well-formed.
    pub(crate) fn apply(&self, pod: &Bytes) -> Bytes {
        if self.is_all() {
            return pod.clone();
        }
        let mut out = Vec::new();
        let projected = self.project(pod, &mut out);
        debug_assert!(projected.is_ok(), "the pod was checked when it entered");
        out.shrink_to_fit();
        out.into()
    }
}

impl Node {
    /// Appends the part of `bytes` that this node selects. `base` is the offset of `bytes` in the
    /// outermost message.
    ///
    /// The recursion is as deep as the mask, which the schema bounds; input cannot deepen it.
    fn project(&self, bytes: &[u8], base: usize, out: &mut Vec<u8>) -> Result<(), WireError> {
        let mut reader = Reader::new(bytes);
        loop {
            let start = reader.position();
            let Some(record) = reader.record().map_err(|error| error.moved_by(base))? else {
                return Ok(());
            };
            self.check(&record, base + start)?;
            let number = record.tag.field;
            if self.whole.contains(number) {
                out.extend_from_slice(record.whole);
            } else if let Some(child) = self.child(number) {
                let payload_at = base + reader.position() - record.payload.len();
                child.project(&record, payload_at, out)?;
            }
        }
    }

    /// Refuses a record of a field that this message has with another wire type.
    fn check(&self, record: &Record<'_>, at: usize) -> Result<(), WireError> {
        let field = record.tag.field;
        let fits = match record.tag.wire_type {
            WireType::Varint => self.varints.contains(field),
            WireType::Length => self.lengths.contains(field),
            WireType::EndGroup | WireType::Fixed32 | WireType::Fixed64 | WireType::StartGroup => {
                false
            }
        };
        if fits || !self.varints.or(self.lengths).contains(field) {
            return Ok(());
        }
        Err(WireErrorKind::WireType {
            field,
            found: record.tag.wire_type.bits(),
        }
        .at(at))
    }

    fn child(&self, number: u32) -> Option<&Child> {
        self.partial
            .contains(number)
            .then(|| self.children.get(self.partial.count_below(number)))
            .flatten()
    }
}

impl Child {
    /// Appends the selected part of a length-delimited record whose payload lies at `payload_at`.
    fn project(
        &self,
        record: &Record<'_>,
        payload_at: usize,
        out: &mut Vec<u8>,
    ) -> Result<(), WireError> {
        match self {
            Self::Entries(keys) => {
                let key = entry_key(record.payload, payload_at)?;
                if keys
                    .binary_search_by(|probe| probe.as_ref().cmp(key))
                    .is_ok()
                {
                    out.extend_from_slice(record.whole);
                }
                Ok(())
            }
            Self::Part(node) => {
                // The part is not longer than the whole, so its length takes no more bytes: they
                // are reserved, and taken back where the length turns out to need fewer.
                let head = out.len();
                wire::put_head(record.tag.field, record.payload.len(), out);
                let body = out.len();
                node.project(record.payload, payload_at, out)?;
                let length = out.len() - body;
                if length != record.payload.len() {
                    wire::replace_head(record.tag.field, head, body, out);
                }
                Ok(())
            }
        }
    }
}

/// Returns the key of a map entry: the last one that it names, or the empty one.
fn entry_key(entry: &[u8], at: usize) -> Result<&[u8], WireError> {
    let mut reader = Reader::new(entry);
    let mut key: &[u8] = &[];
    loop {
        let start = reader.position();
        let Some(record) = reader.record().map_err(|error| error.moved_by(at))? else {
            return Ok(key);
        };
        match (record.tag.field, record.tag.wire_type) {
            (1, WireType::Length) => key = record.payload,
            (field @ (1 | 2), found) if found != WireType::Length => {
                return Err(WireErrorKind::WireType {
                    field,
                    found: found.bits(),
                }
                .at(at + start));
            }
            _ => {}
        }
    }
}

impl Numbers {
    fn insert(&mut self, number: u32) {
        self.0 |= 1_u64.checked_shl(number).unwrap_or_default();
    }

    const fn contains(self, number: u32) -> bool {
        number < u64::BITS && self.0 >> number & 1 == 1
    }

    const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns how many members are smaller than `number`, which is below 64.
    const fn count_below(self, number: u32) -> usize {
        (self.0 & ((1_u64 << number) - 1)).count_ones() as usize
    }

    /// Returns the members in ascending order.
    fn iter(self) -> impl Iterator<Item = u32> {
        (0..u64::BITS).filter(move |&number| self.contains(number))
    }
}

/// Returns which wire types the fields of a message have: varints first, then lengths.
fn wire_types(message: Message) -> (Numbers, Numbers) {
    let (mut varints, mut lengths) = (Numbers::default(), Numbers::default());
    for field in message.fields() {
        let number = matches!(field.kind(), Kind::Bool | Kind::Int32 | Kind::Int64);
        if number && field.shape() != Shape::Map {
            varints.insert(field.number());
        }
        if !number || field.shape() != Shape::Singular {
            lengths.insert(field.number());
        }
    }
    (varints, lengths)
}
