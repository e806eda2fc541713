//! The steps of the proof: what a source says, and what clients must get then.

use bytes::Bytes;
use podsapi_core::{
    Call, Code, Config, Dialect, EncodedPod, Method, Moment, Pods, Reply, SourceConfig,
    SourceEvent, SourceKind, WatchOutput,
};
use podsapi_proto::json::{encode, parse_json};
use podsapi_proto::schema::Message;

/// The number of the first step whose outcome was not the right one.
pub struct WrongStep(pub i32);

/// A pod with the name `a`, the UID `u` and the phase `R`.
const POD: &[u8] = b"\x0a\x06\x0a\x01a\x2a\x01u\x1a\x03\x0a\x01R";

/// The same pod as people write it.
const JSON: &[u8] = br#"{"metadata":{"name":"a","uid":"u"},"status":{"phase":"R"}}"#;

/// A list, or an answer, with that pod.
const ANSWER: &[u8] = b"\x0a\x0d\x0a\x06\x0a\x01a\x2a\x01u\x1a\x03\x0a\x01R";

/// The event that says that the pod was added.
const ADDED: &[u8] = b"\x08\x01\x12\x0d\x0a\x06\x0a\x01a\x2a\x01u\x1a\x03\x0a\x01R";

/// The event that says that the first list is complete.
const COMPLETE: &[u8] = b"\x08\x04";

/// The event that says that the pod was deleted.
const DELETED: &[u8] = b"\x08\x03\x12\x08\x0a\x06\x0a\x01a\x2a\x01u";

/// Runs all steps.
pub fn run() -> Result<(), WrongStep> {
    let now = Moment::ORIGIN;
    let spec = Message::POD.field_named("spec");
    check(1, spec.is_some_and(|field| field.number() == 2))?;
    let value = parse_json(JSON).map_err(|_| WrongStep(17))?;
    let encoded = encode(Message::POD, &value).map_err(|_| WrongStep(18))?;
    check(19, encoded.bytes == POD)?;

    let config = Config {
        sources: alloc::vec![SourceConfig::new("snapshot", SourceKind::Snapshot)],
        ..Config::default()
    };
    let mut pods = Pods::new(config, now);
    let source = pods.source("snapshot").ok_or(WrongStep(2))?;
    let early = pods.handle_call(call(Method::ListPods, b""), now);
    check(
        3,
        matches!(early, Reply::Refuse(status) if status.code() == Code::FailedPrecondition),
    )?;

    let pod = EncodedPod::parse(Bytes::from_static(POD)).map_err(|_| WrongStep(4))?;
    let uid = pod.uid().clone();
    for event in [
        SourceEvent::Begin,
        SourceEvent::Put { pod, at: 0 },
        SourceEvent::Complete { at: 0 },
    ] {
        pods.handle_source(source, event, now)
            .map_err(|_| WrongStep(5))?;
    }

    check(
        6,
        is_answer(&pods.handle_call(call(Method::ListPods, b""), now)),
    )?;
    check(
        7,
        is_answer(&pods.handle_call(call(Method::GetPod, b"\x0a\x01u"), now)),
    )?;
    let missing = pods.handle_call(call(Method::GetPod, b"\x0a\x01v"), now);
    check(
        8,
        matches!(missing, Reply::Refuse(status) if status.code() == Code::NotFound),
    )?;

    let Reply::Watch(watch) = pods.handle_call(call(Method::WatchPods, b""), now) else {
        return Err(WrongStep(9));
    };
    check(10, pods.poll_ready() == Some(watch))?;
    check(11, is_event(&pods.poll_watch(watch), ADDED))?;
    check(12, is_event(&pods.poll_watch(watch), COMPLETE))?;
    check(13, matches!(pods.poll_watch(watch), WatchOutput::Idle))?;

    let removed = pods.handle_source(source, SourceEvent::Remove { uid, at: 0 }, now);
    check(14, removed.is_ok() && pods.poll_ready() == Some(watch))?;
    check(15, is_event(&pods.poll_watch(watch), DELETED))?;

    pods.handle_shutdown();
    let end = pods.poll_watch(watch);
    check(
        16,
        matches!(end, WatchOutput::End(status) if status.code() == Code::Unavailable),
    )
}

fn check(step: i32, right: bool) -> Result<(), WrongStep> {
    if right { Ok(()) } else { Err(WrongStep(step)) }
}

fn call(method: Method, body: &'static [u8]) -> Call {
    Call::new(Dialect::V1alpha1, method, Bytes::from_static(body))
}

fn is_answer(reply: &Reply) -> bool {
    matches!(reply, Reply::Answer(message) if message.to_vec() == ANSWER)
}

fn is_event(output: &WatchOutput, expected: &[u8]) -> bool {
    matches!(output, WatchOutput::Event(message) if message.to_vec() == expected)
}
