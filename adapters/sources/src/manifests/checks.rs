//! The checks without which no kubelet takes a static pod.
//!
//! A kubelet checks more than this (probe values, security contexts, quantities, ...); what passes
//! here and not there is served although no kubelet runs it.

use std::collections::BTreeSet;

use podsapi_proto::json::{Map, Value};

use super::defaults::is_volume_source;
use crate::tree::{flag, given, inner, integer, objects, text};

/// Lists what is wrong with a pod that has its defaults and its final name; empty when nothing is.
pub(crate) fn check(pod: &Map) -> Vec<String> {
    let mut faults = Faults(Vec::new());
    let nothing = Map::new();
    let metadata = inner(pod, "metadata").unwrap_or(&nothing);
    let spec = inner(pod, "spec").unwrap_or(&nothing);
    faults.subdomain("metadata.name", text(metadata, "name"));
    faults.label("metadata.namespace", text(metadata, "namespace"));
    let restart = text(spec, "restartPolicy");
    faults.one_of("spec.restartPolicy", restart, RESTART_POLICIES);
    faults.one_of("spec.dnsPolicy", text(spec, "dnsPolicy"), DNS_POLICIES);
    if text(spec, "dnsPolicy") == "None" {
        let servers = inner(spec, "dnsConfig").and_then(|config| given(config, "nameservers"));
        if servers.and_then(Value::as_list).is_none_or(<[_]>::is_empty) {
            faults.add(
                "spec.dnsConfig.nameservers",
                "required when dnsPolicy is None",
            );
        }
    }
    if integer(spec, "activeDeadlineSeconds").is_some_and(|seconds| seconds < 1) {
        faults.add("spec.activeDeadlineSeconds", "must be at least 1");
    }
    for (key, reason) in [
        ("ephemeralContainers", "cannot be part of a new pod"),
        (
            "schedulingGates",
            "must be empty in a pod that has its node",
        ),
    ] {
        if objects(spec, key).next().is_some() {
            faults.add(&format!("spec.{key}"), reason);
        }
    }
    let volumes = check_volumes(spec, &mut faults);
    check_containers(spec, &volumes, &mut faults);
    if let Some(reference) = api_reference(spec) {
        faults.add(
            "spec",
            &format!("a static pod may not refer to {reference}"),
        );
    }
    faults.0
}

/// What was found, each with the path of its field.
struct Faults(Vec<String>);

impl Faults {
    fn add(&mut self, path: &str, fault: &str) {
        self.0.push(format!("{path}: {fault}"));
    }

    fn label(&mut self, path: &str, name: &str) {
        if !is_label(name) {
            self.name(path, name, "at most 63 characters a-z, 0-9 and '-'");
        }
    }

    fn subdomain(&mut self, path: &str, name: &str) {
        if name.len() > 253 || !name.split('.').all(is_label_shape) {
            self.name(path, name, "at most 253 characters a-z, 0-9, '-' and '.'");
        }
    }

    fn name(&mut self, path: &str, name: &str, rule: &str) {
        if name.is_empty() {
            self.add(path, "required");
        } else {
            let fault =
                format!("{name:?} is no DNS name: {rule}, with a letter or digit at both ends");
            self.add(path, &fault);
        }
    }

    fn one_of(&mut self, path: &str, value: &str, choices: &[&str]) {
        if !choices.contains(&value) {
            let fault = format!("{value:?} is none of {}", choices.join(", "));
            self.add(path, &fault);
        }
    }
}

fn is_label(name: &str) -> bool {
    name.len() <= 63 && is_label_shape(name)
}

