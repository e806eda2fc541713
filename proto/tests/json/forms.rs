//! What single values become on the wire and what they are printed as.

use podsapi_proto::json::{
    decode, decode_counting, decode_whole, encode, parse_json, to_json, whole_object,
};
use podsapi_proto::schema::{Kind, Message};

fn message(path: &[&str]) -> Message {
    path.iter().fold(Message::POD, |message, name| {
        match message.field_named(name).unwrap().kind() {
            Kind::Message(inner) => inner,
            Kind::Bool | Kind::Int32 | Kind::Int64 | Kind::String | Kind::Bytes => panic!("{name}"),
        }
    })
}

fn bytes_of(message: Message, json: &str) -> Vec<u8> {
    let encoded = encode(message, &parse_json(json.as_bytes()).unwrap()).unwrap();
    assert_eq!(encoded.unknown, Vec::<String>::new());
    encoded.bytes
}

fn json_of(message: Message, bytes: &[u8]) -> String {
    to_json(&decode(message, bytes).unwrap())
}

/// Encodes and decodes, and expects the value that stands second.
fn becomes(message: Message, json: &str, printed: &str) {
    assert_eq!(json_of(message, &bytes_of(message, json)), printed);
}

#[test]
fn fields_are_written_by_ascending_number_and_map_entries_by_key() {
    let json = r#"{"spec":{"nodeName":"n"},"metadata":{"labels":{"b":"2","a":"1"},"name":"p"}}"#;
    let expected =
        b"\x0a\x13\x0a\x01p\x5a\x06\x0a\x01a\x12\x011\x5a\x06\x0a\x01b\x12\x012\x12\x03\x52\x01n";
    assert_eq!(bytes_of(Message::POD, json), expected);
}

#[test]
fn zeros_and_empty_objects_are_written_when_they_are_named() {
    let json = r#"{"metadata":{"generateName":""},"spec":{"hostNetwork":false,"securityContext":{}},"status":{}}"#;
    let expected = b"\x0a\x02\x12\x00\x12\x04\x58\x00\x72\x00\x1a\x00";
    assert_eq!(bytes_of(Message::POD, json), expected);
}

#[test]
fn null_and_empty_lists_and_maps_are_absent() {
    let json = r#"{"metadata":{"labels":{},"name":null,"ownerReferences":[],"creationTimestamp":null},
        "spec":{"containers":null,"hostNetwork":null,"securityContext":null},"status":null}"#;
    assert_eq!(bytes_of(Message::POD, json), b"\x0a\x00\x12\x00");
}

#[test]
fn null_in_a_list_or_a_map_is_the_zero_of_its_type() {
    let json = r#"{"containers":[null],"nodeSelector":{"a":null},"overhead":{"cpu":null}}"#;
    let printed = r#"{"containers":[{}],"nodeSelector":{"a":""},"overhead":{"cpu":"0"}}"#;
    becomes(message(&["spec"]), json, printed);
}

