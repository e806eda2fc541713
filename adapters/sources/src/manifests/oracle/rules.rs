//! The rules of validation put to a kubelet's own code: all listed changes, and good pods with
//! something changed at random.

use podsapi_proto::json::{Map, Value, parse_yaml, to_json};

use super::{Case, NODE, SHOWN, ask, number};
use crate::manifests::manifest::Manifest;
use crate::manifests::validate::listed;

#[test]
fn listed_changes_are_what_they_are_in_a_kubelet() {
    let cases: Vec<_> = listed::all()
        .map(|listed| Case {
            name: listed.change.chars().take(100).collect(),
            content: listed::manifest(listed.change).into_bytes(),
        })
        .collect();
    compare("changes of one pod", &cases);
}

#[test]
fn changed_pods_are_what_they_are_in_a_kubelet() {
    let pods: Vec<_> = PODS.iter().map(|text| tree(text)).collect();
    let mut cases: Vec<_> = pods.iter().map(|pod| case("good", pod)).collect();
    let mut parts = Parts::default();
    for pod in &pods {
        parts.collect("", pod);
    }
    let mut random = Random(number("PODSAPI_ORACLE_SEED", 1));
    for _ in 0..number("PODSAPI_ORACLE_CASES", 4_000) {
        let mut pod = pods[random.below(pods.len())].clone();
        let mut name = String::new();
        for _ in 0..[1, 1, 1, 2, 3][random.below(5)] {
            name.push_str(&parts.change(&mut pod, &mut random));
        }
        cases.push(case(&name, &pod));
    }
    compare("changes of many pods", &cases);
}

/// Compares who takes which cases, prints the figures under `title`, and fails with what differs.
fn compare(title: &str, cases: &[Case]) {
    let Some(answers) = ask(cases) else {
        return;
    };
    let (mut taken, mut refused, mut wrong) = (0, 0, Vec::new());
    for (case, answer) in cases.iter().zip(&answers) {
        let ours = Manifest::read(&case.content, &case.path(), NODE);
        match (ours, answer.error.is_empty()) {
            (Ok(_), true) => taken += 1,
            (Err(_), false) => refused += 1,
            (Ok(_), false) => {
                wrong.push((
                    case,
                    format!("served, refused by a kubelet: {}", answer.error),
                ));
            }
            (Err(error), true) => {
                wrong.push((case, format!("refused, run by a kubelet: {error}")));
            }
        }
    }
    let count = cases.len();
    println!("oracle: {title}: {count} cases, {taken} taken by both, {refused} refused by both");
    for (case, difference) in wrong.iter().take(SHOWN) {
        let content = String::from_utf8_lossy(&case.content);
        println!("=== {}: {difference}\n{content}\n", case.name);
    }
    assert!(wrong.is_empty(), "{} of {count} cases differ", wrong.len());
}

fn case(name: &str, pod: &Value) -> Case {
    Case {
        name: name.replace('\n', " "),
        content: to_json(pod).into_bytes(),
    }
}

fn tree(text: &str) -> Value {
    let mut spec = parse_yaml(text.as_bytes()).unwrap().pop().unwrap();
    if let Value::Map(pod) = &mut spec {
        pod.push_front("kind".to_owned(), "Pod".into());
        pod.push_front("apiVersion".to_owned(), "v1".into());
    }
    spec
}

/// Numbers that repeat with their seed (`splitmix64`).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        let limit = u64::try_from(limit.max(1)).unwrap();
        usize::try_from(self.next() % limit).unwrap()
    }
}

/// What all pods are made of.
#[derive(Default)]
struct Parts {
    texts: Vec<String>,
    /// The entries of all objects, each with the name of its object.
    entries: Vec<(String, String, Value)>,
}

