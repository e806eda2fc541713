//! The rules of a pod's status, one by one.

use podsapi_core::EncodedPod;

use super::records::{Fields, merged, records};
use super::scenes::{
    NOW, TWO, Told, after, exited, node, one, pod, run, running, sandbox, seen, told,
};
use super::{PodView, deadline, status};
use crate::view::{ContainerState, Sandbox};

#[test]
fn the_phase_follows_from_policy_and_exit_codes() {
    let phase = |policy: &str, codes: [i32; 2]| {
        let pod = TWO.replace("]}", &format!("], restartPolicy: {policy}}}"));
        let runs = [exited("a", 0, codes[0]), exited("b", 0, codes[1])];
        after(&super::scenes::pod(&pod), &runs)
            .status
            .phase()
            .to_owned()
    };
    assert_eq!(phase("Always", [0, 0]), "Running");
    assert_eq!(phase("OnFailure", [0, 0]), "Succeeded");
    assert_eq!(phase("OnFailure", [0, 1]), "Running");
    assert_eq!(phase("Never", [0, 1]), "Failed");
    assert_eq!(phase("Never", [0, 0]), "Succeeded");
}

// `getPhase`: a container that waits counts by how it ended before, and as no success.
#[test]
fn a_container_that_waits_counts_by_its_last_end() {
    let phase = |policy: &str, last: &str| {
        let status = format!(
            "containerStatuses: [{{name: a, state: {{waiting: {{reason: ImagePullBackOff}}}}{last}}}]"
        );
        let pod = one("", &format!(", restartPolicy: {policy}"), &status);
        after(&pod, &[]).status.phase().to_owned()
    };
    let ended = |code| format!(", lastState: {{terminated: {{exitCode: {code}}}}}");
    let all = |last: &str| ["Always", "OnFailure", "Never"].map(|policy| phase(policy, last));
    assert_eq!(all(""), ["Pending"; 3]);
    assert_eq!(all(&ended(0)), ["Running", "Failed", "Failed"]);
    assert_eq!(all(&ended(1)), ["Running", "Running", "Failed"]);
}

#[test]
fn a_terminal_word_of_the_owner_comes_before_ours() {
    let never = |status: &str| one("", ", restartPolicy: Never", status);
    let failed = after(&never(""), &[exited("a", 0, 1)]);
    assert_eq!(failed.status.phase(), "Failed");
    let view = seen(vec![sandbox()], vec![exited("a", 0, 1)]);
    let owner = never("phase: Succeeded, reason: Done");
    let told = told(&owner, Some(&failed.encoded), &view, NOW);
    assert_eq!(told.status.phase(), "Succeeded");
    assert_eq!(told.status.reason(), "Done");
    assert_eq!(told.verdict("Ready"), ("False", "PodCompleted"));
}

#[test]
fn a_terminal_phase_stays_with_its_reason_and_a_running_pod_does_not_go_back() {
    let evicted = one("", "", "phase: Failed, reason: Evicted, message: no memory");
    let told_evicted = after(&evicted, &[running("a")]);
    assert_eq!(told_evicted.status.phase(), "Failed");
    assert_eq!(told_evicted.status.reason(), "Evicted");
    assert_eq!(told_evicted.status.message(), "no memory");
    let pod = one("", "", "phase: Pending, reason: Waits");
    let before = after(&pod, &[running("a")]);
    assert_eq!(before.status.reason(), "");
    let view = seen(vec![sandbox()], vec![run("a", 1, ContainerState::Created)]);
    assert_eq!(
        told(&pod, Some(&before.encoded), &view, NOW).status.phase(),
        "Running"
    );
}

#[test]
fn a_phase_is_not_terminal_while_something_runs() {
    let pod = one(
        "",
        ", restartPolicy: Never, initContainers: [{name: i}, {name: side, restartPolicy: Always}]",
        "",
    );
    let told = after(&pod, &[exited("i", 0, 1), running("side")]);
    assert_eq!(told.status.phase(), "Pending");
    let told = after(&pod, &[exited("i", 0, 1), exited("side", 0, 137)]);
    assert_eq!(told.status.phase(), "Failed");
}

