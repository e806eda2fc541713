//! Statuses of pods that have several of each: one alone changes, and all others stay.

use super::scenes::{NOW, after, exited, node, one, pod, run, running, sandbox, seen, told};
use super::status;
use crate::view::{Container, ContainerState, NodeFacts, Sandbox};
use podsapi_proto::core_v1::PodStatus;
use prost::Message;

/// The phase of a pod with these init and regular containers once these have run.
fn phase(init: &str, regular: &str, status: &str, runs: &[Container]) -> String {
    let pod = pod(&format!(
        "metadata: {{name: p, namespace: ns, uid: u}}\n\
         spec: {{initContainers: [{init}], containers: [{regular}]}}\n\
         status: {{{status}}}"
    ));
    after(&pod, runs).status.phase().to_owned()
}

const SIDE: &str = "{name: side, image: image, restartPolicy: Always}";
const TWO: &str = "{name: a, image: image}, {name: b, image: image}";

#[test]
fn a_pod_runs_when_one_runs_and_none_waits_for_its_first_start() {
    let phase = |status: &str, runs: &[Container]| phase("", TWO, status, runs);
    assert_eq!(phase("", &[running("a"), running("b")]), "Running");
    assert_eq!(phase("", &[running("a"), exited("b", 0, 1)]), "Running");
    assert_eq!(phase("", &[exited("a", 0, 0), running("b")]), "Running");
    assert_eq!(phase("", &[running("a")]), "Pending", "b has never run");
    assert_eq!(phase("", &[running("b")]), "Pending", "a has never run");
    assert_eq!(phase("", &[exited("a", 0, 1)]), "Pending");
    let created = run("b", 0, ContainerState::Created);
    assert_eq!(phase("", &[running("a"), created]), "Pending");
}

#[test]
fn a_sidecar_counts_as_one_that_runs_or_waits_for_its_first_start() {
    let phase = |status: &str, runs: &[Container]| phase(SIDE, TWO, status, runs);
    let both = [running("a"), running("b")];
    let with = |side: Container| [&both[..], &[side]].concat();
    assert_eq!(phase("", &with(running("side"))), "Running");
    assert_eq!(phase("", &with(exited("side", 0, 1))), "Running");
    let created = run("side", 0, ContainerState::Created);
    assert_eq!(phase("", &with(created)), "Pending");
    assert_eq!(phase("", &both), "Pending", "the sidecar has never run");
    let ended = [exited("a", 0, 0), exited("b", 0, 0), running("side")];
    assert_eq!(phase("", &ended), "Running");
    // Nothing else runs or is started again, so that only the sidecar says so.
    let never = pod(&format!(
        "metadata: {{name: p, namespace: ns, uid: u}}\n\
         spec: {{restartPolicy: Never, initContainers: [{SIDE}], containers: [{TWO}]}}"
    ));
    assert_eq!(after(&never, &ended).status.phase(), "Running");
    let over = [exited("a", 0, 0), exited("b", 0, 0), exited("side", 0, 0)];
    assert_eq!(after(&never, &over).status.phase(), "Succeeded");
    let failed = [exited("a", 0, 0), exited("b", 0, 1), exited("side", 0, 0)];
    assert_eq!(after(&never, &failed).status.phase(), "Failed");
}

#[test]
fn of_several_init_containers_one_that_failed_for_good_is_enough() {
    let init = "{name: i, image: image}, {name: j, image: image}";
    let phase = |policy: &str, runs: &[Container]| {
        let pod = pod(&format!(
            "metadata: {{name: p, namespace: ns, uid: u}}\n\
             spec: {{restartPolicy: {policy}, initContainers: [{init}], containers: [{TWO}]}}"
        ));
        after(&pod, runs).status.phase().to_owned()
    };
    let failed = [exited("i", 0, 0), exited("j", 0, 1)];
    assert_eq!(phase("Never", &failed), "Failed");
    assert_eq!(phase("OnFailure", &failed), "Pending");
    assert_eq!(phase("Always", &failed), "Pending");
    let done = [exited("i", 0, 0), exited("j", 0, 0)];
    assert_eq!(phase("Never", &done), "Pending");
    let begun = [&done[..], &[running("a"), running("b")]].concat();
    assert_eq!(phase("Never", &begun), "Running");
}

#[test]
fn statuses_of_regular_and_ephemeral_containers_come_by_name_and_of_init_ones_as_they_start() {
    let several = pod(
        "
metadata: {name: p, namespace: ns, uid: u}
spec:
  initContainers: [{name: j, image: image}, {name: i, image: image}, {name: k, image: image}]
  containers: [{name: c, image: image}, {name: a, image: image}, {name: b, image: image}]
  ephemeralContainers: [{name: f, image: image}, {name: d, image: image}, {name: e, image: image}]",
    );
    let names = ["j", "i", "k", "c", "a", "b", "f", "d", "e"];
    let runs: Vec<_> = names.into_iter().map(running).collect();
    let status = after(&several, &runs).status;
    let names = [
        &status.container_statuses,
        &status.ephemeral_container_statuses,
        &status.init_container_statuses,
    ];
    let names = names.map(|list| list.iter().map(|one| one.name()).collect::<Vec<_>>());
    assert_eq!(names, [["a", "b", "c"], ["d", "e", "f"], ["j", "i", "k"]]);
}

