//! Which statuses are asked for, and what the view says.

use super::*;
use crate::cri::fake::{container_status, sandbox_status};
use listed::Pod;

fn sandbox(id: &str, ready: bool) -> listed::Sandbox {
    listed::Sandbox {
        id: id.to_owned().into(),
        pod: Some(Pod {
            uid: format!("uid-{id}").into(),
        }),
        state: i32::from(!ready),
    }
}

fn container(id: &str, sandbox: &str, state: cri::ContainerState) -> listed::Container {
    listed::Container {
        id: id.to_owned().into(),
        sandbox_id: sandbox.to_owned().into(),
        state: state.into(),
    }
}

const RUNNING: cri::ContainerState = cri::ContainerState::ContainerRunning;
const EXITED: cri::ContainerState = cri::ContainerState::ContainerExited;

fn of_container(id: &str) -> Need {
    Need::Container(id.to_owned())
}

fn of_sandbox(id: &str) -> Need {
    Need::Sandbox(id.to_owned())
}

fn exited(id: &str, exit_code: i32) -> cri::ContainerStatus {
    cri::ContainerStatus {
        exit_code,
        ..container_status(id, EXITED)
    }
}

#[test]
fn a_status_is_asked_for_once_and_again_when_the_list_shows_another_state() {
    let mut known = Known::default();
    let now = Instant::now();
    let both = vec![of_sandbox("s"), of_container("c")];
    let lists = |state| (vec![sandbox("s", true)], vec![container("c", "s", state)]);

    let (sandboxes, containers) = lists(RUNNING);
    assert_eq!(known.handle_lists(&sandboxes, &containers, now), both);
    known.handle_sandbox(sandbox_status("s", true, "10.0.0.1"), now);
    known.handle_container(container_status("c", RUNNING), None, now);
    let (sandboxes, containers) = lists(RUNNING);
    assert_eq!(known.handle_lists(&sandboxes, &containers, now), []);

    let (sandboxes, containers) = lists(EXITED);
    let again = known.handle_lists(&sandboxes, &containers, now);
    assert_eq!(again, [of_container("c")]);
    known.handle_container(exited("c", 0), None, now);

    let (_, containers) = lists(EXITED);
    let again = known.handle_lists(&[sandbox("s", false)], &containers, now);
    assert_eq!(again, [of_sandbox("s")]);
}

#[test]
fn everything_is_asked_for_again_on_a_new_connection() {
    let mut known = Known::default();
    let now = Instant::now();
    let lists = || (vec![sandbox("s", true)], vec![container("c", "s", RUNNING)]);
    let (sandboxes, containers) = lists();
    known.handle_lists(&sandboxes, &containers, now);
    known.handle_sandbox(sandbox_status("s", true, "10.0.0.1"), now);
    known.handle_container(container_status("c", RUNNING), None, now);
    let before = known.view();
    known.distrust();
    assert_eq!(known.view(), before);
    let (sandboxes, containers) = lists();
    assert_eq!(known.handle_lists(&sandboxes, &containers, now).len(), 2);
}

#[test]
fn how_a_container_failed_is_confirmed_once() {
    let mut known = Known::default();
    let start = Instant::now();
    let asked = |known: &mut Known, after: Duration| {
        let list = vec![container("c", "s", EXITED)];
        known.handle_lists(&[], &list, start + after)
    };
    assert_eq!(asked(&mut known, Duration::ZERO), [of_container("c")]);
    known.handle_container(exited("c", 137), None, start);
    assert_eq!(asked(&mut known, Duration::from_millis(1900)), []);
    let late = Duration::from_millis(2100);
    assert_eq!(asked(&mut known, late), [of_container("c")]);
    let oom = cri::ContainerStatus {
        reason: "OOMKilled".to_owned(),
        ..exited("c", 137)
    };
    known.handle_container(oom, None, start + late);
    assert_eq!(known.view().containers[0].reason, "OOMKilled");
    assert_eq!(asked(&mut known, Duration::from_secs(3600)), []);
}

