//! What a kubelet makes of a manifest.

use podsapi_core::EncodedPod;
use podsapi_proto::json::Value;

use super::Manifest;
use crate::mangled::variants;
use crate::manifests::uid::KubeletRelease;
use crate::recorder::{at, decoded};

fn read(text: &str) -> Result<EncodedPod, String> {
    Manifest::read(text.as_bytes(), "/m/web.yaml", "Node-A", NEWEST)?
        .encode(1_762_283_628_000_000_070)
}

fn pod(text: &str) -> Value {
    decoded(&read(text).unwrap())
}

fn text<'v>(value: &'v Value, path: &str) -> &'v str {
    let found = at(value, path);
    found
        .as_str()
        .unwrap_or_else(|| panic!("{path}: {found:?}"))
}

fn number(value: &Value, path: &str) -> i64 {
    let found = at(value, path);
    let Value::Number(number) = found else {
        panic!("{path}: {found:?}");
    };
    number.as_i64().unwrap()
}

const NEWEST: KubeletRelease = KubeletRelease::NEWEST;

const SMALL: &str = "
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers:
  - {name: main, image: nginx}
";

#[test]
fn a_small_manifest_becomes_a_static_pod_of_the_node() {
    let pod = pod(SMALL);
    assert_eq!(text(&pod, "metadata/name"), "web-node-a");
    assert_eq!(text(&pod, "metadata/namespace"), "default");
    let uid = text(&pod, "metadata/uid");
    assert_eq!(uid.len(), 32);
    assert!(
        uid.bytes()
            .all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
    );
    let annotations = at(&pod, "metadata/annotations");
    let annotation = |key: &str| annotations.get(key).and_then(Value::as_str);
    assert_eq!(annotation("kubernetes.io/config.hash"), Some(uid));
    assert_eq!(annotation("kubernetes.io/config.source"), Some("file"));
    assert_eq!(
        annotation("kubernetes.io/config.seen"),
        Some("2025-11-04T19:13:48.000000070Z")
    );
    assert_eq!(text(&pod, "spec/nodeName"), "Node-A");
    assert_eq!(text(&pod, "spec/tolerations/0/operator"), "Exists");
    assert_eq!(text(&pod, "spec/tolerations/0/effect"), "NoExecute");
    assert_eq!(text(&pod, "status/phase"), "Pending");
}

#[test]
fn a_node_name_that_makes_no_name_of_a_pod_is_refused() {
    let error = Manifest::read(SMALL.as_bytes(), "/m/web.yaml", "Node_A", NEWEST).unwrap_err();
    assert!(error.contains("metadata.name"), "{error}");
}