#[test]
fn what_the_owner_says_beside_the_phase_stays_and_its_reason_goes_with_the_phase() {
    let said = "reason: r, message: m, nominatedNodeName: node-b, observedGeneration: 7";
    for (phase, reason, message) in [("Pending", "", ""), ("Running", "r", "m")] {
        let pod = one("", "", &format!("phase: {phase}, {said}"));
        let status = after(&pod, &[running("a")]).status;
        assert_eq!(status.phase(), "Running");
        assert_eq!((status.reason(), status.message()), (reason, message));
        assert_eq!(status.nominated_node_name(), "node-b");
        assert_eq!(status.observed_generation(), 7);
    }
}

fn host_ips(owner: &str, host_ips: &[&str]) -> (String, Vec<String>) {
    let node = NodeFacts {
        host_ips: host_ips.iter().map(|&ip| ip.to_owned()).collect(),
        ..node()
    };
    let view = seen(vec![sandbox()], vec![running("a")]);
    let status = status(&one("", "", owner), None, &view, &node, NOW).unwrap();
    let status = PodStatus::decode(status.bytes().clone()).unwrap();
    let all = status.host_i_ps.iter().map(|host| host.ip().to_owned());
    (status.host_ip().to_owned(), all.collect())
}

#[test]
fn the_nodes_addresses_are_the_owners_word_and_else_the_first_two_that_are_known() {
    let own = ["192.0.2.1", "2001:db8::1", "192.0.2.3"];
    let of = |ips: &[&str]| {
        let all: Vec<_> = ips.iter().map(|&ip| ip.to_owned()).collect();
        (all.first().cloned().unwrap_or_default(), all)
    };
    assert_eq!(host_ips("", &own), of(&own[..2]));
    assert_eq!(host_ips("", &own[..1]), of(&own[..1]));
    assert_eq!(host_ips("", &[]), of(&[]));
    assert_eq!(
        host_ips("hostIP: 198.51.100.9", &own),
        of(&["198.51.100.9"])
    );
    let said = "hostIPs: [{ip: 198.51.100.9}, {ip: ''}, {ip: '2001:db8::9'}]";
    let expected = of(&["198.51.100.9", "2001:db8::9"]);
    assert_eq!(host_ips(said, &own), expected);
    let both = format!("hostIP: 198.51.100.8, {said}");
    assert_eq!(host_ips(&both, &own), expected);
    assert_eq!(
        host_ips("hostIP: 198.51.100.9, hostIPs: [{ip: ''}]", &own),
        of(&["198.51.100.9"])
    );
}

#[test]
fn a_pod_on_the_nodes_network_gains_only_an_address_of_the_other_family() {
    let on_node = Sandbox {
        host_network: true,
        ips: Vec::new(),
        ..sandbox()
    };
    let view = seen(vec![on_node], vec![running("a")]);
    let ips = |owner: &str| {
        let pod = one("", ", hostNetwork: true", owner);
        let told = told(&pod, None, &view, NOW);
        told.ips()
            .into_iter()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let two = "hostIPs: [{ip: 192.0.2.1}, {ip: '2001:db8::1'}]";
    let turned = "hostIPs: [{ip: '2001:db8::1'}, {ip: 192.0.2.1}]";
    for (owner, expected) in [
        (
            format!("podIP: 192.0.2.7, {two}"),
            &["192.0.2.7", "2001:db8::1"][..],
        ),
        (format!("podIP: 'fd00::7', {two}"), &["fd00::7"]),
        (
            format!("podIP: 'fd00::7', {turned}"),
            &["fd00::7", "192.0.2.1"],
        ),
        (format!("podIP: 192.0.2.7, {turned}"), &["192.0.2.7"]),
        (
            "podIP: 192.0.2.7, hostIP: '2001:db8::1'".to_owned(),
            &["192.0.2.7"],
        ),
        (
            format!("podIPs: [{{ip: 192.0.2.7}}, {{ip: 192.0.2.8}}], {two}"),
            &["192.0.2.7", "192.0.2.8"],
        ),
        (
            format!("podIPs: [{{ip: ''}}, {{ip: 192.0.2.7}}], {two}"),
            &["192.0.2.7", "2001:db8::1"],
        ),
        (turned.to_owned(), &["2001:db8::1", "192.0.2.1"]),
    ] {
        assert_eq!(ips(&owner), expected, "{owner}");
    }
}

#[test]
fn the_family_of_the_nodes_first_address_comes_first() {
    let mut both = sandbox();
    both.ips = ["10.0.0.7", "10.0.0.8", "fd00::7", "fd00::8"]
        .map(str::to_owned)
        .to_vec();
    let ips = |owner: &str| {
        let view = seen(vec![both.clone()], vec![running("a")]);
        let told = told(&one("", "", owner), None, &view, NOW);
        told.ips()
            .into_iter()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(ips("hostIP: 192.0.2.1"), ["10.0.0.7", "fd00::7"]);
    assert_eq!(ips("hostIP: '2001:db8::1'"), ["fd00::7", "10.0.0.7"]);
}