#[test]
fn a_deleted_pod_that_has_stopped_is_terminal_unless_it_is_static() {
    let deleted = |annotations: &str| {
        let pod = pod(&format!(
            "metadata: {{name: p, uid: u, deletionTimestamp: '2026-01-01T00:00:00Z'{annotations}}}\n\
             spec: {{containers: [{{name: a}}]}}"
        ));
        let mut dead = sandbox();
        dead.ready = false;
        let view = seen(vec![dead], vec![exited("a", 0, 0)]);
        told(&pod, None, &view, NOW).status.phase().to_owned()
    };
    assert_eq!(deleted(""), "Succeeded");
    assert_eq!(
        deleted(", annotations: {kubernetes.io/config.source: file}"),
        "Running"
    );
}

#[test]
fn addresses_are_those_of_the_ready_sandbox_and_stay_when_it_is_gone() {
    let pod = one("", "", "");
    let mut both = sandbox();
    both.ips = ["fd00::7", "10.0.0.7", "10.0.0.8"]
        .map(str::to_owned)
        .to_vec();
    let before = told(
        &pod,
        None,
        &seen(vec![both.clone()], vec![running("a")]),
        NOW,
    );
    assert_eq!(before.ips(), ["10.0.0.7", "fd00::7"]);
    assert_eq!(before.status.pod_ip(), "10.0.0.7");
    assert_eq!(before.status.host_ip(), "192.0.2.1");
    for ips in [Vec::new(), vec!["10.0.0.99".to_owned()]] {
        let dead = Sandbox {
            ready: false,
            ips,
            ..both.clone()
        };
        let view = seen(vec![dead], vec![exited("a", 0, 137)]);
        let after = told(&pod, Some(&before.encoded), &view, NOW);
        assert_eq!(after.ips(), ["10.0.0.7", "fd00::7"]);
        assert_eq!(
            after.verdict("PodReadyToStartContainers"),
            ("False", "PodSandboxNotReady")
        );
    }
}

#[test]
fn a_pod_on_the_nodes_network_has_the_nodes_addresses_and_keeps_them() {
    let on_node = Sandbox {
        host_network: true,
        ips: Vec::new(),
        ..sandbox()
    };
    let view = seen(vec![on_node], vec![running("a")]);
    let told_new = told(&one("", ", hostNetwork: true", ""), None, &view, NOW);
    assert_eq!(told_new.ips(), ["192.0.2.1", "2001:db8::1"]);
    assert_eq!(told_new.verdict("PodReadyToStartContainers"), ("True", ""));
    let had = "hostIP: 198.51.100.9, podIP: 198.51.100.8";
    let told_old = told(&one("", ", hostNetwork: true", had), None, &view, NOW);
    assert_eq!(told_old.ips(), ["198.51.100.8"]);
    assert_eq!(told_old.status.host_ip(), "198.51.100.9");
}

#[test]
fn the_newest_ready_sandbox_of_several_counts() {
    let mut dead = sandbox();
    (dead.id, dead.ready) = ("dead".to_owned(), false);
    let mut newer = sandbox();
    (newer.attempt, newer.ips) = (1, vec!["10.0.0.9".to_owned()]);
    let view = seen(vec![dead, newer], vec![running("a")]);
    let told_pod = told(&one("", "", ""), None, &view, NOW);
    assert_eq!(told_pod.ips(), ["10.0.0.9"]);
    assert_eq!(told_pod.verdict("PodReadyToStartContainers"), ("True", ""));
}

// `PodSandboxChanged` and `GetPodStatus`: the newest sandbox decides, ready or not.
#[test]
fn an_older_sandbox_that_is_ready_says_nothing_beside_a_newer_one() {
    let older = sandbox();
    let newer = Sandbox {
        id: "newer".to_owned(),
        attempt: 1,
        ready: false,
        ips: Vec::new(),
        ..sandbox()
    };
    let pod = one("", "", "podIP: 10.0.0.5, podIPs: [{ip: 10.0.0.5}]");
    let of = |sandboxes: &[Sandbox]| {
        let told = told(
            &pod,
            None,
            &seen(sandboxes.to_vec(), vec![running("a")]),
            NOW,
        );
        let ips: Vec<_> = told.ips().iter().map(|ip| (*ip).to_owned()).collect();
        let condition = told.condition("PodReadyToStartContainers").clone();
        (
            ips,
            condition.status().to_owned(),
            condition.message().to_owned(),
        )
    };
    let ips = |ips: &[&str]| ips.iter().map(|ip| (*ip).to_owned()).collect::<Vec<_>>();
    let no = |text: &str| ("False".to_owned(), text.to_owned());
    let (had, condition, message) = of(&[older.clone(), newer.clone()]);
    assert_eq!(
        (had, (condition, message)),
        (ips(&[]), no("pod sandbox is not ready"))
    );
    let both = Sandbox {
        ready: true,
        ips: vec!["10.0.0.9".to_owned()],
        ..newer.clone()
    };
    let (had, condition, message) = of(&[older.clone(), both]);
    let two = no("multiple pod sandboxes are ready and need to be reconciled");
    assert_eq!((had, (condition, message)), (ips(&["10.0.0.9"]), two));
    let dead = Sandbox {
        ready: false,
        ..older
    };
    assert_eq!(of(&[dead, newer]).0, ips(&["10.0.0.5"]), "it had them");
}

