//! Manifests written by hand, each to show one thing.

use super::Case;
use super::words::list;

/// Returns a text in another encoding, in most cases in none.
pub(super) fn encodings(text: &str, which: usize) -> Vec<u8> {
    let wide = |mark: u16, order: fn(u16) -> [u8; 2]| -> Vec<u8> {
        let units = std::iter::once(mark).chain(text.encode_utf16());
        units.flat_map(order).collect()
    };
    match which {
        0 => wide(0xfeff, u16::to_le_bytes),
        1 => wide(0xfeff, u16::to_be_bytes),
        2 => format!("\u{feff}{text}").into_bytes(),
        _ => text.as_bytes().to_vec(),
    }
}

/// Returns all cases of the list.
pub(super) fn all() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut add = |name: &str, content: Vec<u8>| {
        let number = cases.len();
        cases.push(Case {
            name: format!("{number} {name}"),
            content,
        });
    };
    for text in WRITTEN {
        for which in 0..4 {
            add("written", encodings(text, which));
        }
    }
    for pair in list("whole").chunks(2) {
        add(pair[0], pair[1].as_bytes().to_vec());
    }
    for tail in list("spec") {
        add("in the spec", format!("{BASE}{tail}\n").into_bytes());
    }
    for scalar in list("quantities") {
        for line in ["limits: {cpu: X}", "requests: {memory: 'X'}"] {
            let line = line.replace('X', scalar);
            add(
                "quantity",
                format!("{BASE}    resources: {{{line}}}\n").into_bytes(),
            );
        }
        let json = format!(
            r#"{{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"a"}},"spec":{{"containers":[
            {{"name":"c","image":"i","resources":{{"requests":{{"cpu":"{scalar}"}}}}}}]}}}}"#
        );
        add("quantity in JSON", json.into_bytes());
    }
    for image in list("images") {
        let text = BASE.replace("image: i", &format!("image: {image:?}"));
        add("image", text.into_bytes());
    }
    for time in list("times") {
        let text = format!("{BASE}status: {{startTime: {time:?}}}\n");
        add("time", text.into_bytes());
    }
    cases
}

/// A pod to which lines are added.
pub(super) const BASE: &str = "\
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers:
  - name: c
    image: i
";

/// Files to make variants of.
pub(super) const WRITTEN: &[&str] = &[
    BASE,
    "\
# A web server.
apiVersion: v1
kind: Pod
metadata:
  name: web
  uid: 12345678-1234-1234-1234-123456789012
  labels: &labels
    app: web   # twice below
    version: \"1\"
  annotations:
    note: |
      first line
        second line

      last
    folded: >-
      one
      two

      three
spec:
  hostNetwork: yes
  nodeSelector: *labels
  terminationGracePeriodSeconds: 0x1e
  containers:
  - name: web
    image: registry.example:5000/web:1.2
    command: [\"sh\", '-c', exec web --port=80]
    ports:
    - containerPort: 80
    - {containerPort: 443, hostPort: 8443, protocol: UDP}
    env:
    - name: A
      value: \"multi
        line \\
        text\"
    - name: B
      valueFrom: {fieldRef: {fieldPath: status.podIP}}
    resources:
      limits: {cpu: 500m, memory: 64Mi}
      requests:
        cpu: 0.0001
    livenessProbe:
      httpGet:
        path: /healthz
        port: http
      periodSeconds: 5
  initContainers:
  - <<: {image: i}
    name: init
  tolerations:
  - key: a
    operator: Exists
  volumes:
  - name: data
    hostPath:
      path: /data
  - name: empty
",
    "{\"apiVersion\": \"v1\", \"kind\": \"Pod\",
  \"metadata\": {\"name\": \"web\", \"labels\": {\"a\": \"b\\u00e9\\n\"}},
  \"spec\": {\"containers\": [{\"name\": \"c\", \"image\": \"i\", \"args\": [\"x\", null],
    \"resources\": {\"limits\": {\"cpu\": 1.5, \"memory\": \"1e3Ki\"}}}], \"priority\": 5}}
",
    "--- {apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {containers: [{name: c, image: i}]}}\n",
    "\
apiVersion: v1
kind: Pod
metadata:
    name: \"web\"
spec:
    containers:
        -   name: c
            image: >
                i

            tty: on
            args:
            -
            - - a
            - ? x
              : y
",
];
