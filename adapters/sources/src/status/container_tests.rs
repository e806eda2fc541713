//! The rules of the containers' statuses, one by one.

use podsapi_proto::core_v1::ContainerStatus;

use super::PodView;
use super::scenes::{NOW, TWO, Told, after, exited, one, pod, run, running, sandbox, seen, told};
use crate::view::{Container, ContainerState};

// `SortedContainerStatuses`, and `SortStatusesOfInitContainers` in `normalizeStatus`.
#[test]
fn statuses_are_sorted_by_name_but_those_of_init_containers_and_for_no_other_container() {
    let names = |list: &[ContainerStatus]| {
        let names = list.iter().map(|one| one.name().to_owned());
        names.collect::<Vec<_>>()
    };
    let lists = pod("
metadata: {name: p, namespace: ns, uid: u}
spec:
  containers: [{name: b}, {name: a}, {name: B}]
  initContainers: [{name: z}, {name: side, restartPolicy: Always}, {name: i}]
  ephemeralContainers: [{name: x}, {name: d}]");
    let told = after(&lists, &[running("b"), running("d"), running("side")]);
    assert_eq!(names(&told.status.container_statuses), ["B", "a", "b"]);
    assert_eq!(
        names(&told.status.init_container_statuses),
        ["z", "side", "i"]
    );
    assert_eq!(names(&told.status.ephemeral_container_statuses), ["d", "x"]);

    let told = after(
        &pod(TWO),
        &[running("a"), running("stranger"), running("b")],
    );
    assert_eq!(names(&told.status.container_statuses), ["a", "b"]);
    assert_eq!(told.status.phase(), "Running");
    assert_eq!(told.container("a").container_id(), "containerd://a0");
    assert_eq!(told.container("a").image_id(), "sha256:1");
    assert!(told.container("a").started() && told.container("a").ready());
    assert_eq!(told.verdict("Ready"), ("True", ""));
}

#[test]
fn the_newest_run_is_the_state_and_the_one_before_it_the_last_state() {
    let runs = [exited("a", 0, 9), running_again("a", 2), exited("a", 1, 3)];
    let told = after(&one("", "", ""), &runs);
    assert_eq!(told.state("a"), "running");
    assert_eq!(told.last_state("a"), "terminated 3 Error");
    assert_eq!(told.container("a").restart_count(), 2);
}

fn running_again(name: &str, restarts: u32) -> Container {
    run(name, restarts, ContainerState::Running)
}

#[test]
fn a_run_that_is_only_created_waits() {
    let told = after(&one("", "", ""), &[run("a", 0, ContainerState::Created)]);
    assert_eq!(told.state("a"), "waiting ");
    assert_eq!(told.status.phase(), "Pending");
}

#[test]
fn an_end_before_its_start_is_moved_to_the_start() {
    let mut ended = exited("a", 0, 1);
    ended.finished_at = ended.started_at - 7_000_000_000;
    let told = after(&one("", ", restartPolicy: Never", ""), &[ended.clone()]);
    let state = told
        .container("a")
        .state
        .clone()
        .unwrap()
        .terminated
        .unwrap();
    assert_eq!(state.finished_at, state.started_at);
    assert_eq!(
        state.started_at.unwrap().seconds,
        Some(ended.started_at / 1_000_000_000)
    );
}

#[test]
fn a_run_that_a_runtime_forgot_the_end_of_keeps_the_end_that_was_seen() {
    let pod = one("", ", restartPolicy: Never", "");
    let before = after(&pod, &[exited("a", 0, 0)]);
    let mut forgotten = exited("a", 0, 255);
    forgotten.reason = "Unknown".to_owned();
    let view = seen(vec![sandbox()], vec![forgotten.clone()]);
    let told_again = told(&pod, Some(&before.encoded), &view, NOW);
    assert_eq!(told_again.state("a"), "terminated 0 Completed");
    assert_eq!(told_again.status.phase(), "Succeeded");
    assert_eq!(
        after(&pod, &[forgotten]).state("a"),
        "terminated 255 Unknown"
    );
}

#[test]
fn last_words_follow_the_message_of_the_runtime_and_have_a_bound() {
    let mut ended = exited("a", 0, 1);
    ended.message = "oh".to_owned();
    ended.termination_message = Some("é".repeat(10_000));
    let told = after(&pod(TWO), &[ended]);
    let message = told
        .container("a")
        .state
        .clone()
        .unwrap()
        .terminated
        .unwrap();
    assert!(
        message.message().starts_with("oh: é"),
        "{}",
        message.message()
    );
    assert_eq!(message.message().len(), 6 * 1024);
}

const CRASHED: &str =
    "containerStatuses: [{name: a, containerID: 'containerd://a1', restartCount: 1,
  state: {waiting: {reason: CrashLoopBackOff, message: back-off}}, lastState: {}}]";