#[test]
fn a_ready_sandbox_without_address_is_asked_for_until_it_has_one() {
    let mut known = Known::default();
    let now = Instant::now();
    for _ in 0..3 {
        let needs = known.handle_lists(&[sandbox("s", true)], &[], now);
        assert_eq!(needs, [of_sandbox("s")]);
        known.handle_sandbox(sandbox_status("s", true, ""), now);
    }
    known.handle_lists(&[sandbox("s", true)], &[], now);
    known.handle_sandbox(sandbox_status("s", true, "10.0.0.1"), now);
    let needs = known.handle_lists(&[sandbox("s", true)], &[], now);
    assert_eq!(needs, []);
}

#[test]
fn a_stopped_sandbox_is_asked_for_until_it_has_no_address() {
    let mut known = Known::default();
    let mut now = Instant::now();
    // It died first, which takes no address away, and is stopped in the end.
    for address in ["10.0.0.1", "10.0.0.1", ""] {
        let needs = known.handle_lists(&[sandbox("s", false)], &[], now);
        assert_eq!(needs, [of_sandbox("s")]);
        known.handle_sandbox(sandbox_status("s", false, address), now);
        let needs = known.handle_lists(&[sandbox("s", false)], &[], now);
        assert_eq!(needs, []);
        now += CONFIRMATION;
    }
    let needs = known.handle_lists(&[sandbox("s", false)], &[], now);
    assert_eq!(needs, []);
}

/// Lists a ready sandbox `s` and these containers in it.
fn lists(known: &mut Known, containers: &[(&str, cri::ContainerState)], now: Instant) -> Vec<Need> {
    let containers = containers.iter();
    let containers = containers.map(|(id, state)| container(id, "s", *state));
    let containers: Vec<_> = containers.collect();
    known.handle_lists(&[sandbox("s", true)], &containers, now)
}

fn ids(known: &Known) -> Vec<String> {
    let view = known.view();
    view.containers.into_iter().map(|one| one.id).collect()
}

/// A sandbox `s` with a container `c` that was told to run.
fn running(now: Instant) -> Known {
    let mut known = Known::default();
    lists(&mut known, &[("c", RUNNING)], now);
    known.handle_sandbox(sandbox_status("s", true, "10.0.0.1"), now);
    known.handle_container(container_status("c", RUNNING), None, now);
    known.settle();
    assert!(known.take_changed());
    known
}

#[test]
fn what_goes_between_list_and_status_is_no_problem_and_gone_with_the_next_list() {
    let now = Instant::now();
    let mut known = running(now);
    lists(&mut known, &[("c", EXITED), ("new", RUNNING)], now);
    known.handle_missing(&of_container("c"), now);
    known.handle_missing(&of_container("new"), now);
    known.settle();
    assert_eq!(known.view().containers[0].state, ContainerState::Running);
    assert_eq!(
        (ids(&known), known.refused()),
        (vec!["c".to_owned()], BTreeSet::new())
    );
    // A list that has it for good is wrong, which is told.
    known.handle_missing(&of_container("new"), now);
    assert_eq!(known.refused().len(), 1);
    lists(&mut known, &[], now);
    known.settle();
    assert_eq!(
        (ids(&known), known.refused()),
        (Vec::new(), BTreeSet::new())
    );
    assert!(known.take_changed());
    // A late answer brings nothing back.
    known.handle_container(container_status("c", RUNNING), None, now);
    assert_eq!(ids(&known), Vec::<String>::new());
}

#[test]
fn a_refused_status_leaves_the_one_before_and_is_asked_for_soon() {
    let start = Instant::now();
    let mut known = running(start);
    let before = known.view();
    let again = lists(&mut known, &[("c", EXITED)], start);
    assert_eq!(again, [of_container("c")]);
    let mut at = start;
    for wait in [1, 2, 4, 8, 10, 10] {
        known.handle_refused(&of_container("c"), "broken", at);
        known.settle();
        assert_eq!(
            (known.view(), known.take_changed()),
            (before.clone(), false)
        );
        assert_eq!(
            known.refused().into_iter().next().unwrap(),
            "container c: broken"
        );
        let next = at + Duration::from_secs(wait);
        assert_eq!(known.retry_at(), Some(next));
        assert_eq!(
            lists(
                &mut known,
                &[("c", EXITED)],
                next - Duration::from_millis(1)
            ),
            []
        );
        assert_eq!(
            lists(&mut known, &[("c", EXITED)], next),
            [of_container("c")]
        );
        at = next;
    }
    known.handle_container(exited("c", 3), None, at);
    assert_eq!((known.refused(), known.retry_at()), (BTreeSet::new(), None));
    assert_eq!(known.view().containers[0].exit_code, 3);
}

