//! Which fields differ between two encoded forms of a pod, worked out in one walk for all masks.
//!
//! Paths through v1.Pod have numbers ([`Message::path_of`]), so what differs is sets of bits, and what a
//! mask selects is, too. The answer is that of projecting both forms and comparing the bytes:
//!
//! * A field that is selected whole is copied as it is, so it differs if any byte of its records does.
//! * Of a message that is passed through, a head is written for each of its records, and below that only
//!   what is selected: it differs if there are more of them or fewer, else where a selected part does.
//! * Records that stand in another order come out in another order. Where the fields of a message do not
//!   stand in the same order in both forms, nor by their numbers in both, only projecting tells.
//! * So it is for a mask that selects keys of a map that differs.

use core::cmp::Ordering;

use podsapi_proto::schema::{Field, Message, POD_PATHS, Shape};

use super::{Child, Node, Projection};
use crate::wire::{Reader, Record, WireType};

/// Which fields differ between two encoded forms of a pod.
#[derive(Clone, Debug)]
pub(crate) struct Difference {
    /// Fields whose records differ in any byte.
    whole: Paths,
    /// Messages that differ whatever is selected below them.
    through: Paths,
    /// Messages of which only projecting tells.
    unsure: Paths,
}

/// What a projection selects.
#[derive(Clone, Debug)]
pub(crate) struct Selected {
    whole: Paths,
    /// Messages of which a part is selected.
    through: Paths,
    /// Maps of which keys are selected.
    keyed: Paths,
}

/// What is seen of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    Same,
    Differs,
    /// Only projecting tells.
    Compare,
}

/// A set of paths.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Paths {
    words: [u64; WORDS],
    /// Which words are not 0: few are, so that two sets meet in few places.
    used: u32,
}

const WORDS: usize = POD_PATHS.div_ceil(64);

const _: () = assert!(WORDS <= 32, "each word has a bit");

impl Difference {
    /// Walks over both forms side by side.
    pub(crate) fn between(before: &[u8], after: &[u8]) -> Self {
        let mut difference = Self {
            whole: Paths::new(),
            through: Paths::new(),
            unsure: Paths::new(),
        };
        if before != after {
            difference.message(Message::POD, 0, before, after);
        }
        difference
    }

    /// Returns what a mask sees of it that does not select everything: that one sees every difference.
    pub(crate) fn through(&self, selected: &Selected) -> Seen {
        if self.whole.meets(&selected.whole) || self.through.meets(&selected.through) {
            Seen::Differs
        } else if self.unsure.meets(&selected.through) || self.whole.meets(&selected.keyed) {
            Seen::Compare
        } else {
            Seen::Same
        }
    }

    /// Walks over two forms of a message that differ.
    ///
    /// The recursion is as deep as the schema, which bounds it; input cannot deepen it.
    fn message(&mut self, message: Message, path: usize, before: &[u8], after: &[u8]) {
        match alignment(before, after) {
            Some(Alignment::Same) => self.pairs(message, path, before, after),
            Some(Alignment::Ascending) => self.runs(message, path, before, after),
            None => self.unsure.insert(path),
        }
    }

    /// Compares the records of two forms whose fields stand in the same order.
    fn pairs(&mut self, message: Message, path: usize, before: &[u8], after: &[u8]) {
        let (mut before, mut after) = (Reader::new(before), Reader::new(after));
        while let (Ok(Some(one)), Ok(Some(other))) = (before.record(), after.record()) {
            if one.whole != other.whole {
                self.record(message, path, &one, &other);
            }
        }
    }

    /// Compares the records of two forms whose fields stand in the order of their numbers.
    fn runs(&mut self, message: Message, path: usize, before: &[u8], after: &[u8]) {
        let (mut before, mut after) = (Reader::new(before), Reader::new(after));
        let (mut one, mut other) = (next(&mut before), next(&mut after));
        loop {
            let order = match (&one, &other) {
                (None, None) => return,
                (Some(here), Some(there)) => here.tag.field.cmp(&there.tag.field),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
            };
            match (&one, &other) {
                (Some(here), Some(there)) if order.is_eq() => {
                    if here.whole != there.whole {
                        self.record(message, path, here, there);
                    }
                }
                (Some(here), _) if order.is_lt() => self.alone(message, path, here),
                (_, Some(there)) => self.alone(message, path, there),
                (_, None) => return,
            }
            if order.is_le() {
                one = next(&mut before);
            }
            if order.is_ge() {
                other = next(&mut after);
            }
        }
    }

