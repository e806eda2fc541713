//! When two pods or statuses say the same, however they are encoded.

use podsapi_core::{EncodedPod, EncodedStatus};
use podsapi_proto::core_v1::PodStatus;
use podsapi_proto::json::{Map, Value, decode_counting, decode_whole};
use podsapi_proto::schema::Message;
use podsapi_proto::text::decode;

use crate::status::records::merged;

/// Returns the status that its owner gives a pod.
pub(super) fn own_status(pod: &EncodedPod) -> Option<EncodedStatus> {
    EncodedStatus::parse(merged(pod.bytes(), STATUS).into()).ok()
}

/// Tells whether two statuses are the same to a client: what two sources say of one state may be
/// encoded in two ways, as with a zero that is written out.
pub(super) fn says_the_same(one: &[u8], other: &[u8]) -> bool {
    let meaning = |status: &[u8]| {
        let whole = decode_counting(Message::POD_STATUS, status).ok()?;
        // What is not known cannot be compared.
        if whole.unknown_fields > 0 {
            return None;
        }
        let mut meaning = decode_whole(Message::POD_STATUS, status).ok()?;
        // A pod without a phase is served as Pending.
        if let (Value::Map(status), None) = (&mut meaning, whole.value.get("phase")) {
            status.set("phase", Value::from("Pending"));
            status.sort();
        }
        Some(meaning)
    };
    one == other || meaning(one).is_some_and(|one| Some(one) == meaning(other))
}

/// Tells whether the pod with this status has ended.
pub(super) fn has_ended(status: &EncodedStatus) -> bool {
    let status = decode::<PodStatus>(status.bytes().clone()).unwrap_or_default();
    matches!(status.phase(), "Succeeded" | "Failed")
}

/// The field of a pod that is its status.
const STATUS: u32 = 3;

/// Tells whether a kubelet's pod is that of a document, but for what the kubelet adds.
pub(super) fn says_as(document: &EncodedPod, pod: &EncodedPod) -> bool {
    let content = |pod: &EncodedPod| {
        let mut pod = decode_whole(Message::POD, pod.bytes()).ok()?;
        let Value::Map(fields) = &mut pod else {
            return None;
        };
        let (spec, metadata) = (fields.remove("spec"), fields.remove("metadata")?);
        let said = |key: &str| {
            let map = match metadata.get(key) {
                Some(Value::Map(map)) => map.clone(),
                Some(_) | None => Map::default(),
            };
            let said = map
                .iter()
                .filter(|(name, _)| !name.starts_with(OF_A_KUBELET));
            let said = said.map(|(name, value)| (name.to_owned(), value.clone()));
            let mut said: Vec<(String, Value)> = said.collect();
            said.sort_by(|one, other| one.0.cmp(&other.0));
            said
        };
        Some((spec, said("labels"), said("annotations")))
    };
    let one = content(document);
    one.is_some() && one == content(pod)
}

/// How the names of the annotations begin that a kubelet gives static pods.
const OF_A_KUBELET: &str = "kubernetes.io/config.";