#[test]
fn what_was_never_told_is_not_shown_nor_what_is_in_a_sandbox_that_was_not() {
    let now = Instant::now();
    let mut known = Known::default();
    lists(&mut known, &[("c", RUNNING), ("d", RUNNING)], now);
    known.handle_refused(&of_sandbox("s"), "broken", now);
    known.handle_refused(&of_container("c"), "broken", now);
    known.handle_container(container_status("d", RUNNING), None, now);
    known.settle();
    assert_eq!(known.view(), RuntimeView::default());
    known.handle_sandbox(sandbox_status("s", true, "10.0.0.1"), now);
    assert_eq!(ids(&known), ["d"]);
}

#[test]
fn what_is_not_listed_any_more_stays_until_all_of_its_pod_was_told() {
    let now = Instant::now();
    let mut known = running(now);
    lists(&mut known, &[("next", RUNNING)], now);
    known.handle_refused(&of_container("next"), "broken", now);
    known.settle();
    assert_eq!(ids(&known), ["c"], "nobody knows yet what took its place");
    known.handle_container(container_status("next", RUNNING), None, now);
    known.settle();
    assert_eq!(ids(&known), ["next"]);
}

#[test]
fn a_status_that_is_not_what_the_list_says_is_asked_for_until_it_is() {
    let now = Instant::now();
    let mut known = running(now);
    assert_eq!(
        lists(&mut known, &[("c", EXITED)], now),
        [of_container("c")]
    );
    known.handle_container(container_status("c", RUNNING), None, now);
    assert_eq!(lists(&mut known, &[("c", EXITED)], now), []);
    let later = now + RETRY_FIRST;
    assert_eq!(
        lists(&mut known, &[("c", EXITED)], later),
        [of_container("c")]
    );
    known.handle_container(exited("c", 0), None, later);
    let late = later + Duration::from_secs(3600);
    assert_eq!(lists(&mut known, &[("c", EXITED)], late), []);
}

#[test]
fn an_early_question_does_not_stand_for_the_confirmation_of_an_end() {
    let now = Instant::now();
    let mut known = running(now);
    // An event leads to the end before a list does.
    assert!(known.handle_event("c") && !known.handle_event("new"));
    assert_eq!(known.needs(now), [of_container("c")]);
    known.handle_container(exited("c", 137), None, now);
    assert!(known.handle_event("c"));
    assert_eq!(known.needs(now), [of_container("c")]);
    known.handle_container(exited("c", 137), None, now);
    assert_eq!(lists(&mut known, &[("c", EXITED)], now), []);
    let needs = lists(&mut known, &[("c", EXITED)], now + CONFIRMATION);
    assert_eq!(needs, [of_container("c")]);
}

#[test]
fn the_view_is_the_same_whatever_the_order_of_the_lists() {
    let ids = ["a", "b", "c"];
    let views = [[0, 1, 2], [2, 0, 1]].map(|order| {
        let mut known = Known::default();
        let now = Instant::now();
        let sandboxes = order.map(|k| sandbox(ids[k], true)).to_vec();
        let containers = order.map(|k| container(ids[k], ids[k], RUNNING)).to_vec();
        known.handle_lists(&sandboxes, &containers, now);
        for k in order {
            known.handle_sandbox(sandbox_status(ids[k], true, "10.0.0.1"), now);
            known.handle_container(container_status(ids[k], RUNNING), None, now);
        }
        known.view()
    });
    assert_eq!(views[0], views[1]);
    assert_eq!(views[0].containers.len(), 3);
}