#[test]
fn crash_loops_are_the_owners_word_of_exactly_this_run() {
    let pod = one("", "", CRASHED);
    let told = after(&pod, &[exited("a", 0, 2), exited("a", 1, 3)]);
    assert_eq!(told.state("a"), "waiting CrashLoopBackOff");
    assert_eq!(told.last_state("a"), "terminated 3 Error");
    assert_eq!(told.status.phase(), "Running");
    let words = |told: &Told| {
        let state = told.container("a").state.clone().unwrap();
        state.waiting.unwrap().message().to_owned()
    };
    assert_eq!(words(&told), "back-off");
    // Of the next run the owner has not spoken yet.
    let told = after(&pod, &[exited("a", 1, 3), exited("a", 2, 4)]);
    assert_eq!(told.state("a"), "waiting CrashLoopBackOff");
    assert_ne!(words(&told), "back-off");
}

#[test]
fn a_container_without_a_run_waits_for_its_creation_or_with_the_owners_reason() {
    let told = after(&one("", "", ""), &[]);
    assert_eq!(told.state("a"), "waiting ContainerCreating");
    let told = after(
        &one("", ", initContainers: [{name: i}]", ""),
        &[running("i")],
    );
    assert_eq!(told.state("a"), "waiting PodInitializing");
    assert_eq!(
        told.verdict("Initialized"),
        ("False", "ContainersNotInitialized")
    );
    let pull = "containerStatuses: [{name: a, state: {waiting: {reason: ImagePullBackOff}}}]";
    let told = after(&one("", "", pull), &[]);
    assert_eq!(told.state("a"), "waiting ImagePullBackOff");
    assert_eq!(told.status.phase(), "Pending");
}

#[test]
fn a_container_that_ran_and_disappears_has_ended_in_an_unknown_way() {
    let pod = one("", "", "");
    let before = after(&pod, &[running("a")]);
    let view = seen(vec![sandbox()], Vec::new());
    let gone = told(&pod, Some(&before.encoded), &view, NOW + 5);
    assert_eq!(gone.state("a"), "waiting ContainerCreating");
    assert_eq!(
        gone.last_state("a"),
        "terminated 137 ContainerStatusUnknown"
    );
    assert_eq!(gone.container("a").restart_count(), 1);
    assert_eq!(gone.status.phase(), "Running");
    assert_eq!(gone.verdict("Ready"), ("False", "ContainersNotReady"));
    let again = told(&pod, Some(&gone.encoded), &view, NOW + 6);
    assert_eq!(again.encoded, gone.encoded);
}

#[test]
fn a_container_that_ended_and_disappears_stays_as_it_ended() {
    let pod = one("", ", restartPolicy: Never", "");
    let before = after(&pod, &[exited("a", 0, 0)]);
    let gone = told(&pod, Some(&before.encoded), &PodView::default(), NOW);
    assert_eq!(
        gone.status.container_statuses,
        before.status.container_statuses
    );
    assert_eq!(gone.status.phase(), "Succeeded");
    assert_eq!(gone.ips(), before.ips());
}

#[test]
fn a_run_that_the_runtime_lost_track_of_has_ended() {
    let pod = one("", "", "");
    let before = after(&pod, &[running("a")]);
    let view = seen(vec![sandbox()], vec![run("a", 0, ContainerState::Unknown)]);
    let lost = told(&pod, Some(&before.encoded), &view, NOW);
    assert_eq!(lost.state("a"), "terminated 137 ContainerStatusUnknown");
    assert_eq!(lost.container("a").restart_count(), 1);
    assert_eq!(
        told(&pod, Some(&lost.encoded), &view, NOW).encoded,
        lost.encoded
    );
}

#[test]
fn image_identities_of_a_run_do_not_change() {
    let pod = one("", "", "");
    let before = after(&pod, &[running("a")]);
    let mut other = running("a");
    other.image_ref = "repo@sha256:2".to_owned();
    let view = seen(vec![sandbox()], vec![other]);
    let told = told(&pod, Some(&before.encoded), &view, NOW);
    assert_eq!(told.encoded, before.encoded);
}

