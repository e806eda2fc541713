//! Small encoded pods, written by a protobuf writer of the tests' own.

use bytes::Bytes;
use podsapi_core::{EncodedPod, EncodedStatus};

/// A pod to be encoded, with the few fields that tests look at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SamplePod {
    /// `metadata.uid`
    pub uid: String,
    /// `metadata.namespace`
    pub namespace: String,
    /// `metadata.name`
    pub name: String,
    /// `metadata.resourceVersion`, which tells one version of a pod from another.
    pub resource_version: String,
    /// `metadata.labels`
    pub labels: Vec<(String, String)>,
    /// `spec.nodeName`
    pub node_name: String,
    /// The names of `spec.containers`, each with the image `registry.example/<name>:1`.
    pub containers: Vec<String>,
    /// `status`
    pub status: Option<SampleStatus>,
    /// Bytes that stand behind all records, such as fields that no schema knows.
    pub trailing: Vec<u8>,
}

/// A status to be encoded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SampleStatus {
    /// `phase`
    pub phase: String,
    /// The status of the condition `Ready` with its reason, if the condition is there.
    pub ready: Option<(String, String)>,
    /// `podIP`
    pub pod_ip: String,
}

impl SamplePod {
    /// Returns a running pod with one container.
    pub fn new(namespace: &str, name: &str, uid: &str) -> Self {
        Self {
            uid: uid.into(),
            namespace: namespace.into(),
            name: name.into(),
            containers: vec!["main".into()],
            status: Some(SampleStatus::phase("Running")),
            ..Self::default()
        }
    }

    /// Returns the same pod in another version.
    #[must_use]
    pub fn version(self, version: impl ToString) -> Self {
        Self {
            resource_version: version.to_string(),
            ..self
        }
    }

    /// Returns the same pod with another label.
    #[must_use]
    pub fn label(mut self, key: &str, value: &str) -> Self {
        self.labels.push((key.into(), value.into()));
        self
    }

    /// Returns the same pod with another status, or without one.
    #[must_use]
    pub fn status(self, status: impl Into<Option<SampleStatus>>) -> Self {
        Self {
            status: status.into(),
            ..self
        }
    }

    /// Returns the encoded pod, records in ascending order of their numbers.
    pub fn encode(&self) -> Bytes {
        let mut metadata = Vec::new();
        text(1, &self.name, &mut metadata);
        text(3, &self.namespace, &mut metadata);
        text(5, &self.uid, &mut metadata);
        text(6, &self.resource_version, &mut metadata);
        for (key, value) in &self.labels {
            let mut entry = Vec::new();
            message(1, key.as_bytes(), &mut entry);
            message(2, value.as_bytes(), &mut entry);
            message(11, &entry, &mut metadata);
        }
        let mut spec = Vec::new();
        for name in &self.containers {
            let mut container = Vec::new();
            text(1, name, &mut container);
            text(2, &format!("registry.example/{name}:1"), &mut container);
            message(2, &container, &mut spec);
        }
        text(10, &self.node_name, &mut spec);
        let mut pod = Vec::new();
        message(1, &metadata, &mut pod);
        message(2, &spec, &mut pod);
        if let Some(status) = &self.status {
            message(3, &status.encode(), &mut pod);
        }
        pod.extend_from_slice(&self.trailing);
        pod.into()
    }

    /// Returns the encoded pod as the core takes it.
    ///
    /// # Panics
    ///
    /// Panics when the sample has no UID or trailing bytes that are no records.
    pub fn parse(&self) -> EncodedPod {
        EncodedPod::parse(self.encode()).expect("a sample with a UID is a valid pod")
    }
}

impl SampleStatus {
    /// Returns a status with a phase and nothing else.
    pub fn phase(phase: &str) -> Self {
        Self {
            phase: phase.into(),
            ..Self::default()
        }
    }

    /// Returns the same status with a condition `Ready`.
    #[must_use]
    pub fn ready(self, status: &str, reason: &str) -> Self {
        Self {
            ready: Some((status.into(), reason.into())),
            ..self
        }
    }

    /// Returns the encoded status, records in ascending order of their numbers.
    pub fn encode(&self) -> Bytes {
        let mut status = Vec::new();
        text(1, &self.phase, &mut status);
        if let Some((value, reason)) = &self.ready {
            let mut condition = Vec::new();
            text(1, "Ready", &mut condition);
            text(2, value, &mut condition);
            text(5, reason, &mut condition);
            message(2, &condition, &mut status);
        }
        text(6, &self.pod_ip, &mut status);
        status.into()
    }

    /// Returns the encoded status as the core takes it.
    ///
    /// # Panics
    ///
    /// Does not: every sample is a valid status.
    pub fn parse(&self) -> EncodedStatus {
        EncodedStatus::parse(self.encode()).expect("every sample is a valid status")
    }
}

/// Appends a string, unless it is empty.
fn text(number: u32, text: &str, out: &mut Vec<u8>) {
    if !text.is_empty() {
        message(number, text.as_bytes(), out);
    }
}

/// Appends a length-delimited record.
pub fn message(number: u32, payload: &[u8], out: &mut Vec<u8>) {
    varint(u64::from(number << 3 | 2), out);
    varint(payload.len() as u64, out);
    out.extend_from_slice(payload);
}

/// Appends a varint.
pub fn varint(mut value: u64, out: &mut Vec<u8>) {
    while value > 0x7f {
        out.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Returns the records of a message whose fields are varints and length-delimited ones: the
/// number, and the value or the payload.
///
/// # Panics
///
/// Panics when the bytes are no such message.
pub fn records(mut bytes: &[u8]) -> Vec<(u32, Record)> {
    let mut records = Vec::new();
    while !bytes.is_empty() {
        let tag = take_varint(&mut bytes);
        let record = match tag & 7 {
            0 => Record::Varint(take_varint(&mut bytes)),
            2 => {
                let length = take_varint(&mut bytes) as usize;
                let (payload, rest) = bytes.split_at(length);
                bytes = rest;
                Record::Payload(payload.to_vec())
            }
            other => panic!("wire type {other} is not expected"),
        };
        records.push(((tag >> 3) as u32, record));
    }
    records
}

/// What stands behind a tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Record {
    /// A number.
    Varint(u64),
    /// A string or a message.
    Payload(Vec<u8>),
}

fn take_varint(bytes: &mut &[u8]) -> u64 {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes
            .split_first()
            .expect("a varint ends inside the message");
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            break;
        }
    }
    value
}
