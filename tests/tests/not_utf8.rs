//! Every string of whole pods, one after the other and at random, holds bytes that are not UTF-8.
//!
//! Whatever reads pods must take each of them: the check on entry, the mirror of clients, JSON, the
//! status that is worked out here.

#![cfg(test)]

use std::path::{Path, PathBuf};

use bytes::Bytes;
use podsapi_client::{Event, EventKind, Mirror, MirroredPod};
use podsapi_core::{EncodedPod, Uid};
use podsapi_proto::core_v1::Pod;
use podsapi_proto::json::{decode_whole, to_json, to_yaml};
use podsapi_proto::schema::{Kind, Message as Schema, Shape};
use podsapi_proto::text::{decode, readable};
use podsapi_sources::status::{PodView, status};
use podsapi_sources::view::NodeFacts;
use podsapi_tests::pods::{Record, message, records, varint};
use proptest::prelude::*;
use prost::Message;

/// Returns Kubernetes' own pods in which every field is set, encoded by Go, and one of our own, so
/// that there is one where the others are not.
fn pods() -> Vec<(String, Vec<u8>)> {
    let own = podsapi_tests::pods::SamplePod::new("namespace", "name", "uid")
        .label("key", "value")
        .encode();
    let mut pods = vec![("sample".to_owned(), own.to_vec())];
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/testdata/k8s");
    let Ok(versions) = std::fs::read_dir(&root) else {
        let ci = std::env::var_os("CI").is_some();
        assert!(!ci, "{} is missing", root.display());
        eprintln!(
            "skipped for want of {}: pods with every field",
            root.display()
        );
        return pods;
    };
    let files = versions.filter_map(|version| {
        let file = version.ok()?.path().join("core.v1.Pod.pb");
        file.exists().then_some(file)
    });
    let mut files: Vec<PathBuf> = files.collect();
    // HEAD, which has no number, comes last.
    files.sort_by_key(|file| (file.to_string_lossy().contains("HEAD"), file.clone()));
    for file in files {
        let envelope = std::fs::read(&file).unwrap();
        let raw = records(&envelope[4..])
            .into_iter()
            .find(|(number, _)| *number == 2);
        let Some((_, Record::Payload(raw))) = raw else {
            panic!("{} is no envelope", file.display())
        };
        pods.push((file.display().to_string(), raw));
    }
    pods
}

/// What the fields of a message are, or those of an entry of a map.
#[derive(Clone, Copy)]
enum Level {
    Message(Schema),
    Entry(Kind),
}

/// Returns a message with `text` in place of the string that `left` counts down to.
fn with(level: Level, bytes: &[u8], left: &mut Option<usize>, text: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for (number, record) in records(bytes) {
        let payload = match record {
            Record::Payload(payload) => payload,
            Record::Varint(value) => {
                varint(u64::from(number << 3), &mut out);
                varint(value, &mut out);
                continue;
            }
        };
        let below = match level {
            Level::Entry(_) if number == 1 => Some(Err(Kind::String)),
            Level::Entry(value) => Some(Err(value)),
            Level::Message(schema) => schema.field(number).map(|field| match field.shape() {
                Shape::Map => Ok(Level::Entry(field.kind())),
                Shape::Singular | Shape::Repeated => Err(field.kind()),
            }),
        };
        let payload = match below {
            Some(Ok(entry)) => with(entry, &payload, left, text),
            Some(Err(Kind::Message(schema))) => with(Level::Message(schema), &payload, left, text),
            Some(Err(Kind::String)) => match left {
                Some(0) => {
                    *left = None;
                    text.to_vec()
                }
                Some(more) => {
                    *more -= 1;
                    payload
                }
                None => payload,
            },
            Some(Err(Kind::Bool | Kind::Bytes | Kind::Int32 | Kind::Int64)) | None => payload,
        };
        message(number, &payload, &mut out);
    }
    out
}

/// Returns the pod with another string in this place; none when it has fewer.
fn changed(pod: &[u8], place: usize, text: &[u8]) -> Option<Vec<u8>> {
    let mut left = Some(place);
    let changed = with(Level::Message(Schema::POD), pod, &mut left, text);
    left.is_none().then_some(changed)
}

fn node() -> NodeFacts {
    NodeFacts {
        node_name: "node".to_owned(),
        runtime_name: "runtime".to_owned(),
        host_ips: vec!["192.0.2.1".to_owned()],
    }
}

/// Checks a pod whose string in `place` is `text`, which is not UTF-8, with every reader.
fn holds(pod: &[u8], place: usize, text: &[u8]) -> bool {
    let Some(broken) = changed(pod, place, text) else {
        return false;
    };
    let replaced = readable(text).into_owned();
    let mended = changed(pod, place, replaced.as_bytes()).unwrap();
    let mended = Pod::decode(mended.as_slice()).expect("it is UTF-8 now");
    assert!(Pod::decode(broken.as_slice()).is_err(), "{place}");
    assert_eq!(
        decode::<Pod>(broken.as_slice()).as_ref(),
        Ok(&mended),
        "{place}"
    );

    let encoded = EncodedPod::parse(broken.clone().into()).unwrap();
    assert_eq!(encoded.bytes(), &broken);
    let metadata = mended.metadata.clone().unwrap();
    assert_eq!(encoded.uid().as_str(), metadata.uid());
    assert_eq!(encoded.name(), metadata.name());
    assert_eq!(encoded.namespace(), metadata.namespace());
    let named = encoded.first_not_utf8().unwrap();
    assert!(named.contains('.') && named.is_ascii(), "{named}");

    assert_eq!(Uid::in_pod(&broken).as_ref(), Some(encoded.uid()));
    let mirrored = MirroredPod::parse(&broken).unwrap();
    assert_eq!(mirrored.uid(), metadata.uid());
    assert_eq!(mirrored.decode(), Ok(mended));
    let mut mirror = Mirror::new();
    let event = |kind, pod: &[u8]| Event {
        kind,
        pod: Bytes::copy_from_slice(pod),
    };
    for _watch in 0..2 {
        mirror
            .handle_event(&event(EventKind::Added, &broken))
            .unwrap();
        let marker = event(EventKind::InitialSyncComplete, b"");
        mirror.handle_event(&marker).unwrap();
        assert_eq!(mirror.pods().len(), 1, "{place}: it is not gone");
        mirror.handle_disconnect();
    }

    let json = decode_whole(Schema::POD, &broken).unwrap();
    assert!(to_json(&json).contains('\u{fffd}'), "{named}");
    assert!(to_yaml(&json).contains('\u{fffd}'), "{named}");
    status(&encoded, None, &PodView::default(), &node(), 0).unwrap();
    true
}

#[test]
fn no_string_of_a_whole_pod_hides_it() {
    // The newest has the strings of all before it; the others are tried at random.
    let all = pods();
    for (name, pod) in [&all[0], &all[all.len() - 1]].into_iter().take(all.len()) {
        let mut strings = 0;
        while holds(pod, strings, b"cut \xe2\x82") {
            strings += 1;
        }
        assert!(strings > 5, "{name}: {strings} strings");
        assert!(
            name == "sample" || strings > 400,
            "{name}: {strings} strings"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nor_do_any_bytes_in_it(
        pod in any::<prop::sample::Index>(),
        place in 0_usize..600,
        text in prop::collection::vec(any::<u8>(), 1..12)
            .prop_filter("UTF-8 is for others", |text| std::str::from_utf8(text).is_err()),
    ) {
        let pods = pods();
        let (_, pod) = &pods[pod.index(pods.len())];
        holds(pod, place, &text);
    }
}
