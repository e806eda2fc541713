//! UIDs for pods that have none: hashes that mean the same in every release.
//!
//! The hash is the first 16 bytes of SHA-256, as 32 lower-case hexadecimal digits, over a sequence
//! of texts and values, each written so that no two sequences have the same bytes:
//!
//! * a text: `s`, its length in bytes in decimal, `:`, its bytes;
//! * a number: `#`, the length, `:`, its digits as they stand in the file;
//! * `true`: `t`; `false`: `f`; `null`: `n`;
//! * a list: `l`, the count of its items in decimal, `:`, the items;
//! * an object: `m`, the count of its entries, `:`, the entries by the bytes of their keys, each
//!   the key as a text and then the value.
//!
//! | pod | sequence |
//! | --- | --- |
//! | from a manifest | `podsapi manifest v1`, the node's name, the path of the file (folder as an absolute path, links not resolved), the first document as it is read (of a key twice the last value, `apiVersion` v1 and `kind` Pod however they are spelled) |
//! | from a snapshot | `podsapi snapshot v1`, `spec.nodeName`, `metadata.namespace`, `metadata.name` |
//!
//! So a comment or other spacing in a manifest leaves its UID alone, another value gives it a new
//! one, as with a kubelet (whose own hash follows the memory layout of its release and cannot be
//! computed here). A pod in a snapshot keeps its UID while its status changes.

use podsapi_proto::json::Value;
use sha2::{Digest, Sha256};

/// A hash under construction.
#[derive(Debug)]
pub(crate) struct Identity {
    hasher: Sha256,
}

impl Identity {
    /// Begins the sequence of a pod that the file at `path` describes for `node`.
    pub(crate) fn of_manifest(node: &str, path: &str, document: &Value) -> String {
        let mut identity = Self::begin("podsapi manifest v1");
        identity.text(node);
        identity.text(path);
        identity.value(document);
        identity.finish()
    }

    /// Begins the sequence of a pod in a captured list.
    pub(crate) fn of_snapshot(node: &str, namespace: &str, name: &str) -> String {
        let mut identity = Self::begin("podsapi snapshot v1");
        identity.text(node);
        identity.text(namespace);
        identity.text(name);
        identity.finish()
    }

    fn begin(purpose: &str) -> Self {
        let mut identity = Self {
            hasher: Sha256::new(),
        };
        identity.text(purpose);
        identity
    }

    fn text(&mut self, text: &str) {
        self.counted('s', text.len());
        self.hasher.update(text.as_bytes());
    }

    fn counted(&mut self, kind: char, count: usize) {
        self.hasher.update(format!("{kind}{count}:").as_bytes());
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Null => self.hasher.update(b"n"),
            Value::Bool(true) => self.hasher.update(b"t"),
            Value::Bool(false) => self.hasher.update(b"f"),
            Value::Number(number) => {
                self.counted('#', number.as_str().len());
                self.hasher.update(number.as_str().as_bytes());
            }
            Value::String(text) => self.text(text),
            Value::List(items) => {
                self.counted('l', items.len());
                for item in items {
                    self.value(item);
                }
            }
            Value::Map(map) => {
                self.counted('m', map.len());
                let mut entries: Vec<(&str, &Value)> = map.iter().collect();
                entries.sort_by_key(|(key, _)| *key);
                for (key, value) in entries {
                    self.text(key);
                    self.value(value);
                }
            }
        }
    }

    fn finish(self) -> String {
        let digest = self.hasher.finalize();
        let first = digest.iter().take(16);
        first.map(|byte| format!("{byte:02x}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use podsapi_proto::json::{Value, parse_json};

    use super::Identity;

    fn document(text: &str) -> Value {
        parse_json(text.as_bytes()).unwrap()
    }

    #[test]
    fn the_hash_of_a_manifest_is_the_documented_one() {
        // printf 's19:podsapi manifest v1s6:node-as5:/m/aam1:s1:kl3:#1:7tn' | sha256sum
        let hash = Identity::of_manifest("node-a", "/m/aa", &document(r#"{"k": [7, true, null]}"#));
        assert_eq!(hash, "174b857c8d7ad319d1a4f375d348902f");
    }

    #[test]
    fn the_hash_of_a_pod_in_a_snapshot_is_the_documented_one() {
        // printf 's19:podsapi snapshot v1s6:node-as2:nss1:p' | sha256sum
        let hash = Identity::of_snapshot("node-a", "ns", "p");
        assert_eq!(hash, "db0ddd63d396a8f34e133b2f2fbd3712");
    }

    #[test]
    fn order_of_keys_does_not_matter_and_every_other_difference_does() {
        let base = Identity::of_manifest("n", "/f", &document(r#"{"a": "1", "b": 2}"#));
        let hash = |node, path, text| Identity::of_manifest(node, path, &document(text));
        assert_eq!(hash("n", "/f", r#"{"b":2,"a":"1"}"#), base);
        for other in [
            hash("m", "/f", r#"{"a": "1", "b": 2}"#),
            hash("n", "/g", r#"{"a": "1", "b": 2}"#),
            hash("n", "/f", r#"{"a": 1, "b": 2}"#),
            hash("n", "/f", r#"{"a": "1", "b": 2, "c": null}"#),
        ] {
            assert_ne!(other, base);
        }
    }
}
