//! Pods and statuses as bytes.

use bytes::Bytes;
use podsapi_core::{EncodedPod, EncodedStatus};
use podsapi_proto::core_v1;
use prost::Message;

/// What the entry check accepts is decoded by prost as the same pod, and stays as it is.
///
/// # Panics
///
/// When the two disagree.
pub fn encoded_pod(data: &[u8]) {
    let bytes = Bytes::copy_from_slice(data);
    if let Ok(pod) = EncodedPod::parse(bytes.clone()) {
        assert_eq!(pod.bytes(), &bytes);
        let Some(decoded) = decoded::<core_v1::Pod>(data) else {
            return;
        };
        let metadata = decoded.metadata.unwrap_or_default();
        assert_eq!(metadata.uid.as_deref(), Some(pod.uid().as_str()));
        assert_eq!(metadata.name.unwrap_or_default(), pod.name());
        assert_eq!(metadata.namespace.unwrap_or_default(), pod.namespace());
        for range in [pod.metadata(), pod.spec(), pod.status()]
            .into_iter()
            .flatten()
        {
            assert!(data.get(range).is_some());
        }
    }
    if EncodedStatus::parse(bytes).is_ok() {
        decoded::<core_v1::PodStatus>(data);
    }
}

/// Decodes what was accepted; none where a string is not UTF-8, which Kubernetes lets pass but
/// prost refuses.
fn decoded<M: Message + Default>(data: &[u8]) -> Option<M> {
    match M::decode(data) {
        Ok(message) => Some(message),
        Err(error) => {
            assert!(error.to_string().contains("UTF-8"), "{error}");
            None
        }
    }
}
