//! What is compared.

use std::collections::BTreeMap;
use std::error::Error;
use std::hint::black_box;
use std::path::Path;

use bytes::Bytes;
use podsapi_bench::corpus::CorpusPod;
use podsapi_bench::workload::{MASK, select};
use podsapi_core::{Call, Dialect, EncodedPod, FieldMask, MaskRequest, Method};
use podsapi_proto::core_v1::Pod;
use podsapi_proto::json;
use podsapi_proto::schema;
use podsapi_proto::v1alpha1::{EventType, ListPodsResponse, WatchPodsEvent};
use prost::Message;
use prost_reflect::{DescriptorPool, DynamicMessage, MessageDescriptor, Value};

use crate::node::Node;
use crate::rounds::Comparison;

type Outcome = Result<(), Box<dyn Error>>;

/// Taking in a pod.
pub(crate) fn check(pods: &[CorpusPod]) -> Outcome {
    let pod = descriptor()?;
    Comparison::new("check, a pod", pods.len(), || {
        for pod in pods {
            black_box(EncodedPod::parse(black_box(pod.pod.clone())).is_ok());
        }
    })
    .beside("prost decode", || {
        for pod in pods {
            black_box(Pod::decode(black_box(pod.pod.clone())).is_ok());
        }
    })
    .beside("prost-reflect decode", || {
        for one in pods {
            black_box(DynamicMessage::decode(pod.clone(), black_box(&*one.pod)).is_ok());
        }
    })
    .run();
    Ok(())
}

/// Selecting a few fields.
pub(crate) fn mask(pods: &[CorpusPod]) -> Outcome {
    let mask = FieldMask::parse(MASK).and_then(|mask| mask.compile(schema::Message::POD))?;
    let decoded: Result<Vec<_>, _> = pods.iter().map(|pod| Pod::decode(&*pod.pod)).collect();
    let decoded = decoded?;
    let pod = descriptor()?;
    let status = pod
        .get_field_by_name("status")
        .ok_or("a pod has a status")?;
    let mut out = Vec::new();
    Comparison::new("mask, a pod, no cache", pods.len(), || {
        for pod in pods {
            out.clear();
            black_box(mask.project(black_box(&pod.pod), &mut out).is_ok());
        }
    })
    .beside("select from decoded, prost encode", || {
        for pod in &decoded {
            black_box(select(black_box(pod)).encode_to_vec());
        }
    })
    .beside("prost decode, select, encode", || {
        for pod in pods {
            let pod = Pod::decode(black_box(&*pod.pod));
            black_box(pod.map(|pod| select(&pod).encode_to_vec()).is_ok());
        }
    })
    .beside("prost-reflect decode, select, encode", || {
        for one in pods {
            let whole = DynamicMessage::decode(pod.clone(), black_box(&*one.pod));
            let selected = whole.map(|whole| {
                let mut selected = DynamicMessage::new(pod.clone());
                let from = whole.get_field(&status);
                if let (Value::Message(to), Some(from)) =
                    (selected.get_field_mut(&status), from.as_message())
                {
                    for name in ["phase", "podIPs"] {
                        if let Some(value) = from.get_field_by_name(name) {
                            to.set_field_by_name(name, value.into_owned());
                        }
                    }
                }
                selected.encode_to_vec()
            });
            black_box(selected.is_ok());
        }
    })
    .run();
    Ok(())
}

