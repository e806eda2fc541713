//! What a kubelet fills in before it looks at a static pod: the defaults of the pod API.
//!
//! The facts are those of Kubernetes 1.37 with its feature gates as they are by default. Quantities
//! are not rounded up to thousandths here.

use podsapi_proto::json::{Map, Value};
use podsapi_proto::schema::{Field, Kind, Message};

use crate::tree::{
    edit, edit_each, edit_or_insert, flag, given, integer, set_if_absent, set_if_zero, text,
};

/// Fills in the defaults of a pod whose types the schema has approved.
pub(crate) fn fill(pod: &mut Map) {
    edit_or_insert(pod, "spec", fill_spec);
}

fn fill_spec(spec: &mut Map) {
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
        });
    }
    edit_each(spec, "volumes", fill_volume);
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
            edit(origin, "resourceFieldRef", fill_resource_reference);
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
    // A kubelet's types have this object in every container, and print it.
    edit_or_insert(container, "resources", fill_requests);
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

/// A kubelet's types have a divisor in every reference; zero means the default one.
fn fill_resource_reference(reference: &mut Map) {
    set_if_zero(reference, "divisor", "0");
}

fn fill_volume(volume: &mut Map) {
    let has_source = volume
        .iter()
        .any(|(key, value)| *value != Value::Null && is_volume_source(key));
    if !has_source {
        volume.set("emptyDir", Value::Map(Map::new()));
    }
    edit(volume, "image", |image| {
        let policy = pull_policy(text(image, "reference"));
        set_if_zero(image, "pullPolicy", policy);
    });
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
        edit(item, "resourceFieldRef", fill_resource_reference);
    });
}

/// Whether a volume can have its content from `key`; a key that is not known is no source.
pub(super) fn is_volume_source(key: &str) -> bool {
    let volume = Message::POD
        .field_named("spec")
        .and_then(message_of)
        .and_then(|spec| spec.field_named("volumes"))
        .and_then(message_of);
    key != "name" && volume.is_some_and(|volume| volume.resolve_json(key).is_some())
}

fn message_of(field: Field) -> Option<Message> {
    match field.kind() {
        Kind::Message(message) => Some(message),
        Kind::Bool | Kind::Bytes | Kind::Int32 | Kind::Int64 | Kind::String => None,
    }
}

/// Images whose tag may move are pulled each time: those tagged `latest`, and those with neither
/// tag nor digest, which means the same. What is no reference of an image has no tag.
fn pull_policy(image: &str) -> &'static str {
    let (name, digest) = match image.split_once('@') {
        Some((name, _)) => (name, true),
        None => (image, false),
    };
    // A colon before the last slash belongs to the port of a registry.
    let last_slash = name.rfind('/').map_or(0, |slash| slash + 1);
    let (folder, last_part) = name.split_at_checked(last_slash).unwrap_or((name, ""));
    let (last_part, tag) = match last_part.split_once(':') {
        Some((last_part, tag)) => (last_part, Some(tag)),
        None => (last_part, None),
    };
    let moves = match tag {
        Some(tag) => tag == "latest",
        None => !digest,
    };
    if moves && is_repository(folder) && is_repository_part(last_part) {
        "Always"
    } else {
        "IfNotPresent"
    }
}

/// Whether `folder`, which ends with a slash unless it is empty, can stand before an image's name:
/// only the registry in front may have capitals and a port.
fn is_repository(folder: &str) -> bool {
    let mut parts = folder.split_terminator('/');
    let Some(first) = parts.next() else {
        return true;
    };
    let registry = first == "localhost"
        || first.contains(['.', ':'])
        || first.bytes().any(|byte| byte.is_ascii_uppercase());
    (registry || is_repository_part(first)) && parts.all(is_repository_part)
}

fn is_repository_part(part: &str) -> bool {
    let alphanumeric = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let mut bytes = part.as_bytes().iter();
    part.as_bytes().first().is_some_and(alphanumeric)
        && bytes.all(|byte| alphanumeric(byte) || b"._-".contains(byte))
}

/// Readable by all and writable by the owner, in decimal as the API has it.
const MODE_0644: i64 = 0o644;

#[cfg(test)]
mod tests {
    use super::pull_policy;

    #[test]
    fn images_whose_tag_may_move_are_pulled_each_time() {
        for image in [
            "nginx",
            "nginx:latest",
            "localhost:5000/nginx",
            "registry.example/a/b:latest",
            "REGISTRY.example:5000/a/b",
            "a/b:latest@sha256:00",
        ] {
            assert_eq!(pull_policy(image), "Always", "{image}");
        }
        for image in [
            "nginx:1.29",
            "nginx@sha256:00",
            "localhost:5000/nginx:1",
            "registry.example/a/b:1@sha256:00",
            "Nginx",
            "a/B",
            "a b",
            "a:",
        ] {
            assert_eq!(pull_policy(image), "IfNotPresent", "{image}");
        }
    }
}
