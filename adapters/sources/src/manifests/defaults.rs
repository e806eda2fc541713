//! What a kubelet fills in before it looks at a static pod: the defaults of the pod API.
//!
//! The facts are those of `SetObjectDefaults_Pod` in Kubernetes 1.33 to 1.37, with the feature gates
//! as they are by default, and of the conversion behind it.

use podsapi_proto::json::{Map, Value};

use super::image::pull_policy;
use super::uid::KubeletRelease;
use crate::tree::{
    edit, edit_each, edit_or_insert, flag, given, integer, object, objects, set_if_absent,
    set_if_zero, text,
};

/// Fills in the defaults that a pod has in a release, a pod whose types the schema has approved.
pub(crate) fn fill(pod: &mut Map, release: KubeletRelease) {
    edit_or_insert(pod, "spec", |spec| fill_spec(spec, release));
    edit(pod, "status", fill_status);
}

fn fill_spec(spec: &mut Map, release: KubeletRelease) {
    // The old name of the field follows the new one, and is read where that is empty.
    let account = match text(spec, "serviceAccountName") {
        "" => text(spec, "serviceAccount").to_owned(),
        account => account.to_owned(),
    };
    if !account.is_empty() {
        spec.set("serviceAccountName", Value::from(account.as_str()));
        spec.set("serviceAccount", Value::from(account));
    }
    set_if_zero(spec, "dnsPolicy", "ClusterFirst");
    set_if_zero(spec, "restartPolicy", "Always");
    set_if_absent(spec, "securityContext", Map::new());
    set_if_absent(spec, "terminationGracePeriodSeconds", 30_i64);
    if integer(spec, "terminationGracePeriodSeconds").is_some_and(|seconds| seconds < 0) {
        spec.set("terminationGracePeriodSeconds", Value::from(1_i64));
    }
    set_if_zero(spec, "schedulerName", "default-scheduler");
    set_if_absent(spec, "enableServiceLinks", true);
    let host_network = flag(spec, "hostNetwork");
    for list in ["initContainers", "containers"] {
        edit_each(spec, list, |container| {
            fill_container(container, host_network);
            edit(container, "resources", fill_requests);
        });
    }
    // Neither do they have ports of the host, nor do limits become requests.
    edit_each(spec, "ephemeralContainers", |container| {
        fill_container(container, false);
    });
    edit_each(spec, "volumes", |volume| fill_volume(volume, release));
}

/// The first of the pod's addresses and its only one are one.
fn fill_status(status: &mut Map) {
    let first = objects(status, "podIPs").next();
    let first = first.map(|(_, address)| text(address, "ip").to_owned());
    match (text(status, "podIP"), first) {
        ("", Some(first)) => status.set("podIP", Value::from(first)),
        ("", None) => {}
        (address, first) if first.as_deref() != Some(address) => {
            let only = object([("ip", Value::from(address))]);
            status.set("podIPs", Value::List(vec![only]));
        }
        _ => {}
    }
}

fn fill_container(container: &mut Map, host_network: bool) {
    let policy = pull_policy(text(container, "image"));
    set_if_zero(container, "imagePullPolicy", policy);
    set_if_zero(container, "terminationMessagePath", "/dev/termination-log");
    set_if_zero(container, "terminationMessagePolicy", "File");
    edit_each(container, "ports", |port| {
        set_if_zero(port, "protocol", "TCP");
        if host_network && let Some(number) = integer(port, "containerPort") {
            set_if_zero(port, "hostPort", number);
        }
    });
    edit_each(container, "env", |variable| {
        edit(variable, "valueFrom", |origin| {
            edit(origin, "fieldRef", fill_field_reference);
            edit(origin, "fileKeyRef", |key| {
                set_if_absent(key, "optional", false);
            });
        });
    });
    for probe in ["livenessProbe", "readinessProbe", "startupProbe"] {
        edit(container, probe, fill_probe);
    }
    edit(container, "lifecycle", |lifecycle| {
        for hook in ["postStart", "preStop"] {
            edit(lifecycle, hook, |hook| edit(hook, "httpGet", fill_http_get));
        }
    });
}

