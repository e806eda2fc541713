//! The messages below v1.Pod, read from their definitions and from the facts about their Go types.

use std::collections::BTreeMap;
use std::fs;

use prost_types::field_descriptor_proto::{Label, Type};
use prost_types::{DescriptorProto, FieldDescriptorProto};

/// A message with its fields in ascending order of their numbers.
pub(crate) struct Message {
    pub(crate) name: String,
    pub(crate) fields: Vec<Field>,
}

pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) number: i32,
    pub(crate) shape: Shape,
    pub(crate) kind: Kind,
    /// The words of go-tags.txt.
    pub(crate) flags: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    Singular,
    Repeated,
    Map,
}

#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    Scalar(Type),
    Message(String),
}

impl Field {
    pub(crate) fn is(&self, flag: &str) -> bool {
        self.flags.iter().any(|f| f == flag)
    }

    pub(crate) fn message(&self) -> Option<&str> {
        match &self.kind {
            Kind::Message(name) => Some(name),
            Kind::Scalar(_) => None,
        }
    }
}

/// Reads every message that v1.Pod reaches, ordered by name.
pub(crate) fn pod_closure() -> Vec<Message> {
    let set = super::compile(&["k8s/core_v1.proto"], false);
    let mut descriptors = BTreeMap::new();
    for file in &set.file {
        assert!(
            file.extension.is_empty() && file.enum_type.is_empty(),
            "{}",
            file.name()
        );
        for message in &file.message_type {
            let full = format!(".{}.{}", file.package(), message.name());
            descriptors.insert(full, message.clone());
        }
    }
    let tags = go_tags();
    let mut used = 0;
    let mut messages = Vec::new();
    for descriptor in descriptors.values() {
        let fields = fields(descriptor, &tags);
        used += fields.len();
        messages.push(Message {
            name: descriptor.name().to_owned(),
            fields,
        });
    }
    assert_eq!(
        used,
        tags.len() - 1,
        "go-tags.txt has lines for fields that no definition has"
    );
    messages.sort_by(|a, b| a.name.cmp(&b.name));
    messages
}

/// Returns the version that the facts are of.
pub(crate) fn version() -> String {
    go_tags()
        .remove("version")
        .expect("go-tags.txt names a version")
        .remove(0)
}

fn go_tags() -> BTreeMap<String, Vec<String>> {
    let text = fs::read_to_string(super::root().join("protos/k8s/go-tags.txt")).unwrap();
    let mut tags = BTreeMap::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let mut words = line.split(' ').map(str::to_owned);
        let field = words.next().unwrap();
        assert!(
            tags.insert(field, words.collect()).is_none(),
            "{line} occurs twice"
        );
    }
    tags
}

fn fields(message: &DescriptorProto, tags: &BTreeMap<String, Vec<String>>) -> Vec<Field> {
    let mut fields: Vec<Field> = message
        .field
        .iter()
        .map(|f| field(message, f, tags))
        .collect();
    fields.sort_by_key(|field| field.number);
    fields
}

fn field(
    message: &DescriptorProto,
    field: &FieldDescriptorProto,
    tags: &BTreeMap<String, Vec<String>>,
) -> Field {
    let path = format!("{}.{}", message.name(), field.name());
    assert!(field.oneof_index.is_none(), "{path} is in a oneof");
    assert!(field.extendee.is_none(), "{path} is an extension");
    assert_ne!(field.label(), Label::Required, "{path} is required");
    assert_ne!(field.r#type(), Type::Group, "{path} is a group");
    let entry = message.nested_type.iter().find(|nested| {
        let name = format!(".{}.{}", message.name(), nested.name());
        field.type_name().ends_with(&name)
    });
    let (shape, kind) = match entry {
        Some(entry) => {
            assert!(
                entry.options.as_ref().is_some_and(|o| o.map_entry()),
                "{path} is nested"
            );
            let [key, value] = entry.field.as_slice() else {
                panic!("{path} is no map")
            };
            assert_eq!(
                key.r#type(),
                Type::String,
                "{path} has keys that are no strings"
            );
            (Shape::Map, kind(value))
        }
        None if field.label() == Label::Repeated => (Shape::Repeated, kind(field)),
        None => (Shape::Singular, kind(field)),
    };
    Field {
        name: field.name().to_owned(),
        number: field.number(),
        shape,
        kind,
        flags: tags
            .get(&path)
            .unwrap_or_else(|| panic!("go-tags.txt has no {path}"))
            .clone(),
    }
}

fn kind(field: &FieldDescriptorProto) -> Kind {
    if field.r#type() == Type::Message {
        let name = field.type_name().rsplit('.').next().unwrap();
        Kind::Message(name.to_owned())
    } else {
        Kind::Scalar(field.r#type())
    }
}
