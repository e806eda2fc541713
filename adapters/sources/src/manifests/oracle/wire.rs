//! What of two encoded pods their JSON form does not show.

use std::collections::BTreeMap;

use podsapi_proto::core_v1::{Pod, ResourceRequirements};
use podsapi_proto::resource::Quantity;
use prost::Message as _;

/// Reads base64 as Go writes it.
pub(super) fn base64(text: &str) -> Vec<u8> {
    let digit = |byte: u8| -> u32 {
        match byte {
            b'A'..=b'Z' => u32::from(byte - b'A'),
            b'a'..=b'z' => u32::from(byte - b'a') + 26,
            b'0'..=b'9' => u32::from(byte - b'0') + 52,
            b'+' => 62,
            _ => 63,
        }
    };
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    for group in text.trim_end_matches('=').as_bytes().chunks(4) {
        let bits = group.iter().fold(0, |bits, byte| bits << 6 | digit(*byte));
        let bits = bits << (6 * (4 - group.len()));
        let [_, three @ ..] = bits.to_be_bytes();
        bytes.extend(three.iter().take(group.len() - 1));
    }
    bytes
}

/// Compares the texts of all quantities of containers, which servers compare as they stand.
pub(super) fn quantities_differ(ours: &[u8], theirs: &[u8]) -> Option<String> {
    let (ours, theirs) = (quantities(ours), quantities(theirs));
    (ours != theirs).then(|| format!("quantities {ours:?}, in a kubelet {theirs:?}"))
}

fn quantities(pod: &[u8]) -> Vec<BTreeMap<String, String>> {
    let spec = Pod::decode(pod).unwrap().spec.unwrap_or_default();
    let containers = spec.containers.into_iter().chain(spec.init_containers);
    let mut resources: Vec<ResourceRequirements> = containers
        .filter_map(|container| container.resources)
        .collect();
    resources.extend(spec.resources);
    let mut lists: Vec<_> = resources
        .into_iter()
        .flat_map(|resources| [resources.limits, resources.requests])
        .collect();
    lists.push(spec.overhead);
    let texts = |list: BTreeMap<String, Quantity>| {
        let text = |quantity: Quantity| quantity.string.unwrap_or_default();
        list.into_iter()
            .map(|(name, quantity)| (name, text(quantity)))
            .collect()
    };
    lists.into_iter().map(texts).collect()
}