// `TerminatePod`
#[test]
fn a_pod_that_is_over_has_ended_whatever_its_containers_waited_for() {
    let deleted = |spec: &str, status: &str| {
        let pod = pod(&format!(
            "metadata: {{name: p, uid: u, deletionTimestamp: '2026-01-01T00:00:00Z'}}\n\
             spec: {{containers: [{{name: a}}]{spec}}}\nstatus: {{{status}}}"
        ));
        let first = told(&pod, None, &PodView::default(), NOW);
        let again = told(&pod, Some(&first.encoded), &PodView::default(), NOW + 1);
        assert_eq!(again.encoded, first.encoded);
        first
    };
    let never_began = deleted("", "phase: Pending");
    assert_eq!(never_began.status.phase(), "Failed");
    assert_eq!(
        never_began.state("a"),
        "terminated 137 ContainerStatusUnknown"
    );
    assert_eq!(never_began.verdict("Ready"), ("False", "PodFailed"));
    let inits = ", initContainers: [{name: i}, {name: j}]";
    let not_initialized = deleted(inits, "phase: Pending");
    assert_eq!(not_initialized.status.phase(), "Failed");
    let states = ["a", "i", "j"].map(|name| not_initialized.state(name));
    let waits = "waiting PodInitializing";
    assert_eq!(
        states,
        [waits, "terminated 137 ContainerStatusUnknown", waits]
    );
}

// `ShouldAllContainersRestart`, `GenerateAllContainersRestartingCondition`
#[test]
fn an_end_can_start_all_containers_again() {
    let rules = "restartPolicy: Never, restartPolicyRules: [{action: RestartAllContainers, \
                 exitCodes: {operator: In, values: [42]}}, {action: Restart, exitCodes: \
                 {operator: NotIn, values: [1]}}]";
    let pod = pod(&format!(
        "metadata: {{name: p, namespace: ns, uid: u}}\nspec: {{restartPolicy: Never, \
         containers: [{{name: a, {rules}}}, {{name: b}}], initContainers: [{{name: i}}]}}"
    ));
    let runs = [exited("i", 0, 0), running("a"), running("b")];
    let first = after(&pod, &runs);
    let restarting = "AllContainersRestarting";
    assert_eq!(first.verdict(restarting), ("False", ""));
    let runs = [exited("i", 0, 0), exited("a", 0, 42), running("b")];
    let view = seen(vec![sandbox()], runs.to_vec());
    let asked = told(&pod, Some(&first.encoded), &view, NOW);
    assert_eq!(
        asked.verdict(restarting),
        ("True", "RestartAllContainersStarted")
    );
    assert_eq!(asked.status.phase(), "Running");
    let removed = seen(vec![sandbox()], vec![exited("a", 0, 42)]);
    let removed = told(&pod, Some(&asked.encoded), &removed, NOW);
    assert_eq!(removed.state("b"), "waiting RestartingAllContainers");
    assert_eq!(
        removed.last_state("b"),
        "terminated 137 RestartingAllContainers"
    );
    assert_eq!(removed.container("b").restart_count(), 1);
    assert_eq!(removed.verdict(restarting).0, "True");
    let empty = seen(vec![sandbox()], Vec::new());
    let cleaned = told(&pod, Some(&removed.encoded), &empty, NOW);
    assert_eq!(cleaned.verdict(restarting), ("False", ""));
    assert_eq!(
        cleaned.verdict("Initialized"),
        ("True", ""),
        "what was initialized stays so"
    );
    assert_eq!(
        after(&super::scenes::pod(TWO), &[]).status.conditions.len(),
        5
    );
}