    /// Notes two records of a field that differ.
    fn record(&mut self, message: Message, path: usize, before: &Record<'_>, after: &Record<'_>) {
        let Some((field, step)) = field(message, before.tag.field) else {
            return;
        };
        let path = path + step;
        self.whole.insert(path);
        let Some(inner) = below(field) else {
            return;
        };
        let length = WireType::Length;
        if before.tag.wire_type != length || after.tag.wire_type != length {
            self.unsure.insert(path);
        } else if before.payload != after.payload {
            self.message(inner, path, before.payload, after.payload);
        }
    }

    /// Notes a record of a field that only one of the forms has.
    fn alone(&mut self, message: Message, path: usize, record: &Record<'_>) {
        if let Some((_, step)) = field(message, record.tag.field) {
            self.whole.insert(path + step);
            self.through.insert(path + step);
        }
    }
}

/// How the fields of two forms of a message stand.
enum Alignment {
    /// In the same order.
    Same,
    /// In the order of their numbers.
    Ascending,
}

/// Returns how the fields of both forms stand, if there is an order in which they can be compared.
fn alignment(before: &[u8], after: &[u8]) -> Option<Alignment> {
    let (mut before, mut after) = (Reader::new(before), Reader::new(after));
    let (mut same, mut ascending) = (true, true);
    let (mut last_before, mut last_after) = (0, 0);
    while same || ascending {
        let one = before.record().ok()?.map(|record| record.tag.field);
        let other = after.record().ok()?.map(|record| record.tag.field);
        if one.is_none() && other.is_none() {
            return Some(if same {
                Alignment::Same
            } else {
                Alignment::Ascending
            });
        }
        same &= one == other;
        for (last, field) in [(&mut last_before, one), (&mut last_after, other)] {
            if let Some(field) = field {
                ascending &= *last <= field;
                *last = field;
            }
        }
    }
    None
}

fn next<'a>(reader: &mut Reader<'a>) -> Option<Record<'a>> {
    reader.record().ok().flatten()
}

fn field(message: Message, number: u32) -> Option<(Field, usize)> {
    Some((message.field(number)?, message.path_of(number)?))
}

/// Returns the message whose fields are below a field, if they are.
fn below(field: Field) -> Option<Message> {
    field.message().filter(|_| field.shape() != Shape::Map)
}

impl Selected {
    /// Returns what a projection of pods selects; of one that selects everything, nothing.
    pub(crate) fn of(projection: &Projection) -> Self {
        let mut selected = Self {
            whole: Paths::new(),
            through: Paths::new(),
            keyed: Paths::new(),
        };
        if let Some(root) = &projection.root {
            selected.part(root, 0);
        }
        selected
    }

    fn part(&mut self, node: &Node, path: usize) {
        self.through.insert(path);
        let step = |number| node.message.path_of(number);
        for number in node.whole.iter() {
            if let Some(step) = step(number) {
                self.whole.insert(path + step);
            }
        }
        for (number, child) in node.partial.iter().zip(&node.children) {
            let Some(step) = step(number) else {
                continue;
            };
            match child {
                Child::Entries(_) => self.keyed.insert(path + step),
                Child::Part(node) => self.part(node, path + step),
            }
        }
    }
}

impl Paths {
    const fn new() -> Self {
        Self {
            words: [0; WORDS],
            used: 0,
        }
    }

    fn insert(&mut self, path: usize) {
        if let Some(word) = self.words.get_mut(path / 64) {
            *word |= 1 << (path % 64);
            self.used |= 1 << (path / 64);
        }
    }

