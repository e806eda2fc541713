//! One pod in an answer, read as far as it can be.

use bytes::Bytes;
use podsapi_core::{EncodedPod, Uid};
use podsapi_proto::json::{self, Value};
use podsapi_proto::schema::Message;
use podsapi_proto::text::readable;

use super::fields;
use crate::tree;

/// As much of a pod as tells which one it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Names {
    pub(super) name: String,
    pub(super) namespace: String,
    pub(super) uid: String,
    /// `metadata.resourceVersion`.
    pub(super) version: String,
    /// `spec.nodeName`.
    pub(super) node: String,
}

/// A pod of a list or of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) names: Names,
    /// The pod, or why it cannot be served.
    pub(super) pod: Result<EncodedPod, String>,
}

impl Found {
    /// Reads a pod that is there whole.
    pub(super) fn in_protobuf(bytes: Bytes, limit: usize) -> Self {
        let names = Names::in_protobuf(&bytes);
        let parsed = EncodedPod::parse_with_limit(bytes, limit);
        let pod = parsed.map_err(|error| error.to_string());
        Self { names, pod }
    }

    /// Reads the beginning of a pod of which no more was kept.
    pub(super) fn cut(beginning: &[u8], why: String) -> Self {
        Self {
            names: Names::in_protobuf(beginning),
            pod: Err(why),
        }
    }

    /// Encodes a pod.
    pub(super) fn in_json(pod: &Value, limit: usize) -> Self {
        let names = Names::in_json(pod);
        let encoded = json::encode(Message::POD, pod).map_err(|error| error.to_string());
        let pod = encoded.and_then(|encoded| {
            let parsed = EncodedPod::parse_with_limit(Bytes::from(encoded.bytes), limit);
            parsed.map_err(|error| error.to_string())
        });
        Self { names, pod }
    }
}

impl Names {
    /// Reads the names in an encoded pod as far as its bytes go.
    pub(super) fn in_protobuf(pod: &[u8]) -> Self {
        let mut names = Self::default();
        for field in fields::Fields::of(pod) {
            let fields::Value::Bytes(part) = field.value else {
                continue;
            };
            let places: &mut [(u32, &mut String)] = match field.number {
                number::METADATA => &mut [
                    (number::NAME, &mut names.name),
                    (number::NAMESPACE, &mut names.namespace),
                    (number::UID, &mut names.uid),
                    (number::RESOURCE_VERSION, &mut names.version),
                ],
                number::SPEC => &mut [(number::NODE_NAME, &mut names.node)],
                _ => continue,
            };
            let mut fields = fields::Fields::of(part);
            while let Some(field) = fields.next() {
                let place = places
                    .iter_mut()
                    .find(|(number, _)| *number == field.number);
                // Half a name is the name of something else.
                if let (Some((_, place)), fields::Value::Bytes(text), false) =
                    (place, field.value, fields.is_broken())
                {
                    **place = readable(text).into_owned();
                }
            }
        }
        names
    }

    fn in_json(pod: &Value) -> Self {
        let part = |name| pod.as_map().and_then(|pod| tree::inner(pod, name));
        let text = |part: Option<&json::Map>, name| {
            part.map_or("", |part| tree::text(part, name)).to_owned()
        };
        let metadata = part("metadata");
        Self {
            name: text(metadata, "name"),
            namespace: text(metadata, "namespace"),
            uid: text(metadata, "uid"),
            version: text(metadata, "resourceVersion"),
            node: text(part("spec"), "nodeName"),
        }
    }

    /// What to call the pod.
    pub(super) fn subject(&self) -> String {
        match (
            self.namespace.as_str(),
            self.name.as_str(),
            self.uid.as_str(),
        ) {
            ("", "", "") => "a pod without names".to_owned(),
            (namespace, name, "") => format!("pod {namespace}/{name}"),
            (namespace, name, uid) => format!("pod {namespace}/{name} ({uid})"),
        }
    }

    /// What to file the pod under: pods that cannot be told apart are one.
    pub(super) fn key(&self) -> String {
        match self.uid.as_str() {
            "" => format!("{}/{}", self.namespace, self.name),
            uid => uid.to_owned(),
        }
    }

    pub(super) fn uid(&self) -> Option<Uid> {
        (!self.uid.is_empty()).then(|| Uid::new(&self.uid))
    }
}

/// The numbers of the fields of `Pod`, `ObjectMeta` and `PodSpec` that are read here.
mod number {
    pub(super) const METADATA: u32 = 1;
    pub(super) const SPEC: u32 = 2;
    pub(super) const NAME: u32 = 1;
    pub(super) const NAMESPACE: u32 = 3;
    pub(super) const UID: u32 = 5;
    pub(super) const RESOURCE_VERSION: u32 = 6;
    pub(super) const NODE_NAME: u32 = 10;
}
