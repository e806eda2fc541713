//! Every path of the schema, on the pod that Kubernetes publishes with every field set.
//!
//! The file is not part of the repository; where it is missing the test says so and passes.

use std::fs;
use std::path::Path;

use podsapi_tests::mask;
use prost::Message as _;
use prost::bytes::Bytes;

use super::filter::{Oracle, embedded_structs, go_tags};

#[test]
fn the_schema_has_1416_paths_and_each_prints_as_itself() {
    let paths = Oracle::new().paths();
    assert_eq!(paths.len(), 1_416);
    for path in &paths {
        assert_eq!(&mask::projection(path).to_string(), path);
    }
}

#[test]
fn every_path_selects_something_of_the_populated_pod_and_what_the_oracle_selects() {
    let file =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/testdata/k8s/HEAD/core.v1.Pod.pb");
    let Ok(envelope) = fs::read(file) else {
        println!("skipped: ../shared/testdata/k8s/HEAD/core.v1.Pod.pb is missing");
        return;
    };
    let pod = unwrapped(envelope);
    let oracle = Oracle::new();
    let decoded = oracle.decode(&pod);
    for path in oracle.paths() {
        let mut left = Vec::new();
        mask::projection(&path).project(&pod, &mut left).unwrap();
        let found = oracle.decode(&left);
        assert_eq!(found, oracle.filter(&path, &decoded), "{path}");
        assert!(oracle.reaches(&path, &found), "{path} is not in {found:?}");
    }
}

#[test]
fn the_oracle_knows_the_structs_that_go_embeds() {
    let mut tagged = go_tags("embedded");
    tagged.sort();
    let mut known: Vec<String> = embedded_structs().collect();
    known.sort();
    assert_eq!(known, tagged);
}

/// Takes the pod out of its storage envelope.
fn unwrapped(envelope: Vec<u8>) -> Bytes {
    #[derive(Clone, PartialEq, prost::Message)]
    struct Unknown {
        #[prost(bytes = "bytes", tag = "2")]
        raw: Bytes,
    }
    let bytes = Bytes::from(envelope);
    assert_eq!(bytes[..4], *b"k8s\0");
    Unknown::decode(bytes.slice(4..)).unwrap().raw
}