#[test]
fn a_container_with_probes_is_as_ready_as_the_owner_said_of_exactly_this_run() {
    let probes = ", readinessProbe: {}, startupProbe: {}";
    let words = |id, started, ready| {
        format!(
            "containerStatuses: [{{name: a, containerID: 'containerd://{id}', ready: {ready}, \
             started: {started}, state: {{running: {{}}}}}}]"
        )
    };
    let judged = |status: &str| {
        let told = after(&one(probes, "", status), &[running("a")]);
        let container = told.container("a");
        (container.started(), container.ready())
    };
    assert_eq!(judged(""), (false, false));
    assert_eq!(judged(&words("a0", true, true)), (true, true));
    assert_eq!(judged(&words("a0", true, false)), (true, false));
    assert_eq!(judged(&words("a1", true, true)), (false, false));
    let startup_only = one(", startupProbe: {}", "", &words("a0", true, false));
    assert!(after(&startup_only, &[running("a")]).container("a").ready());
}

#[test]
fn sidecars_hold_back_the_start_and_count_for_readiness() {
    let pod = one(
        "",
        ", initContainers: [{name: side, restartPolicy: Always, startupProbe: {}}]",
        "",
    );
    let told = after(&pod, &[running("side")]);
    assert_eq!(told.status.phase(), "Pending");
    assert_eq!(
        told.verdict("Initialized"),
        ("False", "ContainersNotInitialized")
    );
    let told = after(&pod, &[running("side"), running("a")]);
    assert_eq!(told.status.phase(), "Running");
    assert_eq!(told.verdict("Initialized"), ("True", ""));
    assert_eq!(
        told.verdict("ContainersReady"),
        ("False", "ContainersNotReady")
    );
    let message = told.condition("ContainersReady").message();
    assert_eq!(message, "containers with unready status: [side]");
}

#[test]
fn an_init_container_that_is_gone_has_completed_once_the_others_run() {
    let pod = one("", ", initContainers: [{name: i}]", "");
    let told = after(&pod, &[running("a")]);
    assert_eq!(told.state("i"), "terminated 0 Completed");
    assert!(told.container("i").ready());
    assert_eq!(told.status.phase(), "Running");
}

#[test]
fn a_failed_init_container_fails_a_pod_that_never_restarts() {
    let spec = ", initContainers: [{name: i}]";
    let pod = one("", &format!("{spec}, restartPolicy: Never"), "");
    let told = after(&pod, &[exited("i", 0, 1)]);
    assert_eq!(told.status.phase(), "Failed");
    assert_eq!(told.verdict("Ready"), ("False", "PodFailed"));
    let told = after(&one("", spec, ""), &[exited("i", 0, 1)]);
    assert_eq!(told.status.phase(), "Pending");
}

#[test]
fn ephemeral_containers_have_a_status_and_no_say() {
    let pod = one(
        "",
        ", ephemeralContainers: [{name: debug, image: shell}]",
        "",
    );
    let told = after(&pod, &[running("a"), exited("debug", 0, 1)]);
    assert_eq!(told.state("debug"), "terminated 1 Error");
    assert_eq!(told.container("debug").started, None);
    assert_eq!(told.verdict("Ready"), ("True", ""));
    assert_eq!(told.status.phase(), "Running");
}

// `containerStatusByCreated`: what was counted decides nothing.
#[test]
fn the_run_that_was_created_last_is_the_newest_whatever_was_counted() {
    let mut newest = run("a", 0, ContainerState::Running);
    newest.id = "again".to_owned();
    newest.created_at += 90_000_000_000;
    let told = after(&one("", "", ""), &[exited("a", 3, 1), newest]);
    assert_eq!(told.state("a"), "running");
    assert_eq!(told.container("a").container_id(), "containerd://again");
    assert_eq!(told.last_state("a"), "terminated 1 Error");
}

#[test]
fn an_end_that_the_owner_saw_is_not_overridden_by_a_guess() {
    let nothing = seen(vec![sandbox()], Vec::new());
    for policy in ["Always", "OnFailure", "Never"] {
        let spec = format!(", restartPolicy: {policy}");
        let before = after(&one("", &spec, ""), &[running("a")]);
        // Once with our guess in between, once without.
        let guess = told(&one("", &spec, ""), Some(&before.encoded), &nothing, NOW);
        let owner = one(
            "",
            &spec,
            "phase: Running, containerStatuses: [{name: a, restartCount: 0,
          containerID: 'containerd://a0', state: {terminated: {exitCode: 0, reason: Completed,
          containerID: 'containerd://a0'}}}]",
        );
        for last in [&before, &guess] {
            let told = told(&owner, Some(&last.encoded), &nothing, NOW);
            assert_eq!(told.state("a"), "terminated 0 Completed", "{policy}");
            assert_eq!(told.container("a").restart_count(), 0, "{policy}");
        }
        // A runtime that is behind the owner still shows it running.
        let behind = seen(vec![sandbox()], vec![running("a")]);
        let told = told(&owner, Some(&before.encoded), &behind, NOW);
        assert_eq!(told.state("a"), "terminated 0 Completed", "{policy}");
        assert!(!told.container("a").ready());
    }
}

