//! The schema of v1.Pod as a compact constant table that can be walked by number or by name.
//!
//! [`Message`] and [`Field`] are small copyable handles into the table of `schema_pod.rs`, which
//! the test `regenerate` writes from `protos/k8s`. A look-up by number is one indexed load; a
//! look-up by name scans the names of one message (46 at most).
//!
//! ```
//! use podsapi_proto::schema::{Kind, Message};
//!
//! let spec = Message::POD.field(2).expect("v1.Pod has a field 2");
//! assert_eq!(spec.name(), "spec");
//! assert_eq!(spec.message().map(Message::name), Some("PodSpec"));
//! assert_eq!(Message::POD_SPEC.field_named("nodeName").map(|f| f.kind()), Some(Kind::String));
//! ```

pub use crate::schema_pod::SCHEMA_VERSION;
pub use paths::POD_PATHS;

use crate::schema_pod::{MESSAGES, NAMES, SLOTS};

mod paths;

/// A message that is reachable from v1.Pod.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Message(pub(crate) u8);

/// A field of a [`Message`].
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Field {
    number: u8,
    slot: Slot,
}

/// What one value of a field is; for a map, what its values are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(
    clippy::exhaustive_enums,
    reason = "the kinds of a Kubernetes schema are these"
)]
pub enum Kind {
    /// A varint that is 0 or 1.
    Bool,
    /// A varint, sign-extended to 64 bits when negative.
    Int32,
    /// A varint.
    Int64,
    /// UTF-8 text.
    String,
    /// Arbitrary bytes.
    Bytes,
    /// A nested message.
    Message(Message),
}

/// How often a field may occur.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "protobuf knows these three shapes")]
pub enum Shape {
    /// At most one value.
    Singular,
    /// A list.
    Repeated,
    /// A map from strings.
    Map,
}

/// A message whose JSON form is one value and not an object of its fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(
    clippy::exhaustive_enums,
    reason = "a fifth one needs code in every user of the table"
)]
pub enum Opaque {
    /// Raw JSON.
    FieldsV1,
    /// A number or a string.
    IntOrString,
    /// A decimal number with a unit, as a string.
    Quantity,
    /// An RFC 3339 time, as a string.
    Time,
}

/// What Go's JSON output prints for a field that is absent, zero or empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(
    clippy::exhaustive_enums,
    reason = "Go's tags and types allow no other answer"
)]
pub enum ZeroInJson {
    /// The zero, also when the field is absent: the Go field is a plain value without `omitempty`
    /// (`ready: false`), or a plain struct, which `omitempty` does not stop (`lastState: {}`). The
    /// zero of a list, of a map and of a `Time` is `null`.
    Always,
    /// Nothing: the Go field has `omitempty`, or `omitzero`.
    Never,
    /// The zero when it is set and `null` when the field is absent: the Go field is a pointer
    /// without `omitempty`.
    NullWhenAbsent,
    /// The zero when it is set and nothing when the field is absent: the Go field is a pointer with
    /// `omitempty`, or the field is a tombstone, which only older pods name.
    WhenSet,
}

/// What a JSON name of a message stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_structs, reason = "a pair with names")]
pub struct JsonField {
    /// The embedded struct that the name is promoted from, if it is.
    pub hop: Option<Field>,
    /// The field, of the message itself or of the embedded struct.
    pub field: Field,
}

impl Message {
    /// Returns the message's name without its package, such as `PodSpec`.
    pub fn name(self) -> &'static str {
        name_at(self.row().name)
    }

    /// Returns the field with a number, also if it is a tombstone.
    pub fn field(self, number: u32) -> Option<Field> {
        let row = self.row();
        let number = u8::try_from(number)
            .ok()
            .filter(|n| (1..=row.slots).contains(n))?;
        let index = usize::from(row.first) + usize::from(number) - 1;
        let slot = *SLOTS.get(index)?;
        (slot.name != Slot::NONE.name).then_some(Field { number, slot })
    }

    /// Returns the field of this message with exactly this name; embedded structs have theirs.
    pub fn field_named(self, name: &str) -> Option<Field> {
        self.fields().find(|field| field.name() == name)
    }

    /// Returns the fields in ascending order of their numbers, tombstones included.
    pub fn fields(self) -> impl Iterator<Item = Field> {
        (1..=self.row().slots).filter_map(move |number| self.field(u32::from(number)))
    }

    /// Returns what a name in this message's JSON form stands for: a field of its own that is no
    /// embedded struct, or a field promoted from one.
    pub fn resolve_json(self, name: &str) -> Option<JsonField> {
        let own = self.field_named(name).filter(|field| !field.is_hop());
        if let Some(field) = own {
            return Some(JsonField { hop: None, field });
        }
        self.fields()
            .filter(|field| field.is_hop())
            .find_map(|hop| {
                let field = hop.message()?.field_named(name)?;
                Some(JsonField {
                    hop: Some(hop),
                    field,
                })
            })
    }

    /// Returns which single JSON value the message is, if it is one.
    pub fn opaque(self) -> Option<Opaque> {
        self.row().opaque
    }

    fn row(self) -> &'static Row {
        MESSAGES.get(usize::from(self.0)).unwrap_or(&Row::NONE)
    }
}

impl core::fmt::Debug for Message {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.name())
    }
}

impl Field {
    /// Returns the field's number on the wire, 1 to 63.
    pub fn number(self) -> u32 {
        u32::from(self.number)
    }

