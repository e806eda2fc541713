//! Pods and statuses as bytes.

use std::ops::Range;

use bytes::Bytes;
use podsapi_client::MirroredPod;
use podsapi_core::{EncodedPod, EncodedStatus, PodError, Uid};
use podsapi_proto::core_v1;
use podsapi_proto::schema;
use podsapi_proto::text::{self, Field, Holds, Texts};
use prost::Message;

use super::nesting::{ascends, records};
use crate::pods::message;

/// What the entry check accepts is decoded as the same pod, alone and in the answer that a client
/// gets, and stays as it is; what it refuses cannot be decoded from an answer either, or has
/// no UID.
///
/// # Panics
///
/// When the two disagree.
pub fn encoded_pod(data: &[u8]) {
    let bytes = Bytes::copy_from_slice(data);
    let parsed = EncodedPod::parse(bytes.clone());
    match &parsed {
        Ok(pod) => accepted(pod, data),
        Err(PodError::MissingUid) => {
            let decoded: Option<core_v1::Pod> = text::decode(data).ok();
            let metadata = decoded.and_then(|pod| pod.metadata);
            let uid = metadata.unwrap_or_default().uid.unwrap_or_default();
            assert_eq!(uid, "", "there is a UID");
        }
        Err(error) => refused(*error, data, data),
    }
    // As long as may be, and a byte longer.
    let limit = data.len();
    assert_eq!(EncodedPod::parse_with_limit(bytes.clone(), limit), parsed);
    if let Some(limit) = limit.checked_sub(1) {
        let bytes = data.len();
        let longer = EncodedPod::parse_with_limit(Bytes::copy_from_slice(data), limit);
        assert_eq!(longer, Err(PodError::TooLarge { bytes, limit }));
    }
    let mut pod = Vec::new();
    message(3, data, &mut pod);
    match EncodedStatus::parse(bytes) {
        Ok(status) => {
            assert_eq!(status.bytes(), data);
            decoded::<ListAnswer>(&answer(&pod));
        }
        Err(error) => refused(error, data, &pod),
    }
}

/// Compares all that is said of a pod with what is decoded.
fn accepted(pod: &EncodedPod, data: &[u8]) {
    assert_eq!(pod.bytes(), data);
    assert_eq!(pod.fields_ascend(), ascends(schema::Message::POD, data));
    let places = [(1, pod.metadata()), (2, pod.spec()), (3, pod.status())];
    for (number, place) in &places {
        let records = records(data).into_iter();
        let found: Vec<Range<usize>> = records
            .filter(|record| record.number == *number)
            .filter_map(|record| record.payload)
            .collect();
        let [only] = found.as_slice() else {
            assert_eq!(*place, None, "{number} is in {found:?}");
            continue;
        };
        assert_eq!(place.as_ref(), Some(only), "{number}");
    }
    decoded::<ListAnswer>(&answer(data));
    let decoded = decoded::<core_v1::Pod>(data);
    // No other strings than those that a decoder refuses are told as such.
    let refused = core_v1::Pod::decode(data).is_err();
    assert_eq!(pod.first_not_utf8().is_some(), refused);
    assert_eq!(Uid::in_pod(data).as_ref(), Some(pod.uid()));
    let mirrored = MirroredPod::parse(data).expect("a client takes what a server serves");
    assert_eq!(mirrored.uid(), pod.uid().as_str());
    assert_eq!(mirrored.bytes(), data);
    let metadata = decoded.metadata.clone().unwrap_or_default();
    assert_eq!(metadata.uid.as_deref(), Some(pod.uid().as_str()));
    assert_eq!(metadata.name.as_deref().unwrap_or_default(), pod.name());
    let namespace = metadata.namespace.as_deref().unwrap_or_default();
    assert_eq!(namespace, pod.namespace());
    let [metadata, spec, status] = places.map(|(_, place)| place.and_then(|at| data.get(at)));
    assert!(metadata.is_none_or(|part| decode(part) == decoded.metadata));
    assert!(spec.is_none_or(|part| decode(part) == decoded.spec));
    assert!(status.is_none_or(|part| decode(part) == decoded.status));
    let again = EncodedPod::parse(decoded.encode_to_vec().into()).expect("prost wrote it");
    assert_eq!(again.uid(), pod.uid());
    assert!(again.fields_ascend(), "prost writes in ascending order");
}

impl Texts for ListAnswer {
    const TEXTS: &'static [Field] = &[Field {
        number: 1,
        name: "pods",
        holds: Holds::Message(<core_v1::Pod as Texts>::TEXTS),
    }];
}

/// The answer that a client of the documented definition decodes.
#[derive(Clone, PartialEq, Message)]
struct ListAnswer {
    #[prost(message, repeated, tag = "1")]
    pods: Vec<core_v1::Pod>,
}

fn answer(pod: &[u8]) -> Vec<u8> {
    let mut answer = Vec::new();
    message(1, pod, &mut answer);
    answer
}

/// No client could read an answer with what is refused in it.
fn refused(error: PodError, data: &[u8], pod: &[u8]) {
    let PodError::Wire(error) = error else {
        panic!("{error}");
    };
    assert!(error.offset <= data.len(), "{error}");
    let decoded: Result<ListAnswer, _> = text::decode(answer(pod).as_slice());
    assert!(decoded.is_err(), "a client decodes it: {error}");
}

fn decode<M: Texts>(part: &[u8]) -> Option<M> {
    text::decode(part).ok()
}

/// Decodes what was accepted.
fn decoded<M: Texts>(data: &[u8]) -> M {
    text::decode(data).unwrap_or_else(|error| panic!("{error}"))
}
