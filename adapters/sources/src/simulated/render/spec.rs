//! The spec of a simulated pod, which its workload decides.

use podsapi_proto::json::{Map, Value};

use super::GRACE_SECONDS;
use crate::simulated::pod::Pod;
use crate::simulated::workloads::Image;
use crate::tree::object;

/// Writes out `spec`.
pub(super) fn spec(pod: &Pod, node_name: &str) -> Value {
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

const TOKEN_VOLUME: &str = "kube-api-access";
