//! Encoded pods as lists of records, in all the forms that a decoder has to accept.

use podsapi_proto::schema::{Field, Kind, Message, Shape};

use super::Choices;

/// One field of a message as it lies on the wire.
#[derive(Clone, Debug)]
pub struct Record {
    /// The field's number, also one that the message does not have.
    pub number: u32,
    /// Tag, length and payload.
    pub bytes: Vec<u8>,
    /// What is known of the payload.
    pub inner: Inner,
    /// Whether a reader that comes by must refuse it.
    pub flawed: bool,
}

/// What is known of a record's payload.
#[derive(Clone, Debug)]
pub enum Inner {
    /// No mask reaches into it.
    Value,
    /// It is a message with fields that can be selected.
    Message(Vec<Record>),
    /// It is an entry of a map.
    Entry {
        /// The last key that the entry names, or the empty one.
        key: Vec<u8>,
        /// Whether a reader that looks for the key must refuse the entry.
        flawed: bool,
    },
}

/// Which things are drawn that decoders do not agree on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Oddities {
    /// Entries of maps with fields that are neither key nor value.
    pub unknown_in_entries: bool,
}

/// Keys that the pods and the masks have in common; some need quotes.
pub(super) const KEYS: [&str; 9] = ["a", "b", "", "app", "a.b/c", "x`y", "*", "k,k", "2-Mi_"];

/// How many records a pod may have in all.
const MAX_RECORDS: usize = 120;

/// Draws a pod.
pub fn pod(choices: &mut Choices<'_>, oddities: Oddities) -> Vec<Record> {
    let mut pods = Pods {
        choices,
        oddities,
        left: MAX_RECORDS,
    };
    pods.records(Message::POD)
}

/// Returns the bytes of records that follow each other.
pub fn bytes_of(records: &[Record]) -> Vec<u8> {
    records
        .iter()
        .flat_map(|record| record.bytes.iter().copied())
        .collect()
}

impl Record {
    /// Returns a record into which no mask reaches.
    pub(super) fn value(number: u32, bytes: Vec<u8>) -> Self {
        Self {
            number,
            bytes,
            inner: Inner::Value,
            flawed: false,
        }
    }
}

/// A pod that is being drawn.
struct Pods<'c, 'b> {
    choices: &'c mut Choices<'b>,
    oddities: Oddities,
    left: usize,
}

impl Pods<'_, '_> {
    fn records(&mut self, message: Message) -> Vec<Record> {
        let mut records = Vec::new();
        let fields: Vec<Field> = message.fields().collect();
        // The pod itself has few fields; with the usual share of records it would mostly be empty.
        let most = if message == Message::POD { 9 } else { 6 };
        for _ in 0..self.choices.below(most) {
            if self.left == 0 || fields.is_empty() {
                break;
            }
            self.left -= 1;
            if self.choices.once_in(10) {
                records.push(self.unknown(message));
                continue;
            }
            let field = *self.choices.pick(&fields);
            records.push(self.known(field));
            // Again, so that lists have elements and singular fields have duplicates.
            while self.choices.once_in(3) && self.left > 0 {
                self.left -= 1;
                records.push(self.known(field));
            }
        }
        if self.choices.once_in(8) && records.len() > 1 {
            let (one, two) = (
                self.choices.below(records.len()),
                self.choices.below(records.len()),
            );
            records.swap(one, two);
        }
        records
    }

    fn known(&mut self, field: Field) -> Record {
        let number = field.number();
        match (field.shape(), field.kind()) {
            (Shape::Map, kind) => self.entry(number, kind),
            (_, Kind::Message(message)) => {
                let records = self.records(message);
                let bytes = self.length_delimited(number, &bytes_of(&records));
                let inner = if message.opaque().is_some() {
                    Inner::Value
                } else {
                    Inner::Message(records)
                };
                Record {
                    number,
                    bytes,
                    inner,
                    flawed: false,
                }
            }
            (shape, kind) => {
                let bytes = self.scalar(number, kind, shape == Shape::Repeated);
                Record::value(number, bytes)
            }
        }
    }

    /// Returns a record of a scalar, or of several packed ones where that is allowed.
    fn scalar(&mut self, number: u32, kind: Kind, repeated: bool) -> Vec<u8> {
        match kind {
            Kind::Bool | Kind::Int32 | Kind::Int64 if repeated && self.choices.once_in(2) => {
                let mut packed = Vec::new();
                for _ in 0..self.choices.below(4) {
                    self.put_number(&mut packed);
                }
                self.length_delimited(number, &packed)
            }
            Kind::Bool | Kind::Int32 | Kind::Int64 => {
                let mut out = Vec::new();
                self.put_tag(number, 0, &mut out);
                self.put_number(&mut out);
                out
            }
            Kind::String => {
                let text = *self.choices.pick(&TEXTS);
                self.length_delimited(number, text.as_bytes())
            }
            Kind::Bytes => {
                let bytes: Vec<u8> = (0..self.choices.below(4))
                    .map(|_| self.choices.byte())
                    .collect();
                self.length_delimited(number, &bytes)
            }
            Kind::Message(message) => {
                let records = self.records(message);
                self.length_delimited(number, &bytes_of(&records))
            }
        }
    }