#[test]
fn the_defaults_of_the_api_are_filled_in() {
    let pod = pod("
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  hostNetwork: true
  initContainers:
  - {name: first, image: 'tool:1', env: [{name: A, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]}
  containers:
  - name: main
    image: nginx
    ports: [{containerPort: 80}]
    resources: {limits: {cpu: 1, memory: 1Gi}, requests: {cpu: 100m}}
    livenessProbe: {httpGet: {port: 80}, periodSeconds: 3}
    readinessProbe: {grpc: {port: 81}}
    lifecycle: {preStop: {httpGet: {port: 80}}}
  volumes:
  - {name: none}
  - {name: host, hostPath: {path: /etc}}
  - {name: down, downwardAPI: {items: [{path: name, fieldRef: {fieldPath: metadata.name}}]}}
  - {name: both, projected: {sources: [{downwardAPI: {items: [{path: name, fieldRef: {fieldPath: metadata.name}}]}}]}}
  - {name: image, image: {reference: 'data:latest'}}
");
    for (path, expected) in [
        ("spec/restartPolicy", "Always"),
        ("spec/dnsPolicy", "ClusterFirst"),
        ("spec/schedulerName", "default-scheduler"),
        ("spec/containers/0/imagePullPolicy", "Always"),
        (
            "spec/containers/0/terminationMessagePath",
            "/dev/termination-log",
        ),
        ("spec/containers/0/terminationMessagePolicy", "File"),
        ("spec/containers/0/ports/0/protocol", "TCP"),
        ("spec/containers/0/resources/requests/cpu", "100m"),
        ("spec/containers/0/resources/requests/memory", "1Gi"),
        ("spec/containers/0/livenessProbe/httpGet/path", "/"),
        ("spec/containers/0/livenessProbe/httpGet/scheme", "HTTP"),
        ("spec/containers/0/readinessProbe/grpc/service", ""),
        ("spec/containers/0/lifecycle/preStop/httpGet/scheme", "HTTP"),
        ("spec/initContainers/0/imagePullPolicy", "IfNotPresent"),
        (
            "spec/initContainers/0/env/0/valueFrom/fieldRef/apiVersion",
            "v1",
        ),
        ("spec/volumes/1/hostPath/type", ""),
        (
            "spec/volumes/2/downwardAPI/items/0/fieldRef/apiVersion",
            "v1",
        ),
        (
            "spec/volumes/3/projected/sources/0/downwardAPI/items/0/fieldRef/apiVersion",
            "v1",
        ),
        ("spec/volumes/4/image/pullPolicy", "Always"),
    ] {
        assert_eq!(text(&pod, path), expected, "{path}");
    }
    for (path, expected) in [
        ("spec/terminationGracePeriodSeconds", 30),
        ("spec/containers/0/ports/0/hostPort", 80),
        ("spec/containers/0/livenessProbe/periodSeconds", 3),
        ("spec/containers/0/livenessProbe/timeoutSeconds", 1),
        ("spec/containers/0/readinessProbe/periodSeconds", 10),
        ("spec/containers/0/readinessProbe/successThreshold", 1),
        ("spec/containers/0/readinessProbe/failureThreshold", 3),
        ("spec/volumes/2/downwardAPI/defaultMode", 420),
        ("spec/volumes/3/projected/defaultMode", 420),
    ] {
        assert_eq!(number(&pod, path), expected, "{path}");
    }
    assert_eq!(at(&pod, "spec/enableServiceLinks"), &Value::Bool(true));
    assert!(
        at(&pod, "spec/securityContext")
            .as_map()
            .unwrap()
            .is_empty()
    );
    assert!(
        at(&pod, "spec/volumes/0/emptyDir")
            .as_map()
            .unwrap()
            .is_empty()
    );
}

#[test]
fn what_a_manifest_says_stays() {
    let pod = pod("
apiVersion: v1
kind: Pod
metadata:
  name: web
  namespace: kube-system
  uid: 0f8da95e-e976-4aea-aeb6-80e58a1b0c44
  annotations: {mine: 'yes', kubernetes.io/config.source: api}
spec:
  restartPolicy: OnFailure
  dnsPolicy: Default
  terminationGracePeriodSeconds: -1
  enableServiceLinks: false
  nodeName: elsewhere
  tolerations:
  - {key: a, operator: Exists}
  - {operator: Exists, effect: NoExecute, tolerationSeconds: 9}
  containers:
  - {name: main, image: nginx, imagePullPolicy: Never}
");
    assert_eq!(
        text(&pod, "metadata/uid"),
        "0f8da95e-e976-4aea-aeb6-80e58a1b0c44"
    );
    assert_eq!(text(&pod, "metadata/namespace"), "kube-system");
    assert_eq!(text(&pod, "metadata/annotations/mine"), "yes");
    let annotations = at(&pod, "metadata/annotations").as_map().unwrap();
    let annotation = |key| annotations.get(key).and_then(Value::as_str);
    assert_eq!(annotation("kubernetes.io/config.source"), Some("file"));
    assert_eq!(
        annotation("kubernetes.io/config.hash"),
        Some("0f8da95e-e976-4aea-aeb6-80e58a1b0c44")
    );
    assert_eq!(text(&pod, "spec/restartPolicy"), "OnFailure");
    assert_eq!(text(&pod, "spec/dnsPolicy"), "Default");
    assert_eq!(number(&pod, "spec/terminationGracePeriodSeconds"), 1);
    assert_eq!(at(&pod, "spec/enableServiceLinks"), &Value::Bool(false));
    assert_eq!(text(&pod, "spec/nodeName"), "Node-A");
    assert_eq!(text(&pod, "spec/containers/0/imagePullPolicy"), "Never");
    // The one that a kubelet adds replaces its like.
    assert_eq!(at(&pod, "spec/tolerations").as_list().unwrap().len(), 2);
    assert!(
        at(&pod, "spec/tolerations/1")
            .get("tolerationSeconds")
            .is_none()
    );
}

#[test]
fn fields_that_are_not_known_are_named_and_left_out() {
    let manifest = SMALL.replace("image: nginx", "image: nginx, imagge: other");
    let read = Manifest::read(manifest.as_bytes(), "/m/web.yaml", "node-a", NEWEST).unwrap();
    assert_eq!(read.unknown, ["spec.containers[0].imagge"]);
    read.encode(0).unwrap();
}

#[test]
fn what_is_no_pod_is_refused_with_the_reason() {
    for (text, reason) in [
        ("", "is empty"),
        ("# nothing\n", "is empty"),
        ("- a\n", "expected a Pod"),
        ("apiVersion: v1\nkind: Service\n", "\"Service\""),
        ("apiVersion: v2\nkind: Pod\n", "\"v2\""),
        (
            "apiVersion: v1\nkind: Pod\nspec: {}\n",
            "metadata.name: required",
        ),
        (
            "apiVersion: v1\nkind: Pod\nmetadata: {name: 5}\n",
            "metadata.name",
        ),
        (
            "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n",
            "spec.containers: at least one",
        ),
        ("{\"apiVersion\": \"v1\", \"kind\": \"Pod\"", "line 1"),
    ] {
        let error = read(text).unwrap_err();
        assert!(error.contains(reason), "{text:?}: {error}");
    }
}

#[test]
fn no_content_makes_the_reader_panic() {
    let seeds = [
        SMALL,
        r#"{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":{"containers":[
            {"name":"a","image":"b:1","ports":[{"containerPort":1}]}]}}"#,
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  volumes: [null, {name: b, \
         secret: null}]\n  containers: [{name: a, image: &b c}]\n",
    ];
    let (mut good, mut bad) = (0, 0);
    for text in variants(&seeds, 6_000) {
        match Manifest::read(&text, "/m/web.yaml", "node-a", NEWEST).and_then(|read| read.encode(0))
        {
            Ok(_) => good += 1,
            Err(error) => {
                assert!(!error.is_empty());
                bad += 1;
            }
        }
    }
    assert!(good > 500 && bad > 500, "{good} good, {bad} bad");
}

