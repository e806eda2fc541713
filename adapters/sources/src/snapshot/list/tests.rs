//! Lists in the forms in which they are captured.

use super::{Found, read};
use crate::mangled::variants;
use crate::snapshot::salvage::documents;

fn found(text: &str) -> Found {
    read(documents(text.as_bytes()).unwrap(), &[]).unwrap()
}

fn names(found: &Found) -> Vec<String> {
    let pods = found.pods.iter();
    pods.map(|pod| format!("{}/{}", pod.namespace(), pod.name()))
        .collect()
}

fn problems(found: &Found) -> String {
    format!("{:?}", found.problems)
}

#[test]
fn every_form_in_which_pods_are_printed_is_read() {
    let pod = |name: &str| format!("{{metadata: {{name: {name}, namespace: ns, uid: u-{name}}}}}");
    for text in [
        format!(
            "{{kind: PodList, apiVersion: v1, items: [{}, {}]}}",
            pod("a"),
            pod("b")
        ),
        format!("kind: List\nitems:\n- {}\n- {}\n", pod("a"), pod("b")),
        format!("--- {}\n--- {}\n", pod("a"), pod("b")),
        format!(
            "--- {}\n---\nitems: [{}]\n---\nitems: null\n",
            pod("a"),
            pod("b")
        ),
        "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\",\"namespace\":\"ns\",\"uid\":\"u\"}}\n\
         {\"metadata\":{\"name\":\"b\",\"namespace\":\"ns\",\"uid\":\"v\"}}"
            .to_owned(),
    ] {
        let found = found(&text);
        assert_eq!(names(&found), ["ns/a", "ns/b"], "{text}");
        assert!(found.problems.is_empty(), "{text}: {}", problems(&found));
    }
    let empty = found("apiVersion: v1\nkind: PodList\n");
    assert!(empty.pods.is_empty() && empty.problems.is_empty());
}

#[test]
fn a_pod_without_a_uid_has_the_documented_one_and_is_reported() {
    let text = "metadata: {name: p, namespace: ns}\nspec: {nodeName: node-a}\n";
    let found = found(text);
    assert_eq!(
        found.pods[0].uid().as_str(),
        "db0ddd63d396a8f34e133b2f2fbd3712"
    );
    assert!(problems(&found).contains("has no UID"));
}

#[test]
fn a_pod_that_is_not_served_is_not_told_to_be_served_under_a_hash() {
    let text = "items:\n- metadata: {name: p, namespace: ns}\n  spec: {hostNetwork: 3}\n\
                - metadata: {name: q, namespace: ns}\n";
    let found = found(text);
    let problems = problems(&found);
    assert!(
        problems.contains("spec.hostNetwork: expected"),
        "{problems}"
    );
    assert_eq!(problems.matches("has no UID").count(), 1, "{problems}");
}

