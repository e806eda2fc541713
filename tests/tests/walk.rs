//! The check that pods pass on entry agrees with a decoder, on real pods and on damaged ones.

use std::path::{Path, PathBuf};

use bytes::Bytes;
use podsapi_core::{EncodedPod, PodError};
use podsapi_proto::core_v1::Pod;
use podsapi_proto::text::decode;
use podsapi_tests::pods::{SamplePod, SampleStatus};
use proptest::prelude::*;
use prost::Message;

/// Returns the pods of Kubernetes' own test data, each with a name, encoded by Go; none when the
/// data is not there, which is said.
#[expect(
    clippy::print_stderr,
    reason = "a test that has nothing to check says so"
)]
fn captured_pods() -> Vec<(String, Bytes)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/testdata/k8s");
    let Ok(versions) = std::fs::read_dir(&root) else {
        eprintln!("skipped: {} is not there", root.display());
        return Vec::new();
    };
    let mut files: Vec<PathBuf> = versions
        .filter_map(|version| std::fs::read_dir(version.ok()?.path()).ok())
        .flatten()
        .filter_map(|file| Some(file.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "pb"))
        .collect();
    files.sort();
    let read = |path: PathBuf| {
        let file = std::fs::read(&path).expect("a file that was listed can be read");
        (path.display().to_string(), raw_object(&file))
    };
    files.into_iter().map(read).collect()
}

/// Takes the pod out of the envelope of Kubernetes: a magic of four bytes, then `Unknown`.
fn raw_object(file: &[u8]) -> Bytes {
    let envelope = file
        .strip_prefix(b"k8s\0")
        .expect("the file begins with the magic");
    let raw = podsapi_tests::pods::records(envelope)
        .into_iter()
        .find(|(number, _)| *number == 2);
    match raw {
        Some((_, podsapi_tests::pods::Record::Payload(raw))) => raw.into(),
        other => panic!("the envelope has no raw object, but {other:?}"),
    }
}

fn sample() -> Vec<u8> {
    let status = SampleStatus::phase("Running").ready("True", "");
    let sample = SamplePod::new("namespace", "name", "uid")
        .version(7)
        .label("key", "value");
    sample.status(status).encode().to_vec()
}

/// Tells whether a decoder accepts the bytes, and has a UID then.
fn decodes(bytes: &[u8]) -> bool {
    decode::<Pod>(bytes).is_ok_and(|pod| pod.metadata.is_some_and(|it| !it.uid().is_empty()))
}

#[test]
fn pods_encoded_by_go_pass_and_keep_their_identity() {
    for (name, bytes) in captured_pods() {
        let pod =
            EncodedPod::parse(bytes.clone()).unwrap_or_else(|error| panic!("{name}: {error}"));
        let metadata = Pod::decode(bytes)
            .expect("the pod decodes")
            .metadata
            .unwrap_or_default();
        assert_eq!(pod.uid().as_str(), metadata.uid(), "{name}");
        assert_eq!(pod.namespace(), metadata.namespace(), "{name}");
        assert_eq!(pod.name(), metadata.name(), "{name}");
        assert!(
            pod.fields_ascend() && pod.spec().is_some() && pod.status().is_some(),
            "{name}"
        );
    }
}

#[test]
fn a_captured_pod_cut_anywhere_passes_only_where_a_decoder_agrees() {
    for (name, bytes) in captured_pods().into_iter().take(1) {
        for end in 0..bytes.len() {
            let passes = EncodedPod::parse(bytes.slice(..end)).is_ok();
            assert_eq!(passes, decodes(&bytes[..end]), "{name} cut at byte {end}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_096, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_passes_is_what_decodes(damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4)) {
        let mut bytes = sample();
        for (index, byte) in damage {
            let index = index.index(bytes.len());
            bytes[index] = byte;
        }
        let found = EncodedPod::parse(bytes.clone().into());
        let decoded = decode::<Pod>(bytes.as_slice());
        match found {
            Ok(_) => prop_assert!(decoded.is_ok(), "{:?}", decoded),
            Err(PodError::MissingUid) => prop_assert!(!decodes(&bytes)),
            Err(error) => prop_assert!(decoded.is_err(), "refused with {error}, but it decodes"),
        }
    }
}