/// The tolerations of a manifest with these, once it is a static pod's, one line each.
fn tolerations(given: &str) -> Vec<String> {
    let pod = pod(&format!("{SMALL}\n  tolerations: {given}"));
    let Value::List(tolerations) = at(&pod, "spec/tolerations") else {
        panic!("{given}");
    };
    let line = |one: &Value| podsapi_proto::json::to_json(one);
    tolerations.iter().map(line).collect()
}

#[test]
fn of_several_tolerations_only_the_one_of_all_that_evicts_is_a_static_pods() {
    let of_all = r#"{"operator":"Exists","effect":"NoExecute"}"#;
    let others = [
        r#"{"key":"a","operator":"Exists","effect":"NoExecute"}"#,
        r#"{"key":"a","operator":"Equal","value":"b","effect":"NoExecute"}"#,
        r#"{"operator":"Exists","effect":"NoSchedule"}"#,
        r#"{"operator":"Exists"}"#,
    ];
    let mut expected = others.map(str::to_owned).to_vec();
    expected.push(of_all.to_owned());
    assert_eq!(tolerations(&format!("[{}]", others.join(","))), expected);

    let for_a_while = r#"{"operator":"Exists","effect":"NoExecute","tolerationSeconds":9}"#;
    let given = format!("[{},{for_a_while},{},{for_a_while}]", others[0], others[3]);
    let expected = [others[0], of_all, others[3], of_all].map(str::to_owned);
    assert_eq!(tolerations(&given), expected, "in their places");
    assert_eq!(tolerations("[]"), [of_all]);
}
