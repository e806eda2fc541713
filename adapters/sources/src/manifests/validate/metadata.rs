//! What a pod's metadata may be.

use podsapi_proto::json::{Map, Value, parse_json};

use super::format::{Format, is_printable, lower_case};
use super::place::{Faults, Place};
use super::rule::{NOT_NEGATIVE, Row, Rule, has_form, obey};
use super::scheduling;

/// Checks a pod's metadata.
pub(super) fn check(metadata: &Place<'_>, faults: &mut Faults) {
    obey(metadata, METADATA, faults);
    if !metadata.text("generateName").is_empty() {
        let name = with_masked_dash(metadata.text("generateName"));
        has_form(
            &name,
            Format::Subdomain,
            &metadata.at("generateName"),
            faults,
        );
    }
    labels(metadata, "labels", faults);
    annotations(metadata, faults);
    owners(metadata, faults);
    finalizers(metadata, faults);
    for entry in metadata.each("managedFields") {
        obey(&entry, MANAGED_FIELDS, faults);
        let manager = entry.text("manager");
        let wrong = manager.len() > LONGEST_MANAGER_BYTES || !manager.chars().all(is_printable);
        faults.add_if(
            wrong,
            &entry.at("manager"),
            "must be at most 128 printable characters",
        );
        let long = entry.text("subresource").len() > LONGEST_SUBRESOURCE_BYTES;
        faults.add_if(
            long,
            &entry.at("subresource"),
            "must be at most 256 characters",
        );
    }
}

/// Checks a map of labels.
pub(super) fn labels(place: &Place<'_>, key: &str, faults: &mut Faults) {
    for (name, value) in place.entries(key) {
        if !Format::LabelKey.holds(name) {
            let fault = format!("the key {}", Format::LabelKey.advice());
            faults.add(&place.at_key(key, name), fault);
        }
        has_form(value, Format::LabelValue, &place.at_key(key, name), faults);
    }
}

/// A name that more is put behind may end with a dash; a kubelet then looks at one letter less.
fn with_masked_dash(name: &str) -> String {
    match name.strip_suffix('-').filter(|rest| !rest.is_empty()) {
        Some(rest) if rest.is_ascii() => {
            let mut rest = rest.to_owned();
            rest.pop();
            rest.push('a');
            rest
        }
        Some(_) | None => name.to_owned(),
    }
}

fn annotations(metadata: &Place<'_>, faults: &mut Faults) {
    let annotations = metadata.entries("annotations");
    let mut bytes = 0;
    for (name, value) in &annotations {
        if !Format::LabelKey.holds(&lower_case(name)) {
            let fault = format!("the key {}", Format::LabelKey.advice());
            faults.add(&metadata.at_key("annotations", name), fault);
        }
        // A kubelet adds this one after it has looked.
        if *name != super::SOURCE_ANNOTATION {
            bytes += name.len() + value.len();
        }
    }
    if bytes > MOST_ANNOTATION_BYTES {
        let fault = format!("must be at most {MOST_ANNOTATION_BYTES} bytes, keys and values");
        faults.add(&metadata.at("annotations"), fault);
    }
    for (name, value) in annotations {
        let path = metadata.at_key("annotations", name);
        match name {
            DELETION_COST => {
                let first = value.starts_with(['-', '1', '2', '3', '4', '5', '6', '7', '8', '9']);
                let good = (first || value == "0") && value.parse::<i32>().is_ok();
                faults.add_if(!good, &path, "must be a whole number of 32 bits");
            }
            TOLERATIONS if !value.is_empty() => annotated_tolerations(value, &path, faults),
            _ => {}
        }
    }
}

/// Checks tolerations that an old client wrote as text.
fn annotated_tolerations(text: &str, path: &str, faults: &mut Faults) {
    const WRONG: &str = "must be a list of tolerations in JSON";
    let tolerations: Option<Vec<Value>> = match parse_json(text.as_bytes()) {
        Ok(Value::List(list)) => list.iter().map(toleration).collect(),
        Ok(Value::Null) => return,
        Ok(Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Map(_)) | Err(_) => None,
    };
    let Some(tolerations) = tolerations else {
        return faults.add(path, WRONG);
    };
    let mut found = Faults::default();
    let object: Map = [("tolerations".to_owned(), Value::List(tolerations))]
        .into_iter()
        .collect();
    scheduling::tolerations(&Place::root(&object), &mut found);
    for fault in found.into_list() {
        faults.add(path, fault);
    }
}

