//! The canonical spelling of a projection: sorted paths of JSON names.

use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::fmt;

use podsapi_proto::schema::Message;
use podsapi_proto::text::readable;

use super::{Child, Node, Projection};

impl Projection {
    /// Returns the paths that select the same in their canonical spelling, sorted: names as in
    /// JSON, embedded structs left out, keys in backquotes where they need them.
    ///
    /// A part of which nothing is left, as an intersection can leave it, is not among them.
    /// The projection of everything is the one path `*`.
    ///
    /// # Examples
    ///
    /// ```
    /// use podsapi_core::FieldMask;
    /// use podsapi_proto::schema::Message;
    ///
    /// let mask = FieldMask::parse("spec.volumes.volumeSource.config_map, spec.nodeName")?;
    /// let paths = mask.compile(Message::POD)?.paths();
    /// assert_eq!(paths, ["spec.nodeName", "spec.volumes.configMap"]);
    /// # Ok::<(), podsapi_core::MaskError>(())
    /// ```
    pub fn paths(&self) -> Vec<String> {
        let mut paths = Vec::new();
        match &self.root {
            Some(root) => root.paths(root.message, "", &mut paths),
            None => paths.push("*".to_string()),
        }
        paths.sort();
        paths
    }
}

impl fmt::Display for Projection {
    /// Writes the canonical mask: the paths, joined by commas.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.paths().join(","))
    }
}

impl Node {
    fn paths(&self, message: Message, prefix: &str, paths: &mut Vec<String>) {
        for number in self.whole.iter() {
            // An embedded struct that is selected whole is spelled by its name in protobuf: its
            // fields one by one would be another selection once the schema grows.
            paths.extend(
                message
                    .field(number)
                    .map(|field| join(prefix, field.name())),
            );
        }
        for (number, child) in self.partial.iter().zip(&self.children) {
            let Some(field) = message.field(number) else {
                continue;
            };
            let path = if field.is_hop() {
                prefix.to_string()
            } else {
                join(prefix, field.name())
            };
            match child {
                Child::Entries(keys) => {
                    paths.extend(keys.iter().map(|key| join(&path, &spell_key(key))));
                }
                Child::Part(node) => node.paths(node.message, &path, paths),
            }
        }
    }
}

fn join(prefix: &str, segment: &str) -> String {
    if prefix.is_empty() {
        segment.to_string()
    } else {
        [prefix, segment].join(".")
    }
}

/// Spells a map key as a mask does: bare where it can be, else in backquotes.
pub(crate) fn spell_key(key: &[u8]) -> String {
    let text = readable(key);
    let bare = !key.is_empty()
        && key
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    if bare {
        text.into_owned()
    } else {
        ["`", &text.replace('`', "``"), "`"].concat()
    }
}
