//! Field masks in the metadata of calls, as text and encoded.

use podsapi_proto::{
    core_v1::Pod,
    field_mask::FieldMask,
    google_rpc,
    v1alpha1::{EventType, GetPodResponse, ListPodsRequest, ListPodsResponse, WatchPodsRequest},
};
use podsapi_tests::{
    live::{Socket, soon},
    pods::SampleStatus,
};
use prost::Message;
use tonic::{
    Code, Request, Streaming,
    metadata::{MetadataMap, MetadataValue},
};

use crate::{
    calls::{GET, LIST, asked, detail},
    dial::{Tonic, pod, serving},
    watches::{WATCH, next},
};

#[tokio::test]
async fn masks_select_fields_however_they_are_sent() {
    let socket = Socket::new();
    let (live, _feed) = serving(&socket, &[pod("a", 1)]);
    let client = Tonic::dial(&live).await;
    let (phase, uid) = (Line::Encoded(&["status.phase"]), Line::Text("metadata.uid"));
    let spellings: [&[Line]; 6] = [
        &[Line::Text("status.phase,metadata.uid")],
        &[Line::Text("status.phase"), uid],
        &[Line::Text("metadata.uid, status.phase,, metadata.uid")],
        &[Line::Encoded(&["status.phase", "metadata.uid"])],
        &[phase, Line::Encoded(&["metadata.uid"])],
        &[phase, uid, Line::Text("")],
    ];
    for lines in spellings {
        let listed = client.ask(LIST, masked(ListPodsRequest {}, lines));
        let listed = listed.await.unwrap();
        let got = client.ask(GET, masked(asked("a"), lines)).await.unwrap();
        for metadata in [listed.metadata(), got.metadata()] {
            assert_eq!(
                applied(metadata),
                Some("metadata.uid,status.phase"),
                "{lines:?}"
            );
        }
        let (listed, got): (ListPodsResponse, GetPodResponse) =
            (listed.into_inner(), got.into_inner());
        let mut expected = Pod::default();
        expected.metadata.get_or_insert_default().uid = Some("a".into());
        expected.status.get_or_insert_default().phase = Some("Running".into());
        assert_eq!(listed.pods, [expected.encode_to_vec()], "{lines:?}");
        assert_eq!(got.pod, expected.encode_to_vec(), "{lines:?}");
    }
    let nothing: [&[Line]; 4] = [
        &[],
        &[Line::Text("")],
        &[Line::Text(" ,")],
        &[Line::Encoded(&[])],
    ];
    for lines in nothing {
        let got = client.ask(GET, masked(asked("a"), lines)).await.unwrap();
        assert_eq!(applied(got.metadata()), None, "{lines:?}");
        let got: GetPodResponse = got.into_inner();
        assert_eq!(got.pod, pod("a", 1).encode(), "{lines:?}");
    }
}

#[tokio::test]
async fn a_bad_mask_is_refused_with_every_bad_path() {
    let socket = Socket::new();
    let (live, _feed) = serving(&socket, &[]);
    let client = Tonic::dial(&live).await;
    let lines = [Line::Text("status.podIps,metadata.uid,spec..nodeName")];
    let listed = client.ask::<_, ListPodsResponse>(LIST, masked(ListPodsRequest {}, &lines));
    let refused = listed.await.unwrap_err();
    assert_eq!(refused.code(), Code::InvalidArgument);
    let text = "x-kubernetes-fieldmask: path 1 \"status.podIps\": \"podIps\" (byte 7) is not a field \
                of PodStatus; names are case-sensitive: did you mean \"podIPs\"?; path 3 \
                \"spec..nodeName\": empty segment at byte 5";
    assert_eq!(refused.message(), text);
    assert_eq!(applied(refused.metadata()), None);
    let told: google_rpc::BadRequest = detail(&refused, "google.rpc.BadRequest");
    let fields = told.field_violations.iter().map(|one| &*one.field);
    assert_eq!(
        fields.collect::<Vec<_>>(),
        ["status.podIps", "spec..nodeName"]
    );

    let undecodable = masked(asked("nobody"), &[Line::Bytes(b"\x0a\x7f")]);
    let got = client.ask::<_, GetPodResponse>(GET, undecodable).await;
    let refused = got.unwrap_err();
    assert_eq!(refused.code(), Code::InvalidArgument);
    let text = refused.message();
    assert!(text.starts_with("x-kubernetes-fieldmask-bin: "), "{text}");
}

#[tokio::test]
async fn a_masked_watch_hears_of_a_pod_when_the_selected_fields_changed() {
    let socket = Socket::new();
    let (live, feed) = serving(&socket, &[pod("a", 1)]);
    let client = Tonic::dial(&live).await;
    let request = masked(WatchPodsRequest {}, &[Line::Text("status.phase")]);
    let opened = client.open(WATCH, request).await.unwrap();
    assert_eq!(applied(opened.metadata()), Some("status.phase"));
    let mut watch: Streaming<_> = opened.into_inner();
    assert_eq!(next(&mut watch).await.0, EventType::Added as i32);
    let marker = next(&mut watch).await;
    assert_eq!(marker.0, EventType::InitialSyncComplete as i32);

    feed.put(pod("a", 2).parse());
    let done = pod("a", 3).status(SampleStatus::phase("Succeeded"));
    feed.put(done.parse());
    feed.put(pod("b", 1).parse());
    feed.remove("a");

    let mut expected = Pod::default();
    expected.status.get_or_insert_default().phase = Some("Succeeded".into());
    let modified = (EventType::Modified as i32, expected.encode_to_vec().into());
    assert_eq!(next(&mut watch).await, modified);
    assert_eq!(next(&mut watch).await.0, EventType::Added as i32);
    let (kind, deleted) = next(&mut watch).await;
    assert_eq!(kind, EventType::Deleted as i32);
    let metadata = Pod::decode(deleted).unwrap().metadata.unwrap();
    let identity = (metadata.name(), metadata.namespace(), metadata.uid());
    assert_eq!(identity, ("name-of-a", "default", "a"));
    drop(watch);
    soon(live.stop()).await;
}

/// One line of metadata that carries a mask.
#[derive(Clone, Copy, Debug)]
enum Line {
    Bytes(&'static [u8]),
    Encoded(&'static [&'static str]),
    Text(&'static str),
}

fn masked<T>(message: T, lines: &[Line]) -> Request<T> {
    let mut request = Request::new(message);
    let metadata = request.metadata_mut();
    for line in lines {
        let bytes = match *line {
            Line::Bytes(bytes) => bytes.to_vec(),
            Line::Encoded(paths) => {
                let paths = paths.iter().map(|&path| path.to_owned()).collect();
                FieldMask { paths }.encode_to_vec()
            }
            Line::Text(text) => {
                metadata.append("x-kubernetes-fieldmask", text.parse().unwrap());
                continue;
            }
        };
        metadata.append_bin(
            "x-kubernetes-fieldmask-bin",
            MetadataValue::from_bytes(&bytes),
        );
    }
    request
}

/// Returns what the metadata of an answer say of the mask.
fn applied(metadata: &MetadataMap) -> Option<&str> {
    let told = metadata.get("x-kubernetes-fieldmask-applied")?;
    Some(told.to_str().unwrap())
}