#[test]
fn embedded_structs_are_one_level_higher_in_json() {
    let volume = message(&["spec", "volumes"]);
    let bytes = bytes_of(volume, r#"{"configMap":{"name":"c"},"name":"v"}"#);
    assert_eq!(bytes, b"\x0a\x01v\x12\x08\x9a\x01\x05\x0a\x03\x0a\x01c");
    assert_eq!(
        json_of(volume, &bytes),
        r#"{"name":"v","configMap":{"name":"c"}}"#
    );
    let json = r#"{"name":"d","livenessProbe":{"exec":{"command":["true"]},"periodSeconds":5},"targetContainerName":"t"}"#;
    becomes(message(&["spec", "ephemeralContainers"]), json, json);
}

#[test]
fn an_embedded_struct_in_two_records_is_merged() {
    let probe = message(&["spec", "containers", "livenessProbe"]);
    let first = bytes_of(probe, r#"{"exec":{"command":["a"]}}"#);
    let second = bytes_of(probe, r#"{"exec":{"command":["b"]}}"#);
    let printed = r#"{"exec":{"command":["a","b"]}}"#;
    assert_eq!(json_of(probe, &[first, second].concat()), printed);
}

#[test]
fn a_port_is_a_number_or_a_string() {
    let get = message(&["spec", "containers", "livenessProbe", "handler", "httpGet"]);
    assert_eq!(
        bytes_of(get, r#"{"port":80}"#),
        b"\x12\x06\x08\x00\x10\x50\x1a\x00"
    );
    assert_eq!(
        bytes_of(get, r#"{"port":"a"}"#),
        b"\x12\x07\x08\x01\x10\x00\x1a\x01a"
    );
    becomes(get, r#"{"port":-1}"#, r#"{"port":-1}"#);
    becomes(get, r#"{"port":"80"}"#, r#"{"port":"80"}"#);
    assert_eq!(json_of(get, b"\x12\x00"), r#"{"port":0}"#);
}

#[test]
fn quantities_are_strings_or_bare_numbers_and_become_canonical() {
    let resources = message(&["spec", "containers", "resources"]);
    let json = r#"{"limits":{"a":"0.1","b":1e3,"c":"1024Mi","d":2,"e":0.5}}"#;
    let printed = r#"{"limits":{"a":"100m","b":"1e3","c":"1Gi","d":"2","e":"500m"}}"#;
    becomes(resources, json, printed);
}

#[test]
fn times_lose_their_fraction_and_their_offset() {
    let status = message(&["status"]);
    let json = r#"{"startTime":"2024-05-06T09:08:09.7+02:00"}"#;
    assert_eq!(
        bytes_of(status, json),
        b"\x3a\x08\x08\xd9\x83\xe2\xb1\x06\x10\x00"
    );
    becomes(status, json, r#"{"startTime":"2024-05-06T07:08:09Z"}"#);
    becomes(
        status,
        r#"{"startTime":"1969-12-31T23:59:59.5Z"}"#,
        r#"{"startTime":"1969-12-31T23:59:59Z"}"#,
    );
}

#[test]
fn a_time_that_holds_nothing_is_null_where_go_prints_it() {
    assert_eq!(
        json_of(message(&["status", "conditions"]), b"\x1a\x00"),
        r#"{"lastProbeTime":null}"#
    );
    assert_eq!(json_of(message(&["metadata"]), b"\x42\x00"), "{}");
}

#[test]
fn the_zero_time_of_go_is_no_time() {
    let condition = message(&["status", "conditions"]);
    let zero = r#"{"lastProbeTime":"0001-01-01T00:00:00Z"}"#;
    assert_eq!(bytes_of(condition, zero), b"\x1a\x00");
    let wire = b"\x1a\x0d\x08\x80\x92\xb8\xc3\x98\xfe\xff\xff\xff\x01\x10\x00";
    assert_eq!(json_of(condition, wire), r#"{"lastProbeTime":null}"#);
    let later = r#"{"lastProbeTime":"0001-01-01T00:00:01Z"}"#;
    becomes(condition, later, later);
}

#[test]
fn a_field_set_is_raw_json() {
    let fields = message(&["metadata", "managedFields"]);
    let json = r#"{"fieldsV1":{"f:spec":{"k:{\"name\":\"a\"}":{".":{}}}}}"#;
    becomes(fields, json, json);
    assert_eq!(
        bytes_of(fields, r#"{"fieldsV1": { } }"#),
        b"\x3a\x04\x0a\x02{}"
    );
    // Go keeps whatever JSON there is.
    for json in [r#"{"fieldsV1":"x"}"#, r#"{"fieldsV1":[1]}"#] {
        becomes(fields, json, json);
    }
}

#[test]
fn a_zero_is_printed_where_go_prints_it() {
    let status = message(&["status", "containerStatuses"]);
    let json = r#"{"name":"","lastState":{},"ready":false,"restartCount":0,"image":"","imageID":"","containerID":"","started":false}"#;
    let printed = r#"{"name":"","lastState":{},"ready":false,"restartCount":0,"image":"","imageID":"","started":false}"#;
    becomes(status, json, printed);
    assert_eq!(
        json_of(message(&["spec"]), b"\x58\x00\x42\x00\x52\x00"),
        "{}"
    );
    assert_eq!(
        json_of(message(&["spec"]), b"\x28\x00"),
        r#"{"activeDeadlineSeconds":0}"#
    );
}

#[test]
fn numbers_reach_both_ends_of_their_range() {
    for json in [
        r#"{"terminationGracePeriodSeconds":-9223372036854775808}"#,
        r#"{"terminationGracePeriodSeconds":9223372036854775807}"#,
        r#"{"priority":-2147483648}"#,
        r#"{"priority":2147483647}"#,
    ] {
        becomes(message(&["spec"]), json, json);
    }
}

#[test]
fn numbers_in_a_list_may_be_packed() {
    let context = message(&["spec", "securityContext"]);
    let printed = r#"{"supplementalGroups":[1,2,3]}"#;
    assert_eq!(json_of(context, b"\x20\x01\x22\x02\x02\x03"), printed);
}

#[test]
fn the_last_of_several_values_counts() {
    let metadata = message(&["metadata"]);
    assert_eq!(json_of(metadata, b"\x0a\x01a\x0a\x01b"), r#"{"name":"b"}"#);
    let labels = b"\x5a\x06\x12\x011\x0a\x01k\x5a\x06\x0a\x01k\x12\x012\x5a\x00";
    assert_eq!(json_of(metadata, labels), r#"{"labels":{"":"","k":"2"}}"#);
    let pod = b"\x0a\x03\x0a\x01a\x0a\x03\x2a\x01u";
    assert_eq!(
        json_of(Message::POD, pod),
        r#"{"metadata":{"name":"a","uid":"u"}}"#
    );
}

#[test]
fn unknown_fields_are_left_out_and_counted() {
    let bytes = b"\x0a\x0a\x0a\x01a\xa2\x06\x01z\xa0\x06\x05\xa2\x06\x00\xa3\x06\x08\x01\xa4\x06";
    let decoded = decode_counting(Message::POD, bytes).unwrap();
    assert_eq!(to_json(&decoded.value), r#"{"metadata":{"name":"a"}}"#);
    assert_eq!(decoded.unknown_fields, 4);
}

#[test]
fn unknown_names_are_reported_with_their_paths() {
    let json = r#"{"apiVersion":"v1","kind":"Pod","spec":{"Containers":[],"containers":[{"name":"a","nmae":1}],
        "volumes":[{"volumeSource":{}}]},"metadata":{"labels":{"x":"y"},"odd/name":null},"extra":{"a":{"b":1}}}"#;
    let encoded = encode(Message::POD, &parse_json(json.as_bytes()).unwrap()).unwrap();
    let mut unknown = encoded.unknown;
    unknown.sort();
    let expected = [
        "extra",
        "metadata.odd/name",
        "spec.Containers",
        "spec.containers[0].nmae",
        "spec.volumes[0].volumeSource",
    ];
    assert_eq!(unknown, expected);
}

#[test]
fn at_most_a_hundred_unknown_names_are_reported() {
    let names: Vec<String> = (0..1_000).map(|at| format!("\"x{at}\":1")).collect();
    let json = format!("{{{}}}", names.join(","));
    let encoded = encode(Message::POD, &parse_json(json.as_bytes()).unwrap()).unwrap();
    assert_eq!(encoded.unknown.len(), 100);
}

#[test]
fn a_whole_object_begins_with_its_type() {
    let pod = decode(Message::POD, b"\x12\x00").unwrap();
    let json = to_json(&whole_object("v1", "Pod", pod));
    assert_eq!(json, r#"{"apiVersion":"v1","kind":"Pod","spec":{}}"#);
    assert_eq!(bytes_of(Message::POD, &json), b"\x12\x00");
}

#[test]
fn a_whole_message_has_the_zeros_of_go_where_the_bytes_name_nothing() {
    let whole = |message, bytes: &[u8]| to_json(&decode_whole(message, bytes).unwrap());
    let container = message(&["status", "containerStatuses"]);
    let printed = r#"{"name":"","state":{},"lastState":{},"ready":false,"restartCount":0,"image":"","imageID":""}"#;
    assert_eq!(whole(container, b""), printed);
    assert_eq!(json_of(container, b""), "{}");
    // A time is null, and what is inside a list or a map is whole too.
    let condition = message(&["status", "conditions"]);
    let printed = r#"{"type":"","status":"","lastProbeTime":null,"lastTransitionTime":null}"#;
    assert_eq!(whole(condition, b""), printed);
    let status = bytes_of(message(&["status"]), r#"{"conditions":[{"type":"Ready"}]}"#);
    let text = whole(message(&["status"]), &status);
    assert!(text.contains(r#"{"type":"Ready","status":"","#), "{text}");
    // Fields of an embedded struct, also of one that the bytes do not name.
    let debug = message(&["spec", "ephemeralContainers"]);
    assert_eq!(whole(debug, b""), r#"{"name":"","resources":{}}"#);
    // A pointer without omitempty, and a list and a map without.
    let affinity = message(&["spec", "affinity", "nodeAffinity"]);
    let required = affinity
        .field_named("requiredDuringSchedulingIgnoredDuringExecution")
        .and_then(|field| field.message())
        .unwrap();
    assert_eq!(whole(required, b""), r#"{"nodeSelectorTerms":null}"#);
    // What has omitempty or omitzero stays away.
    let metadata = message(&["metadata"]);
    assert_eq!(whole(metadata, b""), "{}");
}

#[test]
fn a_whole_message_comes_back_as_the_same_json() {
    let bytes = bytes_of(
        Message::POD,
        r#"{"metadata":{"name":"p"},"spec":{"containers":[{"name":"c"}]}}"#,
    );
    let value = decode_whole(Message::POD, &bytes).unwrap();
    let again = encode(Message::POD, &value).unwrap();
    assert_eq!(decode_whole(Message::POD, &again.bytes).unwrap(), value);
}
