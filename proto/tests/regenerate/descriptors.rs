//! The compiled definitions in `src/generated/descriptors.bin`.

use prost::Message;
use prost_types::{DescriptorProto, FileDescriptorSet};

/// The definitions of everything that is served, the details of errors among it; what they import
/// comes along.
const SERVED: [&str; 8] = [
    "documented/pods.proto",
    "google/rpc/error_details.proto",
    "google/rpc/status.proto",
    "grpc/health/v1/health.proto",
    "grpc/reflection/v1/reflection.proto",
    "grpc/reflection/v1alpha/reflection.proto",
    "podsapi/v1/diagnostics.proto",
    "v1alpha1/pods.proto",
];

/// Returns the encoded set.
pub(crate) fn bytes() -> Vec<u8> {
    let mut set = super::compile(&SERVED, false);
    check_order(&set);
    for file in &mut set.file {
        file.source_code_info = None;
        file.message_type.iter_mut().for_each(drop_json_names);
    }
    set.encode_to_vec()
}

/// Drops the names in JSON where they follow from the names by the rule of protobuf, as every
/// reader then makes them.
fn drop_json_names(message: &mut DescriptorProto) {
    for field in &mut message.field {
        if field.json_name() == json_name(field.name()) {
            field.json_name = None;
        }
    }
    message.nested_type.iter_mut().for_each(drop_json_names);
}

fn json_name(name: &str) -> String {
    let mut json = String::new();
    let mut upper = false;
    for character in name.chars() {
        if character == '_' {
            upper = true;
            continue;
        }
        json.push(if upper {
            character.to_ascii_uppercase()
        } else {
            character
        });
        upper = false;
    }
    json
}

fn check_order(set: &FileDescriptorSet) {
    for (at, file) in set.file.iter().enumerate() {
        for import in &file.dependency {
            let before = set.file[..at].iter().any(|other| other.name() == import);
            assert!(before, "{} comes before its import {import}", file.name());
        }
    }
}
