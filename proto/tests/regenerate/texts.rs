//! The text of `src/generated/texts.rs`: which fields of which messages hold texts.

use std::collections::BTreeMap;
use std::fmt::Write;

use prost_types::field_descriptor_proto::Type;
use prost_types::{DescriptorProto, FieldDescriptorProto};

use crate::rust;

/// A message: its definition, and its type in Rust.
struct Message {
    definition: DescriptorProto,
    rust: String,
}

/// Returns the file with an implementation for every message of every module.
pub(crate) fn text() -> String {
    let messages = messages();
    let mut text = format!(
        "{}\nuse crate::text::{{Field, Holds, Texts}};\n",
        super::HEADER
    );
    for message in messages.values() {
        let fields = fields(&message.definition, &messages);
        let list = match fields.as_str() {
            "" => "&[]".to_owned(),
            fields => format!("&[\n{fields}    ]"),
        };
        write!(
            text,
            "\nimpl Texts for crate::{} {{\n    const TEXTS: &'static [Field] = {list};\n}}\n",
            message.rust
        )
        .unwrap();
    }
    text.push_str(
        "\nconst fn text(number: u32, name: &'static str) -> Field {\n    \
         Field { number, name, holds: Holds::Text }\n}\n\n\
         const fn inner(number: u32, name: &'static str, fields: &'static [Field]) -> Field {\n    \
         Field { number, name, holds: Holds::Message(fields) }\n}\n",
    );
    text
}

/// Returns all messages by their full names.
fn messages() -> BTreeMap<String, Message> {
    let texts: BTreeMap<_, _> = rust::modules().into_iter().collect();
    let mut messages = BTreeMap::new();
    for (module, files, package) in rust::definitions() {
        let mut set = super::compile(files, false);
        rust::carry_pods_as_bytes(&mut set);
        // The types are found by their names, whose spelling is up to prost.
        let types: BTreeMap<String, &str> = texts[module]
            .lines()
            .filter_map(|line| line.strip_prefix("pub struct "))
            .map(|rest| rest.split(' ').next().unwrap())
            .map(|name| (name.to_lowercase(), name))
            .collect();
        let own = set
            .file
            .into_iter()
            .filter(|file| file.package() == package.trim_start_matches('.'));
        for definition in own.flat_map(|file| file.message_type) {
            let Some(name) = types.get(&definition.name().replace('_', "").to_lowercase()) else {
                continue;
            };
            let rust = format!("{module}::{name}");
            let full = format!("{package}.{}", definition.name());
            let before = messages.insert(full, Message { definition, rust });
            assert!(before.is_none(), "two modules have {module}.{name}");
        }
    }
    messages
}

/// Returns a line for each field that holds texts, by their numbers.
fn fields(message: &DescriptorProto, messages: &BTreeMap<String, Message>) -> String {
    let mut fields: Vec<_> = message.field.iter().collect();
    fields.sort_by_key(|field| field.number());
    let lines = fields.into_iter().filter_map(|field| {
        let made = made(message, field, field.name(), messages)?;
        Some(format!("        {made},\n"))
    });
    lines.collect()
}

/// Returns the expression for a field, none when it holds no texts.
fn made(
    message: &DescriptorProto,
    field: &FieldDescriptorProto,
    name: &str,
    messages: &BTreeMap<String, Message>,
) -> Option<String> {
    let number = field.number();
    let kind = field.r#type();
    assert_ne!(kind, Type::Group, "{}.{name}", message.name());
    if kind == Type::String {
        return Some(format!("text({number}, {name:?})"));
    }
    if kind != Type::Message {
        return None;
    }
    let nested = message.nested_type.iter().find(|nested| {
        let inner = format!(".{}.{}", message.name(), nested.name());
        field.type_name().ends_with(&inner)
    });
    if let Some(nested) = nested {
        let is_entry = nested.options.as_ref().is_some_and(|o| o.map_entry());
        let made = nested.field.iter().filter_map(|field| {
            let name = if is_entry { "" } else { field.name() };
            made(nested, field, name, messages)
        });
        let made: Vec<_> = made.collect();
        return (!made.is_empty())
            .then(|| format!("inner({number}, {name:?}, &[{}])", made.join(", ")));
    }
    let inner = messages
        .get(field.type_name())
        .unwrap_or_else(|| panic!("{}.{name}: {}", message.name(), field.type_name()));
    (!fields(&inner.definition, messages).is_empty()).then(|| {
        format!(
            "inner({number}, {name:?}, <crate::{} as Texts>::TEXTS)",
            inner.rust
        )
    })
}
