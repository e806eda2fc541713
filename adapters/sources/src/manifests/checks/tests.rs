//! Pods that no kubelet takes.

use podsapi_proto::json::{Map, Value, parse_yaml};

use super::check;
use crate::manifests::defaults;

/// A pod with `spec` lines and its defaults.
fn pod(spec: &str) -> Map {
    let text = format!("metadata: {{name: a, namespace: b}}\nspec:\n  nodeName: n\n{spec}");
    let Some(Value::Map(mut pod)) = parse_yaml(text.as_bytes()).unwrap().pop() else {
        panic!("no object: {text}");
    };
    defaults::fill(&mut pod);
    pod
}

fn faults(spec: &str) -> String {
    check(&pod(spec)).join("; ")
}

const GOOD: &str = "  containers: [{name: main, image: nginx}]\n";

#[test]
fn a_small_pod_has_no_faults() {
    assert_eq!(faults(GOOD), "");
}

#[test]
fn names_are_dns_names() {
    let mut pod = pod(GOOD);
    for (name, good) in [
        ("a", true),
        ("a.b-c.9", true),
        (&"x".repeat(253), true),
        (&"x".repeat(254), false),
        ("", false),
        ("A", false),
        ("a_b", false),
        ("-a", false),
        ("a-", false),
        ("a..b", false),
        ("é", false),
    ] {
        crate::tree::edit(&mut pod, "metadata", |metadata| {
            metadata.set("name", Value::from(name));
        });
        assert_eq!(check(&pod).is_empty(), good, "{name:?}");
    }
    crate::tree::edit(&mut pod, "metadata", |metadata| {
        metadata.set("name", Value::from("a"));
        metadata.set("namespace", Value::from("a.b"));
    });
    assert!(check(&pod)[0].starts_with("metadata.namespace"));
}

#[test]
fn containers_have_names_and_images_and_share_none() {
    for (spec, fault) in [
        ("  containers: []\n", "spec.containers: at least one"),
        (
            "  containers: [{image: a}]\n",
            "spec.containers[0].name: required",
        ),
        (
            "  containers: [{name: A, image: a}]\n",
            "spec.containers[0].name: \"A\"",
        ),
        (
            "  containers: [{name: a.b, image: a}]\n",
            "spec.containers[0].name: \"a.b\"",
        ),
        (
            "  containers: [{name: a, image: ' '}]\n",
            "spec.containers[0].image: must not",
        ),
        (
            "  containers: [{name: a}]\n",
            "spec.containers[0].image: required",
        ),
        (
            "  containers: [{name: a, image: a}, {name: a, image: b}]\n",
            "spec.containers[1].name: another",
        ),
        (
            "  containers: [{name: a, image: a}]\n  initContainers: [{name: a, image: b}]\n",
            "spec.initContainers[0].name: another",
        ),
        (
            "  containers: [{name: a, image: a, imagePullPolicy: Sometimes}]\n",
            "spec.containers[0].imagePullPolicy: \"Sometimes\" is none of",
        ),
        (
            "  containers: [{name: a, image: a, ports: [{containerPort: 70000}]}]\n",
            "spec.containers[0].ports[0].containerPort: must be",
        ),
        (
            "  containers: [{name: a, image: a, volumeMounts: [{name: v, mountPath: /v}]}]\n",
            "spec.containers[0].volumeMounts[0].name: no volume is named \"v\"",
        ),
        (
            "  containers: [{name: a, image: a}]\n  initContainers: [{name: i, image: b, readinessProbe: {exec: {command: [a]}}}]\n",
            "spec.initContainers[0].readinessProbe",
        ),
    ] {
        let found = faults(spec);
        assert!(found.starts_with(fault), "{spec}: {found}");
    }
}

#[test]
fn a_static_pod_refers_to_no_object_of_the_api() {
    for (spec, kind) in [
        ("  serviceAccountName: a\n", "serviceaccounts"),
        ("  serviceAccount: a\n", "serviceaccounts"),
        ("  imagePullSecrets: [{name: a}]\n", "secrets"),
        ("  resourceClaims: [{name: a}]\n", "resourceclaims"),
        (
            "  volumes: [{name: v, configMap: {name: a}}]\n",
            "configmaps (by a volume)",
        ),
        (
            "  volumes: [{name: v, secret: {secretName: a}}]\n",
            "secrets (by a volume)",
        ),
        (
            "  volumes: [{name: v, persistentVolumeClaim: {claimName: a}}]\n",
            "persistentvolumeclaims",
        ),
        (
            "  volumes: [{name: v, rbd: {secretRef: {name: a}}}]\n",
            "secrets (by an rbd volume)",
        ),
        (
            "  volumes: [{name: v, projected: {sources: [{serviceAccountToken: {path: a}}]}}]\n",
            "serviceaccounts (by a projected volume)",
        ),
        (
            "  initContainers: [{name: i, image: a, envFrom: [{configMapRef: {name: a}}]}]\n",
            "configmaps",
        ),
        (
            "  initContainers: [{name: i, image: a, env: [{name: A, valueFrom: {secretKeyRef: {name: a, key: b}}}]}]\n",
            "secrets",
        ),
    ] {
        let found = faults(&format!("{GOOD}{spec}"));
        assert_eq!(found, format!("spec: a static pod may not refer to {kind}"));
    }
    let allowed = "  volumes: [{name: v, projected: {sources: [{downwardAPI: {items: []}}]}}, {name: w, hostPath: {path: /}}]\n  imagePullSecrets: [{name: ''}]\n";
    assert_eq!(faults(&format!("{GOOD}{allowed}")), "");
}

#[test]
fn what_only_comes_later_is_not_in_a_new_pod() {
    for (spec, fault) in [
        (
            "  ephemeralContainers: [{name: e, image: a}]\n",
            "spec.ephemeralContainers",
        ),
        ("  schedulingGates: [{name: g}]\n", "spec.schedulingGates"),
        ("  activeDeadlineSeconds: 0\n", "spec.activeDeadlineSeconds"),
        (
            "  restartPolicy: Perhaps\n",
            "spec.restartPolicy: \"Perhaps\"",
        ),
        (
            "  dnsPolicy: None\n",
            "spec.dnsConfig.nameservers: required",
        ),
        ("  dnsPolicy: Own\n", "spec.dnsPolicy: \"Own\""),
        (
            "  volumes: [{name: v}, {name: v}]\n",
            "spec.volumes[1].name: another",
        ),
        (
            "  volumes: [{name: v, emptyDir: {}, hostPath: {path: /}}]\n",
            "spec.volumes[0]: has more",
        ),
    ] {
        let found = faults(&format!("{GOOD}{spec}"));
        assert!(found.starts_with(fault), "{spec}: {found}");
    }
}
