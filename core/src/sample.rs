//! Small encoded pods for the unit tests.

use alloc::vec::Vec;

use bytes::Bytes;

use crate::pod::{EncodedPod, EncodedStatus};
use crate::wire::put_bytes;

/// Returns an encoded pod whose status has this phase, or that has no status when it is empty.
pub(crate) fn pod_bytes(namespace: &str, name: &str, uid: &str, phase: &str) -> Vec<u8> {
    let mut metadata = Vec::new();
    put_bytes(1, name.as_bytes(), &mut metadata);
    put_bytes(3, namespace.as_bytes(), &mut metadata);
    put_bytes(5, uid.as_bytes(), &mut metadata);
    let mut pod = Vec::new();
    put_bytes(1, &metadata, &mut pod);
    if !phase.is_empty() {
        put_bytes(3, status(phase).bytes(), &mut pod);
    }
    pod
}

/// Returns a running pod in the namespace `n`, whose name is its UID.
pub(crate) fn pod(uid: &str) -> EncodedPod {
    pod_in_phase(uid, "Running")
}

/// Returns a pod in the namespace `n`, whose name is its UID.
pub(crate) fn pod_in_phase(uid: &str, phase: &str) -> EncodedPod {
    EncodedPod::parse(pod_bytes("n", uid, uid, phase).into()).unwrap()
}

/// Returns a status with a phase.
pub(crate) fn status(phase: &str) -> EncodedStatus {
    let mut status = Vec::new();
    put_bytes(1, phase.as_bytes(), &mut status);
    EncodedStatus::parse(Bytes::from(status)).unwrap()
}
