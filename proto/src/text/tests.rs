//! The reading of texts against what Go prints, and the repair of messages field by field.

use alloc::string::ToString;
use alloc::vec;
use alloc::vec::Vec;

use prost::Message;

use super::*;
use crate::core_v1::{Container, Pod, PodSpec, PodStatus};
use crate::cri::{ContainerStatus, ContainerStatusResponse};
use crate::meta_v1::ObjectMeta;

/// What Go's `encoding/json` prints for these bytes as a string.
const AS_GO: [(&[u8], &str); 10] = [
    (b"plain", "plain"),
    (b"a\xffb", "a\u{fffd}b"),
    (b"\xe2\x82", "\u{fffd}\u{fffd}"),
    (b"\xe2\x82x", "\u{fffd}\u{fffd}x"),
    (b"\xf0\x9f\x98", "\u{fffd}\u{fffd}\u{fffd}"),
    (b"\xed\xa0\x80", "\u{fffd}\u{fffd}\u{fffd}"),
    (b"\xc0\x80", "\u{fffd}\u{fffd}"),
    (b"\xf4\x90\x80\x80", "\u{fffd}\u{fffd}\u{fffd}\u{fffd}"),
    (b"\xe2\x28\xa1", "\u{fffd}(\u{fffd}"),
    (b"\xef\xbf\xbd\xff", "\u{fffd}\u{fffd}"),
];

#[test]
fn bytes_are_read_as_go_reads_them() {
    for (bytes, expected) in AS_GO {
        assert_eq!(readable(bytes), expected, "{bytes:?}");
        let owned = matches!(readable(bytes), Cow::Owned(_));
        assert_eq!(owned, str::from_utf8(bytes).is_err(), "{bytes:?}");
    }
}

fn pod() -> Pod {
    Pod {
        metadata: Some(ObjectMeta {
            name: Some("name".into()),
            uid: Some("uid".into()),
            annotations: [("key".into(), "?a?".into())].into(),
            ..ObjectMeta::default()
        }),
        spec: Some(PodSpec {
            containers: vec![Container {
                args: vec!["one".into(), "?b?".into()],
                ..Container::default()
            }],
            node_name: Some("node".into()),
            ..PodSpec::default()
        }),
        status: Some(PodStatus {
            message: Some("?c?".into()),
            ..PodStatus::default()
        }),
    }
}

/// Puts a byte that is in no UTF-8 text in place of each `?`.
fn broken(message: &impl Message) -> Vec<u8> {
    let bytes = message.encode_to_vec();
    bytes
        .into_iter()
        .map(|byte| if byte == b'?' { 0xff } else { byte })
        .collect()
}

#[test]
fn only_the_texts_that_are_not_utf_8_change() {
    let bytes = broken(&pod());
    assert!(Pod::decode(&*bytes).is_err());
    let read: Pod = decode(&*bytes).unwrap();
    let mut expected = pod();
    let metadata = expected.metadata.as_mut().unwrap();
    metadata
        .annotations
        .insert("key".into(), "\u{fffd}a\u{fffd}".into());
    for container in &mut expected.spec.as_mut().unwrap().containers {
        container.args = vec!["one".into(), "\u{fffd}b\u{fffd}".into()];
    }
    expected.status.as_mut().unwrap().message = Some("\u{fffd}c\u{fffd}".into());
    assert_eq!(read, expected);
    assert_eq!(
        decode::<Pod>(Bytes::from(bytes.clone())),
        Ok(expected.clone())
    );
    // What no definition knows stays, a group and numbers among it.
    let mut longer = bytes;
    longer.extend_from_slice(b"\xab\x01\x13\x14\xac\x01\xa0\x01\xff\x01\xf2\x3f\x01\xff");
    assert_eq!(decode::<Pod>(&*longer), Ok(expected));
}

#[test]
fn the_first_place_is_named_without_what_is_in_it() {
    assert_eq!(first_not_utf8::<Pod>(&pod().encode_to_vec()), None);
    let mut pod = pod();
    let place = |pod: &Pod| first_not_utf8::<Pod>(&broken(pod)).unwrap();
    assert_eq!(place(&pod), "metadata.annotations");
    pod.metadata = None;
    assert_eq!(place(&pod), "spec.containers.args");
    pod.spec = None;
    assert_eq!(place(&pod), "status.message");
}

#[test]
fn an_answer_of_a_runtime_is_read_whatever_its_container_said() {
    let answer = ContainerStatusResponse {
        status: Some(ContainerStatus {
            id: "id".into(),
            message: "out of ?".into(),
            labels: [("a?".into(), "?b".into())].into(),
            exit_code: 7,
            ..ContainerStatus::default()
        }),
    };
    let read: ContainerStatusResponse = decode(&*broken(&answer)).unwrap();
    let status = read.status.unwrap();
    assert_eq!(
        (status.id.as_str(), status.message.as_str()),
        ("id", "out of \u{fffd}")
    );
    assert_eq!(status.exit_code, 7);
    assert_eq!(
        status.labels.get("a\u{fffd}").map(String::as_str),
        Some("\u{fffd}b")
    );
}

#[test]
fn what_else_is_wrong_stays_an_error() {
    let bytes = broken(&pod());
    for end in 1..bytes.len() {
        let cut = bytes.get(..end).unwrap();
        // A cut between two fields leaves a message.
        if let Err(error) = decode::<Pod>(cut) {
            assert!(!error.to_string().contains("UTF-8"), "{end}: {error}");
        }
    }
    let group = b"\x1a\x03\x1a\x01\xff\x1b";
    assert!(decode::<Pod>(&group[..]).is_err());
}
