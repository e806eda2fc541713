//! The pod on which a mask is tried.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use podsapi_proto::json::{Value, decode, encode, parse_json, parse_yaml};
use podsapi_proto::schema::Message as Schema;
use podsapi_sources::simulated::Node;

use crate::failure::Failure;
use crate::say;

/// A pod, encoded and as JSON, with the name to show.
#[derive(Debug)]
pub(crate) struct Sample {
    pub(crate) bytes: Vec<u8>,
    pub(crate) value: Value,
    pub(crate) name: String,
}

impl Sample {
    /// Returns an invented pod: the largest of a small node, always the same.
    pub(crate) fn simulated() -> Result<Self, Failure> {
        let broken = |error: &dyn std::fmt::Display| {
            Failure::Start(format!("no pod can be invented: {error}"))
        };
        let node = Node::new(SEED, PODS, "node-1", BEGINNING);
        let mut largest = Vec::new();
        for pod in node.pods() {
            let pod = pod.map_err(|error| broken(&error))?;
            if pod.bytes().len() > largest.len() {
                largest = pod.bytes().to_vec();
            }
        }
        let value = decode(Schema::POD, &largest).map_err(|error| broken(&error))?;
        Ok(Self {
            name: format!("{} (simulated)", name_of(&value)),
            bytes: largest,
            value,
        })
    }

    /// Reads a pod, or the first of a list.
    pub(crate) fn read(path: &Path) -> Result<Self, Failure> {
        let wrong = |problem: &dyn std::fmt::Display| {
            Failure::Usage(format!("{}: {problem}", path.display()))
        };
        let mut text = Vec::new();
        let file = File::open(path).map_err(|error| wrong(&error))?;
        file.take(MAX_FILE_BYTES)
            .read_to_end(&mut text)
            .map_err(|error| wrong(&error))?;
        let pod = first_pod(&text).map_err(|problem| wrong(&problem))?;
        let encoded = encode(Schema::POD, &pod).map_err(|error| wrong(&error))?;
        for unknown in &encoded.unknown {
            say(format_args!("{}: unknown field {unknown}", path.display()));
        }
        let value = decode(Schema::POD, &encoded.bytes).map_err(|error| wrong(&error))?;
        Ok(Self {
            name: name_of(&value),
            bytes: encoded.bytes,
            value,
        })
    }
}

/// Returns the pod in a text of JSON or YAML, of a list the first.
fn first_pod(text: &[u8]) -> Result<Value, String> {
    let looks_like_json = text.trim_ascii_start().starts_with(b"{");
    let documents = match parse_json(text) {
        Ok(document) => vec![document],
        Err(error) => parse_yaml(text).map_err(|yaml| match looks_like_json {
            true => error.to_string(),
            false => yaml.to_string(),
        })?,
    };
    let mut documents = documents.into_iter();
    let document = documents
        .find(|document| *document != Value::Null)
        .ok_or("expected a pod, found nothing")?;
    let pod = match document.get("items").and_then(Value::as_list) {
        Some(items) => items.first().ok_or("expected a pod, found an empty list")?,
        None => &document,
    };
    match pod.get("kind").and_then(Value::as_str) {
        None | Some("Pod") => Ok(pod.clone()),
        Some(kind) => Err(format!("expected kind Pod, found {kind:?}")),
    }
}

fn name_of(pod: &Value) -> String {
    let metadata = pod.get("metadata");
    let text = |key| metadata.and_then(|metadata| metadata.get(key)?.as_str());
    match (text("namespace"), text("name")) {
        (Some(namespace), Some(name)) => format!("{namespace}/{name}"),
        (None, Some(name)) => name.to_owned(),
        (_, None) => "a pod without a name".to_owned(),
    }
}

/// Pods of a simulated node; enough for one with several containers and volumes.
const PODS: usize = 12;

/// Any number does, as long as it stays the same.
const SEED: u64 = 1;

/// 2026-01-01T00:00:00Z.
const BEGINNING: i64 = 1_767_225_600;

/// A list of a large node has a few tens of megabytes.
const MAX_FILE_BYTES: u64 = 64 << 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pod_is_read_from_json_yaml_and_lists() {
        for text in [
            r#"{"kind":"Pod","metadata":{"name":"a"}}"#,
            "metadata:\n  name: a\n",
            "---\n---\nmetadata: {name: a}\n---\nmetadata: {name: b}\n",
            r#"{"items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"}}]}"#,
        ] {
            assert_eq!(name_of(&first_pod(text.as_bytes()).unwrap()), "a", "{text}");
        }
    }

    #[test]
    fn what_is_no_pod_is_refused_with_what_was_found() {
        for (text, expected) in [
            ("", "found nothing"),
            ("{items: []}", "an empty list"),
            ("kind: Service", "\"Service\""),
            ("{\"metadata\":", "line"),
        ] {
            let error = first_pod(text.as_bytes()).unwrap_err();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
