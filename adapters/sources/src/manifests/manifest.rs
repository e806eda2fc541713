//! One manifest turned into the pod that a kubelet would make of it.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use podsapi_core::{EncodedPod, Uid};
use podsapi_proto::json::{self, Map, Value};
use podsapi_proto::schema::Message;

use super::uid::{self, KubeletRelease};
use super::{converted, defaults, reading, settle, validate};
use crate::tree::{self, edit_or_insert, set_if_zero};
use crate::wall::rfc3339_nanos;

/// A static pod, complete but for the time at which it was first seen.
#[derive(Clone, Debug)]
pub(crate) struct Manifest {
    pod: Map,
    uid: String,
    /// What its UID is made of; nothing where the file names it.
    origin: Option<Origin>,
    /// Paths of fields that no release known here has.
    pub(crate) unknown: Vec<String>,
    /// Keys that are there twice, with their places.
    pub(crate) repeated: Vec<String>,
    /// Whether the file goes on behind the document that was read.
    pub(crate) more: bool,
}

/// What a kubelet hashes to make a UID.
#[derive(Clone, Debug)]
struct Origin {
    /// The pod as the file says it, without a default.
    written: Map,
    /// The file, as the kubelet is told its folder.
    path: PathBuf,
    node_name: String,
}

impl Manifest {
    /// Reads the first document of a file; `path`, as the kubelet has it, and `node_name` become part
    /// of the pod's identity, which is that of a kubelet of `release`.
    ///
    /// # Errors
    ///
    /// Why no kubelet would take it, for its author to read.
    pub(crate) fn read(
        content: &[u8],
        path: impl AsRef<Path>,
        node_name: &str,
        release: KubeletRelease,
    ) -> Result<Self, String> {
        let manifest = Self::decode(content, path, node_name, release)?;
        let faults = validate::check(&manifest.pod);
        if faults.is_empty() {
            Ok(manifest)
        } else {
            Err(faults.join("; "))
        }
    }

    /// Reads the first document of a file and completes it, without looking at whether the pod can
    /// run.
    ///
    /// # Errors
    ///
    /// Why the file is no pod.
    pub(super) fn decode(
        content: &[u8],
        path: impl AsRef<Path>,
        node_name: &str,
        release: KubeletRelease,
    ) -> Result<Self, String> {
        let reading::Document {
            pod,
            is_yaml,
            repeated,
            more,
        } = reading::read(content)?;
        let pod = settle::present(Message::POD, pod, is_yaml);
        let document = Value::Map(pod.clone());
        // Approves the types, so that what follows meets none that it does not expect.
        let encoded = json::encode(Message::POD, &document).map_err(|error| error.to_string())?;
        let metadata = tree::inner(&pod, "metadata");
        let given = |key| metadata.map_or("", |metadata| tree::text(metadata, key));
        if given("name").is_empty() {
            return Err("metadata.name: required".to_owned());
        }
        let mut uid = given("uid").to_owned();
        let mut origin = None;
        if uid.is_empty() {
            let made_of = Origin {
                written: settle::settle(Message::POD, pod.clone(), ""),
                path: path.as_ref().to_owned(),
                node_name: node_name.to_owned(),
            };
            uid = made_of.uid(release);
            origin = Some(made_of);
        }
        let mut pod = settle::settle(Message::POD, pod, "0");
        complete(&mut pod, &uid, node_name);
        Ok(Self {
            pod,
            uid,
            origin,
            unknown: encoded.unknown,
            repeated: repeated.iter().map(ToString::to_string).collect(),
            more,
        })
    }

    /// The pod with its defaults.
    #[cfg(test)]
    pub(super) fn pod(&self) -> &Map {
        &self.pod
    }

    /// The pod's namespace.
    pub(crate) fn namespace(&self) -> &str {
        tree::inner(&self.pod, "metadata").map_or("", |metadata| tree::text(metadata, "namespace"))
    }

    /// The pod's name, the node's name included.
    pub(crate) fn name(&self) -> &str {
        tree::inner(&self.pod, "metadata").map_or("", |metadata| tree::text(metadata, "name"))
    }

    /// The pod's UID.
    pub(crate) fn uid(&self) -> Uid {
        Uid::new(&self.uid)
    }

    /// The UID that the pod has in a kubelet of another release; `None` where the file names it.
    pub(crate) fn uid_in(&self, release: KubeletRelease) -> Option<Uid> {
        let origin = self.origin.as_ref()?;
        Some(Uid::new(&origin.uid(release)))
    }

