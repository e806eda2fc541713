//! What is rewritten of a pod that gets another UID, and what is not.

use podsapi_proto::core_v1::{Pod, PodSpec, PodStatus};
use podsapi_proto::meta_v1::ObjectMeta;
use prost::Message;

use super::*;

/// A static pod as its file has it, with more than one of each.
fn pod(status: Option<PodStatus>) -> Pod {
    let pairs = |pairs: &[(&str, &str)]| {
        let owned = pairs.iter();
        owned
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect()
    };
    Pod {
        metadata: Some(ObjectMeta {
            name: Some("web".to_owned()),
            namespace: Some("ns".to_owned()),
            uid: Some("old".to_owned()),
            labels: pairs(&[("app", "web"), (HASH, "label")]),
            annotations: pairs(&[
                ("a", "1"),
                (HASH, "old"),
                (MIRROR, "old"),
                ("kubernetes.io/config.seen", "then"),
                ("z", "26"),
            ]),
            ..ObjectMeta::default()
        }),
        spec: Some(PodSpec {
            node_name: Some("node-a".to_owned()),
            ..PodSpec::default()
        }),
        status,
    }
}

fn encoded(pod: &Pod) -> EncodedPod {
    EncodedPod::parse(pod.encode_to_vec().into()).unwrap()
}

fn served(pod: &Pod, uid: &str, hash: bool, report: Option<&PodStatus>) -> Pod {
    let report = report.map(Message::encode_to_vec);
    let rewritten = rewritten(&encoded(pod), &Uid::new(uid), hash, report.as_deref());
    Pod::decode(rewritten.bytes().clone()).unwrap()
}

fn status(phase: &str, message: Option<&str>) -> PodStatus {
    PodStatus {
        phase: Some(phase.to_owned()),
        message: message.map(str::to_owned),
        ..PodStatus::default()
    }
}

#[test]
fn of_all_that_a_static_pod_says_of_itself_uid_and_hash_alone_are_others() {
    for before in [None, Some(status("Pending", Some("m")))] {
        let mut expected = pod(before.clone());
        let metadata = expected.metadata.as_mut().unwrap();
        metadata.uid = Some("new".to_owned());
        metadata
            .annotations
            .insert(HASH.to_owned(), "new".to_owned());
        assert_eq!(served(&pod(before), "new", true, None), expected);
    }
}

#[test]
fn a_hash_that_nobody_made_up_stays() {
    let mut expected = pod(None);
    expected.metadata.as_mut().unwrap().uid = Some("new".to_owned());
    assert_eq!(served(&pod(None), "new", false, None), expected);
}

#[test]
fn a_pod_that_keeps_its_uid_and_is_not_reported_is_shared() {
    let before = encoded(&pod(None));
    let after = rewritten(&before, &Uid::new("old"), true, None);
    assert_eq!(after.bytes().as_ptr(), before.bytes().as_ptr());
}

#[test]
fn a_report_stands_in_where_the_pod_says_no_more_than_a_phase() {
    let report = status("Running", Some("reported"));
    for (own, taken) in [
        (None, true),
        (Some(PodStatus::default()), true),
        (Some(status("Pending", None)), true),
        (Some(status("Pending", Some("own"))), false),
    ] {
        for uid in ["old", "new"] {
            let found = served(&pod(own.clone()), uid, true, Some(&report));
            let expected = match taken {
                true => Some(report.clone()),
                false => own.clone(),
            };
            assert_eq!(found.status, expected, "{own:?}");
            assert_eq!(found.metadata.unwrap().uid(), uid);
            assert_eq!(found.spec, pod(None).spec);
        }
    }
}
