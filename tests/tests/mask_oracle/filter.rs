//! Masks on decoded messages: an interpreter of paths and a filter that know nothing of the server's.

use std::fs;
use std::path::{Path, PathBuf};

use prost_reflect::{
    DescriptorPool, DynamicMessage, FieldDescriptor, Kind, MessageDescriptor, ReflectMessage as _,
    Value,
};

/// The structs that Go embeds: their fields are one level higher in JSON than in protobuf.
const EMBEDDED: [(&str, &str); 10] = [
    ("Volume", "volumeSource"),
    ("Probe", "handler"),
    ("EphemeralContainer", "ephemeralContainerCommon"),
    ("ConfigMapVolumeSource", "localObjectReference"),
    ("SecretProjection", "localObjectReference"),
    ("ConfigMapProjection", "localObjectReference"),
    ("ConfigMapEnvSource", "localObjectReference"),
    ("SecretEnvSource", "localObjectReference"),
    ("ConfigMapKeySelector", "localObjectReference"),
    ("SecretKeySelector", "localObjectReference"),
];

/// The messages that are one value in JSON.
const SINGLE_VALUES: [&str; 4] = ["Time", "Quantity", "IntOrString", "FieldsV1"];

/// The schema of a pod as the definitions have it.
#[derive(Debug)]
pub(crate) struct Oracle {
    pod: MessageDescriptor,
}

/// A step from a message into one of its fields, or from a map to one of its entries.
#[derive(Clone, Debug, PartialEq)]
enum Step {
    Field(u32),
    Key(String),
}

impl Oracle {
    pub(crate) fn new() -> Self {
        let files = protox::compile(["k8s/core_v1.proto"], [protos()]).unwrap();
        let pool = DescriptorPool::from_file_descriptor_set(files).unwrap();
        let pod = pool.get_message_by_name("k8s.io.api.core.v1.Pod").unwrap();
        Self { pod }
    }

    pub(crate) fn decode(&self, pod: &[u8]) -> DynamicMessage {
        let mut message = DynamicMessage::decode(self.pod.clone(), pod)
            .unwrap_or_else(|error| panic!("{error}: {pod:02x?}"));
        clear_empty_lists(&mut message);
        message
    }

    /// Returns a new message with what the mask selects of a decoded one.
    pub(crate) fn filter(&self, mask: &str, pod: &DynamicMessage) -> DynamicMessage {
        let mut paths = Vec::new();
        for element in elements(mask, ',') {
            let element = element.trim_matches([' ', '\t']);
            if !matches!(element, "" | "apiVersion" | "kind") {
                paths.push(self.resolve(element));
            }
        }
        if paths.is_empty() && !mask.contains("apiVersion") && !mask.contains("kind") {
            return pod.clone();
        }
        let paths: Vec<&[Step]> = paths.iter().map(Vec::as_slice).collect();
        if paths.contains(&[].as_slice()) {
            return pod.clone();
        }
        filter(pod, &paths)
    }

    /// Returns every path of names of JSON, depth first; fields that were removed are left out.
    pub(crate) fn paths(&self) -> Vec<String> {
        let mut out = Vec::new();
        all_paths(&self.pod, "", &go_tags("removed"), &mut out);
        out
    }

    /// Tells whether a path, which has no key, leads to something in a message.
    pub(crate) fn reaches(&self, path: &str, message: &DynamicMessage) -> bool {
        reaches(&Value::Message(message.clone()), &self.resolve(path))
    }

    /// Follows a path from the pod on; what is not in the schema is a panic.
    fn resolve(&self, path: &str) -> Vec<Step> {
        let mut steps = Vec::new();
        let mut message = Some(self.pod.clone());
        let mut map = false;
        for segment in elements(path, '.') {
            if segment == "*" {
                // All of what was reached, or each element of it.
                continue;
            }
            if map {
                steps.push(Step::Key(unquoted(segment)));
                continue;
            }
            let here = message
                .take()
                .unwrap_or_else(|| panic!("{path}: {segment}"));
            let field = named(&here, segment).unwrap_or_else(|| {
                let inner = embedded(&here).unwrap_or_else(|| panic!("{path}: {segment}"));
                steps.push(Step::Field(inner.number()));
                inner
                    .kind()
                    .as_message()
                    .and_then(|inner| named(inner, segment))
                    .unwrap_or_else(|| panic!("{path}: {segment}"))
            });
            steps.push(Step::Field(field.number()));
            map = field.is_map();
            message = field.kind().as_message().cloned();
        }
        steps
    }
}

/// Makes lists without elements absent: a packed record of no numbers leaves one that is not equal
/// to an absent one, though it is not there to be copied either.
fn clear_empty_lists(message: &mut DynamicMessage) {
    for field in message.descriptor().fields() {
        if field.is_list() && !message.has_field(&field) {
            message.clear_field(&field);
        }
    }
    for (_, value) in message.fields_mut() {
        if let Some(inner) = value.as_message_mut() {
            clear_empty_lists(inner);
        } else if let Some(list) = value.as_list_mut() {
            list.iter_mut()
                .filter_map(Value::as_message_mut)
                .for_each(clear_empty_lists);
        }
    }
}