    /// Gives the pod the UID that it has in a kubelet of another release, unless the file names it.
    pub(crate) fn turn_to(&mut self, release: KubeletRelease) {
        let Some(origin) = &self.origin else { return };
        self.uid = origin.uid(release);
        let uid = self.uid.as_str();
        edit_or_insert(&mut self.pod, "metadata", |metadata| {
            metadata.set("uid", Value::from(uid));
            edit_or_insert(metadata, "annotations", |annotations| {
                annotations.set(HASH_ANNOTATION, Value::from(uid));
            });
        });
    }

    /// What a kubelet of this release hashes of the pod.
    #[cfg(test)]
    pub(super) fn printed(&self, release: KubeletRelease) -> Option<String> {
        let origin = self.origin.as_ref()?;
        Some(uid::printed(origin.filled(release), release))
    }

    /// Encodes the pod as first seen at `seen`, in nanoseconds since 1970.
    ///
    /// # Errors
    ///
    /// When the pod is beyond the bounds of a pod.
    pub(crate) fn encode(&self, seen: i64) -> Result<EncodedPod, String> {
        let mut pod = self.pod.clone();
        edit_or_insert(&mut pod, "metadata", |metadata| {
            edit_or_insert(metadata, "annotations", |annotations| {
                annotations.set(SEEN_ANNOTATION, Value::from(rfc3339_nanos(seen)));
            });
        });
        let encoded = json::encode(Message::POD, &Value::Map(pod));
        let encoded = encoded.map_err(|error| error.to_string())?;
        EncodedPod::parse(Bytes::from(encoded.bytes)).map_err(|error| error.to_string())
    }
}

impl Origin {
    fn uid(&self, release: KubeletRelease) -> String {
        // A kubelet lowers the letters of its node's name before it reads files.
        let node = self.node_name.to_lowercase();
        let path = self.path.as_os_str().as_bytes();
        uid::of(self.filled(release), release, &node, path)
    }

    fn filled(&self, release: KubeletRelease) -> Map {
        let mut pod = self.written.clone();
        defaults::fill(&mut pod, release);
        pod
    }
}

/// Makes a static pod of this node out of what a file says.
fn complete(pod: &mut Map, uid: &str, node_name: &str) {
    defaults::fill(pod, KubeletRelease::NEWEST);
    converted::complete(pod);
    edit_or_insert(pod, "metadata", |metadata| {
        let name = tree::text(metadata, "name");
        let name = format!("{name}-{}", node_name.to_lowercase());
        metadata.set("name", Value::from(name));
        metadata.set("uid", Value::from(uid));
        set_if_zero(metadata, "namespace", "default");
        edit_or_insert(metadata, "annotations", |annotations| {
            annotations.set(HASH_ANNOTATION, Value::from(uid));
            annotations.set(SOURCE_ANNOTATION, Value::from("file"));
        });
    });
    edit_or_insert(pod, "spec", |spec| {
        spec.set("nodeName", Value::from(node_name));
        tolerate_no_execute(spec);
    });
    edit_or_insert(pod, "status", |status| {
        status.set("phase", Value::from("Pending"));
    });
}

/// Static pods stay when their node is in trouble: they tolerate every taint that evicts.
fn tolerate_no_execute(spec: &mut Map) {
    let toleration = tree::object([
        ("operator", Value::from("Exists")),
        ("effect", Value::from("NoExecute")),
    ]);
    let mut tolerations = match spec.remove("tolerations") {
        Some(Value::List(tolerations)) => tolerations,
        Some(
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Map(_),
        )
        | None => Vec::new(),
    };
    let mut found = false;
    for one in &mut tolerations {
        let same = one.as_map().is_some_and(|map| {
            tree::text(map, "key").is_empty()
                && tree::text(map, "value").is_empty()
                && tree::text(map, "operator") == "Exists"
                && tree::text(map, "effect") == "NoExecute"
        });
        if same {
            *one = toleration.clone();
            found = true;
        }
    }
    if !found {
        tolerations.push(toleration);
    }
    spec.set("tolerations", Value::List(tolerations));
}

const HASH_ANNOTATION: &str = "kubernetes.io/config.hash";
const SEEN_ANNOTATION: &str = "kubernetes.io/config.seen";
const SOURCE_ANNOTATION: &str = "kubernetes.io/config.source";

#[cfg(test)]
mod tests;
