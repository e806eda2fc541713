//! What is told of a run beside its state: why it waits, what it may use, as whom it runs.

use super::scenes::{Told, after, exited, one, pod, running};
use crate::view::{Container, ContainerState, Resources, User};

#[test]
fn a_container_waits_from_its_second_end_on_if_it_is_started_again() {
    let of = |spec: &str, runs: &[Container]| after(&one("", spec, ""), runs);
    let (first, second) = (exited("a", 0, 2), exited("a", 1, 3));
    let told = of("", std::slice::from_ref(&first));
    assert_eq!(told.state("a"), "terminated 2 Error");
    let runs = [first.clone(), second];
    let told = of("", &runs);
    let waits = told.container("a").state.clone().unwrap().waiting.unwrap();
    assert_eq!(waits.reason(), "CrashLoopBackOff");
    assert_eq!(
        waits.message(),
        "back-off 10s restarting failed container=a pod=p_ns(u)"
    );
    assert_eq!(told.last_state("a"), "terminated 3 Error");
    assert_eq!(told.status.phase(), "Running");
    assert_eq!(told.container("a").restart_count(), 1);
    assert_eq!(
        of(", restartPolicy: OnFailure", &runs).state("a"),
        "waiting CrashLoopBackOff"
    );
    assert_eq!(
        of(", restartPolicy: Never", &runs).state("a"),
        "terminated 3 Error"
    );
    let done = [first, exited("a", 1, 0)];
    assert_eq!(
        of(", restartPolicy: OnFailure", &done).state("a"),
        "terminated 0 Completed"
    );
    let deleted = pod(
        "metadata: {name: p, namespace: ns, uid: u, deletionTimestamp: '2026-01-01T00:00:00Z'}\n\
         spec: {containers: [{name: a, image: image}]}",
    );
    assert_eq!(after(&deleted, &runs).state("a"), "terminated 3 Error");
}

#[test]
fn a_run_that_never_started_did_so_in_1970() {
    let mut run = exited("a", 0, 128);
    (run.started_at, run.reason) = (0, "StartError".to_owned());
    let told = after(&one("", "", ""), &[run]);
    let ended = told
        .container("a")
        .state
        .clone()
        .unwrap()
        .terminated
        .unwrap();
    assert_eq!(ended.started_at.unwrap().seconds, Some(0));
    assert_eq!(ended.finished_at.unwrap().seconds, Some(1_700_000_006));
}

#[test]
fn resources_volumes_and_user_are_told_of_each_run() {
    let spec = ", resources: {requests: {cpu: 100m, memory: 16Mi}, limits: {cpu: 200m, memory: \
                32Mi}}, volumeMounts: [{name: v, mountPath: /v, readOnly: true}, {name: w, \
                mountPath: /w}, {name: x, mountPath: /x, readOnly: true, recursiveReadOnly: IfPossible}]";
    let pod = one(spec, "", "");
    let texts = |list: &std::collections::BTreeMap<String, podsapi_proto::resource::Quantity>| {
        let texts = list
            .iter()
            .map(|(name, amount)| format!("{name}={}", amount.string()));
        texts.collect::<Vec<_>>().join(" ")
    };
    let wanted = ("cpu=100m memory=16Mi", "cpu=200m memory=32Mi");
    let facts = |told: &Told| {
        let resources = told.container("a").resources.clone().unwrap();
        (texts(&resources.requests), texts(&resources.limits))
    };
    let own = |(requests, limits): (&str, &str)| (requests.to_owned(), limits.to_owned());

    let told = after(&pod, &[]);
    let waits = told.container("a");
    assert_eq!((&waits.resources, &waits.user), (&None, &None));
    let mounts = waits.volume_mounts.iter();
    let mounts: Vec<_> = mounts
        .map(|it| (it.mount_path(), it.read_only(), it.recursive_read_only()))
        .collect();
    assert_eq!(
        mounts,
        [
            ("/v", true, "Disabled"),
            ("/w", false, ""),
            ("/x", true, "")
        ]
    );

    let mut run = running("a");
    run.user = Some(User {
        uid: 1_000,
        gid: 2_000,
        supplemental_groups: vec![2_000, 3_000],
    });
    let told = after(&pod, std::slice::from_ref(&run));
    assert_eq!(facts(&told), own(wanted));
    assert_eq!(texts(&told.container("a").allocated_resources), wanted.0);
    let user = told.container("a").user.clone().unwrap().linux.unwrap();
    assert_eq!((user.uid(), user.gid()), (1_000, 2_000));
    assert_eq!(user.supplemental_groups, [2_000, 3_000]);

    run.resources = Some(Resources {
        cpu_request: Some(500),
        cpu_limit: Some(1_000),
        memory_limit: Some(64 << 20),
    });
    let told = after(&pod, std::slice::from_ref(&run));
    assert_eq!(
        facts(&told),
        own(("cpu=500m memory=16Mi", "cpu=1 memory=64Mi"))
    );
    assert_eq!(texts(&told.container("a").allocated_resources), wanted.0);
    // One that has ended has no use for them.
    run.state = ContainerState::Exited;
    let told = after(&pod, &[run]);
    assert_eq!(facts(&told), own(wanted));

    let resized = one(
        spec,
        "",
        "phase: Running, containerStatuses: [{name: a, containerID: 'containerd://a0', resources: \
         {requests: {cpu: '7'}}, volumeMounts: [{name: v, mountPath: /v, readOnly: true, \
         recursiveReadOnly: Enabled}]}]",
    );
    let told = after(&resized, &[running("a")]);
    assert_eq!(
        facts(&told),
        own(("cpu=7", "")),
        "the owner's word of this run"
    );
    assert_eq!(told.container("a").volume_mounts.len(), 1);
    assert!(told.container("a").allocated_resources.is_empty());
}
