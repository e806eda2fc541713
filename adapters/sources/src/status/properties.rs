//! What holds of every status, whatever a runtime shows and an owner says.

use std::fmt::Write as _;

use podsapi_core::EncodedPod;
use podsapi_proto::core_v1::{ContainerStatus, PodStatus};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::{Just, Strategy, any, prop_oneof, proptest};
use proptest::sample::select;

use super::PodView;
use super::scenes::{NOW, Told, pod, sandbox, seen, told};
use crate::view::{Container, ContainerState, Sandbox};

const NAMES: [&str; 7] = ["a", "b", "i", "z", "side", "debug", "again"];

fn spec() -> impl Strategy<Value = String> {
    let policy = select(vec!["Always", "OnFailure", "Never"]);
    (policy, any::<[bool; 5]>()).prop_map(|(policy, [probe, second, init, side, debug])| {
        let mut spec = format!("restartPolicy: {policy}, containers: [");
        if second {
            spec.push_str("{name: b, startupProbe: {}}, ");
        }
        spec.push_str("{name: a, image: x");
        if probe {
            spec.push_str(", readinessProbe: {}");
        }
        spec.push_str("}]");
        let mut inits = Vec::new();
        if init {
            inits.push("{name: z}");
        }
        if side {
            inits.push("{name: side, restartPolicy: Always}");
        }
        if init {
            inits.push("{name: i}");
        }
        let _ = write!(spec, ", initContainers: [{}]", inits.join(", "));
        if debug {
            spec.push_str(", ephemeralContainers: [{name: debug}, {name: again}]");
        }
        spec
    })
}

fn owner_status() -> impl Strategy<Value = String> {
    let state = select(vec![
        "running: {}",
        "waiting: {reason: CrashLoopBackOff}",
        "terminated: {exitCode: 1}",
    ]);
    let container = (select(NAMES.to_vec()), 0..3_u32, state, any::<[bool; 2]>());
    let container = container.prop_map(|(name, count, state, [ready, started])| {
        format!(
            "{{name: {name}, containerID: 'containerd://{name}{count}', ready: {ready}, \
             started: {started}, restartCount: {count}, state: {{{state}}}}}"
        )
    });
    let phase = select(vec!["Pending", "Running", "Failed", "Succeeded"]);
    (option::weighted(0.3, phase), vec(container, 0..3)).prop_map(|(phase, containers)| {
        let phase = phase.map_or(String::new(), |phase| format!("phase: {phase}, "));
        format!("{phase}containerStatuses: [{}]", containers.join(", "))
    })
}

fn view() -> impl Strategy<Value = PodView> {
    let odd = -6_795_364_578_871_345_152;
    let time = prop_oneof![Just(odd), Just(0), 1..9_i64]
        .prop_map(|s: i64| s.saturating_mul(1_000_000_000));
    let state = select(vec![
        ContainerState::Created,
        ContainerState::Running,
        ContainerState::Exited,
        ContainerState::Unknown,
    ]);
    let times = (time.clone(), time.clone(), time.clone());
    let container = (
        select(NAMES.to_vec()),
        0..4_u32,
        state,
        select(vec![0, 1, 255]),
        times,
    );
    let container = container.prop_map(|(name, count, state, exit_code, times)| Container {
        id: format!("{name}{count}"),
        sandbox_id: format!("s{}", count % 3),
        name: name.to_owned(),
        attempt: count,
        restart_count: count,
        state,
        exit_code,
        created_at: times.0,
        started_at: times.1,
        finished_at: times.2,
        ..Container::default()
    });
    let parts = (0..3_u32, any::<bool>(), time, any::<bool>());
    let shown = parts.prop_map(|(attempt, ready, created_at, address)| Sandbox {
        id: format!("s{attempt}"),
        attempt,
        ready,
        created_at,
        ips: Vec::from_iter(address.then(|| format!("10.0.0.{attempt}"))),
        ..sandbox()
    });
    (vec(shown, 0..4), vec(container, 0..6))
        .prop_map(|(sandboxes, containers)| seen(sandboxes, containers))
}

fn build(spec: &str, status: &str) -> EncodedPod {
    pod(&format!(
        "metadata: {{name: p, namespace: ns, uid: u}}\nspec: {{{spec}}}\nstatus: {{{status}}}"
    ))
}

/// The statuses of what must be ready for a pod to be.
fn counting(status: &PodStatus) -> impl Iterator<Item = &ContainerStatus> {
    let inits = status.init_container_statuses.iter();
    let sidecars = inits.filter(|one| one.name() == "side");
    status.container_statuses.iter().chain(sidecars)
}

fn runs(status: &ContainerStatus) -> bool {
    status
        .state
        .as_ref()
        .is_some_and(|state| state.running.is_some())
}