/// Returns the part of a message to which at least one path leads.
fn filter(message: &DynamicMessage, paths: &[&[Step]]) -> DynamicMessage {
    let mut part = DynamicMessage::new(message.descriptor());
    for (field, value) in message.fields() {
        let below = behind(&Step::Field(field.number()), paths);
        if below.iter().any(|rest| rest.is_empty()) {
            part.set_field(&field, value.clone());
        } else if !below.is_empty() {
            let value = inside(value, &below);
            // A map of no entries is an absent one.
            if !matches!(&value, Value::Map(entries) if entries.is_empty()) {
                part.set_field(&field, value);
            }
        }
    }
    part
}

/// Returns the part of a field's value to which at least one path leads, and none ends at.
fn inside(value: &Value, paths: &[&[Step]]) -> Value {
    if let Some(message) = value.as_message() {
        return Value::Message(filter(message, paths));
    }
    if let Some(list) = value.as_list() {
        return Value::List(list.iter().map(|value| inside(value, paths)).collect());
    }
    let mut chosen = value.as_map().expect("a path ends at a scalar").clone();
    chosen.retain(|key, _| {
        let key = key.as_str().expect("every key of the schema is a string");
        !behind(&Step::Key(key.into()), paths).is_empty()
    });
    Value::Map(chosen)
}

/// Returns what follows a step in the paths that begin with it.
fn behind<'a>(step: &Step, paths: &[&'a [Step]]) -> Vec<&'a [Step]> {
    paths
        .iter()
        .filter_map(|path| path.split_first())
        .filter(|(first, _)| *first == step)
        .map(|(_, rest)| rest)
        .collect()
}

/// Returns the field that a segment names: as it is, or without underscores whatever its case.
fn named(message: &MessageDescriptor, segment: &str) -> Option<FieldDescriptor> {
    let quoted = segment.starts_with('`');
    let name = unquoted(segment);
    message.get_field_by_name(&name).or_else(|| {
        let folded = name.replace('_', "");
        message.fields().find(|field| {
            !quoted && name.contains('_') && field.name().eq_ignore_ascii_case(&folded)
        })
    })
}

fn embedded(message: &MessageDescriptor) -> Option<FieldDescriptor> {
    EMBEDDED
        .iter()
        .find(|(owner, _)| *owner == message.name())
        .and_then(|(_, field)| message.get_field_by_name(field))
}

fn unquoted(segment: &str) -> String {
    match segment.strip_prefix('`').and_then(|s| s.strip_suffix('`')) {
        Some(inner) => inner.replace("``", "`"),
        None => segment.into(),
    }
}

/// Splits at a separator that does not stand between backquotes.
fn elements(text: &str, separator: char) -> Vec<&str> {
    let mut quoted = false;
    text.split(|c| {
        quoted ^= c == '`';
        c == separator && !quoted
    })
    .collect()
}

fn reaches(value: &Value, steps: &[Step]) -> bool {
    match (value, steps.split_first()) {
        (Value::List(list), _) => list.iter().any(|value| reaches(value, steps)),
        (Value::Map(entries), _) => !entries.is_empty(),
        (Value::Message(message), Some((Step::Field(number), rest))) => {
            let value = message
                .fields()
                .find(|(field, _)| field.number() == *number);
            value.is_some_and(|(_, value)| reaches(value, rest))
        }
        (_, rest) => rest.is_none(),
    }
}

fn all_paths(message: &MessageDescriptor, prefix: &str, removed: &[String], out: &mut Vec<String>) {
    let hop = embedded(message);
    for field in message.fields() {
        if removed.contains(&format!("{}.{}", message.name(), field.name())) {
            continue;
        }
        if Some(&field) == hop.as_ref() {
            if let Kind::Message(inner) = field.kind() {
                all_paths(&inner, prefix, removed, out);
            }
            continue;
        }
        let path = if prefix.is_empty() {
            field.name().into()
        } else {
            format!("{prefix}.{}", field.name())
        };
        out.push(path.clone());
        if let Kind::Message(inner) = field.kind()
            && !SINGLE_VALUES.contains(&inner.name())
            && !field.is_map()
        {
            all_paths(&inner, &path, removed, out);
        }
    }
}

/// Returns the fields of which the facts about the Go types say `word`.
pub(crate) fn go_tags(word: &str) -> Vec<String> {
    let tags = fs::read_to_string(protos().join("k8s/go-tags.txt")).unwrap();
    tags.lines()
        .filter(|line| !line.starts_with('#'))
        .filter(|line| line.split(' ').skip(1).any(|tag| tag == word))
        .filter_map(|line| line.split(' ').next().map(Into::into))
        .collect()
}

/// Returns the embedded structs that are known here, as `Message.field`.
pub(crate) fn embedded_structs() -> impl Iterator<Item = String> {
    EMBEDDED
        .iter()
        .map(|(owner, field)| [*owner, *field].join("."))
}

fn protos() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../proto/protos")
}