// `CalculatePodConditionObservedGeneration`: always, where the pod has a generation.
#[test]
fn conditions_name_the_generation_that_they_were_worked_out_from() {
    let pod = pod("metadata: {name: p, uid: u, generation: 7}\nspec: {containers: [{name: a}]}");
    let told = after(&pod, &[running("a")]);
    let mut conditions = told.status.conditions.iter();
    assert!(conditions.all(|condition| condition.observed_generation() == 7));
    let static_pod = after(&one("", "", ""), &[running("a")]);
    assert_eq!(static_pod.condition("Ready").observed_generation, None);
}

#[test]
fn the_start_is_that_of_the_first_sandbox_and_stays() {
    let pod = one("", "", "");
    let started = |told: &Told| told.status.start_time.unwrap().seconds;
    let first = after(&pod, &[running("a")]);
    assert_eq!(started(&first), Some(1_700_000_000));
    let later = told(&pod, Some(&first.encoded), &PodView::default(), NOW);
    assert_eq!(started(&later), Some(1_700_000_000));
    let none = told(&pod, None, &PodView::default(), NOW);
    assert_eq!(started(&none), Some(NOW));
}

#[test]
fn readiness_gates_are_the_owners_conditions() {
    let gate = ", readinessGates: [{conditionType: example.com/gate}]";
    let told = after(&one("", gate, ""), &[running("a")]);
    assert_eq!(told.verdict("Ready"), ("False", "ReadinessGatesNotReady"));
    assert_eq!(told.verdict("ContainersReady"), ("True", ""));
    let open = "conditions: [{type: example.com/gate, status: 'True'}]";
    let told = after(&one("", gate, open), &[running("a")]);
    assert_eq!(told.verdict("Ready"), ("True", ""));
    assert_eq!(told.verdict("example.com/gate"), ("True", ""));
}

#[test]
fn the_time_of_a_condition_changes_only_with_its_status() {
    let owner = "conditions: [{type: Ready, status: 'True', observedGeneration: 4,
      lastTransitionTime: '2020-01-01T00:00:00Z'}]";
    let pod = one("", "", owner);
    let since = |told: &Told| {
        told.condition("Ready")
            .last_transition_time
            .unwrap()
            .seconds
            .unwrap()
    };
    let ready = after(&pod, &[running("a")]);
    assert_eq!(since(&ready), 1_577_836_800);
    let view = seen(vec![sandbox()], vec![exited("a", 0, 1)]);
    let unready = told(&pod, Some(&ready.encoded), &view, NOW + 1);
    assert_eq!(since(&unready), NOW + 1);
    let still = told(&pod, Some(&unready.encoded), &view, NOW + 2);
    assert_eq!(still.encoded, unready.encoded);
}

#[test]
fn what_the_owner_said_beyond_this_release_stays_at_each_level() {
    let pod = one(
        "",
        "",
        "phase: Running, nominatedNodeName: nn, qosClass: Guaranteed,
         conditions: [{type: Ready, status: 'True'}],
         containerStatuses: [{name: a, allocatedResources: {cpu: '1'}}]",
    );
    let unknown = b"\xfa\x07\x03new";
    let grown = |message: &[u8]| [message, unknown].concat();
    let mut status_fields = Fields::default();
    for record in records(&merged(pod.bytes(), 3)) {
        if [2, 8].contains(&record.number) {
            status_fields.add(record.number, &grown(record.payload));
        } else {
            status_fields.add_all(record.whole);
        }
    }
    let mut fields = Fields::keeping(pod.bytes(), &[3]);
    fields.add(3, &grown(&status_fields.finish()));
    let pod = EncodedPod::parse(fields.finish().into()).unwrap();

    let told = after(&pod, &[running("a")]);
    let bytes = told.encoded.bytes();
    assert_eq!(merged(bytes, 127), b"new");
    let grown = |number| {
        let all = records(bytes).filter(move |record| record.number == number);
        all.filter(|record| merged(record.payload, 127) == b"new")
            .count()
    };
    assert_eq!((grown(2), grown(8)), (1, 1));
    assert_eq!(told.status.qos_class(), "Guaranteed");
    assert_eq!(told.status.nominated_node_name(), "nn");
    assert_eq!(told.container("a").allocated_resources.len(), 1);
    assert_eq!(told.container("a").restart_count(), 0);
}

