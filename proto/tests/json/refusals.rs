//! What is refused, and with which words.

use podsapi_proto::json::{decode, encode, parse_json, parse_yaml};
use podsapi_proto::schema::Message;

fn refusal(json: &str) -> String {
    let value = parse_json(json.as_bytes()).unwrap();
    encode(Message::POD, &value).unwrap_err().to_string()
}

#[test]
fn a_wrong_type_is_refused_with_its_path_and_with_advice() {
    for (json, expected) in [
        (
            r#"{"spec":{"containers":[{"env":[{"name":"a"},{"name":"b","value":8080}]}]}}"#,
            "spec.containers[0].env[1].value: expected a string, found a number; quote it",
        ),
        (
            r#"{"spec":{"nodeSelector":{"a.b/c":true}}}"#,
            "spec.nodeSelector.`a.b/c`: expected a string, found a boolean; quote it",
        ),
        (
            r#"{"metadata":{"labels":{"app":[]}}}"#,
            "metadata.labels.app: expected a string, found a list",
        ),
        (
            r#"{"spec":{"hostNetwork":"true"}}"#,
            "spec.hostNetwork: expected true or false, found the string \"true\"; remove the quotes",
        ),
        (
            r#"{"spec":{"priority":"5"}}"#,
            "spec.priority: expected a whole number of 32 bits, found the string \"5\"; remove the quotes",
        ),
        (
            r#"{"spec":{"priority":1.0}}"#,
            "spec.priority: expected a whole number of 32 bits, found the number 1.0",
        ),
        (
            r#"{"spec":{"priority":2147483648}}"#,
            "spec.priority: expected a whole number of 32 bits, found the number 2147483648",
        ),
        (
            r#"{"spec":{"activeDeadlineSeconds":9223372036854775808}}"#,
            "spec.activeDeadlineSeconds: expected a whole number of 64 bits, found the number 9223372036854775808",
        ),
        (
            r#"{"spec":{"containers":{}}}"#,
            "spec.containers: expected a list, found an object",
        ),
        (
            r#"{"spec":{"nodeSelector":["a"]}}"#,
            "spec.nodeSelector: expected an object, found a list",
        ),
        (r#"{"spec":1}"#, "spec: expected an object, found a number"),
        (
            r#"{"metadata":{"creationTimestamp":"yesterday"}}"#,
            "metadata.creationTimestamp: expected a time such as \"2006-01-02T15:04:05Z\", found the string \"yesterday\"",
        ),
        (
            r#"{"spec":{"overhead":{"cpu":"1 core"}}}"#,
            "spec.overhead.cpu: expected a quantity such as 500m, 2, 1.5 or 64Mi, found the string \"1 core\"",
        ),
        (
            r#"{"spec":{"containers":[{"livenessProbe":{"tcpSocket":{"port":1.5}}}]}}"#,
            "spec.containers[0].livenessProbe.tcpSocket.port: expected a string or a whole number of 32 bits, found the number 1.5",
        ),
        (
            r#"{"kind":"Job"}"#,
            "kind: expected \"Pod\", found the string \"Job\"",
        ),
        (
            r#"{"apiVersion":1}"#,
            "apiVersion: expected \"v1\", found the number 1",
        ),
        ("[]", "expected an object, found a list"),
        ("null", "expected an object, found null"),
    ] {
        assert_eq!(refusal(json), expected);
    }
}

#[test]
fn a_string_field_refuses_what_yaml_takes_for_a_boolean() {
    let documents = parse_yaml(b"spec: {nodeName: on}").unwrap();
    let error = encode(Message::POD, &documents[0]).unwrap_err();
    let expected = "spec.nodeName: expected a string, found a boolean; quote it";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn a_long_value_is_cut_in_the_refusal() {
    let long = format!(r#"{{"spec":{{"priority":"{}"}}}}"#, "x".repeat(1_000));
    assert!(refusal(&long).len() < 150);
}

#[test]
fn bytes_that_are_no_pod_are_refused_with_the_path() {
    for (bytes, expected) in [
        (&b"\x0a"[..], "the bytes end inside a number"),
        (b"\x0a\x05\x0a", "the bytes end inside a field"),
        (
            b"\x0a\x02\x0a\x05",
            "metadata: the bytes end inside a field",
        ),
        (b"\x08\x01", "metadata: expected bytes on the wire"),
        (
            b"\x12\x02\x50\x01",
            "spec.nodeName: expected bytes on the wire",
        ),
        (
            b"\x12\x02\x5a\x00",
            "spec.hostNetwork: expected a number on the wire",
        ),
        (
            b"\x12\x04\x12\x02\x08\x01",
            "spec.containers[0].name: expected bytes on the wire",
        ),
        (b"\x0c", "the end of a group that did not begin"),
        (
            b"\xa3\x06\xac\x06",
            "the end of another group than the one that began",
        ),
        (b"\xa3\x06", "the bytes end inside a group"),
        (b"\x00\x00", "a field number out of range"),
        (b"\x0e", "a wire type that does not exist"),
        (
            b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f",
            "a number beyond 64 bits",
        ),
        (
            b"\x0a\x0c\x42\x0a\x08\xff\xff\xff\xff\xff\xff\xff\xff\x7f",
            "metadata.creationTimestamp: a time outside the years 0 to 9999",
        ),
    ] {
        let error = decode(Message::POD, bytes).unwrap_err();
        assert_eq!(error.to_string(), expected, "{bytes:x?}");
    }
}

#[test]
fn groups_nested_without_end_are_refused() {
    let error = decode(Message::POD, &b"\xa3\x06".repeat(100_000)).unwrap_err();
    assert_eq!(error.to_string(), "groups nested deeper than 100 levels");
}
