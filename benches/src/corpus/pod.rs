//! One pod of the corpus, written out as the API server would show it.

use serde_json::{Value, json};

use super::random::Random;

/// Returns a pod; `version` differs between the states of one pod and changes no length.
pub(super) fn pod(serial: u64, version: u64, random: &mut Random) -> Value {
    let app = random.choose(APPS);
    let namespace = random.choose(NAMESPACES);
    let set = format!("{app}-{}", random.hex(10));
    let name = format!("{set}-{}", random.hex(5));
    let count = 2 + u64::from(serial.is_multiple_of(5));
    let containers: Vec<_> = (0..count)
        .map(|index| container(app, index, random))
        .collect();
    let statuses: Vec<_> = (0..count).map(|index| status_of(index, random)).collect();
    let pod_ip = format!(
        "10.{}.{}.{}",
        64 + serial / 250,
        serial % 250,
        2 + random.below(250)
    );
    let node = "worker-7.eu-central.example.internal";
    json!({
        "metadata": {
            "name": name,
            "generateName": format!("{set}-"),
            "namespace": namespace,
            "uid": format!("{serial:04x}{}", &random.uuid()[4..]),
            "resourceVersion": format!("{}", 481_516_000 + serial % 100 + version % 10 * 100),
            "creationTimestamp": time(serial),
            "labels": {
                "app.kubernetes.io/name": app,
                "app.kubernetes.io/instance": format!("{app}-production"),
                "app.kubernetes.io/managed-by": "Helm",
                "app.kubernetes.io/version": format!("4.{}.{}", serial % 30, random.below(10)),
                "pod-template-hash": random.hex(10),
                "topology.kubernetes.io/zone": format!("eu-central-1{}", random.choose(&["a", "b", "c"])),
            },
            "annotations": {
                "checksum/config": random.hex(64),
                "checksum/secrets": random.hex(64),
                "kubernetes.io/config.seen": time(serial),
                "kubernetes.io/config.source": "api",
                "prometheus.io/port": "9090",
                "prometheus.io/scrape": "true",
                "cni.example.org/podIPs": format!("{pod_ip}/32"),
            },
            "ownerReferences": [{
                "apiVersion": "apps/v1", "kind": "ReplicaSet", "name": set, "uid": random.uuid(),
                "controller": true, "blockOwnerDeletion": true,
            }],
            "managedFields": [
                managed("kube-controller-manager", "", serial, controller_fields(app, count)),
                managed("kubelet", "status", serial + 40, kubelet_fields(&pod_ip)),
            ],
        },
        "spec": {
            "volumes": volumes(app, random),
            "initContainers": [init(app, random)],
            "containers": containers,
            "restartPolicy": "Always",
            "terminationGracePeriodSeconds": 30,
            "dnsPolicy": "ClusterFirst",
            "serviceAccountName": app,
            "serviceAccount": app,
            "nodeName": node,
            "securityContext": { "runAsNonRoot": true, "runAsUser": 65_532, "fsGroup": 65_532,
                "seccompProfile": { "type": "RuntimeDefault" } },
            "imagePullSecrets": [{ "name": "registry-credentials" }],
            "affinity": { "podAntiAffinity": { "preferredDuringSchedulingIgnoredDuringExecution": [{
                "weight": 100,
                "podAffinityTerm": {
                    "labelSelector": { "matchLabels": { "app.kubernetes.io/name": app } },
                    "topologyKey": "kubernetes.io/hostname",
                },
            }] } },
            "schedulerName": "default-scheduler",
            "tolerations": [
                toleration("node.kubernetes.io/not-ready"),
                toleration("node.kubernetes.io/unreachable"),
            ],
            "priorityClassName": "production",
            "priority": 100_000,
            "enableServiceLinks": false,
            "preemptionPolicy": "PreemptLowerPriority",
            "topologySpreadConstraints": [{
                "maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone",
                "whenUnsatisfiable": "ScheduleAnyway",
                "labelSelector": { "matchLabels": { "app.kubernetes.io/name": app } },
            }],
        },
        "status": {
            "observedGeneration": 1,
            "phase": "Running",
            "conditions": CONDITIONS.map(|kind| json!({
                "type": kind, "status": "True", "lastTransitionTime": time(serial + 20),
                "observedGeneration": 1,
            })),
            "hostIP": "10.10.7.21",
            "hostIPs": [{ "ip": "10.10.7.21" }],
            "podIP": pod_ip,
            "podIPs": [{ "ip": pod_ip }, { "ip": format!("fd00:10:64::{serial:x}") }],
            "startTime": time(serial + 1),
            "initContainerStatuses": [ended_status(app, serial, random)],
            "containerStatuses": statuses,
            "qosClass": "Burstable",
        },
    })
}

const APPS: &[&str] = &[
    "storefront",
    "checkout-api",
    "orders-worker",
    "search-indexer",
    "notification-gateway",
    "image-resizer",
    "billing-reconciler",
    "session-store",
];

