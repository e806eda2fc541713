//! The gRPC messages that every server sends: what is before the pods, as bytes.

use crate::corpus::varint;

/// The number of the event that says that a pod is new.
pub const ADDED: u8 = 1;
/// The number of the event that says that a pod changed.
pub const MODIFIED: u8 = 2;
/// The event that ends the first list of a watch, as a whole message.
pub const SYNC_COMPLETE: [u8; 7] = [0, 0, 0, 0, 2, 8, 4];

/// Returns what is before the pod in the answer to `GetPod`.
pub fn single_head(pod: usize) -> Vec<u8> {
    let tag = list_tag(pod);
    prefixed(tag.len() + pod, &tag)
}

/// Returns what is before the pod in an event.
pub fn event_head(kind: u8, pod: usize) -> Vec<u8> {
    let mut head = vec![8, kind, 18];
    varint(pod as u64, &mut head);
    prefixed(head.len() + pod, &head)
}

/// Returns what is before all pods of a list.
pub fn list_head(pods: impl Iterator<Item = usize>) -> Vec<u8> {
    let bytes = pods.map(|pod| list_tag(pod).len() + pod).sum();
    prefixed(bytes, &[])
}

/// Returns what is before one pod in a list.
pub fn list_tag(pod: usize) -> Vec<u8> {
    let mut tag = vec![10];
    varint(pod as u64, &mut tag);
    tag
}

/// Returns a message of `bytes` up to the end of its `begin`.
fn prefixed(bytes: usize, begin: &[u8]) -> Vec<u8> {
    let length = u32::try_from(bytes).expect("a message is below four gigabytes");
    let mut head = vec![0];
    head.extend_from_slice(&length.to_be_bytes());
    head.extend_from_slice(begin);
    head
}