#[test]
fn an_end_that_was_seen_stays_beside_an_older_word_of_the_owner() {
    let stale = one(
        "",
        ", restartPolicy: Never",
        "containerStatuses: [{name: a, restartCount: 0,
      containerID: 'containerd://a0',
      state: {terminated: {exitCode: 3, containerID: 'containerd://a0'}}}]",
    );
    let before = after(&stale, &[exited("a", 0, 3), exited("a", 1, 0)]);
    assert_eq!(before.state("a"), "terminated 0 Completed");
    let gone = told(&stale, Some(&before.encoded), &PodView::default(), NOW);
    assert_eq!(gone.state("a"), "terminated 0 Completed");
    assert_eq!(gone.container("a").restart_count(), 1);
}

#[test]
fn a_container_that_ended_unseen_is_not_restarted_where_it_is_not_started_again() {
    let pod = one("", ", restartPolicy: Never", "");
    let before = after(&pod, &[running("a")]);
    for view in [PodView::default(), seen(vec![sandbox()], Vec::new())] {
        let gone = told(&pod, Some(&before.encoded), &view, NOW);
        assert_eq!(gone.state("a"), "terminated 137 ContainerStatusUnknown");
        assert_eq!(gone.last_state("a"), "");
        assert_eq!(gone.container("a").restart_count(), 0);
        assert_eq!(gone.container("a").container_id(), "containerd://a0");
        assert_eq!(gone.status.phase(), "Failed");
    }
    let word = "phase: Failed, reason: Evicted, containerStatuses: [{name: a,
      containerID: 'containerd://a0', state: {running: {}}}]";
    let evicted = told(&one("", "", word), None, &PodView::default(), NOW);
    assert_eq!(evicted.state("a"), "terminated 137 ContainerStatusUnknown");
    assert_eq!(evicted.container("a").restart_count(), 0);
    assert_eq!(evicted.status.reason(), "Evicted");
}

// `ShouldContainerBeRestarted`, and what comes before it for init containers.
#[test]
fn only_a_container_that_is_started_again_is_held() {
    let waits = |spec: &str, more: &str, code| {
        let pod = pod(&format!(
            "metadata: {{name: p, uid: u{more}}}\nspec: {{containers: [{{name: a}}], {spec}}}\n\
             status: {{containerStatuses: [{CRASH}], initContainerStatuses: [{CRASH_OF_SIDE}]}}"
        ));
        let told = after(&pod, &[exited("a", 0, code), exited("side", 0, code)]);
        let side = spec.contains("side").then(|| told.state("side"));
        (told.state("a"), side.unwrap_or_default())
    };
    const CRASH: &str =
        "{name: a, containerID: 'containerd://a0', state: {waiting: {reason: Crash}}}";
    const CRASH_OF_SIDE: &str =
        "{name: side, containerID: 'containerd://side0', state: {waiting: {reason: Crash}}}";
    let side = "initContainers: [{name: side, restartPolicy: Always}]";
    let both = |a: &str, side: &str| (a.to_owned(), side.to_owned());
    assert_eq!(waits(side, "", 1), both("waiting Crash", "waiting Crash"));
    assert_eq!(
        waits(side, "", 0),
        both("waiting Crash", "terminated 0 Completed")
    );
    assert_eq!(waits("restartPolicy: Never", "", 1).0, "terminated 1 Error");
    let deleted = ", deletionTimestamp: '2026-01-01T00:00:00Z'";
    assert_eq!(
        waits(side, deleted, 1),
        both("terminated 1 Error", "terminated 1 Error")
    );
}

// `checkContainerStateTransition`
#[test]
fn a_container_that_ended_for_good_does_not_come_back() {
    let pod = |policy: &str| one("", &format!(", restartPolicy: {policy}"), "");
    let runs = [exited("a", 0, 0), run("a", 1, ContainerState::Running)];
    let state = |policy: &str| {
        let before = after(&pod(policy), &runs[..1]);
        let view = seen(vec![sandbox()], runs.to_vec());
        told(&pod(policy), Some(&before.encoded), &view, NOW).state("a")
    };
    assert_eq!(state("Always"), "running");
    assert_eq!(state("OnFailure"), "terminated 0 Completed");
    assert_eq!(state("Never"), "terminated 0 Completed");
}

