//! The metadata of a simulated pod.

use podsapi_proto::json::{Map, Value};

use super::{GRACE_SECONDS, time};
use crate::simulated::pod::Pod;
use crate::simulated::workloads::Owner;
use crate::tree::object;

/// Writes out `metadata`.
pub(super) fn metadata(pod: &Pod) -> Value {
    let workload = pod.workload;
    let mut labels = vec![
        ("app.kubernetes.io/name", workload.name.to_owned()),
        ("app.kubernetes.io/part-of", workload.namespace.to_owned()),
    ];
    labels.push(match workload.owner {
        Owner::DaemonSet | Owner::StatefulSet => (
            "controller-revision-hash",
            format!("{}-6c9d7f", workload.name),
        ),
        Owner::Job => ("batch.kubernetes.io/job-name", pod.owner_name.clone()),
        Owner::ReplicaSet => ("pod-template-hash", last_part(&pod.owner_name).to_owned()),
    });
    let labels = labels
        .into_iter()
        .map(|(key, value)| (key.to_owned(), Value::from(value)));
    let mut metadata: Map = [
        ("name", Value::from(pod.name.as_str())),
        ("generateName", generate_name(pod)),
        ("namespace", Value::from(workload.namespace)),
        ("uid", Value::from(pod.uid.as_str())),
        (
            "resourceVersion",
            Value::from(pod.resource_version.to_string()),
        ),
        ("creationTimestamp", time(pod.created)),
        ("labels", Value::Map(labels.collect())),
        ("annotations", annotations(pod)),
        ("ownerReferences", Value::List(vec![owner(pod)])),
        ("managedFields", Value::List(managed_fields(pod))),
    ]
    .into_iter()
    .map(|(key, value)| (key.to_owned(), value))
    .collect();
    if let Some(deletion) = pod.deletion {
        // The API has the time at which the grace period is over.
        metadata.set("deletionTimestamp", time(deletion + GRACE_SECONDS));
        metadata.set("deletionGracePeriodSeconds", Value::from(GRACE_SECONDS));
    }
    Value::Map(metadata)
}

fn last_part(name: &str) -> &str {
    name.rsplit('-').next().unwrap_or_default()
}

fn generate_name(pod: &Pod) -> Value {
    match pod.workload.owner {
        Owner::DaemonSet | Owner::Job | Owner::ReplicaSet => {
            Value::from(format!("{}-", pod.owner_name))
        }
        Owner::StatefulSet => Value::Null,
    }
}

fn annotations(pod: &Pod) -> Value {
    object([
        ("kubernetes.io/config.seen", time(pod.created)),
        ("kubernetes.io/config.source", Value::from("api")),
        ("prometheus.io/scrape", Value::from("true")),
    ])
}

fn owner(pod: &Pod) -> Value {
    object([
        ("apiVersion", Value::from(pod.workload.owner.api_version())),
        ("kind", Value::from(pod.workload.owner.kind())),
        ("name", Value::from(pod.owner_name.as_str())),
        ("uid", Value::from(pod.owner_uid.as_str())),
        ("controller", Value::from(true)),
        ("blockOwnerDeletion", Value::from(true)),
    ])
}

fn managed_fields(pod: &Pod) -> Vec<Value> {
    let set = |names: &[&str]| {
        let names = names.iter();
        Value::Map(
            names
                .map(|name| (format!("f:{name}"), Value::Map(Map::new())))
                .collect(),
        )
    };
    let entry = |manager: &str, subresource: Value, at: i64, fields: Value| {
        object([
            ("manager", Value::from(manager)),
            ("operation", Value::from("Update")),
            ("apiVersion", Value::from("v1")),
            ("time", time(at)),
            ("fieldsType", Value::from("FieldsV1")),
            ("fieldsV1", fields),
            ("subresource", subresource),
        ])
    };
    let by_controller = object([
        (
            "f:metadata",
            set(&["generateName", "labels", "ownerReferences"]),
        ),
        (
            "f:spec",
            set(&[
                "containers",
                "dnsPolicy",
                "enableServiceLinks",
                "restartPolicy",
                "schedulerName",
                "securityContext",
                "terminationGracePeriodSeconds",
                "volumes",
            ]),
        ),
    ]);
    let by_kubelet = object([(
        "f:status",
        set(&[
            "conditions",
            "containerStatuses",
            "hostIP",
            "hostIPs",
            "phase",
            "podIP",
            "podIPs",
            "startTime",
        ]),
    )]);
    vec![
        entry(
            "kube-controller-manager",
            Value::Null,
            pod.created,
            by_controller,
        ),
        entry("kubelet", Value::from("status"), pod.changed, by_kubelet),
    ]
}