/// What a container may use at most it also asks for, unless it asks for something else.
fn fill_requests(resources: &mut Map) {
    let Some(Value::Map(limits)) = given(resources, "limits").cloned() else {
        return;
    };
    edit_or_insert(resources, "requests", |requests| {
        for (resource, limit) in limits {
            set_if_absent(requests, &resource, limit);
        }
    });
}

fn fill_probe(probe: &mut Map) {
    set_if_zero(probe, "timeoutSeconds", 1_i64);
    set_if_zero(probe, "periodSeconds", 10_i64);
    set_if_zero(probe, "successThreshold", 1_i64);
    set_if_zero(probe, "failureThreshold", 3_i64);
    edit(probe, "httpGet", fill_http_get);
    edit(probe, "grpc", |grpc| set_if_absent(grpc, "service", ""));
}

fn fill_http_get(action: &mut Map) {
    set_if_zero(action, "path", "/");
    set_if_zero(action, "scheme", "HTTP");
}

fn fill_field_reference(reference: &mut Map) {
    set_if_zero(reference, "apiVersion", "v1");
}

fn fill_volume(volume: &mut Map, release: KubeletRelease) {
    let has_source = volume
        .iter()
        .any(|(key, value)| *value != Value::Null && release.has_volume_source(key));
    if !has_source {
        volume.set("emptyDir", Value::Map(Map::new()));
    }
    if release.has_image_volumes() {
        edit(volume, "image", |image| {
            let policy = pull_policy(text(image, "reference"));
            set_if_zero(image, "pullPolicy", policy);
        });
    }
    edit(volume, "hostPath", |path| set_if_absent(path, "type", ""));
    for kind in ["secret", "configMap", "downwardAPI", "projected"] {
        edit(volume, kind, |source| {
            set_if_absent(source, "defaultMode", MODE_0644);
        });
    }
    edit(volume, "downwardAPI", fill_downward_items);
    edit(volume, "projected", |projected| {
        edit_each(projected, "sources", |source| {
            edit(source, "downwardAPI", fill_downward_items);
            edit(source, "serviceAccountToken", |token| {
                set_if_absent(token, "expirationSeconds", 3600_i64);
            });
        });
    });
    edit(volume, "ephemeral", |ephemeral| {
        edit(ephemeral, "volumeClaimTemplate", |template| {
            edit_or_insert(template, "spec", |claim| {
                set_if_absent(claim, "volumeMode", "Filesystem");
            });
        });
    });
    edit(volume, "iscsi", |iscsi| {
        set_if_zero(iscsi, "iscsiInterface", "default");
    });
    edit(volume, "rbd", |rbd| {
        set_if_zero(rbd, "pool", "rbd");
        set_if_zero(rbd, "user", "admin");
        set_if_zero(rbd, "keyring", "/etc/ceph/keyring");
    });
    edit(volume, "azureDisk", |disk| {
        set_if_absent(disk, "cachingMode", "ReadWrite");
        set_if_absent(disk, "fsType", "ext4");
        set_if_absent(disk, "readOnly", false);
        set_if_absent(disk, "kind", "Shared");
    });
    edit(volume, "scaleIO", |scale_io| {
        set_if_zero(scale_io, "storageMode", "ThinProvisioned");
        set_if_zero(scale_io, "fsType", "xfs");
    });
}

fn fill_downward_items(source: &mut Map) {
    edit_each(source, "items", |item| {
        edit(item, "fieldRef", fill_field_reference);
    });
}

/// Readable by all and writable by the owner, in decimal as the API has it.
const MODE_0644: i64 = 0o644;

#[cfg(test)]
mod tests;