#[test]
fn a_pod_without_spec_or_status_has_a_status() {
    let told = told(&pod("metadata: {uid: u}"), None, &PodView::default(), NOW);
    assert_eq!(told.status.phase(), "Pending");
    assert!(
        status(
            &pod("metadata: {uid: u}"),
            Some(&told.encoded),
            &PodView::default(),
            &node(),
            0
        )
        .is_ok()
    );
}

#[test]
fn a_pod_that_was_active_for_longer_than_it_may_has_failed_at_once() {
    let pod = one("", ", activeDeadlineSeconds: 5", "");
    let begun = 1_700_000_000;
    let view = seen(vec![sandbox()], vec![running("a")]);
    let before = told(&pod, None, &view, begun + 4);
    assert_eq!(before.status.phase(), "Running");
    assert_eq!(deadline(&pod, &before.encoded), Some(begun + 5));
    let failed = told(&pod, Some(&before.encoded), &view, begun + 5);
    let facts = |told: &Told| {
        let status = &told.status;
        [status.phase(), status.reason(), status.message()].map(str::to_owned)
    };
    let words = "Pod was active on the node longer than the specified deadline";
    let expected = ["Failed", "DeadlineExceeded", words].map(str::to_owned);
    assert_eq!(facts(&failed), expected);
    assert_eq!(failed.state("a"), "running");
    assert_eq!(failed.verdict("Ready"), ("False", "PodFailed"));
    assert_eq!(deadline(&pod, &failed.encoded), None);
    // It stays so, and is not started again.
    let dead = Sandbox {
        ready: false,
        ..sandbox()
    };
    let ended = seen(vec![dead], vec![exited("a", 1, 137)]);
    let over = told(&pod, Some(&failed.encoded), &ended, begun + 60);
    assert_eq!(facts(&over), expected);
    assert_eq!(over.state("a"), "terminated 137 Error");
    // Who looks for the first time only then sees the same.
    assert_eq!(facts(&told(&pod, None, &ended, begun + 60)), expected);
}

#[test]
fn a_pod_that_had_ended_before_its_deadline_has_not_exceeded_it() {
    let spec = ", restartPolicy: Never, activeDeadlineSeconds: 60";
    let pod = one("", spec, "");
    let view = seen(vec![sandbox()], vec![exited("a", 0, 0)]);
    let late = told(&pod, None, &view, 1_700_000_100);
    assert_eq!(late.status.phase(), "Succeeded");
    assert_eq!(late.status.reason(), "");
    assert_eq!(deadline(&pod, &late.encoded), None);
}

#[test]
fn the_resources_of_a_pod_are_those_of_its_containers_together() {
    let of = |cpu: &str, more: &str| {
        format!(
            "resources: {{requests: {{cpu: {cpu}, memory: 16Mi}}, limits: {{cpu: {cpu}{more}}}}}"
        )
    };
    let pod = pod(&format!(
        "metadata: {{name: p, namespace: ns, uid: u}}\n\
         spec: {{overhead: {{cpu: 50m}}, \
           initContainers: [{{name: s, restartPolicy: Always, {}}}, {{name: i, {}}}], \
           containers: [{{name: a, {}}}, {{name: b}}]}}",
        of("100m", ""),
        of("2", ""),
        of("300m", ", memory: 1Gi"),
    ));
    let told = after(&pod, &[]);
    let texts = |list: &std::collections::BTreeMap<String, podsapi_proto::resource::Quantity>| {
        let texts = list
            .iter()
            .map(|(name, amount)| format!("{name}={}", amount.string()));
        texts.collect::<Vec<_>>().join(" ")
    };
    let resources = told.status.resources.clone().unwrap();
    assert_eq!(texts(&resources.requests), "cpu=2150m memory=32Mi");
    assert_eq!(texts(&resources.limits), "cpu=2150m memory=1Gi");
    assert_eq!(
        texts(&told.status.allocated_resources),
        "cpu=2150m memory=32Mi"
    );
}

#[test]
fn a_dead_sandbox_without_containers_says_nothing_of_when_a_pod_began() {
    let dead = Sandbox {
        ready: false,
        ..sandbox()
    };
    let pod = one("", ", activeDeadlineSeconds: 5", "");
    let told = told(&pod, None, &seen(vec![dead], Vec::new()), NOW);
    assert_eq!(told.status.phase(), "Pending");
    assert_eq!(told.status.start_time.unwrap().seconds(), NOW);
}
