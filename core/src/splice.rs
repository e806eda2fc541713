//! The served form of a pod: the owner's bytes with the status that is true here.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use bytes::Bytes;

use crate::pod::{EncodedPod, EncodedStatus, field};
use crate::wire::{Reader, put_bytes};

/// The numbers of the fields of `PodStatus` and `PodCondition` that are looked at.
mod number {
    pub(super) const PHASE: u32 = 1;
    pub(super) const CONDITIONS: u32 = 2;
    pub(super) const CONDITION_TYPE: u32 = 1;
    pub(super) const CONDITION_STATUS: u32 = 2;
    pub(super) const CONDITION_REASON: u32 = 5;
}

const PENDING: &[u8] = b"Pending";
const READY: &[u8] = b"Ready";
const TRUE: &[u8] = b"True";
const FALSE: &[u8] = b"False";
const CONTAINERS_NOT_READY: &[u8] = b"ContainersNotReady";

/// Returns the bytes to be served for `pod`; without a change they are the owner's, shared.
///
/// The status is `local` if there is one. Otherwise it is the owner's own, in which a condition
/// Ready does not stay True when `local_expected` says that somebody here would have to confirm
/// it. A status without a phase is Pending, whoever reported it.
pub(crate) fn served(
    pod: &EncodedPod,
    local: Option<&EncodedStatus>,
    local_expected: bool,
) -> Bytes {
    let own = own_status(pod.bytes());
    let status = match local {
        Some(local) => Cow::Borrowed(&local.bytes()[..]),
        None if local_expected => unconfirmed(&own),
        None => Cow::Borrowed(&own[..]),
    };
    let status = with_phase(&status);
    match local {
        None if *status == *own => pod.bytes().clone(),
        None | Some(_) => with_status(pod.bytes(), &status),
    }
}

/// Returns the status of an encoded pod; several records are merged by writing them in a row.
fn own_status(pod: &[u8]) -> Cow<'_, [u8]> {
    let mut own = Cow::Borrowed(&[][..]);
    for record in Reader::new(pod)
        .records()
        .filter(|record| record.tag.field == field::STATUS)
    {
        if own.is_empty() {
            own = Cow::Borrowed(record.payload);
        } else {
            own.to_mut().extend_from_slice(record.payload);
        }
    }
    own
}

/// Returns the same pod with `status` where its first status stood, or where it belongs.
fn with_status(pod: &[u8], status: &[u8]) -> Bytes {
    let mut out = Vec::with_capacity(pod.len() + status.len() + 8);
    let mut written = false;
    for record in Reader::new(pod).records() {
        if !written && record.tag.field >= field::STATUS {
            put_bytes(field::STATUS, status, &mut out);
            written = true;
        }
        if record.tag.field != field::STATUS {
            out.extend_from_slice(record.whole);
        }
    }
    if !written {
        put_bytes(field::STATUS, status, &mut out);
    }
    out.into()
}

/// Returns the status with the phase Pending if it has none.
fn with_phase(status: &[u8]) -> Cow<'_, [u8]> {
    if !last(status, number::PHASE).is_empty() {
        return Cow::Borrowed(status);
    }
    let mut out = Vec::with_capacity(status.len() + PENDING.len() + 2);
    put_bytes(number::PHASE, PENDING, &mut out);
    for record in Reader::new(status).records() {
        if record.tag.field != number::PHASE {
            out.extend_from_slice(record.whole);
        }
    }
    out.into()
}

/// Returns the status with each condition Ready=True as Ready=False.
fn unconfirmed(status: &[u8]) -> Cow<'_, [u8]> {
    let claims_ready = |condition: &[u8]| {
        last(condition, number::CONDITION_TYPE) == READY
            && last(condition, number::CONDITION_STATUS) == TRUE
    };
    let is_condition = |field| field == number::CONDITIONS;
    let mut records = Reader::new(status).records();
    if !records.any(|record| is_condition(record.tag.field) && claims_ready(record.payload)) {
        return Cow::Borrowed(status);
    }
    let mut out = Vec::with_capacity(status.len() + CONTAINERS_NOT_READY.len() + 8);
    for record in Reader::new(status).records() {
        if is_condition(record.tag.field) && claims_ready(record.payload) {
            put_bytes(number::CONDITIONS, &not_ready(record.payload), &mut out);
        } else {
            out.extend_from_slice(record.whole);
        }
    }
    out.into()
}

/// Returns the condition with the status False, the reason for it, and all else as it was.
fn not_ready(condition: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(condition.len() + CONTAINERS_NOT_READY.len() + 8);
    let mut reason_written = false;
    for record in Reader::new(condition).records() {
        if !reason_written && record.tag.field >= number::CONDITION_REASON {
            put_bytes(number::CONDITION_REASON, CONTAINERS_NOT_READY, &mut out);
            reason_written = true;
        }
        match record.tag.field {
            number::CONDITION_STATUS => put_bytes(number::CONDITION_STATUS, FALSE, &mut out),
            number::CONDITION_REASON => {}
            _ => out.extend_from_slice(record.whole),
        }
    }
    if !reason_written {
        put_bytes(number::CONDITION_REASON, CONTAINERS_NOT_READY, &mut out);
    }
    out
}

/// Returns the payload of the last record of `field`, which is the one that counts.
fn last(message: &[u8], field: u32) -> &[u8] {
    let records = Reader::new(message).records();
    records
        .filter(|record| record.tag.field == field)
        .last()
        .map_or(&[], |record| record.payload)
}

#[cfg(test)]
mod tests;
