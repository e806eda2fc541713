//! Pods as JSON, and what their columns say.

use podsapi_proto::json::{encode, parse_yaml};
use podsapi_proto::schema::Message as Schema;

use super::*;

/// 2026-01-01T01:00:00Z, an hour after the times in the pods below.
const NOW: i64 = 1_767_229_200;

fn columns(yaml: &str) -> Columns {
    let text = format!("metadata: {{uid: u, name: pod-1}}\n{yaml}");
    let value = parse_yaml(text.as_bytes()).unwrap().remove(0);
    let encoded = encode(Schema::POD, &value).unwrap();
    assert_eq!(encoded.unknown, Vec::<String>::new());
    Columns::read(&MirroredPod::parse(&encoded.bytes).unwrap(), NOW)
}

/// A pod with two containers in these states, and what READY, STATUS and RESTARTS say.
fn with_containers(states: [&str; 2]) -> String {
    let [first, second] = states;
    let columns = columns(&format!(
        "spec: {{containers: [{{name: a}}, {{name: b}}]}}\n\
         status: {{phase: Running, containerStatuses: [{{name: a, {first}}}, {{name: b, {second}}}]}}"
    ));
    format!("{} {} {}", columns.ready, columns.status, columns.restarts)
}

const RUNS: &str = "ready: true, state: {running: {}}";
const UNREADY: &str = "ready: false, state: {running: {}}";
const DONE: &str = "state: {terminated: {exitCode: 0, reason: Completed}}";

#[test]
fn containers_that_run_are_counted() {
    assert_eq!(with_containers([RUNS, RUNS]), "2/2 Running 0");
    assert_eq!(with_containers([RUNS, UNREADY]), "1/2 Running 0");
}

#[test]
fn a_container_that_waits_or_ended_names_the_status() {
    let crash = "restartCount: 4, state: {waiting: {reason: CrashLoopBackOff}}, \
                 lastState: {terminated: {exitCode: 1, finishedAt: '2026-01-01T00:55:00Z'}}";
    assert_eq!(
        with_containers([RUNS, crash]),
        "1/2 CrashLoopBackOff 4 (5m ago)"
    );
    assert_eq!(
        with_containers([RUNS, "state: {terminated: {exitCode: 3}}"]),
        "1/2 ExitCode:3 0"
    );
    let killed = "state: {terminated: {exitCode: 137, signal: 9}}";
    assert_eq!(with_containers([RUNS, killed]), "1/2 Signal:9 0");
    let image = "state: {waiting: {reason: ImagePullBackOff}}";
    assert_eq!(
        with_containers([image, "state: {waiting: {reason: Other}}"]),
        "0/2 ImagePullBackOff 0"
    );
}

#[test]
fn a_pod_of_which_part_completed_is_not_completed() {
    assert_eq!(with_containers([DONE, DONE]), "0/2 Completed 0");
    assert_eq!(with_containers([DONE, RUNS]), "1/2 NotReady 0");
    let failed = "state: {terminated: {exitCode: 2, reason: Error}}";
    assert_eq!(with_containers([DONE, failed]), "0/2 Error 0");
    let ready = columns(&format!(
        "status: {{containerStatuses: [{{name: a, {DONE}}}, {{name: b, {RUNS}}}],
                   conditions: [{{type: Ready, status: 'True'}}]}}"
    ));
    assert_eq!(ready.status, "Running");
}

#[test]
fn restarts_without_a_known_end_show_no_time() {
    assert_eq!(with_containers([RUNS, "restartCount: 2"]), "1/2 Running 2");
}

/// Two init containers, the second of which is a sidecar, and one container.
fn initializing(first: &str, sidecar: &str) -> String {
    let columns = columns(&format!(
        "spec: {{initContainers: [{{name: i}}, {{name: s, restartPolicy: Always}}],
                 containers: [{{name: c}}]}}\nstatus: {{phase: Pending,
                   initContainerStatuses: [{{name: i, {first}}}, {{name: s, {sidecar}}}],
                   containerStatuses: [{{name: c, restartCount: 9,
                                         state: {{waiting: {{reason: PodInitializing}}}}}}]}}"
    ));
    format!("{} {} {}", columns.ready, columns.status, columns.restarts)
}