impl Parts {
    fn collect(&mut self, name: &str, value: &Value) {
        match value {
            Value::String(text) => self.texts.push(text.clone()),
            Value::List(list) => list.iter().for_each(|one| self.collect(name, one)),
            Value::Map(map) => {
                for (key, value) in map.iter() {
                    let entry = (name.to_owned(), key.to_owned(), value.clone());
                    self.entries.push(entry);
                    self.collect(key, value);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// Changes one place of a pod, and says where and how.
    fn change(&self, pod: &mut Value, random: &mut Random) -> String {
        let mut count = 0;
        each(pod, "", &mut |_, _| count += 1);
        let chosen = random.below(count);
        let mut said = String::new();
        let mut at = 0;
        each(pod, "", &mut |name, value| {
            if at == chosen {
                self.change_value(name, value, random);
                said = format!(
                    "{name} {};",
                    to_json(value).chars().take(60).collect::<String>()
                );
            }
            at += 1;
        });
        said
    }

    fn change_value(&self, name: &str, value: &mut Value, random: &mut Random) {
        match value {
            Value::Null => {}
            Value::Bool(flag) => *flag = !*flag,
            Value::Number(_) => {
                let numbers = NUMBERS.len();
                *value = Value::from(NUMBERS[random.below(numbers)]);
            }
            Value::String(text) => *text = self.text(text, random),
            Value::List(list) => match random.below(5) {
                0 => list.clear(),
                1 if !list.is_empty() => {
                    list.remove(random.below(list.len()));
                }
                2 | 3 if !list.is_empty() => {
                    let one = list[random.below(list.len())].clone();
                    list.push(one);
                }
                _ => list.push(Value::Null),
            },
            Value::Map(map) => match random.below(6) {
                0 => *map = Map::new(),
                1 | 2 if !map.is_empty() => {
                    let at = random.below(map.len());
                    let key = map.iter().nth(at).map(|(key, _)| key.to_owned());
                    map.remove(&key.unwrap());
                }
                3 if !map.is_empty() => {
                    let at = random.below(map.len());
                    let key = map.iter().nth(at).map(|(key, _)| key.to_owned());
                    let new = self.text(key.as_deref().unwrap(), random);
                    let value = map.remove(&key.unwrap()).unwrap();
                    map.set(&new, value);
                }
                _ => {
                    let alike: Vec<_> = self.entries.iter().filter(|one| one.0 == name).collect();
                    if !alike.is_empty() {
                        let (_, key, value) = alike[random.below(alike.len())];
                        map.set(key, value.clone());
                    }
                }
            },
        }
    }

    fn text(&self, text: &str, random: &mut Random) -> String {
        match random.below(8) {
            0..=2 => self.texts[random.below(self.texts.len())].clone(),
            3..=4 => {
                let count = TEXTS.len();
                TEXTS[random.below(count)].to_owned()
            }
            5 => {
                let length = LENGTHS[random.below(LENGTHS.len())];
                let repeated = if text.is_empty() { "a" } else { text };
                repeated.chars().cycle().take(length).collect()
            }
            6 => {
                let count = LETTERS.len();
                let letter = LETTERS[random.below(count)];
                let place = random.below(text.chars().count() + 1);
                let head: String = text.chars().take(place).collect();
                let tail: String = text.chars().skip(place).collect();
                format!("{head}{letter}{tail}")
            }
            _ => text.to_uppercase(),
        }
    }
}

/// Visits all values of a pod but its root, with the names of their fields.
fn each(value: &mut Value, name: &str, visit: &mut impl FnMut(&str, &mut Value)) {
    match value {
        Value::List(list) => {
            for one in list {
                visit(name, one);
                each(one, name, visit);
            }
        }
        Value::Map(map) => {
            let keys: Vec<_> = map.iter().map(|(key, _)| key.to_owned()).collect();
            for key in keys {
                if name.is_empty() && matches!(key.as_str(), "apiVersion" | "kind") {
                    continue;
                }
                let mut inner = map.get(&key).cloned().unwrap();
                visit(&key, &mut inner);
                each(&mut inner, &key, visit);
                map.set(&key, inner);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

const NUMBERS: [i64; 26] = [
    -2_147_483_648,
    -1,
    0,
    1,
    2,
    3,
    20,
    21,
    30,
    31,
    99,
    100,
    101,
    255,
    256,
    511,
    512,
    1023,
    1024,
    3599,
    3600,
    65_535,
    65_536,
    2_147_483_647,
    599,
    600,
];
const TEXTS: [&str; 40] = [
    "",
    "-",
    ".",
    "..",
    "/",
    "a",
    "A",
    "0",
    "1",
    "-1",
    "a.b",
    "a/b",
    "a.b/c",
    "/a",
    "../a",
    "a/../b",
    "..a",
    "a b",
    " a",
    "a ",
    "a_b",
    "a=b",
    "a:b",
    "é",
    "\t",
    "*",
    "null",
    "true",
    "127.0.0.1",
    "::1",
    "1m",
    "1Ki",
    "2",
    "500m",
    "1e3",
    "0.5",
    "-5",
    "localhost/a",
    "unconfined",
    "a--b",
];
const LENGTHS: [usize; 14] = [1, 2, 15, 16, 62, 63, 64, 65, 104, 105, 128, 129, 253, 254];
const LETTERS: [char; 16] = [
    '-', '.', '/', '_', ' ', ':', '=', 'A', 'z', '0', '\\', '\n', 'é', '\'', '[', '@',
];

/// Good pods that together have all fields that there are rules about.
const PODS: &[&str] = &[METADATA, CONTAINERS, VOLUMES, WINDOWS, RESOURCES, NETWORK];

const METADATA: &str = "
metadata:
  name: web
  namespace: kube-system
  generateName: web-
  generation: 3
  labels: {app.example/name: web, tier: '1'}
  annotations:
    note.example/a: any text
    controller.kubernetes.io/pod-deletion-cost: '5'
    scheduler.alpha.kubernetes.io/tolerations: '[{\"key\":\"a\",\"operator\":\"Exists\"}]'
    seccomp.security.alpha.kubernetes.io/pod: localhost/profiles/a
    container.seccomp.security.alpha.kubernetes.io/main: runtime/default
    container.apparmor.security.beta.kubernetes.io/main: localhost/b
  finalizers: [a.example/b, orphan]
  ownerReferences:
  - {apiVersion: apps/v1, kind: ReplicaSet, name: web, uid: u, controller: true, blockOwnerDeletion: true}
  - {apiVersion: v1, kind: Node, name: a, uid: w, controller: false}
  managedFields:
  - {operation: Apply, manager: kubectl, fieldsType: FieldsV1, apiVersion: v1, subresource: status}
spec:
  securityContext:
    seccompProfile: {type: Localhost, localhostProfile: profiles/a}
    appArmorProfile: {type: Localhost, localhostProfile: b}
  nodeSelector: {disk.example/kind: ssd}
  affinity:
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms:
        - matchExpressions:
          - {key: a, operator: In, values: [b, c]}
          - {key: d, operator: Exists}
          - {key: e, operator: Gt, values: ['5']}
          matchFields:
          - {key: metadata.name, operator: NotIn, values: [node-b]}
      preferredDuringSchedulingIgnoredDuringExecution:
      - weight: 100
        preference: {matchExpressions: [{key: a, operator: NotIn, values: [b]}]}
    podAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
      - topologyKey: kubernetes.io/hostname
        namespaces: [default]
        namespaceSelector: {matchLabels: {a: b}}
        labelSelector:
          matchLabels: {app: web}
          matchExpressions: [{key: a, operator: DoesNotExist}]
        matchLabelKeys: [app]
        mismatchLabelKeys: [b]
    podAntiAffinity:
      preferredDuringSchedulingIgnoredDuringExecution:
      - weight: 1
        podAffinityTerm: {topologyKey: zone, labelSelector: {matchExpressions: [{key: a, operator: In, values: [b]}]}}
  tolerations:
  - {key: a.example/b, operator: Equal, value: c, effect: NoSchedule}
  - {key: d, operator: Exists, effect: NoExecute, tolerationSeconds: 30}
  topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: zone
    whenUnsatisfiable: DoNotSchedule
    minDomains: 2
    nodeAffinityPolicy: Honor
    nodeTaintsPolicy: Ignore
    labelSelector: {matchLabels: {app: web}}
    matchLabelKeys: [version]
  - {maxSkew: 2, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway, labelSelector: {}}
  readinessGates: [{conditionType: a.example/ready}]
  priorityClassName: system-node-critical
  runtimeClassName: fast
  preemptionPolicy: PreemptLowerPriority
  schedulingGroup: {podGroupName: group}
  containers: [{name: main, image: web, securityContext: {seccompProfile: {type: RuntimeDefault}}}]
";
const CONTAINERS: &str = "
metadata: {name: web}
spec:
  os: {name: linux}
  restartPolicy: OnFailure
  terminationGracePeriodSeconds: 30
  activeDeadlineSeconds: 600
  shareProcessNamespace: true
  hostPID: false
  volumes: [{name: work, emptyDir: {}}]
  securityContext:
    runAsUser: 1000
    runAsGroup: 1000
    fsGroup: 5
    supplementalGroups: [7, 8]
    fsGroupChangePolicy: OnRootMismatch
    supplementalGroupsPolicy: Merge
    seLinuxChangePolicy: Recursive
    seLinuxOptions: {level: s0}
    sysctls: [{name: net.core.somaxconn, value: '1'}, {name: kernel.shmmax, value: '1'}, {name: net/ipv4/ip_forward, value: '1'}]
  containers:
  - name: main
    image: web:1
    imagePullPolicy: IfNotPresent
    terminationMessagePolicy: File
    restartPolicy: Never
    restartPolicyRules:
    - {action: Restart, exitCodes: {operator: In, values: [1, 2]}}
    ports:
    - {name: http, containerPort: 80, hostPort: 8080, protocol: TCP, hostIP: 127.0.0.1}
    - {name: dns, containerPort: 53, hostPort: 53, protocol: UDP}
    env:
    - {name: A, value: b}
    - {name: C, valueFrom: {fieldRef: {apiVersion: v1, fieldPath: \"metadata.labels['app']\"}}}
    - {name: D, valueFrom: {resourceFieldRef: {resource: limits.cpu, divisor: 1m}}}
    - {name: E, valueFrom: {resourceFieldRef: {resource: requests.hugepages-2Mi, divisor: 1Mi, containerName: main}}}
    - {name: F, valueFrom: {fileKeyRef: {volumeName: work, path: a/b, key: K, optional: true}}}
    - {name: G, valueFrom: {fieldRef: {fieldPath: status.podIP}}}
    livenessProbe:
      httpGet: {path: /, port: http, scheme: HTTP, protocol: HTTP1, httpHeaders: [{name: X-A, value: b}]}
      initialDelaySeconds: 1
      timeoutSeconds: 1
      periodSeconds: 5
      successThreshold: 1
      failureThreshold: 3
      terminationGracePeriodSeconds: 10
    readinessProbe: {tcpSocket: {port: 80}, successThreshold: 2}
    startupProbe: {grpc: {port: 81, mode: Plaintext, service: a}}
    lifecycle:
      postStart: {exec: {command: [a]}}
      preStop: {sleep: {seconds: 5}}
      stopSignal: SIGTERM
    resources: {limits: {cpu: 2, memory: 1Gi}, requests: {cpu: 500m}}
    resizePolicy: [{resourceName: cpu, restartPolicy: NotRequired}, {resourceName: memory, restartPolicy: RestartContainer}]
    securityContext:
      runAsUser: 5
      runAsGroup: 6
      privileged: false
      allowPrivilegeEscalation: false
      readOnlyRootFilesystem: true
      procMount: Default
      capabilities: {add: [NET_ADMIN], drop: [ALL]}
      seccompProfile: {type: Unconfined}
      appArmorProfile: {type: RuntimeDefault}
      seLinuxOptions: {type: a}
  initContainers:
  - name: first
    image: tool
    resizePolicy: [{resourceName: cpu, restartPolicy: NotRequired}]
    ports: [{containerPort: 80, hostPort: 8080}]
  - name: side
    image: side
    restartPolicy: Always
    readinessProbe: {exec: {command: [a]}}
    lifecycle: {preStop: {httpGet: {port: 80}}}
";
const VOLUMES: &str = "
metadata: {name: web}
spec:
  containers:
  - name: main
    image: web
    securityContext: {privileged: true}
    volumeMounts:
    - {name: host, mountPath: /host, subPath: a/b, mountPropagation: Bidirectional}
    - {name: empty, mountPath: /empty, readOnly: true, recursiveReadOnly: IfPossible, mountPropagation: None}
    - {name: image, mountPath: /image, subPathExpr: $(A)}
    - {name: down, mountPath: /down, bindMountOptions: [noexec, nodev]}
  volumes:
  - {name: host, hostPath: {path: /a, type: DirectoryOrCreate}}
  - {name: empty, emptyDir: {medium: Memory, sizeLimit: 1Gi, mode: 511}}
  - {name: image, image: {reference: 'data:1', pullPolicy: IfNotPresent}}
  - name: down
    downwardAPI:
      defaultMode: 420
      defaultUser: 5
      items:
      - {path: name, mode: 420, user: 6, fieldRef: {apiVersion: v1, fieldPath: metadata.name}}
      - {path: cpu/limit, resourceFieldRef: {containerName: main, resource: limits.cpu, divisor: 1}}
  - name: both
    projected:
      defaultMode: 256
      defaultUser: 7
      sources:
      - downwardAPI: {items: [{path: a, fieldRef: {fieldPath: metadata.labels}}]}
      - downwardAPI: {items: [{path: b, fieldRef: {fieldPath: \"metadata.annotations['a']\"}}]}
  - {name: git, gitRepo: {repository: a, directory: b}}
  - {name: gce, gcePersistentDisk: {pdName: a, partition: 1}}
  - {name: aws, awsElasticBlockStore: {volumeID: a, partition: 1}}
  - {name: nfs, nfs: {server: a, path: /b}}
  - {name: iscsi, iscsi: {targetPortal: a, iqn: 'iqn.2001-04.com.example:disk', lun: 1, initiatorName: eui.0123456789abcdef, chapAuthSession: true, secretRef: {name: ''}}}
  - {name: flocker, flocker: {datasetName: a}}
  - {name: rbd, rbd: {monitors: [a], image: b, secretRef: {name: ''}}}
  - {name: cinder, cinder: {volumeID: a}}
  - {name: cephfs, cephfs: {monitors: [a]}}
  - {name: quobyte, quobyte: {registry: 'a:1,b:2', volume: c, tenant: d}}
  - {name: fc, fc: {targetWWNs: [a], lun: 2}}
  - {name: flex, flexVolume: {driver: a, options: {a.example/b: c}}}
  - {name: vsphere, vsphereVolume: {volumePath: a}}
  - {name: photon, photonPersistentDisk: {pdID: a}}
  - {name: portworx, portworxVolume: {volumeID: a}}
  - {name: azure, azureDisk: {diskName: a, diskURI: /subscriptions/b, kind: Managed, cachingMode: ReadOnly}}
  - {name: scale, scaleIO: {gateway: a, system: b, volumeName: c, secretRef: {name: ''}}}
  - {name: storageos, storageos: {volumeName: a, volumeNamespace: b}}
";
const WINDOWS: &str = r"
metadata:
  name: web
  annotations: {container.apparmor.security.beta.kubernetes.io/main: unconfined}
spec:
  os: {name: windows}
  hostNetwork: true
  securityContext:
    runAsNonRoot: true
    windowsOptions: {hostProcess: true, runAsUserName: 'DOMAIN\user', gmsaCredentialSpecName: a.b, gmsaCredentialSpec: c}
  containers:
  - name: main
    image: web
    lifecycle: {stopSignal: SIGKILL}
    ports: [{containerPort: 80, hostPort: 80}]
    securityContext: {windowsOptions: {hostProcess: true, runAsUserName: 'a.example\b'}}
  - {name: other, image: web}
  initContainers:
  - {name: first, image: tool, securityContext: {windowsOptions: {runAsUserName: user}}}
";
const RESOURCES: &str = "
metadata: {name: web}
spec:
  resources:
    limits: {cpu: 4, memory: 4Gi, hugepages-2Mi: 8Mi}
    requests: {cpu: 3, memory: 1Gi}
  overhead: {cpu: 10m, memory: 1Mi}
  containers:
  - name: main
    image: web
    resources:
      limits: {cpu: 1, memory: 1Gi, hugepages-2Mi: 2Mi, a.example/gpu: 2}
      requests: {cpu: 500m, memory: 512Mi}
  - {name: other, image: web, resources: {limits: {cpu: 2}, requests: {cpu: 1}}}
  initContainers:
  - {name: first, image: tool, resources: {limits: {cpu: 2}, requests: {cpu: 2, ephemeral-storage: 1Gi}}}
  - {name: side, image: side, restartPolicy: Always, resources: {requests: {cpu: 500m}, limits: {memory: 128Mi}}}
  - {name: last, image: tool, resources: {requests: {cpu: 2500m}}}
";
const NETWORK: &str = "
metadata: {name: web}
spec:
  hostname: web
  subdomain: example
  hostnameOverride: web.example
  setHostnameAsFQDN: false
  hostUsers: false
  hostNetwork: false
  hostPID: false
  hostIPC: false
  dnsPolicy: None
  dnsConfig:
    nameservers: [1.1.1.1, 'fe80::1']
    searches: [a.example, _b.example., .]
    options: [{name: ndots, value: '5'}, {name: edns0}]
  hostAliases: [{ip: 127.0.0.1, hostnames: [a, b.example]}]
  imagePullSecrets: [{name: ''}]
  containers:
  - name: main
    image: web
    securityContext: {procMount: Unmasked, privileged: false}
    ports: [{containerPort: 80, hostPort: 80}, {containerPort: 81, hostPort: 81}]
";
