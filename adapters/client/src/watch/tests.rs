//! What messages of both definitions say happened.

use podsapi_proto::core_v1::{Pod, PodSpec, PodStatus};
use podsapi_proto::meta_v1::{ObjectMeta, Time};
use prost::Message;

use super::*;

/// A pod that a documented watch tells when it was deleted without grace.
fn deleted() -> Pod {
    Pod {
        metadata: Some(ObjectMeta {
            uid: Some("a".to_owned()),
            deletion_timestamp: Some(Time::default()),
            deletion_grace_period_seconds: Some(0),
            ..ObjectMeta::default()
        }),
        ..Pod::default()
    }
}

fn documented(pod: &Pod) -> Event {
    let pod = pod.encode_to_vec().into();
    let message = documented::PodWatchResponse { pod };
    read_event(Dialect::Documented, message.encode_to_vec().into()).unwrap()
}

#[test]
fn only_an_identity_deleted_without_grace_is_a_deletion() {
    let event = documented(&deleted());
    assert_eq!(event.kind, EventKind::Deleted);
    assert_eq!(event.pod, deleted().encode_to_vec());
    let change = |change: fn(&mut Pod)| {
        let mut pod = deleted();
        change(&mut pod);
        pod
    };
    for pod in [
        change(|pod| pod.spec = Some(PodSpec::default())),
        change(|pod| pod.status = Some(PodStatus::default())),
        change(|pod| pod.metadata.as_mut().unwrap().deletion_timestamp = None),
        change(|pod| pod.metadata.as_mut().unwrap().deletion_grace_period_seconds = None),
        change(|pod| pod.metadata.as_mut().unwrap().deletion_grace_period_seconds = Some(1)),
        change(|pod| pod.metadata = None),
    ] {
        let event = documented(&pod);
        assert_eq!(event.kind, EventKind::Modified, "{pod:?}");
        assert_eq!(event.pod, pod.encode_to_vec());
    }
}

#[test]
fn what_cannot_be_read_is_a_change_for_whoever_reads_it() {
    let broken = [&deleted().encode_to_vec()[..], b"\x12\x02\x0a\x7f"].concat();
    let message = documented::PodWatchResponse {
        pod: broken.clone().into(),
    };
    let event = read_event(Dialect::Documented, message.encode_to_vec().into()).unwrap();
    assert_eq!(
        (event.kind, event.pod),
        (EventKind::Modified, broken.into())
    );
}

#[test]
fn each_word_of_the_released_definition_is_read_as_itself() {
    for (word, kind) in [
        (v1alpha1::EventType::Added as i32, EventKind::Added),
        (v1alpha1::EventType::Deleted as i32, EventKind::Deleted),
        (
            v1alpha1::EventType::InitialSyncComplete as i32,
            EventKind::InitialSyncComplete,
        ),
        (v1alpha1::EventType::Modified as i32, EventKind::Modified),
        (v1alpha1::EventType::Unspecified as i32, EventKind::Modified),
        (77, EventKind::Modified),
    ] {
        let pod = deleted().encode_to_vec();
        let message = v1alpha1::WatchPodsEvent {
            r#type: word,
            pod: pod.clone().into(),
        };
        let event = read_event(Dialect::V1alpha1, message.encode_to_vec().into()).unwrap();
        assert_eq!((event.kind, event.pod), (kind, pod.into()));
    }
    assert!(read_event(Dialect::V1alpha1, Bytes::from_static(b"\x08")).is_err());
}