fn check(told: &Told) {
    let status = &told.status;
    assert!(["Pending", "Running", "Succeeded", "Failed"].contains(&status.phase()));
    for one in counting(status) {
        assert!(runs(one) || !one.ready(), "{one:?}");
        assert!(one.started() || !one.ready(), "{one:?}");
    }
    let all_ready = counting(status).all(ContainerStatus::ready);
    let kinds = ["Ready", "ContainersReady"];
    for kind in kinds {
        assert!(told.verdict(kind).0 == "False" || all_ready);
    }
    let terminal = ["Succeeded", "Failed"].contains(&status.phase());
    assert!(!terminal || kinds.iter().all(|kind| told.verdict(kind).0 == "False"));
    assert_eq!(status.conditions.len(), 5);
    for list in [
        &status.container_statuses,
        &status.ephemeral_container_statuses,
    ] {
        assert!(list.is_sorted_by_key(|one| one.name()), "{list:?}");
    }
    let inits = status.init_container_statuses.iter();
    let inits: Vec<_> = inits
        .map(|one| one.name())
        .filter(|name| *name != "side")
        .collect();
    assert!(inits.is_empty() || inits == ["z", "i"], "{inits:?}");
    let all = counting(status).chain(&status.init_container_statuses);
    for one in all.chain(&status.ephemeral_container_statuses) {
        let ended = one
            .state
            .as_ref()
            .and_then(|state| state.terminated.as_ref());
        if let Some(ended) = ended {
            let seconds = |time: Option<podsapi_proto::meta_v1::Time>| time.and_then(|t| t.seconds);
            assert!(
                seconds(ended.finished_at) >= seconds(ended.started_at),
                "{ended:?}"
            );
        }
    }
}

fn check_change(before: &Told, after: &Told, view: &PodView) {
    let (was, is) = (before.status.phase(), after.status.phase());
    assert!(!(was == "Running" && is == "Pending"));
    assert!(!["Succeeded", "Failed"].contains(&was) || was == is);
    for condition in &after.status.conditions {
        let old = before.condition(condition.r#type());
        let same_status = old.status() == condition.status();
        let same_time = old.last_transition_time == condition.last_transition_time;
        assert_eq!(same_status, same_time, "{old:?} {condition:?}");
    }
    assert_eq!(before.status.start_time, after.status.start_time);
    let kept = !after.status.pod_i_ps.is_empty() || view.ready_sandboxes() > 0;
    assert!(before.status.pod_i_ps.is_empty() || kept);
    for (old, new) in counting(&before.status).zip(counting(&after.status)) {
        assert!(old.restart_count() <= new.restart_count());
    }
}

proptest! {
    #[test]
    fn the_owners_terminal_word_is_not_overridden(
        spec in spec(),
        phase in select(vec!["Failed", "Succeeded"]),
        ends in vec(select(vec![0, 1, 137]), 2),
        views in vec(view(), 0..4),
        after in view(),
    ) {
        // What was worked out before the owner spoke, whatever it was.
        let mut last: Option<Told> = None;
        for view in &views {
            last = Some(told(&build(&spec, ""), last.as_ref().map(|told| &told.encoded), view, NOW));
        }
        let last = last.as_ref().map(|told| &told.encoded);
        let ended = ["a", "b"].iter().zip(&ends).map(|(name, code)| {
            let id = format!("containerd://{name}9");
            format!(
                "{{name: {name}, containerID: '{id}', restartCount: 9, state: {{terminated: \
                 {{exitCode: {code}, containerID: '{id}'}}}}}}"
            )
        });
        let ended = ended.collect::<Vec<_>>().join(", ");
        let pod = build(&spec, &format!("phase: {phase}, containerStatuses: [{ended}]"));
        let gone = told(&pod, last, &PodView::default(), NOW);
        for one in &gone.status.container_statuses {
            let code = ends[usize::from(one.name() == "b")];
            assert_eq!(gone.state(one.name()), format!("terminated {code} "));
            assert_eq!(one.restart_count(), 9);
        }
        assert_eq!(gone.status.phase(), phase);
        let later = told(&pod, Some(&gone.encoded), &after, NOW);
        assert_eq!(later.status.phase(), phase);
    }

    #[test]
    fn a_status_is_sound_and_moves_only_forward(
        spec in spec(),
        status in owner_status(),
        views in vec(view(), 1..6),
    ) {
        let pod = build(&spec, &status);
        let mut before: Option<Told> = None;
        for (now, view) in (NOW..).zip(&views) {
            let last = before.as_ref().map(|told| &told.encoded);
            let after = told(&pod, last, view, now);
            check(&after);
            if let Some(before) = &before {
                check_change(before, &after, view);
            }
            let again = told(&pod, Some(&after.encoded), view, now + 1_000);
            assert_eq!(again.status, after.status);
            assert_eq!(again.encoded, after.encoded);
            before = Some(after);
        }
    }

    #[test]
    fn the_order_in_which_a_runtime_lists_does_not_matter(
        spec in spec(),
        status in owner_status(),
        containers in vec((select(NAMES.to_vec()), 0..4_u32, 1..9_i64), 0..6),
    ) {
        let containers: Vec<_> = containers
            .into_iter()
            .enumerate()
            .map(|(index, (name, count, created))| Container {
                id: format!("{name}{count}{index}"),
                created_at: created,
                ..super::scenes::exited(name, count, 1)
            })
            .collect();
        let mut reversed = containers.clone();
        reversed.reverse();
        let pod = build(&spec, &status);
        let one = told(&pod, None, &seen(vec![sandbox()], containers), NOW);
        let other = told(&pod, None, &seen(vec![sandbox()], reversed), NOW);
        assert_eq!(one.encoded, other.encoded);
    }
}