/// Keeping pods, and answering calls.
pub(crate) fn store(pods: &[CorpusPod]) -> Outcome {
    let (mut changing, mut reading) = (Node::new(pods)?, Node::new(pods)?);
    let mut map: BTreeMap<String, Pod> = BTreeMap::new();
    for pod in pods {
        map.insert(pod.uid.clone(), Pod::decode(&*pod.pod)?);
    }
    let mut changed = map.clone();
    Comparison::new("store, a changed pod", pods.len(), || {
        (0..pods.len()).for_each(|_| changing.change());
    })
    .beside("prost decode into a map", || {
        for pod in pods {
            if let Ok(decoded) = Pod::decode(&*pod.changed) {
                changed.insert(pod.uid.clone(), decoded);
            }
        }
    })
    .run();

    let gets: Vec<_> = pods
        .iter()
        .map(|pod| Bytes::from([&[10, 36], pod.uid.as_bytes()].concat()))
        .collect();
    Comparison::new("store, GetPod", pods.len(), || {
        for get in &gets {
            black_box(reading.call(Call::new(Dialect::V1alpha1, Method::GetPod, get.clone())));
        }
    })
    .beside("prost encode of decoded", || {
        for pod in pods {
            black_box(map.get(&pod.uid).map(Pod::encode_to_vec));
        }
    })
    .run();

    let list = || Call::new(Dialect::V1alpha1, Method::ListPods, Bytes::new());
    let mut listing = Node::new(pods)?;
    Comparison::new("store, a pod of ListPods", pods.len(), || {
        black_box(listing.call(list()));
    })
    .beside("prost encode of decoded", || {
        let pods = map.values().map(|pod| pod.encode_to_vec().into()).collect();
        black_box(ListPodsResponse { pods }.encode_to_vec());
    })
    .run();

    let mask = FieldMask::parse(MASK)?;
    let mut listing = Node::new(pods)?;
    Comparison::new("store, a pod of a masked list", pods.len(), || {
        let mask = MaskRequest::new(mask.clone());
        black_box(listing.call(Call { mask, ..list() }));
    })
    .beside("select from decoded, prost encode", || {
        let pods = map.values().map(|pod| select(pod).encode_to_vec().into());
        let pods = pods.collect();
        black_box(ListPodsResponse { pods }.encode_to_vec());
    })
    .run();
    Ok(())
}

/// Telling a thousand watches of a change.
pub(crate) fn watch(pods: &[CorpusPod]) -> Outcome {
    const WATCHES: usize = 1_000;
    let mut node = Node::new(pods)?;
    for _ in 0..WATCHES {
        let call = Call::new(Dialect::V1alpha1, Method::WatchPods, Bytes::new());
        node.watch(call).ok_or("a watch begins")?;
    }
    node.read();
    let one = pods.first().ok_or("there is a pod")?;
    let pod = Pod::decode(&*one.pod)?;
    Comparison::new("watch, an event of 1,000", WATCHES, || {
        node.change();
        black_box(node.read());
    })
    .beside("prost encode for each watch", || {
        for _ in 0..WATCHES {
            let event = WatchPodsEvent {
                r#type: EventType::Modified.into(),
                pod: pod.encode_to_vec().into(),
            };
            black_box(event.encode_to_vec());
        }
    })
    .beside("copy for each watch", || {
        for _ in 0..WATCHES {
            let event = WatchPodsEvent {
                r#type: EventType::Modified.into(),
                pod: one.pod.clone(),
            };
            black_box(event.encode_to_vec());
        }
    })
    .run();
    Ok(())
}

/// Between protobuf and JSON.
pub(crate) fn json(pods: &[CorpusPod]) -> Outcome {
    let mut texts = Vec::new();
    for pod in pods {
        let value = json::decode(schema::Message::POD, &pod.pod)?;
        texts.push(json::to_json(&value));
    }
    let values: Result<Vec<serde_json::Value>, _> = texts
        .iter()
        .map(|text| serde_json::from_str(text))
        .collect();
    let values = values?;
    Comparison::new("json, protobuf to text", pods.len(), || {
        for pod in pods {
            let value = json::decode(schema::Message::POD, &pod.pod);
            black_box(value.map(|value| json::to_json(&value)).is_ok());
        }
    })
    .beside("serde_json, only a value to text", || {
        for value in &values {
            black_box(value.to_string());
        }
    })
    .run();
    Comparison::new("json, text to protobuf", pods.len(), || {
        for text in &texts {
            let value = json::parse_json(text.as_bytes());
            let encoded = value.map(|value| json::encode(schema::Message::POD, &value).is_ok());
            black_box(encoded.is_ok());
        }
    })
    .beside("serde_json, only text to a value", || {
        for text in &texts {
            black_box(serde_json::from_str::<serde_json::Value>(text).is_ok());
        }
    })
    .run();
    Ok(())
}

fn descriptor() -> Result<MessageDescriptor, Box<dyn Error>> {
    let protos = Path::new(env!("CARGO_MANIFEST_DIR")).join("../proto/protos");
    let files = protox::compile(["k8s/core_v1.proto"], [protos])?;
    let pool = DescriptorPool::from_file_descriptor_set(files)?;
    let pod = pool.get_message_by_name("k8s.io.api.core.v1.Pod");
    Ok(pod.ok_or("the definitions have a pod")?)
}
