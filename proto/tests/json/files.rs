//! The files that Kubernetes and a real node left for the tests.

use std::fs;
use std::path::{Path, PathBuf};

use podsapi_proto::json::{Value, parse_json, parse_yaml};
use prost::Message as _;

/// Returns a folder of the test data, or says that it is missing.
pub(crate) fn folder(name: &str) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../shared/testdata")
        .join(name);
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: ../shared/testdata/{name} is missing");
    None
}

/// Returns the folder of each published version, none when the test data are missing.
pub(crate) fn versions() -> Vec<PathBuf> {
    let Some(folder) = folder("k8s") else {
        return Vec::new();
    };
    let versions = ["v1.33.0", "v1.35.0", "v1.36.0", "HEAD"];
    versions
        .into_iter()
        .map(|version| folder.join(version))
        .collect()
}

pub(crate) fn json(path: &Path) -> Value {
    parse_json(&fs::read(path).unwrap()).unwrap()
}

/// Returns the only document of a file.
pub(crate) fn yaml(path: &Path) -> Value {
    let mut documents = parse_yaml(&fs::read(path).unwrap()).unwrap();
    assert_eq!(documents.len(), 1, "{}", path.display());
    documents.remove(0)
}

/// Returns the pod inside the storage envelope of a file.
pub(crate) fn pod(path: &Path) -> Vec<u8> {
    #[derive(Clone, PartialEq, prost::Message)]
    struct Unknown {
        #[prost(bytes = "vec", tag = "2")]
        raw: Vec<u8>,
    }
    let bytes = fs::read(path).unwrap();
    assert_eq!(bytes[..4], *b"k8s\0");
    Unknown::decode(&bytes[4..]).unwrap().raw
}
