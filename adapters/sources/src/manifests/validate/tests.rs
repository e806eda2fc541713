//! What a kubelet takes and refuses, as the list says it.

use podsapi_proto::json::{Map, Value, parse_yaml};

use super::listed::{self, Listed};
use crate::manifests::manifest::Manifest;
use crate::manifests::uid::KubeletRelease;

fn read(text: &str) -> Result<Manifest, String> {
    Manifest::read(
        text.as_bytes(),
        "/m/web.yaml",
        "node-a",
        KubeletRelease::NEWEST,
    )
}

#[test]
fn each_change_is_taken_or_refused_at_its_field() {
    let mut wrong = Vec::new();
    for Listed { change, refused } in listed::all() {
        let found = read(&listed::manifest(change)).err();
        let good = match (&found, refused) {
            (None, None) => true,
            // A key of a map may be behind the path.
            (Some(faults), Some(path)) => faults.split("; ").any(|fault| {
                fault
                    .strip_prefix(path)
                    .is_some_and(|rest| rest.starts_with(": ") || rest.starts_with("[\""))
            }),
            (Some(_), None) | (None, Some(_)) => false,
        };
        if !good {
            wrong.push(format!("{change}: {found:?}, expected {refused:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_fault_says_what_to_do_and_repeats_no_value() {
    for (change, fault) in [
        (
            "C resources: {requests: {cpu: 2}, limits: {cpu: 1}}",
            "spec.containers[0].resources.requests[\"cpu\"]: must be at most the limit",
        ),
        (
            "C name: PASSWORD",
            "spec.containers[0].name: must be a DNS label: 1 to 63 characters a-z, 0-9 and '-', \
             with a letter or digit at both ends",
        ),
        (
            "C imagePullPolicy: PASSWORD",
            "spec.containers[0].imagePullPolicy: must be one of Always, IfNotPresent, Never",
        ),
        (
            "C ports: [{containerPort: 0}]",
            "spec.containers[0].ports[0].containerPort: required, 1 to 65535",
        ),
    ] {
        assert_eq!(read(&listed::manifest(change)).unwrap_err(), fault);
    }
    for Listed { change, .. } in listed::all() {
        for word in ["any thing", "Perhaps", "Sometimes", "b c"] {
            let Err(error) = read(&listed::manifest(change)) else {
                continue;
            };
            // What is within brackets is a key.
            assert!(
                change.contains("{a b") || !error.contains(word),
                "{change}: {error}"
            );
        }
    }
}

#[test]
fn all_faults_of_a_pod_are_told_at_once() {
    let text = listed::manifest("M namespace: A && S hostname: a.b && C image: '' && C name: ''");
    let error = read(&text).unwrap_err();
    assert_eq!(error.split("; ").count(), 4, "{error}");
}

#[test]
fn a_mistake_made_many_times_is_not_told_each_time() {
    let ports = vec!["{containerPort: 0}"; 50].join(", ");
    let error = read(&listed::manifest(&format!("C ports: [{ports}]"))).unwrap_err();
    assert_eq!(error.split("; ").count(), 21);
    assert!(error.ends_with("; and 30 more faults"), "{error}");
}

#[test]
fn names_are_dns_names() {
    for (name, good) in [
        ("a", true),
        ("a.b-c.9", true),
        (&"x".repeat(246), true),
        (&"x".repeat(247), false),
        ("A", false),
        ("a_b", false),
        ("-a", false),
        ("a..b", false),
        ("é", false),
    ] {
        let text = listed::manifest("").replacen("web", name, 1);
        assert_eq!(read(&text).is_ok(), good, "{name:?}");
    }
}

#[test]
fn a_pod_without_anything_is_refused_without_a_panic() {
    assert!(!super::check(&Map::new()).is_empty());
    let odd = b"metadata: []\nspec: {containers: 5}";
    let Some(Value::Map(odd)) = parse_yaml(odd).unwrap().pop() else {
        panic!("no object");
    };
    assert_eq!(super::check(&odd).len(), 1);
}