/// Reads a toleration as Go does without being told the names of the fields: in any letter case.
fn toleration(value: &Value) -> Option<Value> {
    let mut toleration = Map::new();
    match value {
        Value::Null => {}
        Value::Map(given) => {
            for (key, value) in given.iter() {
                let field = TOLERATION_FIELDS
                    .iter()
                    .find(|field| field.eq_ignore_ascii_case(key));
                let fits = match (field, value) {
                    (None, _) | (_, Value::Null) => continue,
                    (Some(&SECONDS), Value::Number(number)) => number.as_i64().is_some(),
                    (Some(&SECONDS), _) => false,
                    (_, Value::String(_)) => true,
                    _ => false,
                };
                let field = field.filter(|_| fits)?;
                toleration.set(field, value.clone());
            }
        }
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::List(_) => return None,
    }
    Some(Value::Map(toleration))
}

fn owners(metadata: &Place<'_>, faults: &mut Faults) {
    let mut controllers = 0;
    for owner in metadata.each("ownerReferences") {
        obey(&owner, OWNER, faults);
        let version = owner.text("apiVersion");
        let (group, version) = version.split_once('/').unwrap_or(("", version));
        let wrong = version.is_empty() || version.contains('/');
        let fault = "must be a version, or a group and a version";
        faults.add_if(wrong, &owner.at("apiVersion"), fault);
        let event = group.is_empty() && version == "v1" && owner.text("kind") == "Event";
        faults.add_if(event, owner.path(), "an event owns nothing");
        controllers += usize::from(owner.flag("controller"));
    }
    let fault = "only one may be the controller";
    faults.add_if(controllers > 1, &metadata.at("ownerReferences"), fault);
}

fn finalizers(metadata: &Place<'_>, faults: &mut Faults) {
    let mut both = 0;
    for (index, name) in metadata.texts("finalizers").enumerate() {
        let path = metadata.at_index("finalizers", index);
        has_form(name, Format::LabelKey, &path, faults);
        if !name.contains('/') && !FINALIZERS.contains(&name) {
            faults.add(&path, "must have a DNS name and '/' in front");
        }
        match name {
            "orphan" => both |= 1,
            "foregroundDeletion" => both |= 2,
            _ => {}
        }
    }
    let fault = "orphan and foregroundDeletion exclude each other";
    faults.add_if(both == 3, &metadata.at("finalizers"), fault);
}

const METADATA: &[Row] = &[
    ("name", Rule::RequiredIs(Format::Subdomain)),
    ("namespace", Rule::RequiredIs(Format::Label)),
    ("generation", NOT_NEGATIVE),
];
const OWNER: &[Row] = &[
    ("kind", Rule::Required),
    ("name", Rule::Required),
    ("uid", Rule::Required),
];
const MANAGED_FIELDS: &[Row] = &[
    ("operation", Rule::Choice(&["Apply", "Update"])),
    ("fieldsType", Rule::OneOf(&["", "FieldsV1"])),
];
const FINALIZERS: [&str; 3] = ["kubernetes", "orphan", "foregroundDeletion"];
const SECONDS: &str = "tolerationSeconds";
const TOLERATION_FIELDS: [&str; 5] = ["key", "operator", "value", "effect", SECONDS];
const DELETION_COST: &str = "controller.kubernetes.io/pod-deletion-cost";
const TOLERATIONS: &str = "scheduler.alpha.kubernetes.io/tolerations";
/// 256 KiB, `TotalAnnotationSizeLimitB` of Kubernetes.
const MOST_ANNOTATION_BYTES: usize = 256 << 10;
const LONGEST_MANAGER_BYTES: usize = 128;
const LONGEST_SUBRESOURCE_BYTES: usize = 256;