#[test]
fn one_bad_pod_hides_no_other() {
    let found = found(
        "items:
- metadata: {name: a, namespace: ns, uid: a}
- 5
- metadata: {namespace: ns, uid: c}
- metadata: {name: d, namespace: ns, uid: d}
  spec: {containers: [{name: 5}]}
- kind: Service
  metadata: {name: e, namespace: ns, uid: e}
- metadata: {name: f, namespace: ns, uid: a}
- {}
- metadata: {name: h, namespace: no, uid: h}
- metadata: {name: z, namespace: ns, uid: z}
  spec: {neverHeardOf: 1}
",
    );
    assert_eq!(names(&found), ["ns/a", "ns/z"]);
    let told = problems(&found);
    for part in [
        "items[1]",
        "items[2]",
        "ns/d (document 1, items[3])",
        "spec.containers[0].name",
        "is a Service",
        "another pod's",
        "items[6]",
        "metadata.namespace: expected a string, found a boolean",
        "spec.neverHeardOf",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
}

#[test]
fn a_pod_that_became_bad_stays_as_it_was() {
    let before = found("metadata: {name: a, namespace: ns, uid: a}\n");
    let text = "metadata: {name: a, namespace: ns, uid: a, generation: x}\n";
    let after = read(documents(text.as_bytes()).unwrap(), &before.pods).unwrap();
    assert_eq!(after.pods, before.pods);
    assert!(problems(&after).contains("stays served"));
}

#[test]
fn what_holds_no_pods_is_not_an_empty_list() {
    for (text, reason) in [
        ("Unauthorized\n", "found no object"),
        (
            "{kind: Status, apiVersion: v1, status: Failure}",
            "is a Status",
        ),
        ("kind: Deployment\nmetadata: {name: a}\n", "is a Deployment"),
        (
            "kind: NodeList\nitems: [{metadata: {name: n}}]\n",
            "is a NodeList",
        ),
        ("kind: NodeList\n", "is a NodeList"),
        ("apiVersion: v1\n", "metadata: required"),
        ("apiVersion: v1\nitems:\n", "half written"),
        (
            "apiVersion: v1\nitems:\n- metadata: {name: a}\n",
            "half written",
        ),
        ("kind: List\nitems: 5\n", "expected a list"),
    ] {
        let error = read(documents(text.as_bytes()).unwrap(), &[]).unwrap_err();
        assert!(error.contains(reason), "{text}: {error}");
    }
}

#[test]
fn a_list_of_something_else_hides_no_pods_beside_it() {
    let found = found("kind: NodeList\nitems: [{metadata: {name: n}}]\n---\nmetadata: {name: a}\n");
    assert_eq!(names(&found), ["default/a"]);
    assert!(problems(&found).contains("is a NodeList"));
}

#[test]
fn no_content_makes_the_reader_panic() {
    let seeds = [
        "kind: List\nitems:\n- metadata: {name: a, namespace: ns, uid: u}\n- {metadata: {name: b}}\n",
        r#"{"items":[{"metadata":{"name":"a","uid":"u"},"spec":{"nodeName":"n"}}]}{"kind":"Pod"}"#,
        "---\nitems: null\n--- {metadata: {name: a, uid: null}}\n",
    ];
    let mut read_pods = 0;
    for text in variants(&seeds, 6_000) {
        let found = documents(&text).and_then(|documents| read(documents, &[]));
        read_pods += found.map_or(0, |found| found.pods.len());
    }
    assert!(read_pods > 1_000, "{read_pods}");
}

#[test]
fn a_list_of_nothing_but_faults_is_told_by_their_number() {
    let items = "{},".repeat(5_000) + r#"{"metadata":{"name":"a","uid":"u"}}"#;
    let found = found(&format!(r#"{{"kind":"PodList","items":[{items}]}}"#));
    assert_eq!(names(&found), ["default/a"]);
    assert_eq!(found.problems.len(), 1_001);
    assert!(problems(&found).contains("4000 problems more than these 1000"));
}

#[test]
fn an_item_whose_text_is_broken_hides_no_other() {
    let list = |second: &str| {
        format!(
            "{{\"kind\":\"PodList\",\"items\":[\
             {{\"metadata\":{{\"name\":\"a\",\"uid\":\"1\"}}}},{second},\
             {{\"metadata\":{{\"name\":\"c\",\"uid\":\"3\"}}}}]}}"
        )
    };
    let good = "{\"metadata\":{\"name\":\"b\",\"uid\":\"2\"}}";
    let broken = "{\"metadata\":{\"name\":\"b\",\"uid\":\"2\"},\"spec\":\"\\q\"}";
    let found = found(&list(broken));
    assert_eq!(names(&found), ["default/a", "default/c"]);
    assert!(
        problems(&found).contains("default/b"),
        "{}",
        problems(&found)
    );

    let before = read(documents(list(good).as_bytes()).unwrap(), &[]).unwrap();
    let again = |text: &str| read(documents(list(text).as_bytes()).unwrap(), &before.pods).unwrap();
    let after = again(broken);
    assert_eq!(after.pods, before.pods);
    assert!(problems(&after).contains("as last read it stays served"));
    // Of one that may be any pod, nobody can say that it is gone.
    let unknown = again("{\"metadata\":\"\\q\"}");
    let mut kept = names(&unknown);
    kept.sort();
    assert_eq!(kept, ["default/a", "default/b", "default/c"]);
    let other = again("{\"metadata\":{\"name\":\"d\",\"uid\":\"4\"},\"spec\":\"\\q\"}");
    assert_eq!(
        names(&other),
        ["default/a", "default/c"],
        "the second is gone"
    );
}