#[test]
fn the_newest_word_of_the_runtime_on_the_end_of_a_run_counts() {
    let killed = |reason: &str| Container {
        reason: reason.to_owned(),
        ..exited("a", 0, 137)
    };
    let owner = "phase: Running, containerStatuses: [{name: a, containerID: 'containerd://a0',
      state: {terminated: {exitCode: 137, reason: Error, containerID: 'containerd://a0'}}}]";
    for status in ["", owner] {
        let pod = one("", ", restartPolicy: Never", status);
        let first = after(&pod, &[killed("Error")]);
        assert_eq!(first.state("a"), "terminated 137 Error");
        let view = |reason| seen(vec![sandbox()], vec![killed(reason)]);
        let late = told(&pod, Some(&first.encoded), &view("OOMKilled"), NOW);
        assert_eq!(late.state("a"), "terminated 137 OOMKilled");
        let lost = told(&pod, Some(&late.encoded), &view("Unknown"), NOW);
        assert!(lost.state("a") != "terminated 137 Unknown", "no newer word");
    }
    // The same for the run before.
    let pod = one("", "", "");
    let runs = |reason| vec![killed(reason), run("a", 1, ContainerState::Running)];
    let first = after(&pod, &runs("Error"));
    assert_eq!(first.last_state("a"), "terminated 137 Error");
    let view = seen(vec![sandbox()], runs("OOMKilled"));
    let late = told(&pod, Some(&first.encoded), &view, NOW);
    assert_eq!(late.last_state("a"), "terminated 137 OOMKilled");
}

#[test]
fn what_the_owner_says_later_of_the_same_run_counts() {
    let first = after(&one("", "", ""), &[running("a")]);
    assert_eq!(first.container("a").restart_count(), 0);
    let word = |id: &str| {
        format!(
            "phase: Running, containerStatuses: [{{name: a, restartCount: 4,              containerID: 'containerd://{id}', state: {{running: {{}}}}, lastState: {{terminated:              {{exitCode: 3, reason: Error, containerID: 'containerd://older'}}}}}}]"
        )
    };
    let view = seen(vec![sandbox()], vec![running("a")]);
    let later = |id: &str| told(&one("", "", &word(id)), Some(&first.encoded), &view, NOW);
    assert_eq!(later("a0").container("a").restart_count(), 4);
    assert_eq!(later("a0").last_state("a"), "terminated 3 Error");
    assert_eq!(later("another").container("a").restart_count(), 0);
    assert_eq!(later("another").last_state("a"), "");
}

#[test]
fn a_run_made_after_another_and_noted_as_the_first_counts_one_more_in_each_state() {
    let again = |state| Container {
        id: "anew".to_owned(),
        created_at: 1_700_000_100_000_000_000,
        started_at: 1_700_000_101_000_000_000,
        ..run("a", 0, state)
    };
    let ended = run("a", 3, ContainerState::Exited);
    for before in [run("a", 3, ContainerState::Running), ended] {
        for first in [
            ContainerState::Created,
            ContainerState::Exited,
            ContainerState::Running,
        ] {
            let pod = one("", "", "");
            let was = after(&pod, std::slice::from_ref(&before));
            let count = |was: &Told, state| {
                let view = seen(vec![sandbox()], vec![before.clone(), again(state)]);
                told(&pod, Some(&was.encoded), &view, NOW)
            };
            let anew = count(&was, first);
            assert_eq!(
                anew.container("a").restart_count(),
                4,
                "{before:?} {first:?}"
            );
            let later = count(&anew, ContainerState::Running);
            assert_eq!(
                later.container("a").restart_count(),
                4,
                "{before:?} {first:?}"
            );
        }
    }
    // The run before is no newer one when it is the last that is left.
    let pod = one("", "", "");
    let was = after(
        &pod,
        &[exited("a", 0, 0), run("a", 1, ContainerState::Running)],
    );
    let view = seen(vec![sandbox()], vec![exited("a", 0, 0)]);
    let left = told(&pod, Some(&was.encoded), &view, NOW);
    assert_eq!(left.container("a").restart_count(), 1);
}

#[test]
fn a_run_runs_once_its_start_is_told() {
    let silent = Container {
        started_at: 0,
        ..running("a")
    };
    let pod = one("", "", "");
    let first = after(&pod, std::slice::from_ref(&silent));
    assert_eq!(first.state("a"), "waiting ");
    let view = |run: &Container| seen(vec![sandbox()], vec![run.clone()]);
    let second = told(&pod, Some(&first.encoded), &view(&running("a")), NOW);
    assert_eq!(second.state("a"), "running");
    let third = told(&pod, Some(&second.encoded), &view(&silent), NOW);
    assert_eq!(third.status, second.status);
}