    /// Returns an entry of a map: mostly a key and a value, sometimes what else an entry can be.
    fn entry(&mut self, number: u32, value: Kind) -> Record {
        let mut key = *self.choices.pick(&KEYS);
        let head = |key: &str| (1, key.as_bytes().to_vec());
        let value = self.scalar(2, value, false);
        let mut parts = vec![head(key), (2, value)];
        match self.choices.below(16) {
            10 => parts.reverse(),
            11 => {
                key = *self.choices.pick(&KEYS);
                parts.push(head(key));
            }
            12 => {
                key = "";
                parts.remove(0);
            }
            13 => {
                parts.remove(1);
            }
            14 => {
                key = "";
                parts.clear();
            }
            15 if self.oddities.unknown_in_entries => {
                let at = self.choices.below(parts.len() + 1);
                let unknown = self.unknown_record(3);
                parts.insert(at, (2, unknown));
            }
            _ => {}
        }
        let mut payload = Vec::new();
        for (part, bytes) in parts {
            if part == 1 {
                payload.extend(self.length_delimited(1, &bytes));
            } else {
                payload.extend(bytes);
            }
        }
        Record {
            number,
            bytes: self.length_delimited(number, &payload),
            inner: Inner::Entry {
                key: key.as_bytes().to_vec(),
                flawed: false,
            },
            flawed: false,
        }
    }

    /// Returns a record of a field that `message` does not have.
    fn unknown(&mut self, message: Message) -> Record {
        let free: Vec<u32> = [19, 20, 50, 63, 64, 65, 100, 2_047, 70_000, (1 << 29) - 1]
            .into_iter()
            .chain(message.fields().last().map(|field| field.number() + 1))
            .filter(|&number| message.field(number).is_none())
            .collect();
        let number = *self.choices.pick(&free);
        Record::value(number, self.unknown_record(number))
    }

    fn unknown_record(&mut self, number: u32) -> Vec<u8> {
        let mut out = Vec::new();
        match self.choices.below(6) {
            0 => {
                self.put_tag(number, 0, &mut out);
                self.put_number(&mut out);
            }
            1 => {
                self.put_tag(number, 1, &mut out);
                out.extend([0, 1, 2, 3, 4, 5, 6, 7]);
            }
            2 => {
                self.put_tag(number, 5, &mut out);
                out.extend([0xff; 4]);
            }
            3 => self.put_group(number, 4, &mut out),
            4 => out = self.length_delimited(number, &[]),
            _ => out = self.length_delimited(number, b"\x0a\x01x"),
        }
        out
    }

    /// Appends a group; what is in it looks like fields of the message around it.
    fn put_group(&mut self, number: u32, depth: usize, out: &mut Vec<u8>) {
        self.put_tag(number, 3, out);
        for _ in 0..self.choices.below(3) {
            let inner = 1 + u32::from(self.choices.byte() % 5);
            if depth > 0 && self.choices.once_in(2) {
                self.put_group(inner, depth - 1, out);
            } else {
                out.extend(self.length_delimited(inner, b"g"));
            }
        }
        self.put_tag(number, 4, out);
    }

    fn length_delimited(&mut self, number: u32, payload: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(payload.len() + 4);
        self.put_tag(number, 2, &mut out);
        self.put_varint(payload.len() as u64, 5, &mut out);
        out.extend_from_slice(payload);
        out
    }

    fn put_tag(&mut self, number: u32, wire_type: u8, out: &mut Vec<u8>) {
        self.put_varint(u64::from(number) << 3 | u64::from(wire_type), 5, out);
    }

    fn put_number(&mut self, out: &mut Vec<u8>) {
        let number = *self.choices.pick(&NUMBERS);
        self.put_varint(number, 10, out);
    }

    /// Appends a varint, once in a while in more bytes than it needs, up to `longest`.
    fn put_varint(&mut self, mut value: u64, longest: usize, out: &mut Vec<u8>) {
        let start = out.len();
        while value >= 0x80 {
            out.push(value.to_le_bytes()[0] | 0x80);
            value >>= 7;
        }
        out.push(value.to_le_bytes()[0]);
        let room = longest.saturating_sub(out.len() - start);
        if room > 0 && self.choices.once_in(24) {
            if let Some(last) = out.last_mut() {
                *last |= 0x80;
            }
            let more = 1 + self.choices.below(room);
            out.extend(vec![0x80; more - 1]);
            out.push(0);
        }
    }
}

/// Values of strings: short ones, and one whose length makes that of a message take two bytes.
const TEXTS: [&str; 6] = [
    "",
    "a",
    "node-1",
    "\u{fc}\u{1f980}",
    "10Mi",
    "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
];

/// Values of numbers, among them what only fits 64 bits and what is negative.
const NUMBERS: [u64; 7] = [0, 1, 2, 300, 1 << 31, 1 << 40, u64::MAX];