#[test]
fn init_containers_name_the_status_until_they_have_ended() {
    let waits = "state: {waiting: {reason: PodInitializing}}";
    assert_eq!(
        initializing("state: {running: {}}", waits),
        "0/2 Init:0/2 0"
    );
    assert_eq!(initializing(DONE, waits), "0/2 Init:1/2 0");
    let broken = "restartCount: 1, state: {terminated: {exitCode: 7}}";
    assert_eq!(initializing(broken, waits), "0/2 Init:ExitCode:7 1");
    let signalled = "state: {terminated: {exitCode: 1, signal: 6}}";
    assert_eq!(initializing(signalled, waits), "0/2 Init:Signal:6 0");
    let named = "state: {terminated: {exitCode: 1, reason: OOMKilled}}";
    assert_eq!(initializing(named, waits), "0/2 Init:OOMKilled 0");
    let crash = "restartCount: 3, state: {waiting: {reason: CrashLoopBackOff}}";
    assert_eq!(initializing(crash, waits), "0/2 Init:CrashLoopBackOff 3");
}

#[test]
fn a_sidecar_counts_as_a_container_once_it_has_started() {
    let started = "started: true, ready: true, restartCount: 2, state: {running: {}}";
    let done = format!("restartCount: 5, {DONE}");
    // The init container's restarts are over and do not count any more.
    assert_eq!(initializing(&done, started), "1/2 PodInitializing 11");
}

#[test]
fn restarts_of_sidecars_behind_a_container_at_work_do_not_count() {
    let shown = columns(
        "spec: {initContainers: [{name: i}, {name: s, restartPolicy: Always}], containers: [{name: c}]}
status: {conditions: [{type: Initialized, status: 'True'}],
         initContainerStatuses: [{name: i, restartCount: 1, state: {running: {}}},
                                 {name: s, restartCount: 2, started: true, state: {running: {}}}],
         containerStatuses: [{name: c, restartCount: 4, state: {running: {}}}]}",
    );
    assert_eq!(
        (shown.status.as_str(), shown.restarts.as_str()),
        ("Init:0/2", "4")
    );
}

#[test]
fn a_pod_without_status_shows_its_containers() {
    let shown = columns("spec: {containers: [{name: a}]}");
    assert_eq!((shown.ready.as_str(), shown.status.as_str()), ("0/1", ""));
    assert_eq!(
        (shown.age.as_str(), shown.ip.as_str()),
        ("<unknown>", "<none>")
    );
}

#[test]
fn the_pod_itself_may_name_the_status() {
    let status = |yaml: &str| columns(yaml).status;
    assert_eq!(status("status: {phase: Pending}"), "Pending");
    assert_eq!(
        status("status: {phase: Failed, reason: Evicted}"),
        "Evicted"
    );
    let gated = "{type: PodScheduled, status: 'False', reason: SchedulingGated}";
    assert_eq!(
        status(&format!(
            "status: {{phase: Pending, conditions: [{gated}]}}"
        )),
        "SchedulingGated"
    );
}

/// What STATUS says of a pod with this status while it is being deleted.
fn deleting(status: &str) -> String {
    let text = format!(
        "metadata: {{uid: u, deletionTimestamp: '2026-01-01T00:00:00Z'}}\nstatus: {status}"
    );
    let value = parse_yaml(text.as_bytes()).unwrap().remove(0);
    let bytes = encode(Schema::POD, &value).unwrap().bytes;
    Columns::read(&MirroredPod::parse(&bytes).unwrap(), NOW).status
}

#[test]
fn a_pod_that_is_being_deleted_terminates_unless_it_ended() {
    assert_eq!(deleting("{phase: Running}"), "Terminating");
    assert_eq!(deleting("{phase: Succeeded}"), "Succeeded");
    assert_eq!(deleting("{phase: Running, reason: NodeLost}"), "Unknown");
}

#[test]
fn the_first_address_is_shown() {
    let shown = columns("status: {podIP: 10.0.0.9, podIPs: [{ip: 10.0.0.1}, {ip: 'fd00::1'}]}");
    assert_eq!(shown.ip, "10.0.0.1");
    assert_eq!(columns("status: {podIP: 10.0.0.9}").ip, "10.0.0.9");
}

#[test]
fn age_falls_back_to_what_the_kubelet_saw_and_when_it_started() {
    let age = |metadata: &str| {
        let text = format!(
            "metadata: {{uid: u{metadata}}}\nstatus: {{startTime: '2026-01-01T00:30:00Z'}}"
        );
        let value = parse_yaml(text.as_bytes()).unwrap().remove(0);
        let bytes = encode(Schema::POD, &value).unwrap().bytes;
        Columns::read(&MirroredPod::parse(&bytes).unwrap(), NOW).age
    };
    assert_eq!(age(", creationTimestamp: '2026-01-01T00:00:00Z'"), "60m");
    let seen = "annotations: {kubernetes.io/config.seen: '2026-01-01T00:20:00.25Z'}";
    assert_eq!(age(&format!(", {seen}")), "40m");
    assert_eq!(age(""), "30m");
}
