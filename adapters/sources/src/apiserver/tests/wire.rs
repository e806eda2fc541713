//! Lists and events as an API server sends them, in protobuf and in JSON.

use podsapi_core::EncodedPod;

use super::server::{Answer, Then};
use crate::status::scenes;

pub(super) const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";
pub(super) const PROTOBUF_WATCH: &str = "application/vnd.kubernetes.protobuf;stream=watch";

/// The pod `ns/pod-UID` of the node `n`, with a label.
pub(super) fn pod(uid: &str, word: &str) -> EncodedPod {
    scenes::pod(&format!(
        "metadata: {{name: pod-{uid}, namespace: ns, uid: '{uid}', resourceVersion: '7', \
         labels: {{word: {word}}}}}\nspec: {{nodeName: 'n', containers: [{{name: a}}]}}"
    ))
}

/// A whole list.
pub(super) fn list(uids: &[&str], word: &str) -> Answer {
    // resourceVersion is the second field of ListMeta, which is the first of PodList.
    let mut list = field(1, &field(2, b"5"));
    for uid in uids {
        list.extend(field(2, pod(uid, word).bytes()));
    }
    Answer {
        status: 200,
        kind: PROTOBUF,
        body: envelope("PodList", &list),
        then: Then::End,
    }
}

/// A watch of what the test tells.
pub(super) fn watch() -> Answer {
    Answer {
        status: 200,
        kind: PROTOBUF_WATCH,
        body: Vec::new(),
        then: Then::Follow,
    }
}

/// An event of a watch, in its frame.
pub(super) fn event(kind: &str, uid: &str, word: &str) -> Vec<u8> {
    let object = envelope("Pod", pod(uid, word).bytes());
    // RawExtension has the object as its first field.
    let event = [field(1, kind.as_bytes()), field(2, &field(1, &object))].concat();
    let length = u32::try_from(event.len()).unwrap();
    [length.to_be_bytes().to_vec(), event].concat()
}

/// A refusal in JSON.
pub(super) fn refusal(status: u16, message: &str) -> Answer {
    let body = format!(
        r#"{{"kind":"Status","apiVersion":"v1","status":"Failure","message":"{message}","code":{status}}}"#
    );
    json(status, body)
}

pub(super) fn json(status: u16, body: String) -> Answer {
    Answer {
        status,
        kind: "application/json",
        body: body.into_bytes(),
        then: Then::End,
    }
}

/// The pod in JSON.
pub(super) fn json_pod(uid: &str, word: &str) -> String {
    format!(
        r#"{{"metadata":{{"name":"pod-{uid}","namespace":"ns","uid":"{uid}","resourceVersion":"7",
        "labels":{{"word":"{word}"}}}},"spec":{{"nodeName":"n","containers":[{{"name":"a"}}]}}}}"#
    )
    .replace('\n', "")
}

fn envelope(kind: &str, object: &[u8]) -> Vec<u8> {
    let meta = [field(1, b"v1"), field(2, kind.as_bytes())].concat();
    [b"k8s\0".to_vec(), field(1, &meta), field(2, object)].concat()
}

/// A field that has a length.
fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    let mut encoded = vec![number << 3 | 2];
    let mut length = bytes.len();
    while length >= 0x80 {
        encoded.push(u8::try_from(length & 0x7f).unwrap() | 0x80);
        length >>= 7;
    }
    encoded.push(u8::try_from(length).unwrap());
    encoded.extend(bytes);
    encoded
}
