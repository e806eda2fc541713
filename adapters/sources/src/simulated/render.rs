//! A simulated pod written out as the API has it.

use podsapi_proto::json::{Map, Value};

use super::pod::{Container, Ended, Pod, State};
use super::workloads::{Image, Owner};
use crate::tree::object;
use crate::wall::rfc3339;

/// Writes out `pod` as one on the node `node_name`.
pub(crate) fn render(pod: &Pod, node_name: &str) -> Value {
    object([
        ("metadata", metadata(pod)),
        ("spec", spec(pod, node_name)),
        ("status", status(pod)),
    ])
}

fn metadata(pod: &Pod) -> Value {
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

fn spec(pod: &Pod, node_name: &str) -> Value {
    let workload = pod.workload;
    let restart_policy = if workload.owner.runs_to_an_end() {
        "Never"
    } else {
        "Always"
    };
    let init = workload.init.iter().map(|image| container(pod, image));
    let containers = workload
        .containers
        .iter()
        .map(|image| container(pod, image));
    let dns_policy = if workload.host_network {
        "ClusterFirstWithHostNet"
    } else {
        "ClusterFirst"
    };
    object([
        ("volumes", Value::List(volumes(pod))),
        ("initContainers", Value::List(init.collect())),
        ("containers", Value::List(containers.collect())),
        ("restartPolicy", Value::from(restart_policy)),
        ("terminationGracePeriodSeconds", Value::from(GRACE_SECONDS)),
        ("dnsPolicy", Value::from(dns_policy)),
        ("serviceAccountName", Value::from(workload.name)),
        ("serviceAccount", Value::from(workload.name)),
        ("nodeName", Value::from(node_name)),
        (
            "hostNetwork",
            if workload.host_network {
                Value::from(true)
            } else {
                Value::Null
            },
        ),
        (
            "securityContext",
            object([("fsGroup", Value::from(2_000_i64))]),
        ),
        ("schedulerName", Value::from("default-scheduler")),
        (
            "tolerations",
            Value::List(["not-ready", "unreachable"].map(toleration).to_vec()),
        ),
        ("priority", Value::from(0_i64)),
        ("enableServiceLinks", Value::from(true)),
        ("preemptionPolicy", Value::from("PreemptLowerPriority")),
    ])
}

fn toleration(condition: &str) -> Value {
    object([
        (
            "key",
            Value::from(format!("node.kubernetes.io/{condition}")),
        ),
        ("operator", Value::from("Exists")),
        ("effect", Value::from("NoExecute")),
        ("tolerationSeconds", Value::from(300_i64)),
    ])
}

fn volumes(pod: &Pod) -> Vec<Value> {
    let mode = || Value::from(0o644_i64);
    let data = match pod.workload.claim {
        Some(claim) => (
            "persistentVolumeClaim",
            object([("claimName", Value::from(format!("{claim}-{}", pod.name)))]),
        ),
        None => ("emptyDir", Value::Map(Map::new())),
    };
    let namespace = object([
        ("path", Value::from("namespace")),
        (
            "fieldRef",
            object([
                ("apiVersion", Value::from("v1")),
                ("fieldPath", Value::from("metadata.namespace")),
            ]),
        ),
    ]);
    let certificate = object([
        ("key", Value::from("ca.crt")),
        ("path", Value::from("ca.crt")),
    ]);
    let sources = vec![
        object([(
            "serviceAccountToken",
            object([
                ("expirationSeconds", Value::from(3_607_i64)),
                ("path", Value::from("token")),
            ]),
        )]),
        object([(
            "configMap",
            object([
                ("name", Value::from("kube-root-ca.crt")),
                ("items", Value::List(vec![certificate])),
            ]),
        )]),
        object([(
            "downwardAPI",
            object([("items", Value::List(vec![namespace]))]),
        )]),
    ];
    vec![
        object([("name", Value::from("data")), data]),
        object([
            ("name", Value::from("config")),
            (
                "configMap",
                object([
                    ("name", Value::from(format!("{}-config", pod.workload.name))),
                    ("defaultMode", mode()),
                ]),
            ),
        ]),
        object([
            ("name", Value::from(TOKEN_VOLUME)),
            (
                "projected",
                object([("sources", Value::List(sources)), ("defaultMode", mode())]),
            ),
        ]),
    ]
}

fn container(pod: &Pod, image: &Image) -> Value {
    let mount = |name: &str, path: &str, read_only: bool| {
        object([
            ("name", Value::from(name)),
            (
                "readOnly",
                if read_only {
                    Value::from(true)
                } else {
                    Value::Null
                },
            ),
            ("mountPath", Value::from(path)),
        ])
    };
    let amounts = |cpu: &str, memory: &str| {
        object([("cpu", Value::from(cpu)), ("memory", Value::from(memory))])
    };
    let (ports, probe) = match image.serves {
        Some((number, path)) => (
            Value::List(vec![port(number, pod.workload.host_network)]),
            Some((number, path)),
        ),
        None => (Value::Null, None),
    };
    let probe = |initial_delay_seconds: i64| {
        probe.map_or(Value::Null, |(port, path)| {
            http_probe(port, path, initial_delay_seconds)
        })
    };
    object([
        ("name", Value::from(image.container)),
        ("image", Value::from(image.image)),
        (
            "args",
            Value::List(image.args.iter().map(|arg| Value::from(*arg)).collect()),
        ),
        ("ports", ports),
        ("env", Value::List(environment(image))),
        (
            "resources",
            object([
                ("limits", object([("memory", Value::from(image.memory))])),
                ("requests", amounts(image.cpu, image.memory)),
            ]),
        ),
        (
            "volumeMounts",
            Value::List(vec![
                mount("data", "/var/lib/data", false),
                mount("config", "/etc/config", true),
                mount(
                    TOKEN_VOLUME,
                    "/var/run/secrets/kubernetes.io/serviceaccount",
                    true,
                ),
            ]),
        ),
        ("livenessProbe", probe(10)),
        ("readinessProbe", probe(0)),
        (
            "terminationMessagePath",
            Value::from("/dev/termination-log"),
        ),
        ("terminationMessagePolicy", Value::from("File")),
        ("imagePullPolicy", Value::from("IfNotPresent")),
        (
            "securityContext",
            object([("allowPrivilegeEscalation", Value::from(false))]),
        ),
    ])
}

fn port(number: i64, host_network: bool) -> Value {
    object([
        ("name", Value::from("serve")),
        (
            "hostPort",
            if host_network {
                Value::from(number)
            } else {
                Value::Null
            },
        ),
        ("containerPort", Value::from(number)),
        ("protocol", Value::from("TCP")),
    ])
}

fn http_probe(port: i64, path: &str, initial_delay_seconds: i64) -> Value {
    let delay = match initial_delay_seconds {
        0 => Value::Null,
        seconds => Value::from(seconds),
    };
    object([
        (
            "httpGet",
            object([
                ("path", Value::from(path)),
                ("port", Value::from(port)),
                ("scheme", Value::from("HTTP")),
            ]),
        ),
        ("initialDelaySeconds", delay),
        ("timeoutSeconds", Value::from(1_i64)),
        ("periodSeconds", Value::from(10_i64)),
        ("successThreshold", Value::from(1_i64)),
        ("failureThreshold", Value::from(3_i64)),
    ])
}

fn environment(image: &Image) -> Vec<Value> {
    let mut environment: Vec<Value> = image
        .env
        .iter()
        .map(|(name, value)| object([("name", Value::from(*name)), ("value", Value::from(*value))]))
        .collect();
    for (name, path) in [("POD_NAME", "metadata.name"), ("POD_IP", "status.podIP")] {
        let field = object([
            ("apiVersion", Value::from("v1")),
            ("fieldPath", Value::from(path)),
        ]);
        environment.push(object([
            ("name", Value::from(name)),
            ("valueFrom", object([("fieldRef", field)])),
        ]));
    }
    environment
}

fn status(pod: &Pod) -> Value {
    let workload = pod.workload;
    let statuses = pod.containers.iter().zip(workload.containers);
    let statuses = statuses.map(|(container, image)| container_status(container, image));
    let init = pod.init.iter().zip(&workload.init);
    let init = init.map(|(container, image)| container_status(container, image));
    let addresses = |addresses: &[String]| {
        let addresses = addresses.iter();
        Value::List(
            addresses
                .map(|address| object([("ip", Value::from(address.as_str()))]))
                .collect(),
        )
    };
    let host = HOST_ADDRESSES.map(str::to_owned);
    let own = if pod
        .containers
        .iter()
        .all(Container::waits_for_its_first_run)
    {
        Vec::new()
    } else if workload.host_network {
        host.to_vec()
    } else {
        pod_addresses(pod.serial).to_vec()
    };
    object([
        ("phase", Value::from(pod.phase())),
        ("conditions", Value::List(conditions(pod))),
        ("hostIP", Value::from(HOST_ADDRESSES[0])),
        ("hostIPs", addresses(&host)),
        (
            "podIP",
            own.first()
                .map_or(Value::Null, |address| Value::from(address.as_str())),
        ),
        ("podIPs", addresses(&own)),
        ("startTime", time(pod.created)),
        ("initContainerStatuses", Value::List(init.collect())),
        ("containerStatuses", Value::List(statuses.collect())),
        ("qosClass", Value::from("Burstable")),
    ])
}

/// Addresses from the ranges that are usual inside clusters, one pair for each pod.
fn pod_addresses(serial: u32) -> [String; 2] {
    let host = serial % 250 + 2;
    let (third, second) = (serial / 250 % 250, 64 + serial / 62_500 % 64);
    [
        format!("10.{second}.{third}.{host}"),
        format!("fd00:10:244::{serial:x}"),
    ]
}

fn conditions(pod: &Pod) -> Vec<Value> {
    let ready = pod.ready() && pod.deletion.is_none();
    let started = !pod
        .containers
        .iter()
        .all(Container::waits_for_its_first_run);
    let ended = pod.phase() == "Succeeded";
    let condition = |kind: &str, met: bool, at: i64, reason: &str| {
        object([
            ("type", Value::from(kind)),
            ("status", Value::from(if met { "True" } else { "False" })),
            ("lastTransitionTime", time(at)),
            (
                "reason",
                if met {
                    Value::Null
                } else {
                    Value::from(reason)
                },
            ),
        ])
    };
    let unready = if ended {
        "PodCompleted"
    } else {
        "ContainersNotReady"
    };
    let initialized = pod.initialized.unwrap_or(pod.created);
    vec![
        condition(
            "PodReadyToStartContainers",
            started,
            pod.created,
            "SandboxNotReady",
        ),
        condition(
            "Initialized",
            pod.initialized.is_some(),
            initialized,
            "ContainersNotInitialized",
        ),
        condition("Ready", ready, pod.ready_changed, unready),
        condition("ContainersReady", ready, pod.ready_changed, unready),
        condition("PodScheduled", true, pod.created, "Unschedulable"),
    ]
}

fn container_status(container: &Container, image: &Image) -> Value {
    let running = container.is_running();
    let id = match &container.state {
        State::Running { .. } => Value::from(format!("containerd://{}", container.id)),
        State::Terminated(ended) => Value::from(format!("containerd://{}", ended.id)),
        State::Waiting { .. } => container.last.as_ref().map_or(Value::Null, |ended| {
            Value::from(format!("containerd://{}", ended.id))
        }),
    };
    let name = image.image.split(['@', ':']).next().unwrap_or_default();
    let image_id = match id {
        Value::Null => Value::from(""),
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::List(_) | Value::Map(_) => {
            Value::from(format!("{name}@sha256:{}", container.image_digest))
        }
    };
    let last = container.last.as_ref().map_or_else(
        || Value::Map(Map::new()),
        |ended| object([("terminated", run(ended))]),
    );
    object([
        ("name", Value::from(image.container)),
        ("state", state(&container.state)),
        ("lastState", last),
        ("ready", Value::from(container.ready)),
        ("restartCount", Value::from(container.restarts)),
        ("image", Value::from(image.image)),
        ("imageID", image_id),
        ("containerID", id),
        ("started", Value::from(running)),
    ])
}

fn state(state: &State) -> Value {
    match state {
        State::Running { since } => object([("running", object([("startedAt", time(*since))]))]),
        State::Terminated(ended) => object([("terminated", run(ended))]),
        State::Waiting { reason } => {
            let message = match *reason {
                "CrashLoopBackOff" => Value::from("back-off restarting the failed container"),
                _ => Value::Null,
            };
            object([(
                "waiting",
                object([("reason", Value::from(*reason)), ("message", message)]),
            )])
        }
    }
}

fn run(ended: &Ended) -> Value {
    object([
        ("exitCode", Value::from(ended.exit_code)),
        ("reason", Value::from(ended.reason)),
        ("startedAt", time(ended.since)),
        ("finishedAt", time(ended.until)),
        (
            "containerID",
            Value::from(format!("containerd://{}", ended.id)),
        ),
    ])
}

fn time(seconds: i64) -> Value {
    Value::from(rfc3339(seconds))
}

const GRACE_SECONDS: i64 = 30;
const TOKEN_VOLUME: &str = "kube-api-access";
/// Addresses that are reserved for documentation.
const HOST_ADDRESSES: [&str; 2] = ["192.0.2.10", "2001:db8::10"];
