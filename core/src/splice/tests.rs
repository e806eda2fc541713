//! Tests of the served form of a pod.

use super::*;
use crate::sample::{pod, pod_bytes, pod_in_phase, status};

fn parse(bytes: Vec<u8>) -> EncodedPod {
    EncodedPod::parse(bytes.into()).unwrap()
}

/// Returns a pod whose status has this condition, a phase, and a field that no schema knows.
fn pod_with_condition(condition: &[u8]) -> EncodedPod {
    let mut status = Vec::new();
    put_bytes(1, b"Running", &mut status);
    put_bytes(2, condition, &mut status);
    put_bytes(99, b"?", &mut status);
    let mut pod = pod_bytes("n", "a", "u", "");
    put_bytes(field::STATUS, &status, &mut pod);
    parse(pod)
}

fn status_of(pod: &[u8]) -> Vec<u8> {
    own_status(pod).into_owned()
}

#[test]
fn a_pod_with_a_phase_is_served_as_it_is_and_shares_its_bytes() {
    let pod = pod("u");
    let served = served(&pod, None, false);
    assert_eq!(served.as_ptr(), pod.bytes().as_ptr());
}

#[test]
fn an_empty_phase_is_pending_whether_the_status_is_there_or_not() {
    assert_eq!(
        served(&pod_in_phase("u", ""), None, false),
        pod_in_phase("u", "Pending").bytes()
    );
    let mut with_empty_status = pod_bytes("n", "u", "u", "");
    put_bytes(field::STATUS, b"", &mut with_empty_status);
    let served = served(&parse(with_empty_status), None, false);
    assert_eq!(served, pod_in_phase("u", "Pending").bytes());
}

#[test]
fn a_local_status_takes_the_place_of_the_owners() {
    let served = served(&pod("u"), Some(&status("Failed")), true);
    assert_eq!(served, pod_in_phase("u", "Failed").bytes());
}

#[test]
fn a_local_status_stands_before_fields_of_later_versions() {
    let mut bytes = pod_bytes("n", "u", "u", "");
    put_bytes(9, b"later", &mut bytes);
    let served = served(&parse(bytes), Some(&status("Failed")), true);
    let mut expected = pod_bytes("n", "u", "u", "Failed");
    put_bytes(9, b"later", &mut expected);
    assert_eq!(served, expected);
}

#[test]
fn ready_is_not_believed_until_somebody_here_confirms_it() {
    let pod = pod_with_condition(b"\x0a\x05Ready\x12\x04True\x2a\x01r\x32\x01m");
    let served = served(&pod, None, true);
    let expected = b"\x0a\x05Ready\x12\x05False\x2a\x12ContainersNotReady\x32\x01m";
    assert_eq!(served, pod_with_condition(expected).bytes());
}

#[test]
fn ready_is_believed_where_nobody_could_confirm_it() {
    let pod = pod_with_condition(b"\x0a\x05Ready\x12\x04True");
    assert_eq!(served(&pod, None, false), pod.bytes());
}

#[test]
fn other_conditions_and_other_values_stay() {
    for condition in [
        &b"\x0a\x05Ready\x12\x05False\x2a\x01r"[..],
        &b"\x0a\x06Booted\x12\x04True"[..],
        &b"\x12\x04True"[..],
    ] {
        let pod = pod_with_condition(condition);
        assert_eq!(served(&pod, None, true), pod.bytes());
    }
}

#[test]
fn a_status_in_several_records_is_merged() {
    let mut bytes = pod_bytes("n", "u", "u", "");
    put_bytes(field::STATUS, b"\x1a\x01m", &mut bytes);
    put_bytes(
        field::STATUS,
        b"\x12\x0d\x0a\x05Ready\x12\x04True",
        &mut bytes,
    );
    let served = served(&parse(bytes), None, true);
    let status = status_of(&served);
    assert_eq!(last(&status, 1), PENDING);
    assert_eq!(last(&status, 3), b"m");
    assert_eq!(last(last(&status, 2), 2), FALSE);
    assert_eq!(Reader::new(&served).records().count(), 2);
}

/// Returns a pod whose status has a phase, these conditions, and a field that no schema knows.
fn pod_with_conditions(conditions: &[&[u8]]) -> EncodedPod {
    let mut status = Vec::new();
    put_bytes(1, b"Running", &mut status);
    for condition in conditions {
        put_bytes(2, condition, &mut status);
    }
    put_bytes(99, b"?", &mut status);
    let mut pod = pod_bytes("n", "a", "u", "");
    put_bytes(field::STATUS, &status, &mut pod);
    parse(pod)
}

#[test]
fn of_several_conditions_only_those_that_say_ready_change() {
    let scheduled = &b"\x0a\x0cPodScheduled\x12\x04True"[..];
    let ready = &b"\x0a\x05Ready\x12\x04True"[..];
    let not_ready = &b"\x0a\x05Ready\x12\x05False\x2a\x01r"[..];
    let contained = &b"\x0a\x0fContainersReady\x12\x04True\x2a\x01c"[..];
    let unknown = &b"\x0a\x05Ready\x12\x07Unknown"[..];
    let unconfirmed = &b"\x0a\x05Ready\x12\x05False\x2a\x12ContainersNotReady"[..];
    let served = |conditions: &[&[u8]]| served(&pod_with_conditions(conditions), None, true);
    assert_eq!(
        served(&[scheduled, ready, contained, not_ready, ready, unknown]),
        pod_with_conditions(&[
            scheduled,
            unconfirmed,
            contained,
            not_ready,
            unconfirmed,
            unknown
        ])
        .bytes()
    );
    let others = pod_with_conditions(&[scheduled, not_ready, contained, unknown]);
    assert_eq!(
        served(&[scheduled, not_ready, contained, unknown]),
        others.bytes()
    );
}

#[test]
fn what_looks_like_a_condition_in_another_field_stays() {
    let mut status = Vec::new();
    put_bytes(1, b"Running", &mut status);
    put_bytes(2, b"\x0a\x05Ready\x12\x04True", &mut status);
    put_bytes(99, b"\x0a\x05Ready\x12\x04True", &mut status);
    let mut bytes = pod_bytes("n", "a", "u", "");
    put_bytes(field::STATUS, &status, &mut bytes);
    let served = status_of(&served(&parse(bytes), None, true));
    assert_eq!(last(last(&served, 2), 2), FALSE);
    assert_eq!(last(&served, 99), b"\x0a\x05Ready\x12\x04True");
}
