//! Tables of whole pods beside tables of pods of which only the asked fields came.

use podsapi_client::MirroredPod;
use podsapi_proto::json::{encode, parse_yaml};
use podsapi_proto::schema::Message as Schema;
use podsapi_sources::simulated::{Change, Node};

use super::*;
use crate::columns::Columns;
use crate::output::{Extent, Layout};

/// 2026-01-01T01:00:00Z, an hour after the times in the pods below.
const NOW: i64 = 1_767_229_200;

/// Pods in which each field that a table reads makes a difference to it.
const TELLING: &[&str] = &[
    "{phase: Pending, podIP: 10.0.0.9, podIPs: [{ip: 10.0.0.1}]}",
    "{phase: Failed, reason: Evicted, podIP: 10.0.0.9}",
    "{startTime: '2026-01-01T00:30:00Z'}",
    "{phase: Pending, conditions: [{type: PodScheduled, status: 'False', reason: SchedulingGated}]}",
    "{containerStatuses: [{ready: true, state: {running: {startedAt: '2026-01-01T00:00:00Z'}}}]}",
    "{containerStatuses: [{restartCount: 4, state: {waiting: {reason: CrashLoopBackOff}},
       lastState: {terminated: {exitCode: 1, finishedAt: '2026-01-01T00:55:00Z'}}}]}",
    "{containerStatuses: [{state: {terminated: {exitCode: 3}}}]}",
    "{containerStatuses: [{state: {terminated: {exitCode: 137, signal: 9}}}]}",
    "{containerStatuses: [{state: {terminated: {exitCode: 1, reason: Error}}}]}",
    "{initContainerStatuses: [{name: i, state: {terminated: {exitCode: 7}}}]}",
    "{initContainerStatuses: [{name: i, state: {terminated: {exitCode: 1, signal: 6}}}]}",
    "{initContainerStatuses: [{name: i, state: {terminated: {exitCode: 1, reason: OOMKilled}}}]}",
    "{initContainerStatuses: [{name: i, restartCount: 3, state: {waiting: {reason: Crash}},
       lastState: {terminated: {exitCode: 1, finishedAt: '2026-01-01T00:55:00Z'}}}]}",
    "{initContainerStatuses: [{name: s, started: true, ready: true, state: {running: {}}}]}",
    "{conditions: [{type: Initialized, status: 'True'}],
      initContainerStatuses: [{name: i, state: {running: {}}}],
      containerStatuses: [{name: c, restartCount: 4, state: {running: {}}}]}",
];

fn pod(metadata: &str, status: &str) -> Vec<u8> {
    let yaml = format!(
        "metadata: {{uid: u, name: p, namespace: shop{metadata}}}\n\
         spec: {{containers: [{{name: c}}], nodeName: node-1,\n\
         \x20 initContainers: [{{name: i}}, {{name: s, restartPolicy: Always}}]}}\n\
         status: {status}"
    );
    let value = parse_yaml(yaml.as_bytes()).unwrap().remove(0);
    let encoded = encode(Schema::POD, &value).unwrap();
    assert_eq!(encoded.unknown, Vec::<String>::new());
    encoded.bytes
}

fn telling_pods() -> Vec<Vec<u8>> {
    let created = ", creationTimestamp: '2026-01-01T00:00:00Z'";
    let seen = ", annotations: {kubernetes.io/config.seen: '2026-01-01T00:20:00Z'}";
    let deleting = ", deletionTimestamp: '2026-01-01T00:00:00Z'";
    let aged = [created, seen, deleting].map(|metadata| pod(metadata, "{phase: Running}"));
    let of_status = TELLING.iter().map(|status| pod("", status));
    of_status.chain(aged).collect()
}

fn row(bytes: &[u8]) -> Vec<String> {
    let layout = Layout {
        extent: Extent::Part,
        namespaces: true,
        wide: true,
    };
    let pod = MirroredPod::parse(bytes).unwrap();
    layout.row(&pod, Columns::read(&pod, NOW))
}

fn part(fields: &Fields, bytes: &[u8]) -> Vec<u8> {
    let mut part = Vec::new();
    let projection = fields.projection().unwrap();
    projection.project(bytes, &mut part).unwrap();
    part
}

#[test]
fn our_own_masks_compile() {
    for mask in [own_mask(&[TABLE]), own_mask(&[TABLE, WIDE]), rank()] {
        assert_ne!(mask, Fields::all());
    }
}

#[test]
fn a_table_of_the_asked_fields_is_the_table_of_whole_pods() {
    let wide = own_mask(&[TABLE, WIDE]);
    let mut node = Node::new(7, 40, "node-1", NOW - 7_200);
    let mut pods = telling_pods();
    pods.extend(node.pods().map(|pod| pod.unwrap().bytes().to_vec()));
    for second in 0..500 {
        if let Some(Ok(Change::Put(pod))) = node.next_change(NOW - 7_200 + second) {
            pods.push(pod.bytes().to_vec());
        }
    }
    let (mut whole, mut asked) = (0, 0);
    for pod in pods {
        let part = part(&wide, &pod);
        assert_eq!(row(&part), row(&pod));
        whole += pod.len();
        asked += part.len();
    }
    assert!(asked * 4 < whole, "{asked} of {whole} bytes");
}

#[test]
fn a_table_asks_for_nothing_that_it_does_not_print() {
    let pods = telling_pods();
    let all = [TABLE, WIDE].concat();
    for left_out in &all {
        let others = all.iter().filter(|path| path != &left_out);
        let fields = Fields::parse_lines(others.copied()).unwrap();
        let differs = |pod: &Vec<u8>| row(&part(&fields, pod)) != row(pod);
        assert!(pods.iter().any(differs), "no table needs {left_out}");
    }
}