    /// Returns the field's name, which is the same in protobuf and in JSON.
    pub fn name(self) -> &'static str {
        name_at(self.slot.name)
    }

    /// Returns what one value of the field is; for a map, what its values are.
    pub fn kind(self) -> Kind {
        match self.slot.kind {
            Slot::BOOL => Kind::Bool,
            Slot::INT32 => Kind::Int32,
            Slot::INT64 => Kind::Int64,
            Slot::STRING => Kind::String,
            Slot::BYTES => Kind::Bytes,
            message => Kind::Message(Message(message)),
        }
    }

    /// Returns the message that the field holds, if it holds one.
    pub fn message(self) -> Option<Message> {
        match self.kind() {
            Kind::Message(message) => Some(message),
            Kind::Bool | Kind::Int32 | Kind::Int64 | Kind::String | Kind::Bytes => None,
        }
    }

    /// Returns how often the field may occur.
    pub fn shape(self) -> Shape {
        if self.has(Slot::MAP) {
            Shape::Map
        } else if self.has(Slot::REPEATED) {
            Shape::Repeated
        } else {
            Shape::Singular
        }
    }

    /// Tells whether the field is an embedded struct, whose fields JSON shows one level higher.
    pub fn is_hop(self) -> bool {
        self.has(Slot::HOP)
    }

    /// Tells whether the field was removed in the release that the table is of.
    pub fn is_tombstone(self) -> bool {
        self.has(Slot::TOMBSTONE)
    }

    /// Tells whether the Go field is a pointer, so that it tells a zero from nothing.
    pub fn go_pointer(self) -> bool {
        self.has(Slot::POINTER)
    }

    /// Tells whether the Go field's JSON tag says `omitempty`.
    pub fn go_omitempty(self) -> bool {
        self.has(Slot::OMITEMPTY)
    }

    /// Tells whether the Go field's JSON tag says `omitzero`.
    pub fn go_omitzero(self) -> bool {
        self.has(Slot::OMITZERO)
    }

    /// Returns what Go's JSON output prints for the field when it is absent, zero or empty.
    pub fn zero_in_json(self) -> ZeroInJson {
        let plain_struct = self.shape() == Shape::Singular && self.message().is_some();
        if self.is_tombstone() {
            ZeroInJson::WhenSet
        } else if self.go_pointer() {
            if self.go_omitempty() {
                ZeroInJson::WhenSet
            } else {
                ZeroInJson::NullWhenAbsent
            }
        } else if self.go_omitzero() || (self.go_omitempty() && !plain_struct) {
            ZeroInJson::Never
        } else {
            ZeroInJson::Always
        }
    }

    fn has(self, flag: u8) -> bool {
        self.slot.flags & flag != 0
    }
}

impl core::fmt::Debug for Field {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{}={}", self.name(), self.number)
    }
}

/// One message of the table.
#[derive(Debug)]
pub(crate) struct Row {
    /// Where its name is in [`NAMES`].
    pub(crate) name: u16,
    /// Where its slots begin in [`SLOTS`]; the first slot is of field 1.
    pub(crate) first: u16,
    /// Its highest field number.
    pub(crate) slots: u8,
    pub(crate) opaque: Option<Opaque>,
}

impl Row {
    const NONE: Self = Self {
        name: u16::MAX,
        first: 0,
        slots: 0,
        opaque: None,
    };
}

/// One field of the table, or a number that no field has.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Slot {
    /// Where its name is in [`NAMES`].
    pub(crate) name: u16,
    /// A scalar's code, or the index of a message.
    pub(crate) kind: u8,
    pub(crate) flags: u8,
}

impl Slot {
    pub(crate) const BOOL: u8 = 251;
    pub(crate) const INT32: u8 = 252;
    pub(crate) const INT64: u8 = 253;
    pub(crate) const STRING: u8 = 254;
    pub(crate) const BYTES: u8 = 255;

    pub(crate) const REPEATED: u8 = 1;
    pub(crate) const MAP: u8 = 1 << 1;
    pub(crate) const HOP: u8 = 1 << 2;
    pub(crate) const TOMBSTONE: u8 = 1 << 3;
    pub(crate) const POINTER: u8 = 1 << 4;
    pub(crate) const OMITEMPTY: u8 = 1 << 5;
    pub(crate) const OMITZERO: u8 = 1 << 6;

    pub(crate) const NONE: Self = Self {
        name: u16::MAX,
        kind: Self::BOOL,
        flags: 0,
    };
}

/// Names the table: the same number for two programs whose tables say the same of every field.
///
/// FNV-1a over the names and the slots, of 64 bits.
pub const TABLE_HASH: u64 = table_hash();

#[expect(
    clippy::indexing_slicing,
    reason = "runs in the compiler only, which refuses an index out of bounds"
)]
const fn table_hash() -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325;
    let names = NAMES.as_bytes();
    let mut at = 0;
    while at < names.len() {
        hash = hashed(hash, names[at]);
        at += 1;
    }
    at = 0;
    while at < SLOTS.len() {
        let slot = SLOTS[at];
        let [high, low] = slot.name.to_be_bytes();
        hash = hashed(hashed(hash, high), low);
        hash = hashed(hashed(hash, slot.kind), slot.flags);
        at += 1;
    }
    hash
}

const fn hashed(hash: u64, byte: u8) -> u64 {
    (hash ^ byte as u64).wrapping_mul(0x0100_0000_01b3)
}

/// Returns the name that begins at an offset of [`NAMES`] with its length.
fn name_at(offset: u16) -> &'static str {
    let start = usize::from(offset);
    let Some(&length) = NAMES.as_bytes().get(start) else {
        return "";
    };
    NAMES
        .get(start + 1..start + 1 + usize::from(length))
        .unwrap_or("")
}

#[cfg(test)]
mod tests;