fn is_label_shape(name: &str) -> bool {
    let alphanumeric = |byte: Option<&u8>| {
        byte.is_some_and(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    let bytes = name.as_bytes();
    alphanumeric(bytes.first())
        && alphanumeric(bytes.last())
        && bytes
            .iter()
            .all(|byte| alphanumeric(Some(byte)) || *byte == b'-')
}

/// Checks the volumes and returns their names.
fn check_volumes<'v>(spec: &'v Map, faults: &mut Faults) -> BTreeSet<&'v str> {
    let mut names = BTreeSet::new();
    for (index, volume) in objects(spec, "volumes") {
        let path = format!("spec.volumes[{index}]");
        let name = text(volume, "name");
        faults.label(&format!("{path}.name"), name);
        if !names.insert(name) {
            faults.add(&format!("{path}.name"), "another volume has this name");
        }
        let sources = volume
            .iter()
            .filter(|(key, value)| **value != Value::Null && is_volume_source(key));
        if sources.count() > 1 {
            faults.add(&path, "has more than one source");
        }
    }
    names
}

fn check_containers(spec: &Map, volumes: &BTreeSet<&str>, faults: &mut Faults) {
    if objects(spec, "containers").next().is_none() {
        faults.add("spec.containers", "at least one is required");
    }
    let mut names = BTreeSet::new();
    for list in ["containers", "initContainers"] {
        for (index, container) in objects(spec, list) {
            let path = format!("spec.{list}[{index}]");
            let name = text(container, "name");
            faults.label(&format!("{path}.name"), name);
            if !name.is_empty() && !names.insert(name) {
                faults.add(&format!("{path}.name"), "another container has this name");
            }
            check_container(container, &path, flag(spec, "hostNetwork"), faults);
            check_mounts(container, &path, volumes, faults);
            if list == "initContainers" && text(container, "restartPolicy") != "Always" {
                for key in RESTARTABLE_ONLY {
                    if given(container, key).is_some() {
                        let fault = "not in an init container without restartPolicy Always";
                        faults.add(&format!("{path}.{key}"), fault);
                    }
                }
            }
        }
    }
}

fn check_container(container: &Map, path: &str, host_network: bool, faults: &mut Faults) {
    let image = text(container, "image");
    if image.is_empty() {
        faults.add(&format!("{path}.image"), "required");
    } else if image.trim() != image {
        faults.add(
            &format!("{path}.image"),
            "must not begin or end with a space",
        );
    }
    for (key, choices) in [
        ("imagePullPolicy", PULL_POLICIES),
        ("terminationMessagePolicy", MESSAGE_POLICIES),
    ] {
        faults.one_of(&format!("{path}.{key}"), text(container, key), choices);
    }
    for (index, variable) in objects(container, "env") {
        if text(variable, "name").is_empty() {
            faults.add(&format!("{path}.env[{index}].name"), "required");
        }
    }
    for (index, port) in objects(container, "ports") {
        let path = format!("{path}.ports[{index}]");
        let number = integer(port, "containerPort").unwrap_or_default();
        let host = integer(port, "hostPort").unwrap_or_default();
        if !(1..=65_535).contains(&number) {
            faults.add(&format!("{path}.containerPort"), "must be 1 to 65535");
        }
        if !(0..=65_535).contains(&host) {
            faults.add(&format!("{path}.hostPort"), "must be 0 to 65535");
        } else if host_network && host != number {
            let fault = "must equal containerPort in a pod on the host's network";
            faults.add(&format!("{path}.hostPort"), fault);
        }
        faults.one_of(
            &format!("{path}.protocol"),
            text(port, "protocol"),
            PROTOCOLS,
        );
    }
}

fn check_mounts(container: &Map, path: &str, volumes: &BTreeSet<&str>, faults: &mut Faults) {
    for (index, mount) in objects(container, "volumeMounts") {
        let path = format!("{path}.volumeMounts[{index}]");
        let name = text(mount, "name");
        if !volumes.contains(name) {
            faults.add(
                &format!("{path}.name"),
                &format!("no volume is named {name:?}"),
            );
        }
        if text(mount, "mountPath").is_empty() {
            faults.add(&format!("{path}.mountPath"), "required");
        }
    }
}

