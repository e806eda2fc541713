//! The masks that clients of a run send.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use podsapi_core::{FieldMask, Projection};
use podsapi_proto::schema::Message;

/// No mask, and some that keep the identity, which a mirror needs.
pub(super) const ALL: [&str; 5] = [
    "",
    "metadata.uid,metadata.name,metadata.namespace",
    "metadata.uid,metadata.name,metadata.namespace,status.phase",
    "metadata,status.podIPs,spec.containers.name",
    "status, metadata.uid, metadata.namespace, metadata.name",
];

/// Returns what a mask selects.
pub(super) fn selection(text: &str) -> Projection {
    SELECTIONS.get(text).cloned().unwrap_or_default()
}

/// Returns whether the part of a pod that a mask selects can be large.
pub(super) fn selects_ballast(text: &str) -> bool {
    text.is_empty() || text.starts_with("metadata,")
}

static SELECTIONS: LazyLock<BTreeMap<&str, Projection>> = LazyLock::new(|| {
    let compiled = |text| {
        let mask = FieldMask::parse(text).expect("short enough");
        mask.compile(Message::POD).expect("every name is right")
    };
    let masks = ALL.into_iter().filter(|text| !text.is_empty());
    masks.map(|text| (text, compiled(text))).collect()
});
