//! What API servers send, written by hand.

use podsapi_core::EncodedPod;
use podsapi_proto::json::{self, Value};
use podsapi_proto::schema::Message;

pub(super) const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";
pub(super) const PROTOBUF_WATCH: &str = "application/vnd.kubernetes.protobuf;stream=watch";
pub(super) const JSON: &str = "application/json";
pub(super) const NODE: &str = "n1";

/// A pod, as far as anything here looks at it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Scene {
    pub(super) uid: String,
    pub(super) name: String,
    pub(super) version: u64,
    pub(super) node: String,
    /// Bytes of an annotation.
    pub(super) padding: usize,
    /// Whether the bytes are those of no pod, behind the names.
    pub(super) broken: bool,
}

impl Scene {
    pub(super) fn new(uid: &str, version: u64) -> Self {
        Self {
            uid: uid.to_owned(),
            name: format!("name-{uid}"),
            version,
            node: NODE.to_owned(),
            padding: 0,
            broken: false,
        }
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut metadata = Vec::new();
        for (number, text) in [(1, &self.name), (3, &"ns".to_owned()), (5, &self.uid)] {
            if !text.is_empty() {
                metadata.extend(field(number, text.as_bytes()));
            }
        }
        metadata.extend(field(6, self.version.to_string().as_bytes()));
        if self.padding > 0 {
            let annotation = [field(1, b"a"), field(2, &vec![b'x'; self.padding])].concat();
            metadata.extend(field(12, &annotation));
        }
        let mut pod = field(1, &metadata);
        pod.extend(field(2, &field(10, self.node.as_bytes())));
        if self.broken {
            // A status whose length is a lie.
            pod.extend([0x1a, 0x7f]);
        }
        pod
    }

    pub(super) fn encoded(&self) -> EncodedPod {
        EncodedPod::parse(self.bytes().into()).unwrap()
    }

    fn json(&self) -> String {
        let broken = self.broken;
        let whole = Self {
            broken: false,
            ..self.clone()
        };
        let mut pod = json::decode(Message::POD, &whole.bytes()).unwrap();
        if let Value::Map(map) = &mut pod
            && broken
        {
            map.set("status", Value::from("no object"));
        }
        json::to_json(&pod)
    }
}

pub(super) fn field(number: u32, payload: &[u8]) -> Vec<u8> {
    let mut written = Vec::new();
    for mut value in [u64::from(number) << 3 | 2, payload.len() as u64] {
        while value >= 0x80 {
            written.push(u8::try_from(value & 0x7f).unwrap() | 0x80);
            value >>= 7;
        }
        written.push(u8::try_from(value).unwrap());
    }
    written.extend_from_slice(payload);
    written
}

pub(super) fn envelope(kind: &str, object: &[u8]) -> Vec<u8> {
    let meta = [field(1, b"v1"), field(2, kind.as_bytes())].concat();
    let parts = [
        b"k8s\0".to_vec(),
        field(1, &meta),
        field(2, object),
        field(3, b""),
        field(4, b""),
    ];
    parts.concat()
}

/// A page of a list; `next` is empty on the last one.
pub(super) fn list(version: &str, next: &str, pods: &[Scene]) -> Vec<u8> {
    let mut metadata = field(2, version.as_bytes());
    if !next.is_empty() {
        metadata.extend(field(3, next.as_bytes()));
    }
    let mut list = field(1, &metadata);
    for pod in pods {
        list.extend(field(2, &pod.bytes()));
    }
    envelope("PodList", &list)
}

pub(super) fn list_in_json(version: &str, next: &str, pods: &[Scene]) -> Vec<u8> {
    let items: Vec<_> = pods.iter().map(Scene::json).collect();
    let items = items.join(",");
    format!(
        r#"{{"kind":"PodList","apiVersion":"v1","metadata":{{"resourceVersion":"{version}",
        "continue":"{next}"}},"items":[{items}]}}"#
    )
    .into_bytes()
}

pub(super) fn event(kind: &str, pod: &Scene) -> Vec<u8> {
    raw_event(kind, &envelope("Pod", &pod.bytes()))
}

pub(super) fn raw_event(kind: &str, object: &[u8]) -> Vec<u8> {
    let event = [field(1, kind.as_bytes()), field(2, &field(1, object))].concat();
    let length = u32::try_from(event.len()).unwrap().to_be_bytes();
    [&length[..], &event].concat()
}

pub(super) fn event_in_json(kind: &str, pod: &Scene) -> Vec<u8> {
    let object = pod.json();
    format!("{{\"type\":\"{kind}\",\"object\":{object}}}\n").into_bytes()
}

pub(super) fn bookmark(version: u64) -> Scene {
    Scene {
        name: String::new(),
        node: String::new(),
        ..Scene::new("", version)
    }
}

pub(super) fn status(code: u16, reason: &str) -> Vec<u8> {
    let mut status = field(3, format!("because of {reason}").as_bytes());
    status.extend(field(4, reason.as_bytes()));
    // A varint of two bytes: every code has more than seven bits.
    status.extend([0x30, u8::try_from(code & 0x7f).unwrap() | 0x80]);
    status.push(u8::try_from(code >> 7).unwrap());
    envelope("Status", &status)
}

pub(super) fn status_in_json(code: u16, reason: &str) -> String {
    format!(
        r#"{{"kind":"Status","message":"because of {reason}","reason":"{reason}","code":{code}}}"#
    )
}
