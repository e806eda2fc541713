//! Requests as bytes: tags, varints, lengths, groups and strings as a client may send them.

use bytes::Bytes;
use podsapi_core::{
    Call, Code, Config, Dialect, Method, Moment, Pods, Reply, SourceConfig, SourceEvent, SourceKind,
};
use podsapi_proto::{documented, v1alpha1};
use prost::Message;

/// A request for a pod is understood just when prost understands it, and then means the same pod;
/// the other methods refuse what is no protobuf too.
///
/// # Panics
///
/// When the two disagree.
pub fn wire(data: &[u8]) {
    let body = Bytes::copy_from_slice(data);
    let released = v1alpha1::GetPodRequest::decode(data).map(|request| request.pod_uid);
    let documented = documented::PodGetRequest::decode(data).map(|request| request.pod_uid);
    for (dialect, decoded) in [
        (Dialect::V1alpha1, released.ok()),
        (Dialect::Documented, documented.ok()),
    ] {
        let refused = refusal(Call::new(dialect, Method::GetPod, body.clone()));
        match (refused, decoded) {
            (Some((Code::NotFound, text)), Some(uid)) => {
                let plain = uid.len() <= 64 && uid.chars().all(|c| c.is_ascii_alphanumeric());
                let meant = format!("pod with UID {uid} not found");
                assert!(!plain || text == meant, "{text:?}, not {meant:?}");
            }
            (Some((Code::Internal, _)), None) => {}
            (refused, decoded) => panic!("{dialect:?}: {refused:?}, by prost {decoded:?}"),
        }
        let understood = v1alpha1::ListPodsRequest::decode(data).is_ok();
        for method in [Method::ListPods, Method::WatchPods] {
            match refusal(Call::new(dialect, method, body.clone())) {
                None => assert!(understood, "{method:?}"),
                Some((code, _)) => assert!(!understood && code == Code::Internal, "{code:?}"),
            }
        }
    }
}

/// Returns why a server without pods refuses a call.
fn refusal(call: Call) -> Option<(Code, String)> {
    match ready().handle_call(call, Moment::ORIGIN) {
        Reply::Refuse(status) => Some((status.code(), status.message().to_owned())),
        Reply::Answer(_) | Reply::Watch(_) => None,
    }
}

/// Returns a service that knows that there are no pods.
fn ready() -> Pods {
    let config = Config {
        sources: vec![SourceConfig::new("node", SourceKind::Snapshot)],
        ..Config::default()
    };
    let mut pods = Pods::new(config, Moment::ORIGIN);
    let source = pods.source("node").expect("it is configured above");
    for event in [SourceEvent::Begin, SourceEvent::Complete { at: 0 }] {
        let told = pods.handle_source(source, event, Moment::ORIGIN);
        told.expect("a list that begins may be complete");
    }
    pods
}