const NAMESPACES: &[&str] = &["shop", "payments", "search", "platform-services"];

const CONDITIONS: [&str; 5] = [
    "PodReadyToStartContainers",
    "Initialized",
    "Ready",
    "ContainersReady",
    "PodScheduled",
];

const ROLES: [&str; 3] = ["main", "mesh-proxy", "log-shipper"];

fn role(index: u64) -> &'static str {
    let index = usize::try_from(index).unwrap_or(0);
    ROLES.get(index).copied().unwrap_or("main")
}

fn time(minutes: u64) -> String {
    let (day, hour) = (1 + minutes / 1_440 % 28, minutes / 60 % 24);
    format!("2026-09-{day:02}T{hour:02}:{:02}:17Z", minutes % 60)
}

fn image(app: &str, random: &mut Random) -> String {
    let patch = random.below(40);
    format!("registry.example.internal/production/{app}:4.18.{patch}")
}

fn toleration(key: &str) -> Value {
    json!({ "key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300 })
}

fn mounts() -> Value {
    json!([
        { "name": "config", "mountPath": "/etc/config", "readOnly": true },
        { "name": "certificates", "mountPath": "/etc/certificates", "readOnly": true },
        { "name": "scratch", "mountPath": "/var/lib/scratch" },
        { "name": "kube-api-access-x7k2p", "readOnly": true,
          "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount" },
    ])
}

fn container(app: &str, index: u64, random: &mut Random) -> Value {
    let port = 8_080 + index;
    let mut env = vec![
        json!({ "name": "POD_NAME", "valueFrom": { "fieldRef": { "apiVersion": "v1", "fieldPath": "metadata.name" } } }),
        json!({ "name": "POD_IP", "valueFrom": { "fieldRef": { "apiVersion": "v1", "fieldPath": "status.podIP" } } }),
        json!({ "name": "DATABASE_PASSWORD", "valueFrom": { "secretKeyRef": { "name": format!("{app}-database"), "key": "password" } } }),
        json!({ "name": "OTEL_EXPORTER_OTLP_ENDPOINT", "value": "http://collector.observability.svc.cluster.local:4317" }),
        json!({ "name": "DATABASE_HOST", "value": format!("{app}-postgres-rw.databases.svc.cluster.local") }),
    ];
    for number in 0..1 + random.below(8) {
        env.push(json!({
            "name": format!("{}_SETTING_{number}", app.replace('-', "_").to_uppercase()),
            "value": random.hex(12),
        }));
    }
    let probe = |delay: u64, path: &str| {
        json!({ "httpGet": { "path": path, "port": port, "scheme": "HTTP" },
            "initialDelaySeconds": delay, "timeoutSeconds": 2, "periodSeconds": 10,
            "successThreshold": 1, "failureThreshold": 3 })
    };
    json!({
        "name": role(index),
        "image": image(app, random),
        "args": ["serve", format!("--listen=:{port}"), "--config=/etc/config/service.yaml", "--log-format=json"],
        "ports": [
            { "name": "http", "containerPort": port, "protocol": "TCP" },
            { "name": "metrics", "containerPort": 9_090 + index, "protocol": "TCP" },
        ],
        "env": env,
        "envFrom": [{ "configMapRef": { "name": format!("{app}-environment") } }],
        "resources": {
            "limits": { "cpu": "1", "memory": "512Mi", "ephemeral-storage": "1Gi" },
            "requests": { "cpu": "250m", "memory": "256Mi", "ephemeral-storage": "256Mi" },
        },
        "volumeMounts": mounts(),
        "livenessProbe": probe(15, "/healthz"),
        "readinessProbe": probe(5, "/readyz"),
        "startupProbe": probe(0, "/healthz"),
        "lifecycle": { "preStop": { "exec": { "command": ["/bin/drain", "--timeout=20s"] } } },
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "File",
        "imagePullPolicy": "IfNotPresent",
        "securityContext": { "capabilities": { "drop": ["ALL"] }, "readOnlyRootFilesystem": true,
            "allowPrivilegeEscalation": false },
    })
}

fn init(app: &str, random: &mut Random) -> Value {
    json!({
        "name": "migrate",
        "image": image(app, random),
        "args": ["migrate", "--wait=60s"],
        "resources": {},
        "volumeMounts": mounts(),
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "File",
        "imagePullPolicy": "IfNotPresent",
    })
}

fn volumes(app: &str, random: &mut Random) -> Value {
    json!([
        { "name": "config", "configMap": { "name": format!("{app}-config-{}", random.hex(8)), "defaultMode": 420 } },
        { "name": "certificates", "secret": { "secretName": format!("{app}-certificates"), "defaultMode": 420 } },
        { "name": "scratch", "emptyDir": { "sizeLimit": "256Mi" } },
        { "name": "kube-api-access-x7k2p", "projected": { "defaultMode": 420, "sources": [
            { "serviceAccountToken": { "expirationSeconds": 3607, "path": "token" } },
            { "configMap": { "name": "kube-root-ca.crt", "items": [{ "key": "ca.crt", "path": "ca.crt" }] } },
            { "downwardAPI": { "items": [{ "path": "namespace",
                "fieldRef": { "apiVersion": "v1", "fieldPath": "metadata.namespace" } }] } },
        ] } },
    ])
}

fn status_of(index: u64, random: &mut Random) -> Value {
    json!({
        "name": role(index),
        "state": { "running": { "startedAt": time(index + 30) } },
        "lastState": {},
        "ready": true,
        "started": true,
        "restartCount": random.below(4),
        "image": image(role(index), random),
        "imageID": format!("registry.example.internal/production/{}@sha256:{}", role(index), random.hex(64)),
        "containerID": format!("containerd://{}", random.hex(64)),
        "allocatedResources": { "cpu": "250m", "memory": "256Mi", "ephemeral-storage": "256Mi" },
        "resources": {
            "limits": { "cpu": "1", "memory": "512Mi", "ephemeral-storage": "1Gi" },
            "requests": { "cpu": "250m", "memory": "256Mi", "ephemeral-storage": "256Mi" },
        },
        "volumeMounts": [
            { "name": "config", "mountPath": "/etc/config", "readOnly": true, "recursiveReadOnly": "Disabled" },
            { "name": "scratch", "mountPath": "/var/lib/scratch" },
        ],
    })
}

fn ended_status(app: &str, serial: u64, random: &mut Random) -> Value {
    let id = format!("containerd://{}", random.hex(64));
    json!({
        "name": "migrate",
        "state": { "terminated": { "exitCode": 0, "reason": "Completed", "containerID": id,
            "startedAt": time(serial + 2), "finishedAt": time(serial + 3) } },
        "ready": true,
        "started": false,
        "image": image(app, random),
        "imageID": format!("registry.example.internal/production/{app}@sha256:{}", random.hex(64)),
        "containerID": id,
    })
}

fn managed(manager: &str, subresource: &str, minutes: u64, fields: Value) -> Value {
    let mut entry = json!({ "manager": manager, "operation": "Update", "apiVersion": "v1",
        "time": time(minutes), "fieldsType": "FieldsV1", "fieldsV1": fields });
    if !subresource.is_empty() {
        entry["subresource"] = Value::from(subresource);
    }
    entry
}

fn controller_fields(app: &str, count: u64) -> Value {
    let mut containers = json!({});
    for index in 0..count {
        containers[format!("k:{{\"name\":\"{}\"}}", role(index))] = json!({
            ".": {}, "f:args": {}, "f:image": {}, "f:imagePullPolicy": {}, "f:name": {},
            "f:env": { ".": {},
                "k:{\"name\":\"POD_NAME\"}": { ".": {}, "f:name": {}, "f:valueFrom": { ".": {}, "f:fieldRef": {} } },
                "k:{\"name\":\"POD_IP\"}": { ".": {}, "f:name": {}, "f:valueFrom": { ".": {}, "f:fieldRef": {} } } },
            "f:livenessProbe": { ".": {}, "f:failureThreshold": {}, "f:httpGet": { ".": {}, "f:path": {}, "f:port": {}, "f:scheme": {} } },
            "f:resources": { ".": {}, "f:limits": { ".": {}, "f:memory": {} }, "f:requests": { ".": {}, "f:cpu": {}, "f:memory": {} } },
            "f:terminationMessagePath": {}, "f:terminationMessagePolicy": {},
        });
    }
    json!({
        "f:metadata": {
            "f:annotations": { ".": {}, "f:checksum/config": {}, "f:checksum/secrets": {} },
            "f:generateName": {},
            "f:labels": { ".": {}, "f:app.kubernetes.io/name": {}, "f:app.kubernetes.io/instance": {}, format!("f:{app}"): {} },
            "f:ownerReferences": { ".": {} },
        },
        "f:spec": { "f:affinity": {}, "f:containers": containers, "f:dnsPolicy": {}, "f:enableServiceLinks": {},
            "f:restartPolicy": {}, "f:schedulerName": {}, "f:securityContext": {},
            "f:terminationGracePeriodSeconds": {}, "f:volumes": { ".": {} } },
    })
}

fn kubelet_fields(pod_ip: &str) -> Value {
    let mut conditions = json!({});
    for kind in CONDITIONS {
        conditions[format!("k:{{\"type\":\"{kind}\"}}")] = json!({ ".": {}, "f:lastProbeTime": {},
            "f:lastTransitionTime": {}, "f:observedGeneration": {}, "f:status": {}, "f:type": {} });
    }
    json!({ "f:status": {
        "f:conditions": conditions, "f:containerStatuses": {}, "f:hostIP": {}, "f:hostIPs": {},
        "f:initContainerStatuses": {}, "f:observedGeneration": {}, "f:phase": {}, "f:podIP": {},
        "f:podIPs": { ".": {}, format!("k:{{\"ip\":\"{pod_ip}\"}}"): { ".": {}, "f:ip": {} } },
        "f:startTime": {},
    } })
}