    fn meets(&self, other: &Self) -> bool {
        let mut both = self.used & other.used;
        while both != 0 {
            let place = both.trailing_zeros() as usize;
            if let (Some(one), Some(other)) = (self.words.get(place), other.words.get(place))
                && one & other != 0
            {
                return true;
            }
            both &= both - 1;
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use bytes::Bytes;
    use podsapi_proto::schema::Kind;
    use proptest::prelude::*;

    use super::*;
    use crate::mask::FieldMask;
    use crate::project::Selection;
    use crate::wire::{put_bytes, put_varint};

    fn message(fields: &[(u32, &[u8])]) -> Vec<u8> {
        let mut out = Vec::new();
        for (number, payload) in fields {
            put_bytes(*number, payload, &mut out);
        }
        out
    }

    fn selected(mask: &str) -> Selected {
        let mask = FieldMask::parse(mask).unwrap();
        Selected::of(&mask.compile(Message::POD).unwrap())
    }

    /// A pod with a label, containers of these names and images, and a phase.
    fn pod(label: &[u8], containers: &[(&[u8], &[u8])], phase: &[u8]) -> Vec<u8> {
        let label = message(&[(1, b"app"), (2, label)]);
        let metadata = message(&[(1, b"name"), (5, b"uid"), (11, &label)]);
        let containers: Vec<_> = containers
            .iter()
            .map(|(name, image)| message(&[(1, name), (2, image)]))
            .collect();
        let containers: Vec<_> = containers.iter().map(|one| (2, one.as_slice())).collect();
        let status = message(&[(1, phase)]);
        message(&[(1, &metadata), (2, &message(&containers)), (3, &status)])
    }

    #[test]
    fn only_keys_of_maps_and_odd_orders_need_a_comparison() {
        let one: &[(&[u8], &[u8])] = &[(b"a", b"i"), (b"b", b"i")];
        let before = pod(b"web", one, b"Running");
        let phase = pod(b"web", one, b"Failed");
        let image = pod(b"web", &[(b"a", b"i"), (b"b", b"j")], b"Running");
        let label = pod(b"db", one, b"Running");
        let third = pod(b"web", &[one, &[(b"c", b"i")]].concat(), b"Running");
        let without = before[..before.len() - 11].to_vec();
        use Seen::{Compare, Differs, Same};
        for (after, mask, expected) in [
            (&phase, "status.phase", Differs),
            (&phase, "status", Differs),
            (&phase, "status.hostIP,spec,metadata", Same),
            (&image, "spec.containers.image", Differs),
            (&image, "spec.containers.name", Same),
            (&image, "spec", Differs),
            (&image, "spec.initContainers.image,status", Same),
            (&label, "metadata.labels", Differs),
            (&label, "metadata.labels.app", Compare),
            (&label, "metadata.name,metadata.uid", Same),
            (&third, "spec.containers.name", Differs),
            (&third, "spec.containers.resources", Differs),
            (&third, "spec.nodeName", Same),
            (&without, "status.hostIP", Differs),
            (&without, "metadata,spec", Same),
        ] {
            let mask = selected(mask);
            for (one, other) in [(&before, after), (after, &before)] {
                assert_eq!(Difference::between(one, other).through(&mask), expected);
            }
            let same = Difference::between(after, after);
            assert_eq!(same.through(&mask), Same);
        }
    }

    /// A message whose fields stand in the order of their numbers.
    type Fields = Vec<(u32, Value)>;

    #[derive(Clone, Debug)]
    enum Value {
        Number(u8),
        Text(Vec<u8>),
        Message(Fields),
    }

    /// Draws a message; numbers that are used up draw nothing.
    fn drawn(of: Message, draws: &mut impl Iterator<Item = u8>) -> Fields {
        let mut fields = Vec::new();
        for field in of.fields() {
            let Some(draw) = draws.next() else {
                break;
            };
            let repeats = match (draw % 4, field.shape()) {
                (0, _) => continue,
                (3, Shape::Repeated) => 2,
                _ => 1,
            };
            for _ in 0..repeats {
                let value = match field.kind() {
                    Kind::Message(inner) if field.shape() != Shape::Map => {
                        Value::Message(drawn(inner, draws))
                    }
                    Kind::Bool | Kind::Int32 | Kind::Int64 if field.shape() != Shape::Map => {
                        Value::Number(draw % 2)
                    }
                    Kind::Bool
                    | Kind::Int32
                    | Kind::Int64
                    | Kind::String
                    | Kind::Bytes
                    | Kind::Message(_) => Value::Text(message(&[(1, &[draw][..])])),
                };
                fields.push((field.number(), value));
            }
        }
        fields
    }

    /// Changes one thing somewhere below.
    fn edit(fields: &mut Fields, draws: &mut impl Iterator<Item = u8>) {
        let draw = draws.next().unwrap_or_default();
        if fields.is_empty() {
            return;
        }
        let place = usize::from(draw) % fields.len();
        match &mut fields[place].1 {
            Value::Message(inner) if !inner.is_empty() && draw < 200 => edit(inner, draws),
            _ if draw.is_multiple_of(5) => {
                fields.remove(place);
            }
            Value::Message(inner) => inner.clear(),
            Value::Number(number) => *number ^= 1,
            Value::Text(text) => *text = message(&[(1, &[draw ^ 1][..]), (2, b"x")]),
        }
    }

    fn encoded(fields: &Fields) -> Vec<u8> {
        let mut out = Vec::new();
        for (number, value) in fields {
            match value {
                Value::Number(value) => {
                    put_varint(u64::from(*number) << 3, &mut out);
                    put_varint(u64::from(*value), &mut out);
                }
                Value::Text(text) => put_bytes(*number, text, &mut out),
                Value::Message(inner) => put_bytes(*number, &encoded(inner), &mut out),
            }
        }
        out
    }

    /// Draws a path down from a message.
    fn path(mut message: Message, draws: &mut impl Iterator<Item = u8>) -> Vec<Field> {
        let mut path = Vec::new();
        loop {
            let draw = draws.next().unwrap_or_default();
            let fields: Vec<_> = message.fields().collect();
            let Some(field) = fields.get(usize::from(draw) % fields.len().max(1)) else {
                return path;
            };
            path.push(*field);
            match below(*field) {
                Some(inner) if !draw.is_multiple_of(4) => message = inner,
                Some(_) | None => return path,
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn of_pods_in_order_and_masks_without_keys_all_is_known(
            pod in prop::collection::vec(any::<u8>(), 0..400),
            edits in prop::collection::vec(any::<u8>(), 0..30),
            masks in prop::collection::vec(any::<u8>(), 1..24),
        ) {
            let before = drawn(Message::POD, &mut pod.into_iter());
            let mut after = before.clone();
            let mut edits = edits.into_iter();
            while edits.len() > 0 {
                edit(&mut after, &mut edits);
            }
            let (before, after) = (Bytes::from(encoded(&before)), Bytes::from(encoded(&after)));
            let mut masks = masks.into_iter();
            let mut selection = Selection::nothing();
            while masks.len() > 0 {
                selection.add(Selection::at(&path(Message::POD, &mut masks), Selection::All));
            }
            let mask = selection.compile(Message::POD);
            let expected = match mask.apply(&before) == mask.apply(&after) {
                true => Seen::Same,
                false => Seen::Differs,
            };
            let seen = Difference::between(&before, &after).through(&Selected::of(&mask));
            prop_assert_eq!(seen, expected);
        }
    }

    #[test]
    fn a_mask_of_another_message_is_answered_by_projecting() {
        let mask = FieldMask::parse("phase").unwrap();
        let phase = mask.compile(Message::POD_STATUS).unwrap();
        let [running, failed] = [&b"Running"[..], b"Failed"].map(|phase| message(&[(1, phase)]));
        assert_eq!(phase.differs(&running, &failed), Ok(true));
        assert_eq!(phase.differs(&running, &running), Ok(false));
    }

    #[test]
    fn a_message_in_another_order_is_unsure_alone() {
        let metadata = message(&[(1, b"name"), (5, b"uid")]);
        let moved = message(&[(5, b"uid"), (1, b"name")]);
        let status = message(&[(1, b"Running")]);
        let before = message(&[(1, &metadata), (3, &status)]);
        let after = message(&[(1, &moved), (3, &status)]);
        let difference = Difference::between(&before, &after);
        let seen = |mask: &str| difference.through(&selected(mask));
        assert_eq!(seen("metadata.name"), Seen::Compare);
        assert_eq!(seen("metadata"), Seen::Differs);
        assert_eq!(seen("status"), Seen::Same);
        // The same odd order in both is as good as any.
        let renamed = message(&[(5, b"uid"), (1, b"other")]);
        let later = message(&[(1, &renamed), (3, &status)]);
        let difference = Difference::between(&after, &later);
        let seen = |mask: &str| difference.through(&selected(mask));
        assert_eq!(seen("metadata.name"), Seen::Differs);
        assert_eq!(seen("metadata.uid"), Seen::Same);
    }
}
