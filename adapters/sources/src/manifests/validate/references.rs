//! Objects of the API that a pod refers to.
//!
//! A kubelet runs static pods without an API server, so it refuses those that need one.

use super::place::{Faults, Place};

/// Notes a kind of object that the pod needs, if it needs one.
pub(super) fn check(spec: &Place<'_>, faults: &mut Faults) {
    if let Some((path, kind)) = find(spec) {
        faults.add(&path, format!("a static pod may not refer to {kind}"));
    }
}

fn find(spec: &Place<'_>) -> Option<(String, &'static str)> {
    const ACCOUNT: &str = "serviceAccountName";
    if !spec.text(ACCOUNT).is_empty() {
        return Some((spec.at(ACCOUNT), "serviceaccounts"));
    }
    let mut secrets = spec.each("imagePullSecrets").into_iter();
    if let Some(secret) = secrets.find(|secret| !secret.text("name").is_empty()) {
        return Some((secret.path().to_owned(), "secrets"));
    }
    if spec.count("resourceClaims") > 0 {
        return Some((spec.at("resourceClaims"), "resourceclaims"));
    }
    let containers = ["initContainers", "containers"]
        .into_iter()
        .flat_map(|list| spec.each(list));
    for container in containers {
        let variables = container.each("env").into_iter();
        let origins = variables
            .filter_map(|variable| variable.inner("valueFrom"))
            .chain(container.each("envFrom"));
        for origin in origins {
            for (key, kind) in ENVIRONMENT {
                if origin.has(key) {
                    return Some((origin.at(key), kind));
                }
            }
        }
    }
    spec.each("volumes").iter().find_map(of_volume)
}

fn of_volume(volume: &Place<'_>) -> Option<(String, &'static str)> {
    for (key, kind) in VOLUMES {
        if volume.has(key) {
            return Some((volume.at(key), kind));
        }
    }
    for (key, kind) in SECRET_OF_VOLUME {
        let secret = volume
            .inner(key)
            .and_then(|source| source.inner("secretRef"));
        if let Some(secret) = secret.filter(|secret| !secret.text("name").is_empty()) {
            return Some((secret.path().to_owned(), kind));
        }
    }
    for source in volume.inner("projected")?.each("sources") {
        for (key, kind) in PROJECTED {
            if source.has(key) {
                return Some((source.at(key), kind));
            }
        }
    }
    None
}

/// Variables of a container's environment, each or all from one object. Those without a name are
/// refused for that.
const ENVIRONMENT: [(&str, &str); 4] = [
    ("configMapKeyRef", "configmaps"),
    ("configMapRef", "configmaps"),
    ("secretKeyRef", "secrets"),
    ("secretRef", "secrets"),
];
/// Volumes that are nothing without an object.
pub(super) const VOLUMES: [(&str, &str); 7] = [
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
/// Parts of projected volumes that are nothing without an object.
pub(super) const PROJECTED: [(&str, &str); 5] = [
    ("clusterTrustBundle", "clustertrustbundles"),
    ("configMap", "configmaps (by a projected volume)"),
    ("podCertificate", "podcertificates"),
    ("secret", "secrets (by a projected volume)"),
    (
        "serviceAccountToken",
        "serviceaccounts (by a projected volume)",
    ),
];
