//! The text of `src/schema_pod.rs`.

use std::collections::BTreeMap;
use std::fmt::Write;

use prost_types::field_descriptor_proto::Type;

use crate::checks::OPAQUE;
use crate::messages::{Field, Kind, Message, Shape, version};

/// Messages that code names: the constant and the message.
const NAMED: [(&str, &str); 6] = [
    ("CONTAINER", "Container"),
    ("OBJECT_META", "ObjectMeta"),
    ("POD", "Pod"),
    ("POD_SPEC", "PodSpec"),
    ("POD_STATUS", "PodStatus"),
    ("TIME", "Time"),
];

pub(crate) fn text(messages: &[Message]) -> String {
    let index: BTreeMap<&str, usize> = messages
        .iter()
        .enumerate()
        .map(|(i, message)| (message.name.as_str(), i))
        .collect();
    let names = Names::of(messages);
    let mut rows = String::new();
    let mut slots = String::new();
    let mut first = 0;
    for message in messages {
        let length = message.fields.last().map_or(0, |field| field.number);
        let opaque = OPAQUE.iter().find(|name| **name == message.name);
        let opaque = opaque.map_or_else(|| "None".to_owned(), |o| format!("Some(Opaque::{o})"));
        let name = names.offset(&message.name);
        writeln!(
            rows,
            "    row({name}, {first}, {length}, {opaque}), // {}",
            message.name
        )
        .unwrap();
        writeln!(slots, "    // {}", message.name).unwrap();
        for number in 1..=length {
            match message.fields.iter().find(|field| field.number == number) {
                Some(field) => slot(&mut slots, field, &names, &index),
                None => slots.push_str("    Slot::NONE,\n"),
            }
        }
        first += length;
    }
    let mut text = super::HEADER.to_owned();
    write!(
        text,
        "\nuse crate::schema::{{Message, Opaque, Row, Slot}};\n\n\
         /// The Kubernetes release that the table is of.\n\
         pub const SCHEMA_VERSION: &str = \"{}\";\n\nimpl Message {{\n",
        version()
    )
    .unwrap();
    for (constant, name) in NAMED {
        writeln!(text, "    /// The message `{name}`.").unwrap();
        writeln!(
            text,
            "    pub const {constant}: Self = Self({});",
            index[name]
        )
        .unwrap();
    }
    text.push_str("}\n\n");
    writeln!(
        text,
        "pub(crate) static MESSAGES: [Row; {}] = [\n{rows}];\n",
        messages.len()
    )
    .unwrap();
    writeln!(
        text,
        "pub(crate) static SLOTS: [Slot; {first}] = [\n{slots}];\n"
    )
    .unwrap();
    writeln!(text, "/// Each name after its length.").unwrap();
    writeln!(
        text,
        "pub(crate) static NAMES: &str = concat!(\n{});\n",
        names.text
    )
    .unwrap();
    text.push_str(
        "const fn row(name: u16, first: u16, slots: u8, opaque: Option<Opaque>) -> Row {\n    \
         Row { name, first, slots, opaque }\n}\n\n\
         const fn slot(name: u16, kind: u8, flags: u8) -> Slot {\n    \
         Slot { name, kind, flags }\n}\n",
    );
    text
}

fn slot(out: &mut String, field: &Field, names: &Names, index: &BTreeMap<&str, usize>) {
    let kind = match &field.kind {
        Kind::Message(name) => index[name.as_str()].to_string(),
        Kind::Scalar(Type::Bool) => "Slot::BOOL".to_owned(),
        Kind::Scalar(Type::Bytes) => "Slot::BYTES".to_owned(),
        Kind::Scalar(Type::Int32) => "Slot::INT32".to_owned(),
        Kind::Scalar(Type::Int64) => "Slot::INT64".to_owned(),
        Kind::Scalar(Type::String) => "Slot::STRING".to_owned(),
        Kind::Scalar(other) => panic!("{} is a {other:?}", field.name),
    };
    let mut flags = Vec::new();
    match field.shape {
        Shape::Map => flags.push("Slot::MAP"),
        Shape::Repeated => flags.push("Slot::REPEATED"),
        Shape::Singular => {}
    }
    for flag in &field.flags {
        flags.push(match flag.as_str() {
            "embedded" => "Slot::HOP",
            "omitempty" => "Slot::OMITEMPTY",
            "omitzero" => "Slot::OMITZERO",
            "pointer" => "Slot::POINTER",
            "removed" => "Slot::TOMBSTONE",
            other => panic!("{}: go-tags.txt says {other}", field.name),
        });
    }
    let flags = if flags.is_empty() {
        "0".to_owned()
    } else {
        flags.join(" | ")
    };
    let name = names.offset(&field.name);
    writeln!(out, "    slot({name}, {kind}, {flags}), // {}", field.name).unwrap();
}

/// The blob of names and where each begins.
struct Names {
    text: String,
    offsets: BTreeMap<String, usize>,
}

impl Names {
    fn of(messages: &[Message]) -> Self {
        let fields = messages
            .iter()
            .flat_map(|m| m.fields.iter().map(|field| &field.name));
        let mut sorted: Vec<&String> = messages.iter().map(|m| &m.name).chain(fields).collect();
        sorted.sort();
        sorted.dedup();
        let mut names = Self {
            text: String::new(),
            offsets: BTreeMap::new(),
        };
        let mut offset = 0;
        for name in sorted {
            writeln!(names.text, "    \"\\x{:02x}\", \"{name}\",", name.len()).unwrap();
            names.offsets.insert(name.clone(), offset);
            offset += 1 + name.len();
        }
        assert!(offset < usize::from(u16::MAX));
        names
    }

    fn offset(&self, name: &str) -> usize {
        self.offsets[name]
    }
}
