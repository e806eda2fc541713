//! The corpus: pods that look real, the same in every run, encoded as Go encodes them.

mod file;
mod go_form;
mod pod;
mod random;
#[cfg(test)]
mod tests;

use bytes::Bytes;
use podsapi_proto::json;
use podsapi_proto::schema::Message;

use random::Random;

pub use file::{read, write};
pub(crate) use go_form::varint;

/// What decides every pod.
const SEED: u64 = 4_188;

/// A pod in two states that differ in a digit, so that it can change for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CorpusPod {
    /// The UID that both states have.
    pub uid: String,
    /// The encoded pod.
    pub pod: Bytes,
    /// The encoded pod after a change, which is as long.
    pub changed: Bytes,
}

/// Returns the first `count` pods of the corpus, in the order of their UIDs.
///
/// # Panics
///
/// When a pod does not fit the schema; the tests make all of them.
pub fn corpus(count: usize) -> Vec<CorpusPod> {
    let serials = 0..u64::try_from(count).expect("a count is small");
    serials.map(corpus_pod).collect()
}

fn corpus_pod(serial: u64) -> CorpusPod {
    let [pod, changed] = [0, 1].map(|version| {
        let mut random = Random::new(SEED.wrapping_add(serial << 20));
        pod::pod(serial, version, &mut random)
    });
    let uid = pod["metadata"]["uid"].as_str().unwrap_or_default();
    CorpusPod {
        uid: uid.to_owned(),
        pod: encode(&pod),
        changed: encode(&changed),
    }
}

fn encode(pod: &serde_json::Value) -> Bytes {
    let value = json::parse_json(pod.to_string().as_bytes()).expect("a pod is JSON");
    let encoded = json::encode(Message::POD, &value).expect("a pod fits the schema");
    assert!(encoded.unknown.is_empty(), "{:?}", encoded.unknown);
    Bytes::from(go_form::go_form(Message::POD, &encoded.bytes))
}
