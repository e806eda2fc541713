//! All pods of a real node, there and back.

use podsapi_proto::json::{
    Map, Value, decode_counting, decode_whole, encode, parse_yaml, to_json_pretty, to_yaml,
};
use podsapi_proto::schema::Message;

use crate::files;

#[test]
fn the_pods_that_a_kubelet_printed_come_back_whole() {
    if let Some(folder) = files::folder("nodes/v1.31") {
        there_and_back(&files::json(&folder.join("kubelet-pods.json")), 23);
    }
}

#[test]
fn the_pods_that_kubectl_printed_come_back_whole() {
    if let Some(folder) = files::folder("nodes/v1.31") {
        there_and_back(&files::yaml(&folder.join("pods.yaml")), 24);
    }
}

#[test]
fn the_pods_of_a_node_are_the_same_after_yaml() {
    if let Some(folder) = files::folder("nodes/v1.31") {
        for file in ["kubelet-pods.json", "pods.yaml"] {
            let list = files::yaml(&folder.join(file));
            assert_eq!(parse_yaml(to_yaml(&list).as_bytes()).unwrap(), [list]);
        }
    }
}

fn there_and_back(list: &Value, count: usize) {
    let pods = list.get("items").and_then(Value::as_list).unwrap();
    assert_eq!(pods.len(), count);
    for pod in pods {
        let encoded = encode(Message::POD, pod).unwrap();
        // Kubernetes 1.37 knows all that 1.31 had.
        assert_eq!(encoded.unknown, Vec::<String>::new());
        let decoded = decode_counting(Message::POD, &encoded.bytes).unwrap();
        assert_eq!(decoded.unknown_fields, 0);
        let mut named = named(pod.clone());
        if let Value::Map(map) = &mut named {
            map.remove("apiVersion");
            map.remove("kind");
        }
        if decoded.value != named {
            assert_eq!(to_json_pretty(&decoded.value), to_json_pretty(&named));
        }
        let again = encode(Message::POD, &decoded.value).unwrap();
        assert_eq!(again.bytes, encoded.bytes);
        printed_whole(pod, &encoded.bytes);
    }
}

/// Expects what the kubelet or kubectl printed, nulls included, but for what changed since.
fn printed_whole(pod: &Value, bytes: &[u8]) {
    let mut printed = pod.clone();
    if let Value::Map(map) = &mut printed {
        map.remove("apiVersion");
        map.remove("kind");
        let metadata = no_creation_time(map.remove("metadata").unwrap());
        map.set("metadata", metadata);
    }
    let whole = decode_whole(Message::POD, bytes).unwrap();
    if whole != printed {
        assert_eq!(to_json_pretty(&whole), to_json_pretty(&printed));
    }
}

/// Leaves out the `null` that 1.31 printed for a time of creation that is not set.
fn no_creation_time(metadata: Value) -> Value {
    let Value::Map(mut metadata) = metadata else {
        return metadata;
    };
    if metadata.get("creationTimestamp") == Some(&Value::Null) {
        metadata.remove("creationTimestamp");
    }
    Value::Map(metadata)
}

/// Leaves out what counts as not named: the entries that are null.
fn named(value: Value) -> Value {
    match value {
        Value::Map(map) => {
            let entries = map.into_iter().filter(|(_, value)| *value != Value::Null);
            Value::Map(
                entries
                    .map(|(key, value)| (key, named(value)))
                    .collect::<Map>(),
            )
        }
        Value::List(list) => Value::List(list.into_iter().map(named).collect()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value,
    }
}