/// Names a kind of API object that the pod needs, if it needs one: a kubelet runs static pods
/// without an API server, so it refuses them.
fn api_reference(spec: &Map) -> Option<&'static str> {
    if !text(spec, "serviceAccountName").is_empty() || !text(spec, "serviceAccount").is_empty() {
        return Some("serviceaccounts");
    }
    if objects(spec, "imagePullSecrets").any(|(_, secret)| !text(secret, "name").is_empty()) {
        return Some("secrets");
    }
    if objects(spec, "resourceClaims").next().is_some() {
        return Some("resourceclaims");
    }
    let containers = ["initContainers", "containers"]
        .into_iter()
        .flat_map(|list| objects(spec, list));
    for (_, container) in containers {
        let origins = objects(container, "env")
            .filter_map(|(_, variable)| inner(variable, "valueFrom"))
            .chain(objects(container, "envFrom").map(|(_, origin)| origin));
        for origin in origins {
            for (key, kind) in ENVIRONMENT_REFERENCES {
                if inner(origin, key).is_some_and(|object| !text(object, "name").is_empty()) {
                    return Some(kind);
                }
            }
        }
    }
    let volumes = objects(spec, "volumes");
    volumes
        .filter_map(|(_, volume)| volume_reference(volume))
        .next()
}

fn volume_reference(volume: &Map) -> Option<&'static str> {
    for (key, kind) in VOLUME_REFERENCES {
        if given(volume, key).is_some() {
            return Some(kind);
        }
    }
    for (key, kind) in SECRET_OF_VOLUME {
        let secret = inner(volume, key).and_then(|source| inner(source, "secretRef"));
        if secret.is_some_and(|secret| !text(secret, "name").is_empty()) {
            return Some(kind);
        }
    }
    let projected = inner(volume, "projected")?;
    objects(projected, "sources")
        .flat_map(|(_, source)| {
            PROJECTED_REFERENCES
                .iter()
                .filter(|(key, _)| given(source, key).is_some())
        })
        .map(|(_, kind)| *kind)
        .next()
}

const RESTART_POLICIES: &[&str] = &["Always", "OnFailure", "Never"];
const DNS_POLICIES: &[&str] = &["ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"];
const PULL_POLICIES: &[&str] = &["Always", "IfNotPresent", "Never"];
const MESSAGE_POLICIES: &[&str] = &["File", "FallbackToLogsOnError"];
const PROTOCOLS: &[&str] = &["TCP", "UDP", "SCTP"];
const RESTARTABLE_ONLY: [&str; 4] = [
    "lifecycle",
    "livenessProbe",
    "readinessProbe",
    "startupProbe",
];

const ENVIRONMENT_REFERENCES: [(&str, &str); 4] = [
    ("configMapKeyRef", "configmaps"),
    ("configMapRef", "configmaps"),
    ("secretKeyRef", "secrets"),
    ("secretRef", "secrets"),
];
const VOLUME_REFERENCES: [(&str, &str); 7] = [
    ("azureFile", "secrets (by an azureFile volume)"),
    ("configMap", "configmaps (by a volume)"),
    ("csi", "csidrivers (by a volume)"),
    (
        "ephemeral",
        "persistentvolumeclaims (by an ephemeral volume)",
    ),
    ("glusterfs", "endpoints (by a glusterfs volume)"),
    ("persistentVolumeClaim", "persistentvolumeclaims"),
    ("secret", "secrets (by a volume)"),
];
const SECRET_OF_VOLUME: [(&str, &str); 7] = [
    ("cephfs", "secrets (by a cephfs volume)"),
    ("cinder", "secrets (by a cinder volume)"),
    ("flexVolume", "secrets (by a flexVolume volume)"),
    ("iscsi", "secrets (by an iscsi volume)"),
    ("rbd", "secrets (by an rbd volume)"),
    ("scaleIO", "secrets (by a scaleIO volume)"),
    ("storageos", "secrets (by a storageos volume)"),
];
const PROJECTED_REFERENCES: &[(&str, &str)] = &[
    ("clusterTrustBundle", "clustertrustbundles"),
    ("configMap", "configmaps (by a projected volume)"),
    ("podCertificate", "podcertificates"),
    ("secret", "secrets (by a projected volume)"),
    (
        "serviceAccountToken",
        "serviceaccounts (by a projected volume)",
    ),
];

#[cfg(test)]
mod tests;
